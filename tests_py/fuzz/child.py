"""The process that makes the tries of one machine: `python -m fuzz.child MACHINE FIRST COUNT`."""

import faulthandler
import importlib
import os
import sys
import traceback

from .draw import Draw, Lasted


def told(error):
    """The lines of a fault: what it is, and the calls that led to it but those of the machines."""
    own = os.path.dirname(__file__)
    calls = [f"{each.filename}:{each.lineno} {each.name}: {each.line}"
             for each in traceback.extract_tb(error.__traceback__) if os.path.dirname(each.filename) != own]  # fmt: skip
    return [f"{type(error).__name__}: {error}", *(f"  {call}" for call in calls[-8:])]


def main():
    name, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    words = os.dup(1)  # what the package prints is nothing that this says
    os.dup2(2, 1)
    faulthandler.enable()

    def say(kind, text=""):
        line = text[:20000].replace("\n", "\x1e")
        os.write(words, f"{kind} {line}\n".encode(errors="backslashreplace"))

    attempt = importlib.import_module(f"fuzz.{name}").attempt
    for seed in range(first, first + count):
        say("try", str(seed))
        try:
            attempt(Draw(name, seed, say))
        except Lasted:
            say("cut")
        except BaseException as error:  # noqa: BLE001
            say("fault", "\n".join(told(error)))
            os._exit(0)  # what it has left behind is no other try's matter


if __name__ == "__main__":
    main()
