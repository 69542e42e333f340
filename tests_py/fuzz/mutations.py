"""Changes of bytes and of JSON that make inputs of others' inputs."""

import copy
import struct

_EXTREMES = [0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFF0]
_VALUES = [None, True, False, 0, -1, 1, 10**18, -(10**30), 0.5, 1e308, "", "x", "../x", "/", "\ud800", "é", [], {}, [[]], [0], {"a": 1},
           ["mfcc"], "mfcc", "frames", "float32", "files/part-00000.npz", "x" * 10_000]  # fmt: skip


def mutated(draw, content, others=()):
    """Bytes with some changes: values, cuts, repetitions, parts of others."""
    content = bytearray(content)
    for _ in range(1 + draw.below(4)):
        how, n = draw.below(9), len(content)
        # the beginning, where headers are, as often as the rest
        at = draw.below(min(n, 200) + 1) if draw.chance(0.5) else draw.below(n + 1)
        length = draw.one([1, 2, 4, 16, 100, 1000])
        if how == 0:
            content[at:at] = draw.random.bytes(length)
        elif how == 1:
            del content[at : at + length]
        elif how == 2 and at < n:
            content[at] ^= 1 << draw.below(8)
        elif how == 3 and at < n:
            content[at] = draw.below(256)
        elif how == 4 and at + 4 <= n:
            struct.pack_into(draw.one("<>") + "I", content, at, draw.one(_EXTREMES))
        elif how == 5 and at + 2 <= n:
            struct.pack_into(draw.one("<>") + "H", content, at, draw.one(_EXTREMES) & 0xFFFF)
        elif how == 6:
            content[at:at] = content[at : at + length]
        elif how == 7:
            del content[at:]
        elif others:
            other = draw.one(others)
            begin = draw.below(len(other) + 1)
            content[at : at + length] = other[begin : begin + length]
    return bytes(content)


def changed_json(draw, value):
    """A value of JSON in which one place, at least, holds another."""
    value = copy.deepcopy(value)
    for _ in range(1 + draw.below(3)):
        value = _changed(draw, value)
    return value


def _changed(draw, value):
    if isinstance(value, dict) and value and draw.chance(0.85):
        key = draw.one(sorted(value))
        how = draw.below(6)
        if how == 0:
            del value[key]
        elif how == 1:
            value[draw.one(["x", "", "y", "name", "feature", "of", "sr", key + "2"])] = copy.deepcopy(
                value[key]
            )
        else:
            value[key] = _changed(draw, value[key])
        return value
    if isinstance(value, list) and value and draw.chance(0.85):
        at, how = draw.below(len(value)), draw.below(5)
        if how == 0:
            del value[at]
        elif how == 1:
            value.append(copy.deepcopy(value[at]))
        else:
            value[at] = _changed(draw, value[at])
        return value
    return copy.deepcopy(draw.one(_VALUES))
