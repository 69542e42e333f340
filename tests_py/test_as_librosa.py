"""Programs as librosa's users write them run on metalmom, under librosa's name.

Each of the first tests is such a program: it imports librosa, which is metalmom here, and checks what came out.
The others are of the stand-in itself.
"""

import importlib
import importlib.metadata
import importlib.util
import json
import os
import pathlib
import pickle
import subprocess
import sys
import types

import metalmom
import numpy as np
import pytest

CONTRACT = json.loads((pathlib.Path(__file__).parent / "reference" / "api.json").read_text())


@pytest.fixture(autouse=True)
def librosa_is_metalmom():
    with metalmom.install_as_librosa() as stand_in:
        yield stand_in


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


@pytest.mark.parametrize("module", filter(None, CONTRACT))
def test_modules_are_metalmoms_own(module):
    assert importlib.import_module(f"librosa.{module}") is importlib.import_module(f"metalmom.{module}")


@pytest.mark.parametrize("module", ["_cache", "core.audio", "feature.rhythm", "util._nnls", "util.exceptions", "util.utils"])
def test_modules_that_programs_reach_into_are_metalmoms_own(module):
    assert importlib.import_module(f"librosa.{module}") is importlib.import_module(f"metalmom.{module}")


def test_names_of_the_package_are_metalmoms():
    import librosa

    scope = {}
    exec("from librosa import *", scope)
    assert [name for name in CONTRACT[""] if getattr(librosa, name) is not getattr(metalmom, name)] == []
    assert scope["stft"] is metalmom.stft and set(dir(librosa)) >= set(dir(metalmom))
    assert librosa.__doc__ == metalmom.__doc__ and librosa.__file__ == metalmom.__file__
    with pytest.raises(AttributeError, match="no attribute 'no_such'"):
        librosa.no_such  # noqa: B018


def test_the_version_is_that_of_the_interface():
    import librosa
    from librosa.version import version

    assert librosa.__version__ == version == importlib.metadata.version("librosa") == "1.0.0"
    assert metalmom.__version__ == metalmom.version.version != version
    assert importlib.metadata.requires("librosa") == ["metalmom"]


def test_a_module_that_does_not_exist_is_not_found():
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'librosa\.no_such'$"):
        importlib.import_module("librosa.no_such")
    with pytest.raises(ModuleNotFoundError, match="'librosa.beat' is not a package"):
        importlib.import_module("librosa.beat.no_such")


def test_packages_ask_whether_it_is_installed():
    sys.modules.pop("librosa", None)
    found = importlib.util.find_spec("librosa")
    assert found.origin == metalmom.__file__ and "librosa" not in sys.modules
    assert importlib.util.find_spec("librosa.display") and importlib.util.find_spec("librosa.no_such") is None


def test_a_lazy_loader_has_it_when_a_name_is_used():
    sys.modules.pop("librosa", None)
    spec = importlib.util.find_spec("librosa")
    lazy = sys.modules["librosa"] = importlib.util.module_from_spec(spec)
    importlib.util.LazyLoader(spec.loader).exec_module(lazy)
    assert lazy.stft is metalmom.stft and lazy.__version__ == "1.0.0"


def test_what_names_librosa_is_unpickled():
    by_librosas_name = pickle.dumps(metalmom.feature.mfcc, 0).replace(b"metalmom", b"librosa")
    assert b"librosa" in by_librosas_name and pickle.loads(by_librosas_name) is metalmom.feature.mfcc


@pytest.fixture
def real(tmp_path, librosa_is_metalmom, monkeypatch):
    """A folder on the path with another librosa, while metalmom does not stand in for it."""
    (tmp_path / "librosa").mkdir()
    (tmp_path / "librosa" / "__init__.py").write_text("__version__ = '0.9.2'\ndef load(): pass\nclass Thing: pass\n")
    (tmp_path / "librosa" / "display.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    librosa_is_metalmom.undo()
    yield importlib.import_module("librosa")
    for name in ("librosa", "librosa.display"):
        sys.modules.pop(name, None)


def test_it_is_undone(real, librosa_is_metalmom):
    display, path = importlib.import_module("librosa.display"), list(sys.path)
    librosa_is_metalmom.undo()  # once more
    with metalmom.install_as_librosa() as outer:
        stand_in = importlib.import_module("librosa")
        with metalmom.install_as_librosa():
            assert importlib.import_module("librosa.display") is metalmom.display
        assert importlib.import_module("librosa") is stand_in is not real
        inner = metalmom.install_as_librosa()
        outer.undo()
        assert importlib.import_module("librosa") is stand_in
        inner.undo()
    assert importlib.import_module("librosa") is real and importlib.import_module("librosa.display") is display
    assert sys.path == path and sys.modules["metalmom"].__spec__.name == "metalmom"


@pytest.mark.filterwarnings("error")
def test_modules_that_have_the_real_one_are_named(real, monkeypatch):
    metalmom.install_as_librosa().undo()  # nobody has it but this function
    held = {"app": {"librosa": real}, "app.io": {"read": real.load}, "app.things": {"Thing": real.Thing}}
    for name, values in held.items():
        module = types.ModuleType(name)
        vars(module).update(values)
        monkeypatch.setitem(sys.modules, name, module)
    words = r"^app, app\.io and app\.things have imported the real librosa and keep it: call install_as_librosa\(\) before"
    with pytest.warns(UserWarning, match=words) as told, metalmom.install_as_librosa():
        metalmom.install_as_librosa().undo()  # which says it no second time
    assert [each.filename for each in told] == [__file__]


# A program that says what it has got, and what a child of each kind has got.
PROGRAM = """
import importlib.metadata, multiprocessing, subprocess, sys
import librosa.display

def got(_=None):
    import librosa
    return f"{librosa.stft.__module__} {librosa.__version__} {importlib.metadata.version('librosa')}"

if __name__ == "__main__":
    print(*sys.argv[1:], sys.path[%s], sep="|")
    print(got())
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(*pool.map(got, [None]), flush=True)  # before a child writes to the same pipe
    child = "import librosa.beat; print(librosa.stft.__module__, librosa.__version__, librosa.beat.__name__)"
    subprocess.run([sys.executable, "-c", child], check=True)
    sys.exit(3)
"""


@pytest.mark.parametrize("way", ["SCRIPT", "-m"])
def test_a_program_runs_under_it(way, real, tmp_path):
    (tmp_path / "work").mkdir()
    script = tmp_path / "work" / "program.py"
    script.write_text(PROGRAM % 1)
    words = [str(script)] if way == "SCRIPT" else ["-m", "program"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(tmp_path)])}
    done = subprocess.run([sys.executable, "-m", "metalmom.as_librosa", *words, "-m", "--x=1"], env=environment,
                          cwd=tmp_path / "work", capture_output=True, text=True, timeout=100)  # fmt: skip
    assert done.stdout.splitlines() == [
        f"-m|--x=1|{tmp_path / 'work'}", *["metalmom.core.spectrum 1.0.0 1.0.0"] * 2,
        "metalmom.core.spectrum 1.0.0 metalmom.beat",
    ], done.stderr  # fmt: skip
    assert done.returncode == 3


def run_as_librosa(*words):
    return subprocess.run(
        [sys.executable, "-m", "metalmom.as_librosa", *words], capture_output=True, text=True, timeout=100
    )


def test_a_text_runs_under_it():
    code = "import librosa, sys; print(sys.argv, librosa.__version__, __name__)"
    assert run_as_librosa("-c", code, "-m", "x").stdout == "['-c', '-m', 'x'] 1.0.0 __main__\n"


def test_a_wrong_command_says_what_is_wrong():
    done = run_as_librosa("no_such.py")
    assert done.returncode == 2 and done.stderr.endswith("error: no_such.py: no such file\n")
    assert run_as_librosa().returncode == 2
