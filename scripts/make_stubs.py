#!/usr/bin/env python3
"""Write the types of metalmom's public names, python/metalmom/**/*.pyi, from its docstrings.

    scripts/make_stubs.py             writes the files anew
    scripts/make_stubs.py --check     says which are not what would be written, and exits 1

Signatures come from the functions, types from annotations where there are any and otherwise from
the sections Parameters and Returns. "if `sparse`" there makes an overload for each value of the
flag, "float or np.ndarray" one for numbers and one for arrays.
"""

import argparse
import importlib
import inspect
import itertools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

import metalmom  # noqa: E402
from metalmom import _native  # noqa: E402
from stub_classes import class_text, native_text  # noqa: E402
from stub_functions import function_text  # noqa: E402
from stub_types import Unknown  # noqa: E402

HEAD = "# Written by scripts/make_stubs.py from the docstrings.\n"

# What stubs need beside NumPy: words in their text, and how they are imported.
IMPORTS = (
    (r"\bconcurrent\.futures\._base\.", "import concurrent.futures._base"),
    (r"\bos\.", "import os"),
    (r"\bTracebackType\b", "from types import TracebackType"),
    (r"\b(?:Callable|Iterable|Iterator|Mapping|Sequence)\b", "collections.abc"),
    (r"\b(?:Any|ClassVar|Literal|NamedTuple|Protocol|Self|TypeAlias|TypeVar|overload)\b", "typing"),
    (r"\bnp\.", "import numpy as np"),
    (r"\bnpt\.", "import numpy.typing as npt"),
    (r"\bcycler\.", "import cycler"),
    (r"\bdistributed\.", "import distributed"),
    (r"\bmatplotlib(?:\.[a-z_]+)+(?=\.[A-Z])", "import"),
    (r"\bscipy\.sparse\b", "import scipy.sparse"),
)
# Names of the package that types are made of, and where they live; below a folder, maybe elsewhere.
HOMES_BELOW = {"extraction": {"Summary": "extraction.run"}}
HOMES = {
    "Int": "_types", "Number": "_types", "Readable": "_types", "Distribution": "_types",
    "DlpackArray": "_types", "CudaArray": "_types", "SparseArray": "_types",
    "Function": "_types", "DeviceArray": "_native", "Scope": "_native", "Device": "_engine.backend",
    "Deprecated": "util.deprecation", "Features": "extraction.reader",
    "FileFeatures": "extraction.reader", "Graph": "_extractor.graph_view", "Summary": "_trace.summary",
}  # fmt: skip

TYPES = HEAD + '''
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Int: TypeAlias = int | np.integer[Any]
Number: TypeAlias = float | np.floating[Any] | np.integer[Any]
Function = TypeVar("Function", bound=Callable[..., Any])
SparseArray: TypeAlias = Any  # SciPy's csr_array, csc_array ...

class Readable(Protocol):
    def read(self, size: int = ..., /) -> Any: ...

class Distribution(Protocol):
    """A frozen distribution of scipy.stats, or whatever has its `logpdf`."""

    def logpdf(self, x: Any, /) -> npt.NDArray[np.floating[Any]]: ...

class DlpackArray(Protocol):
    def __dlpack_device__(self) -> tuple[Any, Any]: ...

class CudaArray(Protocol):
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
'''


def within(module_name):
    return module_name.partition(".")[2]


UNKNOWN = []
REACHED = {}  # module -> its names that other modules show


def modules():
    """The modules whose names users reach, and those that define these names."""
    found = {name: importlib.import_module(name) for name in ("metalmom", "metalmom.util.decorators")}
    waiting = list(found.values())
    for home in [*HOMES.values(), *(h for homes in HOMES_BELOW.values() for h in homes.values())]:
        if home not in ("_types", "_native"):
            found[f"metalmom.{home}"] = importlib.import_module(f"metalmom.{home}")
    while waiting:
        module = waiting.pop()
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            there = value if inspect.ismodule(value) else sys.modules[home_of(module, name)]
            REACHED.setdefault(there.__name__, set()).update((name, type(value).__name__))
            if there.__name__ not in found and there is not _native:
                found[there.__name__] = there
                waiting.append(there)
    return found


def is_made_here(module, name):
    """Whether a name is an object of a class of its own module."""
    return type(getattr(module, name)).__module__ == module.__name__


def shown(module):
    """The names of a module that its stub has: of a private one, those that users meet."""
    names = list(getattr(module, "__all__", ()))
    names = [type(getattr(module, name)).__name__ for name in names if is_made_here(module, name)] + names
    if "._" in module.__name__ or module.__name__.startswith("metalmom.extraction."):
        names = [name for name in names if name in REACHED.get(module.__name__, ())]
    return list(dict.fromkeys([*names, *also_home_to(module)]))


def home_of(module, name):
    value = getattr(module, name)
    if inspect.ismodule(value):
        return module.__name__
    if value is getattr(_native, name, None) and inspect.isclass(value):
        return "metalmom._native"
    home = getattr(value, "__module__", None)
    if not (inspect.isclass(value) or inspect.isfunction(value)):
        for found in sorted(sys.modules):
            other = sys.modules[found]
            if found.startswith("metalmom") and name in getattr(other, "__all__", ()) and (
                found != module.__name__ and found not in ("metalmom", "metalmom.core", "metalmom.util")
            ) and getattr(other, name, None) is value:
                return found
        return module.__name__
    return home if home and home.startswith("metalmom") else module.__name__


def module_text(module):
    imports, own, submodules = [], [], []
    names = shown(module)
    for name in names:
        value = getattr(module, name)
        home = home_of(module, name)
        if inspect.ismodule(value):
            submodules.append(name)
        elif home != module.__name__:
            imports.append((home, name))
        else:
            try:
                own.append(value_text(value, name))
            except Unknown as unknown:
                UNKNOWN.append(f"{module.__name__}: {unknown}")
    lines = [f"from . import {name} as {name}" for name in submodules]
    for home, group in itertools.groupby(sorted(imports), key=lambda pair: pair[0]):
        lines.extend(f"from {relative(module, home)} import {name} as {name}" for _, name in group)
    body = "\n".join(own)
    exported = "\n".join(f'    "{name}",' for name in names)
    whole = f"__all__ = [\n{exported}\n]\n\n{body}" if hasattr(module, "__all__") else body
    local = set(names) | {name for _, name in imports}
    text = "\n".join([HEAD, header(module, body, local) + "\n".join(lines), whole.rstrip()])
    return re.sub(r"\n{3,}", "\n\n", text) + "\n"


def also_home_to(module):
    """Names beside ``__all__`` that types of other stubs are made of."""
    homes = [*HOMES.items(), *(pair for below in HOMES_BELOW.values() for pair in below.items())]
    return [name for name, home in homes if f"metalmom.{home}" == module.__name__]


def value_text(value, name):
    if inspect.isclass(value):
        return class_text(value, name)
    if inspect.isfunction(value):
        return function_text(value, name)
    if isinstance(value, (str, int, float)):
        return f"{name}: {type(value).__name__}"
    return f"{name}: {type(value).__name__}"


def relative(module, home):
    """`home` as an import in the stub of `module` names it."""
    base = module.__name__ if hasattr(module, "__path__") else module.__name__.rpartition(".")[0]
    dots = "."
    while not (home + ".").startswith(base + "."):
        base, dots = base.rpartition(".")[0], dots + "."
    return dots + home[len(base) + 1 :]


def header(module, body, local):
    """The imports that the types of a stub need."""
    lines = []
    has_scalar = "_Scalar]" in body
    words = f"{body} TypeVar" if has_scalar else body
    for pattern, how in IMPORTS:
        found = sorted(set(re.findall(pattern, words)))
        if not found:
            continue
        if how == "import":
            lines.extend(f"import {name}" for name in found)
        elif how in ("typing", "collections.abc"):
            lines.append(f"from {how} import {', '.join(found)}")
        else:
            lines.append(how)
    types = [name for name in sorted({*HOMES, "Extractor", "AdaptiveWaveplot"} - local)
             if re.search(rf"(?<![\w.]){name}\b", body)]  # fmt: skip
    homes = {**HOMES, **HOMES_BELOW.get(within(module.__name__).partition(".")[0], {})}
    for home, group in itertools.groupby(sorted(types, key=homes.get), key=homes.get):
        lines.append(f"from {relative(module, 'metalmom.' + home)} import {', '.join(group)}")
    if has_scalar:
        lines.append('\n_Scalar = TypeVar("_Scalar", bound=np.generic)')
    return "\n".join(lines) + "\n\n" if lines else ""


def stubs():
    """Path below python/metalmom -> text, of every stub."""
    written = {pathlib.Path("_types.pyi"): TYPES}
    for name, module in sorted(modules().items()):
        below = within(name).replace(".", "/")
        path = f"{below}/__init__.pyi".lstrip("/") if hasattr(module, "__path__") else f"{below}.pyi"
        written[pathlib.Path(path)] = module_text(module)
    body = native_text()
    written[pathlib.Path("_native.pyi")] = HEAD + "\n" + header(metalmom, body, {"DeviceArray", "Scope"}) + body + "\n"
    if UNKNOWN:
        sys.exit("docstrings that say nothing of a type:\n" + "\n".join(UNKNOWN))
    return written


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    arguments = parser.parse_args()
    package = ROOT / "python" / "metalmom"
    wanted = stubs()
    there = {path.relative_to(package) for path in package.rglob("*.pyi")}
    stale = sorted(there - set(wanted))
    stale += [
        path for path, text in sorted(wanted.items())
        if path not in there or (package / path).read_text() != text
    ]  # fmt: skip
    for path in stale:
        print(f"python/metalmom/{path}")
        if not arguments.check:
            if path in wanted:
                (package / path).write_text(wanted[path])
            else:
                (package / path).unlink()
    sys.exit(1 if stale and arguments.check else 0)


if __name__ == "__main__":
    main()
