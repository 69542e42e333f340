"""A line at the bottom of the terminal that says how far a run is."""

import sys
import time

WIDTH = 24


def clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


class Progress:
    """Drawn on standard error where that is a terminal, nowhere else."""

    def __init__(self, total):
        self._total, self._done = total, 0
        self._start = time.perf_counter()
        self._shown = sys.stderr.isatty()

    def begin(self, label):
        """Say what is being done now."""
        if not self._shown:
            return
        full = WIDTH * self._done // max(self._total, 1)
        bar = "#" * full + "." * (WIDTH - full)
        spent = time.perf_counter() - self._start
        left = ""
        if self._done:
            left = f", about {clock(spent / self._done * (self._total - self._done))} left"
        text = f"[{bar}] {self._done}/{self._total}  {clock(spent)}{left}  {label}"
        sys.stderr.write(f"\r\x1b[K{text[:100]}")
        sys.stderr.flush()

    def end(self, text=None):
        """One more is done; TEXT goes to standard output above the bar."""
        self._done += 1
        self.clear()
        if text is not None:
            print(text, flush=True)

    def clear(self):
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
