#!/usr/bin/env python3
"""Write docs/ops.md, every op of the engine and the functions that run it, and the table of docs/gpu.md.

    scripts/list_ops.py

The list of ops is the engine's (`cpp/ops/all.hpp`). Which functions run one is seen in traces of calls: the
reference cases, those of front-ends, and what is declared to run on a device (`has_kernels`).
"""

import contextlib
import operator
import pathlib
import sys
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "ops.md"
GPU_PAGE = ROOT / "docs" / "gpu.md"

HEAD = """# Ops

These are the operations of the engine, and the functions that run them in the reference cases. `scripts/list_ops.py`
writes this page from the list of ops (`cpp/ops/all.hpp`) and from traces of the calls, and a test compares it. "GPU" means
that the op has a kernel; [The GPU](gpu.md) says when it is used.

| op | runs on | functions |
|---|---|---|
"""
TABLE_BEGINS, TABLE_ENDS = "| function | on the device, with |\n|---|---|\n", "\nTransforms have"


def ops_of(metalmom, call):
    """The ops that a call runs; those up to its error, if it is wrong."""
    with warnings.catch_warnings(), metalmom.trace.record() as trace, metalmom.config_context(backend="cpu"):
        warnings.simplefilter("ignore")
        with contextlib.suppress(Exception):  # wrong arguments are cases, too
            call()
    return {span.name for span in trace.spans if span.cat == "engine"} & {*metalmom._native.op_names}


def ops_of_examples(metalmom):
    """(function, ops) of every call that is declared to run on a device."""
    from metalmom._warmup import each_kernel

    return [(name.partition(" ")[0], ops_of(metalmom, call)) for name, call, _ in each_kernel()]


def callers(metalmom):
    """Op -> the public functions that run it."""
    import frontend_cases
    import reference_cases
    from reference_signals import resolve

    found = {op: set() for op in metalmom._native.op_names}
    ran = ops_of_examples(metalmom)
    for case in frontend_cases.CASES:
        function, y = getattr(metalmom.frontend, case.name), case.audio
        ran.append((f"frontend.{case.name}", ops_of(metalmom, lambda f=function, y=y, k=case.arguments: f(y, **k))))
    for case in reference_cases.all_cases():
        if case.function != "stream":  # which computes between the calls of its generator
            args, kwargs = resolve(case.args), resolve(case.kwargs)
            function = operator.attrgetter(case.function)(metalmom)
            ran.append((case.function, ops_of(metalmom, lambda f=function, a=args, k=kwargs: f(*a, **k))))
    for function, ops in ran:
        for op in ops:
            found[op].add(function)
    return found


def page(found, with_kernels):
    """The text of docs/ops.md."""
    lines = []
    for op in sorted(found):
        side = "CPU, GPU" if op in with_kernels else "CPU"
        lines.append(f"| `{op}` | {side} | {', '.join(f'`{name}`' for name in sorted(found[op]))} |")
    return HEAD + "\n".join(lines) + "\n"


def gpu_page(text):
    """docs/gpu.md with the table of today: functions of which the same is said share a row."""
    from metalmom._extractor._recipe import public_functions

    rows = {}
    for path, function in public_functions().items():
        if hasattr(function, "kernels"):
            rows.setdefault(function.kernels.takes, []).append(f"`{path}`")
    table = "".join(f"| {', '.join(paths)} | {takes} |\n" for takes, paths in rows.items())
    before, _, rest = text.partition(TABLE_BEGINS)
    return before + TABLE_BEGINS + table + TABLE_ENDS + rest.partition(TABLE_ENDS)[2]


def main():
    sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests_py")]
    import metalmom
    import metalmom._native

    PAGE.write_text(page(callers(metalmom), metalmom._native.kernel_ops))
    GPU_PAGE.write_text(gpu_page(GPU_PAGE.read_text()))


if __name__ == "__main__":
    main()
