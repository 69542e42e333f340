"""``metalmom separate``: files, folders, formats, what fails and what is told."""

import json
import os
import signal
import subprocess
import sys
import time
import wave

import numpy as np
import pytest

import metalmom
from metalmom import cli, separation
from metalmom.cli import separate as command

ABOUT = {"kind": "waveform", "sr": 8000, "channels": 2, "stems": ["one", "two"], "segment": 1.0}


def shares(segment):
    return np.stack([segment * np.float32(0.25), segment * np.float32(0.75)])


def write_wav(path, seconds=3.0, sr=8000):
    samples = np.random.default_rng(1).integers(-9999, 9999, (int(seconds * sr), 2)).astype("<i2")
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as out:
        out.setparams((2, 2, sr, 0, "NONE", None))
        out.writeframes(samples.tobytes())
    return (samples.T / 32768).astype(np.float32)


@pytest.fixture(autouse=True)
def model(tmp_path, monkeypatch):
    """A function in the place of the ONNX file that the command is given."""
    monkeypatch.chdir(tmp_path)
    with open("model.json", "w") as file:
        json.dump(ABOUT, file)
    monkeypatch.setattr(command, "Model", lambda path: separation.Model(shares, f"{path[:-5]}.json", identity=path))


def run(*args):
    return cli.main(["separate", "-m", "model.onnx", "-o", "out", "--progress", "none", *args])


def found(folder="out"):
    return sorted(os.path.relpath(os.path.join(where, name), folder)
                  for where, _, names in os.walk(folder) for name in names if not name.startswith("."))  # fmt: skip


def test_a_file_becomes_files_of_its_stems(tmp_path, capsys):
    y = write_wav(tmp_path / "song.wav")
    assert run("song.wav") == 0
    assert found() == ["song/one.wav", "song/two.wav"]
    got, sr = metalmom.load("out/song/two.wav", sr=None, mono=False)
    assert sr == 8000 and np.array_equal(got, y * np.float32(0.75))
    assert capsys.readouterr().out == f"{tmp_path}/song.wav: out/song/one.wav, out/song/two.wav\n"


def test_folders_keep_their_order_and_names_that_two_files_have_keep_their_endings(tmp_path):
    for name in ("in/a.wav", "in/deep/a.wav", "in/b.wav", "in/b.wave", "c.wav"):
        write_wav(tmp_path / name, 0.5)
    (tmp_path / "in" / "notes.txt").write_text("no audio")
    assert run("in", "c.wav", "--stems", "two") == 0
    assert found() == ["a/two.wav", "b.wav/two.wav", "b.wave/two.wav", "c/two.wav", "deep/a/two.wav"]


def test_two_files_for_one_folder_are_refused(tmp_path, capsys):
    for name in ("x/a.wav", "y/a.wav"):
        write_wav(tmp_path / name, 0.5)
    with pytest.raises(SystemExit) as ended:
        run("x", "y")
    assert ended.value.code == 2 and "would both go to out/a.wav" in capsys.readouterr().err
    assert not os.path.exists("out")


def test_a_broken_file_is_told_and_the_rest_is_done(tmp_path, capsys):
    for name in ("in/a.wav", "in/c.wav"):
        write_wav(tmp_path / name, 0.5)
    (tmp_path / "in" / "b.wav").write_bytes(b"no audio at all")
    (tmp_path / "in" / "d.wav").touch()
    assert run("in") == 4
    assert found() == ["a/one.wav", "a/two.wav", "c/one.wav", "c/two.wav"]
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 3 and "b.wav" in told[0] and "d.wav" in told[1]
    assert told[2] == "metalmom: 4 files, of which 2 failed"


def test_a_broken_model_ends_it(tmp_path, capsys, monkeypatch):
    write_wav(tmp_path / "song.wav")
    monkeypatch.setattr(command, "Model", lambda path: separation.Model(lambda x: x, ABOUT))
    assert run("song.wav") == 1
    told = capsys.readouterr().err
    assert told.startswith("metalmom: model(segment).shape=(2, 8000) must be (2, 2, 8000)") and told.count("\n") == 1


def test_a_file_that_a_model_cannot_separate_leaves_the_others(tmp_path, capsys, monkeypatch):
    write_wav(tmp_path / "song.wav")
    with wave.open(str(tmp_path / "silent.wav"), "wb") as out:
        out.setparams((2, 2, 8000, 0, "NONE", None))
        out.writeframes(bytes(4 * 8000))

    def scaled(segment):
        with np.errstate(invalid="ignore"):
            return np.stack([segment, segment]) / np.abs(segment).max()

    monkeypatch.setattr(command, "Model", lambda path: separation.Model(scaled, ABOUT))
    assert run("silent.wav", "song.wav") == 4
    told = capsys.readouterr().err.splitlines()
    assert "silent.wav: model(segment)['one'] must be finite" in told[0] and len(told) == 2


@pytest.mark.parametrize("args, told", [
    (["--overlap", "2"], "metalmom: --overlap=2.0 must be a number in [0, 1)"),
    (["--stems", "tow"], "metalmom: --stems=tow must be some of one, two; did you mean 'two'?"),
])  # fmt: skip
def test_wrong_options_are_told_as_they_were_given(tmp_path, capsys, args, told):
    write_wav(tmp_path / "song.wav")
    assert run("song.wav", *args) == 1
    said = capsys.readouterr().err
    assert said.replace("['tow']", "tow").strip() == told and not found()


@pytest.mark.parametrize("args", [
    ["none.wav"], ["--segment", "0", "song.wav"], ["--format", "mp3", "song.wav"], ["empty"],
])  # fmt: skip
def test_wrong_usage_has_status_2(tmp_path, args, capsys):
    write_wav(tmp_path / "song.wav")
    (tmp_path / "empty").mkdir()
    with pytest.raises(SystemExit) as ended:
        run(*args)
    assert ended.value.code == 2 and "usage: metalmom separate" in capsys.readouterr().err


@pytest.mark.parametrize("args", [
    ["--mode", "preview"], ["--segment", "0.5", "--overlap", "0.5", "--shifts", "2", "--seed", "3"],
])  # fmt: skip
def test_options_reach_the_function(tmp_path, args):
    write_wav(tmp_path / "song.wav")
    assert run("song.wav", *args) == 0
    job = json.loads((tmp_path / "out/song/.separation.json").read_text())
    length, _, overlap, silences = job["plan"]
    assert (length, overlap, len(silences)) == ((8000, 0.0, 1) if "preview" in args else (4000, 0.5, 2))


@pytest.mark.parametrize("format", ["flac", "ogg"])
def test_formats(tmp_path, format):
    pytest.importorskip("soundfile")
    write_wav(tmp_path / "song.wav")
    assert run("song.wav", "--format", format) == 0
    assert found() == [f"song/one.{format}", f"song/two.{format}"]


def test_the_same_command_leaves_alone_what_is_done(tmp_path, monkeypatch):
    write_wav(tmp_path / "song.wav")
    assert run("song.wav") == 0
    before = os.stat("out/song/one.wav").st_ino
    monkeypatch.setattr(command, "Model", lambda path: separation.Model(lambda x: 1 / 0, "model.json", identity=path))
    assert run("song.wav") == 0
    assert os.stat("out/song/one.wav").st_ino == before
    with pytest.raises(ZeroDivisionError):
        run("song.wav", "--overwrite")


def test_help_helps(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["separate", "--help"])
    said = capsys.readouterr().out
    assert ended.value.code == 0
    for word in ("--segment SECONDS", "--overlap", "--shifts", "{full,preview}", "{wav,flac,ogg}", "--stems"):
        assert word in said
    assert '"kind": "waveform"' in said


INTERRUPTED = """
import sys, time
import numpy as np
from metalmom import cli, separation
from metalmom.cli import separate

def slow(segment):
    time.sleep(0.1)
    return np.stack([segment, segment])

separate.Model = lambda path: separation.Model(slow, "model.json", identity=path)
sys.exit(cli.main(sys.argv[1:]))
"""


def test_an_interrupt_is_told_and_the_same_command_continues(tmp_path):
    y = write_wav(tmp_path / "song.wav", 20.0)
    words = ["separate", "song.wav", "-m", "model.onnx", "-o", "out"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", INTERRUPTED, *words]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    spool = tmp_path / "out/song/.one.f32"
    while not spool.exists() or not spool.stat().st_size:
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    _, error = running.communicate(timeout=30)
    assert error == "metalmom: interrupted: the same command continues\n" and running.returncode == 3
    assert not found()
    assert 0 < spool.stat().st_size < y.nbytes
    assert run("song.wav") == 0 and found() == ["song/one.wav", "song/two.wav"]
