"""Subnormal numbers: zero within the engine, and the caller's arithmetic as it was."""

import ctypes
import io
import mmap
import platform
import signal
import wave

import metalmom as mm
import numpy as np
import pytest
from metalmom import _native, streaming
from metalmom.util.exceptions import ParameterError
from test_streaming import FEATURES, noise, streamed

RATE = 22050
on_x86 = platform.machine() == "x86_64"
flushing = pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="nothing is flushed there")


class Control:
    """MXCSR of this thread, read and set by machine code of one instruction."""

    FLAGS = 0x3F  # of exceptions, which Python's own numbers set
    FLUSH, DOWN = 0x8040, 0x2000  # DOWN: how results are rounded

    def __init__(self):
        self.page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self.page.write(b"\x0f\xae\x1f\xc3" b"\x0f\xae\x17\xc3")  # stmxcsr [rdi], ret; ldmxcsr [rdi], ret
        begin = ctypes.addressof(ctypes.c_char.from_buffer(self.page))
        function = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_uint32))
        self._store, self._load = function(begin), function(begin + 4)

    def get(self):
        value = ctypes.c_uint32()
        self._store(ctypes.byref(value))
        return value.value & ~self.FLAGS

    def set(self, value):
        self._load(ctypes.byref(ctypes.c_uint32(value)))


def keeps_subnormals():
    tiny = np.array([1e-30], dtype=np.float32)
    return bool((tiny * np.float32(1e-10))[0] != 0)


def of_blocks(stream, y, size=512):
    for i in range(0, len(y), size):
        stream.process(y[i : i + size])
    stream.process(y)  # beyond a short block
    stream.flush()
    stream.reset()


def refused():
    with pytest.raises(ParameterError):
        mm.stft(np.full(5000, np.nan, dtype=np.float32))


def calls():
    y = noise(30000)
    S = np.abs(mm.stft(y))
    yield "stft", lambda: mm.stft(y)
    yield "refused", refused
    yield "mfcc", lambda: mm.feature.mfcc(y=y, sr=RATE)
    yield "cqt", lambda: mm.cqt(y, sr=RATE)
    yield "pcen", lambda: mm.pcen(S)
    yield "convolve", lambda: mm.convolve(y, y)
    yield "Extractor", lambda: mm.Extractor({"mfcc": {}, "rms": {}}, sr=RATE)(y)
    yield "mel", lambda: mm.filters.mel(sr=RATE, n_fft=1000)
    yield "submit", lambda: mm.submit(mm.stft, y).result()
    for name, _, arguments in FEATURES:
        yield name, lambda n=name, a=arguments: of_blocks(getattr(streaming, n)(**a), y)
    for workers in (0, 1):
        yield "Convolver", lambda w=workers: of_blocks(streaming.Convolver(y[:9000], workers=w), y)
    yield "Resample", lambda: of_blocks(streaming.Resample(orig_sr=22050, target_sr=16000), y)
    yield "OnsetDetect", lambda: of_blocks(streaming.OnsetDetect(normalize=False, delta=0.5), y)
    yield "PCEN", lambda: streaming.PCEN().process(S, last=True)
    yield "ISTFT", lambda: streaming.ISTFT().process(mm.stft(y), last=True)


@pytest.mark.parametrize("call", [pytest.param(call, id=name) for name, call in calls()])
def test_the_callers_arithmetic_is_untouched(call):
    call()
    assert keeps_subnormals()
    if not on_x86:
        return
    control = Control()
    before = control.get()
    assert not before & Control.FLUSH
    for own in (before, before | Control.FLUSH, before | Control.DOWN):
        control.set(own)
        try:
            call()
            after = control.get()
        finally:
            control.set(before)
        assert after == own


@flushing
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype, tiny", [(np.float32, 1e-41), (np.float64, 1e-312)])
def test_subnormal_samples_are_zeros(dtype, tiny, threads):
    y = noise(200_000, dtype=dtype) * dtype(tiny)
    assert y.any()
    with mm.config_context(threads=threads):
        for result in (mm.stft(y), mm.feature.melspectrogram(y=y), mm.feature.rms(y=y), mm.convolve(y, y[:5000])):
            assert not result.any()
    c = streaming.Convolver(np.ones(5000, dtype=dtype), sample_dtype=dtype)
    assert not c.process(y[:5000]).any() and not c.flush().any()


def fading(n=60000):
    """Noise that fades through all numbers of float32 to its last ones."""
    return (noise(n) * 10.0 ** np.linspace(0, -46, n)).astype(np.float32)


@pytest.mark.parametrize("name, function, arguments", FEATURES)
def test_a_stream_that_fades_out_is_the_offline_result(name, function, arguments):
    y = fading()
    offline = function(y=y, **arguments)
    result = streamed(getattr(streaming, name)(**arguments), y, [7000, 13, 512, 30000, len(y) - 37525])
    np.testing.assert_array_equal(result, offline)


@pytest.mark.parametrize("method", ["direct", "fft", "uniform", "partitioned"])
def test_convolution_of_what_fades_out_has_the_same_bytes_in_any_blocks(method):
    y, h = fading(20000), fading(3000)
    results = []
    for sizes in ([20000], [64] * 312 + [32], [1000, 19000]):
        for workers in (0, 1):
            stream = streaming.Convolver(h, block_size=64, method=method, workers=workers)
            with_thread = []
            at = 0
            for size in sizes:
                with_thread.append(stream.process(y[at : at + size]))
                if workers:
                    stream._native.settle()
                at += size
            if not stream.missed_blocks:
                results.append(np.concatenate([*with_thread, stream.flush()]))
    assert len(results) >= 3
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])


def test_pythons_code_within_a_call_has_its_own_arithmetic():
    seen = []
    previous = signal.signal(signal.SIGINT, lambda *_: seen.append(keeps_subnormals()))
    try:
        _native.interrupt_at_look(1)
        mm.stft(noise(2_000_000))
        left = _native.interrupt_at_look(0)
    finally:
        signal.signal(signal.SIGINT, previous)
    assert left == 0 and seen == [True]


def test_a_file_object_has_its_own_arithmetic():
    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(bytes(2 * RATE))
    seen = []

    class Asking(io.BytesIO):
        def read(self, *args):
            seen.append(keeps_subnormals())
            return super().read(*args)

        def readinto(self, *args):
            seen.append(keeps_subnormals())
            return super().readinto(*args)

    mm.load(Asking(content.getvalue()), sr=16000)
    assert seen and all(seen)
