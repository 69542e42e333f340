"""A program that type checkers read: `mypy --strict` passes on it, and it runs.

It uses over thirty functions, and says of their results what they are.
"""

import pathlib
import sys
from typing import Any, assert_type

import metalmom as librosa
import numpy as np
import numpy.typing as npt

Real = npt.NDArray[np.floating[Any]]
Whole = npt.NDArray[np.integer[Any]]


def rhythm(y: Real, sr: float) -> tuple[float, list[float]]:
    envelope = librosa.onset.onset_strength(y=y, sr=sr, aggregate=np.median)
    tempo, beats = librosa.beat.beat_track(onset_envelope=envelope, sr=sr)
    times = librosa.frames_to_time(beats, sr=sr)
    mask: npt.NDArray[np.bool_] = librosa.onset.onset_detect(onset_envelope=envelope, sparse=False)
    assert mask.shape == envelope.shape
    tempogram: npt.NDArray[np.float64] = librosa.feature.tempogram(onset_envelope=envelope, sr=sr)
    assert tempogram.shape[-1] == envelope.shape[-1]
    return float(np.squeeze(tempo)), [float(time) for time in times]


def timbre(y: Real, sr: float) -> dict[str, float]:
    power: Real = librosa.feature.melspectrogram(y=y, sr=sr, n_mels=64)
    level = librosa.power_to_db(power, ref=np.max)
    cepstra = librosa.feature.mfcc(S=level, n_mfcc=13)
    moving = librosa.feature.delta(cepstra)
    rows = {
        "centroid": librosa.feature.spectral_centroid(y=y, sr=sr),
        "contrast": librosa.feature.spectral_contrast(y=y, sr=sr),
        "flatness": librosa.feature.spectral_flatness(y=y),
        "crossings": librosa.feature.zero_crossing_rate(y),
        "rms": librosa.feature.rms(y=y),
        "moving": moving,
    }
    return {name: float(np.mean(values)) for name, values in rows.items()}


def harmony(y: Real, sr: float) -> list[str]:
    D: npt.NDArray[np.complexfloating[Any, Any]] = librosa.stft(y, n_fft=4096)
    S, phase = librosa.magphase(D)
    harmonic, percussive = librosa.decompose.hpss(S)
    assert harmonic.shape == percussive.shape == phase.shape
    chroma = librosa.feature.chroma_cqt(y=y, sr=sr)
    assert librosa.feature.tonnetz(chroma=chroma).shape[0] == 6
    loudest: Whole = chroma.sum(axis=-1).argsort()[::-1]
    names: npt.NDArray[np.str_] = librosa.midi_to_note(loudest[:3] + 60, octave=False)
    return [str(name) for name in names]


def melody(y: Real, sr: float) -> str:
    f0, voiced, _ = librosa.pyin(y, sr=sr, fmin=librosa.note_to_hz("C2"), fmax=2093)
    if not voiced.any():
        return "?"
    name: str = librosa.hz_to_note(float(np.median(f0[voiced])))
    return name


def structure(features: Real) -> Whole:
    links: npt.NDArray[Any] = librosa.segment.recurrence_matrix(features, mode="affinity", sym=True)
    enhanced = librosa.segment.path_enhance(links, 9)
    cost, path = librosa.sequence.dtw(C=1 - enhanced)
    only_cost: npt.NDArray[np.float64] = librosa.sequence.dtw(C=1 - enhanced, backtrack=False)
    assert cost.shape == only_cost.shape and path.shape[1] == 2
    return librosa.segment.agglomerative(features, 4)


def rare_flags(y: Real) -> None:
    """What flags ask for that are seldom given is typed, too."""
    mask = librosa.onset.onset_detect(y=y, sparse=False)
    assert_type(mask, npt.NDArray[np.bool_])
    _, beats = librosa.beat.beat_track(y=y, sparse=False)
    assert_type(beats, npt.NDArray[np.bool_])
    loop = librosa.sequence.transition_loop(2, 0.9)
    path, logp = librosa.sequence.viterbi(np.full((2, 9), 0.5), loop, return_logp=True)
    assert_type(path, npt.NDArray[np.uint16])
    assert_type(logp, npt.NDArray[np.float64])
    score: Real = librosa.sequence.rqa(np.eye(4), backtrack=False)
    sharp, state = librosa.effects.preemphasis(y, return_zf=True)
    assert score.shape == (4, 4) and mask.shape == beats.shape and sharp.shape == y.shape and state.shape == (1,)


def on_a_device(y: Real) -> tuple[Real, Real]:
    batch: librosa.DeviceArray = librosa.to_device(np.stack([y, y]))
    level: librosa.DeviceArray = librosa.feature.rms(y=batch)
    decibels: Real = librosa.amplitude_to_db(level).numpy()
    contrast: Real = librosa.feature.spectral_contrast(y=batch)
    return decibels, contrast


def main(path: pathlib.Path) -> None:
    y, sr = librosa.load(path, sr=22050, duration=8)
    y, index = librosa.effects.trim(y, top_db=40)
    assert index[1] - index[0] == y.shape[-1]
    with librosa.config_context(threads=1, backend="cpu"):
        tempo, beats = rhythm(y, sr)
    print(f"{tempo:.1f} beats per minute, {len(beats)} beats, {librosa.get_duration(y=y, sr=sr):.1f} s")
    print(timbre(y, sr), harmony(y, sr), melody(librosa.effects.harmonic(y[: 2 * 22050]), sr))
    bounds = structure(librosa.feature.mfcc(y=y, sr=sr, hop_length=2048))
    print(librosa.samples_to_time(bounds * 2048, sr=sr))
    rare_flags(y)
    slower = librosa.effects.time_stretch(y, rate=0.8)
    print(librosa.resample(slower, orig_sr=sr, target_sr=16000).shape, librosa.amplitude_to_db(2.0))
    if librosa.devices():
        print(*(values.shape for values in on_a_device(y[: 22050])))
    values = librosa.Extractor(["mfcc", "rms"], sr=sr)(y)
    print(sorted(values), librosa.get_config()["threads"], librosa.get_config()["backend"])
    try:
        librosa.util.frame(y, frame_length=0, hop_length=1)
    except librosa.ParameterError as error:
        print(error)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
