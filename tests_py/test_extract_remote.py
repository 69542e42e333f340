"""Files in other stores: fetched, named as they are there, and kept when they were decoded."""

import itertools
import os

import numpy as np
import pytest
from test_extract import write_wav

import metalmom
from metalmom.extraction import inputs, samples
from metalmom.extraction.records import Entry, Plan
from metalmom.extraction.store import RemoteStore
from metalmom.extraction.samples import AudioCache

fsspec = pytest.importorskip("fsspec")


@pytest.fixture(params=["memory", "file"])
def store(request, tmp_path, monkeypatch):
    """A URL to put files at, what puts them there, and the list of those that are fetched."""
    filesystem = fsspec.filesystem(request.param)
    root = f"/{tmp_path.name}" if request.param == "memory" else os.fspath(tmp_path)
    fetched = []

    def filesystem_of(url):
        return filesystem, url.removeprefix("store://")

    def get_file(path, place):
        fetched.append(path)
        with filesystem.open(path, "rb") as file, open(place, "wb") as copy:
            copy.write(file.read())

    for module in (inputs, samples):
        monkeypatch.setattr(module, "filesystem_of", filesystem_of)
    monkeypatch.setattr(filesystem, "get_file", get_file, raising=False)

    def put(name, content):
        with filesystem.open(f"{root}/{name}", "wb") as file:
            file.write(content)
        return f"store://{root}/{name}"

    return put, fetched


def entry_of(url):
    (found,) = inputs.find([url])
    return Entry(0, *found, 0)


def content(tmp_path, seed, seconds=1.0):
    path = tmp_path / "made.wav"
    write_wav(path, seconds, seed=seed)
    return path.read_bytes()


def test_samples_of_remote_files_are_kept_by_content(store, tmp_path):
    put, fetched = store
    cache = AudioCache(tmp_path / "cache", 22050, 1 << 30)
    decoder = samples.Decoder(22050, 1 << 24, tmp_path, cache)
    url = put("a.wav", content(tmp_path, 1))
    expected, _ = metalmom.load(tmp_path / "made.wav")
    first = decoder(entry_of(url))
    np.testing.assert_array_equal(first.y, expected)
    assert len(fetched) == 1 and len(list((tmp_path / "cache").rglob("*.f32"))) == 1
    again = decoder(entry_of(url))
    assert isinstance(again.y, np.memmap) and again.rate == first.rate
    np.testing.assert_array_equal(again.y, expected)
    # a store that tells of versions need not be asked for the bytes again
    assert len(fetched) == (1 if entry_of(url).mtime > 0 else 2)
    other = decoder(entry_of(put("b.wav", content(tmp_path, 1))))  # the same content elsewhere
    assert isinstance(other.y, np.memmap) and len(list((tmp_path / "cache").rglob("*.f32"))) == 1


def test_another_content_of_the_same_size_is_noticed(store, tmp_path):
    put, _ = store
    cache = AudioCache(tmp_path / "cache", 22050, 1 << 30)
    decoder = samples.Decoder(22050, 1 << 24, tmp_path, cache)
    url = put("a.wav", content(tmp_path, 1))
    before = entry_of(url)
    first = np.array(decoder(before).y)
    put("a.wav", content(tmp_path, 2))
    if before.mtime > 0:
        with pytest.raises(metalmom.AudioError, match="it has changed since it was planned"):
            decoder(before)
    assert not np.array_equal(decoder(entry_of(url)).y, first)


def test_errors_name_the_file_as_it_is_called_there(store, tmp_path):
    put, _ = store
    url = put("bad.wav", b"no audio at all" * 9)
    with pytest.raises(metalmom.AudioError) as raised:
        samples.Decoder(22050, 1 << 24, tmp_path)(entry_of(url))
    assert url in str(raised.value) and ".writing" not in str(raised.value)


def test_a_file_that_is_not_there_any_more(store, tmp_path):
    put, _ = store
    url = put("a.wav", content(tmp_path, 1))
    entry = entry_of(url)
    inputs.filesystem_of(url)[0].rm(url.removeprefix("store://"))
    with pytest.raises(FileNotFoundError):
        samples.Decoder(22050, 1 << 24, tmp_path)(entry)


def test_what_cannot_be_looked_at_has_not_changed():
    entry = Entry(0, "https://host/a.wav", 9, 5, 0)
    plan = Plan([entry])
    gone, other = inputs.Found(entry.path, -1, -1), inputs.Found(entry.path, -1, 6)
    assert plan.changed([gone]) == [] and plan.updated([gone]).entries == [entry]
    assert plan.changed([other]) == [entry] and plan.updated([other]).entries[0][2:4] == (-1, 6)


def test_a_store_that_raises_what_it_likes_gives_a_row_and_ends_no_run(monkeypatch):
    class Refusing:
        def isdir(self, path):
            return False

        def info(self, path):
            raise RuntimeError("no credentials")

    monkeypatch.setattr(inputs, "filesystem_of", lambda url: (Refusing(), url))
    (found,) = inputs.find(["store://bucket/a.wav"])
    assert not found.is_known


def test_an_empty_file_has_its_size(store):
    assert entry_of(store[0]("empty.wav", b"")).size == 0


class Killed(BaseException):
    """What ends a process between two requests, or in the middle of one."""


class Dying:
    """A file system whose process is killed at its k-th change: before it, when half is done, or after it."""

    CHANGES = ("put_file", "rm_file", "mv")

    def __init__(self, filesystem, k, when):
        self._filesystem, self._left, self._when = filesystem, k, when

    def __getattr__(self, name):
        method = getattr(self._filesystem, name)
        return method if name not in self.CHANGES else lambda *args: self._change(name, method, args)

    def _change(self, name, method, args):
        self._left -= 1
        if self._left != 0 or self._when == "after":
            method(*args)
        elif self._when == "half" and name != "rm_file":
            source = open(args[0], "rb") if name == "put_file" else self._filesystem.open(args[0], "rb")
            with source, self._filesystem.open(args[1], "wb") as file:  # as stores do that copy and then remove
                content = source.read()
                file.write(content[: len(content) // 2])
        if self._left == 0:
            raise Killed


@pytest.mark.parametrize("when", ["before", "half", "after"])
@pytest.mark.parametrize("protocol", ["file", "memory"])
def test_what_is_replaced_is_there_whatever_is_killed(tmp_path, monkeypatch, protocol, when):
    filesystem = fsspec.filesystem(protocol)
    root = os.fspath(tmp_path / "out") if protocol == "file" else f"/{tmp_path.name}/out"
    filesystem.makedirs(root)
    for k in itertools.count(1):
        monkeypatch.setattr("metalmom.extraction.store.filesystem_of", lambda url: (filesystem, root))
        store = RemoteStore("store://out")
        store.write("plan.jsonl", b"old plan")
        monkeypatch.setattr("metalmom.extraction.store.filesystem_of", lambda url: (Dying(filesystem, k, when), root))
        try:
            RemoteStore("store://out").write("plan.jsonl", b"the new plan")
        except Killed:
            pass
        else:
            break
        contents = {b"old plan", b"the new plan"}
        assert store.read("plan.jsonl") in contents and store.names() >= {"plan.jsonl"}
        store.sweep([])
        assert filesystem.cat_file(f"{root}/plan.jsonl") in contents
        assert [each for each in filesystem.ls(root, detail=False) if "writing" in each] == []
    assert k == 4 and store.read("plan.jsonl") == b"the new plan"


@pytest.mark.parametrize("protocol", ["file", "memory"])
def test_what_could_not_be_renamed_replaces_nothing_that_is_newer(tmp_path, monkeypatch, protocol):
    filesystem = fsspec.filesystem(protocol)
    root = os.fspath(tmp_path / "out") if protocol == "file" else f"/{tmp_path.name}/out"
    filesystem.makedirs(root)
    monkeypatch.setattr("metalmom.extraction.store.filesystem_of", lambda url: (filesystem, root))
    store = RemoteStore("store://out")
    store.write("plan.jsonl", b"one")
    store.write("manifest.json", b"another")
    with monkeypatch.context() as patch, pytest.raises(OSError, match="connection"):
        patch.setattr(filesystem, "mv", failing, raising=False)
        store.write("plan.jsonl", b"two")
    assert store.read("plan.jsonl") == b"two"
    store.write("plan.jsonl", b"three")
    assert store.read("plan.jsonl") == b"three"
    store.sweep([])
    assert store.read("plan.jsonl") == b"three" and store.read("manifest.json") == b"another"
    assert sorted(name.rpartition("/")[2] for name in filesystem.ls(root, detail=False)) == ["manifest.json", "plan.jsonl"]


def failing(*args):
    raise OSError("the connection is lost")
