"""libmetalmom: a program in C, compiled against what is installed, gives what metalmom.streaming gives."""

import pathlib
import re
import subprocess

import numpy as np
import pytest

from metalmom import streaming

ROOT = pathlib.Path(__file__).resolve().parents[1]
SR = 16000

# Feature -> options in C, the stream in Python.
FEATURES = {
    "stft": ("n_fft=512 hop_length=160 window=hamming",
             lambda: streaming.STFT(n_fft=512, hop_length=160, window="hamming")),
    "melspectrogram": (f"sr={SR} n_mels=40 fmin=20 fmax=7600 power=1",
                       lambda: streaming.MelSpectrogram(sr=SR, n_mels=40, fmin=20, fmax=7600, power=1)),
    "mfcc": (f"sr={SR} n_mfcc=13 lifter=22", lambda: streaming.MFCC(sr=SR, n_mfcc=13, lifter=22)),
    "chroma_stft": (f"sr={SR} tuning=0.25", lambda: streaming.ChromaSTFT(sr=SR, tuning=0.25)),
    "onset_strength": (f"sr={SR} lag=2 max_size=3", lambda: streaming.OnsetStrength(sr=SR, lag=2, max_size=3)),
    "rms": ("frame_length=1024 center=false", lambda: streaming.RMS(frame_length=1024, center=False)),
    "zero_crossing_rate": ("pad_mode=edge", lambda: streaming.ZeroCrossingRate()),
    "spectral_centroid": (f"sr={SR} pad_mode=reflect", lambda: streaming.SpectralCentroid(sr=SR, pad_mode="reflect")),
    "spectral_bandwidth": (f"sr={SR} p=3", lambda: streaming.SpectralBandwidth(sr=SR, p=3)),
    "spectral_rolloff": (f"sr={SR} roll_percent=0.5", lambda: streaming.SpectralRolloff(sr=SR, roll_percent=0.5)),
    "spectral_flatness": ("n_fft=256", lambda: streaming.SpectralFlatness(n_fft=256, hop_length=512)),
}  # fmt: skip


@pytest.fixture(scope="session")
def listen(tmp_path_factory):
    """The program, built in a folder of its own against an installed libmetalmom."""
    if not (ROOT / "build" / "lib" / "libmetalmom.so").exists():
        pytest.skip("this build has no libmetalmom (METALMOM_C)")
    folder = tmp_path_factory.mktemp("c")
    cmake = "/usr/bin/cmake" if pathlib.Path("/usr/bin/cmake").exists() else "cmake"
    for command in (
        [cmake, "--install", ROOT / "build", "--component", "c", "--prefix", folder / "installed"],
        [cmake, "-G", "Ninja", "-S", ROOT / "tests_cpp" / "c_program", "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={folder / 'installed'}"],
        [cmake, "--build", folder / "build"],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "installed" / "include" / "metalmom.h").exists()
    return folder / "build" / "listen"


def answer(listen, y, *arguments):
    done = subprocess.run([listen, *map(str, arguments)], input=y.tobytes(), capture_output=True)
    assert done.returncode == 0, done.stderr
    return np.frombuffer(done.stdout, np.float32)


@pytest.mark.parametrize("feature", FEATURES)
def test_features_have_the_bits_of_streaming(listen, rng, feature):
    y = rng.standard_normal(3 * SR, dtype=np.float32)
    options, make = FEATURES[feature]
    expected = np.atleast_2d(make().process(y, last=True))
    if np.iscomplexobj(expected):
        expected = expected.T.copy().view(np.float32).T
    for block in (160, 5000, 48000):
        frames = answer(listen, y, feature, options, block).reshape(-1, len(expected))
        assert np.array_equal(frames.T, expected.astype(np.float32)), block


def test_a_convolver_has_the_bits_of_streaming(listen, rng, tmp_path):
    y, h = (rng.standard_normal(n, dtype=np.float32) for n in (20000, 3000))
    (tmp_path / "response").write_bytes(h.tobytes())
    expected = streaming.Convolver(h, block_size=256).process(y)
    assert np.array_equal(answer(listen, y, "convolve", tmp_path / "response", 256), expected)


def test_reports_count_blocks(listen, rng, tmp_path):
    y = rng.standard_normal(48100, dtype=np.float32)
    (tmp_path / "response").write_bytes(y[:100].tobytes())
    for arguments, counted in (
        (("rms", "sr=16000", 160), "300 blocks of 10 ms, 0 late"),  # the last one ends the signal
        (("convolve", tmp_path / "response", 480), "101 blocks of 9.92162 ms, 0 late"),
    ):
        done = subprocess.run([listen, *map(str, arguments)], input=y.tobytes(), capture_output=True)
        assert done.stderr.decode().startswith(counted), done.stderr
        p50, p99, worst = map(float, re.findall(r"(?:p50|p99|worst) (\S+) us", done.stderr.decode()))
        assert 0 < p50 <= p99 <= worst


@pytest.mark.parametrize(
    "arguments, said",
    [
        (("mfcc", "n_mfc=13"), "an argument is wrong: options='n_mfc' must be an option of mfcc"),
        (("mfcc", "n_mfcc=many"), "n_mfcc='many' must be a positive integer"),
        (("mfcc", "n_mfcc=0"), "n_mfcc='0' must be a positive integer"),
        (("mfcc", "n_fft=512 n_fft=512"), "options='n_fft=512' must be an option that is there once"),
        (("mfcc", "n_fft"), "options='n_fft' must be words like n_fft=2048"),
        (("rms", "center=0"), "center='0' must be true or false"),
        (("rms", "pad_mode=wrap"), "pad_mode='wrap' must be one of "),
        (("stft", "window=kaiser"), "window='kaiser' must be a window without parameters"),
        (("loudness", ""), "feature='loudness' must be one of those that metalmom.h lists"),
        (("melspectrogram", "sr=0"), "sr='0' must be a number > 0"),
    ],
)  # fmt: skip
def test_wrong_options_are_named(listen, arguments, said):
    done = subprocess.run([listen, *arguments, "256"], input="", capture_output=True, text=True)
    assert done.returncode == 1
    assert said in done.stderr


def test_samples_that_are_not_finite_are_refused(listen):
    y = np.zeros(1000, np.float32)
    y[500] = np.nan
    done = subprocess.run([listen, "rms", "", "256"], input=y.tobytes(), capture_output=True)
    assert done.returncode == 1
    assert b"process: a sample is not finite or too large" in done.stderr


def test_only_what_the_header_declares_is_visible(listen):
    library = ROOT / "build" / "lib" / "libmetalmom.so"
    table = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True).stdout
    names = {line.split()[-1] for line in table.splitlines()}
    header = (ROOT / "cpp" / "c_api" / "metalmom.h").read_text()
    assert names and all(name.startswith("metalmom_") and name + "(" in header for name in names), names
    needed = subprocess.run(["objdump", "-p", library], capture_output=True, text=True).stdout
    assert "python" not in needed
