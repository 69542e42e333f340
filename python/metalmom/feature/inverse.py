"""From features back to spectrograms and audio."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from .. import _native, filters, util
from .._engine import _args
from .._engine.backend import ON_CPU
from ..util._public import public
from ..util._types import (
    Array, Cepstra, DTypeLike, MelSpectrogram, NonNegative, NonNegativeInt, Number, PadMode,
    Positive, PositiveInt, RealArray, RealDtype, WinLength, WindowSpec,
)
from ..core import spectrum
from ..util._checks import is_one_of, require_positive
from ..util._declared import Like, Samples, as_feature, hops
from ..util._kept_results import kept
from ..util._keywords import takes
from ..util._memory import refuse_beyond_memory
from ..util._warnings import warn
from ..util.exceptions import ParameterError

__all__ = ["mel_to_audio", "mel_to_stft", "mfcc_to_audio", "mfcc_to_mel"]
__dir__ = __all__.copy

# For each type of cosine transform, the type that inverts it up to a factor.
_INVERSE_DCT = {1: 1, 2: 3, 3: 2, 4: 4}


@as_feature(Like(lambda given: 1 + given.n_fft // 2, numbers=float), listed=False)
@takes(of="filters.mel", but=("n_mels", "dtype"))
@public(composed=True)
def mel_to_stft(
    M: MelSpectrogram,
    *,
    sr: Positive = 22050,
    n_fft: PositiveInt = 2048,
    power: Positive = 2.0,
    **kwargs: Any,
) -> RealArray:
    """Approximate the magnitude spectrogram behind a mel spectrogram.

    The result is a non-negative spectrum whose mel bands are nearest to the given ones (least squares).

    Parameters
    ----------
    M : np.ndarray [shape=(..., n_mels, t)], non-negative
        A mel spectrogram, as `metalmom.feature.melspectrogram` gives it.
    sr : number > 0
        Sampling rate in Hz.
    n_fft : int > 0
        Frame length of the spectrogram.
    power : number > 0
        Exponent of the magnitude in `M`.
    **kwargs
        `fmin`, `fmax`, `htk`, `norm`: as in `metalmom.filters.mel`.

    Returns
    -------
    np.ndarray [shape=(..., 1 + n_fft // 2, t)], real
        Magnitudes, not negative, of the dtype of `M`.

    Raises
    ------
    ParameterError
        For wrong values.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=8192)
    >>> M = metalmom.feature.melspectrogram(y=y, sr=22050)
    >>> S = metalmom.feature.inverse.mel_to_stft(M, sr=22050)
    >>> S.shape
    (1025, 17)
    """
    require_positive("power", power)
    M = _args.floating(M)
    if M.ndim < 2:
        raise ParameterError("M.shape", M.shape, "(..., n_mels, t)")
    basis = filters.mel(sr=sr, n_fft=n_fft, n_mels=M.shape[-2], dtype=M.dtype, **kwargs)
    S = util.nnls(basis, M)
    return np.power(S, 1.0 / power, out=S)


@as_feature(Samples(times=hops), listed=False)
@takes(of="feature.inverse.mel_to_stft")
@public(composed=True)
def mel_to_audio(
    M: MelSpectrogram,
    *,
    sr: Positive = 22050,
    n_fft: PositiveInt = 2048,
    hop_length: PositiveInt | None = None,
    win_length: WinLength | None = None,
    window: WindowSpec = "hann",
    center: bool = True,
    pad_mode: PadMode = "constant",
    power: Positive = 2.0,
    n_iter: NonNegativeInt = 32,
    length: PositiveInt | None = None,
    dtype: RealDtype = np.float32,
    **kwargs: Any,
) -> RealArray:
    """Audio with about a given mel spectrogram: `mel_to_stft`, then `metalmom.griffinlim`.

    Parameters
    ----------
    M, sr, n_fft, power
        As in `mel_to_stft`.
    hop_length, win_length, window, center, pad_mode, n_iter, length
        As in `metalmom.griffinlim`.
    dtype : real dtype
        Data type of the result.
    **kwargs
        `fmin`, `fmax`, `htk`, `norm`: as in `metalmom.filters.mel`.

    Returns
    -------
    np.ndarray [shape=(..., n)], real
        Audio; its phases begin at random, so no two calls give the same.

    Raises
    ------
    ParameterError
        For wrong values.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=8192)
    >>> M = metalmom.feature.melspectrogram(y=y, sr=22050)
    >>> metalmom.feature.inverse.mel_to_audio(M, sr=22050, n_iter=4).shape
    (8192,)
    """
    S = mel_to_stft(M, sr=sr, n_fft=n_fft, power=power, **kwargs)
    return spectrum.griffinlim(
        S, n_iter=n_iter, hop_length=hop_length, win_length=win_length, n_fft=n_fft, window=window,
        center=center, dtype=dtype, length=length, pad_mode=pad_mode,
    )


@as_feature(Like("n_mels", numbers=float), listed=False)
@public(composed=True)
def mfcc_to_mel(
    mfcc: Cepstra,
    *,
    n_mels: PositiveInt = 128,
    dct_type: Literal[1, 2, 3, 4] = 2,
    norm: Literal["ortho"] | None = "ortho",
    ref: Number = 1.0,
    lifter: NonNegative = 0,
) -> RealArray:
    """Approximate the mel spectrogram behind cepstral coefficients.

    Undoes the liftering, the cosine transform (coefficients that are not there count as zero) and
    the decibels.

    Parameters
    ----------
    mfcc : np.ndarray [shape=(..., n_mfcc, t)], real
        Coefficients, as `metalmom.feature.mfcc` gives them.
    n_mels : int > 0
        Bands.
    dct_type : {1, 2, 3, 4}
        Type of the cosine transform that was used.
    norm : {"ortho", None}
        Its normalisation.
    ref : number
        Power at 0 dB.
    lifter : number >= 0
        Liftering that was used.

    Returns
    -------
    np.ndarray [shape=(..., n_mels, t)], real
        Energy per band and frame; float32 for float32 input, float64 for float64.

    Raises
    ------
    ParameterError
        For values not listed.

    Examples
    --------
    >>> mfcc = np.zeros((13, 4))
    >>> metalmom.feature.inverse.mfcc_to_mel(mfcc, n_mels=40).mean()
    1.0
    """
    if not np.isreal(lifter) or not lifter >= 0:
        raise ParameterError("lifter", lifter, "a non-negative number")
    if not util.is_positive_int(n_mels) or (dct_type == 1 and n_mels < 2):
        raise ParameterError("n_mels", n_mels, "a positive integer, above 1 for type 1")
    if not is_one_of(dct_type, _INVERSE_DCT):
        raise ParameterError("dct_type", dct_type, "1, 2, 3 or 4")
    if not is_one_of(norm, ("ortho", None)):
        raise ParameterError("norm", norm, "'ortho' or None")
    _args.refuse_on_device(mfcc)
    mfcc = _args.floating(mfcc)
    if mfcc.ndim < 2:
        raise ParameterError("mfcc.shape", mfcc.shape, "(..., n_mfcc, t)")
    if lifter > 0:
        mfcc = mfcc / _lifter_weights(mfcc.shape[-2], lifter, mfcc.dtype)
    n_known: Any = min(n_mels, mfcc.shape[-2])
    # The result, and the cosine transform as a matrix.
    n_values = mfcc.size // max(mfcc.shape[-2], 1) * int(n_mels) + int(n_mels) ** 2
    refuse_beyond_memory("n_mels", n_mels, 8 * n_values)
    basis = _inverse_basis(n_known, int(n_mels), dct_type, norm)
    decibels = _native.filterbank_product(S=mfcc[..., :n_known, :], basis=basis)
    return spectrum.db_to_power(decibels, ref=ref)


@kept(16, "inverse DCT")
def _inverse_basis(n_known: int, n_mels: int, dct_type: int, norm: str | None) -> Any:
    """The first coefficients to bands, as a bank of filters: the transforms of unit vectors."""
    with ON_CPU:  # doubles, for which there is no kernel
        basis = _native.dct(
            S=np.eye(n_mels, n_known), n_mfcc=n_mels, dct_type=_INVERSE_DCT[dct_type],
            norm="backward" if norm is None else norm, lifter=0,
        )
    if norm is None:
        basis /= 2 * (n_mels - 1 if dct_type == 1 else n_mels)
    return _native.basis_from_dense(basis)


def _lifter_weights(n_mfcc: int, lifter: Number, dtype: DTypeLike) -> Array:
    """What liftering multiplied each coefficient with [shape=(n_mfcc, 1)]."""
    order = np.arange(1, 1 + n_mfcc, dtype=dtype)
    weights = 1 + lifter * 0.5 * np.sin(np.pi * order / lifter)
    if np.any(np.abs(weights) < np.finfo(weights.dtype).eps):
        warn(f"lifter={lifter} scaled some coefficients to almost nothing: they are lost")
    safe: Array = weights + util.tiny(np.zeros(0, dtype))
    return safe[:, np.newaxis]


@as_feature(Samples(times=hops), listed=False)
@takes(of="feature.inverse.mel_to_audio", but=("M",))
@public(composed=True)
def mfcc_to_audio(
    mfcc: Cepstra,
    *,
    n_mels: PositiveInt = 128,
    dct_type: Literal[1, 2, 3, 4] = 2,
    norm: Literal["ortho"] | None = "ortho",
    ref: Number = 1.0,
    lifter: NonNegative = 0,
    **kwargs: Any,
) -> RealArray:
    """Audio with about given cepstral coefficients: `mfcc_to_mel`, then `mel_to_audio`.

    Parameters
    ----------
    mfcc, n_mels, dct_type, norm, ref, lifter
        As in `mfcc_to_mel`.
    **kwargs
        Arguments of `mel_to_audio`.

    Returns
    -------
    np.ndarray [shape=(..., n)], real
        Audio.

    Raises
    ------
    ParameterError
        For wrong values.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=8192)
    >>> mfcc = metalmom.feature.mfcc(y=y, sr=22050)
    >>> metalmom.feature.inverse.mfcc_to_audio(mfcc, sr=22050, n_iter=4).shape
    (8192,)
    """
    M = mfcc_to_mel(mfcc, n_mels=n_mels, dct_type=dct_type, norm=norm, ref=ref, lifter=lifter)
    return mel_to_audio(M, **kwargs)
