"""Whatever iterates over the one list of ops has a row for each."""

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
    return list_ops.callers(metalmom)


def test_the_table_of_ops_is_of_today(callers):
    assert list_ops.PAGE.read_text() == list_ops.page(callers, native.kernel_ops), "run scripts/list_ops.py"


def test_the_gpus_table_is_of_today():
    written = list_ops.GPU_PAGE.read_text()
    assert written == list_ops.gpu_page(written), "run scripts/list_ops.py"


@pytest.mark.parametrize("op", native.op_names)
def test_an_op_is_called_by_a_function(op, callers):
    assert callers[op], f"no case of a public function runs the op {op}: write one, or take it from its all.hpp"


@pytest.mark.parametrize("op", native.op_names)
def test_an_op_is_timed(op, callers):
    """What `benchmarks/all_names.py` times runs every op, or a row of `run_benchmarks.py` does."""
    timed = {*names.first_cases(), *names.own.CALLS} - {*names.NOT_CALLED}
    assert {*callers[op]} & timed, f"no benchmark calls the op {op}, which {callers[op]} do"


def test_what_is_declared_to_run_on_a_device_runs_every_kernel():
    """The engine says which ops have kernels, `has_kernels` which functions; a trace says which ops these run."""
    ran = list_ops.ops_of_examples(metalmom)
    assert [function for function, ops in ran if not ops & {*native.kernel_ops}] == []
    assert {*native.kernel_ops} - set().union(*(ops for _, ops in ran)) == set()
