"""``metalmom soak [AUDIO]``: streams in real time, for hours; and how many of them this machine can run."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from typing import Any

import numpy as np

from .. import core, demo
from .._extractor._recipe import find_function
from ..extraction.recipes import feature_of_text
from ..streaming import Extractor
from ..trace._about import usable_cores
from ..util._keywords import parameters_of
from ..util._output_files import tell
from ..util._progress import shown
from ..util._wording import counted
from ..util.exceptions import AudioError, ParameterError
from ..util.files import expanded
from ._arguments import finite_number, positive
from ._outputs import Output, outputs_of, png_of
from ._soaking import MOST_STREAMS, Plan, find_most, soak

HELP = "run streams in real time, and show if their blocks are in time"
USAGE = "[AUDIO] [--hours H] [--streams N] [--block B] [--find [SECONDS]] [options]"

_DEMO_SECONDS = 60
_FEATURES = ("mfcc", "onset_strength", "chroma_stft tuning=0.0")
_MOST_ROWS = 20
_LEAST_BLOCKS = 10  # of a trial of --find

_ABOUT = """\
Each stream is a metalmom.streaming.Extractor. It gets a block of the audio when a live source would have
delivered its last sample; after the end the audio begins again. Streams take turns within a block.

Latency is the time from that moment until the frames of the block are there. A block is late if its
latency is longer than the block lasts. Drift is how much later than the first block, relative to the clock,
the last block began. Work is the longest time that a stream took for one block; the rest of the latency is
waiting for other streams and for the system.

Ctrl-C and SIGTERM end a run with a report. The exit status is 0; 1 if a block was late, or if --find found
that not even one stream can keep up."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.epilog, parser.formatter_class = _ABOUT, RawDescriptionHelpFormatter
    parser.add_argument("audio", nargs="?", type=expanded, metavar="AUDIO",
                        help="the audio, mixed to mono, at its own rate (a minute of the demo song)")
    parser.add_argument("--hours", type=finite_number, default=0.5, metavar="H",
                        help="how long to run; 0.01 is 36 seconds (%(default)s)")
    parser.add_argument("--streams", type=positive, default=10, metavar="N",
                        help="number of streams (%(default)s)")
    parser.add_argument("--block", type=positive, default=512, metavar="B",
                        help="samples per block (%(default)s)")
    parser.add_argument("-f", "--feature", action="append", metavar="SPEC",
                        help="a feature of each stream, as for metalmom extract: 'mfcc n_mfcc=13'; repeat "
                             f"the option for more ({', '.join(_FEATURES)})")
    parser.add_argument("--processes", type=positive, metavar="N",
                        help="processes that share the streams (one for each processor)")
    parser.add_argument("--find", nargs="?", type=finite_number, const=5.0, metavar="SECONDS",
                        help="find how many streams this machine can run with no late block, to 5 %%: double "
                             "the number, then search between the last two, with trials of so many seconds "
                             "(%(const)s)")
    parser.add_argument("--json", type=expanded, metavar="OUT",
                        help="write the report as JSON ('-': print it instead of the table)")
    parser.add_argument("--plot", type=expanded, metavar="OUT.png",
                        help="draw latencies and memory over time; with --find, those of the largest number "
                             "of streams that were in time (needs matplotlib)")
    parser.add_argument("--progress", choices=("auto", "none"), default="auto",
                        help="auto: a bar on a terminal, lines with --find (%(default)s)")


def run(args: Namespace) -> int:
    outputs = outputs_of(args, Output("--json", args.json, "json"))
    plan, name = plan_of(args)
    if args.find is None:
        with shown(args.progress, plan.seconds, "soak") as move:
            best: dict[str, Any] | None = soak(plan, move)
        report = {"audio": name, **(best or {})}
        lines, status = soak_lines(report), int(report["late"] > 0)
    else:
        trials, best, stopped = find_most(plan, (lambda *_: None) if args.progress == "none" else _tell_of_trial)
        report = {"audio": name, "most": best["streams"] if best else 0, "stopped": stopped, "trials": trials, "best": best}
        lines, status = find_lines(report, plan), int(best is None and not stopped)
    if args.json:
        outputs["--json"].write(json.dumps(report, indent=1).encode() + b"\n")
    if args.json != "-":
        print("\n".join(lines))
    if args.plot and best and best["intervals"]:
        outputs["--plot"].write(picture(best, name))
    return status


def plan_of(args: Namespace) -> tuple[Plan, str]:
    """What is to run, and what the audio is called; wrong features and sizes are refused."""
    if args.streams > MOST_STREAMS:
        raise ParameterError("streams", args.streams, f"at most {MOST_STREAMS}")
    if args.audio:
        y, sr = core.load(args.audio, sr=None, mono=True)
        if not y.size:
            raise AudioError(f"{args.audio} holds no audio")
    else:
        y, sr = demo.song(_DEMO_SECONDS)
        y = y.mean(axis=0, dtype=np.float32)
    seconds, budget = args.find or 3600 * args.hours, args.block / sr
    if budget > seconds:
        raise ParameterError("block", args.block, f"shorter than the run: it lasts {budget:g} s, the run {seconds:g} s")
    if args.find and args.find < _LEAST_BLOCKS * budget:
        raise ParameterError("find", args.find, f"at least {_LEAST_BLOCKS} blocks, {_LEAST_BLOCKS * budget:.3g} s")
    recipe = dict(map(feature_of_text, args.feature or _FEATURES))
    for spec in recipe.values():
        if "sr" in parameters_of(find_function(spec["feature"])[0]):
            spec["sr"] = sr
    Extractor(recipe)  # refuses what is wrong with it
    blocks = np.resize(y, (max(len(y) // args.block, 1), args.block))
    n_processes = args.processes or usable_cores()
    n_streams = args.streams
    if args.find is None:
        n_processes = min(n_processes, n_streams)
    return Plan(recipe, blocks, sr, n_streams, n_processes, seconds), args.audio or "demo song"


def _tell_of_trial(n_streams: int, was_late: bool) -> None:
    tell(f"{counted(n_streams, 'stream')}: {'late' if was_late else 'in time'}")


_FIGURES = ("p50_ms", "p99_ms", "p99.99_ms", "worst_ms", "drift_ms", "work_ms")


def soak_lines(report: dict[str, Any]) -> list[str]:
    """The table of a run: each stream, or the latest ones where there are many."""
    streams, features = report["of_streams"], ", ".join(report["features"])
    ended = ", stopped before its end" if report["stopped"] else ""
    lines = [
        f"audio    {report['audio']}, {report['sr']:g} Hz",
        f"streams  {report['streams']} of {features}, processes: {report['processes']}",
        f"block    {counted(report['block'], 'sample')}, {report['budget_ms']:.3f} ms",
        f"time     {_time(report['seconds'])}{ended}",
        "",
        f"{'stream':8}{'blocks':>10}{'late':>8}" + "".join(f"{name.removesuffix('_ms'):>10}" for name in _FIGURES) + "  ms",
    ]
    rows = sorted(streams, key=lambda each: (-each["late"], -each["worst_ms"]))[:_MOST_ROWS]
    for each in sorted(rows, key=lambda each: each["stream"]):
        lines.append(_row(str(each["stream"]), each))
    if len(streams) > len(rows):
        lines.append(f"(of {len(streams)} streams those with the slowest blocks)")
    most = {name: max((each[name] for each in streams), default=0.0) for name in ("drift_ms", "work_ms")}
    lines.append(_row("all", {**report, **most}))
    return [*lines, "", *_memory_lines(report)]


def _row(name: str, figures: dict[str, Any]) -> str:
    cells = "".join(f"{figures[each]:10.3f}" for each in _FIGURES)
    return f"{name:8}{figures['blocks']:10}{figures['late']:8}{cells}"


def _memory_lines(report: dict[str, Any]) -> list[str]:
    told = [each for each in report["intervals"] if each["resident_mb"] is not None]
    lines = []
    if told:
        megabytes, descriptors = ([each[name] for each in told] for name in ("resident_mb", "descriptors"))
        lines = [
            f"memory   {megabytes[0]:.1f} MB resident at the beginning, {megabytes[-1]:.1f} at the end, "
            f"{max(megabytes):.1f} at most",
            f"open     {descriptors[0]} descriptors at the beginning, {descriptors[-1]} at the end, "
            f"{max(descriptors)} at most",
        ]
    return [*lines, f"clocks   {report['clocks_apart_ms']:.3f} ms between the time of day and the clock of the streams"]


def _time(seconds: float) -> str:
    minutes, left = divmod(seconds, 60)
    hours, minutes = divmod(int(minutes), 60)
    return f"{hours}:{minutes:02}:{left:04.1f}"


def find_lines(report: dict[str, Any], plan: Plan) -> list[str]:
    """The table of the trials, and what they found."""
    lines = [f"{'streams':>8}{'seconds':>10}{'late':>8}{'worst':>10}  ms"]
    for each in report["trials"]:
        lines.append(f"{each['streams']:8}{each['seconds']:10.1f}{each['late']:8}{each['worst_ms']:10.3f}")
    what = f"with no late block of {plan.blocks.shape[1]} samples, each for {plan.seconds:g} s"
    if not report["stopped"]:
        found = f"this machine can run {counted(report['most'], 'stream')} {what}"
    elif report["most"]:
        found = f"stopped before its end: at least {counted(report['most'], 'stream')} {what}"
    else:
        found = "stopped before its end: nothing was found"
    return [*lines, "", found]


def picture(report: dict[str, Any], name: str) -> bytes:
    """PNG: worst block, p99 and median of each interval beside the budget; late blocks; memory and descriptors."""
    from matplotlib.figure import Figure

    every = report["intervals"]
    seconds = report["seconds"]
    unit, scale = ("h", 3600) if seconds > 7200 else ("min", 60) if seconds > 180 else ("s", 1)
    at = np.array([each["at_seconds"] for each in every]) / scale
    figure = Figure(figsize=(10, 6.5), layout="constrained")
    latencies, memory = figure.subplots(2, sharex=True, height_ratios=(2, 1))
    for key, label in (("worst_ms", "worst"), ("p99_ms", "p99"), ("p50_ms", "median")):
        latencies.plot(at, [each[key] for each in every], label=label, linewidth=1, marker=".", markersize=3)
    latencies.axhline(report["budget_ms"], color="C3", linestyle="--", label="budget: the length of a block")
    late = [(when, each["worst_ms"]) for when, each in zip(at, every, strict=True) if each["late"]]
    if late:
        latencies.plot(*zip(*late, strict=True), "x", color="C3", label="with late blocks")
    latencies.set(yscale="log", ylabel="latency of a block, ms")
    figure.suptitle(
        f"{os.path.basename(name)}, {counted(report['streams'], 'stream')}, blocks of {report['block']}: "
        f"{report['late']} of {counted(report['blocks'], 'block')} late"
    )
    latencies.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=5, frameon=False)
    told = [(when, each) for when, each in zip(at, every, strict=True) if each["resident_mb"] is not None]
    if told:
        times = [when for when, _ in told]
        memory.plot(times, [each["resident_mb"] for _, each in told], color="C0")
        memory.set_ylabel("resident, MB", color="C0")
        memory.set_ylim(0, 1.25 * max(each["resident_mb"] for _, each in told))
        descriptors = memory.twinx()
        descriptors.plot(times, [each["descriptors"] for _, each in told], color="C2", linestyle=":")
        descriptors.set_ylabel("descriptors", color="C2")
        descriptors.set_ylim(0, 2 * max(each["descriptors"] for _, each in told))
    memory.set_xlabel(f"time, {unit}")
    return png_of(figure)
