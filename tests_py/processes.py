"""Python in a process of its own, for what a process does once: its environment, its end, a lost device."""

import os
import subprocess
import sys


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
