"""Features as expressions: what a function makes of audio, as nodes that read other nodes.

A public function says what it wants with `ask` (an op of the engine) and `then` (a function of the host),
and answers with a node: the expression of all that it does. A plain call evaluates it. An Extractor
gives the function an `Audio`, which stands for any audio of one kind, and evaluates the expressions of
many features together (`_evaluate.py`); a stream evaluates its expression block by block. A function
decides by types and axes what it asks for; what depends on samples or on lengths stands in a function
that is given to `then`, which may answer with a further node.
"""

import functools

import numpy as np

from . import _native
from ._kept import NotKept, kept, size_of
from ._warnings import given

__all__ = ["Audio", "Node", "ask", "expression", "of_audio", "then", "value_of"]

# Arrays of the engine's own types have these very objects; foreign byte orders have others.
_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
# Types of arguments that tell by their values which expression a call has.
_PLAIN = frozenset([bool, int, float, str, type, type(None)])
_TO_BE_PREPARED = object()


class Node:
    """A value that an op of the engine, or a function of the host, makes of its arguments.

    Attributes
    ----------
    op : str or None
        The op; None for a function of the host.
    function : callable or None
        The function of the host. It is pure: it changes no argument, and equal arguments give equal values.
    args, kwargs
        The arguments, of which some may be nodes. Of an op all are in `kwargs`.
    call : callable or None
        What makes the value of an op in an expression that is kept, called with the audio.
    """

    __slots__ = ("op", "function", "args", "kwargs", "call")

    def __init__(self, op, function, args, kwargs):
        self.op, self.function, self.args, self.kwargs = op, function, args, kwargs
        self.call = None

    @property
    def nbytes(self):
        """Bytes of the arrays among the arguments, those of its nodes included."""
        return size_of((*self.args, *self.kwargs.values()))


class Audio(Node):
    """Audio of one kind, of any length: a signal that an expression reads, or one made of it.

    Attributes
    ----------
    dtype : np.dtype
    lead : tuple of int
        The axes before time.
    on_device : bool
    """

    __slots__ = ("dtype", "lead", "on_device")

    def __init__(self, dtype, lead, on_device=False, function=None, args=()):
        super().__init__(None, function, args, {})
        self.dtype, self.lead, self.on_device = dtype, lead, on_device

    @property
    def ndim(self):
        return len(self.lead) + 1


def ask(op, **arguments):
    """The answer of the engine's `op`."""
    return Node(op, None, (), arguments)


def then(function, *args, **kwargs):
    """What a pure function of the host makes of its arguments; it is called at once if none is a node."""
    kinds = (*map(type, args), *map(type, kwargs.values())) if kwargs else (*map(type, args),)
    if Node in kinds or Audio in kinds:
        return Node(None, function, args, kwargs)
    return function(*args, **kwargs)


def of_audio(function, y, *args, dtype=None):
    """Audio that a pure function of the host makes of audio, with the same axes before time."""
    if type(y) is not Audio:
        return function(y, *args)
    return Audio(np.dtype(dtype or y.dtype), y.lead, y.on_device, function, (y, *args))


def expression(function=None, *, audio="y"):
    """Decorate a public function that answers with a node: a call of it is the evaluation of that.

    The function itself stays at hand as ``function.expression``, whatever wraps it: other functions build
    theirs of it, and an Extractor or a stream gives it an `Audio`.

    Parameters
    ----------
    audio : str or None
        The argument that is audio; it comes first where it is not named. The expression of a call on audio
        is kept for calls with equal arguments. None: the function reads no audio.
    """
    if function is None:
        return functools.partial(expression, audio=audio)

    @functools.wraps(function)
    def call(*args, **kwargs):
        y = args[0] if args else kwargs.get(audio)
        node, known = None, {}
        if type(y) is np.ndarray and not _native.gpu_is_asked_for():
            node = _kept_node(function, audio, y, args, kwargs, known)
        if node is None:
            node = function(*args, **kwargs)
        return _value(node, known) if isinstance(node, Node) else node

    # Traces and tracebacks show the function's own name instead of "call".
    call.__code__ = call.__code__.replace(co_name=function.__name__)
    call.expression = function
    return call


def _kept_node(function, name, y, args, kwargs, known):
    """The expression of a call on audio of the engine's types, if its arguments tell which it is.

    `known` takes the audio that stands for `y` in it.
    """
    if name is None or len(args) > 1 or (y.dtype is not _SINGLE and y.dtype is not _DOUBLE) or not y.ndim:
        return None
    if not args:
        kwargs = {each: value for each, value in kwargs.items() if each != name}
    values = (*kwargs.values(),)
    kinds = (*map(type, values),)
    # 0.0 equals -0.0, but is another argument
    if not _PLAIN.issuperset(kinds) or (float in kinds and 0.0 in values):
        return None
    node, audio = _node_of(function, None if args else name, y.dtype, y.shape[:-1], (*kwargs,), values, kinds)
    known[audio] = y
    return node


@kept(256)
def _node_of(function, name, dtype, lead, names, values, kinds):
    """The expression of a function of audio, given as `name` or first, and its audio."""
    audio, n_given, arguments = Audio(dtype, lead), given(), dict(zip(names, values, strict=True))
    node = function(audio, **arguments) if name is None else function(**{name: audio}, **arguments)
    if given() > n_given:  # so does each call
        raise NotKept((node, audio))
    _keep_calls(node)
    return node, audio


def _keep_calls(node):
    """Let the ops of an expression whose audio alone is open keep their calls, once prepared."""
    if type(node) is not Node:
        return
    parts = [value for value in (*node.args, *node.kwargs.values()) if isinstance(value, Node)]
    if node.op is not None and parts == [node.kwargs.get("y")]:
        node.call = _TO_BE_PREPARED
    for part in parts:
        _keep_calls(part)


def value_of(node):
    """The value of a node that reads no `Audio`; what is no node is its own value."""
    return _value(node, {}) if type(node) is Node else node


def _value(node, known):
    # `known` has the audio, the nodes that were met, and the session.
    if node.call is not None:
        y = _part(node.kwargs["y"], known)
        if y.flags.c_contiguous and y.flags.aligned:
            if node.call is _TO_BE_PREPARED:
                node.call = _native.prepare(node.op, **{**node.kwargs, "y": y})
            return node.call(y)
    args, kwargs = node.args, node.kwargs
    if args:
        args = [_part(value, known) for value in args]
    if kwargs:
        if "y" in kwargs and node.op is not None and Node in map(type, kwargs.values()) and _native.gpu_is_asked_for():
            # This op finds its audio where those before it had it, on a device.
            known[_native.Session] = _native.Session()
        kwargs = {name: _part(value, known) for name, value in kwargs.items()}
    if node.op is None:
        value = node.function(*args, **kwargs)
        return _value(value, known) if isinstance(value, Node) else value
    if known and _native.Session in known:
        return _in_session(node.op, kwargs, known[_native.Session])
    return getattr(_native, node.op)(**kwargs)


def _part(value, known):
    """The value of an argument, which several nodes may have in common."""
    if not isinstance(value, Node):
        return value
    if value not in known:
        known[value] = _value(value, known)
    return known[value]


def _in_session(op, arguments, session):
    names = [op] if _native.trace_stamp() else []
    ((answer, error, _),) = _native.run_together([(op, arguments)], session, False, names)
    if error is not None:
        raise error
    return answer
