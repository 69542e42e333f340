"""Reference cases of the constant-Q family."""

import numpy as np
import reference_signals as s


def add(case):
    add_transforms(case)
    add_magnitudes(case)
    add_inverse(case)
    add_griffinlim(case)
    add_bands(case)
    add_mellin(case)


def add_transforms(case):
    for name in ("cqt", "vqt"):
        case(name, "default", y=s.music)
        case(name, "float64", y=s.music64)
        case(name, "stereo", y=s.stereo, n_bins=24, fmin=110.0)
        case(name, "batch", y=s.batch, n_bins=13, fmin=220.0, hop_length=256)
        case(name, "strided", y=s.strided, n_bins=24, fmin=220.0)
        case(name, "single sample", y=s.single)
        case(name, "short", y=s.short, n_bins=24)
        case(name, "silence", y=s.silence, n_bins=24)
        case(name, "empty", y=s.empty, n_bins=12)
        case(name, "one bin", y=s.tone, fmin=440.0, n_bins=1)
        case(name, "all bins", y=s.noise, n_bins=None, fmin=200.0)
        case(name, "nan", y=s.with_nan)
        case(name, "integers", y=s.integers)
        case(name, "complex128", y=s.music, n_bins=24, dtype=np.complex128)
        case(name, "complex64", y=s.music64, n_bins=24, dtype=np.complex64)
    cqt = "cqt"
    case(cqt, "third tones", y=s.music, bins_per_octave=36, n_bins=180)
    case(cqt, "not scaled", y=s.noise, n_bins=24, fmin=110.0, scale=False)
    # Halved before the first octave, with and without scale.
    case(cqt, "low", y=s.noise, n_bins=24, fmin=55.0)
    case(cqt, "low, not scaled", y=s.noise, n_bins=24, fmin=55.0, scale=False)
    # An octave that ends close to the Nyquist frequency: the next one stays at its rate.
    case(cqt, "high", y=s.noise, n_bins=24, fmin=2400.0)
    case(cqt, "odd hop", y=s.noise, n_bins=48, fmin=110.0, hop_length=441)
    case(cqt, "hop of few twos", y=s.noise, n_bins=48, fmin=110.0, hop_length=100)
    case(cqt, "edge", y=s.odd, n_bins=24, fmin=110.0, pad_mode="edge")
    case(cqt, "reflect", y=s.odd, n_bins=24, fmin=110.0, pad_mode="reflect")
    case(cqt, "tuning", y=s.detuned, n_bins=24, fmin=220.0, tuning=0.3)
    case(cqt, "estimated tuning", y=s.detuned, n_bins=24, fmin=220.0, tuning=None)
    case(cqt, "filters", y=s.noise, n_bins=24, fmin=220.0, filter_scale=0.5, window="hamming")
    case(cqt, "norm 2", y=s.noise, n_bins=24, fmin=220.0, norm=2, sparsity=0.1)
    case(cqt, "norm None", y=s.noise, n_bins=24, fmin=220.0, norm=None, sparsity=0)
    case(cqt, "vhq", y=s.noise, n_bins=24, fmin=110.0, res_type="soxr_vhq")
    case(cqt, "polyphase", y=s.noise, n_bins=24, fmin=110.0, res_type="polyphase")
    case(cqt, "zero hop", y=s.noise, hop_length=0)
    case(cqt, "fractional hop", y=s.noise, hop_length=100.5)
    case(cqt, "beyond Nyquist", y=s.noise, n_bins=120)
    case(cqt, "fmin beyond Nyquist", y=s.noise, fmin=12000.0)
    case(cqt, "negative fmin", y=s.noise, fmin=-1.0)
    case(cqt, "wrap", y=s.noise, pad_mode="wrap")
    case(cqt, "sparsity 1", y=s.noise, sparsity=1)
    case(cqt, "negative norm", y=s.noise, norm=-2)
    case(cqt, "filter_scale 0", y=s.noise, filter_scale=0)
    case(cqt, "too short to halve", y=s.single, n_bins=12, sr=44100)
    vqt = "vqt"
    case(vqt, "constant Q", y=s.noise, n_bins=24, fmin=110.0, gamma=0)
    case(vqt, "gamma", y=s.noise, n_bins=24, fmin=110.0, gamma=40)
    case(vqt, "ratios", y=s.noise, n_bins=15, fmin=110.0, intervals=[1, 1.25, 1.5])
    case(vqt, "negative gamma", y=s.noise, gamma=-1)


def add_magnitudes(case):
    for name in ("pseudo_cqt", "hybrid_cqt"):
        case(name, "default", y=s.music)
        case(name, "float64", y=s.music64)
        case(name, "stereo", y=s.stereo, n_bins=24, fmin=220.0)
        case(name, "short", y=s.short, n_bins=24, fmin=220.0)
        case(name, "not scaled", y=s.noise, n_bins=36, fmin=440.0, scale=False)
        case(name, "reflect", y=s.odd, n_bins=36, fmin=440.0, pad_mode="reflect")
        case(name, "complex128", y=s.noise, n_bins=12, fmin=440.0, dtype=np.complex128)
        case(name, "zero hop", y=s.noise, hop_length=0)
        case(name, "beyond Nyquist", y=s.noise, n_bins=120)
    case("pseudo_cqt", "hop beyond the filters", y=s.noise, n_bins=12, fmin=2000.0, hop_length=3000)
    case("hybrid_cqt", "low alone", y=s.noise, n_bins=24, fmin=110.0, hop_length=64)
    case("hybrid_cqt", "high alone", y=s.noise, n_bins=12, fmin=3000.0)


def add_inverse(case):
    icqt = "icqt"
    settings = {"fmin": 220.0, "hop_length": 256}
    case(icqt, "default", C=s.octaves, **settings)
    case(icqt, "complex128", C=s.octaves64, **settings)
    case(icqt, "float32", C=s.octaves, dtype=np.float32, **settings)
    case(icqt, "not scaled", C=s.octaves, scale=False, **settings)
    case(icqt, "stereo", C=s.octaves_stereo, **settings)
    case(icqt, "length", C=s.octaves, length=3000, **settings)
    case(icqt, "longer", C=s.octaves, length=9000, **settings)
    case(icqt, "part of an octave", C=s.octaves, bins_per_octave=16, **settings)
    case(icqt, "magnitudes", C=s.octave_magnitudes, **settings)
    case(icqt, "filters", C=s.octaves, norm=2, window="hamming", filter_scale=0.7, **settings)
    case(icqt, "odd hop", C=s.octaves, fmin=220.0, hop_length=201)
    case(icqt, "vhq", C=s.octaves, res_type="soxr_vhq", **settings)
    case(icqt, "polyphase", C=s.octaves, res_type="polyphase", **settings)
    case(icqt, "tuning", C=s.octaves, tuning=0.4, **settings)
    case(icqt, "one frame", C=s.octaves_frame, **settings)
    case(icqt, "complex audio", C=s.octaves, dtype=np.complex64, **settings)
    case(icqt, "nothing of it", C=s.octaves_nan, **settings)


def add_griffinlim(case):
    name = "griffinlim_cqt"
    settings = {"fmin": 220.0, "hop_length": 256, "n_iter": 4}
    case(name, "default", C=s.octave_magnitudes, rng=0, **settings)
    case(name, "float32", C=s.octave_magnitudes, rng=0, dtype=np.float32, **settings)
    case(name, "no momentum", C=s.octave_magnitudes, rng=0, momentum=0, **settings)
    case(name, "momentum 1.2", C=s.octave_magnitudes, rng=0, momentum=1.2, **settings)
    case(name, "not scaled", C=s.octave_magnitudes, rng=0, scale=False, **settings)
    case(name, "random_state", C=s.octave_magnitudes, random_state=3, **settings)
    case(name, "unknown start", C=s.octave_magnitudes, init="noise", **settings)
    case(name, "negative momentum", C=s.octave_magnitudes, momentum=-1, **settings)


def add_bands(case):
    iirt = "iirt"
    case(iirt, "default", y=s.noise)
    case(iirt, "float64", y=s.music64, tuning=0.3)
    case(iirt, "stereo", y=s.stereo, win_length=1000, hop_length=300)
    case(iirt, "not centred", y=s.music, center=False)
    case(iirt, "reflect", y=s.odd, pad_mode="reflect")
    case(iirt, "polynomials", y=s.odd, flayout="ba")
    own = {"center_freqs": np.array([300.0, 450.0]), "sample_rates": np.array([4410.0, 22050.0])}
    case(iirt, "own bands", y=s.odd, **own)
    case(iirt, "polyphase", y=s.odd, res_type="polyphase", **own)
    case(iirt, "short", y=s.short)
    case(iirt, "nan", y=s.with_nan)
    case(iirt, "integers", y=s.integers)
    case(iirt, "unknown layout", y=s.odd, flayout="zpk")
    weighting = "perceptual_weighting"
    freqs = np.linspace(0.0, 11025.0, 257)
    case(weighting, "default", s.power, freqs)
    case(weighting, "C", s.power, freqs, kind="C")
    case(weighting, "none", s.power64, freqs, kind=None)
    case(weighting, "relative", s.power, freqs, ref=np.max, top_db=40)
    case(weighting, "stereo", s.power_stereo, freqs[:129])
    case(weighting, "one frequency", s.power, 440.0)
    case(weighting, "too few frequencies", s.power, freqs[:3])


def add_mellin(case):
    fmt = "fmt"
    case(fmt, "default", s.envelope)
    case(fmt, "several", s.mel_stereo)
    case(fmt, "n_fmt", s.envelope, n_fmt=65)
    case(fmt, "t_min", s.mel, t_min=0.1)
    case(fmt, "linear", s.envelope, kind="linear", n_fmt=100)
    case(fmt, "beta", s.envelope, beta=0, n_fmt=100)
    case(fmt, "over-sampled", s.envelope, over_sample=1.5, n_fmt=100)
    case(fmt, "axis", s.mel, axis=0)
    case(fmt, "few", s.envelope, n_fmt=2)
    case(fmt, "no time", s.envelope, t_min=0)
    case(fmt, "under-sampled", s.envelope, over_sample=0.5)
    case(fmt, "short", s.single)
    case(fmt, "unknown kind", s.envelope, kind="wavy")
    case(fmt, "nan", s.with_nan)
