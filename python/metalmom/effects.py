"""Effects on audio, in the time domain from end to end."""

import numpy as np

from . import _args, _emphasis, _native, _time_effects, decompose
from ._boundary import native_names
from ._declared import Like, as_feature
from ._emphasis import *  # noqa: F403
from ._homes import adopt
from ._spans import composed
from ._time_effects import *  # noqa: F403
from .core import spectrum

__all__ = ["harmonic", "hpss", "percussive", *_emphasis.__all__, *_time_effects.__all__]

adopt(__name__, _emphasis, _time_effects)


@as_feature((Like(name="harmonic"), Like(name="percussive")), listed=False)
@native_names(**decompose.MEDIAN_NAMES)
@composed
def hpss(
    y,
    *,
    kernel_size=31,
    power=2.0,
    mask=False,
    margin=1.0,
    n_fft=2048,
    hop_length=None,
    win_length=None,
    window="hann",
    center=True,
    pad_mode="constant",
):
    """Separate audio into harmonic and percussive parts.

    `stft`, `metalmom.decompose.hpss` and `istft` in one pass over the frames: no spectrogram is
    ever stored.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Audio, finite everywhere.
    kernel_size, power, margin
        As in `metalmom.decompose.hpss`.
    mask : bool
        Whether to invert the masks themselves instead of the parts of the spectrogram.
    n_fft, hop_length, win_length, center, pad_mode
        As in `metalmom.stft`.
    window : str, tuple, number, callable or np.ndarray
        Without effect, as in librosa 1.0.0: both transforms use a Hann window.

    Returns
    -------
    harmonic, percussive : np.ndarray [shape=(..., n)], real, or DeviceArray
        Of the shape and dtype of `y`.

    Raises
    ------
    ParameterError
        For wrong values, or audio that is not finite.

    References
    ----------
    D. FitzGerald, "Harmonic/percussive separation using median filtering", DAFx-10, 2010.
    J. Driedger, M. Mueller and S. Disch, "Extending harmonic-percussive separation of audio
    signals", ISMIR 2014.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=22050)
    >>> harmonic, percussive = metalmom.effects.hpss(y)
    >>> bool(np.abs(percussive[6000:16000]).max() < 0.01)
    True
    """
    return _parts(
        y, median=(kernel_size, power, margin), mask=mask, n_fft=n_fft, hop_length=hop_length,
        win_length=win_length, center=center, pad_mode=pad_mode,
    )


@as_feature(Like(), listed=False)
@native_names(**decompose.MEDIAN_NAMES)
@composed
def harmonic(
    y,
    *,
    kernel_size=31,
    power=2.0,
    mask=False,
    margin=1.0,
    n_fft=2048,
    hop_length=None,
    win_length=None,
    window="hann",
    center=True,
    pad_mode="constant",
):
    """Keep the harmonic part of audio: the first result of `metalmom.effects.hpss`.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Audio, finite everywhere.
    kernel_size, power, mask, margin, n_fft, hop_length, win_length, window, center, pad_mode
        As in `metalmom.effects.hpss`.

    Returns
    -------
    np.ndarray [shape=(..., n)], real, or DeviceArray
        Of the shape and dtype of `y`.

    Raises
    ------
    ParameterError
        For wrong values, or audio that is not finite.

    References
    ----------
    D. FitzGerald, "Harmonic/percussive separation using median filtering", DAFx-10, 2010.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=22050)
    >>> part = metalmom.effects.harmonic(y)
    >>> bool(np.abs(part - y)[6000:16000].max() < 0.01)
    True
    """
    return _parts(
        y, median=(kernel_size, power, margin), mask=mask, n_fft=n_fft, hop_length=hop_length,
        win_length=win_length, center=center, pad_mode=pad_mode,
    )[0]


@as_feature(Like(), listed=False)
@native_names(**decompose.MEDIAN_NAMES)
@composed
def percussive(
    y,
    *,
    kernel_size=31,
    power=2.0,
    mask=False,
    margin=1.0,
    n_fft=2048,
    hop_length=None,
    win_length=None,
    window="hann",
    center=True,
    pad_mode="constant",
):
    """Keep the percussive part of audio: the second result of `metalmom.effects.hpss`.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Audio, finite everywhere.
    kernel_size, power, mask, margin, n_fft, hop_length, win_length, window, center, pad_mode
        As in `metalmom.effects.hpss`.

    Returns
    -------
    np.ndarray [shape=(..., n)], real, or DeviceArray
        Of the shape and dtype of `y`.

    Raises
    ------
    ParameterError
        For wrong values, or audio that is not finite.

    References
    ----------
    D. FitzGerald, "Harmonic/percussive separation using median filtering", DAFx-10, 2010.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=22050)
    >>> bool(np.abs(metalmom.effects.percussive(y)[6000:16000]).max() < 0.01)
    True
    """
    return _parts(
        y, median=(kernel_size, power, margin), mask=mask, n_fft=n_fft, hop_length=hop_length,
        win_length=win_length, center=center, pad_mode=pad_mode,
    )[1]


def _parts(y, *, median, mask, n_fft, hop_length, win_length, center, pad_mode):
    kernel_size, power, margin = median
    padded, framing = _args.frames(
        y, _args.Framing(n_fft, hop_length, win_length, "hann", center, pad_mode)
    )
    if y.shape[-1] == 0:
        return (y, y) if _args.on_device(y) else (np.zeros_like(y), np.zeros_like(y))
    arguments = decompose.median_arguments(
        kernel_size=kernel_size,
        power=power,
        margin=margin,
        frames_major=True,
        row_size=3 * (1 + framing["n_fft"] // 2),
    )
    if not mask and padded is y:
        parts = _native.hpss_audio(y=y, **framing, **arguments)
        return tuple(part.astype(y.dtype, copy=False) for part in parts)
    # Masks are spectrograms, and a signal that NumPy has padded is longer than its parts should be:
    # in these cases spectrograms are made and separated.
    D = _native.stft(y=padded, **framing).swapaxes(-1, -2)
    spectra = decompose.hpss(D, kernel_size=kernel_size, power=power, mask=mask, margin=margin)
    return tuple(
        spectrum.istft(
            part,
            dtype=y.dtype,
            n_fft=n_fft,
            hop_length=hop_length,
            win_length=win_length,
            center=center,
            length=y.shape[-1],
        )
        for part in spectra
    )
