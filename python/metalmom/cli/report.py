"""``metalmom report TRACE...``: what traces say, and what changed between two."""

from __future__ import annotations

import contextlib
import os
import sys
from argparse import ArgumentParser, Namespace

from ..trace import _compare, _report, load
from ..util._output_files import require_writable
from ..util.exceptions import ParameterError
from ..util.files import expanded
from ._arguments import SOME_SLOWER, printable_lines
from ._outputs import Output

HELP = "show what traces contain: findings, threads, critical path, GPU; or compare traces"
USAGE = "TRACE ... [--against BEFORE ...] [-o OUT.md|OUT.html]"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("traces", nargs="+", type=expanded, metavar="TRACE",
                        help="files of METALMOM_TRACE, of a flight recorder, `profile --trace` or "
                             "Trace.save, as JSON or pages")
    parser.add_argument("--against", nargs="+", default=[], type=expanded, metavar="BEFORE",
                        help="traces to compare with: show which spans became slower or faster by more than "
                             f"the spread of both, and by {100 * _compare.LEAST_CHANGE:g} %%; the exit status is "
                             f"{SOME_SLOWER} if one became slower")
    parser.add_argument("-o", "--out", type=expanded, metavar="OUT",
                        help="write OUT.md or OUT.html instead of printing Markdown")


def run(args: Namespace) -> int:
    kind = "page" if str(args.out).lower().endswith((".html", ".htm")) else "any"
    if args.out:
        if kind == "any" and not args.out.lower().endswith(".md"):
            args.refuse("argument -o: a name that ends in .md or .html")
        _refuse_lost_traces(args)
        require_writable(args.out, kind, name="out")
    traces = [load(path) for path in args.traces]
    status = 0
    if args.against:
        before = [span for path in args.against for span in load(path).spans]
        changes = _compare.changes_of(before, [span for trace in traces for span in trace.spans],
                                      sum(trace.duration for trace in traces))
        blocks = _report.of_changes(f"{_names(args.traces)} against {_names(args.against)}", changes)
        status = SOME_SLOWER if any(change.verdict == _compare.SLOWER for change in changes) else 0
    else:
        blocks = [block for path, trace in zip(args.traces, traces)
                  for block in _report.of_trace(os.path.basename(path), trace)]
    text = _report.as_page(blocks) if kind == "page" else _report.as_markdown(blocks)
    if not args.out:
        sys.stdout.write(printable_lines(text))
        return status
    Output("out", args.out, kind).write(text.encode())
    return status


def _refuse_lost_traces(args: Namespace) -> None:
    """A report replaces no trace."""
    if not os.path.isfile(args.out):
        return
    read = (*args.traces, *args.against)
    if any(os.path.exists(path) and os.path.samefile(path, args.out) for path in read):
        args.refuse(f"argument -o: {args.out} is one of the traces")
    with contextlib.suppress(ParameterError):
        load(args.out)
        args.refuse(f"argument -o: {args.out} holds a trace")


def _names(paths: list[str]) -> str:
    return ", ".join(map(os.path.basename, paths))
