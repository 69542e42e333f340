"""``metalmom extract IN... -o OUT``: folders of audio to tables of features."""

from __future__ import annotations

import contextlib
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from typing import Any

from .. import trace
from ..extraction import extract
from ..extraction.options import STATISTICS, devices_of, options_of, settings_of
from ..util._output_files import require_writable
from ..util._wording import names_in
from ..util.exceptions import ParameterError
from ..util.files import expanded
from ._arguments import any_number, backend, positive, positive_number, sentence, stopped

HELP = "compute features of the audio files in folders and write them as tables"
USAGE = "IN... -o OUT (--features A,B | -f SPEC | -F FILE) [options]"

QUARANTINED = 4

WHAT = "--features, -f or -F must say what to compute"


def backends(text: str) -> str:
    """A backend's name, which may be of several devices."""
    return backend(text, devices_of)


def add_arguments(parser: ArgumentParser) -> None:
    options = options_of(extract)

    def add(group: Any, name: str, *short: str, **how: Any) -> None:
        """Add the option that stands for an argument of `metalmom.extract`, which declares its default and values."""
        default, choices, *_ = options[name]
        if choices == (False, True):
            how["action"] = "store_true"
        elif choices:
            how["choices"] = choices
        group.add_argument(*short, f"--{name.replace('_', '-')}", **{"default": default, **how})

    what = parser.add_argument_group("what to compute")
    parser.add_argument("inputs", nargs="*", type=expanded, metavar="IN",
                        help="files, folders, URLs, '-' (names from standard input, one per line or each "
                             "ended by a zero byte), or tables with --path-column")
    parser.add_argument("-o", "--out", type=expanded, metavar="OUT", help="the folder to write to")
    add(what, "features", action="append", default=[], metavar="A,B",
        help="features by name; --list-features lists them")
    add(what, "recipe", "-F", action="append", type=expanded, metavar="FILE", help="a recipe, .toml or .json")
    what.add_argument("-f", "--feature", action="append", default=[], metavar="SPEC",
                      help="one more feature: 'mfcc40: mfcc n_mfcc=40'")
    what.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                      help="an argument for all features that have it: hop_length=256")
    add(what, "sr", type=any_number, metavar="HZ",
        help="the rate to which audio is resampled (by default that of the features: 22050, or a "
             "front-end's)")
    add(what, "aggregate", action="append", metavar="A,B",
        help=f"one row per file: {', '.join(STATISTICS)} of the frames")
    what.add_argument("--null", action="store_true",
                      help="names from standard input end with zero bytes, as find -print0 writes "
                           "them; not needed if the input contains a zero byte")
    add(what, "path_column", metavar="NAME",
        help="the column of paths in the .csv, .tsv and .parquet files among IN")
    add(what, "keep_columns", action="extend", metavar="A,B", type=names_in,
        help="other columns of these files to copy into the table of files, such as labels")
    add(what, "root", type=expanded, metavar="DIR",
        help="write paths relative to this folder, which contains all files and may be moved later")
    how = parser.add_argument_group("how to run")
    add(how, "format", help="format of the tables; by default that of an earlier run in OUT, or else parquet "
                            "if pyarrow is installed, or else npz")
    add(how, "jobs", "-j", type=positive, metavar="N", help="number of files to compute at a time")
    add(how, "backend", type=backends, metavar="NAME",
        help="where to compute: cpu (the default), auto, gpu, gpu:1, gpu:all (one device for each process)")
    add(how, "memory", metavar="BYTES",
        help="memory that the run may use: 512M, 4G ...; by default a quarter of the machine's")
    add(how, "cache_audio", type=expanded, metavar="DIR", help="keep decoded samples in DIR for other runs")
    add(how, "cache_size", metavar="BYTES", help="how much DIR may contain (%(default)s)")
    add(how, "timeout", type=positive_number, metavar="SECONDS",
        help="how long decoding a file may take (%(default)g), in addition to a time for its size")
    add(how, "scheduler", metavar="ADDRESS", help="run on a Dask cluster: tcp://host:8786")
    # functions show no progress unless they are told to, and commands do
    add(how, "progress", default="auto",
        help="a bar on a terminal, else a line every ten seconds; lines of JSON; nothing")
    how.add_argument("--trace", type=expanded, metavar="OUT.html",
                     help="write a page that shows where the time went")
    again = parser.add_argument_group("another run on the same OUT")
    add(again, "overwrite", help="start a new run; remove the tables of the earlier one")
    add(again, "retry_failed", help="try failed files again, including those of which some features failed")
    add(again, "repair", help="compute tables again that differ from their receipts; you may omit IN and the "
                              "features, also with --retry-failed")  # fmt: skip
    add(again, "drop_missing", help="drop files that were moved or deleted, with their rows and frames")
    add(again, "changed", help="what to do with files that have changed")
    add(again, "max_failures", metavar="N",
        help="end the run when more files fail, including those of earlier runs: 100, 1%%")
    show = parser.add_argument_group("show without computing")
    show.add_argument("--dry-run", action="store_true", help="the files, the columns, the shards")
    show.add_argument("--list-features", action="store_true",
                      help="the features that a recipe can name, with their parameters")
    show.add_argument("--describe", metavar="SPEC",
                      help="parameters and columns of a feature: mfcc, 'yin fmin=60 fmax=500'")
    show.add_argument("--print-recipe", action="store_true", help="the recipe with every parameter")
    parser.set_defaults(hint_at=commas_meant)  # where an argument is none


@contextlib.contextmanager
def usage(args: Namespace, errors: type[Exception] = ParameterError) -> Iterator[None]:
    """An error of the block is one of wrong usage."""
    try:
        yield
    except errors as error:
        args.refuse(sentence(error, args))


def run(args: Namespace) -> int:
    """Show what is asked for, or compute: then it is told of an interrupt, whenever it comes."""
    try:
        return shown_or_computed(args)
    except KeyboardInterrupt:  # before the first shard: later ones are `Stopped`
        if args.list_features or args.describe or args.print_recipe or args.dry_run:
            raise
        return stopped("interrupted: the same command continues", args.progress == "json")


def shown_or_computed(args: Namespace) -> int:
    from ..extraction.store import MANIFEST, open_store
    from . import _extract_shown as shown

    if args.list_features:
        return shown.list_features()
    if args.describe:
        with usage(args):
            return shown.describe(args.describe)
    with usage(args):
        recipe = recipe_of(args)
    continues = args.out and not args.overwrite and MANIFEST in open_store(args.out).names()
    if recipe is None and (args.print_recipe or not continues):
        is_continued = args.out and not args.inputs and not args.overwrite and not args.print_recipe
        args.refuse(WHAT + (f": {args.out} contains no run that could be continued" if is_continued else ""))
    if args.print_recipe:
        return shown.print_recipe(recipe)
    if not args.inputs and not continues:
        args.refuse("the following arguments are required: IN")
    if args.out is None:
        args.refuse("the following arguments are required: -o/--out")
    return extracted(args, recipe)


def recipe_of(args: Namespace) -> dict[str, Any] | None:
    """The recipe that the options spell; None where there is none."""
    from ..extraction.recipes import Recipe, feature_of_text, merge, setting_of_text

    named: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in names_of(args.features)]
    for text in args.feature:
        name, spec = feature_of_text(text)
        if "," in spec["feature"]:
            rule = "one feature; --features takes names with commas between them"
            raise ParameterError(f"-f {text!r}", rule=rule)
        named.append((name, spec))
    features = dict(named)
    if len(features) < len(named):
        args.refuse(f"--features and -f must name a feature once: {', '.join(name for name, _ in named)}")
    settings = dict(setting_of_text(text, "--set") for text in args.set)
    if "sr" in settings:
        args.refuse(f"--set sr={settings['sr']} must be given as --sr: it is the rate of all features")
    sr = int(args.sr) if args.sr is not None and args.sr.is_integer() else args.sr
    if args.recipe is not None and len(args.recipe) > 1:
        args.refuse(f"-F must be given once: {', '.join(args.recipe)}")
    if not features and args.recipe is None and (settings or sr is not None or args.aggregate is not None):
        args.refuse(WHAT)
    source = None if args.recipe is None else args.recipe[0]
    statistics = None if args.aggregate is None else ",".join(args.aggregate)
    recipe = merge(source, features or None, sr, statistics, settings)
    if recipe is not None:
        Recipe(recipe)  # which refuses what is wrong with it
    return recipe


# Values of parameters that have no default, where a name alone is no feature.
EXAMPLES = {"fmin": 65, "fmax": 2093}


def names_of(texts: Iterable[str]) -> list[str]:
    """Names of features that can be computed without further arguments."""
    from .._extractor import _recipe
    from ._extract_shown import required_of

    names = []
    for text in texts:
        some = names_in(text)
        if not all(re.fullmatch(r"[^\s=:]+", name) for name in some):
            rule = "names with commas between them; -f takes one with arguments: -f 'mfcc n_mfcc=13'"
            raise ParameterError("features", text, rule)
        names += some
    for name in names:
        if missing := required_of(_recipe.find_function(name)[0]):
            given = " ".join(f"{each}={EXAMPLES.get(each, '...')}" for each in missing)
            raise ParameterError("features", name, f"given with {' and '.join(missing)}: -f '{name} {given}'")
    return names


def commas_meant(args: Namespace, name: str) -> str:
    """How to name several features, where one of them was taken for a file."""
    from .._extractor import _recipe

    with contextlib.suppress(ParameterError):
        if args.features and _recipe.find_function(name):
            return "; --features takes names with commas between them"
    return ""


def extracted(args: Namespace, recipe: dict[str, Any] | None) -> int:
    """Do it; the status that it ends with."""
    from ..extraction.inputs import find
    from ..extraction.run import Run, Stopped
    from ..extraction.schema import Unusable
    from . import _extract_shown as shown

    if args.trace:
        require_writable(args.trace, "page", name="--trace")
    with usage(args):
        settings = settings_of(extract, vars(args))
        try:
            found = None
            if args.inputs:
                found = find(args.inputs, args.path_column, args.null, settings.keep_columns)
        except FileNotFoundError as error:
            args.refuse(f"{error.filename}: {error.strerror}{commas_meant(args, error.filename)}")
        run = Run(found, args.out, recipe, settings)
    try:
        with usage(args, Unusable), contextlib.ExitStack() as stack:
            if args.dry_run:
                return shown.dry_run(run)
            if args.trace:
                recording = trace.record()
                stack.callback(recording.save, args.trace)
                stack.enter_context(recording)
            summary = run.whole()
    except Stopped as error:
        return stopped(str(error), args.progress == "json")
    if args.progress != "none":
        shown.report(summary, as_json=args.progress == "json")
    return QUARANTINED if summary.failed else 0
