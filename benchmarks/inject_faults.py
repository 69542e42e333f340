#!/usr/bin/env python3
"""Show that the gates work: put a fault into a copy of the tree, rebuild, and see it caught.

    benchmarks/inject_faults.py [--tree DIR] [FAULT ...]

Takes some minutes for the first build of the copy; --tree keeps the copy and its build for the
next time. Exit status 1 if a fault goes unseen, or if the copy fails before any fault is put in.
"""

import argparse
import dataclasses
import pathlib
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
        "cpp/ops/filterbank.cpp",
        "                         dsp::apply_bands(*in.basis, lanes, block.count,\n",
        "                         dsp::apply_bands(*in.basis, lanes, block.count,\n"
        "                                          out.bands.row(block.b) + block.first,\n"
        "                                          plan.frames.n_frames);\n"
        "                         dsp::apply_bands(*in.basis, lanes, block.count,\n",
        "instructions",
    ),
    "extra copy": Fault(
        "cpp/bridge/arrays.hpp",
        "  if (Exact::check_(object)) return",
        "  if (Exact::check_(object) && object.is_none()) return",
        "counters",
    ),
    "lost fusion": Fault(
        "python/metalmom/feature/spectral.py",
        "    return _native.filterbank_spectrogram(power=power, **arguments)\n",
        "    from ..core.spectrum import stft\n"
        "    D = stft(y, n_fft=n_fft, hop_length=hop_length, win_length=win_length)\n"
        "    basis = filters._mel_basis(sr=sr, n_fft=n_fft, **kwargs)\n"
        "    return _product(np.abs(D) ** power, basis, dtype)\n",
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
    """Everything git knows of, as it is now, uncommitted changes included."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            data, copy = (ROOT / name).read_bytes(), target / name
            if copy.exists() and copy.read_bytes() == data:
                continue  # its time stays, so that it is not compiled again
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(data)
            copy.chmod((ROOT / name).stat().st_mode)


def gates_of(tree):
    """Build TREE and run its gates; (exit status, what they print)."""
    subprocess.run(["./scripts/setup"], cwd=tree, check=True)
    done = subprocess.run(
        [".venv/bin/python", "benchmarks/run_benchmarks.py", "--check"],
        cwd=tree,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


def seen(tree, fault):
    """Whether the gate sees FAULT in TREE; what the gates print."""
    path = tree / fault.file
    text = path.read_text()
    if text.count(fault.old) != 1:
        sys.exit(f"{fault.file} has changed; put the fault in elsewhere")
    path.write_text(text.replace(fault.old, fault.new))
    try:
        status, printed = gates_of(tree)
    finally:
        path.write_text(text)
    return status == 1 and f"gate {fault.gate}: FAILED" in printed, printed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tree", type=pathlib.Path, help="where to keep the copy")
    parser.add_argument("faults", nargs="*", metavar="FAULT", help=", ".join(FAULTS))
    options = parser.parse_args()

    missed = []
    with tempfile.TemporaryDirectory(prefix="metalmom-faults-") as folder:
        tree = options.tree or pathlib.Path(folder)
        copy_tree(tree)
        status, printed = gates_of(tree)
        if status:
            sys.exit(f"the gates fail before any fault is put in:\n{printed}")
        for name in options.faults or FAULTS:
            caught, printed = seen(tree, FAULTS[name])
            print(f"{name}: {'caught' if caught else 'MISSED'} by gate {FAULTS[name].gate}")
            if not caught:
                missed.append(name)
                print(printed)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
