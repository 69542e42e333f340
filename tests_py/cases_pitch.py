"""Reference cases of pitch: YIN, harmonics, linear prediction, companding, least squares."""

import numpy as np
import reference_signals as s


def add(case):
    add_yin(case)
    add_harmonics(case)
    add_coding(case)
    add_least_squares(case)
    add_sparse(case)


def add_yin(case):
    for name in ("yin", "pyin"):
        low = {"fmin": 100, "fmax": 1000}
        case(name, "default", s.music, fmin=65.0, fmax=2093.0)
        case(name, "float64", s.music64, **low)
        case(name, "tone", s.tone, **low)
        case(name, "detuned", s.detuned, **low)
        case(name, "stereo", s.stereo, **low)
        case(name, "frames", s.music, frame_length=1000, hop_length=300, **low)
        case(name, "odd frames", s.music64, frame_length=1001, hop_length=301, **low)
        case(name, "not centred", s.music, center=False, **low)
        case(name, "reflect", s.music, pad_mode="reflect", **low)
        case(name, "wrap", s.music, pad_mode="wrap", **low)
        case(name, "short frame", s.music64, frame_length=256, hop_length=128, **low)
        case(name, "speech", s.tone, sr=16000, fmin=80, fmax=400, frame_length=1024)
        case(name, "fading", s.fading, **low)
        case(name, "short", s.short, **low)
        case(name, "empty", s.empty, **low)
        case(name, "nan", s.with_nan, **low)
        case(name, "integers", s.integers, **low)
        case(name, "no fmin", s.music, fmin=None, fmax=1000)
        case(name, "fmax over half", s.music, fmin=100, fmax=12000)
        case(name, "crossed", s.music, fmin=1000, fmax=100)
        case(name, "zero fmin", s.music, fmin=0, fmax=100)
        case(name, "fmin too low", s.music, fmin=5, fmax=100)
        case(name, "zero hop", s.music, hop_length=0, **low)
    case("yin", "threshold", s.music64, fmin=100, fmax=1000, trough_threshold=0.5)
    case("yin", "no threshold", s.music64, fmin=100, fmax=1000, trough_threshold=0)
    more = {"fmin": 100, "fmax": 1000}
    case("pyin", "all frames", s.music64, fill_na=None, **more)
    case("pyin", "zeros", s.music64, fill_na=0.0, **more)
    case("pyin", "resolution", s.tone, resolution=0.25, **more)
    case("pyin", "thresholds", s.tone, n_thresholds=20, beta_parameters=(1, 5), **more)
    case("pyin", "boltzmann", s.music64, boltzmann_parameter=1, no_trough_prob=0.1, **more)
    case("pyin", "all transitions", s.tone, transition_min_prob=None, switch_prob=0.1, **more)
    case("pyin", "slow", s.tone, max_transition_rate=10, **more)


def add_harmonics(case):
    freqs = np.arange(257) * (22050 / 512)
    harmonics = [0.5, 1, 2, 3.3]
    log = 32.0 * 2 ** (np.arange(257) / 36)
    shuffled = np.random.default_rng(5).permutation(freqs)
    interp, sal, f0h = "interp_harmonics", "salience", "f0_harmonics"
    for name in (interp, sal):
        case(name, "default", s.power, freqs=freqs, harmonics=harmonics)
        case(name, "float64", s.power64, freqs=freqs, harmonics=[1, 2])
        case(name, "stereo", s.power_stereo, freqs=freqs[:129], harmonics=[1, 2])
        case(name, "logarithmic", s.power, freqs=log, harmonics=harmonics)
        case(name, "shuffled", s.power, freqs=shuffled, harmonics=[1, 2])
        case(name, "nearest", s.power64, freqs=freqs, harmonics=[1, 2.2], kind="nearest")
        case(name, "cubic", s.power64, freqs=freqs, harmonics=[1, 2.2], kind="cubic")
        case(name, "other length", s.power, freqs=freqs[:-1], harmonics=[1, 2])
    case(interp, "fill", s.power, freqs=freqs, harmonics=[2], fill_value=-1)
    case(interp, "one axis", np.arange(20.0) ** 2, freqs=np.arange(20.0), harmonics=[1, 2.5], axis=0)
    case(interp, "last axis", s.power64, freqs=np.arange(20.0), harmonics=[1, 1.5], axis=-1)
    case(sal, "all", s.power, freqs=freqs, harmonics=harmonics, filter_peaks=False)
    case(sal, "weights", s.power, freqs=freqs, harmonics=[1, 2], weights=[1, 0.5], fill_value=0)
    case(sal, "maximum", s.power, freqs=freqs, harmonics=[1, 2], aggregate=np.max)
    case(sal, "weights missing", s.power, freqs=freqs, harmonics=[1, 2], weights=[1])
    f0 = 200.0 + 10 * np.arange(s.power.get().shape[-1])
    f0[2] = np.nan
    case(f0h, "default", s.power, f0=f0, freqs=freqs, harmonics=np.arange(1, 13))
    case(f0h, "fill", s.power, f0=f0 * 20, freqs=freqs, harmonics=[1, 2, 3], fill_value=-1)
    case(f0h, "cubic", s.power64, f0=f0[: s.power64.get().shape[-1]], freqs=freqs, harmonics=[1, 2],
         kind="cubic")  # fmt: skip
    case(f0h, "one frequency", s.power, f0=f0, freqs=freqs[:3], harmonics=[1])
    moving = freqs[:, np.newaxis] * np.linspace(1, 1.1, s.power.get().shape[-1])
    for name in (interp, sal):
        case(name, "moving", s.power, freqs=moving, harmonics=[1, 2])
    case(f0h, "moving", s.power, f0=f0, freqs=moving, harmonics=[1, 2])


def add_coding(case):
    case("lpc", "default", s.music, order=8)
    case("lpc", "float64", s.music64, order=16)
    case("lpc", "noise", s.noise, order=2)
    case("lpc", "stereo", s.stereo, order=4)
    case("lpc", "interleaved", s.transposed, order=4)
    case("lpc", "axis", s.stereo64, order=4)
    case("lpc", "silence", s.silence, order=4)
    case("lpc", "zero order", s.music, order=0)
    case("lpc", "real order", s.music, order=2.5)
    case("lpc", "nan", s.with_nan, order=4)
    ramp = np.linspace(-1, 1, 999)
    for label, x in (("ramp", ramp), ("float32", ramp.astype(np.float32)), ("scalar", 0.25)):
        case("mu_compress", label, x)
        case("mu_compress", f"{label} 15", x, mu=15)
        case("mu_compress", f"{label} not quantized", x, quantize=False)
        case("mu_expand", f"{label} not quantized", x, quantize=False)
    case("mu_compress", "ends", np.array([-1, 0, 1], dtype=np.float32))
    case("mu_compress", "integers", np.array([-1, 0, 1]))
    case("mu_compress", "music", s.noise)
    case("mu_compress", "too large", np.array([0.0, 1.5]))
    case("mu_compress", "zero mu", ramp, mu=0)
    codes = np.arange(-128, 128)
    case("mu_expand", "codes", codes)
    case("mu_expand", "bytes", codes.astype(np.int8))
    case("mu_expand", "many codes", np.tile(codes, 300)[::7])
    case("mu_expand", "15", np.arange(-8, 9), mu=15)
    case("mu_expand", "scalar", 5)
    case("mu_expand", "too large", np.array([0, 200]))
    case("mu_expand", "zero mu", ramp, mu=0)


def add_least_squares(case):
    nnls = "util.nnls"
    rng = np.random.default_rng(3)
    tall = np.round(rng.random((12, 4)) * 64) / 64
    exact = tall @ np.round(rng.random((4, 6)) * 8)
    case(nnls, "exact", tall, exact)
    case(nnls, "float32", tall.astype(np.float32), exact.astype(np.float32))
    case(nnls, "stereo", tall, np.stack([exact, exact[:, ::-1]]))
    case(nnls, "vector", tall, exact[:, 0] - 3)
    case(nnls, "unknown argument", tall, exact, other=1)


def add_sparse(case):
    sparse = "util.sparsify_rows"
    case(sparse, "default", s.mel)
    case(sparse, "float64", s.power64, quantile=0.1)
    case(sparse, "complex", s.spectrum, quantile=0.2)
    case(sparse, "vector", np.hanning(32))
    case(sparse, "nothing", s.mel, quantile=0)
    case(sparse, "dtype", s.mel, dtype=np.float64)
    case(sparse, "three axes", s.power_stereo)
    case(sparse, "whole", s.mel, quantile=1.0)
