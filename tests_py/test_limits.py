"""Memory that is kept within bounds, and given back."""

import metalmom
import numpy as np
import pytest
from devices import on_device
from metalmom import _native

MIB = 1 << 20


@pytest.fixture(autouse=True)
def same_afterwards():
    before = metalmom.get_config()
    yield
    metalmom.set_config(**before)
    assert metalmom.get_config() == before


def test_the_host_keeps_no_more(rng):
    y = rng.uniform(-1, 1, 22050).astype(np.float32)
    metalmom.feature.mfcc(y=y)
    assert _native.kept_workspace_bytes() > 0
    metalmom.set_config(memory=0)
    assert _native.kept_workspace_bytes() == 0
    expected = metalmom.feature.mfcc(y=y)
    assert _native.kept_workspace_bytes() == 0
    with metalmom.config_context(memory=10 * MIB, threads=1):
        assert np.array_equal(metalmom.feature.mfcc(y=y), expected)
    assert 0 < _native.kept_workspace_bytes() <= 10 * MIB


@on_device
def test_a_batch_goes_through_little_memory(rng):
    y = rng.uniform(-1, 1, (40, 60_000)).astype(np.float32)
    with metalmom.config_context(backend="gpu"):
        whole = metalmom.feature.melspectrogram(y=y)
        metalmom.release_caches()
        with metalmom.config_context(device_memory=24 * MIB):
            cut = metalmom.feature.melspectrogram(y=y)
            assert _native.device_memory()["reserved"] <= 24 * MIB
            with pytest.raises(metalmom.DeviceError, match=r"device_memory of metalmom\.set_config"):
                metalmom.to_device(np.zeros(30 * MIB // 4, dtype=np.float32))
    assert np.array_equal(whole, cut)


@on_device
def test_a_loop_over_device_arrays_asks_the_driver_for_nothing(rng):
    with metalmom.config_context(backend="gpu"):
        y = metalmom.to_device(rng.uniform(-1, 1, (4, 20_000)).astype(np.float32))
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
    with metalmom.config_context(backend="gpu"):
        index = _native.open_device()["index"]
        array = metalmom.to_device(np.zeros(8 * MIB // 4, dtype=np.float32))
        before = metalmom.devices()[index]
        assert before.memory_used >= 8 * MIB
        del array
        after = metalmom.devices()[index]
        assert after.memory_used == before.memory_used - 8 * MIB
        assert after.memory_kept == before.memory_kept + 8 * MIB
        assert metalmom.release_caches() > 0
        assert metalmom.devices()[index].memory_kept < after.memory_kept
