#!/usr/bin/env python3
"""Time how torch gets features on a device that both see: what a user waits for, and what it takes of the host.

    benchmarks/gpu_sharing.py [--clips N]

Needs torch with CUDA. "Queued" is 20 calls and then a wait, for each call; "alone" is the median of a call and
a wait.
"""

import argparse
import time

import metalmom
import numpy as np
import torch

QUEUED = 20


def finish():
    torch.cuda.synchronize()
    metalmom._native.finish_device_work()


def queued(call):
    """Milliseconds for each of many calls, of the wall clock and of the host."""
    call()
    finish()
    start = time.perf_counter()
    for _ in range(QUEUED):
        call()
    host = time.perf_counter() - start
    finish()
    return 1e3 * (time.perf_counter() - start) / QUEUED, 1e3 * host / QUEUED


def alone(call, n=7):
    """Median milliseconds of a call that is waited for."""
    times = []
    for _ in range(n + 1):
        finish()
        start = time.perf_counter()
        call()
        finish()
        times.append(time.perf_counter() - start)
    return 1e3 * sorted(times[1:])[n // 2]


def mel(y):
    """The feature that is handed over."""
    return metalmom.feature.melspectrogram(y=y)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--clips", type=int, default=256)
    host = np.random.default_rng(0).standard_normal((parser.parse_args().clips, 661_500), dtype=np.float32)
    metalmom.gpu_warmup()
    y, cuda = metalmom.to_device(host), torch.from_numpy(host).cuda()
    small = metalmom.to_device(host[:1, :22050])
    ready = mel(small)
    start = time.perf_counter()
    torch.from_dlpack(mel(y))
    finish()
    print(f"first hand-over: {1e3 * (time.perf_counter() - start):.2f} ms")
    rows = {
        "mel, resident": lambda: mel(y),
        "mel to torch": lambda: torch.from_dlpack(mel(y)),
        "mel to torch, summed there": lambda: torch.from_dlpack(mel(y)).sum(),
        "STFT to torch": lambda: torch.from_dlpack(metalmom.stft(y)),
        "CUDA tensor to mel to torch": lambda: torch.from_dlpack(mel(metalmom.to_device(cuda))),
        "NumPy to mel to torch": lambda: torch.from_dlpack(mel(metalmom.to_device(host))),
        "NumPy to mel to NumPy to torch": lambda: torch.from_numpy(mel(host)).cuda(),
        "mel of 1 s": lambda: mel(small),
        "mel of 1 s to torch": lambda: torch.from_dlpack(mel(small)),
        "to torch, of what is ready": lambda: torch.from_dlpack(ready),
    }
    with metalmom.config_context(backend="gpu"):
        for name, call in rows.items():
            wall, of_host = queued(call)
            print(f"{name:32} queued {wall:8.3f} ms, host {of_host:8.3f} ms, alone {alone(call):8.3f} ms")
    print(metalmom._native.device_memory())


if __name__ == "__main__":
    main()
