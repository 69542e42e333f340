"""What a DeviceArray's own methods take, and what `to_device` takes from other libraries."""

import inspect

import metalmom
import numpy as np
import pytest
from devices import on_device
from processes import run_python

pytestmark = on_device

VALUES = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@pytest.fixture
def array():
    return metalmom.to_device(VALUES)


@pytest.mark.parametrize("shape", [(24,), (-1,), ((6, 4),), ([4, -1],), (1, 2, -1, 4), (2, 3, 4, 1)])
def test_reshape_shows_what_numpy_does(array, shape):
    np.testing.assert_array_equal(array.reshape(*shape).numpy(), VALUES.reshape(*shape))


def test_spectra_keep_their_last_two_axes(array):
    spectra = metalmom.to_device(VALUES.swapaxes(-1, -2))
    assert spectra.swapped
    for shape in ((1, 2, 4, 3), (2, 1, 1, 4, 3)):
        found = spectra.reshape(shape)
        np.testing.assert_array_equal(found.numpy(), VALUES.swapaxes(-1, -2).reshape(shape))
    with pytest.raises(metalmom.DeviceError) as refused:
        spectra.reshape(-1)
    assert str(refused.value) == ("shape=(24,) must keep the last two axes of this DeviceArray of shape (2, 4, 3), "
                                  "which lie in memory in Fortran's order: pass .numpy()")  # fmt: skip


@pytest.mark.parametrize("shape, told", [
    ((1, 2, 3), "shape=(1, 2, 3) must have 24 values, as the array of shape (2, 3, 4) has"),
    ((), "shape=() must have 24 values, as the array of shape (2, 3, 4) has"),
    ((5, -1), "shape=(5, -1) must have 24 values, as the array of shape (2, 3, 4) has"),
    ((-1, -1), "shape=(-1, -1) must have sizes of zero or more, and one -1 at most, for what remains"),
    ((-2, -12), "shape=(-2, -12) must have sizes of zero or more, and one -1 at most, for what remains"),
    (("a",), "shape='a' must be an integer, or several"),
    ((4.0, -1), "shape=(4.0, -1) must be an integer, or several"),
    ((None,), "shape=None must be an integer, or several"),
])  # fmt: skip
def test_shapes_that_are_none(array, shape, told):
    with pytest.raises(metalmom.ParameterError) as refused:
        array.reshape(*shape)
    assert str(refused.value) == told


def test_no_shape_of_an_empty_array_is_too_large():
    empty = metalmom.to_device(VALUES[:0])
    assert empty.reshape(-1).shape == (0,)
    with pytest.raises(metalmom.ParameterError, match="must have 0 values"):
        empty.reshape(2**62, 4)  # 2^64, which is 0 in 64 bits


def test_swapaxes_exchanges_the_last_two(array):
    for axes in ((-1, -2), (1, 2), (-1, 1)):
        np.testing.assert_array_equal(array.swapaxes(*axes).numpy(), VALUES.swapaxes(*axes))
    line = metalmom.to_device(VALUES[0, 0])
    for of, axes, wrong in ((array, (0, 1), 0), (array, (1, 1), 1), (array, (1, 0), 1), (array, (0, 7), 0), (array, (2, 7), 1),
                            (array, (-4, -1), 0), (array, (2**40, -1), 0), (line, (0, 1), 1), (line, (-2, 0), 0)):  # fmt: skip
        with pytest.raises(metalmom.DeviceError) as refused:
            of.swapaxes(*axes)
        which = "the other" if wrong else "one"
        assert str(refused.value) == (f"axis{1 + wrong}={axes[wrong]} must be {which} of the last two axes of a DeviceArray, "
                                      f"here of shape {of.shape}: .numpy() has the others")  # fmt: skip
        assert refused.value.argument == f"axis{1 + wrong}"
    with pytest.raises(metalmom.ParameterError, match=r"^axis1='a' must be an integer$"):
        array.swapaxes("a", 1)


def test_views_are_of_pairs(array):
    pairs = array.view(np.complex64)
    np.testing.assert_array_equal(pairs.numpy(), VALUES.view(np.complex64))
    np.testing.assert_array_equal(pairs.view("float32").numpy(), VALUES)
    assert array.view(np.float32) is array
    for dtype in ("i4", "f8", "complex128"):
        with pytest.raises(metalmom.DeviceError, match=f"^dtype={np.dtype(dtype)} must be float32 or complex64"):
            array.view(dtype)
    for one in (array.reshape(()) if array.size == 1 else metalmom.to_device(np.float32(1)),
                array.reshape(8, 3), array.swapaxes(-1, -2)):  # fmt: skip
        with pytest.raises(metalmom.DeviceError, match="^dtype=complex64 must find pairs"):
            one.view("complex64")


def test_types_stay(array):
    assert array.astype(np.float32) is array
    assert array.astype("float32", copy=False) is array
    with pytest.raises(metalmom.DeviceError, match="^dtype=float64 must be float32, as this DeviceArray stays: .numpy"):
        array.astype(float)
    for method in (array.astype, array.view):
        with pytest.raises(metalmom.ParameterError, match="^dtype='x' must be a dtype"):
            method("x")


METHODS = ("numpy", "reshape", "swapaxes", "view", "astype")


@pytest.mark.parametrize("call, told", [
    (lambda a: a.astype(1, 2, 3), "DeviceArray.astype() takes from 2 to 3 positional arguments but 4 were given"),
    (lambda a: a.view(), "DeviceArray.view() missing 1 required positional argument: 'dtype'"),
    (lambda a: a.swapaxes(0), "DeviceArray.swapaxes() missing 1 required positional argument: 'axis2'"),
    (lambda a: a.numpy(dtype=float), "DeviceArray.numpy() got an unexpected keyword argument 'dtype'"),
    (lambda a: a.reshape(1, order="F"), "DeviceArray.reshape() got an unexpected keyword argument 'order'"),
])  # fmt: skip
def test_wrong_calls_are_told_in_pythons_words(array, call, told):
    with pytest.raises(TypeError) as refused:
        call(array)
    assert str(refused.value) == told


@pytest.mark.parametrize("name", METHODS)
def test_help_has_a_signature_and_an_example(name):
    method = getattr(metalmom.DeviceArray, name)
    assert "pybind11" not in str(inspect.signature(method))
    assert "Examples" in inspect.getdoc(method)


@pytest.mark.parametrize("y, told", [
    (VALUES.astype(np.complex128), "y.dtype=complex128 must be float32 or complex64: pass y.astype(np.complex64)"),
    (VALUES.astype(int), "y.dtype=int64 must be float32 or complex64: pass y.astype(np.float32)"),
    ([[1.0, 2.0]], "y.dtype=float64 must be float32 or complex64: pass np.array(y, np.float32)"),
])  # fmt: skip
def test_other_types_are_told_the_way(y, told):
    with pytest.raises(metalmom.ParameterError) as refused:
        metalmom.to_device(y)
    assert str(refused.value) == told


def test_a_list_of_device_arrays_is_no_array(array):
    for many in ([array, array], (array,)):
        kind = type(many).__name__
        with pytest.raises(metalmom.ParameterError) as refused:
            metalmom.to_device(many)
        assert str(refused.value) == f"y={kind} must be one array, not a {kind} of DeviceArrays"


def test_what_map_is_for(array):
    with pytest.raises(metalmom.ParameterError, match="^clips=DeviceArray must be .*: call the Extractor itself"):
        metalmom.Extractor(["rms"]).map(array)


def test_lengths_are_of_a_padded_array(array):
    with pytest.raises(metalmom.ParameterError, match="^clips=list must be one padded array where lengths are given$"):
        metalmom.Extractor(["rms"]).map([array], lengths=[3])


def test_each_array_that_numpy_takes_is_seen_in_the_trace(array):
    with metalmom.trace.record() as t:
        np.array([array, array])
    assert [s.args["downloaded_bytes"] for s in t.spans if s.name == "numpy"] == [VALUES.nbytes] * 2


@pytest.mark.parametrize("name, value, rule", [
    ("METALMOM_GPU_MEMORY", "1GiX", "a whole number of MiB, or a size like "),
    ("METALMOM_VULKAN_TIMELINE", "no", "0 or 1"),
    ("METALMOM_VULKAN_CALIBRATED", "off", "0 or 1"),
    ("METALMOM_VULKAN_VALIDATION", "yes", "0 or 1"),
    ("METALMOM_CALIBRATE", "2", "0 or 1"),
    ("METALMOM_VULKAN_COPIES", "0", "a whole number from 1 to 16"),
])  # fmt: skip
def test_settings_of_the_environment_are_checked(name, value, rule):
    code = """
import metalmom
try:
    metalmom.get_config(), metalmom.devices(), metalmom.gpu_warmup()
except metalmom.ParameterError as error:
    print(error)
"""
    said = run_python(code, METALMOM_BACKEND="gpu", METALMOM_CACHE_DIR="off", **{name: value})
    assert said.startswith(f"{name}='{value}' must be {rule}")


class TestTorch:
    """Tensors in the host's memory; of CUDA's see test_cuda.py."""

    @pytest.fixture(autouse=True)
    def torch(self):
        return pytest.importorskip("torch")

    def test_tensors_are_taken(self, torch):
        tensor = torch.from_numpy(VALUES)
        for given in (tensor, tensor.clone().requires_grad_(), -(-tensor)):
            np.testing.assert_array_equal(metalmom.to_device(given).numpy(), VALUES)
        spectrum = torch.view_as_complex(tensor.reshape(12, 2).clone())
        np.testing.assert_array_equal(metalmom.to_device(spectrum.conj()).numpy(), spectrum.numpy().conj())

    def test_what_is_no_dense_tensor_of_singles(self, torch):
        tensor = torch.from_numpy(VALUES)
        for given, told in (
            (tensor.double(), "y.dtype=torch.float64 must be float32 or complex64: pass y.to(torch.float32)"),
            (tensor.bfloat16(), "y.dtype=torch.bfloat16 must be float32 or complex64: pass y.to(torch.float32)"),
            (tensor.to_sparse(), "y.layout=torch.sparse_coo must be torch.strided: pass y.to_dense()"),
            (tensor.to("meta"), "y.device=meta must be the CPU, or a GPU of CUDA or ROCm"),
        ):
            with pytest.raises(metalmom.ParameterError) as refused:
                metalmom.to_device(given)
            assert str(refused.value) == told

    def test_functions_name_the_way(self, torch):
        for call in (lambda y: metalmom.feature.mfcc(y=y), lambda y: metalmom.Extractor(["mfcc"]).map([y])):
            with pytest.raises(metalmom.ParameterError, match=r"y=Tensor must be a numpy.ndarray: pass metalmom.to_device\(y\)"):
                call(torch.from_numpy(VALUES))

    def test_a_software_device_hands_nothing_over(self, torch, array):
        if metalmom.devices()[array.device].type != "cpu":
            pytest.skip("no software device")
        with pytest.raises(BufferError, match=r"a software device has no memory that CUDA sees: pass \.numpy\(\)$"):
            torch.from_dlpack(array)
