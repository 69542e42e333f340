"""What ``metalmom extract`` prints: recipes, plans and reports."""

from .._outputs import tell

from ._features import columns

__all__ = ["dry_run", "print_recipe", "report"]


def print_recipe(recipe):
    """Print a recipe as JSON with every parameter."""
    from ..extraction import strict_json
    from ..extraction.recipes import Recipe

    print(strict_json.dump(Recipe(recipe).spelled, indent=1))
    return 0


def dry_run(run):
    """Print what a run would do."""
    from ..extraction.inputs import shown
    from ..extraction.words import counted

    work = run.work
    work.look()
    entries = work.plan.entries
    size = sum(max(entry.size, 0) for entry in entries)
    print(f"{counted(len(entries), 'file')}, {size / 1e6:.1f} MB, in {counted(len(work.plan.shards), 'shard')}; "
          f"{work.format} tables; {run.jobs} at a time")  # fmt: skip
    columns(work.schema)
    for entry in entries:
        print(f"  {entry.file_id:6}  {_on_one_line(shown(entry.path))}")
    return 0


def report(summary):
    """Print the report of a run to standard error."""
    files = "1 file" if summary.files == 1 else f"{summary.files} files"
    lines = [f"{files} in {summary.out}: {summary.computed} computed now in "
             f"{summary.seconds:.1f} s ({summary.audio_hours:.2f} h of audio), {summary.failed} failed"]  # fmt: skip
    if summary.bound_by:
        lines.append(f"bound by {summary.bound_by}")
    if summary.slowest:
        lines.append("slowest to decode:")
        lines += [f"  {seconds:8.2f} s  {_on_one_line(path)}" for seconds, path in summary.slowest]
    if summary.failed:
        lines.append(f"{summary.out}/quarantine.csv lists what failed; --retry-failed tries again")
    tell("\n".join(f"metalmom: {line}" for line in lines))


def _on_one_line(path):
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in path)
