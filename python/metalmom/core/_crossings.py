"""Where a signal changes its sign; `metalmom.core.audio` exports it."""

import numpy as np
from .._declared import Like, as_feature

__all__ = ["zero_crossings"]


@as_feature(Like(numbers=bool), listed=False)
def zero_crossings(y, *, threshold=1e-10, ref_magnitude=None, pad=True, zero_pos=True, axis=-1):
    """Mark the samples whose sign differs from that of the sample before.

    Parameters
    ----------
    y : np.ndarray
        A signal or several, real.
    threshold : number >= 0
        Magnitudes up to it count as zero.
    ref_magnitude : number or callable, optional
        A unit for `threshold`, or a function of the magnitudes that gives it (`numpy.mean`).
    pad : bool
        What the first sample is said to be.
    zero_pos : bool
        Zero has a positive sign; else a sign of its own, so that reaching and leaving it count.
    axis : int
        The axis of time.

    Returns
    -------
    np.ndarray of bool, shape of `y`
        True where the sign changes.

    Examples
    --------
    >>> metalmom.zero_crossings(np.array([0.5, -0.5, -0.1, 0.2]))
    array([ True,  True, False,  True])
    """
    magnitude = np.abs(y)
    if callable(ref_magnitude):
        threshold = threshold * ref_magnitude(magnitude)
    elif ref_magnitude is not None:
        threshold = threshold * ref_magnitude
    heard = np.where(magnitude <= threshold, 0, y)
    sign = (np.signbit(heard) if zero_pos else np.sign(heard)).swapaxes(-1, axis)
    crossings = np.empty_like(y, dtype=bool)
    along = crossings.swapaxes(-1, axis)
    np.not_equal(sign[..., 1:], sign[..., :-1], out=along[..., 1:])
    along[..., 0] = pad
    return crossings
