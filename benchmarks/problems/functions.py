"""Problems of the rest of librosa: constant-Q, pitch, inverses, structure, sequences, effects.

Inputs are made of the signal by NumPy alone, so that every library gets the same.
"""

import dataclasses

import numpy as np


def chroma(spectrum):
    """Energies of 12 pitch classes: what is compared from frame to frame."""
    power = np.abs(spectrum[1:]) ** 2
    classes = np.round(12 * np.log2(np.arange(1, len(power) + 1))).astype(int) % 12
    rows = np.stack([power[classes == k].sum(axis=0) for k in range(12)])
    return (rows / (rows.max(axis=0) + 1e-9)).astype(np.float32)


def constant_q(y):
    """84 rows that look like a constant-Q transform's: values of a spectrum, around each pitch."""
    frames = np.lib.stride_tricks.sliding_window_view(np.pad(y, 1024), 2048)[::512]
    spectrum = np.fft.rfft(frames).astype(np.complex64).T
    bins = np.round(32.7 * 2 ** (np.arange(84) / 12) * 2048 / 22050).astype(int)
    return np.asfortranarray(spectrum[np.minimum(bins, 1024)] / 32)


def similarity(features, k=51):
    """Affinities of the k nearest frames, as a matrix with zeros."""
    x = features.T.astype(np.float64)
    squares = (x * x).sum(axis=1)
    distance = np.sqrt(np.maximum(squares[:, None] + squares - 2 * x @ x.T, 0))
    limit = np.partition(distance, k, axis=1)[:, k : k + 1]
    return np.where(distance <= limit, np.exp(-distance), 0)


def problems(Problem, spectrum, magnitude, bands):
    """All of them, of the package's class and inputs."""

    def features(y):
        return (chroma(*spectrum(y)),)

    def two_sequences(y):
        x = chroma(*spectrum(y))
        return x[:, ::2], x[:, 1::3]

    def states(n):
        def probabilities(y):
            x = np.abs(spectrum(y)[0][1 : n + 1]) + 1e-6
            return (x / x.sum(axis=0),)

        return probabilities

    def envelope(y):
        return (np.maximum(np.diff(np.log(bands(y)[0] + 1e-3), prepend=0), 0).mean(axis=0),)

    def with_frequencies(y):
        return magnitude(y)[0], np.fft.rfftfreq(2048, 1 / 22050)

    def with_f0(y):
        S, frequencies = with_frequencies(y)
        return S, frequencies, 200 + 100 * np.sin(np.arange(S.shape[1]) / 50)

    def constant_q_input(y):
        return (constant_q(y),)

    def similarities(y):
        return (similarity(*features(y)),)

    mixed = Problem("?", seconds=(30,), batch=False)

    def problem(name, make_input=None, tolerance=1e-5):
        made = {} if make_input is None else {"make_input": make_input}
        return dataclasses.replace(mixed, name=name, tolerance=tolerance, **made)

    return (
        *map(problem, ("cqt", "vqt", "hybrid_cqt", "pseudo_cqt", "yin", "pyin")),
        problem("icqt", constant_q_input, tolerance=1e-4),  # no transform of audio: much cancels
        # As for griffinlim: each iteration amplifies the rounding of the last.
        problem("griffinlim_cqt", lambda y: (np.abs(constant_q(y)),), tolerance=1e-3),
        problem("phase_vocoder", spectrum, tolerance=1e-4),
        problem("reassigned_spectrogram"),
        problem("iirt"),
        problem("salience", with_frequencies),
        problem("interp_harmonics", with_frequencies),
        problem("f0_harmonics", with_f0),
        problem("mu_compress"),
        # librosa stops early, where its optimiser does; ours has the lesser residual.
        problem("nnls", lambda y: (bands(y)[0][:, :400],), tolerance=0.2),
        problem("sparsify_rows", magnitude),
        *map(problem, ("chroma_cqt", "chroma_cens", "chroma_vqt", "tonnetz")),
        problem("time_stretch", tolerance=3e-3),
        problem("pitch_shift", tolerance=3e-3),
        problem("mel_to_stft", bands, tolerance=0.3),  # as nnls
        problem("mel_to_audio", bands, tolerance=np.inf),  # from random phases, without a seed
        *map(problem, ("tempogram_ratio", "hybrid_tempogram", "deemphasis")),
        problem("dtw", two_sequences),
        problem("rqa", lambda y: (similarity(*features(y))[:1000, :1000],)),
        problem("viterbi of 300 states", states(300)),
        problem("viterbi of 61 states", states(61)),
        problem("recurrence_matrix", features),
        problem("cross_similarity", two_sequences),
        problem("nn_filter", magnitude),
        problem("path_enhance", similarities),
        problem("poly_features", magnitude),
        problem("plp", envelope),
        problem("delta", bands),
        problem("agglomerative", features),
        problem("subsegment", features),
        *map(problem, ("trim", "split", "remix", "fmt")),
    )
