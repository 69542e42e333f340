"""Audio from magnitudes; part of `core.spectrum`."""

import numpy as np

from .. import _args, _native
from .._declared import Samples, as_feature, hops
from .._spans import composed
from .._warnings import warn
from ..util.deprecation import Deprecated
from ..util._checks import is_one_of
from ..util.exceptions import ParameterError, ParameterTypeError
from ..util.utils import dtype_r2c

__all__ = ["griffinlim"]


def generator(rng, random_state):
    """The source of random numbers that `rng`, or its old name, asks for."""
    name = "rng"
    if not isinstance(random_state, Deprecated):
        if rng is not None:
            raise ParameterError(f"random_state={random_state!r} must not be given beside rng={rng!r}")
        warn("random_state is renamed to 'rng' since 1.0.0 and will go in 1.2.0", FutureWarning)
        name, rng = "random_state", random_state
    if isinstance(rng, np.random.RandomState):
        return rng
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        kind = ParameterTypeError if isinstance(error, TypeError) else ParameterError
        raise kind(f"{name}={rng!r} must be a seed, {error}") from error


def check_iteration(momentum, init):
    """Check what all variants of the iteration take."""
    if not 0 <= momentum < np.inf:
        raise ParameterError(f"momentum={momentum} must be non-negative and finite")
    if momentum > 1:
        warn(f"Griffin-Lim with momentum={momentum} > 1 can be unstable. Proceed with caution!")
    if not is_one_of(init, (None, "random")):
        raise ParameterError(f"init={init!r} must be None or 'random'")


@as_feature(Samples(times=hops), listed=False)
@composed
def griffinlim(
    S,
    *,
    n_iter=32,
    hop_length=None,
    win_length=None,
    n_fft=None,
    window="hann",
    center=True,
    dtype=None,
    length=None,
    pad_mode="constant",
    momentum=0.99,
    init="random",
    rng=None,
    random_state=Deprecated(),
):
    """Audio whose magnitude spectrogram is near a given one, by the fast Griffin-Lim iteration.

    Transforms as `istft` and `stft` do, all iterations in one call of the engine.

    Parameters
    ----------
    S : np.ndarray [shape=(..., 1 + n_fft // 2, t)], real, or DeviceArray
        Magnitudes.
    n_iter : int >= 0
        Iterations.
    hop_length, win_length, n_fft, window, center, pad_mode
        As in `stft` and `istft`.
    dtype : real dtype, optional
        Of the result, by default that of `S`; float32 for whole numbers.
    length : int > 0, optional
        Samples of the result.
    momentum : number >= 0
        0 is the original algorithm, 0.99 converges faster, above 1 it may not.
    init : {"random", None}
        Random phases first, or zero phase.
    rng : None, int >= 0, np.random.Generator or np.random.RandomState
        Source or seed of the random phases.
    random_state
        Deprecated name of `rng`.

    Returns
    -------
    np.ndarray [shape=(..., n)], real, or DeviceArray
        Audio.

    Raises
    ------
    ParameterError
        For values not listed.

    References
    ----------
    N. Perraudin, P. Balazs and P. L. Sondergaard, "A fast Griffin-Lim algorithm", WASPAA 2013.
    D. W. Griffin and J. S. Lim, "Signal estimation from modified short-time Fourier transform",
    IEEE Trans. ASSP 32(2), 1984.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=8192)
    >>> S = np.abs(metalmom.stft(y))
    >>> metalmom.griffinlim(S, n_iter=4, rng=0).shape
    (8192,)
    """
    rng = generator(rng, random_state)
    check_iteration(momentum, init)
    if dtype is not None and np.dtype(dtype) not in (np.float32, np.float64):
        raise ParameterError(f"dtype={dtype} must be float32 or float64")
    if dtype is None and _args.array(S).dtype.kind in "biu":
        dtype = np.float32  # for integers, as for spectrograms of float32 audio; computed in double
    S = _args.floating(S)
    if n_fft is None:
        n_fft = _args.n_fft_of(S)
    if win_length is None:
        win_length = n_fft
    if hop_length is None:
        hop_length = _args.hop_of(win_length)

    frames = S.swapaxes(-1, -2)
    magnitudes = _args.host(frames)  # random numbers come from NumPy, so this runs on the CPU
    if n_iter and not np.isfinite(magnitudes).all():
        raise ParameterError("S must be finite everywhere")
    if init == "random":
        start = _native.phasors(S=magnitudes, turns=rng.random(size=S.shape))
    else:
        start = magnitudes.astype(dtype_r2c(S.dtype), order="C")
    if _args.on_device(S):
        start = _native.to_device(start, beside=S)
    y = _native.griffinlim(
        S=frames,
        start=start,
        window=_args.window(window, win_length),
        n_fft=n_fft,
        hop_length=hop_length,
        center=bool(center),
        pad_mode=pad_mode if center else "constant",
        length=length or 0,
        n_iter=n_iter,
        momentum=momentum,
    )
    if n_iter and n_fft > y.shape[-1]:
        warn(f"n_fft={n_fft} is too large for input signal of length={y.shape[-1]}")
    if dtype is not None:
        y = y.astype(dtype, copy=False)
    if n_iter and not (_args.on_device(y) or np.isfinite(y).all()):
        raise ParameterError(f"S must be small enough for audio in {y.dtype}")
    return y
