"""Networks that take frames as they come, and carry their state from block to block."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..nn import Session, Tensor
from ..util._checks import require
from ..util._packages import needed_by
from ..util._public import strict
from ..util._types import Array, Int, Positive
from ..util._wording import did_you_mean, no_array
from ..util.exceptions import ParameterError, TypeOf, listed
from ._stream import Signal, Stream, flag, in_turn

__all__ = ["Model"]


class Model(Stream):
    """Run an ONNX model of frames block by block: its state goes into the next call.

    Joined, the results are those of one call with all frames, if the model itself computes frame by frame. An
    LSTM does, a convolution with context does not. ONNX Runtime may round the two differently. The state is
    zero at the beginning of a signal. `position` counts frames.

    Parameters
    ----------
    model : metalmom.nn.Session, str or os.PathLike
        The model, or the path of its file, which is opened with one thread.
    state : dict of str to str
        For each input of state, the output that is its next value. The one input that is left reads the
        frames.
    axis : int
        The axis of frames in a block.
    budget : number > 0, optional
        Seconds that a call may take: the budget of `report`, until you set a `rate`.

    Raises
    ------
    ParameterError
        For names that the model does not have, or if not exactly one input is left.
    MissingPackageError, ModelError
        As `metalmom.nn.Session` does.

    Examples
    --------
    >>> stream = metalmom.streaming.Model(
    ...     "lstm.onnx", state={"h": "h_out", "c": "c_out"}, axis=0, budget=0.01
    ... )  # doctest: +SKIP
    >>> y = stream.process(np.zeros((4, 1, 40), dtype=np.float32))  # doctest: +SKIP
    """

    @strict
    def __init__(
        self, model: Session | str | os.PathLike[str], *, state: Mapping[str, str], axis: Int,
        budget: Positive | None = None,
    ) -> None:
        super().__init__(1)
        if not isinstance(model, Session):
            with needed_by("Model()"):
                model = Session(model, threads=1)
        self._session = model
        rule = "a dict of the names of inputs to those of outputs"
        require(isinstance(state, Mapping), "state", TypeOf(state), rule)
        inputs, outputs = ({each.name: each for each in some} for some in (model.inputs, model.outputs))
        for name, given in state.items():
            _require_name("state", name, inputs)
            _require_name(f"state[{name!r}]", given, outputs)
        frames = [each for each in model.inputs if each.name not in state]
        rule = "leave one input of the model, which takes the frames"
        require(len(frames) == 1, "state", dict(state), rule, verb="must")
        self._input: Tensor = frames[0]
        self._state = dict(state)
        self._outputs = [each for each in model.outputs if each.name not in state.values()]
        axes = len(self._input.shape)
        require(-axes <= axis < axes, "axis", axis, f"an axis of {self._input}")
        self._axis = int(axis) % axes
        if budget is not None:
            self._turns.set_budget(0.0, float(budget))
        self._native = Signal(self._turns)
        self._carried: dict[str, Array] | None = None
        self._last_shape = [size if isinstance(size, int) else 1 for size in self._input.shape]

    def __repr__(self) -> str:
        return f"Model({self._session!r})"

    @property
    def late(self) -> int:
        """Calls that took longer than the budget, as `report` counts them."""
        return self.report().late or 0

    @property
    def worst(self) -> float:
        """Seconds of the longest call, as `report` knows it."""
        return self.report().worst

    @in_turn
    def process(self, y: Array, last: bool = False) -> Any:
        """Take a block of frames and return the results of the model.

        Parameters
        ----------
        y : np.ndarray
            A block with the shape of the input, and with any number of frames, also zero.
        last : bool
            Whether the signal ends here.

        Returns
        -------
        np.ndarray or tuple of np.ndarray
            The output that is not state, or a tuple of several outputs in the order of the model.

        Raises
        ------
        ParameterError
            For a wrong block (the stream stays as it was), and after the end of the signal.
        ModelError
            If the model fails (the stream stays as it was).
        """
        last = flag("last", last)
        self._turns.require_open(self._native.ended)
        if not isinstance(y, np.ndarray):
            raise no_array(self._input.name, y)
        results = self._run(y, last)
        return results[0] if len(results) == 1 else results

    def flush(self) -> Any:
        """End the signal. A model keeps no frames, so nothing is left.

        Returns
        -------
        np.ndarray or tuple of np.ndarray
            Arrays without frames.
        """
        return self.process(self._no_block(), True)

    @in_turn
    def reset(self) -> None:
        """Begin another signal, with the same configuration; its state is all zeros."""
        self._native.reset()
        self._carried = None

    def _run(self, y: Array, last: bool) -> tuple[Array, ...]:
        """The results of a block, whose state is kept."""
        axes = zip(self._input.shape, y.shape, strict=False)
        named = {axis: size for axis, size in axes if isinstance(axis, str)}
        is_empty = y.ndim == len(self._input.shape) and y.shape[self._axis] == 0
        if is_empty:
            nothing = tuple(np.empty(_sizes(each, named), each.dtype) for each in self._outputs)
            self._keep(self._carried, y, last)
            return nothing
        carried = self._carried
        if carried is None:
            inputs = [each for each in self._session.inputs if each.name in self._state]
            carried = {each.name: np.zeros(_sizes(each, named), each.dtype) for each in inputs}
        given = self._session.run({self._input.name: y, **carried})
        self._keep({name: given[output] for name, output in self._state.items()}, y, last)
        self._last_shape = [*y.shape]
        return tuple(given[each.name] for each in self._outputs)

    def _keep(self, carried: dict[str, Array] | None, y: Array, last: bool) -> None:
        """Have taken a block: an exception after this stops the stream."""
        self._turns.change()
        self._carried = carried
        self._native.position += y.shape[self._axis]
        self._native.ended = last
        self._turns.done_block(y.shape[self._axis], last)

    def _no_block(self) -> Array:
        shape = [0 if axis == self._axis else size for axis, size in enumerate(self._last_shape)]
        return np.empty(shape, self._input.dtype)

    def _silence(self) -> Array:
        return np.zeros(self._last_shape, self._input.dtype)


def _require_name(argument: str, name: Any, tensors: Mapping[str, Tensor]) -> None:
    if name not in tensors:
        hint = did_you_mean(str(name), [*tensors])
        raise ParameterError(argument, name, f"of the model, which has {listed([*tensors])}", hint=hint)


def _sizes(tensor: Tensor, named: Mapping[str, int]) -> list[int]:
    """A shape whose axes with a name are as large as those of a block; others have no values."""
    return [size if isinstance(size, int) else named.get(size or "", 0) for size in tensor.shape]
