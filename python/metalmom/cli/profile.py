"""``metalmom profile FILE...``: the main job, stage by stage, with times."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import os
import statistics
import sys
import tempfile
import time
import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _native, core, demo, display, feature, onset, streaming, trace
from .._engine.backend import Device, devices
from .._engine.config import config_context
from .._engine.runtime import build_info
from .._extractor._recipe import find_function
from .._extractor.extractor import Extractor
from ..trace._about import about_process, cpu_model
from ..trace._compare import LEAST_VALUES, SLOWER, Change, ratio_text, spread
from ..util._checks import require
from ..util._types import Array
from ..util._wording import counted
from ..util.exceptions import AudioError
from ..util.files import expanded
from ._arguments import EXPECTED, SOME_SLOWER, backend, positive, printable_lines, sentence
from ._outputs import Output, outputs_of, png_of

HELP = "analyse a song and show the time of each stage"
USAGE = "[FILE ...] [options]"

# Arguments of the main job: librosa's defaults, but for the number of coefficients.
# cpp/tools/main_job.hpp has the same for the job without Python.
SR, N_FFT, HOP_LENGTH = int(_native.defaults["sr"]), _native.defaults["n_fft"], _native.defaults["hop_length"]
N_MFCC = 13
FRAMING = {"n_fft": N_FFT, "hop_length": HOP_LENGTH}
# What it computes at that rate, as a recipe; before it stands the stage that loads the file.
FEATURES: dict[str, dict[str, Any]] = {
    "stft": FRAMING,
    "mel": {"feature": "melspectrogram", **FRAMING},
    "mfcc": {"n_mfcc": N_MFCC, **FRAMING},
    "chroma": {"feature": "chroma_stft", **FRAMING},
    "onset": {"feature": "onset_strength", "hop_length": HOP_LENGTH},
    "beat": {"feature": "beat_track", "hop_length": HOP_LENGTH, "units": "time"},
}
STAGES = ("load", *FEATURES)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", type=expanded, metavar="FILE",
                        help="audio files; without one, the demo song (30 s, synthesised)")
    parser.add_argument("--json", type=expanded, metavar="OUT",
                        help="write the results as JSON, for several files as a list ('-', here and for "
                             "--trace and --html: print them instead of the table)")
    parser.add_argument("--trace", type=expanded, metavar="OUT", help="write a trace for Perfetto or Chrome")
    parser.add_argument("--html", type=expanded, metavar="OUT", help="write a trace as one self-contained page")
    parser.add_argument("--detail", action="store_true",
                        help="show the stages inside ops and the workers in the trace")
    parser.add_argument("--plot", type=expanded, metavar="OUT.png",
                        help="draw waveform, mel, chroma, onset strength and beats of one file "
                             "(needs matplotlib)")
    parser.add_argument("--graph", action="store_true",
                        help="also run the stages as one graph; show its nodes, their times and the "
                             "critical path")
    parser.add_argument("--stream", action="store_true",
                        help="also read the file in blocks of 50 ms, as from a live source; show "
                             "what a block costs")
    parser.add_argument("--repeat", type=positive, default=1, metavar="N",
                        help="run N times; show the run with the median total time, and the spread")
    parser.add_argument("--compare", type=expanded, metavar="BEFORE.json",
                        help="compare with an earlier file of --json, both with --repeat 3 or more: show "
                             "which stages became slower or faster by more than the spread of both; the exit status is "
                             f"{SOME_SLOWER} if one became slower")
    parser.add_argument("--backend", type=backend, metavar="NAME", 
                        help="where to compute: auto (the default), cpu, gpu, gpu:1 ...")
    parser.add_argument("--threads", type=positive, metavar="N", help="number of threads")


def run(args: Namespace) -> int:
    if args.plot and len(args.files) > 1:
        args.refuse("argument --plot: one file to draw")
    outputs = outputs_of(
        args, Output("--json", args.json, "json"), Output("--html", args.html, "page"),
        Output("--trace", args.trace, "page" if str(args.trace).endswith(".html") else "json"),
    )  # fmt: skip
    before = results_before(args)
    recorded = trace.record(detail=args.detail)
    with contextlib.ExitStack() as stack:
        if args.backend:
            stack.enter_context(config_context(backend=args.backend))
        if args.threads:
            stack.enter_context(config_context(threads=args.threads))
        show = all(output.path != "-" for output in outputs.values())
        jobs: list[Job] = []
        results = list(profiled(args, jobs, before, recorded, show=show))
    for output in outputs.values():
        output.write(content_of(output, results, recorded, jobs))
    if any("error" in result for result in results):
        return 1
    verdicts = {stage["verdict"] for result in results for stage in result.get("compared", ())}
    return SOME_SLOWER if SLOWER in verdicts else 0


def results_before(args: Namespace) -> dict[str, dict[str, tuple[float, float, int]]]:
    """What ``--compare`` names, by the names of the files without folders."""
    if args.compare is None:
        return {}
    if args.repeat < LEAST_VALUES:
        args.refuse(f"argument --compare: it needs --repeat {LEAST_VALUES} or more")
    with open(args.compare, encoding="utf-8") as file:
        try:
            results = json.load(file)
            results = results if isinstance(results, list) else [results]
            found = {os.path.basename(result["file"]): figures_of(result)
                     for result in results if "error" not in result}
        except (ValueError, LookupError, TypeError):
            found = {}
    rule = f"what `metalmom profile --json` wrote with --repeat {LEAST_VALUES} or more"
    require(bool(found), "compare", args.compare, rule)
    return found


def figures_of(result: dict[str, Any]) -> dict[str, tuple[float, float, int]]:
    """Median, spread and number of the runs of each stage."""
    number = int(result["repeat"])
    figures = {stage["name"]: (float(stage["ms"]), float(stage["spread_ms"]), number)
               for stage in result["stages"]}
    return {**figures, "total": (float(result["total_ms"]), float(result["total_spread_ms"]), number)}


def change_lines(changes: list[Change]) -> list[str]:
    """The table of what changed."""
    lines = [f"{'stage':<8}{'before, ms':>22}{'now, ms':>22}{'ratio':>8}  verdict"]
    for each in changes:
        old, new = (f"{median:.3f} +- {spread:7.3f}" for median, spread, _ in (each.before, each.after))
        lines.append(f"{each.name:<8}{old:>22}{new:>22}{ratio_text(each):>8}  {each.verdict}")
    return lines


def content_of(output: Output, results: list[dict[str, Any]], recorded: trace.Trace, jobs: list[Job]) -> bytes:
    if output.option == "--plot":
        job = jobs[0]
        title = os.path.basename(results[0]["file"]) + f", {job.tempo:.1f} BPM"
        return picture(job.y, job.sr, HOP_LENGTH, job.beats, title)
    if output.option == "--json":
        whole = results[0] if len(results) == 1 else results
        return json.dumps(whole, indent=1).encode() + b"\n"
    return recorded.as_page() if output.kind == "page" else recorded.as_json()


def profiled(
    args: Namespace, jobs: list[Job], before: dict[str, Any], recorded: trace.Trace, *, show: bool
) -> Iterator[dict[str, Any]]:
    """Yield the report of each file, and print its table; of one that fails, what was wrong.

    The job of a file that is to be drawn is left in `jobs`. The trace has what was computed from the first
    file to the last, without what is written before and after.

    The error of a single file is the command's.
    """
    calls_of_job()
    with contextlib.ExitStack() as recording:
        for place, (name, path) in enumerate(named_paths(args.files)):
            if place == 0 and (args.trace or args.html):
                recording.enter_context(recorded)
            try:
                with trace.span(os.path.basename(name)) if len(args.files) > 1 else contextlib.nullcontext():
                    runs = [run_job(path) for _ in range(args.repeat)]
            except EXPECTED as error:
                if len(args.files) < 2:
                    raise
                print(f"metalmom: {sentence(error, args)}", file=sys.stderr)
                yield {"file": name, "error": sentence(error, args)}
                continue
            graph = run_graph(runs[-1][0]) if args.graph else None
            stream = measured(path, SR) if args.stream else None
            if place + 1 >= len(args.files):
                recording.close()
            result = report(name, runs)
            if args.plot:
                jobs.append(runs[-1][0])
            lines = ["\n" * (place > 0) + "\n".join(header_lines(result) + table_lines(result))]
            if figures := before.get(os.path.basename(name)):
                changes = [Change(stage, figures[stage], now)
                           for stage, now in figures_of(result).items() if stage in figures]
                result["compared"] = [
                    {"name": each.name, "before_ms": each.before[0], "before_spread_ms": each.before[1],
                     "verdict": each.verdict} for each in changes]  # fmt: skip
                lines += ["", *change_lines(changes)]
            elif args.compare:
                lines += ["", f"{args.compare} has no {os.path.basename(name)} to compare with"]
            if graph is not None:
                result["graph"] = json.loads(graph.json())
                lines += ["", f"{'graph':<8}{graph.ms:10.3f}  all stages but load", str(graph)]
            if stream is not None:
                result["stream"] = stream
                lines += ["", *stream_lines(stream)]
            if show:
                print(printable_lines("\n".join(lines)))
            yield result


def named_paths(files: list[str]) -> Iterator[tuple[str, str]]:
    """The name and the path of each file; without one, of the demo song."""
    if files:
        yield from ((file, file) for file in files)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "demo.wav")
        demo.write_wav(path)
        yield "demo song", path


@functools.cache
def calls_of_job() -> dict[str, Any]:
    """The features' functions with their arguments; the first call imports them."""
    calls = {}
    for name, spec in FEATURES.items():
        arguments = {"feature": name, **spec}
        function, _ = find_function(arguments.pop("feature"))
        calls[name] = functools.partial(function, **arguments)
    return calls


class Job:
    """The main job on a file: a stage makes what the next ones need, and gives the shape of what it made."""

    def __init__(self, path: str) -> None:
        self.path = path

    def load(self) -> tuple[int, ...]:
        self.y, self.sr = core.load(self.path, sr=SR, mono=True)
        if not self.y.size:
            raise AudioError(f"{self.path} holds no audio")
        return self.y.shape

    def feature(self, name: str) -> tuple[int, ...]:
        result = calls_of_job()[name](y=self.y)
        if name != "beat":
            return result.shape
        tempo, self.beats = result
        self.tempo = float(np.ravel(tempo)[0])
        return self.beats.shape


def run_job(path: str) -> tuple[Job, list[tuple[int, ...]], list[float]]:
    """Run the job once: the job, the shapes, and the milliseconds of each stage.

    The end of a stage is the begin of the next, so that the stages add up to the total.
    """
    job, shapes = Job(path), []
    with warnings.catch_warnings():
        # about audio shorter than a frame, which the table shows anyway
        warnings.simplefilter("ignore")
        times = [time.perf_counter_ns()]
        for stage in STAGES:
            with trace.span(stage):
                shapes.append(job.load() if stage == "load" else job.feature(stage))
            times.append(time.perf_counter_ns())
    return job, shapes, [(b - a) / 1e6 for a, b in zip(times, times[1:])]


def run_graph(job: Job) -> Any:
    """The stages after loading as one Extractor: the graph of a call."""
    graph_of_job = Extractor(FEATURES, sr=job.sr)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as in the stages
        graph_of_job(job.y)
    return graph_of_job.graph()


def report(file: str, runs: list[tuple[Job, list[tuple[int, ...]], list[float]]]) -> dict[str, Any]:
    """The results as ``--json`` writes them, of the run whose total is the median."""
    totals = [sum(ms) for _, _, ms in runs]
    job, shapes, ms = runs[totals.index(statistics.median_low(totals))]
    stages = [{"name": stage, "ms": t, "shape": list(shape)} for stage, shape, t in zip(STAGES, shapes, ms)]
    found, build = devices(), build_info()
    result = {
        "file": file, "sr": job.sr, "samples": int(job.y.shape[-1]),
        "backend": backend_name(found), "device": cpu_model(), "simd": build["simd"],
        "threads": _native.thread_count(), "gpu": gpu_text(found),
        "stages": stages, "total_ms": sum(ms), "tempo": job.tempo,
        "beats": [float(t) for t in job.beats], "version": build["version"], "about": about_process(),
    }
    if len(runs) > 1:
        result["repeat"] = len(runs)
        result["total_spread_ms"] = spread(totals)
        for i, stage in enumerate(stages):
            stage["spread_ms"] = spread([ms[i] for _, _, ms in runs])
    return result


def backend_name(devices: list[Device]) -> str:
    """What ran: "auto" is the CPU where there is no GPU that it would choose."""
    name = _native.backend_name()
    chosen = [d for d in devices if d.type != "cpu" and not d.unusable]
    return name if chosen or name != "auto" else "cpu"


def gpu_text(devices: list[Device]) -> str:
    if not devices:
        return f"unavailable ({_native.no_device_reason()})"
    return "; ".join(
        f"{device.name}, {device.driver}, {device.memory / 2**30:.1f} GiB, bindings of "
        f"{device.max_storage_buffer / 2**20:.0f} MiB, {device.shared_memory / 2**10:.0f} KiB shared"
        + (", software" if device.type == "cpu" else "")
        for device in devices
    )


def header_lines(result: dict[str, Any]) -> list[str]:
    seconds = result["samples"] / result["sr"]
    return [
        f"file     {result['file']} ({seconds:.1f} s)",
        f"CPU      {result['device']}, {result['simd']}, {counted(result['threads'], 'thread')}",
        f"backend  {result['backend']}",
        f"GPU      {result['gpu']}",
        "",
    ]


def table_lines(result: dict[str, Any]) -> list[str]:
    repeated = "repeat" in result

    def line(name: str, ms: float, spread_ms: float | None, what: str) -> str:
        time_text = f"{ms:10.3f}" + (f" +- {spread_ms:7.3f}" if repeated else "")
        return f"{name:<8}{time_text}  {what}".rstrip()

    head = f"{'stage':<8}{'ms':>10}" + (" " * 11 if repeated else "") + "  shape"
    lines = [head]
    for stage in result["stages"]:
        what = str(tuple(stage["shape"]))
        if stage["name"] == "load":
            what = f"{result['samples']} samples at {result['sr']} Hz"
        elif stage["name"] == "beat":
            what = f"{result['tempo']:.1f} BPM, {len(result['beats'])} beats"
        lines.append(line(stage["name"], stage["ms"], stage.get("spread_ms"), what))
    of = f"median of {result['repeat']} runs" if repeated else ""
    lines.append(line("total", result["total_ms"], result.get("total_spread_ms"), of))
    return lines


def picture(y: Array, sr: float, hop_length: int, beats: Array, title: str) -> bytes:
    """PNG: waveform, mel spectrogram, chroma, and onset strength with the beats (seconds)."""
    from matplotlib.figure import Figure

    mel = core.power_to_db(feature.melspectrogram(y=y, sr=sr, hop_length=hop_length), ref=np.max)
    chroma = feature.chroma_stft(y=y, sr=sr, hop_length=hop_length)
    envelope = onset.onset_strength(y=y, sr=sr, hop_length=hop_length)

    figure = Figure(figsize=(12, 9), layout="constrained")
    wave, bands, notes, strength = figure.subplots(4, sharex=True)
    framing: dict[str, Any] = {"sr": sr, "hop_length": hop_length, "x_axis": "time"}
    display.waveshow(y, sr=sr, ax=wave)
    display.specshow(mel, y_axis="mel", ax=bands, **framing)
    display.specshow(chroma, y_axis="chroma", ax=notes, **framing)
    times = core.times_like(envelope, sr=sr, hop_length=hop_length)
    strength.plot(times, envelope, linewidth=0.8)
    strength.vlines(beats, 0, float(envelope.max()), color="C1", linewidth=0.6, label="beats")
    strength.legend(loc="upper right")
    for axes, label in zip((wave, bands, notes, strength),
                           ("waveform", "mel, Hz", "chroma", "onset strength")):  # fmt: skip
        axes.set_ylabel(label)
        axes.label_outer()
    strength.set_xlim(0, y.size / sr)
    strength.set_xlabel("time, s")
    wave.set_title(title)
    return png_of(figure)


BLOCK_SECONDS = 0.05
_FIGURES = ("mean_us", "p50_us", "p99_us", "max_us")


def streams(sr: float) -> dict[str, Any]:
    """A stream of each feature, by name."""
    classes: Any = streaming  # some of which are made when it is imported
    return {
        "mel": classes.MelSpectrogram(sr=sr),
        "mfcc": classes.MFCC(sr=sr, n_mfcc=N_MFCC, top_db=None),
        "chroma": classes.ChromaSTFT(sr=sr, tuning=0.0),
        "onset": classes.OnsetStrength(sr=sr, top_db=None),
        "rms": classes.RMS(),
        "beat": classes.BeatTrack(sr=sr),
        "all but beat": classes.Extractor(
            {"melspectrogram": {}, "mfcc": {"n_mfcc": N_MFCC}, "chroma_stft": {"tuning": 0.0},
             "onset_strength": {}, "rms": {}}, sr=sr),
    }  # fmt: skip


def blocks(path: str, sr: float) -> Iterator[Array]:
    """The file, mono, as it would come from a live source: at its own rate, 50 ms at a time."""
    rate = core.get_samplerate(path)
    n = max(round(rate * BLOCK_SECONDS), 1)
    resample = streaming.Resample(orig_sr=rate, target_sr=sr)
    for y in core.stream(path, block_length=1, frame_length=n, hop_length=n, sr=None):
        yield resample.process(y)
    yield resample.flush()


def measured(path: str, sr: float) -> list[dict[str, Any]]:
    """Read a file in blocks of 50 ms; what each feature's part of a block took.

    Parameters
    ----------
    path : str
        The file.
    sr : int
        Rate of the features.

    Returns
    -------
    list of dict
        As ``--json`` writes it: microseconds a block, the samples by which results come later, and the
        stream's `metalmom.streaming.Report`.
    """
    in_work: dict[str, tuple[Any, list[float]]] = {name: (stream, []) for name, stream in streams(sr).items()}
    for stream, _ in in_work.values():
        stream.rate = sr
        stream.warmup()
    for y in blocks(path, sr):
        for stream, times in in_work.values():
            before = time.perf_counter()
            stream.process(y)
            times.append(time.perf_counter() - before)
    found = []
    for name, (stream, times) in in_work.items():
        report = stream.report()
        stream.flush()
        us = np.array(times) * 1e6
        figures = (us.mean(), np.median(us), np.percentile(us, 99), us.max())
        told = dict(zip(_FIGURES, map(float, figures), strict=True))
        found.append({"name": name, **told, "latency": stream.latency, "report": dataclasses.asdict(report)})
    return found


def stream_lines(found: list[dict[str, Any]]) -> list[str]:
    """The table of what was measured."""
    head = f"blocks of {round(1000 * BLOCK_SECONDS)} ms (us)"
    titles = "".join(f"{name.removesuffix('_us'):>9}" for name in _FIGURES)
    table = [f"{head:22}{titles}  % of it   late  latency (samples)"]
    for each in found:
        cells = "".join(f"{each[name]:9.1f}" for name in _FIGURES)
        report = each["report"]
        table.append(f"{each['name']:22}{cells}{100 * report['share']:9.2f}{report['late']:7}  {each['latency']}")
    return table
