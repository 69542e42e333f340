"""Small calls that between them run every GPU kernel: what a device is warmed up and looked at with."""

from __future__ import annotations

import contextlib
import functools
from typing import Any, TYPE_CHECKING, cast

import numpy as np

from . import _native, core, feature
from ._engine import _args
from ._engine.backend import to_device
from ._engine.config import config_context
from ._extractor._recipe import public_functions
from .util._public import public
from .util.exceptions import AudioError, DeviceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from .util._types import Array, NDArray

__all__ = ["gpu_warmup"]


def noise(n_samples: int, n_channels: int = 1) -> NDArray[np.float32]:
    """White noise in float32, always the same."""
    random = np.random.default_rng(0)
    return random.uniform(-1, 1, (n_channels, n_samples)).astype(np.float32).squeeze()


class Example:
    """Audio and what is made of it, on its side, for the calls that `has_kernels` declares."""

    def __init__(self, y: Any) -> None:
        self.y = y

    def _beside(self, values: Array) -> Any:
        return to_device(values, device=self.y.device) if _args.on_device(self.y) else values

    def of_length(self, n: int) -> Any:
        """The audio again and again, up to `n` samples."""
        return self._beside(np.tile(_args.host(self.y), -(-n // self.y.shape[-1]))[..., :n].copy())

    @functools.cached_property
    def tone(self) -> Any:
        tone = core.tone(445.0, sr=22050, length=self.y.shape[-1]).astype(np.float32)
        return self._beside(np.broadcast_to(tone, self.y.shape).copy())

    @functools.cached_property
    def spectrum(self) -> Any:
        return core.stft(self.y)

    @functools.cached_property
    def magnitudes(self) -> Any:
        return self._beside(np.abs(_args.host(self.spectrum)))

    @functools.cached_property
    def power(self) -> Any:
        return feature.melspectrogram(y=self.y)

    @functools.cached_property
    def levels(self) -> Any:
        return core.power_to_db(self.power)


def examples() -> dict[str, tuple[Callable[..., Any], Callable[[Example], dict[str, Any]]]]:
    """Name -> function, and the arguments of it that an `Example` gives, of every call that is declared."""
    return {
        path if number == 1 else f"{path} ({number})": (function, arguments)
        for path, function in public_functions().items()
        if hasattr(function, "kernels")
        for number, arguments in enumerate(function.kernels.examples, 1)
    }


def each_kernel() -> Iterator[tuple[str, Callable[[], Any], float]]:
    """Yield the name, the call and the tolerance of every example, on arguments that the CPU has made."""
    example = Example(noise(22050))
    for name, (function, arguments) in examples().items():
        with config_context(backend="cpu"):
            call = functools.partial(function, **arguments(example))
        yield name, call, cast("Any", function).kernels.tolerance


def _run_on(backend: str, call: Callable[[], Any]) -> None:
    with config_context(backend=backend), contextlib.suppress(AudioError):  # a build may lack a resampler
        call()


@public
def gpu_warmup() -> bool:
    """Prepare the GPU: build its pipelines and measure it, so that the first call is as fast as later ones.

    Each call measures the speed of kernels and transfers again, in at most 0.1 s. The setting
    ``backend="auto"`` decides by it. Pipelines and measurements are kept in ``~/.cache/metalmom``
    (METALMOM_CACHE_DIR names another folder, or is ``off``). METALMOM_CALIBRATE=0 uses typical constants
    instead.

    Returns
    -------
    bool
        Whether there is a GPU.

    Examples
    --------
    >>> ready = metalmom.gpu_warmup()
    """
    from concurrent.futures import ThreadPoolExecutor  # which cannot be imported once the main thread has ended

    index = _native.backend_device()
    try:
        backend = "gpu" if index < 0 else f"gpu:{index}"
        with config_context(backend=backend):
            _native.device_rates(again=True)
        with ThreadPoolExecutor(_native.thread_count()) as pool:  # drivers build pipelines side by side
            for _ in pool.map(functools.partial(_run_on, backend), [call for _, call, _ in each_kernel()]):
                pass
    except DeviceError:
        if _native.gpu_is_asked_for():
            raise
        return False
    return True
