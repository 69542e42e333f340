"""Harmonics: energy at multiples of frequencies, and salience."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from .. import _native
from .._engine import _args
from ..util._public import public
from ..util._rules import array
from ..util._types import (
    Array, ArrayLike, BoolArray, Float64Array, Harmonics, Int, Number, Numbers, PositionsOf,
    RealArray, RealNumbers, Reals, Signal,
)
from ..util._checks import is_one_of, number, require
from ..util._declared import Like, as_feature
from ..util._warnings import warn
from ..util._wording import no_array
from ..util.exceptions import ParameterError, Shown
from ._interpolation import interpolation

__all__ = ["f0_harmonics", "interp_harmonics", "salience"]


def _arrays(name: str, x: Array, places: ArrayLike, axis: Int) -> tuple[RealArray, Array, bool]:
    """`x` as floats, `freqs` as an array, and whether all frames share the latter."""
    if not isinstance(x, np.ndarray) or x.dtype.kind not in "biuf":
        raise no_array(name, x, "an array of real numbers")
    require(-x.ndim <= axis < x.ndim, "axis", axis, f"an axis of {name}.shape={x.shape}")
    require(x.shape[axis] >= 2, f"{name}.shape[{axis}]", x.shape[axis], "at least 2")
    freqs: Array = np.asarray(places)
    require(not np.iscomplexobj(freqs), "freqs.dtype", freqs.dtype, "real")
    shared = freqs.ndim == 1 and len(freqs) == x.shape[axis]
    if not shared and freqs.shape != x.shape:
        raise ParameterError("freqs.shape", freqs.shape, f"({x.shape[axis]},) or {x.shape}")
    ordered = np.sort(freqs if shared else freqs.swapaxes(axis, -1), axis=-1)
    if np.any(ordered[..., 1:] == ordered[..., :-1]):
        warn("Frequencies are not unique. This may produce incorrect harmonic interpolations.")
    return _args.floating(x), freqs, shared


def _numbers(name: str, values: Any) -> Float64Array:
    try:
        if np.iscomplexobj(values):
            raise TypeError("complex")
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(name, values, "numbers") from error


def _harmonics(given: Any) -> Float64Array:
    harmonics = _numbers("harmonics", given)
    if harmonics.ndim != 1 or harmonics.size == 0 or not np.all(harmonics >= 0):
        raise ParameterError("harmonics", Shown(f"{harmonics}"), "non-negative numbers, at least one")
    return harmonics


def _between(freqs: Array, wanted: Array) -> tuple[Array, Array, Array]:
    """Indices below and above each wanted frequency, and the share of the upper; -1 for none."""
    order = np.argsort(freqs, kind="stable")
    ordered = freqs[order]
    above = np.clip(np.searchsorted(ordered, wanted), 1, len(freqs) - 1)
    low, high = ordered[above - 1], ordered[above]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (wanted - low) / (high - low)
    inside = (wanted >= ordered[0]) & (wanted <= ordered[-1])
    return np.where(inside, order[above - 1], -1), order[above], share


def _spline(freqs: Array, x: Array, wanted: Array, kind: str | Int, fill_value: Any) -> Array:
    """Interpolation of other kinds, or through frequencies that are no numbers; along axis 0."""
    curve = interpolation(
        freqs, x, "frequencies", "this interpolation",
        kind=kind, axis=0, bounds_error=False, copy=False, fill_value=fill_value,
    )  # fmt: skip
    return curve(wanted)


def _rows(
    x: RealArray, freqs: Array, harmonics: Array, *, weights: Sequence[float] | Array = (),
    fill_value: Number = 0.0, peaks_only: bool = False,
) -> Float64Array:
    """The engine's rows between those of x (..., bins, frames), at harmonics of `freqs`."""
    low, high, share = _between(freqs, np.multiply.outer(harmonics, freqs).ravel())
    # If rows outside of all bins are zero, the result begins as zeros: fresh zeros cost nothing
    # until they are touched, and of the rows of five harmonics two fifths lie outside.
    zeros = len(weights) == 0 and fill_value == 0
    shape = (*x.shape[:-2], len(low), x.shape[-1])
    return _native.harmonic_rows(
        S=x, low=low.astype(np.float64), high=high.astype(np.float64), share=share,
        weights=np.asarray(weights, dtype=np.float64),
        fill=np.array([] if zeros else [fill_value], dtype=np.float64),
        peaks_only=peaks_only, out=np.zeros(shape) if zeros else None,
    )  # fmt: skip


def _is_linear(kind: str | Int, freqs: Array, fill_value: Any) -> bool:
    named = is_one_of(kind, ("linear", "slinear", 1))
    return bool(named and np.isfinite(freqs).all() and np.ndim(fill_value) == 0)


@as_feature(Like(lambda given: (len(given.harmonics), *given.source.rows), numbers=float), listed=False)
@public
def interp_harmonics(
    x: RealNumbers,
    *,
    freqs: PositionsOf,
    harmonics: Harmonics,
    kind: str | Int = "linear",
    fill_value: Number = 0,
    axis: Int = -2,
) -> Float64Array:
    """Energy at multiples of every frequency.

    Parameters
    ----------
    x : np.ndarray, real
        Energies, for example a spectrogram [shape=(..., d, n)] or a tempogram.
    freqs : np.ndarray [shape=(x.shape[axis],) or x.shape]
        Frequency of each element along `axis`; with the shape of `x`, separately for each frame.
    harmonics : sequence of numbers >= 0
        The multiples; below 1 are subharmonics.
    kind : str or int
        How to interpolate energies between frequencies, as in `scipy.interpolate.interp1d`; all but
        ``linear`` need SciPy.
    fill_value : number
        The value outside `freqs`.
    axis : int
        Axis of frequency.

    Returns
    -------
    np.ndarray, float64
        As `x`, with an axis for harmonics before `axis`.

    Raises
    ------
    ParameterError
        For arrays that do not fit or are not numbers, and harmonics below 0.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 4.0, 9.0])
    >>> metalmom.interp_harmonics(x, freqs=np.arange(4.0), harmonics=[1, 1.5], axis=0)
    array([[0. , 1. , 4. , 9. ],
           [0. , 2.5, 9. , 0. ]])
    """
    x, freqs, shared = _arrays("x", x, freqs, axis)
    harmonics = _harmonics(harmonics)
    axis = axis % x.ndim - x.ndim
    if not shared:
        return _moving_harmonics(x, freqs, harmonics, kind, fill_value, axis)
    shape = (*x.shape[:axis], len(harmonics), *x.shape[axis:])
    if not _is_linear(kind, freqs, fill_value):
        wanted = np.multiply.outer(harmonics, freqs)
        found = _spline(freqs, np.moveaxis(x, axis, 0), wanted, kind, fill_value)
        return np.moveaxis(found, (0, 1), (axis - 1, axis))
    if axis != -2:  # the engine takes a single axis of frames: all behind that of frequency become one
        frames = int(np.prod(x.shape[axis:][1:], dtype=int))
        x = np.ascontiguousarray(x).reshape(*x.shape[: x.ndim + axis + 1], frames)
    return _rows(x, freqs, harmonics, fill_value=fill_value).reshape(shape)


def _moving_harmonics(
    x: Array, freqs: Array, harmonics: Array, kind: str | Int, fill_value: Any, axis: Int
) -> Array:
    """Of each frame between frequencies of its own."""
    lines, places = x.swapaxes(axis, -1), freqs.swapaxes(axis, -1)
    found = np.empty((*lines.shape, len(harmonics)))
    for at in np.ndindex(lines.shape[:-1]):
        wanted = np.multiply.outer(places[at], harmonics)
        found[at] = _one_frame(places[at], lines[at], wanted, kind, fill_value)
    return found.swapaxes(-2, axis).swapaxes(-1, axis - 1)


def _one_frame(freqs: Array, values: Array, wanted: Array, kind: str | Int, fill_value: Any) -> Array:
    if not _is_linear(kind, freqs, fill_value):
        return _spline(freqs, values, wanted, kind, fill_value)
    low, high, share = _between(freqs, wanted)
    return np.where(low < 0, fill_value, values[low] + (values[high] - values[low]) * share)


@as_feature(Like(numbers=float), listed=False)
@public(composed=True)
def salience(
    S: Annotated[Numbers, array("..., d, n", values="real and non-negative")],
    *,
    freqs: PositionsOf,
    harmonics: Harmonics,
    weights: Reals | None = None,
    aggregate: Callable[..., Any] | None = None,
    filter_peaks: bool = True,
    fill_value: Number = np.nan,
    kind: str | Int = "linear",
    axis: Int = -2,
) -> Float64Array:
    """Harmonic salience: the energy of each frequency and of its multiples together.

    Parameters
    ----------
    S : np.ndarray [shape=(..., d, n)], real and non-negative
        Magnitudes of a spectrogram or a constant-Q transform.
    freqs, harmonics, kind, axis
        As in `interp_harmonics`; values outside `freqs` count as 0.
    weights : sequence of numbers, optional
        Weight of each harmonic in the average; equal ones by default.
    aggregate : callable, optional
        What makes one value of all harmonics, a function of an array and ``axis``; by default the
        weighted average. Others do not get the weights.
    filter_peaks : bool
        Whether frequencies count only where `S` is above both neighbours.
    fill_value : number
        The value elsewhere.

    Returns
    -------
    np.ndarray, float64
        With the shape of `S`.

    Raises
    ------
    ParameterError
        For arrays that do not fit or are not numbers, and weights that add up to 0.

    References
    ----------
    J. Salamon and E. Gomez, "Melody extraction from polyphonic music signals using pitch contour
    characteristics", IEEE Trans. ASLP 20(6), 2012.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, duration=1.0)
    >>> S = np.abs(metalmom.stft(y))
    >>> freqs = metalmom.fft_frequencies(sr=22050)
    >>> found = metalmom.salience(S, freqs=freqs, harmonics=[1, 2], fill_value=0)
    >>> round(float(freqs[found[:, 20].argmax()]))
    441
    """
    averaged = aggregate is None or aggregate is np.average
    S, freqs, shared = _arrays("S", S, freqs, axis)
    harmonics = _harmonics(harmonics)
    axis = axis % S.ndim - S.ndim
    weights = np.ones(len(harmonics)) if weights is None else _numbers("weights", weights)
    require(weights.shape == harmonics.shape, "weights.shape", weights.shape, f"{harmonics.shape}")
    if averaged and not weights.sum() != 0:
        raise ParameterError("weights", Shown(f"{weights}"), "not add up to 0", verb="must")
    if averaged and shared and axis == -2 and _is_linear(kind, freqs, fill_value):
        shares = weights / weights.sum()
        return _rows(
            S, freqs, harmonics, weights=shares, fill_value=fill_value, peaks_only=bool(filter_peaks)
        )
    each = interp_harmonics(S, freqs=freqs, harmonics=harmonics, kind=kind, axis=axis)
    if averaged or aggregate is None:
        found = np.average(each, axis=axis - 1, weights=weights)
    else:
        found = aggregate(each, axis=axis - 1)
    if not filter_peaks:
        return found
    return np.ascontiguousarray(np.where(_peaks(S, axis), found, fill_value))


def _peaks(S: Array, axis: Int) -> BoolArray:
    """Where S is above both neighbours along an axis; never at its ends."""
    lines = S.swapaxes(axis, -1)
    peaks = np.zeros(lines.shape, dtype=bool)
    peaks[..., 1:-1] = (lines[..., 1:-1] > lines[..., :-2]) & (lines[..., 1:-1] > lines[..., 2:])
    return peaks.swapaxes(axis, -1)


@as_feature(Like(lambda given: len(given.harmonics), numbers=float), listed=False)
@public
def f0_harmonics(
    x: Annotated[Numbers, array("..., d, n", values="real")],
    *,
    f0: Signal,
    freqs: PositionsOf,
    harmonics: Harmonics,
    kind: str | Int = "linear",
    fill_value: Number = 0,
    axis: Int = -2,
) -> Float64Array:
    """Energy at multiples of a fundamental frequency that moves in time.

    Parameters
    ----------
    x : np.ndarray [shape=(..., d, n)], real
        Energies, for example magnitudes of a spectrogram.
    f0 : np.ndarray [shape=(..., n)]
        Fundamental of each frame; NaN where there is none, which gives `fill_value`.
    freqs, harmonics, kind, axis
        As in `interp_harmonics`; of frequencies only those that are finite count.
    fill_value : number
        The value outside `freqs`, and in frames without a fundamental.

    Returns
    -------
    np.ndarray [shape=(..., len(harmonics), n)], float64
        Harmonic after harmonic of each frame in memory.

    Raises
    ------
    ParameterError
        For arrays that do not fit or are not numbers, and harmonics below 0.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, duration=1.0)
    >>> S = np.abs(metalmom.stft(y))
    >>> f0 = np.full(S.shape[-1], 440.0)
    >>> freqs = metalmom.fft_frequencies(sr=22050)
    >>> metalmom.f0_harmonics(S, f0=f0, freqs=freqs, harmonics=[1, 2]).shape
    (2, 44)
    """
    x, freqs, shared = _arrays("x", x, freqs, axis)
    harmonics = _harmonics(harmonics)
    number("fill_value", fill_value)
    lines = x.swapaxes(axis, -1)
    try:
        f0 = np.broadcast_to(np.asarray(f0, dtype=np.float64), lines.shape[:-1])
    except ValueError:
        shape = np.shape(f0)
        raise ParameterError("f0.shape", shape, f"fit {lines.shape[:-1]}", verb="must") from None
    wanted = np.multiply.outer(f0, harmonics)
    if shared:
        known = np.isfinite(freqs)
        found = _at_shared(lines, np.flatnonzero(known), freqs[known], wanted, kind, fill_value)
    else:
        places = freqs.swapaxes(axis, -1)
        found = np.empty(wanted.shape)
        for at in np.ndindex(f0.shape):
            known = np.isfinite(places[at])
            found[at] = _one_frame(places[at][known], lines[at][known], wanted[at], kind, fill_value)
    return np.nan_to_num(found, copy=False, nan=float(fill_value)).swapaxes(axis, -1)


def _at_shared(
    lines: Array, known: Array, freqs: Array, wanted: Array, kind: str | Int, fill_value: Any
) -> Array:
    """Values of lines (..., bins) at wanted frequencies (..., harmonics)."""
    if len(freqs) < 2:
        raise ParameterError("freqs", rule=f"finite at two places at least, not {len(freqs)}")
    if not _is_linear(kind, freqs, fill_value):
        found = np.empty(wanted.shape)
        for at in np.ndindex(wanted.shape[:-1]):
            found[at] = _spline(freqs, lines[at][known], wanted[at], kind, fill_value)
        return found
    low, high, share = _between(freqs, wanted)
    below = np.take_along_axis(lines, known[low], axis=-1)
    above = np.take_along_axis(lines, known[high], axis=-1)
    return np.where(low < 0, fill_value, below + (above - below) * share)
