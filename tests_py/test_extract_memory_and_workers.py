"""Tables too large for --memory, runs that share a worker, and handlers that are given back."""

import inspect
import logging

import pytest

import metalmom
from test_extract import write_wav


def test_tables_too_large_for_memory_are_rows_that_say_so(monkeypatch, tmp_path):
    from metalmom.extraction import shard, supervisor

    for k in range(3):
        write_wav(tmp_path / f"{k}.wav", 0.5, seed=k)
    made = shard.writer_of("npz")

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
            bad = {int(key): text for key, text in command["bad"].items()}
            try:
                return worker.run(command["shard"], command["entries"], bad)
            except shard.OutOfMemory as error:
                raise supervisor._NeedsMemory(error.ids) from error

    from metalmom.extraction.run import Run, look_for
    from metalmom.extraction.settings import Settings

    defaults = {name: each.default for name, each in inspect.signature(metalmom.extract).parameters.items()}
    run = Run(look_for([tmp_path]), tmp_path / "out", {"features": {"rms": {}}}, Settings.of({**defaults, "format": "npz"}))
    run.store.make()
    work = run.work
    work.write(lambda shards: None)
    job = {"out": run.store.address, "recipe": work.recipe.spelled, "schema": work.schema.dump(),
           "format": "npz", "note": {"fingerprint": work.manifest["fingerprint"]}, "memory": 1 << 28, "memory_of_all": 1 << 28, "spool": None,
           "cache": None, "cache_limit": 0}  # fmt: skip
    monkeypatch.setattr(shard, "writer_of", lambda format: Narrow)
    monkeypatch.setattr(supervisor, "Child", Here)
    worker = shard.Worker(job)
    (entries,) = work.plan.shards.values()
    receipt = supervisor.Supervisor().compute(0, entries)
    assert receipt["failed"] == [[1, supervisor._TOO_LARGE]] and "--memory" in supervisor._TOO_LARGE


def test_children_of_a_run_with_tasks_in_work_are_kept(monkeypatch):
    from metalmom.extraction import cluster_worker

    class Children:
        ended = False

        def end(self):
            self.ended = True

    monkeypatch.setattr(cluster_worker, "supervised", lambda job, patience: Children())
    now = 0.0
    monkeypatch.setattr(cluster_worker.time, "monotonic", lambda: now)
    runs = cluster_worker._Runs()
    with runs.task("idle", {}, None) as idle:
        pass
    with runs.task("a", {}, None) as first:
        now = 2 * cluster_worker._SECONDS_KEPT
        with runs.task("b", {}, None):
            assert idle.ended and not first.ended
    with runs.task("a", {}, None) as again:
        assert again is first
    runs.end("a")
    assert first.ended


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
            Cluster("tcp://127.0.0.1:9", {"backend": "cpu"}, {}, None, print)
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
