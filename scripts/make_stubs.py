#!/usr/bin/env python3
"""Write the stubs that type checkers need: of the extension module, and of modules that gather others' names.

    scripts/make_stubs.py             writes the files anew
    scripts/make_stubs.py --check     says which are not what would be written, and exits 1

All other modules have inline annotations.
"""

import argparse
import ast
import inspect
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "metalmom"
sys.path.insert(0, str(ROOT / "python"))

from metalmom import _native  # noqa: E402
from metalmom._engine import device_array  # noqa: E402,F401: it gives DeviceArray its methods

HEAD = "# Written by scripts/make_stubs.py.\n"

# Folders whose modules define nothing -> where the names are imported, by ``*`` or by name.
FACADES = {"": "_facade.py", **dict.fromkeys(("core", "feature", "frontend", "streaming", "trace", "util"), "__init__.py")}

_SPECIAL = ("__init__", "__call__", "__enter__", "__exit__", "__array__", "__len__", "__getitem__")
_IMPORTS = """\
from typing import Any

import numpy as np
import numpy.typing as npt
"""
_TYPES = {
    "object": "Any", "handle": "Any", "list": "list[Any]", "dict": "dict[str, Any]", "tuple": "tuple[Any, ...]",
    "dtype": "np.dtype[Any]",
}  # fmt: skip
_TYPES_OF_VALUES = {"list": "list[str]", "tuple": "tuple[str, ...]", "dict": "dict[str, Any]"}


def facade_text(folder):
    """The imports of a folder's names, as a stub hands them on."""
    lines = []
    for node in ast.parse((PACKAGE / folder / FACADES[folder]).read_text()).body:
        if not isinstance(node, ast.ImportFrom) or node.level != 1:
            continue
        home = "." + (node.module or "")
        for each in node.names:
            if each.name == "*":
                lines.append(f"from {home} import *")
            elif each.asname:
                lines += [f"from {home} import {each.name}", f"{each.asname} = {each.name}"]
            elif not each.name.startswith("_"):
                lines.append(f"from {home} import {each.name} as {each.name}")
    return "\n".join([HEAD, *lines]) + "\n"


def native_type(text):
    """A type in a signature of pybind11's as that of a stub."""
    text = re.sub(r"metalmom(\._native|::bridge|)(\.|::)", "", text.strip())
    text = re.sub(r"numpy\.ndarray\[numpy\.(\w+)\]", r"npt.NDArray[np.\1]", text)
    text = text.replace("numpy.ndarray", "npt.NDArray[Any]").replace("numpy.dtype", "dtype")
    text = re.sub(r"\b(List|Dict|Tuple)\[", lambda m: m[0].lower(), text)
    text = re.sub(r"Optional\[(\w+(\[[^\[\]]*\])?)\]", r"\1 | None", text)
    return _TYPES.get(text, text)


def native_signature(doc, name):
    """A signature of pybind11's as that of a stub."""
    first = doc.strip().split("\n")[0]
    match = re.match(r"\w*\((.*)\) -> (.*)$", first)
    if not match:
        return f"def {name}(*args: Any, **kwargs: Any) -> Any: ..."
    parts = []
    for part in re.split(r", (?![^\[]*\])", match[1]) if match[1] else []:
        head, colon, kind = part.partition(": ")
        kind, equals, _ = kind.partition(" = ")
        if head == "self":
            parts.append("self")
        elif colon:
            parts.append(f"{head}: {native_type(kind)}" + (" = ..." if equals else ""))
        else:
            parts.append(f"{head}: Any" if head.startswith("*") and head != "*" else head)
    if any(part.startswith("arg0") for part in parts):  # without names: by position alone
        last = max(i for i, part in enumerate(parts) if re.match(r"arg\d", part))
        parts = [re.sub(r"^arg", "_", part) for part in parts]
        parts.insert(last + 1, "/")
    return f"def {name}({', '.join(parts)}) -> {native_type(match[2])}: ..."


def python_signature(function, name):
    """The signature of a method that is written in Python."""
    signature = inspect.signature(function)
    parts = []
    for each in signature.parameters.values():
        if each.kind is each.KEYWORD_ONLY and not any(part.startswith("*") for part in parts):
            parts.append("*")
        text = str(each.replace(annotation=each.empty, default=each.empty))
        if each.annotation is not each.empty:
            text += f": {each.annotation}"
        parts.append(text if each.default is each.empty else f"{text} = ...")
        if each.kind is each.POSITIONAL_ONLY:
            parts = [part for part in parts if part != "/"] + ["/"]
    return f"def {name}({', '.join(parts)}) -> {signature.return_annotation}: ..."


def native_class(cls):
    lines = []
    for name, value in sorted(vars(cls).items()):
        if isinstance(value, property):
            kind = native_type(value.fget.__doc__.strip().split(" -> ")[-1].split("\n")[0])
            if name == "shape":
                kind = "tuple[int, ...]"
            lines.append(f"@property\ndef {name}(self) -> {kind}: ...")
        elif inspect.isfunction(value) and not name.startswith("_"):
            lines.append(python_signature(value, name))
        elif type(value).__name__ in ("instancemethod", "method_descriptor") and value.__doc__ and (
            not name.startswith("_") or name in _SPECIAL
        ):
            lines.append(native_signature(value.__doc__, name))
    if not lines:
        return f"class {cls.__name__}: ..."
    return f"class {cls.__name__}:\n" + "\n".join(f"    {row}" for text in lines for row in text.split("\n"))


def native_text():
    blocks = []
    for name, value in sorted(vars(_native).items()):
        if name.startswith("__"):
            continue
        if inspect.isclass(value):
            blocks.append(native_class(value))
        elif callable(value):
            blocks.append(native_signature(value.__doc__, name))
        else:
            kind = type(value).__name__
            blocks.append(f"{name}: {_TYPES_OF_VALUES.get(kind, kind)}")
    body = "\n".join(blocks)
    aliases = sorted(set(re.findall(r"(?<![.\w])[A-Z]\w+", body)) & _types_own())
    return f"{HEAD}\n{_IMPORTS}\nfrom .util._types import {', '.join(aliases)}\n\n{body}\n"


def _types_own():
    """The names that the page of types defines."""
    tree = ast.parse((PACKAGE / "util" / "_types.py").read_text())
    names = [each for node in tree.body if isinstance(node, ast.Assign) for each in node.targets]
    return {each.id for each in names} | {node.name for node in tree.body if isinstance(node, ast.ClassDef)}


def stubs():
    """Path below python/metalmom -> text, of every stub."""
    facades = {pathlib.Path(folder, "__init__.pyi"): facade_text(folder) for folder in FACADES}
    return {**facades, pathlib.Path("_native.pyi"): native_text()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    arguments = parser.parse_args()
    wanted = stubs()
    there = {path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.pyi")}
    stale = sorted(there - set(wanted))
    stale += [
        path for path, text in sorted(wanted.items())
        if path not in there or (PACKAGE / path).read_text() != text
    ]  # fmt: skip
    for path in stale:
        print(f"python/metalmom/{path}")
        if not arguments.check:
            if path in wanted:
                (PACKAGE / path).write_text(wanted[path])
            else:
                (PACKAGE / path).unlink()
    sys.exit(1 if stale and arguments.check else 0)


if __name__ == "__main__":
    main()
