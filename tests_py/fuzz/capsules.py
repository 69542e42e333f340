"""Arrays of other libraries with false descriptions: capsules of DLPack, and CUDA's array interface.

They are refused by an error that says why, or copied. A capsule stays its giver's: nobody takes or deletes it. Where
there is no CUDA, none gets further than the copy.
"""

import ctypes

import metalmom
import numpy as np
from metalmom import _native

from .draw import Lasted, expect

EXTREMES = [0, 1, -1, 2, 3, 2**31 - 1, 2**31, 2**32, 2**61, 2**62, 2**63 - 1, -(2**63)]
DESTRUCTOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
make_capsule = ctypes.pythonapi.PyCapsule_New
make_capsule.restype, make_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
name_of = ctypes.pythonapi.PyCapsule_GetName
name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]


class Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p), ("kind", ctypes.c_int32), ("ordinal", ctypes.c_int32), ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )  # fmt: skip


class Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = (("tensor", Tensor), ("owner", ctypes.c_void_p), ("deleter", DESTRUCTOR))


class Versioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = (
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("owner", ctypes.c_void_p), ("deleter", DESTRUCTOR),
        ("flags", ctypes.c_uint64), ("tensor", Tensor),
    )  # fmt: skip


class Giver:
    """An object of another library."""

    def __init__(self, device, capsule):
        self._device, self._capsule = device, capsule

    def __dlpack_device__(self):
        return self._device

    def __dlpack__(self, **_):
        if isinstance(self._capsule, Exception):
            raise self._capsule
        return self._capsule


def tensor(draw, kept):
    """A description of an array, mostly a right one but for one thing."""
    shape = draw.some([1, 2, 3, 4, 5, 8], 4)
    memory = np.zeros(2048, np.uint8)
    strides = [int(np.prod(shape[i + 1 :])) for i in range(len(shape))]
    made = Tensor(memory.ctypes.data, 2, 0, len(shape), 2, 32, 1, None, None, 0)
    what = draw.below(10)
    if what == 0:
        made.ndim = draw.one([-1, 0, 64, 65, 2**31 - 1, -(2**31)])
        shape = shape + [1] * 64
    elif what == 1:
        made.code, made.bits, made.lanes = draw.below(8), draw.one([0, 8, 16, 32, 64, 128, 255]), draw.one([0, 1, 2, 65535])
    elif what == 2:
        shape[draw.below(len(shape))] = draw.one(EXTREMES)
    elif what == 3:
        strides[draw.below(len(strides))] = draw.one(EXTREMES)
    elif what == 4:
        made.byte_offset = draw.one([1, 4, 2**32, 2**63, 2**64 - 1])
    elif what == 5:
        made.data = None
    elif what == 6:
        made.kind, made.ordinal = draw.one([0, 1, 2, 3, 10, 13, 14, -1]), draw.one([0, 1, 7, -1, 2**31 - 1])
    elif what == 7:
        made.code, made.bits = 5, 64
    sizes, steps = ((ctypes.c_int64 * len(each))(*each) for each in (shape, strides + [1] * 64))
    made.shape = ctypes.cast(sizes, ctypes.POINTER(ctypes.c_int64)) if draw.chance(0.95) else None
    made.strides = ctypes.cast(steps, ctypes.POINTER(ctypes.c_int64)) if draw.chance(0.7) else None
    kept += [memory, sizes, steps]
    return made, f"{made.ndim} axes {shape[:8]} {strides} code {made.code}, {made.bits} bits, offset {made.byte_offset}"


def interface(draw):
    """What `__cuda_array_interface__` may hold."""
    said = {"data": (0, False), "shape": (2, 3), "typestr": "<f4", "strides": None, "stream": 1, "version": 3}
    key = draw.one([*said, "mask"])
    said[key] = draw.one([None, 0, -1, 2**64, 1.5, "x", (), (-1,), (2**63,), [1] * 100, (2**40, 2**40), ("x",), {}, ">f4", "<c8", "|O"])
    if draw.chance(0.2):
        del said[draw.one([*said])]
    return said


def attempt(draw):
    if not hasattr(_native, "from_dlpack"):
        raise Lasted
    if draw.chance(0.3):
        said = interface(draw)
        draw.say(f"__cuda_array_interface__ = {said}")
        refused(lambda: metalmom.to_device(type("Array", (), {"__cuda_array_interface__": said})()))
        return
    kept, deleted = [], []
    described, text = tensor(draw, kept)
    deleter = draw.one([DESTRUCTOR(deleted.append), DESTRUCTOR()])
    if draw.chance(0.5):
        managed, name = Managed(described, None, deleter), b"dltensor"
    else:
        major = draw.one([1, 1, 1, 0, 2, 2**32 - 1])
        managed, name = Versioned(major, draw.below(3), None, deleter, draw.one([0, 1, 2, 2**64 - 1]), described), b"dltensor_versioned"
    name = draw.one([name, name, name, name, b"used_" + name, b"x", None])
    capsule = make_capsule(ctypes.addressof(managed), name, None)
    device = draw.one([(2, 0), (2, 0), (13, 0), (10, 0), (1, 0), (2,), (), None, (2, -1), ("x", 0), [2, 0], (2**70, 0)])
    given = draw.one([capsule] * 6 + [None, 1, "x", TypeError("no"), BufferError("no")])
    draw.say(f"{name} of {text}, device {device}, {type(given).__name__} is given")
    for _ in range(2):  # nobody has taken it
        refused(lambda: _native.from_dlpack(given, draw.one([None, 1, 2])))
        refused(lambda: metalmom.to_device(Giver(device, given)))
    expect(name_of(capsule) == name, f"the capsule is named {name_of(capsule)}")
    expect(not deleted, "a tensor of somebody else was deleted")


def refused(call):
    """Make a call that may be refused by an error with a text."""
    try:
        call()
    except (metalmom.LibrosaError, BufferError, TypeError, MemoryError, metalmom.DeviceError) as error:
        expect(str(error), "an error without a text")
