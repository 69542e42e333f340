"""librosa's audio features from a C++ engine, on the CPU and on any GPU.

``import metalmom as librosa`` is all that changes: names, signatures, defaults, shapes, dtypes and
numbers are those of librosa 1.0.0.
"""

import importlib
import os
import sys

# Modules are imported when they are asked for, all other names with all modules; from then on they are plain
# attributes.
_MODULES = frozenset(
    "beat convolution core decompose demo display effects extraction feature filters frontend nn onset segment "
    "separation sequence streaming trace util version".split()
)

if "t" in getattr(sys, "abiflags", ""):  # no extension module is built for it
    raise ImportError(f"metalmom does not support free-threaded CPython ({sys.executable}): "
                      "use an interpreter with the global lock")

if os.environ.get("METALMOM_TRACE") or os.environ.get("METALMOM_FLIGHT"):  # a user asks for all of the process
    from . import trace  # noqa: F401


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if not name.startswith("_") or name in ("__all__", "__version__"):
        from . import _facade

        shown = {each: value for each, value in vars(_facade).items() if not each.startswith("_")}
        shown |= {"__all__": _facade.__all__, "__version__": _facade.__version__}
        globals().update(shown | globals())  # what a user has put in a name's place stays
        if name in globals():
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])


def __dir__():
    return [*__getattr__("__all__")]
