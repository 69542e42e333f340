"""After an exception a stream is as it was before the call, or it says that it was stopped until `reset`.

Calls are ended at their first, second, third ... point: where the engine looks for signals, and where
Python runs their handlers, which is when a function begins and when a call of C has returned.
"""

import dis
import functools
import itertools
import pickle
import signal
import sys
import threading
import warnings

import numpy as np
import pytest
from metalmom import _native, separation, streaming
from metalmom.util.exceptions import ParameterError
from test_streaming import RATE, noise
from test_streaming_realtime import ALL, ENERGIES, SPECTRA, H

FRONTENDS = {"vggish": {}, "musicnn": {"overlap": 3}, "nemo": {"normalize": None}}
RHYTHM = {"onset_detect": {"delta": 0.5}, "rms": {}, "tempo": {"update": 0.1, "window": 2}}
TWO_GROUPS = {"rms": {"frame_length": 1024}, "stft": {"n_fft": 512}}


class AtLook:
    """Ctrl-C at a look of the engine."""

    def __init__(self, number):
        self.number = number

    def __enter__(self):
        _native.interrupt_at_look(self.number)

    def __exit__(self, *_):
        _native.interrupt_at_look(0)


@functools.cache
def places_after_calls(code):
    steps = itertools.pairwise(dis.get_instructions(code))
    return {b.offset for a, b in steps if a.opname in ("CALL", "CALL_KW", "CALL_FUNCTION_EX")}


class AtCheck:
    """A signal whose handler raises where Python runs it in a stream's own lines."""

    def __init__(self, number):
        self.left = number
        self.have_called_python = set()

    def __enter__(self):
        sys.settrace(self.trace)

    def __exit__(self, *_):
        sys.settrace(None)

    def trace(self, frame, event, _):
        begins = event == "call"
        if begins:
            self.have_called_python.add(frame.f_back)
        if not frame.f_globals["__name__"].startswith(("metalmom.streaming", "metalmom.separation")):
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        after_call = event == "opcode" and frame.f_lasti in places_after_calls(frame.f_code)
        if after_call and frame in self.have_called_python:  # handlers have run as that began
            self.have_called_python.remove(frame)
            after_call = False
        self.left -= begins or after_call
        if self.left == 0:
            raise KeyboardInterrupt
        return self.trace


def calls_of(blocks, out=None):
    """What is done with a stream: blocks, the last of which ends the signal."""
    if out is None:
        calls = [lambda s, b=block: s.process(b) for block in blocks[:-1]]
    else:
        calls = [lambda s, b=block: s.process(b, out=out) for block in blocks[:-1]]
    return [*calls, lambda s: s.process(blocks[-1], last=True)]


def cut(block):
    """A short block, one of more than the engine does with Python's lock, a short one, and the end."""
    begins = [0, 300, 9600, 9700, 10000] if block.ndim == 1 else [0, 1, 80, 82, 100]
    return [block[..., i:j] for i, j in itertools.pairwise(begins)]


def bits(value):
    return pickle.dumps(value)


def expect_whole_or_stopped(stream, calls, fault, more=()):
    """End each call, and each of `more` before the last one, at all its points; how often that ended one."""
    expected = [bits(call(stream)) for call in calls]
    n_ended = 0

    def go_on(first):
        for call, want in zip(calls[first:], expected[first:], strict=True):
            assert bits(call(stream)) == want

    for i, tried in [*enumerate(calls), *((len(calls) - 1, each) for each in more)]:
        for number in itertools.count(1):
            stream.reset()
            for call in calls[:i]:
                call(stream)
            try:
                with fault(number):
                    value = tried(stream)
                break
            except KeyboardInterrupt:
                n_ended += 1
            try:
                assert bits(calls[i](stream)) == expected[i]
                go_on(i + 1)
            except ParameterError as error:
                name = type(stream).__name__
                assert str(error).startswith(f"{name} was stopped in the middle of a call: reset()")
                with pytest.raises(ParameterError, match="was stopped"):
                    stream.flush()
            stream.reset()
            go_on(0)
        if tried is calls[i]:
            assert bits(value) == expected[i]
    stream.reset()
    elsewhere = threading.Thread(target=go_on, args=(0,))  # nobody has the turn any more
    elsewhere.start()
    elsewhere.join()
    assert stream.position > 0
    return n_ended


# All but what is only copied, and what depends on how fast a thread is.
LOOKING = [
    (name, arguments, block)
    for name, arguments, block in ALL
    if arguments.get("orig_sr") != 16000 and not arguments.get("workers")
]


@pytest.mark.parametrize("name, arguments, block", LOOKING)
def test_where_the_engine_looks(name, arguments, block):
    stream = getattr(streaming, name)(**arguments)
    assert expect_whole_or_stopped(stream, calls_of(cut(block)), AtLook) > 0


@pytest.mark.parametrize("n_groups", [1, 2])
def test_where_the_engine_looks_for_many_features(n_groups):
    stream = streaming.Extractor(TWO_GROUPS if n_groups == 2 else ["rms", "zero_crossing_rate"])
    assert expect_whole_or_stopped(stream, calls_of(cut(noise(10000))), AtLook) > 0


def of_spectra(n_frames):
    return np.empty((257, n_frames), dtype=np.complex64)


def test_where_the_engine_looks_for_results_in_given_memory():
    stream = streaming.STFT(n_fft=512)
    calls = calls_of(cut(noise(10000)), out=of_spectra(100))
    assert expect_whole_or_stopped(stream, calls, AtLook) > 0


def fade(stream):
    """To the same response: what comes after `reset` is the same."""
    stream.set_response(H, crossfade=100)


def separating():
    about = {"kind": "waveform", "sr": RATE, "channels": 1, "stems": ["loud", "soft"], "segment": 0.1}
    return separation.Stream((lambda segment: np.stack([segment, segment / 8]), about), sr=RATE)


# Every class whose Python is its own: the stream, a block, what else may be ended.
OWN = {
    "STFT": (lambda: streaming.STFT(n_fft=512), noise(10000), ()),
    "SpectralContrast": (lambda: streaming.SpectralContrast(linear=True), noise(10000), ()),
    "YAMNet": (lambda: streaming.YAMNet(), noise(10000), ()),
    "NeMo": (lambda: streaming.NeMo(normalize=None), noise(10000), ()),
    "Extractor of front-ends": (lambda: streaming.Extractor(FRONTENDS), noise(10000), ()),
    "Extractor": (lambda: streaming.Extractor(["rms", "zero_crossing_rate"]), noise(10000), ()),
    "Extractor of two": (lambda: streaming.Extractor(TWO_GROUPS), noise(10000), ()),
    "Extractor of rhythm": (lambda: streaming.Extractor(RHYTHM, sr=RATE), noise(10000), ()),
    "PCEN": (lambda: streaming.PCEN(), ENERGIES, ()),
    "PCEN of known bands": (lambda: streaming.PCEN(n_bands=257), ENERGIES, ()),
    "ISTFT": (lambda: streaming.ISTFT(n_fft=512), SPECTRA, ()),
    "Resample": (lambda: streaming.Resample(orig_sr=2, target_sr=1, scale=True), noise(10000), ()),
    "Resample to the same": (lambda: streaming.Resample(orig_sr=2, target_sr=2), noise(10000), ()),
    "OnsetDetect": (lambda: streaming.OnsetDetect(normalize=False, delta=0.5), noise(10000), ()),
    "Tempo": (lambda: streaming.Tempo(sr=RATE, update=0.1, window=2), noise(10000), ()),
    "BeatTrack": (lambda: streaming.BeatTrack(sr=RATE, update=0.1, window=2), noise(10000), ()),
    "Convolver": (lambda: streaming.Convolver(H, block_size=64), noise(10000), (fade,)),
    "Stream of separation": (separating, noise(10000), ()),
}


@pytest.mark.parametrize("make, block, more", OWN.values(), ids=OWN)
def test_where_python_runs_handlers(make, block, more):
    calls = calls_of(cut(block))
    more = (*more, lambda s: s.reset(), lambda s: s.flush())
    assert expect_whole_or_stopped(make(), calls, AtCheck, more) > 0


def test_where_python_runs_handlers_with_results_in_given_memory():
    calls = calls_of(cut(noise(10000)), out=of_spectra(100))
    assert expect_whole_or_stopped(streaming.STFT(n_fft=512), calls, AtCheck) > 0


@pytest.mark.parametrize("make, block, more", OWN.values(), ids=OWN)
def test_a_warmup_that_is_ended(make, block, more):
    first = cut(block)[1]
    stream = make()
    want = bits(stream.process(first))
    # all of the first points, then some: a model's warm-up has thousands of points
    for number in itertools.chain(range(1, 200), itertools.count(200, 97)):
        stream.reset()
        try:
            with AtCheck(number):
                stream.warmup()
            break
        except KeyboardInterrupt:
            pass
        try:
            assert bits(stream.process(first)) == want
        except ParameterError as error:
            assert "was stopped" in str(error)
    assert number > 3
    assert bits(stream.process(first)) == want


class Refusing(np.ndarray):
    """An array that nothing can be put into."""

    def __setitem__(self, *_):
        raise OSError("read-only")


def test_an_error_after_the_block_is_taken_stops_the_stream():
    y = noise(9000)
    stream = streaming.SpectralContrast(linear=True)
    out = np.empty((7, 100)).view(Refusing)
    with pytest.raises(OSError, match="read-only"):
        stream.process(y, out=out)
    with pytest.raises(ParameterError, match="SpectralContrast was stopped in the middle of a call"):
        stream.process(y)
    stream.reset()
    want = streaming.SpectralContrast(linear=True).process(y)
    np.testing.assert_array_equal(stream.process(y), want)


def test_an_error_before_the_block_is_taken_changes_nothing():
    stream = streaming.PCEN(bias=0, power=0.5)
    with warnings.catch_warnings(), pytest.raises(Warning):
        warnings.simplefilter("error")
        stream.process(np.zeros((3, 10)))
    S = np.abs(noise(40, 5, np.float64))
    want = streaming.PCEN(bias=0, power=0.5).process(S)
    np.testing.assert_array_equal(stream.process(S), want)


def test_a_handler_may_not_call_the_stream_that_it_ends():
    """It is refused, and what it interrupts goes on."""
    y = noise(9000)
    stream, refused = streaming.STFT(n_fft=512), []
    want = bits(stream.process(y))
    stream.reset()

    def handler(*_):
        with pytest.raises(RuntimeError, match="must not call it"):
            stream.process(y)
        with pytest.raises(RuntimeError, match="must not call it"):
            stream.reset()
        refused.append(True)

    previous = signal.signal(signal.SIGINT, handler)
    try:
        with AtLook(2):
            assert bits(stream.process(y)) == want
    finally:
        signal.signal(signal.SIGINT, previous)
    assert refused
    rest = stream.flush()
    whole = streaming.STFT(n_fft=512)
    whole.process(y)
    np.testing.assert_array_equal(rest, whole.flush())
