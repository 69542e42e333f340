"""What a device cannot do: said in a sentence, or done on the CPU where that is the design."""

import inspect
import operator
import re

import hostile_calls
import metalmom
import numpy as np
import pytest
from devices import on_device
from metalmom._engine import _args
from metalmom.util._explain import explained

pytestmark = on_device


@pytest.fixture
def clips():
    return np.random.default_rng(0).uniform(-1, 1, (2, 22050)).astype(np.float32)


def test_steps_without_a_kernel_by_design(clips):
    y = clips[0]
    with metalmom.config_context(backend="cpu"):
        predicted, beats = metalmom.lpc(y, order=8), metalmom.beat.beat_track(y=y)
    with metalmom.config_context(backend="gpu"):
        np.testing.assert_array_equal(metalmom.lpc(y, order=8), predicted)
    found = metalmom.beat.beat_track(y=metalmom.to_device(y))
    np.testing.assert_allclose(found[0], beats[0])
    np.testing.assert_allclose(found[1], beats[1], atol=1)  # of onsets in float32


def test_steps_in_double_run_on_the_cpu(clips):
    mfcc = metalmom.feature.mfcc(y=clips)
    calls = [
        lambda: metalmom.feature.poly_features(y=clips, n_fft=1024),
        # A number of bands that no other test has: the transform is kept.
        lambda: metalmom.feature.inverse.mfcc_to_mel(mfcc, n_mels=57),
    ]
    for call in calls:
        with metalmom.config_context(backend="gpu"):
            found = call()
        np.testing.assert_allclose(found, call(), rtol=1e-4)


@pytest.mark.parametrize("function", [
    metalmom.hybrid_cqt, metalmom.pseudo_cqt,
    lambda y: metalmom.griffinlim_cqt(np.abs(metalmom.cqt(y)).astype(float), n_iter=1, rng=0),
    lambda y: metalmom.beat.plp(y=y), lambda y: metalmom.feature.fourier_tempogram(y=y),
    lambda y: metalmom.feature.hybrid_tempogram(y=y),
    lambda y: metalmom.Extractor(["fourier_tempogram"])(y)["fourier_tempogram"],
], ids=["hybrid_cqt", "pseudo_cqt", "griffinlim_cqt", "plp", "fourier_tempogram", "hybrid_tempogram",
        "Extractor"])  # fmt: skip
@pytest.mark.filterwarnings("ignore:n_fft")
def test_functions_without_a_kernel_ask_for_none(function, clips):
    """Of what they do by the way, in frames of sizes that nobody chose."""
    with metalmom.config_context(backend="cpu"):
        expected = function(clips[0])
    with metalmom.config_context(backend="gpu"):
        found = function(clips[0])
    # Of onsets in float32; a mean of tempograms is the root of their product.
    np.testing.assert_allclose(found, expected, atol=1e-3 * np.abs(expected).max())


@pytest.mark.parametrize("function, name", [
    (metalmom.magphase, "D"), (metalmom.db_to_power, "S_db"), (metalmom.util.sync, "data"),
])
def test_functions_without_a_kernel_say_so(clips, function, name):
    rest = ([2, 4],) if function is metalmom.util.sync else ()
    array = metalmom.to_device(metalmom.stft(clips) if name == "D" else clips)
    with pytest.raises(metalmom.DeviceError, match=rf"^{name} is on a device, .* {name}.numpy\(\)$"):
        function(array, *rest)


def calls_of_arrays(n_fft):
    """(function, positional arguments, arguments, the name of one that is an array of samples)."""
    sizes = ("n_fft", "frame_length", "win_length")
    for name, function in hostile_calls.functions():
        arguments, _ = hostile_calls.arguments_of(name, function)
        if n_fft > 64 and not name.startswith("util."):
            arguments.update((each, n_fft) for each in sizes if each in arguments)
            arguments.update((each, np.tile(value, 16)) for each, value in arguments.items()
                             if value is hostile_calls.SIGNAL)  # fmt: skip
        kinds = [each.kind for each in inspect.signature(function).parameters.values()]
        positional = [hostile_calls.SIGNAL] if inspect.Parameter.VAR_POSITIONAL in kinds else []
        if hostile_calls.call(function, positional, arguments) is not None:
            continue  # nothing that works anyway, or by what is not installed
        yield from (
            (name, function, positional, arguments, each)
            for each, value in [*arguments.items(), *([(0, positional[0])] if positional else [])]
            if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "fc"
        )


# A function of NumPy's gets a copy of what the kernel reads, and so do phases that random numbers begin.
COPIED = {"griffinlim"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n_fft, least", [(64, 15), (256, 35)])
def test_every_array_of_every_function_is_taken_or_refused_in_the_same_sentence(
    tmp_path, monkeypatch, n_fft, least
):
    """And none is brought to the host: only what a function makes of it is."""
    monkeypatch.chdir(tmp_path)  # one writes a file
    host, brought = _args.host, []
    monkeypatch.setattr(_args, "host", lambda value: brought.append(value) or host(value))
    taken, wrong = set(), []
    for name, function, positional, arguments, which in calls_of_arrays(n_fft):
        brought.clear()
        given = {**arguments} if which != 0 else dict(enumerate(positional))
        precision = np.complex64 if given[which].dtype.kind == "c" else np.float32
        given[which] = metalmom.to_device(given[which].astype(precision))
        values = np.sort(given[which].numpy(), axis=None)
        with metalmom.config_context(backend="gpu"), metalmom.trace.record() as t:
            try:
                function(*given.values(), **arguments) if which == 0 else function(*positional, **given)
            except Exception as error:
                text = str(error)
                said = re.search(r"pass [\w\[\]]+\.numpy\(\)$", text) or "the GPU" in text
                if not (isinstance(error, metalmom.DeviceError) and said):
                    wrong.append(f"{name}({which}): {type(error).__name__}: {text}")
            else:
                taken.add(name)
        made = [each for each in brought if isinstance(each, metalmom.DeviceArray)]
        if sum(each.name == "numpy" for each in t.spans) != len(made):
            wrong.append(f"{name}({which}): brought to the host without a word")
        if name not in COPIED and any(
            np.array_equal(np.sort(each.numpy(), axis=None), values) for each in made
        ):
            wrong.append(f"{name}({which}): brought to the host as it was given")
    assert wrong == []
    assert len(taken) >= least


def test_a_refusal_begins_with_the_function_that_was_called(clips):
    told = r"^mfcc: the GPU computes in float32, and the input is float64: pass y\.astype\(np\.float32\)$"
    for call in (lambda y: metalmom.feature.mfcc(y=y), metalmom.Extractor(["mfcc"])):
        with metalmom.config_context(backend="gpu"), pytest.raises(metalmom.DeviceError, match=told):
            call(clips[0].astype(np.float64))
    with metalmom.config_context(backend="gpu"), pytest.raises(metalmom.DeviceError, match=r"pass stft_matrix\.astype\(np\.complex64\)$"):
        metalmom.istft(np.zeros((1025, 3), np.complex128))


GPU, NO_KERNEL = ("gpu", "asked for"), ("cpu", "no GPU kernel")
STEPS = {
    "estimate_tuning": {"tuning_estimate": GPU},
    "feature.chroma_stft": {"tuning_estimate": GPU, "chroma_spectrogram": GPU},
    "feature.tempogram": {"onset_strength": GPU, "tempogram": GPU},
    "onset.onset_detect": {"onset_strength": GPU, "peak_pick": NO_KERNEL},
    "beat.beat_track": {
        "onset_strength": GPU, "global_tempo": NO_KERNEL, "beat_track": NO_KERNEL,
    },
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_a_step_on_the_cpu_is_seen_in_the_trace(clips, name):
    """Nothing falls back in silence: under a forced GPU the trace says what ran where, and why."""
    function = operator.attrgetter(name)(metalmom)
    with metalmom.config_context(backend="gpu"), metalmom.trace.record() as t:
        function(y=clips[0])
    told = [each for each in (*t.spans, *t.events) if each.cat == "engine" and "backend" in each.args]
    expected = STEPS[name]
    if name == "feature.chroma_stft":  # whose audio stays on the device from step to step
        expected = dict.fromkeys(expected, ("gpu", "together"))
    assert {s.name: (s.args["backend"], s.args["reason"]) for s in told} == expected


@pytest.mark.parametrize("name", STEPS)
def test_in_an_extractor_as_well(clips, name):
    """What runs by itself has a span, what shares its frames with others a point."""
    extractor = metalmom.Extractor([name])
    with metalmom.config_context(backend="gpu"), metalmom.trace.record() as t:
        extractor(clips[0])
    told = [each for each in (*t.spans, *t.events) if each.cat == "engine" and "backend" in each.args]
    where = {each.name: (each.args["backend"], each.args["reason"]) for each in told}
    together = {
        step: ("gpu", "together")
        for step, where in STEPS[name].items()
        if where == GPU and step != "tempogram"  # which reads no audio
    }
    assert where == {**STEPS[name], **together}


def test_a_step_on_the_host_of_a_device_array_is_seen_in_the_trace(clips):
    y = metalmom.to_device(clips[0])
    with metalmom.trace.record() as t:
        metalmom.onset.onset_detect(y=y)
    (brought,) = [s for s in t.spans if s.name == "numpy"]
    assert brought.args["downloaded_bytes"] > 0
    engine = {s.name: s.args["backend"] for s in t.spans if s.cat == "engine" and "backend" in s.args}
    assert engine == {"onset_strength": "gpu", "peak_pick": "cpu"}


def test_a_refusal_in_an_extractor_is_the_single_calls(clips):
    """And that of one feature alone: the others go on, as those of other clips do."""
    extractor = metalmom.Extractor({"melspectrogram": {"n_fft": 1000}, "rms": {}, "mfcc": {}})
    with metalmom.config_context(backend="gpu"):
        with pytest.raises(metalmom.DeviceError, match="no power of two") as alone:
            metalmom.feature.melspectrogram(y=clips[0], n_fft=1000)
        with pytest.raises(metalmom.DeviceError) as together:
            extractor(clips[0])
        results = metalmom.Extractor(["mfcc"]).map(
            [clips[0], clips[0].astype(np.float64), clips[1]], errors="return"
        )
    assert str(together.value) == str(alone.value)
    assert str(alone.value).startswith("melspectrogram: ")
    assert [type(each).__name__ for each in results] == ["dict", "DeviceError", "dict"]


def test_dlpack_says_what_to_do(clips):
    array = metalmom.to_device(clips)
    if metalmom.devices()[array.device].type != "cpu":
        pytest.skip("a software device shares nothing; of others see test_cuda.py")
    for ask in (np.from_dlpack, lambda a: a.__dlpack_device__(), lambda a: a.__dlpack__(stream=1)):
        with pytest.raises(BufferError, match=r"pass \.numpy\(\)$"):
            ask(array)


@pytest.mark.parametrize("function", [
    metalmom.feature.spectral_centroid, metalmom.feature.spectral_flatness,
    metalmom.feature.spectral_contrast,
])
def test_stored_spectra_have_no_kernel(clips, function):
    S = np.abs(metalmom.stft(clips))
    with metalmom.config_context(backend="cpu"):
        expected = function(S=S)
    with metalmom.config_context(backend="gpu"):
        np.testing.assert_array_equal(function(S=S), expected)
    with pytest.raises(metalmom.DeviceError, match=r"^S is on a device"):
        function(S=metalmom.to_device(S))


def test_warming_up_leaves_the_setting_as_it_was():
    before = metalmom.get_config()["backend"]
    metalmom.gpu_warmup()  # a statement, as a user writes it
    assert metalmom.get_config()["backend"] == before


def test_a_refusal_is_data(clips):
    y, spectrum = metalmom.to_device(clips[0]), metalmom.to_device(np.ascontiguousarray(metalmom.stft(clips[0])))
    wide = clips[0].astype(np.float64)
    refused = {
        "array": (lambda: metalmom.magphase(spectrum), None, ["D"], "D"),
        "order": (lambda: metalmom.istft(spectrum), "", ("stft_matrix",), "stft_matrix"),
        "plan": (lambda: metalmom.stft(y, n_fft=1000), "stft", ["y"], "n_fft"),
        "precision": (lambda: metalmom.feature.mfcc(y=wide), "mfcc", (), None),
        "side": (lambda: metalmom.pcen(y.reshape(1, -1), ref=clips[:1]), "", (), "ref"),
        "argument": (lambda: metalmom.yin(y, fmin=65, fmax=2000, pad_mode="wrap"), "", ["y"], "pad_mode"),
        "fault": (lambda: metalmom.to_device(clips[0], device=77), "", (), None),
    }  # fmt: skip
    for kind, (call, op, arrays, argument) in refused.items():
        with metalmom.config_context(backend="gpu"), pytest.raises(metalmom.DeviceError) as error:
            call()
        said = error.value
        assert (said.kind, [*said.arrays], said.argument) == (kind, [*arrays], argument)
        assert op is None or said.op == op


def test_no_memory_is_no_missing_kernel(clips):
    error = MemoryError("the system has no memory for what this call works in")
    y = metalmom.to_device(clips[0])
    assert explained(metalmom.feature.mfcc, (), {"y": y}, error) is error
    assert explained(metalmom.set_config, (), {"min_frames": {}}, error) is error


@pytest.mark.parametrize("use, kind", [
    (lambda y: y + 1, TypeError), (lambda y: y[0], TypeError), (bool, TypeError), (float, TypeError), (lambda y: y.flat, AttributeError),
])  # fmt: skip
def test_what_a_device_array_has_not_is_of_both_kinds(clips, use, kind):
    with pytest.raises(kind, match=r"^a DeviceArray has no .*: \.numpy\(\) brings it to the host$") as error:
        use(metalmom.to_device(clips[0]))
    assert isinstance(error.value, metalmom.DeviceError) and error.value.kind == "array"
    assert not hasattr(metalmom.to_device(clips[0]), "flat")
