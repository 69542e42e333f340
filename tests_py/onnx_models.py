"""Models that tests make."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

node = helper.make_node
F32, F64, F16, I64 = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.INT64


def tensor(name, values, dtype=np.float32):
    return numpy_helper.from_array(np.asarray(values, dtype), name)


def model_of(path, nodes, inputs, outputs, weights=(), opset=17, functions=(), **outside):
    """Write a model; inputs and outputs are (name, type, shape)."""
    graph = helper.make_graph(
        nodes, "graph", [helper.make_tensor_value_info(*each) for each in inputs],
        [helper.make_tensor_value_info(*each) for each in outputs], list(weights),
    )  # fmt: skip
    domains = {node.domain for node in nodes} - {""}
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(each, 1) for each in domains)]
    model = helper.make_model(graph, opset_imports=opsets, producer_name="tests", functions=functions)
    model.ir_version = 9
    onnx.save(model, str(path), **outside)
    return path


def lstm_model(path):
    """An LSTM of 64 over frames of 20, whose state goes in and out; weights from a seed."""
    rng = np.random.default_rng(0)
    draw = lambda *shape: rng.standard_normal(shape) / 8  # noqa: E731
    weights = [tensor("W", draw(1, 256, 20)), tensor("R", draw(1, 256, 64)), tensor("B", draw(1, 512))]
    nodes = [
        node("LSTM", ["x", "W", "R", "B", "", "h", "c"], ["all", "h_out", "c_out"], hidden_size=64),
        node("Squeeze", ["all", "axis"], ["y"]),
    ]
    state = [1, "batch", 64]
    return model_of(
        path, nodes, [("x", F32, ["frames", "batch", 20]), ("h", F32, state), ("c", F32, state)],
        [("y", F32, ["frames", "batch", 64]), ("h_out", F32, state), ("c_out", F32, state)],
        [*weights, tensor("axis", [1], np.int64)],
    )  # fmt: skip
