"""The Extractor gives what the single calls give, to the bit, whatever else is in the recipe."""

import concurrent.futures
import copy
import inspect
import json
import pickle
import weakref

import metalmom
import numpy as np
import pytest
from devices import on_device
from metalmom._extractor import _recipe
from metalmom.util._declared import EVENTS, FRAMES, outputs_of
from metalmom.util._signatures import rules


def shares_frames(function):
    """Whether an Extractor shares what a feature does, and takes it of audio alone.

    The hops of constant-Q transforms are multiples of powers of two, and most of a recipe's time would be theirs.
    """
    parameters, known = inspect.signature(function).parameters.values(), _recipe.parameters_of(function)
    needed = {each.name for each in parameters if each.default is each.empty and each.kind is not each.VAR_KEYWORD}
    return hasattr(function, "expression") and "y" in known and needed <= {"y"} and not {"filter_scale", "cqt_mode"} & {*known}


def declared(name, **arguments):
    """What is declared of a feature's arrays."""
    function = CALLS[name]
    return outputs_of(function, name, {**_recipe.parameters_of(function), **arguments})[1]


# Functions of every kind: of frames, of one signal, of several waves, of whole spectrograms.
CALLS = {path.rpartition(".")[2]: each for path, each in _recipe.features().items() if shares_frames(each)}
# Positions are those of one signal.
ONE_SIGNAL = {name for name in CALLS if any(each.kind == EVENTS for each in declared(name))}
SHORTEST = 0.4  # seconds of a song

# What parameters of a recipe may be, where the function that has them declares that it takes it.
CHOICES = {
    "n_fft": [2048, 1024, 512, 600],
    "hop_length": [512, 256, 300],
    "center": [True, False],
    "pad_mode": ["constant", "reflect", "edge"],
    "window": ["hann", "hamming"],
    "n_mels": [128, 40],
    "n_mfcc": [20, 13],
    "power": [2.0, 1.0],
    "tuning": [0.0, None],
    "roll_percent": [0.85, 0.5],
    "aggregate": ["mean", "median"],
}
FUNCTIONS = {"mean": np.mean, "median": np.median}


def choices_of(function):
    """For each parameter of a feature the values to choose from."""
    known, said = _recipe.parameters_of(function), rules(function)
    found = {
        name: [v for v in CHOICES[name] if v is known[name] or said[name].accepts(FUNCTIONS.get(v, v))]
        for name in CHOICES.keys() & known.keys()
    }
    return {name: found[name] for name in CHOICES if found.get(name)}


def song(seconds=2.0, channels=None, dtype=np.float32, seed=0):
    random = np.random.default_rng(seed)
    y = metalmom.demo.song(max(seconds, 1))[0].mean(axis=0)[: int(seconds * 22050)]
    y = y + 1e-3 * random.standard_normal(y.size)
    if channels:
        y = np.stack([np.roll(y, 700 * c) * (c + 1) / channels for c in range(channels)])
    return y.astype(dtype)


def assert_same(ours, single, what):
    if isinstance(single, tuple):
        assert len(ours) == len(single)
        for a, b in zip(ours, single):
            assert_same(a, b, what)
        return
    ours, single = np.asarray(ours), np.asarray(single)
    assert (ours.dtype, ours.shape) == (single.dtype, single.shape), what
    for flag in ("C_CONTIGUOUS", "F_CONTIGUOUS"):
        assert ours.flags[flag] == single.flags[flag], what
    assert ours.tobytes() == single.tobytes(), what


def single(name, spec, y):
    function = CALLS[spec.get("feature", name)]
    arguments = {
        k: FUNCTIONS[v] if k == "aggregate" else v for k, v in spec.items() if k != "feature"
    }
    return function(y=y, **arguments)


def random_recipe(random, mono):
    names = [name for name in CALLS if mono or name not in ONE_SIGNAL]
    recipe = {}
    for i in range(random.integers(1, 9)):
        function = str(random.choice(names))
        choices = choices_of(CALLS[function])
        own = [k for k in choices if random.random() < 0.3]
        spec = {k: choices[k][random.integers(len(choices[k]))] for k in own}
        if any(each.kind == FRAMES and not each.count(int(SHORTEST * 22050)) for each in declared(function, **spec)):
            spec.pop("center", None)  # windows that are not centred are longer than the song
        recipe[f"{function} {i}"] = {"feature": function, **spec}
    return recipe


def recipe_for_kernels(random, mono):
    """One that a device takes: without n_fft of its own, since kernels have certain sizes of frames alone."""
    recipe = random_recipe(random, mono)
    for spec in recipe.values():
        spec.pop("n_fft", None)
    return recipe


def pytest_generate_tests(metafunc):
    """`pytest --recipes N` compares N recipes, a tenth of them on a device as well."""
    count = metafunc.config.getoption("recipes")
    for name, seeds in {"recipe": range(count), "recipe_on_device": range(count // 10)}.items():
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, seeds)


def check_random_recipe(seed, backend="cpu"):
    random = np.random.default_rng(seed)
    channels = [None, None, 2, 3][random.integers(4)]
    dtype = np.float64 if random.random() < 0.2 and backend == "cpu" else np.float32
    y = song(random.uniform(SHORTEST, 3), channels, dtype, seed)
    recipe = (recipe_for_kernels if backend == "gpu" else random_recipe)(random, channels is None)
    fx = metalmom.Extractor(recipe)
    with metalmom.config_context(threads=int(random.integers(1, 4))), metalmom.config_context(backend=backend):
        values = fx(y)
    assert list(values) == list(recipe)
    with metalmom.config_context(threads=1, backend=backend):
        for name, spec in recipe.items():
            assert_same(values[name], single(name, spec, y), f"seed {seed}: {name} {spec}")


def test_any_recipe_gives_the_single_calls_values(recipe):
    check_random_recipe(recipe)


@on_device
def test_any_recipe_gives_the_single_calls_values_on_a_device(recipe_on_device):
    check_random_recipe(recipe_on_device, "gpu")


@pytest.mark.parametrize("seed", range(8))
def test_clips_of_any_lengths_are_what_they_are_alone(seed):
    random = np.random.default_rng(seed)
    clips = [song(n / 22050, seed=n) for n in random.integers(500, 40_000, 9)]
    lengths = [clip.size for clip in clips]
    recipe = random_recipe(random, True)
    fx = metalmom.Extractor({k: v for k, v in recipe.items() if v.get("center", True)} or ["rms"])
    with metalmom.config_context(threads=3):
        together = fx.map(iter(clips))
    padded = np.zeros((len(clips), max(lengths)), dtype=np.float32)
    for row, clip in zip(padded, clips):
        row[: clip.size] = clip
    from_padded = fx.map(padded, lengths=lengths)
    for clip, values, again in zip(clips, together, from_padded):
        alone = fx(clip)
        for name in alone:
            assert_same(values[name], alone[name], name)
            assert_same(again[name], alone[name], name)


@pytest.mark.parametrize("seed", range(12))
def test_clips_of_a_shape_are_what_they_are_alone(seed):
    random = np.random.default_rng(seed)
    shapes = [(int(n / 22050 * 1000) / 1000, c) for n, c in ((9000, None), (30_000, None), (9000, 2))]
    clips = [song(*shapes[i], seed=i) for i in random.integers(len(shapes), size=9)]
    clips[3] = 0.5 * np.roll(clips[3], 321)
    clips[5] = clips[5].astype(np.float64)
    clips[7] = np.asfortranarray(clips[7])
    recipe = random_recipe(random, False)
    fx = metalmom.Extractor({k: v for k, v in recipe.items() if v.get("center", True)} or ["rms"])
    with metalmom.config_context(threads=2):
        together = fx.map(clips)
    for clip, values in zip(clips, together):
        alone = fx(clip)
        for name in alone:
            assert_same(values[name], alone[name], name)


def test_what_clips_decide_is_decided_for_each():
    """Thresholds from samples, tunings, silence: functions that look at more than a shape."""
    tones = [metalmom.tone(f, sr=22050, length=11025).astype("f") for f in (440, 452, 446, 440)]
    clips = [level * y for level, y in zip((1.0, 0.1, 0.5, 0.0, 1.0, 0.2), [*tones, *tones])]
    loud = {"threshold": 0.5, "ref_magnitude": np.max}
    fx = metalmom.Extractor({
        "zero_crossing_rate": loud, "chroma_stft": {}, "estimate_tuning": {}, "beat_track": {},
    })  # fmt: skip
    with pytest.warns(UserWarning, match="empty frequency set"):
        together = fx.map(clips)
    for y, values in zip(clips, together):
        assert_same(
            values["zero_crossing_rate"], metalmom.feature.zero_crossing_rate(y, **loud), "rate"
        )
        if y.any():
            for name in ("chroma_stft", "estimate_tuning", "beat_track"):
                assert_same(values[name], CALLS[name](y=y), name)
    assert len({values["estimate_tuning"] for values in together}) > 2


def test_each_clip_that_is_warned_of_is():
    clips = [song(0.05, seed=i) for i in range(4)]  # shorter than a frame
    fx = metalmom.Extractor(["mfcc"])
    with pytest.warns(UserWarning, match="too large") as given:
        fx.map(clips)
    assert len(given) == len(clips)


def test_a_shape_is_worked_out_once(monkeypatch):
    seen = []

    def window(n):
        seen.append(n)
        return np.hanning(n)

    fx = metalmom.Extractor(["mfcc", "chroma_stft", "stft"], window=window)
    fx.map([song(0.5, seed=i) for i in range(40)])
    assert len(seen) < 40


def test_a_call_repeats_the_last_one_with_other_audio():
    window = np.hanning(2048)
    recipe = {"mfcc": {}, "chroma_stft": {}, "stft": {}, "contrast": {"feature": "spectral_contrast"}}
    plain = metalmom.Extractor(recipe)
    changing = metalmom.Extractor({"stft": {"window": window}})
    for seed in range(4):
        y = song(0.7, seed=seed)
        values = plain(y)
        for name in ("mfcc", "chroma_stft", "stft"):
            assert_same(values[name], CALLS[name](y=y), name)
        assert_same(values["contrast"], metalmom.feature.spectral_contrast(y=y), "contrast")
        window *= 0.5
        assert_same(changing(y)["stft"], metalmom.stft(y, window=window), "window")
    for again in (copy.deepcopy(plain), pickle.loads(pickle.dumps(plain))):
        assert_same(again(y)["mfcc"], values["mfcc"], "copied")


def test_threads_may_call_one_extractor():
    fx = metalmom.Extractor(["mfcc", "chroma_stft"])
    clips = [song(0.5 + 0.1 * (seed % 3), seed=seed) for seed in range(24)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        together = list(pool.map(fx, clips))
    for y, values in zip(clips, together):
        assert_same(values["chroma_stft"], metalmom.feature.chroma_stft(y=y), "chroma")


def test_what_is_derived_takes_the_node():
    y = song()
    fx = metalmom.Extractor(
        {
            "envelope": {"feature": "onset_strength", "aggregate": "median"},
            "beats": {"feature": "beat_track", "of": "envelope"},
            "delta": {"of": "mfcc"},
            "mfcc": {"n_mfcc": 13},
            "level": {"feature": "power_to_db", "of": "mel"},
            "mel": {"feature": "melspectrogram"},
        }
    )
    values = fx(y)
    assert list(values) == ["envelope", "beats", "delta", "mfcc", "level", "mel"]
    assert_same(values["beats"], metalmom.beat.beat_track(y=y), "beats")
    assert_same(values["delta"], metalmom.feature.delta(metalmom.feature.mfcc(y=y, n_mfcc=13)), "delta")
    assert_same(values["level"], metalmom.power_to_db(values["mel"]), "level")


def test_a_signal_is_transformed_once():
    """Four features of the same powers: one pipeline, and one transform a block."""
    y = song()
    fx = metalmom.Extractor(["melspectrogram", "mfcc", "onset_strength", "spectral_centroid"])
    fx(y)
    with metalmom.trace.record(detail=True) as together:
        fx(y)
    with metalmom.trace.record(detail=True) as alone:
        metalmom.feature.melspectrogram(y=y)

    def transforms(t):
        return sum(span.name == "window+FFT" for span in t.spans)

    assert transforms(together) == transforms(alone) > 0


@pytest.mark.parametrize("backend", ["cpu", "auto"])
@pytest.mark.parametrize("threads", [2, 4])
def test_what_reads_no_frames_runs_beside_the_rest(threads, backend):
    """Values are those of one thread, and calls that other threads ran count as well."""
    fx = metalmom.Extractor({"mfcc": {}, "cqt": {}, "yin": {"fmin": 65.0, "fmax": 2093.0}, "chroma_cqt": {},
                             "beat_track": {}, "hpss": {}, "rms": {}, "lpc": {"order": 8}}, sr=22050)  # fmt: skip

    def values_and_calls(threads):
        with metalmom.config_context(threads=threads, backend=backend):
            before = metalmom._native.counters()["calls"]
            return fx(y), metalmom._native.counters()["calls"] - before

    y = song(6)
    ours, n_calls = values_and_calls(1)
    for _ in range(3):
        values, n = values_and_calls(threads)
        assert n == n_calls
        for name, value in values.items():
            assert_same(value, ours[name], name)


@pytest.mark.parametrize("backend", ["cpu", pytest.param("gpu", marks=on_device)])
def test_a_trace_names_the_nodes(backend):
    """What a pipeline feeds has a span a block, what runs alone has one, and a point says on which side."""
    fx = metalmom.Extractor({"m": {"feature": "mfcc"}, "rms": {}, "beat_track": {}}, sr=22050)
    names = {"m (cepstrum)", "rms", "beat_track (onset_strength)", "beat_track (global_tempo)",
             "beat_track"}  # fmt: skip
    with metalmom.config_context(backend=backend):
        fx(song())
        with metalmom.trace.record(detail=True) as trace:
            fx(song())
    points = {point.args["node"]: point.args["backend"] for point in trace.events
              if "node" in point.args}  # fmt: skip
    assert names <= {span.name for span in trace.spans} | {*points}
    assert {points["m (cepstrum)"], points["rms"]} == {backend}
    alone = [span.name for span in trace.spans if span.name.startswith("beat_track")]
    assert alone.count("beat_track (global_tempo)") == 1
    if backend == "cpu":
        assert names <= {span.name for span in trace.spans}
    with metalmom.trace.record() as brief:
        metalmom.feature.mfcc(y=song())
    assert not any("(cepstrum)" in span.name for span in brief.spans)


@on_device
def test_kernels_take_many_clips_at_once():
    """Samples go up in pieces of some MB; what was uploaded is computed together, bit for bit the same."""
    y = np.random.default_rng(0).uniform(-0.5, 0.5, (5, 400_000)).astype(np.float32)
    fx = metalmom.Extractor({"mfcc": {}, "rms": {}, "chroma_stft": {"tuning": 0.0}}, sr=22050)
    with metalmom.config_context(backend="gpu"):
        fx(y)  # constants are uploaded once
        with metalmom.trace.record() as trace:
            values = fx(y)
        expected = {"mfcc": metalmom.feature.mfcc(y=y), "rms": metalmom.feature.rms(y=y),
                    "chroma_stft": metalmom.feature.chroma_stft(y=y, tuning=0.0)}  # fmt: skip
        uploads = [s for s in trace.spans if s.name == "upload" and s.args.get("kind") == "copy"]
        y[4, 399_999] = np.nan
        with pytest.raises(metalmom.ParameterError, match="y is not finite"):
            fx(y)
    assert (len(uploads), trace.counters["submits"]) == (3, 1)
    assert trace.counters["uploaded_bytes"] == y.nbytes
    for name, value in expected.items():
        np.testing.assert_array_equal(values[name], value)


def test_results_are_nobody_elses():
    """Equal features are computed once, and each has an array of its own."""
    fx = metalmom.Extractor({"a": {"feature": "mfcc"}, "b": {"feature": "mfcc"}})
    values = fx(song())
    assert not np.shares_memory(values["a"], values["b"])
    assert_same(values["a"], values["b"], "equal features")


def test_input_stays_as_it_is_and_any_layout_is_taken():
    y = song(channels=2)
    before = y.copy()
    fx = metalmom.Extractor(["mfcc", "rms", "spectral_centroid"])
    expected = fx(y)
    assert_same(y, before, "input")
    turned = np.asfortranarray(y)
    for name, value in fx(turned).items():
        assert_same(value, expected[name], name)
    for name, value in fx(np.repeat(y, 2, axis=-1)[..., ::2]).items():
        assert_same(value, expected[name], name)


def test_defaults_reach_who_has_them():
    fx = metalmom.Extractor(["mfcc", "rms", "zero_crossing_rate"], sr=16000, hop_length=160)
    y = song()
    values = fx(y)
    assert_same(values["mfcc"], metalmom.feature.mfcc(y=y, sr=16000, hop_length=160), "mfcc")
    assert_same(values["rms"], metalmom.feature.rms(y=y, hop_length=160), "rms")


def test_a_recipe_makes_an_equal_extractor(tmp_path):
    fx = metalmom.Extractor(
        {"mfcc40": {"feature": "mfcc", "n_mfcc": 40}, "d": {"feature": "delta", "of": "mfcc40"},
         "o": {"feature": "onset_strength", "aggregate": np.median}},
        sr=16000,
    )  # fmt: skip
    path = tmp_path / "recipe.json"
    path.write_text(json.dumps(fx.recipe))
    again = metalmom.Extractor.from_recipe(path)
    assert again.recipe == fx.recipe
    y = song()
    for (name, a), b in zip(fx(y).items(), again(y).values()):
        assert_same(a, b, name)
    toml = tmp_path / "recipe.toml"
    toml.write_text(
        'sr = 22050\n[defaults]\nhop_length = 256\n[features.mfcc]\n[features.m40]\n'
        'feature = "mfcc"\nn_mfcc = 40\n[aggregate]\nstats = ["mean"]\n'
    )
    values = metalmom.Extractor.from_recipe(str(toml))(y)
    assert_same(values["m40"], metalmom.feature.mfcc(y=y, n_mfcc=40, hop_length=256), "toml")


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((["mfc"],), "did you mean 'mfcc'"),
        (({"mfcc": {"n_mfc": 3}},), "did you mean 'n_mfcc'"),
        ((["mfcc"], {"hop_lenght": 3}), "did you mean 'hop_length'"),
        (([],), "must name at least one"),
        ((["rms", "rms"],), "twice"),
        (([("mfcc", {"n_mfcc": 13})],), "names of features"),
        (([metalmom.feature.mfcc],), "names of features"),
        (({"delta": {}},), "of='NAME'"),
        (({"delta": {"of": "mffc"}, "mfcc": {}},), "did you mean 'mfcc'"),
        (({"delta": {"of": "delta"}},), "lead back"),
        (({"mfcc": 3},), "must be a table .dict. of arguments"),
        (({"o": {"feature": "onset_strength", "aggregate": "medium"}},), "one of"),
        (({"mfcc": {"y": 1}},), "called with"),
        ((None,), "features=None must be names"),
        (([["mfcc"]],), "must be names of features"),
        ((["mfcc"], {"sr": 0}), "sr=0 must be a positive number"),
        ((["mfcc"], {"sr": float("inf")}), "sr=inf must be a positive number"),
        ((["mfcc"], {"sr": "22050"}), "sr='22050' must be a positive number"),
    ],
)
def test_what_is_wrong_with_a_recipe_is_said(arguments, message):
    features, *defaults = arguments
    with pytest.raises(metalmom.ParameterError, match=message):
        metalmom.Extractor(features, **(defaults[0] if defaults else {}))


@pytest.mark.parametrize(
    "source, message",
    [
        (None, "recipe=None must be a table, or a .toml or .json file"),
        ("no/such/recipe.toml", "recipe='no/such/recipe.toml' must be a file: No such file"),
        ({"defaults": None, "features": ["mfcc"]}, "defaults=None must be a table"),
        ({"features": 3}, "features=3 must be names of features"),
        ({"features": ["mfcc"], "rate": 3}, "'rate' must be one of"),
    ],
)
def test_what_is_no_recipe_is_said(source, message, tmp_path):
    with pytest.raises(metalmom.ParameterError, match=message):
        metalmom.Extractor.from_recipe(source)
    if source is not None:
        with pytest.raises(metalmom.ParameterError, match=message):
            metalmom.extract(tmp_path, tmp_path / "out", recipe=source)


def test_a_missing_argument_is_refused_before_there_is_audio():
    with pytest.raises(metalmom.ParameterError, match="^features.yin: fmin must be given"):
        metalmom.Extractor({"yin": {}})


@pytest.mark.parametrize(
    "features, message",
    [
        ({"mfcc40": {"feature": "mfcc", "n_mfcc": 0}}, "^mfcc40: n_mfcc=0 must be a positive integer"),
        ({"rms": {}, "m": {"feature": "mfcc", "window": "nope"}}, "^m: window='nope' must be a known window"),
        ({"pitch": {"feature": "yin", "fmin": -1, "fmax": 900}}, "^pitch: fmin=-1 must be a number > 0"),
        ({"mfcc": {}, "slope": {"feature": "delta", "of": "mfcc", "width": 4}}, "^slope: width=4 must be"),
    ],
)
def test_an_error_of_a_call_names_its_feature(features, message):
    with pytest.raises(metalmom.ParameterError, match=message) as error:
        metalmom.Extractor(features)(song(0.5))
    assert error.value.argument in message


def test_names_and_clips_are_read_once_and_clips_must_be_some():
    fx = metalmom.Extractor(iter(["rms", "mfcc"]))
    assert list(fx(song(0.5))) == ["rms", "mfcc"]
    with pytest.raises(metalmom.ParameterError, match="clips=NoneType must be arrays of audio"):
        fx.map(None)


def test_errors_name_the_clip_and_lose_nothing():
    clips = [song(0.5, seed=i) for i in range(5)]
    clips[2] = clips[2].copy()
    clips[2][100] = np.nan
    fx = metalmom.Extractor(["mfcc", "rms"])
    with pytest.raises(metalmom.ParameterError, match=r"clips\[2\].*finite"):
        fx.map(clips)
    values = fx.map(clips, errors="return")
    assert isinstance(values[2], metalmom.ParameterError)
    for i in (0, 1, 3, 4):
        assert_same(values[i]["mfcc"], metalmom.feature.mfcc(y=clips[i]), f"clip {i}")
    with pytest.raises(metalmom.ParameterError, match="finite"):
        fx(clips[2])
    with pytest.raises(metalmom.ParameterError, match=r"clips\[1\].*ndarray"):
        fx.map([clips[0], [1, 2, 3]])
    short = metalmom.Extractor(["stft"], center=False)
    with pytest.raises(metalmom.ParameterError, match=r"clips\[1\].*n_fft"):
        short.map([clips[0], clips[0][:100]])


def test_nothing_to_do():
    fx = metalmom.Extractor(["mfcc"])
    assert fx.map([]) == [] == fx.map(iter(()))
    with pytest.raises(metalmom.ParameterError, match="errors"):
        fx.map([], errors="ignore")
    with pytest.raises(metalmom.ParameterError, match="lengths"):
        fx.map(np.zeros((2, 100), np.float32), lengths=[1])
    with pytest.raises(metalmom.ParameterError, match=r"lengths\[1\]=101"):
        fx.map(np.zeros((2, 100), np.float32), lengths=[1, 101])


@pytest.mark.parametrize("n_clips, size, bound", [(700, 600, 300), (40, 1 << 16, 8)])
def test_map_holds_a_bounded_number_of_clips(n_clips, size, bound):
    """Of short clips some hundred, of long ones those that a thread is busy with."""
    alive = most = 0

    def gone():
        nonlocal alive
        alive -= 1

    def clips():
        nonlocal alive, most
        for i in range(n_clips):
            clip = np.full(size, i, dtype=np.float32)
            weakref.finalize(clip, gone)
            alive += 1
            most = max(most, alive)
            yield clip

    with metalmom.config_context(threads=1):
        assert len(metalmom.Extractor(["rms"]).map(clips())) == n_clips
    assert most <= bound
