"""Tables too large for --memory, runs that share a worker, and handlers that are given back."""

import logging
import time

import pytest

import metalmom
from test_extract import write_wav


def test_tables_too_large_for_memory_are_rows_that_say_so(monkeypatch, tmp_path):
    from metalmom.extraction import supervisor, worker as workers

    for k in range(3):
        write_wav(tmp_path / f"{k}.wav", 0.5, seed=k)
    made = workers.FORMATS["npz"]

    class Narrow(made):
        def append(self, columns):
            if 1 in list(columns["file_id"]) and "frame" in columns:
                raise MemoryError
            super().append(columns)

    class Here:
        """A child in this process."""

        has_job = True

        def __init__(self, server, inherit):
            pass

        def ask(self, command, heard, patience):
            return worker.run(command["shard"], command["entries"], command["bad"])

    from metalmom.extraction.inputs import find
    from metalmom.extraction.options import settings_of
    from metalmom.extraction.run import Run

    settings = settings_of(metalmom.extract, {"format": "npz"})
    run = Run(find([tmp_path]), tmp_path / "out", {"features": {"rms": {}}}, settings)
    run.store.make()
    work = run.work
    work.write(lambda shards: None)
    job = {"out": run.store.address, "manifest": work.manifest, "memory": 1 << 28, "memory_of_all": 1 << 28,
           "spool": None, "cache": None, "cache_limit": 0}  # fmt: skip
    monkeypatch.setitem(workers.FORMATS, "npz", Narrow)
    monkeypatch.setattr(supervisor, "Child", Here)
    worker = workers.Worker(job)
    (entries,) = work.plan.shards.values()
    receipt = supervisor.Supervisor().compute(0, entries)
    assert receipt["failed"] == [[1, supervisor._TOO_LARGE]] and "--memory" in supervisor._TOO_LARGE


def test_children_of_a_run_with_tasks_in_work_are_kept(monkeypatch):
    from metalmom.extraction import cluster

    class Children:
        ended = False

        def end(self):
            self.ended = True

    def wait_for(ended):
        for _ in range(500):
            if ended():
                return True
            time.sleep(0.01)

    monkeypatch.setattr(cluster, "Supervisor", lambda patience, job: Children())
    monkeypatch.setattr(cluster, "_SECONDS_KEPT", 0.05)
    runs = cluster._Children()
    with runs.of_task("a", "{}", None) as first:
        with runs.of_task("idle", "{}", None) as idle:  # nothing comes after it: its client was killed
            pass
        with runs.of_task("a", "{}", None) as again:
            assert again is first
        assert wait_for(lambda: idle.ended) and not first.ended
        runs.end("a", also_in_work=False)
        assert not first.ended
    assert wait_for(lambda: first.ended)
    with runs.of_task("a", "{}", None) as another:
        assert another is not first
        runs.end("a")
        assert another.ended
    assert not runs._ends


def test_handlers_of_dask_are_given_back_where_the_scheduler_does_not_answer():
    distributed = pytest.importorskip("distributed")
    assert distributed
    from metalmom.extraction.cluster import Cluster
    from metalmom.extraction.supervisor import RunError

    handler = logging.StreamHandler()
    handler.setLevel(logging.INFO)
    logging.getLogger("distributed").addHandler(handler)
    try:
        with pytest.raises(RunError, match="does not answer"):
            with Cluster("tcp://127.0.0.1:9", {"manifest": {"backend": "cpu"}}, None, print):
                pass
        assert handler.level == logging.INFO
    finally:
        logging.getLogger("distributed").removeHandler(handler)


def test_the_lock_of_long_files_without_a_folder_is_a_file_of_ours(monkeypatch, tmp_path):
    import os

    from metalmom.extraction import long_files

    monkeypatch.setattr(long_files.tempfile, "gettempdir", lambda: str(tmp_path))
    files = long_files.LongFiles(None, None, 1, None)
    with files._alone():
        assert os.listdir(tmp_path) == [f"metalmom-{os.getuid()}.lock"]
