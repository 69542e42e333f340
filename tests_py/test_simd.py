"""Instruction sets: METALMOM_SIMD takes effect, and every set gives the same numbers."""

import os
import pickle
import platform
import subprocess
import sys

import metalmom as mm
import numpy as np
import pytest

FEATURES = """
import pickle, sys, numpy as np, metalmom as mm
try:
    simd = mm.build_info()["simd"]
except mm.ParameterError as error:
    print(error, file=sys.stderr)
    sys.exit(3)
rng = np.random.default_rng(7)
t = np.arange(30000) / 22050
y = (np.sin(2000 * t * (1 + t)) + 0.1 * rng.standard_normal(t.size)).astype(np.float32)
results = {"simd": simd}
for n_fft in (256, 400, 2048, 4096):
    S = mm.stft(y, n_fft=n_fft)
    results[f"stft {n_fft}"] = S
    results[f"istft {n_fft}"] = mm.istft(S)
    for name, dtype in (("single", np.float32), ("double", np.float64)):
        results[f"mel {n_fft} {name}"] = mm.feature.melspectrogram(
            y=y.astype(dtype), n_fft=n_fft, n_mels=30)
results["mfcc"] = mm.feature.mfcc(y=y)
results["chroma"] = mm.feature.chroma_stft(y=y)
results["onset"] = mm.onset.onset_strength(y=y)
sys.stdout.buffer.write(pickle.dumps(results))
"""


def features(simd):
    return subprocess.run(
        [sys.executable, "-c", FEATURES],
        env={**os.environ, "METALMOM_SIMD": simd},
        capture_output=True,
        timeout=300,
    )


@pytest.mark.parametrize("simd", ["avx512", "avx2", "baseline"])
def test_a_forced_set_runs_and_agrees_with_the_default(simd):
    forced = features(simd)
    if forced.returncode == 3:
        pytest.skip(forced.stderr.decode().strip())
    assert forced.returncode == 0, forced.stderr.decode()
    results = pickle.loads(forced.stdout)
    assert results.pop("simd") == simd
    reference = pickle.loads(features("").stdout)
    assert reference.pop("simd") == mm.build_info()["simd"]
    for name, expected in reference.items():
        # Other sums in another order; the transform itself agrees to a few units.
        bound = 1e-12 if "double" in name else 2e-6
        error = np.abs(results[name] - expected).max() / np.abs(expected).max()
        assert error <= bound, name


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="a name on x86")
def test_the_baseline_of_x86_may_be_called_sse(monkeypatch):
    code = "import metalmom; print(metalmom.build_info()['simd'])"
    monkeypatch.setenv("METALMOM_SIMD", "sse")
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "baseline"


def test_an_unknown_set_is_named_with_those_there_are():
    refused = features("mmx")
    assert refused.returncode == 3
    text = refused.stderr.decode()
    assert "METALMOM_SIMD='mmx' must be a set of instructions that this processor has:" in text
    assert "'baseline'" in text
