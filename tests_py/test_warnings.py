"""Warnings name the line of the caller, whatever lies between it and the place that warns."""

import functools
import pathlib
import sys
import threading
import warnings

import hostile_calls
import metalmom as mm
import numpy as np
import pytest

from processes import run_python

SR = 22050
SHORT = np.linspace(-0.5, 0.5, 1000, dtype=np.float32)
MUSIC = np.sin(np.arange(8192) * 0.05).astype(np.float32)
COMPLEX = np.ones((1025, 3), dtype=np.complex64)
SILENCE = np.zeros((1025, 3), dtype=np.float32)

# A call of each public function that warns, straight or by way of others.
CALLS = {
    "stft": lambda: mm.stft(SHORT),
    "istft of stft": lambda: mm.istft(mm.stft(SHORT)),
    "melspectrogram": lambda: mm.feature.melspectrogram(y=SHORT),
    "mfcc": lambda: mm.feature.mfcc(y=SHORT),
    "chroma_stft": lambda: mm.feature.chroma_stft(y=SHORT, tuning=0.0),
    "chroma_stft, tuning estimated": lambda: mm.feature.chroma_stft(y=SHORT),
    "spectral_centroid": lambda: mm.feature.spectral_centroid(y=SHORT),
    "spectral_bandwidth": lambda: mm.feature.spectral_bandwidth(y=SHORT),
    "spectral_rolloff": lambda: mm.feature.spectral_rolloff(y=SHORT),
    "spectral_flatness": lambda: mm.feature.spectral_flatness(y=SHORT),
    "spectral_contrast": lambda: mm.feature.spectral_contrast(y=SHORT),
    "spectral_contrast, empty band": lambda: mm.feature.spectral_contrast(
        y=MUSIC, n_fft=64, hop_length=64
    ),
    "onset_strength": lambda: mm.onset.onset_strength(y=SHORT),
    "onset_strength_multi": lambda: mm.onset.onset_strength_multi(y=SHORT),
    "onset_detect": lambda: mm.onset.onset_detect(y=SHORT),
    "beat_track": lambda: mm.beat.beat_track(y=SHORT),
    "tempogram": lambda: mm.feature.tempogram(y=SHORT),
    "tempo": lambda: mm.feature.tempo(y=SHORT),
    "effects.hpss": lambda: mm.effects.hpss(SHORT),
    "effects.harmonic": lambda: mm.effects.harmonic(SHORT),
    "effects.percussive": lambda: mm.effects.percussive(SHORT),
    "piptrack": lambda: mm.piptrack(y=SHORT),
    "pitch_tuning": lambda: mm.pitch_tuning([]),
    "estimate_tuning": lambda: mm.estimate_tuning(y=np.zeros(8192, dtype=np.float32)),
    "power_to_db": lambda: mm.power_to_db(COMPLEX),
    "amplitude_to_db": lambda: mm.amplitude_to_db(COMPLEX),
    "pcen": lambda: mm.pcen(COMPLEX),
    "pcen without bias": lambda: mm.pcen(SILENCE, bias=0),
    "griffinlim, momentum": lambda: mm.griffinlim(np.abs(COMPLEX), momentum=1.1, n_iter=1),
    "griffinlim, short": lambda: mm.griffinlim(np.ones((1025, 2)), n_iter=1),
    "griffinlim, random_state": lambda: mm.griffinlim(np.abs(COMPLEX), random_state=1, n_iter=1),
    "filters.mel": lambda: mm.filters.mel(sr=SR, n_fft=256, n_mels=128),
    "melspectrogram, empty filters": lambda: mm.feature.melspectrogram(y=MUSIC, n_fft=256),
    "mfcc, empty filters": lambda: mm.feature.mfcc(y=MUSIC, n_fft=256),
    "A_weighting": lambda: mm.A_weighting(np.zeros(3), min_db=None),
    "frequency_weighting": lambda: mm.frequency_weighting(np.zeros(3), kind="B", min_db=None),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_callers_line_is_named(name):
    call = CALLS[name]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    first = call.__code__.co_firstlineno
    assert seen
    for each in seen:
        assert each.filename == __file__, each
        assert first <= each.lineno <= first + 3, each


def test_stream_names_the_consumers_line(tmp_path):
    path = tmp_path / "a.wav"
    mm.demo.write_wav(path, duration=1)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        next(mm.stream(path, block_length=1, frame_length=2048, hop_length=2048))
    assert [each.filename for each in seen] == [__file__]


def test_at_top_level():
    """Where no function is around the call, a fixed level would end at sys:1."""
    code = f"""
import sys, warnings
import numpy as np, metalmom as mm
warnings.showwarning = lambda message, category, file, line, *_: print(file, line)
y = np.zeros(1000, np.float32)
mm.onset.onset_strength(y=y)
mm.stft(y, n_fft=4096)
"""
    assert run_python(code).split("\n")[:2] == ["<string> 6", "<string> 7"]


def places(call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    return {(each.filename, each.lineno) for each in seen}


def test_decorators_generators_and_numpy_in_between():
    here = sys._getframe().f_lineno
    wrapped = functools.lru_cache(lambda: mm.stft(SHORT).shape)
    by_generator = lambda: list(mm.stft(y).shape for y in [SHORT])  # noqa: E731
    by_numpy = lambda: np.vectorize(mm.A_weighting, excluded={"min_db"})([0.0], min_db=None)  # noqa: E731
    by_scope = lambda: mm.config_context(threads=1)(mm.stft)(SHORT)  # noqa: E731
    for line, call in enumerate((wrapped, by_generator, by_numpy, by_scope), here + 1):
        with np.errstate(divide="ignore"):
            found = places(call)
        assert found == {(__file__, line)}


def test_a_call_that_no_file_of_the_user_makes():
    """A thread's target: Python's own module of threads is the caller then."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        thread = threading.Thread(target=mm.stft, args=(SHORT,))
        thread.start()
        thread.join()
    assert [pathlib.Path(each.filename).name for each in seen] == ["threading.py"]


def test_code_of_no_module():
    """`exec` and `eval` with names that lack ``__name__``: a warning of no module would be lost."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        eval("stft(y)", {"stft": mm.stft, "y": SHORT})
        eval("stft(y)", {"stft": mm.stft, "y": SHORT, "__name__": None})
    assert [each.filename for each in seen] == ["<string>"] * 2


def test_filters_by_module_and_once_per_line_hold():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("ignore")
        warnings.filterwarnings("default", module=__name__)
        for _ in range(3):
            mm.stft(SHORT)
    assert len(seen) == 1
    with warnings.catch_warnings():
        warnings.filterwarnings("error", module=__name__)
        with pytest.raises(UserWarning, match="n_fft=2048 is too large"):
            mm.feature.mfcc(y=SHORT)


def seen_by(call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    return [(each.category, str(each.message), each.filename, each.lineno) for each in seen]


def test_arithmetic_of_numpy_warns_at_the_callers_line():
    """Inside our files NumPy itself would name ours."""
    line = sys._getframe().f_lineno + 1
    calls = {
        "divide by zero encountered in log2": lambda: mm.hz_to_midi([0.0]),
        "invalid value encountered in log2": lambda: mm.hz_to_octs(np.array([-1.0])),
        "overflow encountered in power": lambda: mm.db_to_power(np.array([1e9])),
    }
    for at, (text, call) in enumerate(calls.items(), line + 1):
        assert seen_by(call) == [(RuntimeWarning, text, __file__, at)]


@pytest.mark.filterwarnings("error")
def test_what_numpy_shall_do_of_errors_holds_inside():
    with np.errstate(all="ignore"):
        assert mm.hz_to_midi(0.0) == -np.inf
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        mm.hz_to_midi(0.0)
    told = []
    with np.errstate(all="call", call=lambda kind, flag: told.append(kind)):
        mm.hz_to_midi(0.0)
    assert told == ["divide by zero"]
    with pytest.raises(RuntimeWarning, match="divide by zero encountered in log2"):
        mm.hz_to_midi(0.0)


def test_numpy_is_left_as_it_was():
    before = np.geterr(), np.geterrcall()
    mm.hz_to_midi(440.0)
    with pytest.raises(mm.ParameterError):
        mm.fft_frequencies(sr=0)
    assert (np.geterr(), np.geterrcall()) == before
    assert seen_by(lambda: np.log2(np.zeros(3)))[0][2] == __file__


def test_an_extractor_warns_at_its_callers_line():
    fx = mm.Extractor({"mel": {"feature": "melspectrogram"}, "pcen": {"of": "mel", "bias": 0, "eps": 1e-300}})
    loud = np.full(4096, 1e15, dtype=np.float32)
    seen = seen_by(lambda: fx(loud))
    assert {file for _, _, file, _ in seen} <= {__file__}


def test_arithmetic_of_every_function(tmp_path, monkeypatch):
    """Every argument of every function once with numbers that arithmetic stumbles on."""
    monkeypatch.chdir(tmp_path)
    mm.demo.write_wav("short.wav", 0.1)
    values = [0, np.nan, np.array([np.nan, 0, -1, np.inf, 1e300]), np.full((33, 9), 1e300)]
    found, elsewhere = 0, set()
    for name, function in hostile_calls.functions():
        ordinary, arguments = hostile_calls.arguments_of(name, function)
        for argument in arguments:
            if (name.rpartition(".")[2], argument) in hostile_calls.ENDLESS:
                continue
            for value in values:
                call = functools.partial(hostile_calls.call, function, (), {**ordinary, argument: value})
                for category, text, file, line in seen_by(call):
                    if issubclass(category, RuntimeWarning) and " encountered in " in text:
                        found += 1
                        if pathlib.Path(file).name != "hostile_calls.py":
                            elsewhere.add((name, text, file, line))
    assert not elsewhere
    assert found > 100, found
