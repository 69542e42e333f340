"""Features of features beyond their reference cases."""

import metalmom
import numpy as np
import pytest
from metalmom import feature


def test_delta_of_a_polynomial_is_its_derivative():
    t = np.arange(40.0)
    cubic = 0.01 * t**3 - t**2 + 3
    np.testing.assert_allclose(
        feature.delta(cubic, width=11, polyorder=3), 0.03 * t**2 - 2 * t, atol=1e-9
    )
    np.testing.assert_allclose(
        feature.delta(cubic, width=11, order=2, polyorder=3), 0.06 * t - 2, atol=1e-9
    )


def test_hybrid_has_the_frames_that_both_of_its_parts_have():
    """cqt halves 20,479 samples to 10,240, which hold one hop of 256 more than those do of 512."""
    y = np.random.default_rng(0).standard_normal(512 * 40 - 1).astype(np.float32)
    assert metalmom.cqt(y, n_bins=36).shape == (36, 41)
    assert metalmom.hybrid_cqt(y).shape == (84, 40)


def test_stacked_frames_far_out_cost_no_memory():
    stacked = feature.stack_memory(np.ones((2, 3)), n_steps=2, delay=10**12)
    np.testing.assert_array_equal(stacked, [[1, 1, 1], [1, 1, 1], [0, 0, 0], [0, 0, 0]])


def test_a_degree_that_bins_cannot_determine_warns():
    S = np.abs(np.random.default_rng(0).standard_normal((257, 3)))
    with pytest.warns(getattr(np, "exceptions", np).RankWarning):
        feature.poly_features(S=S, order=40)


def test_fits_of_audio_are_those_of_its_spectrogram():
    y = np.random.default_rng(1).standard_normal(8000)
    of_audio = feature.poly_features(y=y, order=2, n_fft=512, hop_length=128)
    of_magnitudes = feature.poly_features(S=np.abs(metalmom.stft(y, n_fft=512)), order=2)
    np.testing.assert_allclose(of_audio, of_magnitudes, rtol=1e-8, atol=1e-15)


def test_cepstra_lead_back_to_mel_bands():
    rng = np.random.default_rng(2)
    mel = rng.uniform(0.1, 10, (40, 12))
    for norm in ("ortho", None):
        mfcc = feature.mfcc(S=metalmom.power_to_db(mel), n_mfcc=40, norm=norm, lifter=12.5)
        again = feature.inverse.mfcc_to_mel(mfcc, n_mels=40, norm=norm, lifter=12.5)
        np.testing.assert_allclose(again, mel, rtol=1e-9)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda x: feature.delta(x, width=5.0), "width=5.0 must be"),
        (lambda x: feature.delta(x + 0j), "data.dtype=complex128 must be real"),
        (lambda x: feature.delta(x, window=3), "window=3 must not be given"),
        (lambda x: feature.delta(np.full(20, np.nan)), "data must be finite"),
        (lambda x: feature.stack_memory(x, delay=1.5), "delay=1.5 must be"),
        (lambda x: feature.stack_memory(x, n_steps=2.0), "n_steps=2.0 must be"),
        (lambda x: feature.chroma_cqt(y=x[0], cqt_mode="half"), "cqt_mode='half' must be"),
        (lambda x: metalmom.beat.plp(onset_envelope=x[0], tempo_min=61, tempo_max=62), "a bin"),
        (lambda x: metalmom.beat.plp(onset_envelope=x[0] * np.nan), "onset_envelope must be finite"),
        (lambda x: feature.stack_memory(x, n_steps=10**10), "n_steps=10000000000 must be smaller: 68"),
        (lambda x: feature.stack_memory(x, delay=10**14, mode="edge", n_steps=10**12), "n_steps=10"),
        (lambda x: feature.stack_memory(x, delay=-(10**14), mode="reflect"), "delay=-1000000000"),
        (lambda x: feature.delta(x, width=10**12 + 1, mode="nearest"), "1000000000001 must be smaller"),
        (lambda x: feature.poly_features(S=np.abs(x), n_fft=4, order=10**6), "order=1000000 must be"),
        (lambda x: feature.poly_features(S=x, freq=x * np.nan), "freq must be finite"),
        (lambda x: feature.poly_features(S=x, freq=x[:, 0] / 99, order=10**12), "order=10000000000"),
        (lambda x: feature.tempo(onset_envelope=x[0], ac_size=10**9), "ac_size=1000000000 must be"),
        (lambda x: feature.tempo(y=x[0], ac_size=10**9), "ac_size=1000000000 must be smaller"),
        (lambda x: feature.tempo(onset_envelope=x[0], hop_length=0), "hop_length=0 must be a number > 0"),
        (lambda x: metalmom.beat.plp(onset_envelope=x[0], hop_length=-1), "hop_length=-1 must be"),
        (lambda x: metalmom.beat.plp(onset_envelope=[1.0, 2.0]), "onset_envelope=list must be"),
        (lambda x: feature.fourier_tempogram(onset_envelope=x[0] > 0), "onset_envelope.dtype=bool must be"),
        (lambda x: metalmom.segment.cross_similarity(x, x * np.nan), "data_ref must be finite"),
        (lambda x: feature.chroma_stft(S=np.abs(x[:1]), tuning=0.0), "S.shape[-2]=1 must be at least 2"),
        (lambda x: feature.chroma_stft(S=np.abs(x[:0])), "S.shape[-2]=0 must be at least 2"),
        (lambda x: feature.chroma_cens(C=np.ones((84, 3)), win_len_smooth=10**12), "win_len_smooth=10000"),
        (lambda x: feature.poly_features(S=np.abs(x[:1])), "freq=None must be given where S.shape[-2]=1"),
    ],
)
def test_refusals_name_what_was_given(call, words):
    with pytest.raises(metalmom.ParameterError) as refused:
        call(np.random.default_rng(3).standard_normal((3, 30)))
    assert words in str(refused.value)


def test_a_wide_window_takes_no_matrix_of_its_square():
    x = np.arange(30.0)
    np.testing.assert_allclose(
        feature.delta(x, width=200_001, mode="mirror"), np.zeros(30), atol=1e-3
    )
    line = 2 * np.arange(200_001.0)
    np.testing.assert_allclose(feature.delta(line, width=200_001), 2, rtol=1e-9)


def test_pitch_classes_of_a_constant_q_transform_have_the_precision_of_their_window():
    C = np.abs(np.random.default_rng(0).standard_normal((84, 5))).astype(np.float32)
    for dtype in (np.float32, np.float64):
        window = np.hanning(5).astype(dtype)
        chroma = feature.chroma_cqt(C=C, window=window, norm=None, threshold=None)
        expected = metalmom.filters.cq_to_chroma(84, bins_per_octave=36, window=window) @ C
        assert chroma.dtype == expected.dtype == dtype
        np.testing.assert_allclose(chroma, expected, rtol=1e-5)
