"""From features back to spectrograms."""

import numpy as np

from .. import _args, _native, util
from .._spans import composed
from .._warnings import warn
from ..core import spectrum
from ..util.exceptions import ParameterError

__all__ = ["mfcc_to_mel"]

# The cosine transform that undoes each type, up to a factor.
_INVERSE_DCT = {1: 1, 2: 3, 3: 2, 4: 4}


@composed
def mfcc_to_mel(mfcc, *, n_mels=128, dct_type=2, norm="ortho", ref=1.0, lifter=0):
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
    np.ndarray [shape=(..., n_mels, t)]
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
        raise ParameterError(f"lifter={lifter} must be a non-negative number")
    if not util.is_positive_int(n_mels) or (dct_type == 1 and n_mels < 2):
        raise ParameterError(f"n_mels={n_mels} must be a positive integer, above 1 for type 1")
    if dct_type not in _INVERSE_DCT:
        raise ParameterError(f"dct_type={dct_type} must be 1, 2, 3 or 4")
    if norm not in ("ortho", None):
        raise ParameterError(f"norm={norm!r} must be 'ortho' or None")
    mfcc = _args.floating(_args.host(mfcc))
    if mfcc.ndim < 2:
        raise ParameterError(f"mfcc.shape={mfcc.shape} must be (..., n_mfcc, t)")
    if lifter > 0:
        mfcc = mfcc / _lifter_weights(mfcc.shape[-2], lifter, mfcc.dtype)
    n_known = min(n_mels, mfcc.shape[-2])
    padded = np.zeros((*mfcc.shape[:-2], n_mels, mfcc.shape[-1]), dtype=mfcc.dtype)
    padded[..., :n_known, :] = mfcc[..., :n_known, :]
    decibels = _native.dct(
        S=padded,
        n_mfcc=n_mels,
        dct_type=_INVERSE_DCT[dct_type],
        norm="backward" if norm is None else norm,
        lifter=0,
    )
    if norm is None:
        decibels /= 2 * (n_mels - 1 if dct_type == 1 else n_mels)
    return spectrum.db_to_power(decibels, ref=ref)


def _lifter_weights(n_mfcc, lifter, dtype):
    """What liftering multiplied each coefficient with [shape=(n_mfcc, 1)]."""
    order = np.arange(1, 1 + n_mfcc, dtype=dtype)
    weights = 1 + lifter * 0.5 * np.sin(np.pi * order / lifter)
    if np.any(np.abs(weights) < np.finfo(weights.dtype).eps):
        warn(f"lifter={lifter} scaled some coefficients to almost nothing: they are lost")
    return (weights + util.tiny(np.zeros(0, dtype)))[:, np.newaxis]
