"""Complex numbers from angles; part of `util.utils`."""

import numpy as np

from .exceptions import ParameterError

__all__ = ["phasor"]


def phasor(angles, *, mag=None):
    """Complex numbers ``mag * exp(i * angles)``.

    Parameters
    ----------
    angles : number or array_like
        Angles in radians, real.
    mag : number or array_like, optional
        Magnitudes, of a shape that broadcasts with `angles`; 1 if not given.

    Returns
    -------
    complex or np.ndarray, complex
        complex128 for float64 angles, complex64 for others.

    Raises
    ------
    ParameterError
        If the angles are not real, or `mag` does not broadcast to them.

    Examples
    --------
    >>> metalmom.util.phasor(np.array([0, np.pi / 2]), mag=2).round(6)
    array([2.+0.j, 0.+2.j])
    """
    angles = np.asarray(angles)
    if angles.dtype.kind not in "biuf":
        raise ParameterError(f"angles.dtype={angles.dtype} must be real")
    if angles.dtype.itemsize == 1:  # of which NumPy's cosine is in half precision
        angles = angles.astype(np.float32)
    # As in librosa integers give single precision.
    wide = angles.dtype.kind == "f" and angles.dtype.itemsize > 4
    points = np.empty_like(angles, dtype=np.complex128 if wide else np.complex64)
    np.cos(angles, out=points.real, casting="same_kind")
    np.sin(angles, out=points.imag, casting="same_kind")
    if mag is not None:
        try:
            np.multiply(points, mag, out=points, casting="same_kind")
        except (TypeError, ValueError) as error:
            shapes = f"mag of shape {np.shape(mag)} must broadcast to that of angles, {angles.shape}"
            raise ParameterError(shapes) from error
    return points[()]
