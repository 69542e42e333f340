"""At the limits of the machine and of the libraries underneath: a sentence, never a hang."""

import io
import os
import struct
import subprocess
import sys

import metalmom as mm
import numpy as np
import pytest


def wave_of_rate(rate):
    samples = np.zeros(1000, np.int16).tobytes()
    form = struct.pack("<HHIIHH", 1, 1, rate, 2 * rate & 0xFFFFFFFF, 2, 16)
    chunks = b"fmt " + struct.pack("<I", 16) + form + b"data" + struct.pack("<I", len(samples))
    return b"RIFF" + struct.pack("<I", 4 + len(chunks) + len(samples)) + b"WAVE" + chunks + samples


@pytest.mark.parametrize("res_type", ["soxr_qq", "soxr_hq", "soxr_vhq"])
@pytest.mark.parametrize("orig_sr, target_sr", [(9e15, 16000), (22050, 0.1), (0.5, 48000)])
def test_ratios_that_soxr_cannot_do(orig_sr, target_sr, res_type):
    with pytest.raises(mm.ParameterError, match=r"target_sr=.* must be within a factor of 32768"):
        mm.resample(np.zeros(1000, np.float32), orig_sr=orig_sr, target_sr=target_sr, res_type=res_type)


def test_the_largest_ratios_work():
    y = np.ones(40000, np.float32)
    assert mm.resample(y, orig_sr=32768, target_sr=1, res_type="soxr_qq").shape == (2,)
    assert mm.resample(y[:2], orig_sr=1, target_sr=32768, res_type="soxr_hq").shape == (65536,)


def test_a_header_with_an_impossible_rate():
    with pytest.raises(mm.ParameterError, match="within a factor of 32768 of the file's own rate"):
        mm.load(io.BytesIO(wave_of_rate(800_000_000)), res_type="soxr_qq")


@pytest.mark.parametrize("exponent", [-100, -75, 70, 100])
def test_magnitudes_at_levels_whose_squares_float_cannot_hold(exponent):
    """A power of two changes the scale of a spectrum and no bit of its shape."""
    rng = np.random.default_rng(2)
    y = (np.sin(np.arange(11025) * 0.3) + 0.1 * rng.standard_normal(11025)).astype(np.float32)
    extreme = np.ldexp(y, exponent)
    shapes = mm.feature.spectral_centroid, mm.feature.spectral_bandwidth, mm.feature.spectral_rolloff
    for shape in shapes:
        np.testing.assert_array_equal(shape(y=extreme), shape(y=y))
    mel = mm.feature.melspectrogram(y=extreme, power=1)
    np.testing.assert_array_equal(np.ldexp(mel, -exponent), mm.feature.melspectrogram(y=y, power=1))
    if exponent > 0:  # below its floor of 1e-10 the contrast is zero, in librosa too
        contrast = mm.feature.spectral_contrast(y=extreme)
        np.testing.assert_allclose(contrast, mm.feature.spectral_contrast(y=y), atol=1e-4)


WITHOUT_THREADS = """
import resource, numpy as np, metalmom as mm
y = np.random.default_rng(0).standard_normal(1 << 16).astype(np.float32)
with mm.threads(1):
    expected = mm.feature.melspectrogram(y=y)
in_use = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (in_use + (6 << 20),) * 2)
with mm.threads(8):
    result = mm.feature.melspectrogram(y=y)
tasks = len(__import__("os").listdir("/proc/self/task"))
assert tasks == 1, tasks  # the stack of a thread takes more memory than there was
assert (result == expected).all()
"""


def test_where_no_thread_can_be_made_the_caller_does_the_work():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_THREADS],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
