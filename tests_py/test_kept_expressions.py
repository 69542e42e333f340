"""The expression of a plain call is kept for calls with equal arguments, and for no others."""

import warnings

import metalmom as mm
import numpy as np
import pytest
from metalmom.util import _kept_results, _public


@pytest.fixture
def resolved(monkeypatch):
    """How often expressions were worked out since the test began."""
    _kept_results.release()
    audio = []
    make = _public.Audio

    def count(*kind):
        audio.append(make(*kind))
        return audio[-1]

    monkeypatch.setattr(_public, "Audio", count)
    yield lambda: len(audio)
    _kept_results.release()


def noise(n, seed=0, dtype=np.float32, shape=()):
    return np.random.default_rng(seed).standard_normal((*shape, n)).astype(dtype)


def test_equal_arguments_are_resolved_once(resolved):
    first = mm.feature.melspectrogram(y=noise(4000), n_mels=40)
    count = resolved()
    assert count == 1
    again = mm.feature.melspectrogram(y=noise(4000), n_mels=40)
    other = mm.feature.melspectrogram(y=noise(9000, seed=1), n_mels=40)
    assert resolved() == count
    np.testing.assert_array_equal(first, again)
    assert other.shape == (40, 18)


@pytest.mark.parametrize(
    "change",
    [
        {"y": noise(4000, dtype=np.float64)},
        {"y": noise(4000, shape=(2,))},
        {"n_mels": 41},
        {"n_mels": 40.0},
        {"fmin": -0.0},
        {"htk": 1},
    ],
)
def test_other_arguments_have_their_own(change):
    """Also those that Python takes for equal: what they are refused with, or give, is their own."""

    def answer(**arguments):
        try:
            return mm.feature.melspectrogram(**arguments).tobytes()
        except mm.ParameterError as error:
            return str(error)

    common = {"y": noise(4000), "n_mels": 40, "fmin": 0.0, "htk": True}
    _kept_results.release()
    alone = answer(**{**common, **change})
    _kept_results.release()
    answer(**common)
    assert answer(**{**common, **change}) == alone


@pytest.mark.parametrize(
    "y",
    [
        noise(9000)[::2],
        noise(9000, dtype=">f4"),
        noise(9000, dtype=np.float16),
        np.frombuffer(noise(4500).tobytes(), dtype=np.float32),
        np.frombuffer(b"x" + noise(4500).tobytes(), dtype=np.float32, offset=1),
        np.asfortranarray(noise(4500, shape=(3,))),
    ],
    ids=["strided", "big-endian", "half", "read-only", "unaligned", "fortran"],
)
def test_audio_of_any_layout_after_plain_audio(y):
    plain = np.ascontiguousarray(y, dtype=y.dtype if y.dtype == np.float16 else np.float32).copy()
    expected = mm.feature.mfcc(y=plain, n_mfcc=5)
    np.testing.assert_array_equal(mm.feature.mfcc(y=y, n_mfcc=5), expected)


def test_each_call_warns():
    for _ in range(2):
        with pytest.warns(UserWarning, match="Empty filters"):
            mm.feature.melspectrogram(y=noise(4000), n_fft=256, n_mels=200)
        with pytest.warns(UserWarning, match="n_fft=2048 is too large"):
            mm.stft(noise(1000))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mm.stft(noise(4000))


def test_what_is_kept_is_given_back():
    mm.release_caches()
    mm.feature.chroma_cqt(y=noise(22050))
    assert _kept_results.kept_bytes() > 0
    assert mm.release_caches() > 0
    assert _kept_results.kept_bytes() == 0
