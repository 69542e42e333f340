"""The columns that a recipe gives, by what is declared of its functions."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..util._explain import explained
from ..util._declared import EVENTS, FRAMES, VALUE, outputs_of
from ..util.exceptions import LibrosaError, ParameterError

if TYPE_CHECKING:
    from .._extractor._recipe import Feature
    from ..util import _declared as declared
    from ..util._types import Array
    from .recipes import Recipe
    from .tables import Rows

    Fields = dict[str, tuple[str, str]]
    # the name, the index, the output and the array of what a feature gives
    _Given = tuple[str, int | None, declared.Output, declared.Array]

__all__ = ["BLANK", "EVENTS", "FRAMES", "INDEX_COLUMNS", "VALUE", "Part", "Schema", "Unusable"]

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

    `kind` is ``frames`` (last axis: one entry a frame), ``value`` (of one shape for every file) or
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
        if self.is_complex:
            return [f"{name}_{side}" for name in names for side in ("re", "im")]
        return names

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
        array = np.asarray(values)
        shape = array.shape if self.kind == VALUE else array.shape[:-1]
        # one number is one, on axes or without: the tempo of what has no onsets is a scalar
        if _without_ones(shape) != _without_ones(self.shape):
            raise LibrosaError(f"{self.name} has shape {shape} here and {self.shape} by the schema")
        flat = array.reshape(math.prod(self.shape), -1)
        if self.is_complex:
            flat = np.stack([flat.real, flat.imag], axis=1).reshape(2 * len(flat), -1)
        return flat.astype(self.dtype, copy=False)


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
            if part.kind not in (FRAMES, VALUE, EVENTS) or not 0 <= math.prod(part.shape) <= _MOST_COLUMNS:
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

    def fields(self, statistics: list[str]) -> dict[str, Fields]:
        """Data type and unit of each column, by table; that of files comes first."""
        fields = {"files": dict(_FILE_FIELDS)}
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
    for feature in recipe.features:
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
                        array.numbers is complex, table, output.unit, rate)  # fmt: skip
            for column in [*part.columns, *part.aggregates(recipe.aggregate)]:
                if column in names or column in _RESERVED:
                    raise Unusable(f"features.{feature}: {column!r} is already the name of a column: rename the feature")
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
            raise ValueError("as many columns as no table can have")
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
        told = explained(feature.function, (), feature.arguments, error)
        raise Unusable(f"features.{feature.name}: {told}") from error
    if not arrays:
        raise Unusable(f"features.{feature.name}: what {feature.path} gives is neither a row a frame nor a row a file")
    if not isinstance(returns, tuple):
        return [(feature.name, None, returns, arrays[0])]
    return [(f"{feature.name}_{output.name or index}", index, output, array)
            for index, (output, array) in enumerate(zip(returns, arrays, strict=True))]  # fmt: skip


def _joined(feature: Feature, outputs: list[_Given]) -> declared.Array:
    """The array that functions make of what another feature gives."""
    first, *others = (array for *_, array in outputs)
    if any(array != first for array in others):
        raise Unusable(f"features.{feature.name}: of={feature.of} must be one array, or several of one shape")
    return first._replace(rows=(len(outputs), *first.rows)) if others else first


def _per_second(array: declared.Array, sr: float) -> float:
    first, longer = (array.count(int(seconds * sr)) for seconds in _SECONDS)
    return (longer - first) / (_SECONDS[1] - _SECONDS[0])
