"""``metalmom doctor``: what the GPU engine sees, whether it computes right, and when it pays."""

from __future__ import annotations

import functools
import os
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _native, feature, trace
from .._engine.backend import Device, devices, to_device
from .._engine.config import config_context
from .._engine.runtime import build_info
from .._self_test import kernel_errors
from .._warmup import noise
from ..trace._about import about_process, labelled, usable_cores
from ..util.exceptions import AudioError, DeviceError, ParameterError
from ._arguments import integer

HELP = "check the GPU: devices, kernels against the CPU, and from which size on it is faster"
USAGE = "[--device N] [--quick]"

SLOW_BUS = 3.0  # GB/s, below which transfers take longer than most features
SIZES = ((1, 1), (1, 5), (1, 30), (4, 30), (16, 30), (64, 30), (256, 30))  # clips, seconds
SAMPLE_RATE = int(_native.defaults["sr"])


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--device", type=integer, metavar="N", help="check only this device")
    parser.add_argument("--quick", action="store_true", help="omit the table of sizes")


def run(args: Namespace) -> int:
    found = devices()
    known = [device.index for device in found]
    if args.device is not None and args.device not in known:
        rule = f"one of {', '.join(map(str, known))}" if known else "left out: there is no device"
        raise ParameterError("device", args.device, rule)
    for title, text in labelled(about_process()):
        if title not in ("date", "command"):
            print(f"{title + ':':17} {text}")
    for key in ("compiler", "build_type", "fft"):
        print(f"{key.replace('_', ' ') + ':':17} {build_info()[key]}")
    for line in advice_for_host():
        print(f"{'advice:':17} {line}")
    if not found:
        print(f"{'no GPU:':17} {_native.no_device_reason()}")
        print("Everything runs on the CPU.")
        return 0
    status = 0
    for device in found:
        if args.device is not None and device.index != args.device:
            continue
        print()
        print("\n".join(device_lines(device)))
        if not device.unusable:
            status |= check_device(device, quick=args.quick)
    return status


def advice_for_host() -> list[str]:
    """What would make the CPU's side faster here."""
    lines = []
    cores, threads = usable_cores(), _native.thread_count()
    if threads < cores:
        lines.append(f"{threads} of {cores} cores are used: METALMOM_NUM_THREADS or "
                     f"set_config(threads={cores}) uses all, if no other process needs them")
    if threads > cores:
        lines.append(f"{threads} threads share {cores} cores: set_config(threads={cores}) is faster")
    if build_info()["build_type"] != "Release":
        lines.append("this build is for development: install a release")
    if "METALMOM_SIMD" in os.environ:
        lines.append("METALMOM_SIMD chooses the instruction set: unset it for the best one")
    return lines


def advice_for_device(device: Device, rates: dict[str, float]) -> list[str]:
    """What to do, or to leave, with a device of such rates."""
    lines = []
    if device.type == "cpu":
        lines.append("for a GPU, install its vendor's Vulkan driver; in a container, pass the device and the "
                     "driver through")
    elif min(rates["upload_gb_per_s"], rates["download_gb_per_s"]) < SLOW_BUS:
        lines.append("transfers are slow here: to_device(y) once for several features, .numpy() at the end")
    if not device.timeline_semaphores:
        lines.append("a newer driver with timeline semaphores lets transfers overlap with kernels")
    if device.memory_used + device.memory_kept > device.memory / 2:
        lines.append("this process holds more than half of its memory: set_config(device_memory=...) bounds it")
    return lines


def device_lines(device: Device) -> list[str]:
    """Describe one of `metalmom.devices()`."""
    lines = [
        f"gpu:{device.index}        {device.name} ({device.type})",
        f"  driver     {device.driver}, Vulkan {device.api_version}",
        f"  units      {device.units if device.units else 'not reported by the driver'}",
        f"  memory     {device.memory / 2**30:.1f} GiB, one binding at most "
        f"{device.max_storage_buffer / 2**20:.0f} MiB, "
        f"{device.shared_memory / 2**10:.0f} KiB shared",
    ]
    if not device.timeline_semaphores:
        lines.append("  one queue  no timeline semaphores: transfers do not overlap with kernels")
    if device.unusable:
        lines.append(f"  not used   {device.unusable}")
    elif device.type == "cpu":
        lines.append("  software   computes on the CPU: used when asked for, never by 'auto'")
    return lines


def check_device(device: Device, *, quick: bool) -> int:
    """Test and time one device; 1 if something is wrong with it."""
    name = f"gpu:{device.index}"
    try:
        with config_context(backend=name):
            rates = _native.device_rates(again=True)
            print(
                f"  measured   submit {rates['submit_us']:.0f} us, "
                f"upload {rates['upload_gb_per_s']:.1f} GB/s, "
                f"download {rates['download_gb_per_s']:.1f} GB/s, "
                f"copy on the device {rates['copy_gb_per_s']:.0f} GB/s; "
                f"in {rates['took_ms']:.0f} ms"
            )
            print(f"  sharing    {sharing()}")
            for line in advice_for_device(device, rates):
                print(f"  advice     {line}")
        failures = self_test(name)
        if not quick:
            crossover(name)
    except DeviceError as error:
        print(f"  failed     {error}")
        return 1
    return 1 if failures else 0


def sharing() -> str:
    """Whether torch can have the memory of the device that is chosen now, in words."""
    try:
        array: Any = to_device(np.zeros(1, np.float32))
        _, ordinal = array.__dlpack_device__()
    except BufferError as error:
        return f"none with torch.from_dlpack: {error}"
    return f"with torch.from_dlpack, as CUDA's (or HIP's) device {ordinal}"


def self_test(name: str) -> int:
    """Compare every kernel with the CPU; the number of those that differ."""
    failures = 0
    for function, error, tolerance in kernel_errors(name):
        if isinstance(error, AudioError):
            print(f"  {function:<29} left out: {error}")
            continue
        passed = error <= tolerance
        failures += not passed
        print(f"  {function:<29} {'agrees' if passed else 'DIFFERS'} with the CPU ({error:.1e})")
    return failures


def crossover(name: str) -> None:
    """Print what melspectrogram takes on either side, and which one "auto" takes."""
    def call(y: Any) -> Any:
        return feature.melspectrogram(y=y)

    def resident(y: Any) -> Any:
        result = call(y)
        _native.finish_device_work()
        return result

    print("  melspectrogram     ms: NumPy to NumPy, and of data that is on the device already")
    print(f"  {'':<12} {'CPU':>9} {'GPU':>9} {'on device':>10}  faster  auto takes")
    since = None  # the smallest size from which on the GPU is faster
    for clips, seconds in SIZES:
        y, size = noise(seconds * SAMPLE_RATE, clips), f"{clips} x {seconds} s"
        with config_context(backend="cpu"):
            cpu = typical_ms(functools.partial(call, y))
        with config_context(backend=name):
            gpu = typical_ms(functools.partial(call, y))
            kept = to_device(y)
            on_device = typical_ms(functools.partial(resident, kept))
        with config_context(backend="auto"), trace.record() as recorded:
            call(y)
        chosen = next(span.args["backend"] for span in recorded.spans if "backend" in span.args)
        since = (since or size) if gpu < cpu else None
        print(f"  {size:>12} {cpu:>9.2f} {gpu:>9.2f} {on_device:>10.2f}  "
              f"{'GPU' if gpu < cpu else 'CPU':<6}  {chosen.upper()}")
        if max(cpu, gpu) > 1000:
            break  # on a software device larger sizes tell nothing new
    print(f"  The GPU is faster from {since} on." if since else
          "  The CPU is faster up to this size; the GPU, where data stays on it (to_device)."
          if on_device < cpu else "  The CPU is faster.")


def typical_ms(call: Callable[[], object], budget: float = 0.3) -> float:
    """Time a call: the median of as many as fit into `budget` seconds, after one that warms up."""
    call()
    times: list[float] = []
    end = time.perf_counter() + budget
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return float(np.median(times)) * 1e3
