"""Which side a call would take, CPU or GPU, and why: `metalmom.explain`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import _native
from ..util._explain import explained
from ..util._keywords import parameters_of
from ..util._evaluate import Root
from ..util._expressions import Audio, Node, reads_lengths
from ..util._public import public
from ..util._types import Array, Int
from ..util.exceptions import DeviceError, ParameterError
from . import _recipe

__all__ = ["explain"]


class Side(NamedTuple):
    """Which side an op of a call would take.

    Attributes
    ----------
    op : str
        The op of the engine; None for a call that is not one.
    side : str or None
        ``"cpu"`` or ``"gpu:0"``; None if the call would be refused, or if values decide.
    reason : str
    cpu_seconds, gpu_seconds : float or None
        Predicted times, of all threads and of the device; None if there is no prediction.
    cpu_memory, gpu_memory : int or None
        Bytes: of the results, and of the transfers to the device and back.
    """

    op: str | None
    side: str | None
    reason: str
    cpu_seconds: float | None = None
    gpu_seconds: float | None = None
    cpu_memory: int | None = None
    gpu_memory: int | None = None

    def __str__(self) -> str:
        if self.side is None:
            where = "refused" if self.op else "not known"
        else:
            where = "CPU" if self.side == "cpu" else "GPU " + self.side.partition(":")[2]
        predictions = {"CPU": self.cpu_seconds, "GPU": self.gpu_seconds}
        known = ((name, seconds) for name, seconds in predictions.items() if seconds is not None)
        times = [f"{1e3 * seconds:.3g} ms on the {name}" for name, seconds in known]
        predicted = f" (predicted: {', '.join(times)})" if times else ""
        return f"{self.op or 'the call'}: {where}, {self.reason}{predicted}"


class Explanation(tuple[Side, ...]):
    """The sides of a call's ops; `str` has a line for each. Its attributes are those of the first `Side`."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        return getattr(self[0], name)

    def __str__(self) -> str:
        return "\n".join(map(str, self))


@public
def explain(function: Callable[..., Any] | str, shape: Int | tuple[int, ...], **arguments: Any) -> Explanation:
    """Say whether the CPU or the GPU would compute a call on audio, and why, without computing it.

    Parameters
    ----------
    function : callable or str
        A function of audio, or its name in recipes: ``"mfcc"``.
    shape : int or tuple of int
        The shape of the audio, float32: ``(n,)``, or ``(channels, n)``.
    **arguments
        The other arguments of the call.

    Returns
    -------
    Explanation
        A tuple with one entry for each op of the call, and with the attributes of the first: ``side``,
        ``reason``, ``cpu_seconds``, ``gpu_seconds``, ``cpu_memory``, ``gpu_memory``. Ops whose arguments
        other ops compute (chroma on an estimated tuning) are not known yet and are missing. For a function
        that calls other functions (`pyin`, `effects.hpss`) there is one entry without times, which says
        whether it is declared to have kernels. `str` gives a readable text.

    Raises
    ------
    ParameterError
        If `function` is not a function of audio, or if the call itself would raise it.

    Examples
    --------
    >>> with metalmom.config_context(backend="cpu"):
    ...     explained = metalmom.explain("mfcc", (2, 22050 * 60), n_mfcc=13)
    >>> explained.side, explained.reason
    ('cpu', "backend='cpu' asks for it")
    """
    if isinstance(function, str):
        try:
            function, _ = _recipe.find_function(function)
        except ParameterError as error:
            raise error.but(name="function") from None
    if not _reads_audio(function):
        name = getattr(function, "__name__", function)
        raise ParameterError("function", name, "a function of audio, y=")
    try:
        audio = np.zeros(shape, dtype=np.float32)  # whose pages nobody touches
    except (MemoryError, TypeError, ValueError) as error:
        why = "pass y.shape" if hasattr(shape, "shape") else error
        raise ParameterError("shape", shape, f"the shape of audio, as y.shape gives it: {why}") from error
    if not audio.ndim:
        raise ParameterError("shape", shape, "the shape of audio, as y.shape gives it: it has no axis of samples")
    root = Root("call", function)
    root.arguments = arguments
    try:
        sides = [_side(op, given) for op, given in _asked(root, audio)]
    except Exception as error:
        raise explained(root.function, (), {**arguments, "y": audio}, error) from None
    return Explanation(sides or [_side_by_declaration(function)])


def _reads_audio(function: Any) -> bool:
    try:
        return callable(function) and "y" in parameters_of(function)
    except ValueError:  # a class of Python's own has no signature
        return False


def _asked(root: Root, audio: Array) -> list[tuple[str, dict[str, Any]]]:
    """The ops of a function that read audio alone, with their arguments, where all audio is silence."""
    found: dict[int, tuple[str, dict[str, Any]]] = {}
    waiting: list[Any] = [root.expression(y=Audio(audio.dtype, audio.shape[:-1]))]  # of S= there is a value already
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Node):
            continue
        inputs = [each for each in (*node.args, *node.kwargs.values()) if isinstance(each, Node)]
        waiting += inputs
        if not all(type(each) is Audio for each in inputs):
            continue
        if node.op:
            found.setdefault(id(node), (node.op, {name: _made(value, audio) for name, value in node.kwargs.items()}))
        elif reads_lengths(node.function):
            waiting.append(_made(node, audio))
    return [*found.values()][::-1]


def _made(value: Any, audio: Array) -> Any:
    """An argument, where all audio is silence: padded and converted as that of a call."""
    if not isinstance(value, Node):
        return value
    if value.function is None:
        return audio
    kwargs = {name: _made(each, audio) for name, each in value.kwargs.items()}
    return value.function(*(_made(each, audio) for each in value.args), **kwargs)


def _side_by_declaration(function: Any) -> Side:
    """The side of a function that makes calls of its own."""
    backend = _native.backend_name()
    if not hasattr(function, "kernels"):
        return Side(None, "cpu", "it has no kernels; each call that it makes chooses for itself")
    if backend == "cpu":
        return Side(None, "cpu", "backend='cpu' asks for it")
    if backend == "auto":
        return Side(None, None, "it has kernels; backend='auto' chooses for each call that it makes")
    return Side(None, f"gpu:{_native.open_device()['index']}", f"it has kernels; backend={backend!r} asks for it")


def _side(op: str, arguments: dict[str, Any]) -> Side:
    try:
        device, reason, cpu_ms, gpu_ms, crossing, results = _native.explain(op, **arguments)
    except DeviceError as error:
        return Side(op, None, str(error))
    if reason == "asked for":
        reason = f"backend={_native.backend_name()!r} asks for it"
    side = "cpu" if device is None else f"gpu:{device}"
    results = results if isinstance(results, tuple) else (results,)
    return Side(op, side, reason, cpu_ms / 1e3 or None, gpu_ms / 1e3 or None,
                sum(each.nbytes for each in results), int(crossing) or None)  # fmt: skip
