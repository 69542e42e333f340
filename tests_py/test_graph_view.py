"""What an Extractor says of itself: who shares what, as text and as a picture."""

import xml.etree.ElementTree as xml

import metalmom
import pytest

RECIPE = {
    "mel": {"feature": "melspectrogram"},
    "mfcc": {},
    "chroma_stft": {},
    "onset_strength": {},
    "beats": {"feature": "beat_track", "of": "onset_strength"},
    "tempo": {},
    "delta": {"of": "mfcc"},
    "spectral_contrast": {},
}


@pytest.fixture(scope="module", autouse=True)
def on_cpu():
    with metalmom.config_context(backend="cpu"):
        yield


@pytest.fixture(scope="module")
def graph():
    return metalmom.Extractor(RECIPE).graph()


def test_text(graph):
    assert str(graph).splitlines() == [
        "wave 1",
        "  frames of 2048 samples, one every 512",
        "    power",
        "      chroma_stft (tuning_estimate)",
        "      128 bands",
        "        mel (filterbank_spectrogram)",
        "        levels",
        "          mfcc (cepstrum)",
        "          onset_strength, tempo (onset_strength)",
        "    magnitude, transformed in double",
        "      spectral_contrast",
        "wave 2",
        "  delta of mfcc (delta)",
        "  tempo (global_tempo)",
        "  beats of onset_strength (global_tempo)",
        "  frames of 2048 samples, one every 512",
        "    power",
        "      12 bands",
        "        chroma_stft (chroma_spectrogram)",
        "wave 3",
        "  beats of onset_strength (beat_track)",
    ]
    assert repr(graph).startswith("<Graph of 3 waves, 10 nodes")
    without_expression = metalmom.Extractor(["mfcc", "poly_features"], sr=22050).graph()
    assert str(without_expression).splitlines()[-2:] == ["calls of their own", "  poly_features"]


def test_what_differs_is_not_shown_as_shared():
    """Other hops are other frames; other mel filters, as many as they be, are other bands."""
    recipe = {
        "mfcc": {},
        "low": {"feature": "mfcc", "fmax": 4000.0},
        "dense": {"feature": "mfcc", "hop_length": 256},
    }
    lines = [line.strip() for line in str(metalmom.Extractor(recipe).graph()).splitlines()]
    assert lines.count("128 bands") == 3
    assert lines.count("power") == 2
    assert "frames of 2048 samples, one every 256" in lines


def test_picture(graph):
    svg = graph.svg()
    assert graph._repr_svg_() == svg
    root = xml.fromstring(svg)
    drawn = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert sorted(drawn) == sorted(line.strip() for line in str(graph).splitlines())
    width, height = float(root.get("width")), float(root.get("height"))
    boxes = [
        [float(each.get(key)) for key in ("x", "y", "width", "height")]
        for each in root.iter("{http://www.w3.org/2000/svg}rect")
        if each.get("x")
    ]
    for i, (x, y, w, h) in enumerate(boxes):
        assert x >= 0 and y >= 0 and x + w <= width and y + h <= height
        for x2, y2, w2, h2 in boxes[:i]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y, "boxes overlap"


def test_names_are_text_in_the_picture():
    svg = metalmom.Extractor({"<&>": {"feature": "rms"}}).graph().svg()
    assert "&lt;&amp;&gt; (rms)" in svg
    xml.fromstring(svg)


def test_whatever_the_features_refuse_is_said():
    with pytest.raises(metalmom.ParameterError, match="n_mels"):
        metalmom.Extractor(["mfcc"], n_mels=0).graph()
