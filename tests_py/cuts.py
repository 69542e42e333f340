"""Exceptions of signal handlers: where signals bring them, and at every bytecode."""

import signal
import sys


class Cut(BaseException):
    """What a signal handler raises."""


def cut_by_signals(call, times, seconds_between=0.0003):
    """Make a call again and again, until an exception of a signal handler has cut it so many times."""
    armed = False

    def ring(*_):
        nonlocal armed
        if armed:
            armed = False
            raise Cut

    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds_between, seconds_between)
    try:
        for _ in range(times):
            try:
                armed = True
                while True:
                    call()
            except Cut:
                pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def cut_everywhere(call, *modules):
    """Make a call again and again; each time another bytecode in `modules` raises Cut.

    Yields after each, with the number of bytecodes that ran before it. A package stands for its modules.
    Python runs handlers at fewer places; which ones these are, no version promises.
    """
    count, was_cut = 0, True
    while was_cut:
        was_cut, left = False, count

        def trace(frame, event, _):
            nonlocal was_cut, left
            name = frame.f_globals.get("__name__", "")
            if name not in modules and name.partition(".")[0] not in modules:
                return None
            frame.f_trace_opcodes = True
            if event == "opcode":
                left -= 1
                if left < 0:
                    was_cut = True
                    raise Cut
            return trace

        before = sys.gettrace()
        sys._getframe().f_trace_opcodes = True  # Python 3.12 has opcode events if a frame wanted them before
        sys.settrace(trace)
        try:
            call()
        except Cut:
            pass
        finally:
            sys.settrace(before)
        assert count or was_cut, "no bytecode of these modules was seen"
        yield count
        count += 1
