"""Reference cases of features of features: deltas, stacked frames, fits, chroma of CQTs."""

import numpy as np
import reference_signals as s


def add(case):
    add_delta(case)
    add_stacked(case)
    add_polynomials(case)
    add_pitch_classes(case)
    add_cepstra(case)


def add_delta(case):
    f = "feature.delta"
    case(f, "default", s.decibels)
    case(f, "float64", s.power64)
    case(f, "second", s.mel, order=2)
    case(f, "width 3", s.mel, width=3)
    case(f, "deriv beside order", s.mel, deriv=2)
    case(f, "third order", s.power64, order=3, width=13, polyorder=4)
    case(f, "smoothed", s.mel, order=1, polyorder=3, delta=2.0)
    case(f, "axis 0", s.mel, axis=0, width=5)
    case(f, "of a batch", s.mel_stereo)
    case(f, "of a signal", s.envelope64)
    case(f, "Fortran order", s.power)
    case(f, "integers", s.integers)
    for mode in ("nearest", "mirror", "wrap", "constant"):
        case(f, mode, s.decibels, mode=mode)
    case(f, "other constant", s.power64, mode="constant", cval=2.5)
    case(f, "wider than data", s.ramp, width=15, mode="nearest")
    case(f, "too wide", s.ramp, width=11)
    case(f, "even width", s.mel, width=4)
    case(f, "width 1", s.mel, width=1)
    case(f, "order 0", s.mel, order=0)
    case(f, "fractional order", s.mel, order=1.5)
    case(f, "order of the width", s.mel, order=9)
    case(f, "unknown mode", s.mel, mode="reflect")
    case(f, "no such axis", s.mel, axis=4)


def add_stacked(case):
    f = "feature.stack_memory"
    case(f, "default", s.ramp)
    case(f, "three", s.mel, n_steps=3)
    case(f, "delayed", s.mel, n_steps=3, delay=4)
    case(f, "ahead", s.mel, n_steps=3, delay=-2)
    case(f, "beyond the ends", s.ramp, n_steps=4, delay=7)
    case(f, "edge", s.ramp, n_steps=4, delay=-7, mode="edge")
    case(f, "reflect", s.ramp, n_steps=3, delay=2, mode="reflect")
    case(f, "constant", s.ramp, constant_values=[2.5])
    case(f, "one step", s.ramp, n_steps=1)
    case(f, "signal", s.envelope64, n_steps=3)
    case(f, "batch", s.mel_stereo)
    case(f, "Fortran order", s.power)
    case(f, "integers", s.integers)
    case(f, "no steps", s.mel, n_steps=0)
    case(f, "no delay", s.mel, delay=0)
    case(f, "no frames", s.empty)


def add_polynomials(case):
    f = "feature.poly_features"
    case(f, "default", y=s.music)
    case(f, "float64", y=s.music64)
    case(f, "constant", y=s.noise, order=0)
    case(f, "quadratic", y=s.noise, order=2, n_fft=512)
    case(f, "S", S=s.magnitude2048)
    case(f, "S float64", S=s.power64, order=3, n_fft=512)
    case(f, "stereo", y=s.stereo)
    case(f, "S stereo", S=s.power_stereo)
    case(f, "frames", y=s.music, n_fft=1024, hop_length=300, win_length=800, window="hamming")
    case(f, "not centred", y=s.music, center=False)
    case(f, "freq", S=s.magnitude2048, freq=np.linspace(0, 1, 1025))
    case(f, "freq per frame", S=s.power, freq=np.linspace(0, 1, 257 * 20).reshape(257, 20))
    case(f, "sixth degree", S=s.power64, order=6)
    case(f, "silence", y=s.silence)
    case(f, "negative order", S=s.power, order=-1)
    case(f, "freq of other bins", S=s.power, freq=np.linspace(0, 1, 12))
    case(f, "nothing")


def add_pitch_classes(case):
    chroma = "feature.chroma_cqt"
    case(chroma, "C", C=s.constant_q)
    case(chroma, "C float64", C=s.constant_q64, bins_per_octave=12)
    case(chroma, "C stereo", C=s.constant_q_stereo, bins_per_octave=None)
    case(chroma, "24", C=s.constant_q, n_chroma=18, norm=2)
    case(chroma, "threshold", C=s.constant_q, threshold=5.0, norm=None)
    case(chroma, "no threshold", C=s.constant_q, threshold=None)
    case(chroma, "fmin", C=s.constant_q, fmin=55.0)
    case(chroma, "no multiple", C=s.constant_q, bins_per_octave=35)
    case(chroma, "nothing")
    case(chroma, "audio", y=s.music)
    case(chroma, "float64", y=s.music64, n_octaves=5, tuning=0.0, hop_length=256)
    case(chroma, "hybrid", y=s.music, cqt_mode="hybrid", n_octaves=5, fmin=65.0)
    case(chroma, "stereo", y=s.stereo, n_chroma=24, bins_per_octave=24)
    case(chroma, "silence", y=s.silence, n_octaves=3, tuning=0.0)
    cens = "feature.chroma_cens"
    case(cens, "audio", y=s.music)
    case(cens, "C", C=s.constant_q)
    case(cens, "C float64", C=s.constant_q64, bins_per_octave=12)
    case(cens, "C stereo", C=s.constant_q_stereo, bins_per_octave=12)
    case(cens, "not smoothed", C=s.constant_q, win_len_smooth=None, norm=None)
    case(cens, "even window", C=s.constant_q, win_len_smooth=4, smoothing_window="hamming")
    case(cens, "no window", C=s.constant_q, win_len_smooth=0)
    case(cens, "fractional window", C=s.constant_q, win_len_smooth=4.5)
    folded = "feature.chroma_vqt"
    case(folded, "audio", y=s.music, intervals="ji5")
    case(folded, "ratios of audio", y=s.music, intervals=[1, 1.25, 1.5], gamma=None)
    case(folded, "V", V=s.constant_q_stereo, intervals="ji5")
    case(folded, "V float64", V=s.constant_q64, intervals="pythagorean", norm=None)
    case(folded, "ratios", V=s.constant_q64, intervals=[1, 1.25, 1.5], norm=1, threshold=None)
    case(folded, "no intervals", V=s.constant_q64, intervals=None)
    tonnetz = "feature.tonnetz"
    case(tonnetz, "audio", y=s.music)
    case(tonnetz, "stereo audio", y=s.stereo, n_octaves=4)
    case(tonnetz, "chroma", chroma=s.chroma)
    case(tonnetz, "float64", chroma=s.constant_q64)
    case(tonnetz, "stereo", chroma=s.constant_q_stereo)
    case(tonnetz, "nothing")


def add_cepstra(case):
    f = "feature.inverse.mfcc_to_mel"
    case(f, "default", s.ramp)
    case(f, "float64", s.power64, n_mels=40)
    case(f, "lifter", s.ramp, lifter=22)
    case(f, "stereo", s.mel_stereo, n_mels=60)
    case(f, "fewer bands", s.ramp, n_mels=4)
    case(f, "ref", s.ramp, ref=2.0)
    for kind in (1, 2, 3, 4):
        case(f, f"type {kind}", s.ramp, dct_type=kind, n_mels=9)
        case(f, f"type {kind} not normalised", s.ramp, dct_type=kind, norm=None, n_mels=10)
    case(f, "negative lifter", s.ramp, lifter=-1)
