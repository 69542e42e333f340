"""``metalmom profile FILE...``: the main job, stage by stage, with times."""

from __future__ import annotations

import collections
import contextlib
import json
import os
import statistics
import sys
import tempfile
import time
import warnings
from typing import Any, TYPE_CHECKING

from .. import _native
from .._engine.config import config_context
from ..util._output_files import require_writable, written_beside
from ..util.files import expanded
from . import _stream_profile
from ._arguments import backend, positive
from ._failures import EXPECTED, sentence
from ._job import HOP_LENGTH, N_FFT, N_MFCC, SR
from ._plot import picture, require_matplotlib

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator
    from .._engine.backend import Device
    from ..trace import Trace

HELP = "analyse a song and show the time of each stage"
USAGE = "[FILE ...] [options]"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", type=expanded, metavar="FILE",
                        help="audio files; without one, the demo song (30 s, synthesised)")
    parser.add_argument("--json", type=expanded, metavar="OUT",
                        help="write the results as JSON, of several files a list ('-', here and "
                             "below: standard output, instead of the table)")
    parser.add_argument("--trace", type=expanded, metavar="OUT", help="write a trace for Perfetto or Chrome")
    parser.add_argument("--html", type=expanded, metavar="OUT", help="write a trace as one self-contained page")
    parser.add_argument("--detail", action="store_true",
                        help="show the stages inside ops and the workers in the trace")
    parser.add_argument("--plot", type=expanded, metavar="OUT.png",
                        help="draw waveform, mel, chroma, onset strength and beats of one file "
                             "(needs matplotlib)")
    parser.add_argument("--graph", action="store_true",
                        help="run the stages also as one graph: show its nodes, their times and the critical path")
    parser.add_argument("--stream", action="store_true",
                        help="read the file also in blocks of 50 ms, as from a live source: show "
                             "what a block costs")
    parser.add_argument("--repeat", type=positive, default=1, metavar="N",
                        help="run N times; show the run with the median total, and the spread")
    parser.add_argument("--backend", type=backend, metavar="NAME", help="auto, cpu, gpu, gpu:1 ...")
    parser.add_argument("--threads", type=positive, metavar="N", help="worker threads to use")


def run(args: Namespace) -> int:
    from .. import trace

    outputs = outputs_of(args)
    recorded = trace.record(detail=args.detail)
    with contextlib.ExitStack() as stack:
        if args.backend:
            stack.enter_context(config_context(backend=args.backend))
        if args.threads:
            stack.enter_context(config_context(threads=args.threads))
        with recorded if args.trace or args.html else contextlib.nullcontext():
            show = all(output.path != "-" for output in outputs)
            jobs: list[Job] = []
            results = list(profiled(args, jobs, show=show))
    for output in outputs:
        write(output, content_of(output, results, recorded, jobs))
    return 1 if any("error" in result for result in results) else 0


Output = collections.namedtuple("Output", "option path kind")


def outputs_of(args: Namespace) -> list[Output]:
    """The files that are asked for; one that cannot be written is refused before the work."""
    asked = [("--json", args.json, "json"), ("--html", args.html, "page"),
             ("--trace", args.trace, "page" if str(args.trace).endswith(".html") else "json")]
    if args.plot:
        asked.append(("--plot", args.plot, "any"))
        if not args.plot.lower().endswith(".png") or len(args.files) > 1:
            args.refuse("argument --plot: a name that ends in .png, and one file to draw")
        require_matplotlib()
    outputs = [Output(*each) for each in asked if each[1]]
    places = [os.path.realpath(output.path) for output in outputs]
    for output, place in zip(outputs, places):
        if places.count(place) > 1:
            args.refuse(f"argument {output.option}: {output.path} is given for two outputs")
        if output.path != "-":
            require_writable(output.path, output.kind, name=output.option)
    return outputs


def content_of(output: Output, results: list[dict[str, Any]], recorded: Trace, jobs: list[Job]) -> bytes:
    if output.option == "--plot":
        job = jobs[0]
        title = os.path.basename(results[0]["file"]) + f", {job.tempo:.1f} BPM"
        return picture(job.y, job.sr, HOP_LENGTH, job.beats, title)
    if output.option == "--json":
        whole = results[0] if len(results) == 1 else results
        return json.dumps(whole, indent=1).encode() + b"\n"
    return recorded.as_page() if output.kind == "page" else recorded.as_json()


def write(output: Output, content: bytes) -> None:
    if output.path == "-":
        sys.stdout.write(content.decode())
        return
    with written_beside(output.path, output.kind, name=output.option) as beside:
        with open(beside, "wb") as file:
            file.write(content)


def profiled(args: Namespace, jobs: list[Job], *, show: bool) -> Iterator[dict[str, Any]]:
    """Yield the report of each file, and print its table; of one that fails, what was wrong.

    The job of a file that is to be drawn is left in `jobs`.

    The error of a single file is the command's.
    """
    for place, (name, path) in enumerate(named_paths(args.files)):
        try:
            with of_file(name, args.files):
                runs = [run_job(path) for _ in range(args.repeat)]
        except EXPECTED as error:
            if len(args.files) < 2:
                raise
            print(f"metalmom: {sentence(error)}", file=sys.stderr)
            yield {"file": name, "error": sentence(error)}
            continue
        result = report(name, runs)
        if args.plot:
            jobs.append(runs[-1][0])
        lines = ["\n" * (place > 0) + "\n".join(header_lines(result) + table_lines(result))]
        if args.graph:
            graph = run_graph(runs[-1][0])
            result["graph"] = json.loads(graph.json())
            lines += ["", f"{'graph':<8}{graph.ms:10.3f}  all stages but load", str(graph)]
        if args.stream:
            result["stream"] = _stream_profile.measured(path, SR)
            lines += ["", *_stream_profile.lines(result["stream"])]
        if show:
            print("\n".join(lines))
        yield result


def named_paths(files: list[str]) -> Iterator[tuple[str, str]]:
    """The name and the path of each file; without one, of the demo song."""
    from .. import demo

    if files:
        yield from ((file, file) for file in files)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "demo.wav")
        demo.write_wav(path)
        yield "demo song", path


def of_file(name: str, files: list[str]) -> contextlib.AbstractContextManager[Any]:
    """In the trace of several files, a span around the stages of each."""
    from .. import trace

    return trace.span(os.path.basename(name)) if len(files) > 1 else contextlib.nullcontext()


class Job:
    """The stages of the main job; each returns the shape of what it made."""

    def __init__(self, path: str) -> None:
        self.path = path

    def load(self) -> tuple[int, ...]:
        from .. import core
        from ..util.exceptions import AudioError

        self.y, self.sr = core.load(self.path, sr=SR, mono=True)
        if not self.y.size:
            raise AudioError(f"{self.path} holds no audio")
        return self.y.shape

    def stft(self) -> tuple[int, ...]:
        from .. import core

        return core.stft(self.y, n_fft=N_FFT, hop_length=HOP_LENGTH).shape

    def mel(self) -> tuple[int, ...]:
        from .. import feature

        return feature.melspectrogram(
            y=self.y, sr=self.sr, n_fft=N_FFT, hop_length=HOP_LENGTH).shape

    def mfcc(self) -> tuple[int, ...]:
        from .. import feature

        return feature.mfcc(
            y=self.y, sr=self.sr, n_mfcc=N_MFCC, n_fft=N_FFT, hop_length=HOP_LENGTH).shape

    def chroma(self) -> tuple[int, ...]:
        from .. import feature

        return feature.chroma_stft(
            y=self.y, sr=self.sr, n_fft=N_FFT, hop_length=HOP_LENGTH).shape

    def onset(self) -> tuple[int, ...]:
        from .. import onset

        return onset.onset_strength(y=self.y, sr=self.sr, hop_length=HOP_LENGTH).shape

    def beat(self) -> tuple[int, ...]:
        from .. import beat

        tempo, self.beats = beat.beat_track(
            y=self.y, sr=self.sr, hop_length=HOP_LENGTH, units="time")
        self.tempo = float(tempo.flat[0]) if hasattr(tempo, "flat") else float(tempo)
        return self.beats.shape

    stages = (load, stft, mel, mfcc, chroma, onset, beat)


def run_job(path: str) -> tuple[Job, list[tuple[int, ...]], list[float]]:
    """Run the job once: the job, the shapes, and the milliseconds of each stage.

    The end of a stage is the begin of the next, so that the stages add up to the total.
    """
    from .. import trace

    job, shapes = Job(path), []
    with warnings.catch_warnings():
        # about audio shorter than a frame, which the table shows anyway
        warnings.simplefilter("ignore")
        times = [time.perf_counter_ns()]
        for stage in job.stages:
            with trace.span(stage.__name__):
                shapes.append(stage(job))
            times.append(time.perf_counter_ns())
    return job, shapes, [(b - a) / 1e6 for a, b in zip(times, times[1:])]


def run_graph(job: Job) -> Any:
    """The stages after loading as one Extractor: the graph of a call."""
    from .._extractor.extractor import Extractor

    framing = {"n_fft": N_FFT, "hop_length": HOP_LENGTH}
    graph_of_job = Extractor({
        "stft": framing, "mel": {"feature": "melspectrogram", **framing},
        "mfcc": {"n_mfcc": N_MFCC, **framing}, "chroma": {"feature": "chroma_stft", **framing},
        "onset": {"feature": "onset_strength", "hop_length": HOP_LENGTH},
        "beat": {"feature": "beat_track", "hop_length": HOP_LENGTH, "units": "time"},
    }, sr=job.sr)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as in the stages
        graph_of_job(job.y)
    return graph_of_job.graph()


def report(file: str, runs: list[tuple[Job, list[tuple[int, ...]], list[float]]]) -> dict[str, Any]:
    """The results as ``--json`` writes them, of the run whose total is the median."""
    from .._engine.backend import devices
    from .._engine.runtime import build_info

    totals = [sum(ms) for _, _, ms in runs]
    job, shapes, ms = runs[totals.index(statistics.median_low(totals))]
    stages = [{"name": stage.__name__, "ms": t, "shape": list(shape)}
              for stage, shape, t in zip(job.stages, shapes, ms)]
    found = devices()
    result = {
        "file": file, "sr": job.sr, "samples": int(job.y.shape[-1]),
        "backend": backend_name(found), "device": cpu_model(), "simd": simd_name(),
        "threads": _native.thread_count(), "gpu": gpu_text(found),
        "stages": stages, "total_ms": sum(ms), "tempo": job.tempo,
        "beats": [float(t) for t in job.beats], "version": build_info()["version"],
    }
    if len(runs) > 1:
        result["repeat"] = len(runs)
        result["total_spread_ms"] = spread(totals)
        for i, stage in enumerate(stages):
            stage["spread_ms"] = spread([ms[i] for _, _, ms in runs])
    return result


def spread(values: list[float]) -> float:
    """Half the distance between the quartiles: half of the runs lie that close to the median."""
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / 2


def cpu_model() -> str:
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return " ".join(line.split(":", 1)[1].split())
    import platform

    return platform.processor() or platform.machine()


def simd_name() -> str:
    return str(_native.build_info()["simd"])


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
        f"CPU      {result['device']}, {result['simd']}, "
        f"{result['threads']} thread{'s' if result['threads'] > 1 else ''}",
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
