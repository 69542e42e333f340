"""Folders of audio to tables of features, in runs that can be killed and continued."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal

from ..util._public import public
from ..util._rules import iterable
from ..util._types import Client, Int, Positive, PositiveFloat, PositiveInt
from .reader import Features
from .run import Summary

__all__ = ["extract", "open_features"]


@public
def extract(
    inputs: str | os.PathLike[str] | Annotated[Iterable[Any], iterable().called("iterable of these")] | None,
    out: str | os.PathLike[str],
    *,
    features: str | list[str] | dict[str, Any] | None = None,
    recipe: dict[str, Any] | str | os.PathLike[str] | None = None,
    sr: Positive | None = None,
    aggregate: str | list[str] | None = None,
    format: Literal["parquet", "npz"] | None = None,
    jobs: PositiveInt | None = None,
    backend: str | None = None,
    memory: Int | str | None = None,
    cache_audio: str | os.PathLike[str] | None = None,
    cache_size: Int | str = "50G",
    path_column: str | None = None,
    keep_columns: str | list[str] | None = None,
    root: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    retry_failed: bool = False,
    repair: bool = False,
    drop_missing: bool = False,
    changed: Literal["error", "recompute"] = "error",
    max_failures: Int | str | None = None,
    timeout: PositiveFloat = 300.0,
    progress: Literal["auto", "plain", "json", "none"] | Callable[[dict[str, Any]], object] = "none",
    scheduler: str | None = None,
    client: Client | None = None,
) -> Summary:
    """Compute features of many files and write them as tables.

    A run that was killed is continued by the same call: what is done is not computed again, and
    the bytes in the end are those of an undisturbed run, with any number of workers. A file that
    cannot be read gets a row with the error, and so does one of which a feature cannot be computed,
    beside the values of the others; one that takes its decoder with it ends a child process and not
    the run. `docs/extract.md` has the layout of the tables.

    Parameters
    ----------
    inputs : str, os.PathLike, iterable of these, or None
        Files, folders, tables with a column of paths, URLs that fsspec knows; ``"-"`` for names
        from standard input. None: the files of the earlier run in `out`.
    out : str or os.PathLike
        The folder to write to.
    features : str, list of str or dict, optional
        Features as `Extractor` takes them; they come after those of `recipe`. Without both, an
        earlier run in `out` is continued with its recipe.
    recipe : dict, str or os.PathLike, optional
        A recipe, or a .toml or .json file that holds one.
    sr : number > 0, optional
        The rate that audio is resampled to; if not given that of the recipe, or the default of the
        features: 22050, and the model's of front-ends.
    aggregate : str or list of str, optional
        Statistics over the frames of a file, of ``mean``, ``std``, ``min``, ``max`` and ``median``:
        the tables have one row a file then.
    format : {"parquet", "npz"}, optional
        Parquet where pyarrow is installed, if not given.
    jobs : int > 0, optional
        Files in work at a time; by default the threads that the engine may use.
    backend : str, optional
        As for `metalmom.set_config`; ``"gpu:0,1"`` and ``"gpu:all"`` name several devices, which the processes
        of the run take in turns.
    memory : int or str, optional
        About how much memory the run may take (``"512M"``); a quarter of the machine's if not given.
    cache_audio : str or os.PathLike, optional
        A folder that keeps decoded samples for later runs.
    cache_size : int or str
        How much that folder may hold.
    path_column : str, optional
        The column of .csv, .tsv and .parquet files in `inputs` that holds paths, relative ones from the
        table's folder on.
    keep_columns : str or list of str, optional
        Other columns of these files that the table of files has, too, as texts: labels, speakers.
    root : str or os.PathLike, optional
        A folder above all files. The tables have paths relative to it, so that it may be moved: the next call
        says where it is now.
    overwrite : bool
        Remove the results of an earlier run and start anew.
    retry_failed : bool
        Compute shards again in which files failed, be it in some features only.
    repair : bool
        Compare all tables with their receipts, and compute shards again where one differs.
    drop_missing : bool
        Drop planned files that were moved or deleted: their rows, and what else is of them. Shards
        that they share with others are computed again.
    changed : {"error", "recompute"}
        What becomes of files that have changed since an earlier run.
    max_failures : int or str, optional
        How many files may fail, or which part of them (``"1%"``), before the run ends; those that
        failed in earlier runs count.
    timeout : float > 0, optional
        Seconds that the decoding of a file may take, beside what its size allows; None: any.
    progress : {"auto", "plain", "json", "none"} or callable
        What to show on standard error. A function is called with a dict of figures: ``files``, ``of``,
        ``failed``, ``seconds_left`` and others.
    scheduler : str, optional
        The address of a Dask scheduler that is to run the shards.
    client : distributed.Client, optional
        A client of one, in place of its address.

    Returns
    -------
    Summary
        Files, failures, seconds; its method `open` opens the tables.

    Raises
    ------
    ParameterError
        For wrong arguments, and where `out` holds the results of something else.
    LibrosaError
        Where the run was stopped or cannot go on.

    Examples
    --------
    >>> summary = metalmom.extract("songs", "tables", features=["mfcc", "rms"])  # doctest: +SKIP
    >>> summary.open().frames("mfcc").shape  # doctest: +SKIP
    (20, 12920)
    """
    arguments = locals()
    from .inputs import find
    from .options import paths, settings_of
    from .recipes import merge
    from .run import Run

    settings = settings_of(extract, arguments)
    merged = merge(recipe, features, sr, aggregate, {})
    found = None
    if inputs is not None:
        found = find(paths(inputs), path_column, keep_columns=settings.keep_columns)
    return Run(found, out, merged, settings).whole()


@public
def open_features(out: str | os.PathLike[str]) -> Features:
    """Open the tables that `extract` has written.

    Parameters
    ----------
    out : str or os.PathLike
        The folder that they are in.

    Returns
    -------
    Features
        ``.files`` (columns of the table of files), ``.frames("mfcc")``; iterating over it gives
        file by file.

    Raises
    ------
    ParameterError
        Where there are none.

    Examples
    --------
    >>> features = metalmom.open_features("tables")  # doctest: +SKIP
    >>> features.files["path"][0]  # doctest: +SKIP
    '/data/songs/a.ogg'
    """
    from .options import path
    from .reader import Features

    return Features(path("out", out))
