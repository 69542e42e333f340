"""Every public name that exists has librosa 1.0.0's signature and lies in librosa's module."""

import inspect
import json
import pathlib
import subprocess
import sys

import api_coverage
import metalmom
import metalmom._native as native
import pytest

TABLE = json.loads((pathlib.Path(__file__).parent / "reference" / "api.json").read_text())
COMPARED = {module: rest for module, *rest in api_coverage.compare(TABLE)}

# What the main job and its neighbours need; other names may be missing.
MAIN_JOB = {
    "": "load stream resample to_mono get_duration get_samplerate autocorrelate tone chirp clicks "
    "stft istft magphase power_to_db db_to_power amplitude_to_db db_to_amplitude piptrack "
    "pitch_tuning estimate_tuning frames_to_samples frames_to_time samples_to_frames "
    "samples_to_time time_to_frames time_to_samples blocks_to_frames blocks_to_samples "
    "blocks_to_time samples_like times_like note_to_hz note_to_midi midi_to_hz hz_to_midi "
    "hz_to_mel mel_to_hz hz_to_octs octs_to_hz fft_frequencies mel_frequencies "
    "tempo_frequencies pcen griffinlim zero_crossings ParameterError LibrosaError",
    "feature": "melspectrogram mfcc chroma_stft tempogram tempo rms spectral_centroid "
    "spectral_bandwidth spectral_rolloff spectral_flatness spectral_contrast zero_crossing_rate",
    "onset": "onset_strength onset_strength_multi onset_detect onset_backtrack",
    "beat": "beat_track",
    "effects": "hpss harmonic percussive",
    "decompose": "hpss",
    "filters": "get_window mel chroma window_sumsquare window_bandwidth",
    "util": "frame pad_center fix_length normalize peak_pick localmax valid_audio valid_int "
    "is_positive_int sync index_to_slice match_events expand_to abs2 tiny dtype_r2c dtype_c2r "
    "fix_frames",
}


@pytest.mark.parametrize("module", TABLE)
def test_signatures_and_homes(module):
    _, _, different = COMPARED[module]
    assert different == []


@pytest.mark.parametrize("module", MAIN_JOB)
def test_main_job_is_there(module):
    _, missing, _ = COMPARED[module]
    assert sorted(set(MAIN_JOB[module].split()) & set(missing)) == []


# Functions whose signatures write the engine's default values out.
SPELLED_OUT = {
    "stft": "n_fft",
    "power_to_db": "amin top_db",
    "feature.melspectrogram": "sr n_fft hop_length",
    "feature.mfcc": "sr n_mfcc",
    "feature.chroma_stft": "sr n_fft hop_length n_chroma",
    "feature.spectral_flatness": "n_fft hop_length amin",
    "feature.tempo": "sr hop_length start_bpm std_bpm ac_size max_tempo",
    "beat.beat_track": "sr hop_length start_bpm",
    "onset.onset_strength_multi": "sr n_fft hop_length",
    "filters.mel": "n_mels",
}


@pytest.mark.parametrize("path", SPELLED_OUT)
def test_the_engine_has_the_defaults_of_signatures(path):
    function = metalmom
    for part in path.split("."):
        function = getattr(function, part)
    parameters = inspect.signature(function).parameters
    for name in SPELLED_OUT[path].split():
        assert parameters[name].default == native.defaults[name], name


def test_every_default_of_the_engine_is_compared():
    assert set(" ".join(SPELLED_OUT.values()).split()) == set(native.defaults)


def test_a_difference_is_seen():
    """The comparison: a changed default and a changed home both count."""
    assert api_coverage.signature_text(lambda y, *, sr=22050: y) == "(y, *, sr=22050)"
    table = {"util": {"tiny": ["util.utils", "(x, *, y=1)"]}}
    ((_, _, missing, different),) = api_coverage.compare(table)
    assert missing == []
    assert different == [("tiny", ["util.utils", "(x, *, y=1)"], ["util.utils", "(x)"])]


def test_the_stubs_are_those_of_the_modules(root):
    """Type checkers read what the extension holds, and what modules gather of others."""
    command = [sys.executable, root / "scripts" / "make_stubs.py", "--check"]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, f"run scripts/make_stubs.py:\n{ran.stdout}{ran.stderr}"
    assert (root / "python" / "metalmom" / "py.typed").exists()
