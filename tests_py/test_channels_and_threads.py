"""Phases, pitch and harmonics: no channel and no number of threads changes a bit of another."""

import metalmom
import numpy as np
import pytest

FREQS = metalmom.fft_frequencies(sr=22050, n_fft=2048)


def of_spectrum(function):
    return lambda y: function(metalmom.stft(y))


CALLS = {
    "phase_vocoder": of_spectrum(lambda D: metalmom.phase_vocoder(D, rate=1.3)),
    "reassigned_spectrogram": lambda y: metalmom.reassigned_spectrogram(y),
    "yin": lambda y: metalmom.yin(y, fmin=80, fmax=1000),
    "pyin": lambda y: metalmom.pyin(y, fmin=80, fmax=1000),
    "salience": of_spectrum(
        lambda D: metalmom.salience(np.abs(D), freqs=FREQS, harmonics=[1, 2], fill_value=0)
    ),
    "interp_harmonics": of_spectrum(
        lambda D: metalmom.interp_harmonics(np.abs(D), freqs=FREQS, harmonics=[0.5, 2])
    ),
    "lpc": lambda y: metalmom.lpc(y, order=8),
    "mu_compress": lambda y: metalmom.mu_compress(y / 2),
}


def arrays(result):
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("name", CALLS)
def test_channels_and_threads(name, music):
    call = CALLS[name]
    y = np.stack([music, np.roll(music[::-1], 100)])
    with metalmom.config_context(threads=1):
        together, alone = arrays(call(y)), arrays(call(y[1]))
    with metalmom.config_context(threads=3):
        threaded = arrays(call(y))
    for one, of_two, again in zip(alone, together, threaded, strict=True):
        assert np.array_equal(of_two[1], one, equal_nan=True)
        assert np.array_equal(of_two, again, equal_nan=True)


def test_frequencies_that_repeat_are_warned_of():
    x = np.arange(12.0).reshape(4, 3)
    with pytest.warns(UserWarning, match="not unique"):
        metalmom.f0_harmonics(x, f0=np.ones(3), freqs=np.array([0.0, 1, 1, 2]), harmonics=[1])


@pytest.mark.parametrize("value", [None, "loud", 3.0, np.float32(1)])
def test_what_is_no_array_is_refused_by_name(value):
    for call in (
        lambda: metalmom.phase_vocoder(value, rate=2),
        lambda: metalmom.interp_harmonics(value, freqs=FREQS, harmonics=[1]),
        lambda: metalmom.yin(value, fmin=100, fmax=200),
        lambda: metalmom.lpc(value, order=2),
        lambda: metalmom.util.sparsify_rows(value),
    ):
        with pytest.raises(metalmom.ParameterError, match=r"^[DSxy]="):
            call()
