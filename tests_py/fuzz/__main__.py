"""The command `scripts/fuzz`: runs machines in processes of their own, and tells each fault with its seed.

A machine is a module of this folder with a function `attempt(draw)`: one try, whose choices all come from its seed
(`draw.Draw`). What it raises is a fault; so is a crash of its process, and a try that lasts longer than the
machine's `LIMIT`. To add a machine, write such a module and add its name to `MACHINES`.
"""

import argparse
import importlib
import os
import pathlib
import secrets
import selectors
import signal
import subprocess
import sys
import tempfile
import time

MACHINES = (
    "functions",
    "parity",
    "extractor",
    "streams",
    "rings",
    "decoders",
    "readers",
    "tables",
    "extract",
    "device",
    "capsules",
    "models",
    "threads",
    "failures",
)
TRIES_OF_A_CHILD = 200
LIMIT = 60.0  # seconds of a try, unless its machine says otherwise

ABOUT = """\
Attack the package at random. Each try of a machine has a seed of its own, the one after that of the try before, so
that the line printed with a fault repeats it.

machines:
"""


class Child:
    """A process that makes tries of a machine, and says what it does."""

    def __init__(self, machine, first, count, folder, environment):
        command = [sys.executable, "-m", "fuzz.child", machine, str(first), str(count)]
        self._words = open(folder / "stderr.txt", "w+b")  # noqa: SIM115
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._words, cwd=folder,
                                        stdin=subprocess.DEVNULL, start_new_session=True,
                                        env={**os.environ, **environment})  # fmt: skip
        self._unread = b""
        self._selector = selectors.DefaultSelector()
        self._selector.register(self.process.stdout, selectors.EVENT_READ)

    def line(self, until):
        """The next line that it says; None when it has ended, or at that time."""
        while b"\n" not in self._unread:
            if not self._selector.select(max(0, until - time.monotonic())):
                return None
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                self.process.wait()
                return None
            self._unread += more
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode(errors="replace")

    def end(self):
        """End it; where it runs, after it has said where all its threads are."""
        for patience, number in ((0.2, signal.SIGABRT), (5, signal.SIGKILL)):
            try:
                self.process.wait(patience)
                break
            except subprocess.TimeoutExpired:
                self.process.send_signal(number)
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # with what it has started
        except ProcessLookupError:
            pass
        self.process.wait()
        self.process.stdout.close()
        self._words.seek(0)
        words = [line for line in self._words.read().decode(errors="replace").splitlines()
                 if line.strip() and not line.startswith("Extension modules")]  # fmt: skip
        self._words.close()
        return [*words[:40], "..."] if len(words) > 40 else words


class Count:
    """What a machine has done."""

    def __init__(self):
        self.tries = self.faults = self.cut = self.points = 0
        self.seconds = 0.0


def attack(machine, first, tries, seconds, tick, tell):
    """Make tries of a machine until there were that many, or that time has passed; what was done."""
    count, began = Count(), time.monotonic()
    module = importlib.import_module(f"fuzz.{machine}")
    limit, environment = getattr(module, "LIMIT", LIMIT), getattr(module, "environment", lambda folder: {})
    while count.tries < tries and time.monotonic() - began < seconds:
        with tempfile.TemporaryDirectory(prefix="metalmom-fuzz-") as folder:
            begin, had = first + count.tries, count.tries
            here, many = pathlib.Path(folder), min(TRIES_OF_A_CHILD, tries - count.tries)
            child = Child(machine, begin, many, here, environment(here))
            try:
                fault = follow(child, count, limit, began + seconds, tick)
            finally:
                words = child.end()
            if fault is not None:
                count.faults += 1
                tell(machine, max(begin, first + count.tries - 1), begin, [*fault, *words])
                if count.tries == had:
                    break  # it does not even begin
    count.seconds = time.monotonic() - began
    return count


def follow(child, count, limit, end, tick):
    """Count a child's tries until it ends or its time is over; the lines of its fault, or None."""
    said = []
    until = time.monotonic() + limit
    while True:
        line = child.line(min(until, end)) if time.monotonic() < end else None
        if line is None:
            if child.process.poll() is None:
                return [f"lasts longer than {limit:g} s", *said] if time.monotonic() >= until else None
            status = child.process.returncode
            if status == 0:
                return None
            how = signal.Signals(-status).name if status < 0 else f"status {status}"
            return [f"the process ended by {how}", *said]
        kind, _, text = line.partition(" ")
        if kind == "try":
            count.tries += 1
            said, until = [], time.monotonic() + limit
            tick()
        elif kind == "said":
            said = [*said[-30:], f"  {text}"]
        elif kind == "points":
            count.points += int(text)
        elif kind == "cut":
            count.cut += 1
        elif kind == "fault":
            return [*text.split("\x1e"), *said]


def bar_of(total):
    """A progress bar of tqdm on a terminal, or nothing."""
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm(total=total, unit=" tries", disable=None, file=sys.stderr)


def options_of(arguments):
    shown = "".join(f"  {name:10} {importlib.import_module(f'fuzz.{name}').__doc__.splitlines()[0]}\n"
                    for name in MACHINES)  # fmt: skip
    parser = argparse.ArgumentParser(
        prog="scripts/fuzz", description=ABOUT + shown, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--seconds",
        type=float,
        metavar="S",
        help="end after that time, shared among the machines; default: 60, or with --tries no end",
    )
    parser.add_argument(
        "--tries", type=int, metavar="N", help="end each machine after so many tries; default: no end"
    )
    parser.add_argument("--seed", type=int, metavar="K", help="seed of the first try; default: a random one")
    parser.add_argument(
        "--only", action="append", choices=MACHINES, metavar="MACHINE", help="this machine; may be given several times"
    )
    return parser.parse_args(arguments)


def main(arguments=None):
    options = options_of(arguments)
    machines = options.only or MACHINES
    seed = secrets.randbelow(10**9) if options.seed is None else options.seed
    seconds = options.seconds or (60 if options.tries is None else float("inf"))
    tries = sys.maxsize if options.tries is None else options.tries
    print(f"fuzz: --seed {seed}", flush=True)
    bar = bar_of(None if options.tries is None else options.tries * len(machines))
    write = bar.write if bar is not None else print

    def tell(machine, at, begin, lines):
        write(
            "\n".join(
                [
                    f"{machine}: a fault at seed {at}",
                    *(f"  {line}" for line in lines),
                    f"  again: scripts/fuzz --only {machine} --seed {at} --tries 1",
                ]
            )
        )
        if at != begin:
            write(f"  or, with the tries before it in its process: --seed {begin} --tries {at - begin + 1}")
        sys.stdout.flush()

    counts, end = {}, time.monotonic() + seconds
    for i, machine in enumerate(machines):
        share = (end - time.monotonic()) / (len(machines) - i)
        tick = bar.update if bar is not None else lambda: None
        counts[machine] = attack(machine, seed, tries, share, tick, tell)
    if bar is not None:
        bar.close()
    for machine, count in counts.items():
        cut = f" of {count.points} points" if count.points else ""
        cut += f", {count.cut} of them ended early" if count.cut else ""
        print(f"{machine:10} {count.tries:9} tries{cut}, {count.faults} faults, {count.seconds:.0f} s")
    return 1 if any(count.faults for count in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
