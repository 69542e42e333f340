"""Separation of spectrograms into parts."""

import numpy as np

from . import _args, _decomposition, _native
from ._boundary import native_names
from ._declared import Like, as_feature
from ._decomposition import decompose, nn_filter
from ._homes import adopt
from .util._memory import refuse_beyond_memory
from .util.exceptions import ParameterError
from .util.utils import dtype_c2r

__all__ = ["decompose", "hpss", "nn_filter"]

adopt(__name__, _decomposition)

MEDIAN_NAMES = {
    "kernel_harmonic": "kernel_size",
    "kernel_percussive": "kernel_size",
    "margin_harmonic": "margin",
    "margin_percussive": "margin",
}


def _parts(given):
    is_mask = given.mask and given.power == np.inf
    numbers = bool if is_mask else float if given.mask else given.source.numbers
    return Like(name="harmonic", numbers=numbers), Like(name="percussive", numbers=numbers)


@as_feature(_parts)
@native_names(**MEDIAN_NAMES)
def hpss(S, *, kernel_size=31, power=2.0, mask=False, margin=1.0):
    """Separate a spectrogram into harmonic and percussive parts by median filters.

    What lasts along time is harmonic, what spreads along frequency is percussive: a median along
    each axis keeps the one and removes the other, and the ratio of both medians decides how each
    bin is shared.

    Parameters
    ----------
    S : np.ndarray [shape=(..., d, n)], real or complex, or DeviceArray
        Magnitudes (non-negative), or a complex spectrogram, whose phase both parts keep.
    kernel_size : int > 0, or (harmonic, percussive)
        Frames of the median along time and bins of the one along frequency; one number for both.
    power : number > 0
        Exponent of the medians in the masks; ``np.inf`` gives each bin to the larger one.
    mask : bool
        Whether to return the masks instead of `S` times the masks.
    margin : number >= 1, or (harmonic, percussive)
        How many times larger than the other a median must be to count as equal. Above 1, what is
        neither clearly harmonic nor clearly percussive stays out of both parts.

    Returns
    -------
    harmonic, percussive : np.ndarray [shape=(..., d, n)], real or complex, or DeviceArray
        Of the dtype and memory order of `S`; masks are real (bool for an infinite `power`).

    Raises
    ------
    ParameterError
        For values not listed, or where a median of `S` is negative.

    References
    ----------
    D. FitzGerald, "Harmonic/percussive separation using median filtering", DAFx-10, 2010.
    J. Driedger, M. Mueller and S. Disch, "Extending harmonic-percussive separation of audio
    signals", ISMIR 2014.

    Examples
    --------
    >>> S = np.ones((40, 40), dtype=np.float32)
    >>> S[10, :] = 9  # a tone
    >>> S[:, 30] = 9  # a click
    >>> harmonic, percussive = metalmom.decompose.hpss(S, kernel_size=7)
    >>> harmonic[10, 5].round(1), percussive[20, 30].round(1)
    (8.9, 8.9)
    """
    S = _args.array(S)
    if S.ndim < 2:
        raise ParameterError(f"S.ndim={S.ndim} must be at least 2")
    is_complex = np.iscomplexobj(S)
    if is_complex:
        S = S.astype(np.complex64 if S.dtype.itemsize <= 8 else np.complex128, copy=False)
    else:
        # Integers become the type that NumPy makes of them together with a float32.
        S = _args.floating(S.astype(np.result_type(S.dtype, np.float32), copy=False))
    lying, frames_major = _args.planes(S)
    if is_complex:
        lying = lying if _args.on_device(lying) else np.ascontiguousarray(lying)
        lying = lying.view(dtype_c2r(S.dtype))
    parts = _native.hpss(
        S=lying,
        pairs=is_complex,
        frames_major=frames_major,
        mask=bool(mask),
        **median_arguments(
            kernel_size=kernel_size,
            power=power,
            margin=margin,
            frames_major=frames_major,
            row_size=S.shape[-2 if frames_major else -1] * (3 if is_complex else 1),
        ),
    )
    if mask and np.isinf(power):
        parts = [part.astype(bool) for part in parts]
    elif is_complex and not mask:
        parts = [part.view(S.dtype) for part in parts]
    if frames_major:
        parts = [part.swapaxes(-1, -2) for part in parts]
    return tuple(parts)


def median_arguments(*, kernel_size, power, margin, frames_major, row_size):
    """Native arguments of the medians and masks, from one value for both directions or a pair.

    A window down the rows, which are frames with `frames_major`, holds rows of `row_size` values.
    """
    harmonic, percussive = _pair(kernel_size)
    # A lower bound, in float32: the rows in the window, and the windows of sixteen columns at once.
    n_values = int(harmonic if frames_major else percussive) * row_size
    n_values += 16 * max(int(harmonic), int(percussive))
    refuse_beyond_memory("kernel_size", kernel_size, 4 * n_values)
    margin_harmonic, margin_percussive = _pair(margin)
    return {
        "kernel_harmonic": int(harmonic),
        "kernel_percussive": int(percussive),
        "power": power,
        "margin_harmonic": margin_harmonic,
        "margin_percussive": margin_percussive,
    }


def _pair(value):
    return (value[0], value[1]) if isinstance(value, (tuple, list)) else (value, value)
