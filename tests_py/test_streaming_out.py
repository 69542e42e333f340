"""Arrays that a caller gives to streams: refused before anything moves, or filled; and odd inputs."""

import subprocess
import sys

import numpy as np
import pytest
from metalmom import streaming
from metalmom.util.exceptions import ParameterError
from test_streaming import noise

TWO_GROUPS = {"rms": {"frame_length": 1024}, "stft": {"n_fft": 512}}


def field(shape, dtype):
    """An array whose elements have bytes between them that are no whole number of elements."""
    gap = "i4" if np.dtype(dtype).itemsize > 4 else "i1"
    return np.zeros(shape, dtype=[("x", dtype), ("gap", gap)])["x"]


def read_only(shape, dtype):
    array = np.empty(shape, dtype=dtype)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    "rms, stft, complaint",
    [
        (np.empty((1, 100), "f4"), np.empty((257, 1), "c8"), r"out\['stft'\].shape"),
        (np.empty((1, 100), "f4"), np.empty(257, "c8"), r"out\['stft'\].shape"),
        (np.empty((1, 100), "f4"), read_only((257, 100), "c8"), r"out\['stft'\] must be writable"),
        (np.empty((1, 100), "f4"), field((257, 100), "c8"), r"out\['stft'\].strides"),
        (np.empty((1, 1), "f4"), np.empty((257, 100), "c8"), r"out\['rms'\].shape"),
    ],
)
def test_all_results_of_an_extractor_are_checked_before_any_is_made(rms, stft, complaint):
    y = noise(9000)
    stream, other = streaming.Extractor(TWO_GROUPS), streaming.Extractor(TWO_GROUPS)
    with pytest.raises(ParameterError, match=complaint):
        stream.process(y[:6000], out={"rms": rms, "stft": stft})
    assert stream.position == 0
    for part in (y[:6000], y[6000:]):
        value, want = stream.process(part), other.process(part)
        for name in TWO_GROUPS:
            np.testing.assert_array_equal(value[name], want[name])


def test_a_block_that_one_of_many_refuses_moves_none():
    recipe = {"rms": {"frame_length": 1024}, "stft": {"n_fft": 512, "pad_mode": "reflect"}}
    stream = streaming.Extractor(recipe)
    with pytest.raises(ParameterError, match="y.shape"):
        stream.flush()
    assert stream.position == 0
    y = noise(3000)
    value, want = stream.process(y, last=True), streaming.Extractor(recipe).process(y, last=True)
    for name in recipe:
        np.testing.assert_array_equal(value[name], want[name])


DOUBLE = {"sample_dtype": np.float64}


@pytest.mark.parametrize(
    "make",
    [
        lambda: streaming.STFT(n_fft=512, **DOUBLE),
        lambda: streaming.RMS(frame_length=512, **DOUBLE),
        lambda: streaming.PCEN(channels=2),
        lambda: streaming.Convolver(np.ones(9), **DOUBLE),
        lambda: streaming.Resample(orig_sr=2, target_sr=1, **DOUBLE),
    ],
    ids=["STFT", "RMS", "PCEN", "Convolver", "Resample"],
)
def test_a_field_of_packed_records_is_read_and_refused_as_out(make):
    stream = make()
    y = noise(3000, dtype=np.float64)
    if stream.channels == 2:
        y = np.abs(y).reshape(2, 15, 100)
    want = make().process(y)
    packed = field(y.shape, y.dtype)
    packed[...] = y
    np.testing.assert_array_equal(make().process(packed), want)
    shape = (*want.shape[:-1], stream.most(len(y))) if hasattr(stream, "most") else want.shape
    for out in (field(shape, want.dtype), read_only(shape, want.dtype)):
        with pytest.raises(ParameterError, match="out"):
            stream.process(y, out=out)
    assert stream.position == 0
    np.testing.assert_array_equal(stream.process(y), want)


def test_a_result_may_lie_on_its_input():
    memory = np.zeros((4, 600))
    S = memory[:, 100:400]
    S[...] = np.abs(noise(300, 4, np.float64))
    want = streaming.PCEN().process(S)
    np.testing.assert_array_equal(streaming.PCEN().process(S, out=memory[:, 90:390]), want)
    y = noise(6000)
    settings = {"orig_sr": 1, "target_sr": 2}
    want = streaming.Resample(**settings).process(y[:2500])
    value = streaming.Resample(**settings).process(y[:2500], out=y)
    np.testing.assert_array_equal(value, want)


def test_a_block_without_frames_does_not_say_how_many_bands_there_are():
    stream = streaming.PCEN()
    assert stream.process(np.empty((3, 0))).shape == (3, 0)
    S = np.abs(noise(30, 5, np.float64))
    np.testing.assert_array_equal(stream.process(S), streaming.PCEN().process(S))


def test_streams_without_docstrings():
    code = "import metalmom, numpy as np; print(metalmom.streaming.RMS().flush().shape)"
    done = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "(1, 1)"


@pytest.mark.parametrize("n", [0, 100])
def test_the_end_of_a_signal_without_a_whole_frame(n):
    y = noise(2000)[:n]
    assert streaming.STFT(center=False).process(y, last=True).shape == (1025, 0)
    assert streaming.MelSpectrogram(center=False).process(y, last=True).shape == (128, 0)
    assert streaming.STFT().process(y, last=True).shape == (1025, 1)
    if n == 0:
        for stream in (streaming.STFT(pad_mode="reflect"), streaming.ZeroCrossingRate(), streaming.ISTFT()):
            with pytest.raises(ParameterError, match="shape"):
                stream.flush()
