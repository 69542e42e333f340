"""Reference cases of what works on phases: the phase vocoder, reassignment."""

import numpy as np
import reference_signals as s


def add(case):
    add_vocoder(case)
    add_reassigned(case)


def add_vocoder(case):
    pv = "phase_vocoder"
    case(pv, "fast", s.spectrum, rate=2.0)
    case(pv, "slow", s.spectrum, rate=0.7)
    case(pv, "same", s.spectrum, rate=1)
    case(pv, "float64", s.spectrum64, rate=1.3)
    case(pv, "stereo", s.spectrum_stereo, rate=1.5)
    case(pv, "zeros", s.spectrum_zeros, rate=1.5)
    case(pv, "beyond the end", s.spectrum64, rate=100)
    case(pv, "real", s.magnitude2048, rate=1.5)
    case(pv, "row", np.array([1, 2j, -3, 4 - 1j, 5], dtype=np.complex64), rate=0.8)
    times = np.array([0.25, 1.0, 3.5, 3.5, 4.75])
    case(pv, "times", s.spectrum64, t_out=times)
    case(pv, "times backwards", s.spectrum64, t_out=times[::-1])
    case(pv, "times of a list", s.spectrum, t_out=[1, 2])
    for kind in ("nearest", "previous", "cubic", 2):
        case(pv, f"kind {kind}", s.spectrum64, rate=0.75, kind=kind)
    case(pv, "deprecated", s.spectrum, rate=2.0, hop_length=512, n_fft=2048)
    case(pv, "nothing", s.spectrum)
    case(pv, "both", s.spectrum, rate=2.0, t_out=times)
    case(pv, "zero rate", s.spectrum, rate=0)
    case(pv, "time too late", s.spectrum, t_out=[0.0, 1e6])
    case(pv, "negative time", s.spectrum, t_out=[-0.5])


def add_reassigned(case):
    f = "reassigned_spectrogram"
    case(f, "default", s.noise)
    case(f, "float64", s.music64)
    case(f, "stereo", s.stereo, n_fft=512)
    case(f, "odd", s.music64, n_fft=501, hop_length=200)
    case(f, "window", s.noise, n_fft=512, win_length=400, window="hamming", hop_length=200)
    case(f, "not centred", s.noise, n_fft=512, center=False)
    case(f, "reflect", s.noise, n_fft=512, pad_mode="reflect")
    case(f, "frequencies", s.noise, n_fft=512, reassign_times=False)
    case(f, "times", s.noise, n_fft=512, reassign_frequencies=False)
    case(f, "filled", s.music, fill_nan=True)
    case(f, "not clipped", s.noise, n_fft=512, clip=False, ref_power=1.0)
    case(f, "relative", s.music64, ref_power=np.max)
    case(f, "dtype", s.noise, n_fft=512, dtype=np.complex128)
    case(f, "negative power", s.noise, ref_power=-1)
    case(f, "nothing to move", s.noise, reassign_times=False, reassign_frequencies=False)
    case(f, "nan", s.with_nan)
