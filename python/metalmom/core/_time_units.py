"""Conversions between frames, samples, blocks and seconds; `metalmom.core.convert` exports them."""

import numpy as np
from .._declared import Like, as_feature

from ..util._checks import wide

__all__ = [
    "blocks_to_frames",
    "blocks_to_samples",
    "blocks_to_time",
    "frames_to_samples",
    "frames_to_time",
    "samples_like",
    "samples_to_frames",
    "samples_to_time",
    "time_to_frames",
    "time_to_samples",
    "times_like",
]


def _centre(n_fft):
    """Samples from the start of an uncentred frame to its middle."""
    return 0 if n_fft is None else int(n_fft // 2)


# Conversions that several public functions need. These call them and not each other, because every
# public function is wrapped to explain errors.


def _samples_of_frames(frames, hop_length, n_fft=None):
    return (wide(frames) * hop_length + _centre(n_fft)).astype(int)[()]


def _frames_of_samples(samples, hop_length, n_fft):
    hops = (wide(samples) - _centre(n_fft)) // hop_length
    return np.asarray(hops).astype(int)[()]


def _samples_of_time(times, sr):
    return (wide(times) * sr).astype(int)[()]


def _time_of_samples(samples, sr):
    return np.asanyarray(samples)[()] / float(sr)


def _samples_of_blocks(blocks, block_length, hop_length):
    return _samples_of_frames(block_length * wide(blocks), hop_length)


def _samples_like(X, hop_length, n_fft, axis):
    n_frames = X if np.isscalar(X) else X.shape[axis]
    return _samples_of_frames(np.arange(n_frames), hop_length, n_fft)


@as_feature(Like(numbers=int), listed=False)
def frames_to_samples(frames, *, hop_length=512, n_fft=None):
    """Convert frame indices to sample indices.

    Parameters
    ----------
    frames : number or array_like
        Frame indices.
    hop_length : int > 0
        Samples from one frame to the next.
    n_fft : int > 0, optional
        Frame length; adds ``n_fft // 2``, the middle of frames that are not centred.

    Returns
    -------
    np.integer or np.ndarray of int
        ``frames * hop_length``, truncated to integers.

    Examples
    --------
    >>> metalmom.frames_to_samples([0, 1, 10], hop_length=256)
    array([   0,  256, 2560])
    """
    return _samples_of_frames(frames, hop_length, n_fft)


@as_feature(Like(numbers=int), listed=False)
def samples_to_frames(samples, *, hop_length=512, n_fft=None):
    """Convert sample indices to the frames they fall in.

    Parameters
    ----------
    samples : number or array_like
        Sample indices.
    hop_length : int > 0
        Samples from one frame to the next.
    n_fft : int > 0, optional
        Frame length; subtracts ``n_fft // 2`` first, so early samples give negative frames.

    Returns
    -------
    np.integer or np.ndarray of int
        ``floor(samples / hop_length)``.

    Examples
    --------
    >>> metalmom.samples_to_frames([0, 511, 512, 1500])
    array([0, 0, 1, 2])
    """
    return _frames_of_samples(samples, hop_length, n_fft)


@as_feature(Like(numbers=float), listed=False)
def frames_to_time(frames, *, sr=22050, hop_length=512, n_fft=None):
    """Convert frame indices to seconds.

    Parameters
    ----------
    frames : number or array_like
        Frame indices.
    sr : number > 0
        Sampling rate in Hz.
    hop_length : int > 0
        Samples from one frame to the next.
    n_fft : int > 0, optional
        Frame length; adds ``n_fft // 2`` samples, the middle of frames that are not centred.

    Returns
    -------
    float or np.ndarray of float64
        Times in seconds.

    Examples
    --------
    >>> metalmom.frames_to_time([0, 100], sr=51200)
    array([0., 1.])
    """
    return _time_of_samples(_samples_of_frames(frames, hop_length, n_fft), sr)


@as_feature(Like(numbers=int), listed=False)
def time_to_frames(times, *, sr=22050, hop_length=512, n_fft=None):
    """Convert seconds to the frames they fall in.

    Parameters
    ----------
    times : number or array_like
        Times in seconds.
    sr : number > 0
        Sampling rate in Hz.
    hop_length : int > 0
        Samples from one frame to the next.
    n_fft : int > 0, optional
        Frame length; subtracts ``n_fft // 2`` samples, so early times give negative frames.

    Returns
    -------
    np.integer or np.ndarray of int
        Frame indices, rounded down.

    Examples
    --------
    >>> metalmom.time_to_frames([0.0, 0.5, 1.0])
    array([ 0, 21, 43])
    """
    return _frames_of_samples(_samples_of_time(times, sr), hop_length, n_fft)


@as_feature(Like(numbers=int), listed=False)
def time_to_samples(times, *, sr=22050):
    """Convert seconds to sample indices.

    Parameters
    ----------
    times : number or array_like
        Times in seconds.
    sr : number > 0
        Sampling rate in Hz.

    Returns
    -------
    np.integer or np.ndarray of int
        ``times * sr``, truncated towards zero.

    Examples
    --------
    >>> metalmom.time_to_samples([0.0, 0.5, 1.0])
    array([    0, 11025, 22050])
    """
    return _samples_of_time(times, sr)


@as_feature(Like(numbers=float), listed=False)
def samples_to_time(samples, *, sr=22050):
    """Convert sample indices to seconds.

    Parameters
    ----------
    samples : number or array_like
        Sample indices.
    sr : number > 0
        Sampling rate in Hz.

    Returns
    -------
    float or np.ndarray of float64
        ``samples / sr``.

    Examples
    --------
    >>> metalmom.samples_to_time([0, 11025])
    array([0. , 0.5])
    """
    return _time_of_samples(samples, sr)


def blocks_to_frames(blocks, *, block_length):
    """Convert block indices, as `stream` yields them, to their first frames.

    Parameters
    ----------
    blocks : number or array_like
        Block indices.
    block_length : int > 0
        Frames per block.

    Returns
    -------
    np.integer or np.ndarray of int
        ``blocks * block_length``.

    Examples
    --------
    >>> metalmom.blocks_to_frames([0, 1, 2], block_length=16)
    array([ 0, 16, 32])
    """
    return block_length * np.asanyarray(blocks)[()]


def blocks_to_samples(blocks, *, block_length, hop_length):
    """Convert block indices, as `stream` yields them, to their first samples.

    Parameters
    ----------
    blocks : number or array_like
        Block indices.
    block_length : int > 0
        Frames per block.
    hop_length : int > 0
        Samples from one frame to the next.

    Returns
    -------
    np.integer or np.ndarray of int
        Sample indices.

    Examples
    --------
    >>> metalmom.blocks_to_samples([0, 1, 2], block_length=16, hop_length=512)
    array([    0,  8192, 16384])
    """
    return _samples_of_blocks(blocks, block_length, hop_length)


def blocks_to_time(blocks, *, block_length, hop_length, sr):
    """Convert block indices, as `stream` yields them, to their start in seconds.

    Parameters
    ----------
    blocks : number or array_like
        Block indices.
    block_length : int > 0
        Frames per block.
    hop_length : int > 0
        Samples from one frame to the next.
    sr : number > 0
        Sampling rate in Hz.

    Returns
    -------
    float or np.ndarray of float64
        Times in seconds.

    Examples
    --------
    >>> metalmom.blocks_to_time([0, 1], block_length=16, hop_length=512, sr=16384)
    array([0. , 0.5])
    """
    return _time_of_samples(_samples_of_blocks(blocks, block_length, hop_length), sr)


def samples_like(X, *, hop_length=512, n_fft=None, axis=-1):
    """Sample indices of the frames of a feature.

    Parameters
    ----------
    X : np.ndarray, DeviceArray or int
        A feature with its frames along `axis`, or a number of frames.
    hop_length : int > 0
        Samples from one frame to the next.
    n_fft : int > 0, optional
        Frame length; adds ``n_fft // 2``, the middle of frames that are not centred.
    axis : int
        The axis of `X` that counts frames.

    Returns
    -------
    np.ndarray of int, shape (n_frames,)
        A sample index for each frame.

    Examples
    --------
    >>> metalmom.samples_like(np.zeros((13, 4)))
    array([   0,  512, 1024, 1536])
    """
    return _samples_like(X, hop_length, n_fft, axis)


def times_like(X, *, sr=22050, hop_length=512, n_fft=None, axis=-1):
    """Times in seconds of the frames of a feature.

    Parameters
    ----------
    X : np.ndarray, DeviceArray or int
        A feature with its frames along `axis`, or a number of frames.
    sr : number > 0
        Sampling rate in Hz.
    hop_length : int > 0
        Samples from one frame to the next.
    n_fft : int > 0, optional
        Frame length; adds ``n_fft // 2`` samples, the middle of frames that are not centred.
    axis : int
        The axis of `X` that counts frames.

    Returns
    -------
    np.ndarray of float64, shape (n_frames,)
        A time for each frame.

    Examples
    --------
    >>> metalmom.times_like(np.zeros((13, 3)), sr=51200)
    array([0.  , 0.01, 0.02])
    """
    return _time_of_samples(_samples_like(X, hop_length, n_fft, axis), sr)
