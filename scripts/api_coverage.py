#!/usr/bin/env python3
"""Compare metalmom's public names with librosa 1.0.0's: what exists, where, with which signature.

    scripts/api_coverage.py             prints each module's share and what is missing
    scripts/api_coverage.py --record    writes the table anew; needs a Python with librosa 1.0.0

The table, tests_py/reference/api.json, holds for each public name the module that defines it and
its signature without annotations.
"""

import argparse
import importlib
import inspect
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests_py" / "reference" / "api.json"

MODULES = ["", "beat", "decompose", "display", "effects", "feature", "feature.inverse", "filters",
           "onset", "segment", "sequence", "util"]  # fmt: skip


def default_text(value):
    """A default as text that is the same in every process and for both libraries."""
    if inspect.isclass(value):
        return f"{value.__module__}.{value.__qualname__}"
    if callable(value):
        name = getattr(value, "__name__", repr(value))
        return {"amax": "max", "amin": "min"}.get(name, name)  # as NumPy before 1.25 has it
    return repr(value)


def signature_text(function):
    """The parameters of FUNCTION: names, kinds and defaults."""
    parameters = []
    for parameter in inspect.signature(function).parameters.values():
        default = parameter.default
        if default is not inspect.Parameter.empty:
            default = Text(default_text(default))
        parameters.append(parameter.replace(annotation=inspect.Parameter.empty, default=default))
    return str(inspect.Signature(parameters))


class Text(str):
    """A string that prints without quotes."""

    __repr__ = str.__str__


def facts(package, module, name):
    """[defining module, signature] of a public name; no signature for classes and data."""
    value = getattr(importlib.import_module(f"{package}.{module}".rstrip(".")), name)
    home = getattr(value, "__module__", None) or f"{package}.{module}"
    home = home.removeprefix(package).lstrip(".")
    is_function = callable(value) and not inspect.isclass(value)
    return [home, signature_text(value) if is_function else ""]


def found_facts(module, name, home):
    """metalmom's facts of a name; its home is librosa's if the name can be had from there.

    A module may be split in files: what counts is from where a user can import.
    """
    facts_here = facts("metalmom", module, name)
    value = getattr(importlib.import_module(f"metalmom.{module}".rstrip(".")), name)
    try:
        there = importlib.import_module(f"metalmom.{home}".rstrip("."))
    except ImportError:
        return facts_here
    return [home, facts_here[1]] if getattr(there, name, None) is value else facts_here


def librosa_table():
    import librosa

    if librosa.__version__ != "1.0.0":
        sys.exit(f"the reference is librosa 1.0.0, this Python has {librosa.__version__}")
    table = {}
    for module in MODULES:
        names = importlib.import_module(f"librosa.{module}".rstrip(".")).__all__
        values = importlib.import_module(f"librosa.{module}".rstrip("."))
        names = [n for n in sorted(names) if not inspect.ismodule(getattr(values, n))]
        table[module] = {name: facts("librosa", module, name) for name in names}
    return table


def compare(table):
    """Per module: (names librosa has, names metalmom lacks, names that differ with both facts)."""
    for module, names in table.items():
        missing, different = [], []
        for name, expected in names.items():
            try:
                found = found_facts(module, name, expected[0])
            except (ImportError, AttributeError):
                missing.append(name)
                continue
            if found != expected:
                different.append((name, expected, found))
        yield module, list(names), missing, different


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--record", action="store_true", help="write the table from librosa")
    if parser.parse_args().record:
        lines = []
        for module, names in librosa_table().items():
            rows = ",\n".join(f"  {json.dumps(n)}: {json.dumps(f)}" for n, f in names.items())
            lines.append(f"{json.dumps(module)}: {{\n{rows}\n}}")
        TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        return
    sys.path.insert(0, str(ROOT / "python"))
    have = total = 0
    for module, names, missing, different in compare(json.loads(TABLE.read_text())):
        have += len(names) - len(missing)
        total += len(names)
        print(f"{module or 'top level':16} {len(names) - len(missing):3} of {len(names):3}")
        if missing:
            print(f"    missing: {', '.join(missing)}")
        for name, expected, found in different:
            print(f"    {name}: librosa {expected}, metalmom {found}")
    print(f"{'all':16} {have:3} of {total:3}")


if __name__ == "__main__":
    main()
