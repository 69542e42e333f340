"""What a picture shows of its data: magnitudes, decibels, phases, and their colours."""

import re

import numpy as np

from .. import core
from .._warnings import warn
from ..util.exceptions import ParameterError
from ._matplotlib import pyplot

# dB, dB[power], dB[0.1], dB[power,0.1], and the same of dBFS without a reference.
_DECIBELS = re.compile(r"dB(?P<full>FS)?(\[((?P<power>power)(,|(?=\])))?(?P<ref>[^\],]+)?\])?")
_PHASES = ("phase", "dphase", "dphase_t")

__all__ = ["infer_cmap"]


def transformed(data, vscale, x_coords, y_coords, top_db):
    """Values to draw, and what kind of colours they need: "db", "phase" or "data"."""
    if vscale is None:
        if np.iscomplexobj(data):
            warn("Trying to display complex data, which have no colours: magnitudes are shown.")
            data = np.abs(data)
        return data, "data"
    if vscale in _PHASES:
        return _phases(data, vscale, x_coords, y_coords), "phase"
    return _decibels(data, vscale, top_db), "db"


def _decibels(data, vscale, top_db):
    match = _DECIBELS.fullmatch(vscale) if isinstance(vscale, str) else None
    known = "'dB', 'dB[power]', 'dB[REF]', 'dB[power,REF]', 'dBFS', 'dBFS[power]', 'phase'"
    rule = f"vscale={vscale!r} must be {known}, 'dphase', 'dphase_t' or None"
    if match is None or vscale.endswith(",]") or vscale.endswith("[]"):
        raise ParameterError(rule)
    if match["full"] and match["ref"]:
        raise ParameterError(f"vscale={vscale!r} must have no reference: dBFS refers to the peak")
    ref = np.max if match["full"] else 1.0
    if match["ref"]:
        try:
            ref = float(match["ref"])
        except ValueError:
            raise ParameterError(rule) from None
    convert = core.power_to_db if match["power"] else core.amplitude_to_db
    return convert(np.abs(data), ref=ref, top_db=top_db)


def _phases(data, vscale, x_coords, y_coords):
    """Phases, or by how much they advance more than a steady tone of the bin's frequency."""
    phase = np.angle(data)
    if vscale == "phase":
        return phase
    times, frequencies, axis = (
        (x_coords, y_coords, -1) if vscale == "dphase" else (y_coords, x_coords, -2)
    )
    n_time, n_frequency = (data.shape[::-1] if axis == -1 else data.shape)
    times, frequencies = times[:n_time], frequencies[:n_frequency]
    expected = 2 * np.pi * np.multiply.outer(frequencies, np.diff(times, prepend=times[:1]))
    if axis == -2:
        expected = expected.T
    # in the first frame that is the phase itself
    residual = np.diff(phase, axis=axis, prepend=0) - expected
    return np.angle(np.exp(1j * residual))


def infer_cmap(
    data,
    *,
    robust=True,
    cmap_seq="magma",
    cmap_bool="gray_r",
    cmap_div="coolwarm",
    div_thresh=0.0,
):
    """Choose a colour map that suits data.

    Parameters
    ----------
    data : np.ndarray
        Booleans or real numbers; those that are not finite do not count.
    robust : bool
        Whether to leave the lowest and highest 2 % out of account.
    cmap_seq, cmap_bool, cmap_div : str or matplotlib.colors.Colormap
        What is chosen: for numbers on one side of `div_thresh`, booleans, and numbers on both.
    div_thresh : number
        Where a diverging map has its middle.

    Returns
    -------
    matplotlib.colors.Colormap

    Raises
    ------
    ParameterError
        For data that are complex, or of which nothing is finite.

    Examples
    --------
    >>> metalmom.display.infer_cmap(np.array([-1.0, 2.0])).name
    'coolwarm'
    """
    get_cmap = pyplot().get_cmap
    data = np.asarray(data)
    if data.dtype == bool:
        return get_cmap(cmap_bool)
    if not np.isrealobj(data):
        raise ParameterError(f"data.dtype={data.dtype} must be real")
    finite = np.isfinite(data)
    if not finite.all():
        data = data[finite]
    if data.size == 0:
        raise ParameterError("data must have finite values")
    low, high = np.percentile(data, [2, 98]) if robust else (data.min(), data.max())
    return get_cmap(cmap_seq if high <= div_thresh or low >= div_thresh else cmap_div)


def colours(data, kind, limits, kwargs, *, cmap_cyclic, **maps):
    """Add to `kwargs` the colour map and its range, where the user gave none.

    `limits` are the least and greatest value of all data, of which `data` may be a reduction.
    """
    if kind == "phase":
        if "norm" not in kwargs:
            kwargs.setdefault("vmin", -np.pi)
            kwargs.setdefault("vmax", np.pi)
        kwargs.setdefault("cmap", cmap_cyclic)
        return
    given = "cmap" in kwargs
    if kind == "db":
        kwargs.setdefault("cmap", maps["cmap_seq"])
    elif not given:
        kwargs["cmap"] = infer_cmap(data, **maps)
    if "norm" in kwargs:
        return
    from matplotlib import colors

    get_cmap = pyplot().get_cmap
    if not given and data.dtype == bool:
        kwargs["norm"] = colors.BoundaryNorm([0, 0.5, 1], kwargs["cmap"].N)
        return
    # rounded, so that full scale is exactly 0 in spite of the logarithm's last bit
    if kind == "db":
        limits = [round(float(limit), 5) + 0.0 for limit in limits]
    vmin, vmax = kwargs.pop("vmin", None), kwargs.pop("vmax", None)
    vmin, vmax = (limits[0] if vmin is None else vmin, limits[1] if vmax is None else vmax)
    middle = maps["div_thresh"]
    diverges = not given and kind == "data" and kwargs["cmap"] == get_cmap(maps["cmap_div"])
    if diverges and vmin < middle < vmax:
        kwargs["norm"] = colors.TwoSlopeNorm(middle, vmin=vmin, vmax=vmax)
    else:
        kwargs["norm"] = colors.Normalize(vmin=vmin, vmax=vmax)
