"""Whatever iterates over the one list of ops has a row for each."""

import re
import sys

import list_ops
import metalmom
import metalmom._native as native
import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

import names  # noqa: E402


@pytest.fixture(scope="module")
def callers():
    return list_ops.callers({*native.op_names}, list_ops.public_functions(metalmom))


def test_the_table_of_ops_is_of_today():
    assert list_ops.PAGE.read_text() == list_ops.page(metalmom), "run scripts/list_ops.py"


@pytest.mark.parametrize("op", native.op_names)
def test_an_op_is_called_by_a_function(op, callers):
    assert callers[op], f"no public function calls the op {op}: write one, or take it from its all.hpp"


@pytest.mark.parametrize("op", native.op_names)
def test_an_op_is_timed(op, callers):
    """What `benchmarks/all_names.py` times runs every op, or a row of `run_benchmarks.py` does."""
    timed = {*names.first_cases(), *names.own.CALLS} - {*names.NOT_CALLED}
    assert {*callers[op]} & timed, f"no benchmark calls the op {op}, which {callers[op]} do"


def test_the_gpus_table_has_a_function_of_every_kernel(callers):
    """docs/gpu.md says which functions run there, with what; the engine says which ops have a kernel."""
    table = (ROOT / "docs/gpu.md").read_text().partition("## What runs there")[2].partition("\n\nTransforms")[0]
    told = set()
    for row in re.findall(r"^\| (`.*?) \|", table, re.M):
        module = ""
        for name in re.findall(r"`([\w.]+)`", row):  # a name without a module is of the module before it
            module = name.rpartition(".")[0] or module
            told.add(f"{module}.{name.rpartition('.')[2]}".lstrip("."))
    assert told <= {*list_ops.public_functions(metalmom).values()}
    assert len(native.kernel_ops) >= 25
    assert [op for op in native.kernel_ops if not told & {*callers[op]}] == []


def test_functions_of_one_name_are_told_apart(callers):
    """Of audio `effects.hpss` calls an op that `decompose.hpss`, of a spectrogram, never calls."""
    y = metalmom.tone(440.0, length=8192)
    ran = {}
    for name, call in {
        "decompose.hpss": lambda: metalmom.decompose.hpss(abs(metalmom.stft(y))),
        "effects.hpss": lambda: metalmom.effects.hpss(y),
    }.items():
        with metalmom.trace.record() as t:
            call()
        ran[name] = {span.name for span in t.spans if span.cat == "engine"} & {"hpss", "hpss_audio"}
    assert ran == {"decompose.hpss": {"hpss"}, "effects.hpss": {"hpss_audio"}}
    for name, ops in ran.items():
        assert {op for op in ("hpss", "hpss_audio") if name in callers[op]} == ops


def test_an_op_that_nobody_calls_is_seen():
    found = list_ops.callers({"no_such_op"}, list_ops.public_functions(metalmom))
    assert found == {"no_such_op": []}
