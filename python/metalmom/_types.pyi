# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Int: TypeAlias = int | np.integer[Any]
Number: TypeAlias = float | np.floating[Any] | np.integer[Any]
Function = TypeVar("Function", bound=Callable[..., Any])
SparseArray: TypeAlias = Any  # SciPy's csr_array, csc_array ...

class Readable(Protocol):
    def read(self, size: int = ..., /) -> Any: ...

class Distribution(Protocol):
    """A frozen distribution of scipy.stats, or whatever has its `logpdf`."""

    def logpdf(self, x: Any, /) -> npt.NDArray[np.floating[Any]]: ...

class DlpackArray(Protocol):
    def __dlpack_device__(self) -> tuple[Any, Any]: ...

class CudaArray(Protocol):
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
