"""librosa: the reference, and the peer that every ratio is first taken against."""

import librosa
from adapters.librosa_like import solve

NAME = "librosa"
SOLVE = solve(librosa)
LIKE_LIBROSA = frozenset(SOLVE)


def VERSION():
    return librosa.__version__


def threads(n):
    """Its BLAS and numba read the environment that run_benchmarks.py sets before any import."""
