"""How much memory the engine may hold, and how much work may wait: `metalmom.limits`."""

import numbers

from .. import _native
from ..util.exceptions import ParameterError
from ..util.utils import is_positive_int
from .scopes import ASK

__all__ = ["limits"]

_NO_LIMIT = 2 ** (8 * _native.pointer_bytes) - 1
_KINDS = ("memory", "device_memory")


def limits(*, memory=ASK, device_memory=ASK, pending=ASK):
    """Bound the memory that the engine holds beside what calls need, and the calls that wait.

    ``metalmom.limits(device_memory=2**30)`` sets the default of the process. In a ``with``
    statement, or as the decorator of a function, it holds inside and for the calling thread only:
    the default is then what it was before the call (another thread may meet the new one in the
    moment between). So does an answer that was kept and is entered later. What is not given stays
    as it is outside. ``metalmom.limits()`` are the bounds that hold here;
    ``metalmom.limits.set_default`` sets the default and answers nothing.

    The environment variable METALMOM_GPU_MEMORY, in MiB, sets the default of `device_memory` at
    start. What is kept is given back by `release_caches`, on a device also when nobody has used it
    for some seconds.

    Parameters
    ----------
    memory : int >= 0 or None, optional
        Bytes of working memory that the host keeps between calls, 64 MiB by default; None: no
        bound. Plans, filters and what they are made of have bounds of their own.
    device_memory : int > 0 or None, optional
        Bytes that may be reserved on each device: for device arrays, for batches on their way
        through it (which are cut into smaller pieces), and what is kept for later calls. A call
        that cannot do with so little raises a `DeviceError`. None: as much as there is.
    pending : int > 0, optional
        Calls of `submit` that may wait or run, of all threads together: 64 by default. A submission
        beyond waits itself.

    Returns
    -------
    dict or context manager
        Without arguments the bounds by name, None where there is none.

    Raises
    ------
    ParameterError
        For other values.

    Examples
    --------
    >>> with metalmom.limits(device_memory=512 * 2**20):
    ...     metalmom.limits()["device_memory"] // 2**20
    512
    """
    given = {}
    if memory is not ASK:
        given["memory"] = _bytes("memory", memory, least=0)
    if device_memory is not ASK:
        given["device_memory"] = _bytes("device_memory", device_memory, least=1)
    if pending is not ASK:
        if not is_positive_int(pending):
            raise ParameterError(f"pending={pending!r} must be a positive integer")
        given["pending"] = min(int(pending), _NO_LIMIT >> 1)  # more than ever wait
    if not given:
        held = dict(zip(_KINDS, _native.memory_limits(), strict=True))
        held = {kind: None if value == _NO_LIMIT else value for kind, value in held.items()}
        return {**held, "pending": _native.pending_limit()}
    text = ", ".join(f"{kind}={None if v == _NO_LIMIT else v}" for kind, v in given.items())
    return _native.made_default(_native.Scope(f"metalmom.limits({text})", **given))


def _set_default_limits(**bounds):
    """Set the defaults of the process; see `metalmom.limits`."""
    limits(**bounds)


limits.set_default = _set_default_limits


def _bytes(name, value, least):
    if value is None:
        return _NO_LIMIT
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and value >= least:
        return min(int(value), _NO_LIMIT)
    raise ParameterError(f"{name}={value!r} must be an integer of bytes, {least} or more, or None")
