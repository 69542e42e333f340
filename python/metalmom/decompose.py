"""Decomposition of spectrograms into parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TYPE_CHECKING

import numpy as np

from . import _native
from ._engine import _args
from .util._public import public
from .util._rules import array, either
from .util._types import (
    Array, DeviceArray, HarmonicPercussive, HarmonicPercussiveInt, Int, NDArray, Number, Placed,
    Positive, PositiveInt, RealArray, Scalar, SparseArray,
)
from .segment import as_matrix, recurrence_links
from .util._checks import require_magnitudes
from .util._declared import Frames, Like, Value, as_feature, has_kernels
from .util._keywords import native_names, takes
from .util._memory import refuse_beyond_memory
from .util._packages import required
from .util.exceptions import Argument, MissingPackageOfArgument, ParameterError
from .util.utils import axis_sort, dtype_c2r

if TYPE_CHECKING:
    from types import SimpleNamespace

__all__ = ["decompose", "hpss", "nn_filter"]
__dir__ = __all__.copy

MEDIAN_NAMES = {
    "kernel_harmonic": "kernel_size",
    "kernel_percussive": "kernel_size",
    "margin_harmonic": "margin",
    "margin_percussive": "margin",
}


def _parts(given: SimpleNamespace) -> tuple[Like, Like]:
    is_mask = given.mask and given.power == np.inf
    numbers = bool if is_mask else float if given.mask else given.source.numbers
    return Like(name="harmonic", numbers=numbers), Like(name="percussive", numbers=numbers)


@has_kernels(
    "spectra, real ones without negative values; medians of at most 31 values", lambda of: {"S": of.spectrum}
)
@as_feature(_parts)
@native_names(**MEDIAN_NAMES)
@public
def hpss(
    S: Annotated[Placed, either(array("..., d, n", values="real or complex"), DeviceArray)],
    *,
    kernel_size: HarmonicPercussiveInt = 31,
    power: Positive = 2.0,
    mask: bool = False,
    margin: HarmonicPercussive = 1.0,
) -> tuple[Placed, Placed]:
    """Separate a spectrogram into harmonic and percussive parts by median filters.

    What lasts along time is harmonic, what spreads along frequency is percussive: a median along
    each axis keeps the one and removes the other, and the ratio of both medians decides how each
    bin is shared.

    Parameters
    ----------
    S : np.ndarray [shape=(..., d, n)], real or complex, or DeviceArray
        Magnitudes (non-negative), or a complex spectrogram, whose phase both parts keep.
    kernel_size : int > 0, or (harmonic, percussive)
        Frames of the median along time and bins of the one along frequency; one number for both.
    power : number > 0
        Exponent of the medians in the masks; ``np.inf`` gives each bin to the larger one.
    mask : bool
        Whether to return the masks instead of `S` times the masks.
    margin : number >= 1, or (harmonic, percussive)
        How many times larger than the other a median must be to count as equal. Above 1, sounds that
        are neither clearly harmonic nor clearly percussive are in neither part.

    Returns
    -------
    harmonic, percussive : np.ndarray [shape=(..., d, n)], real or complex, or DeviceArray
        With the dtype and memory order of `S`; masks are real (bool for an infinite `power`).

    Raises
    ------
    ParameterError
        For values not listed, or where a median of `S` is negative.

    References
    ----------
    D. FitzGerald, "Harmonic/percussive separation using median filtering", DAFx-10, 2010.
    J. Driedger, M. Mueller and S. Disch, "Extending harmonic-percussive separation of audio
    signals", ISMIR 2014.

    Examples
    --------
    >>> S = np.ones((40, 40), dtype=np.float32)
    >>> S[10, :] = 9  # a tone
    >>> S[:, 30] = 9  # a click
    >>> harmonic, percussive = metalmom.decompose.hpss(S, kernel_size=7)
    >>> harmonic[10, 5].round(1), percussive[20, 30].round(1)
    (8.9, 8.9)
    """
    S = _args.array(S)
    if S.ndim < 2:
        raise ParameterError("S.ndim", S.ndim, "at least 2")
    is_complex = np.iscomplexobj(S)
    if is_complex:
        S = S.astype(np.complex64 if S.dtype.itemsize <= 8 else np.complex128, copy=False)
    else:
        # Integers become the type that NumPy makes of them together with a float32.
        S = _args.floating(S.astype(np.result_type(S.dtype, np.float32), copy=False))
    lying, frames_major = _args.planes(S)
    if is_complex:
        lying = lying if _args.on_device(lying) else np.ascontiguousarray(lying)
        lying = lying.view(dtype_c2r(S.dtype))
    parts = _native.hpss(
        S=lying,
        pairs=is_complex,
        frames_major=frames_major,
        mask=bool(mask),
        **median_arguments(
            kernel_size=kernel_size, power=power, margin=margin, frames_major=frames_major,
            row_size=S.shape[-2 if frames_major else -1] * (3 if is_complex else 1),
        ),
    )
    if mask and np.isinf(power):
        parts = [part.astype(bool) for part in parts]
    elif is_complex and not mask:
        parts = [part.view(S.dtype) for part in parts]
    if frames_major:
        parts = [part.swapaxes(-1, -2) for part in parts]
    return tuple(parts)


def median_arguments(
    *, kernel_size: Any, power: Number, margin: Any, frames_major: bool, row_size: int
) -> dict[str, Any]:
    """Native arguments of the medians and masks, from one value for both directions or a pair.

    A window down the rows, which are frames with `frames_major`, holds rows of `row_size` values.
    """
    harmonic, percussive = _pair(kernel_size)
    # A lower bound, in float32: the rows in the window, and the windows of sixteen columns at once.
    n_values = int(harmonic if frames_major else percussive) * row_size
    n_values += 16 * max(int(harmonic), int(percussive))
    refuse_beyond_memory("kernel_size", kernel_size, 4 * n_values)
    margin_harmonic, margin_percussive = _pair(margin)
    return {
        "kernel_harmonic": int(harmonic),
        "kernel_percussive": int(percussive),
        "power": power,
        "margin_harmonic": margin_harmonic,
        "margin_percussive": margin_percussive,
    }


def _pair(value: Any) -> tuple[Any, Any]:
    return (value[0], value[1]) if isinstance(value, (tuple, list)) else (value, value)


# Factors and nearest-neighbour filters of spectrograms.

@as_feature(Like())
@takes(of="segment.recurrence_matrix", but=("data",))
@native_names(data="S")
@public(composed=True)
def nn_filter(
    S: NDArray[Scalar],
    *,
    rec: Array | SparseArray | None = None,
    aggregate: Callable[..., Any] | None = None,
    axis: Int = -1,
    **kwargs: Any,
) -> NDArray[Scalar]:
    """Replace each frame by an aggregate of its nearest neighbours, so that repeated parts stay.

    Parameters
    ----------
    S : np.ndarray
        Features.
    rec : np.ndarray or scipy.sparse array [shape=(n, n)], optional
        Which frames are neighbours, as `metalmom.segment.recurrence_matrix` returns it.
    aggregate : callable, optional
        How neighbours are aggregated, over ``axis=0``; `numpy.mean` by default. `numpy.average`
        takes the values of `rec` for weights.
    axis : int
        Along which frames lie.
    **kwargs
        Arguments of `metalmom.segment.recurrence_matrix`, if there is no `rec`.

    Returns
    -------
    np.ndarray, shape and dtype of `S`
        The filtered features, of the shape and dtype of `S`. A frame without neighbours stays.

    Raises
    ------
    ParameterError
        If `rec` does not fit `S`, or its weights sum to zero.

    References
    ----------
    A. Buades, B. Coll and J.-M. Morel, "A non-local algorithm for image denoising", CVPR 2005.
    Z. Rafii and B. Pardo, "Music/voice separation using the similarity matrix", ISMIR 2012.

    Examples
    --------
    >>> S = np.tile([[1.0, 8.0], [9.0, 2.0]], 8)
    >>> S[0, 4] = 5  # disturbs a repetition
    >>> metalmom.decompose.nn_filter(S, aggregate=np.median, k=4)[0, 4]
    1.0
    """
    S = np.asarray(S)
    if rec is None:
        indices, values, starts = recurrence_links(S, axis=axis, **kwargs)
    else:
        indices, values, starts = _links_of(rec)
    n = S.shape[axis]
    if rec is not None and len(starts) != n + 1:
        raise ParameterError("rec.shape", np.shape(rec), f"({n}, {n})")
    frames = S.swapaxes(0, axis)
    filtered = np.empty_like(S)
    into = filtered.swapaxes(0, axis)
    plain = aggregate in (None, np.mean, np.average) and S.dtype in (np.float32, np.float64)
    if plain:
        weights = {"weights": values} if aggregate is np.average else {}
        means = _native.link_means(frames=frames.reshape(n, -1), indices=indices, starts=starts, **weights)
        into[...] = means.reshape(frames.shape)
        return filtered
    aggregate = np.mean if aggregate is None else aggregate
    for frame in range(n):
        links = slice(starts[frame], starts[frame + 1])
        if links.start == links.stop:
            into[frame] = frames[frame]
            continue
        weights = {"weights": values[links]} if aggregate is np.average else {}
        into[frame] = aggregate(frames[indices[links]], axis=0, **weights)
    return filtered


def _links_of(rec: Any) -> tuple[Array, Array, Array]:
    """The columns of a matrix as the rows of links: indices, values, starts."""
    rec = as_matrix(rec, "rec")
    if rec.shape[0] != rec.shape[1]:
        raise ParameterError("rec.shape", rec.shape, "square")
    if not isinstance(rec, np.ndarray):
        rec = rec.tocsc()
        return rec.indices, rec.data, rec.indptr.astype(np.int64)
    columns, rows = np.nonzero(rec.T)
    starts = np.concatenate(([0], np.cumsum(np.bincount(columns, minlength=len(rec)))))
    return rows.astype(np.int32), rec[rows, columns], starts


def _factors(given: SimpleNamespace) -> tuple[Value, Frames]:
    n_components = given.n_components or given.source.rows[-1]
    return Value((*given.source.rows[-1:], n_components)), Frames(n_components)


@as_feature(_factors, listed=False)
@takes("init", "solver", "tol", "max_iter", "random_state", "alpha_W", "alpha_H", "l1_ratio", "verbose",
       "shuffle", "beta_loss")  # fmt: skip
@public(composed=True)
def decompose(
    S: Annotated[Array, array("..., n_features, n_samples")],
    *,
    n_components: PositiveInt | None = None,
    transformer: object | None = None,
    sort: bool = False,
    fit: bool = True,
    **kwargs: Any,
) -> tuple[RealArray, RealArray]:
    """Factor a spectrogram into components and their activations: ``S ~= components @ activations``.

    Parameters
    ----------
    S : np.ndarray [shape=(..., n_features, n_samples)]
        A spectrogram; channels are further features.
    n_components : int > 0, optional
        How many components; as many as features by default.
    transformer : object, optional
        Anything with ``fit_transform`` (or ``transform``, without `fit`) and ``components_`` as in
        scikit-learn; by default its non-negative matrix factorisation, which needs scikit-learn.
    sort : bool
        Whether to sort components by the feature at which they peak.
    fit : bool
        Whether to estimate components; otherwise those of `transformer` are taken.
    **kwargs
        Arguments of `sklearn.decomposition.NMF`.

    Returns
    -------
    components : np.ndarray [shape=(..., n_features, n_components)], real
        The components of the spectrogram.
    activations : np.ndarray [shape=(n_components, n_samples)], real
        When.

    Raises
    ------
    ParameterError
        Without `fit` and `transformer`; for `sort` of several channels; if scikit-learn is needed
        and not there.

    References
    ----------
    D. D. Lee and H. S. Seung, "Learning the parts of objects by non-negative matrix factorization",
    Nature 401, 1999.

    Examples
    --------
    >>> class Mean:  # any transformer; scikit-learn has better ones
    ...     def fit_transform(self, samples):
    ...         self.components_ = samples.mean(axis=0, keepdims=True)
    ...         return np.ones((len(samples), 1))
    >>> components, activations = metalmom.decompose.decompose(np.eye(3), transformer=Mean())
    >>> components.shape, activations.shape
    ((3, 1), (1, 3))
    """
    S = np.asarray(S)
    if S.ndim < 2:
        raise ParameterError("S.ndim", S.ndim, "at least 2")
    if sort and S.ndim > 2:
        raise ParameterError("sort", sort, f"False for S.shape={S.shape}, of several channels")
    samples = S.T.reshape((S.shape[-1], -1), order="F")
    if n_components is None:
        n_components = samples.shape[-1]
    if transformer is None:
        if not fit:
            raise ParameterError("fit", fit, "True without a transformer")
        if S.dtype.kind not in "biuf":
            raise ParameterError("S.dtype", S.dtype, "real: take np.abs(S)")
        require_magnitudes("S", S)
        nmf = required("sklearn.decomposition", Argument("transformer", None), MissingPackageOfArgument).NMF
        transformer = nmf(n_components=n_components, **kwargs)
    method = getattr(transformer, "fit_transform" if fit else "transform", None)
    if method is None:
        raise ParameterError(
            "transformer", transformer, "have fit_transform (or transform, without fit)", verb="must"
        )
    activations = method(samples).T
    shape = (*S.shape[:-1], -1)
    fitted: Any = transformer
    components = fitted.components_.reshape(shape[::-1], order="F").T
    if sort:
        components, order = axis_sort(components, index=True)
        activations = activations[order]
    return components, activations
