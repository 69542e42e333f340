"""Exports that lose precision: normalisations of input with an offset, and weights in float16."""

from __future__ import annotations

import dataclasses
import math
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ..util._packages import required
from ..util._public import public
from ..util.exceptions import Argument, Shown
from ._file import Graph, model_path, ModelFile, Node
from ._session import Session

__all__ = ["Finding", "Findings", "check"]

_SAFE = (
    "Reshape to (batch, groups, -1), LayerNormalization over the last axis in float32, Reshape back, then Mul and "
    "Add of scale and bias"
)

# kind -> the largest error that was seen, and what to do. The errors are those of noise with a standard
# deviation of 0.2 about an offset of 100, normalised in groups of 4096 values by ONNX Runtime 1.32 on a CPU;
# at an offset of 1000 the first two give NaN. tests_py/test_nn_check.py measures them.
_KINDS = {
    "group_norm": (8.8e-2, f"GroupNormalization takes the variance as mean(x*x) - mean(x)^2: {_SAFE}"),
    "one_pass_variance": (8.8e-2, "take the mean of the squares of x - mean(x), or LayerNormalization in float32"),
    "instance_norm": (2.8e-4, f"InstanceNormalization rounds the mean to float32 before it is subtracted: {_SAFE}"),
    "float16_norm": (1.8e-1, "keep what is normalised in float32: Cast before the node and after it"),
}


@dataclasses.dataclass(frozen=True)
class Finding:
    """A place where a model loses precision.

    Attributes
    ----------
    node : str
        The name of the node, or its operation and first output if it has none.
    kind : str
        ``"group_norm"``, ``"one_pass_variance"``, ``"instance_norm"``, ``"float16_norm"`` or
        ``"float16_weights"``.
    error : float or None
        How large the error may be. For a normalisation: the largest error of normalised noise with an offset
        some hundred times its standard deviation. For weights: the error on the probe, relative to the
        largest output; None without a probe.
    advice : str
        The safe form.
    """

    node: str
    kind: str
    error: float | None
    advice: str

    def __str__(self) -> str:
        error = "not measured" if self.error is None else f"{self.error:.1e}"
        return f"{self.node}: {self.kind}, error {error}: {self.advice}"


class Findings(list[Finding]):
    """The result of `check`: a list that prints one finding per line."""

    def __repr__(self) -> str:
        return "\n".join(map(str, self)) or "nothing loses precision"

    __str__ = __repr__


@public
def check(path: str | os.PathLike[str], probe: Any = None) -> Findings:
    """Find what loses precision in an exported model.

    Normalisations are recognised by their form. The operation GroupNormalization, and a variance of the form
    ``mean(x*x) - mean(x)^2``, lose all digits if the offset of the input is much larger than its spread.
    InstanceNormalization after a Reshape, as PyTorch exports group normalisation, loses some digits. A
    normalisation in float16 cannot represent such an input. These checks read the file only and do not run
    the model.

    Weights in float16 give one finding. Its error is measured on the probe, which needs ONNX Runtime and
    onnx. The model is compared with one in float32, whose weights are drawn (with a fixed seed) from the
    numbers that round to the stored ones.

    Parameters
    ----------
    path : str or os.PathLike
        The .onnx file.
    probe : np.ndarray or dict of str to np.ndarray, optional
        A typical input, or all inputs by name, in the dtypes of the model.

    Returns
    -------
    Findings
        A list of `Finding`, each with `node`, `kind`, `error` and `advice`. It prints one finding per line.

    Raises
    ------
    ModelError
        If the file is not a model.
    ParameterError
        If the probe does not fit the model.
    MissingPackageError
        If you pass a probe for weights in float16, and ONNX Runtime or onnx is not installed.

    References
    ----------
    T. F. Chan, G. H. Golub, R. J. LeVeque, "Algorithms for computing the sample variance", The American
    Statistician 37(3), 1983.

    Examples
    --------
    >>> metalmom.nn.check("separate.onnx")  # doctest: +SKIP
    encoder/norm1: group_norm, error 8.8e-02: GroupNormalization takes the variance as ...
    """
    path = model_path(path)
    file = ModelFile(path)
    found = Findings(each for graph in file.graphs for each in _normalisations(graph))
    half = [weights for weights in file.weights if weights.dtype == "float16"]
    if half:
        error = None if probe is None else _error_of_weights(path, probe)
        count = sum(weights.size for weights in half)
        words = f"{len(half)} tensors" if len(half) > 1 else f"the tensor {half[0].name!r}"
        found.append(Finding(f"{words} of {count:,} values", "float16_weights", error, "export the weights in float32"))
    return found


def _normalisations(graph: Graph) -> Iterator[Finding]:
    makers = {name: node for node in graph.nodes for name in node.outputs}
    for node in graph.nodes:
        if kind := _kind_of(node, graph, makers):
            name = node.name or f"{node.op} -> {node.outputs[0] if node.outputs else '?'}"
            yield Finding(name, kind, *_KINDS[kind])


def _kind_of(node: Node, graph: Graph, makers: Mapping[str, Node]) -> str:
    """The kind of a normalisation that loses precision, or nothing."""
    if node.op == "GroupNormalization":
        return "group_norm"
    if node.op == "InstanceNormalization" and _maker(node, makers).op == "Reshape":
        return "instance_norm"
    if node.op == "LayerNormalization" and _dtype(node.inputs[1:2], graph, makers) == "float16":
        return "float16_norm"
    if node.op == "Sub" and len(node.inputs) == 2:
        of_squares, squared = (makers.get(name, _NO_NODE) for name in node.inputs)
        mean = makers.get(_squared(squared, graph, makers), _NO_NODE)
        square = _maker(of_squares, makers)
        if of_squares.op == mean.op == "ReduceMean" and _squared(square, graph, makers) == mean.inputs[0]:
            return "one_pass_variance"
    return ""


_LARGEST = np.finfo(np.float16).max
_NO_NODE = Node("", "", (), (), {}, {})


def _maker(node: Node, makers: Mapping[str, Node]) -> Node:
    """The node that makes the first input of a node."""
    return makers.get(node.inputs[0], _NO_NODE) if node.inputs else _NO_NODE


def _squared(node: Node, graph: Graph, makers: Mapping[str, Node]) -> str:
    """What a node squares, as x * x or as x ** 2, or nothing."""
    if len(node.inputs) != 2:
        return ""
    base, other = node.inputs
    if node.op == "Mul" and base == other:
        return base
    return base if node.op == "Pow" and _number(other, graph, makers) == 2 else ""


def _number(name: str, graph: Graph, makers: Mapping[str, Node]) -> float | None:
    """The value of a constant that is one number."""
    maker = makers.get(name, _NO_NODE)
    weights = graph.weights.get(name) or maker.tensors.get("value")
    if weights is not None:
        return weights.number()
    return maker.attributes.get("value_float", maker.attributes.get("value_int"))


def _dtype(names: Iterable[str], graph: Graph, makers: Mapping[str, Node]) -> str:
    for name in names:
        weights = graph.weights.get(name) or makers.get(name, _NO_NODE).tensors.get("value")
        if weights is not None:
            return weights.dtype
    return ""


def _error_of_weights(path: str, probe: Any) -> float:
    """The largest error of float16 weights on a probe, relative to the largest output."""
    shown = Argument("probe", Shown("..."))
    required("onnxruntime", shown)
    onnx = required("onnx", shown)
    session = Session(path)
    inputs = probe if isinstance(probe, Mapping) else {session.inputs[0].name: probe}
    outputs = session.run(inputs)
    model = onnx.load(path)
    rng = np.random.default_rng(0)
    _widen(onnx, model.graph, rng)
    for function in model.functions:
        _widen_nodes(onnx, function.node, rng)
    with tempfile.TemporaryDirectory() as folder:
        beside = os.path.join(folder, "single.onnx")
        onnx.save(model, beside, save_as_external_data=True, location="weights")
        del model
        wide = Session(beside)
    taken = {each.name: np.asarray(inputs[each.name], each.dtype) for each in wide.inputs}
    exact = wide.run(taken)
    errors = [_difference(outputs[name], exact[name]) for name in outputs if outputs[name].dtype.kind == "f"]
    return max(errors, key=lambda error: math.inf if math.isnan(error) else error, default=0.0)


def _difference(values: Any, exact: Any) -> float:
    scale = float(np.max(np.abs(exact), initial=0.0))
    return float(np.max(np.abs(values.astype(np.float64) - exact), initial=0.0)) / (scale or 1.0)


def _widen(onnx: Any, graph: Any, rng: np.random.Generator) -> None:
    """Make a graph in float16 one in float32, whose weights are drawn from what was rounded to them."""
    for each in graph.initializer:
        _widen_tensor(onnx, each, rng)
    for each in (*graph.input, *graph.output, *graph.value_info):
        kind = each.type.tensor_type
        kind.elem_type = _wider(onnx, kind.elem_type)
    _widen_nodes(onnx, graph.node, rng)


def _widen_nodes(onnx: Any, nodes: Any, rng: np.random.Generator) -> None:
    for attribute in (each for node in nodes for each in node.attribute):
        if attribute.name == "to":  # of a Cast
            attribute.i = _wider(onnx, attribute.i)
        if attribute.HasField("t"):
            _widen_tensor(onnx, attribute.t, rng)
        for graph in (*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])):
            _widen(onnx, graph, rng)


def _widen_tensor(onnx: Any, tensor: Any, rng: np.random.Generator) -> None:
    if _wider(onnx, tensor.data_type) != tensor.data_type:
        rounded = onnx.numpy_helper.to_array(tensor)
        size = np.abs(rounded)  # the largest number stands for what is left out by a mask, and stays
        spacing = np.where(size < _LARGEST, np.spacing(np.minimum(size, np.float16(65472))), 0).astype(np.float64)
        drawn = rounded + rng.uniform(-0.5, 0.5, rounded.shape) * spacing
        tensor.CopyFrom(onnx.numpy_helper.from_array(drawn.astype(np.float32), tensor.name))


def _wider(onnx: Any, kind: int) -> int:
    """The code of a type with that of float32 in place of float16's."""
    types = onnx.TensorProto
    return types.FLOAT if kind == types.FLOAT16 else kind
