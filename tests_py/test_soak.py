"""``metalmom soak``: what it counts, when it ends, and what it answers.

How late blocks are depends on the machine. So what must be in time has a second for each block, and what must be
late has a sample.
"""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from metalmom import cli, demo
from metalmom.cli import _soaking
from metalmom.cli._soaking import Latencies, Plan, find_most
from processes import wait_until

SHORT = 2 / 3600  # hours
SLOW = ["--block", "44100", "--streams", "3", "-f", "rms"]
HASTY = ["--block", "1", "--streams", "8", "--processes", "1"]


@pytest.fixture(scope="module")
def song(tmp_path_factory):
    path = tmp_path_factory.mktemp("soak") / "song.wav"
    demo.write_wav(path, duration=5)
    return str(path)


def soaked(tmp_path, *args):
    out = tmp_path / "out.json"
    status = cli.main(["soak", *args, "--json", str(out)])
    return status, json.loads(out.read_text())


def test_percentiles_are_those_of_the_latencies():
    seconds = np.random.default_rng(0).lognormal(-8, 1, 30000)
    counted = Latencies()
    for each in seconds:
        counted.add(each, each > 1e-3)
    assert counted.late == (seconds > 1e-3).sum() and counted.worst == seconds.max()
    for share in (0.5, 0.99, 0.9999):
        want = np.quantile(seconds, share, method="inverted_cdf")
        assert want <= counted.percentile(share) <= want * 2 ** (1 / 16)
    for extreme in (1e-9, 1e9):
        counted.add(extreme, False)
    assert counted.percentile(1.0) <= counted.worst == 1e9 and Latencies().percentile(0.5) == 0


def test_what_is_in_time(song, tmp_path, capsys):
    status, report = soaked(tmp_path, song, "--hours", str(SHORT), *SLOW)
    assert (status, report["late"], report["stopped"]) == (0, 0, False)
    assert (report["audio"], report["block"], report["budget_ms"]) == (song, 44100, 1000)
    assert [each["stream"] for each in report["of_streams"]] == [0, 1, 2]
    assert all(each["blocks"] == 2 for each in report["of_streams"]) and report["blocks"] == 6
    assert sum(each["blocks"] for each in report["intervals"]) == 6
    for each in report["of_streams"]:
        assert 0 < each["work_ms"] <= each["worst_ms"] and 0 < each["share"] <= each["work_ms"] / 1000
    for each in (report, *report["of_streams"], *report["intervals"]):
        assert 0 < each["p50_ms"] <= each["p99_ms"] <= each["p99.99_ms"] <= each["worst_ms"] < 1000
    assert 2 < report["seconds"] < 10  # a second for a block, and the end of the last stream
    if os.path.exists("/proc/self/statm"):
        assert all(each["resident_mb"] > 1 and each["descriptors"] > 0 for each in report["intervals"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines if line.startswith(("0 ", "all"))] == [["0", "2", "0"], ["all", "6", "0"]]


def test_what_is_late_counts_also_where_it_never_comes(tmp_path, capsys):
    status, report = soaked(tmp_path, "--hours", str(0.3 / 3600), *HASTY)
    n_blocks = -(-3 * 44100 // 10)
    assert status == 1 and report["late"] > 0
    assert all(each["blocks"] == n_blocks for each in report["of_streams"])
    assert sum(each["late"] for each in report["of_streams"]) == report["late"]
    assert report["seconds"] < 10  # it does not go on until all is done
    assert "late" in capsys.readouterr().out


def test_a_picture_of_it(song, tmp_path, capsys):
    plt = pytest.importorskip("matplotlib.pyplot")
    out = tmp_path / "soak.png"
    assert cli.main(["soak", song, "--hours", str(SHORT), *SLOW, "--plot", str(out)]) == 0
    assert plt.imread(out)[..., :3].std() > 0.05
    with pytest.raises(SystemExit):
        cli.main(["soak", "--plot", str(tmp_path / "soak.pdf")])
    assert "a name that ends in .png" in capsys.readouterr().err


@pytest.mark.parametrize("bears", [0, 1, 7, 100, 1 << 20])
def test_find_doubles_then_bisects(bears, monkeypatch):
    def run(plan, *_):
        asked.append(plan.n_streams)
        assert plan.ends_when_late and plan.n_processes <= min(plan.n_streams, 2)
        late = max(plan.n_streams - bears, 0)
        return {"streams": plan.n_streams, "seconds": 1, "late": late, "worst_ms": 1, "stopped": False}

    monkeypatch.setattr(_soaking, "soak", run)
    asked = []
    trials, best, stopped = find_most(Plan({}, np.zeros((1, 1)), 1, 1, 2, 1))
    assert [each["streams"] for each in trials] == asked and asked[:1] == [1] and not stopped
    found = best["streams"] if best else 0
    assert found <= bears and found >= min(bears, _soaking.MOST_STREAMS) * 0.94
    assert len(asked) < 22 and len({*asked}) == len(asked)


def test_find_says_what_it_found(song, tmp_path, capsys):
    args = [song, "--block", "64", "--find", "0.2", "--processes", "1", "-f", "stft"]
    status, report = soaked(tmp_path, *args)
    assert status == (report["most"] == 0)
    assert (report["best"] is None) == (report["most"] == 0)
    in_time = [each["streams"] for each in report["trials"] if not each["late"]]
    assert report["most"] == max(in_time, default=0)
    told = capsys.readouterr()
    assert f"this machine can run {report['most']} stream" in told.out.splitlines()[-1]
    assert len(told.err.splitlines()) == len(report["trials"])


@pytest.mark.parametrize("bears, said", [(0, "nothing was found"), (1, "at least 1 stream "), (4, "at least 4 streams ")])
def test_a_search_that_is_stopped_says_what_is_known(bears, said, tmp_path, monkeypatch, capsys):
    def run(plan, *_):
        figures = {"streams": plan.n_streams, "seconds": 1, "late": 0, "worst_ms": 1}
        return {**figures, "stopped": plan.n_streams > bears}

    monkeypatch.setattr(_soaking, "soak", run)
    status, report = soaked(tmp_path, "--find", "1")
    assert (status, report["stopped"], report["most"]) == (0, True, bears)
    assert f"stopped before its end: {said}" in capsys.readouterr().out.splitlines()[-1] + " "


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_reports(tmp_path, number):
    out = tmp_path / "out.json"
    args = ["soak", "--hours", "1", "--streams", "2", "--block", "4410", "--json", str(out)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.Popen([sys.executable, "-m", "metalmom", *args], env=env, text=True, stdout=subprocess.PIPE)
    try:
        wait_until(lambda: len(children_of(run.pid)) >= 1)
        time.sleep(1.5)
        run.send_signal(number)
        told, _ = run.communicate(timeout=30)
    finally:
        run.kill()
    report = json.loads(out.read_text())
    assert report["stopped"] and "stopped before its end" in told
    assert run.returncode == (report["late"] > 0)
    assert report["seconds"] < 60 and report["blocks"] < 2 * 36000


def test_a_process_that_is_lost_is_told_and_none_is_left(tmp_path):
    args = ["soak", "--hours", "1", "--streams", "4", "--processes", "2", "--block", "4410"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for whose in ("a child's", "the program's"):
        run = subprocess.Popen(
            [sys.executable, "-m", "metalmom", *args], env=env, text=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE
        )
        wait_until(lambda pid=run.pid: len(children_of(pid)) == 2)
        time.sleep(0.5)
        children = children_of(run.pid)
        os.kill(children[0] if whose == "a child's" else run.pid, signal.SIGKILL)
        _, told = run.communicate(timeout=30)
        if whose == "a child's":
            assert run.returncode == 1 and told == "metalmom: a process of streams has ended, perhaps for lack of memory\n"
        wait_until(lambda those=children: not any(map(is_running, those)))


def test_wrong_arguments_are_refused_before_the_work(tmp_path, capsys):
    for args in (["--streams", "0"], ["--hours", "nan"], ["--block", "x"], ["--find", "0"]):
        with pytest.raises(SystemExit):
            cli.main(["soak", *args])
        assert args[0] == "--block" or f"{args[1]} must be a" in capsys.readouterr().err
    for args, complaint in [
        (["-f", "nosuch"], "nosuch"),
        (["-f", "chroma_stft"], "tuning"),
        (["-f", "plp"], "plp"),
        (["--streams", "16385"], "--streams=16385 must be at most 16384"),
        (["--block", "44100", "--hours", "0.0001"], "--block=44100 must be shorter than the run"),
        (["--block", "44100", "--find", "5"], "--find=5.0 must be at least 10 blocks, 10 s"),
        (["--json", str(tmp_path / "no" / "out.json")], "No such file"),
        (["/nosuch.wav"], "nosuch.wav"),
    ]:
        capsys.readouterr()
        assert cli.main(["soak", *args]) == 1
        assert complaint in capsys.readouterr().err


def test_streams_hear_all_of_the_audio_and_begin_elsewhere(monkeypatch):
    heard = {}

    class Heard:
        def __init__(self, recipe):
            heard.setdefault("streams", []).append(self)
            self.blocks = []

        def warmup(self):
            pass

        def process(self, block):
            self.blocks.append(int(block[0]))

        def report(self):
            return None

    class Told:
        def send(self, message):
            heard.setdefault("told", []).append(message[0])

        def recv(self):
            return time.monotonic()

    class Flag:
        value = False

    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    monkeypatch.setattr(_soaking, "Extractor", Heard)
    blocks = np.repeat(np.arange(4, dtype=np.float32)[:, np.newaxis], 80, axis=1)
    try:
        _soaking._work(Plan({}, blocks, 8000, 2, 1, 0.06), [0, 1], Told(), Flag())
    finally:
        for number, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
            signal.signal(number, handler)
    assert [each.blocks for each in heard["streams"]] == [[0, 1, 2, 3, 0, 1], [2, 3, 0, 1, 2, 3]]
    assert heard["told"] == ["ready", "interval", "end"]


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(each) for each in file.read().split()]
    except FileNotFoundError:
        pytest.skip("the system does not tell the children of a process")


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
