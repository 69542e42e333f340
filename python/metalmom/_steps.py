"""Public functions as steps, so that several can run together.

A function that needs the engine between its own steps is written as a generator: it yields the name
of an op with its arguments, is sent the result, and returns its own result in the end. Called as any
function, it makes each native call at once. The Extractor advances many such generators side by side
and hands what they ask for to the engine together, which transforms a signal once for all of them.
"""

import functools

from . import _native

__all__ = ["steps", "steps_of"]


def _at_once(op, arguments):
    return getattr(_native, op)(**arguments)


def _in_a_session():
    """Native calls of which later ones find the audio of the first where it is, on a device."""
    session, before = _native.Session(), []

    def call(op, arguments):
        before.append(arguments)  # kept alive: the session tells audio by its address
        names = [op] if _native.trace_stamp() else []
        ((answer, error, _),) = _native.run_together([(op, arguments)], session, False, names)
        if error is not None:
            raise error
        return answer

    return call


def _alone(generator, reads_audio_again=False):
    """Run a generator of steps by itself: each native call as it comes."""
    answer, ask = None, _at_once
    try:
        while True:
            op, arguments = generator.send(answer)
            if reads_audio_again and ask is _at_once and op in _native.followed_ops:
                ask = _in_a_session()
            answer = ask(op, arguments)
    except StopIteration as done:
        return done.value


def steps(function=None, *, reads_audio_again=False):
    """Decorate a public function that is written as a generator of steps.

    `reads_audio_again`: what a step finds in the audio decides what a later one does with it. Where
    the GPU is asked for, the audio then stays there from one to the other.
    """
    if function is None:
        return functools.partial(steps, reads_audio_again=reads_audio_again)

    @functools.wraps(function)
    def call(*args, **kwargs):
        in_session = reads_audio_again and _native.gpu_is_asked_for()
        return _alone(function(*args, **kwargs), in_session)

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
