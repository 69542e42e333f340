"""What streams promise to those who must not wait: arrays that they make, and errors that change nothing.

That the engine allocates nothing, locks nothing and asks nothing of the system is seen in
tests_cpp/stream_realtime.cpp.
"""

import os
import subprocess
import sys
import time
import tracemalloc

import metalmom
import numpy as np
import pytest
from metalmom import streaming
from metalmom.util.exceptions import ParameterError
from test_streaming import FEATURES, noise, refused_beside_another
from test_streaming_frontend import FRONTENDS

N = 60000
H = np.exp(-np.arange(9000) / 2000).astype(np.float32) * noise(9000)
SPECTRA = np.asfortranarray(metalmom.stft(noise(N), n_fft=512))
ENERGIES = np.abs(metalmom.stft(noise(N), n_fft=512)) ** 2

# A class, how it is made, a block for it, and what `out` is, where it has one.
CLASSES = [
    *((name, arguments, noise(N)) for name, _, arguments in FEATURES),
    ("Convolver", {"h": H, "block_size": 64}, noise(N)),
    ("Convolver", {"h": H, "block_size": 64, "workers": 1}, noise(N)),
    ("ISTFT", {"n_fft": 512}, SPECTRA),
    ("Resample", {"orig_sr": 22050, "target_sr": 16000}, noise(N)),
    ("Resample", {"orig_sr": 16000, "target_sr": 16000}, noise(N)),
    ("PCEN", {"n_bands": 257}, ENERGIES),
    ("PCEN", {"n_bands": 257, "max_size": 3}, ENERGIES),
]
ALL = [
    *CLASSES,
    ("OnsetDetect", {"normalize": False, "delta": 0.5}, noise(N)),
    ("Tempo", {}, noise(N)),
    ("BeatTrack", {}, noise(N)),
]
# Python's own objects: numbers, views, tuples.
SMALL = 4000


def made(name, arguments):
    stream = getattr(streaming, name)(**arguments)
    stream.warmup()
    return stream


def highest(call):
    """What a call returns, and the bytes that there are more of while it runs."""
    tracemalloc.start()
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    result = call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return result, peak - before


def least(attempt):
    """The attempt of three that took the fewest bytes: other threads, as those of pytest-xdist, allocate beside it."""
    return min((attempt() for _ in range(3)), key=lambda measured: measured[1])


@pytest.mark.parametrize("name, arguments, block", CLASSES)
def test_one_array_is_made_and_none_with_out(name, arguments, block):
    stream = made(name, arguments)
    block = np.concatenate([block] * 16, axis=-1) if block.ndim == 1 else block

    def attempt(**out):
        stream.reset()
        return highest(lambda: stream.process(block, **out))

    result, more = least(attempt)
    size = result.nbytes if result.base is None else result.base.nbytes
    assert size > SMALL  # or the test says nothing
    if isinstance(stream, streaming._features.Framed) and stream._process_block is None:
        pytest.skip("converted: peaks and valleys to contrast, or to another dtype")
    assert more < size + SMALL
    room = result.shape[-1] if name != "Resample" else stream.most(block.shape[-1])
    out = np.empty((*result.shape[:-1], room), dtype=result.dtype)
    again, more = least(lambda: attempt(out=out))
    assert np.shares_memory(again, out)
    assert more < SMALL
    if name != "Convolver" or not arguments.get("workers"):
        np.testing.assert_array_equal(again, result)


@pytest.mark.parametrize("name", ["OnsetDetect", "Tempo", "BeatTrack", "Extractor"])
def test_what_follows_an_envelope_is_asked_of_the_engine_in_one_call_too(name, monkeypatch):
    """A plain block takes 4 us so, and 9 us by way of what all other blocks need."""
    stream = made(name, {"features": ["onset_detect", "rms"]} if name == "Extractor" else {})
    monkeypatch.setattr(stream, "_process", None)
    stream.process(noise(4000))
    with pytest.raises(TypeError):  # with gaps between its samples
        stream.process(noise(4000)[::2])


EVERY = [
    *ALL,
    *((name, arguments, noise(N)) for name, _, arguments, _ in FRONTENDS),
    ("SpectralSlope", {}, noise(N)),
    ("Extractor", {"features": {"rms": {}, "onset_detect": {"units": "time"}, "tempo": {}}}, noise(N)),
    ("OnsetDetect", {"units": "time"}, noise(N)),
    ("BeatTrack", {"units": "time", "bpm": 120}, noise(N)),
    ("Tempo", {"sample_dtype": np.float64}, noise(N, dtype=np.float64)),
]


def arrays_of(result):
    """The arrays of a result by their places, and how many results there are of each kind."""
    if isinstance(result, dict):
        return {(key, *place): a for key, value in result.items() for place, a in arrays_of(value).items()}
    if isinstance(result, tuple):
        fields = zip(result._fields, result, strict=True)
        return {(type(result), field): value for field, value in fields if field != "time"}
    return {(): result}


@pytest.mark.parametrize("name, arguments, block", EVERY)
def test_nothing_is_of_the_kind_of_something(name, arguments, block):
    """Before, between and after frames an empty block gives arrays of the same shape and type, but for their length."""
    stream, none = made(name, arguments), np.asarray(block[..., :0], order="C")
    block = np.concatenate([block] * 4, axis=-1) if block.ndim == 1 else block
    nothings = [arrays_of(stream.process(none))]
    something = arrays_of(stream.process(block))
    nothings.append(arrays_of(stream.process(none)))
    ends = [arrays_of(stream.flush())]
    stream.reset()
    ends.append(arrays_of(stream.process(block, last=True)))
    assert any(each.size for each in something.values())
    for found in (something, *nothings, *ends):
        assert found.keys() == something.keys()
        for place, value in found.items():
            like = something[place]
            assert type(value) is np.ndarray and value.dtype == like.dtype and value.ndim == like.ndim
            assert sum(one != other for one, other in zip(value.shape, like.shape, strict=True)) <= 1


def test_every_class_is_asked_for_nothing():
    streams = {name for name in streaming.__all__ if not issubclass(getattr(streaming, name), tuple)}
    assert streams - {name for name, *_ in EVERY} == {"Stream", "Model", "Report", "Ring"}  # the model and the ring have tests of their own


def test_a_result_that_is_still_held_is_never_written_again():
    stream = streaming.Extractor({"rms": {}, "mfcc": {"top_db": None}})
    y = noise(512 * 40)
    blocks = [y[i : i + 512] for i in range(0, len(y), 512)]
    held = [stream.process(block) for block in blocks]
    stream.reset()
    copies, views = [], []
    for i, block in enumerate(blocks):
        frames = stream.process(block)
        copies.append({name: value.copy() for name, value in frames.items()})
        if i % 3 == 0:
            views.append((i, frames["mfcc"][1:]))
        frames["rms"].shape = frames["rms"].shape[::-1]  # as anybody may
        frames["mfcc"].flags.writeable = False
        frames.pop("rms")
    for one, other in zip(held, copies, strict=True):
        np.testing.assert_array_equal(one["rms"].ravel(), other["rms"].ravel())
        np.testing.assert_array_equal(one["mfcc"], other["mfcc"])
    for i, view in views:
        np.testing.assert_array_equal(view, held[i]["mfcc"][1:])


@pytest.mark.parametrize("name, arguments, block", ALL)
def test_an_error_in_the_input_changes_nothing(name, arguments, block):
    half = block.shape[-1] // 2
    first, rest = block[..., :half], np.ascontiguousarray(block[..., half:])
    first = np.asfortranarray(first)
    bad = rest.copy()
    bad[..., 3] = np.nan
    stream, other = made(name, arguments), made(name, arguments)
    if arguments.get("workers"):
        pytest.skip("its results depend on time")
    stream.process(first)
    other.process(first)
    wrongs = [rest[np.newaxis], [1.0, 2.0]]
    if name != "PCEN":  # which converts numbers
        wrongs.append(np.zeros(rest.shape, dtype=np.int8))
    if name not in ("ISTFT", "PCEN"):  # of spectra NaN is a value
        wrongs.append(bad)
    for wrong in wrongs:
        with pytest.raises(ParameterError):
            stream.process(wrong)
    if name not in ("OnsetDetect", "Tempo", "BeatTrack"):
        for out in (np.empty(1, np.int8), np.empty((*rest.shape[:-1], 0), dtype=np.float32)):
            with pytest.raises(ParameterError):
                stream.process(rest, out=out)
    assert stream.position == other.position
    np.testing.assert_equal(stream.process(rest), other.process(rest))


@pytest.mark.parametrize("name, arguments, block", ALL)
def test_two_threads_in_one_object_are_an_error(name, arguments, block):
    stream = made(name, arguments)
    long = np.concatenate([block] * 8, axis=-1)
    errors = refused_beside_another(stream, long)
    assert errors and all("another thread" in error for error in errors)


@pytest.mark.parametrize("channels", [1, 2])
def test_a_fade_makes_one_array_and_none_with_out(channels):
    y = noise(30000, channels=channels)
    bad = y.copy()
    bad[..., -1] = np.inf

    def fading():
        convolver = streaming.Convolver(H, block_size=64, channels=channels)
        convolver.process(y)
        convolver.set_response(H[::-1].copy(), crossfade=7000)
        return convolver

    def attempt(out):
        stream = fading()
        with pytest.raises(ParameterError, match="finite"):
            stream.process(bad)
        result, more = highest(lambda: stream.process(y, out=out))
        return (result, stream.process(y)), more

    other = fading()
    expected = other.process(y), other.process(y)
    for out, made_bytes in ((np.empty_like(y), 0), (None, y.nbytes)):
        results, more = least(lambda: attempt(out))
        assert more < made_bytes + SMALL
        assert out is None or results[0] is out
        np.testing.assert_array_equal(results, expected)


def paced(convolver, y, size=64):
    """Blocks that come at their own pace."""
    parts = []
    for i in range(0, len(y), size):
        convolver._native.settle()
        parts.append(convolver.process(y[i : i + size]))
    return np.concatenate(parts)


def test_a_worker_in_time_gives_the_same_bytes():
    y = noise(20000)
    plain, worked = (streaming.Convolver(H, block_size=64, workers=n) for n in (0, 1))
    worked.warmup()
    for _ in range(2):
        expected = np.concatenate([plain.process(y), plain.flush()])
        np.testing.assert_array_equal(np.concatenate([paced(worked, y), worked.flush()]), expected)
        assert worked.missed_blocks == 0
        plain.reset()
        worked.reset()


def test_what_a_worker_misses_is_counted_through_another_response():
    y = noise(100000)
    worked = streaming.Convolver(H, block_size=64, workers=1)
    for _ in range(50):  # without a pause, until the worker is late once: when that is depends on the machine
        assert np.isfinite(worked.process(y)).all()
        if worked.missed_blocks:
            break
    else:
        pytest.skip("the worker is never late here")
    missed = worked.missed_blocks
    worked.set_response(H[::2])
    assert worked.missed_blocks == missed
    paced(worked, y)
    assert worked.missed_blocks >= missed
    worked.reset()
    assert worked.missed_blocks == 0
    with pytest.raises(ParameterError, match="workers=2 must be"):
        streaming.Convolver(H, workers=2)
    assert streaming.Convolver(H).missed_blocks == 0


def test_a_worker_ends_with_the_program():
    code = (
        "import metalmom, numpy as np\n"
        "kept = [metalmom.streaming.Convolver(np.ones(9000, np.float32), workers=1) for _ in range(5)]\n"
        "for c in kept: c.process(np.zeros(50000, dtype=np.float32))\n"
        "del kept[0]\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # from Python 3.12 on
def test_a_forked_child_goes_on():
    y = noise(20000)
    plain, worked = (streaming.Convolver(H, block_size=64, workers=n) for n in (0, 1))
    plain.process(y)
    paced(worked, y)
    expected = plain.process(y)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(paced(worked, y), expected) else 1)
    deadline = time.monotonic() + 60
    while (ended := os.waitpid(child, os.WNOHANG))[0] == 0 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert ended == (child, 0)
    np.testing.assert_array_equal(paced(worked, y), expected)
