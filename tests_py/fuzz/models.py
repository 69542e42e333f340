"""Mutated ONNX models, where the package onnx is installed: read by `nn.check`, and some of them run.

What comes out is a `ModelError`, or findings. ONNX Runtime may refuse what is read, which is a `ModelError`, too. What
it does itself is not attacked: where it ends its process, the try ends.
"""

import functools
import pathlib
import warnings

import metalmom
import numpy as np
from metalmom import nn

from .draw import Lasted, expect, in_a_child, lasting_at_most
from .mutations import mutated

SECONDS = 20.0
LIMIT = 120.0


@functools.cache
def files():
    """Small models, one of which has its weights in another file."""
    try:
        import onnx_models
    except ImportError:
        return []
    node, tensor, f32 = onnx_models.node, onnx_models.tensor, onnx_models.F32
    weights = [tensor("w", np.ones((8, 4))), tensor("scale", np.ones(4)), tensor("bias", np.zeros(4)), tensor("half", np.ones(4), np.float16)]
    nodes = [node("MatMul", ["x", "w"], ["m"]), node("LayerNormalization", ["m", "scale", "bias"], ["n"], name="norm"), node("Pow", ["n", "n"], ["y"])]
    ends = [("x", f32, ["frames", 8])], [("y", f32, ["frames", 4])]
    paths = [
        onnx_models.model_of("plain.onnx", nodes, *ends, weights),
        onnx_models.model_of("outside.onnx", nodes, *ends, weights, save_as_external_data=True, location="weights.bin", size_threshold=0),
        onnx_models.lstm_model("lstm.onnx"),
    ]  # fmt: skip
    return [pathlib.Path(path).read_bytes() for path in paths]


def changed(draw, message):
    """Change one field of a message of protobuf, or of one inside it."""
    set_fields = message.ListFields()
    if not set_fields:
        return
    field, value = draw.one(set_fields)
    if isinstance(value, (int, float, str, bytes)):
        setattr(message, field.name, drawn(draw, value))
    elif not hasattr(value, "__len__"):
        changed(draw, value)
    else:  # there may be several
        is_message = field.message_type is not None
        at, how = draw.below(len(value)), draw.below(6)
        if how == 0:
            del value[at]
        elif is_message and how == 1:
            value.add().CopyFrom(value[at])
        elif is_message:
            changed(draw, value[at])
        else:
            value[at] = drawn(draw, value[at])


def drawn(draw, value):
    """Another value of the type of this one, which fits the field."""
    if isinstance(value, int):
        return draw.one([0, 1, -1, 2, 7, 10, 16, 100, 2**31 - 1])
    if isinstance(value, float):
        return draw.one([0.0, -1.0, float("nan"), 1e30])
    if isinstance(value, str):
        return draw.one(["", "x", "w", "Pow", "Loop", "/etc/passwd", "../weights.bin", "weights.bin", "\0", "é" * 300])
    return mutated(draw, value) if value else b"x"


def content_of(draw):
    """The bytes of a model: mutated ones, or those of a message of which fields are others."""
    content = draw.one(files())
    if draw.chance(0.3):
        return mutated(draw, content, files())
    import onnx

    model = onnx.ModelProto.FromString(content)
    for _ in range(1 + draw.below(4)):
        changed(draw, model)
    return model.SerializeToString()


def attempt(draw):
    if not files():
        raise Lasted
    content = content_of(draw)
    path = pathlib.Path("given.onnx")
    path.write_bytes(content)
    draw.say(f"a model of {len(content)} bytes")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read = lasting_at_most(SECONDS, lambda: answer(lambda: repr(nn.check(path))))
        if read is not None and draw.chance(0.01):
            fault = in_a_child(lambda: answer(lambda: run(path)), SECONDS)
            expect(fault != "ends with 1", "a session fails with another error")


def answer(call):
    """What a call gives; None where it is refused in words."""
    try:
        return call()
    except (metalmom.LibrosaError, nn.ModelError, MemoryError) as error:
        expect(str(error), "an error without a text")
        return None


def run(path):
    session = nn.Session(path, threads=1)
    inputs = {each.name: np.zeros([size if isinstance(size, int) and 0 < size < 1000 else 2 for size in each.shape], each.dtype)
              for each in session.inputs}  # fmt: skip
    session.run(inputs)
