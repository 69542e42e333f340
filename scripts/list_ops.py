#!/usr/bin/env python3
"""Write docs/ops.md: every op of the one list, where it runs and which functions call it.

    scripts/list_ops.py

The list is the engine's (`cpp/ops/all.hpp`); who calls an op is read from the sources.
"""

import ast
import collections
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


def definitions():
    """Name of a function -> its (module, syntax tree), of every function at the top of a module."""
    found = collections.defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                found[node.name].append((path.relative_to(PACKAGE), node))
    return found


def mentioned(node, ops):
    """The ops that a function names, and every other name in it."""
    named, others = set(), set()
    for each in ast.walk(node):
        if isinstance(each, ast.Yield) and isinstance(each.value, ast.Tuple):
            op = each.value.elts[0]
            if isinstance(op, ast.Constant) and op.value in ops:
                named.add(op.value)
        elif isinstance(each, ast.Attribute):
            owner = each.value
            if isinstance(owner, ast.Name) and owner.id == "_native":
                named |= {each.attr} & ops
            else:
                others.add(each.attr)
        elif isinstance(each, ast.Name):
            others.add(each.id)
    return named, others


def callers(ops, public):
    """Op -> the public functions that call it, themselves or by way of private ones."""
    known = definitions()
    private = {name for name in known if name not in public}

    def meant(name, module):
        """The functions that a module may mean by a name: its own, if it has one."""
        own = [each for each in known[name] if each[0] == module]
        return own or known[name]

    def reached(node, module, seen):
        named, others = mentioned(node, ops)
        for name in others & private:
            for place, each in meant(name, module):
                if (place, name) not in seen:
                    seen.add((place, name))
                    named |= reached(each, place, seen)
        return named

    found = {op: [] for op in ops}
    for name, spelled in public.items():
        for module, node in known.get(name, ()):
            for op in reached(node, module, set()):
                found[op].append(spelled)
    return found


def public_functions(metalmom):
    """Name -> how users spell it, of every exported function."""
    spelled = {}
    modules = ("feature", "onset", "beat", "decompose", "effects", "segment", "sequence", "filters",
               "util", "feature.inverse")  # fmt: skip
    for module in modules:
        owner = metalmom
        for part in module.split("."):
            owner = getattr(owner, part)
        for name in owner.__all__:
            spelled.setdefault(name, f"{module}.{name}")
    for name in (*metalmom.convolution.__all__, *metalmom.core.__all__):
        spelled[name] = name
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
