"""Sources of audio in memory, in files and in blocks, against a transcription of how Demucs applies a model.

The transcription is of its documentation and its paper: sums over whole arrays, in float64, without the package.
"""

import json
import os
import pickle
import signal
import subprocess
import sys
import time
import tracemalloc
import wave

import numpy as np
import pytest

import metalmom
from metalmom.separation import Description, Model, Stream, estimate, separate_file

RNG = np.random.default_rng(3)
SR = 100


def noise(*shape, dtype=np.float64):
    return RNG.standard_normal(shape).astype(dtype)


def about(**changes):
    return {"kind": "waveform", "sr": SR, "channels": 2, "stems": ["one", "two"], "segment": 1.0, **changes}


def shares(segment):
    """Stems that sum to the mixture."""
    return np.stack([segment * 0.25, segment * 0.75])


def placed(segment):
    """Stems that depend on where in a segment a sample is, and on what is around it."""
    ramp = np.linspace(-1, 2, segment.shape[-1])
    return np.stack([segment * ramp + 0.5, np.cumsum(segment, axis=-1) - ramp]).astype(segment.dtype)


class Counted:
    """A gain that grows from call to call."""

    def __init__(self):
        self.calls = 0

    def __call__(self, segment):
        self.calls += 1
        return np.stack([segment * self.calls, segment - self.calls])


# --- the transcription ----------------------------------------------------------------------------


def piece_of(signal, offset, length, wanted):
    """`length` samples from `offset` on in the middle of `wanted`, with what lies around them; zeros beyond the ends."""
    begin = offset - (wanted - length) // 2
    piece = np.zeros((signal.shape[0], wanted))
    for i in range(wanted):
        if 0 <= begin + i < signal.shape[1]:
            piece[:, i] = signal[:, begin + i]
    return piece


def applied(model, mix, length, overlap, power, wanted):
    """A model applied in segments."""
    total = mix.shape[1]
    rising = [*range(1, length // 2 + 1)]
    falling = [*range(length - length // 2, 0, -1)]
    weight = np.array(rising + falling, dtype=float)
    weight = (weight / weight.max()) ** power
    out, sums = 0, np.zeros(total)
    for offset in range(0, total, max(int((1 - overlap) * length), 1)):
        n = min(length, total - offset)
        stems = model(piece_of(mix, offset, n, wanted))
        cut = (wanted - n) // 2
        added = np.zeros((stems.shape[0], mix.shape[0], total))
        added[:, :, offset : offset + n] = weight[:n] * stems[:, :, cut : cut + n]
        out = out + added
        sums[offset : offset + n] += weight[:n]
    return out / sums


def transcribed(model, mix, length, overlap, power=1.0, context=0, shifts=0, seed=0, normalize=False, n_stems=2):
    """Normalised, shifted, and applied in segments."""
    mean, deviation = 0.0, 1.0
    if normalize:
        mono = mix.mean(axis=0)
        mean, deviation = mono.mean(), mono.std(ddof=1) + 1e-8
    x = (mix - mean) / deviation
    wanted, n = length + 2 * context, mix.shape[1]
    if shifts:
        most = int(0.5 * SR)
        padded = np.concatenate([np.zeros((2, most)), x, np.zeros((2, most))], axis=1)
        out = 0
        for offset in np.random.default_rng(seed).integers(0, most, shifts, endpoint=True):
            shifted = padded[:, offset : n + most]
            out = out + applied(model, shifted, length, overlap, power, wanted)[:, :, most - offset :]
        out = out / shifts
    else:
        out = applied(model, x, length, overlap, power, wanted)
    return out * deviation + mean / n_stems


@pytest.mark.parametrize("make", [lambda: shares, lambda: placed, Counted], ids=["shares", "placed", "counted"])
@pytest.mark.parametrize("changes, how", [
    ({}, {}),
    ({}, {"overlap": 0.0}),
    ({}, {"overlap": 0.8}),
    ({"segment": 0.33}, {"overlap": 0.5}),
    ({"transition_power": 2.5}, {}),
    ({"context": 0.13}, {}),
    ({"normalize": True}, {}),
    ({}, {"shifts": 1}),
    ({"context": 0.2, "normalize": True}, {"shifts": 3, "seed": 5, "overlap": 0.4}),
])  # fmt: skip
@pytest.mark.parametrize("n", [1, 99, 100, 163, 1000])
def test_a_model_is_applied_as_by_demucs(make, changes, how, n):
    if make is Counted and how.get("shifts", 0) > 1:
        pytest.skip("the order of calls differs")
    if n == 1 and changes.get("normalize"):
        pytest.skip("one sample has no deviation")
    y = noise(2, n) + 0.1
    known = about(**changes)
    got = metalmom.separate(y, (make(), known), sr=SR, **how)
    wanted = transcribed(
        make(), y, round(known["segment"] * SR), how.get("overlap", 0.25), known.get("transition_power", 1.0),
        round(known.get("context", 0) * SR), how.get("shifts", 0), how.get("seed", 0), known.get("normalize", False),
    )  # fmt: skip
    # some tens of roundings of float64 between, of values up to 20
    np.testing.assert_allclose(np.stack([got["one"], got["two"]]), wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("how", [{}, {"overlap": 0.6}, {"shifts": 3}, {"mode": "preview"}, {"segment": 0.07}])
def test_the_identity_changes_no_bit(how, dtype):
    y = noise(2, 777, dtype=dtype)
    stems = metalmom.separate(y, (lambda segment: np.stack([segment, segment]), about()), sr=SR, **how)
    assert [*stems] == ["one", "two"]
    assert all(each.tobytes() == y.tobytes() and each.dtype == dtype for each in stems.values())


@pytest.mark.parametrize("how", [{}, {"shifts": 2}, {"mode": "preview"}])
def test_a_bias_shows_no_seam(how):
    y = noise(2, 777, dtype=np.float32)
    biased = (lambda segment: np.stack([segment + np.float32(2), segment]), about())
    assert np.array_equal(metalmom.separate(y, biased, sr=SR, **how)["one"], y + np.float32(2))


def test_stems_sum_to_the_mixture_where_those_of_the_model_do():
    y = noise(2, 1000) + 3
    for normalize in (False, True):
        stems = metalmom.separate(y, (shares, about(normalize=normalize)), sr=SR, shifts=2)
        np.testing.assert_allclose(stems["one"] + stems["two"], y, rtol=0, atol=1e-14)  # roundings of values up to 8


def test_a_preview_has_neither_overlap_nor_shifts():
    model = Counted()
    metalmom.separate(noise(2, 1000), (model, about()), sr=SR, shifts=4, overlap=0.9, mode="preview")
    assert model.calls == 10


def test_a_model_may_give_the_same_array_again():
    given = np.empty((1, 1, 250))

    def model(segment):
        given[:, :, : segment.shape[-1]] = segment
        return given[:, :, : segment.shape[-1]]

    y = noise(3, 1000)
    stems = metalmom.separate(y, Model(model, about(channels=1, stems=["all"], segment=250 / SR)), sr=SR)
    np.testing.assert_allclose(stems["all"], y, rtol=1e-12)


def test_shifts_are_reproducible():
    y = noise(2, 500)
    model = Model(placed, about())
    first, same, other = (metalmom.separate(y, model, sr=SR, shifts=2, seed=seed)["one"] for seed in (1, 1, 2))
    assert np.array_equal(first, same) and not np.array_equal(first, other)


@pytest.mark.parametrize("shape, channels", [
    ((300,), 1), ((300,), 2), ((1, 300), 2), ((2, 300), 1), ((5, 300), 1), ((5, 300), 5),
])  # fmt: skip
def test_stems_have_the_shape_of_the_audio(shape, channels):
    y = noise(*shape, dtype=np.float32)
    model = Model(lambda segment: segment[np.newaxis], about(channels=channels, stems=["all"]))
    stems = metalmom.separate(y, model, sr=SR)
    assert stems["all"].shape == shape and np.array_equal(stems["all"], y)


def test_audio_of_another_rate_is_resampled_and_back():
    y = metalmom.tone(200.0, sr=16000, length=32001).astype(np.float32)
    model = (lambda segment: segment[np.newaxis], about(sr=8000, channels=1, stems=["all"]))
    stems = metalmom.separate(y, model, sr=16000)
    assert stems["all"].shape == y.shape
    # what resampling twice does to a low tone, away from the ends
    assert np.abs(stems["all"] - y)[500:-500].max() < 1e-3


# --- spectra --------------------------------------------------------------------------------------

N_FFT, HOP = 64, 16
HANN = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(N_FFT) / N_FFT)


def spectrum(x, alignment):
    """(channels, bins, frames), frame by frame."""
    n = x.shape[1]
    left = N_FFT // 2 if alignment == "center" else (N_FFT - HOP) // 2
    right = left if alignment == "center" else left + -n % HOP
    padded = np.pad(x, [(0, 0), (left, right)], mode="reflect")
    begins = range(0, padded.shape[1] - N_FFT + 1, HOP)
    return np.stack([np.fft.rfft(HANN * padded[:, i : i + N_FFT]) for i in begins], axis=-1)


def signal_of(spectra, n, alignment):
    """The way back. Frames beyond the ends, which are silent, count in the sum of the windows with ``"hop"``."""
    around = 2 if alignment == "hop" else 0
    spectra = np.pad(spectra, [(0, 0), (0, 0), (around, around)])
    length = (spectra.shape[-1] - 1) * HOP + N_FFT
    out, sums = np.zeros((spectra.shape[0], length)), np.zeros(length)
    for t in range(spectra.shape[-1]):
        out[:, t * HOP : t * HOP + N_FFT] += HANN * np.fft.irfft(spectra[:, :, t], N_FFT)
        sums[t * HOP : t * HOP + N_FFT] += HANN**2
    begin = N_FFT // 2 if alignment == "center" else (N_FFT - HOP) // 2 + around * HOP
    return out[:, begin : begin + n] / sums[begin : begin + n]


def masks(magnitudes):
    rows = np.linspace(0, 1, magnitudes.shape[-2])[:, np.newaxis]
    return np.stack([np.tanh(magnitudes) * rows, 1 - np.tanh(magnitudes) * rows])


def of_both(segment, spectrum):
    columns = np.linspace(0, 1j, spectrum.shape[-1])
    return np.stack([segment * 0.5, segment - 1]), np.stack([spectrum * columns, spectrum * 0.25])


@pytest.mark.parametrize("alignment", ["center", "hop"])
@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("kind", ["mask", "hybrid"])
def test_spectra_are_those_of_the_definition(kind, normalized, alignment):
    scale, bins = (N_FFT**-0.5 if normalized else 1.0), 32  # without the last bin, as Hybrid Demucs
    framing = {"n_fft": N_FFT, "hop_length": HOP, "alignment": alignment, "normalized": normalized, "bins": bins}
    known = about(kind=kind, segment=1.5, **framing)

    def model(piece):
        of_it = spectrum(piece, alignment)[:, :bins] * scale
        waves, spectra = (0, masks(np.abs(of_it)) * of_it) if kind == "mask" else of_both(piece, of_it)
        spectra = np.pad(spectra, [(0, 0), (0, 0), (0, 1), (0, 0)]) / scale
        return waves + np.stack([signal_of(each, piece.shape[1], alignment) for each in spectra])

    y = noise(2, 500)
    got = metalmom.separate(y, (masks if kind == "mask" else of_both, known), sr=SR)
    # transforms of 64 values in float64
    np.testing.assert_allclose(np.stack([*got.values()]), transcribed(model, y, 150, 0.25), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 2e-6), (np.float64, 1e-13)])
def test_masks_of_ones_give_the_mixture(dtype, tolerance):
    y = noise(2, 5000, dtype=dtype)
    known = about(kind="mask", sr=1000, n_fft=256, hop_length=64, stems=["all"])
    stems = metalmom.separate(y, (lambda magnitudes: np.ones_like(magnitudes)[np.newaxis], known), sr=1000)
    # two transforms of 256 values in the type's precision
    assert stems["all"].dtype == dtype and np.abs(stems["all"] - y).max() < tolerance


def test_masks_that_sum_to_one_give_stems_that_sum_to_the_mixture():
    y = noise(2, 5000)
    known = about(kind="mask", sr=1000, n_fft=256, hop_length=64)
    stems = metalmom.separate(y, (masks, known), sr=1000, shifts=1)
    np.testing.assert_allclose(stems["one"] + stems["two"], y, rtol=0, atol=1e-13)


# --- streams --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 37, 100, 1000])
@pytest.mark.parametrize("changes, how", [({}, {}), ({"context": 0.2}, {"overlap": 0.6}), ({}, {"segment": 0.3})])
def test_a_stream_gives_what_the_whole_gives(changes, how, size):
    y, model = noise(2, 731, dtype=np.float32), Model(placed, about(**changes))
    s = Stream(model, sr=SR, **how)
    parts, given = [], 0
    for i in range(0, 731, size):
        parts.append(s.process(y[:, i : i + size])["one"])
        given += parts[-1].shape[-1]
        assert given >= s.position - s.latency  # none comes later
    parts.append(s.flush()["one"])
    assert np.concatenate(parts, axis=1).tobytes() == metalmom.separate(y, model, sr=SR, **how)["one"].tobytes()
    assert s.position == 731


def test_the_latency_of_a_stream_is_no_longer_than_it_must_be():
    s = Stream((placed, about(context=0.2)), sr=SR)
    assert s.latency == 120 and s.process(noise(2, 119, dtype=np.float32))["one"].shape == (2, 0)
    assert s.process(noise(2, 1, dtype=np.float32))["one"].shape == (2, 75)


def test_a_stream_is_a_stream():
    s = Stream((placed, about()), sr=SR)
    assert isinstance(s, metalmom.streaming.Stream) and s.channels == 2
    assert repr(s) == "Stream(stems=['one', 'two'], channels=2, latency=100)"
    s.warmup()
    y = noise(2, 250, dtype=np.float32)
    first = [s.process(y)["one"], s.flush()["one"]]
    with pytest.raises(metalmom.ParameterError, match="the signal has ended"):
        s.process(y)
    s.reset()
    assert all(map(np.array_equal, first, [s.process(y)["one"], s.flush()["one"]]))
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        pickle.dumps(s)


def test_a_stream_takes_wrong_blocks_for_nothing_and_is_stopped_by_a_wrong_model():
    broken = False
    s = Stream((lambda segment: placed(segment)[: 1 if broken else 2], about()), sr=SR)
    y = noise(2, 250, dtype=np.float32)
    for wrong in (y[0], y.astype(float), y * np.nan):
        with pytest.raises(metalmom.ParameterError, match=r"^y"):
            s.process(wrong)
    assert s.position == 0 and s.process(y)["one"].shape == (2, 225)
    broken = True
    with pytest.raises(metalmom.ParameterError, match="shape"):
        s.process(y)
    with pytest.raises(metalmom.ParameterError, match="was stopped in the middle of a call"):
        s.process(y)
    s.reset()
    broken = False
    assert s.process(y)["one"].shape == (2, 225)


def test_a_notebook_shows_descriptions_and_estimates():
    model = metalmom.separation.Model(placed, about(stems=["<b>", "two"]))
    shown = model._repr_html_()
    assert "<tr><th>kind</th><td>waveform</td></tr>" in shown and "&lt;b&gt;" in shown and "inputs" not in shown
    told = metalmom.separation.estimate(10, (placed, about()))
    memory, time = str(told).split(", ")
    rows = f"<tr><th>memory</th><td>{memory}</td></tr><tr><th>time</th><td>{time}</td></tr>"
    assert told._repr_html_() == f"<table>{rows}</table>"


def test_a_stream_is_told_what_it_cannot_know():
    y, model = noise(2, 400) + 2, (placed, about(normalize=True))
    with pytest.raises(metalmom.ParameterError, match="statistics=None must be .* of the whole signal"):
        Stream(model, sr=SR)
    mono = y.mean(axis=0)
    s = Stream(model, sr=SR, statistics=(mono.mean(), mono.std(ddof=1)), sample_dtype=float)
    got = np.concatenate([s.process(y)["two"], s.flush()["two"]], axis=1)
    np.testing.assert_allclose(got, metalmom.separate(y, model, sr=SR)["two"], rtol=1e-12, atol=1e-12)
    with pytest.raises(metalmom.ParameterError, match="statistics=.* must be None"):
        Stream((placed, about()), sr=SR, statistics=(0.0, 1.0))


# --- models of ONNX -------------------------------------------------------------------------------


@pytest.fixture
def written(tmp_path):
    """A function that writes a model of gains, biases and more, with its description beside it."""
    pytest.importorskip("onnxruntime")
    onnx_models = pytest.importorskip("onnx_models")  # which needs onnx
    node, tensor, kind = onnx_models.node, onnx_models.tensor, onnx_models.F32

    def write(nodes, inputs, outputs, weights, /, **changes):
        (tmp_path / "model.json").write_text(json.dumps(about(**changes)))
        tensors = [tensor(name, values, values.dtype) for name, values in weights.items()]
        inputs, outputs = ([(name, kind, shape) for name, shape in each.items()] for each in (inputs, outputs))
        nodes = [node(op, *names, **how) for op, *names, how in nodes]
        return onnx_models.model_of(tmp_path / "model.onnx", nodes, inputs, outputs, tensors)

    return write


def gains(*shape):
    """A stem a gain, which depends on the place in a segment too where there is a shape."""
    rows = np.array([0.5, -2.0]).reshape(2, *[1] * (len(shape) or 1))
    return (rows * np.linspace(1, 2, shape[-1]) if shape else rows[..., np.newaxis]).astype(np.float32)


def test_a_waveform_model_has_an_axis_of_batches_and_a_fixed_segment(written):
    ramp = gains(1, 120)
    path = written(
        [("Unsqueeze", ["mix", "axis"], ["wide"], {}), ("Mul", ["wide", "gains"], ["stems"], {})],
        {"mix": [1, 2, 120]}, {"stems": [1, 2, 2, 120]}, {"axis": np.array([1]), "gains": ramp}, segment=None,
    )  # fmt: skip
    y = noise(2, 500, dtype=np.float32)
    got = metalmom.separate(y, path, sr=SR, shifts=1)
    same = metalmom.separate(y, (lambda segment: segment * ramp, about(segment=1.2)), sr=SR, shifts=1)
    assert all(np.array_equal(got[name], same[name]) for name in same)
    with pytest.raises(metalmom.ParameterError, match="segment=2 must be 1.2, as the model's"):
        metalmom.separate(y, path, sr=SR, segment=2)
    given = metalmom.separate(y.astype(float), (metalmom.nn.Session(path), about(segment=1.2)), sr=SR, shifts=1)
    assert given["one"].dtype == np.float64
    np.testing.assert_allclose(given["two"], same["two"], rtol=1e-5, atol=1e-6)  # the model computes in float32


def test_a_waveform_model_may_have_no_axis_of_batches(written):
    path = written([("Mul", ["mix", "gains"], ["stems"], {})], {"mix": [2, "time"]}, {"stems": [2, 2, "time"]},
                   {"gains": gains()})  # fmt: skip
    y = noise(2, 500, dtype=np.float32)
    got = metalmom.separate(y, path, sr=SR)
    assert np.array_equal(got["one"], y * np.float32(0.5)) and np.array_equal(got["two"], y * np.float32(-2))


def test_a_convolutional_masker(written):
    """Weights from a seed; the masks of two stems by a sigmoid and what is left of one."""
    rng = np.random.default_rng(9)
    weights = {"w": rng.standard_normal((4, 2, 3, 3)) / 4, "v": rng.standard_normal((2, 4, 1, 1)), "one": np.ones(1)}
    weights = {name: each.astype(np.float32) for name, each in weights.items()} | {"axis": np.array([1])}
    shape = [1, 2, "bins", "frames"]
    path = written(
        [("Conv", ["S", "w"], ["h"], {"pads": [1, 1, 1, 1]}), ("Relu", ["h"], ["r"], {}),
         ("Conv", ["r", "v"], ["z"], {}),
         ("Sigmoid", ["z"], ["m"], {}), ("Sub", ["one", "m"], ["rest"], {}), ("Unsqueeze", ["m", "axis"], ["m5"], {}),
         ("Unsqueeze", ["rest", "axis"], ["r5"], {}), ("Concat", ["m5", "r5"], ["masks"], {"axis": 1})],
        {"S": shape}, {"masks": [1, 2, *shape[1:]]}, weights, kind="mask", sr=1000, n_fft=128, hop_length=32,
    )  # fmt: skip

    def masker(magnitudes):
        padded = np.pad(magnitudes, [(0, 0), (1, 1), (1, 1)])
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
        h = np.maximum(np.einsum("ocij,cbtij->obt", weights["w"], windows), 0)
        masks = 1 / (1 + np.exp(-np.einsum("oc,cbt->obt", weights["v"][:, :, 0, 0], h)))
        return np.stack([masks, 1 - masks])

    y = noise(2, 3000, dtype=np.float32)
    got = metalmom.separate(y, path, sr=1000)
    same = metalmom.separate(y, (masker, about(kind="mask", sr=1000, n_fft=128, hop_length=32)), sr=1000)
    np.testing.assert_allclose(got["one"], same["one"], atol=2e-5)  # sums of 18 products in float32, twice
    np.testing.assert_allclose(got["one"] + got["two"], y, atol=2e-6)


@pytest.mark.parametrize("swapped", [False, True])
def test_a_hybrid_model_has_parts_of_complex_numbers_as_channels(written, swapped):
    # of two stems: real and imaginary parts of two channels
    parts = np.arange(1, 9).reshape(2, 4, 1, 1).astype(np.float32)
    inputs = {"mix": [1, 2, "time"], "x": [1, 4, 32, "frames"]}
    outputs = {"waves": [1, 2, 2, "time"], "spectra": [1, 2, 4, 32, "frames"]}
    if swapped:
        inputs, outputs = (dict(reversed(each.items())) for each in (inputs, outputs))
    named = {"inputs": ["mix", "x"], "outputs": ["waves", "spectra"]} if swapped else {}
    path = written(
        [("Unsqueeze", ["mix", "axis"], ["m"], {}), ("Mul", ["m", "gains"], ["waves"], {}),
         ("Unsqueeze", ["x", "axis"], ["s"], {}), ("Mul", ["s", "parts"], ["spectra"], {})],
        inputs, outputs, {"axis": np.array([1]), "gains": gains(), "parts": parts}, kind="hybrid", bins=32, n_fft=64,
        hop_length=16, alignment="hop", normalized=True, **named,
    )  # fmt: skip

    def model(segment, spectrum):
        spectra = spectrum.real * parts[:, 0::2] + 1j * spectrum.imag * parts[:, 1::2]
        return segment * gains(), spectra

    y = noise(2, 500, dtype=np.float32)
    got = metalmom.separate(y, path, sr=SR)
    known = about(kind="hybrid", bins=32, n_fft=64, hop_length=16, alignment="hop", normalized=True)
    same = metalmom.separate(y, (model, known), sr=SR)
    assert all(np.array_equal(got[name], same[name]) for name in same)


def test_files_are_separated_by_a_models_path(written, song, tmp_path):
    path = written([("Unsqueeze", ["mix", "axis"], ["m"], {}), ("Mul", ["m", "gains"], ["stems"], {})],
                   {"mix": [1, 2, "time"]}, {"stems": [1, 2, 2, "time"]},
                   {"axis": np.array([1]), "gains": gains()}, sr=8000)  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "metalmom", "separate", song[0], "-m", path, "-o", tmp_path / "out", "--stems", "two"],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.returncode == 0 and done.stderr == ""
    assert np.array_equal(loaded(tmp_path / "out" / "song" / "two.wav")[0], song[1] * np.float32(-2))
    os.utime(path)  # another model, for all that is known
    first = (tmp_path / "out" / "song" / "two.wav").stat().st_mtime_ns
    separate_file(song[0], path, tmp_path / "out" / "song", stems=["two"])
    assert (tmp_path / "out" / "song" / "two.wav").stat().st_mtime_ns > first


def test_wrong_names_of_a_models_arrays_are_told(written):
    path = written([("Mul", ["mix", "gains"], ["stems"], {})], {"mix": [2, "time"]}, {"stems": [2, 2, "time"]},
                   {"gains": gains()}, inputs=["mic"])  # fmt: skip
    told = r"description.inputs=\['mic'\] must be 1 of those of the model: mix"
    with pytest.raises(metalmom.ParameterError, match=told):
        Model(path)


# --- what is told ---------------------------------------------------------------------------------


def failing_at(call, what):
    calls = []

    def model(segment):
        calls.append(1)
        stems = placed(segment)
        if len(calls) == call:
            stems[1, 0, 3] = what
        return stems

    return model


Y = noise(2, 300)


@pytest.mark.parametrize("call, told", [
    (lambda: metalmom.separate(Y, (lambda x: x, about()), sr=SR),
     "model(segment).shape=(2, 100) must be (2, 2, 100), which is (stems, channels, samples) with stems=one, two"),
    (lambda: metalmom.separate(Y, (lambda x: placed(x)[..., 1:], about()), sr=SR),
     "model(segment).shape=(2, 2, 99) must be"),
    (lambda: metalmom.separate(Y, (lambda x: placed(x).astype(int), about()), sr=SR),
     "model(segment).dtype=int64 must be"),
    (lambda: metalmom.separate(Y, (failing_at(3, np.nan), about()), sr=SR),
     "model(segment)['two'] must be finite everywhere: that of the segment at 1.50 s is not"),
    (lambda: metalmom.separate(Y, (failing_at(1, np.inf), about()), sr=SR),
     "model(segment)['two'] must be finite"),
    (lambda: metalmom.separate(Y, (lambda x, s: x, about(kind="hybrid", n_fft=32, hop_length=8)), sr=SR),
     "must be stems of the waveform, and of the spectrum"),
    (lambda: metalmom.separate(Y * np.nan, (placed, about()), sr=SR), "y must be finite"),
    (lambda: metalmom.separate(Y[:, :0], (placed, about()), sr=SR),
     "y.shape=(2, 0) must have at least one sample"),
    (lambda: metalmom.separate(Y.astype(int), (placed, about()), sr=SR),
     "y.dtype=int64 must be floating-point"),
    (lambda: metalmom.separate(noise(3, 99), (placed, about()), sr=SR),
     "(n,) or (2, n), as the model's channels=2"),
    (lambda: metalmom.separate(noise(1, 2, 99), (placed, about()), sr=SR),
     "(n,) or (2, n), as the model's channels=2"),
    (lambda: metalmom.separate(Y, placed, sr=SR), "must be the path of an ONNX file, a Model, or a pair"),
    (lambda: metalmom.separate(Y, (3, about()), sr=SR), "model=3 must be the path of an ONNX file"),
    (lambda: metalmom.separate(Y, (placed, about()), sr=0), "sr=0 must be"),
    (lambda: metalmom.separate(Y, (placed, about()), sr=SR, segment=0),
     "segment=0 must be a number > 0"),
    (lambda: metalmom.separate(Y, (placed, about()), sr=SR, segment=1e-9),
     "segment=1e-09 must be at least one sample"),
    (lambda: metalmom.separate(Y, (placed, about()), sr=SR, overlap=1),
     "overlap=1 must be a number in [0, 1)"),
    (lambda: metalmom.separate(Y, (placed, about()), sr=SR, shifts=-1),
     "shifts=-1 must be an int >= 0"),
    (lambda: metalmom.separate(Y, (placed, about()), sr=SR, seed=-1),
     "seed=-1 must be an int >= 0"),
    (lambda: metalmom.separate(Y, (placed, about()), sr=SR, mode="fast"),
     "mode='fast' must be 'full' or 'preview'"),
    (lambda: metalmom.separate(Y, (placed, about()), sr=SR, progress=3),
     "progress=3 must be 'auto', 'none', None or a function"),
    (lambda: metalmom.separate(Y, (masks, about(kind="mask")), sr=SR),
     "segment=1.0 must be longer than n_fft=4096 samples"),
    (lambda: Stream((placed, about()), sr=2 * SR), "sr=200 must be 100, the model's"),
    (lambda: estimate(0, (placed, about())), "seconds=0 must be a number > 0"),
    (lambda: separate_file("x.wav", (placed, about()),
     "o", format="mp3"), "format='mp3' must be 'wav', 'flac' or 'ogg'"),
    (lambda: separate_file("x.wav", (placed, about()),
     "o", stems=["tow"]), "stems=['tow'] must be some of one, two; did you mean 'two'?"),
    (lambda: separate_file("x.wav", (placed, about()), "o", stems=[]), "stems=[] must be some of one, two"),
    (lambda: Model(placed, about(kind="wave")),
     "description.kind='wave' must be 'waveform', 'mask' or 'hybrid'"),
    (lambda: Model(placed, about(sr=0)), "description.sr=0 must be a positive integer"),
    (lambda: Model(placed, about(stems=[])), "description.stems=[] must be names of files, each once"),
    (lambda: Model(placed, about(stems=["a/b"])), "description.stems=['a/b'] must be names of files"),
    (lambda: Model(placed, about(stems=["a", "a"])), "must be names of files, each once"),
    (lambda: Model(placed, about(segment=-1)), "description.segment=-1 must be a positive number"),
    (lambda: Model(placed, about(bins=9999)), "description.bins=9999 must be an integer in 1 .. 2049"),
    (lambda: Model(placed, about(alignment="left")),
     "description.alignment='left' must be 'center' or 'hop'"),
    (lambda: Model(placed, about(segmant=2.0)),
     "description must be of known keys, not 'segmant'; did you mean 'segment'?"),
    (lambda: Model(placed, {"kind": "mask"}), "description must have 'sr'"),
    (lambda: Model(placed), "description=None must be a dict"),
])  # fmt: skip
def test_errors_name_the_argument(call, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(metalmom.ParameterError) as caught:
        call()
    assert told in str(caught.value)
    assert caught.value.argument or "was stopped" in told


def test_errors_of_a_description_name_its_file(tmp_path):
    path = tmp_path / "model.json"
    path.write_text(json.dumps(about(sr=-1)))
    with pytest.raises(metalmom.ParameterError, match=r"description.sr=-1 must be a positive integer, at most 16777216, in .*model.json"):
        Model(placed, path)
    path.write_text("{")
    with pytest.raises(metalmom.ParameterError, match=r"model.json is no JSON"):
        Model(placed, path)
    path.write_text(json.dumps(about()))
    assert Model(placed, path).description.segment == 1.0
    with pytest.raises(FileNotFoundError, match="other.onnx"):
        metalmom.separate(Y, tmp_path / "other.onnx", sr=SR)
    (tmp_path / "other.onnx").touch()
    with pytest.raises(FileNotFoundError, match="other.json"):
        metalmom.separate(Y, tmp_path / "other.onnx", sr=SR)


def test_what_a_model_raises_passes():
    def model(segment):
        raise ArithmeticError("of the model")

    with pytest.raises(ArithmeticError, match="of the model"):
        metalmom.separate(Y, (model, about()), sr=SR)


def test_descriptions_show_their_defaults():
    made = Description(**about())
    assert (made.transition_power, made.context, made.alignment) == (1.0, 0.0, "center")
    assert repr(Model(placed, made)) == "Model(waveform, sr=100, channels=2, stems=['one', 'two'])"


# --- progress, estimates --------------------------------------------------------------------------


def test_progress_is_told_to_a_function():
    told = []
    metalmom.separate(noise(2, 1000), (shares, about()), sr=SR, progress=lambda *seconds: told.append(seconds))
    assert told[-1] == (10.0, 10.0) and len(told) >= 10 and told == sorted(told)


def test_no_progress_has_two_names(capsys):
    for progress in (None, "none"):
        metalmom.separate(noise(2, 1000), (shares, about()), sr=SR, progress=progress)
    assert capsys.readouterr() == ("", "")


def test_progress_is_a_bar_on_a_terminal(monkeypatch):
    pytest.importorskip("tqdm")

    class Terminal:
        written = ""
        encoding = "utf-8"

        def isatty(self):
            return True

        def write(self, text):
            self.written += text

        def flush(self):
            pass

    monkeypatch.setattr(sys, "stderr", Terminal())
    metalmom.separate(noise(2, 1000), (shares, about()), sr=SR, progress="auto")
    assert "10.0" in sys.stderr.written
    monkeypatch.setattr(sys, "stderr", None)
    metalmom.separate(noise(2, 1000), (shares, about()), sr=SR, progress="auto")


@pytest.mark.parametrize("seconds", [1, 20, 100])
@pytest.mark.parametrize("how", [{}, {"shifts": 2}, {"mode": "preview"}])
def test_what_is_estimated_is_used(seconds, how):
    def model(segment):
        time.sleep(0.02)  # so that a busy machine adds little
        return shares(segment)

    model = (model, about(sr=1000, segment=5.0))
    found = estimate(seconds, model, **how)
    y = noise(2, seconds * 1000, dtype=np.float32)
    took = []
    for _ in range(3):
        began = time.perf_counter()
        metalmom.separate(y, model, sr=1000, **how)
        took.append(time.perf_counter() - began)
    tracemalloc.start()
    stems = metalmom.separate(y, model, sr=1000, **how)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak / 1.5 < found.memory < peak * 1.5 and len(stems) == 2
    assert min(took) / 1.5 < found.seconds < min(took) * 1.5


@pytest.mark.parametrize("seconds", [2, 60])
def test_what_onnx_runtime_takes_is_estimated(written, seconds):
    """In processes of their own, since the runtime keeps its memory."""
    weights = {"w": noise(24, 2, 9, dtype=np.float32), "v": noise(2, 24, 1, dtype=np.float32), "axis": np.array([1])}
    path = written(
        [("Conv", ["mix", "w"], ["h"], {"pads": [4, 4]}), ("Relu", ["h"], ["r"], {}), ("Conv", ["r", "v"], ["s"], {}),
         ("Unsqueeze", ["s", "axis"], ["stems"], {})],
        {"mix": [1, 2, "time"]}, {"stems": [1, 1, 2, "time"]}, weights, sr=16000, segment=10.0, stems=["all"],
    )  # fmt: skip
    begin = f"""
import re
import metalmom
import numpy as np

def resident(name):
    with open("/proc/self/status") as status:
        return 1024 * int(re.search(name + r":\\s+(\\d+)", status.read())[1])

model = metalmom.separation.Model({str(path)!r})
y = np.random.default_rng(0).uniform(-1, 1, (2, {seconds} * 16000)).astype(np.float32)
"""
    found, used = (
        int(subprocess.run([sys.executable, "-c", begin + rest], stdout=subprocess.PIPE, check=True,
                           env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}).stdout)
        for rest in (
            f"print(metalmom.separation.estimate({seconds}, model).memory)",
            "before = resident('VmRSS'); metalmom.separate(y, model, sr=16000); print(resident('VmHWM') - before)",
        )
    )  # fmt: skip
    assert used / 1.5 < found < used * 1.5


# --- files ----------------------------------------------------------------------------------------


def write_wav(path, samples, sr):
    """int16 (n, channels)."""
    with wave.open(str(path), "wb") as out:
        out.setparams((samples.shape[1], 2, sr, 0, "NONE", None))
        out.writeframes(samples.astype("<i2").tobytes())
    return (samples.T / 32768).astype(np.float32)


@pytest.fixture
def song(tmp_path):
    y = write_wav(tmp_path / "song.wav", RNG.integers(-9999, 9999, (50000, 2)), 8000)
    return tmp_path / "song.wav", y


def loaded(path):
    return metalmom.load(path, sr=None, mono=False)


OF_FILES = about(sr=8000)


@pytest.mark.parametrize("changes, how", [({}, {}), ({"normalize": True}, {"shifts": 2}), ({}, {"mode": "preview"})])
def test_files_are_what_arrays_are(song, tmp_path, changes, how):
    path, y = song
    model = Model(placed, {**OF_FILES, **changes})
    files = separate_file(path, model, tmp_path / "out", **how)
    stems = metalmom.separate(y, model, sr=8000, **how)
    assert [*files] == [*stems] and sorted(os.listdir(tmp_path / "out")) == [".separation.json", "one.wav", "two.wav"]
    for name, file in files.items():
        got, sr = loaded(file)
        assert sr == 8000 and got.tobytes() == stems[name].tobytes()


def test_a_file_of_one_channel_gives_files_of_one_channel(tmp_path):
    y = write_wav(tmp_path / "song.wav", RNG.integers(-9999, 9999, (9001, 1)), 8000)
    files = separate_file(tmp_path / "song.wav", (shares, OF_FILES), tmp_path / "out", stems=["two"])
    assert [*files] == ["two"]
    assert np.array_equal(loaded(files["two"])[0], y[0] * np.float32(0.75))


def test_files_are_resampled_to_the_models_rate(song, tmp_path):
    path, y = song
    files = separate_file(path, (lambda x: x[np.newaxis], about(sr=6000, stems=["all"])), tmp_path / "out")
    got, sr = loaded(files["all"])
    assert sr == 6000 and np.array_equal(got, metalmom.load(path, sr=6000, mono=False)[0])


@pytest.mark.parametrize("format, tolerance", [("flac", 2.0**-23), ("ogg", 0.9)])
def test_other_formats_are_those_of_libsndfile(song, tmp_path, format, tolerance):
    pytest.importorskip("soundfile")
    path, y = song
    files = separate_file(path, (shares, OF_FILES), tmp_path / "out", format=format)
    got, sr = loaded(files["two"])
    assert sr == 8000 and got.shape == y.shape and np.abs(got - y * 0.75).max() < tolerance


def test_a_format_without_its_package_says_how_to_get_it(song, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "soundfile", None)
    with pytest.raises(ModuleNotFoundError, match=r"format='flac' needs soundfile.*pip install soundfile \(or "):
        separate_file(song[0], (shares, OF_FILES), tmp_path / "out", format="flac")


class Stopped:
    """A model that is interrupted in some call."""

    def __init__(self, at):
        self.at, self.calls = at, 0

    def __call__(self, segment):
        self.calls += 1
        if self.calls == self.at:
            raise KeyboardInterrupt
        return placed(segment)


@pytest.mark.parametrize("how", [{}, {"shifts": 2}, {"overlap": 0.9}])
@pytest.mark.parametrize("at", [1, 2, 6])
def test_what_was_stopped_is_continued_by_segment(song, tmp_path, how, at):
    path, y = song
    whole = Stopped(0)
    wanted = metalmom.separate(y, (whole, OF_FILES), sr=8000, **how)
    with pytest.raises(KeyboardInterrupt):
        separate_file(path, Model(Stopped(at), OF_FILES, identity="placed"), tmp_path / "out", **how)
    assert {".one.f32", ".two.f32", ".separation.json"} == {*os.listdir(tmp_path / "out")}
    with open(tmp_path / "out" / ".two.f32", "ab") as file:
        file.write(b"half")  # of a sample
    rest = Stopped(0)
    files = separate_file(path, Model(rest, OF_FILES, identity="placed"), tmp_path / "out", **how)
    for name, file in files.items():
        assert loaded(file)[0].tobytes() == wanted[name].tobytes()
    # what overlaps with what was finished is computed again
    again = 1 if not how else 12
    assert rest.calls <= whole.calls - at + 1 + again
    done = Stopped(0)
    same = Model(done, OF_FILES, identity="placed")
    assert separate_file(path, same, tmp_path / "out", **how) == files and done.calls == 0


def test_another_job_begins_anew(song, tmp_path):
    path, y = song
    with pytest.raises(KeyboardInterrupt):
        separate_file(path, Model(Stopped(6), OF_FILES, identity="placed"), tmp_path / "out")
    for how in ({"overlap": 0.5}, {"overlap": 0.5, "overwrite": True}, {}):
        model = Stopped(0)
        files = separate_file(path, Model(model, OF_FILES, identity="placed"), tmp_path / "out", **how)
        assert model.calls >= 9
        wanted = metalmom.separate(y, (placed, OF_FILES), sr=8000, overlap=how.get("overlap", 0.25))
        assert loaded(files["one"])[0].tobytes() == wanted["one"].tobytes()
    write_wav(path, RNG.integers(-9, 9, (9000, 2)), 8000)
    assert loaded(separate_file(path, (shares, OF_FILES), tmp_path / "out")["one"])[0].shape == (2, 9000)


def test_two_processes_do_not_write_to_one_folder(song, tmp_path):
    path, _ = song

    def model(segment):
        with pytest.raises(metalmom.ParameterError, match="out=.* must be a folder that no other process writes to"):
            separate_file(path, (shares, OF_FILES), tmp_path / "out")
        return shares(segment)

    separate_file(path, (model, {**OF_FILES, "segment": 5.0}), tmp_path / "out")


@pytest.mark.parametrize("content", [b"", b"nothing", b"RIFF"])
def test_a_broken_file_is_told(tmp_path, content):
    (tmp_path / "song.wav").write_bytes(content)
    with pytest.raises(metalmom.AudioError, match=r"song\.wav"):
        separate_file(tmp_path / "song.wav", (shares, OF_FILES), tmp_path / "out")
    with pytest.raises(FileNotFoundError):
        separate_file(tmp_path / "none.wav", (shares, OF_FILES), tmp_path / "out")


def test_files_beyond_four_gigabytes_are_rf64(tmp_path):
    from metalmom.separation import _files

    y = noise(2, 500, dtype=np.float32)
    (tmp_path / "spool").write_bytes(y.T.tobytes())
    _files._write_wav(str(tmp_path / "spool"), str(tmp_path / "x.wav"), 2, 8000, 1000)
    assert (tmp_path / "x.wav").read_bytes()[:4] == b"RF64"
    assert np.array_equal(loaded(tmp_path / "x.wav")[0], y)


SEPARATING = r"""
import re, sys, time
import numpy as np
from metalmom.separation import Model, separate_file
about = {"kind": "waveform", "sr": 8000, "channels": 1, "stems": ["one", "two"], "segment": 10.0}
def model(segment):
    time.sleep(float(sys.argv[3]))
    return np.stack([segment, segment])
print("ready", flush=True)
separate_file(sys.argv[1], Model(model, about, identity="twice"), sys.argv[2])
# It counts from here on; resource has the peak of who started this, too.
with open("/proc/self/status") as status:
    print(re.search(r"VmHWM:\s+(\d+)", status.read())[1])
"""


def separating(path, out, wait=0.0, **how):
    command = [sys.executable, "-c", SEPARATING, path, out, str(wait)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, **how)  # fmt: skip


def test_memory_does_not_grow_with_a_file(tmp_path):
    peaks = []
    for minutes in (1, 30):
        path = tmp_path / f"{minutes}.wav"
        write_wav(path, np.resize(RNG.integers(-9999, 9999, 99991), (minutes * 60 * 8000, 1)), 8000)
        told, error = separating(path, tmp_path / str(minutes)).communicate(timeout=120)
        assert error == ""
        peaks.append(int(told.split()[-1]))
    # half an hour of two stems alone would be 110 MB more; the decoder's buffers and the allocator take some
    assert peaks[1] < peaks[0] * 1.15


def test_ctrl_c_ends_it_and_the_same_call_goes_on(tmp_path):
    y = write_wav(tmp_path / "x.wav", np.resize(RNG.integers(-9999, 9999, 9991), (120 * 8000, 1)), 8000)
    running = separating(tmp_path / "x.wav", tmp_path / "out", wait=0.2)
    assert running.stdout.readline() == "ready\n"
    spool = tmp_path / "out" / ".one.f32"
    while not spool.exists() or not spool.stat().st_size:
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    _, error = running.communicate(timeout=30)
    assert error.splitlines()[-1] == "KeyboardInterrupt" and running.returncode != 0
    assert 0 < spool.stat().st_size < y.nbytes
    assert separating(tmp_path / "x.wav", tmp_path / "out").wait(timeout=60) == 0
    assert np.array_equal(loaded(tmp_path / "out" / "two.wav")[0], y[0])


def test_a_file_is_not_replaced_by_its_stem(tmp_path):
    write_wav(tmp_path / "a.wav", np.zeros((800, 1)), 8000)
    about = {"kind": "waveform", "sr": 8000, "channels": 1, "stems": ["a"], "segment": 0.05}
    with pytest.raises(metalmom.ParameterError, match="out=.* must be another folder: a stem would replace"):
        separate_file(tmp_path / "a.wav", (lambda x: x[None], about), tmp_path)
    assert (tmp_path / "a.wav").stat().st_size > 1600


def test_a_stem_named_twice_is_one(tmp_path):
    write_wav(tmp_path / "song.wav", np.zeros((800, 1)), 8000)
    about = {"kind": "waveform", "sr": 8000, "channels": 1, "stems": ["a"], "segment": 0.05}
    files = separate_file(tmp_path / "song.wav", (lambda x: x[None], about), tmp_path / "out", stems=["a", "a"])
    assert list(files) == ["a"]


def test_spools_of_another_job_are_not_continued(tmp_path):
    """Those of a job that was stopped, where the next one stops before it begins to write."""
    write_wav(tmp_path / "song.wav", np.zeros((800, 1)), 8000)
    about = {"kind": "waveform", "sr": 8000, "channels": 1, "stems": ["a"], "segment": 0.05, "normalize": True}
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".a.f32").write_bytes(np.ones(400, "<f4").tobytes())

    def stopped(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        separate_file(tmp_path / "song.wav", (stopped, about), tmp_path / "out")
    files = separate_file(tmp_path / "song.wav", (lambda x: x[None], about), tmp_path / "out")
    found, _ = metalmom.load(files["a"], sr=None)
    assert len(found) == 800 and not found.any()


def test_spools_follow_no_link(tmp_path):
    write_wav(tmp_path / "song.wav", np.zeros((800, 1)), 8000)
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "out").mkdir()
    about = {"kind": "waveform", "sr": 8000, "channels": 1, "stems": ["a"], "segment": 0.05}
    (tmp_path / "out" / ".a.f32").symlink_to(tmp_path / "precious")
    separate_file(tmp_path / "song.wav", (lambda x: x[None], about), tmp_path / "out")
    assert (tmp_path / "precious").read_text() == "mine"


# --- what is hostile ------------------------------------------------------------------------------


def test_a_function_without_an_identity_begins_anew(song, tmp_path):
    path, y = song
    for gain in (2, 3):
        files = separate_file(path, (lambda x, gain=gain: np.stack([x, x * np.float32(gain)]), OF_FILES), tmp_path)
        assert np.array_equal(loaded(files["two"])[0], y * np.float32(gain))
    for identity, gain in (("a", 4), ("a", 4), ("b", 6)):
        model = Model(lambda x, gain=gain: np.stack([x, x * np.float32(gain)]), OF_FILES, identity=identity)
        assert np.array_equal(loaded(separate_file(path, model, tmp_path)["two"])[0], y * np.float32(gain))
    with pytest.raises(metalmom.ParameterError, match="identity=3 must be a str"):
        Model(shares, OF_FILES, identity=3)


def test_weights_in_another_file_are_part_of_a_model(song, tmp_path):
    onnx_models = pytest.importorskip("onnx_models")
    pytest.importorskip("onnxruntime")
    (tmp_path / "model.json").write_text(json.dumps(OF_FILES))

    def write(gain):
        weights = [onnx_models.tensor("g", np.full((2, 1, 8000), gain)), onnx_models.tensor("axis", [0], np.int64)]
        nodes = [onnx_models.node("Unsqueeze", ["x", "axis"], ["wide"]), onnx_models.node("Mul", ["wide", "g"], ["y"])]
        return onnx_models.model_of(
            tmp_path / "model.onnx", nodes, [("x", onnx_models.F32, [2, 8000])], [("y", onnx_models.F32, [2, 2, 8000])],
            weights, save_as_external_data=True, location="weights", size_threshold=100,
        )  # fmt: skip

    path, y = song
    model = write(2)
    before = (tmp_path / "weights").read_bytes()
    session = metalmom.nn.Session(model)
    assert session.files == (str(model), str(tmp_path / "weights"))
    separate_file(path, model, tmp_path / "out")
    pickled = pickle.dumps(session)
    assert pickle.loads(pickled).files == session.files
    (tmp_path / "weights").write_bytes(before.replace(np.float32(2).tobytes(), np.float32(3).tobytes()))
    files = separate_file(path, model, tmp_path / "out")
    assert np.array_equal(loaded(files["one"])[0], y * np.float32(3))
    with pytest.raises(metalmom.nn.ModelError, match="has changed since the session was pickled"):
        pickle.loads(pickled)


@pytest.mark.parametrize("text, told", [
    ('{"segment": 1e308}', "description.segment=1e+308 must be a positive number below 1e6"),
    ('{"context": 1e15}', "description.context=1000000000000000.0 must be a number of 0 or more, below 1e6"),
    ('{"context": 9e5, "sr": 16000000}', "description.context=900000.0 must be smaller"),
    ('{"sr": 1e400}', "description.sr=inf must be a positive integer"),
    ('{"transition_power": null}', "description.transition_power=None must be a positive number"),
    ('{"window": 3}', "description.window=3 must be the name of a window"),
    ('{"window": ["kaiser", 4]}', "description.window=['kaiser', 4] must be the name of a window"),
    (r'{"stems": ["\ud800"]}', "must be names of files, each once"),
    (r'{"stems": ["a\\b"]}', "must be names of files, each once"),
    (r'{"stems": ["a\n"]}', "must be names of files, each once"),
    ('{"stems": ["' + "a" * 300 + '"]}', "must be names of files, each once"),
    ('{"sr": ' + "[" * 900 + "]" * 900 + "}", "description.sr="),
    ('{"sr": ' + "[" * 99999, "is no JSON"),
    ('{"sr": ' + "9" * 5000 + "}", "is no JSON"),
])  # fmt: skip
def test_descriptions_of_strangers_are_refused(tmp_path, text, told):
    try:
        text = json.dumps({**about(), **json.loads(text)})
    except (ValueError, RecursionError):
        pass
    (tmp_path / "model.json").write_text(text)
    with pytest.raises(metalmom.ParameterError) as caught:
        metalmom.separate(Y, (placed, tmp_path / "model.json"), sr=SR)
    assert told in str(caught.value) and ("smaller" in told or "model.json" in str(caught.value))


def test_a_model_without_a_description_is_told_the_smallest(tmp_path):
    (tmp_path / "denoise.onnx").touch()
    with pytest.raises(FileNotFoundError, match="No description of denoise.onnx beside it") as caught:
        Model(tmp_path / "denoise.onnx")
    assert caught.value.filename == str(tmp_path / "denoise.json")
    smallest = str(caught.value).partition("smallest one is ")[2].rpartition(": ")[0]
    assert Description(**json.loads(smallest))


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value", "ignore:Casting complex")
@pytest.mark.parametrize("output", [
    lambda x: [[1.0], [2.0, 3.0]], lambda x: None, lambda x: "text", lambda x: np.zeros((2, *x.shape), bool),
    lambda x: np.stack([x, x]) * 1j, lambda x: np.stack([x, x])[..., 1:], lambda x: [object()],
    lambda x: np.stack([x, x]).astype(float) * 1e300,
])  # fmt: skip
@pytest.mark.parametrize("kind", ["waveform", "mask", "hybrid"])
def test_what_a_model_gives_is_checked_at_each_segment(output, kind):
    calls = []

    def model(*given):
        calls.append(1)
        stems = [(output if len(calls) == 2 else lambda x: np.stack([x, x]))(each) for each in given]
        return stems if len(stems) > 1 else stems[0]

    y = noise(2, 300, dtype=np.float32)
    try:
        stems = metalmom.separate(y, (model, about(kind=kind, n_fft=32, hop_length=8)), sr=SR)
    except metalmom.ParameterError as error:
        assert "model(segment)" in str(error)
    else:  # a spectrum is complex
        assert kind == "hybrid" and all(np.isfinite(each).all() for each in stems.values())


@pytest.mark.parametrize("statistics", [(0, np.inf), (np.nan, 1), (0, -1), (True,), ("a", 1), (None, None), 3])
def test_statistics_are_finite(statistics):
    with pytest.raises(metalmom.ParameterError, match="statistics=.* must be"):
        Stream((placed, about(normalize=True)), sr=SR, statistics=statistics)


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("call, told", [
    (lambda: metalmom.separate(Y, (placed, about()), sr=True), "sr=True must be a number"),
    (lambda: metalmom.separate(Y, (placed, about()), sr="100"), "sr='100' must be a number > 0"),
    (lambda: metalmom.separate(Y, (placed, about(sr=16000000)), sr=16000000, segment=9e5), "segment=900000.0 must be smaller"),
    (lambda: metalmom.separate(Y, (placed, about()), sr=SR, shifts=10**9), "shifts=1000000000 must be smaller"),
    (lambda: metalmom.separate(Y * 1e300, (placed, about(normalize=True)), sr=SR), "y must be small enough"),
    (lambda: Stream((placed, about()), sr=True), "sr=True must be a number"),
    (lambda: Stream((placed, about()), sr=SR, channels=3), "channels=3 must be 1 or 2, as the model's"),
    (lambda: estimate(np.nan, (placed, about())), "seconds=nan must be a number > 0"),
    (lambda: estimate(np.inf, (placed, about())), "seconds=inf must be a finite number"),
    (lambda: estimate(-1, (placed, about())), "seconds=-1 must be a number > 0"),
    (lambda: estimate(1, (placed, about()), channels=3), "channels=3 must be 1 or 2, as the model's"),
    (lambda: Model("\0"), "model='\\x00' must be a path that a file can have"),
    (lambda: separate_file("\ud800", (placed, about()), "o"), "path='\\ud800' must be a path"),
    (lambda: separate_file("x", (placed, about()), "\0"), "out='\\x00' must be a path"),
])  # fmt: skip
def test_numbers_and_paths_that_are_none_are_refused(call, told):
    with pytest.raises(metalmom.ParameterError) as caught:
        call()
    assert told in str(caught.value)


def test_a_broken_file_leaves_nothing_behind(song, tmp_path):
    path, _ = song
    (tmp_path / "none.wav").write_bytes(b"nothing")
    with pytest.raises(metalmom.AudioError):
        separate_file(tmp_path / "none.wav", (shares, OF_FILES), tmp_path / "out")
    with pytest.raises(metalmom.ParameterError, match="model"):
        separate_file(path, (lambda x: x, OF_FILES), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    with pytest.raises(metalmom.AudioError):
        separate_file(tmp_path / "none.wav", (shares, OF_FILES), tmp_path / "out")
    assert os.listdir(tmp_path / "out") == ["mine"]


def test_the_file_of_a_job_may_be_anything(song, tmp_path):
    for content in (b"\xff", b"[" * 99999, b"[]", b"{}", b"null"):
        (tmp_path / ".separation.json").write_bytes(content)
        assert len(separate_file(song[0], (shares, OF_FILES), tmp_path)) == 2
    (tmp_path / ".separation.json").unlink()
    (tmp_path / "precious").write_text("mine")
    (tmp_path / ".separation.json").symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match="separation.json"):
        separate_file(song[0], (shares, OF_FILES), tmp_path)
    assert (tmp_path / "precious").read_text() == "mine"


FULL = r"""
import resource, signal, sys
import numpy as np
from metalmom.separation import separate_file
about = {"kind": "waveform", "sr": 8000, "channels": 2, "stems": ["one", "two"], "segment": 1.0}
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
try:
    separate_file(sys.argv[1], (lambda x: np.stack([x, x]), about), sys.argv[2])
except OSError as error:
    print(error.filename)
"""


@pytest.mark.parametrize("most, name", [(10, ".separation.json"), (100000, ".one.f32"), (400000, "one.wav")])
def test_a_full_disk_names_the_file(song, tmp_path, most, name):
    """Files may have no more than so many bytes, as on a disk that has no more; samples take 400,000."""
    done = subprocess.run(
        [sys.executable, "-c", FULL, song[0], tmp_path / "out", str(most)], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.stderr == "" and done.stdout.strip() == str(tmp_path / "out" / name)


def test_what_is_no_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.wav")
    for path in (tmp_path / "pipe.wav", tmp_path):
        with pytest.raises(metalmom.AudioError, match="is no regular file"):
            separate_file(path, (shares, OF_FILES), tmp_path / "out")
