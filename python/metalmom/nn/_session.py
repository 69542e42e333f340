"""A model that ONNX Runtime runs on arrays."""

from __future__ import annotations

import ctypes
import dataclasses
import json
import math
import os
import re
import tempfile
import time
import weakref
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import _native
from .._engine.backend import to_device
from .._engine.config import get_config
from .._native import DeviceArray
from ..trace import span
from ..util._checks import is_number, is_size, natural_int, require
from ..util._memory import refuse_beyond_memory
from ..util._notebook import table_of
from ..util._packages import needed_by, required
from ..util._types import Array, PositiveInt
from ..util._wording import did_you_mean, no_array
from ..util.exceptions import (
    DeviceError, ModelError, ParameterError, ParameterTypeError, TypeOf, listed,
)  # fmt: skip
from ._file import model_path, ModelFile
from ._profile import Profile

__all__ = ["Memory", "Session", "Tensor"]

_CPU, _CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"
_SHORT = {"cpu": _CPU, "cuda": _CUDA}

# ONNX Runtime's names of types of numbers that NumPy has.
_DTYPES = {
    "float": np.float32, "double": np.float64, "float16": np.float16, "bool": np.bool_, "int8": np.int8,
    "int16": np.int16, "int32": np.int32, "int64": np.int64, "uint8": np.uint8, "uint16": np.uint16,
    "uint32": np.uint32, "uint64": np.uint64,
}  # fmt: skip

_ON_HOST = 1  # DLPack's number of the CPU


@dataclasses.dataclass(frozen=True)
class Tensor:
    """An input or an output of a model.

    Attributes
    ----------
    name : str
    dtype : np.dtype
    shape : tuple of int, str or None
        A size that may vary is the name of the axis, or None if the axis has no name. The shape is empty for
        a number, and if any shape is allowed.
    """

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int | str | None, ...]

    def __str__(self) -> str:
        return f"{self.name} {self.dtype} {_words(self.shape)}"


@dataclasses.dataclass(frozen=True)
class Memory:
    """Bytes that a session holds.

    Attributes
    ----------
    weights : int
        Bytes of the parameters in the file of the model. The runtime may also keep some in another layout.
    outputs : int
        Bytes of the results of the last run, which belong to the caller.
    arena : int or None
        Bytes that the runtime held in a run of `profile`, for weights, results and intermediate values. None
        before such a run, and with versions of ONNX Runtime that do not report it.
    """

    weights: int
    outputs: int
    arena: int | None = None


class Session:
    """A model from an ONNX file, to run on arrays.

    ONNX Runtime runs the model (``pip install onnxruntime``). Several threads may call a session at the
    same time. A session pickles as its path. A forked child opens the file again at its first call. The child
    must end with ``os._exit``, as children of multiprocessing do; otherwise the runtime waits at exit for
    threads that the child does not have. Ctrl-C takes effect when a run has ended.

    Inputs are NumPy arrays, arrays of other libraries on the CPU that have ``__dlpack__``, or numbers. An
    array with the dtype of the model and contiguous memory is not copied. Other arrays are converted once, if
    the dtype of the model can represent all of their values. Otherwise they are refused, so that no precision
    is lost silently: for float64 input to float32, pass ``x.astype(np.float32)``. If the session runs on
    CUDA, a DeviceArray goes to the model by DLPack, and results are DeviceArrays.

    Results are NumPy arrays in the memory of the runtime, which does not reuse it while they exist.
    ``torch.from_dlpack`` and others accept them without a copy. With `out`, results are written into your
    arrays.

    Parameters
    ----------
    path : str or os.PathLike
        The .onnx file. Weights in other files must be in its folder.
    threads : int > 0, optional
        Threads of a run; by default the current setting `threads` (`metalmom.set_config`).
    provider : str
        ``"cpu"``, ``"cuda"``, or the full name of another execution provider of ONNX Runtime. ``"auto"`` is
        CUDA if it is available, and the CPU otherwise. Operations that a provider cannot run are run on the
        CPU.

    Attributes
    ----------
    path : str
        The absolute path.
    files : tuple of str
        The file of the model, and the files with its weights.
    provider : str
        The full name of the execution provider.
    threads : int
    inputs, outputs : tuple of Tensor
        Inputs and outputs, each with `name`, `dtype` and `shape`. In a shape, the name of an axis stands for
        a size that may vary.

    Raises
    ------
    MissingPackageError
        If ONNX Runtime is not installed.
    ModelError
        If the file is not a model, names weights outside its folder, or cannot be run by the installed
        version.
    FileNotFoundError
        If the file does not exist.
    ParameterError
        For an unknown provider or a wrong number of threads.
    DeviceError
        If the provider is installed and does not work.

    Examples
    --------
    >>> session = metalmom.nn.Session("denoise.onnx", threads=2)  # doctest: +SKIP
    >>> session.inputs[0].shape  # doctest: +SKIP
    ('batch', 'time')
    >>> y = session(np.zeros((1, 16000), dtype=np.float32))  # doctest: +SKIP
    """

    def __init__(
        self, path: str | os.PathLike[str], *, threads: PositiveInt | None = None, provider: str = "auto"
    ) -> None:
        with needed_by("Session()"):
            _onnxruntime()
        if threads is not None and not is_size(threads, _native.max_threads):
            raise ParameterError("threads", threads, f"a positive integer, at most {_native.max_threads}, or None")
        self.path = model_path(path)
        self.threads = get_config()["threads"] if threads is None else int(threads)
        self._asked = provider
        providers = _providers(provider)
        file = ModelFile(self.path)
        self._name = os.path.basename(self.path).encode("utf-8", "backslashreplace").decode()
        self._made_by, self._opset, self._operations = file.producer, file.opset, file.operations()
        self._parameters, self.files = _parameters_of(file), (*file.files,)
        self._weight_bytes = sum(weights.nbytes for weights in file.weights)
        del file
        self._output_bytes = 0
        self._arena: int | None = None
        self._runtime: Any = self._open(providers)
        self.provider: str = self._runtime.get_providers()[0]
        if provider != "auto" and self.provider != providers[0]:
            raise DeviceError(f"{providers[0]} cannot work here, though ONNX Runtime was built with it")
        self.inputs = tuple(map(self._tensor, self._runtime.get_inputs()))
        self.outputs = tuple(map(self._tensor, self._runtime.get_outputs()))
        _OPEN.add(self)

    def __call__(self, x: Any, *, out: Any = None) -> Any:
        """Run a model with one input.

        Parameters
        ----------
        x : np.ndarray, array with ``__dlpack__``, DeviceArray, or number
        out : np.ndarray or tuple of np.ndarray, optional
            Arrays for the results, as in `run`, in the order of the model. They are returned.

        Returns
        -------
        np.ndarray or tuple of np.ndarray
            The output. If the model has several outputs, all of them in its order.

        Raises
        ------
        ParameterError
            For a wrong dtype or shape, or if the model has several inputs.
        DeviceError
            For a DeviceArray if the session does not run on CUDA.
        ModelError
            If the model fails.
        """
        if len(self.inputs) != 1:
            call = ", ".join(f"{each.name!r}: ..." for each in self.inputs)
            raise ParameterError(
                f"{self._name} has {len(self.inputs)} inputs: call session.run({{{call}}})", argument="x"
            )
        if out is not None:
            arrays = out if isinstance(out, (tuple, list)) else (out,)
            if len(arrays) != len(self.outputs):
                raise ParameterError("out", TypeOf(out), f"{len(self.outputs)} arrays, as many as the model gives")
            out = {tensor.name: array for tensor, array in zip(self.outputs, arrays, strict=True)}
        results = (*self.run({self.inputs[0].name: x}, out=out).values(),)
        return results[0] if len(results) == 1 else results

    def run(self, inputs: Mapping[str, Any], *, out: Mapping[str, Array] | None = None) -> dict[str, Any]:
        """Run the model.

        A trace has one span for the run, with the number of copied or converted bytes. `profile` has the
        times of the nodes.

        Parameters
        ----------
        inputs : dict of str to np.ndarray
            All inputs by name. A named axis must have the same size in all of them.
        out : dict of str to np.ndarray, optional
            Arrays for outputs, with the dtype of the model and in C order. They must not share memory with
            the inputs.

        Returns
        -------
        dict of str to np.ndarray
            All outputs by name, in the order of the model.

        Raises
        ------
        ParameterError
            For wrong names, dtypes or shapes. The error uses the names of the model.
        DeviceError
            For a DeviceArray if the session does not run on CUDA.
        ModelError
            If the model fails.
        """
        self._require_names(inputs)
        sizes: dict[str, tuple[int, str]] = {}
        copies: list[int] = []
        taken = {each.name: self._taken(each, inputs[each.name], sizes, copies) for each in self.inputs}
        bound = self._bound({} if out is None else out, taken, sizes)
        results = self._execute(self._opened(), taken, bound, sum(copies))
        self._output_bytes = sum(math.prod(each.shape) * each.dtype.itemsize for each in results.values())
        return results

    def profile(self, inputs: Any) -> Profile:
        """Run the model twice with the profiler of the runtime, and report the times of its nodes.

        The times are those of the second run. The profiler works for a whole session only, so a second
        session is opened for it. Meanwhile the weights are in memory twice. Other runs do not get slower. If
        a trace is recording, it shows the nodes below the span of the run, in a row of ONNX Runtime.

        Parameters
        ----------
        inputs : np.ndarray or dict of str to np.ndarray
            The input, or all inputs by name, as in `run`.

        Returns
        -------
        Profile
            `seconds`, `nodes` in their order, and `arena`. It prints as a table.

        Raises
        ------
        ParameterError, DeviceError, ModelError
            As `run`.
        """
        if not isinstance(inputs, Mapping):
            inputs = {self.inputs[0].name: inputs}
        self._require_names(inputs)
        sizes: dict[str, tuple[int, str]] = {}
        taken = {each.name: self._taken(each, inputs[each.name], sizes, []) for each in self.inputs}
        with tempfile.TemporaryDirectory() as folder:
            runtime = self._open(_providers(self._asked), os.path.join(folder, "profile"))
            self._execute(runtime, taken, {}, 0)
            self._execute(runtime, taken, {}, 0)
            # the runtime counts from a moment of the system's clock
            started = runtime.get_profiling_start_time_ns() - time.time_ns() + time.monotonic_ns()
            with open(runtime.end_profiling(), encoding="utf-8") as file:
                profile = Profile.read(json.load(file), started)
        profile.trace()
        self._arena = profile.arena
        return profile

    def _execute(
        self, runtime: Any, taken: Mapping[str, Any], bound: Mapping[str, Array], copied: int
    ) -> dict[str, Any]:
        """The outputs of a run, which are in the arrays that are `bound` or in new memory."""
        binding = runtime.io_binding()
        for name, value in taken.items():
            binding.bind_ortvalue_input(name, _value(value))
        on_device = any(not isinstance(value, np.ndarray) for value in taken.values())
        for tensor in self.outputs:
            if tensor.name in bound:
                binding.bind_ortvalue_output(tensor.name, _value(bound[tensor.name]))
            else:
                binding.bind_output(tensor.name, "cuda" if on_device else "cpu")
        details = self._details(taken, copied) if _native.trace_stamp() else {}
        try:
            with span(f"run {self._name}", **details):
                runtime.run_with_iobinding(binding)
        except Exception as error:
            raise ModelError(f"{self.path} failed on {_shown_values(taken)}", _last_words(error)) from error
        if on_device:
            binding.synchronize_outputs()
        pairs = zip(self.outputs, binding.get_outputs(), strict=True)
        return {each.name: bound[each.name] if each.name in bound else _result(each, value) for each, value in pairs}

    def warm_up(self, shapes: Mapping[str, Sequence[int]] | Sequence[int] | None = None) -> None:
        """Run once on zeros, so that the first real run takes no longer than others.

        Parameters
        ----------
        shapes : dict of str to tuple of int, or tuple of int, optional
            The shape of each input by name, or the shape of the only input. You may omit inputs whose sizes
            are all fixed.

        Raises
        ------
        ParameterError
            For shapes that do not fit the model.
        """
        if shapes is None:
            shapes = {}
        elif not isinstance(shapes, Mapping):
            require(len(self.inputs) == 1, "shapes", shapes, "a dict of the names of inputs to their shapes")
            shapes = {self.inputs[0].name: shapes}
        self._require_known("shapes", shapes, self.inputs)
        zeros = {}
        for tensor in self.inputs:
            said: Any = shapes.get(tensor.name, tensor.shape)
            name = f"shapes[{tensor.name!r}]"
            if tensor.name not in shapes and not all(isinstance(size, int) for size in said):
                raise ParameterError(name, rule=f"a shape like {_words(tensor.shape)}")
            if not isinstance(said, Iterable):
                raise ParameterTypeError(name, said, "a tuple of sizes")
            shape = [int(natural_int(name, size)) for size in said]
            refuse_beyond_memory(name, said, math.prod(shape) * tensor.dtype.itemsize)
            zeros[tensor.name] = np.zeros(shape, tensor.dtype)
        self.run(zeros)

    @property
    def memory(self) -> Memory:
        """Bytes of the weights, of the results of the last run, and of all memory of a profiled run."""
        return Memory(self._weight_bytes, self._output_bytes, self._arena)

    def describe(self) -> str:
        """Describe the inputs, outputs and contents of the model.

        Returns
        -------
        str
            Several lines: the inputs, outputs and parameters, the number of each operation, the version of
            the ONNX operations, the program that wrote the file, and the provider that runs it.
        """
        return "\n".join(f"{name:<12}{text}" for name, text in self._described())

    def _described(self) -> list[tuple[str, str]]:
        parameters = ", ".join(f"{count:,} {dtype}" for dtype, count in self._parameters.items()) or "none"
        operations = ", ".join(f"{count} {op}" for op, count in self._operations.items())
        return [
            ("model", self.path),
            ("written by", f"{self._made_by or 'unknown'}, opset {self._opset}"),
            ("run by", f"{self.provider}, {self.threads} thread{'s' * (self.threads > 1)}"),
            *_rows("input", self.inputs),
            *_rows("output", self.outputs),
            ("parameters", f"{parameters} ({self._weight_bytes:,} bytes)"),
            ("operations", operations),
        ]

    def _repr_html_(self) -> str:
        """In a notebook a session shows what `describe` tells."""
        return table_of(self._described())

    def __repr__(self) -> str:
        takes, gives = (", ".join(map(str, each)) for each in (self.inputs, self.outputs))
        return f"<metalmom.nn.Session {self._name}: {takes} -> {gives}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by path: the file must be there, and the same, where the session is loaded."""
        return _loaded, (self.path, _checksum(self.files), self.threads, self._asked)

    def _open(self, providers: list[str], profile: str = "") -> Any:
        """A session of the runtime; with a profiler if its file's name begins with `profile`."""
        runtime = _onnxruntime()
        options = runtime.SessionOptions()
        options.intra_op_num_threads = self.threads
        if profile:
            options.enable_profiling, options.profile_file_prefix = True, profile
        options.log_severity_level = 4  # its errors come as exceptions
        try:
            return runtime.InferenceSession(self.path, options, providers=[*map(_in_float32, providers)])
        except Exception as error:
            raise ModelError(f"{self.path} cannot be run", _last_words(error)) from error

    def _opened(self) -> Any:
        if self._runtime is None:
            if self.provider == _CUDA:
                raise DeviceError(f"{self._name} was opened before the process forked, and CUDA works in the parent "
                                  "alone: open the session in the child")  # fmt: skip
            self._runtime = self._open(_providers(self._asked))
        return self._runtime

    def _leave(self) -> None:
        """Forget the parent's session in a forked child.

        It is never freed: the runtime would wait for its threads to end, which this process does not have.
        """
        if self._runtime is not None:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._runtime))
            self._runtime = None

    def _tensor(self, node: Any) -> Tensor:
        try:
            name, shape = node.name, tuple(node.shape)
        except UnicodeDecodeError:
            raise ModelError(f"{self.path} has a name that is not text in UTF-8") from None
        kind = re.fullmatch(r"tensor\((\w+)\)", node.type)
        if kind is None or kind[1] not in _DTYPES:
            raise ModelError(f"{self.path}: {name!r} is a {node.type}, and not an array of numbers that NumPy has")
        return Tensor(name, np.dtype(_DTYPES[kind[1]]), shape)

    def _require_known(self, argument: str, given: Mapping[str, Any], tensors: Sequence[Tensor]) -> None:
        """Refuse names that the model does not have."""
        if not isinstance(given, Mapping):
            raise ParameterTypeError(argument, TypeOf(given), "a dict by names of the model")
        names = [each.name for each in tensors]
        for name in given:
            if name not in names:
                hint = did_you_mean(str(name), names) or f": it has {listed(names)}"
                raise ParameterError(f"{argument}[{name!r}]", rule=f"of the model {self._name}", hint=hint)

    def _require_names(self, inputs: Mapping[str, Any]) -> None:
        self._require_known("inputs", inputs, self.inputs)
        if missing := [str(each) for each in self.inputs if each.name not in inputs]:
            raise ParameterError("inputs", rule=f"have {listed(missing)}", verb="must")

    def _taken(
        self, tensor: Tensor, value: Any, sizes: dict[str, tuple[int, str]], copies: list[int]
    ) -> Any:
        """An input as the runtime reads it; the bytes of what had to be copied are added to `copies`."""
        if not isinstance(value, np.ndarray):
            value = self._as_array(tensor, value)
        _require_shape(tensor.name, tensor, value.shape, sizes)
        if value.dtype != tensor.dtype and not np.can_cast(value.dtype, tensor.dtype):
            hint = f": pass {tensor.name}.astype({str(tensor.dtype)!r})"
            raise ParameterError(f"{tensor.name}.dtype", value.dtype, str(tensor.dtype), hint=hint)
        if isinstance(value, np.ndarray):
            flags = value.flags
            if value.dtype != tensor.dtype or not (flags.c_contiguous and flags.aligned):
                value = np.array(value, tensor.dtype, order="C")
                copies.append(value.nbytes)
            value = np.asarray(value)
        return value

    def _as_array(self, tensor: Tensor, value: Any) -> Any:
        """What is no array of NumPy as one, or as it is if it lies on a device where the session runs."""
        name = tensor.name
        if isinstance(value, DeviceArray):
            if self.provider != _CUDA:
                raise DeviceError(name, rule=f"on a device, where {self._name} runs on the CPU", verb="is",
                                  kind="array", arrays=(name,))  # fmt: skip
            return value
        if is_number(value):
            with np.errstate(all="ignore"):
                try:
                    made: Array = np.asarray(value).astype(tensor.dtype)
                except OverflowError:  # of an int of more than 64 bits
                    made = np.zeros((), tensor.dtype)
            is_had = np.isfinite(made) == np.isfinite(value) if made.dtype.kind in "fc" else made == value
            require(is_had, name, value, f"a number that {tensor.dtype} has")
            return made
        if not hasattr(value, "__dlpack_device__"):
            raise no_array(name, value)
        if value.__dlpack_device__()[0] != _ON_HOST:
            raise ParameterError(f"{name}.__dlpack_device__()", value.__dlpack_device__(), "the CPU")
        try:
            return np.from_dlpack(value)
        except Exception as error:
            raise ParameterError(name, TypeOf(value), "an array that DLPack hands over", hint=f": {error}") from error

    def _bound(
        self, out: Mapping[str, Array], taken: Mapping[str, Any], sizes: dict[str, tuple[int, str]]
    ) -> dict[str, Array]:
        """The arrays of the caller's that outputs are written to."""
        self._require_known("out", out, self.outputs)
        others = [value for value in taken.values() if isinstance(value, np.ndarray)]
        for tensor in self.outputs:
            if tensor.name not in out:
                continue
            array, name = out[tensor.name], f"out[{tensor.name!r}]"
            if not isinstance(array, np.ndarray):
                raise no_array(name, array)
            require(array.dtype == tensor.dtype, f"{name}.dtype", array.dtype, str(tensor.dtype))
            _require_shape(name, tensor, array.shape, sizes)
            if not (array.flags.c_contiguous and array.flags.aligned and array.flags.writeable):
                raise ParameterError(name, rule="writeable, with its values one after the other in memory")
            if any(np.may_share_memory(array, other) for other in others):
                raise ParameterError(name, rule="share no memory with an input or another output", verb="must")
            others.append(array)
        return dict(out)

    def _details(self, taken: Mapping[str, Any], copied: int) -> dict[str, Any]:
        return {"provider": self.provider, "threads": self.threads, "inputs": _shown_values(taken),
                "copied_bytes": copied}  # fmt: skip


# Sessions that a forked child must not go on with.
_OPEN: weakref.WeakSet[Session] = weakref.WeakSet()


def _leave_all() -> None:
    for session in [*_OPEN]:
        session._leave()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_leave_all)


class _Lent:
    """Memory of the runtime's, as NumPy takes it: an array keeps this, and this the memory."""

    def __init__(self, value: Any, dtype: np.dtype[Any]) -> None:
        self._value = value
        self.__array_interface__ = {
            "data": (value.data_ptr(), False), "shape": tuple(value.shape()), "typestr": dtype.str, "version": 3
        }  # fmt: skip


class _OnDevice:
    """A result on a device, as `to_device` takes it."""

    def __init__(self, value: Any) -> None:
        self._value = value._ortvalue

    def __dlpack_device__(self) -> Any:
        return self._value.__dlpack_device__()

    def __dlpack__(self, stream: Any = None) -> Any:
        return self._value.__dlpack__()


def _value(array: Any) -> Any:
    """An array as the runtime's, in the same memory."""
    kind = _onnxruntime().OrtValue
    return kind.ortvalue_from_numpy(array) if isinstance(array, np.ndarray) else kind.from_dlpack(array)


def _result(tensor: Tensor, value: Any) -> Any:
    """An output in the runtime's memory as an array of NumPy, or as a DeviceArray."""
    if value.device_name() != "cpu":
        return to_device(_OnDevice(value))
    if 0 in value.shape():
        return np.empty(value.shape(), tensor.dtype)
    return np.asarray(_Lent(value, tensor.dtype))


def _parameters_of(file: ModelFile) -> dict[str, int]:
    """How many numbers of each type the weights are. The file is let go by whoever calls."""
    counts: dict[str, int] = {}
    for weights in file.weights:
        counts[weights.dtype] = counts.get(weights.dtype, 0) + weights.size
    return counts


def _onnxruntime() -> Any:
    """ONNX Runtime, which notes and sends nothing about this machine unless the user's environment says so."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    return required("onnxruntime")


def _providers(provider: str) -> list[str]:
    """What to run by, the first one first."""
    there = _onnxruntime().get_available_providers()
    if provider == "auto":
        return [each for each in (_CUDA, _CPU) if each in there]
    name = _SHORT.get(provider, provider) if isinstance(provider, str) else provider
    if name not in there:
        known = [short for short, full in _SHORT.items() if full in there]
        rest = [each for each in there if each not in _SHORT.values()]
        hint = ": CUDA comes with the package onnxruntime-gpu" if name == _CUDA else ""
        raise ParameterError("provider", provider, choices=("auto", *known, *rest), hint=hint)
    return [name] if name == _CPU else [name, _CPU]


def _in_float32(provider: str) -> str | tuple[str, dict[str, str]]:
    """A provider that multiplies float32 as such: CUDA's would round the factors to TF32, of 11 bits."""
    return (provider, {"use_tf32": "0"}) if provider == _CUDA else provider


def _rows(name: str, tensors: Sequence[Tensor]) -> list[tuple[str, str]]:
    """Lines of a description, of which the first one has the name."""
    names = [name + "s" * (len(tensors) > 1), *[""] * len(tensors)]
    return [(name, str(each)) for name, each in zip(names, tensors, strict=False)]


def _words(shape: tuple[int | str | None, ...]) -> str:
    """A shape as it is written: ``(batch, 80, ?)``."""
    sizes = ["?" if size is None else str(size) for size in shape]
    return f"({', '.join(sizes)}{',' * (len(sizes) == 1)})"


def _require_shape(name: str, tensor: Tensor, shape: tuple[int, ...], sizes: dict[str, tuple[int, str]]) -> None:
    """Refuse a shape that the model does not take; `sizes` maps a named axis to its size and to its origin."""
    if not tensor.shape:
        return
    fixed = [size if isinstance(size, int) else n for size, n in zip(tensor.shape, shape, strict=False)]
    if len(shape) != len(tensor.shape) or tuple(fixed) != tuple(shape):
        raise ParameterError(f"{name}.shape", tuple(shape), _words(tensor.shape))
    for axis, size in zip(tensor.shape, shape, strict=True):
        if isinstance(axis, str):
            known, of = sizes.setdefault(axis, (size, name))
            if size != known:
                rule = f"{_words(tensor.shape)} with {axis}={known}, as of {of}"
                raise ParameterError(f"{name}.shape", tuple(shape), rule)


def _shown_values(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value.dtype} {tuple(value.shape)}" for name, value in values.items())


def _last_words(error: Exception) -> str:
    """What the runtime said, on a line."""
    text = " ".join(re.sub(r"^\[ONNXRuntimeError\] : \d+ : \w+ : ", "", str(error)).split())
    return f": ONNX Runtime said: {text if len(text) <= 400 else text[:400] + ' ...'}"


def _checksum(paths: Iterable[str]) -> int:
    """What the content of files is known by."""
    known = 0
    for path in paths:
        with open(path, "rb") as file:
            while part := file.read(1 << 20):
                known = zlib.crc32(part, known)
    return known


def _loaded(path: str, checksum: int, threads: int, provider: str) -> Session:
    """The session of a pickle."""
    session = Session(path, threads=threads, provider=provider)
    if _checksum(session.files) != checksum:
        raise ModelError(f"{path} has changed since the session was pickled: make another one")
    return session
