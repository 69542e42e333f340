"""Reference cases of filters, util and the conversions: exact tables and small array tools."""

import numpy as np
import reference_signals as s


def add(case):
    add_conversions(case)
    add_filters(case)
    add_shaping(case)
    add_events(case)


def add_conversions(case):
    frames = np.array([0, 10, 123])
    for name in ("frames_to_samples", "frames_to_time"):
        case(name, "default", frames)
        case(name, "n_fft", frames, hop_length=256, n_fft=1024)
        case(name, "scalar", 7)
    times = np.array([0.0, 0.1234, 3.75])
    for name in ("time_to_frames", "time_to_samples"):
        case(name, "default", times)
        case(name, "sr", times, sr=16000)
    case("time_to_frames", "n_fft", times, n_fft=2048)
    samples = np.array([0, 511, 512, 40000])
    case("samples_to_frames", "default", samples)
    case("samples_to_frames", "n_fft", samples, n_fft=1024)
    case("samples_to_time", "default", samples)
    case("blocks_to_frames", "default", np.arange(4), block_length=16)
    case("blocks_to_samples", "default", np.arange(4), block_length=16, hop_length=256)
    case("blocks_to_time", "default", 3, block_length=16, hop_length=256, sr=16000)
    for name in ("samples_like", "times_like"):
        case(name, "array", s.ramp)
        case(name, "axis", s.ramp, axis=0, hop_length=100)
        case(name, "count", 9, n_fft=512)
    for name in ("hz_to_midi", "hz_to_octs", "hz_to_mel"):
        case(name, "default", s.frequencies)
        case(name, "scalar", 440.0)
    case("hz_to_mel", "htk", s.frequencies, htk=True)
    case("hz_to_octs", "tuning", s.frequencies, tuning=0.25, bins_per_octave=24)
    case("octs_to_hz", "default", np.array([1.0, 3.3, 7.0]))
    case("octs_to_hz", "tuning", 4.2, tuning=-0.2, bins_per_octave=24)
    case("mel_to_hz", "default", np.array([0.0, 3.5, 14.9, 15.1, 40.0]))
    case("mel_to_hz", "htk", np.array([0.0, 300.0, 2595.0]), htk=True)
    case("mel_to_hz", "scalar", 20)
    case("midi_to_hz", "default", np.array([0, 21, 69, 69.5]))
    case("midi_to_hz", "scalar", 60)
    notes = ["C", "A4", "C#3", "f4", "Bb-1", "G♯2", "E♭", "A4+32", "D##5", "B!4"]
    for name in ("note_to_hz", "note_to_midi"):
        case(name, "many", notes)
        case(name, "scalar", "A4")
        case(name, "cents", ["A4+25", "C2-40"], round_midi=name != "note_to_hz")
        case(name, "no note", "H2")
    case("note_to_midi", "unrounded", "A4+32", round_midi=False)
    case("note_to_hz", "rounded", "A4+32", round_midi=True)
    case("fft_frequencies", "default")
    case("fft_frequencies", "odd", sr=16000, n_fft=401)
    case("mel_frequencies", "default")
    case("mel_frequencies", "htk", 40, fmin=50.0, fmax=8000.0, htk=True)
    case("tempo_frequencies", "default", 384)
    case("tempo_frequencies", "hop", 20, hop_length=256, sr=16000)


def add_filters(case):
    mel = "filters.mel"
    case(mel, "default", sr=22050, n_fft=2048)
    case(mel, "htk", sr=16000, n_fft=400, n_mels=40, htk=True, norm=None)
    case(mel, "float64", sr=44100, n_fft=4096, n_mels=64, dtype=np.float64)
    case(mel, "range", sr=22050, n_fft=1024, n_mels=20, fmin=300.0, fmax=5000.0)
    case(mel, "norm 1", sr=22050, n_fft=512, n_mels=20, norm=1)
    case(mel, "norm inf", sr=22050, n_fft=512, n_mels=20, norm=np.inf)
    case(mel, "empty", sr=22050, n_fft=256, n_mels=128)
    case(mel, "unknown norm", sr=22050, n_fft=512, norm="nonsense")
    chroma = "filters.chroma"
    case(chroma, "default", sr=22050, n_fft=2048)
    case(chroma, "tuning", sr=22050, n_fft=4096, tuning=0.35, n_chroma=24)
    case(chroma, "flat", sr=22050, n_fft=1024, octwidth=None, norm=None)
    case(chroma, "float64", sr=16000, n_fft=1024, ctroct=4.0, base_c=False, dtype=np.float64)
    window = "filters.get_window"
    names = ("hann", "hamming", "blackman", "bartlett", "boxcar", "triang", "blackmanharris", "nuttall")
    for name in (*names, "flattop", "parzen", "bohman", "cosine", ("kaiser", 8.6), ("gaussian", 40), 5.0):
        case(window, str(name), name, 101)
    case(window, "symmetric", "hann", 100, fftbins=False)
    case(window, "array", np.linspace(0, 1, 64), 64)
    case(window, "callable", np.hanning, 64)
    case(window, "wrong length", np.ones(60), 64)
    case(window, "unknown", "nonsense", 64)
    case("filters.window_bandwidth", "hann", "hann")
    case("filters.window_bandwidth", "kaiser", ("kaiser", 4.0), n=500)
    square = "filters.window_sumsquare"
    case(square, "default", window="hann", n_frames=10)
    case(square, "win_length", window="hann", n_frames=7, hop_length=100, win_length=300, n_fft=512)
    case(square, "norm", window="hamming", n_frames=7, n_fft=512, norm=2, dtype=np.float64)


def add_shaping(case):
    frame = "util.frame"
    case(frame, "default", s.short, frame_length=32, hop_length=8)
    case(frame, "axis 0", s.short, frame_length=32, hop_length=8, axis=0)
    case(frame, "stereo", s.stereo, frame_length=2000, hop_length=900)
    case(frame, "too short", s.short, frame_length=200, hop_length=8)
    case(frame, "zero hop", s.short, frame_length=32, hop_length=0)
    case("util.pad_center", "default", s.short, size=131)
    case("util.pad_center", "axis", s.ramp, size=9, axis=0, mode="edge")
    case("util.pad_center", "too small", s.short, size=50)
    case("util.fix_length", "shorter", s.short, size=37)
    case("util.fix_length", "longer", s.short, size=137)
    case("util.fix_length", "edge", s.ramp, size=12, axis=-1, mode="edge")
    for norm in (np.inf, -np.inf, 0, 1, 2, 0.5, None):
        case("util.normalize", f"norm {norm}", s.power, norm=norm)
    case("util.normalize", "axis", s.decibels, axis=1)
    case("util.normalize", "all", s.decibels, axis=None, norm=2)
    case("util.normalize", "threshold", s.power, threshold=0.5)
    case("util.normalize", "fill", s.silence, norm=1, fill=True, axis=-1)
    case("util.normalize", "zero fill", s.silence, norm=2, fill=False, axis=-1)
    case("util.normalize", "float64", s.power64, norm=1)
    case("util.normalize", "integers", s.integers)
    case("util.normalize", "complex", s.spectrum, norm=2)
    case("util.normalize", "fill norm 0", s.power, norm=0, fill=True)
    case("util.normalize", "negative threshold", s.power, threshold=-1)
    case("util.normalize", "nan", s.with_nan, axis=-1)
    case("util.normalize", "unknown norm", s.power, norm="nonsense")
    for value in (s.tone, s.with_nan, s.integers, s.stereo, s.empty, 3.0, [0.0, 1.0]):
        label = getattr(value, "name", str(value))
        case("util.valid_audio", label, value)
    case("util.valid_int", "float", 3.7)
    case("util.valid_int", "ceil", 3.2, cast=np.ceil)
    case("util.valid_int", "text", "3")
    case("util.valid_int", "cast", 3, cast="nonsense")
    for value in (1, 0, -1, 2.0, np.int64(5), True, "1"):
        case("util.is_positive_int", f"{type(value).__name__} {value}", value)
    case("util.expand_to", "one axis", np.arange(5.0), ndim=3, axes=0)
    case("util.expand_to", "two axes", s.ramp, ndim=4, axes=[1, 3])
    case("util.expand_to", "too few", s.ramp, ndim=1, axes=[0, 1])
    case("util.abs2", "complex64", s.spectrum)
    case("util.abs2", "complex128", s.spectrum64)
    case("util.abs2", "real", s.ramp)
    case("util.abs2", "dtype", s.spectrum, dtype=np.float64)
    for value in (0.0, np.float32(1), np.float64(1), np.complex64(1), 3):
        case("util.tiny", type(value).__name__, value)
    for kind in (np.float32, np.float64, np.int16, np.complex64, np.complex128):
        case("util.dtype_r2c", kind.__name__, kind)
        case("util.dtype_c2r", kind.__name__, kind)


def add_events(case):
    peaks = dict(pre_max=3, post_max=3, pre_avg=5, post_avg=5, delta=0.2, wait=4)
    pick = "util.peak_pick"
    for method in ("greedy", "dp_count", "dp_value", "nonsense"):
        case(pick, method, s.envelope, method=method, **peaks)
    case(pick, "dense", s.envelope, sparse=False, **peaks)
    case(pick, "stereo", s.envelope_stereo, sparse=False, **peaks)
    case(pick, "stereo sparse", s.envelope_stereo, **peaks)
    case(pick, "float64", s.envelope64, **peaks)
    case(pick, "no wait", s.envelope, **{**peaks, "wait": 0})
    case(pick, "no peaks", s.no_onsets, **{**peaks, "delta": 1.0})
    case(pick, "axis", s.ramp, axis=0, sparse=False, **peaks)
    case(pick, "one frame", np.ones(1), **peaks)
    for name in ("pre_max", "post_max", "pre_avg", "post_avg", "delta", "wait"):
        case(pick, f"negative {name}", s.envelope, **{**peaks, name: -1})
    case("util.localmax", "1-d", s.envelope)
    case("util.localmax", "axis 0", s.decibels)
    case("util.localmax", "axis 1", s.decibels, axis=1)
    case("util.localmax", "plateau", np.array([1, 1, 0, 2, 2, 3, 3]))
    case("util.localmin", "1-d", s.envelope)
    case("util.localmin", "axis 1", s.decibels, axis=1)
    case("util.sync", "mean", s.ramp, [2, 5, 8])
    case("util.sync", "median", s.ramp, np.array([0, 5]), aggregate=np.median)
    case("util.sync", "no pad", s.ramp, [2, 5], pad=False)
    case("util.sync", "axis 0", s.ramp, [3], axis=0, aggregate=np.max)
    case("util.sync", "slices", s.ramp, [slice(0, 4), slice(4, 7)])
    case("util.sync", "text", s.ramp, ["a"])
    case("util.index_to_slice", "default", [4, 10, 20])
    case("util.index_to_slice", "range", [4, 10, 20], idx_min=0, idx_max=30, step=2)
    case("util.index_to_slice", "no pad", [4, 10, 20], idx_min=5, idx_max=18, pad=False)
    case("util.match_events", "both", np.array([1, 5, 9.2]), np.array([0.8, 4, 6, 12]))
    case("util.match_events", "left", np.array([5, 9.2]), np.array([0.8, 4, 6]), right=False)
    case("util.match_events", "right", np.array([1, 5]), np.array([0.8, 4, 6]), left=False)
    case("util.match_events", "no left", np.array([1, 5]), np.array([2, 3]), left=True, right=False)
    case("util.match_events", "empty", np.array([]), np.array([1.0]))
    case("util.fix_frames", "default", np.array([5, 20, 40]))
    case("util.fix_frames", "range", np.array([5, 20, 40]), x_min=10, x_max=60)
    case("util.fix_frames", "no pad", np.array([5, 20, 40]), x_min=10, x_max=30, pad=False)
    case("util.fix_frames", "negative", np.array([-5, 20]))
