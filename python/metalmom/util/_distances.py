"""Distances between frames: which the engine knows by which name, and SciPy's for the others."""

import numpy as np

from ._packages import required
from .exceptions import ParameterError

# Names that scipy.spatial.distance.cdist knows, in lower case -> the engine's.
_OF_CDIST = {
    **dict.fromkeys(("euclidean", "euclid", "eu", "e"), "euclidean"),
    **dict.fromkeys(("sqeuclidean", "sqe", "sqeuclid"), "sqeuclidean"),
    **dict.fromkeys(("cityblock", "cblock", "cb", "c"), "cityblock"),
    **dict.fromkeys(("chebyshev", "chebychev", "cheby", "cheb", "ch"), "chebyshev"),
    **dict.fromkeys(("cosine", "cos"), "cosine"),
}


def frames_of(data, name, axis=-1):
    """Frames along `axis`, each a contiguous row of all the other axes, in float64."""
    data = np.asarray(data)
    if data.dtype.kind not in "fiub":
        raise ParameterError(f"{name}.dtype", data.dtype, "real numbers")
    data = np.atleast_2d(data).swapaxes(axis, 0)
    if data.size == 0:
        raise ParameterError(f"{name}.shape", data.shape, "empty", verb="must not be")
    rows = data.reshape((data.shape[0], -1), order="F")
    return np.ascontiguousarray(rows, dtype=np.float64)


def engine_metric(metric):
    """The engine's name of a metric of cdist, None where SciPy has to measure."""
    return _OF_CDIST.get(metric.lower()) if isinstance(metric, str) else None


def pairwise(x, y, metric):
    """All distances of the rows of two matrices, by SciPy."""
    cdist = required("scipy.spatial.distance", f"metric={metric!r}").cdist
    try:
        return cdist(x, y, metric=metric)
    except ValueError as error:
        raise ParameterError("metric", metric, f"suit the frames: {error}", verb="must") from error
