"""Statistics over the frames of a file: what a table has in place of them with ``--aggregate``."""

import numpy as np

__all__ = ["aggregated"]


def aggregated(part, rows, statistics):
    """Statistics over the frames of a file that are numbers, in double precision, by column."""
    results = {}
    for column, entries in zip(part.columns, rows, strict=True):
        values = np.asarray(entries[:], np.float64)
        values = np.ascontiguousarray(values[~np.isnan(values)])
        for statistic in statistics:
            # of no number at all there is none
            value = getattr(np, statistic)(values) if values.size else np.nan
            results[f"{column}_{statistic}"] = np.float32(value)
    return results
