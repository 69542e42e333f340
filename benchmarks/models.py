#!/usr/bin/env python3
"""Latency of LSTMs that take frames block by block: `metalmom.streaming.Model` against the time that a block lasts.

    benchmarks/models.py [--seconds S] [--threads N]

Run by a Python that has onnx and onnxruntime. Each model is one LSTM over 80 bands, a frame every 10 ms, with weights drawn
from a seed. Blocks of 10 and of 100 ms are 1 and 10 frames. The wall time of each call counts, after `warmup()`; beside it
stands the processor time of the process, which other work of the machine changes less. Blocks come as fast as they are
taken, for so many seconds a row.
"""

import argparse
import pathlib
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))

from metalmom import nn, streaming  # noqa: E402

BANDS, SECONDS_PER_FRAME = 80, 0.01
SIZES, FRAMES = (64, 256, 1024), (1, 10)
STATE = {"h": "h_out", "c": "c_out"}


def write_lstm(path, size):
    """An LSTM whose state goes in and out, as an ONNX file."""
    rng = np.random.default_rng(size)
    weights = {"W": (1, 4 * size, BANDS), "R": (1, 4 * size, size), "B": (1, 8 * size)}
    drawn = [
        numpy_helper.from_array((rng.standard_normal(shape) / np.sqrt(size)).astype(np.float32), name)
        for name, shape in weights.items()
    ]
    axis = numpy_helper.from_array(np.array([1], np.int64), "axis")
    of = helper.make_tensor_value_info
    frames, state = ["frames", 1, BANDS], [1, 1, size]
    graph = helper.make_graph(
        [
            helper.make_node("LSTM", ["x", *weights, "", "h", "c"], ["all", "h_out", "c_out"], hidden_size=size),
            helper.make_node("Squeeze", ["all", "axis"], ["y"]),
        ],
        "lstm",
        [of("x", TensorProto.FLOAT, frames), *(of(name, TensorProto.FLOAT, state) for name in STATE)],
        [of("y", TensorProto.FLOAT, ["frames", 1, size]), *(of(name, TensorProto.FLOAT, state) for name in STATE.values())],
        [*drawn, axis],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9  # of this set of operations, so that older runtimes read it
    onnx.save(model, str(path))


def times_of(stream, n_frames, seconds):
    """Seconds of each call on blocks of so many frames: (calls, 2), of the wall and of the processor."""
    rng, times = np.random.default_rng(1), []
    blocks = rng.standard_normal((64, n_frames, 1, BANDS)).astype(np.float32)
    stream.warmup()
    for block in blocks:  # the first calls of this many frames
        stream.process(block)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for block in blocks:
            before = time.perf_counter(), time.process_time()
            stream.process(block)
            times.append((time.perf_counter() - before[0], time.process_time() - before[1]))
    return np.array(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    print(f"onnxruntime {onnxruntime.__version__}, NumPy {np.__version__}, {given.threads} threads")
    print("| LSTM | block | calls | p50 | p99 | worst | p99 of the budget | late | processor: p50 | p99 | p99 of the budget |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            path = pathlib.Path(folder) / f"lstm_{size}.onnx"
            write_lstm(path, size)
            session = nn.Session(path, threads=given.threads)
            for n_frames in FRAMES:
                budget = n_frames * SECONDS_PER_FRAME
                stream = streaming.Model(session, state=STATE, axis=0, budget=budget)
                times = times_of(stream, n_frames, given.seconds)
                (half, own_half), (most, own_most) = np.percentile(times, [50, 99], axis=0)
                wall, own = ([f"{1000 * each:.2f} ms" for each in some] for some in
                             ((half, most, times[:, 0].max()), (own_half, own_most)))  # fmt: skip
                cells = [size, f"{1000 * budget:.0f} ms", len(times), *wall, f"{most / budget:.1%}", np.sum(times[:, 0] > budget), *own,
                         f"{own_most / budget:.1%}"]  # fmt: skip
                print(f"| {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main()
