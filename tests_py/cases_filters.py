"""Reference cases of the filters of constant-Q transforms and pitch filter banks."""

import numpy as np


def semitones(count, fmin=55.0, bins_per_octave=12):
    return fmin * 2.0 ** (np.arange(count) / bins_per_octave)


UNEVEN = np.array([60.0, 75.0, 120.0, 500.0, 520.0])


def add(case):
    add_wavelets(case)
    add_semitones(case)
    add_folding(case)
    add_diagonals(case)


def add_wavelets(case):
    for function in ("filters.wavelet_lengths", "filters.wavelet"):
        case(function, "octave", freqs=semitones(12, fmin=440.0))
        case(function, "float32", freqs=semitones(5, fmin=440.0).astype(np.float32))
        case(function, "uneven", freqs=UNEVEN, sr=4000)
        case(function, "gamma", freqs=semitones(6), sr=8000, gamma=20)
        case(function, "hearing", freqs=UNEVEN, sr=8000, gamma=None)
        case(function, "short", freqs=semitones(24, 220.0, 24), filter_scale=0.25, sr=8000)
        case(function, "alpha", freqs=np.array([300.0]), alpha=0.1, window="hamming")
        case(function, "alphas", freqs=UNEVEN, alpha=np.linspace(0.1, 0.5, 5), sr=4000)
        case(function, "above sr", freqs=semitones(3, 900.0, 1), sr=1000)
        case(function, "single", freqs=np.array([300.0]))
        case(function, "none", freqs=np.array([]))
        case(function, "descending", freqs=UNEVEN[::-1])
        case(function, "zero", freqs=np.array([0.0, 100.0]))
        case(function, "zero scale", freqs=UNEVEN, filter_scale=0)
        case(function, "negative gamma", freqs=UNEVEN, gamma=-1)
        case(function, "other alphas", freqs=UNEVEN, alpha=np.ones(3))
        case(function, "unknown window", freqs=UNEVEN, window="nonsense")
    wavelet = "filters.wavelet"
    case(wavelet, "unpadded", freqs=UNEVEN, sr=4000, pad_fft=False, dtype=np.complex128)
    case(wavelet, "norm 2", freqs=UNEVEN, sr=4000, norm=2, dtype=np.complex128)
    case(wavelet, "no dtype", freqs=UNEVEN, sr=8000, dtype=None)
    case(wavelet, "norm inf", freqs=UNEVEN, sr=4000, norm=np.inf)
    case(wavelet, "no norm", freqs=UNEVEN, sr=4000, norm=None, window=("kaiser", 5.0))
    case(wavelet, "edges", freqs=UNEVEN, sr=4000, mode="edge", window="boxcar")


def add_semitones(case):
    bank = "filters.semitone_filterbank"
    for layout in ("ba", "sos"):
        case(bank, layout, flayout=layout)
        case(bank, f"tuned {layout}", tuning=0.4, flayout=layout)
    own = dict(center_freqs=np.array([100.0, 300.0]), sample_rates=np.array([1000.0, 4000.0]))
    case(bank, "own", **own)
    case(bank, "wide", Q=8.0, **own)
    case(bank, "butter", Q=10.0, ftype="butter", passband_ripple=2, stopband_attenuation=30, **own)
    case(bank, "no rates", center_freqs=own["center_freqs"])
    case(bank, "no frequencies", sample_rates=own["sample_rates"])
    case(bank, "other lengths", center_freqs=np.ones(3), sample_rates=np.ones(2))
    case(bank, "above half the rate", center_freqs=np.array([600.0]), sample_rates=np.array([1e3]))
    case(bank, "unknown layout", flayout="nonsense", **own)
    case(bank, "unknown design", ftype="nonsense", **own)
    case(bank, "unknown option", order=3, **own)
    for tuning in (0.0, -0.5, 0.25):
        case("filters.mr_frequencies", str(tuning), tuning)


def add_folding(case):
    fold = "filters.cq_to_chroma"
    case(fold, "default", 84)
    case(fold, "A first", 84, base_c=False)
    case(fold, "fmin", 60, fmin=57.3)
    case(fold, "24 bins", 50, bins_per_octave=24, fmin=100.0)
    case(fold, "24 classes", 48, bins_per_octave=48, n_chroma=24)
    case(fold, "6 classes", 40, bins_per_octave=36, n_chroma=6, dtype=np.float64)
    case(fold, "5 classes", 40, bins_per_octave=15, n_chroma=5, base_c=False)
    case(fold, "window", 36, window=np.array([1.0, 2.0, 1.0]))
    case(fold, "even window", 36, window=[0.25, 0.75])
    case(fold, "two-dimensional window", 36, window=np.ones((3, 3), np.float32))
    case(fold, "integers", 12, dtype=int)
    case(fold, "empty", 0)
    case(fold, "no multiple", 84, n_chroma=24)
    case(fold, "fraction", 84, bins_per_octave=30)
    case(fold, "no classes", 84, n_chroma=0)
    case(fold, "zero fmin", 84, fmin=0)


def add_diagonals(case):
    diagonal = "filters.diagonal_filter"
    case(diagonal, "default", "hann", 7)
    case(diagonal, "even", "hamming", 6)
    case(diagonal, "zero mean", "hann", 7, zero_mean=True)
    for slope in (0.5, 2, -1, 0, np.inf):
        case(diagonal, f"slope {slope}", "hann", 9, slope=slope)
    case(diagonal, "angle", "boxcar", 5, angle=0.3, zero_mean=True)
    case(diagonal, "samples", np.array([0.0, 1.0, 3.0, 1.0]), 4, slope=1.5)
    case(diagonal, "one sample", "hann", 1)
    case(diagonal, "none", "hann", 0)
    case(diagonal, "unknown", "nonsense", 5)
