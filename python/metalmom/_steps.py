"""Public functions as steps, so that several can run together.

A function that needs the engine between its own steps is written as a generator: it yields the name
of an op with its arguments, is sent the result, and returns its own result in the end. Called as any
function, it makes each native call at once. The Extractor advances many such generators side by side
and hands what they ask for to the engine together, which transforms a signal once for all of them.
"""

import functools

from . import _native

__all__ = ["steps", "steps_of"]


def _alone(generator):
    """Run a generator of steps by itself: each native call as it comes."""
    answer = None
    try:
        while True:
            op, arguments = generator.send(answer)
            answer = getattr(_native, op)(**arguments)
    except StopIteration as done:
        return done.value


def steps(function):
    """Decorate a public function that is written as a generator of steps."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        return _alone(function(*args, **kwargs))

    # Traces and tracebacks show the function's own name instead of "call".
    call.__code__ = call.__code__.replace(co_name=function.__name__)
    call.steps = function
    return call


def steps_of(function, *args, **kwargs):
    """A call of any function as a generator of steps; of one without steps, all of it is one."""
    if hasattr(function, "steps"):
        return function.steps(*args, **kwargs)
    return _whole(function, args, kwargs)


def _whole(function, args, kwargs):
    return function(*args, **kwargs)
    yield  # never reached: makes this function a generator
