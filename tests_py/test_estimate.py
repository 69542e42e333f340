"""What a recipe says it will take, beside what it then takes. Times are compared in benchmarks/estimates.py."""

import pickle
import tracemalloc

import metalmom
import numpy as np
import pytest
from metalmom import _native

RECIPES = {
    "stft": ["stft"],
    "mfcc": ["mfcc"],
    "mel and its levels": {"mel": {"feature": "melspectrogram"}, "db": {"feature": "power_to_db", "of": "mel"}},
    "chroma": ["chroma_stft"],
    "rhythm": ["onset_strength", "tempo"],
    "constant-Q": ["cqt", "chroma_cqt"],
    "harmonics": ["effects.hpss"],
    "many": ["mfcc", "spectral_contrast", "rms", "zero_crossing_rate", "tonnetz", "tempogram"],
    "recurrence": {"mfcc": {}, "links": {"feature": "segment.recurrence_matrix", "of": "mfcc"}},
}


# Matrices of all frames with all others are large.
LENGTHS = {"recurrence": (10.0, 60.0)}

# Which threads take part, and take their first 256 KiB, is chance.
ARENAS = 2**18 * _native.thread_count()


@pytest.fixture(scope="module", autouse=True)
def on_cpu():
    with metalmom.config_context(backend="cpu"):
        yield


def memory_used(fx, y):
    """Bytes of NumPy, of Python and of the engine's working memory that a call takes at most."""
    _native.release_workspaces()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        _native.restart_memory_peak()
        fx(y)
        return tracemalloc.get_traced_memory()[1] - before + _native.memory_peak()
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("channels", [1, 2])
def test_memory_is_within_half_as_much_again(name, channels):
    fx = metalmom.Extractor(RECIPES[name])
    rng = np.random.default_rng(0)
    for seconds in LENGTHS.get(name, (10.0, 60.0, 300.0)):
        shape = (int(seconds * 22050),) if channels == 1 else (channels, int(seconds * 22050))
        said, y = fx.estimate(seconds, channels).memory, rng.standard_normal(shape, dtype=np.float32)
        # Whether a thread gets the arena that is large already, or makes another one large, is chance: what is
        # too much is measured again.
        used = memory_used(fx, y)
        for _ in range(2):
            used = min(used, memory_used(fx, y)) if used / 1.5 - ARENAS >= said else used
        assert used / 1.5 - ARENAS < said < used * 1.5 + ARENAS, f"{seconds} s: {said / 2**20:.2f} MiB said, {used / 2**20:.2f} used"


def test_an_estimate_computes_nothing_again():
    fx = metalmom.Extractor(["mfcc"])
    first, again = fx.estimate(30.0), fx.estimate(60.0)
    assert first.seconds < again.seconds and first.memory < again.memory
    before = _native.counters()["calls"]
    assert (fx.estimate(30.0), fx.estimate(60.0)) == (first, again)
    assert _native.counters()["calls"] == before
    assert pickle.loads(pickle.dumps(fx))._measured == {}


def test_an_estimate_reads():
    said = metalmom.Extractor(["mfcc"]).estimate(30.0)
    assert str(said) == f"{said.memory / 2**20:.1f} MiB, {said.seconds * 1e3:.3g} ms"


def test_a_trace_of_memory_goes_on():
    tracemalloc.start()
    try:
        metalmom.Extractor(["rms"]).estimate(1.0)
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("seconds, channels, told", [
    (0, 1, "seconds=0 must be a positive number"), ("1", 1, "seconds='1' must be"), (np.inf, 1, "seconds=inf"),
    (1.0, 0, "channels=0 must be a whole number"), (1.0, 1.5, "channels=1.5 must be"),
])  # fmt: skip
def test_nonsense_is_refused(seconds, channels, told):
    with pytest.raises(metalmom.ParameterError, match=told):
        metalmom.Extractor(["rms"]).estimate(seconds, channels)


def test_what_a_call_refuses_an_estimate_refuses():
    with pytest.raises(metalmom.ParameterError, match="n_mels"):
        metalmom.Extractor(["mfcc"], n_mels=0).estimate(1.0)
