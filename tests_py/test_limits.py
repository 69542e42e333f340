"""`metalmom.limits`, and memory that is kept and given back."""

import threading

import metalmom
import numpy as np
import pytest
from devices import on_device
from metalmom import _native

MIB = 1 << 20


@pytest.fixture(autouse=True)
def same_afterwards():
    before = metalmom.limits()
    yield
    metalmom.limits.set_default(**before)
    assert metalmom.limits() == before


def test_defaults_and_scopes():
    assert metalmom.limits()["memory"] == 64 * MIB
    with metalmom.limits(memory=5):
        assert metalmom.limits()["memory"] == 5
        with metalmom.limits(device_memory=7 * MIB):
            both = {"memory": 5, "device_memory": 7 * MIB, "pending": 64}
            assert metalmom.limits() == both
            with metalmom.limits(memory=None):
                assert metalmom.limits() == {**both, "memory": None}
        seen = []
        thread = threading.Thread(target=lambda: seen.append(metalmom.limits()["memory"]))
        thread.start()
        thread.join()
        assert seen == [64 * MIB]
    assert metalmom.limits()["memory"] == 64 * MIB


def test_a_statement_sets_the_default():
    metalmom.limits(memory=3 * MIB, device_memory=100 * MIB)
    held = {"memory": 3 * MIB, "device_memory": 100 * MIB, "pending": 64}
    assert metalmom.limits() == held
    kept = metalmom.limits(memory=None)
    assert metalmom.limits()["memory"] is None
    assert "memory=None" in repr(kept)
    metalmom.limits(pending=7)
    with kept:
        assert metalmom.limits()["memory"] is None
    assert metalmom.limits() == {**held, "pending": 7}


def test_what_is_not_given_stays_as_it_was():
    metalmom.limits(memory=3 * MIB)
    metalmom.limits(pending=2)
    assert metalmom.limits() == {"memory": 3 * MIB, "device_memory": None, "pending": 2}
    metalmom.limits(pending=10**30)  # more than a machine counts
    assert metalmom.limits()["pending"] > 2**60


@pytest.mark.parametrize("bad", [-1, 1.5, "1GB", True, float("nan"), [1]])
@pytest.mark.parametrize("name", ["memory", "device_memory"])
def test_refuses(name, bad):
    with pytest.raises(metalmom.ParameterError, match=f"^{name}="):
        metalmom.limits(**{name: bad})
    with pytest.raises(metalmom.ParameterError, match="^device_memory=0"):
        metalmom.limits(device_memory=0)


def test_the_host_keeps_no_more(rng):
    y = rng.uniform(-1, 1, 22050).astype(np.float32)
    metalmom.feature.mfcc(y=y)
    assert _native.kept_workspace_bytes() > 0
    metalmom.limits.set_default(memory=0)
    assert _native.kept_workspace_bytes() == 0
    expected = metalmom.feature.mfcc(y=y)
    assert _native.kept_workspace_bytes() == 0
    with metalmom.limits(memory=10 * MIB), metalmom.threads(1):
        assert np.array_equal(metalmom.feature.mfcc(y=y), expected)
    assert 0 < _native.kept_workspace_bytes() <= 10 * MIB


@on_device
def test_a_batch_goes_through_little_memory(rng):
    y = rng.uniform(-1, 1, (40, 60_000)).astype(np.float32)
    with metalmom.backend("gpu"):
        whole = metalmom.feature.melspectrogram(y=y)
        metalmom.release_caches()
        with metalmom.limits(device_memory=24 * MIB):
            cut = metalmom.feature.melspectrogram(y=y)
            assert _native.device_memory()["reserved"] <= 24 * MIB
            with pytest.raises(metalmom.DeviceError, match=r"metalmom\.limits"):
                metalmom.to_device(np.zeros(30 * MIB // 4, dtype=np.float32))
    assert np.array_equal(whole, cut)


@on_device
def test_a_loop_over_device_arrays_asks_the_driver_for_nothing(rng):
    with metalmom.backend("gpu"):
        y = metalmom.to_device(rng.uniform(-1, 1, (4, 60_000)).astype(np.float32))
        chain = (
            lambda: metalmom.stft(y),
            lambda: metalmom.feature.mfcc(y=y),
            lambda: metalmom.power_to_db(metalmom.feature.melspectrogram(y=y)),
            lambda: metalmom.effects.hpss(y),
        )
        for call in chain * 2:
            call()
        before = _native.device_memory()["driver_allocations"]
        for call in chain * 10:
            call()
        assert _native.device_memory()["driver_allocations"] == before


@on_device
def test_devices_say_what_is_used_and_kept():
    with metalmom.backend("gpu"):
        index = _native.open_device()["index"]
        array = metalmom.to_device(np.zeros(8 * MIB // 4, dtype=np.float32))
        before = metalmom.devices()[index]
        assert before["memory_used"] >= 8 * MIB
        del array
        after = metalmom.devices()[index]
        assert after["memory_used"] == before["memory_used"] - 8 * MIB
        assert after["memory_kept"] == before["memory_kept"] + 8 * MIB
        assert metalmom.release_caches() > 0
        assert metalmom.devices()[index]["memory_kept"] < after["memory_kept"]
