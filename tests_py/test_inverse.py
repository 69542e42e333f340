"""Back from mel bands and cepstra: what comes out has the bands that went in."""

import metalmom
import numpy as np
import pytest
import reference_signals as s
from metalmom.feature import inverse


@pytest.mark.parametrize("options", [{}, {"power": 1.0}, {"htk": True, "fmax": 8000.0}])
def test_spectrograms_have_the_bands_they_were_made_of(options):
    y = s.music.get()
    mel_options = {k: v for k, v in options.items() if k != "power"}
    M = metalmom.feature.melspectrogram(y=y, n_mels=64, power=options.get("power", 2.0), **mel_options)
    S = inverse.mel_to_stft(M, **options)
    assert S.shape == (1025, M.shape[-1]) and S.dtype == np.float32 and S.min() >= 0
    again = metalmom.feature.melspectrogram(
        S=S ** options.get("power", 2.0), n_mels=64, **mel_options
    )
    # Not every M is the bands of a spectrum without negative values: the nearest is taken.
    assert np.linalg.norm(again - M) < 0.06 * np.linalg.norm(M)


def test_several_channels_and_double():
    M = s.mel_stereo.get().astype(np.float64)
    S = inverse.mel_to_stft(M, n_fft=512)
    assert S.shape == (2, 257, M.shape[-1]) and S.dtype == np.float64
    np.testing.assert_allclose(S[1], inverse.mel_to_stft(M[1], n_fft=512), atol=1e-12)


def test_audio_sounds_like_its_bands():
    y = s.music.get()
    M = metalmom.feature.melspectrogram(y=y)
    again = inverse.mel_to_audio(M, n_iter=16, length=y.size)
    assert again.shape == y.shape and again.dtype == np.float32
    error = metalmom.feature.melspectrogram(y=again) - M
    assert np.linalg.norm(error) < 0.3 * np.linalg.norm(M)
    mfcc = metalmom.feature.mfcc(y=y, n_mfcc=128)
    of_cepstra = inverse.mfcc_to_audio(mfcc, n_iter=16)
    error = metalmom.feature.melspectrogram(y=of_cepstra) - M[:, : 1 + of_cepstra.size // 512]
    assert np.linalg.norm(error) < 0.3 * np.linalg.norm(M)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda M: inverse.mel_to_stft(M, power=0), "power=0 must be"),
        (lambda M: inverse.mel_to_stft(M[0]), "M.shape=(50,) must be"),
        (lambda M: inverse.mfcc_to_mel(M, dct_type=5), "dct_type=5 must be"),
        (lambda M: inverse.mfcc_to_mel(M, norm="forward"), "norm='forward' must be"),
        (lambda M: inverse.mfcc_to_mel(M, n_mels=0), "n_mels=0 must be"),
        (lambda M: inverse.mfcc_to_mel(M, n_mels=10**9), "n_mels=1000000000 must be smaller: 7.5e+09 GiB"),
    ],
)
def test_refusals_name_what_was_given(call, words):
    with pytest.raises(metalmom.ParameterError) as refused:
        call(s.mel.get())
    assert words in str(refused.value)


def test_liftering_to_nothing_warns():
    with pytest.warns(UserWarning, match="lifter=2"):
        inverse.mfcc_to_mel(np.zeros((8, 3)), lifter=2)
