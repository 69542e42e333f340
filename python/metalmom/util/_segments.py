"""Frame indices, slices between them, and aggregation; `metalmom.util.utils` exports them."""

import itertools

import numpy as np

from .._boundary import native_names
from .._declared import as_feature
from .exceptions import ParameterError

__all__ = ["fix_frames", "index_to_slice", "sync"]


def fix_frames(frames, *, x_min=0, x_max=None, pad=True):
    """Make frame indices a sorted list without repetition, inside bounds.

    Parameters
    ----------
    frames : array_like of int
        Frame indices, none negative.
    x_min, x_max : int or None
        Bounds. With `pad` they are added as first and last frame and frames outside are moved to
        them; otherwise frames outside are dropped.
    pad : bool
        Whether the list shall begin and end with the bounds.

    Returns
    -------
    np.ndarray of int
        Frame indices.

    Raises
    ------
    ParameterError
        If an index is negative.

    Examples
    --------
    >>> metalmom.util.fix_frames([30, 10, 70], x_max=60)
    array([ 0, 10, 30, 60])
    """
    frames = np.asarray(frames)
    if np.any(frames < 0):
        raise ParameterError(f"frames with minimum {frames.min()} must be non-negative")
    bounds = [bound for bound in (x_min, x_max) if bound is not None]
    if pad and bounds:
        frames = np.concatenate((np.asarray(bounds), np.clip(frames, x_min, x_max)))
    # Padding may have moved a bound beyond the other end of the range; such bounds are dropped.
    if x_min is not None:
        frames = frames[frames >= x_min]
    if x_max is not None:
        frames = frames[frames <= x_max]
    return np.unique(frames).astype(int)


@native_names(frames="idx")
def index_to_slice(idx, *, idx_min=None, idx_max=None, step=None, pad=True):
    """Slices between the successive bounds of an index list.

    Parameters
    ----------
    idx : array_like of int
        Bounds, in any order.
    idx_min, idx_max : int or None
        Least and greatest bound, applied as by `fix_frames`.
    step : int or None
        Step of each slice.
    pad : bool
        Whether to add `idx_min` and `idx_max` to the bounds.

    Returns
    -------
    list of slice
        One fewer than there are bounds.

    Raises
    ------
    ParameterError
        If a bound is negative.

    Examples
    --------
    >>> [np.arange(9)[s].tolist() for s in metalmom.util.index_to_slice([2, 5], idx_min=0, idx_max=9)]
    [[0, 1], [2, 3, 4], [5, 6, 7, 8]]
    """
    bounds = fix_frames(idx, x_min=idx_min, x_max=idx_max, pad=pad)
    return [slice(start, end, step) for start, end in itertools.pairwise(bounds)]


@as_feature(listed=False)
@native_names(frames="idx")
def sync(data, idx, *, aggregate=None, pad=True, axis=-1):
    """Aggregate a feature between bounds, such as beats.

    Parameters
    ----------
    data : np.ndarray
        The feature.
    idx : sequence of int or of slice
        Bounds along `axis`, or the segments themselves.
    aggregate : callable, optional
        Called as ``aggregate(segment, axis=axis)``; `numpy.mean` if not given.
    pad : bool
        Whether the segments before the first bound and after the last one count.
    axis : int
        Axis to aggregate.

    Returns
    -------
    np.ndarray, dtype of `data`
        `data` with one entry per segment along `axis`; same dtype and memory order.

    Raises
    ------
    ParameterError
        If `idx` is neither integers nor slices.

    Examples
    --------
    >>> metalmom.util.sync(np.arange(6.0), [2, 4])
    array([0.5, 2.5, 4.5])
    """
    if aggregate is None:
        aggregate = np.mean
    if all(isinstance(each, slice) for each in idx):
        slices = idx
    elif all(np.issubdtype(type(each), np.integer) for each in idx):
        slices = index_to_slice(np.asarray(idx), idx_min=0, idx_max=data.shape[axis], pad=pad)
    else:
        raise ParameterError(f"idx={idx!r} must be all integers or all slices")

    shape = list(data.shape)
    shape[axis] = len(slices)
    result = np.empty(shape, order="F" if np.isfortran(data) else "C", dtype=data.dtype)
    lead = (slice(None),) * (axis % data.ndim)
    for i, segment in enumerate(slices):
        result[(*lead, i)] = aggregate(data[(*lead, segment)], axis=axis)
    return result
