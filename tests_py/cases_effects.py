"""Reference cases of effects on audio: emphasis, silence, intervals."""

import numpy as np
import reference_signals as s


def add(case):
    add_emphasis(case)
    add_silence(case)
    add_remix(case)
    add_stretched(case)


def add_emphasis(case):
    state = np.array([0.25])
    states = np.array([[0.25], [-0.5]])
    for name in ("preemphasis", "deemphasis"):
        f = f"effects.{name}"
        case(f, "default", s.music)
        case(f, "state", s.music, return_zf=True)
        case(f, "float64", s.music64, return_zf=True)
        case(f, "coef", s.noise, coef=0.5, return_zf=True)
        case(f, "coef 0", s.noise, coef=0)
        case(f, "negative coef", s.noise, coef=-0.9)
        case(f, "stereo", s.stereo64, return_zf=True)
        case(f, "given state", s.music64, zi=state, return_zf=True)
        case(f, "number as state", s.music64, zi=0.5, return_zf=True)
        case(f, "given states", s.stereo64, zi=states, return_zf=True)
        case(f, "complex", s.spectrum64)
        case(f, "strided", s.strided)
        case(f, "silence", s.silence)
        case(f, "single sample", s.single)
        case(f, "single sample with state", s.single, zi=0.5, return_zf=True)
        case(f, "nan", s.with_nan)
        case(f, "integers", s.integers)
        case(f, "states of other channels", s.stereo64, zi=np.zeros((3, 1)))
    case("effects.deemphasis", "coef 1", s.music64, coef=1)
    case("effects.deemphasis", "unstable", s.music64, coef=1.01)


def add_silence(case):
    for name in ("trim", "split"):
        f = f"effects.{name}"
        case(f, "default", s.fading)
        case(f, "stereo", s.gappy)
        case(f, "quietest channel", s.gappy, aggregate=np.min)
        case(f, "top_db", s.gappy, top_db=20)
        case(f, "ref", s.gappy, ref=1.0)
        case(f, "high ref", s.gappy, ref=1e4, top_db=10)
        case(f, "mean as ref", s.gappy, ref=np.mean, top_db=6)
        case(f, "negative top_db", s.gappy, ref=0.01, top_db=-10)
        case(f, "frames", s.gappy, frame_length=500, hop_length=100)
        case(f, "float64", s.stereo64)
        case(f, "batch", s.batch)
        case(f, "silence", s.silence)
        case(f, "silence below ref", s.silence, ref=1.0)
        case(f, "short", s.short)
        case(f, "single sample", s.single)
        case(f, "nan", s.with_nan)
        case(f, "integers", s.integers)
        case(f, "zero hop", s.noise, hop_length=0)


def add_remix(case):
    f = "effects.remix"
    # As an array: librosa's match of events takes no list of tuples.
    intervals = np.array([[5000, 9000], [100, 2000], [8000, 11000]])
    case(f, "default", s.noise, intervals)
    case(f, "not aligned", s.noise, intervals, align_zeros=False)
    case(f, "stereo", s.stereo, intervals)
    case(f, "float64", s.music64, intervals)
    case(f, "fractions", s.noise, intervals + 0.5)
    case(f, "beyond the end", s.noise, np.array([[9000, 20000]]))
    case(f, "backwards", s.noise, np.array([[9000, 20]]), align_zeros=False)
    case(f, "no crossings", s.silence, intervals[:1])
    case(f, "no intervals", s.noise, np.zeros((0, 2)))
    case(f, "integers", s.integers, intervals)


def add_stretched(case):
    f = "effects.time_stretch"
    case(f, "faster", s.music, rate=2.0)
    case(f, "slower", s.music, rate=0.6)
    case(f, "float64", s.music64, rate=1.3)
    case(f, "stereo", s.stereo, rate=1.7)
    case(f, "unchanged", s.noise, rate=1)
    case(f, "frames", s.noise, rate=0.8, n_fft=512, hop_length=100, window="hamming")
    case(f, "short window", s.noise, rate=1.2, n_fft=512, win_length=300)
    case(f, "silence", s.silence, rate=0.5)
    case(f, "much faster", s.noise, rate=1e6)
    case(f, "zero rate", s.noise, rate=0)
    case(f, "negative rate", s.noise, rate=-1.0)
    case(f, "rate nan", s.noise, rate=np.nan)
    case(f, "integers", s.integers, rate=2)
    case(f, "nan", s.with_nan, rate=2)
    f = "effects.pitch_shift"
    case(f, "up", s.music, sr=22050, n_steps=4)
    case(f, "down", s.music, sr=22050, n_steps=-6)
    case(f, "quarter tones", s.noise, sr=16000, n_steps=-2.5, bins_per_octave=24)
    case(f, "float64", s.music64, sr=22050, n_steps=1)
    case(f, "stereo", s.stereo, sr=44100, n_steps=2)
    case(f, "scaled", s.noise, sr=22050, n_steps=-3, scale=True, n_fft=1024)
    case(f, "unchanged", s.noise, sr=22050, n_steps=0)
    case(f, "no bins", s.noise, sr=22050, n_steps=1, bins_per_octave=0)
    case(f, "fractional bins", s.noise, sr=22050, n_steps=1, bins_per_octave=12.5)
    case(f, "integers", s.integers, sr=22050, n_steps=1)
