"""Steps of many calls side by side: what they ask of the engine is handed over together."""

import numpy as np

from . import _native

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

    def __init__(self, key, generator):
        self.key = key
        self.generator = generator
        self.request = None
        self.result = self.error = None

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
            self.error = raised
        finally:
            del error  # its traceback has this frame
        return False


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

    def settle(job, going):
        if going:
            asking.append(job)
            return
        for more in finished(job):
            settle(more, more.advance())

    for job in jobs:
        settle(job, job.advance())
    wave = 0
    while asking:
        waiting, asking[:] = list(asking), []
        remembered += [job.request[1] for job in waiting if job.request[0] in _FOLLOWED]
        answers = _answers(waiting, session, watch is not None)
        for job, (answer, error, node) in zip(waiting, answers, strict=True):
            if watch is not None:
                watch(job, wave, node)
            settle(job, job.advance(answer, error))
        wave += 1


def _answers(jobs, session, watched):
    """The engine's answers to what the jobs ask; what is asked twice is computed once."""
    places, requests, first, askers = [], [], {}, []
    for job in jobs:
        op, arguments = job.request
        if isinstance(arguments, dict):
            key = request_key(op, arguments)
        else:
            key = (id(op), id(arguments))
        place = first.setdefault(key, len(requests))
        if place == len(requests):
            requests.append((op, arguments))
            askers.append(job)
        places.append(place)
    names = [each.key[1].name for each in askers] if _native.trace_stamp() else []
    answers = _native.run_together(requests, session, watched, names)
    given = set()
    for place in places:
        answer, error, node = answers[place]
        if place in given:
            # every caller gets an array of its own, so that changes do not show in another's
            answer = _copied(answer)
        given.add(place)
        yield answer, error, node


def request_key(op, arguments):
    """What tells one request from another, as long as the arguments live."""
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
