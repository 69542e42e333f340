"""Ctrl-C during a run: the first one lets shards in hand be finished, the second ends them."""

import signal
import threading

__all__ = ["Control"]


class Control:
    """Whether the run is to stop. Signals set these and do nothing else: schedulers look at them.

    Attributes
    ----------
    stopping : bool
        No more shards are to be begun.
    at_once : bool
        Shards in hand are to be given up, too.
    why : str
        What asked for it; empty where nothing did.
    """

    def __init__(self):
        self.stopping = self.at_once = False
        self.why = ""
        self._before = {}

    def guard(self):
        """Take over SIGINT and SIGTERM, where this is the thread that gets them."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._asked)

    def release(self):
        """Give the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}

    def _asked(self, number, frame):
        self.at_once = self.stopping or number == signal.SIGTERM
        self.stopping = True
        self.why = "interrupted" if number == signal.SIGINT else "terminated"
