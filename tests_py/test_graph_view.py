"""What an Extractor says of itself: who shares what, as text and as a picture."""

import json
import pickle
import weakref
import xml.etree.ElementTree as xml
from types import SimpleNamespace

import metalmom
import pytest
from metalmom._engine.watch import Taken
from metalmom._extractor.graph_view import Graph

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
    picture_is_sound(svg)


def picture_is_sound(svg):
    root = xml.fromstring(svg)
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


def called(recipe=RECIPE):
    fx = metalmom.Extractor(recipe)
    y = metalmom.demo.song(4.0)[0][0]
    fx(y)
    return fx.graph()


def test_a_call_has_times():
    graph = called()
    assert all(0 < node["ms"] <= graph.ms and node["share"] == node["ms"] / graph.ms for node in graph.nodes)
    alone = [node for node in graph.nodes if node["together"] is None]
    groups = {node["together"]: node["ms"] for node in graph.nodes if node["together"] is not None}
    assert {node["op"] for node in alone} == {"global_tempo", "delta", "beat_track"} and len(groups) == 2
    known = {(node["wave"], node["op"], node["ms"]) for node in alone}  # equal nodes are shown for each feature
    host = {(each["wave"], each["ms"]) for each in graph.host}
    # nothing is counted twice, and next to nothing between the nodes is unknown
    assert sum(groups.values()) + sum(each[-1] for each in known) + sum(each[-1] for each in host) <= graph.ms


def test_the_critical_path_is_the_longest_chain():
    """Of steps whose times are given: onsets, tempo and beats take longer than RMS and its delta."""
    def step(wave, name, op, sources, begin, end, pipeline=-1):
        frames = {"n_fft": 2048, "hop_length": 512}
        node = (pipeline, "CPU" if pipeline >= 0 else "", "power" if pipeline >= 0 else "")
        return Taken(wave, [name], op, frames, sources, node, (1 + begin) * 10**6, (1 + end) * 10**6)

    steps = [
        step(0, "onset_strength", "onset_strength", set(), 0, 3, 0), step(0, "rms", "rms", set(), 0, 3, 0),
        step(1, "delta", "delta", {1}, 3, 5), step(1, "beats", "global_tempo", {0}, 5, 6),
        step(2, "beats", "beat_track", {0, 3}, 6, 9),
    ]  # fmt: skip
    beats = {"feature": "beat_track", "of": "onset_strength"}
    fx = metalmom.Extractor({"onset_strength": {}, "beats": beats, "delta": {"of": "rms"}, "rms": {}})
    graph = Graph(SimpleNamespace(taken=steps, begin=0, end=10**7), fx._features)
    assert [node["critical"] for node in graph.nodes] == [True, False, False, True, True]
    assert (graph.critical_ms, graph.ms) == (7, 10)
    assert [node["share"] for node in graph.nodes] == pytest.approx([0.3, 0.3, 0.2, 0.1, 0.3])
    marked = [line[19:].strip() for line in str(graph).splitlines() if line[17:18] == "*"]
    assert marked == ["frames of 2048 samples, one every 512", "power", "onset_strength",
                      "beats of onset_strength (global_tempo)", "beats of onset_strength (beat_track)"]  # fmt: skip
    drawn = [each for each in xml.fromstring(graph.svg()).iter() if each.get("class") == "critical"]
    assert [each.tag.rpartition("}")[2] for each in drawn].count("rect") == len(marked)


def test_what_ran_together_has_one_time():
    lines = str(called({"mfcc": {}, "short": {"feature": "rms", "frame_length": 512}})).splitlines()
    frames = [line for line in lines if "frames of" in line]
    assert frames[0].split()[1].endswith("%") and frames[1].split()[:2] == ['"', '"']
    assert lines[0].split() == ["ms", "share"] and lines[-1].split()[1:2] == ["100.0%"]


def test_the_graph_is_of_the_last_call():
    fx = metalmom.Extractor(["mfcc"])
    assert fx.graph().ms is None
    y = metalmom.tone(440.0, duration=1.0)
    fx(y)
    first = fx.graph()
    assert json.loads(first.json())["ms"] == fx.graph().ms == first.ms  # asked again, no call
    fx.map([y, y])
    assert fx.graph().ms == first.ms
    fx(y)
    assert fx.graph().ms != first.ms
    assert "ms" not in json.loads(pickle.loads(pickle.dumps(fx)).graph().json())


def test_a_graph_keeps_no_audio():
    fx = metalmom.Extractor(RECIPE)
    y = metalmom.tone(440.0, duration=1.0)
    is_gone = weakref.ref(y)
    fx(y)
    del y
    assert is_gone() is None


def test_calls_of_their_own_have_times():
    lines = str(called(["mfcc", "poly_features"])).splitlines()
    at = next(i for i, line in enumerate(lines) if line.endswith("calls of their own"))
    assert lines[at + 1].split()[-1] == "poly_features" and float(lines[at + 1].split()[0]) > 0


def test_the_picture_of_a_call_has_no_overlaps():
    picture_is_sound(called().svg())


def test_a_trace_has_the_parts_of_what_ran_together():
    fx = metalmom.Extractor(["mfcc", "melspectrogram"])
    y = metalmom.demo.song(4.0)[0][0]
    with metalmom.trace.record(detail=True) as trace:
        fx(y)
    graph = fx.graph(trace)
    parts = {node["op"]: node["part_ms"] for node in graph.nodes}
    recorded = sum(span.dur for span in trace.spans if span.name == "mfcc (cepstrum)") / 1e3
    assert parts["cepstrum"] == pytest.approx(recorded) and 0 < parts["filterbank_spectrogram"]
    assert f"({parts['cepstrum']:.3f})" in str(graph) and f"{parts['cepstrum']:.3f} ms of all threads" in graph.svg()
    assert "part_ms" not in fx.graph().nodes[0]
