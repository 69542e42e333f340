"""What ``metalmom extract`` prints: features, recipes, plans and reports."""

from .._outputs import tell

__all__ = ["describe", "dry_run", "list_features", "print_recipe", "report"]


def list_features():
    """Print every function that a recipe can name, by module, with what it does."""
    from .. import _recipe

    for module in _recipe._MODULES:
        names = sorted(
            name for name in _recipe._package(module).__all__
            if _recipe._starting_parameter(getattr(_recipe._package(module), name, None))
        )  # fmt: skip
        for name in names:
            function = getattr(_recipe._package(module), name)
            print(f"{f'{module}.{name}'.lstrip('.'):36} {(function.__doc__ or '').splitlines()[0]}")
    return 0


def describe(name):
    """Print a feature's parameters and the columns that it gives."""
    import inspect

    from .. import _recipe
    from ..extraction.recipes import Recipe
    from ..extraction.schema import Schema

    function, path = _recipe.find_function(name)
    print(f"{path}: {(function.__doc__ or '').splitlines()[0]}")
    for key, default in _recipe.parameters_of(function).items():
        if key not in ("y", "S") and default is not inspect.Parameter.empty:
            print(f"  {key}={getattr(default, '__name__', None) or repr(default)}")
    print()
    columns(Schema.of(Recipe({"features": {name.rpartition(".")[2]: {"feature": name}}})))
    return 0


def columns(schema):
    """Print the columns of a schema, by part."""
    for part in schema.parts:
        names = part.columns
        span = names[0] if len(names) == 1 else f"{names[0]} ... {names[-1]}"
        unit = f", {part.unit}" if part.unit else ""
        print(f"  {part.table or 'files'}: {span} ({part.dtype}{unit})")


def print_recipe(recipe):
    """Print a recipe as JSON with every parameter."""
    from ..extraction import strict_json
    from ..extraction.recipes import Recipe

    print(strict_json.dump(Recipe(recipe).spelled, indent=1))
    return 0


def dry_run(run):
    """Print what a run would do."""
    from ..extraction.inputs import shown
    from ..extraction.schema import Schema

    plan = run.planned()
    size = sum(max(entry.size, 0) for entry in plan.entries)
    print(f"{len(plan.entries)} files, {size / 1e6:.1f} MB, in {len(plan.shards)} shards; "
          f"{run.format} tables; {run.jobs} at a time")  # fmt: skip
    columns(Schema.of(run.recipe))
    for entry in plan.entries:
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
