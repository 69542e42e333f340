"""The inputs of the reference cases, made the same by every NumPy.

Samples are rounded to multiples of 2**-20: a sine that differs in its last bit between two maths
libraries then still gives the same signal, and float32 holds every value exactly.
"""

import atexit
import functools
import io
import pathlib
import shutil
import tempfile
import wave

import numpy as np

SR = 22050
BUILDERS = {}


class Signal:
    """A named input; cases hold these and `resolve` turns them into arrays or files."""

    def __init__(self, name, form="array"):
        self.name = name
        self.form = form

    @property
    def path(self):
        """The signal as a 16-bit WAV file's path."""
        return Signal(self.name, "path")

    @property
    def bytes_io(self):
        """The signal as a WAV file in memory."""
        return Signal(self.name, "bytes_io")

    def get(self):
        if self.form == "array":
            return built(self.name).copy(order="K")
        if self.form == "path":
            return wav_path(self.name)
        return io.BytesIO(pathlib.Path(wav_path(self.name)).read_bytes())


def signal(build):
    """Register a builder under its function's name and put the Signal in its place."""
    BUILDERS[build.__name__] = build
    return Signal(build.__name__)


@functools.cache
def built(name):
    return BUILDERS[name]()


@functools.cache
def wav_folder():
    folder = tempfile.mkdtemp(prefix="metalmom-reference-")
    atexit.register(shutil.rmtree, folder)
    return pathlib.Path(folder)


@functools.cache
def wav_path(name):
    samples = np.atleast_2d(built(name))
    path = wav_folder() / f"{name}.wav"
    with wave.open(str(path), "wb") as out:
        out.setnchannels(samples.shape[0])
        out.setsampwidth(2)
        out.setframerate(SR)
        out.writeframes(np.round(samples.T * 32767).astype("<i2").tobytes())
    return str(path)


def resolve(value):
    """VALUE with every Signal in it replaced by a fresh copy of what it names."""
    if isinstance(value, Signal):
        return value.get()
    if isinstance(value, (list, tuple)):
        return type(value)(resolve(item) for item in value)
    if isinstance(value, dict):
        return {key: resolve(item) for key, item in value.items()}
    return value


def exact(y, dtype=np.float32):
    return (np.round(np.asarray(y) * 2**20) / 2**20).astype(dtype)


def seconds(n_samples):
    return np.arange(n_samples) / SR


def normal(shape, seed):
    return np.random.default_rng(seed).standard_normal(shape)


def bars(duration, bpm):
    """Kick, hat and a chord that changes every bar: something to find beats and pitches in."""
    t = seconds(int(duration * SR))
    beat = 60 / bpm
    phase = t % beat
    kick = np.exp(-18 * phase) * np.sin(2 * np.pi * 70 * phase)
    hat = np.exp(-60 * (t % (beat / 2))) * normal(t.size, 3)
    bar = np.floor(t / (4 * beat)).astype(int) % 3
    chords = np.array([[220.0, 277.18, 329.63], [196.0, 246.94, 293.66], [174.61, 220.0, 261.63]])
    tones = np.sin(2 * np.pi * chords[bar].T * t).sum(axis=0)
    return 0.5 * kick + 0.08 * hat + 0.08 * tones


@signal
def tone():
    return exact(0.5 * np.sin(2 * np.pi * 440 * seconds(11025)))


@signal
def detuned():
    """A4 and its fifth, 30 cents sharp."""
    t = seconds(11025)
    ratio = 2 ** (0.3 / 12)
    wave_ = np.sin(2 * np.pi * 440 * ratio * t) + 0.5 * np.sin(2 * np.pi * 659.26 * ratio * t)
    return exact(0.4 * wave_)


@signal
def chirp():
    t = seconds(11025)
    return exact(0.5 * np.sin(2 * np.pi * (100 * t + 8000 * t**2)))


@signal
def clicks():
    y = np.zeros(3 * SR)
    y[:: SR // 2] = 1.0
    return exact(y + 0.001 * normal(y.size, 11))


@signal
def noise():
    return exact(0.2 * normal(11025, 1))


@signal
def silence():
    return np.zeros(6000, dtype=np.float32)


@signal
def fading():
    """Noise that ends in digital silence: frames that are exactly zero."""
    y = 0.2 * normal(11025, 12)
    y[6000:] = 0
    return exact(y)


@signal
def music():
    return exact(bars(1.0, 120))


@signal
def song():
    """Ten seconds: long enough for a tempo. Only small outputs are kept of it."""
    return exact(bars(10.0, 112))


@signal
def song64():
    return exact(bars(8.0, 97), np.float64)


@signal
def music64():
    return exact(bars(0.7, 120), np.float64)


@signal
def stereo():
    return exact(np.stack([bars(0.5, 140), 0.3 * normal(11025, 4)]))


@signal
def stereo_song():
    return exact(np.stack([bars(6.0, 112), bars(6.0, 90)]))


@signal
def stereo64():
    return exact(np.stack([bars(0.3, 140), 0.3 * normal(6615, 5)]), np.float64)


@signal
def batch():
    """Two stereo signals."""
    return exact(0.3 * normal((2, 2, 3000), 6))


@signal
def strided():
    """Every second sample of a longer signal: not contiguous."""
    return exact(bars(1.0, 120))[::2]


@signal
def transposed():
    """Stereo, its channels interleaved in memory."""
    return np.ascontiguousarray(exact(0.3 * normal((2, 5000), 7)).T).T


@signal
def odd():
    return exact(0.3 * normal(7919, 8))


@signal
def short():
    return exact(0.3 * normal(100, 9))


@signal
def single():
    return np.array([0.5], dtype=np.float32)


@signal
def empty():
    return np.zeros(0, dtype=np.float32)


@signal
def with_nan():
    y = exact(0.3 * normal(4000, 10))
    y[1000] = np.nan
    return y


@signal
def with_inf():
    y = exact(0.3 * normal(4000, 10))
    y[1000] = np.inf
    return y


@signal
def integers():
    return np.arange(4000, dtype=np.int16)


def positive(shape, seed, dtype=np.float32):
    """Exponentially distributed values with a few zeros, as a power spectrogram has."""
    values = exact(normal(shape, seed) ** 2, dtype)
    values[..., :3, 1] = 0
    return np.asfortranarray(values) if values.ndim == 2 else values


@signal
def power():
    return positive((257, 20), 21)


@signal
def power64():
    return positive((257, 20), 22, np.float64)


@signal
def power_stereo():
    return positive((2, 129, 12), 23)


@signal
def magnitude2048():
    return positive((1025, 12), 24)


@signal
def mel():
    return positive((40, 50), 25)


@signal
def mel_stereo():
    return positive((2, 40, 30), 26)


@signal
def ridges():
    """Horizontal lines (tones) and vertical lines (clicks) over a floor: hpss tells them apart."""
    S = exact(0.05 * normal((257, 60), 27) ** 2)
    S[30::40] += 1
    S[:, 7::12] += 1
    return np.asfortranarray(S)


@signal
def decibels():
    return exact(-30 + 10 * normal((40, 20), 28))


@signal
def spectrum():
    parts = exact(normal((2, 257, 24), 31))
    parts[:, 0] *= [[1], [0]]
    return np.asfortranarray((parts[0] + 1j * parts[1]).astype(np.complex64))


def octaves_of(seed, shape, dtype=np.complex64):
    """Two octaves and a third of 12 bins, in 24 frames."""
    parts = exact(normal((2, *shape), seed), np.float64)
    return np.asfortranarray((parts[0] + 1j * parts[1]).astype(dtype))


@signal
def octaves():
    return octaves_of(34, (28, 24))


@signal
def octaves64():
    return octaves_of(35, (28, 20), np.complex128)


@signal
def octaves_stereo():
    return np.ascontiguousarray(octaves_of(36, (2, 28, 12)))


@signal
def octave_magnitudes():
    return np.abs(built("octaves").real)


@signal
def octaves_frame():
    return built("octaves")[:, :1]


@signal
def octaves_nan():
    C = built("octaves").copy(order="K")
    C[3, 5] = np.nan
    return C


@signal
def spectrum64():
    parts = exact(normal((2, 257, 15), 32), np.float64)
    return np.asfortranarray(parts[0] + 1j * parts[1])


@signal
def spectrum_stereo():
    parts = exact(normal((2, 2, 129, 10), 33))
    return (parts[0] + 1j * parts[1]).astype(np.complex64)


@signal
def spectrum_zeros():
    D = built("spectrum").copy(order="K")
    D[::7] = 0
    return D


@signal
def envelope():
    """An onset envelope: a pulse every 20 frames over a floor; 600 frames."""
    e = np.abs(0.1 * normal(600, 41))
    e[5::20] += 2
    e[15::40] += 1
    return exact(e)


@signal
def envelope64():
    return built("envelope").astype(np.float64)


@signal
def envelope_stereo():
    e = np.abs(0.1 * normal((2, 500), 42))
    e[0, 5::20] += 2
    e[1, 3::25] += 2
    return exact(e)


@signal
def no_onsets():
    return np.zeros(400, dtype=np.float32)


@signal
def ramp():
    return exact(np.arange(60).reshape(6, 10) / 7)


@signal
def frequencies():
    return exact([[110.0, 220.5, 440.25], [0.5, 27.5, 8000.0]], np.float64)


@signal
def gappy():
    """Sounds between silences, the second channel later than the first."""
    y = np.zeros((2, 24000))
    y[0, 5000:9000] = 0.3 * normal(4000, 51)
    y[0, 15000:18000] = 0.01 * normal(3000, 52)
    y[1, 7000:12000] = 0.2 * normal(5000, 53)
    return exact(y)


@signal
def constant_q():
    """Magnitudes of seven octaves of 36 bins."""
    return positive((252, 25), 54)


@signal
def constant_q64():
    return positive((84, 15), 55, np.float64)


@signal
def constant_q_stereo():
    return positive((2, 84, 12), 56)


@signal
def chroma():
    return np.asfortranarray(exact(np.abs(normal((12, 20), 57))))


@signal
def tempogram():
    return exact(np.abs(normal((120, 30), 58)), np.float64)


def near_the_end(exponent, dtype):
    """A tone in noise times a power of two, so that nothing but the exponents changes."""
    y = 0.4 * np.sin(2 * np.pi * 1234 * seconds(320)) + 0.1 * normal(320, 61)
    return np.ldexp(exact(y, np.float64), exponent).astype(dtype)


@signal
def loud():
    return near_the_end(100, np.float32)


@signal
def faint():
    return near_the_end(-100, np.float32)


@signal
def loud64():
    return near_the_end(990, np.float64)


@signal
def faint64():
    return near_the_end(-990, np.float64)


def spectrum_near_the_end(exponent):
    parts = np.ldexp(exact(normal((2, 17, 16), 62), np.float64), exponent)
    return np.asfortranarray(parts[0] + 1j * parts[1])


@signal
def loud_spectrum64():
    return spectrum_near_the_end(990)


@signal
def faint_spectrum64():
    return spectrum_near_the_end(-990)


@signal
def loud_magnitude64():
    return np.abs(built("loud_spectrum64").real)


@signal
def faint_magnitude64():
    return np.abs(built("faint_spectrum64").real)


@signal
def quiet():
    """Half a second of a tone whose squares are no normal floats, though its correlations nearly are."""
    return np.ldexp(built("tone"), -66).astype(np.float32)


@signal
def tempo_curve():
    """A tempo for each of 30 frames."""
    return exact(np.linspace(60, 150, 30), np.float64)
