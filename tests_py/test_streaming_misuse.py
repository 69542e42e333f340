"""Streams in two threads, of subclasses, copied, and with arguments that nobody should pass."""

import inspect
import copy
import pickle
import sys
import threading

import metalmom
import numpy as np
import pytest
from cuts import cut_by_signals
from metalmom import streaming
from metalmom.util.exceptions import ParameterError
from test_streaming import RATE, noise

H = np.exp(-np.arange(3000) / 500).astype(np.float32) * noise(3000)
TWO_GROUPS = {"rms": {"frame_length": 1024}, "stft": {"n_fft": 512}}


def fading():
    stream = streaming.Convolver(H, block_size=64)
    stream.set_response(-H, crossfade=1 << 18)
    return stream


# Streams whose Python is more than one call of the engine, or whose engine is busy for a short time.
SHARED = {
    "Convolver": lambda: streaming.Convolver(H, block_size=64),
    "a fade": fading,
    "Extractor": lambda: streaming.Extractor(TWO_GROUPS),
    "SpectralContrast": lambda: streaming.SpectralContrast(linear=True),
    "OnsetDetect": lambda: streaming.OnsetDetect(sr=RATE, normalize=False, delta=1),
    "Tempo": lambda: streaming.Tempo(sr=RATE, update=0.1, window=2),
    "BeatTrack": lambda: streaming.BeatTrack(sr=RATE, update=0.1, window=2),
    "Unchanged": lambda: streaming.Resample(orig_sr=2, target_sr=2),
}


@pytest.mark.parametrize("make", SHARED.values(), ids=SHARED)
def test_what_two_threads_push_is_taken_whole_or_refused(make):
    """Equal blocks give, in whatever order, what as many give in one thread; switched as often as can be."""
    stream, y = make(), noise(64)
    results, errors = [], []

    together = threading.Barrier(2, timeout=20)

    def work():
        together.wait()
        for _ in range(1500):
            try:
                results.append(pickle.dumps(stream.process(y)))
            except RuntimeError as error:
                errors.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert all("another thread" in str(error) for error in errors)
    assert stream.position == 64 * len(results)
    alone = make()
    assert sorted(results) == sorted(pickle.dumps(alone.process(y)) for _ in results)


class Slow(np.ndarray):
    """A block whose reader is stopped in the midst, as a switch of threads would."""

    inside, go_on = threading.Event(), threading.Event()

    def copy(self, *args, **kwargs):
        self.inside.set()
        self.go_on.wait(20)
        return super().copy(*args, **kwargs)


@pytest.mark.parametrize("method", ["process", "flush", "reset", "warmup"])
def test_every_method_waits_its_turn(method):
    """With one thread in `process`, all others are refused."""
    stream = streaming.Extractor(TWO_GROUPS)
    shapes = {"rms": ((1, 8), "f4"), "stft": ((257, 8), "c8")}
    memory = np.zeros(257 * 8 * 2, dtype=np.float32)
    y = memory[:600].view(Slow)  # it lies where a result does, and is copied
    out = {"rms": np.empty(*shapes["rms"]), "stft": memory.view("c8").reshape(257, 8)}
    Slow.inside.clear()
    Slow.go_on.clear()
    thread = threading.Thread(target=stream.process, args=(y,), kwargs={"out": out})
    thread.start()
    try:
        assert Slow.inside.wait(20)
        with pytest.raises(RuntimeError, match="another thread"):
            getattr(stream, method)(*([noise(64)] if method == "process" else []))
    finally:
        Slow.go_on.set()
        thread.join()
    assert stream.position == 600


def test_signals_leave_no_turn_taken():
    stream, y = SHARED["Unchanged"](), noise(8)

    def process():
        try:
            stream.process(y)
        except ParameterError:  # stopped half way, it refuses all but this
            stream.reset()

    cut_by_signals(process, 500)
    stream.reset()
    thread = threading.Thread(target=stream.process, args=(y,))
    thread.start()
    thread.join()
    assert stream.position == y.size


class Louder(streaming.RMS):
    """Twice as loud.

    A docstring without sections.
    """

    def process(self, y, last=False, out=None):
        """Twice the level."""
        return 2 * super().process(y, last, out)


class Silent(streaming.RMS):
    def process(self, y, last=False):
        return super().process(y, last)


class Plain(streaming.RMS):
    def process(self, y):
        return super().process(y)


class Named(streaming.MFCC):
    def __init__(self, name):
        super().__init__(n_mfcc=5)
        self.name = name


class Wet(streaming.Convolver):
    def process(self, y, last=False, out=None):
        return super().process(y, last, out) / 2


@pytest.mark.parametrize("cls, factor", [(Louder, 2), (Silent, 1), (Plain, 1)])
def test_a_class_of_ones_own(cls, factor):
    y = noise(5000)
    stream, own = streaming.RMS(), cls()
    own.warmup() if cls is not Plain else None
    np.testing.assert_array_equal(own.process(y), factor * stream.process(y))
    np.testing.assert_array_equal(own.flush(), factor * stream.flush())


def test_classes_of_ones_own_have_their_own_arguments():
    assert Named("bass").process(noise(4096)).shape[0] == 5
    x = noise(100)
    np.testing.assert_array_equal(Wet(H).process(x, True), streaming.Convolver(H).process(x, True) / 2)


@pytest.mark.parametrize("make", [streaming.RMS, *SHARED.values()])
def test_a_stream_is_not_copied(make):
    stream = make()
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            copied(stream)


def onsets(**arguments):
    return streaming.OnsetDetect(normalize=False, **arguments)


@pytest.mark.parametrize(
    "make, complaint",
    [
        (lambda: streaming.Tempo(y=noise(9)), "y is not a parameter of Tempo"),
        (lambda: streaming.Tempo(onset_envelope=noise(9)), "onset_envelope is not a parameter of Tempo"),
        (lambda: streaming.Tempo(tg=noise(9)), "tg is not a parameter of Tempo"),
        (lambda: streaming.Tempo(bogus=1), "bogus=1 is not a parameter of Tempo"),
        (lambda: streaming.Tempo(start_bmp=1), "did you mean 'start_bpm'"),
        (lambda: streaming.BeatTrack(channels=2), "channels=2 is not a parameter of BeatTrack"),
        (lambda: streaming.BeatTrack(sparse=False), "sparse=False is not a parameter of BeatTrack"),
        (lambda: streaming.BeatTrack(y=None), "y=None is not a parameter of BeatTrack"),
        *(
            (lambda c=cls, n=name, v=value: getattr(streaming, c)(**{n: v}), f"{name}={value!r} must be")
            for cls in ("Tempo", "BeatTrack")
            for name in ("update", "window", "sr")
            for value in (np.inf, np.nan, None, "x", 0, -1)
        ),
        (lambda: onsets(delta="x"), "delta='x' must be"),
        (lambda: onsets(delta=None), "delta=None must be"),
        (lambda: onsets(sr=None), "sr=None must be"),
        (lambda: onsets(hop_length="x"), "hop_length='x' must be"),
        *(
            (lambda v=value: streaming.ISTFT(hop_length=v), f"hop_length={value!r} must be")
            for value in (0, -5, "a", 1.5, True)
        ),
        (lambda: streaming.ISTFT(win_length="a"), "win_length='a' must be"),
        (lambda: streaming.ISTFT(n_fft=2**45), "n_fft=.* must be"),
        (lambda: streaming.ISTFT(dtype="foo"), "dtype='foo' must be complex64 or complex128"),
        *(
            (lambda v=value: streaming.STFT(n_fft=v), "n_fft=.* must be")
            for value in ("512", [512], np.nan, 2**62, 2**45, None, True, 1.5)
        ),
        *(
            (lambda v=value: streaming.RMS(frame_length=v), "^frame_length=.* must be")
            for value in ("512", None, -5, 0, True, 2**45)
        ),
        (lambda: streaming.RMS(hop_length=None), "hop_length=None must be"),
        (lambda: streaming.STFT(hop_length=10**12), "hop_length=1000000000000 must be smaller"),
        (lambda: streaming.ISTFT(hop_length=10**12), "hop_length=1000000000000 must be smaller"),
        (lambda: streaming.STFT(center=np.ones(3)), "center=array.* must be True or False"),
        (lambda: streaming.SpectralContrast(linear=np.ones(3)), "linear=array.* must be True or False"),
        (lambda: streaming.RMS(dtype=np.float16), "dtype=.*float16.* must be float32 or float64 in a stream"),
        (lambda: streaming.RMS(dtype="x"), "dtype='x' must be"),
        (lambda: streaming.OnsetStrength(aggregate=np.ones(3)), "aggregate=array.* must be None"),
        (lambda: streaming.MelSpectrogram(n_mels="x"), "n_mels='x' must be"),
        (lambda: streaming.PCEN(sr=None), "sr=None must be"),
        (lambda: streaming.PCEN(hop_length=0), "hop_length=0 must be"),
        (lambda: streaming.PCEN(time_constant="x"), "time_constant='x' must be"),
        (lambda: streaming.PCEN(zi="x"), "zi='x' must be"),
        (lambda: streaming.STFT(win_length="x"), "win_length='x' must be"),
        (lambda: streaming.STFT(hop_length=True), "hop_length=True must be"),
        (lambda: streaming.STFT(sample_dtype="foo"), "sample_dtype='foo' must be float32 or float64"),
        (lambda: streaming.STFT(sample_dtype=None), "sample_dtype=None must be"),
        (lambda: streaming.STFT(channels=True), "channels=True must be"),
        (lambda: streaming.PCEN(n_bands=True), "n_bands=True must be"),
        (lambda: streaming.Resample(orig_sr=2, target_sr=1, channels=True), "channels=True must be"),
        (lambda: streaming.Resample(orig_sr=2, target_sr=1).most(True), "n_samples=True must be"),
        (lambda: streaming.Extractor({"rms": 3}), "features.rms=3 must be"),
        (lambda: streaming.Extractor([1]), "features=1 must be names"),
        (lambda: streaming.Extractor(3), "features=3 must be names"),
        (lambda: streaming.Extractor(["rms", "rms"]), "must not name a feature twice"),
        (lambda: streaming.Extractor(["rms"], sr=48000), "sr=48000 is not a parameter of any.*leave it out"),
        (lambda: streaming.Extractor(["rms"], top_db=None), "top_db=None is not a parameter of any"),
        (lambda: streaming.Extractor(["rms"]).process(noise(9), out={1: noise(9)}), "out must have"),
        (lambda: streaming.Extractor(["rms"]).process(noise(9), out=[noise(9)]), "out must have"),
        (lambda: streaming.RMS().process(noise(9), last=np.ones(3)), "last=array.* must be True or False"),
        (lambda: streaming.RMS().process(noise(9), 22050), "last=22050 must be True or False"),
        (lambda: streaming.Convolver(H).process(noise(9), last="no"), "last='no' must be True or False"),
        (lambda: streaming.PCEN().process(np.ones((2, 3)), last=None), "last=None must be True or False"),
    ],
)
def test_wrong_arguments_are_named_as_they_were_written(make, complaint):
    with pytest.raises(ParameterError, match=complaint):
        make()


def test_features_may_come_from_anywhere_and_levels_be_a_default():
    y = noise(5000)
    one = streaming.Extractor({"mfcc": {"top_db": None}, "rms": {}}).process(y)
    other = streaming.Extractor((name for name in ("mfcc", "rms")), top_db=None).process(y)
    for name in one:
        np.testing.assert_array_equal(one[name], other[name])
    quiet = streaming.Extractor(["mfcc"], top_db=10, peak=20).process(y)["mfcc"]
    assert not np.array_equal(quiet, one["mfcc"])


def test_a_last_block_may_be_said_by_a_numpy_bool():
    y = noise(3000)
    value, want = (streaming.RMS().process(y, last=last) for last in (np.bool_(1), True))
    np.testing.assert_array_equal(value, want)


def test_frames_far_apart_warm_up_in_little_memory():
    code = (
        "import metalmom; s = metalmom.streaming.STFT(n_fft=16, hop_length=10**7)\n"
        "read = lambda: int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])\n"
        "before = read(); s.warmup(); print(read() - before)\n"
    )
    import subprocess

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 40_000  # KiB


def test_energies_after_reset_may_have_other_rows():
    one, other = (np.abs(noise(40, rows, np.float64)) for rows in (5, 7))
    stream = streaming.PCEN()
    stream.process(one)
    with pytest.raises(ParameterError, match=r"S.shape\[-2\]=7 must be 5"):
        stream.process(other)
    for S in (other, one, one):
        stream.reset()
        np.testing.assert_array_equal(stream.process(S), metalmom.pcen(S))
    fixed = streaming.PCEN(n_bands=5)
    fixed.reset()
    with pytest.raises(ParameterError, match=r"S.shape\[-2\]=7 must be 5"):
        fixed.process(other)


@pytest.mark.parametrize("name", ["MFCC", "Tempo", "OnsetDetect", "PCEN"])
def test_a_constructor_speaks_of_its_own_class(name):
    made = getattr(streaming, name)
    with pytest.raises(TypeError, match=rf"^{name}\.__init__\(\) takes 1 positional argument"):
        made(22050)
    with pytest.raises(ParameterError, match=f"^bogus=1 is not a parameter of {name}$"):
        made(bogus=1)


def test_a_constructor_shows_the_keywords_of_the_function():
    shown = inspect.signature(streaming.MFCC).parameters
    assert {"channels", "sample_dtype", "n_mfcc", "n_fft", "fmax", "top_db", "peak"} <= {*shown}
    assert (shown["n_mfcc"].default, shown["n_fft"].default) == (20, 2048)
    assert not {"y", "S", "arguments"} & {*shown}
    assert shown["top_db"].default is None and "where `metalmom.feature.mfcc` has 80" in streaming.MFCC.__doc__
    assert {"start_bpm", "update"} <= {*inspect.signature(streaming.BeatTrack).parameters}


def test_a_class_of_a_user_has_a_constructor_of_its_own():
    class Few(streaming.MFCC):
        def __init__(self, n_mfcc):
            super().__init__(n_mfcc=n_mfcc, top_db=None)

    assert [*inspect.signature(Few).parameters] == ["n_mfcc"]
    assert Few(5).process(np.zeros(4096, np.float32)).shape == (5, 7)
