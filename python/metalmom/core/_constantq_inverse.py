"""Audio from constant-Q transforms; part of `core.constantq`."""

import numpy as np

from .. import _native
from .._backend import by_the_way
from .._boundary import native_names
from .._expressions import value_of
from .._declared import Samples, as_feature
from .._spans import composed
from ..util._checks import is_positive_int
from ..util._shapes import fix_length
from ..util.deprecation import Deprecated
from ..util.exceptions import ParameterError
from ..util.utils import dtype_c2r, dtype_r2c, tiny
from . import _octaves
from ._constantq_arguments import resolve_filters, transform, valid_hop
from ._griffinlim import check_iteration, generator
from .audio import resample

__all__ = ["griffinlim_cqt", "icqt"]


def _valid_transform(C):
    C = np.asarray(C)
    if C.dtype.kind not in "cbfiu":
        raise ParameterError(f"C.dtype={C.dtype} must be numeric")
    if C.ndim < 2:
        raise ParameterError(f"C.shape={C.shape} must be (..., bins, frames)")
    if C.shape[-1] < 1:
        raise ParameterError(f"C.shape[-1]={C.shape[-1]} must be at least 1")
    if not np.all(np.isfinite(C)):
        raise ParameterError("C must be finite everywhere")
    return C


def _octave_by_octave(frames, bank, res_type):
    """The octaves one by one, resampled by other packages: the engine resamples by libsoxr alone."""
    total = None
    ends = [octave.first_bin for octave in bank.octaves[1:]] + [frames.shape[-1]]
    for octave, end in zip(bank.octaves, ends):
        part = np.ascontiguousarray(frames[..., octave.first_bin : end])
        alone = octave.bank(end - octave.first_bin, synthesis=True)
        y = _native.constant_q_inverse(spectrum=part, bank=alone)
        if octave.halvings:
            target = 2**octave.halvings
            y = resample(y, orig_sr=1, target_sr=target, res_type=res_type, fix=False)
        if total is None:
            total = y
        else:
            total[..., : y.shape[-1]] += y[..., : total.shape[-1]]
    return total


@as_feature(Samples(times=lambda given: given.hop_length), listed=False)
@native_names(n_bins="C.shape[-2]")
@composed
def icqt(
    C,
    *,
    sr=22050,
    hop_length=512,
    fmin=None,
    bins_per_octave=12,
    tuning=0.0,
    filter_scale=1,
    norm=1,
    sparsity=0.01,
    window="hann",
    scale=True,
    length=None,
    res_type="soxr_hq",
    dtype=None,
):
    """Audio from a constant-Q transform, approximately.

    Frames of each octave are overlapped and added at the octave's rate, then resampled and summed.
    Good where the filters cover the signal's frequencies and the hop is short against them.

    Parameters
    ----------
    C : np.ndarray [shape=(..., n_bins, t)]
        What `cqt` gave, finite everywhere.
    sr, hop_length, fmin, bins_per_octave, filter_scale, norm, sparsity, window, scale, res_type
        As given to `cqt`.
    tuning : number
        As given to `cqt`.
    length : int > 0, optional
        Samples of the result.
    dtype : real dtype, optional
        Of the result; by default float64 with `scale`, and otherwise of the precision of `C`.

    Returns
    -------
    np.ndarray [shape=(..., n)], real
        Audio.

    Raises
    ------
    ParameterError
        For values not listed, and filters that reach beyond the Nyquist frequency.

    Notes
    -----
    Calculated in the precision of `C`. Where `n_bins` is not a multiple of `bins_per_octave`,
    halving the rate for each octave from the lowest bin up could leave filters beyond the Nyquist
    frequency of their octave, and librosa's answer is noise then; such octaves keep their rate here.

    Examples
    --------
    >>> y = metalmom.tone(440.0, length=22050)
    >>> C = metalmom.cqt(y)
    >>> metalmom.icqt(C, length=22050).shape
    (22050,)
    """
    C = _valid_transform(C)
    hop_length = valid_hop(hop_length)
    if length is not None and not is_positive_int(length):
        raise ParameterError(f"length={length} must be a positive integer")
    if dtype is None:
        dtype = np.float64 if scale else dtype_c2r(dtype_r2c(C.dtype))
    elif np.dtype(dtype) not in (np.float32, np.float64):
        raise ParameterError(f"dtype={dtype} must be float32 or float64")
    if tuning is None:
        raise ParameterError("tuning=None must be a number")
    f = value_of(
        resolve_filters(
            None,
            sr,
            fmin,
            C.shape[-2],
            bins_per_octave,
            tuning,
            filter_scale=filter_scale,
            norm=norm,
            sparsity=sparsity,
            window=window,
        )
    )
    if length is not None:
        reach = length + np.max(_octaves.bins_of(f).lengths)
        C = C[..., : int(np.ceil(reach / hop_length))]
    elif C.shape[-1] == 1:  # a single centred frame covers no sample
        return np.zeros((*C.shape[:-2], 0), dtype=dtype)
    bank = _octaves.synthesis_bank(f, hop_length, bool(scale))
    frames = C.swapaxes(-1, -2)
    if frames.dtype.kind != "c":
        frames = frames.astype(dtype_r2c(frames.dtype))
    if str(res_type).startswith("soxr"):
        y = _native.constant_q_inverse(
            spectrum=frames, bank=bank.native, res_type=res_type, length=length or 0
        )
    elif C.shape[-1] == 1:
        y = np.zeros((*C.shape[:-2], 0))
    else:
        y = _octave_by_octave(frames, bank, res_type)
    if length is not None:
        y = fix_length(y, size=length)
    return y.astype(dtype, copy=False)


@as_feature(Samples(times=lambda given: given.hop_length), listed=False)
@native_names(n_bins="C.shape[-2]", y="length or C")
@composed
def griffinlim_cqt(
    C,
    *,
    n_iter=32,
    sr=22050,
    hop_length=512,
    fmin=None,
    bins_per_octave=12,
    tuning=0.0,
    filter_scale=1,
    norm=1,
    sparsity=0.01,
    window="hann",
    scale=True,
    pad_mode="constant",
    res_type="soxr_hq",
    dtype=None,
    length=None,
    momentum=0.99,
    init="random",
    rng=None,
    random_state=Deprecated(),
):
    """Audio whose constant-Q magnitudes are near given ones, by the fast Griffin-Lim iteration.

    Transforms back and forth with `icqt` and `cqt`, keeps the phases and restores the magnitudes.

    Parameters
    ----------
    C : np.ndarray [shape=(..., n_bins, t)], real
        Constant-Q magnitudes, finite everywhere.
    n_iter : int >= 0
        Iterations.
    sr, hop_length, fmin, bins_per_octave, tuning, filter_scale, norm, sparsity, window, scale
        As given to `cqt`.
    pad_mode, res_type
        As in `cqt`.
    dtype, length
        As in `icqt`.
    momentum : number >= 0
        0 is the original algorithm, 0.99 converges faster, above 1 it may not.
    init : {"random", None}
        Random phases first, or zero phase.
    rng : None, int, np.random.Generator or np.random.RandomState
        Source or seed of the random phases.
    random_state
        Deprecated name of `rng`.

    Returns
    -------
    np.ndarray [shape=(..., n)], real
        Audio.

    Raises
    ------
    ParameterError
        For values not listed.

    Notes
    -----
    Where `length` leaves fewer frames than `C` has, those that are left take part in the iteration;
    librosa then fails.

    References
    ----------
    N. Perraudin, P. Balazs and P. L. Sondergaard, "A fast Griffin-Lim algorithm", WASPAA 2013.

    Examples
    --------
    >>> y = metalmom.tone(440.0, length=22050)
    >>> C = np.abs(metalmom.cqt(y, fmin=110.0, n_bins=36))
    >>> metalmom.griffinlim_cqt(C, fmin=110.0, n_iter=2, rng=0).shape
    (22016,)
    """
    rng = generator(rng, random_state)
    check_iteration(momentum, init)
    C = _valid_transform(C)
    if not (is_positive_int(n_iter) or n_iter in (-1, 0)):
        raise ParameterError(f"n_iter={n_iter} must be a non-negative integer")
    filters = {
        "filter_scale": filter_scale,
        "norm": norm,
        "sparsity": sparsity,
        "window": window,
    }
    back = {
        "sr": sr,
        "hop_length": hop_length,
        "fmin": fmin,
        "bins_per_octave": bins_per_octave,
        "tuning": tuning,
        "scale": scale,
        "length": length,
        "res_type": res_type,
        "dtype": dtype,
        **filters,
    }
    phases = np.ones(C.shape, dtype=dtype_r2c(C.dtype), order="F" if C.ndim == 2 else "C")
    if init == "random":
        turns = 2 * np.pi * rng.random(size=C.shape)
        phases.real, phases.imag = np.cos(turns), np.sin(turns)
    f = None
    previous = None
    for _ in range(n_iter):
        y = icqt(C * phases, **back)
        if f is None:
            bins = C.shape[-2], bins_per_octave
            f = value_of(resolve_filters(y, sr, fmin, *bins, tuning, **filters))
        with by_the_way(y):
            rebuilt = value_of(
                transform(y, f, hop_length, scale, pad_mode, res_type, dtype_r2c(y.dtype))
            )
        n_frames = min(rebuilt.shape[-1], phases.shape[-1])
        C, phases, rebuilt = (array[..., :n_frames] for array in (C, phases, rebuilt))
        phases[...] = rebuilt
        if previous is not None:
            phases -= (momentum / (1 + momentum)) * previous[..., :n_frames]
        phases /= np.abs(phases) + tiny(phases)
        previous = rebuilt
    return icqt(C * phases, **back)
