"""The problems that are timed: what goes in, and the check that the answer is right.

A problem says how its input is made of a signal. Who computes it is an adapter's affair
(benchmarks/adapters), what is right is librosa's answer on the check input, kept in
benchmarks/reference/answers.npz by ``scripts/make_reference.py --benchmarks``.
"""

import dataclasses
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests_py")]

import digest  # noqa: E402
import recordings  # noqa: E402
from problems import functions  # noqa: E402
from reference_signals import SR, bars, exact  # noqa: E402

ANSWERS = ROOT / "benchmarks" / "reference" / "answers.npz"
CHECK_SECONDS = 5


def audio(y):
    return (y,)


def spectrum(y):
    """A complex STFT of 2048/512 by NumPy alone, frame after frame in memory as librosa's is."""
    frames = np.lib.stride_tricks.sliding_window_view(np.pad(y, 1024), 2048)[::512]
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(2048) / 2048)
    return (np.fft.rfft(frames * window).astype(np.complex64).T,)


def magnitude(y):
    return (np.abs(spectrum(y)[0]),)


def bands(y):
    """A power spectrogram summed into 128 bands: what pcen is fed."""
    power = np.ascontiguousarray(magnitude(y)[0] ** 2)
    return (np.ascontiguousarray(np.add.reduceat(power, np.arange(128) * 8, axis=0)),)


def two_channels(y):
    return (np.stack([y, y[::-1]]),)


def compressed_file(y):
    return (str(recordings.ogg(recordings.new_stem(), y)),)


def plain_file(y):
    return (str(recordings.wav(recordings.new_stem(), y)),)


@dataclasses.dataclass(frozen=True)
class Problem:
    """One thing to compute. The tolerance is relative to the answer's peak."""

    name: str
    make_input: callable = audio
    tolerance: float = 1e-5
    seconds: tuple = (1, 5, 30, 600)
    batch: bool = True  # whether signals can be stacked
    make_exact_input: callable = None  # where an encoder's version decides what make_input makes

    def exact_input(self, y):
        """An input that is the same on every machine."""
        return (self.make_exact_input or self.make_input)(y)


EVERYDAY = {
    problem.name: problem
    for problem in (
        Problem("load", compressed_file, seconds=(60,), batch=False, make_exact_input=plain_file),
        Problem("melspectrogram"),
        Problem("mfcc"),
        Problem("stft"),
        Problem("istft", spectrum),
        Problem("chroma_stft"),
        Problem("onset_strength"),
        Problem("beat_track", batch=False),
        Problem("tempogram", seconds=(5, 30, 600)),
        Problem("rms"),
        Problem("zero_crossing_rate"),
        Problem("hpss", seconds=(1, 5, 30)),
        Problem("spectral_centroid"),
        Problem("spectral_bandwidth"),
        Problem("spectral_rolloff"),
        Problem("spectral_flatness"),
        Problem("spectral_contrast", seconds=(1, 5, 30)),
        Problem("pcen", bands),
        Problem("pcen of a mel spectrogram"),
        # 8 iterations from zero phase: each amplifies the rounding of the last.
        Problem("griffinlim", magnitude, tolerance=1e-3, seconds=(1, 5, 30)),
        Problem("resample"),
        Problem("resample stereo", two_channels, seconds=(30,)),
        Problem("main job", seconds=(60,), batch=False),
    )
}
PROBLEMS = EVERYDAY | {
    problem.name: problem for problem in functions.problems(Problem, spectrum, magnitude, bands)
}


def song(seconds):
    """Drums and chords at 112 bpm: the input where no recording is given."""
    return exact(bars(seconds, 112))


def variants(y, count):
    """COUNT signals as long as Y and like it, no two alike: no call may see the last one's input."""
    rng = np.random.default_rng(7)
    for _ in range(count):
        shift, gain = rng.integers(y.size), rng.uniform(0.5, 1)
        yield (np.roll(y, shift) * gain).astype(np.float32)


def check_input(problem):
    return problem.exact_input(song(CHECK_SECONDS))


def arrays_of(answer):
    """The arrays of an answer, nested tuples flattened."""
    if isinstance(answer, (tuple, list)):
        return [array for item in answer for array in arrays_of(item)]
    return [answer.toarray() if hasattr(answer, "toarray") else np.asarray(answer)]


def keep(problem, answer):
    """Key -> array: what answers.npz keeps of a problem's answer."""
    return {
        f"{problem.name}#{number}#{label}": part
        for number, array in enumerate(arrays_of(answer))
        for label, part in digest.parts_of(array).items()
    }


def error_of(problem, answer):
    """How far ANSWER is from librosa's, relative to its peak; infinite for another decision."""
    with np.load(ANSWERS) as kept:
        errors = []
        for number, array in enumerate(arrays_of(answer)):
            prefix = f"{problem.name}#{number}#"
            parts = {k[len(prefix) :]: kept[k] for k in kept.files if k.startswith(prefix)}
            errors.append(digest.error_of(array, parts))
        return max(errors)


def same_size(answer, ours):
    """Whether an answer in other conventions has the size of OURS: the axes in any order, some
    frames more or less at the ends, and numbers in it.
    """
    answer, ours = np.asarray(answer), np.asarray(ours)
    axes = zip(sorted(answer.shape), sorted(ours.shape), strict=False)
    near = all(abs(a - b) <= 0.04 * b for a, b in axes) and answer.ndim == ours.ndim
    return near and bool(np.isfinite(answer).all()) and float(np.ptp(answer.real)) > 0
