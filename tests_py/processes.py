"""Python in a process of its own, for what a process does once: its environment, its end, a lost device."""

import os
import subprocess
import sys
import time

from metalmom.extraction import fork_server


def run_python(code, **environment):
    """Run a text of Python that must end well; what it printed, without white space around it."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def wait_until(condition, seconds=30, told=lambda: None):
    """Look until something is so, on a busy machine, too: for `seconds` at most. `told()` says what there is instead."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, told()
        time.sleep(0.005)


class KeptServer(fork_server.ForkServer):
    """What children of runs are forked from: one process for all runs that come with the same surroundings.

    When a run closes it, the run's children end, and it stays for the next one.
    """

    _kept = None

    def __init__(self):
        super().__init__()
        self._process_of, self._surroundings, self._numbers = os.getpid(), self._of_now(), []

    @staticmethod
    def _of_now():
        return os.getcwd(), {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}

    @classmethod
    def take(cls):
        """In place of `fork_server.take`."""
        kept = cls._kept
        if kept and (kept._process_of, kept._surroundings) != (os.getpid(), cls._of_now()):
            cls.forget()
        kept, cls._kept = cls._kept, None
        return kept or cls()

    @classmethod
    def forget(cls):
        """End the one that is kept, but in a fork of its process."""
        kept, cls._kept = cls._kept, None
        if kept and kept._process_of == os.getpid():
            fork_server.ForkServer.close(kept)

    def fork(self, descriptors):
        self._numbers.append(super().fork(descriptors))
        return self._numbers[-1]

    def close(self):
        for number in self._numbers:
            self.end(number)
        self._numbers.clear()
        if KeptServer._kept is None and self._process.poll() is None:
            KeptServer._kept = self
        elif KeptServer._kept is not self:
            super().close()
