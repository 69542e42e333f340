"""Files too long for memory: what is streamed, what is mapped, what is refused; tables that wait on the disk."""

import numpy as np
import pytest
from test_extract import content_of, write_wav

import metalmom
from metalmom._extractor import _recipe
from metalmom.extraction import tables, verify
from metalmom.extraction.schema import Outcome
from metalmom.extraction.long_files import LongFiles, blocks_of, groups_of, streamed_of
from metalmom.extraction.recipes import Recipe
from metalmom.extraction.tables import Spool

pytestmark = pytest.mark.usefixtures("one_server")

# All that comes block by block with librosa's own arguments, and what does so with others.
STREAMED = {name: {} for name in (
    "mfcc", "onset_strength", "melspectrogram", "stft", "rms", "zero_crossing_rate",
    "spectral_centroid", "spectral_bandwidth", "spectral_rolloff", "spectral_flatness",
    "spectral_slope")}  # fmt: skip
STREAMED |= {
    "chroma_stft": {"tuning": 0.0},
    "spectral_contrast": {"linear": True},
    "coarse": {"feature": "mfcc", "n_mfcc": 13, "n_mels": 40, "hop_length": 1024, "mel_norm": None, "lifter": 22},
    "slow": {"feature": "onset_strength", "lag": 3, "max_size": 3, "aggregate": "median", "n_mels": 64},
    "early": {"feature": "onset_strength", "center": False},
    "short": {"feature": "mfcc", "n_fft": 512, "hop_length": 160, "center": False},
}
WHOLE = {
    "chroma": {"feature": "chroma_stft"},
    "spectral_contrast": {},
    "even": {"feature": "onset_strength", "detrend": True},
    "most": {"feature": "onset_strength", "aggregate": "max"},
    "delta": {"feature": "feature.delta", "of": "m"},
    "m": {"feature": "mfcc"},
    "beat_track": {},
}


def fading(seconds, sr=22050):
    """Music that fades out below the least level that is kept, with a click in the silence."""
    rng = np.random.default_rng(3)
    t = np.arange(int(seconds * sr)) / sr
    y = np.sin(2 * np.pi * 330 * t) * (1 + np.sin(2 * np.pi * 2 * t)) + 0.1 * rng.standard_normal(t.size)
    y *= 0.4 * 10 ** (-7 * t / seconds)
    y[-sr] = 0.01
    return y.astype(np.float32)


def test_what_is_streamed_is_bitwise_the_whole():
    streamed = streamed_of(Recipe({"features": STREAMED}))
    assert streamed.keys() == set(STREAMED)
    declared = {function.__name__ for path, function in _recipe.features().items()
                if function.declared.streams and not path.startswith("frontend.")}  # fmt: skip
    assert declared == {spec.get("feature", name) for name, spec in STREAMED.items()} and len(declared) >= 12
    y = fading(7)
    whole = metalmom.Extractor(STREAMED)(y)
    for step in (1, 30_000, 1 << 20):
        blocks = list(blocks_of(streamed, y, step))
        for name, expected in whole.items():
            got = np.concatenate([each[name] for each in blocks], axis=-1)
            assert got.dtype == expected.dtype
            np.testing.assert_array_equal(got, expected, err_msg=f"{name}, {step}")


def test_silence_is_streamed_too():
    recipe = Recipe({"features": ["mfcc", "onset_strength"]})
    y = np.zeros(60_000, np.float32)
    blocks = list(blocks_of(streamed_of(recipe), y, 9000))
    for name, expected in recipe.extractor(y).items():
        got = np.concatenate([each[name] for each in blocks], axis=-1)
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)


def test_what_needs_the_whole_is_not_streamed():
    assert streamed_of(Recipe({"features": WHOLE})).keys() == {"m"}


@pytest.mark.parametrize("features", [{**STREAMED, "chroma": {"feature": "chroma_stft"}}, WHOLE], ids=["streamed", "whole"])
@pytest.mark.parametrize("aggregate", [None, ["mean", "std", "min", "max", "median"]])
def test_tables_of_long_files_are_those_of_files_in_memory(tmp_path, features, aggregate):
    write_wav(tmp_path / "long.wav", 100, seed=1)
    write_wav(tmp_path / "short.wav", 1, seed=2)
    for name, memory in (("small", "64M"), ("large", "8G")):
        summary = metalmom.extract([tmp_path / "long.wav", tmp_path / "short.wav"], tmp_path / name,
                                   recipe={"features": features}, aggregate=aggregate, format="npz",
                                   jobs=1, memory=memory)  # fmt: skip
        assert summary.failed == 0
    assert content_of(tmp_path / "small") == content_of(tmp_path / "large")
    if aggregate is None:
        y, sr = metalmom.load(tmp_path / "long.wav")
        first = next(iter(metalmom.open_features(tmp_path / "small")))
        np.testing.assert_array_equal(first["chroma"], metalmom.feature.chroma_stft(y=y, sr=sr))


def test_features_that_do_not_fit_are_told_in_the_row(tmp_path):
    write_wav(tmp_path / "long.wav", 100, seed=1)
    summary = metalmom.extract(tmp_path / "long.wav", tmp_path / "out", features=["tempogram", "rms"],
                               format="npz", jobs=1, memory="10M")  # fmt: skip
    assert summary.failed == 1
    (file,) = metalmom.open_features(tmp_path / "out")
    y, _ = metalmom.load(file)
    assert file.status == "partial" and np.isnan(file["tempogram"]).all()
    np.testing.assert_array_equal(file["rms"], metalmom.feature.rms(y=y))
    error = file.error
    told, _, command = error.partition(": --retry-failed --memory ")
    assert told == "tempogram: 6 MiB, more than half of the memory, 10 MiB" and command == "13M tries again"
    again = metalmom.extract(None, tmp_path / "out", retry_failed=True, memory="13M", jobs=1)
    assert (again.computed, again.failed) == (1, 0)


def test_what_needs_more_memory_than_there_is_to_be_is_told_in_the_row(tmp_path):
    """What a feature needs while it is computed is not known before: here three times its rows."""
    write_wav(tmp_path / "a.wav", 100, seed=1)
    write_wav(tmp_path / "b.wav", 2, seed=1)
    recipe = {"features": {"tempogram": {"win_length": 2000, "hop_length": 64}}}
    summary = metalmom.extract([tmp_path / "a.wav", tmp_path / "b.wav"], tmp_path / "out",
                               recipe=recipe, format="npz", jobs=1, memory="600M")  # fmt: skip
    assert summary.failed == 1
    error = metalmom.open_features(tmp_path / "out").files["error"][0]
    assert error == ("a file of 100 s needs more than 600 MiB while it is computed: "
                     "--retry-failed with a larger --memory tries again")  # fmt: skip


def test_groups_of_features_that_feed_each_other():
    features = {"a": {}, "d": {"of": "c"}, "b": {}, "c": {"of": {"S": "a"}}, "e": {"of": "b"}}
    assert [sorted(group) for group in groups_of(features)] == [["a", "c", "d"], ["b", "e"]]


def test_spool_gives_back_what_it_took(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((5, 1000)).astype(np.float32)
    spool = Spool(tmp_path, 5, "float32")
    cuts = [0, 0, 3, 400, 401, 999, 1000]
    for start, stop in zip(cuts, cuts[1:]):
        spool.append(np.asfortranarray(rows[:, start:stop]))
    assert spool.shape == rows.shape and not list(tmp_path.iterdir())
    for column, expected in zip(spool, rows, strict=True):
        for part in (slice(None), slice(2, 402), slice(400, 401), slice(999, 2000), slice(5, 5)):
            np.testing.assert_array_equal(column[part], expected[part])


def test_npz_tables_that_wait_on_the_disk_are_the_same_files(tmp_path, monkeypatch):
    """Numbers wait as blocks of columns; the file is what `np.savez` would make of whole columns."""
    fields = {"file_id": ("int32", ""), "name": ("str", ""), "x": ("float32", ""), "y": ("float64", "")}
    rng = np.random.default_rng(1)
    blocks = [{"file_id": np.full(n, k, np.int32), "name": [f"é{k}"] * n, "x": rng.standard_normal(n),
               "y": rng.standard_normal((n, 2))[:, 0]} for k, n in enumerate((7, 0, 500, 1))]  # fmt: skip
    for name, size in (("memory", 8 << 20), ("disk", 1600)):
        monkeypatch.setattr(tables, "_BYTES_IN_MEMORY", size)
        # blocks of 100 rows of 16 bytes
        table = tables.NumpyTable(str(tmp_path / name), fields, {"a": 1})
        for block in blocks:
            table.append(block)
        table.close()
        assert table.rows == 508
    assert (tmp_path / "memory").read_bytes() == (tmp_path / "disk").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["disk", "memory"]
    with np.load(tmp_path / "disk") as archive:
        for name, (dtype, _) in fields.items():
            expected = np.concatenate([np.asarray(block[name]) for block in blocks])
            np.testing.assert_array_equal(archive[name], expected if dtype == "str" else expected.astype(dtype))


@pytest.mark.parametrize("aggregate", [None, ["mean", "std"]])
def test_verify_computes_long_files_as_a_run_does(tmp_path, monkeypatch, aggregate):
    write_wav(tmp_path / "a.wav", 3, seed=1)
    recipe = {"features": {**WHOLE, "rms": {}, "mfcc": {}}}
    metalmom.extract(tmp_path / "a.wav", tmp_path / "out", recipe=recipe, aggregate=aggregate, format="npz")
    monkeypatch.setattr(verify, "_MOST_SAMPLES", 10_000)
    assert list(verify.verify(tmp_path / "out")) == []
    monkeypatch.setattr(LongFiles, "__call__", lambda self, y: Outcome(self._schema, self._recipe.extractor(y / 2)))
    assert any("other values of rms" in fault for fault in verify.verify(tmp_path / "out"))
