"""What a trace says, in figures and in words: the analysis behind ``metalmom.trace``'s summary.

It works on plain lists of spans and points (``metalmom.trace.Span``, ``Point``), all times in
microseconds, so that synthetic traces with known answers can be put in.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from ..util._wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ..trace import Point, Span

    Interval = tuple[float, float]
    Piece = tuple[float, float, Span]

# Names that the GPU session gives its spans. On a queue, spans of the kind "copy" are copies,
# others kernels.
UPLOAD, DOWNLOAD = "upload", "download"
SUBMIT, WAIT, WORKER, BUILD = "submit", "wait", "worker", "build pipeline"
# What the first call of a kind makes and keeps: "build mel filters".
MAKING = "build "
LOAD = "load"  # the call
HOST_MEMORY = "host memory"  # the counter track

# Shares below which the summary gives a diagnosis.
LEAST_LAUNCH_EFFICIENCY = 0.70
LEAST_UTILISATION = 0.80
LEAST_KERNEL_EFFICIENCY = 0.30
# A kernel is mentioned if it takes at least this share of all kernel time.
NOTABLE_SHARE = 0.10


# Intervals: sorted, disjoint lists of (begin, end).

def union(intervals: Iterable[Interval]) -> list[Interval]:
    """Merge intervals into sorted, disjoint ones."""
    merged: list[Interval] = []
    for begin, end in sorted(intervals):
        if merged and begin <= merged[-1][1]:
            if end > merged[-1][1]:
                merged[-1] = (merged[-1][0], end)
        else:
            merged.append((begin, end))
    return merged


def length(intervals: Iterable[Interval]) -> float:
    return sum(end - begin for begin, end in intervals)


def subtract(these: list[Interval], those: list[Interval]) -> list[Interval]:
    """What of the disjoint intervals `these` lies in none of the disjoint intervals `those`."""
    result, j = [], 0
    for begin, end in these:
        while j < len(those) and those[j][1] <= begin:
            j += 1
        at, k = begin, j
        while k < len(those) and those[k][0] < end:
            if those[k][0] > at:
                result.append((at, those[k][0]))
            at = max(at, those[k][1])
            k += 1
        if at < end:
            result.append((at, end))
    return result


def covered(spans: Iterable[Span]) -> list[Interval]:
    """When any of the spans ran."""
    return union((span.ts, span.ts + span.dur) for span in spans)


# Spans in groups, and those that enclose others.

def grouped(spans: Iterable[Span], key: Callable[[Span], Any]) -> dict[Any, list[Span]]:
    groups: defaultdict[Any, list[Span]] = defaultdict(list)
    for span in spans:
        groups[key(span)].append(span)
    return groups


def nested(spans: Iterable[Span]) -> Iterator[tuple[Span, list[Span]]]:
    """Each span, and those of its row that enclose it, the outermost first."""
    rows: defaultdict[int, list[Span]] = defaultdict(list)
    for span in spans:
        outer = rows[span.tid]
        while outer and outer[-1].depth >= span.depth:
            outer.pop()
        yield span, outer
        outer.append(span)


def percentile(ordered: Sequence[float], share: float) -> float:
    """Linear interpolation between the two nearest ranks of a sorted list."""
    position = (len(ordered) - 1) * share
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def table(spans: Sequence[Span], duration: float) -> list[dict[str, Any]]:
    """One row per (category, name), the longest total first.

    The time of a span inside another of its name is the other's time already.
    """
    rows: list[dict[str, Any]] = []
    for (cat, name), group in grouped(spans, lambda span: (span.cat, span.name)).items():
        times = sorted(span.dur for span in group)
        threads = grouped(group, lambda span: span.tid).values()
        rows.append({
            "name": name, "cat": cat, "count": len(times),
            "total": sum(length(covered(each)) for each in threads), "mean": sum(times) / len(times),
            "p50": percentile(times, 0.5), "p95": percentile(times, 0.95),
            "share": length(covered(group)) / duration if duration else 0.0,
        })
    rows.sort(key=lambda row: -row["total"])
    return rows


def own_times(spans: Sequence[Span]) -> Iterator[tuple[Span, float]]:
    """Each span with its own time: what no span inside it has."""
    inside: defaultdict[int, float] = defaultdict(float)
    for span, outer in nested(spans):
        if outer:
            inside[id(outer[-1])] += span.dur
    for span in spans:
        yield span, span.dur - inside[id(span)]


def cpu_split(spans: Iterable[Span]) -> dict[str, float]:
    """Time of all threads by what they did: own times."""
    split = dict.fromkeys(("bridge", "engine", "waiting", "gpu", "user"), 0.0)
    for span, time in own_times([span for span in spans if span.thread]):
        what = "waiting" if span.name.startswith(WAIT) else span.cat
        split[what] = split.get(what, 0.0) + time
    return split


def own_pieces(row: Iterable[Span]) -> list[Piece]:
    """When which span of a row was the innermost one: (begin, end, span), in order and disjoint."""
    pieces: list[Piece] = []
    open_spans: list[Span] = []
    at = 0.0

    def until(time: float) -> None:
        nonlocal at
        while open_spans:
            end = min(open_spans[-1].ts + open_spans[-1].dur, time)
            if end > at:
                pieces.append((at, end, open_spans[-1]))
                at = end
            if open_spans[-1].ts + open_spans[-1].dur > time:
                return
            open_spans.pop()

    for span in row:
        until(span.ts)
        at = span.ts
        open_spans.append(span)
    until(float("inf"))
    return pieces


def critical_path(spans: Sequence[Span], duration: float) -> list[dict[str, Any]]:
    """What the busiest thread did, or waited for, at each moment; the longest first.

    That thread does what its innermost span says. Where it waits for the GPU, that is what the GPU does.
    Where a call has given work to other threads and done its own part, it is what they do.

    Returns
    -------
    list of dict
        ``name, cat, track, time`` (microseconds) and ``share`` of `duration`; time before, between and
        after that thread's spans are rows without a category.
    """
    rows = grouped([span for span in spans if span.thread], lambda span: span.tid)
    if not rows or not duration:
        return []
    busiest = max(rows, key=lambda tid: length(covered(rows[tid])))
    on_gpu = _one_at_a_time(
        (span.ts, span.ts + span.dur, span) for span in spans if span.cat == "gpu" and not span.thread)
    at_work = _one_at_a_time(
        piece for tid, row in rows.items() if tid != busiest for piece in own_pieces(_of_workers(row)))
    times: defaultdict[tuple[str, str, str], float] = defaultdict(float)
    inside_worker = {id(span) for span in _of_workers(rows[busiest])}
    for begin, end, span in own_pieces(rows[busiest]):
        others: list[Piece] = []
        if span.name.startswith(WAIT):
            others = on_gpu
        elif span.cat == "engine" and id(span) not in inside_worker:
            others = at_work
        for of, time in _attributed(begin, end, span, others):
            times[of.name, of.cat, of.track] += time
    ran = covered(rows[busiest])
    outside = {"before the first span": max(ran[0][0], 0.0),
               "after the last span": max(duration - ran[-1][1], 0.0)}
    between = duration - sum(times.values()) - sum(outside.values())
    for what, time in {**outside, "between spans": between}.items():
        times[what, "", ""] = time
    return [{"name": name, "cat": cat, "track": track, "time": time, "share": time / duration}
            for (name, cat, track), time in sorted(times.items(), key=lambda item: -item[1])]


def _of_workers(row: Iterable[Span]) -> list[Span]:
    """The spans of a thread that are, or lie in, its part of a call's work."""
    return [span for span, outer in nested(row) if any(each.name == WORKER for each in (*outer, span))]


def _one_at_a_time(pieces: Iterable[Piece]) -> list[Piece]:
    """The pieces, each without the time that one before it has."""
    result: list[Piece] = []
    for begin, end, span in sorted(pieces, key=lambda piece: piece[:2]):
        begin = max(begin, result[-1][1]) if result else begin
        if end > begin:
            result.append((begin, end, span))
    return result


def _attributed(
    begin: float, end: float, span: Span, others: Sequence[Piece]
) -> Iterator[tuple[Span, float]]:
    """The time from begin to end, by what others do in it; what none does is the span's."""
    at = begin
    for i in range(bisect_right(others, begin, key=lambda piece: piece[1]), len(others)):
        first, last, other = others[i]
        if first >= end:
            break
        yield span, max(first - at, 0.0)
        yield other, min(last, end) - max(first, at)
        at = min(last, end)
    yield span, end - at


def copy_figures(copies: Sequence[Span], peak: float | None) -> dict[str, Any]:
    total = sum(span.args.get("bytes", 0) for span in copies)
    time = sum(span.dur for span in copies)
    rate = total / time / 1e3 if time else 0.0  # bytes/us = MB/s
    return {"bytes": total, "time": time, "gb_per_s": rate, "calibrated_gb_per_s": peak,
            "of_calibrated": rate / peak if peak else None}


def outermost_calls(spans: Iterable[Span]) -> dict[int, list[Span]]:
    """Thread -> its calls that lie in no other, in order of begin. User spans are no calls."""
    calls: defaultdict[int, list[Span]] = defaultdict(list)
    for span in spans:
        of_host = span.thread and span.cat in ("bridge", "engine")
        if of_host and span.name != WORKER and not span.name.startswith(MAKING):
            row = calls[span.tid]
            if not row or row[-1].ts + row[-1].dur <= span.ts:
                row.append(span)
    return calls


def callers(spans: Iterable[Span], submits: Iterable[Point]) -> dict[int, str]:
    """Flow -> the call that submitted it, or for which another thread did."""
    calls = outermost_calls(spans)
    begins = {tid: [span.ts for span in row] for tid, row in calls.items()}
    found = {}
    for point in submits:
        for tid in sorted(calls, key=lambda tid: tid != point.tid):
            at = bisect_right(begins[tid], point.ts) - 1
            if at >= 0 and point.ts <= calls[tid][at].ts + calls[tid][at].dur:
                found[point.flow] = calls[tid][at].name
                break
    return found


def kernel_bounds(
    kernels: Sequence[Span], peaks: dict[str, float], caller: dict[int, str] | None = None
) -> dict[str, dict[str, Any]]:
    """Per kernel name: its time, the share of it that its bytes or flops need at the peak, and the
    calls that it worked for.
    """
    caller = caller or {}
    memory, rate = peaks.get("copy_gb_per_s"), peaks.get("gpu_gflops")
    figures = {}
    for name, group in grouped(kernels, lambda span: span.name).items():
        time, n_bytes, flops = (
            sum(values, 0.0) for values in zip(*(
                (span.dur, span.args.get("bytes", 0), span.args.get("flops", 0)) for span in group
            ))
        )  # fmt: skip
        bounds = [n_bytes / memory / 1e3 if memory else 0, flops / rate / 1e3 if rate else 0]
        figures[name] = {
            "count": len(group), "time": time, "bytes": n_bytes, "flops": flops,
            "calls": sorted({caller[span.flow] for span in group if span.flow in caller}),
            "of_bound": max(bounds) / time if time and max(bounds) else None,
        }  # fmt: skip
    return figures


def launch_latencies(kernels: Iterable[Span], submits: Iterable[Point]) -> list[Interval]:
    """(submit, start of the first kernel it caused) for each submit that a flow follows."""
    first: dict[int, float] = {}
    for span in kernels:
        if span.flow:
            first[span.flow] = min(first.get(span.flow, span.ts), span.ts)
    return [(point.ts, first[point.flow]) for point in submits
            if first.get(point.flow, point.ts) > point.ts]


def gpu_figures(
    spans: Sequence[Span], points: Sequence[Point], peaks: dict[str, float] | None = None
) -> dict[str, Any] | None:
    """Utilisation, launch efficiency, transfers and kernels, or None without GPU work.

    Busy is the union of all kernels and copies. Utilisation is busy over the time from the first
    submit to the last end. A gap is time between kernels of a queue in which neither kernel nor
    copy runs. Launch efficiency is the union of kernels over (that union + gaps + idle time
    between a submit and its first kernel); time that is both gap and latency counts once. `peaks`
    are the calibrated rates of the device, by the names of `_native.device_rates`.
    """
    work = [s for s in spans if s.cat == "gpu" and not s.thread]
    if not work:
        return None
    copies = [s for s in work if s.args.get("kind") == "copy"]
    kernels = [s for s in work if s.args.get("kind") != "copy"]
    submits = [p for p in points if p.cat == "gpu" and p.name == SUBMIT]
    peaks = peaks or {}

    def figures_of(way: str) -> dict[str, Any]:
        return copy_figures([s for s in copies if s.name == way], peaks.get(f"{way}_bus_gb_per_s"))

    running, copying, busy = covered(kernels), covered(copies), covered(work)
    begin = min([p.ts for p in submits] + [busy[0][0]])
    gaps, idle = [], []
    for queue in grouped(kernels, lambda span: span.track).values():
        ordered = covered(queue)
        for before, after in zip(ordered, ordered[1:]):
            pieces = subtract([(before[1], after[0])], busy)
            idle += pieces
            if pieces:
                gaps.append(length(pieces))
    latencies = subtract(union(launch_latencies(kernels, submits)), busy)
    lost = length(union(idle + latencies))
    kernel_time = length(running)
    doing_nothing = subtract([(begin, busy[-1][1])], busy)
    building = covered(s for s in spans if s.cat == "gpu" and s.name == BUILD)
    hidden = length(copying) - length(subtract(copying, running))
    return {
        "busy": length(busy), "span": busy[-1][1] - begin,
        "utilisation": length(busy) / ((busy[-1][1] - begin) or 1.0),
        "launch_efficiency": kernel_time / ((kernel_time + lost) or 1.0) if kernels else None,
        "kernels": len(kernels), "kernel_time": kernel_time,
        "mean_kernel": sum(s.dur for s in kernels) / len(kernels) if kernels else 0.0,
        "gaps": len(gaps), "mean_gap": sum(gaps) / len(gaps) if gaps else 0.0,
        "submits": len(submits), "idle": length(doing_nothing),
        "idle_for_builds": length(doing_nothing) - length(subtract(doing_nothing, building)),
        "upload": figures_of(UPLOAD), "download": figures_of(DOWNLOAD),
        "copy_time": length(copying),
        "exposed_copy_time": length(subtract(copying, running)),
        "overlap": hidden / length(copying) if length(copying) else None,
        "by_kernel": kernel_bounds(kernels, peaks, callers(spans, submits)),
        "peaks": {name: peaks[name] for name in ("copy_gb_per_s", "gpu_gflops") if name in peaks},
        "bounded": any(s.args.get("clock") == "bounded" for s in work),
    }


def described(name: str, figures: dict[str, Any]) -> str:
    """A kernel with the calls it worked for."""
    return f"{name} of {', '.join(figures['calls'])}" if figures["calls"] else name


def longest(kernels: dict[str, dict[str, Any]]) -> str:
    if not kernels:
        return "no kernel"
    name = max(kernels, key=lambda name: kernels[name]["time"])
    return described(name, kernels[name])


def diagnose(gpu: dict[str, Any] | None) -> list[str]:
    """Sentences about what crossed a threshold; empty when nothing did."""
    if not gpu:
        return []
    found = []
    top = longest(gpu["by_kernel"])
    efficiency = gpu["launch_efficiency"]
    of_builds = gpu["idle_for_builds"]
    # What the first calls of a process do says nothing of launches and of waits.
    is_first = of_builds > gpu["idle"] / 2 and of_builds > NOTABLE_SHARE * gpu["span"]
    if is_first:
        found.append(
            f"Pipelines are built: the GPU waits {time_text(of_builds)} for that, in the first calls of a process "
            "alone. Call metalmom.gpu_warmup() before, or record later calls.")
    elif efficiency is not None and efficiency < LEAST_LAUNCH_EFFICIENCY:
        found.append(
            f"Launch overhead dominates: kernels fill {efficiency:.0%} of the time between submit "
            f"and end (longest: {top}, mean kernel {time_text(gpu['mean_kernel'])}, mean "
            f"gap {time_text(gpu['mean_gap'])}). Try larger batches, or config_context(backend='cpu') for single "
            "short clips.")
    if gpu["exposed_copy_time"] > gpu["kernel_time"]:
        way = max(("upload", "download"), key=lambda name: gpu[name]["time"])
        found.append(
            f"Transfers dominate: {time_text(gpu['exposed_copy_time'])} of copies beside "
            f"{time_text(gpu['kernel_time'])} of kernels (longest: {top}), most of it {way}. Try "
            "metalmom.to_device(y) once for several features, and keep results on the device.")
    if gpu["utilisation"] < LEAST_UTILISATION and not is_first:
        found.append(
            f"The GPU waits for the host: busy {gpu['utilisation']:.0%} of the time from the "
            f"first submit to the last end (longest kernel: {top}). Try larger batches or "
            "metalmom.to_device(y); look for the longest bridge or decoding span beside the gaps.")
    for name, figures in gpu["by_kernel"].items():
        share = figures["time"] / gpu["kernel_time"] if gpu["kernel_time"] else 0
        bound = figures["of_bound"]
        if bound is not None and bound < LEAST_KERNEL_EFFICIENCY and share >= NOTABLE_SHARE:
            found.append(
                f"Inefficient kernel: {described(name, figures)} takes {share:.0%} of the kernel "
                f"time at {bound:.0%} of what its bytes or flops need at the device's peak. Try "
                "sizes that are powers of two (n_fft, hop_length) and larger batches.")
    return found


# Spans of `metalmom extract`, inside the one of a shard: what they are called in words, and what makes
# them shorter.
STAGES = {
    "decode": ("decoding", "Other recipes for the same files need not decode: --cache-audio DIR keeps samples."),
    "compute": ("computing", "Fewer features take less, and so may --backend gpu."),
    "write": ("writing", "--aggregate writes less, and other disks are faster."),
}


def diagnose_extract(spans: Iterable[Span]) -> list[str]:
    """A sentence about the stage that bounds a run of `metalmom extract`; none where there is no run."""
    times = dict.fromkeys(STAGES, 0.0)
    outer = None
    for span in spans:
        if span.cat != "user":
            continue
        if "shard" in span.args:
            outer = span
        elif outer is not None and span.tid == outer.tid and span.name in STAGES and span.depth == outer.depth + 1:
            times[span.name] += span.dur
    total = sum(times.values())
    if not total:
        return []
    longest, *others = sorted(times, key=times.__getitem__, reverse=True)
    word, advice = STAGES[longest]
    rest = ", ".join(f"{STAGES[name][0]} {times[name] / total:.0%}" for name in others)
    return [f"{word.capitalize()} bounds the run: {times[longest] / total:.0%} of what its stages take "
            f"({time_text(times[longest])} of {time_text(total)}; {rest}). {advice}"]


# What a finding about calls needs: loading takes this share of their time, or making what is kept; a name has
# so many calls, which take this share.
LEAST_LOADING = 0.5
LEAST_MAKING = 0.25
LEAST_CALLS = 4
LEAST_SHARE = 0.05


def diagnose_calls(spans: Sequence[Span]) -> list[str]:
    """Sentences about calls and threads that crossed a threshold."""
    found = []
    late = [span for span in spans if span.args.get("late")]
    if late:
        found.append(
            f"{counted(len(late), 'block')} of streams {'was' if len(late) == 1 else 'were'} late, "
            f"the first at {time_text(min(span.ts for span in late))}. Look at what ran "
            "before them, give the thread of the streams fewer features or longer blocks, and keep other work "
            "off its core.")
    calls = [span for row in outermost_calls(spans).values() for span in row]
    total = sum(span.dur for span in calls)
    loading = sum(span.dur for span in calls if span.name == LOAD)
    if loading > LEAST_LOADING * total and len(calls) > 1:
        found.append(
            f"Loading takes {loading / total:.0%} of the calls' time ({time_text(loading)} of "
            f"{time_text(total)}). Decode once, at the rate that you need, and keep the samples.")
    making = [span for span in spans if span.thread and span.cat != "user" and span.name.startswith(MAKING)
              and span.name != BUILD]
    made = sum(length(covered(row)) for row in grouped(making, lambda span: span.tid).values())
    if making and made > LEAST_MAKING * total:
        longest_one = max(making, key=lambda span: span.dur)
        found.append(
            f"Windows, filters and plans are made: {time_text(made)} of {time_text(total)} (longest: "
            f"{longest_one.name}, {time_text(longest_one.dur)}). Only the first call of a kind does that. "
            "Call it once before what you time.")
    # of a call, what it and the spans inside it counted
    counts: defaultdict[tuple[int, str], int] = defaultdict(int)
    for span, outer in nested(spans):
        call = next((each for each in (*outer, span) if each.cat in ("bridge", "engine")), span)
        for key in ("cache_misses", "copied_bytes"):
            counts[id(call), key] += span.args.get(key, 0) if span.cat != "user" else 0
    for name, group in grouped(calls, lambda span: span.name).items():
        if len(group) < LEAST_CALLS or sum(span.dur for span in group) < LEAST_SHARE * total:
            continue
        missing = [span for span in group if counts[id(span), "cache_misses"]]
        if len(missing) > len(group) / 2:
            found.append(
                f"{len(missing)} of {len(group)} calls of {name} make a window, filters or a plan anew. Pass "
                "windows by name, and the same sizes in all calls.")
        copied = [span for span in group if counts[id(span), "copied_bytes"]]
        if len(copied) > len(group) / 2:
            n_bytes = sum(counts[id(span), "copied_bytes"] for span in copied)
            found.append(
                f"{len(copied)} of {len(group)} calls of {name} convert their arguments "
                f"({bytes_text(n_bytes)}). Pass C-contiguous arrays of float32 or float64: np.ascontiguousarray "
                "once.")
    return found


def total_counts(spans: Iterable[Span]) -> dict[str, int]:
    """Sums of what spans counted. A span inside one that counts the same thing is not added."""
    totals: defaultdict[str, int] = defaultdict(int)
    for span, outer in nested(spans):
        for key, value in span.args.items():
            if key in COUNTS and isinstance(value, int) and not any(key in each.args for each in outer):
                totals[key] += value
    return dict(totals)


COUNTS = frozenset((
    "allocations", "copied_bytes", "output_bytes", "plan_builds", "pipeline_builds",
    "cache_hits", "cache_misses", "submits", "uploaded_bytes", "downloaded_bytes",
))


# The figures as lines of text.

def time_text(us: float) -> str:
    if us >= 1e6:
        return f"{us / 1e6:.3f} s"
    return f"{us / 1e3:.3f} ms" if us >= 1e3 else f"{us:.2f} us"


def bytes_text(n: float) -> str:
    for unit in ("B", "kB", "MB"):
        if n < 1000:
            return f"{n:.4g} {unit}"
        n /= 1000
    return f"{n:.4g} GB"


def aligned(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Columns under a head: the first two to the left, numbers to the right."""
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return ["  ".join(cell.ljust(w) if i < 2 else cell.rjust(w)
                      for i, (cell, w) in enumerate(zip(line, widths))).rstrip()
            for line in lines]


def table_lines(rows: Iterable[dict[str, Any]]) -> list[str]:
    head = [said for said, _ in COLUMNS.values()]
    return aligned(head, [[text(row[name]) for name, (_, text) in COLUMNS.items()] for row in rows])


# A row of a summary: what each of its entries is called in the table, and how it is written there.
COLUMNS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "name": ("span", str), "cat": ("category", str), "count": ("count", str), "total": ("total", time_text),
    "mean": ("mean", time_text), "p50": ("p50", time_text), "p95": ("p95", time_text),
    "share": ("share", "{:.1%}".format),
}  # fmt: skip


def copy_text(name: str, figures: dict[str, Any]) -> str:
    text = f"{name} {bytes_text(figures['bytes'])} at {figures['gb_per_s']:.1f} GB/s"
    if figures["of_calibrated"] is not None:
        text += (f" ({figures['of_calibrated']:.0%} of the {figures['calibrated_gb_per_s']:.1f} "
                 "that the bus reached in calibration)")
    return text


def dropped_text(dropped: int) -> str:
    return f"{counted(dropped, 'event')} {'was' if dropped == 1 else 'were'} dropped"


def gpu_lines(gpu: dict[str, Any]) -> list[str]:
    lines = ["", f"GPU: utilisation {gpu['utilisation']:.1%} (busy {time_text(gpu['busy'])} of "
                 f"{time_text(gpu['span'])})"]
    if gpu["launch_efficiency"] is not None:
        lines.append(f"  launch efficiency {gpu['launch_efficiency']:.1%}, "
                     f"{gpu['submits']} submits")
    lines.append(f"  {gpu['kernels']} kernels, mean {time_text(gpu['mean_kernel'])}; "
                 f"{gpu['gaps']} gaps, mean {time_text(gpu['mean_gap'])}")
    lines += [f"  {copy_text(way, gpu[way])}" for way in (UPLOAD, DOWNLOAD) if gpu[way]["time"]]
    if gpu["overlap"] is not None:
        lines.append(f"  {gpu['overlap']:.1%} of the copy time overlaps with kernels")
    if gpu["bounded"]:
        lines.append("  times are bounds (submitted, seen finished): the device's clock is not "
                     "calibrated against the host's")
    return lines


class Summary:
    """The figures of a trace; `str` is what they say, as text.

    Attributes
    ----------
    rows : list of dict
        ``name, cat, count, total, mean, p50, p95`` (microseconds) and ``share`` (the part of the
        recorded time in which such a span ran), one per span name and category. ``total`` is the
        time of all threads; a span inside another of its name adds nothing to it.
    cpu : dict
        Microseconds of all threads in ``bridge``, ``engine``, ``waiting``, ``gpu``, ``user``.
    gpu : dict or None
        Figures of the GPU (see docs/tuning.md); None without GPU work.
    diagnosis : list of str
    dropped : int
        Events for which their thread had no room.
    duration : float
        Microseconds that were recorded.
    """

    def __init__(
        self, spans: Sequence[Span], points: Sequence[Point], duration: float, dropped: int = 0,
        peaks: dict[str, float] | None = None,
    ) -> None:
        rows, cpu = table(spans, duration), cpu_split(spans)
        gpu = gpu_figures(spans, points, peaks)
        diagnosis = [*diagnose_extract(spans), *diagnose_calls(spans), *diagnose(gpu)]
        lines = [f"{len(spans)} spans in {time_text(duration)}", *table_lines(rows)]
        used = [f"{name} {time_text(value)}" for name, value in cpu.items() if value]
        if used:
            lines += ["", "CPU: " + ", ".join(used)]
        if gpu:
            lines += gpu_lines(gpu)
        if diagnosis:
            lines += ["", *diagnosis]
        if dropped:
            lines += ["", f"{dropped_text(dropped)}: their thread had no room for them"]
        self._text = "\n".join(lines)
        self.rows, self.cpu, self.gpu = rows, cpu, gpu
        self.diagnosis, self.dropped, self.duration = diagnosis, dropped, duration

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def __contains__(self, text: str) -> bool:
        return text in self._text
