"""No argument, however wrong, brings out a crash, a hang, or an error that does not name it."""

import gc
import inspect
import json
import pathlib
import pickle
import subprocess
import sys
import warnings
import weakref
from typing import Literal

import hostile_calls
import metalmom
import numpy as np
import pytest
from metalmom.util._signatures import rule_of
from metalmom._extractor import _recipe
from metalmom.util import _types

SCRIPT = pathlib.Path(__file__).with_name("hostile_calls.py")


def test_every_function_with_hostile_values(tmp_path):
    done = subprocess.run(
        [sys.executable, SCRIPT, tmp_path], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, timeout=300, check=False,
    )
    assert done.returncode == 0, "\n".join(done.stderr.splitlines()[-3:])
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["wrong"] == []
    # The attack is on functions that would work otherwise.
    assert len(report["works"]) >= 100 and report["calls"] > 5000


# Every argument of every function as a word: what is told, one error a line.
AS_A_WORD = """
import os, sys, warnings
sys.path[:0] = sys.argv[1:]
import hostile_calls
warnings.simplefilter("ignore")
for name, function in hostile_calls.functions():
    ordinary, names = hostile_calls.arguments_of(name, function)
    for argument in names:
        if (name, argument) not in hostile_calls.ENDLESS:
            error = hostile_calls.call(function, [], {**ordinary, argument: "nope"})
            print(name, argument, type(error).__name__, repr(str(error).replace(os.getcwd(), "")))
"""


def test_errors_are_the_same_where_python_drops_docstrings(tmp_path):
    running = []
    for options in ([], ["-O"], ["-OO"]):
        folder = tmp_path / "".join(["in", *options])
        folder.mkdir()
        command = [sys.executable, *options, "-c", AS_A_WORD, *sys.path]
        running.append(subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True))
    plain, *optimized = ([*process.communicate()[0].splitlines()] for process in running)
    assert len(plain) > 1000 and any("sr='nope' must be" in line for line in plain)
    assert all(lines == plain for lines in optimized)


Y = np.sin(np.arange(4096) * 0.1).astype(np.float32)
INTEGERS = np.zeros(4096, np.int16)
TELLING = [
    (lambda: metalmom.feature.melspectrogram(y=Y, sr="22050"), "sr='22050' must be a number > 0"),
    (lambda: metalmom.load("short.wav", sr="44100"), "sr='44100' must be a positive number or None"),
    (lambda: metalmom.fft_frequencies(sr=0), "sr=0 must be a number > 0"),
    (lambda: metalmom.feature.chroma_stft(y=Y, n_chroma=12.0), "n_chroma=12.0 must be"),
    (lambda: metalmom.feature.chroma_stft(y=Y, tuning=[0.1]), "tuning=[0.1] must be a number"),
    (lambda: metalmom.feature.melspectrogram(y=Y, fmin="a"), "fmin='a' must be a number"),
    (lambda: metalmom.feature.rms(y=Y, frame_length=0), "frame_length=0 must be"),
    (lambda: metalmom.istft(metalmom.stft(Y), length=1.5), "length=1.5 must be a non-negative int"),
    (lambda: metalmom.onset.onset_detect(y=np.stack([Y, Y])), "y.ndim=2 must be 1 with sparse=True"),
    (lambda: metalmom.effects.hpss(Y, margin=0.5), "margin=0.5 must be"),
    (lambda: metalmom.util.localmax(Y, axis=4), "axis=4 must be an axis of x, which has 1"),
    (lambda: metalmom.util.normalize(Y, axis=1), "axis=1 must be an axis of S, which has 1"),
    (lambda: metalmom.util.normalize(np.array([np.nan, 1]), axis=-1), "S must be finite"),
    (lambda: metalmom.util.normalize(Y, axis=7), "axis=7 must be an axis of S, which has 1"),
    (lambda: metalmom.util.frame(None, frame_length=1, hop_length=1), "x.ndim=0 must be"),
    (lambda: metalmom.filters.mel(sr=22050, n_fft=2048, n_mels=2**62), "n_mels=4611686018427387904"),
    (lambda: metalmom.stft(Y, window="hannn"), "a known window; did you mean 'hann'?"),
    (lambda: metalmom.stft(Y, pad_mode="reflct"), "did you mean 'reflect'?"),
    (lambda: metalmom.resample(Y, orig_sr=2, target_sr=1, res_type="soxr_hqq"), "did you mean 'soxr_"),
    (lambda: metalmom.beat.beat_track(y=Y, unitss="time"), "; did you mean 'units'?"),
    (lambda: metalmom.feature.mfcc(y=Y, n_mel=40), "mfcc() got an unexpected keyword argument 'n_mel'"),
    (lambda: metalmom.feature.mfcc(y=Y, n_mel=40), "; did you mean 'n_mels'?"),
    (lambda: metalmom.feature.zero_crossing_rate(Y, thresold=1), "; did you mean 'threshold'?"),
    (lambda: metalmom.griffinlim(np.ones((9, 4)), dtype=int), "dtype=<class 'int'> must be float32"),
    (lambda: metalmom.griffinlim(np.ones((9, 4)), momentum=np.inf), "momentum=inf must be"),
    (lambda: metalmom.griffinlim(np.full((9, 4), 1e300), dtype="f4"), "S must be small enough"),
    (lambda: metalmom.griffinlim(np.ones((1, 4))), "S.shape[-2]=1 must be at least 2"),
    (lambda: metalmom.istft(np.ones((1, 4))), "stft_matrix.shape[-2]=1 must be at least 2"),
    (lambda: metalmom.istft(np.ones((9, 4)), dtype=int), "dtype=<class 'int'> must be"),
    (lambda: metalmom.piptrack(S=np.ones((1, 4))), "S.shape[-2]=1 must be at least 2"),
    (lambda: metalmom.estimate_tuning(S=np.ones((0, 3))), "S.shape[-2]=0 must be at least 2"),
    (lambda: metalmom.feature.melspectrogram(S=np.ones((1, 4))), "S.shape[-2]=1 must be at least"),
    (lambda: metalmom.feature.spectral_contrast(S=np.ones((1, 4))), "freq=None must be given"),
    (lambda: metalmom.feature.rms(y=Y, dtype=np.int16), "dtype=<class 'numpy.int16'> must be"),
    (lambda: metalmom.feature.rms(S=np.ones((1025, 2)), dtype=bool), "dtype=<class 'bool'> must be"),
    (lambda: metalmom.filters.window_sumsquare(window="hann", n_frames=2, dtype=str), "dtype="),
    (lambda: metalmom.util.abs2(Y, dtype=int), "must hold squares of float32"),
    (lambda: metalmom.util.abs2(Y + 1j, dtype=int), "must hold squares of complex64"),
    (lambda: metalmom.feature.tonnetz(chroma=np.ones((12, 2), complex)), "chroma.dtype=complex128"),
    (lambda: metalmom.feature.hybrid_tempogram(y=Y, win_length=1), "win_length=1 must be at least 2"),
    (lambda: metalmom.feature.hybrid_tempogram(y=Y, kind=b"x"), "kind=b'x' and fill_value=0"),
    (lambda: metalmom.interp_harmonics(np.ones((4, 2)), freqs=np.arange(4) * 1j, harmonics=[1]), "freqs.dtype"),
    (lambda: metalmom.f0_harmonics(np.ones((4, 2)), f0=[1, 2], freqs=np.arange(4), harmonics=[1], fill_value="extrapolate"), "fill_value='extrapolate' must be a number"),  # fmt: skip
    (lambda: metalmom.interp_harmonics(np.ones((4, 2)), freqs=np.arange(4), harmonics=np.array([1j])), "harmonics"),  # fmt: skip
    (lambda: metalmom.stft(Y, window=np.ones(2048, complex)), "window of dtype complex128 must be"),
    (lambda: metalmom.frequency_weighting(0.5, kind="Z"), "frequencies=0.5 must be a sequence"),
    (lambda: metalmom.multi_frequency_weighting(np.ones((2, 2))), "frequencies.ndim=2 must be 1"),
    (lambda: metalmom.effects.remix(Y, [[1, 2], [3]]), "intervals=[[1, 2], [3]] must be pairs"),
    (lambda: metalmom.util.expand_to(Y, ndim=2, axes=5), "axes=(5,) must be different axes"),
    (lambda: metalmom.util.sparsify_rows(Y, dtype="S1"), "dtype=|S1 must be a type"),
    (lambda: metalmom.pcen(np.ones((2, 4)), zi=np.ones((3, 1))), "zi.shape=(3, 1) must fit"),
    (lambda: metalmom.tone(440, sr=1j, length=9), "sr=1j must be a number > 0"),
    (lambda: metalmom.load(np.zeros(5)), "path=<float64 array of shape (5,)> must be str, os.PathLike"),
    # what scripts/fuzz has found
    (lambda: metalmom.util.match_intervals(np.array([[1.0, 0.0]]), np.ones((1, 2))), "intervals_from=array([[1., 0.]]) must not end"),
    (lambda: metalmom.util.match_intervals(np.ones((1, 2)), np.ones((1, 3))), "intervals_to.shape=(1, 3) must be (n, 2)"),
    (lambda: metalmom.sequence.transition_local(5, 3, window=float), "window=<class 'float'> must be a function that gives 3 samples"),
    (lambda: metalmom.sequence.transition_local(2, 5), "width=5 must be at most n_states=2"),
    (lambda: metalmom.stft(Y, window=float), "window=<class 'float'> must be a function that gives 2048 samples"),
    (lambda: [*metalmom.segments(Y, 9, window=(np.zeros(3), []))], "must be a known window"),
    (lambda: metalmom.feature.spectral_contrast(y=Y, pad_mode=np.max), "must be a mode of numpy.pad"),
    (lambda: metalmom.power_to_db(np.ones(5), axes=48), "axes=48 must be an axis of S, which has 1"),
    (lambda: metalmom.util.normalize(7, axis=9, threshold=1), "axis=9 must be an axis of S, which has 0"),
    (lambda: metalmom.util.localmax(np.float32(1)), "axis=0 must be an axis of x, which has 0"),
    (lambda: metalmom.util.expand_to(Y, ndim=512, axes=0), "ndim=512 must be fewer"),
    (lambda: metalmom.util.fix_frames([1], x_min=1j), "x_min=1j must be int"),
    (lambda: metalmom.util.fill_off_diagonal(np.broadcast_to(0.0, (3, 3)), radius=0), "x.flags.writeable=False must be True"),
    (lambda: metalmom.filters.window_bandwidth(0.5, n=0), "n=0 must be a positive integer"),
    (lambda: metalmom.feature.delta(Y, order=64), "order=64 must be a non-negative integer below 9"),
    (lambda: metalmom.feature.chroma_vqt(y=Y, intervals="equal", n_octaves=64), "n_octaves=64: n_bins=768 must fit below"),
    (lambda: metalmom.feature.tonnetz(y=Y, sr=512), "n_octaves=7: n_bins=252 must be fewer"),
    (lambda: metalmom.to_mono(Y, INTEGERS), "signals[1].dtype=int16 must be floating-point"),
    (lambda: metalmom.to_stereo(left=None, right=INTEGERS), "right.dtype=int16 must be floating-point"),
    (lambda: metalmom.clicks(times=[0.1], click=INTEGERS), "click.dtype=int16 must be floating-point"),
    (lambda: metalmom.iirt(Y * np.nan), "y must be finite everywhere"),
    (lambda: metalmom.onset.onset_backtrack([-1], Y), "events must be non-negative"),
    (lambda: metalmom.overlap_add(0, blocks=True), "segments=0 must be an iterable of Segment"),
    (lambda: metalmom.decompose.hpss(np.ones((9, 9)), kernel_size=(3, "ji5")), "kernel_size=(3, 'ji5') must be an int > 0, or (harmonic"),
    (lambda: metalmom.filters.cq_to_chroma(64, n_chroma=1, window=[1.0], dtype=[]), "dtype=[] must be a type of numbers"),
    (lambda: metalmom.filters.window_bandwidth(({}, "x"), n=8), "must be a known window"),
    (lambda: metalmom.cqt_frequencies(64, fmin=100.0, tuning=22050), "tuning=22050 must be closer to 0"),
    (lambda: metalmom.sequence.transition_local(2, 1, window=np.ones((1, 2, 9))), "window.ndim=3 must be 1"),
    (lambda: metalmom.set_config(backend="\ud800"), "must be 'cpu', 'auto', 'gpu', 'auto:N' or 'gpu:N'"),
    (lambda: metalmom.hz_to_octs(440, tuning=1e5), "tuning=100000.0 must be closer to 0"),
    (lambda: metalmom.segment.recurrence_to_lag([[1, 2], [1]]), "rec=[[1, 2], [1]] must be np.ndarray or scipy.sparse array"),
    (lambda: metalmom.feature.tempogram_ratio(y=Y, win_length=64, factors=[-0.5, 1.0]), "factors=[-0.5, 1.0] must be"),
    (lambda: metalmom.hz_to_fjs([3.0, 4.791]), "frequencies must be at intervals from fmin=3.0 that have names"),
]


@pytest.mark.parametrize("call, text", TELLING, ids=[text for _, text in TELLING])
def test_errors_say_what_the_caller_wrote(call, text):
    with pytest.raises((metalmom.ParameterError, TypeError, MemoryError)) as told:
        call()
    assert text in str(told.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda y: metalmom.stft(y, n_fft=0),
        lambda y: metalmom.onset.onset_strength(y=y, aggregate=lambda *_, **__: 1 / 0),
        lambda y: metalmom.util.normalize(y, axis=9),
        lambda y: metalmom.stft(y.reshape(-1, 2), center=False),
        lambda y: metalmom.sequence.viterbi(y, y),
        lambda y: metalmom.submit(metalmom.lpc, y, order=0).result(),
        lambda y: metalmom.Extractor(["mfcc", "rms"], n_fft=0)(y),
    ],
)
def test_an_error_keeps_no_arguments(call):
    """An error that its own traceback holds would keep its call's arrays until all garbage is looked for."""
    y = Y.copy()
    seen = weakref.ref(y)
    gc.disable()
    try:
        with pytest.raises(Exception) as told:  # noqa: B017, PT011
            call(y)
        told.value.__context__ = told.value.__cause__ = None
        del told, y
        assert seen() is None
    finally:
        gc.enable()


TURNED = np.zeros((4096, 2), np.float32)  # as soundfile.read and sounddevice give it
MEANT = [
    (lambda: metalmom.stft(Y.tolist()), "y=list must be a numpy.ndarray: pass np.asarray(y)"),
    (lambda: metalmom.magphase([[1.0]]), "D=[[1.0]] must be np.ndarray, complex: pass np.asarray(D)"),
    (lambda: metalmom.feature.mfcc(y=(Y, 22050)), ": it is the pair that load gives, pass y[0]"),
    (lambda: metalmom.effects.trim((Y, 22050)), ": it is the pair that load gives, pass y[0]"),
    (lambda: metalmom.Extractor(["mfcc"])((Y, 22050)), ": it is the pair that load gives, pass y[0]"),
    (lambda: metalmom.Extractor(["mfcc"]).map([Y.tolist()]), "clips[0]: y=list must be a numpy.ndarray: pass np.asarray(y)"),
    (lambda: metalmom.streaming.RMS().process(Y.tolist()), ": pass np.asarray(y)"),
    (lambda: metalmom.streaming.RMS(channels=2).process(TURNED), ": is y (samples, channels)? pass y.T"),
    (lambda: metalmom.stft(TURNED, center=False), ": is y (samples, channels)? pass y.T"),
    (lambda: metalmom.lpc(TURNED, order=8), ": is y (samples, channels)? pass y.T"),
    (lambda: metalmom.Extractor(["rms"], center=False)(TURNED), ": is y (samples, channels)? pass y.T"),
    (lambda: metalmom.stft(np.zeros((2**17, 2), np.float32), n_fft=2**20), ": is y (samples, channels)? pass y.T"),
    (lambda: metalmom.frontend.whisper(TURNED),
     "y.shape=(4096, 2) must be (..., n): is y (samples, channels)? pass y.mean(axis=1), or y.T for a result of each channel"),
    (lambda: metalmom.Extractor({"f": {"feature": "frontend.nemo"}}).map([TURNED]),
     "clips[0]: y.shape=(4096, 2) must be (..., n): is y (samples, channels)? pass y.mean(axis=1), or y.T for a result of each channel"),
    (lambda: metalmom.separate(TURNED, (lambda segment: segment, {"kind": "waveform", "sr": 8000, "channels": 2, "stems": ["a"]}),
                               sr=8000), "channels=2: is y (samples, channels)? pass y.T"),
    (lambda: metalmom.onset.onset_detect(y=TURNED), "is y (samples, channels)? pass metalmom.to_mono(y.T)"),
    (lambda: metalmom.stft(Y, hop=256), "got an unexpected keyword argument 'hop'; did you mean 'hop_length'?"),
    (lambda: metalmom.feature.mfcc(y=Y, sample_rate=8000), "keyword argument 'sample_rate'; did you mean 'sr'?"),
    (lambda: metalmom.feature.mfcc(y=Y, hop=256), "argument 'hop'; did you mean 'hop_length'?"),
    (lambda: metalmom.Extractor({"mfcc": {"hop": 256}}), "not a parameter of feature.mfcc; did you mean 'hop_length'?"),
    (lambda: metalmom.feature.mfcc(y=INTEGERS),
     "must be floating-point: pass metalmom.util.buf_to_float(y), or y.astype(np.float32) / 32768"),
    (lambda: metalmom.resample(INTEGERS, orig_sr=2, target_sr=1), "or y.astype(np.float32) / 32768"),
    (lambda: metalmom.feature.mfcc(y=INTEGERS.astype(np.int32)), "must be floating-point: pass y.astype(np.float32) / 2147483648"),
    (lambda: metalmom.feature.mfcc(y=INTEGERS.astype(np.int64)), "pass y.astype(np.float32) divided by its full scale, 32768 for 16 bits"),
    (lambda: metalmom.Extractor(()), "features=() must name at least one feature"),
    (lambda: metalmom.Extractor([]), "features=[] must name at least one feature"),
    (lambda: metalmom.feature.rms(y="song.wav"), "y=str must be a numpy.ndarray: pass metalmom.load(y)[0]"),
    (lambda: metalmom.Extractor(["rms"])("song.wav"), "y=str must be a numpy.ndarray: pass metalmom.load(y)[0]"),
    (lambda: metalmom.streaming.RMS().process(TURNED), "is y (samples, channels)? pass y.T to a stream with channels=2, "
                                                       "or metalmom.to_mono(y.T)"),
    (lambda: metalmom.submit(metalmom.stft(Y)), "function=ndarray must be callable: submit(f, y=y), not submit(f(y=y))"),
    (lambda: metalmom.Extractor(["rms"]).map(Y), "must be (clips, n), or clips a list of arrays: fx(y) takes one clip"),
    (lambda: metalmom.Extractor(["rms"]).map({"a": Y}), "clips=dict must be arrays of audio: pass list(clips.values())"),
    (lambda: metalmom.Extractor(["mfcc"])(Y, 22050), "sr belongs to it: Extractor([...], sr=sr)"),
    (lambda: metalmom.Extractor(["mfcc"])(Y, hop_length=256), "hop_length belongs to it: Extractor([...], hop_length=hop_length)"),
    (lambda: metalmom.Extractor("mfcc", "rms"), "Extractor() takes one list of names: Extractor(['mfcc', 'rms'])"),
    (lambda: metalmom.Extractor(["mfcc n_mfcc=13"]), 'must be a name; arguments are given so: {"mfcc": {"n_mfcc": 13}}'),
    (lambda: metalmom.Extractor(["mfcc"], hop=256), "hop=256 is not a parameter of any feature; did you mean 'hop_length'?"),
    (lambda: metalmom.streaming.STFT(hop=256), "hop=256 is not a parameter of STFT; did you mean 'hop_length'?"),
]  # fmt: skip


@pytest.mark.parametrize("call, text", MEANT, ids=[text for _, text in MEANT])
@pytest.mark.filterwarnings("ignore:n_fft")
def test_errors_say_what_was_probably_meant(call, text):
    with pytest.raises((metalmom.ParameterError, TypeError, MemoryError)) as told:
        call()
    assert str(told.value).endswith(text)


@pytest.mark.parametrize("value, hint", [
    (Y.tolist(), ": pass np.asarray(y)"), ((Y, 22050), ": it is the pair that load gives, pass y[0]"),
], ids=["list", "pair"])  # fmt: skip
def test_every_function_of_audio_says_how_to_pass_what_is_no_array(value, hint):
    refused = 0
    for name, function in hostile_calls.functions():
        arguments, _ = hostile_calls.arguments_of(name, function)
        if "y" in arguments:
            for size in ("n_fft", "frame_length", "hop_length"):  # the defaults suit the other arguments
                arguments.pop(size, None)
            error = hostile_calls.call(function, [], {**arguments, "y": value})
            assert error is None or str(error).endswith(hint), name
            refused += error is not None
    assert refused > 40


def test_audio_that_lies_the_other_way_is_taken_as_librosa_takes_it_with_a_hint_in_its_warning():
    for function in (metalmom.stft, metalmom.cqt):
        with pytest.warns(UserWarning, match=r"of length=2: is y \(samples, channels\)\? pass y\.T$"):
            assert function(TURNED[:200]).shape[0] == 200
    with pytest.warns(UserWarning) as told:
        metalmom.cqt(TURNED[:200])
    assert sum("pass y.T" in str(each.message) for each in told) == 1 < len(told)
    with pytest.warns(UserWarning) as told:
        metalmom.stft(np.zeros((2, 100), np.float32))  # two short clips
    assert str(told[0].message) == "n_fft=2048 is too large for input signal of length=100"


TURNED_FOR = {
    "to_mono": metalmom.to_mono,
    "get_duration": lambda y: metalmom.get_duration(y=y),
    "rms": lambda y: metalmom.feature.rms(y=y),
    "zero_crossing_rate": metalmom.feature.zero_crossing_rate,
    "yin": lambda y: metalmom.yin(y, fmin=65, fmax=2000),
    "pyin": lambda y: metalmom.pyin(y, fmin=65, fmax=2000),
    "resample": lambda y: metalmom.resample(y, orig_sr=2, target_sr=1),
    "trim": metalmom.effects.trim,
    "split": metalmom.effects.split,
    "Extractor": metalmom.Extractor(["rms", "zero_crossing_rate"]),
    "segments": lambda y: list(metalmom.segments(y, 100)),
    "separate": lambda y: metalmom.separate(
        y, (lambda segment: segment[np.newaxis], {"kind": "waveform", "sr": 8000, "channels": 1, "stems": ["a"]}), sr=8000
    ),
}


@pytest.mark.parametrize("name", TURNED_FOR)
def test_functions_that_transform_no_frames_warn_once_of_audio_that_lies_the_other_way(name):
    for _ in range(2):  # the expression of the first call is kept
        with pytest.warns(UserWarning) as told:
            TURNED_FOR[name](TURNED[:80])
        assert [str(each.message) for each in told] == [
            "y.shape=(80, 2) is 80 channels of 2 samples: is y (samples, channels)? pass y.T"]  # fmt: skip
        assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for y in (TURNED[:80].T, np.zeros((80, 3000), np.float32), np.zeros((64, 2), np.float32), TURNED[:, 0]):
            if y.shape[-1] > 2 or name != "pyin":
                TURNED_FOR[name](y)


def test_what_librosa_raises_may_still_be_caught():
    """A wrong type is a TypeError, as it is in librosa, and a ParameterError."""
    for kind in (TypeError, ValueError, metalmom.ParameterError):
        with pytest.raises(kind):
            metalmom.fft_frequencies(sr="22050")


def test_errors_of_a_callback_are_its_own():
    def aggregate(values, axis):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="^mine$"):
        metalmom.onset.onset_strength(y=Y, aggregate=aggregate)


def test_faults_of_ours_are_not_blamed_on_the_caller(monkeypatch):
    def broken(*args, **kwargs):
        return {}["missing"]

    monkeypatch.setattr(metalmom.feature.spectral._framing, "frames", broken)
    with pytest.raises(KeyError, match="missing"):
        metalmom.feature.melspectrogram(y=Y, n_mels=37)  # arguments whose expression nobody has kept


def test_signals_of_different_lengths_are_no_array():
    nan = np.full(3, np.nan)
    with pytest.raises(metalmom.ParameterError, match=r"^signals\[1\] must be finite everywhere"):
        metalmom.to_multi(Y, nan)


def test_what_cannot_be_explained_is_told_as_it_was():
    class Shy:
        def __repr__(self):
            raise RuntimeError("do not look")

    with pytest.raises(TypeError, match="unsupported operand"):
        metalmom.fft_frequencies(sr=Shy())


def test_a_stream_tells_of_its_arguments_when_a_block_is_asked_for(tmp_path):
    metalmom.demo.write_wav(tmp_path / "a.wav", 0.1)
    sizes = {"block_length": 1, "frame_length": 64, "hop_length": 64, "sr": None}
    blocks = metalmom.stream(tmp_path / "a.wav", **sizes, res_type=3)
    with pytest.raises(metalmom.ParameterError, match="^res_type=3 must be str"):
        next(blocks)


def test_functions_are_the_same_from_everywhere():
    """The wrapper stands in every module, so that functions pickle and are equal under all names."""
    for _, function in hostile_calls.functions():
        assert pickle.loads(pickle.dumps(function)) is function
    assert metalmom.stft is metalmom.core.stft is metalmom.core.spectrum.stft
    assert metalmom.beat.onset.onset_strength is metalmom.onset.onset_strength


RULES = [
    (_types.Positive | None, "number > 0 or None", [1, 0.5, None, np.float32(2), np.array(3.0)],
     [0, -1, np.nan, "1", [1]]),
    (_types.NonNegativeInt, "int >= 0", [0, np.int8(3), True], [-1, 1.0, 2**63, "0"]),
    (_types.InsideUnit, "number in (0, 1)", [0.5], [0, 1]),
    (_types.BelowOne, "number in [0, 1)", [0, 0.5], [-0.1, 1]),
    (_types.Fraction, "number from 0 to 1", [0, 1], [-0.1, 1.1]),
    (_types.WinLength, "int in 1 .. n_fft", [1, 10**6], [0, 1.5]),
    (_types.Audio, "np.ndarray [shape=(..., n)], real floating-point", [Y, Y.reshape(2, -1)],
     [[1.0], np.array(1.0), Y * 1j, Y.astype(int), np.float32]),
    (_types.FewChannels, "np.ndarray [shape=(n,) or (2, n)], real floating-point",
     [Y, np.zeros((2, 3))], [np.zeros((3, 3)), np.zeros((1, 2, 3))]),
    (_types.StepSizes, "array_like [shape=(n, 2)]", [np.zeros((3, 2)), [[1, 2]]],
     [np.zeros((3, 3)), [1, 2], "ab"]),
    (_types.Indices, "array_like of int", [[1, 2], np.arange(3)], [[0.5], 3, "ab"]),
    (_types.Harmonics, "sequence of numbers >= 0", [[1, 2.5], np.arange(3), ()],
     [[-1], "ab", 3, np.eye(2), {1}, b"x"]),
    (_types.Strings, "iterable of str", [["a"], ("a", "b"), iter("ab")], [[1], 3]),
    (Literal["frames", "time"], '{"frames", "time"}', ["frames"], ["samples", None]),
    (_types.VectorNorm, "{inf, -inf, 0, number > 0, None}", [np.inf, -np.inf, 0, 2, None], [-1, "inf"]),
    (_types.HarmonicPercussiveInt, "int > 0, or (harmonic, percussive)", [3, (3, 5)], [0, (1, 2, 3)]),
    (_types.ComplexDtype, "complex dtype", [np.complex64, "c16"], [np.float32, "nope"]),
    (list[str], "list of str", [["a"], []], [["a", 1], "a", ("a",)]),
    (_types.Color, "color", [None, 3, "x"], []),
]  # fmt: skip


@pytest.mark.parametrize("hint, words, good, bad", RULES)
def test_rules_of_annotations(hint, words, good, bad):
    rule = rule_of(hint)
    assert str(rule) == words
    assert [value for value in good if not rule.accepts(value)] == []
    assert [value for value in bad if rule.accepts(value)] == []


def told(call):
    try:
        call()
    except Exception as error:
        return type(error), str(error)
    return None


@pytest.mark.filterwarnings("ignore")
def test_an_extractor_tells_what_the_single_call_tells():
    """Functions that answer with expressions, which an Extractor evaluates itself; what its recipe refuses is left out."""
    recipes_own = {"y", "out", *_recipe._INPUTS, "kwargs", "feature", "aggregate", "ref"}
    compared = 0
    for name, function in hostile_calls.functions():
        parameters = inspect.signature(function).parameters
        open_ones = {key for key, each in parameters.items() if each.default is each.empty and each.kind is not each.VAR_KEYWORD}
        if not hasattr(function, "expression") or "y" not in parameters or open_ones - {"y"}:
            continue
        own = hostile_calls.OWN_VALUES.get(name, {})
        for argument in parameters.keys() - recipes_own:
            if (name.rpartition(".")[2], argument) in hostile_calls.ENDLESS:
                continue
            for value in hostile_calls.HOSTILE.values():
                given = {**own, argument: value}
                alone = told(lambda: function(y=Y, **given))
                if alone is not None:
                    extractor = metalmom.Extractor({name: given})
                    kind, text = told(lambda: extractor(Y))
                    assert (kind, text.removeprefix(f"{name}: ")) == alone
                    compared += 1
    assert compared > 1000


def test_squares_of_sequences():
    assert metalmom.util.abs2(((1.0, 2.0), [3.0, 4.0]), dtype="f4").tolist() == [[1, 4], [9, 16]]
