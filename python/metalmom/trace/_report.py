"""A trace as a report: what it was taken on, where the time went, and what to try."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ._about import labelled
from ._compare import LEAST_CHANGE, LEAST_OF_WHOLE, Change, ratio_text
from ._page import source
from ._roofline import roofline
from ._summary import (
    COLUMNS, HOST_MEMORY, Summary, bytes_text, covered, cpu_split, critical_path, described, dropped_text,
    gpu_lines, grouped, length, time_text,
)

if TYPE_CHECKING:
    from ._recording import Span, Trace

__all__ = ["as_markdown", "as_page", "of_changes", "of_trace"]

_MOST_ROWS = 20


class Title(NamedTuple):
    level: int
    text: str


class Lines(NamedTuple):
    """Sentences; of several, each is an item."""

    items: Sequence[str]


class Table(NamedTuple):
    """Rows of texts; `left` of the columns are words."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1


class Picture(NamedTuple):
    """An SVG, which a page has and Markdown leaves out."""

    svg: str


Block = Title | Lines | Table | Picture


def of_trace(name: str, trace: Trace) -> list[Block]:
    """The report of one trace."""
    summary, spans, duration = trace.summary(), trace.spans, trace.duration
    blocks: list[Block] = [Title(1, name), Table(("taken on", ""), labelled(trace.about), 2)]
    findings = [*summary.diagnosis, *_of_gaps(summary)]
    blocks += [Title(2, "Findings"), Lines(findings or ["Nothing stands out."])]
    extent = f"{len(spans)} spans in {time_text(duration)}{_of_memory(trace)}"
    blocks += [Title(2, "Summary"), Lines([extent])]
    if summary.rows:
        rows = [[text(row[key]) for key, (_, text) in COLUMNS.items()] for row in summary.rows]
        blocks.append(Table([title for title, _ in COLUMNS.values()], _first(rows, len(COLUMNS)), 2))
    blocks += _of_threads(spans, duration)
    blocks += _of_critical_path(spans, duration)
    if summary.gpu:
        blocks += _of_gpu(summary.gpu)
    return blocks


def _of_memory(trace: Trace) -> str:
    used = [sample.value for sample in trace.samples if sample.name == HOST_MEMORY]
    return f"; memory of the process up to {bytes_text(max(used))}" if used else ""


def _of_gaps(summary: Summary) -> list[str]:
    if summary.dropped:
        return [f"{dropped_text(summary.dropped)}: their thread had no room for them. Record for a "
                "shorter time, or without detail."]
    if summary.rows:
        return []
    return ["Nothing was recorded. Call metalmom inside the block of trace.record(), or mark your own code "
            "by trace.span."]


def _first(rows: list[list[str]], width: int) -> list[list[str]]:
    """The first rows; the last one says how many more there are."""
    more = len(rows) - _MOST_ROWS
    return rows if more <= 0 else [*rows[:_MOST_ROWS], [f"{more} more", *[""] * (width - 1)]]


def _of_threads(spans: Sequence[Span], duration: float) -> list[Block]:
    """The part of the time that each thread spent in spans, and what it did there."""
    rows = []
    of_threads = [span for span in spans if span.thread]
    for (_, track), group in grouped(of_threads, lambda span: (span.tid, span.track)).items():
        split = ", ".join(f"{name} {time_text(time)}" for name, time in cpu_split(group).items() if time)
        busy = length(covered(group))
        rows.append((busy, [track, split, f"{busy / duration:.1%}" if duration else ""]))
    rows.sort(key=lambda row: -row[0])
    if not rows:
        return []
    shown = _first([row for _, row in rows], 3)
    return [Title(2, "Threads"), Table(("thread", "own times", "in spans"), shown, 2)]


def _of_critical_path(spans: Sequence[Span], duration: float) -> list[Block]:
    path = critical_path(spans, duration)
    if not path:
        return []
    rows = [[row["name"], row["cat"], row["track"], time_text(row["time"]),
             f"{row['share']:.1%}"] for row in path]
    return [Title(2, "Critical path"),
            Lines(["What the busiest thread did at each moment, or what it waited for."]),
            Table(("span", "category", "where", "time", "share"), _first(rows, 5), 3)]


def _of_gpu(gpu: dict[str, Any]) -> list[Block]:
    rows = [
        [described(name, of), str(of["count"]), time_text(of["time"]), bytes_text(of["bytes"]),
         f"{of['bytes'] / of['time'] / 1e3:.1f}" if of["time"] else "",
         f"{of['flops'] / of['time'] / 1e3:.1f}" if of["time"] else "",
         f"{of['of_bound']:.0%}" if of["of_bound"] is not None else ""]
        for name, of in sorted(gpu["by_kernel"].items(), key=lambda item: -item[1]["time"])
    ]  # fmt: skip
    head = ("kernel", "count", "time", "bytes", "GB/s", "GFLOP/s", "of its bound")
    blocks: list[Block] = [Title(2, "GPU"), Lines([line.strip() for line in gpu_lines(gpu) if line])]
    if rows:
        blocks.append(Table(head, _first(rows, len(head))))
    svg = roofline(gpu["by_kernel"], gpu["peaks"])
    return [*blocks, Picture(svg)] if svg else blocks


def of_changes(title: str, changes: Sequence[Change]) -> list[Block]:
    """What became slower or faster, of spans that both have."""
    def cell(figures: tuple[float, float, int]) -> str:
        median, spread, count = figures
        return f"{time_text(median)} ± {time_text(spread)} ({count})"

    rows = [[each.name, cell(each.before), cell(each.after),
             ratio_text(each), each.verdict] for each in changes]
    verdicts = Counter(change.verdict for change in changes)
    counted = ", ".join(f"{n} {verdict}" for verdict, n in verdicts.items())
    return [Title(1, title), Lines([counted or "No span is in both."]),
            Lines(["The median of each span, half the distance between its quartiles, and their number. Slower "
                   "and faster is what differs by more than both spreads together, by at least "
                   f"{LEAST_CHANGE:.0%}, and in all its spans by at least {LEAST_OF_WHOLE:.1%} of the recorded "
                   "time."]),
            Table(("span", "before", "after", "after / before", "verdict"), _first(rows, 5))]


# As Markdown, which is read in a terminal, too; and as a page.

def as_markdown(blocks: Iterable[Block]) -> str:
    return "\n\n".join(_markdown(block) for block in blocks if not isinstance(block, Picture)) + "\n"


def _markdown(block: Title | Lines | Table) -> str:
    if isinstance(block, Title):
        return "#" * block.level + " " + _plain(block.text)
    if isinstance(block, Lines):
        mark = "- " if len(block.items) > 1 else ""
        return "\n".join(f"{mark}{_plain(item)}" for item in block.items)
    lines = [[_plain(cell).replace("|", "\\|") for cell in row] for row in (block.head, *block.rows)]
    widths = [max(3, *(len(line[i]) for line in lines)) for i in range(len(block.head))]
    rule = ["-" * width if i < block.left else "-" * (width - 1) + ":" for i, width in enumerate(widths)]
    lines.insert(1, rule)

    def padded(line: list[str]) -> str:
        return " | ".join(cell.ljust(width) if i < block.left else cell.rjust(width)
                          for i, (cell, width) in enumerate(zip(line, widths)))

    return "\n".join(f"| {padded(line)} |" for line in lines)


def _plain(text: str) -> str:
    """A text on one line, in which no name of a span is HTML."""
    return html.escape(" ".join(text.split()), quote=False)


def as_page(blocks: Sequence[Block]) -> str:
    title = next((block.text for block in blocks if isinstance(block, Title)), "")
    style = source("page.css") + source("report.css")
    body = "\n".join(map(_html, blocks))
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{html.escape(title)}</title>\n<style>{style}</style>\n</head>\n"
            f'<body class="report">\n{body}\n</body>\n</html>\n')


def _html(block: Block) -> str:
    if isinstance(block, Picture):
        return block.svg
    if isinstance(block, Title):
        return f"<h{block.level}>{html.escape(block.text)}</h{block.level}>"
    if isinstance(block, Lines):
        if len(block.items) == 1:
            return f"<p>{html.escape(block.items[0])}</p>"
        return "<ul>" + "".join(f"<li>{html.escape(item)}</li>" for item in block.items) + "</ul>"

    def row(cells: Sequence[str], tag: str) -> str:
        kinds = ["" if i < block.left else ' class="number"' for i in range(len(cells))]
        made = (f"<{tag}{kind}>{html.escape(cell)}</{tag}>" for cell, kind in zip(cells, kinds))
        return f"<tr>{''.join(made)}</tr>"

    body = "\n".join(row(cells, "td") for cells in block.rows)
    return f"<table>\n<thead>{row(block.head, 'th')}</thead>\n<tbody>\n{body}\n</tbody>\n</table>"
