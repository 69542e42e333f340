#!/usr/bin/env python3
"""Write docs/ops.md: every op of the one list, where it runs and which functions call it.

    scripts/list_ops.py

The list is the engine's (`cpp/ops/all.hpp`); who calls an op is read from the sources.
"""

import ast
import importlib
import inspect
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "metalmom"
PAGE = ROOT / "docs" / "ops.md"

HEAD = """# Ops

What the engine computes, and the functions that call it. Written by `scripts/list_ops.py` from the one
list of ops (`cpp/ops/all.hpp`) and the sources; a test compares them. What "GPU" says is that there is a
kernel; [gpu.md](gpu.md) says when it is taken.

| op | runs on | functions |
|---|---|---|
"""


def where(function):
    """The file in which a function is defined, and its name there."""
    code = inspect.unwrap(function).__code__
    return code.co_filename, code.co_name


def definitions():
    """(file, name) -> syntax tree, of every function at the top of a module."""
    return {
        (str(path), node.name): node
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef)
    }


def imported(node, module):
    """Name -> what it stands for, of the imports inside of a function of a module."""
    found = {}
    for each in ast.walk(node):
        if isinstance(each, ast.ImportFrom) and each.level:
            package = "." * each.level + (each.module or "")
            source = importlib.import_module(package, module.__package__)
            found |= {alias.asname or alias.name: getattr(source, alias.name) for alias in each.names}
    return found


def mentioned(node, module, ops):
    """The ops that a function of a module names, and the functions."""
    known = {**vars(module), **imported(node, module)}
    named, functions = set(), []
    for each in (each for statement in node.body for each in ast.walk(statement)):
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == "ask":
            op = each.args[0]
            if isinstance(op, ast.Constant) and op.value in ops:
                named.add(op.value)
        elif isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name):
            owner = known.get(each.value.id)
            if each.value.id == "_native":
                named |= {each.attr} & ops
            elif inspect.ismodule(owner):
                functions.append(getattr(owner, each.attr, None))
        elif isinstance(each, ast.Name):
            functions.append(known.get(each.id))
    functions = map(inspect.unwrap, filter(inspect.isfunction, functions))
    return named, filter(inspect.isfunction, functions)


def callers(ops, public):
    """Op -> the public functions that call it, themselves or by way of private ones."""
    known = definitions()
    modules = {each.__file__: each for each in list(sys.modules.values())
               if getattr(each, "__file__", None)}  # fmt: skip

    def reached(place, seen):
        named, functions = mentioned(known[place], modules[place[0]], ops)
        for other in map(where, functions):
            if other in known and other not in public and other not in seen:
                seen.add(other)
                named |= reached(other, seen)
        return named

    found = {op: [] for op in ops}
    for place, spelled in public.items():
        for op in reached(place, set()) if place in known else ():
            found[op].append(spelled)
    return found


def public_functions(metalmom):
    """Where each exported function is defined -> how users spell it."""
    spelled = {}
    modules = ("feature", "onset", "beat", "decompose", "effects", "segment", "sequence", "filters",
               "util", "feature.inverse")  # fmt: skip
    for module in modules:
        owner = metalmom
        for part in module.split("."):
            owner = getattr(owner, part)
        for name in owner.__all__:
            if inspect.isfunction(getattr(owner, name)):
                spelled.setdefault(where(getattr(owner, name)), f"{module}.{name}")
    for name in (*metalmom.convolution.__all__, *metalmom.core.__all__):
        if inspect.isfunction(getattr(metalmom, name)):
            spelled[where(getattr(metalmom, name))] = name
    return spelled


def page(metalmom):
    """The text of the page."""
    native = metalmom._native
    found = callers(set(native.op_names), public_functions(metalmom))
    lines = []
    for op in sorted(found):
        side = "CPU, GPU" if op in native.kernel_ops else "CPU"
        names = ", ".join(f"`{name}`" for name in sorted(set(found[op])))
        lines.append(f"| `{op}` | {side} | {names} |")
    return HEAD + "\n".join(lines) + "\n"


def main():
    sys.path.insert(0, str(ROOT / "python"))
    import metalmom
    import metalmom._native  # noqa: F401

    PAGE.write_text(page(metalmom))


if __name__ == "__main__":
    main()
