"""Parquet tables: the columns of the .npz ones, read by everything that reads Parquet."""

import json
import re

import numpy as np
import pytest

parquet = pytest.importorskip("pyarrow.parquet")

from test_extract import FEATURES, content_of, run, write_wav  # noqa: E402

import metalmom  # noqa: E402
from metalmom.extraction.tables import ParquetTable, read_table  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_server")


@pytest.fixture(scope="module")
def songs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("songs")
    for k in range(5):
        write_wav(folder / f"{k}.wav", 1 + 0.3 * k, seed=k)
    (folder / "broken.wav").write_bytes(b"no audio at all")
    return folder


@pytest.fixture(scope="module")
def tables(songs, tmp_path_factory):
    out = tmp_path_factory.mktemp("parquet") / "tables"
    summary = metalmom.extract(songs, out, features=FEATURES, jobs=2)
    assert (summary.files, summary.failed) == (6, 1)
    return out


def test_numbers_are_those_of_npz(songs, tables, tmp_path):
    metalmom.extract(songs, tmp_path / "out", features=FEATURES, format="npz")
    ours, others = metalmom.open_features(tables), metalmom.open_features(tmp_path / "out")
    assert list(ours.files) == list(others.files)
    for name in ours.files:
        np.testing.assert_array_equal(ours.files[name], others.files[name])
    for name in FEATURES:
        np.testing.assert_array_equal(ours.frames(name), others.frames(name))
        np.testing.assert_array_equal(ours.index(name), others.index(name))


def test_bytes_do_not_depend_on_workers(songs, tables, tmp_path):
    metalmom.extract(songs, tmp_path / "out", features=FEATURES, jobs=1)
    assert content_of(tmp_path / "out") == content_of(tables)


def test_files_are_what_they_are_said_to_be(tables):
    file = parquet.ParquetFile(tables / "frames" / "part-00000.parquet")
    column = file.metadata.row_group(0).column(5)
    assert column.compression == "ZSTD" and "BYTE_STREAM_SPLIT" in column.encodings
    schema = file.schema_arrow
    assert schema.names[:3] == ["file_id", "frame", "mfcc_00"]
    assert schema.field("spectral_centroid").metadata == {b"unit": b"Hz"}
    note = json.loads(schema.metadata[b"metalmom"])
    assert note["recipe"]["features"]["mfcc"]["n_mfcc"] == 20


def test_row_groups_end_where_files_end(tmp_path):
    """... and a file that is longer than a group is cut at multiples of its size."""
    path = str(tmp_path / "t.parquet")
    table = ParquetTable(path, {"file_id": ("int32", ""), "x": ("float32", "")}, {})
    table._most_rows = 100
    lengths = [60, 30, 40, 250, 10, 0]
    for k, length in enumerate(lengths):
        table.append({"file_id": np.full(length, k, np.int32), "x": np.arange(length, dtype=np.float32)})
    table.close()
    metadata = parquet.ParquetFile(path).metadata
    groups = [metadata.row_group(k).num_rows for k in range(metadata.num_row_groups)]
    assert groups == [130, 100, 100, 60]
    with open(path, "rb") as file:
        read = read_table(file, "parquet")
    assert table.rows == 390
    np.testing.assert_array_equal(np.bincount(read["file_id"]), lengths[:-1])


def test_table_of_paths(songs, tmp_path):
    import pyarrow

    table = pyarrow.table({"name": ["0.wav", "1.wav"]})
    parquet.write_table(table, songs / "list.parquet")
    summary = metalmom.extract(songs / "list.parquet", tmp_path / "out", features=["rms"], path_column="name")
    assert (summary.files, summary.failed) == (2, 0)


def test_a_damaged_table_of_paths_is_told(songs):
    """Of a wrong byte in what a file says of itself, pyarrow raises errors of many kinds."""
    import pyarrow
    from metalmom.extraction.inputs import find

    path = songs / "damaged.parquet"
    parquet.write_table(pyarrow.table({"name": ["0.wav", "1.wav"], "n": [1, 2]}), path)
    content, told = path.read_bytes(), 0
    for at in range(len(content) - 8 - int.from_bytes(content[-8:-4], "little"), len(content)):
        changed = bytearray(content)
        changed[at] ^= 0x55
        path.write_bytes(changed)
        try:
            find([str(path)], path_column="name")
        except metalmom.ParameterError as error:
            told += "damaged.parquet" in str(error)
    path.unlink()  # the folder is that of other tests
    assert told > 50


def test_stores_of_fsspec(songs, tables, tmp_path, monkeypatch):
    pytest.importorskip("fsspec")
    from other_store import known_here_and_in_processes

    known_here_and_in_processes(tmp_path / "packages", monkeypatch)
    url = f"store://{tmp_path}/out"
    done = run("extract", songs, "-o", url, "--features", ",".join(FEATURES), "--progress", "none")
    assert done.returncode == 4, done.stderr
    assert content_of(tmp_path / "out") == content_of(tables)
    assert len(metalmom.open_features(url)) == 6
    assert metalmom.extract(songs, url, features=FEATURES).computed == 0
    listed = run("extract", f"store://{songs}", "-o", tmp_path / "other", "--features", "rms", "--dry-run")
    assert listed.stdout.splitlines()[-1].startswith("6 files")
    fetched = metalmom.extract(f"store://{songs}/1.wav", tmp_path / "fetched", features=["rms"])
    assert (fetched.files, fetched.failed) == (1, 0)


def test_examples_of_the_documentation(root, tables, monkeypatch):
    text = (root / "docs" / "extract.md").read_text()
    monkeypatch.chdir(tables.parent)
    ran = 0
    for code in re.findall(r"```python\n(import (?!metalmom).*?)```", text, re.DOTALL):
        pytest.importorskip(code.split()[1])
        lines = code.rstrip().split("\n")
        last = max(k for k, line in enumerate(lines) if line and not line[0].isspace() and line[0] != '"')
        names = {}
        exec("\n".join(lines[:last]), names)
        result = eval("\n".join(lines[last:]), names)
        assert len(result) in (5, 1)  # good files, or the broken one
        ran += 1
    assert ran == 3
