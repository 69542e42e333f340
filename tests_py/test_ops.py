"""Whatever iterates over the one list of ops has a row for each."""

import list_ops
import metalmom
import metalmom._native as native
import pytest


def test_the_table_of_ops_is_of_today():
    assert list_ops.PAGE.read_text() == list_ops.page(metalmom), "run scripts/list_ops.py"


@pytest.mark.parametrize("op", native.op_names)
def test_an_op_is_called_by_a_function(op):
    found = list_ops.callers({op}, list_ops.public_functions(metalmom))
    assert found[op], f"no public function calls the op {op}: write one, or take it from its all.hpp"


def test_an_op_that_nobody_calls_is_seen():
    found = list_ops.callers({"no_such_op"}, list_ops.public_functions(metalmom))
    assert found == {"no_such_op": []}
