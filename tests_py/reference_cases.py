"""The one table of reference cases: what is called, on which signal, with which arguments.

Imported by scripts/make_reference.py, which runs it through librosa, and by the tests, which run
it through metalmom. Neither library is imported here.
"""

import dataclasses
import functools
import importlib
import operator
import pathlib
import types
import warnings

import numpy as np
from reference_signals import resolve


@dataclasses.dataclass(frozen=True)
class Case:
    """One call; the function is named as under the package: ``feature.mfcc``, ``stft``."""

    id: str
    function: str
    args: tuple
    kwargs: dict
    part: str  # of the table: cases_<part>.py, whose references are reference/<part>.*


class Table:
    """Collects cases: ``table(function, label, *args, **kwargs)``."""

    def __init__(self):
        self.cases = []
        self.part = ""

    def __call__(self, function, label, /, *args, **kwargs):
        self.cases.append(Case(f"{function}/{label}", function, args, kwargs, self.part))


def as_array(item):
    """An item of a result as an array; a dtype, which is none, by its name."""
    if hasattr(item, "toarray"):  # sparse
        return item.toarray()
    if isinstance(item, (type, np.dtype)):
        return np.asarray(str(np.dtype(item)))
    return np.asarray(item)


def arrays_of(result):
    """The arrays of a result: a tuple's items, a generator's blocks, or the one there is."""
    if isinstance(result, types.GeneratorType):
        result = tuple(result)
    if isinstance(result, list) and result and isinstance(result[0], slice):
        result = [(s.start, s.stop, -1 if s.step is None else s.step) for s in result]
    return [as_array(item) for item in (result if isinstance(result, tuple) else (result,))]


@dataclasses.dataclass
class Outcome:
    """What a call gave: arrays and the categories of its warnings, or the name of its error."""

    input_dtypes: list
    arrays: list
    warned: list
    raised: str = ""


def run(case, library):
    """Call CASE's function of LIBRARY."""
    function = operator.attrgetter(case.function)(library)
    args, kwargs = resolve(case.args), resolve(case.kwargs)
    given = [v.dtype for v in (*args, *kwargs.values()) if isinstance(v, np.ndarray)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            arrays = arrays_of(function(*args, **kwargs))
        except Exception as error:  # its type is the result
            return Outcome(given, [], [], type(error).__name__)
    return Outcome(given, arrays, sorted({w.category.__name__ for w in caught}))


def parts():
    """Names of the table's parts: a file cases_<part>.py is one by being there."""
    here = pathlib.Path(__file__).parent
    return sorted(path.stem.removeprefix("cases_") for path in here.glob("cases_*.py"))


@functools.cache  # parts draw random numbers as they add: what is added twice is not the same
def all_cases():
    table = Table()
    for table.part in parts():
        importlib.import_module(f"cases_{table.part}").add(table)
    ids = [case.id for case in table.cases]
    repeated = {i for i in ids if ids.count(i) > 1}
    assert not repeated, f"ids used twice: {repeated}"
    return tuple(table.cases)
