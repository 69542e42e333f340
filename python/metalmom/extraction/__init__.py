"""Folders of audio to tables of features, in runs that can be interrupted and continued."""

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
    progress: Literal["auto", "plain", "json", "none"] | Callable[[dict[str, Any]], object] | None = "none",
    scheduler: str | None = None,
    client: Client | None = None,
) -> Summary:
    """Compute features of many files and write them as tables.

    If a run was killed, the same call continues it. Finished work is not computed again, and the final
    bytes are those of an undisturbed run, with any number of workers. A file that cannot be read gets a
    row with the error. If one feature of a file cannot be computed, the row has the error and the values
    of the other features. A file that crashes its decoder ends a child process, not the run.
    `docs/extract.md` has the layout of the tables.

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
        The rate to which audio is resampled. By default it is the rate of the recipe, or the default of
        the features: 22050, or the rate of the model for front-ends.
    aggregate : str or list of str, optional
        Statistics over the frames of a file: ``mean``, ``std``, ``min``, ``max``, ``median``. The
        tables then have one row a file.
    format : {"parquet", "npz"}, optional
        By default Parquet if pyarrow is installed, else .npz.
    jobs : int > 0, optional
        Files in work at a time; by default the threads that the engine may use.
    backend : str, optional
        As for `metalmom.set_config`; ``"gpu:0,1"`` and ``"gpu:all"`` name several devices, which the
        processes of the run take in turns.
    memory : int or str, optional
        About how much memory the run may take (``"512M"``); by default a quarter of the machine's.
    cache_audio : str or os.PathLike, optional
        A folder that keeps decoded samples for later runs.
    cache_size : int or str
        How much that folder may hold.
    path_column : str, optional
        The column of .csv, .tsv and .parquet files in `inputs` that holds paths. Relative paths start
        from the folder of the table.
    keep_columns : str or list of str, optional
        Other columns of these files to copy into the table of files, as texts: labels, speakers.
    root : str or os.PathLike, optional
        A folder above all files. The tables hold paths relative to it, so you may move the folder: give its
        new place in the next call.
    overwrite : bool
        Remove the results of an earlier run and start anew.
    retry_failed : bool
        Compute shards again in which files failed, also if only some features failed.
    repair : bool
        Compare all tables with their receipts, and compute shards again where one differs.
    drop_missing : bool
        Drop planned files that were moved or deleted, with their rows and frames. Shards that they
        share with other files are computed again.
    changed : {"error", "recompute"}
        What to do if files have changed since an earlier run.
    max_failures : int or str, optional
        How many files may fail, or which part of them (``"1%"``), before the run ends. Files that
        failed in earlier runs count.
    timeout : float > 0, optional
        Seconds that decoding a file may take, in addition to the time that its size allows; None: no limit.
    progress : {"auto", "plain", "json", "none"}, None or callable
        What to show: ``"auto"`` is a progress bar in a notebook or on a terminal, if tqdm is installed, and
        lines elsewhere; ``"plain"`` and ``"json"`` are lines on standard error. A function is called with a
        dict of figures: ``files``, ``of``, ``failed``, ``seconds_left`` and others.
    scheduler : str, optional
        The address of a Dask scheduler that runs the shards.
    client : distributed.Client, optional
        A client of a scheduler, instead of its address.

    Returns
    -------
    Summary
        Files, failures, seconds; its method `open` opens the tables.

    Raises
    ------
    ParameterError
        For wrong arguments, and if `out` holds the results of another run.
    LibrosaError
        If the run was stopped or cannot go on.

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
        Their folder.

    Returns
    -------
    Features
        It has ``.files`` (the columns of the table of files) and ``.frames("mfcc")``. Iterate over it
        to read file by file.

    Raises
    ------
    ParameterError
        If there are no tables.

    Examples
    --------
    >>> features = metalmom.open_features("tables")  # doctest: +SKIP
    >>> features.files["path"][0]  # doctest: +SKIP
    '/data/songs/a.ogg'
    """
    from .options import path
    from .reader import Features

    return Features(path("out", out))
