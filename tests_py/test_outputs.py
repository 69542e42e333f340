"""Files that are written: refused before the work, replaced when they are whole, never a song."""

import errno
import json
import os
import pickle
import stat
import threading

import metalmom as mm
import numpy as np
import pytest
from metalmom import cli, demo, trace
from metalmom.util import _output_files

MINE = pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")


@pytest.fixture
def recorded():
    with trace.record() as t:
        mm.stft(np.zeros(4096, dtype=np.float32))
    return t


@pytest.fixture
def song(tmp_path):
    path = tmp_path / "song.wav"
    demo.write_wav(path, duration=1)
    return path


def write(path, text, kind="json"):
    with _output_files.written_beside(path, kind) as beside, open(beside, "w") as file:
        file.write(text)


def test_a_trace_of_nothing_touches_no_file(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"kept": true}')
    with pytest.raises(RuntimeError, match="nothing has been recorded"):
        trace.record().save(path)
    assert path.read_text() == '{"kept": true}'
    assert os.listdir(tmp_path) == ["x.json"]


def test_the_old_file_stands_until_the_new_one_is_whole(tmp_path):
    path = tmp_path / "x.json"
    write(path, "[1]")
    with pytest.raises(KeyboardInterrupt), _output_files.written_beside(path, "json") as beside:
        assert os.path.dirname(beside) == str(tmp_path)
        with open(beside, "w") as file:
            file.write("[")
        raise KeyboardInterrupt
    assert path.read_text() == "[1]"
    write(path, "[2]")
    assert path.read_text() == "[2]"
    assert os.listdir(tmp_path) == ["x.json"]


def test_a_file_keeps_its_mode_and_a_new_one_gets_the_usual(tmp_path):
    path = tmp_path / "x.json"
    write(path, "{}")
    usual = tmp_path / "usual"
    usual.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)
    path.chmod(0o640)
    write(path, "[]")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "folder" / "target.json", tmp_path / "link.json"
    target.parent.mkdir()
    target.write_text("{}")
    link.symlink_to(target)
    write(link, "[1]")
    assert link.is_symlink() and target.read_text() == "[1]"


def test_devices_and_pipes_are_written_in_place(tmp_path):
    write("/dev/null", "{}")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read = []
    thread = threading.Thread(target=lambda: read.append(path.read_text()))
    thread.start()
    write(path, "[1]")
    thread.join()
    assert read == ["[1]"] and stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.parametrize("name", ["song.ogg", "a.WAV", "b.flac", "c.M4a", "d.opus"])
def test_what_is_named_as_audio_is_not_written(tmp_path, recorded, name):
    for exists in (False, True):
        with pytest.raises(mm.ParameterError, match=f"path='.*{name}' must be no name of an audio"):
            recorded.save(tmp_path / name)
        assert (tmp_path / name).exists() is exists
        (tmp_path / name).write_bytes(b"music")
    assert (tmp_path / name).read_bytes() == b"music"


@pytest.mark.parametrize("kind, taken, refused", [
    ("json", ["", " \n", "{}", "\ufeff[1]"], ["<html>", "RIFF", "\0", "1"]),
    ("page", ["", "<!DOCTYPE html>", "\n <p>"], ["{}", "OggS", "\0<"]),
    ("any", ["", "RIFF", "{}", "<"], []),
])  # fmt: skip
def test_only_its_like_is_replaced(tmp_path, kind, taken, refused):
    path = tmp_path / "out"
    for text in taken:
        path.write_text(text)
        write(path, "new", kind)
        assert path.read_text() == "new"
    for text in refused:
        path.write_text(text)
        with pytest.raises(mm.ParameterError, match="must be a new file or .* holds something else"):
            write(path, "new", kind)
        assert path.read_text() == text


def test_what_the_system_refuses_names_the_path(tmp_path):
    for path, number in ((tmp_path, errno.EISDIR), (tmp_path / "no" / "x", errno.ENOENT),
                         ("", errno.ENOENT), (tmp_path / ("x" * 300), errno.ENAMETOOLONG)):  # fmt: skip
        with pytest.raises(OSError) as caught:
            write(path, "{}")
        assert (caught.value.errno, caught.value.filename) == (number, str(path))
    assert os.listdir(tmp_path) == []


@MINE
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path):
    path = tmp_path / "x.json"
    path.write_text("{}")
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        write(path, "[]")
    path.chmod(0o644)
    tmp_path.chmod(0o555)
    with pytest.raises(PermissionError, match=r"x\.json"):
        write(path, "[]")
    tmp_path.chmod(0o755)


def test_a_full_disk_names_the_path(song, capsys):
    with pytest.raises(OSError, match="No space left") as caught:
        write("/dev/full", "[]")
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, "/dev/full")
    assert cli.main(["profile", str(song), "--json", "/dev/full"]) == 1
    assert capsys.readouterr().err == "metalmom: /dev/full: No space left on device\n"


@pytest.mark.parametrize("args, told", [
    (["--json", "song.wav"], "--json='song.wav' must be no name of an audio file"),
    (["--html", "taken.txt"], "--html='taken.txt' must be a new file or a page"),
    (["--json", "no/x.json"], "no/x.json: No such file"),
    (["--trace", "no/x.json"], "no/x.json: No such file"),
    (["--html", "no/x.html"], "no/x.html: No such file"),
    (["--json", "."], ".: Is a directory"),
])  # fmt: skip
def test_refused_before_the_work(song, tmp_path, monkeypatch, capsys, args, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken.txt").write_text("mine")
    before, audio = sorted(os.listdir(tmp_path)), song.read_bytes()
    monkeypatch.setattr("metalmom.cli.profile.run_job", lambda path: pytest.fail("worked"))
    assert cli.main(["profile", str(song), *args]) == 1
    assert told in capsys.readouterr().err
    assert sorted(os.listdir(tmp_path)) == before
    assert song.read_bytes() == audio and (tmp_path / "taken.txt").read_text() == "mine"


@pytest.mark.parametrize("args", [
    ["--json", "x", "--trace", "x"], ["--html", "-", "--json", "-"], ["--json", "x", "--html", "./x"],
])  # fmt: skip
def test_one_place_for_two_outputs_is_wrong_usage(song, args, capsys):
    with pytest.raises(SystemExit) as left:
        cli.main(["profile", str(song), *args])
    assert left.value.code == 2
    assert "is given for two outputs" in capsys.readouterr().err


def test_html_is_a_page_whatever_its_name(song, tmp_path, capsys):
    path = tmp_path / "out.txt"
    assert cli.main(["profile", str(song), "--html", str(path)]) == 0
    assert path.read_text().startswith("<!DOCTYPE html>")
    capsys.readouterr()
    assert cli.main(["profile", str(song), "--html", "-"]) == 0
    assert capsys.readouterr().out.startswith("<!DOCTYPE html>")
    assert cli.main(["profile", str(song), "--trace", "-"]) == 0
    assert "traceEvents" in json.loads(capsys.readouterr().out)
    assert not os.path.exists("-")


def test_a_trace_pickles(tmp_path, recorded):
    again = pickle.loads(pickle.dumps(recorded))
    for name in ("spans", "events", "samples", "counters", "duration", "dropped"):
        assert getattr(again, name) == getattr(recorded, name), name
    assert again.spans and str(again.summary()) == str(recorded.summary())
    assert again.as_json() == recorded.as_json()
    assert again.as_page() == recorded.as_page()
    again.save(tmp_path / "again.json")
    recorded.save(tmp_path / "first.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "first.json").read_bytes()
    assert repr(pickle.loads(pickle.dumps(again))) == repr(recorded)
    with again:  # may record anew
        mm.feature.rms(y=np.zeros(4096, dtype=np.float32))
    assert "rms" in again.summary() and "stft" not in again.summary()


def test_a_trace_that_runs_does_not_pickle():
    with trace.record() as t, pytest.raises(TypeError, match="while it is being recorded"):
        pickle.dumps(t)
    assert repr(pickle.loads(pickle.dumps(trace.record()))) == repr(trace.record())
