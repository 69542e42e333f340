"""Files of folders, example recordings, what to cite, the cache, renamed names."""

import importlib
import json
import subprocess
import sys
import warnings

import metalmom
import numpy as np
import pytest
from metalmom import ParameterError, util
from metalmom.util import decorators, files


@pytest.fixture
def folder(tmp_path):
    for name in ("a.wav", "b.MP3", "c.txt", "e.Wav", ".h.wav", "noext", "sub/deep/d.ogg"):
        path = tmp_path / "music" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path / "music"


def test_find_files(folder):
    def names(**options):
        found = util.find_files(folder, **options)
        assert all(path.startswith(str(folder)) for path in found)
        return [path.removeprefix(f"{folder}/") for path in found]

    assert names() == ["a.wav", "b.MP3", "sub/deep/d.ogg"]
    assert names(recurse=False) == ["a.wav", "b.MP3"]
    assert names(ext="wav") == ["a.wav"]
    assert names(ext=["Wav", "OGG"]) == ["a.wav", "sub/deep/d.ogg"]
    assert names(ext="Wav", case_sensitive=True) == ["e.Wav"]
    assert names(limit=1, offset=1) == ["b.MP3"]
    assert names(offset=-1) == ["sub/deep/d.ogg"]
    assert names(ext=[]) == names(offset=9) == names(limit=0) == []


def test_find_files_of_no_folder(folder, monkeypatch):
    assert util.find_files(folder / "missing") == []
    monkeypatch.chdir(folder)
    assert util.find_files("sub") == [str(folder / "sub/deep/d.ogg")]
    monkeypatch.setenv("HOME", str(folder))
    assert util.find_files("~", ext="ogg") == [str(folder / "sub/deep/d.ogg")]
    with pytest.raises(ParameterError, match="directory=3 must be a path"):
        util.find_files(3)


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Nothing but an empty folder to look for examples in, and no pooch."""
    monkeypatch.delenv("LIBROSA_DATA_DIR", raising=False)
    monkeypatch.setenv("METALMOM_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setitem(sys.modules, "pooch", None)
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


def test_the_demo_song_is_an_example(data):
    path = metalmom.ex("demo")
    assert path.startswith(str(data))
    y, sr = metalmom.load(path, sr=None, mono=False)
    song, rate = metalmom.demo.song()
    assert sr == rate
    np.testing.assert_allclose(y, song, atol=2**-14)
    written = (data / path).stat().st_mtime_ns
    assert metalmom.example("demo", hq=True) == path
    assert (data / path).stat().st_mtime_ns == written  # once
    assert [p.name for p in data.iterdir()] == [path.rpartition("/")[2]]
    with pytest.raises(ParameterError, match="url=True"):
        metalmom.ex("demo", url=True)


def test_the_demo_song_is_not_what_others_put_into_a_folder_of_everybody(tmp_path, monkeypatch):
    """The last place, where no other folder can be written; there anybody may put a link."""
    (tmp_path / "file").touch()
    for name in ("METALMOM_DATA_DIR", "LIBROSA_DATA_DIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "file"))
    everybodys = tmp_path / "everybodys"
    everybodys.mkdir()
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(everybodys))
    name = metalmom.ex("demo").rpartition("/")[2]
    whole = (everybodys / name).read_bytes()
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (everybodys / name).unlink()
    (everybodys / name).symlink_to(secret)
    assert metalmom.ex("demo") == str(everybodys / name)
    assert not (everybodys / name).is_symlink()
    assert (everybodys / name).read_bytes() == whole and secret.read_text() == "secret"


def test_examples_are_found_in_folders(data, tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match="'trumpet' is not here: put sorohanro.*pooch"):
        metalmom.ex("trumpet")
    path = data / "sorohanro_-_solo-trumpet-06.hq.ogg"
    metalmom.demo.write_wav(path, duration=0.5)
    assert metalmom.ex("trumpet", hq=True) == str(path)
    for arguments in ({"sr": None}, {"sr": 44100}, {"mono": False}, {"hq": True}):
        y, _ = metalmom.loadx("trumpet", **arguments)
        assert y.size > 0
    with pytest.raises(FileNotFoundError):
        metalmom.loadx("trumpet")
    other = tmp_path / "librosa"
    other.mkdir()
    (other / "sorohanro_-_solo-trumpet-06.ogg").touch()
    monkeypatch.setenv("LIBROSA_DATA_DIR", str(other))
    assert metalmom.ex("trumpet").startswith(str(other))
    with pytest.raises(ParameterError, match="key='horn' must be one of demo, brahms"):
        metalmom.ex("horn")


def test_examples_are_fetched_where_pooch_is(data, monkeypatch):
    asked = []

    class Pooch:
        @staticmethod
        def retrieve(url, known_hash, fname, path):
            asked.append((url, known_hash, fname, path))
            if fname.startswith("H"):
                raise OSError("no network")
            return str(path / fname)

    monkeypatch.setitem(sys.modules, "pooch", Pooch)
    assert metalmom.ex("snare") == str(data / "snare-accelerate.ogg")
    ((url, known_hash, fname, path),) = asked
    assert url == metalmom.ex("snare", url=True) == f"https://librosa.org/data/audio/{fname}"
    assert known_hash.startswith("sha256:")
    assert len(known_hash) == 7 + 64
    assert path == data
    with pytest.raises(FileNotFoundError, match="'brahms' cannot be fetched from .*: no network"):
        metalmom.ex("brahms")


def test_what_is_known_of_examples(data, capsys):
    util.list_examples()
    listed = capsys.readouterr().out
    assert all(f"\n{key} " in listed for key in ("demo", "brahms", "vibeace"))
    assert util.example_info("trumpet") is None
    assert "address: https://librosa.org/data/audio/sorohanro" in capsys.readouterr().out
    (data / "sorohanro_-_solo-trumpet-06.toml").write_text('artist = "M & S"')
    text = util.example_info("trumpet", html=True)
    assert "<dt>artist</dt><dd>M &amp; S</dd>" in text
    with pytest.raises(ParameterError, match="key='x' must be one of"):
        util.example_info("x")


def test_cite():
    assert metalmom.cite() == "https://doi.org/10.5281/zenodo.591533"
    assert metalmom.cite("0.10.1", bib=True).startswith("@misc{10.5281/zenodo.8252662,\n")
    with pytest.raises(ParameterError, match="version='0.0' must be one of 0.10.1"):
        metalmom.cite("0.0")


def test_the_cache_is_off():
    def function(x):
        return x

    assert metalmom.cache(level=10)(function) is function
    assert metalmom.cache(10)(function) is function
    metalmom.cache.clear()
    metalmom.cache.reduce_size()
    assert metalmom.cache.eval(function, 3) == 3
    assert metalmom.cache.level == 10


def test_the_cache_keeps_results(tmp_path):
    """With a stand-in for joblib, in a process that sees the environment."""
    (tmp_path / "joblib.py").write_text(
        "class Memory:\n"
        "    def __init__(self, location, **options): print(location, options)\n"
        "    def cache(self, f): return lambda *a: ('kept', f(*a))\n"
        "    def clear(self, warn=True): print('cleared', warn)\n"
        "    def eval(self, f, *a): return ('kept', f(*a))\n"
    )
    code = (
        "import metalmom; f = metalmom.cache(level=20)(abs); g = metalmom.cache(level=30)(abs);"
        "print(f(-1), f.__name__, g(-1)); metalmom.cache.clear(warn=False);"
        "print(metalmom.cache.eval(abs, -2))"
    )
    environment = {"PYTHONPATH": f"{tmp_path}:{importlib.import_module('os').environ['PYTHONPATH']}"}
    environment |= {"LIBROSA_CACHE_DIR": "/kept", "LIBROSA_CACHE_LEVEL": "20"}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    options = {"mmap_mode": None, "compress": False, "verbose": 0}
    assert run.stdout.splitlines() == [
        f"/kept {options}", "('kept', 1) abs 1", "cleared False", "('kept', 2)",
    ]  # fmt: skip


def caught(function, *args, **kwargs):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = function(*args, **kwargs)
    return result, [(w.category, str(w.message), w.filename) for w in found]


def test_old_names_warn_at_the_callers_line():
    @decorators.deprecated(version="1.0", version_removed="2.0")
    def goes(x):
        return x

    @decorators.moved(moved_from="there.goes", version="1.0", version_removed="2.0")
    def went(x):
        return x

    for function, words in ((goes, "goes is deprecated since version 1.0"), (went, "there.goes was moved to")):
        result, [(category, message, place)] = caught(function, 3)
        assert result == 3
        assert category is FutureWarning
        assert words in message
        assert "removed in version 2.0" in message
        assert place == __file__
        assert function.__name__ in ("goes", "went")


def test_renamed_arguments():
    def function(new=1, old=util.Deprecated()):
        return util.rename_kw(
            old_name="old", old_value=old, new_name="new", new_value=new,
            version_deprecated="1.0", version_removed="2.0",
        )  # fmt: skip

    assert caught(function, new=3) == (3, [])
    result, [(category, message, place)] = caught(function, old=4)
    assert result == 4
    assert (category, place) == (FutureWarning, __file__)
    assert message.startswith("function() has its argument 'old' renamed to 'new'")
    assert repr(util.Deprecated()) == "<DEPRECATED parameter>"


def test_vectorize():
    @decorators.vectorize(excluded=["base"])
    def power(x, base=2):
        """base ** x"""
        return base**x

    assert power(3) == 8
    assert type(power(3)) is int
    assert power(np.array([[1, 2]]), base=3).tolist() == [[3, 9]]
    assert power.__doc__ == "base ** x"


def test_the_table_of_examples():
    table = json.loads((files.pathlib.Path(files.__file__).with_name("examples.json")).read_text())
    for entry in table.values():
        assert set(entry) == {"title", "file", "sha256", "sha256 hq"}
