"""Small calls that between them run every GPU kernel: what a device is warmed up and looked at with."""

from __future__ import annotations

import numpy as np

from . import _native, core, decompose, effects, feature, onset
from ._engine.config import config_context
from .convolution import convolve
from .util._public import public
from .util.exceptions import AudioError, DeviceError

__all__ = ["gpu_warmup"]


def noise(n_samples, n_channels=1):
    """White noise in float32, always the same."""
    random = np.random.default_rng(0)
    return random.uniform(-1, 1, (n_channels, n_samples)).astype(np.float32).squeeze()


def _resamples():
    """Whether this build has a resampler, on whatever side: without audio input there is none."""
    try:
        with config_context(backend="cpu"):
            core.resample(noise(100), orig_sr=2, target_sr=1)
    except AudioError:
        return False
    return True


def each_kernel(n_samples=22050):
    """Yield the name of a function and a call of it, for all that have a kernel."""
    y = noise(n_samples)
    with config_context(backend="cpu"):
        spectrum = core.stft(y)
        magnitudes = np.abs(spectrum)
        power = feature.melspectrogram(y=y)
        levels = core.power_to_db(power)
    tone = core.tone(445.0, sr=22050, length=n_samples).astype(np.float32)
    yield "stft", lambda: core.stft(y)
    yield "istft", lambda: core.istft(spectrum)
    yield "melspectrogram", lambda: feature.melspectrogram(y=y)
    yield "mfcc", lambda: feature.mfcc(y=y)
    yield "chroma_stft", lambda: feature.chroma_stft(y=y, tuning=0.0)
    yield "estimate_tuning", lambda: np.atleast_1d(core.estimate_tuning(y=tone))
    yield "power_to_db", lambda: core.power_to_db(power)
    yield "amplitude_to_db", lambda: core.amplitude_to_db(power)
    yield "mfcc of S", lambda: feature.mfcc(S=levels)
    yield "onset_strength", lambda: onset.onset_strength(y=y)
    yield "onset_strength of S", lambda: onset.onset_strength(S=levels)
    yield "effects.hpss", lambda: np.stack(effects.hpss(y))
    yield "decompose.hpss", lambda: np.stack(decompose.hpss(spectrum))
    yield "rms", lambda: feature.rms(y=y)
    yield "zero_crossing_rate", lambda: feature.zero_crossing_rate(y)
    yield "spectral_centroid", lambda: feature.spectral_centroid(y=y)
    yield "spectral_bandwidth", lambda: feature.spectral_bandwidth(y=y)
    yield "spectral_contrast", lambda: feature.spectral_contrast(y=y, linear=True)
    yield "spectral_flatness", lambda: feature.spectral_flatness(y=y)
    yield "delta", lambda: feature.delta(levels)
    yield "tempogram", lambda: feature.tempogram(onset_envelope=power[0])
    yield "yin", lambda: core.yin(tone, fmin=65, fmax=2000)
    if _resamples():
        yield "resample", lambda: core.resample(y, orig_sr=22050, target_sr=16000)
    yield "convolve", lambda: convolve(y, y[:5000])
    yield "pcen", lambda: core.pcen(power)
    yield "phase_vocoder", lambda: core.phase_vocoder(spectrum, rate=0.8)
    yield "cqt", lambda: core.cqt(y)
    yield "vqt", lambda: core.vqt(y)
    yield "griffinlim", lambda: core.griffinlim(magnitudes, n_iter=2, rng=0)


@public
def gpu_warmup() -> bool:
    """Build the GPU's pipelines and measure it, so that the first real call is a normal one.

    What is measured, in at most 0.1 s, is how fast kernels and transfers are; `backend`'s
    ``"auto"`` decides by it. Both are kept in ``~/.cache/metalmom`` (METALMOM_CACHE_DIR names
    another folder, or is ``off``). METALMOM_CALIBRATE=0 uses typical constants instead.

    Returns
    -------
    bool
        Whether there is a GPU.

    Examples
    --------
    >>> ready = metalmom.gpu_warmup()
    """
    try:
        for index in _native.backend_devices():
            with config_context(backend="gpu" if index < 0 else f"gpu:{index}"):
                _native.device_rates()
                for _, call in each_kernel():
                    call()
    except DeviceError:
        if _native.gpu_is_asked_for():
            raise
        return False
    return True
