"""Ctrl-C during a run: the first one lets shards in hand be finished, the second ends them."""

import signal
import threading

__all__ = ["Control"]


class Control:
    """Whether the run is to stop.

    Attributes
    ----------
    stopping : bool
        No more shards are to be begun.
    why : str
        What asked for it; empty where nothing did.
    """

    def __init__(self):
        self.stopping = False
        self.why = ""
        self._at_once = lambda: None
        self._before = {}

    def guard(self, at_once, told):
        """Take over SIGINT and SIGTERM, where this is the thread that gets them.

        `at_once` ends all work now; `told` is called with the words for the user.
        """
        self._at_once, self._told = at_once, told
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._asked)

    def release(self):
        """Give the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}

    def _asked(self, number, frame):
        again = self.stopping or number == signal.SIGTERM
        self.stopping = True
        self.why = "interrupted" if number == signal.SIGINT else "terminated"
        if again:
            self._at_once()
        else:
            self._told("finishing what is in hand; Ctrl-C again stops at once")
