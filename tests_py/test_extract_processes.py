"""Runs, and reading of tables, inside other people's parallelism: multiprocessing, joblib, DataLoader."""

import multiprocessing
import subprocess
import sys

import numpy as np
import pytest
from devices import on_device
from test_extract import content_of, write_songs

import metalmom


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    write_songs(folder, 3, 0.1)
    (folder / "broken.wav").write_bytes(b"no audio")
    return folder


def extracted(job):
    songs, out = job
    metalmom.extract(songs, out, features=["mfcc"], format="npz", jobs=1)
    return content_of(out)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pools(folder, tmp_path, method):
    """Pools have daemons, which multiprocessing allows no children: ours are started another way."""
    metalmom.feature.mfcc(y=np.zeros(4096, np.float32))  # the parent has used its threads
    expected = extracted((folder, tmp_path / "here"))
    with multiprocessing.get_context(method).Pool(2) as pool:
        both = pool.map(extracted, [(folder, tmp_path / "0"), (folder, tmp_path / "1")])
    assert both == [expected, expected]


def test_script_without_a_main_guard(folder, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        f"import metalmom\nprint(metalmom.extract({str(folder)!r}, {str(tmp_path / 'out')!r}, "
        "features=['rms'], format='npz').files)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("4\n", "")


@on_device
def test_a_device_that_is_lost_is_opened_again_by_another_process(folder, tmp_path, monkeypatch):
    settings = {"features": ["mfcc"], "format": "npz", "jobs": 1, "backend": "gpu"}
    metalmom.extract(folder, tmp_path / "whole", **settings)
    (tmp_path / "lose").touch()
    monkeypatch.setenv("METALMOM_TEST_LOSE", str(tmp_path / "lose"))
    assert metalmom.extract(folder, tmp_path / "out", **settings).failed == 1  # the one that is no audio
    assert not (tmp_path / "lose").exists()
    assert content_of(tmp_path / "out") == content_of(tmp_path / "whole")


def test_joblib(folder, tmp_path):
    joblib = pytest.importorskip("joblib")
    jobs = [(folder, tmp_path / str(k)) for k in range(2)]
    first, second = joblib.Parallel(n_jobs=2)(joblib.delayed(extracted)(job) for job in jobs)
    assert first == second


class Frames:
    """A dataset: of each file a spectrogram as it is loaded, and the table's coefficients."""

    def __init__(self, out):
        self.files = [file for file in metalmom.open_features(out) if file.status == "ok"]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, place):
        import torch

        file = self.files[place]
        y, sr = metalmom.load(file.path)
        mel = metalmom.feature.melspectrogram(y=y, sr=sr)
        return torch.from_numpy(mel), torch.from_numpy(np.ascontiguousarray(file["mfcc"]))


class Runs:
    """A dataset whose workers run `extract`."""

    def __init__(self, songs, out):
        self.songs, self.out = songs, out

    def __len__(self):
        return 2

    def __getitem__(self, place):
        return extracted((self.songs, self.out / str(place)))["receipts/00000.json"]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_data_loaders(folder, tmp_path, method):
    torch = pytest.importorskip("torch")
    metalmom.extract(folder, tmp_path / "out", features=["mfcc"], format="npz")
    data = Frames(tmp_path / "out")
    expected = [data[place] for place in range(len(data))]  # the parent has used its threads

    def loaded(data):
        how = {"batch_size": None, "num_workers": 2, "multiprocessing_context": method}
        return list(torch.utils.data.DataLoader(data, **how))

    for got, wanted in zip(loaded(data), expected, strict=True):
        assert torch.equal(got[0], wanted[0]) and torch.equal(got[1], wanted[1])
    first, second = loaded(Runs(folder, tmp_path))
    assert first == second
