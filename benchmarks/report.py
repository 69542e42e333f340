"""What a run is written as: a table on the terminal, JSON, a plot."""

import dataclasses
import json
import os
import platform
import subprocess

import numpy as np


@dataclasses.dataclass(frozen=True)
class Row:
    """One problem, one clip length, one peer (or none): times in seconds, ratio peer / ours."""

    problem: str
    seconds: float
    peer: str
    ours: object
    theirs: object
    ratio: object
    error: float
    note: str = ""


def cpu_name():
    try:
        with open("/proc/cpuinfo") as info:
            return next(line.split(":")[1].strip() for line in info if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor() or "unknown"


def commit(root):
    done = subprocess.run(
        ["git", "-C", str(root), "describe", "--always", "--dirty"], capture_output=True, text=True
    )
    return done.stdout.strip() or "unknown"


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
    return (
        f"{facts['cpu']}, {facts['cores']} cores, {facts['threads']} thread(s), {facts['clock']}, "
        f"NumPy {facts['numpy']}, commit {facts['commit']}\n{versions}"
    )


def table(rows):
    """One line per row: our milliseconds, the peer's, how many times faster, the error."""
    cells = [("problem", "clip", "metalmom ms", "peer", "peer ms", "ratio", "error")]
    for row in rows:
        cells.append(
            (
                row.problem,
                f"{row.seconds:g} s",
                sample_text(row.ours),
                row.peer,
                sample_text(row.theirs),
                sample_text(row.ratio, 1),
                row.note or f"{row.error:.1e}",
            )
        )
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = ["  ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip() for line in cells]
    return "\n".join(lines)


def write_json(path, facts, rows, processes):
    data = {
        "machine": facts,
        "rows": [dataclasses.asdict(row) for row in rows],
        "processes": processes,
    }
    with open(path, "w") as out:
        json.dump(data, out, indent=1)
        out.write("\n")


def plot(path, facts, rows):
    """Ratios per problem, one bar for each clip length, against the first peer that was run."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = [row for row in rows if row.ratio]
    peer = rows[0].peer
    rows = [row for row in rows if row.peer == peer]
    problems = list(dict.fromkeys(row.problem for row in rows))
    lengths = sorted({row.seconds for row in rows})
    found = {(row.problem, row.seconds): row.ratio for row in rows}
    fig, ax = plt.subplots(figsize=(8, 0.45 * len(problems) + 1.5), layout="constrained")
    height = 0.8 / len(lengths)
    shades = plt.get_cmap("viridis")(np.linspace(0.15, 0.85, len(lengths)))
    for i, length in enumerate(lengths):
        here = [k for k, name in enumerate(problems) if (name, length) in found]
        ratios = [found[problems[k], length] for k in here]
        ax.barh(
            [k + (i - (len(lengths) - 1) / 2) * height for k in here],
            [ratio.median for ratio in ratios],
            height,
            xerr=[ratio.spread for ratio in ratios],
            color=shades[i],
            label=f"{length:g} s",
        )
    ax.set_yticks(range(len(problems)), problems)
    ax.invert_yaxis()
    ax.set_xscale("log")
    ax.axvline(1, color="black", linewidth=0.8)
    ax.set_xlabel(f"times faster than {peer} ({facts['threads']} thread(s))")
    ax.set_title(facts["cpu"], fontsize=9)
    ax.legend(title="clip")
    fig.savefig(path, dpi=150)
