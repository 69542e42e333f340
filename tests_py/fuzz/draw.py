"""What machines draw from, and how they say what they have found."""

import os
import resource
import signal
import time
import traceback
import zlib

import metalmom
import numpy as np

STORM = 300  # signals of a storm
STORM_SECONDS = 3.0  # of calls that last
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")  # by `scripts/fuzz --sanitize`


class Wrong(AssertionError):
    """What a try has found."""


class Lasted(BaseException):
    """A call took so long that its try ends here, which is no fault: any call may be ended so."""


class Cut(BaseException):
    """What a signal raises in the middle of a call."""


class Draw:
    """The choices of one try, which its seed decides.

    Attributes
    ----------
    random : np.random.Generator
    seed : int
    """

    def __init__(self, machine, seed, say):
        self.random, self.seed, self._say = (
            np.random.default_rng([zlib.crc32(machine.encode()), seed]),
            seed,
            say,
        )

    def say(self, text):
        """Note what the try does next, which is told if it fails."""
        self._say("said", text)

    def count(self, points):
        """Note how many points a try has tested, where that is a number of its own."""
        self._say("points", str(points))

    def chance(self, probability):
        return bool(self.random.random() < probability)

    def below(self, n):
        return int(self.random.integers(n))

    def one(self, choices):
        return choices[self.below(len(choices))]

    def some(self, choices, most):
        """At most so many different ones of some choices."""
        n = min(len(choices), 1 + self.below(most))
        return [choices[i] for i in self.random.permutation(len(choices))[:n]]


def expect(holds, text):
    """Fail the try where something does not hold."""
    if not holds:
        raise Wrong(text)


def limit_memory():
    """Let no try take all memory; AddressSanitizer has terabytes of addresses for itself."""
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))


def lasting_at_most(seconds, call):
    """The result of a call; `Lasted` is raised inside it after that time."""

    def ring(*_):
        raise Lasted

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def cut_after(draw, seconds, call):
    """What a call gives while a signal comes after that time, None if it ended the call; and whether it raised.

    Those signals are the points of a try.
    """
    armed, value = True, None

    def ring(*_):
        if armed:
            raise Cut

    signal.signal(signal.SIGALRM, ring)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            value = call()
        finally:
            armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
    except Cut:
        draw.count(1)
        return value, True
    return value, False


def storm(draw, call):
    """Make a call again and again while a signal comes at a random instant of each; settings stay what they were."""
    settings, began = metalmom.get_config(), time.monotonic()
    call()
    lasts = time.monotonic() - began
    for _ in range(STORM):
        cut_after(draw, float(draw.random.uniform(1e-6, lasts)), call)
        if time.monotonic() - began > STORM_SECONDS:
            break
    expect(metalmom.get_config() == settings, "a signal has left settings that were to end")


def in_a_child(call, seconds):
    """Make a call in a fork of this process; how the child ends where it does not end well, or None."""
    process = os.fork()
    if not process:
        status = 1
        try:
            call()
            status = 0
        except BaseException:  # noqa: BLE001
            traceback.print_exc()
        finally:
            os._exit(status)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return None if code == 0 else f"ends with {code}"
        time.sleep(0.005)
    os.kill(process, signal.SIGABRT)
    os.waitpid(process, 0)
    return "does not end"
