"""What came of a file: rows of its features, or errors. No feature's error takes the others' rows away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..util.exceptions import LibrosaError
from .schema import BLANK, VALUE
from .store import is_full

if TYPE_CHECKING:
    from .schema import Part, Schema
    from .tables import Rows

__all__ = ["FAILED", "OK", "PARTIAL", "Outcome", "sentence"]

# Of a row that is `PARTIAL`, some features have their cells and others an error.
OK, PARTIAL, FAILED = "ok", "partial", "failed"


def sentence(error: Exception) -> str:
    """What went wrong with a file, in words that are the same for every run."""
    if isinstance(error, MemoryError):
        return "it needs more than the memory that the run may take: --retry-failed with a larger --memory tries again"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    # of ffmpeg's threads another one has the last word each time
    text = " ".join(str(error).partition(": ffmpeg says: ")[0].split())[:500]
    known = isinstance(error, LibrosaError)
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
        """The errors as a text, each with its features; an error that all features share is given without their names."""
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
