"""Where the work runs: the choice of a backend, the devices there are, arrays that stay on one."""

import contextlib
from collections.abc import Mapping

import numpy as np

from .. import _native
from ..util._wording import did_you_mean
from ..util.exceptions import ParameterError
from ..util.utils import is_positive_int
from . import foreign_arrays
from .device_array import DeviceArray
from .scopes import ASK

__all__ = ["DeviceArray", "backend", "devices", "to_device"]


# What other libraries call a GPU.
_GPUS_ELSEWHERE = ("cuda", "hip", "metal", "mps", "rocm", "vulkan", "xpu")

def is_for_host(array):
    """Tell whether a function without a kernel of its own works on the CPU, where the GPU is asked for.

    What its steps ask of others has sizes that nobody chose, so that a kernel may decline them. Under
    ``"auto"`` such a step is the CPU's anyway, and a DeviceArray goes to a kernel or is refused.
    """
    return _native.gpu_is_asked_for() and not isinstance(array, DeviceArray)


def by_the_way(array):
    """A scope for steps in sizes that nobody chose: the CPU where `is_for_host`, else what holds already."""
    return ON_CPU if is_for_host(array) else contextlib.nullcontext()


def backend(name=ASK, *, min_frames=None):
    """Choose where functions with a GPU kernel run, or tell it.

    ``metalmom.backend("cpu")`` sets the default of the process. In a ``with`` statement, or as the
    decorator of a function, it holds inside and for the calling thread only: the default is then
    what it was before the call (another thread may meet the new one in the moment between). So does
    an answer that was kept and is entered later. ``metalmom.backend()`` is the name that holds here;
    ``metalmom.backend.set_default`` takes the same arguments, sets the default and answers nothing.
    The environment variable METALMOM_BACKEND sets the default at start; otherwise it is ``"auto"``.

    Parameters
    ----------
    name : str, optional
        ``"auto"``: the side that is predicted to be faster, by what was measured of this machine;
        a trace shows both predictions. Software devices are never chosen. ``"cpu"``. ``"gpu"`` or
        ``"gpu:N"`` (N an index of `devices`): the GPU, and an error where it cannot.
        ``"gpu:0,1"`` or ``"gpu:all"``: several, which divide the clips of a batch, and an error
        that names the one that fails. ``"auto:0,1"`` or ``"auto:all"``: the same where it is
        predicted to be faster; a device that fails is left out, with one warning.
        Steps without a kernel (decoding, peaks, dynamic programs) always run on the CPU.
    min_frames : dict of str to int, optional
        For ``"auto"``: frames from which an engine's op (``"stft"``, ``"cepstrum"`` ..., as a trace
        names it) goes to the GPU, whatever is predicted. A wrong name is
        answered with all there are.

    Returns
    -------
    str or context manager
        Without `name`, the one that holds for calls from this thread.

    Raises
    ------
    ParameterError
        For other names. A device that is missing is reported by the first call that needs it.

    Examples
    --------
    >>> with metalmom.backend("cpu"):
    ...     D = metalmom.stft(np.zeros(2048, dtype=np.float32))
    ...     metalmom.backend()
    'cpu'
    """
    if name is ASK and min_frames is None:
        return _native.backend_name()
    return _native.made_default(on_backend(name, min_frames))


def _set_default_backend(name, *, min_frames=None):
    """Set the default of the process; see `metalmom.backend`."""
    _native.made_default(on_backend(name, min_frames))


backend.set_default = _set_default_backend


def on_backend(name, min_frames=None):
    """A scope of a backend, which was never the default of the process."""
    setting = setting_of(name, min_frames)
    frames = f", min_frames={dict(min_frames)}" if min_frames else ""
    return _native.Scope(f"metalmom.backend({name!r}{frames})", backend=setting)


def setting_of(name, min_frames=None):
    """What a name means to the engine: its `side` (``"gpu"`` of ``"gpu:0,1"``) and its `devices`."""
    frames = _frames_by_op(min_frames)
    if frames and not str(name).startswith("auto"):
        raise ParameterError(f"min_frames={min_frames!r} must come with name='auto', which it is for")
    try:
        return _native.BackendSetting(name, frames)
    except ParameterError as error:
        side, colon, which = str(name).partition(":")
        nearest = "" if colon else did_you_mean(name, _native.backends)
        if side in _GPUS_ELSEWHERE:
            nearest = f"; did you mean 'gpu{colon}{which}'?"
        raise ParameterError(f"{error}{nearest}") from None


def _frames_by_op(min_frames):
    if min_frames is None:
        return {}
    if not isinstance(min_frames, Mapping):
        raise ParameterError(f"min_frames={min_frames!r} must be a dict of op names to frames")
    for op, frames in min_frames.items():
        if op not in _native.kernel_ops:
            from difflib import get_close_matches

            near = get_close_matches(str(op), _native.kernel_ops, n=1)
            hint = f" ({near[0]!r}?)" if near else f": {', '.join(_native.kernel_ops)}"
            raise ParameterError(f"min_frames[{op!r}] must be of an op with a GPU kernel{hint}")
        if not is_positive_int(frames) and frames != 0:
            raise ParameterError(f"min_frames[{op!r}]={frames!r} must be a number of frames")
    return {op: min(int(frames), 2**62) for op, frames in min_frames.items()}


# Around steps of a function that run on the CPU by design, also where the GPU is asked for.
ON_CPU = on_backend("cpu")


def devices():
    """List what Vulkan sees.

    Returns
    -------
    list of dict
        Empty without a driver, which is no error. For each device `index`, as `backend`
        takes it; `name`, `uuid` and `driver`; `type` ("discrete", "integrated", "virtual", "cpu" or
        "other"); `api_version`; `memory`, the bytes it has; `memory_used`, those that arrays, filters and
        calls of this process use; `memory_kept`, those that it has reserved beside them for
        later calls; `max_storage_buffer` and `shared_memory`, bytes that a kernel can
        see; `timeline_semaphores`, without which transfers and kernels share a queue; and `unusable`:
        why it cannot be used, or an empty text.

    Examples
    --------
    >>> isinstance(metalmom.devices(), list)
    True
    """
    return _native.devices()


def to_device(y):
    """Upload an array once, for functions that have a GPU kernel.

    They take the result and answer with another such array, so that a chain stays on the device:
    the one that `backend` names (of several the first), else the first of `devices`. What another
    library has in that device's memory, such as torch's CUDA tensors, is copied there in the order
    of its stream, and does not pass the host.

    Parameters
    ----------
    y : np.ndarray [float32 or complex64], DeviceArray or array on the device
        Audio or spectra. An array on the device is another library's, with ``__dlpack__`` or
        ``__cuda_array_interface__``; a tensor of torch may be in the host's memory as well. A
        DeviceArray is returned as it is.

    Returns
    -------
    DeviceArray
        ``numpy()`` brings it back. Its memory is free again when it is dropped. On a device that
        CUDA sees too, ``torch.from_dlpack`` gives a tensor of the same memory, for reading.

    Raises
    ------
    BufferError
        For an array in CUDA's memory that is not on this device.
    DeviceError
        Without a device, or without enough memory on it.
    ParameterError
        For other dtypes.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=22050).astype(np.float32)
    >>> if metalmom.devices():
    ...     M = metalmom.feature.melspectrogram(y=metalmom.to_device(y)).numpy()
    """
    if isinstance(y, DeviceArray):
        return y
    if not isinstance(y, np.ndarray):
        if (array := foreign_arrays.copied(y)) is not None:
            return array
        y = foreign_arrays.on_host(y)
    if isinstance(y, (list, tuple)) and any(isinstance(each, DeviceArray) for each in y):
        raise ParameterError(f"y={type(y).__name__} must be one array, not a {type(y).__name__} of DeviceArrays")
    given, y = y, np.require(y, requirements="A")
    if y.dtype == object:
        raise ParameterError(f"y={type(given).__name__} must be an array of float32 or complex64")
    if y.dtype not in (np.float32, np.complex64):
        single = "np.complex64" if y.dtype.kind == "c" else "np.float32"
        way = f"y.astype({single})" if hasattr(given, "astype") else f"np.array(y, {single})"
        hint = f": pass {way}" if y.dtype.kind in "biufc" else ""
        raise ParameterError(f"y.dtype={y.dtype} must be float32 or complex64{hint}")
    # Spectra lie as `stft` leaves them.
    if y.ndim > 1 and not y.flags.c_contiguous and y.swapaxes(-1, -2).flags.c_contiguous:
        return _native.to_device(y.swapaxes(-1, -2)).swapaxes(-1, -2)
    return _native.to_device(np.require(y, requirements="C"))  # which leaves an array without axes one


def uploaded(lying, swapped):
    """What a pickled DeviceArray becomes again: its samples as they lay in memory."""
    array = _native.to_device(lying)
    return array.swapaxes(-1, -2) if swapped else array
