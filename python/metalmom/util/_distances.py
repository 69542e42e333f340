"""Distances between frames: which the engine knows by which name, and SciPy's for the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._packages import required
from .exceptions import Argument, ParameterError

if TYPE_CHECKING:
    from ._types import Array, ArrayLike, Float64Array, Int

# Names that scipy.spatial.distance.cdist knows, in lower case -> the engine's.
_OF_CDIST = {
    **dict.fromkeys(("euclidean", "euclid", "eu", "e"), "euclidean"),
    **dict.fromkeys(("sqeuclidean", "sqe", "sqeuclid"), "sqeuclidean"),
    **dict.fromkeys(("cityblock", "cblock", "cb", "c"), "cityblock"),
    **dict.fromkeys(("chebyshev", "chebychev", "cheby", "cheb", "ch"), "chebyshev"),
    **dict.fromkeys(("cosine", "cos"), "cosine"),
}


def frames_of(given: ArrayLike, name: str, axis: Int = -1) -> Float64Array:
    """Frames along `axis`, each a contiguous row of all the other axes, in float64."""
    data: Array = np.asarray(given)
    if data.dtype.kind not in "fiub":
        raise ParameterError(f"{name}.dtype", data.dtype, "real numbers")
    data = np.atleast_2d(data).swapaxes(axis, 0)
    if data.size == 0:
        raise ParameterError(f"{name}.shape", data.shape, "empty", verb="must not be")
    rows = data.reshape((data.shape[0], -1), order="F")
    return np.ascontiguousarray(rows, dtype=np.float64)


def engine_metric(metric: object) -> str | None:
    """The engine's name of a metric of cdist, None where SciPy has to measure."""
    return _OF_CDIST.get(metric.lower()) if isinstance(metric, str) else None


def pairwise(x: Array, y: Array, metric: Any) -> Float64Array:
    """All distances of the rows of two matrices, by SciPy."""
    cdist = required("scipy.spatial.distance", Argument("metric", metric)).cdist
    try:
        return cdist(x, y, metric=metric)
    except ValueError as error:
        known = "be one that scipy.spatial.distance.cdist knows, and " if isinstance(metric, str) else ""
        raise ParameterError("metric", metric, f"{known}suit the frames: {error}", verb="must") from error
