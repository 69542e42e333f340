"""The fast Mellin transform; part of `core.spectrum`."""

import numpy as np

from .. import _native
from .._declared import Value, as_feature
from ..util._checks import is_one_of, is_positive_int
from ..util._packages import required
from ..util.exceptions import ParameterError

__all__ = ["fmt"]


@as_feature(
    lambda given: None if given.n_fmt is None else Value(1 + given.n_fmt // 2, numbers=complex), listed=False
)
def fmt(y, *, t_min=0.5, n_fmt=None, kind="cubic", beta=0.5, over_sample=1, axis=-1):
    """The fast Mellin transform: like a Fourier transform, but its magnitude ignores stretching.

    The signal is sampled anew at exponentially growing times, weighted and Fourier transformed.
    With ``beta=0.5`` it is the scale transform.

    Parameters
    ----------
    y : np.ndarray, real
        Signals along `axis`, of at least 3 samples, finite everywhere.
    t_min : number > 0
        Time of the first new sample, in samples of `y`.
    n_fmt : int >= 3, optional
        Number of new samples; by default as many as keep the distance at the end of `y`.
    kind : str or int
        How to interpolate, as `scipy.interpolate.interp1d` takes it.
    beta : number
        Exponent of the weights, ``time ** beta``.
    over_sample : number >= 1
        Factor on the number of new samples.
    axis : int
        Axis of the signals.

    Returns
    -------
    np.ndarray [shape=(..., 1 + n_fmt // 2, ...)], complex128
        The transform along `axis`.

    Raises
    ------
    ParameterError
        If an argument is out of range, or signals are too short for this interpolation.

    Notes
    -----
    Needs SciPy where `kind` is not "cubic".

    References
    ----------
    A. De Sena and D. Rocchesso, "A fast Mellin and scale transform", EURASIP Journal on Advances in
    Signal Processing, 2007.

    Examples
    --------
    >>> y = np.sin(np.linspace(0, 20, 256)) ** 2
    >>> metalmom.fmt(y, n_fmt=64).shape
    (33,)
    """
    if not isinstance(y, np.ndarray) or y.dtype.kind not in "bfiu":
        raise ParameterError(f"y={type(y).__name__} must be a real numpy.ndarray")
    if not -y.ndim <= axis < y.ndim:
        raise ParameterError(f"axis={axis} must be an axis of y, whose shape is {y.shape}")
    n = y.shape[axis]
    if n < 3:
        raise ParameterError(f"y.shape[{axis}]={n} must be at least 3")
    if not 0 < t_min < n - 1:
        raise ParameterError(f"t_min={t_min} must be positive and less than {n - 1}")
    if not over_sample >= 1:
        raise ParameterError(f"over_sample={over_sample} must be at least 1")
    if n_fmt is None:
        step = (np.log(n - 1) - np.log(n - 2)) / over_sample
        n_fmt = int(np.ceil((np.log(n - 1) - np.log(t_min)) / step))
    elif not is_positive_int(n_fmt) or n_fmt < 3:
        raise ParameterError(f"n_fmt={n_fmt} must be an integer of at least 3")
    else:
        step = (np.log(n_fmt - 1) - np.log(n_fmt - 2)) / over_sample
    if not np.all(np.isfinite(y)):
        raise ParameterError("y must be finite everywhere")
    beyond = int(np.ceil(over_sample))
    times = np.logspace(
        (np.log(t_min) - np.log(n)) / step,
        0,
        num=n_fmt + beyond,
        endpoint=False,
        base=np.exp(step),
    )[:-beyond]
    times = np.clip(times, t_min / n, (n - 1) / n)
    if not np.all(np.diff(times) > 0):
        raise ParameterError(f"n_fmt={n_fmt} must be fewer: new samples fall on one another")
    weights = (times**beta).reshape([-1 if k == axis % y.ndim else 1 for k in range(y.ndim)])
    result = np.fft.rfft(_sampled(y, times, kind, axis) * weights, axis=axis)
    return np.ascontiguousarray(result * (np.sqrt(n) / n_fmt))


def _sampled(y, times, kind, axis):
    """Values between samples, whose times are 0, 1/n, 2/n ... along `axis`."""
    n = y.shape[axis]
    if is_one_of(kind, ("cubic", 3)) and n >= 4:
        rows = np.moveaxis(y.astype(np.float64, copy=False), axis, -1)
        values = _native.spline(y=rows, positions=np.minimum(times * n, n - 1))
        return np.moveaxis(values, -1, axis)
    interp1d = required("scipy.interpolate", f"kind={kind!r}").interp1d
    try:
        at = interp1d(np.linspace(0, 1, num=n, endpoint=False), y, kind=kind, axis=axis)
    except (NotImplementedError, ValueError) as error:
        raise ParameterError(f"kind={kind!r} must be able to interpolate: {error}") from error
    return at(times)
