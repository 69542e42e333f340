#!/usr/bin/env python3
"""Measure the GPU engine beside torchaudio on CUDA, where both are there.

    benchmarks/gpu.py                  everything, at 2048/512, 128 bands, 22,050 Hz
    benchmarks/gpu.py --clips 64       smaller batches (default 256, and eight times as many)
    benchmarks/gpu.py --json OUT

Resident, everything uploaded first, by the wall clock as a user waits: `queued`, 20 calls and then a
wait, for each call; `alone`, a call and a wait. torchaudio the same way in the same run. Beside it
what the call takes of the host until it returns, alone and in a queue, the sum of the kernels'
timestamps, and the device memory that stays kept. NumPy to NumPy: wall clock, results in fresh
arrays; so are recipes of several features, with what their traces count. Medians of 20. At the end,
for several sizes, what each side takes and which one "auto" does.
"""

import argparse
import functools
import json
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

import metalmom  # noqa: E402
import numpy as np  # noqa: E402
from metalmom import _native  # noqa: E402
from metalmom.trace._summary import gpu_figures  # noqa: E402

SR, N_FFT, HOP, N_MELS, N_MFCC, SECONDS = 22050, 2048, 512, 128, 20, 30
TAPS = 3 * 48000  # of a response
CONVOLVE = f"convolve with {TAPS} taps at 48 kHz"
REPEATS = 20
# Clips and seconds at which "auto" chooses; results as large as audio or larger only of some clips.
SIZES = ((1, 1), (1, 30), (1, 120), (4, 30), (16, 30), (64, 30), (256, 30))
LARGE_RESULTS = ("stft", "hpss")

OURS = {
    "mel": lambda y: metalmom.feature.melspectrogram(y=y, sr=SR),
    "mfcc": lambda y: metalmom.feature.mfcc(y=y, sr=SR, n_mfcc=N_MFCC),
    "stft": lambda y: metalmom.stft(y),
    "chroma": lambda y: metalmom.feature.chroma_stft(y=y, sr=SR, tuning=0.0),
    "onset": lambda y: metalmom.onset.onset_strength(y=y, sr=SR),
    "power_to_db(mel)": lambda y: metalmom.power_to_db(metalmom.feature.melspectrogram(y=y, sr=SR)),
    "centroid": lambda y: metalmom.feature.spectral_centroid(y=y, sr=SR),
    "rms": lambda y: metalmom.feature.rms(y=y),
}
# Beside the CPU with all threads, as most of them have no peer there; what is large of at most 64 clips.
BESIDE_CPU = {
    "cqt": lambda y: metalmom.cqt(y, sr=SR),
    "vqt": lambda y: metalmom.vqt(y, sr=SR),
    "phase_vocoder": lambda D: metalmom.phase_vocoder(D, rate=0.8),
    "pcen": lambda S: metalmom.pcen(S, sr=SR),
    "delta": lambda S: metalmom.feature.delta(S),
    "tempogram": lambda envelope: metalmom.feature.tempogram(onset_envelope=envelope),
    "yin": lambda y: metalmom.yin(y, fmin=65, fmax=2093, sr=SR),
    "resample": lambda y: metalmom.resample(y, orig_sr=SR, target_sr=16000),
    CONVOLVE: lambda y: metalmom.convolve(y, response(y)),
}
QUEUED = 20  # calls
# Recipes from NumPy to NumPy, beside mel alone.
FOUR = ("mfcc", "chroma_stft", "onset_strength", "spectral_centroid")
TEN = ("melspectrogram", *FOUR, "spectral_bandwidth", "spectral_rolloff", "spectral_flatness", "rms",
       "zero_crossing_rate")
RECIPES = {
    "mfcc + chroma(tuning=0) + onset + centroid": {**dict.fromkeys(FOUR, {}), "chroma_stft": {"tuning": 0.0}},
    "mfcc + chroma + onset + centroid": dict.fromkeys(FOUR, {}),
    "ten features": dict.fromkeys(TEN, {}),
    "ten features and spectral_contrast": dict.fromkeys((*TEN, "spectral_contrast"), {}),
}


def noise(clips, seconds=SECONDS, rate=SR):
    """Clips of white noise; each is another one, and none costs much to make."""
    random = np.random.default_rng(0)
    long = random.uniform(-0.5, 0.5, seconds * rate + clips).astype(np.float32)
    y = np.empty((clips, seconds * rate), dtype=np.float32)
    for i in range(clips):
        y[i] = long[i : i + seconds * rate]
    return y


@functools.cache
def decaying(on_device):
    """The response of a room: noise that decays."""
    h = noise(1, 3, 48000)[0] * np.exp(-np.arange(TAPS) * (7 / TAPS)).astype(np.float32)
    return metalmom.to_device(h) if on_device else h


def response(y):
    """A response where the signals are."""
    return decaying(isinstance(y, metalmom.DeviceArray))


def kernel_spans(trace):
    return [s for s in trace.spans if s.cat == "gpu" and s.args.get("kind") == "kernel"]


def by_name(kernels):
    """Milliseconds of kernels, (name, ms) each, in sum for each name, as a line of text."""
    sums = {}
    for name, ms in kernels:
        sums[name] = sums.get(name, 0.0) + ms
    return ", ".join(f"{name} {ms:.4g} ms" for name, ms in sums.items())


def numbers_of(figures):
    """Those figures of a trace that are numbers."""
    return {key: value for key, value in figures.items() if isinstance(value, (int, float))}


def as_text(figures):
    return ", ".join(f"{key} {value:.4g}" for key, value in figures.items())


def kernels_ms(call, y, repeats):
    """The sum of the kernels' spans of a call, and the kernels of the median one, each with its rates."""
    call(y)
    runs = []
    for _ in range(repeats):
        with metalmom.trace.record() as trace:
            result = call(y)
        del result
        spans = kernel_spans(trace)
        runs.append((sum(span.dur for span in spans) / 1e3, spans))
    runs.sort(key=lambda run: run[0])
    total, spans = runs[len(runs) // 2]
    kernels = [
        {
            "name": span.name,
            "ms": span.dur / 1e3,
            "GB/s": span.args["bytes"] / span.dur / 1e3,
            "GFLOP/s": span.args["flops"] / span.dur / 1e3,
        }
        for span in spans
        if span.dur > 0
    ]
    return total, kernels


def as_waited_ms(call, wait, repeats):
    """What a user waits for: a call of a queue of them, one alone, and the host's time in a call."""
    for _ in range(3):
        call()
    wait()
    queued, alone, host, busy = [], [], [], []
    for _ in range(max(3, repeats // 4)):
        start = time.perf_counter()
        for _ in range(QUEUED):
            called = time.perf_counter()
            call()
            busy.append((time.perf_counter() - called) * 1e3)
        wait()
        queued.append((time.perf_counter() - start) * 1e3 / QUEUED)
    for _ in range(repeats):
        start = time.perf_counter()
        result = call()
        returned = time.perf_counter()
        wait()
        alone.append((time.perf_counter() - start) * 1e3)
        host.append((returned - start) * 1e3)
        del result
    return {"queued": statistics.median(queued), "alone": statistics.median(alone),
            "host": statistics.median(host), "host, queued": statistics.median(busy)}


def wall_ms(call, repeats):
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = call()
        times.append((time.perf_counter() - start) * 1e3)
        del result
    return statistics.median(times), min(times)


def budget_ms(call, repeats, seconds=0.25):
    """The median of as many calls as fit into some time, at least three."""
    call()
    start = time.perf_counter()
    call()
    once = time.perf_counter() - start
    return wall_ms(call, max(3, min(10 * repeats, int(seconds / once))))[0]


def stream_figures(y):
    """Where the time of one streamed call goes, from its trace."""
    with metalmom.trace.record() as trace:
        OURS["mel"](y)
    figures = gpu_figures(trace.spans, trace.events)
    figures["span_ms"] = trace.duration / 1e3
    return numbers_of(figures)


def job_figures(y, repeats):
    """Utilisation and launch efficiency of mel, MFCC, chroma and onset strength on one upload."""
    def job():
        return [OURS[name](y) for name in ("mel", "mfcc", "chroma", "onset")]

    job()
    runs = []
    for _ in range(repeats):
        with metalmom.trace.record() as trace:
            results = job()
            _native.finish_device_work()
        del results
        figures = gpu_figures(trace.spans, trace.events)
        runs.append((figures["utilisation"], figures["launch_efficiency"]))
    return [statistics.median(column) for column in zip(*runs, strict=True)]


class Peer:
    """torchaudio on CUDA in float32, tf32 off; None where it is not installed."""

    def __init__(self):
        import torch
        import torchaudio

        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        self.torch = torch
        framing = {"n_fft": N_FFT, "hop_length": HOP}
        mel = {**framing, "n_mels": N_MELS, "norm": "slaney", "mel_scale": "slaney"}
        window = torch.hann_window(N_FFT, device="cuda")
        room = torch.from_numpy(decaying(False)).cuda()[None]
        self.calls = {
            "mel": torchaudio.transforms.MelSpectrogram(SR, **mel).cuda(),
            "mfcc": torchaudio.transforms.MFCC(SR, n_mfcc=N_MFCC, melkwargs=mel).cuda(),
            "stft": lambda y: torch.stft(
                y, N_FFT, HOP, window=window, return_complex=True, pad_mode="constant"
            ),
            CONVOLVE: lambda y: torchaudio.functional.fftconvolve(y, room),
        }

    @classmethod
    def find(cls):
        try:
            return cls()
        except (ImportError, RuntimeError, AssertionError, OSError) as error:
            print(f"torchaudio on CUDA: {error}")
            return None

    def resident_ms(self, name, y, repeats):
        torch, call = self.torch, self.calls[name]
        device = torch.from_numpy(y).cuda()
        times = as_waited_ms(lambda: call(device), torch.cuda.synchronize, repeats)
        del device
        torch.cuda.empty_cache()
        return times

    def numpy_ms(self, name, y, repeats):
        call = self.calls[name]
        median, _ = wall_ms(
            lambda: call(self.torch.from_numpy(y).cuda()).cpu().numpy(), repeats
        )
        self.torch.cuda.empty_cache()
        return median


def show(rows, row, ours, peer, unit="ms"):
    rows.append({"row": row, "metalmom": ours, "torchaudio": peer, "unit": unit})
    other = f"{peer:10.3f}" if peer is not None else "         -"
    print(f"{row:<60} {ours:10.3f} {other} {unit}", flush=True)


def attempt(call):
    """What a peer measures, or None when it fails (out of memory)."""
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - whatever a peer raises
        print(f"  torchaudio: {str(error).splitlines()[0]}")
        return None


def measure_one_resident(rows, peer, name, call, x, repeats):
    """A call on an upload of `x`, beside a peer that has it: the row, times, kernels, and the upload."""
    row = f"{name}, {len(x)} x {SECONDS} s, resident"
    metalmom.release_caches()
    array = metalmom.to_device(x)
    ours = as_waited_ms(lambda: call(array), _native.finish_device_work, repeats)
    total, kernels = kernels_ms(call, array, repeats)
    theirs = {}
    if peer and name in peer.calls:
        theirs = attempt(lambda: peer.resident_ms(name, x, repeats)) or {}
    for how, ms in ours.items():
        show(rows, f"{row}: {how}", ms, theirs.get(how))
    show(rows, f"{row}: kernels", total, None)
    return row, ours, kernels, array


def measure_resident(rows, peer, y, repeats):
    details = {}
    for name, call in OURS.items():
        try:
            row, _, details[name], array = measure_one_resident(rows, peer, name, call, y, repeats)
        except metalmom.DeviceError as error:
            print(f"{name}: {error}")
            continue
        index = _native.open_device()["index"]
        show(rows, f"{row}: memory kept", metalmom.devices()[index].memory_kept / 1e6, None, "MB")
        for kernel in details[name]:
            print("    " + ", ".join(f"{k} {v:.4g}" if k != "name" else v
                                     for k, v in kernel.items()))
    utilisation, efficiency = job_figures(array, repeats)
    job = f"mel + MFCC + chroma + onset, {len(y)} x {SECONDS} s"
    show(rows, f"{job}: GPU utilisation", 100 * utilisation, None, "%")
    show(rows, f"{job}: launch efficiency", 100 * efficiency, None, "%")
    return details


def inputs_beside_cpu(clips):
    """What the functions of BESIDE_CPU read, each in NumPy, by name."""
    y = noise(min(clips, 64))
    with metalmom.config_context(backend="gpu"):
        D = metalmom.stft(y)
        S = metalmom.feature.melspectrogram(y=noise(clips), sr=SR)
        envelope = metalmom.onset.onset_strength(y=noise(clips), sr=SR)
    return {
        "cqt": y, "vqt": y, "phase_vocoder": D, "pcen": S, "delta": S, "tempogram": envelope,
        "yin": y + np.sin(2 * np.pi * 440 / SR * np.arange(y.shape[-1])).astype(np.float32),
        "resample": y, CONVOLVE: noise(min(clips, 64), rate=48000),
    }  # fmt: skip


def measure_beside_cpu(rows, peer, clips, repeats):
    """Resident, beside the CPU on the same numbers with all threads, and how far the two are apart."""
    for name, x in inputs_beside_cpu(clips).items():
        call = BESIDE_CPU[name]
        with metalmom.config_context(backend="cpu"):
            expected = call(x)
            cpu, _ = wall_ms(lambda call=call, x=x: call(x), 5)
        row, ours, kernels, array = measure_one_resident(rows, peer, name, call, x, repeats)
        print("    " + by_name((kernel["name"], kernel["ms"]) for kernel in kernels))
        show(rows, f"{row}: CPU, {_native.thread_count()} threads", cpu, None)
        show(rows, f"{row}: CPU over queued", cpu / ours["queued"], None, "times")
        apart = np.abs(call(array).numpy() - expected).max() / np.abs(expected).max()
        show(rows, f"{row}: largest difference to the CPU", float(apart) * 1e6, None, "1e-6 of the maximum")


def measure_stream(rows, peer, y, repeats):
    _native.set_device_memory_limit(2**62)  # no limit, and nothing kept from what ran before
    ours, best = wall_ms(lambda: OURS["mel"](y), repeats)
    theirs = attempt(lambda: peer.numpy_ms("mel", y, min(repeats, 5))) if peer else None
    name = f"mel, {len(y)} x {SECONDS} s, NumPy to NumPy"
    show(rows, name, ours, theirs)
    show(rows, f"{name}, best", best, None)
    show(rows, f"{name}: device memory", _native.device_memory()["reserved"] / 1e6, None, "MB")
    figures = stream_figures(y)
    print("    " + as_text(figures))


def measure_recipes(rows, y, repeats):
    """Extractors on one upload, and what their traces count, against mel alone in the same run."""
    mel, _ = wall_ms(lambda: OURS["mel"](y), repeats)
    where = f"{len(y)} x {SECONDS} s, NumPy to NumPy"
    for name, recipe in RECIPES.items():
        fx = metalmom.Extractor(recipe, sr=SR)
        ours, best = wall_ms(lambda fx=fx: fx(y), repeats)
        show(rows, f"{name}, {where}", ours, None)
        show(rows, f"{name}, {where}, best", best, None)
        show(rows, f"{name}, {where}, against mel alone ({mel:.2f} ms)", ours / mel, None, "x")
        with metalmom.trace.record() as trace:
            fx(y)
        figures = gpu_figures(trace.spans, trace.events)
        megabytes = {key: trace.counters.get(key, 0) / 1e6 for key in ("uploaded_bytes", "downloaded_bytes")}
        print(f"    samples {y.nbytes / 1e6:.1f} MB; "
              + ", ".join(f"{key.removesuffix('_bytes')} {value:.6g} MB" for key, value in megabytes.items())
              + f", submits {trace.counters.get('submits', 0)}, " + as_text(numbers_of(figures)))
        print("    kernels: " + by_name((span.name, span.dur / 1e3) for span in kernel_spans(trace)))


def measure_one_clip(rows, peer, y, repeats):
    for side in ("auto", "gpu", "cpu"):
        with metalmom.config_context(backend=side):
            ours, _ = wall_ms(lambda: OURS["mel"](y), 10 * repeats)
        theirs = attempt(lambda: peer.numpy_ms("mel", y, repeats)) if peer else None
        show(rows, f"mel, 1 x {SECONDS} s, NumPy to NumPy, {side}", ours, theirs)
    with metalmom.config_context(backend="auto"), metalmom.trace.record() as trace:
        OURS["mel"](y)
    chosen = next(span.args for span in trace.spans if "backend" in span.args)
    told = ("backend", "reason", "predicted_cpu_ms", "predicted_gpu_ms")
    print("   ", {key: chosen.get(key) for key in told})


def measure_choice(rows, repeats):
    """What "auto" loses against the better side, NumPy to NumPy."""
    calls = {**OURS, "hpss": lambda y: metalmom.effects.hpss(y)}
    for name, call in calls.items():
        for clips, seconds in SIZES:
            if name in LARGE_RESULTS and clips > 64:
                continue
            y, times = noise(clips, seconds), {}
            for side in ("cpu", "gpu", "auto"):
                with metalmom.config_context(backend=side):
                    times[side] = budget_ms(lambda call=call, y=y: call(y), repeats)
            with metalmom.config_context(backend="auto"), metalmom.trace.record() as trace:
                call(y)
            chosen = next(s.args["backend"] for s in trace.spans if "backend" in s.args)
            ratio = times[chosen] / min(times["cpu"], times["gpu"])
            rows.append({"row": f"{name}, {clips} x {seconds} s, choice", **times, "took": chosen})
            print(f"{name}, {clips} x {seconds} s: CPU {times['cpu']:.2f}, GPU {times['gpu']:.2f}, "
                  f"auto {times['auto']:.2f} ms ({chosen}: {ratio:.2f} of the better)", flush=True)


def short_clips(count=1000):
    """Clips of 0.5 to 3 s, each of its own length."""
    lengths = np.random.default_rng(0).uniform(0.5, 3, count) * SR
    return [noise(1, 3)[0, : int(length)] for length in lengths]


def measure_map(rows, repeats):
    """A recipe over many short clips, on each side and on the one that "auto" takes."""
    clips, fx, times = short_clips(), metalmom.Extractor(FOUR, sr=SR), {}
    for side in ("cpu", "gpu", "auto"):
        with metalmom.config_context(backend=side):
            times[side], _ = wall_ms(lambda: fx.map(clips), repeats)
    rows.append({"row": f"map of {len(clips)} clips", **times})
    print(f"map of {len(clips)} clips of 0.5 to 3 s: "
          + ", ".join(f"{side} {ms:.0f} ms" for side, ms in times.items()), flush=True)


def measure_extremes(rows):
    """One clip of an hour, and thousands of short ones."""
    for clips, seconds in ((1, 3600), (4096, 5)):
        y = noise(clips, seconds)
        _native.set_device_memory_limit(2**62)
        ours, _ = wall_ms(lambda y=y: OURS["mel"](y), 5)
        name = f"mel, {clips} x {seconds} s, NumPy to NumPy"
        show(rows, name, ours, None)
        show(rows, f"{name}: device memory", _native.device_memory()["reserved"] / 1e6, None, "MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clips", type=int, default=256)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument(
        "--no-large", action="store_true",
        help="without the 8-fold batch, extremes and the table of auto's choices",
    )  # fmt: skip
    parser.add_argument("--backend", default="gpu", help="gpu or gpu:N")
    parser.add_argument("--json", metavar="OUT")
    options = parser.parse_args()
    metalmom.set_config(backend=options.backend)
    device = _native.open_device()
    start = time.perf_counter()
    metalmom.gpu_warmup()
    print(f"{device['name']}, {device['driver']}; {_native.thread_count()} threads; "
          f"warm-up {time.perf_counter() - start:.2f} s")
    print({key: round(value, 3) for key, value in _native.device_rates(again=True).items()})
    peer = Peer.find()
    print(f"{'':<60} {'metalmom':>10} {'torchaudio':>10}")
    rows = []
    y = noise(options.clips)
    details = measure_resident(rows, peer, y, options.repeats)
    measure_beside_cpu(rows, peer, options.clips, options.repeats)
    measure_one_clip(rows, peer, y[0], options.repeats)
    measure_stream(rows, peer, y, options.repeats)
    measure_recipes(rows, y, options.repeats)
    del y
    measure_map(rows, options.repeats)
    if not options.no_large:
        measure_stream(rows, peer, noise(8 * options.clips), min(options.repeats, 5))
        measure_extremes(rows)
        measure_choice(rows, options.repeats)
    if options.json:
        content = {"device": device, "rates": _native.device_rates(), "rows": rows,
                   "kernels": details}
        pathlib.Path(options.json).write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
