"""The rows of a run: who does what on which clip with how many threads, and their measurement."""

import contextlib
import dataclasses
import functools
import pathlib
import time

import numpy as np
import problems
import report
import timing


@dataclasses.dataclass(frozen=True)
class Case:
    """A row to be: OURS against PEER (None: alone), both adapters."""

    problem: problems.Problem
    seconds: float
    ours: object
    peer: object = None
    threads: int = 1
    peer_threads: int = 1

    @property
    def peer_name(self):
        if self.peer is None:
            return ""
        if self.threads == self.peer_threads:
            return self.peer.NAME
        return f"{self.peer.NAME}, {self.peer_threads} thread"


def grid(names, lengths, ours, peers, threads):
    """Every problem, of every length, against every peer that solves it."""
    for name in names:
        problem = problems.PROBLEMS[name]
        solvers = [peer for peer in peers if name in peer.SOLVE] or [None]
        for seconds in lengths or problem.seconds:
            for peer in solvers:
                yield Case(problem, seconds, ours, peer, threads, threads)


def two_threads(ours, peers):
    """What the second thread brings, and the peers that have a use for one."""
    for name in ("melspectrogram", "hpss", "resample stereo", "main job"):
        problem = problems.PROBLEMS[name]
        yield Case(problem, 60 if name == "main job" else 30, ours, ours, 2, 1)
    for peer in peers:
        names = {"librosa": ("resample stereo",), "torchaudio": ("melspectrogram", "stft")}
        for name in names.get(peer.NAME, ()):
            yield Case(problems.PROBLEMS[name], 30, ours, peer, 2, 2)


class WrongAnswer(Exception):
    """An answer that is not worth timing; the text says whose and how wrong it is."""


class Busy(Exception):
    """Other programs hold the cores that several threads would be measured on."""


def busy_share(seconds=0.5):
    """The share of all cores' time that other programs take, while this one sleeps."""

    def idle_and_all():
        times = list(map(int, pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:]))
        return times[3] + times[4], sum(times)

    idle, total = idle_and_all()
    time.sleep(seconds)
    idle_now, total_now = idle_and_all()
    return 1 - (idle_now - idle) / max(total_now - total, 1)


def wait_for_cores(share=0.1, tries=20):
    """Return once others leave the cores alone; Busy if they do not within some seconds."""
    if not any(busy_share() <= share for _ in range(tries)):
        raise Busy("others compute, so there is no telling what a second thread brings")


@functools.cache
def error_of_answer(adapter, problem, ours):
    """How far an adapter's answer on the check input is off; nan in conventions of its own."""
    inputs = problems.check_input(problem)
    answer = adapter.SOLVE[problem.name](*inputs)
    if problem.name not in adapter.LIKE_LIBROSA:
        if not problems.same_size(answer, ours.SOLVE[problem.name](*inputs)):
            raise WrongAnswer(f"{adapter.NAME}'s answer has the size {np.shape(answer)}")
        return float("nan")
    error = problems.error_of(problem, answer)
    if not error <= problem.tolerance:
        raise WrongAnswer(f"{adapter.NAME} is off by {error:.1e}")
    return error


def with_threads(adapter, solve, count):
    def call(*inputs):
        adapter.threads(count)
        return solve(*inputs)

    return call


class Runner:
    """Measures cases on a signal; SIGNAL is a function of the seconds wanted."""

    def __init__(self, signal, budget, cpu_time=False):
        self._budget = budget
        self._cpu_time = cpu_time
        self._signal = functools.cache(signal)
        self._inputs = functools.lru_cache(maxsize=1)(self._make_inputs)

    def _make_inputs(self, make, seconds):
        count = 3 if seconds > 60 else 4 if seconds > 30 else 8
        return list(map(make, problems.variants(self._signal(seconds), count)))

    def row(self, case):
        """The measured Row; raises WrongAnswer, Busy, or what a library raises."""
        problem, ours, peer = case.problem, case.ours, case.peer
        if case.threads > 1:
            wait_for_cores()
        ours.threads(case.threads)
        error = error_of_answer(ours, problem, ours)
        note = ""
        if peer:
            peer.threads(case.peer_threads)
            error_of_answer(peer, problem, ours)
            note = "" if problem.name in peer.LIKE_LIBROSA else "its own conventions"
        inputs = self._inputs(problem.make_input, case.seconds)
        solve = ours.SOLVE[problem.name]
        fields = dict(problem=problem.name, seconds=case.seconds, threads=case.threads,
                      peer=case.peer_name, error=error, note=note)  # fmt: skip
        # Processor time counts what all threads do: for two there is only the wall clock.
        with timing.processor_time() if self._one_thread(case) else contextlib.nullcontext():
            if not peer:
                sample = timing.alone(solve, inputs, budget=self._budget)
                return report.Row(ours=sample, **fields)
            theirs = peer.SOLVE[problem.name]
            if peer is ours:
                solve, theirs = (
                    with_threads(ours, solve, n) for n in (case.threads, case.peer_threads)
                )
            mine, other, ratio = timing.alternate(
                solve,
                theirs,
                inputs,
                budget=self._budget,
                before=timing.settle if case.threads > 1 else None,
            )
            return report.Row(ours=mine, theirs=other, ratio=ratio, **fields)

    def _one_thread(self, case):
        return self._cpu_time and case.threads == case.peer_threads == 1


def failed_row(case, error):
    lines = str(error).splitlines() or [""]
    return report.Row(
        problem=case.problem.name,
        seconds=case.seconds,
        threads=case.threads,
        peer=case.peer_name,
        note=f"failed: {type(error).__name__}: {lines[0]}"[:120],
        failed=True,
    )
