"""Reference cases of segment, and of the filters of decompose that stand on it."""

import numpy as np

rng = np.random.default_rng(7)

# Distances between such frames do not tie, so that there is one answer.
DATA, OTHER = rng.random((4, 40)), rng.random((4, 33))
WIDE = rng.random((20, 36))
BANDWIDTHS = ("med_k_scalar", "mean_k", "gmean_k", "mean_k_avg", "gmean_k_avg", "mean_k_avg_and_pair")
SQUARE = rng.random((21, 21))
MODES = ("connectivity", "distance", "affinity")


def add(case):
    add_recurrence(case)
    add_similarity(case)
    add_lags(case)
    add_segments(case)
    add_paths(case)
    add_filters(case)


def add_recurrence(case):
    rec = "segment.recurrence_matrix"
    for mode in MODES:
        case(rec, mode, DATA, mode=mode)
        case(rec, f"{mode}, self", DATA, mode=mode, self=True, k=5)
        case(rec, f"{mode}, mutual", DATA, mode=mode, sym=True, k=6)
        case(rec, f"{mode}, mutual, self", DATA, mode=mode, sym=True, self=True)
        case(rec, f"{mode}, full", DATA, mode=mode, full=True)
        case(rec, f"{mode}, full, self", DATA, mode=mode, full=True, self=True, k=4)
        case(rec, f"{mode}, width", DATA, mode=mode, width=5, k=4)
        case(rec, f"{mode}, float32", DATA.astype(np.float32), mode=mode)
        case(rec, f"{mode}, wide", WIDE, mode=mode, k=7)
    for bandwidth in BANDWIDTHS:
        for full in (False, True):
            case(
                rec, f"{bandwidth}{', full' if full else ''}", DATA,
                mode="affinity", bandwidth=bandwidth, k=4, full=full,
            )  # fmt: skip
    case(rec, "mean_k, self", DATA, mode="affinity", bandwidth="mean_k", k=4, self=True)
    case(rec, "bandwidth", DATA, mode="affinity", bandwidth=0.5)
    case(rec, "bandwidths", DATA, mode="affinity", bandwidth=1 + rng.random((40, 40)))
    for metric in (
        "sqeuclidean", "manhattan", "cityblock", "chebyshev", "cosine", "l1", "l2", "minkowski",
        "canberra", "correlation", "braycurtis",
    ):  # fmt: skip
        case(rec, metric, DATA, metric=metric, mode="distance", k=5)
    case(rec, "cosine of many", WIDE, metric="cosine", mode="affinity")
    for mode in MODES:
        case(rec, f"cosine, float32, {mode}", DATA.astype(np.float32), metric="cosine", mode=mode)
    case(rec, "all neighbours", DATA, k=100, mode="distance")
    case(rec, "k rounded", DATA, k=2.7)
    case(rec, "first axis", DATA.T, axis=0)
    case(rec, "stereo", rng.random((2, 3, 30)), mode="distance")
    case(rec, "no width", DATA, width=0)
    case(rec, "too wide", DATA, width=19)
    case(rec, "unknown mode", DATA, mode="distances")
    case(rec, "unknown bandwidth", DATA, mode="affinity", bandwidth="median")
    case(rec, "negative bandwidth", DATA, mode="affinity", bandwidth=-1)
    case(rec, "other bandwidths", DATA, mode="affinity", bandwidth=np.ones((3, 40)))
    case(rec, "no bandwidths", DATA, mode="affinity", bandwidth=np.zeros((40, 40)))
    case(rec, "NaN", DATA * np.nan)
    case(rec, "few frames", DATA[:, :4])
    case(rec, "equal frames", np.ones((3, 20)), mode="affinity")


def add_similarity(case):
    cross = "segment.cross_similarity"
    for mode in MODES:
        case(cross, mode, DATA, OTHER, mode=mode)
        case(cross, f"{mode}, few", DATA, OTHER, mode=mode, k=3)
        case(cross, f"{mode}, full", DATA, OTHER, mode=mode, full=True)
        case(cross, f"{mode}, other way", OTHER, DATA, mode=mode, full=True)
    case(cross, "cosine", DATA, OTHER, metric="cosine", mode="affinity")
    for kind in (np.float32, np.float64):
        case(
            cross, f"cosine of float32 and {kind.__name__}", DATA.astype(np.float32),
            OTHER.astype(kind), metric="cosine", mode="affinity",
        )  # fmt: skip
    case(cross, "canberra", DATA, OTHER, metric="canberra", mode="distance")
    case(cross, "float32", DATA.astype(np.float32), OTHER.astype(np.float32), mode="distance")
    case(cross, "stereo", rng.random((2, 3, 12)), rng.random((2, 3, 15)), k=2)
    case(cross, "mean_k", DATA, OTHER, mode="affinity", bandwidth="mean_k")
    case(cross, "bandwidth", DATA, OTHER, mode="affinity", bandwidth=0.3)
    case(cross, "other features", DATA, OTHER[:3])
    case(cross, "unknown mode", DATA, OTHER, mode="near")


def add_lags(case):
    lag, back = "segment.recurrence_to_lag", "segment.lag_to_recurrence"
    for axis in (-1, 0, 1):
        for pad in (True, False):
            case(lag, f"axis {axis}, {pad}", SQUARE, axis=axis, pad=pad)
        case(back, f"axis {axis}", SQUARE, axis=axis)
    case(lag, "bool", SQUARE > 0.5)
    case(back, "padded", rng.random((42, 21)))
    case(back, "padded rows", rng.random((21, 42)), axis=0)
    case(lag, "not square", SQUARE[:5])
    case(back, "other shape", SQUARE[:5])
    case(back, "other axis", SQUARE, axis=3)


def add_segments(case):
    cut = "segment.agglomerative"
    for k in (1, 2, 5, 39, 40):
        case(cut, f"{k}", DATA, k)
    case(cut, "float32", DATA.astype(np.float32), 6)
    case(cut, "one feature", DATA[0], 6)
    case(cut, "first axis", DATA.T, 6, axis=0)
    case(cut, "stereo", rng.random((2, 3, 30)), 4)
    for seed in range(3):
        tied = np.random.default_rng(seed).integers(0, 3, (2, 30)).astype(float)
        case(cut, f"ties {seed}", tied, 9)
    case(cut, "equal frames", np.ones((2, 20)), 5)
    case(cut, "too many", DATA, 41)
    case(cut, "single frame", DATA[:, :1], 1)
    case(cut, "NaN", DATA * np.nan, 3)
    divide = "segment.subsegment"
    case(divide, "default", DATA, np.array([0, 10, 25]))
    case(divide, "two", DATA, np.array([7, 12]), n_segments=2)
    case(divide, "short segments", DATA, np.array([0, 2, 5, 40]), n_segments=5)
    case(divide, "no boundaries", DATA, np.array([], dtype=int))
    case(divide, "first axis", DATA.T, np.array([10]), axis=0)
    case(divide, "no segments", DATA, np.array([10]), n_segments=0)
    case(divide, "single frames", DATA, np.array([10, 11]))


def add_paths(case):
    enhance = "segment.path_enhance"
    case(enhance, "default", SQUARE, 5)
    case(enhance, "float32", SQUARE.astype(np.float32), 7)
    case(enhance, "long", SQUARE, 31)
    case(enhance, "oblong", rng.random((13, 70)), 9, window="hamming")
    case(enhance, "single", SQUARE, 1)
    case(enhance, "even", SQUARE, 6, n_filters=3)
    case(enhance, "ratios", SQUARE, 9, max_ratio=1.5, min_ratio=0.5, n_filters=4)
    case(enhance, "zero mean", SQUARE, 9, zero_mean=True)
    case(enhance, "not clipped", SQUARE, 9, zero_mean=True, clip=False)
    for mode in ("constant", "nearest", "mirror", "wrap"):
        case(enhance, mode, SQUARE, 9, mode=mode)
    case(enhance, "constant 2", SQUARE, 9, mode="constant", cval=2.0)
    case(enhance, "origin", SQUARE, 9, origin=1)
    case(enhance, "cube", rng.random((2, 9, 11)), 3)
    case(enhance, "min over max", SQUARE, 9, min_ratio=3.0)
    case(enhance, "no length", SQUARE, 0)
    case(enhance, "unknown window", SQUARE, 9, window="none")


def add_filters(case):
    smooth = "decompose.nn_filter"
    near = (rng.random((36, 36)) > 0.8) * rng.random((36, 36))
    near[:, 3] = 0
    case(smooth, "default", WIDE)
    case(smooth, "float32", WIDE.astype(np.float32), k=5)
    case(smooth, "median", WIDE, aggregate=np.median, metric="cosine")
    case(smooth, "rec", WIDE, rec=near)
    case(smooth, "weights", WIDE, rec=near, aggregate=np.average)
    case(smooth, "affinity", WIDE, aggregate=np.average, mode="affinity", k=6)
    case(smooth, "first axis", WIDE.T, axis=0, k=4)
    case(smooth, "wide", rng.random((200, 36)), k=4)
    case(smooth, "integers", (WIDE * 100).astype(int), rec=near)
    case(smooth, "other rec", WIDE, rec=near[:5, :5])
    case("decompose.decompose", "no transformer", WIDE, fit=False)
    case("decompose.decompose", "sorted channels", np.stack([WIDE] * 2), sort=True)
