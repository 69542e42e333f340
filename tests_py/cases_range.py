"""Reference cases of numbers near the ends of the range, where squares of them overflow or vanish."""

import reference_signals as s

FRAMES = dict(n_fft=32, hop_length=16)
AUDIO = {"loud": s.loud, "faint": s.faint, "loud64": s.loud64, "faint64": s.faint64}
SPECTRA = {
    "loud64": (s.loud_spectrum64, s.loud_magnitude64),
    "faint64": (s.faint_spectrum64, s.faint_magnitude64),
}


def add(case):
    for name, y in AUDIO.items():
        add_audio(case, name, y)
    for name, (D, S) in SPECTRA.items():
        add_spectra(case, name, D, S)
    add_narrowed(case)


def add_audio(case, name, y):
    case("stft", name, y, **FRAMES)
    case("feature.melspectrogram", f"{name}, magnitude", y=y, power=1.0, n_mels=4, **FRAMES)
    for shape in ("centroid", "bandwidth", "rolloff"):
        case(f"feature.spectral_{shape}", name, y=y, **FRAMES)
    case("feature.spectral_bandwidth", f"{name}, p 3", y=y, p=3, **FRAMES)
    case("feature.spectral_contrast", f"{name}, linear", y=y, fmin=1500, n_bands=2, linear=True, **FRAMES)
    case("feature.zero_crossing_rate", name, y, frame_length=32, hop_length=16, threshold=0)
    case("feature.poly_features", name, y=y, **FRAMES)
    case("effects.hpss", name, y, **FRAMES)
    case("effects.harmonic", f"{name}, margin", y, margin=2.0, **FRAMES)
    case("effects.preemphasis", name, y)
    case("effects.deemphasis", name, y)
    case("effects.time_stretch", name, y, rate=1.3, n_fft=32)
    case("reassigned_spectrogram", name, y, ref_power=0, **FRAMES)
    case("reassigned_spectrogram", f"{name}, filled", y, fill_nan=True, **FRAMES)
    case("to_mono", name, y)


def add_spectra(case, name, D, S):
    case("istft", name, D)
    case("magphase", name, D)
    case("phase_vocoder", name, D, rate=1.5)
    case("decompose.hpss", f"{name}, complex", D, kernel_size=5)
    case("decompose.hpss", name, S, kernel_size=5)
    case("griffinlim", name, S, n_iter=3, init=None)
    for shape in ("centroid", "bandwidth", "rolloff"):
        case(f"feature.spectral_{shape}", f"{name}, S", S=S)
    case("feature.spectral_bandwidth", f"{name}, S not normalised, p 1", S=S, norm=False, p=1)
    case("util.normalize", name, S, norm=1)


def add_narrowed(case):
    """What becomes float32 is beyond its range, squares of what is `quiet` are below it."""
    case("feature.rms", "loud64", y=s.loud64, frame_length=32, hop_length=16)
    case("effects.trim", "loud64", s.loud64, frame_length=32, hop_length=16)
    case("effects.split", "loud64", s.loud64, frame_length=32, hop_length=16)
    case("yin", "quiet", s.quiet, fmin=100, fmax=1000)
    case("pyin", "quiet", s.quiet, fmin=100, fmax=1000)
