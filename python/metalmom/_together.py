"""Steps of many calls side by side: what they ask of the engine is handed over together."""

import numpy as np

from . import _native
from .util.exceptions import LibrosaError

__all__ = ["Job", "request_key", "run_jobs"]

# Ops whose audio a session remembers for the calls that follow.
_FOLLOWED = frozenset(_native.followed_ops)


class Job:
    """A call as a generator of steps, and what came of it.

    Attributes
    ----------
    key
        What it is to the caller: a pair, whose second is the feature.
    request
        What it asks of the engine now: op and arguments, or a prepared call and its audio.
    result, error
        One of them, in the end.
    """

    generator = request = result = error = None

    def __init__(self, key, generator):
        self.key = key
        self.generator = generator

    def advance(self, answer=None, error=None):
        """Go on with an answer, up to the next request. True while there is one."""
        try:
            if error is not None:
                self.request = self.generator.throw(error)
            else:
                self.request = self.generator.send(answer)
            return True
        except StopIteration as done:
            self.result = done.value
        except Exception as raised:  # an error belongs to this call alone; the other calls go on
            self.error = _without_frames(raised) if isinstance(raised, LibrosaError) else raised
        finally:
            del error  # its traceback has this frame
        return False


def _without_frames(error):
    """An error that says what is wrong, without the frames it came through: they hold what other calls have."""
    each = error
    while each is not None:
        each.__traceback__ = None
        each = each.__context__
    return error


def run_jobs(jobs, finished=lambda job: (), watch=None):
    """Run jobs side by side until all are done.

    `finished` is called with each job that ended and may answer with more jobs. `watch`, where
    given, is called with each job whose request was answered, the number of the answering round,
    and the node that the request was in the engine: pipeline, side, and what it read there (equal
    requests of a round are one node, the same object).
    """
    asking = []
    session = _native.Session()
    # kept alive: the session tells audio by its address, which must not be used again
    remembered = []

    def start(jobs):
        for job in jobs:
            if job.advance():
                asking.append(job)
            else:
                start(finished(job))

    start(jobs)
    wave = 0
    while asking:
        waiting, asking[:] = list(asking), []
        remembered += [job.request[1] for job in waiting if job.request[0] in _FOLLOWED]
        answers = _answers(waiting, session, watch is not None)
        for job, (answer, error, node) in zip(waiting, answers, strict=True):
            if watch is not None:
                watch(job, wave, node)
            if job.advance(answer, error):
                asking.append(job)
            else:
                start(finished(job))
        wave += 1


def _answers(jobs, session, watched):
    """The engine's answers to what the jobs ask; what is asked twice is computed once."""
    keys = [request_key(*job.request) for job in jobs]
    askers = {}
    for key, job in zip(keys, jobs, strict=True):
        askers.setdefault(key, job)
    requests = [job.request for job in askers.values()]
    names = [job.key[1].name for job in askers.values()] if _native.trace_stamp() else []
    answers = _native.run_together(requests, session, watched, names)
    if len(answers) == len(jobs):
        return answers
    return _for_each(keys, dict(zip(askers, answers, strict=True)))


def _for_each(keys, answers):
    """Answers in the order of the keys; each caller gets arrays of its own, which it may change."""
    given = set()
    for key in keys:
        answer, error, node = answers[key]
        yield _copied(answer) if key in given else answer, error, node
        given.add(key)


def request_key(op, arguments):
    """What tells one request from another, as long as the arguments live."""
    if type(arguments) is not dict:  # audio, which a prepared call lacks
        return op, id(arguments)
    return (op, *arguments, *map(_identity, arguments.values()))


_BY_VALUE = frozenset([bool, float, int, str, type(None)])


def _identity(value):
    """What tells one argument from another: most by their values, arrays and handles by themselves."""
    return value if type(value) in _BY_VALUE else ("id", id(value))


def _copied(answer):
    if isinstance(answer, np.ndarray):
        return answer.copy()
    if isinstance(answer, (tuple, list)):
        return type(answer)(_copied(item) for item in answer)
    return answer
