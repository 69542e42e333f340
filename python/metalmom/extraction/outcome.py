"""What came of a file's features: rows, or errors. No feature's error takes the others' rows away."""

from .decoding import sentence
from .local_store import is_full

__all__ = ["FAILED", "OK", "PARTIAL", "Outcome"]

# Of a row that is `PARTIAL`, some features have their cells and others an error.
OK, PARTIAL, FAILED = "ok", "partial", "failed"


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
