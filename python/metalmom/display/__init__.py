"""Pictures of audio and features, by matplotlib (an optional extra: ``pip install matplotlib``).

metalmom itself never imports matplotlib: functions do when they draw, the classes when they are
asked for.
"""

from .._homes import adopt
from ..util.decorators import moved
from . import _colours, _grid, _specshow, _values, _waves
from ._colours import colorbar_db, colorbar_phase, highlight
from ._grid import legend_for_axes, multiplot
from ._specshow import specshow
from ._values import infer_cmap
from ._waves import wavebars, wavef0, waveshow

adopt(__name__, _colours, _grid, _specshow, _values, _waves)

cmap = moved(moved_from="metalmom.display.cmap", version="1.0", version_removed="1.1")(infer_cmap)

# Subclasses of matplotlib's classes, and where they are defined.
_CLASSES = {
    "AdaptiveWaveplot": "_artists",
    "ChromaFJSFormatter": "_formatters",
    "ChromaFormatter": "_formatters",
    "ChromaSvaraFormatter": "_formatters",
    "FJSFormatter": "_formatters",
    "LogHzFormatter": "_formatters",
    "NoteFormatter": "_formatters",
    "SvaraFormatter": "_formatters",
    "TimeFormatter": "_formatters",
    "TonnetzFormatter": "_formatters",
    "Transformf0": "_artists",
}

__all__ = [
    "AdaptiveWaveplot",
    "ChromaFJSFormatter",
    "ChromaFormatter",
    "ChromaSvaraFormatter",
    "FJSFormatter",
    "LogHzFormatter",
    "NoteFormatter",
    "TimeFormatter",
    "TonnetzFormatter",
    "Transformf0",
    "colorbar_db",
    "colorbar_phase",
    "highlight",
    "infer_cmap",
    "legend_for_axes",
    "multiplot",
    "specshow",
    "wavebars",
    "wavef0",
    "waveshow",
]


def __getattr__(name):
    if name not in _CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    from ..util._packages import needed_by
    from ._matplotlib import pyplot

    with needed_by(f"{__name__}.{name}"):
        pyplot()
    found = getattr(importlib.import_module(f"{__name__}.{_CLASSES[name]}"), name)
    found.__module__ = __name__
    globals()[name] = found
    return found
