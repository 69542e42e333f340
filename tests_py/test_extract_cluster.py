"""Runs on a Dask cluster of real processes: the bytes are those of one machine."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time

import pytest

distributed = pytest.importorskip("distributed")

from processes import wait_until  # noqa: E402
from test_extract import content_of, run, write_songs  # noqa: E402

import metalmom  # noqa: E402
from metalmom.extraction import cluster as cluster_of_runs  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_server")

COMMAND = ["--features", "rms,mfcc", "--format", "npz", "--progress", "plain"]
ENVIRONMENT = {
    "METALMOM_TEST_SHARD": "2",
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
    "OMP_NUM_THREADS": "1",  # as a nanny sets it
}


@pytest.fixture(scope="module", autouse=True)
def environment():
    """For the processes of the cluster, and for the runs in this one."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="module")
def songs(tmp_path_factory):
    return write_songs(tmp_path_factory.mktemp("songs"), 10, 0.1)


@pytest.fixture(scope="module")
def alone(songs, tmp_path_factory):
    out = tmp_path_factory.mktemp("alone") / "out"
    done = run("extract", songs, "-o", out, "-j", "2", *COMMAND)
    assert done.returncode == 0, done.stderr
    return content_of(out)


class Processes:
    """A scheduler and its workers."""

    def __init__(self, folder):
        self.folder, self.file, self.all = folder, folder / "scheduler.json", []
        self.start("dask_scheduler", "--port", "0", "--dashboard-address", ":0", "--no-show")
        wait_until(self.file.exists)
        self.client = distributed.Client(scheduler_file=str(self.file), set_as_default=False)
        self.address = self.client.scheduler.address

    def start(self, module, *args, **environment):
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{module}", *args, "--scheduler-file", self.file],
            env={**os.environ, **environment}, cwd=self.folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)  # fmt: skip
        self.all.append(process)
        return process

    def worker(self, *args, **environment):
        before = len(self.client.nthreads())
        process = self.start("dask_worker", "--nthreads", "1", "--no-dashboard", *args, **environment)
        wait_until(lambda: len(self.client.nthreads()) > before)
        return process

    def end(self):
        self.client.close()
        for process in reversed(self.all):  # nannies with their workers
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture
def cluster(tmp_path):
    processes = Processes(tmp_path)
    yield processes
    processes.end()


def test_one_worker_dies_and_one_is_slow(songs, alone, cluster, tmp_path):
    victim = cluster.worker("--no-nanny", METALMOM_TEST_HANG="wav")  # it takes a shard and keeps it
    cluster.worker("--no-nanny", METALMOM_TEST_SLOW="8.wav")
    cluster.worker("--no-nanny")
    out = tmp_path / "out"
    command = [sys.executable, "-m", "metalmom", "extract", songs, "-o", out, *COMMAND,
               "--scheduler", cluster.address]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: len(list((out / "receipts").glob("0*"))) >= 2)
    victim.send_signal(signal.SIGKILL)
    told = process.communicate(timeout=60)[1]
    assert process.returncode == 0, told
    assert content_of(out) == alone


def test_client_and_a_file_that_kills_its_workers(songs, alone, cluster, tmp_path):
    for _ in range(2):
        cluster.worker("--nanny", METALMOM_TEST_MURDER="4.wav")
    out = tmp_path / "out"
    summary = metalmom.extract(songs, out, features=["rms", "mfcc"], format="npz", client=cluster.client)
    assert (summary.files, summary.failed) == (10, 1)
    files = metalmom.open_features(out).files
    assert files["error"][4] == "its workers died" and files["status"][5] == "ok"
    again = metalmom.extract(songs, out, features=["rms", "mfcc"], format="npz", retry_failed=True)
    assert again.failed == 0 and content_of(out) == alone


def test_workers_of_another_kind_are_refused(songs, cluster, tmp_path):
    cluster.worker("--no-nanny", METALMOM_SIMD="baseline")
    if metalmom.build_info()["simd"] == "baseline":
        pytest.skip("this machine has no other instruction set")
    done = run("extract", songs, "-o", tmp_path / "out", *COMMAND, "--scheduler", cluster.address)
    assert done.returncode == 1
    assert "no worker of the cluster can compute this: simd is 'baseline' and must be" in done.stderr


def children_of(process):
    return open(f"/proc/{process.pid}/task/{process.pid}/children").read().split()


def test_workers_without_metalmom_are_left_out_and_no_child_stays(songs, alone, cluster, tmp_path):
    broken = tmp_path / "elsewhere" / "metalmom"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('there is none here')")
    cluster.worker("--no-nanny", PYTHONPATH=os.fspath(broken.parent))
    good = cluster.worker("--no-nanny", "--nthreads", "2")
    done = run("extract", songs, "-o", tmp_path / "out", *COMMAND, "--scheduler", cluster.address)
    assert done.returncode == 0, done.stderr
    assert re.search("is left out: .*there is none here", done.stderr)
    assert content_of(tmp_path / "out") == alone
    wait_until(lambda: not children_of(good))


def test_scheduler_that_ends_in_the_middle(songs, alone, cluster, tmp_path):
    worker = cluster.worker("--no-nanny", METALMOM_TEST_SLOW="wav")
    out = tmp_path / "out"
    command = [sys.executable, "-m", "metalmom", "extract", songs, "-o", out, *COMMAND,
               "--scheduler", cluster.address]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: len(list((out / "receipts").glob("0*"))) >= 1)
    cluster.all[0].send_signal(signal.SIGKILL)
    told = process.communicate(timeout=120)[1]
    assert process.returncode == 1 and "Traceback" not in told, told
    assert "the scheduler has lost the run" in told.splitlines()[-1]
    worker.kill()
    done = run("extract", songs, "-o", out, *COMMAND)
    assert done.returncode == 0 and content_of(out) == alone


class ClosingClient:
    """A client whose connection has ended, at one of the moments of its closing."""

    def __init__(self, status, error, asked):
        self.status, self._error, self._asked = status, error, asked

    def __getattr__(self, name):
        def call(*args, **kwargs):
            if name == self._asked or name == "cancel":
                raise self._error
            return {"tcp://worker": 1}

        return call


@pytest.mark.parametrize("asked", ["nthreads", "submit", "run"])
@pytest.mark.parametrize("status, error", [
    ("closed", Exception("Tried sending message after closing.")), ("connecting", TypeError("None")),
    ("running", OSError("Timed out")), ("closing", RuntimeError("IOLoop is closed")),
])  # fmt: skip
def test_whatever_a_client_raises_that_has_lost_its_scheduler_is_one_sentence(asked, status, error):
    from metalmom.extraction.cluster import Cluster
    from metalmom.extraction.run import Control
    from metalmom.extraction.records import Entry
    from metalmom.extraction.supervisor import RunError

    cluster = Cluster.__new__(Cluster)
    cluster.client = ClosingClient(status, error, asked)
    cluster._known, cluster._unfit = ({} if asked == "run" else {"tcp://worker": 1}), {}
    cluster._count, cluster._run, cluster._common = 0, "run", ("run", "{}", 1)
    cluster._resource = None
    with pytest.raises(RunError, match="the scheduler has lost the run"):
        list(cluster.results({0: [Entry(0, "a.wav", 1, 1, 0)]}, Control(), lambda *event: None))


def killed_with_a_shard_in_hand(songs, cluster, out, done):
    """Start a run whose client is killed when so many shards are done and the next ones are in work."""
    command = [sys.executable, "-m", "metalmom", "extract", songs, "-o", out, *COMMAND,
               "--scheduler", cluster.address]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    wait_until(lambda: len(list((out / "receipts").glob("0*"))) >= done)
    time.sleep(0.5)
    process.kill()
    process.wait()


OTHER = ["--features", "zero_crossing_rate", "--format", "npz", "--progress", "plain"]


def test_workers_of_a_killed_client_hold_a_run_up_that_begins_anew(songs, alone, cluster, tmp_path):
    worker = cluster.worker("--no-nanny", METALMOM_TEST_HANG="4.wav")
    out = tmp_path / "out"
    killed_with_a_shard_in_hand(songs, cluster, out, done=2)
    done = run("extract", songs, "-o", out, *OTHER, "--overwrite")
    assert done.returncode == 1 and "is in use by workers of an earlier run" in done.stderr
    assert len(metalmom.open_features(out)) == 4  # nothing was removed
    done = run("extract", songs, "-o", out, *COMMAND)  # the same run goes on beside them
    assert done.returncode == 0 and content_of(out) == alone
    worker.kill()
    assert run("extract", songs, "-o", out, *OTHER, "--overwrite").returncode == 0


def test_workers_of_a_killed_client_write_nothing_into_another_run(songs, cluster, tmp_path):
    cluster.worker("--no-nanny", METALMOM_TEST_SLOW="wav")
    assert run("extract", songs, "-o", tmp_path / "expected", *OTHER).returncode == 0
    out = tmp_path / "out"
    killed_with_a_shard_in_hand(songs, cluster, out, done=1)
    done = run("extract", songs, "-o", out, *OTHER, "--overwrite")
    assert done.returncode == 0, done.stderr
    time.sleep(5)  # what the workers had in hand, and what waited there, would be written by now
    assert content_of(out) == content_of(tmp_path / "expected")
    assert run("verify", out).returncode == 0


def test_gpus_are_asked_for_as_resources(songs, cluster, tmp_path):
    if not metalmom.devices():
        pytest.skip("there is no device")
    cluster.worker("--no-nanny")
    command = ["extract", songs, "-o", tmp_path / "out", *COMMAND, "--backend", "gpu", "--scheduler", cluster.address]
    done = run(*command)
    assert done.returncode == 1 and "it has no resource GPU (dask worker --resources GPU=1)" in done.stderr
    cluster.worker("--no-nanny", "--resources", "GPU=1")
    done = run(*command)
    assert done.returncode == 0, done.stderr


def test_clients_that_cannot_be_used(songs, tmp_path):
    for client in (3, "here"):
        with pytest.raises(metalmom.ParameterError, match="client=.* must be a distributed.Client|scheduler="):
            metalmom.extract(songs, tmp_path / "out", features=["rms"], client=client)
        assert not (tmp_path / "out").exists()


def test_a_run_that_is_done_needs_no_scheduler(songs, tmp_path):
    metalmom.extract(songs, tmp_path / "out", features=["rms"], format="npz")
    again = metalmom.extract(songs, tmp_path / "out", features=["rms"], format="npz", scheduler="tcp://127.0.0.1:9")
    assert again.computed == 0 and again.files > 0


def test_schedulers_that_do_not_answer_leave_nothing(songs, tmp_path):
    started = time.monotonic()
    done = run("extract", songs, "-o", tmp_path / "out", *COMMAND, "--scheduler", "tcp://127.0.0.1:9")
    assert done.returncode == 1 and "'tcp://127.0.0.1:9' does not answer" in done.stderr
    assert "Traceback" not in done.stderr and time.monotonic() - started < 30
    assert not (tmp_path / "out").exists()


def test_without_a_cluster_nothing_of_dask_is_imported(songs, tmp_path):
    script = ("import sys, metalmom\n"
              f"metalmom.extract({str(songs)!r}, {str(tmp_path / 'out')!r}, features=['rms'], format='npz')\n"
              "print([name for name in sys.modules if name.split('.')[0] in ('dask', 'distributed', 'tornado')])")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n", done.stderr


def test_a_cluster_that_has_lost_all_workers_is_not_waited_for_for_ever(monkeypatch):
    lost = cluster_of_runs.Cluster.__new__(cluster_of_runs.Cluster)
    told = []
    lost._told, lost._unfit, lost._alone_since, lost._places = told.append, {}, None, dict
    assert lost._room() == lost._room() == 0 and told == ["waiting for workers"]
    lost._places = lambda: {"tcp://host:1": 2}
    assert lost._room() > 0  # one has come: from here it counts anew
    lost._places = dict
    monkeypatch.setattr(cluster_of_runs, "_SECONDS_FOR_WORKERS", 0.0)
    assert lost._room() == 0
    with pytest.raises(cluster_of_runs.RunError, match="there are none"):
        lost._room()
