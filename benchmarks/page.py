"""A run as a page of Markdown tables: benchmarks.md beside benchmarks.svg and benchmarks.json."""

import pathlib

import report
from plot import duration


def cells(*texts):
    return "| " + " | ".join(texts) + " |"


def table(title, heading, lines):
    if not lines:
        return []
    return [f"## {title}", "", cells(*heading), cells(*["---"] + ["---:"] * (len(heading) - 1)), *lines, ""]


def sample(value, scale=1e3):
    return report.sample_text(value, scale).replace("+-", "±")


def by_length(rows, lengths):
    """A line per problem: milliseconds and error of the clip of 30 s, ratios of every length."""
    for name in dict.fromkeys(row.problem for row in rows):
        own = {row.seconds: row for row in rows if row.problem == name}
        shown = own.get(30) or own[max(own)]
        clip = "" if shown.seconds == 30 else f" ({duration(shown.seconds)})"
        ratios = {seconds: f"{row.ratio.median:.3g}" for seconds, row in own.items()}
        ratios.setdefault(30, f"{shown.ratio.median:.3g}")  # in that column, of the clip named
        yield cells(f"{name}{clip}", sample(shown.theirs), sample(shown.ours),
                    *(ratios.get(seconds, "") for seconds in lengths), f"{shown.error:.0e}")  # fmt: skip


def one_by_one(rows):
    for row in rows:
        yield cells(row.problem, row.peer, sample(row.theirs), sample(row.ours),
                    sample(row.ratio, 1))  # fmt: skip


def page(facts, rows, processes):
    """The page's text."""
    rows = [row for row in rows if row.ratio]
    alone = [row for row in rows if row.threads == facts["threads"]]
    librosa = [row for row in alone if row.peer == "librosa"]
    lengths = [s for s in sorted({row.seconds for row in librosa}) if s != 60]
    others = [row for row in alone if row.peer != "librosa" and row.seconds == 30]
    several = [row for row in rows if row.threads != facts["threads"]]
    versus = ("problem", "against", "its ms", "metalmom ms", "ratio")
    libs = list(processes)
    facts_of = processes.get("metalmom", {})
    return "\n".join(
        [
            "# Measured",
            "",
            "Printed by `benchmarks/run_benchmarks.py --full`. Times are medians ± half the",
            "interquartile range, ratios those of pairs taken in turn, each pair on an input of its own.",
            "",
            *(f"    {line}" for line in report.heading(facts).splitlines()),
            "",
            "![Ratios by function and length](benchmarks.svg)",
            "",
            *table(
                "Against librosa: 30 s, and ratios by length of the clip",
                ("problem", "librosa ms", "metalmom ms", *map(duration, lengths), "error"),
                list(by_length(librosa, lengths)),
            ),
            *table("Against other libraries: 30 s", versus, list(one_by_one(others))),
            *table("Two threads: 30 s", versus, list(one_by_one(several))),
            *table(
                "Fresh processes",
                ("", *libs),
                [
                    cells(name, *(f"{processes[lib].get(name, float('nan')):.1f}" for lib in libs))
                    for name in facts_of
                ],
            ),
        ]
    )


def write(path, facts, rows, processes):
    pathlib.Path(path).write_text(page(facts, rows, processes).rstrip() + "\n")
