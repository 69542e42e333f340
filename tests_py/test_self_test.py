"""`metalmom.self_test` sees what is wrong, and a device's kernels."""

import metalmom
import numpy as np
import pytest
from devices import on_device
from metalmom import _self_test


def test_this_build_passes():
    errors = metalmom.self_test()
    assert {"stft of 2048 in float32", "stft of 1021 in float64", "istft", "resample", "load"} <= set(errors)
    assert all(0 <= error < 1e-2 for error in errors.values())


@pytest.mark.parametrize("name, broken, said", [
    ("stft", lambda *args, **how: metalmom.stft(*args, **how) * 1.0001, "stft of 1000 in float32"),
    ("resample", lambda *args, **how: metalmom.resample(*args, **how)[::-1], "resample"),
    ("yin", lambda *args, **how: np.full(40, np.nan), "yin"),
])  # fmt: skip
def test_a_wrong_result_is_named(monkeypatch, name, broken, said):
    monkeypatch.setattr(_self_test.core, name, broken)
    with pytest.raises(metalmom.LibrosaError, match=rf"self_test\(\) failed on cpu: .*{said} differs by"):
        metalmom.self_test()


def test_examples_that_need_a_library_are_left_out(monkeypatch):
    def lacking(*args, **how):
        raise metalmom.AudioError("built without audio input (METALMOM_IO=OFF)")

    monkeypatch.setattr(_self_test.core, "resample", lacking)
    errors = metalmom.self_test()
    assert {"istft", "yin", "load"} <= set(errors) and "resample" not in errors


@pytest.mark.parametrize("name", ["resample", "load"])
def test_a_broken_library_is_told(name, monkeypatch):
    def broken(*args, **how):
        raise metalmom.AudioError("cannot decode")

    monkeypatch.setattr(_self_test.core, name, broken)
    with pytest.raises(metalmom.AudioError, match="cannot decode"):
        metalmom.self_test()


@on_device
def test_kernels_of_a_device():
    errors = metalmom.self_test("gpu")
    assert "melspectrogram" in {name.rpartition(".")[2] for name in errors}


@pytest.mark.parametrize("backend", ["nowhere", 3, None])
def test_an_unknown_backend_is_refused(backend):
    with pytest.raises(metalmom.ParameterError, match="^backend="):
        metalmom.self_test(backend)
