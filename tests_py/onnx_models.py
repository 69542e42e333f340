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
