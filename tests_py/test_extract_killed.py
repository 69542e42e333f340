"""Runs that are killed, interrupted, or out of room: the next one ends with the same bytes."""

import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest
from processes import wait_until
from test_extract import content_of, run, write_songs, write_wav

import metalmom
from metalmom import cli

pytestmark = pytest.mark.usefixtures("one_server")

COMMAND = ["--features", "rms,zero_crossing_rate", "--format", "npz", "--progress", "plain"]


@pytest.fixture(scope="module", autouse=True)
def shards_of_two_files():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("METALMOM_TEST_SHARD", "2")
        yield


@pytest.fixture(scope="module")
def songs(tmp_path_factory):
    return write_songs(tmp_path_factory.mktemp("songs"), 6, 0.2)


@pytest.fixture(scope="module")
def undisturbed(songs, tmp_path_factory):
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    done = run("extract", songs, "-o", out, "-j", "1", *COMMAND)
    assert done.returncode == 0, done.stderr
    content = content_of(out)
    assert sorted(name for name in content if name.startswith("receipts")) == [
        f"receipts/0000{k}.json" for k in range(3)]  # fmt: skip
    return content


def start(songs, out, *args, **environment):
    command = [sys.executable, "-m", "metalmom", "extract", songs, "-o", out, *COMMAND, *args]
    return subprocess.Popen(command, env={**os.environ, **environment}, text=True,
                            stderr=subprocess.PIPE)  # fmt: skip


def run_in_a_fork(*args, **environment):
    """`metalmom ARGS` in a fork of this process, which has imported all; its status, negative where a signal ended it."""
    process = os.fork()
    if not process:
        status = 1
        signal.alarm(120)
        try:
            os.environ.update(environment)
            status = run(*args).returncode
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


WRITTEN = ["plan.jsonl", "manifest.json", "files/part-00001.npz", "frames/part-00001.npz",
           "receipts/00001.json", "quarantine.csv"]  # fmt: skip


def test_killed_at_every_step_of_writing(songs, undisturbed, tmp_path):
    """One run after the other is killed at the next step, and each goes on where the last one was."""
    chain, fresh = tmp_path / "chain", tmp_path / "fresh"
    jobs = 1
    for what, name in itertools.product(WRITTEN, ("written", "synced", "renamed", "settled")):
        # What has its name is not written again: that it is settled is a step of other runs.
        out = chain
        if name == "settled" and what not in ("plan.jsonl", "files/part-00001.npz"):
            out = fresh / what.replace("/", "-")
            out.parent.mkdir(exist_ok=True)
        status = run_in_a_fork("extract", songs, "-o", out, "-j", str(jobs), *COMMAND, METALMOM_TEST_KILL=f"{name}:{what}")
        assert status == -signal.SIGKILL, (name, what)
        if (out / "manifest.json").exists():  # what is vouched for is there
            for file in metalmom.open_features(out):
                assert file["rms"].shape[-1] == 1 + int(file.duration * 22050) // 512
        jobs = 3 - jobs
    for out in (chain, *fresh.iterdir()):
        done = run("extract", songs, "-o", out, *COMMAND)
        assert done.returncode == 0, done.stderr
        assert content_of(out) == undisturbed


def test_killed_at_every_step_of_replacing_in_another_store(tmp_path, monkeypatch):
    """A plan that grows: other stores replace no file in one step."""
    pytest.importorskip("fsspec")
    from other_store import known_here_and_in_processes

    known_here_and_in_processes(tmp_path / "packages", monkeypatch)
    songs = write_songs(tmp_path, 2, 0.2)
    files = [songs / "0.wav", songs / "1.wav"]
    settings = {"features": ["rms", "zero_crossing_rate"], "format": "npz"}
    metalmom.extract(files[:1], tmp_path / "begun", **settings)
    shutil.copytree(tmp_path / "begun", tmp_path / "undisturbed")
    metalmom.extract(files, tmp_path / "undisturbed", **settings)
    for step in ("written", "synced", "removed", "renamed"):
        out = shutil.copytree(tmp_path / "begun", tmp_path / step)
        url = f"store://{out}"
        status = run_in_a_fork("extract", *files, "-o", url, *COMMAND, METALMOM_TEST_KILL=f"{step}:plan.jsonl")
        assert status == -signal.SIGKILL, step
        assert metalmom.open_features(url).planned in (1, 2)
        assert metalmom.extract(files, url, **settings).files == 2
        assert content_of(out) == content_of(tmp_path / "undisturbed")


def test_killed_at_random_moments(songs, undisturbed, tmp_path):
    chance = random.Random(5)
    for attempt in range(20):
        out = tmp_path / f"out{attempt % 4}"  # each is killed five times
        process = start(songs, out, "-j", str(1 + attempt % 3))
        time.sleep(chance.uniform(0.1, 0.6))
        process.kill()
        process.communicate()
    for attempt in range(4):
        out = tmp_path / f"out{attempt}"
        done = run("extract", songs, "-o", out, "-j", "3", *COMMAND)
        assert done.returncode == 0, done.stderr
        assert content_of(out) == undisturbed


def test_interrupted_once_finishes_what_is_in_hand(songs, undisturbed, tmp_path):
    out = tmp_path / "out"
    process = start(songs, out, "-j", "1", METALMOM_TEST_SLOW="3.wav")
    wait_until(lambda: (out / "receipts/00000.json").exists())
    time.sleep(0.3)  # now it is at the slow file of the second shard
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=30)[1]
    assert process.returncode == 3, told
    assert "finishing what is in hand" in told and "the same command continues" in told
    assert sorted(path.name for path in (out / "receipts").iterdir()) == ["00000.json", "00001.json"]
    assert run("extract", songs, "-o", out, *COMMAND).returncode == 0
    assert content_of(out) == undisturbed


@pytest.mark.parametrize("signals", [(signal.SIGINT, signal.SIGINT), (signal.SIGTERM,)])
def test_interrupted_twice_or_terminated_stops_at_once(songs, undisturbed, tmp_path, signals):
    out = tmp_path / "out"
    process = start(songs, out, "-j", "1", METALMOM_TEST_HANG="3.wav")
    wait_until(lambda: (out / "receipts/00000.json").exists())
    for each in signals:
        process.send_signal(each)
        time.sleep(0.2)
    told = process.communicate(timeout=10)[1]
    assert process.returncode == 3 and "Traceback" not in told, told
    assert not (out / "receipts/00001.json").exists()
    assert run("extract", songs, "-o", out, *COMMAND).returncode == 0
    assert content_of(out) == undisturbed


def interrupted_at(line, functions, call):
    """Call it, with an interrupt at that line of all that these functions run, counted; whether there was one."""
    left = line
    codes = {function.__code__ for function in functions}

    def of_line(frame, event, arg):
        nonlocal left
        if event == "line":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return of_line

    before = sys.gettrace()
    sys.settrace(lambda frame, event, arg: of_line if frame.f_code in codes else None)
    try:
        call()
    except KeyboardInterrupt:
        sys.settrace(before)
        return sys.exc_info()[1]  # as a notebook keeps it, with all its frames
    finally:
        sys.settrace(before)


def test_handlers_of_signals_that_python_has_not_set_are_left_alone(monkeypatch):
    """A program that has Python inside may have its own, which Python tells as None and cannot set again."""
    from metalmom.extraction.run import Control
    from metalmom.util._signals import handled

    handlers = {signal.SIGINT: None, signal.SIGTERM: signal.SIG_DFL}

    def set_handler(number, handler):
        if handler is None:
            raise TypeError
        before, handlers[number] = handlers[number], handler
        return before

    monkeypatch.setattr(signal, "signal", set_handler)
    monkeypatch.setattr(signal, "getsignal", handlers.get)
    control = Control()
    with handled(control.asked):
        handlers[signal.SIGTERM](signal.SIGTERM, None)
    assert handlers == {signal.SIGINT: None, signal.SIGTERM: signal.SIG_DFL} and control.why == "terminated"


def test_all_folders_that_are_made_stand_in_the_one_above_for_good(tmp_path, monkeypatch):
    from metalmom.extraction import store

    synced = []
    monkeypatch.setattr(store, "_sync_folder", synced.append)
    store.LocalStore(tmp_path / "a" / "b" / "out").make("files")
    assert synced == [tmp_path, tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "out"]


def test_interrupted_while_it_starts_the_same_call_continues(songs, tmp_path):
    """In one process, as in a notebook: whatever line an interrupt falls on, OUT is let go."""
    from metalmom.extraction import store
    from metalmom.extraction.run import Preparation
    from metalmom.extraction.store import LocalStore

    def extract():
        return metalmom.extract(songs / "0.wav", tmp_path / "out", features=["rms"], format="npz", jobs=1)

    extract()  # so that no shard is left, and no child is needed
    before = content_of(tmp_path / "out")
    functions = [store._locked, store.open_file, LocalStore.hold, LocalStore._lock_file,
                 LocalStore.sweep, Preparation.write, Preparation._write_on]  # fmt: skip
    kept = []
    for line in itertools.count(1):
        error = interrupted_at(line, functions, extract)
        if error is None:
            break
        kept.append(error)
        assert extract().computed == 0
    assert line > 40 and content_of(tmp_path / "out") == before


@pytest.mark.parametrize("progress", ["plain", "json"])
@pytest.mark.parametrize("place", ["inputs.find", "run.open_store", "records.standing_receipts", "run.Local"])
def test_interrupted_while_it_starts_the_same_command_continues(songs, tmp_path, monkeypatch, capfd, place, progress):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    command = ["extract", os.fspath(songs / "0.wav"), "-o", os.fspath(tmp_path / "out"), *COMMAND[:-1], progress]
    handler = signal.getsignal(signal.SIGINT)
    assert place != "records.standing_receipts" or cli.main(command) == 0
    capfd.readouterr()
    with monkeypatch.context() as patch:
        patch.setattr(f"metalmom.extraction.{place}", interrupted)
        status = cli.main(command)
        signal.signal(signal.SIGINT, handler)  # a program that stops is deaf to the next one
    *_, told = capfd.readouterr().err.splitlines()
    assert status == 3
    assert (json.loads(told)["note"] if progress == "json" else told.removeprefix("metalmom: ")) == (
        "interrupted: the same command continues")  # fmt: skip
    with monkeypatch.context() as patch:  # which shows, and has nothing to continue
        patch.setattr("metalmom.extraction.run.open_store", interrupted)
        assert cli.main([*command, "--dry-run"]) == 130
    assert cli.main(command) == 0


def test_second_run_on_a_folder_says_who_has_it(songs, undisturbed, tmp_path):
    out = tmp_path / "out"
    first = start(songs, out, "-j", "1", METALMOM_TEST_SLOW="wav")
    wait_until((out / "manifest.json").exists)
    second = run("extract", songs, "-o", out, *COMMAND)
    assert second.returncode == 1
    assert f"is in use by process {first.pid} on " in second.stderr
    first.communicate(timeout=30)
    assert first.returncode == 0 and content_of(out) == undisturbed


def test_files_that_crash_or_hang_their_decoder(songs, tmp_path):
    out = tmp_path / "out"
    done = run("extract", songs, "-o", out, "-j", "2", "--timeout", "3", *COMMAND,
               METALMOM_TEST_CRASH="1.wav", METALMOM_TEST_HANG="4.wav")  # fmt: skip
    assert done.returncode == 4, done.stderr
    features = metalmom.open_features(out)
    assert list(features.files["status"]) == ["ok", "failed", "ok", "ok", "failed", "ok"]
    assert features.files["error"][1] == "decoding crashed (SIGSEGV), twice"
    assert features.files["error"][4] == "decoding took too long, twice"
    lines = (out / "quarantine.csv").read_text().splitlines()
    assert lines[0] == "path,error" and [line.split(",")[0][-5:] for line in lines[1:]] == [
        "1.wav", "4.wav"]  # fmt: skip
    assert run("extract", songs, "-o", out, *COMMAND).returncode == 4  # nothing new
    again = run("extract", songs, "-o", out, "--retry-failed", *COMMAND)
    assert again.returncode == 0 and "4 computed now" in again.stderr
    assert list(metalmom.open_features(out).files["status"]) == ["ok"] * 6


def test_too_many_failures_end_the_run(songs, tmp_path):
    for name in ("7.wav", "8.wav"):
        (tmp_path / name).write_bytes(b"no audio at all")
    settings = ["extract", songs, tmp_path, "-o", tmp_path / "out", "-j", "1", *COMMAND]
    done = run(*settings, "--max-failures", "20%")
    assert done.returncode == 1 and "2 files failed, more than --max-failures=20%" in done.stderr
    assert run(*settings, "--max-failures", "2").returncode == 4
    # of a run that was continued they are the same files, also where nothing is left to do
    done = run(*settings, "--max-failures", "1")
    assert done.returncode == 1 and "2 files failed, more than --max-failures=1 allows" in done.stderr
    for name in ("7.wav", "8.wav"):
        (tmp_path / name).unlink()
        write_wav(tmp_path / name, 0.5)
    assert run(*settings, "--max-failures", "0", "--changed", "recompute").returncode == 0


def unshared(*command):
    """A command in a mount namespace of its own, where this user may make one."""
    return subprocess.run(["unshare", "-rm", "sh", "-c", *command], text=True,
                          capture_output=True, timeout=60)  # fmt: skip


def test_full_disk(songs, undisturbed, tmp_path):
    out = tmp_path / "small"
    out.mkdir()
    mounted = "mount -t tmpfs -o size={0} none " + str(out)
    if unshared(mounted.format("1M")).returncode:
        pytest.skip("this user may not mount a file system")
    needed = sum(map(len, undisturbed.values()))
    ours = f"{sys.executable} -m metalmom extract {songs} -o {out}/out {' '.join(COMMAND)}"
    result = tmp_path / "result"
    done = unshared(
        f"{mounted.format(needed // 2 // 4096 * 4096)}; {ours}; echo $? >{tmp_path}/first; "
        f"mount -o remount,size=50M {out}; {ours}; echo $? >{tmp_path}/second; cp -r {out}/out {result}"
    )
    assert (tmp_path / "first").read_text() == "3\n", done.stderr
    assert "the disk is full" in done.stderr and "Traceback" not in done.stderr
    assert (tmp_path / "second").read_text() == "0\n", done.stderr
    assert content_of(result) == undisturbed


def test_full_disk_under_a_long_file_is_not_the_files_fault(tmp_path):
    """Samples of long files lie in OUT while they are in work."""
    write_wav(tmp_path / "long.wav", 100)  # 8.8 MB of samples
    out = tmp_path / "small"
    out.mkdir()
    mounted = f"mount -t tmpfs -o size=4M none {out}"
    if unshared(mounted).returncode:
        pytest.skip("this user may not mount a file system")
    ours = (f"{sys.executable} -m metalmom extract {tmp_path}/long.wav -o {out}/out --memory 64M -j 1 "
            + " ".join(COMMAND))  # fmt: skip
    done = unshared(f"{mounted}; {ours}; echo $? >{tmp_path}/first; mount -o remount,size=50M {out}; "
                    f"{ours}; echo $? >{tmp_path}/second")  # fmt: skip
    assert (tmp_path / "first").read_text() == "3\n" and "the disk is full" in done.stderr, done.stderr
    assert (tmp_path / "second").read_text() == "0\n", done.stderr


def test_what_a_run_notes_of_itself(songs, tmp_path):
    out = tmp_path / "out"
    done = run("extract", songs, "-o", out, "-j", "2", *COMMAND[:-1], "json")
    last = json.loads(next(x for x in reversed(done.stderr.splitlines()) if x.startswith('{"files"')))
    (note,) = (json.loads(path.read_text()) for path in (out / "runs").iterdir())
    for figures in (last, note):
        assert figures["files"] == figures["of"] == 6 and figures["failed"] == 0
        assert figures["audio_hours"] == pytest.approx(6.0 / 3600, abs=1e-4)
    assert note["jobs"] == 2 and len(note["slowest"]) == 5
