"""The problems in librosa's words: metalmom and librosa are called alike."""

from adapters import librosa_functions


def main_job(lib, y):
    """What ``metalmom profile`` does after loading, each stage from the signal."""
    return (
        lib.stft(y),
        lib.feature.melspectrogram(y=y),
        lib.feature.mfcc(y=y, n_mfcc=13),
        lib.feature.chroma_stft(y=y),
        lib.onset.onset_strength(y=y),
        lib.beat.beat_track(y=y)[1],
    )


def solve(lib):
    feature = lib.feature
    return {
        "load": lambda path: lib.load(path)[0],
        "melspectrogram": lambda y: feature.melspectrogram(y=y),
        "mfcc": lambda y: feature.mfcc(y=y, n_mfcc=13),
        "stft": lib.stft,
        "istft": lib.istft,
        "chroma_stft": lambda y: feature.chroma_stft(y=y),
        "onset_strength": lambda y: lib.onset.onset_strength(y=y),
        "beat_track": lambda y: lib.beat.beat_track(y=y),
        "tempogram": lambda y: feature.tempogram(y=y),
        "rms": lambda y: feature.rms(y=y),
        "zero_crossing_rate": lambda y: feature.zero_crossing_rate(y),
        "hpss": lambda y: lib.effects.hpss(y),
        "spectral_centroid": lambda y: feature.spectral_centroid(y=y),
        "spectral_bandwidth": lambda y: feature.spectral_bandwidth(y=y),
        "spectral_rolloff": lambda y: feature.spectral_rolloff(y=y),
        "spectral_flatness": lambda y: feature.spectral_flatness(y=y),
        "spectral_contrast": lambda y: feature.spectral_contrast(y=y),
        "pcen": lambda S: lib.pcen(S),
        "pcen of a mel spectrogram": lambda y: lib.pcen(feature.melspectrogram(y=y)),
        "griffinlim": lambda S: lib.griffinlim(S, n_iter=8, init=None),
        "resample": lambda y: lib.resample(y, orig_sr=22050, target_sr=16000),
        "resample stereo": lambda y: lib.resample(y, orig_sr=22050, target_sr=16000),
        "main job": lambda y: main_job(lib, y),
    } | librosa_functions.solve(lib)
