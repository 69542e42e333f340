"""Expressions as programs: of one function for one call, or of many features for many clips side by side.

A `Program` holds the expressions of some features for audio of one kind, equal nodes once. A plain call
is a program of one, whose steps are taken one after the other. A `Run` is the evaluation of a program
for one of many clips: what all runs ask of the engine at a time is one wave, handed over together, so
that the engine transforms a signal once for all that read it.
"""

from __future__ import annotations

import operator
from time import perf_counter_ns
from typing import Any, TYPE_CHECKING

import numpy as np

from .. import _native
from ._expressions import Node
from ._kept_results import kept, size_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from .._engine.watch import Watch
    from ._types import Array

__all__ = ["Program", "Root", "Run", "evaluate", "value_of"]

# The one root of an expression that was decided by values.
WHOLE = "whole"


class Root:
    """One function with its arguments, fed by audio or by the values of other roots.

    Attributes
    ----------
    name : str
    function, arguments
        What is called, with which keywords beside its inputs.
    of : dict of str to str
        Keywords that are the values of other roots, by their names; empty where it reads audio, as `y`.
    """

    def __init__(self, name: str, function: Any) -> None:
        self.name, self.function = name, function
        self.arguments: dict[str, Any] = {}
        self.of: dict[str, str] = {}

    def expression(self, **inputs: Any) -> Any:
        """The node of its value; where no input is a node, the value itself or a node of it."""
        keywords = {**self.arguments, **inputs}
        function = getattr(self.function, "expression", None)
        if function is not None:
            return function(**keywords)
        if any(isinstance(value, Node) for value in inputs.values()):
            return Node(None, self.function, (), keywords)  # a call that shares nothing
        return self.function(**keywords)


class _Step:
    """A node of a program.

    Attributes
    ----------
    op, function, args, kwargs
        As a node has them.
    from_args, from_kwargs
        The positions and names of arguments that are values of other steps, each with that step.
    names : list of str
        The roots that it is a part of.
    told : tuple or None
        What a `Watch` says of it, once it was in one.
    """

    __slots__ = ("op", "function", "args", "kwargs", "from_args", "from_kwargs", "names", "told", "_prepared")

    def __init__(
        self, node: Node, from_args: list[tuple[int, int]], from_kwargs: list[tuple[str, int]]
    ) -> None:
        self.op, self.args, self.kwargs = node.op, node.args, node.kwargs
        self.function: Any = node.function
        self.from_args, self.from_kwargs = from_args, from_kwargs
        self.names: list[str] = []
        self.told: Any = None
        self._prepared: dict[str, Any] = {}  # the type of the audio -> the call, where it reads nothing else

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays that it holds."""
        return size_of((*self.args, *self.kwargs.values()))

    def arguments(self, values: list[Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        """Its arguments, where the values of the steps are known."""
        args: Any = self.args
        kwargs = self.kwargs
        if self.from_args:
            args = list(args)
            for position, step in self.from_args:
                args[position] = values[step]
        if self.from_kwargs:
            kwargs = {**kwargs, **{name: values[step] for name, step in self.from_kwargs}}
        return args, kwargs

    def request(self, values: list[Any]) -> tuple[Any, Any]:
        """What is asked of the engine: a prepared call and its audio, or an op and its arguments."""
        audio: Any = None
        others: tuple[Any, ...] = ()
        for name, step in self.from_kwargs:
            if name == "y":
                audio = values[step]
            else:
                others += (values[step],)
        # What the engine reads as it is; other types and layouts it converts.
        if type(audio) is np.ndarray and _is_engines(audio):
            kind = audio.dtype.char
            if others:
                prepared = _prepared_for_values(self, kind, _Values(others, values))
            else:
                if kind not in self._prepared:
                    self._prepared[kind] = self.prepared(values)
                prepared = self._prepared[kind]
            if prepared is not None:
                return prepared, audio
        return self.op, self.arguments(values)[1]

    def prepared(self, values: list[Any]) -> _native.PreparedCall | None:
        """Its call for audio of one kind; None where there is none, for an error in what it is made of, too."""
        try:
            return _native.prepare(str(self.op), **self.arguments(values)[1])
        except Exception:  # which the request meets again, where it is told
            return None


class _Values:
    """What steps have made for another one beside its audio: the same where all are the same objects.

    Attributes
    ----------
    others : tuple
        These values.
    all : list
        The values of all steps; taken away once the call is prepared.
    """

    __slots__ = ("others", "all")

    def __init__(self, others: tuple[Any, ...], values: list[Any]) -> None:
        self.others = others
        self.all: Any = values

    def __hash__(self) -> int:
        return hash((*map(id, self.others),))

    def __eq__(self, other: Any) -> bool:
        return all(map(operator.is_, self.others, other.others))

    @property
    def nbytes(self) -> int:
        return size_of(self.others)


@kept(256)
def _prepared_for_values(step: _Step, _kind: str, values: _Values) -> _native.PreparedCall | None:
    """The call of a step for values worked out before it, such as filters on an estimated tuning."""
    prepared, values.all = step.prepared(values.all), None  # else a clip would be held
    return prepared


def _is_engines(audio: Array) -> bool:
    return audio.dtype.char in "fd" and audio.dtype.isnative and audio.flags.carray


class Program:
    """Expressions whose equal nodes are one step: of some roots, for audio of one kind.

    Attributes
    ----------
    steps : list of _Step
        Each after those it reads. The first is the audio.
    readers : list of list of int
        For each step those that read it.
    inputs : list of int
        For each step how many others it reads.
    at : dict of str to int
        The step of each root.
    errors : dict of str to Exception
        What the arguments of a root were refused with.
    reads_audio : bool
        Whether the first step is the audio.
    """

    def __init__(self, audio: Node | None = None) -> None:
        self.steps: list[_Step] = []
        self.readers: list[list[int]] = []
        self.inputs: list[int] = []
        self.at: dict[str, int] = {}
        self.errors: dict[str, Exception] = {}
        self.reads_audio = audio is not None
        self._steps: dict[Any, int] = {}  # what a node is and reads -> its step
        self._nodes: dict[int, tuple[int, Node]] = {}  # the nodes of the roots so far, and their steps
        if audio is not None:
            self._step_of(audio)

    @classmethod
    def of_roots(cls, roots: Iterable[Root], audio: Node) -> Program:
        program = cls(audio)
        nodes: dict[str, Node] = {}
        for root in roots:
            if program.errors.keys() & root.of.values():
                continue
            try:
                if root.of:
                    inputs = {keyword: nodes[source] for keyword, source in root.of.items()}
                    node = Node(None, root.expression, (), inputs)
                else:
                    node = root.expression(y=audio)
            except Exception as error:
                program.errors[root.name] = error
                continue
            nodes[root.name] = node
            program.at[root.name] = program._step_of(node)
            program._name(program.at[root.name], root)
        return program

    @classmethod
    def of_node(cls, node: Node, audio: Node | None = None) -> Program:
        """A program for one node, which reads audio or what it holds itself."""
        program = cls(audio)
        program.at[WHOLE] = program._step_of(node)
        return program

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays that the steps hold."""
        return sum(step.nbytes for step in self.steps)

    def value(self, y: Any = None) -> Any:
        """The value of the one root, all steps taken one after the other.

        Steps that functions of the host decide on by values are taken in the same frame, so that a traceback
        is short however many there are.
        """
        program, values, session = self, [y] if self.reads_audio else [], self._session()
        outer: list[tuple[Program, list[Any], _native.Session | None]] = []
        while True:
            if len(values) == len(program.steps):
                value = values[program.at[WHOLE]]
                if not outer:
                    return value
                program, values, session = outer.pop()
                values.append(value)
                continue
            step = program.steps[len(values)]
            if step.op is None:
                args, kwargs = step.arguments(values)
                value = step.function(*args, **kwargs)
                if isinstance(value, Node):
                    outer.append((program, values, session))
                    program, values = Program.of_node(value), []
                    session = program._session()
                    continue
            elif session is None:
                called, given = step.request(values)
                value = getattr(_native, called)(**given) if called is step.op else called(given)
            else:
                names = [step.op] if _native.trace_stamp() else []
                ((value, error, _),) = _native.run_together([step.request(values)], session, False, names)
                if error is not None:
                    raise error
            values.append(value)

    def _session(self) -> _native.Session | None:
        """Where ops find their audio on a device, because others had it there before; None without such."""
        return _native.Session() if _native.gpu_is_asked_for() and any(map(_follows, self.steps)) else None

    def _name(self, index: int, root: Root) -> None:
        """Name a root for its step and those it reads; what it is made of is of other roots."""
        step = self.steps[index]
        if root.name not in step.names:
            step.names.append(root.name)
            for _, source in () if root.of else (*step.from_args, *step.from_kwargs):
                self._name(source, root)

    def _step_of(self, node: Node) -> int:
        if id(node) in self._nodes:
            return self._nodes[id(node)][0]
        from_args = [(i, self._step_of(v)) for i, v in enumerate(node.args) if isinstance(v, Node)]
        from_kwargs = [(k, self._step_of(v)) for k, v in node.kwargs.items() if isinstance(v, Node)]
        constants: list[Any] = [(i, _identity(v)) for i, v in enumerate(node.args) if not isinstance(v, Node)]
        constants += [(k, _identity(v)) for k, v in node.kwargs.items() if not isinstance(v, Node)]
        key = (node.op, node.function, *from_args, *from_kwargs, *constants)
        if key not in self._steps:
            self._steps[key] = len(self.steps)
            sources = {source for _, source in (*from_args, *from_kwargs)}
            for source in sources:
                self.readers[source].append(len(self.steps))
            self.steps.append(_Step(node, from_args, from_kwargs))
            self.readers.append([])
            self.inputs.append(len(sources))
        self._nodes[id(node)] = self._steps[key], node
        return self._steps[key]


def _follows(step: _Step) -> bool:
    """Tell whether an op reads audio and what others made of it."""
    return step.op is not None and "y" in step.kwargs and any(name != "y" for name, _ in step.from_kwargs)


def value_of(node: Any) -> Any:
    """The value of a node that reads no open `Audio`; anything but a node is returned as it is."""
    return Program.of_node(node).value() if isinstance(node, Node) else node


def _identity(value: object) -> tuple[Any, ...]:
    """What tells one argument from another: numbers and texts by value, all else by itself."""
    if isinstance(value, float):
        return type(value), float(value).hex()  # in which 0.0 is not -0.0
    if value is None or isinstance(value, (bool, int, str)):
        return type(value), value
    if isinstance(value, tuple):
        return tuple(map(_identity, value))
    return "id", id(value)


class Run:
    """The evaluation of a program for one clip.

    Attributes
    ----------
    values : list
        Of each step; None where there is none yet.
    errors : dict of int to Exception
        Of steps that failed, and of those that read them.
    places : dict of int to int, or None
        Of steps that are watched, in the `Watch`.
    decided_by : set of int, or None
        The place of the step that decided what is to be done.
    """

    __slots__ = ("program", "values", "errors", "places", "decided_by", "_missing", "_whole", "_watch")

    def __init__(
        self, program: Program, whole: tuple[Run, int] | None = None, watch: Watch | None = None
    ) -> None:
        self.program = program
        self.values: list[Any] = [None] * len(program.steps)
        self.errors: dict[int, Exception] = {}
        self._missing = list(program.inputs)
        self._watch = watch
        self.places: Any = None
        self.decided_by: set[int] | None = None
        if watch is not None:
            self.places, self.decided_by = {}, {whole[0].places[whole[1]]} if whole else set()
        self._whole = whole  # the run, with its step, whose value is what this program makes

    def start(self, y: Any, asking: list[tuple[Run, int]]) -> None:
        """Begin with what can be done now; steps that ask the engine are added to `asking`."""
        if self.program.reads_audio:
            self.give(0, y, asking)
        for index, count in enumerate(self.program.inputs):
            if not count and not (self.program.reads_audio and index == 0):
                self._begin(index, asking)

    def give(self, index: int, value: Any, asking: list[tuple[Run, int]]) -> None:
        """Take the value of a step, and go on with those that waited for it."""
        self.values[index] = value
        for reader in self.program.readers[index]:
            self._missing[reader] -= 1
            if not self._missing[reader]:
                self._begin(reader, asking)
        if self._whole is not None and index == self.program.at[WHOLE]:
            run, step = self._whole
            if self._watch is not None:
                run.places[step] = self.places[index]
            run.give(step, value, asking)

    def fail(self, index: int, error: Exception) -> None:
        """Take the error of a step, which is that of all that need its value."""
        self.errors.setdefault(index, error)
        for reader in self.program.readers[index]:
            if reader not in self.errors:
                self.fail(reader, error)
        if self._whole is not None and index == self.program.at[WHOLE]:
            run, step = self._whole
            run.fail(step, error)

    def _begin(self, index: int, asking: list[tuple[Run, int]]) -> None:
        if self.program.steps[index].op is not None:
            asking.append((self, index))
            return
        if self._watch is None:
            value = self._computed(index)
        else:
            begin = perf_counter_ns()
            value = self._computed(index)
            self._watch.note(self, index, begin, perf_counter_ns())
        if isinstance(value, Node):  # what is to be done was decided by values
            Run(Program.of_node(value), (self, index), self._watch).start(None, asking)
        elif index not in self.errors:
            self.give(index, value, asking)

    def _computed(self, index: int) -> Any:
        # An error keeps the frames it came through: here they hold nothing of other runs.
        step = self.program.steps[index]
        args, kwargs = step.arguments(self.values)
        try:
            return step.function(*args, **kwargs)
        except Exception as error:
            self.fail(index, error)
        return None

    def names(self, index: int) -> list[str]:
        """The roots that a step is a part of."""
        run = self
        while run._whole is not None:
            run, index = run._whole
        return run.program.steps[index].names


def evaluate(runs: Iterable[tuple[Run, Any]], watch: Watch | None = None) -> None:
    """Evaluate runs, given with their audio, side by side.

    `watch`, a `Watch`, notes what each step was and took; the runs have the same one.
    """
    session = _native.Session()
    asking: list[tuple[Run, int]] = []
    for run, y in runs:
        run.start(y, asking)
    while asking:
        if watch is not None:
            watch.wave += 1
        waiting, asking = asking, []
        requests = [run.program.steps[index].request(run.values) for run, index in waiting]
        names = [run.names(index)[0] for run, index in waiting] if _native.trace_stamp() else []
        answers = _native.run_together(requests, session, watch is not None, names)
        for (run, index), (answer, error, node) in zip(waiting, answers, strict=True):
            if watch is not None:
                watch.note(run, index, node[4], node[5], node[:4])
            if error is None:
                run.give(index, answer, asking)
            else:
                run.fail(index, error)
    if watch is not None:
        watch.end = perf_counter_ns()
