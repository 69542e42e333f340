"""What ``metalmom extract`` prints: what recipes can name, recipes, plans and reports."""

from __future__ import annotations

import dataclasses
import inspect
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..util._signatures import rules
from .._extractor import _recipe
from ..extraction import strict_json
from ..extraction.fingerprint import fingerprint_of
from ..extraction.inputs import shown
from ..extraction.progress import audio_text
from ..extraction.recipes import Recipe, feature_of_text
from ..extraction.records import told_of_gone
from ..extraction.schema import Schema
from ..extraction.store import QUARANTINE
from ..util._keywords import parameters_of
from ..util._output_files import tell
from ..util._wording import counted
from ._arguments import printable

_OF_ANOTHER = "of another feature, as in -f 'change: delta of=mfcc'"

# What comes from the files, from the recipe as a whole, or makes no difference in tables.
_NOT_SHOWN = ("y", "S", "sr", "out")
_INDENT, _WIDTH = 26, 100


def groups() -> dict[str, list[str]]:
    """Names of the features that are listed, by what is said above them."""
    listed = {path: "y" in parameters_of(function)  # whether it is of audio
              for path, function in sorted(_recipe.features().items()) if function.declared.listed}  # fmt: skip
    modules = {path.rpartition(".")[0] for path, of_audio in listed.items() if of_audio}
    ordered = sorted(modules, key=_recipe.MODULES.index)
    found: dict[str, list[str]] = {_title(module): [] for module in ordered}
    found[_OF_ANOTHER] = []
    for path, of_audio in listed.items():
        module, _, name = path.rpartition(".")
        found[_title(module) if of_audio else _OF_ANOTHER].append(name if module in modules else path)
    return found


def _title(module: str) -> str:
    return f"metalmom.{module}" if module else "metalmom, transforms and pitch"


def list_features() -> int:
    """Print every feature that a recipe can name, by module: what it is, and its parameters."""
    for title, names in groups().items():
        print(f"{title}\n")
        for name in names:
            function, _ = _recipe.find_function(name)
            what, *more = textwrap.wrap(_purpose(function), _WIDTH - _INDENT) or [""]
            print(f"  {name:{_INDENT - 3}} {what}".rstrip())
            given = ", ".join(shown for _, shown in _parameters(function))
            for line in [*more, *textwrap.wrap(given, _WIDTH - _INDENT)]:
                print(" " * _INDENT + line)
        print()
    return 0


def _purpose(function: Callable[..., Any]) -> str:
    """What a function is, in a sentence; nothing where Python was told to keep no docstrings."""
    return " ".join((function.__doc__ or "").partition("\n\n")[0].split())


def _parameters(function: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    """Parameters of a recipe, each with its text: those that must be given (``fmin=...``), and the others."""
    for name in required_of(function):
        yield name, f"{name}=..."
    known = parameters_of(function)
    own_first = dict.fromkeys([*inspect.signature(function).parameters, *known])
    for name, default in ((name, known[name]) for name in own_first if name in known):
        if name not in _NOT_SHOWN and name not in _recipe._INPUTS and default is not inspect.Parameter.empty:
            yield name, f"{name}={getattr(default, '__name__', None) or repr(default)}"


def required_of(function: Callable[..., Any]) -> list[str]:
    """Parameters without which a feature cannot be computed."""
    parameters = inspect.signature(function).parameters.values()
    return [each.name for each in parameters
            if each.default is each.empty and each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)
            and each.name not in _NOT_SHOWN and each.name not in _recipe._INPUTS]  # fmt: skip


def describe(text: str) -> int:
    """Print the parameters and columns of a feature, which is given as ``-f`` takes it."""
    name, spec = feature_of_text(text)
    function, path = _recipe.find_function(spec["feature"])
    print(": ".join(filter(None, [path, _purpose(function)])))
    parameters, said = list(_parameters(function)), rules(function)
    width = max((len(shown) for _, shown in parameters), default=0)
    required, known = required_of(function), parameters_of(function)
    for parameter, shown in parameters:
        told = str(said.get(parameter, ""))
        if parameter in required:
            told += ", required" if told else "required"
        elif told and known[parameter] is None and "None" not in told:
            told += " or None"
        print(f"  {shown:{width}}  {told}".rstrip())
    print()
    missing = [each for each in required if each not in spec]
    if missing:
        given = " ".join(f"{each}=..." for each in missing)
        print(f"  its columns: --describe '{text} {given}'")
    elif "y" not in parameters_of(function) and "of" not in spec:
        print(f"  its columns depend on what it is of: --describe '{text} of=mfcc'")
    else:
        source = spec.get("of")
        features: dict[str, Any] = {source: {}} if isinstance(source, str) else {}
        recipe = Recipe({"features": {**features, name.rpartition(".")[2]: spec}})
        schema = Schema.of(recipe)
        fingerprint_of(recipe, schema)  # which refuses arguments that cannot be computed
        columns(schema)
    return 0


def columns(schema: Schema, statistics: Sequence[str] = ()) -> None:
    """Print the columns of a schema, by part; of frames those of their statistics, where there are such."""
    for part in schema.parts:
        names = part.aggregates(statistics) or part.columns
        span = names[0] if len(names) == 1 else f"{names[0]} ... {names[-1]}"
        unit = f", {part.unit}" if part.unit else ""
        print(f"  {part.table or 'files'}: {span} ({part.dtype}{unit})")


def print_recipe(recipe: Any) -> int:
    """Print a recipe as JSON with every parameter."""
    print(strict_json.dump(Recipe(recipe).spelled, indent=1))
    return 0


def dry_run(run: Any) -> int:
    """Print what a run would do."""
    work = run.work
    work.look()
    entries = work.plan.entries
    size = sum(max(entry.size, 0) for entry in entries)
    for entry in entries:
        print(f"  {entry.file_id:6}  {printable(shown(entry.path))}")
    columns(work.schema, work.recipe.aggregate)
    for line in _of_gone(*([shown(entry.path) for entry in some] for some in (work.gone, work.dropped))):
        print(line)
    # last, where a terminal still shows it after thousands of files
    print(f"{counted(len(entries), 'file')}, {size / 1e6:.1f} MB, in {counted(len(work.plan.shards), 'shard')}; "
          f"{work.manifest['format']} tables; {run.settings.jobs} at a time")  # fmt: skip
    return 0


# So many failures are told with their errors; all are in the table.
_FAILURES = 3

# Seconds of decoding from which on it is told which file took them.
_NOTABLE = 0.1


def report(summary: Any, as_json: bool = False) -> None:
    """Print the report of a run to standard error."""
    if as_json:
        first = dataclasses.replace(summary, failures=summary.failures[:_FAILURES])
        tell(strict_json.dump({"summary": dataclasses.asdict(first)}))
    else:
        tell("\n".join(f"metalmom: {line}" for line in _lines_of(summary)))


def _lines_of(summary: Any) -> Iterator[str]:
    audio = f" ({audio_text(summary.audio_hours)} of audio)" if summary.audio_hours else ""
    now = f"in {summary.seconds:.1f} s{audio}" if summary.computed else "(all were done before)"
    done = f"{summary.computed} computed now {now}, {summary.failed} failed"
    yield f"{counted(summary.files, 'file')} in {summary.out}: {done}"
    yield from _of_gone(summary.gone, summary.dropped)
    if summary.bound_by and summary.audio_hours:
        yield f"bound by {summary.bound_by}"
    slow = [(seconds, path) for seconds, path in summary.slowest if seconds >= _NOTABLE]
    if slow:
        yield "slowest to decode:"
        yield from (f"  {seconds:8.2f} s  {printable(path)}" for seconds, path in slow)
    if summary.failed:
        yield f"failed, as {summary.out}/{QUARANTINE} lists; --retry-failed tries again:"
        for path, error in summary.failures[:_FAILURES]:
            yield f"  {printable(error if path in error else f'{path}: {error}')}"
        if summary.failed > _FAILURES:
            yield f"  and {summary.failed - _FAILURES} more"


def _of_gone(gone: Sequence[str], dropped: Sequence[str]) -> Iterator[str]:
    if gone:
        stay = "rows of such files stay until their shards are computed again; --drop-missing drops them"
        yield printable(f"{told_of_gone(gone)}: {stay}")
    if dropped:
        yield printable(told_of_gone(dropped, "gone, and dropped"))
