"""The problems of problems/functions.py in librosa's words."""

import numpy as np

EDGES = np.arange(0, 640_000, 20_480)
HARMONICS = [0.5, 1, 2, 3, 4]


def solve(lib):
    feature, segment, sequence, effects = lib.feature, lib.segment, lib.sequence, lib.effects
    return {
        "cqt": lambda y: lib.cqt(y),
        "vqt": lambda y: lib.vqt(y),
        "hybrid_cqt": lambda y: lib.hybrid_cqt(y),
        "pseudo_cqt": lambda y: lib.pseudo_cqt(y),
        "icqt": lambda C: lib.icqt(C),
        "griffinlim_cqt": lambda C: lib.griffinlim_cqt(C, n_iter=8, init=None),
        "yin": lambda y: lib.yin(y, fmin=65.0, fmax=2093.0),
        "pyin": lambda y: lib.pyin(y, fmin=65.0, fmax=2093.0),
        "phase_vocoder": lambda D: lib.phase_vocoder(D, rate=1.3),
        "reassigned_spectrogram": lambda y: lib.reassigned_spectrogram(y),
        "iirt": lambda y: lib.iirt(y),
        "salience": lambda S, freqs: lib.salience(S, freqs=freqs, harmonics=HARMONICS),
        "interp_harmonics": lambda S, freqs: lib.interp_harmonics(
            S, freqs=freqs, harmonics=HARMONICS
        ),
        "f0_harmonics": lambda S, freqs, f0: lib.f0_harmonics(
            S, f0=f0, freqs=freqs, harmonics=HARMONICS
        ),
        "mu_compress": lambda y: lib.mu_compress(np.clip(y, -1, 1)).astype(np.float32),
        "nnls": lambda B: lib.util.nnls(lib.filters.mel(sr=22050, n_fft=2048), B),
        "sparsify_rows": lambda S: lib.util.sparsify_rows(S, quantile=0.01),
        "chroma_cqt": lambda y: feature.chroma_cqt(y=y),
        "chroma_cens": lambda y: feature.chroma_cens(y=y),
        "chroma_vqt": lambda y: feature.chroma_vqt(y=y, intervals="equal", bins_per_octave=12),
        "tonnetz": lambda y: feature.tonnetz(y=y),
        "time_stretch": lambda y: effects.time_stretch(y, rate=1.3),
        "pitch_shift": lambda y: effects.pitch_shift(y, sr=22050, n_steps=3),
        "mel_to_stft": lambda M: feature.inverse.mel_to_stft(M),
        "mel_to_audio": lambda M: feature.inverse.mel_to_audio(M, n_iter=8),
        "tempogram_ratio": lambda y: feature.tempogram_ratio(y=y),
        "hybrid_tempogram": lambda y: feature.hybrid_tempogram(y=y),
        "deemphasis": lambda y: effects.deemphasis(y),
        "dtw": lambda X, Y: sequence.dtw(X, Y),
        "rqa": lambda sim: sequence.rqa(sim),
        "viterbi of 300 states": lambda p: sequence.viterbi(
            p, sequence.transition_loop(len(p), 0.9)
        ),
        "viterbi of 61 states": lambda p: sequence.viterbi(
            p, sequence.transition_loop(len(p), 0.9)
        ),
        "recurrence_matrix": lambda X: segment.recurrence_matrix(X),
        "cross_similarity": lambda X, Y: segment.cross_similarity(X, Y),
        "nn_filter": lambda S: lib.decompose.nn_filter(S),
        "path_enhance": lambda R: segment.path_enhance(R, 51),
        "poly_features": lambda S: feature.poly_features(S=S),
        "plp": lambda envelope: lib.beat.plp(onset_envelope=envelope),
        "delta": lambda B: feature.delta(B),
        "agglomerative": lambda X: segment.agglomerative(X, 20),
        "subsegment": lambda X: segment.subsegment(
            X, np.arange(0, X.shape[1], 40), n_segments=4
        ),
        "trim": lambda y: effects.trim(y),
        "split": lambda y: effects.split(y),
        "remix": lambda y: effects.remix(
            y, np.stack([EDGES, EDGES + 20_480], axis=1)[EDGES + 20_480 < y.size][::-1]
        ),
        "fmt": lambda y: lib.fmt(y[:2000]),
    }
