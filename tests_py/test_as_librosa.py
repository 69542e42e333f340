"""Programs as librosa's users write them run on metalmom, under librosa's name.

Each test is such a program: it imports librosa, which is metalmom here, and checks what came out.
"""

import importlib
import pkgutil
import sys

import metalmom
import numpy as np
import pytest


@pytest.fixture(autouse=True)
def librosa_is_metalmom(monkeypatch):
    """Put every module of metalmom under librosa's name, as if librosa were it."""
    for found in pkgutil.walk_packages(metalmom.__path__, "metalmom."):
        if found.ispkg or "._" not in found.name and not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    for name, module in list(sys.modules.items()):
        if name == "metalmom" or name.startswith("metalmom."):
            monkeypatch.setitem(sys.modules, "librosa" + name.removeprefix("metalmom"), module)


@pytest.fixture(scope="module")
def song(tmp_path_factory):
    """A song's file: 12 s of drums, bass and chords, in stereo."""
    path = tmp_path_factory.mktemp("song") / "song.wav"
    metalmom.demo.write_wav(path, duration=12)
    return str(path)


def test_beats(song):
    import librosa

    y, sr = librosa.load(song)
    tempo, beat_frames = librosa.beat.beat_track(y=y, sr=sr)
    beat_times = librosa.frames_to_time(beat_frames, sr=sr)
    assert abs(float(tempo[0]) / metalmom.demo.TEMPO - 1) < 0.05
    assert abs(np.median(np.diff(beat_times)) - 60 / metalmom.demo.TEMPO) < 0.03


def test_features_by_beat(song):
    import librosa

    y, sr = librosa.load(song, duration=8)
    hop_length = 512
    y_harmonic, y_percussive = librosa.effects.hpss(y)
    _, beats = librosa.beat.beat_track(y=y_percussive, sr=sr)
    mfcc = librosa.feature.mfcc(y=y, sr=sr, hop_length=hop_length, n_mfcc=13)
    mfcc_delta = librosa.feature.delta(mfcc)
    by_beat = librosa.util.sync(np.vstack([mfcc, mfcc_delta]), beats)
    chroma = librosa.feature.chroma_stft(y=y_harmonic, sr=sr)
    chroma = librosa.util.sync(chroma, beats, aggregate=np.median)
    features = np.vstack([chroma, by_beat])
    assert features.shape == (38, len(beats) + 1)


def test_a_log_mel_spectrogram_as_networks_take_it(song):
    import librosa

    y, sr = librosa.load(song, sr=16000, mono=True, offset=1.0, duration=4.0)
    S = librosa.feature.melspectrogram(
        y=y, sr=sr, n_fft=400, hop_length=160, n_mels=80, fmin=20, fmax=8000
    )
    log_mel = librosa.power_to_db(S, ref=np.max)
    padded = librosa.util.fix_length(log_mel, size=500, axis=-1)
    assert padded.shape == (80, 500) and padded.dtype == np.float32
    assert log_mel.max() <= 1e-5 and log_mel.min() >= -80


def test_onsets_and_clicks_where_they_are(song):
    import librosa

    y, sr = librosa.load(song, duration=6)
    o_env = librosa.onset.onset_strength(y=y, sr=sr)
    times = librosa.times_like(o_env, sr=sr)
    frames = librosa.onset.onset_detect(onset_envelope=o_env, sr=sr, backtrack=True)
    clicks = librosa.clicks(frames=frames, sr=sr, length=len(y))
    assert len(clicks) == len(y) and np.abs(clicks).max() > 0
    assert times[frames].max() <= 6 and len(frames) > 6


def test_a_row_of_numbers_for_each_clip(song):
    import librosa
    from librosa import feature

    rows = []
    for offset in (0, 3, 6):
        y, sr = librosa.load(song, sr=None, offset=offset, duration=3)
        values = {"zcr": feature.zero_crossing_rate(y), "rms": feature.rms(y=y)}
        for name in ("centroid", "bandwidth", "rolloff", "contrast", "flatness"):
            function = getattr(feature, f"spectral_{name}")
            values[name] = function(y=y) if name == "flatness" else function(y=y, sr=sr)
        rows.append([float(np.mean(v)) for v in values.values()])
    assert np.isfinite(rows).all() and np.shape(rows) == (3, 7)


def test_silence_is_cut(song):
    import librosa

    y, sr = librosa.load(song, duration=2)
    quiet = np.concatenate([np.zeros(sr), y, np.zeros(sr), y, np.zeros(sr)]).astype(np.float32)
    trimmed, index = librosa.effects.trim(quiet, top_db=40)
    assert abs(librosa.get_duration(y=trimmed, sr=sr) - 5) < 0.3
    intervals = librosa.effects.split(quiet, top_db=40)
    sounding = librosa.effects.remix(quiet, intervals)
    assert len(sounding) < len(trimmed) and index[0] >= sr - 2048


def test_augmentation(song):
    import librosa

    rng = np.random.default_rng(0)
    y, sr = librosa.load(song, duration=2)
    made = [
        librosa.effects.time_stretch(y, rate=rng.uniform(0.8, 1.25)),
        librosa.effects.pitch_shift(y, sr=sr, n_steps=rng.integers(-3, 4)),
        librosa.effects.preemphasis(y),
        librosa.resample(y, orig_sr=sr, target_sr=16000),
        librosa.util.normalize(y + 0.005 * rng.standard_normal(len(y)).astype(y.dtype)),
    ]
    assert all(np.isfinite(z).all() and z.ndim == 1 for z in made)
    assert len(made[1]) == len(y)


def test_audio_from_a_spectrogram(song):
    import librosa

    y, _ = librosa.load(song, duration=2)
    D = librosa.stft(y)
    magnitude, phase = librosa.magphase(D)
    np.testing.assert_allclose(
        librosa.istft(magnitude * phase, length=len(y)), y, atol=1e-4
    )
    again = librosa.griffinlim(magnitude, n_iter=8, length=len(y), rng=0)
    difference = np.abs(librosa.stft(again)) - magnitude
    assert np.linalg.norm(difference) < 0.3 * np.linalg.norm(magnitude)


def test_a_long_file_block_by_block(song):
    import librosa

    sr = librosa.get_samplerate(song)
    blocks = librosa.stream(song, block_length=64, frame_length=2048, hop_length=512, mono=True)
    peaks = [
        librosa.feature.melspectrogram(y=block, sr=sr, center=False, n_mels=40).max()
        for block in blocks
        if len(block) >= 2048
    ]
    assert len(peaks) >= 15 and np.isfinite(peaks).all()


def test_tuning_and_notes():
    import librosa

    y = librosa.tone(445.0, sr=22050, duration=1.0)
    tuning = librosa.estimate_tuning(y=y, sr=22050)
    assert abs(tuning - 12 * np.log2(445 / 440)) < 0.03
    pitches, magnitudes = librosa.piptrack(y=y, sr=22050)
    strongest = pitches[np.unravel_index(magnitudes.argmax(), magnitudes.shape)]
    assert librosa.hz_to_note(strongest, unicode=False) == "A4"
    assert librosa.note_to_midi(["C4", "A4"]).tolist() == [60, 69]


def test_rhythm(song):
    import librosa

    y, sr = librosa.load(song, duration=10)
    envelope = librosa.onset.onset_strength(y=y, sr=sr, aggregate=np.median)
    tempogram = librosa.feature.tempogram(onset_envelope=envelope, sr=sr)
    tempo = librosa.feature.tempo(onset_envelope=envelope, sr=sr, aggregate=None)
    assert tempo.shape == tempogram.shape[-1:]
    pulse = librosa.beat.plp(onset_envelope=envelope, sr=sr)
    peaks = np.flatnonzero(librosa.util.localmax(pulse))
    assert 8 < len(peaks) < 60


def test_two_performances_are_aligned(song):
    import librosa

    y, sr = librosa.load(song, duration=5)
    slower = librosa.effects.time_stretch(y, rate=0.8)
    chroma = [librosa.feature.chroma_stft(y=z, sr=sr, tuning=0) for z in (y, slower)]
    D, path = librosa.sequence.dtw(X=chroma[0], Y=chroma[1], metric="cosine")
    middle = path[np.abs(path[:, 0] - chroma[0].shape[1] // 2).argmin()]
    assert abs(middle[1] / middle[0] - 1.25) < 0.12
    assert D.shape == (chroma[0].shape[1], chroma[1].shape[1])


def test_names_imported_one_by_one(song):
    import librosa.core
    import librosa.util as util
    from librosa.core import load, power_to_db
    from librosa.util.exceptions import ParameterError

    scope = {}
    exec("from librosa.feature import *", scope)
    y, sr = load(song, duration=1)
    assert librosa.core.stft is librosa.stft
    assert power_to_db(scope["melspectrogram"](y=y, sr=sr)).shape == (128, 44)
    with pytest.raises(ParameterError):
        util.frame(y, frame_length=0, hop_length=1)


def test_a_picture_for_a_paper(song, tmp_path):
    plt = pytest.importorskip("matplotlib.pyplot")
    import librosa
    import librosa.display

    y, sr = librosa.load(song, duration=4)
    fig, ax = plt.subplots(nrows=2, sharex=True)
    S = librosa.feature.melspectrogram(y=y, sr=sr)
    image = librosa.display.specshow(
        librosa.power_to_db(S, ref=np.max), x_axis="time", y_axis="mel", sr=sr, ax=ax[0]
    )
    fig.colorbar(image, ax=ax[0], format="%+2.0f dB")
    librosa.display.waveshow(y, sr=sr, ax=ax[1])
    ax[0].set(title="Mel-frequency spectrogram")
    ax[0].label_outer()
    fig.savefig(tmp_path / "mel.png")
    plt.close(fig)
    assert (tmp_path / "mel.png").stat().st_size > 10_000


def test_pcen_and_decibels_in_a_noisy_room(song):
    import librosa

    y, sr = librosa.load(song, duration=3)
    S = librosa.feature.melspectrogram(y=y * 2**31, sr=sr, power=1)
    normalised = librosa.pcen(S, sr=sr, gain=1.1, hop_length=512, bias=2, power=0.5)
    assert normalised.shape == S.shape and normalised.min() >= 0
    decibels = librosa.amplitude_to_db(S, ref=np.max)
    np.testing.assert_allclose(
        librosa.db_to_amplitude(decibels[decibels > -79], ref=S.max()), S[decibels > -79], rtol=1e-3
    )


def test_states_by_viterbi(song):
    import librosa

    y, _ = librosa.load(song, duration=4)
    level = librosa.feature.rms(y=y)[0]
    loud = 1 / (1 + np.exp(-20 * (level - np.median(level))))
    transition = librosa.sequence.transition_loop(2, [0.9, 0.9])
    states = librosa.sequence.viterbi_discriminative(np.vstack([1 - loud, loud]), transition)
    assert states.shape == level.shape and set(np.unique(states)) <= {0, 1}
