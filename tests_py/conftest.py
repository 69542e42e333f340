"""What every Python test shares: the paths of the tree and a few signals."""

import os
import pathlib
import signal

import metalmom
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Processes that tests start find the package where this one did.
os.environ["PYTHONPATH"] = str(pathlib.Path(metalmom.__file__).parent.parent)
# Transfers are staged, as on the graphics cards that most users have, also where the host sees the device's
# memory (test_gpu_unified.py, and ctest, work in place there).
os.environ["METALMOM_VULKAN_UNIFIED"] = "0"
# Pictures are drawn into memory, whatever screen there is.
os.environ["MPLBACKEND"] = "agg"
# Processes that tests interrupt see it, also where a shell started the tests in its background, deaf to Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which nohup ignores


@pytest.fixture(scope="session")
def root():
    """The folder of the checkout."""
    return ROOT


@pytest.fixture
def rng():
    """A generator that gives every test the same numbers."""
    return np.random.default_rng(20240229)


@pytest.fixture(scope="session")
def music():
    """Two seconds of chords, a beat and a little noise at 22,050 Hz, float32."""
    sr = 22050
    t = np.arange(2 * sr) / sr
    chord = sum(np.sin(2 * np.pi * f * t) / (i + 1) for i, f in enumerate((220.0, 277.2, 329.6)))
    beat = np.exp(-20 * (t % 0.5)) * np.sin(2 * np.pi * 90 * t)
    noise = np.random.default_rng(1).standard_normal(t.size) * 0.01
    y = 0.2 * chord + 0.6 * beat + noise
    return y.astype(np.float32)


@pytest.fixture(scope="module")
def one_server():
    """Runs in this process have their children from one server, which imports metalmom once."""
    from processes import KeptServer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metalmom.extraction.fork_server.take", KeptServer.take)
        yield
        KeptServer.forget()


@pytest.fixture(scope="session")
def terminals():
    """Skips where the machine gives nobody a terminal of its own, as some containers."""
    try:
        for descriptor in os.openpty():
            os.close(descriptor)
    except OSError as error:
        pytest.skip(f"no terminals here: {error}")


def pytest_addoption(parser):
    parser.addoption(
        "--record-errors",
        action="store_true",
        help="write the errors observed against librosa to reference/<part>.observed.json",
    )
    parser.addoption(
        "--recipes",
        type=int,
        default=60,
        help="random recipes that an Extractor is compared with single calls on; a tenth on a device",
    )
    parser.addoption(
        "--processes",
        type=int,
        default=2,
        help="processes at once that find no place to write (test_places.py)",
    )
