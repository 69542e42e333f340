"""Whether an installation computes right: examples against formulas, a device's kernels against the CPU."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import convolution, core, demo, feature, filters
from ._engine.config import config_context
from ._warmup import each_kernel, noise
from .util._public import public
from .util._types import Array
from .util.exceptions import AudioError, LibrosaError

__all__ = ["self_test"]


@public
def self_test(backend: str = "cpu") -> dict[str, float]:
    """Compute small examples and compare them with what they must be.

    On the CPU, the expected values come from formulas and from NumPy's transforms. On a device, each kernel
    is compared with the CPU, as by ``metalmom doctor``. The test takes less than a second on the CPU.

    Parameters
    ----------
    backend : str
        ``"cpu"``, or a device as for `set_config`: ``"gpu"``, ``"gpu:1"``.

    Returns
    -------
    dict
        The name of each example -> its largest difference, as a share of the largest value. Examples
        that need libsndfile or libsoxr are left out if metalmom was built without them.

    Raises
    ------
    LibrosaError
        If a difference is larger than it may be. The text names the examples.
    DeviceError
        If there is no such device.

    Examples
    --------
    >>> max(metalmom.self_test().values()) < 0.01
    True
    """
    if backend == "cpu":
        with config_context(backend="cpu"):
            found = {name: (error, most) for name, error, most in _examples()}
    else:
        found = {name: (error, most) for name, error, most in kernel_errors(backend) if not isinstance(error, AudioError)}
    wrong = [f"{name} differs by {error:.1e}" for name, (error, most) in found.items() if not error <= most]
    if wrong:
        raise LibrosaError(f"self_test() failed on {backend}: {', '.join(wrong)}")
    return {name: error for name, (error, _) in found.items()}


def kernel_errors(backend: str) -> Iterator[tuple[str, float | AudioError, float]]:
    """Compare every kernel with the CPU: name, how far it is off or why it cannot be called, how far it may be off."""
    for name, call, tolerance in each_kernel():
        try:
            yield name, _error(_values_of(call, backend), _values_of(call, "cpu")), tolerance
        except AudioError as lacking:
            yield name, lacking, tolerance


def _values_of(call: Callable[[], Any], backend: str) -> Array:
    """All numbers that a call gives on a side."""
    with config_context(backend=backend):
        result = call()
    return np.concatenate([np.ravel(each) for each in (result if isinstance(result, tuple) else (result,))])


def _error(result: Array, expected: Array) -> float:
    return float(np.abs(result - expected).max() / np.abs(expected).max())


def _examples() -> Iterator[tuple[str, float, float]]:
    """Name, error, and what the error may be of each example on the CPU."""
    y = noise(22050)
    # A power of two has a kernel of its own; 1,000 and 1,021 (a prime) are transformed in other ways.
    for n_fft in (2048, 1000, 1021):
        frames = np.lib.stride_tricks.sliding_window_view(y.astype(np.float64), n_fft)[::256]
        window = filters.get_window("hann", n_fft)
        expected = np.fft.rfft(frames * window).T
        for dtype, most in ((np.float32, 1e-5), (np.float64, 1e-12)):
            D = core.stft(y.astype(dtype), n_fft=n_fft, hop_length=256, center=False)
            yield f"stft of {n_fft} in {np.dtype(dtype)}", _error(D, expected), most
    yield "istft", _error(core.istft(core.stft(y), length=y.size), y), 1e-5
    mel = filters.mel(sr=22050, n_fft=2048).astype(np.float64) @ np.abs(core.stft(y.astype(np.float64))) ** 2
    yield "melspectrogram", _error(feature.melspectrogram(y=y), mel), 1e-5
    signal, response = y.astype(np.float64), y[:3000].astype(np.float64)
    yield "convolve", _error(convolution.convolve(signal, response), np.convolve(signal, response)), 1e-12
    tone = core.tone(440.0, sr=22050, length=22050)
    # a parabola between periods of whole samples, 50 of them here
    yield "yin", _error(core.yin(tone, fmin=200, fmax=900)[4:-4], np.full(1, 440.0)), 2e-3
    with _left_out_without_io():
        # away from the ends, where the filter has no signal, libsoxr's default has 20 bits
        inner = slice(2000, -2000)
        slower = core.tone(440.0, sr=16000, length=16000)
        resampled = core.resample(tone, orig_sr=22050, target_sr=16000)
        yield "resample", _error(resampled[inner], slower[inner]), 1e-5
    with _left_out_without_io():
        song, _ = demo.song(1.0)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "song.wav")
            demo.write_wav(path, duration=1.0)
            # of 16 bits; its peak is below 1
            yield "load", _error(core.load(path, sr=None, mono=False)[0], song), 2.0**-13


@contextlib.contextmanager
def _left_out_without_io() -> Iterator[None]:
    """End a block quietly where the build has neither libsndfile nor libsoxr; other errors come out."""
    try:
        yield
    except AudioError as error:
        if "METALMOM_IO=OFF" not in str(error):
            raise
