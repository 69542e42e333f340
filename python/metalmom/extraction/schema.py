"""The columns that a recipe gives, by what is declared of its functions; and the rows of a file, or its errors.

No feature's error takes the others' rows away.
"""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..util._explain import explained
from .._extractor._recipe import Feature
from ..util import _declared as declared
from ..util._declared import EVENTS, FRAMES, VALUE, outputs_of
from ..util._types import Array
from ..util.exceptions import AudioError, LibrosaError, ParameterError
from .store import is_full

if TYPE_CHECKING:
    from .recipes import Recipe
    from .tables import Rows

# Data types and units by column.
Fields = dict[str, tuple[str, str]]
# The name, the index, the output and the array of what a feature gives.
_Given = tuple[str, int | None, declared.Output, declared.Array]

# What numbers the rows of a file in a table.
INDEX_COLUMNS = {FRAMES: "frame", EVENTS: "event"}

# More numbers in a frame than any table can have columns.
_MOST_COLUMNS = 1 << 24

# Columns of the table of files: data types and units.
_FILE_FIELDS = {
    "file_id": ("int32", ""),
    "path": ("str", ""),
    "status": ("str", ""),
    "error": ("str", ""),
    "duration": ("float64", "seconds"),
    "sr": ("float64", "Hz"),
}

# What a cell holds where there is nothing to hold, by data type.
BLANK = {"str": "", "float32": np.float32(np.nan), "float64": 0.0, "int32": 0, "uint8": 0}

# Lengths between which frames are counted: how many a second has stands in manifests.
_SECONDS = (4, 6.1)


class Unusable(ParameterError):
    """A recipe that cannot be computed, or whose columns are not of different names."""


class Part(NamedTuple):
    """One array that a feature gives, and the columns that its numbers go to.

    `kind` is ``frames`` (one entry a frame along `axis`), ``value`` (of one shape for every file) or
    ``events`` (as many as there are); `table` the folder of its table, empty for values.
    `per_second` is how many frames a second of sound has.
    """

    name: str
    feature: str
    index: int | None  # type: ignore[assignment]  # tuples have a method of that name
    kind: str
    shape: tuple[int, ...]
    dtype: str
    is_complex: bool
    table: str
    unit: str
    per_second: float
    axis: int = -1

    @property
    def index_column(self) -> str:
        """Name of the column that numbers its frames or events."""
        return INDEX_COLUMNS[self.kind]

    @property
    def columns(self) -> list[str]:
        """Names of its columns."""
        count = math.prod(self.shape)
        width = max(2, len(str(count - 1)))
        names = [f"{self.name}_{k:0{width}}" for k in range(count)] if count > 1 else [self.name]
        return [f"{name}_{side}" for name in names for side in ("re", "im")] if self.is_complex else names

    def aggregates(self, statistics: Sequence[str]) -> list[str]:
        """Names of the columns of its statistics over frames; none where it has no frames."""
        return [f"{column}_{name}" for column in self.columns if self.kind == FRAMES for name in statistics]

    def aggregated(self, rows: Rows, statistics: list[str]) -> dict[str, np.float32]:
        """Statistics over the frames of a file that are numbers, in double precision, by column."""
        results = {}
        for column, entries in zip(self.columns, rows, strict=True) if self.kind == FRAMES and statistics else ():
            values = np.asarray(entries[:], np.float64)
            values = np.ascontiguousarray(values[~np.isnan(values)])
            for statistic in statistics:
                # of no number at all there is none
                value = getattr(np, statistic)(values) if values.size else np.nan
                results[f"{column}_{statistic}"] = np.float32(value)
        return results

    def rows(self, values: Any) -> Array:
        """Values of a file as an array [columns, entries]."""
        array = np.moveaxis(values, self.axis, -1) if self.axis != -1 else np.asarray(values)
        shape = array.shape if self.kind == VALUE else array.shape[:-1]
        # one number is one, on axes or without: the tempo of what has no onsets is a scalar
        if _without_ones(shape) != _without_ones(self.shape):
            raise LibrosaError(f"{self.name} has shape {shape} here and {self.shape} by the schema")
        flat = array.reshape(math.prod(self.shape), -1)
        if self.is_complex:
            flat = np.stack([flat.real, flat.imag], axis=1).reshape(2 * len(flat), -1)
        return flat.astype(self.dtype, copy=False)


# Of each entry of a part that was read from JSON.
_TYPES_OF_PART: list[tuple[type, ...]] = [
    (str,), (str,), (int, type(None)), (str,), (tuple,), (str,), (bool,), (str,), (str,), (int, float), (int,),
]  # fmt: skip


def _without_ones(shape: tuple[int, ...]) -> list[int]:
    return [size for size in shape if size != 1]


class Schema:
    """All parts of a recipe, and the tables they lie in.

    Attributes
    ----------
    parts : list of Part
    features : dict of str to list of Part
        The same by feature.
    """

    def __init__(self, parts: Iterable[Part]) -> None:
        self.parts = list(parts)
        self.features: dict[str, list[Part]] = {}
        for part in self.parts:
            self.features.setdefault(part.feature, []).append(part)

    @classmethod
    def of(cls, recipe: Recipe) -> Schema:
        """The schema of a `Recipe`."""
        return cls(_parts(recipe))

    def dump(self) -> list[dict[str, Any]]:
        """The schema in values that JSON has; `Schema.load` of it is equal."""
        return [{**part._asdict(), "shape": list(part.shape)} for part in self.parts]

    @classmethod
    def load(cls, rows: list[dict[str, Any]]) -> Schema:
        """The schema that `dump` wrote; a ValueError or TypeError where it did not write that."""
        parts = [Part(**{**row, "shape": tuple(row["shape"])}) for row in rows]
        for part in parts:
            are_typed = all(type(each) in types for each, types in zip(part, _TYPES_OF_PART, strict=True))
            is_known = part.kind in (FRAMES, VALUE, EVENTS) and part.dtype in _TYPES.values()
            are_sizes = all(type(size) is int and size >= 0 for size in part.shape)
            if not are_typed or not is_known or not are_sizes or math.prod(part.shape) > _MOST_COLUMNS:
                raise ValueError(f"no part of a schema: {part}")
        return cls(parts)

    def rows_of(self, values: dict[str, Any]) -> dict[str, Array]:
        """Rows [columns, entries] by the names of parts, of values as an Extractor gives them.

        Where `values` has some of the features only, so has the result.
        """
        return {part.name: part.rows(value if part.index is None else value[part.index])
                for feature, value in values.items() for part in self.features[feature]}  # fmt: skip

    @property
    def tables(self) -> dict[str, list[Part]]:
        """Parts by table of frames or events."""
        tables: dict[str, list[Part]] = {}
        for part in self.parts:
            if part.table:
                tables.setdefault(part.table, []).append(part)
        return tables

    @property
    def folders(self) -> list[str]:
        """Names of the folders of a run in OUT; receipts come first, which vouch for the others."""
        return ["receipts", "files", *self.tables, "runs"]

    def require_other_names(self, kept: Sequence[str], statistics: list[str]) -> None:
        """Raise `ParameterError` where a column that is kept of the input's tables has the name of another one."""
        own = {*self.fields(statistics)["files"], *INDEX_COLUMNS.values()}
        for name in kept:
            if name in own:
                raise ParameterError("keep_columns", name, "no name of the tables' own columns")

    def fields(self, statistics: list[str], kept: Sequence[str] = ()) -> dict[str, Fields]:
        """Data type and unit of each column, by table; that of files comes first.

        `kept` are columns of the input's tables, which stand in the table of files, too.
        """
        fields = {"files": {**_FILE_FIELDS, **dict.fromkeys(kept, ("str", ""))}}
        for part in self.parts:
            own = dict.fromkeys(part.columns, (part.dtype, part.unit))
            if part.table:
                index = dict.fromkeys(("file_id", part.index_column), ("int32", ""))
                fields.setdefault(part.table, index).update(own)
            elif part.kind == VALUE:
                fields["files"].update(own)
        for part in self.parts:
            fields["files"] |= dict.fromkeys(part.aggregates(statistics), ("float32", part.unit))
        return fields


def _parts(recipe: Recipe) -> list[Part]:
    known: dict[str, list[_Given]] = {}
    grids: dict[Any, str] = {}
    names, found = set(), []
    for feature in recipe.features:  # each after what it is made of
        known[feature.name] = _arrays(feature, known)
    for feature in recipe.extractor.recipe["features"]:
        for name, index, output, array in known[feature]:
            # Parts with the same number of frames share a table. The first one is "frames",
            # others are called after their first part.
            table = ""
            if array.kind == EVENTS:
                table = f"events-{name}"
            elif array.kind == FRAMES and not recipe.aggregate:
                table = grids.setdefault(array.frames, f"frames-{name}" if grids else "frames")
            rate = _per_second(array, recipe.sr) if array.kind == FRAMES else 0.0
            part = Part(name, feature, index, array.kind, array.rows, _TYPES[array.numbers],
                        array.numbers is complex, table, output.unit, rate, array.axis)  # fmt: skip
            for column in [*part.columns, *part.aggregates(recipe.aggregate)]:
                if column in names or column in _RESERVED:
                    told = f"features.{feature}: {column!r} is already the name of a column: rename the feature"
                    raise Unusable(told, argument="features")
                names.add(column)
            found.append(part)
    return found


# Columns that are there whatever the recipe is.
_RESERVED = frozenset({*_FILE_FIELDS, *INDEX_COLUMNS.values()})

# Of columns, by the numbers of arrays.
_TYPES = {float: "float32", complex: "float32", int: "int32", bool: "uint8"}


def _arrays(feature: Feature, known: dict[str, list[_Given]]) -> list[_Given]:
    """The name, the index, the output and the array of each thing that a feature gives."""
    # where it is made of several, the others say no more
    inputs = next(((keyword, _joined(feature, known[source])) for keyword, source in feature.of.items()), ())
    try:
        inspect.signature(feature.function).bind(**{**feature.every_argument, **dict.fromkeys(feature.of or ("y",))})
        returns, arrays = outputs_of(feature.function, feature.name, feature.every_argument, *inputs)
        if any(min(each.rows, default=0) < 0 or math.prod(each.rows) > _MOST_COLUMNS for each in arrays):
            raise ValueError("more columns than a table can have")
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
        told = explained(feature.function, (), feature.arguments, error)
        raise Unusable(f"features.{feature.name}: {told}", argument="features") from error
    if not arrays:
        what = f"what {feature.path} gives is neither a row a frame nor a row a file"
        raise Unusable(f"features.{feature.name}: {what}", argument="features")
    if not isinstance(returns, tuple):
        return [(feature.name, None, returns, arrays[0])]
    return [(f"{feature.name}_{output.name or index}", index, output, array)
            for index, (output, array) in enumerate(zip(returns, arrays, strict=True))]  # fmt: skip


def _joined(feature: Feature, outputs: list[_Given]) -> declared.Array:
    """The array that functions make of what another feature gives."""
    first, *others = (array for *_, array in outputs)
    if any(array != first for array in others):
        raise Unusable(f"features.{feature.name}: of", feature.of, "one array, or several of one shape")
    return first._replace(rows=(len(outputs), *first.rows)) if others else first


def _per_second(array: declared.Array, sr: float) -> float:
    first, longer = (array.count(int(seconds * sr)) for seconds in _SECONDS)
    return (longer - first) / (_SECONDS[1] - _SECONDS[0])


# Of a row that is `PARTIAL`, some features have their cells and others an error.
OK, PARTIAL, FAILED = "ok", "partial", "failed"


def sentence(error: Exception) -> str:
    """What went wrong with a file, in words that are the same for every run."""
    if isinstance(error, MemoryError):
        return "it needs more than the memory that the run may take: --retry-failed with a larger --memory tries again"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    known = isinstance(error, LibrosaError)
    # which of a decoder's threads speaks last differs from run to run
    text = " ".join((error.fault if isinstance(error, AudioError) else str(error)).split())[:500]
    return text if known and text else f"{type(error).__name__}: {text}"


class Outcome:
    """Rows of a file by feature, and the errors of features that have none.

    Parameters
    ----------
    schema : Schema
    values : dict of str to object
        What an Extractor gives for features, or the exceptions in their place.

    Raises
    ------
    OSError
        Where the disk is full, which is no feature's fault.
    """

    def __init__(self, schema: Schema, values: dict[str, Any]) -> None:
        self._schema = schema
        self._rows: dict[str, dict[str, Rows]] = {}
        self._errors: dict[str, Exception] = {}
        for feature, value in values.items():
            try:
                if not isinstance(value, Exception):
                    self._rows[feature] = {**schema.rows_of({feature: value})}
                    continue
            except Exception as error:
                value = error
            self.fail(feature, value)

    @classmethod
    def failed(cls, schema: Schema, error: Exception) -> Outcome:
        """That of a file of which nothing can be computed."""
        return cls(schema, dict.fromkeys(schema.features, error))

    @classmethod
    def of_rows(cls, schema: Schema, rows: Mapping[str, Rows]) -> Outcome:
        """That of features which have rows, by the names of parts."""
        outcome = cls(schema, {})
        for name, parts in schema.features.items():
            if parts[0].name in rows:
                outcome._rows[name] = {part.name: rows[part.name] for part in parts}
        return outcome

    def fail(self, feature: str, error: Exception) -> None:
        """Have the error in place of a feature's rows, if there are any."""
        if is_full(error):
            raise error
        self._rows.pop(feature, None)
        self._errors[feature] = error

    def update(self, other: Outcome) -> None:
        """Add what came of other features."""
        self._rows |= other._rows
        self._errors |= other._errors

    def rows(self, part: Part) -> Rows | None:
        """Rows [columns, entries] of a part; None where its feature has an error."""
        return self._rows[part.feature][part.name] if part.feature in self._rows else None

    @property
    def errors(self) -> dict[str, Exception]:
        """The errors by feature, in the order of the recipe."""
        return {feature: self._errors[feature] for feature in self._schema.features if feature in self._errors}

    @property
    def status(self) -> str:
        """`OK`, `PARTIAL` or `FAILED`."""
        if not self._errors:
            return OK
        return PARTIAL if self._rows else FAILED

    @property
    def told(self) -> str:
        """The errors as a text, each with its features; an error that all features share has no names."""
        features: dict[str, list[str]] = {}
        for feature, error in self.errors.items():
            features.setdefault(sentence(error), []).append(feature)
        if self.status == FAILED and len(features) == 1:
            return next(iter(features))
        return "; ".join(f"{', '.join(names)}: {text}" for text, names in features.items())

    def require_one_grid(self) -> None:
        """Give an error to each feature whose number of frames differs from most of its table's.

        Where as many have one count as have another, the first of them is right.
        """
        for parts in self._schema.tables.values():
            counts: dict[str, set[int]] = {}  # of frames, by feature
            for part in parts:
                rows = self.rows(part)
                if rows is not None:
                    counts.setdefault(part.feature, set()).add(rows.shape[1])
            usual = Counter(count for count, *others in counts.values() if not others).most_common(1)
            for feature, own in counts.items():
                text = f"it has {' and '.join(map(str, sorted(own)))} frames"
                if len(own) > 1:
                    self.fail(feature, LibrosaError(text))
                elif own != {usual[0][0]}:
                    self.fail(feature, LibrosaError(f"{text} where the others have {usual[0][0]}"))

    def cells(self, statistics: list[str]) -> dict[str, Any]:
        """Cells of the table of files: values, and statistics over frames."""
        cells: dict[str, Any] = {}
        for feature in [*self._rows]:
            own: dict[str, Any] = {}
            try:
                for part in self._schema.features[feature]:
                    rows = self._rows[feature][part.name]
                    if part.kind == VALUE:
                        own.update(zip(part.columns, np.asarray(rows)[:, 0], strict=True))
                    own |= part.aggregated(rows, statistics)
            except Exception as error:
                self.fail(feature, error)
            else:
                cells |= own
        return cells

    def columns(self, parts: list[Part]) -> dict[str, Any]:
        """Columns of a table of frames or events; blank where a feature failed, and none where all have."""
        counts = [rows.shape[1] for rows in map(self.rows, parts) if rows is not None]
        if not counts:
            return {}
        count = counts[0]
        columns: dict[str, Any] = {parts[0].index_column: np.arange(count, dtype=np.int32)}
        for part in parts:
            rows = self.rows(part)
            blank = np.broadcast_to(np.array(BLANK[part.dtype], part.dtype), (count,))
            cells: Iterable[Any] = [blank] * len(part.columns) if rows is None else rows
            columns.update(zip(part.columns, cells, strict=True))
        return columns
