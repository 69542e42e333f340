"""Calls on DeviceArrays whose fault is another argument: the error is that of the same call on NumPy arrays."""

import ctypes

import metalmom
import numpy as np
import pytest
from devices import on_device
from metalmom import _native
from processes import run_python

pytestmark = on_device

Y = np.random.default_rng(0).uniform(-1, 1, 4096).astype(np.float32)
S = np.abs(metalmom.stft(Y))
FREQUENCIES = np.array([100.0, 1000.0], dtype=np.float32)


def error_of(call):
    with pytest.raises(Exception) as raised:
        call()
    return type(raised.value), str(raised.value)


@pytest.mark.parametrize("function, array, arguments", [
    (metalmom.autocorrelate, Y, {"axis": 9}),
    (metalmom.resample, Y, {"orig_sr": 2, "target_sr": 1, "axis": 9}),
    (metalmom.zero_crossings, Y, {"axis": 9}),
    (metalmom.pcen, S, {"axis": 9}),
    (metalmom.decompose.nn_filter, S, {"axis": 9}),
    (metalmom.times_like, S, {"axis": 9}),
    (metalmom.clicks, FREQUENCIES, {"sr": 0}),
    (metalmom.clicks, FREQUENCIES, {"length": "x"}),
    (metalmom.clicks, FREQUENCIES, {"click": -1}),
    (metalmom.Z_weighting, FREQUENCIES, {"min_db": "x"}),
    (metalmom.cqt, Y, {"window": np.inf}),
    (metalmom.estimate_tuning, Y, {"sr": np.inf}),
    (metalmom.feature.chroma_stft, Y, {"sr": np.inf}),
    (metalmom.pcen, S, {"ref": -1}),
    (metalmom.griffinlim, S[:, :0], {}),
    (metalmom.griffinlim, S[0, :0], {}),
], ids=lambda each: getattr(each, "__name__", None))  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_the_wrong_argument_is_named(function, array, arguments):
    by_name = function in (metalmom.estimate_tuning, metalmom.feature.chroma_stft, metalmom.clicks)
    name = "times" if function is metalmom.clicks else "y"

    def call(value):
        return function(**{name: value}, **arguments) if by_name else function(value, **arguments)

    kind, text = error_of(lambda: call(array))
    found_kind, found = error_of(lambda: call(metalmom.to_device(array)))
    assert found == text
    assert issubclass(found_kind, metalmom.ParameterError) and issubclass(kind, metalmom.ParameterError)


def test_an_array_without_a_kernel_is_named_among_sound_arguments():
    for arguments in ({}, {"norm": float("inf")}, {"norm": float("inf"), "tuning": 0.0}):
        with pytest.raises(metalmom.DeviceError, match=r"^S is on a device, .* pass S\.numpy\(\)$"):
            metalmom.feature.chroma_stft(S=metalmom.to_device(S), **arguments)
    chroma = metalmom.to_device(np.ones((36, 9), np.float32))
    with pytest.raises(metalmom.DeviceError, match="^y and C are on a device, .* for both"):
        metalmom.feature.chroma_cqt(y=metalmom.to_device(Y), C=chroma)


def test_an_order_in_memory_that_no_kernel_reads():
    in_rows = metalmom.to_device(np.ascontiguousarray(S))
    spectrum = metalmom.to_device(np.ascontiguousarray(metalmom.stft(Y)))
    channels = metalmom.to_device(np.asfortranarray(np.stack([Y, Y, Y])))
    for name, call in (
        ("S", lambda: metalmom.griffinlim(in_rows)),
        ("stft_matrix", lambda: metalmom.istft(spectrum)),
        ("y", lambda: metalmom.yin(channels, fmin=65, fmax=2000)),
        ("onset_envelope", lambda: metalmom.feature.tempogram(onset_envelope=channels)),
    ):
        with pytest.raises(metalmom.DeviceError) as refused:
            call()
        assert str(refused.value) == (f"{name} lies in memory in an order of its last two axes that "
                                      f"the kernel does not read: pass {name}.numpy()")


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2])
def test_delta_reads_either_order(axis):
    data = np.random.default_rng(1).standard_normal((11, 12, 13)).astype(np.float32)
    expected = metalmom.feature.delta(data, axis=axis)
    for array in (data, data.swapaxes(-1, -2).copy().swapaxes(-1, -2)):
        found = metalmom.feature.delta(metalmom.to_device(array), axis=axis)
        np.testing.assert_allclose(found.numpy(), expected, atol=1e-6)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), (9, 0), (0, 9, 5), (2, 0, 5), (2, 9, 0)])
@pytest.mark.filterwarnings("ignore")
def test_empty_arrays_give_what_they_give_on_the_host(shape):
    """Or a refusal. A device may not be asked for groups of nothing."""
    array = np.zeros(shape, np.float32)
    for function in (
        metalmom.stft, metalmom.decompose.hpss, metalmom.effects.hpss, metalmom.phase_vocoder,
        metalmom.griffinlim, metalmom.power_to_db, metalmom.pcen, metalmom.cqt,
    ):  # fmt: skip
        arguments = {"rate": 2.0} if function is metalmom.phase_vocoder else {}

        def shapes(value, where):
            try:
                with metalmom.config_context(backend=where):
                    found = function(value, **arguments)
            except metalmom.DeviceError:
                return "refused"
            except metalmom.ParameterError as error:
                return str(error)
            return [each.shape for each in (found if isinstance(found, tuple) else (found,))]

        expected = shapes(array, "cpu")
        for value in (array, metalmom.to_device(array)):
            found = shapes(value, "gpu")
            assert found in ("refused", expected) or "must" in found, (function.__name__, found)


@pytest.mark.parametrize("ref", [np.inf, np.nan])
def test_levels_of_a_reference_that_is_not_finite_have_no_kernel(ref):
    S = np.array([[1, 2, 3]], np.float32)
    with metalmom.config_context(backend="gpu"):
        with pytest.raises(metalmom.DeviceError, match="does not take this: a reference that is not finite"):
            metalmom.power_to_db(S, ref=ref)


def test_stored_spectra_have_no_kernel_for_their_level():
    with pytest.raises(metalmom.DeviceError, match=r"^S is on a device, .* pass S\.numpy\(\)$"):
        metalmom.feature.rms(S=metalmom.to_device(S))
    assert type(metalmom.feature.rms(y=metalmom.to_device(Y))) is metalmom.DeviceArray


@pytest.mark.parametrize("wrong", [
    5, {}, {"data": None}, {"data": ("a", 1)}, {"shape": 4}, {"shape": ("a",)}, {"typestr": 5},
    {"typestr": "<f8"}, {"strides": (3,)}, {"strides": ("a",)}, {"stream": "x"}, {"shape": (-1,)},
    {"shape": (2, 2), "strides": (4,)},
    {"shape": (2**62, 4)}, {"shape": (2**63,)}, {"strides": (2**63,)}, {"data": (-1, False)},
    {"data": (2**64, False)}, {"stream": -1}, {"stream": 2**64}, {"mask": "an array"},
], ids=str)  # fmt: skip
def test_what_is_no_array_in_cudas_memory(wrong):
    whole = {"shape": (4,), "typestr": "<f4", "data": (0x1000, False), "version": 3}
    interface = {**whole, **wrong} if isinstance(wrong, dict) and wrong else wrong
    foreign = type("Foreign", (), {"__cuda_array_interface__": interface})()
    with pytest.raises(metalmom.ParameterError, match=r"^y\b"):
        metalmom.to_device(foreign)


class Tensor(ctypes.Structure):
    """A DLPack tensor and who deletes it, before version 1."""

    _fields_ = [
        ("data", ctypes.c_void_p), ("device_kind", ctypes.c_int32), ("ordinal", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64),
        ("owner", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "ndim", "shape", "error"), [
    (None, 1, [4], TypeError),
    (b"used_dltensor", 1, [4], TypeError),
    (b"dltensor", -1, [4], metalmom.ParameterError),
    (b"dltensor", 2**31 - 1, [4], metalmom.ParameterError),
    (b"dltensor", 1, None, metalmom.ParameterError),
    (b"dltensor", 1, [-4], metalmom.ParameterError),
    (b"dltensor", 2, [2**62, 4], metalmom.ParameterError),
    (b"dltensor_versioned", 1, [4], BufferError),
])  # fmt: skip
def test_capsules_that_hold_no_tensor(name, ndim, shape, error):
    sizes = shape and (ctypes.c_int64 * len(shape))(*shape)
    # read as one with a version, the address is it
    tensor = Tensor(0x1002, 2, 0, ndim, 2, 32, 1, sizes, None, 0, None, None)
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    with pytest.raises(error, match="^y"):
        _native.from_dlpack(make(ctypes.addressof(tensor), name, None), None)
    with pytest.raises(TypeError, match="^y"):
        _native.from_dlpack(None, None)


def test_the_environment_is_refused_in_the_words_of_the_call():
    code = """
import metalmom
for call in (metalmom.get_config, lambda: metalmom.set_config(backend={0!r})):
    try:
        call()
    except metalmom.ParameterError as error:
        print(str(error).partition("=")[2].partition("; did")[0])
"""
    for name in ("nonsense", "gpu:1,1", "gpu:"):
        environment, call = run_python(code.format(name), METALMOM_BACKEND=name).splitlines()
        assert environment == call
        assert environment.startswith(f"'{name}' must be")
