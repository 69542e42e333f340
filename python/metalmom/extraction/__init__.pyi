# Written by scripts/make_stubs.py from the docstrings.

import os
from collections.abc import Iterable
from typing import Any, Literal
import distributed
from .._types import Int, Number
from .reader import Features
from .run import Summary

__all__ = [
    "extract",
    "open_features",
]

def extract(
    inputs: str | os.PathLike[str] | Iterable[Any] | None,
    out: str | os.PathLike[str],
    *,
    features: str | list[str] | dict[str, Any] | None = None,
    recipe: dict[str, Any] | str | os.PathLike[str] | None = None,
    sr: Number | None = None,
    aggregate: str | list[str] | None = None,
    format: Literal["parquet", "npz"] | None = None,
    jobs: Int | None = None,
    backend: str | None = None,
    memory: Int | str | None = None,
    cache_audio: str | os.PathLike[str] | None = None,
    cache_size: Int | str = "50G",
    path_column: str | None = None,
    overwrite: bool = False,
    retry_failed: bool = False,
    repair: bool = False,
    drop_missing: bool = False,
    changed: Literal["error", "recompute"] = "error",
    max_failures: Int | str | None = None,
    timeout: Number = 300.0,
    progress: Literal["auto", "plain", "json", "none"] = "none",
    scheduler: str | None = None,
    client: distributed.Client | None = None,
) -> Summary: ...
def open_features(out: str | os.PathLike[str]) -> Features: ...
