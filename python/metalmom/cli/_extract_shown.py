"""What ``metalmom extract`` prints: recipes, plans and reports."""

from __future__ import annotations

import dataclasses
from typing import Any, TYPE_CHECKING

from ..util._output_files import tell
from ..util._wording import counted
from ._features import columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["dry_run", "print_recipe", "report"]


def print_recipe(recipe: Any) -> int:
    """Print a recipe as JSON with every parameter."""
    from ..extraction import strict_json
    from ..extraction.recipes import Recipe

    print(strict_json.dump(Recipe(recipe).spelled, indent=1))
    return 0


def dry_run(run: Any) -> int:
    """Print what a run would do."""
    from ..extraction.inputs import shown

    work = run.work
    work.look()
    entries = work.plan.entries
    size = sum(max(entry.size, 0) for entry in entries)
    for entry in entries:
        print(f"  {entry.file_id:6}  {_on_one_line(shown(entry.path))}")
    columns(work.schema, work.recipe.aggregate)
    for line in _of_gone(*([shown(entry.path) for entry in some] for some in (work.gone, work.dropped))):
        print(line)
    # last, where a terminal still shows it after thousands of files
    print(f"{counted(len(entries), 'file')}, {size / 1e6:.1f} MB, in {counted(len(work.plan.shards), 'shard')}; "
          f"{work.format} tables; {run.jobs} at a time")  # fmt: skip
    return 0


# So many failures are told with their errors; all are in the table.
_FAILURES = 3

# Seconds of decoding from which on it is told which file took them.
_NOTABLE = 0.1


def report(summary: Any, as_json: bool = False) -> None:
    """Print the report of a run to standard error."""
    from ..extraction import strict_json

    if as_json:
        first = dataclasses.replace(summary, failures=summary.failures[:_FAILURES])
        tell(strict_json.dump({"summary": dataclasses.asdict(first)}))
    else:
        tell("\n".join(f"metalmom: {line}" for line in _lines_of(summary)))


def _lines_of(summary: Any) -> Iterator[str]:
    from ..extraction.file_names import QUARANTINE
    from ..extraction.progress import audio_text

    audio = f" ({audio_text(summary.audio_hours)} of audio)" if summary.audio_hours else ""
    now = f"in {summary.seconds:.1f} s{audio}" if summary.computed else "(all were done before)"
    yield f"{counted(summary.files, 'file')} in {summary.out}: {summary.computed} computed now {now}, {summary.failed} failed"
    yield from _of_gone(summary.gone, summary.dropped)
    if summary.bound_by and summary.audio_hours:
        yield f"bound by {summary.bound_by}"
    slow = [(seconds, path) for seconds, path in summary.slowest if seconds >= _NOTABLE]
    if slow:
        yield "slowest to decode:"
        yield from (f"  {seconds:8.2f} s  {_on_one_line(path)}" for seconds, path in slow)
    if summary.failed:
        yield f"failed, as {summary.out}/{QUARANTINE} lists; --retry-failed tries again:"
        for path, error in summary.failures[:_FAILURES]:
            yield f"  {_on_one_line(error if path in error else f'{path}: {error}')}"
        if summary.failed > _FAILURES:
            yield f"  and {summary.failed - _FAILURES} more"


def _of_gone(gone: Sequence[str], dropped: Sequence[str]) -> Iterator[str]:
    from ..extraction.plan import told_of_gone

    if gone:
        stay = "rows of such files stay until their shards are computed again; --drop-missing drops them"
        yield _on_one_line(f"{told_of_gone(gone)}: {stay}")
    if dropped:
        yield _on_one_line(told_of_gone(dropped, "gone, and dropped"))


def _on_one_line(path: str) -> str:
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in path)
