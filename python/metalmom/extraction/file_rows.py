"""What came of a file: rows of its features, or errors. No feature's error takes the others' rows away."""

from collections import Counter

import numpy as np

from ..util.exceptions import LibrosaError
from .schema import BLANK, VALUE
from .store import is_full

__all__ = ["FAILED", "OK", "PARTIAL", "Outcome", "sentence"]

# Of a row that is `PARTIAL`, some features have their cells and others an error.
OK, PARTIAL, FAILED = "ok", "partial", "failed"


def sentence(error):
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

    def __init__(self, schema, values):
        self._schema, self._rows, self._errors = schema, {}, {}
        for feature, value in values.items():
            try:
                if not isinstance(value, Exception):
                    self._rows[feature] = schema.rows_of({feature: value})
                    continue
            except Exception as error:
                value = error
            self.fail(feature, value)

    @classmethod
    def failed(cls, schema, error):
        """That of a file of which nothing can be computed."""
        return cls(schema, dict.fromkeys(schema.features, error))

    @classmethod
    def of_rows(cls, schema, rows):
        """That of features which have rows, by the names of parts."""
        outcome = cls(schema, {})
        for name, parts in schema.features.items():
            if parts[0].name in rows:
                outcome._rows[name] = {part.name: rows[part.name] for part in parts}
        return outcome

    def fail(self, feature, error):
        """Have the error in place of a feature's rows, if there are any."""
        if is_full(error):
            raise error
        self._rows.pop(feature, None)
        self._errors[feature] = error

    def update(self, other):
        """Add what came of other features."""
        self._rows |= other._rows
        self._errors |= other._errors

    def rows(self, part):
        """Rows [columns, entries] of a part; None where its feature has an error."""
        return self._rows[part.feature][part.name] if part.feature in self._rows else None

    @property
    def errors(self):
        """The errors by feature, in the order of the recipe."""
        return {feature: self._errors[feature] for feature in self._schema.features if feature in self._errors}

    @property
    def status(self):
        """`OK`, `PARTIAL` or `FAILED`."""
        if not self._errors:
            return OK
        return PARTIAL if self._rows else FAILED

    @property
    def told(self):
        """The errors as a text, each with its features; an error that all features share is given without their names."""
        features = {}
        for feature, error in self.errors.items():
            features.setdefault(sentence(error), []).append(feature)
        if self.status == FAILED and len(features) == 1:
            return next(iter(features))
        return "; ".join(f"{', '.join(names)}: {text}" for text, names in features.items())

    def require_one_grid(self):
        """What has other frames than most features of its table has an error in their place.

        Where as many have one count as have another, the first of them is right.
        """
        for parts in self._schema.tables.values():
            counts = {}  # of frames, by feature
            for part in parts:
                if self.rows(part) is not None:
                    counts.setdefault(part.feature, set()).add(self.rows(part).shape[1])
            usual = Counter(count for count, *others in counts.values() if not others).most_common(1)
            for feature, own in counts.items():
                text = f"it has {' and '.join(map(str, sorted(own)))} frames"
                if len(own) > 1:
                    self.fail(feature, LibrosaError(text))
                elif own != {usual[0][0]}:
                    self.fail(feature, LibrosaError(f"{text} where the others have {usual[0][0]}"))

    def cells(self, statistics):
        """Cells of the table of files: values, and statistics over frames."""
        cells = {}
        for feature in [*self._rows]:
            own = {}
            try:
                for part in self._schema.features[feature]:
                    if part.kind == VALUE:
                        own.update(zip(part.columns, self.rows(part)[:, 0], strict=True))
                    own |= part.aggregated(self.rows(part), statistics)
            except Exception as error:
                self.fail(feature, error)
            else:
                cells |= own
        return cells

    def columns(self, parts):
        """Columns of a table of frames or events; blank where a feature failed, and none where all have."""
        first = next((part for part in parts if self.rows(part) is not None), None)
        if first is None:
            return {}
        count = self.rows(first).shape[1]
        columns = {first.index_column: np.arange(count, dtype=np.int32)}
        for part in parts:
            rows = self.rows(part)
            blank = np.broadcast_to(np.array(BLANK[part.dtype], part.dtype), (count,))
            columns.update(zip(part.columns, [blank] * len(part.columns) if rows is None else rows, strict=True))
        return columns
