"""The columns that a recipe gives, found by computing it for a few seconds of sound."""

import math
import warnings
from typing import NamedTuple

import numpy as np

from .._engine.config import config_context
from ..util.exceptions import LibrosaError, ParameterError
from .probe import SECONDS, probe_sound

__all__ = ["BLANK", "EVENTS", "FILE_FIELDS", "FRAMES", "INDEX_COLUMNS", "VALUE", "Part", "Schema", "Unusable"]

# Functions that return several arrays, with a name for each.
_RETURNS = {
    "beat_track": ("tempo", "beats"),
    "hpss": ("harmonic", "percussive"),
    "piptrack": ("pitches", "magnitudes"),
    "pyin": ("f0", "voiced", "voiced_probability"),
    "trim": ("audio", "interval"),
    "reassigned_spectrogram": ("frequencies", "times", "magnitudes"),
}
_UNITS = {
    "spectral_centroid": "Hz", "spectral_bandwidth": "Hz", "spectral_rolloff": "Hz", "yin": "Hz",
    "pyin_f0": "Hz", "tempo": "beats per minute", "beat_track_tempo": "beats per minute",
    "beat_track_beats": "frames", "onset_detect": "frames", "melspectrogram": "power",
    "rms": "amplitude", "estimate_tuning": "fractions of a bin",
}  # fmt: skip

FRAMES, VALUE, EVENTS = "frames", "value", "events"
# What numbers the rows of a file in a table.
INDEX_COLUMNS = {FRAMES: "frame", EVENTS: "event"}

# More numbers in a frame than any table can have columns.
_MOST_COLUMNS = 1 << 24

# Columns of the table of files: data types and units.
FILE_FIELDS = {
    "file_id": ("int32", ""),
    "path": ("str", ""),
    "status": ("str", ""),
    "error": ("str", ""),
    "duration": ("float64", "seconds"),
    "sr": ("float64", "Hz"),
}

# What a cell holds where there is nothing to hold, by data type.
BLANK = {"str": "", "float32": np.float32(np.nan), "float64": 0.0, "int32": 0, "uint8": 0}

# Seconds of the sounds, each a variant of its own. Two have one length and must give the same number
# of frames; one is longer, and silent in places, so that what depends on silence shows that it does.
_PROBES = (SECONDS, SECONDS, SECONDS + 2.1)
_SILENCES = ((0.0, 0.2), (3.0, 3.6))


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
    index: int | None
    kind: str
    shape: tuple
    dtype: str
    is_complex: bool
    table: str
    unit: str
    per_second: float

    @property
    def index_column(self):
        """Name of the column that numbers its frames or events."""
        return INDEX_COLUMNS[self.kind]

    @property
    def columns(self):
        """Names of its columns."""
        count = math.prod(self.shape)
        width = max(2, len(str(count - 1)))
        names = [f"{self.name}_{k:0{width}}" for k in range(count)] if count > 1 else [self.name]
        if self.is_complex:
            return [f"{name}_{side}" for name in names for side in ("re", "im")]
        return names

    def aggregates(self, statistics):
        """Names of the columns of its statistics over frames; none where it has no frames."""
        return [f"{column}_{name}" for column in self.columns if self.kind == FRAMES for name in statistics]

    def rows(self, values):
        """Values of a file as an array [columns, entries]."""
        values = np.asarray(values)
        shape = values.shape if self.kind == VALUE else values.shape[:-1]
        # one number is one, on axes or without: the tempo of what has no onsets is a scalar
        if _without_ones(shape) != _without_ones(self.shape):
            raise LibrosaError(f"{self.name} has shape {shape} here and {self.shape} by the schema")
        flat = values.reshape(math.prod(self.shape), -1)
        if self.is_complex:
            flat = np.stack([flat.real, flat.imag], axis=1).reshape(2 * len(flat), -1)
        return flat.astype(self.dtype, copy=False)


def _without_ones(shape):
    return [size for size in shape if size != 1]


class Schema:
    """All parts of a recipe, and the tables they lie in.

    Attributes
    ----------
    parts : list of Part
    features : dict of str to list of Part
        The same by feature.
    """

    def __init__(self, parts):
        self.parts = list(parts)
        self.features = {}
        for part in self.parts:
            self.features.setdefault(part.feature, []).append(part)

    @classmethod
    def of(cls, recipe):
        """Find the schema of a `Recipe` by computing it."""
        return cls(_parts(recipe))

    def dump(self):
        """The schema in values that JSON has; `Schema.load` of it is equal."""
        return [{**part._asdict(), "shape": list(part.shape)} for part in self.parts]

    @classmethod
    def load(cls, rows):
        """The schema that `dump` wrote; a ValueError or TypeError where it did not write that."""
        parts = [Part(**{**row, "shape": tuple(row["shape"])}) for row in rows]
        for part in parts:
            if part.kind not in (FRAMES, VALUE, EVENTS) or not 0 <= math.prod(part.shape) <= _MOST_COLUMNS:
                raise ValueError(f"no part of a schema: {part}")
        return cls(parts)

    def of_kind(self, kind):
        """Parts of a kind."""
        return [part for part in self.parts if part.kind == kind]

    def rows_of(self, values):
        """Rows [columns, entries] by the names of parts, of values as an Extractor gives them.

        Where `values` has some of the features only, so has the result.
        """
        return {part.name: part.rows(value if part.index is None else value[part.index])
                for feature, value in values.items() for part in self.features[feature]}  # fmt: skip

    @property
    def tables(self):
        """Parts by table of frames or events."""
        tables = {}
        for part in self.parts:
            if part.table:
                tables.setdefault(part.table, []).append(part)
        return tables


def _parts(recipe):
    sounds = [probe_sound(recipe.sr, seconds, variant) for variant, seconds in enumerate(_PROBES)]
    for start, end in _SILENCES:
        sounds[-1][int(start * recipe.sr) : int(end * recipe.sr)] = 0
    with config_context(backend="cpu"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of sounds that nobody has given
        try:
            outputs = recipe.extractor.map(sounds)
        except (LibrosaError, TypeError, ValueError) as error:
            text = str(error).removeprefix("clips[0]: ")
            raise Unusable(f"recipe: {text} (tried on {_PROBES[0]} s of sound)") from error
    specs = recipe.extractor.recipe["features"]
    found, grids, names = [], {}, set()
    for feature in outputs[0]:
        for name, index, arrays in _pieces(feature, specs[feature]["feature"], outputs):
            unit = _UNITS.get(_function_of(name, feature, specs), "")
            kind, shape = _kind(name, unit, arrays)
            table = ""
            if kind == EVENTS:
                table = f"events-{name}"
            elif kind == FRAMES and not recipe.aggregate:
                counts = tuple(array.shape[-1] for array in arrays)
                # Parts with the same number of frames share a table. The first one is "frames",
                # others are called after their first part.
                table = grids.setdefault(counts, f"frames-{name}" if grids else "frames")
            base = np.result_type(arrays[0])
            dtype = {"b": "uint8", "i": "int32", "u": "int32"}.get(base.kind, "float32")
            part = Part(name, feature, index, kind, shape, dtype, base.kind == "c", table,
                        unit, _per_second(arrays) if kind == FRAMES else 0.0)  # fmt: skip
            for column in [*part.columns, *part.aggregates(recipe.aggregate)]:
                if column in names or column in _RESERVED:
                    raise Unusable(f"features.{feature}: {column!r} is another column, too: rename it")
                names.add(column)
            found.append(part)
    return found


# Columns that are there whatever the recipe is.
_RESERVED = frozenset({*FILE_FIELDS, *INDEX_COLUMNS.values()})


def _per_second(arrays):
    first, _, longer = (array.shape[-1] for array in arrays)
    return (longer - first) / (_PROBES[2] - _PROBES[0])


def _function_of(name, feature, specs):
    """The name of a part as it would be if its feature were called as its function."""
    return specs[feature]["feature"].rpartition(".")[2] + name.removeprefix(feature)


def _pieces(feature, function, outputs):
    values = [output[feature] for output in outputs]
    if not isinstance(values[0], (tuple, list)):
        yield feature, None, [_numbers(feature, value) for value in values]
        return
    words = _RETURNS.get(function.rpartition(".")[2], ())
    for index in range(len(values[0])):
        word = words[index] if index < len(words) else str(index)
        name = f"{feature}_{word}"
        yield name, index, [_numbers(name, value[index]) for value in values]


def _numbers(name, value):
    array = np.asarray(value)
    if array.dtype.kind not in "biufc":
        raise Unusable(f"features.{name}: a {array.dtype} cannot be a column")
    return array


def _kind(name, unit, arrays):
    """Whether the last axis is one of frames, and the shape of one entry."""
    first, twin, longer = (array.shape for array in arrays)
    if unit == "frames" and arrays[0].dtype != bool:
        return EVENTS, ()  # which frames, and not what each is: as many as it happens to find
    if first == twin == longer:
        return VALUE, first
    if first and first[:-1] == twin[:-1] == longer[:-1]:
        if first == twin and longer[-1] > first[-1]:
            return FRAMES, first[:-1]
        return EVENTS, first[:-1]
    raise Unusable(
        f"features.{name}: an array of shape {longer} where a shorter file has {first} is neither a "
        "row a frame nor a row a file"
    )
