"""nnls: what librosa's stops at is reached or bettered, and nothing is negative."""

import metalmom
import numpy as np
import pytest
from metalmom.util.exceptions import ParameterError


def residual(A, B, X):
    return float(np.sum((A.astype(np.float64) @ X - B) ** 2))


def mel_problem(rng):
    """A spectrogram with few partials, and its mel bands: many spectra have the same ones."""
    A = metalmom.filters.mel(sr=22050, n_fft=512, n_mels=30)
    S = rng.random((257, 24)) ** 20 * 3e4
    return A, A @ S.astype(np.float32)


def test_less_residual_than_its_start_where_that_is_not_flat(rng):
    A, B = mel_problem(rng)
    start = np.clip(np.linalg.pinv(A.astype(np.float64)) @ B, 0, None)
    X = metalmom.util.nnls(A, B)
    assert X.dtype == np.float32 and X.shape == (257, 24) and X.flags.c_contiguous
    assert X.min() >= 0
    assert residual(A, B, X) < 0.05 * residual(A, B, start)


def test_a_start_that_is_flat_stays(rng):
    A, B = mel_problem(rng)
    small = B * np.float32(1e-5)
    start = np.clip(np.linalg.pinv(A.astype(np.float64)) @ small, 0, None)
    X = metalmom.util.nnls(A, small)
    assert np.abs(X - start).max() <= 1e-6 * start.max()


def test_a_unique_solution_is_found(rng):
    A = rng.random((30, 6))
    B = A @ np.maximum(rng.standard_normal((6, 20)), 0) + 0.1 * rng.standard_normal((30, 20))
    X = metalmom.util.nnls(A, B, pgtol=1e-9)
    gradient = A.T @ (A @ X - B)
    assert X.min() == 0
    assert np.abs(gradient[X > 0]).max() < 1e-6
    assert gradient.min() > -1e-6


def test_columns_channels_and_threads_change_no_bit(rng):
    A, B = mel_problem(rng)
    X = metalmom.util.nnls(A, B)
    assert np.array_equal(metalmom.util.nnls(A, np.stack([B, B]))[1], X)
    with metalmom.config_context(threads=3):
        assert np.array_equal(metalmom.util.nnls(A, B), X)


@pytest.mark.parametrize(
    ("A", "B", "name"),
    [
        (np.ones((3, 2)), np.ones((2, 4)), "B.shape"),
        (np.ones(3), np.ones((3, 4)), "A.shape"),
        (np.ones((3, 2)), np.full((3, 4), np.nan), "B"),
        (np.ones((3, 2)), np.ones((3, 0)), "B.shape"),
        (np.ones((3, 2)), np.ones((3, 4)) * 1j, "B"),
        ([[1.0]], np.ones((1, 4)), "A"),
    ],
)
def test_what_fits_not_is_named(A, B, name):
    with pytest.raises(ParameterError, match=f"^{name}"):
        metalmom.util.nnls(A, B)


def test_a_basis_of_zeros_has_the_solution_zero():
    assert not metalmom.util.nnls(np.zeros((3, 2)), np.ones((3, 4))).any()
