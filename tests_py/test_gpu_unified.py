"""Where the host sees the device's memory nothing is staged, and the bits are those of staged transfers."""

import json

import metalmom
import pytest
from devices import on_device
from processes import run_python

CODE = """
import hashlib, json, sys
import metalmom, numpy as np
y = np.random.default_rng(0).uniform(-0.5, 0.5, (5, 400_000)).astype(np.float32)
clips = [y[0, : 5000 + 3000 * i] for i in range(9)]
fx = metalmom.Extractor({"mfcc": {}, "rms": {}, "chroma_stft": {}}, sr=22050)
with metalmom.config_context(backend="gpu"), metalmom.trace.record() as trace:
    array = metalmom.to_device(y)
    values = {"resident": metalmom.stft(array).numpy(), "round trip": array.numpy(),
              "call": metalmom.stft(y), "long": metalmom.feature.melspectrogram(y=y[0]),
              "cqt": metalmom.cqt(y[:2]), **fx(y)}
    for i, features in enumerate(fx.map(clips)):
        values |= {f"{name} of {i}": value for name, value in features.items()}
try:
    with metalmom.config_context(backend="gpu"):
        metalmom.stft(np.where(np.arange(400_000) == 399_999, np.nan, y))
except metalmom.ParameterError as error:
    values["refused"] = np.frombuffer(str(error).encode(), np.uint8)
copies = [span.name for span in trace.spans if span.cat == "gpu" and span.args.get("kind") == "copy"]
counted = {name: trace.counters[name] for name in ("downloaded_bytes", "submits")}
hashes = {name: hashlib.sha256(value.tobytes()).hexdigest() for name, value in values.items()}
print(json.dumps([hashes, sorted(set(copies)), counted]))
"""


def run(unified):
    return json.loads(run_python(CODE, METALMOM_VULKAN_UNIFIED=unified))


@on_device
def test_unified_memory_is_not_staged_and_gives_the_same_bits():
    if metalmom.devices()[0].type != "cpu":
        pytest.skip("its memory may be its own")
    in_place, staged = run("1"), run("0")
    assert in_place[0] == staged[0]
    assert (in_place[1], staged[1]) == ([], ["download", "upload"])
    assert in_place[2] == staged[2]
