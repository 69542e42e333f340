"""ONNX files, as far as one must know them before a runtime opens them.

The runtime reads weights from any file that the model names, if it is an old one. Which files these are is
found here, by a reader of protobuf's wire format: a refusal must not depend on the package onnx, which need
not be installed. Raw weights are passed over, not copied.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import math
import os
import stat
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..util._types import Array
from ..util.exceptions import ModelError
from ..util.files import checked_path

__all__ = ["Graph", "ModelFile", "Node", "Weights"]

# Messages of onnx.proto: number of a field -> its name, and what it holds: another message, or a plain value.
_MESSAGES: dict[str, dict[int, tuple[str, str]]] = {
    "model": {
        2: ("producer", "text"), 3: ("producer_version", "text"), 7: ("graph", "graph"), 8: ("opset", "opset"),
        20: ("training", "training"), 25: ("function", "function"),
    },
    "opset": {1: ("domain", "text"), 2: ("version", "int")},
    "training": {1: ("graph", "graph"), 2: ("graph", "graph")},
    "function": {1: ("name", "text"), 7: ("node", "node"), 11: ("attribute", "attribute")},
    "graph": {1: ("node", "node"), 5: ("weights", "tensor"), 15: ("sparse", "sparse")},
    "node": {
        1: ("input", "text"), 2: ("output", "text"), 3: ("name", "text"), 4: ("op", "text"),
        5: ("attribute", "attribute"), 7: ("domain", "text"),
    },
    "attribute": {
        1: ("name", "text"), 2: ("value", "float"), 3: ("value", "int"), 5: ("tensor", "tensor"),
        6: ("graph", "graph"), 10: ("tensor", "tensor"), 11: ("graph", "graph"), 22: ("sparse", "sparse"),
        23: ("sparse", "sparse"),
    },
    "sparse": {1: ("tensor", "tensor"), 2: ("tensor", "tensor")},
    "tensor": {
        1: ("shape", "int"), 2: ("type", "int"), 4: ("floats", "float"), 5: ("ints", "int"), 7: ("ints", "int"),
        8: ("name", "text"), 9: ("raw", "bytes"), 13: ("outside", "entry"),
    },
    "entry": {1: ("key", "text"), 2: ("value", "text")},
}  # fmt: skip
_DEEPEST = 100  # levels of messages, as protobuf's own readers have it

# Types of numbers by their codes, with the bits of one of them.
_TYPES = {
    1: ("float32", 32), 2: ("uint8", 8), 3: ("int8", 8), 4: ("uint16", 16), 5: ("int16", 16), 6: ("int32", 32),
    7: ("int64", 64), 8: ("string", 0), 9: ("bool", 8), 10: ("float16", 16), 11: ("float64", 64),
    12: ("uint32", 32), 13: ("uint64", 64), 14: ("complex64", 64), 15: ("complex128", 128), 16: ("bfloat16", 16),
    **dict.fromkeys(range(17, 21), ("float8", 8)), 21: ("uint4", 4), 22: ("int4", 4), 23: ("float4", 4),
}  # fmt: skip

# How files begin that are taken for models, and what to say of them.
_OTHERS = {
    b"version https://git-lfs": "is the pointer of a file in Git LFS, not the file: run `git lfs pull`",
    b"PK\x03\x04": "is a zip archive, as PyTorch saves models, and no ONNX model: export it by torch.onnx.export",
    b"\x80": "is a pickle, as PyTorch saves models, and no ONNX model: export it by torch.onnx.export",
    b"<": "is a page of the web or XML, and no ONNX model",
    b"{": "is JSON, and no ONNX model",
}


class _Broken(Exception):
    """Bytes that are no message."""


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where the next one begins."""
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise _Broken
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            value &= 2**64 - 1
            return value - 2**64 if value >= 2**63 else value, at


def _fields(data: memoryview) -> Iterator[tuple[int, int, Any]]:
    """Number, wire type and value of each field of a message."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = _varint(data, at)
            yield number, wire, value
            continue
        size, at = _varint(data, at) if wire == 2 else ({1: 8, 5: 4}.get(wire, -1), at)
        if number < 1 or not 0 <= size <= len(data) - at:
            raise _Broken
        yield number, wire, data[at : at + size]
        at += size


def _numbers(data: memoryview) -> Iterator[int]:
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        yield value


def _message(data: memoryview, kind: str, depth: int = 0) -> dict[str, list[Any]]:
    """The fields of a message by name, each a list: what occurs twice is joined, as protobuf does."""
    if depth > _DEEPEST:
        raise _Broken
    known = _MESSAGES[kind]
    found: dict[str, list[Any]] = {name: [] for name, _ in known.values()}
    for number, wire, value in _fields(data):
        name, holds = known.get(number, ("", ""))
        if holds == "int" and wire in (0, 2):
            found[name] += _numbers(value) if wire == 2 else [value]
        elif holds == "float" and wire in (2, 5) and len(value) % 4 == 0:
            found[name] += struct.unpack(f"<{len(value) // 4}f", value)
        elif holds == "text" and wire == 2:
            found[name].append(bytes(value).decode("utf-8", "backslashreplace"))
        elif holds == "bytes" and wire == 2:
            found[name].append(value)
        elif holds in _MESSAGES and wire == 2:
            found[name].append(_message(value, holds, depth + 1))
    return found


def model_path(path: Any) -> str:
    """The absolute path of a file; if there is none, the error names it as the caller did."""
    path = checked_path("path", path)
    os.stat(path)
    return os.path.abspath(path)


def _last(values: list[Any], default: Any) -> Any:
    return values[-1] if values else default


class Weights:
    """A tensor that a model holds.

    Attributes
    ----------
    name, dtype : str
    shape : tuple of int
    nbytes : int
    """

    def __init__(self, message: dict[str, list[Any]]) -> None:
        self._message = message
        self.name = _last(message["name"], "")
        self.dtype, bits = _TYPES.get(_last(message["type"], 0), ("an unknown type", 0))
        self.shape = tuple(message["shape"])
        self.size = math.prod(self.shape)
        self.nbytes = (self.size * bits + 7) // 8

    def number(self) -> float | None:
        """Its value, if it is a single number that lies in the model's file."""
        if self.size != 1 or self._message["outside"]:
            return None
        raw = _last(self._message["raw"], None)
        if raw is not None and self.dtype in ("float16", "float32", "float64", "int32", "int64"):
            dtype = np.dtype(self.dtype).newbyteorder("<")
            return float(np.frombuffer(raw, dtype)[0]) if len(raw) == dtype.itemsize else None
        return _last(self._message["floats"] or self._message["ints"], None)


@dataclasses.dataclass(frozen=True)
class Node:
    """An operation of a graph; `attributes` are those that are one number."""

    op: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]
    tensors: dict[str, Weights]


@dataclasses.dataclass(frozen=True)
class Graph:
    """Nodes that are computed one after the other, and the weights that they name."""

    nodes: tuple[Node, ...]
    weights: dict[str, Weights]


class ModelFile:
    """What a model's file says of itself.

    Parameters
    ----------
    path : str
        Absolute.

    Attributes
    ----------
    path : str
    producer : str
    opset : int
        The version of the set of operations.
    graphs : list of Graph
        The main one first, then those of loops, branches and functions.
    files : list of str
        This file, and those in which weights lie.

    Raises
    ------
    ModelError
        If it is no ONNX model, or names files outside its folder.
    OSError
        If it cannot be read.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        if not stat.S_ISREG(mode := os.stat(path).st_mode) and not stat.S_ISDIR(mode):
            raise ModelError(f"{self.path} is not a regular file")  # a pipe would be waited for
        with open(path, "rb") as file:
            data = file.read()
        if not data:
            raise ModelError(f"{self.path} is empty")
        try:
            message = _message(memoryview(data), "model")
        except (_Broken, RecursionError):
            message = {"graph": []}
        if not message["graph"]:
            raise ModelError(f"{self.path} {_what_else(data)}")
        self.producer = " ".join(message["producer"] + message["producer_version"]).strip()
        versions = {_last(each["domain"], ""): _last(each["version"], 0) for each in message["opset"]}
        self.opset = versions.get("", versions.get("ai.onnx", 0))
        self.graphs: list[Graph] = []
        self.files = [path]
        self._folders = {os.path.realpath(os.path.dirname(each)) for each in (self.path, os.path.realpath(path))}
        nodes = [node for each in message["graph"] for node in each["node"]]
        weights = [tensor for each in message["graph"] for tensor in each["weights"]]
        sparse = [tensor for each in message["graph"] for tensor in each["sparse"]]
        self._take({"node": nodes, "weights": weights, "sparse": sparse})
        for each in message["training"]:
            self._take_all(each["graph"])
        for each in message["function"]:
            self._take({"node": each["node"], "weights": [], "sparse": []})
            self._attributes(each["attribute"])

    @property
    def nodes(self) -> Iterator[Node]:
        """Of all graphs."""
        return (node for graph in self.graphs for node in graph.nodes)

    @property
    def weights(self) -> Iterator[Weights]:
        """Of all graphs, those of nodes that are constants with them."""
        for graph in self.graphs:
            yield from graph.weights.values()
            for node in graph.nodes:
                yield from node.tensors.values()

    def operations(self) -> dict[str, int]:
        """How many nodes there are of each operation, the most frequent ones first."""
        return dict(collections.Counter(node.op for node in self.nodes).most_common())

    def _take_all(self, messages: list[dict[str, list[Any]]]) -> None:
        for each in messages:
            self._take(each)

    def _take(self, message: dict[str, list[Any]]) -> None:
        """Add a graph, and those inside its nodes after it."""
        place = len(self.graphs)
        weights = {each.name: each for each in map(self._weights, message["weights"])}
        for each in message["sparse"]:
            self._sparse(each)
        self.graphs.insert(place, Graph((), weights))
        nodes = tuple(map(self._node, message["node"]))
        self.graphs[place] = Graph(nodes, weights)

    def _node(self, message: dict[str, list[Any]]) -> Node:
        tensors = self._attributes(message["attribute"])
        numbers = {_last(each["name"], ""): each["value"][-1] for each in message["attribute"] if each["value"]}
        domain = _last(message["domain"], "")
        op = _last(message["op"], "")
        return Node(
            op if domain in ("", "ai.onnx") else f"{domain}.{op}", _last(message["name"], ""),
            tuple(message["input"]), tuple(message["output"]), numbers, tensors,
        )  # fmt: skip

    def _attributes(self, messages: list[dict[str, list[Any]]]) -> dict[str, Weights]:
        """The tensors among some attributes, whose graphs are added."""
        tensors = {}
        for each in messages:
            for tensor in each["tensor"]:
                tensors[_last(each["name"], "")] = self._weights(tensor)
            for sparse in each["sparse"]:
                self._sparse(sparse)
            self._take_all(each["graph"])
        return tensors

    def _sparse(self, message: dict[str, list[Any]]) -> None:
        for each in message["tensor"]:
            self._weights(each)

    def _weights(self, message: dict[str, list[Any]]) -> Weights:
        weights = Weights(message)
        # of an entry that occurs twice readers take the first or the last: both must be inside
        said = [(_last(each["key"], ""), _last(each["value"], "")) for each in message["outside"]]
        numbers = [value for key, value in said if key in ("offset", "length")]
        size = sum(int(each) for each in numbers if each.isdecimal() and len(each) < 20)
        for key, location in said:
            if key == "location":
                self._require_inside(weights, location, size)
        return weights

    def _require_inside(self, weights: Weights, location: str, size: int) -> None:
        """Refuse weights that lie in another folder, or in no file at all.

        A model that is a link itself, as in caches of downloads, may have them where it really is.
        """
        where = f"{self.path}: the weights {weights.name!r} are in {location!r},"
        if os.path.isabs(location):
            raise ModelError(f"{where} an absolute path; they must be in the model's folder")
        if "\0" in location or ".." in location.replace("\\", "/").split("/"):
            raise ModelError(f"{where} which leads out of the model's folder")
        beside = os.path.join(os.path.dirname(self.path), location)
        real = os.path.realpath(beside)
        if all(os.path.commonpath([real, folder]) != folder for folder in self._folders):
            raise ModelError(f"{where} a link that leads out of the model's folder")
        with contextlib.suppress(OSError, ValueError):
            found = os.stat(real)
            if not stat.S_ISREG(found.st_mode):
                raise ModelError(f"{where} which is not a regular file")
            if found.st_size < size:
                raise ModelError(f"{where} which ends before them: it has {found.st_size} bytes of {size}")
            if real not in self.files:
                self.files.append(real)
            return
        raise ModelError(f"{where} which is not there: the files of a model must stay together")


def _what_else(data: bytes) -> str:
    """What a file without a graph is."""
    if data[4:8] == b"ORTM":
        return "is in ONNX Runtime's own format: pass the .onnx file that it was made from"
    for begin, words in _OTHERS.items():
        if data.startswith(begin):
            return words
    if all(32 <= byte < 127 or byte in b"\t\r\n" for byte in data[:256]):
        return "is text, and no ONNX model"
    return "is no ONNX model, or was cut short"
