#!/usr/bin/env python3
"""Show that the gates work: put a fault into a copy of the tree, rebuild, and see it caught.

    benchmarks/inject_faults.py [--tree DIR] [FAULT ...]

This tree is only read: what is broken is a copy in a temporary folder, gone at the end however it
comes. --tree keeps the copy and its build, some minutes of work, for the next time, which starts
by setting every file right. Exit status 1 if a fault goes unseen, or if the copy fails before any
fault is put in.
"""

import argparse
import contextlib
import dataclasses
import pathlib
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


@dataclasses.dataclass(frozen=True)
class Fault:
    """OLD becomes NEW in a file, and GATE has to say so."""

    file: str
    old: str
    new: str
    gate: str


FAULTS = {
    "slowdown": Fault(
        "cpp/ops/spectral/filterbank.cpp",
        "    dsp::apply_bands(*basis_, powers, block.count,",
        "    dsp::apply_bands(*basis_, powers, block.count, bands_.row(block.b) + block.first,\n"
        "                     bands_.cols);\n"
        "    dsp::apply_bands(*basis_, powers, block.count,",
        "instructions",
    ),
    "extra copy": Fault(
        "cpp/bridge/arrays.hpp",
        "  if (is_view<T>(object)) return",
        "  if (is_view<T>(object) && object.is_none()) return",
        "counters",
    ),
    "lost fusion": Fault(
        "python/metalmom/feature/spectral.py",
        '    return ask("filterbank_spectrogram", **arguments)\n',
        "    from ..core.spectrum import stft\n"
        "    D = stft(y, n_fft=n_fft, hop_length=hop_length, win_length=win_length)\n"
        "    basis = filters._mel_basis(sr=sr, n_fft=n_fft, **kwargs)\n"
        '    return _product(np.abs(D) ** power, basis, kwargs.get("dtype", np.float32))\n',
        "counters",
    ),
    "wrong constant": Fault(
        "cpp/dsp/bases.cpp",
        "std::log(6.4) / 27;",
        "std::log(6.4) / 27.001;",
        "numerics",
    ),
}


def copy_tree(target):
    """Everything git knows of, as it is now, uncommitted changes included, and nothing else."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=True,
    )
    names = {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}
    for name in names:
        data, copy = (ROOT / name).read_bytes(), target / name
        if copy.exists() and copy.read_bytes() == data:
            continue  # its time stays, so that it is not compiled again
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(data)
        copy.chmod((ROOT / name).stat().st_mode)
    for path in (target / "cpp").rglob("*"):  # the build takes every file of a layer
        if path.is_file() and str(path.relative_to(target)) not in names:
            path.unlink()


def gates_of(tree):
    """Build TREE and run its gates: ({gate: its breaches} of those that fail, all they print)."""
    subprocess.run(["./scripts/setup", "-DMETALMOM_TESTS=OFF"], cwd=tree, check=True)
    done = subprocess.run(
        [".venv/bin/python", "benchmarks/run_benchmarks.py", "--check"],
        cwd=tree,
        capture_output=True,
        text=True,
    )
    failed, breaches = {}, []
    for line in done.stdout.splitlines():
        if line.startswith("gate "):
            breaches = []
        if line.endswith(": FAILED"):
            failed[line.split()[1].rstrip(":")] = breaches
        elif line.startswith(" "):
            breaches.append(line.strip())
    if done.returncode and not failed:
        failed["a crash"] = done.stderr.splitlines()[-1:]
    return failed, done.stdout + done.stderr


@contextlib.contextmanager
def put_in(tree, fault):
    """FAULT is in TREE until the block ends."""
    path = tree / fault.file
    text = path.read_text()
    if text.count(fault.old) != 1:
        sys.exit(f"{fault.file} has changed; put the fault in elsewhere")
    path.write_text(text.replace(fault.old, fault.new))
    try:
        yield
    finally:
        path.write_text(text)


def lines_of(name, fault, failed):
    """The table's lines for a fault: each gate that failed, its breaches counted, the first shown."""
    if fault.gate not in failed:
        yield name, "MISSED", f"gate {fault.gate} says nothing"
    for gate, breaches in sorted(failed.items(), key=lambda item: item[0] != fault.gate):
        more = f" (and {len(breaches) - 1} more)" if len(breaches) > 1 else ""
        yield name, gate, f"{breaches[0] if breaches else 'no reason given'}{more}"
        name = ""


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tree", type=pathlib.Path, help="where to keep the copy")
    parser.add_argument("faults", nargs="*", metavar="FAULT", help=", ".join(FAULTS))
    options = parser.parse_args()
    if unknown := set(options.faults) - FAULTS.keys():
        parser.error(f"no such fault: {', '.join(sorted(unknown))}")
    # To be stopped is to leave by way of every `finally`, as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))

    missed = False
    with tempfile.TemporaryDirectory(prefix="metalmom-faults-") as folder:
        tree = options.tree or pathlib.Path(folder)
        copy_tree(tree)
        failed, printed = gates_of(tree)
        if failed:
            sys.exit(f"the gates fail before any fault is put in:\n{printed}")
        print(f"{'fault':15} {'caught by':13} what the gate says", flush=True)
        print(f"{'none':15} {'-':13} every gate passes", flush=True)
        for name in options.faults or FAULTS:
            fault = FAULTS[name]
            with put_in(tree, fault):
                failed, _ = gates_of(tree)
            missed |= fault.gate not in failed
            for line in lines_of(name, fault, failed):
                print("{:15} {:13} {}".format(*line), flush=True)
    return int(missed)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("stopped; this tree was not touched")
