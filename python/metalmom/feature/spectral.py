"""Spectral features: mel bands, cepstra, chroma, level."""

import numpy as np

from .. import _args, _native, filters, util
from .._boundary import native_names
from .._declared import Frames, Levels, Refusal, Streamed, as_feature, typed
from .._homes import adopt
from .._expressions import ask, expression, of_audio, then
from .._keywords import takes
from .._spans import composed
from ..core.spectrum import _spectrogram
from ..util._checks import require_inexact
from ..util.exceptions import ParameterError
from . import _pitch_classes, _polynomials, _shapes
from ._pitch_classes import *  # noqa: F403
from ._polynomials import *  # noqa: F403
from ._shapes import *  # noqa: F403

_PARTS = (_pitch_classes, _polynomials, _shapes)

__all__ = ["chroma_stft", "melspectrogram", "mfcc", "rms"]
__all__ += [name for part in _PARTS for name in part.__all__]

adopt(__name__, *_PARTS)


def _frames_and_basis(basis, y, framing, dtype=np.float32):
    """Resolve audio, frames and a filter bank for an op that goes from audio to bands."""
    if y is None:
        raise ParameterError("y=None must be audio if there is no S")
    if framing.n_fft is None:
        raise ParameterError("n_fft=None must be a positive integer to make a spectrogram")
    y, arguments = _args.frames(y, framing)
    if np.dtype(dtype) == np.float64 and y.dtype == np.float32:
        y = _args.as_type(y, np.float64)  # with filters in double the bands are double too
    return {"y": y, "basis": basis, **arguments}


def _product(S, basis, dtype):
    """Bands of a stored spectrogram."""
    lying, frames_major = _args.planes(_args.factor(S, dtype))
    return _native.filterbank_product(S=lying, basis=basis, frames_major=frames_major)


@as_feature(
    Frames("n_mels", unit="power"),
    streams=Streamed("MelSpectrogram", "Mel spectrogram", "sr=22050, n_mels=64", (64, 7)),
)
@takes(of="filters.mel")
@expression
def melspectrogram(
    *,
    y=None,
    sr=22050,
    S=None,
    n_fft=2048,
    hop_length=512,
    win_length=None,
    window="hann",
    center=True,
    pad_mode="constant",
    power=2.0,
    **kwargs,
):
    """Mel-scaled spectrogram.

    From audio it is computed in blocks of frames, in the precision of `y`, without holding a
    spectrogram.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio, finite everywhere. One of `y` and `S` is needed.
    sr : number > 0
        Sampling rate in Hz.
    S : np.ndarray [shape=(..., 1 + n_fft // 2, t)], optional
        A spectrogram, taken as it is (`power` is not applied).
    n_fft, hop_length, win_length, window, center, pad_mode
        As in `metalmom.stft`.
    power : number > 0
        Exponent of the magnitude: 1 for amplitude, 2 for power.
    **kwargs
        `n_mels`, `fmin`, `fmax`, `htk`, `norm`, `dtype`: as in `metalmom.filters.mel`.

    Returns
    -------
    np.ndarray [shape=(..., n_mels, t)], real, or DeviceArray
        Energy per band and frame; float32 for float32 input, float64 for float64.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    References
    ----------
    S. S. Stevens, J. Volkmann and E. B. Newman, "A scale for the measurement of the psychological
    magnitude pitch", JASA 8(3), 1937.

    Examples
    --------
    >>> y = metalmom.chirp(fmin=110, fmax=8000, sr=22050, duration=1.0)
    >>> metalmom.feature.melspectrogram(y=y, sr=22050, n_mels=64).shape
    (64, 44)
    """
    dtype = kwargs.get("dtype", np.float32)
    if S is not None:
        if n_fft is None or n_fft // 2 + 1 != S.shape[-2]:
            n_fft = _args.n_fft_of(S)
        return _product(S, filters._mel_basis(sr=sr, n_fft=n_fft, **kwargs), dtype)
    basis = filters._mel_basis(sr=sr, n_fft=n_fft, **kwargs)
    framing = _args.Framing(n_fft, hop_length, win_length, window, center, pad_mode)
    arguments = _frames_and_basis(basis, y, framing, dtype)
    return ask("filterbank_spectrogram", power=power, **arguments)


def _cepstrum_arguments(y, sr, *, power=2.0, **kwargs):
    """Split the keyword arguments that `mfcc` hands to `melspectrogram`."""
    framing = _args.Framing.taken_from(kwargs)
    basis = filters._mel_basis(sr=sr, n_fft=framing.n_fft, **kwargs)
    dtype = kwargs.get("dtype", np.float32)
    return {"power": power, **_frames_and_basis(basis, y, framing, dtype)}


@as_feature(
    Frames("n_mfcc"),
    streams=Streamed(
        "MFCC", "Cepstra", "sr=22050, n_mfcc=13, top_db=None", (13, 7),
        levels=Levels(own=("n_mfcc", "dct_type", "norm", "lifter")),
        note="""
        The loudest level of the whole signal is not known while it lasts: `top_db` is None, or `peak` says
        what the loudest level is, in dB. The result is what `metalmom.feature.mfcc` makes of
        ``S=power_to_db(melspectrogram(...), top_db=None)``, with `peak` of levels that are raised to those
        `top_db` below it: ``amin=10 ** ((peak - top_db) / 10)``, if that is more.
        """,
    ),
)
@takes(of="feature.melspectrogram")
@expression
def mfcc(
    *,
    y=None,
    sr=22050,
    S=None,
    n_mfcc=20,
    dct_type=2,
    norm="ortho",
    lifter=0,
    mel_norm="slaney",
    **kwargs,
):
    """Mel-frequency cepstral coefficients.

    Bands, decibels (80 dB below each signal's maximum) and DCT are one pass over blocks of frames,
    in the precision of `y`.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio, finite everywhere. One of `y` and `S` is needed.
    sr : number > 0
        Sampling rate in Hz.
    S : np.ndarray [shape=(..., d, t)], or DeviceArray, optional
        Band levels in decibels, such as a mel spectrogram after `metalmom.power_to_db`.
    n_mfcc : int > 0
        Coefficients to keep, at most the number of bands.
    dct_type : {1, 2, 3, 4}
        Type of the cosine transform.
    norm : {"ortho", None}
        "ortho" makes the transform orthonormal.
    lifter : number >= 0
        If positive, coefficient n is scaled by
        ``1 + lifter / 2 * sin(pi * (n + 1) / lifter)``.
    mel_norm : {"slaney", None} or number
        `norm` of `metalmom.filters.mel`.
    **kwargs
        Further arguments of `melspectrogram`.

    Returns
    -------
    np.ndarray [shape=(..., n_mfcc, t)], real, or DeviceArray
        Cepstra; float32 for float32 input, float64 for float64.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    References
    ----------
    S. B. Davis and P. Mermelstein, "Comparison of parametric representations for monosyllabic word
    recognition in continuously spoken sentences", IEEE Trans. ASSP 28(4), 1980.

    Examples
    --------
    >>> y = metalmom.chirp(fmin=110, fmax=8000, sr=22050, duration=1.0)
    >>> metalmom.feature.mfcc(y=y, sr=22050, n_mfcc=13).shape
    (13, 44)
    """
    dct = {
        "n_mfcc": n_mfcc,
        "dct_type": dct_type,
        "norm": "backward" if norm is None else norm,
        "lifter": lifter,
    }
    if S is not None:
        return _native.dct(S=_args.floating(S), **dct)
    return ask("cepstrum", **_cepstrum_arguments(y, sr, norm=mel_norm, **kwargs), **dct)


@as_feature(
    Frames("n_chroma"),
    streams=Streamed(
        "ChromaSTFT", "Chroma", "sr=22050, tuning=0.0", (12, 7),
        refuses=(Refusal(
            "tuning", lambda tuning: tuning is None,
            "{name}=None must be a number in a stream, because it is estimated from the whole signal: "
            "pass tuning=0.0, or what metalmom.estimate_tuning says of a part"),),
        note="`tuning` is needed: by default it would be estimated from the whole signal.",
    ),
)
@takes(of="filters.chroma")
@composed
@expression
def chroma_stft(
    *,
    y=None,
    sr=22050,
    S=None,
    norm=np.inf,
    n_fft=2048,
    hop_length=512,
    win_length=None,
    window="hann",
    center=True,
    pad_mode="constant",
    tuning=None,
    n_chroma=12,
    **kwargs,
):
    """Chromagram: the energy of each pitch class in each frame.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio, finite everywhere. One of `y` and `S` is needed.
    sr : number > 0
        Sampling rate in Hz.
    S : np.ndarray [shape=(..., 1 + n_fft // 2, t)], optional
        A power spectrogram.
    norm : number or None
        Norm of each frame's column, as in `metalmom.util.normalize`.
    n_fft, hop_length, win_length, window, center, pad_mode
        As in `metalmom.stft`.
    tuning : number, optional
        Deviation from A440 in fractions of a bin. By default it is estimated, from all channels
        together.
    n_chroma : int > 0
        Pitch classes.
    **kwargs
        `ctroct`, `octwidth`, `norm` of the filters, `base_c`, `dtype`: as in
        `metalmom.filters.chroma`.

    Returns
    -------
    np.ndarray [shape=(..., n_chroma, t)], real, or DeviceArray
        Normalised energy; float32 for float32 input, float64 for float64.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    References
    ----------
    D. P. W. Ellis, "Chroma feature analysis and synthesis", 2007.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, duration=1.0)
    >>> C = metalmom.feature.chroma_stft(y=y, sr=22050)
    >>> int(C.mean(axis=1).argmax())  # A
    9
    """
    from ..core import pitch

    dtype = kwargs.get("dtype", np.float32)
    if S is not None:
        S, n_fft = _spectrogram(S=S, n_fft=n_fft)
        if tuning is None:
            tuning = pitch.estimate_tuning(S=S, sr=sr, bins_per_octave=n_chroma)
        basis = filters._chroma_basis(sr=sr, n_fft=n_fft, tuning=tuning, n_chroma=n_chroma, **kwargs)
        chroma = np.ascontiguousarray(_product(S, basis, dtype).swapaxes(-1, -2))
        return util.normalize(chroma.swapaxes(-1, -2), norm=norm, axis=-2)
    framing = _args.Framing(n_fft, hop_length, win_length, window, center, pad_mode)
    arguments = _frames_and_basis(None, y, framing, dtype)
    if tuning is None:
        tuning = pitch._tuning_of_audio(
            arguments, sr=sr, power=2.0, bins_per_octave=n_chroma
        )
    arguments["basis"] = then(
        filters._chroma_basis, sr=sr, n_fft=n_fft, tuning=tuning, n_chroma=n_chroma, **kwargs
    )
    normalize = {"normalize": False} if norm is None else {"norm": norm}
    return then(_args.swapped, ask("chroma_spectrogram", power=2.0, **normalize, **arguments))


def _within(y, dtype):
    """Audio in the type of the result, or as it is where samples are beyond that type's range."""
    with np.errstate(over="ignore"):
        samples = y.astype(dtype)
    is_within = samples.size == 0 or np.isfinite([samples.min(), samples.max()]).all()
    return samples if is_within else y


def _rounds_samples(dtype):
    try:
        return dtype is not None and not _args.is_engine_type(np.dtype(dtype))
    except TypeError:  # which the function refuses
        return False


@as_feature(
    Frames(1, unit="amplitude", numbers=typed(float)),
    streams=Streamed(
        "RMS", "Level of frames", "", (1, 7),
        refuses=(Refusal(
            "dtype", _rounds_samples,
            "{name}={value!r} must be float32 or float64 in a stream: samples are not rounded to others"),),
    ),
)
@native_names(n_fft="frame_length")
@expression
def rms(
    *,
    y=None,
    S=None,
    frame_length=2048,
    hop_length=512,
    center=True,
    pad_mode="constant",
    dtype=np.float32,
):
    """Root-mean-square level of each frame, of samples or of a magnitude spectrogram.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio, finite everywhere. One of `y` and `S` is needed; `y` is more accurate.
    S : np.ndarray [shape=(..., 1 + frame_length // 2, t)], optional
        Magnitudes of a transform with a rectangular window.
    frame_length : int > 0
        Samples of a frame.
    hop_length : int > 0
        Samples from a frame to the next.
    center : bool
        Whether `y` is padded by half a frame on both sides.
    pad_mode : str or callable
        As in `numpy.pad`.
    dtype : real dtype
        Of the result.

    Returns
    -------
    np.ndarray [shape=(..., 1, t)], real, or DeviceArray
        Level, in the unit of the samples.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    Examples
    --------
    >>> metalmom.feature.rms(y=np.ones(4096, dtype=np.float32), center=False)[0, 0]
    1.0
    """
    if y is not None:
        _args.audio(y)
        dtype = y.dtype if dtype is None else dtype
        require_inexact("dtype", dtype)
        if center and pad_mode not in _args.ENGINE_PAD_MODES:
            y = of_audio(_args.pad, y, frame_length // 2, pad_mode)
            center, pad_mode = False, "constant"
        is_of_type = y.dtype == dtype
        level = ask(
            "rms",
            y=y if is_of_type else of_audio(_within, y, dtype, dtype=dtype),
            n_fft=frame_length,
            hop_length=hop_length,
            center=bool(center),
            pad_mode=pad_mode if center else "constant",
        )
        level = then(_args.one_row, level)
        return level if is_of_type and _args.is_engine_type(dtype) else then(_args.as_type, level, dtype)
    if S is None:
        raise ParameterError("y=None must be audio, or S a spectrogram")
    _args.refuse_on_device(S)
    if S.shape[-2] != frame_length // 2 + 1:
        raise ParameterError(
            f"S.shape[-2]={S.shape[-2]} must be 1 + frame_length // 2 = {frame_length // 2 + 1}"
        )
    if dtype is not None:
        require_inexact("dtype", dtype)
    power = util.abs2(S, dtype=dtype)
    # Every bin but the first and the last also stands for its mirror image.
    power[..., 0, :] *= 0.5
    if frame_length % 2 == 0:
        power[..., -1, :] *= 0.5
    scale = power.dtype.type(2 / frame_length**2)
    return np.sqrt(scale * np.sum(power, axis=-2, keepdims=True))
