"""Audio and answers without samples, on which a function of steps shows what it asks for.

What a function cannot see cannot decide what it does. A stand-in tells its type and the axes before
time; a length may be compared with integers, and notes for which lengths every comparison comes out
the same; an answer may be given other axes. Whatever else a function does with them, by itself or in
NumPy or in the engine, ends the attempt. So what it asked for, it asks for with any audio of such a
length.
"""

import math
from operator import index, methodcaller

import numpy as np

__all__ = ["AnswerStandIn", "AudioStandIn", "NotRepeatable"]


class NotRepeatable(BaseException):
    """A function looked at what may be different with the next clip.

    No Exception, so that a function that handles errors does not take it for one.
    """


def _refuse(*args, **kwargs):
    raise NotRepeatable


class _Unseen:
    """Passes for a value of another class (`isinstance`), and refuses all that such values can do.

    It is of no such class itself, so that C code finds nothing in it either.
    """

    __slots__ = ()

    def __getattr__(self, name):
        raise NotRepeatable


# What makes an object of it; `__array_interface__` and the like are attributes that NumPy tries.
_OF_ANY_OBJECT = {"__class__", "__doc__", "__init__", "__init_subclass__", "__new__", "__subclasshook__",
                  "__getattribute__", "__setattr__", "__array_interface__", "__array_struct__",
                  "__array_priority__"}  # fmt: skip
for _name in {*dir(int), *dir(np.ndarray), "__iter__"} - _OF_ANY_OBJECT:
    if _name.startswith("__"):
        setattr(_Unseen, _name, _refuse)


def _whole(number):
    try:
        return index(number)
    except TypeError:
        raise NotRepeatable from None


class _Length(_Unseen):
    """A number of samples. From `low` to `high` it would compare as it did."""

    __class__ = int
    __slots__ = ("_value", "low", "high")
    __array_ufunc__ = None  # NumPy's integers leave the comparison to this class

    def __init__(self, value):
        self._value = value
        self.low, self.high = 0, math.inf

    def _is_at_most(self, bound):
        if self._value <= bound:
            self.high = min(self.high, bound)
            return True
        self.low = max(self.low, bound + 1)
        return False

    def __le__(self, other):
        return self._is_at_most(_whole(other))

    def __lt__(self, other):
        return self._is_at_most(_whole(other) - 1)

    def __ge__(self, other):
        return not self < other

    def __gt__(self, other):
        return not self <= other

    def __eq__(self, other):
        return self <= other and self >= other

    def __ne__(self, other):
        return not self == other

    __hash__ = _refuse


class _Array(_Unseen):
    __class__ = np.ndarray
    __slots__ = ("dtype", "ndim", "shape")

    def astype(self, dtype, *args, copy=True, **kwargs):
        if copy or self.dtype != dtype:
            raise NotRepeatable
        return self


class AudioStandIn(_Array):
    """Stands for audio of the type of `y` and its axes before time."""

    __slots__ = ()

    def __init__(self, y):
        self.dtype, self.ndim = y.dtype, y.ndim
        self.shape = (*y.shape[:-1], _Length(y.shape[-1]))

    @property
    def lengths(self):
        """The lowest and the highest length for which all comparisons so far come out the same."""
        return self.shape[-1].low, self.shape[-1].high


class AnswerStandIn(_Array):
    """Stands for an answer of the engine, or for a view of it.

    Attributes
    ----------
    answer
        The stand-in of the answer itself.
    changes
        Functions that make of an answer what this stands for, one after the other.
    """

    __slots__ = ("answer", "changes")

    def __init__(self, dtype, ndim):
        self.dtype, self.ndim = dtype, ndim
        self.shape = tuple(_Unseen() for _ in range(ndim))
        self.answer, self.changes = self, ()

    @classmethod
    def of(cls, answer):
        """Stands for an answer, or for each of several."""
        if isinstance(answer, tuple):
            return tuple(map(cls.of, answer))
        return cls(answer.dtype, answer.ndim)

    def swapaxes(self, one, other):
        return self._changed(self.ndim, methodcaller("swapaxes", index(one), index(other)))

    def reshape(self, *shape):
        return self._changed(len(shape), _reshaped([self._axis_of(size) for size in shape]))

    def _axis_of(self, size):
        """The axis that has this size; None for a further axis, of size 1."""
        for axis, own in enumerate(self.shape):
            if size is own:
                return axis
        if type(size) is not int or size != 1:
            raise NotRepeatable
        return None

    def _changed(self, ndim, change):
        changed = AnswerStandIn(self.dtype, ndim)
        changed.answer, changed.changes = self.answer, (*self.changes, change)
        return changed


def _reshaped(axes):
    def change(answer):
        sizes = answer.shape
        return answer.reshape([1 if axis is None else sizes[axis] for axis in axes])

    return change
