"""Steps that are repeated for many clips: what a function asks for is found out once for many lengths.

Before it asks the engine for anything, a function of steps looks at its arguments and at the type and
the axes of its audio, not at samples; between its requests, at a few numbers (a tuning). So it is run
once without samples (`_stand_ins.py`), and each request that it makes is kept with the audio left
open, beside the range of lengths for which it makes the same one. What comes last is an answer as the
engine gave it, or a view of it. Functions that do otherwise are run for each clip, as any single call
is.
"""

import threading

from . import _native
from ._stand_ins import AnswerStandIn, AudioStandIn, NotRepeatable
from ._together import Job, request_key
from ._warnings import refused

__all__ = ["Repeats"]

_FOLLOWED = frozenset(_native.followed_ops)

# Bounds: how many kinds of audio are remembered; how many different answers to one request, for
# tunings of fine resolution; and how many ranges of lengths with different steps.
_MOST_KINDS = 64
_MOST_ANSWERS = 256
_MOST_RANGES = 16

# What a request has in place of the audio.
_AUDIO = object()


# The step of a function that must see more: the rest of the call is made as any single call is.
_BY_ITSELF = object()


class _Ask:
    """A request prepared for any audio of a kind, and the steps that follow it, as far as known."""

    def __init__(self, prepared, is_followed):
        self.prepared = prepared
        self._is_followed = is_followed
        self._next = {}  # what was seen of the answer -> [(lowest length, highest length, step)]

    def step_after(self, answer, length):
        """The step that follows an answer for audio of a length; None where it is to be found out."""
        ranges = self._next.get(self._seen_of(answer))
        if ranges is None:
            return None if len(self._next) < _MOST_ANSWERS else _BY_ITSELF
        for low, high, step in ranges:
            if low <= length <= high:
                return step
        return None if len(ranges) < _MOST_RANGES else _BY_ITSELF

    def learn(self, answer, lengths, step):
        self._next.setdefault(self._seen_of(answer), []).append((*lengths, step))

    def _seen_of(self, answer):
        return tuple([value.tobytes() for value in answer]) if self._is_followed else None

    def shown(self, answer):
        """What the function is shown of an answer."""
        return answer if self._is_followed else AnswerStandIn.of(answer)


class _Result:
    """The last step: what is made of the last answer."""

    def __init__(self, changes):
        self._changes = changes

    def of(self, answer):
        for change in self._changes:
            answer = change(answer)
        return answer


class _Kind:
    """What is known of audio of one type with the same axes before time."""

    def __init__(self):
        self._scripts = {}
        self._prepared = {}

    def job(self, key, feature, y):
        """A call of a feature of audio of this kind."""
        script = self._scripts.get(feature.name)
        if script is None:
            script = self._scripts[feature.name] = _Script(feature, self)
        if script.has_steps:
            return _Repeat(key, script, y)
        return Job(key, feature.start(y=y))

    def prepared(self, op, arguments, stand_in, y):
        """A request prepared for any audio of the kind: the same object for the same request."""
        (name,) = (name for name, value in arguments.items() if value is stand_in)
        arguments = {**arguments, name: _AUDIO}
        key = request_key(op, arguments)
        if key not in self._prepared:
            prepared = _native.prepare(op, **{**arguments, name: y})
            if prepared is None:
                raise NotRepeatable
            # The key has the arguments' identities, so they must stay alive as long as it.
            self._prepared[key] = prepared, arguments
        return self._prepared[key][0]


class _Script:
    """The steps of one feature for audio of one kind, as far as some clip has needed them."""

    def __init__(self, feature, kind):
        self.start = feature.start
        self.has_steps = hasattr(feature.function, "steps")
        self.beginning = _Ask(None, False)
        self._kind = kind

    def find_out(self, asked, y):
        """The step that follows requests and their answers."""
        stand_in = AudioStandIn(y)
        try:
            step = self._step_after(asked, stand_in, y)
        except (NotRepeatable, Exception):  # an error comes again when the call is made by itself
            step = _BY_ITSELF
        last, answer = asked[-1]
        last.learn(answer, stand_in.lengths, step)
        return step

    def _step_after(self, asked, stand_in, y):
        generator, shown = self.start(y=stand_in), None
        try:
            with refused(NotRepeatable):
                op, arguments = generator.send(None)
                for ask, answer in asked[1:]:
                    shown = ask.shown(answer)
                    op, arguments = generator.send(shown)
        except StopIteration as done:
            result = done.value
            if type(result) is not AnswerStandIn or result.answer is not shown:
                raise NotRepeatable from None
            return _Result(result.changes)
        return _Ask(self._kind.prepared(op, arguments, stand_in, y), op in _FOLLOWED)


class _Repeat(Job):
    """A call that repeats a script."""

    def __init__(self, key, script, y):
        self.key = key
        self._script, self._y = script, y
        self._ask, self._asked = script.beginning, []

    def advance(self, answer=None, error=None):
        if self.generator is not None:
            return super().advance(answer, error)
        if error is not None:
            return self._by_itself()  # where the same request fails in the function's words
        self._asked.append((self._ask, answer))
        step = self._ask.step_after(answer, self._y.shape[-1])
        if step is None:
            step = self._script.find_out(self._asked, self._y)
        if type(step) is _Ask:
            self._ask = step
            self.request = step.prepared, self._y
            return True
        if step is _BY_ITSELF:
            return self._by_itself()
        try:
            self.result = step.of(answer)
        except ValueError:  # axes that this answer cannot have: as above
            return self._by_itself()
        return False

    def _by_itself(self):
        self.generator = self._script.start(y=self._y)
        going = super().advance()
        for _, answer in self._asked[1:]:
            going = going and super().advance(answer)
        return going


class Repeats:
    """What is known of the steps of features, for each kind of audio."""

    def __init__(self):
        self._kinds = {}
        self._lock = threading.Lock()

    def kind_of(self, y):
        """What is known of the kind of `y`; None when it comes for the first time."""
        key = y.dtype.char, y.shape[:-1]
        kind = self._kinds.get(key)
        if kind is None:
            with self._lock:
                kind = self._met(key)
        return kind

    def _met(self, key):
        if key not in self._kinds:
            if len(self._kinds) >= _MOST_KINDS:
                del self._kinds[next(iter(self._kinds))]
            self._kinds[key] = None
        # the second clip of this kind: from now on its steps are worth remembering
        elif self._kinds[key] is None:
            self._kinds[key] = _Kind()
        return self._kinds[key]
