"""metalmom under librosa's name, for programs that import librosa themselves.

`install_as_librosa` is for a process that one can edit, ``python -m metalmom.as_librosa`` for a program that
one cannot.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import pathlib
import sys
from importlib.machinery import ModuleSpec
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from ..util._public import public
from ..util._warnings import warn
from ..util.exceptions import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["StandIn", "install_as_librosa"]

_LIBROSA, _OURS = "librosa", __name__.partition(".")[0]

# What has another value under librosa's name: the version that packages ask for. These modules are made here
# and have all else from metalmom's; all others are metalmom's own.
_OWN_VALUES = {
    "librosa": {"__version__": "1.0.0"},
    "librosa.version": {"version": "1.0.0", "short_version": "1.0"},
}

# On the path, which processes that are spawned take over: a package librosa that installs the stand-in there.
# It has the metadata in which packages look up the version, as an egg-info: builds of wheels leave out a
# dist-info.
ON_PATH = str(pathlib.Path(__file__).with_name("on_path"))

# What `sys.modules` had under librosa's name before the first installation.
_replaced: dict[str, ModuleType] = {}


class StandIn:
    """An installation of metalmom under librosa's name; as a context it is undone at the end.

    It is an importer of `sys.meta_path`, which answers for `librosa` and all modules below it.
    """

    def undo(self) -> None:
        """Give the name back: later imports find the real librosa, if it is installed."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
            if not _is_installed():
                sys.path[:] = [each for each in sys.path if each != ON_PATH]
                for name in _under_the_name():
                    del sys.modules[name]
                sys.modules.update(_replaced)
                _replaced.clear()

    def __enter__(self) -> StandIn:
        return self

    def __exit__(self, *error: object) -> None:
        self.undo()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What Python asks an importer."""
        first, *rest = fullname.split(".")
        found = importlib.util.find_spec(".".join([_OURS, *rest])) if first == _LIBROSA else None
        if found is None:
            return None
        loader: Any = self
        spec = ModuleSpec(fullname, loader, origin=found.origin, loader_state=found.name)
        spec.submodule_search_locations = found.submodule_search_locations
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """Let Python make one; `exec_module` puts metalmom's in its place."""

    def exec_module(self, module: ModuleType) -> None:
        """Put metalmom's module under the name, or what has all from it but the version."""
        name = module.__name__
        ours = importlib.import_module(_OURS + name.removeprefix(_LIBROSA))
        if name not in _OWN_VALUES:
            sys.modules[name] = ours
            return
        vars(module).update(
            __doc__=ours.__doc__, __dir__=functools.partial(dir, ours),
            __getattr__=functools.partial(getattr, ours), **_OWN_VALUES[name],
        )  # fmt: skip


def _is_installed() -> bool:
    return any(isinstance(each, StandIn) for each in sys.meta_path)


def _under_the_name() -> dict[str, ModuleType]:
    """What `sys.modules` has as librosa, and below it."""
    return {name: each for name, each in sys.modules.copy().items() if name.partition(".")[0] == _LIBROSA}


def _holders() -> list[str]:
    """Modules that have imported what was replaced: one of its modules, functions or classes."""
    real = {id(module) for module in _replaced.values()}

    def is_real(value: Any) -> bool:  # by its type: a proxy might import something when it is asked for its class
        is_named = issubclass(type(value), (FunctionType, type)) and value.__module__ in _replaced
        return id(value) in real or is_named

    found = set()
    for name, module in sys.modules.copy().items():
        if name not in _replaced and isinstance(module, ModuleType):
            names = object.__getattribute__(module, "__dict__")  # a lazy module would be loaded by `vars`
            if any(map(is_real, names.copy().values())):
                found.add(names["__name__"])
    return sorted(found)


@public
def install_as_librosa() -> StandIn:
    """Let every later ``import librosa`` mean metalmom, in this process.

    Modules below it are metalmom's own: ``import librosa.display`` and ``from librosa.feature import mfcc``
    give `metalmom.display` and `metalmom.feature.mfcc`. ``librosa.__version__`` and
    ``importlib.metadata.version("librosa")`` are 1.0.0, the version whose interface this is. Call it before
    other modules import librosa. It holds in processes of `multiprocessing`, too; for any other Python that
    the program starts there is ``python -m metalmom.as_librosa SCRIPT``.

    Returns
    -------
    StandIn
        The installation. Its method `undo` gives the name back; as a context it does so at the end.

    Warns
    -----
    UserWarning
        If modules have imported the real librosa already: they keep it, and the warning has their names.

    Examples
    --------
    >>> with metalmom.install_as_librosa():
    ...     import librosa.display
    ...     from librosa.feature import mfcc
    >>> librosa.display is metalmom.display, mfcc is metalmom.feature.mfcc, librosa.__version__
    (True, True, '1.0.0')
    """
    if not _is_installed():
        sys.path.insert(0, ON_PATH)
        _replaced.update(_under_the_name())
        for name in _replaced:
            del sys.modules[name]
        if _replaced and (holders := _holders()):
            have, keep = ("has", "keeps") if len(holders) == 1 else ("have", "keep")
            warn(
                f"{listed(holders)} {have} imported the real librosa and {keep} it: "
                "call install_as_librosa() before such an import"
            )
    made: Any = StandIn()
    sys.meta_path.insert(0, made)
    return made
