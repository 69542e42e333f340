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
    for name, shown in (("a\x00b\n", r"a\x00b\n"), ("\ufffe", r"\ufffe"), ("\ud800", r"\ud800"), ("größe", "größe")):
        svg = metalmom.Extractor({name: {"feature": "rms"}}).graph().svg()
        assert f"{shown} (rms)" in "".join(xml.fromstring(svg).itertext())


def test_passes_of_equal_times_are_told_apart():
    """By wave and side: a clock may give one reading twice."""
    frames = {"n_fft": 2048, "hop_length": 512}
    sides = [("rms", 0, "CPU"), ("spectral_centroid", 0, "GPU"), ("stft", 1, "CPU")]
    spent = {"CPU": (1, 0, 0, 0, 1), "GPU": (0,) * 5}
    steps = [Taken(wave, [name], name, frames, set(), (0, side, [], spent[side]), 10**6, 2 * 10**6) for name, wave, side in sides]
    graph = Graph(SimpleNamespace(taken=steps, begin=0, end=4 * 10**6), metalmom.Extractor([each[0] for each in sides])._features)
    assert [node["together"] for node in graph.nodes] == [0, 1, 2]
    assert [(each["wave"], each["side"]) for each in graph.passes] == [(1, "CPU"), (1, "GPU"), (2, "CPU")]


def test_whatever_the_features_refuse_is_said():
    with pytest.raises(metalmom.ParameterError, match="n_mels"):
        metalmom.Extractor(["mfcc"], n_mels=0).graph()


def called(recipe=RECIPE):
    fx = metalmom.Extractor(recipe)
    y = metalmom.demo.song(4.0)[0][0]
    fx(y)
    return fx.graph()


def differing(nodes):
    """Nodes, without what several features ask for: they have equal nodes."""
    return list({(node["wave"], node["op"], node["ms"]): node for node in nodes}.values())


def test_a_call_has_times():
    graph = called()
    assert all(0 < node["ms"] <= graph.ms and node["share"] == node["ms"] / graph.ms for node in graph.nodes)
    alone = [node for node in graph.nodes if node["together"] is None]
    assert {node["op"] for node in alone} == {"global_tempo", "delta", "beat_track"}
    assert [(each["wave"], each["side"]) for each in graph.passes] == [(1, "CPU"), (2, "CPU")]
    host = {(each["wave"], each["ms"]) for each in graph.host}
    # nothing is counted twice, and next to nothing between the nodes is unknown
    steps = sum(each["ms"] for each in graph.passes) + sum(each["ms"] for each in differing(alone))
    assert 0 < steps + sum(each[-1] for each in host) <= graph.ms


def test_nodes_of_a_pass_have_their_own_times():
    """They and what they share are the pass; each line of the text has its part of it, too."""
    graph = called({"mfcc": {}, "chroma_stft": {"tuning": 0.0}, "rms": {}, "tempogram": {}, "spectral_contrast": {}})
    (one,) = graph.passes
    nodes = [node for node in differing(graph.nodes) if node["together"] == 0]
    times = [node["ms"] for node in nodes]
    assert len(nodes) == 5 and len(set(times)) == 5 and 0 < min(times)
    assert 0 < one["shared_ms"] and sum(times) + one["shared_ms"] == pytest.approx(one["ms"])
    lines = str(graph).splitlines()
    first = next(i for i, line in enumerate(lines) if line.endswith(f"wave 1: one pass over frames, {one['ms']:.3f} ms"))
    count = next(i for i, line in enumerate(lines[first + 1 :]) if line[19:].startswith(("wave", "the call")))
    timed = [line for line in lines[first + 1 : first + 1 + count] if line[:17].strip()]
    inside = [line for line in timed if not line.endswith("on the host")]
    assert sum(float(line.split()[0]) for line in inside) == pytest.approx(one["ms"], abs=5e-4 * len(inside))
    drawn = graph.svg()
    assert all(f": {line.split()[0]} ms" in drawn for line in inside)


def test_the_time_of_a_value_is_where_it_is_made():
    """Of passes whose threads spent given times: each line has the share of the wall clock that it had of these."""
    frames, basis = {"n_fft": 2048, "hop_length": 512}, object()
    def step(name, op, reads, *spent):
        node = (0, "CPU", reads, spent)
        return Taken(0, [name], op, {**frames, "basis": basis, "amin": 1e-10}, set(), node, 10**6, 3 * 10**6)

    steps = [
        step("mel", "filterbank_spectrogram", ["power", "128 bands"], 500, 0, 200, 0, 40),
        step("mfcc", "cepstrum", ["power", "128 bands", "levels"], 0, 0, 0, 100, 60),
        step("spectral_contrast", "spectral_contrast", ["magnitude, transformed in double"], 0, 700, 0, 0, 400),
    ]
    fx = metalmom.Extractor({"mel": {"feature": "melspectrogram"}, "mfcc": {}, "spectral_contrast": {}})
    graph = Graph(SimpleNamespace(taken=steps, begin=0, end=4 * 10**6), fx._features)
    assert [node["ms"] for node in graph.nodes] == pytest.approx([0.04, 0.06, 0.4])
    assert graph.passes == [
        {"wave": 1, "side": "CPU", "ms": 2.0, "share": 0.5, "shared_ms": pytest.approx(1.5)}]
    assert [line[:19] + line[19:].strip() for line in str(graph).splitlines()[1:-1]] == [
        f"{'':19}wave 1: one pass over frames, 2.000 ms",
        "    0.500  12.5% * frames of 2048 samples, one every 512",
        f"{'':19}power",
        "    0.200   5.0%   128 bands",
        "    0.040   1.0%   mel (filterbank_spectrogram)",
        "    0.100   2.5%   levels",
        "    0.060   1.5%   mfcc (cepstrum)",
        "    0.700  17.5% * magnitude, transformed in double",
        "    0.400  10.0% * spectral_contrast",
    ]
    assert graph.critical_ms == pytest.approx(1.6)


def test_a_pass_on_a_device_has_one_time():
    frames, node = {"n_fft": 2048, "hop_length": 512}, (0, "GPU", ["power"], (0,) * 5)
    names = ["rms", "spectral_centroid"]
    steps = [Taken(0, [name], name, frames, set(), node, 10**6, 3 * 10**6) for name in names]
    graph = Graph(SimpleNamespace(taken=steps, begin=0, end=4 * 10**6), metalmom.Extractor(names)._features)
    assert [(node["ms"], node["together"]) for node in graph.nodes] == [(None, 0), (None, 0)]
    assert graph.passes == [{"wave": 1, "side": "GPU", "ms": 2.0, "share": 0.5, "shared_ms": None}]
    heading = str(graph).splitlines()[1]
    assert heading.split(maxsplit=3) == ["2.000", "50.0%", "*", "wave 1: one pass, GPU"] and graph.critical_ms == 2
    assert "wave 1: one pass, GPU: 2.000 ms, 50.0%" in graph.svg()


def test_the_critical_path_is_the_longest_chain():
    """Of steps whose times are given: onsets, tempo and beats take longer than RMS, which takes more of the pass, and
    its delta."""
    def step(wave, name, op, sources, begin, end, *spent):
        frames = {"n_fft": 2048, "hop_length": 512}
        node = (0, "CPU", ["power"], spent) if spent else (-1, "", [], (0,) * 5)
        return Taken(wave, [name], op, frames, sources, node, (1 + begin) * 10**6, (1 + end) * 10**6)

    steps = [
        step(0, "onset_strength", "onset_strength", set(), 0, 3, 5, 0, 0, 0, 10),
        step(0, "rms", "rms", set(), 0, 3, 0, 0, 0, 0, 15),
        step(1, "delta", "delta", {1}, 3, 5), step(1, "beats", "global_tempo", {0}, 5, 6),
        step(2, "beats", "beat_track", {0, 3}, 6, 9),
    ]  # fmt: skip
    beats = {"feature": "beat_track", "of": "onset_strength"}
    fx = metalmom.Extractor({"onset_strength": {}, "beats": beats, "delta": {"of": "rms"}, "rms": {}})
    graph = Graph(SimpleNamespace(taken=steps, begin=0, end=10**7), fx._features)
    assert [node["critical"] for node in graph.nodes] == [True, False, False, True, True]
    assert (graph.critical_ms, graph.ms) == (5.5, 10)
    assert [node["share"] for node in graph.nodes] == pytest.approx([0.1, 0.15, 0.2, 0.1, 0.3])
    marked = [line[19:].strip() for line in str(graph).splitlines() if line[17:18] == "*"]
    assert marked == ["frames of 2048 samples, one every 512", "power", "onset_strength",
                      "beats of onset_strength (global_tempo)", "beats of onset_strength (beat_track)"]  # fmt: skip
    drawn = [each for each in xml.fromstring(graph.svg()).iter() if each.get("class") == "critical"]
    assert [each.tag.rpartition("}")[2] for each in drawn].count("rect") == len(marked)


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
    shown = f"mfcc (cepstrum), {parts['cepstrum']:.3f} ms of all threads"
    assert shown in str(graph) and shown in graph.svg()
    assert "part_ms" not in fx.graph().nodes[0]
