"""Small calls that between them run every GPU kernel."""

import numpy as np

from ..config import config_context


def noise(n_samples, n_channels=1):
    """White noise in float32, always the same."""
    random = np.random.default_rng(0)
    return random.uniform(-1, 1, (n_channels, n_samples)).astype(np.float32).squeeze()


def _resamples():
    """Whether this build has a resampler, on whatever side: without audio input there is none."""
    import metalmom

    try:
        with config_context(backend="cpu"):
            metalmom.resample(noise(100), orig_sr=2, target_sr=1)
    except metalmom.AudioError:
        return False
    return True


def each_kernel(n_samples=22050):
    """Yield the name of a function and a call of it, for all that have a kernel."""
    import metalmom

    y = noise(n_samples)
    with config_context(backend="cpu"):
        spectrum = metalmom.stft(y)
        magnitudes = np.abs(spectrum)
        power = metalmom.feature.melspectrogram(y=y)
        levels = metalmom.power_to_db(power)
    tone = metalmom.tone(445.0, sr=22050, length=n_samples).astype(np.float32)
    yield "stft", lambda: metalmom.stft(y)
    yield "istft", lambda: metalmom.istft(spectrum)
    yield "melspectrogram", lambda: metalmom.feature.melspectrogram(y=y)
    yield "mfcc", lambda: metalmom.feature.mfcc(y=y)
    yield "chroma_stft", lambda: metalmom.feature.chroma_stft(y=y, tuning=0.0)
    yield "estimate_tuning", lambda: np.atleast_1d(metalmom.estimate_tuning(y=tone))
    yield "power_to_db", lambda: metalmom.power_to_db(power)
    yield "amplitude_to_db", lambda: metalmom.amplitude_to_db(power)
    yield "mfcc of S", lambda: metalmom.feature.mfcc(S=levels)
    yield "onset_strength", lambda: metalmom.onset.onset_strength(y=y)
    yield "onset_strength of S", lambda: metalmom.onset.onset_strength(S=levels)
    yield "effects.hpss", lambda: np.stack(metalmom.effects.hpss(y))
    yield "decompose.hpss", lambda: np.stack(metalmom.decompose.hpss(spectrum))
    yield "rms", lambda: metalmom.feature.rms(y=y)
    yield "zero_crossing_rate", lambda: metalmom.feature.zero_crossing_rate(y)
    yield "spectral_centroid", lambda: metalmom.feature.spectral_centroid(y=y)
    yield "spectral_bandwidth", lambda: metalmom.feature.spectral_bandwidth(y=y)
    yield "spectral_contrast", lambda: metalmom.feature.spectral_contrast(y=y, linear=True)
    yield "spectral_flatness", lambda: metalmom.feature.spectral_flatness(y=y)
    yield "delta", lambda: metalmom.feature.delta(levels)
    yield "tempogram", lambda: metalmom.feature.tempogram(onset_envelope=power[0])
    yield "yin", lambda: metalmom.yin(tone, fmin=65, fmax=2000)
    if _resamples():
        yield "resample", lambda: metalmom.resample(y, orig_sr=22050, target_sr=16000)
    yield "convolve", lambda: metalmom.convolve(y, y[:5000])
    yield "pcen", lambda: metalmom.pcen(power)
    yield "phase_vocoder", lambda: metalmom.phase_vocoder(spectrum, rate=0.8)
    yield "cqt", lambda: metalmom.cqt(y)
    yield "vqt", lambda: metalmom.vqt(y)
    yield "griffinlim", lambda: metalmom.griffinlim(magnitudes, n_iter=2, rng=0)
