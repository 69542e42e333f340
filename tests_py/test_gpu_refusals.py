"""What a device cannot do: said in a sentence, or done on the CPU where that is the design."""

import os

import metalmom
import numpy as np
import pytest

pytestmark = pytest.mark.skipif(
    not metalmom.devices() and not os.environ.get("METALMOM_REQUIRE_GPU"),
    reason="no Vulkan device",
)


@pytest.fixture
def clips():
    return np.random.default_rng(0).uniform(-1, 1, (2, 22050)).astype(np.float32)


def test_steps_without_a_kernel_by_design(clips):
    y = clips[0]
    with metalmom.backend("cpu"):
        contrast, beats = metalmom.feature.spectral_contrast(y=y), metalmom.beat.beat_track(y=y)
    with metalmom.backend("gpu"):
        np.testing.assert_array_equal(metalmom.feature.spectral_contrast(y=y), contrast)
    found = metalmom.beat.beat_track(y=metalmom.to_device(y))
    np.testing.assert_allclose(found[0], beats[0])
    np.testing.assert_allclose(found[1], beats[1], atol=1)  # of onsets in float32


@pytest.mark.parametrize("function, name", [
    (metalmom.magphase, "D"), (metalmom.db_to_power, "S_db"), (metalmom.util.sync, "data"),
])
def test_functions_without_a_kernel_say_so(clips, function, name):
    rest = ([2, 4],) if function is metalmom.util.sync else ()
    array = metalmom.to_device(metalmom.stft(clips) if name == "D" else clips)
    with pytest.raises(metalmom.DeviceError, match=rf"^{name} is on a device, .* {name}.numpy\(\)$"):
        function(array, *rest)


def test_a_refusal_begins_with_the_function_that_was_called(clips):
    with metalmom.backend("gpu"), pytest.raises(metalmom.DeviceError, match="^mfcc: the GPU computes"):
        metalmom.feature.mfcc(y=clips[0].astype(np.float64))


def test_shapes_that_a_device_array_cannot_take(clips):
    array = metalmom.to_device(clips[0][:1])
    assert array.reshape([1, -1]).shape == (1, 1)
    with pytest.raises(metalmom.DeviceError, match="needs an axis"):
        array.reshape(()).view("complex64")
    with pytest.raises(metalmom.ParameterError, match="^shape='a' must be an integer"):
        array.reshape("ab")
