"""Features made from features: differences over time, and frames stacked with earlier ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np

from .._engine import _args
from ..util._expressions import ask, then
from ..util._public import public
from ..util._types import Array, ArrayLike, DeviceArray, Float64Array, Int, Placed, PositiveInt
from ..util._rules import array_like, either, integer
from ..util._checks import is_one_of, require_count, require_positive
from ..util._declared import as_feature, has_kernels, Like
from ..util._kept_results import kept
from ..util._keywords import takes
from ..util._memory import refuse_beyond_memory
from ..util.exceptions import ParameterError
from ..util.utils import PAD_KEYWORDS, is_positive_int

__all__ = ["delta", "stack_memory"]

_MODES = ("interp", "mirror", "constant", "nearest", "wrap")


@has_kernels(
    'any axis, every mode; windows of at most 16,383 frames, 1,023 with `mode="interp"`',
    lambda of: {"data": of.levels},
)
@as_feature(Like(numbers=float))
@takes("polyorder", "deriv", "delta", "cval")
@public(expression=True, composed=True)
def delta(
    data: Annotated[Placed | Sequence[Any], either(array_like(values="real"), DeviceArray)],
    *,
    width: Annotated[Int, integer(least=3).called("int, odd, at least 3", has_commas=True)] = 9,
    order: PositiveInt = 1,
    axis: Int = -1,
    mode: Literal["interp", "nearest", "mirror", "constant", "wrap"] = "interp",
    **kwargs: Any,
) -> Placed:
    """Local estimate of a derivative: that of a polynomial fitted to a window of frames.

    Parameters
    ----------
    data : array_like, real, or DeviceArray
        Features, such as an MFCC matrix.
    width : int, odd, at least 3
        Frames of the window; with ``mode="interp"`` at most as many as there are.
    order : int > 0
        Order of the derivative.
    axis : int
        The axis of time.
    mode : {"interp", "nearest", "mirror", "constant", "wrap"}
        What happens at the ends: the polynomial of the first (last) whole window is used, or data
        are continued by their last value, mirrored at it, by `cval`, or periodically.
    **kwargs
        `polyorder`, the degree of the polynomial (by default `order`); `delta`, the distance of
        frames (1.0); `cval`, the constant (0.0). `deriv` is ignored: `order` counts.

    Returns
    -------
    np.ndarray, shape of `data`, real, or DeviceArray
        The derivative; float32 for float32 data, else float64.

    Raises
    ------
    ParameterError
        For values not listed, and for data that are not finite with ``mode="interp"``.

    References
    ----------
    A. Savitzky and M. J. E. Golay, "Smoothing and differentiation of data by simplified least
    squares procedures", Analytical Chemistry 36(8), 1964.

    Examples
    --------
    >>> metalmom.feature.delta(np.array([0.0, 2.0, 4.0, 6.0, 8.0]), width=3)
    array([2., 2., 2., 2., 2.])
    """
    values: Any = data if _args.on_device(data) else np.atleast_1d(np.asarray(data))
    if values.dtype.kind == "c":
        raise ParameterError("data.dtype", values.dtype, "real")
    if values.dtype != np.float32:
        values = values.astype(np.float64, copy=False)
    _check_window(values, width, order, axis, mode)
    polynomial = _polynomial(order, width, kwargs)
    # The data continued by half a window on each side, and about five matrices of the fit.
    n_rows, n_frames = values.size // values.shape[axis], values.shape[axis] + int(width)
    n_values = n_rows * n_frames + 5 * int(width) * (polynomial[0] + 1)
    refuse_beyond_memory("width", width, 8 * n_values)
    at_times, fit = _derivative_weights(int(width), *polynomial)
    cval = kwargs.pop("cval", 0.0)
    if kwargs:
        name, value = next(iter(kwargs.items()))
        raise ParameterError(name, value, "given", verb="must not be")
    if values.size == 0:
        return values if _args.on_device(values) else np.empty_like(values, order="C")
    swapped = _args.on_device(values) and values.swapped
    lying = values.swapaxes(-1, -2) if swapped else values
    axis = _axis_of(lying, axis, swapped)
    found = ask(
        "delta",
        # the axes before time as one, and those behind it
        data=lying.reshape(math.prod(lying.shape[:axis]), lying.shape[axis], -1),
        fit=fit,
        at_times=at_times,
        width=int(width),
        mode=mode,
        cval=cval,
    )
    return then(_as_it_lay, found, lying.shape, swapped)


def _as_it_lay(found: Any, shape: tuple[int, ...], swapped: bool) -> Any:
    found = found.reshape(*shape)
    return found.swapaxes(-1, -2) if swapped else found


def _axis_of(lying: Array | DeviceArray, axis: Int, swapped: bool) -> int:
    """Where the axis of time is among the axes in memory, of which the last two may be swapped."""
    from_end = axis % lying.ndim - lying.ndim
    return lying.ndim + ({-1: -2, -2: -1}.get(from_end, from_end) if swapped else from_end)


def _check_window(data: Array | DeviceArray, width: Int, order: Int, axis: Int, mode: str) -> None:
    if not -data.ndim <= axis < data.ndim:
        raise ParameterError("axis", axis, f"an axis of data.shape={data.shape}")
    if not is_positive_int(width) or width < 3 or width % 2 == 0:
        raise ParameterError("width", width, "an odd integer of at least 3")
    require_count("order", order)
    if not is_one_of(mode, _MODES):
        raise ParameterError("mode", mode, ", ".join(map(repr, _MODES)), choices=_MODES)
    if mode == "interp" and width > data.shape[axis]:
        raise ParameterError(
            "width", width, f"at most data.shape[axis]={data.shape[axis]} with mode='interp'"
        )
    if data.shape[axis] == 0:
        raise ParameterError("data.shape", data.shape, f"empty along axis={axis}", verb="must not be")


def _polynomial(order: Int, width: Int, kwargs: dict[str, Any]) -> tuple[int, int, float]:
    """Degree of the polynomial, order of its derivative, and the distance of frames."""
    kwargs.pop("deriv", None)
    polyorder = kwargs.pop("polyorder", order)
    spacing = kwargs.pop("delta", 1.0)
    if not isinstance(polyorder, (int, np.integer)) or not 0 <= polyorder < width:
        name = "order" if polyorder is order else "polyorder"
        raise ParameterError(name, polyorder, f"a non-negative integer below {width}")
    require_positive("delta", spacing)
    return int(polyorder), int(order), float(spacing)


@kept(32, "derivative filters")
def _derivative_weights(
    width: int, polyorder: int, deriv: int, spacing: float
) -> tuple[Float64Array, Float64Array]:
    """Two matrices: a window's frames to coefficients, these to its derivative at each frame.

    Their product is as large as the square of the window, and only its middle row is always needed. Returned
    are the latter (width, polyorder + 1) and the former (polyorder + 1, width). Polynomials in time from -1
    to 1 have columns of one magnitude, so that high degrees stay well conditioned.
    """
    half = width // 2
    polynomial: Any = np.polynomial.polynomial  # which has no types
    times = np.arange(-half, half + 1) / half
    fit = np.linalg.pinv(polynomial.polyvander(times, polyorder))
    # The derivative of each power of time at each place of the window: the factors of the
    # coefficients.
    derived = polynomial.polyder(np.eye(polyorder + 1), deriv)
    at_times = polynomial.polyval(times, derived).T.reshape(width, polyorder + 1)
    fit = fit / (half * spacing) ** deriv
    for matrix in (at_times, fit):
        matrix.setflags(write=False)
    return at_times, fit


def _stacked(given: Any) -> tuple[int, ...]:
    (*lead, n_rows) = given.source.rows or (1,)
    return *lead, given.n_steps * n_rows


@as_feature(Like(_stacked))
@takes(*PAD_KEYWORDS)
@public
def stack_memory(
    data: Annotated[ArrayLike, array_like("..., d, t")],
    *,
    n_steps: PositiveInt = 2,
    delay: Annotated[Int, integer().also(lambda value: value != 0, "not 0")] = 1,
    **kwargs: Any,
) -> Array:
    """Stack frames with earlier (or later) frames.

    Parameters
    ----------
    data : array_like [shape=(..., d, t)]
        Features; one dimension is taken as one row.
    n_steps : int > 0
        Frames in a stack, the present one first.
    delay : int, not 0
        Frames between them; negative ones look ahead.
    **kwargs
        Arguments of `numpy.pad`, which fills what lies beyond the ends, by default with zeros.

    Returns
    -------
    np.ndarray [shape=(..., n_steps * d, t)]
        With the dtype and memory order of `data`.

    Raises
    ------
    ParameterError
        For values not listed, and for data without frames.

    References
    ----------
    F. Takens, "Detecting strange attractors in turbulence", Lecture Notes in Mathematics 898,
    1981.

    Examples
    --------
    >>> metalmom.feature.stack_memory(np.array([[1, 2, 3]]), n_steps=2)
    array([[1, 2, 3],
           [0, 1, 2]])
    """
    require_count("n_steps", n_steps)
    if not isinstance(delay, (int, np.integer)) or delay == 0:
        raise ParameterError("delay", delay, "a non-zero integer")
    data = np.atleast_2d(data)
    n_frames = data.shape[-1]
    if n_frames < 1:
        raise ParameterError("data.shape", data.shape, "have at least one frame", verb="must")
    kwargs.setdefault("mode", "constant")
    if kwargs["mode"] == "constant":
        kwargs.setdefault("constant_values", [0])
    _require_room(data, int(n_steps), int(delay), kwargs["mode"])
    shifts = abs(int(delay)) * np.arange(n_steps)
    if kwargs["mode"] in ("constant", "edge"):
        # frames further away than the signal is long are all padding
        shifts = np.minimum(shifts, n_frames)
    reach = int(shifts[-1])
    beyond = (reach, 0) if delay > 0 else (0, reach)
    padded = np.pad(data, [(0, 0)] * (data.ndim - 1) + [beyond], **kwargs)

    d = data.shape[-2]
    order: Literal["C", "F"] = "F" if data.flags.f_contiguous and not data.flags.c_contiguous else "C"
    stacked = np.empty((*data.shape[:-2], n_steps * d, n_frames), dtype=data.dtype, order=order)
    for step, shift in enumerate(shifts):
        first = reach - shift if delay > 0 else shift
        stacked[..., step * d : (step + 1) * d, :] = padded[..., first : first + n_frames]
    return stacked


def _require_room(data: Array, n_steps: int, delay: int, mode: Any) -> None:
    """Refuse stacks, or a reach beyond the ends, that fit into no memory."""
    # the results, and where each step begins
    refuse_beyond_memory("n_steps", n_steps, n_steps * (data.nbytes + 16))
    if mode not in ("constant", "edge"):
        reach = data.nbytes // data.shape[-1] * abs(delay) * (n_steps - 1)
        refuse_beyond_memory("delay", delay, reach, "nearer to 0")
