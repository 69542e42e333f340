"""What a user calls on a DeviceArray: methods of the engine's class, with Python's words for a wrong call."""

from __future__ import annotations

import inspect
import math
import operator
from typing import Any, TYPE_CHECKING

import numpy as np

from .. import _native
from .._native import DeviceArray
from ..util._types import Array, ComplexDtype, DTypeLike, Int, Ints, RealDtype
from ..util.exceptions import DeviceError, ParameterError, ParameterTypeError

__all__ = ["DeviceArray"]

if TYPE_CHECKING:
    _Whole = DeviceArray
else:
    _Whole = object


class _Methods(_Whole):
    def numpy(self) -> Array:
        """Copy the values to the host, after the kernels that compute them.

        Returns
        -------
        np.ndarray
            A new array of the same shape and dtype, with the order in memory of the NumPy result of
            the same function.

        Examples
        --------
        >>> if metalmom.devices():
        ...     y = metalmom.to_device(np.zeros(22050, dtype=np.float32)).numpy()
        """
        return _native.device_to_host(self)

    def reshape(
        self,
        *shape: Int | Ints,
    ) -> DeviceArray:
        """Return the same values in another shape, without moving them.

        Parameters
        ----------
        *shape : int or sequence of int
            The sizes, one by one or as a tuple; one of them may be -1, for the rest. An array
            whose last two axes have Fortran's order in memory, as spectra do, keeps these two.

        Returns
        -------
        DeviceArray

        Raises
        ------
        DeviceError
            If values would have to be moved.
        ParameterError
            If the array has another number of values.

        Examples
        --------
        >>> if metalmom.devices():
        ...     stereo = metalmom.to_device(np.zeros((4, 2, 1024), dtype=np.float32))
        ...     clips = stereo.reshape(-1, 1024)
        """
        sizes = _whole_shape(self, shape[0] if len(shape) == 1 else shape)
        if not self.swapped:
            return _native.device_shape_as(self, sizes)
        if sizes[-2:] != list(self.shape[-2:]):
            raise DeviceError(
                "shape", tuple(sizes), f"keep the last two axes of this DeviceArray of shape {self.shape}, "
                "which lie in memory in Fortran's order", verb="must", hint=": pass .numpy()", kind="array",
            )  # fmt: skip
        sizes[-2:] = sizes[:-3:-1]
        return _native.device_exchange_axes(_native.device_shape_as(self, sizes))

    def swapaxes(self, axis1: Int, axis2: Int) -> DeviceArray:
        """Exchange the last two axes; nothing is moved.

        Parameters
        ----------
        axis1, axis2 : int
            The last axis and the one before it.

        Returns
        -------
        DeviceArray

        Raises
        ------
        DeviceError
            For other axes.

        Examples
        --------
        >>> if metalmom.devices():
        ...     D = metalmom.stft(metalmom.to_device(np.zeros(4096, dtype=np.float32)))
        ...     frames = D.swapaxes(-1, -2)
        """
        last = [self.ndim - 2, self.ndim - 1]
        for name, axis in (("axis1", _integer("axis1", axis1)), ("axis2", _integer("axis2", axis2))):
            place = axis + self.ndim if axis < 0 else axis
            if place < 0 or place not in last:
                which = "one" if len(last) == 2 else "the other"
                raise DeviceError(
                    name, axis, f"{which} of the last two axes of a DeviceArray, here of shape {self.shape}",
                    hint=": .numpy() has the others", kind="array",
                )  # fmt: skip
            last.remove(place)
        return _native.device_exchange_axes(self)

    def view(self, dtype: RealDtype | ComplexDtype) -> DeviceArray:
        """Show complex numbers as pairs of real ones, or pairs of real numbers as complex ones.

        Parameters
        ----------
        dtype : real dtype or complex dtype
            float32 or complex64.

        Returns
        -------
        DeviceArray
            With twice or half as long a last axis.

        Raises
        ------
        DeviceError
            For other types, and where the numbers of a pair do not lie side by side.

        Examples
        --------
        >>> if metalmom.devices():
        ...     pairs = metalmom.to_device(np.zeros(1024, dtype=np.complex64)).view(np.float32)
        """
        wanted = _type(dtype)
        if wanted == self.dtype:
            return self
        if wanted not in (np.float32, np.complex64):
            raise DeviceError(
                "dtype", wanted, "float32 or complex64 for a DeviceArray", hint=": .numpy() has the others",
                kind="array",
            )  # fmt: skip
        odd = wanted == np.complex64 and self.ndim and self.shape[-1] % 2
        if self.ndim == 0 or self.swapped or odd:
            raise DeviceError(
                "dtype", wanted, "find pairs of numbers that lie side by side in the DeviceArray, whose "
                f"shape is {self.shape}", verb="must", hint=": .numpy() has other views", kind="array",
            )  # fmt: skip
        return _native.device_view_pairs(self)

    def astype(
        self,
        dtype: RealDtype | ComplexDtype,
        copy: bool = True,
    ) -> DeviceArray:  # noqa: ARG002 - no function writes into a DeviceArray
        """The array itself, if that is its type: a device converts no types.

        Parameters
        ----------
        dtype : real dtype or complex dtype
            The array's own.
        copy : bool
            A DeviceArray cannot be changed, so a copy of it is the array itself.

        Returns
        -------
        DeviceArray

        Raises
        ------
        DeviceError
            For other types.

        Examples
        --------
        >>> if metalmom.devices():
        ...     y = metalmom.to_device(np.zeros(1024, dtype=np.float32)).astype(np.float32)
        """
        wanted = _type(dtype)
        if wanted != self.dtype:
            raise DeviceError(
                "dtype", wanted, f"{self.dtype}, as this DeviceArray stays",
                hint=": .numpy() has astype for others", kind="array",
            )  # fmt: skip
        return self


def _whole_shape(array: DeviceArray, sizes: Any) -> list[int]:
    """A shape of as many values as the array has, from sizes of which one may be -1."""
    try:
        shape = [operator.index(size) for size in sizes] if np.iterable(sizes) else [operator.index(sizes)]
    except TypeError:
        raise ParameterTypeError("shape", sizes, "an integer, or several") from None
    if min(shape, default=0) < -1 or shape.count(-1) > 1:
        raise ParameterError(
            "shape", tuple(shape),
            "have sizes of zero or more, and one -1 at most, for what remains",
            verb="must",
        )
    if -1 in shape:
        known = math.prod(size for size in shape if size != -1)
        shape[shape.index(-1)] = array.size // known if known else 0
    if math.prod(shape) != array.size:
        raise ParameterError(
            "shape", sizes, f"have {array.size} values, as the array of shape {array.shape} has", verb="must"
        )
    return shape


def _integer(name: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise ParameterTypeError(name, value, "an integer") from None


def _type(dtype: DTypeLike) -> np.dtype[Any]:
    try:
        return np.dtype(dtype)
    except TypeError:
        raise ParameterTypeError("dtype", dtype, "a dtype, such as np.float32") from None


for _name, _method in vars(_Methods).items():
    if inspect.isfunction(_method):
        _method.__qualname__ = f"DeviceArray.{_name}"
        setattr(DeviceArray, _name, _method)
