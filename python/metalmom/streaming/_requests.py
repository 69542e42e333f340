"""What an offline function asks of the engine, asked for a stream.

A streamed feature declares nothing anew: the offline function resolves its arguments and says what
it wants done (`_steps`), and the stream does that to frames as they come.
"""

import functools

import numpy as np

from .. import _args, _native, _recipe
from .._boundary import guarded_steps
from ..feature import _shapes
from ..util._memory import refuse_beyond_memory
from ..util.exceptions import ParameterError
from ._stream import check_memory, flag, frame_latency, size

__all__ = ["OF_WHOLE_SIGNALS", "Request", "check_block"]

_FRAMING = ("n_fft", "hop_length", "center", "pad_mode")

# Arguments with a value for every frame of the whole signal, or used in place of the signal.
OF_WHOLE_SIGNALS = ("S", "centroid", "onset_envelope", "out", "ref", "y")


def _as_it_is(array):
    return array


def _swapped(array):
    return array.swapaxes(-1, -2)


def _as_row(array):
    return array[..., np.newaxis, :]


def _without_row(array):
    return array[..., 0, :]


# For each op how the offline function shapes the engine's array, and the inverse; both give views.
_VIEWS = {
    "cepstrum": (_as_it_is, _as_it_is),
    "chroma_spectrogram": (_swapped, _swapped),
    "filterbank_spectrogram": (_as_it_is, _as_it_is),
    "onset_strength": (_without_row, _as_row),
    "rms": (_as_row, _without_row),
    "spectral_shape": (_as_row, _without_row),
    "stft": (_swapped, _swapped),
    "zero_crossing_rate": (_as_row, _without_row),
}


class Request:
    """One feature of a stream, as the engine and its reader want it.

    Attributes
    ----------
    op, arguments
        What the engine is asked, but for the samples.
    framing : dict
        `n_fft`, `hop_length`, `center` and `pad_mode` of the signal.
    engine_dtype
        In which the engine takes samples.
    dtype, lead
        Of the result: its type, and its shape without the frames.
    """

    def __init__(self, function, arguments, *, channels, sample_dtype):
        for name in OF_WHOLE_SIGNALS:
            if arguments.get(name) is not None:
                raise ParameterError(f"{name} must be None: a stream has no value for every frame")
        pad_mode = arguments.get("pad_mode", "constant")
        if flag("center", arguments.get("center", True)) and not _is_local(pad_mode):
            rule = "', '".join(sorted(_args.ENGINE_PAD_MODES))
            raise ParameterError(
                f"pad_mode={pad_mode!r} must be one of '{rule}' in a stream: others read the "
                "signal's far end"
            )
        self._channels = () if channels == 1 else (channels,)
        lasting = _longest(function, arguments)
        y = np.zeros((*self._channels, max(2 * lasting, 8192)), dtype=sample_dtype)
        steps = guarded_steps(function, y=y, **arguments)
        self.op, asked = next(steps)
        self.engine_dtype = asked.pop("y").dtype
        if self.engine_dtype != np.float64:
            self.engine_dtype = np.dtype(np.float32)
        self.framing = {name: asked[name] for name in _FRAMING}
        self.arguments = {**asked, "center": False, "pad_mode": "constant"}
        if self.op == "spectral_contrast":
            linear = arguments.get("linear", False)
            self._shown = functools.partial(_shapes._contrast, linear=linear)
            self._inverse = None
        else:
            self._shown, self._inverse = _VIEWS[self.op]
        result = self._of_silence(steps)
        self.dtype, self.lead = result.dtype, result.shape[:-1]

    def _of_silence(self, steps):
        """The offline function's result for the engine's answer to a little silence."""
        stream = self.open([self])
        n_samples = 2 * self.framing["n_fft"]
        silence = np.zeros((*self._channels, n_samples), dtype=self.engine_dtype)
        (arrays,) = stream.process(silence, True, None)
        try:
            steps.send(arrays[0] if len(arrays) == 1 else tuple(arrays))
        except StopIteration as done:
            if self._inverse is not None and done.value.dtype != arrays[0].dtype:
                self._inverse = None  # the result is converted to another dtype and is no view
            return done.value
        raise AssertionError(f"{self.op} is not all that is asked of the engine")

    @property
    def is_view(self):
        """Whether the result is a view of the engine's array, or made of it."""
        return self._inverse is not None

    @property
    def drops_row(self):
        """Whether the result has no axis of rows: the engine's only one is left out."""
        return self._shown is _without_row

    @property
    def key(self):
        """Requests of equal keys read the same frames."""
        return (*self.framing.values(), self.engine_dtype)

    def open(self, requests):
        """A stream of the engine for requests of this key."""
        framing = self.framing
        n_samples = _native.window_samples(framing["n_fft"], framing["hop_length"])
        samples = np.zeros((*self._channels, n_samples), dtype=self.engine_dtype)
        asked = [(each.op, {**each.arguments, "y": samples}) for each in requests]
        return _native.FrameStream(asked, samples, *framing.values())

    @property
    def latency(self) -> int:
        """Samples from the middle of a result's frame (or its beginning) to when it is known."""
        n_fft, hop_length = self.framing["n_fft"], self.framing["hop_length"]
        latency = frame_latency(n_fft, self.framing["center"])
        # its frames are centred by a shift of the envelope, which shortens the wait
        if self.op == "onset_strength":
            shift = self.arguments["shift"] - self.arguments["lag"]
            latency = max(latency - shift * hop_length, 0)
        return latency

    def check_out(self, out, n_frames, name):
        """Refuse an array that so many frames do not fit into; `name` is what its giver calls it."""
        if not isinstance(out, np.ndarray) or out.dtype != self.dtype:
            raise ParameterError(f"{name} must be a numpy.ndarray of {self.dtype}")
        if out.ndim != len(self.lead) + 1 or out.shape[:-1] != self.lead or out.shape[-1] < n_frames:
            shape = ", ".join(map(str, (*self.lead, "t")))
            raise ParameterError(
                f"{name}.shape={out.shape} must be ({shape}) with t={n_frames} frames or more"
            )
        check_memory(out, name)

    def engine_arrays(self, out):
        """The memory of a result as the engine's arrays; None where these are made into it."""
        return None if self._inverse is None else [self._inverse(out)]

    def shown(self, arrays):
        """The engine's arrays as the offline function gives them."""
        return self._shown(*arrays).astype(self.dtype, copy=False)


def _longest(function, arguments):
    """The most samples of a frame or a window; checked, in the names that the user wrote."""
    lasting, known = 0, _recipe.parameters_of(function)
    for name in ("n_fft", "frame_length", "win_length", "hop_length"):
        value = arguments.get(name)
        if name not in arguments or (value is None and known[name] is None):
            continue
        size(name, value)
        refuse_beyond_memory(name, value, 64 * int(value))  # of a run of 16 frames
        if name != "hop_length":
            lasting = max(lasting, int(value))
    return lasting


def _is_local(pad_mode):
    return isinstance(pad_mode, str) and pad_mode in _args.ENGINE_PAD_MODES


def check_block(y, channels, dtype):
    """Check the type and shape of a block of samples."""
    _args.audio(y)
    if y.dtype != dtype:
        raise ParameterError(f"y.dtype={y.dtype} must be {dtype}, the stream's sample_dtype")
    if y.ndim != (1 if channels == 1 else 2) or (channels > 1 and y.shape[0] != channels):
        rule = "(n,)" if channels == 1 else f"({channels}, n)"
        raise ParameterError(f"y.shape={y.shape} must be {rule} with channels={channels}")
    return y
