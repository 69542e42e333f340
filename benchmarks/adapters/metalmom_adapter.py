"""metalmom, as this tree has it."""

import metalmom
from adapters.librosa_like import solve

NAME = "metalmom"
SOLVE = solve(metalmom)
LIKE_LIBROSA = frozenset(SOLVE)


def VERSION():
    info = metalmom.build_info()
    return f"{info['version']} {info['revision']} ({info.get('simd', '?')}, {info['compiler']})"


def threads(n):
    metalmom.set_config(threads=n)
