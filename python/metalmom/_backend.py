"""Where the work runs: the choice of a backend, the devices there are, arrays that stay on one."""

import numpy as np

from . import _native
from .util.exceptions import DeviceError, ParameterError

__all__ = ["backend", "devices", "gpu_warmup", "to_device"]


class backend:  # noqa: N801 - a function to its callers, a context manager after `with`
    """Choose where functions with a GPU kernel run.

    Called, it sets the default of the process; in a ``with`` statement it holds inside the block
    and for the calling thread only. The environment variable METALMOM_BACKEND sets the default at
    start; otherwise it is ``"auto"``.

    Parameters
    ----------
    name : str
        ``"auto"``: the side that is predicted to be faster, by what was measured of this machine;
        a trace shows both predictions. Software devices are never chosen. ``"cpu"``. ``"gpu"`` or
        ``"gpu:N"`` (N an index of `devices`): the GPU, and an error where it cannot.
        Steps without a kernel (decoding, the tuning estimate, peaks, dynamic programs) always run
        on the CPU.
    min_frames : dict of str to int, optional
        For ``"auto"``: frames from which an engine's op (``"stft"``, ``"cepstrum"`` ..., as a trace
        names it) goes to the GPU, whatever is predicted.

    Raises
    ------
    ParameterError
        For other names. A device that is missing is reported by the first call that needs it.

    Examples
    --------
    >>> with metalmom.backend("cpu"):
    ...     D = metalmom.stft(np.zeros(2048, dtype=np.float32))
    """

    def __init__(self, name, *, min_frames=None):
        if not isinstance(name, str):
            raise ParameterError(f"name={name!r} must be 'auto', 'cpu', 'gpu' or 'gpu:N'")
        self._setting = _native.make_setting(name, dict(min_frames or {}))
        self._before = _native.set_default_setting(self._setting)

    def __enter__(self):
        _native.set_default_setting(self._before)
        self._outer = _native.set_scoped_setting(self._setting)
        return self

    def __exit__(self, *_):
        _native.set_scoped_setting(self._outer)


def devices():
    """List what Vulkan sees.

    Returns
    -------
    list of dict
        For each device its `index`, `name`, `type` ("discrete", "integrated", "virtual", "cpu" or
        "other"), `driver`, `api_version`, `memory` in bytes, `max_storage_buffer` and
        `shared_memory` in bytes, `timeline_semaphores` (without them transfers and kernels share a
        queue), and `unusable`: why it cannot be used, or an empty text. An empty list without a
        driver; never an exception.

    Examples
    --------
    >>> isinstance(metalmom.devices(), list)
    True
    """
    return _native.devices()


def to_device(y):
    """Upload an array once, for functions that have a GPU kernel.

    They take the result and answer with another such array, so that a chain stays on the device.
    The device is that of `backend`, or the first one.

    Parameters
    ----------
    y : np.ndarray, float32 or complex64
        Audio or spectra.

    Returns
    -------
    DeviceArray
        With `shape`, `dtype`, `ndim`, `nbytes`, ``numpy()`` to bring it back, and ``__array__``.
        Its memory is free again when it is dropped.

    Raises
    ------
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
    if isinstance(y, _native.DeviceArray):
        return y
    y = np.asarray(y)
    if y.dtype not in (np.float32, np.complex64):
        raise ParameterError(f"y.dtype={y.dtype} must be float32 or complex64")
    if y.ndim > 1 and y.swapaxes(-1, -2).flags.c_contiguous:  # spectra lie as `stft` leaves them
        return _native.to_device(y.swapaxes(-1, -2)).swapaxes(-1, -2)
    return _native.to_device(np.ascontiguousarray(y))


def gpu_warmup():
    """Build the GPU's pipelines and measure it, so that the first real call is a normal one.

    What is measured, in at most 0.1 s, is how fast kernels and transfers are; `backend`'s
    ``"auto"`` decides by it. Both are kept in ``~/.cache/metalmom`` (METALMOM_CACHE_DIR names
    another folder, or is ``off``). METALMOM_CALIBRATE=0 uses typical constants instead.

    Returns
    -------
    bool
        Whether there is a GPU.

    Examples
    --------
    >>> ready = metalmom.gpu_warmup()
    """
    from .commands._self_test import each_kernel

    chosen = _native.backend_name()
    try:
        with backend(chosen if chosen.startswith("gpu") else "gpu"):
            _native.device_rates()
            for _, call in each_kernel():
                call()
    except DeviceError:
        if chosen.startswith("gpu"):
            raise
        return False
    return True
