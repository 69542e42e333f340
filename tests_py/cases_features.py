"""Reference cases of feature: bands, cepstra, chroma, spectral shapes, rhythm."""

import numpy as np
import reference_signals as s


def add(case):
    add_bands(case)
    add_chroma(case)
    add_shapes(case)
    add_tempo(case)


def add_bands(case):
    mel = "feature.melspectrogram"
    case(mel, "default", y=s.music)
    case(mel, "float64", y=s.music64)
    case(mel, "noise", y=s.noise, n_fft=512, hop_length=256, n_mels=40)
    case(mel, "speech", y=s.noise, sr=16000, n_fft=400, hop_length=160, n_mels=80)
    case(mel, "magnitude", y=s.noise, power=1.0, n_mels=40)
    case(mel, "other power", y=s.noise, power=0.7, n_mels=40)
    case(mel, "other byte order", y=s.noise, n_mels=40, dtype=np.dtype(">f8"))
    case(mel, "htk", y=s.noise, n_mels=40, htk=True, norm=None)
    case(mel, "range", y=s.noise, n_mels=40, fmin=100, fmax=6000)
    case(mel, "norm 1", y=s.noise, n_mels=40, norm=1)
    case(mel, "win_length", y=s.music, n_mels=40, win_length=1200, window="hamming")
    case(mel, "not centred", y=s.music, n_mels=40, center=False)
    case(mel, "reflect", y=s.music, n_mels=40, pad_mode="reflect")
    case(mel, "S", S=s.magnitude2048)
    case(mel, "S other n_fft", S=s.power, n_mels=20)
    case(mel, "stereo", y=s.stereo, n_mels=40)
    case(mel, "batch", y=s.batch, n_fft=512, n_mels=20)
    case(mel, "strided", y=s.strided, n_mels=40)
    case(mel, "transposed", y=s.transposed, n_mels=40)
    case(mel, "tone", y=s.tone, n_mels=64)
    case(mel, "fading", y=s.fading, n_mels=64, n_fft=1024)
    case(mel, "silence", y=s.silence)
    case(mel, "short", y=s.short)
    case(mel, "single sample", y=s.single)
    case(mel, "empty filters", y=s.noise, n_fft=256, n_mels=128)
    case(mel, "empty", y=s.empty)
    case(mel, "nan", y=s.with_nan)
    case(mel, "integers", y=s.integers)
    case(mel, "nothing")
    case(mel, "zero hop", y=s.noise, hop_length=0)
    mfcc = "feature.mfcc"
    case(mfcc, "default", y=s.music)
    case(mfcc, "13", y=s.music, n_mfcc=13)
    case(mfcc, "float64", y=s.music64, n_mfcc=13)
    case(mfcc, "lifter", y=s.music, n_mfcc=13, lifter=22)
    for kind in (1, 3):
        case(mfcc, f"dct {kind}", y=s.music, n_mfcc=13, dct_type=kind, norm=None)
    case(mfcc, "not normalised", y=s.music, n_mfcc=13, norm=None)
    case(mfcc, "speech", y=s.noise, sr=16000, n_mfcc=13, n_fft=400, hop_length=160, n_mels=40)
    case(mfcc, "mel_norm", y=s.noise, n_mfcc=13, mel_norm=None, n_mels=40)
    case(mfcc, "S", S=s.decibels, n_mfcc=13)
    case(mfcc, "stereo", y=s.stereo, n_mfcc=13)
    case(mfcc, "fading", y=s.fading, n_mfcc=13)
    case(mfcc, "silence", y=s.silence, n_mfcc=13)
    case(mfcc, "short", y=s.short, n_mfcc=13)
    case(mfcc, "negative lifter", y=s.music, lifter=-1)
    rms = "feature.rms"
    case(rms, "default", y=s.music)
    case(rms, "float64 in", y=s.music64)
    case(rms, "float64 out", y=s.music, dtype=np.float64)
    case(rms, "dtype of y", y=s.music, dtype=None)
    case(rms, "frames", y=s.music, frame_length=500, hop_length=200)
    case(rms, "not centred", y=s.music, center=False)
    case(rms, "reflect", y=s.music, pad_mode="reflect")
    case(rms, "stereo", y=s.stereo)
    case(rms, "S", S=s.magnitude2048)
    case(rms, "odd frame S", S=s.power, frame_length=513)
    case(rms, "wrong frame", S=s.power)
    case(rms, "silence", y=s.silence)
    case(rms, "nothing")
    zcr = "feature.zero_crossing_rate"
    case(zcr, "default", s.noise)
    case(zcr, "frames", s.noise, frame_length=500, hop_length=200)
    case(zcr, "not centred", s.noise, center=False)
    case(zcr, "options", s.fading, threshold=0.05, pad=False)
    case(zcr, "stereo", s.stereo)
    case(zcr, "float64", s.music64)
    case(zcr, "silence", s.silence)


def add_chroma(case):
    chroma = "feature.chroma_stft"
    case(chroma, "default", y=s.music)
    case(chroma, "tuned", y=s.music, tuning=0.0)
    case(chroma, "float64", y=s.music64)
    case(chroma, "detuned", y=s.detuned)
    case(chroma, "norm 2", y=s.music, tuning=0.1, norm=2)
    case(chroma, "no norm", y=s.music, tuning=0.0, norm=None)
    case(chroma, "24 bins", y=s.music, n_chroma=24, base_c=False)
    case(chroma, "small", y=s.music, n_fft=1024, hop_length=256, octwidth=None)
    case(chroma, "S", S=s.magnitude2048)
    case(chroma, "stereo", y=s.stereo)
    case(chroma, "stereo tuned", y=s.stereo, tuning=0.0)
    case(chroma, "fading", y=s.fading, tuning=0.0)
    case(chroma, "silence", y=s.silence)
    case(chroma, "short", y=s.short)
    case(chroma, "nothing")


def add_shapes(case):
    for name in ("centroid", "bandwidth", "rolloff", "flatness", "contrast"):
        f = f"feature.spectral_{name}"
        case(f, "default", y=s.music)
        case(f, "noise", y=s.noise, n_fft=1024, hop_length=300)
        case(f, "float64", y=s.music64)
        case(f, "S", S=s.magnitude2048)
        case(f, "stereo", y=s.stereo)
        case(f, "fading", y=s.fading)
        case(f, "silence", y=s.silence)
        case(f, "window", y=s.music, n_fft=1024, win_length=800, window="hamming")
        case(f, "not centred", y=s.music, center=False, n_fft=1024)
        case(f, "nothing")
        if name != "contrast":  # librosa computes nonsense, metalmom refuses
            case(f, "negative S", S=s.decibels)
            case(f, "complex S", S=s.spectrum)
    freq = np.linspace(0, 5000, 1025)
    moving = np.linspace(0, 1000, 1025 * 12).reshape(1025, 12)
    for name in ("centroid", "bandwidth", "rolloff"):
        case(f"feature.spectral_{name}", "freq", S=s.magnitude2048, freq=freq)
        case(f"feature.spectral_{name}", "freq per frame", S=s.magnitude2048, freq=moving)
    width = "feature.spectral_bandwidth"
    case(width, "p 3", y=s.noise, p=3)
    case(width, "not normalised", y=s.noise, norm=False)
    case(width, "own centroid", S=s.magnitude2048, centroid=np.full((1, 12), 2000.0))
    case("feature.spectral_rolloff", "0.5", y=s.noise, roll_percent=0.5)
    case("feature.spectral_rolloff", "1.5", y=s.noise, roll_percent=1.5)
    flatness = "feature.spectral_flatness"
    case(flatness, "power 1", y=s.noise, power=1.0)
    case(flatness, "amin", y=s.fading, amin=1e-3)
    case(flatness, "zero amin", y=s.noise, amin=0)
    contrast = "feature.spectral_contrast"
    case(contrast, "linear", y=s.noise, linear=True)
    case(contrast, "bands", y=s.noise, fmin=100, n_bands=4, quantile=0.1)
    case(contrast, "too many bands", y=s.noise, n_bands=9)
    case(contrast, "bad quantile", y=s.noise, quantile=1.5)


def add_tempo(case):
    gram = "feature.tempogram"
    case(gram, "default", y=s.music)
    case(gram, "float64", y=s.music64, win_length=96)
    case(gram, "envelope", onset_envelope=s.envelope, win_length=100)
    case(gram, "envelope float64", onset_envelope=s.envelope64, win_length=100)
    case(gram, "not centred", onset_envelope=s.envelope, win_length=101, center=False)
    case(gram, "no norm", onset_envelope=s.envelope, win_length=64, norm=None, window="hamming")
    case(gram, "stereo", onset_envelope=s.envelope_stereo, win_length=64)
    case(gram, "no onsets", onset_envelope=s.no_onsets, win_length=64)
    case(gram, "zero window", onset_envelope=s.envelope, win_length=0)
    case(gram, "nothing")
    tempo = "feature.tempo"
    case(tempo, "song", y=s.song)
    case(tempo, "float64", y=s.song64)
    case(tempo, "envelope", onset_envelope=s.envelope)
    case(tempo, "stereo", onset_envelope=s.envelope_stereo)
    case(tempo, "dynamic", onset_envelope=s.envelope, aggregate=None)
    case(tempo, "start", onset_envelope=s.envelope, start_bpm=60, std_bpm=0.5)
    case(tempo, "max", onset_envelope=s.envelope, max_tempo=100.0)
    case(tempo, "short window", onset_envelope=s.envelope, ac_size=4.0)
    case(tempo, "median", onset_envelope=s.envelope, aggregate=np.median)
    case(tempo, "no onsets", onset_envelope=s.no_onsets)
    case(tempo, "short", y=s.short)
    case(tempo, "zero bpm", onset_envelope=s.envelope, start_bpm=0)
    case(tempo, "nothing")
