"""Views, padding and cutting of arrays; `metalmom.util.utils` exports them."""

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .._keywords import takes
from .exceptions import ParameterError

__all__ = ["expand_to", "fix_length", "frame", "pad_center"]

# What numpy.pad takes beside an array and widths.
PAD_KEYWORDS = ("mode", "constant_values", "end_values", "stat_length", "reflect_type")


def frame(x, *, frame_length, hop_length, axis=-1, writeable=False, subok=False):
    """View an array as overlapping frames, without a copy.

    Parameters
    ----------
    x : array_like
        Array to cut.
    frame_length : int
        Elements of a frame.
    hop_length : int
        Elements from the start of one frame to the next.
    axis : int
        Axis to cut. From the end (negative), the result has ``(..., frame_length, n_frames)``
        in its place; from the front, ``(n_frames, frame_length, ...)``.
    writeable : bool
        Whether the view may be written to; frames share their elements.
    subok : bool
        Keep subclasses of ndarray.

    Returns
    -------
    np.ndarray
        A view with one dimension more.

    Raises
    ------
    ParameterError
        If `x` is shorter than a frame or the hop is not positive.

    Examples
    --------
    >>> metalmom.util.frame(np.arange(7), frame_length=3, hop_length=2)
    array([[0, 2, 4],
           [1, 3, 5],
           [2, 4, 6]])
    """
    x = np.asanyarray(x) if subok else np.asarray(x)
    if x.ndim == 0:
        raise ParameterError("x.ndim=0 must be at least 1")
    n = x.shape[axis]
    if frame_length < 1:
        raise ParameterError(f"frame_length={frame_length} must be a positive integer")
    if n < frame_length:
        raise ParameterError(f"frame_length={frame_length} must be at most the length of x, {n}")
    if hop_length < 1:
        raise ParameterError(f"hop_length={hop_length} must be a positive integer")

    place, step = axis % x.ndim, x.strides[axis]
    sizes = [(frame_length, step), (1 + (n - frame_length) // hop_length, hop_length * step)]
    if axis >= 0:
        sizes.reverse()
    shape, strides = zip(*sizes, strict=True)
    return as_strided(
        x,
        shape=x.shape[:place] + shape + x.shape[place + 1 :],
        strides=x.strides[:place] + strides + x.strides[place + 1 :],
        subok=subok,
        writeable=writeable,
    )


@takes(*PAD_KEYWORDS)
def pad_center(data, *, size, axis=-1, **kwargs):
    """Pad an array on both sides to a size; of an odd difference the end gets one more.

    Parameters
    ----------
    data : np.ndarray
        Array to pad.
    size : int
        Wanted size of `axis`.
    axis : int
        Axis to pad.
    **kwargs
        Passed to `numpy.pad`; ``mode="constant"`` (zeros) if not given.

    Returns
    -------
    np.ndarray, dtype of `data`
        The padded array.

    Raises
    ------
    ParameterError
        If `data` is longer than `size`.

    Examples
    --------
    >>> metalmom.util.pad_center(np.ones(3), size=6)
    array([0., 1., 1., 1., 0., 0.])
    """
    missing = size - data.shape[axis]
    if missing < 0:
        raise ParameterError(f"size={size} must be at least the size of data, {data.shape[axis]}")
    before = int(missing // 2)
    widths = [(0, 0)] * data.ndim
    widths[axis] = (before, int(missing - before))
    kwargs.setdefault("mode", "constant")
    return np.pad(data, widths, **kwargs)


def expand_to(x, *, ndim, axes):
    """Give an array more dimensions, of size 1.

    Parameters
    ----------
    x : np.ndarray or DeviceArray
        The array.
    ndim : int
        Wanted number of dimensions.
    axes : int or sequence of int
        For each axis of `x` its place in the result.

    Returns
    -------
    np.ndarray, dtype of `x`, or DeviceArray
        A reshaped view.

    Raises
    ------
    ParameterError
        If there are not as many axes as `x` has, or `ndim` is less.

    Examples
    --------
    >>> metalmom.util.expand_to(np.ones((3, 4)), ndim=4, axes=[1, 2]).shape
    (1, 3, 4, 1)
    """
    try:
        places = tuple(axes)
    except TypeError:
        places = (axes,)
    if len(places) != x.ndim:
        raise ParameterError(f"axes={places} must be as many as x.shape={x.shape} has")
    if ndim < x.ndim:
        raise ParameterError(f"ndim={ndim} must be at least x.ndim={x.ndim}")
    if len({place % ndim for place in places if -ndim <= place < ndim}) < len(places):
        raise ParameterError(f"axes={places} must be different axes of ndim={ndim}")
    shape = [1] * ndim
    for place, size in zip(places, x.shape, strict=True):
        shape[place] = size
    return x.reshape(shape)


@takes(*PAD_KEYWORDS)
def fix_length(data, *, size, axis=-1, **kwargs):
    """Cut or pad the end of an array to a size.

    Parameters
    ----------
    data : np.ndarray
        The array.
    size : int
        Wanted size of `axis`.
    axis : int
        Axis to cut or pad.
    **kwargs
        Passed to `numpy.pad`; ``mode="constant"`` (zeros) if not given.

    Returns
    -------
    np.ndarray, dtype of `data`
        `data` itself if it has the size, a view of it if it is longer, else a padded copy.

    Examples
    --------
    >>> metalmom.util.fix_length(np.arange(4), size=6)
    array([0, 1, 2, 3, 0, 0])
    """
    n = data.shape[axis]
    if n == size:
        return data
    where = [slice(None)] * data.ndim
    if n > size:
        where[axis] = slice(0, size)
        return data[tuple(where)]
    widths = [(0, 0)] * data.ndim
    widths[axis] = (0, size - n)
    kwargs.setdefault("mode", "constant")
    return np.pad(data, widths, **kwargs)
