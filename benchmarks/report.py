"""What a run is written as: a table on the terminal, and JSON (plot.py draws it)."""

import dataclasses
import json
import os
import platform
import subprocess

import numpy as np

BUSY = 0.5  # load average above which times are not worth quoting


@dataclasses.dataclass(frozen=True)
class Row:
    """One problem, one clip length, one peer (or none): times in seconds, ratio peer / ours."""

    problem: str
    seconds: float
    threads: int
    peer: str
    ours: object = None
    theirs: object = None
    ratio: object = None
    error: float = float("nan")
    note: str = ""
    failed: bool = False


def cpu_name():
    try:
        with open("/proc/cpuinfo") as info:
            return next(line.split(":")[1].strip() for line in info if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor() or "unknown"


def commit(root):
    git = ["git", "-C", str(root), "describe", "--always", "--dirty"]
    try:
        return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"  # no git, or no checkout


def machine(root, adapters, threads, cpu_time):
    return {
        "cpu": cpu_name(),
        "cores": len(os.sched_getaffinity(0)),
        "load": os.getloadavg()[0],
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "commit": commit(root),
        "threads": threads,
        "clock": "processor time" if cpu_time else "wall clock",
        "versions": {adapter.NAME: adapter.VERSION() for adapter in adapters},
    }


def sample_text(sample, scale=1e3):
    return "" if sample is None else f"{sample.median * scale:.3g} +- {sample.spread * scale:.2g}"


def heading(facts):
    versions = ", ".join(f"{k} {v}" for k, v in facts["versions"].items())
    lines = [
        f"{facts['cpu']}, {facts['cores']} cores, {facts['threads']} thread(s), {facts['clock']}, "
        f"NumPy {facts['numpy']}, commit {facts['commit']}",
        versions,
    ]
    if facts["load"] > BUSY:
        lines.append(f"others compute here (load {facts['load']:.1f}): trust ratios, not times")
    return "\n".join(lines)


COLUMNS = (  # heading, width
    ("problem", 18),
    ("clip", 5),
    ("threads", 7),
    ("metalmom ms", 16),
    ("peer", 18),
    ("peer ms", 16),
    ("ratio", 14),
    ("error", 0),
)


def line_of(cells):
    return "  ".join(cell.ljust(width) for cell, (_, width) in zip(cells, COLUMNS)).rstrip()


def title():
    return line_of([name for name, _ in COLUMNS])


def line(row):
    """Our milliseconds, the peer's, how many times faster we are, how far off the answer is."""
    return line_of(
        [
            row.problem,
            f"{row.seconds:g} s",
            str(row.threads),
            sample_text(row.ours),
            row.peer,
            sample_text(row.theirs),
            sample_text(row.ratio, 1),
            row.note or f"{row.error:.1e}",
        ]
    )


def plain(table):
    """A table for JSON, which has no nan."""
    return {k: None if v != v else v for k, v in table.items()}


def write_json(path, facts, rows, processes):
    data = {
        "machine": facts,
        "rows": [plain(dataclasses.asdict(row)) for row in rows],
        "processes": {lib: plain(values) for lib, values in processes.items()},
    }
    with open(path, "w") as out:
        json.dump(data, out, indent=1)
        out.write("\n")
