"""Steps that are repeated for many clips: what a function asks for is found out once a shape.

Before it asks the engine for anything, a function of steps looks at its arguments and at the shape
and type of its audio, not at samples; between its requests, at a few numbers (a tuning). So clips of
one shape ask for the same: the function is run on a `_StandIn`, which has no samples, and each request
that it makes is kept with the audio left open. What comes last is an answer as the engine gave it, or
a view of it. Functions that do otherwise are run for each clip, as any single call is.
"""

import threading

import numpy as np

from . import _native
from ._together import Job, request_key
from ._warnings import refused

__all__ = ["Repeats"]

_FOLLOWED = frozenset(_native.followed_ops)

# Bounds: how many shapes are remembered, for collections in which every clip has its own length;
# and how many different answers to one request, for tunings of fine resolution.
_MOST_SHAPES = 64
_MOST_ANSWERS = 256


class _NotRepeatable(Exception):
    """The function did something that may come out differently for another clip of the shape."""


class _StandIn(np.ndarray):
    """Has the shape and type of audio but no samples: whatever reads samples ends the attempt."""

    @classmethod
    def of(cls, y):
        return np.broadcast_to(y.dtype.type(np.nan), y.shape).view(cls)

    def __array_ufunc__(self, *args, **kwargs):
        raise _NotRepeatable

    __array_function__ = __getitem__ = __array_ufunc__

    def astype(self, dtype, *args, copy=True, **kwargs):
        if copy or self.dtype != dtype:
            raise _NotRepeatable
        return self


class _Ask:
    """A request prepared for any audio, and the step that follows each answer seen so far."""

    def __init__(self, prepared, is_followed):
        self.prepared = prepared
        self.next = {}
        self._is_followed = is_followed

    def seen_of(self, answer):
        return tuple(value.tobytes() for value in answer) if self._is_followed else None


class _View:
    """The last step: where the result is in the memory of the last answer."""

    def __init__(self, result, answer):
        self._layout = None
        if result is answer:
            return
        if not isinstance(result, np.ndarray) or result.base is not answer:
            raise _NotRepeatable
        if (result.ctypes.data, result.size) != (answer.ctypes.data, answer.size):
            raise _NotRepeatable
        self._layout = result.shape, result.dtype, result.strides

    def of(self, answer):
        if self._layout is None:
            return answer
        shape, dtype, strides = self._layout
        return np.ndarray(shape, dtype, answer, 0, strides)


class _Shape:
    """What is known of audio of one shape and type: stand-in, prepared requests, scripts."""

    def __init__(self, y):
        self.stand_in = _StandIn.of(y)
        self._scripts = {}
        self._prepared = {}

    def job(self, key, feature, y):
        """A call of a feature of audio of this shape."""
        script = self._scripts.get(feature.name)
        if script is None:
            script = self._scripts[feature.name] = _Script(feature.start, self)
            script.is_repeatable = hasattr(feature.function, "steps")
        if script.is_repeatable:
            return _Repeat(key, script, y)
        return Job(key, feature.start(y=y))

    def prepared(self, op, arguments, y):
        """A request prepared for any audio of the shape: the same object for the same request."""
        key = request_key(op, arguments)
        if key not in self._prepared:
            open_ones = [name for name, value in arguments.items() if isinstance(value, _StandIn)]
            if len(open_ones) != 1 or arguments[open_ones[0]] is not self.stand_in:
                raise _NotRepeatable
            prepared = _native.prepare(op, **{**arguments, open_ones[0]: y})
            if prepared is None:
                raise _NotRepeatable
            # The key has the arguments' identities, so they must stay alive as long as it.
            self._prepared[key] = prepared, arguments
        return self._prepared[key][0]


class _Script:
    """The steps of one feature for audio of one shape, as far as some clip has needed them."""

    def __init__(self, start, shape):
        self.start = start
        self.is_repeatable = True
        self._shape = shape
        self._first = _Ask(None, False)

    def after(self, asked, answers, y):
        """The step that follows the answers to what was asked."""
        last = asked[-1] if asked else self._first
        seen = last.seen_of(answers[-1]) if asked else None
        step = last.next.get(seen)
        if step is None:
            if len(last.next) >= _MOST_ANSWERS:
                raise _NotRepeatable
            step = last.next[seen] = self._find_out(answers, y)
        return step

    def _find_out(self, answers, y):
        generator = self.start(y=self._shape.stand_in)
        try:
            with refused(_NotRepeatable):
                op, arguments = generator.send(None)
                for answer in answers:
                    op, arguments = generator.send(answer)
        except StopIteration as done:
            if not answers:
                raise _NotRepeatable from None
            return _View(done.value, answers[-1])
        return _Ask(self._shape.prepared(op, arguments, y), op in _FOLLOWED)


class _Repeat(Job):
    """A call that repeats a script."""

    def __init__(self, key, script, y):
        super().__init__(key, None)
        self._script, self._y = script, y
        self._asked, self._answers = [], []

    def advance(self, answer=None, error=None):
        if self.generator is not None:
            return super().advance(answer, error)
        if error is not None:
            # run again as a single call, whose error has the function's words
            return self._by_itself([])
        if self._asked:
            self._answers.append(answer)
        try:
            step = self._script.after(self._asked, self._answers, self._y)
        except Exception:
            self._script.is_repeatable = False
            return self._by_itself(self._answers)
        if isinstance(step, _View):
            self.result = step.of(answer)
            return False
        self._asked.append(step)
        self.request = step.prepared, self._y
        return True

    def _by_itself(self, answers):
        self.generator = self._script.start(y=self._y)
        going = super().advance()
        for answer in answers:
            going = going and super().advance(answer)
        return going


class Repeats:
    """What is known of the steps of features, for each shape of audio."""

    def __init__(self):
        self._shapes = {}
        self._lock = threading.Lock()

    def shape_of(self, y):
        """What is known for the shape of `y`; None when it comes for the first time."""
        key = y.shape, y.dtype.char
        with self._lock:
            if key not in self._shapes:
                if len(self._shapes) >= _MOST_SHAPES:
                    del self._shapes[next(iter(self._shapes))]
                self._shapes[key] = None
            # the second clip of this shape: from now on its steps are worth remembering
            elif self._shapes[key] is None:
                self._shapes[key] = _Shape(y)
            return self._shapes[key]
