"""What notebooks show of objects, and their progress bars; no notebook is needed, see `kernel`."""

import sys
import types

import numpy as np
import pytest

import metalmom
from test_extract import write_songs

pytestmark = pytest.mark.usefixtures("one_server")


class Bar:
    """The part of tqdm's bars that is used."""

    made = []

    def __init__(self, **options):
        self.options, self.n, self.is_open, self.texts = options, 0, True, []
        self.made.append(self)

    def __bool__(self):
        return False  # as tqdm's bars that have no total

    def update(self, more):
        self.n += more

    def set_description_str(self, text):
        self.texts.append(text)

    def close(self):
        self.is_open = False


@pytest.fixture
def kernel(monkeypatch):
    """The process says that it is a kernel, and keeps its bars."""
    shell = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    Bar.made.clear()
    return shell


def extract(tmp_path, **settings):
    (tmp_path / "<b>songs").mkdir()
    songs = write_songs(tmp_path / "<b>songs", 2, 0.1)
    return metalmom.extract(songs, tmp_path / "out", features=["rms", "mfcc"], format="npz", **settings)


def separate():
    about = {"kind": "waveform", "sr": 100, "channels": 1, "stems": ["one"], "segment": 1.0}
    metalmom.separate(np.zeros(500, np.float32), (lambda y: y[np.newaxis], about), sr=100, progress="auto")


def test_a_notebook_has_bars(kernel, tmp_path, capfd):
    extract(tmp_path, progress="auto")
    separate()
    of_files, of_seconds = Bar.made
    assert of_files.options["total"] == 2 and of_files.options["ncols"] is None  # the page knows its width
    assert of_files.n == 2 and "2/2" in of_files.texts[-1]
    assert of_seconds.options["total"] == 5.0 and of_seconds.n == pytest.approx(5.0)
    assert not of_files.is_open and not of_seconds.is_open
    assert capfd.readouterr().err == ""


def test_ipython_without_a_kernel_is_no_notebook(kernel, tmp_path):
    del kernel.kernel
    extract(tmp_path, progress="auto")
    separate()
    assert Bar.made == []


def test_an_extractor_shows_its_features():
    recipe = {"m": {"feature": "melspectrogram", "n_mels": 40}, "level": {"feature": "power_to_db", "of": "m"},
              "<b>": {"feature": "mfcc", "window": np.ones(1000)}}  # fmt: skip
    shown = metalmom.Extractor(recipe, n_fft=1000)._repr_html_()
    assert "<th>m</th><td>feature.melspectrogram(n_fft=1000, n_mels=40)</td>" in shown
    assert "<th>level</th><td>power_to_db(S=m)</td>" in shown
    assert "<th>&lt;b&gt;</th><td>feature.mfcc(" in shown and len(shown) < 600


def test_tables_show_what_they_hold(tmp_path):
    summary = extract(tmp_path)
    features = summary.open()
    assert "<tr><th>files</th><td>2</td></tr>" in summary._repr_html_() and "failed" not in summary._repr_html_()
    shown = features._repr_html_()
    assert "<tr><th>files</th><td>2 of 2</td></tr>" in shown and "root" not in shown
    assert "<tr><th>mfcc</th><td>frames, shape (20,), float32</td></tr>" in shown
    first = next(iter(features))._repr_html_()
    assert "&lt;b&gt;songs" in first and "<b>" not in first and "<tr><th>status</th><td>ok</td></tr>" in first


def test_aggregated_tables_say_so(tmp_path):
    shown = extract(tmp_path, aggregate=["mean", "std"]).open()._repr_html_()
    assert "<tr><th>mfcc</th><td>mean, std of frames, shape (20,), float32</td></tr>" in shown
