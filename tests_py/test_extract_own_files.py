"""What a run reads, writes and removes in OUT: files of runs, and nothing else."""

import contextlib
import json
import os
import shutil
import signal
import socket
import stat

import pytest

import metalmom
from metalmom.extraction.verify import verify
from test_extract import content_of, run, write_wav

pytestmark = pytest.mark.usefixtures("one_server")

HEX = "0123456789abcdef" * 2


@pytest.fixture()
def song(tmp_path):
    write_wav(tmp_path / "a.wav", 1.0)
    return tmp_path / "a.wav"


def extract(song, out, **more):
    return metalmom.extract(song, out, features=["rms"], format="npz", jobs=1, **more)


def test_folder_with_a_manifest_of_somebody_else_is_refused(song, tmp_path):
    out = tmp_path / "out"
    (out / "files").mkdir(parents=True)
    for content in ("{}", "", "[]", '{"name": "web app"}', '{"layout": 1}'):
        (out / "manifest.json").write_text(content)
        (out / "files" / "part-00000.npz").write_text("not mine")
        for overwrite in (False, True):
            with pytest.raises(metalmom.LibrosaError, match="manifest.json"):
                extract(song, out, overwrite=overwrite)
        assert (out / "manifest.json").read_text() == content
        assert (out / "files" / "part-00000.npz").read_text() == "not mine"
        assert sorted(each.name for each in out.iterdir()) == ["files", "manifest.json"]


def test_overwriting_keeps_what_runs_have_not_written(song, tmp_path):
    out = tmp_path / "out"
    extract(song, out)
    kept = ["files/thesis.txt", "runs/log", "frames-mine/a go", "frames-mine/part-00000.npz",
            "receipts/00000.json.bak", "notes.txt", "drafts/.writing-novel.txt",
            f"drafts/.writing-{HEX}-part-00000.npz", ".writing-thesis", "files/.writing-chapter"]  # fmt: skip
    swept = [f".writing-{HEX}-plan.jsonl", f"files/.writing-{HEX}-part-00000.npz"]
    for name in kept + swept:
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text("precious")
    extract(song, out, overwrite=True)
    assert [name for name in kept if not (out / name).exists()] == []
    assert [name for name in swept if (out / name).exists()] == []


def test_overwriting_removes_the_tables_and_empty_folders_of_the_run_before(song, tmp_path):
    out, other = tmp_path / "out", tmp_path / "other"
    metalmom.extract(song, out, features=["rms", "beat_track"], format="npz")
    assert (out / "events-beat_track_beats").is_dir()
    extract(song, out, overwrite=True)
    extract(song, other)
    assert content_of(out) == content_of(other)
    assert not (out / "events-beat_track_beats").exists()


def test_overwriting_does_not_follow_links(song, tmp_path):
    out, other = tmp_path / "out", tmp_path / "elsewhere"
    extract(song, out)
    (out / "frames").rename(other)
    (other / f".writing-{HEX}-part-00000.npz").write_text("precious")
    (out / "frames").symlink_to("../elsewhere")
    before = content_of(other)
    with pytest.raises(metalmom.ParameterError, match=r"out/frames is a link"):
        extract(song, out, overwrite=True)
    extract(song, out)
    assert content_of(other) == before


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run of one song, whose OUT tests copy."""
    folder = tmp_path_factory.mktemp("whole")
    write_wav(folder / "a.wav", 1.0)
    extract(folder / "a.wav", folder / "out")
    return folder


@pytest.fixture
def out(whole, tmp_path):
    return shutil.copytree(whole / "out", tmp_path / "out")


@pytest.mark.parametrize("folder", ["frames", "files", "receipts", "runs"])
def test_a_run_that_continues_writes_through_no_link(whole, out, tmp_path, folder):
    other, song = tmp_path / "elsewhere", whole / "a.wav"
    (out / folder).rename(other)
    (out / folder).symlink_to("../elsewhere")
    before = content_of(out), content_of(other)
    assert extract(song, out).computed == 0  # where there is nothing to write
    assert len(metalmom.open_features(out)) == 1 and list(verify(out)) == []
    write_wav(tmp_path / "b.wav", 0.5)
    with pytest.raises(metalmom.ParameterError, match=rf"out/{folder} is a link, and must be a folder"):
        extract([song, tmp_path / "b.wav"], out)
    assert (content_of(out), content_of(other)) == before
    flipped = bytearray((out / "frames/part-00000.npz").read_bytes())
    flipped[70] ^= 1
    (out / "frames/part-00000.npz").write_bytes(flipped)
    before = content_of(out), content_of(other)
    with pytest.raises(metalmom.ParameterError, match=rf"out/{folder} is a link, and must be a folder"):
        extract(song, out, repair=True)
    assert (content_of(out), content_of(other)) == before


def test_a_folder_that_becomes_a_link_in_the_meantime_is_not_written_into(tmp_path):
    from metalmom.extraction.store import LocalStore

    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "00000.json").write_text("precious")
    store = LocalStore(tmp_path / "out")
    store.make("receipts")
    (tmp_path / "out" / "receipts").rmdir()
    (tmp_path / "out" / "receipts").symlink_to("../elsewhere")
    for change in (lambda: store.write("receipts/00000.json", b"ours"), lambda: store.remove("receipts/00000.json")):
        with pytest.raises(metalmom.LibrosaError, match="out/receipts is a link, and must be a folder"):
            change()
    assert content_of(other) == {"00000.json": b"precious"}


def test_a_lock_that_is_a_link_is_not_written_through(song, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "out" / ".lock").symlink_to("../precious")
    with pytest.raises(metalmom.LibrosaError, match=r"out/\.lock is a link, and must be a regular file"):
        extract(song, tmp_path / "out")
    assert (tmp_path / "precious").read_text() == "precious"


class Late(BaseException):
    """Of which no code that is tested takes notice."""


@contextlib.contextmanager
def in_time(seconds=20):
    """The block ends, or fails after that time."""

    def late(number, frame):
        raise Late

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as made, contextlib.chdir(path.parent):  # a whole path may be too long
        made.bind(path.name)


def make_device(path):
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))  # what gives zeros without an end
    except PermissionError:
        pytest.skip("this user may make no devices")


def make_link(path):
    path.symlink_to("nowhere")


def make_link_to_a_device(path):
    path.symlink_to("/dev/zero")


STRANGE = {"a named pipe": os.mkfifo, "a socket": make_socket, "a device": make_device, "a link to nothing": make_link,
           "a link to a device": make_link_to_a_device, "a folder": os.mkdir}  # fmt: skip


@pytest.mark.parametrize("what", STRANGE)
@pytest.mark.parametrize("name", ["manifest.json", "plan.jsonl", "quarantine.csv", ".lock", ".workers"])
def test_what_is_no_regular_file_is_told_with_its_path(whole, out, name, what):
    (out / name).unlink()
    STRANGE[what](out / name)
    kind = r"a link( to [a-z ]+)?" if "link" in what else what
    told = rf"out/{name} is {kind}, and must be a regular file"
    with in_time():
        if name in ("manifest.json", "plan.jsonl"):
            with pytest.raises(metalmom.LibrosaError, match=told):
                metalmom.open_features(out).planned
        if not name.startswith("."):
            with pytest.raises(metalmom.LibrosaError, match=told):
                list(verify(out))
        flipped = bytearray((out / "frames/part-00000.npz").read_bytes())
        flipped[70] ^= 1
        (out / "frames/part-00000.npz").write_bytes(flipped)
        with pytest.raises(metalmom.LibrosaError, match=told):
            extract(whole / "a.wav", out, repair=True)


@pytest.mark.parametrize("what", STRANGE)
def test_what_is_no_table_or_receipt_is_told_and_replaced(whole, out, what):
    before, opened = content_of(out), metalmom.open_features(out)
    for name in ("frames/part-00000.npz", "files/part-00000.npz", "receipts/00000.json"):
        (out / name).unlink()
        STRANGE[what](out / name)
        with in_time():
            if not name.startswith("receipts"):  # since it was opened
                with pytest.raises(metalmom.LibrosaError, match=f"out/{name} is {what}, and must be a regular file"):
                    opened.frames("rms") if name.startswith("frames") else opened.files
                assert any(fault.startswith(f"{name} is not a regular file: ") for fault in verify(out))
            with pytest.raises(metalmom.LibrosaError, match=r"out/\S+ is not a regular file: .*--repair"):
                metalmom.open_features(out)
    with in_time():
        if what == "a folder":  # which may hold anything
            with pytest.raises(metalmom.LibrosaError, match="out/receipts/00000.json is a folder, and must be"):
                extract(whole / "a.wav", out)
            (out / "receipts/00000.json").rmdir()
            with pytest.raises(metalmom.LibrosaError, match=r"out/\w+/part-00000.npz is a folder, and must be"):
                extract(whole / "a.wav", out)
        else:
            assert extract(whole / "a.wav", out).computed == 1
            assert content_of(out) == before and list(verify(out)) == []


def test_tables_whose_files_are_links_are_read_and_never_written_through(whole, out, tmp_path):
    """As in caches of downloaded data sets; `open_features` and `verify` only read."""
    other = tmp_path / "blobs"
    other.mkdir()
    before = content_of(out)
    for name in before:
        (out / name).rename(other / name.replace("/", "-"))
        (out / name).symlink_to(other / name.replace("/", "-"))
    blobs = content_of(other)
    assert len(metalmom.open_features(out)) == 1 and list(verify(out)) == []
    for more in ({}, {"overwrite": True}):
        with pytest.raises(metalmom.ParameterError, match="out/manifest.json is a link, and must be a regular file"):
            extract(whole / "a.wav", out, **more)
    assert content_of(other) == blobs and content_of(out) == before


DAMAGE = {
    "manifest.json": [b"", b"\xff\x00\x81random", b"[]", b'{"layout": 2}', b"{}", None],
    "plan.jsonl": [None, b"", b"[]\n", b"\xff\xfe\n", b'{"file_id": 0, "path": "/a.wa', b"{}\n",
                   *(b'{"file_id": 0, "path": "%s", "size": 1, "mtime": 1, "shard": 0}\n' % each for each in (b"\\ud800", b"\\u0000"))],
    "receipts/00000.json": [b"[]", b"{}", b"", b"\xff\x00", b'{"shard": 0, "tables": []}'],
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_notes_are_told_in_a_sentence(song, tmp_path, name):
    out = tmp_path / "out"
    extract(song, out)
    whole = (out / name).read_bytes()
    for content in DAMAGE[name]:
        (out / name).unlink()
        if content is not None:
            (out / name).write_bytes(content)
        shown = str(out) if (name, content) == ("manifest.json", None) else str(out / name)
        if name != "plan.jsonl":
            with pytest.raises(metalmom.LibrosaError) as caught:
                metalmom.open_features(out)
            assert shown in str(caught.value)
        verified = run("verify", out)
        assert verified.returncode == 1 and "Traceback" not in verified.stderr
        assert name in verified.stdout + verified.stderr or content is None
        if name.startswith("receipts"):
            assert extract(song, out).computed == 1  # which mends it
            assert (out / name).read_bytes() == whole
        else:
            extracted = run("extract", song, "-o", out, "--features", "rms", "--format", "npz")
            assert extracted.returncode == 1 and "Traceback" not in extracted.stderr
            assert str(out) in extracted.stderr and extracted.stderr.count("\n") == 1
        (out / name).write_bytes(whole)
    assert run("verify", out).returncode == 0


@pytest.mark.parametrize("change", [{"failed": [[99, "lost"]]}, {"failed": [[0, "\ud800"]]}, {"tables": None}])
def test_receipts_of_other_files_are_told_of(song, tmp_path, change):
    """A failed file that the plan has not, words that no file can hold, a table that was left out."""
    out = tmp_path / "out"
    extract(song, out)
    path = out / "receipts/00000.json"
    receipt = json.loads(path.read_text())
    kept = {name: facts for name, facts in receipt["tables"].items() if not name.startswith("files")}
    tables = kept if "tables" in change else receipt["tables"]
    path.write_text(json.dumps({**receipt, **change, "tables": tables}))
    verified = run("verify", out)
    assert verified.returncode == 1 and "Traceback" not in verified.stderr
    assert "is damaged" in verified.stdout + verified.stderr


def test_a_receipt_that_is_no_shards_goes(song, tmp_path):
    out = tmp_path / "out"
    extract(song, out)
    whole = content_of(out)
    (out / "receipts" / "00099.json").write_bytes((out / "receipts" / "00000.json").read_bytes())
    with pytest.raises(metalmom.LibrosaError, match="00099.json is damaged"):
        metalmom.open_features(out)
    assert extract(song, out).computed == 0
    assert content_of(out) == whole


NO_SCHEMA = [
    *(("kind", "nix"), ("shape", [-1]), ("shape", [1 << 40]), ("shape", ["a"]), ("shape", [1.0]), ("name", 3), ("index", "0")),
    *(("dtype", "O"), ("dtype", None), ("is_complex", 1), ("unit", []), ("per_second", "x"), ("axis", 0.5), ("feature", {})),
]


@pytest.mark.parametrize("key, value", NO_SCHEMA)
def test_a_schema_that_no_run_writes_is_refused(song, tmp_path, key, value):
    out = tmp_path / "out"
    extract(song, out)
    manifest = json.loads((out / "manifest.json").read_text())
    manifest["schema"][0][key] = value
    (out / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(metalmom.LibrosaError, match="manifest.json is damaged"):
        metalmom.open_features(out)


def test_verify_tells_of_a_schema_of_other_features(song, tmp_path):
    out = tmp_path / "out"
    extract(song, out)
    manifest = json.loads((out / "manifest.json").read_text())
    manifest["recipe"]["features"]["tempo"] = {"feature": "feature.tempo"}
    (out / "manifest.json").write_text(json.dumps(manifest))
    verified = run("verify", out)
    assert verified.returncode == 1 and "its schema and its recipe have different features" in verified.stderr


def test_verify_tells_of_a_schema_of_other_shapes(song, tmp_path):
    out = tmp_path / "out"
    extract(song, out)
    manifest = json.loads((out / "manifest.json").read_text())
    manifest["schema"][0]["shape"] = [2]
    (out / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(metalmom.LibrosaError, match="part-00000.npz has other columns than the manifest"):
        next(iter(metalmom.open_features(out)))
    verified = run("verify", out)
    assert verified.returncode == 1 and "Traceback" not in verified.stderr


def test_a_cut_plan_is_refused(tmp_path):
    for k in range(3):
        write_wav(tmp_path / f"{k}.wav", 0.5, seed=k)
    extract(tmp_path, tmp_path / "out")
    plan = tmp_path / "out" / "plan.jsonl"
    plan.write_bytes(b"".join(plan.read_bytes().splitlines(keepends=True)[:2]))
    with pytest.raises(metalmom.LibrosaError, match=r"out/plan.jsonl is damaged"):
        extract(tmp_path, tmp_path / "out")


def test_a_flipped_byte_is_told_with_what_mends_it(song, tmp_path):
    out = tmp_path / "out"
    extract(song, out)
    table = out / "frames" / "part-00000.npz"
    content = bytearray(table.read_bytes())
    whole = bytes(content)
    content[len(content) // 2] ^= 1
    table.write_bytes(content)
    verified = run("verify", out)
    assert verified.returncode == 1 and not verified.stderr
    assert (f"\nframes/part-00000.npz has other bytes than its receipt says: metalmom extract -o {out} --repair "
            "computes it again\n") in "\n" + verified.stdout
    with pytest.raises(metalmom.LibrosaError, match=r"out/frames/part-00000.npz is damaged"):
        metalmom.open_features(out).frames("rms")
    extract(song, out)
    assert table.read_bytes() == bytes(content)  # its size and its receipt are right
    extract(song, out, repair=True)
    assert table.read_bytes() == whole and run("verify", out).returncode == 0


def test_repair_computes_what_differs_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr("metalmom.extraction.records.files_of_a_shard", lambda most: 2)
    for k in range(6):
        write_wav(tmp_path / f"{k}.wav", 0.5, seed=k)
    out = tmp_path / "out"
    command = ["extract", *(tmp_path / f"{k}.wav" for k in range(6)), "-o", out, "--features", "rms", "--format", "npz"]
    assert run(*command, METALMOM_TEST_SHARD="2").returncode == 0
    whole = content_of(out)
    done = run(*command, "--repair")
    assert "0 computed now" in done.stderr
    for name in ("files/part-00002.npz", "frames/part-00001.npz"):
        content = bytearray((out / name).read_bytes())
        content[70] ^= 4
        (out / name).write_bytes(content)
    assert "0 computed now" in run(*command).stderr and content_of(out) != whole
    done = run("extract", "-o", out, "--repair")  # what, of which files, and how is in OUT
    assert done.returncode == 0 and "4 computed now" in done.stderr and content_of(out) == whole
    done = run(*command, "--repair", "--overwrite")
    assert done.returncode == 2 and "--repair must not be given with --overwrite" in done.stderr
