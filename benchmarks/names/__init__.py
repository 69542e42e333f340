"""A call of every public name of librosa, for `all_names.py`.

Most are cases of the reference table (tests_py/cases_*.py), which both libraries answer alike; what
has none there is in `own.py`, and what is no call in NOT_CALLED. A name that is in none of the three
is an error: a new name cannot be forgotten.
"""

import importlib
import io
import json
import operator
import pathlib
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests_py")]

import reference_cases  # noqa: E402
from names import own  # noqa: E402
from reference_signals import resolve  # noqa: E402

REFERENCE = ROOT / "tests_py" / "reference"

NOT_CALLED = {
    "LibrosaError": "an exception",
    "ParameterError": "an exception",
    "cache": "decorates functions when they are defined",
    "util.Deprecated": "a mark in signatures",
    "util.MAX_MEM_BLOCK": "a number",
    "cite": "librosa asks a server",
    "util.cite": "librosa asks a server",
    "util.example_info": "librosa asks a server",
    "ex": "fetches a recording",
    "example": "fetches a recording",
    "loadx": "fetches a recording",
    "util.ex": "fetches a recording",
    "util.example": "fetches a recording",
}


def all_names():
    """The public names, as under the package: ``feature.mfcc``, ``stft``."""
    table = json.loads((REFERENCE / "api.json").read_text())
    return [f"{module}.{name}".lstrip(".") for module, names in table.items() for name in names]


def first_cases():
    """Function -> its first reference case that succeeds and can be repeated."""
    index = {}
    for part in reference_cases.parts():
        index |= json.loads((REFERENCE / f"{part}.json").read_text())
    found = {}
    for case in reference_cases.all_cases():
        if "raised" not in index.get(case.id, {"raised": ""}) and not any(
            isinstance(value, io.BytesIO)
            for value in (*resolve(case.args), *resolve(case.kwargs).values())
        ):
            found.setdefault(case.function, case)
    return found


def function_of(library, name):
    """What NAME, a dotted path, is in the library; its modules are imported."""
    module, _, last = f"{library.__name__}.{name}".rpartition(".")
    return operator.attrgetter(last)(importlib.import_module(module))


def finished(result):
    """A generator does its work when it is asked for what it yields."""
    return list(result) if isinstance(result, types.GeneratorType) else result


def prepare(library, name, cases):
    """A call of NAME without arguments; None where it is no call, KeyError where there is none."""
    if name in NOT_CALLED:
        return None
    if name in own.CALLS:
        return own.CALLS[name](library)
    case = cases[name]
    function = function_of(library, name)
    args, kwargs = resolve(case.args), resolve(case.kwargs)
    return lambda: finished(function(*args, **kwargs))
