"""Arguments that are words: an array in such a place is refused by name, without NumPy's warnings."""

import warnings

import numpy as np
import pytest

import metalmom

Y = np.sin(np.arange(8192) * 0.1).astype(np.float32)
S = np.abs(metalmom.stft(Y, n_fft=256))

CALLS = {
    "res_type": lambda word: metalmom.resample(Y, orig_sr=2, target_sr=1, res_type=word),
    "init": lambda word: metalmom.griffinlim(S, init=word),
    "flayout": lambda word: metalmom.iirt(Y, flayout=word),
    "units": lambda word: metalmom.onset.onset_detect(y=Y, units=word),
    "cqt_mode": lambda word: metalmom.feature.chroma_cens(y=Y, cqt_mode=word),
    "mode": lambda word: metalmom.feature.delta(S, mode=word),
    "norm": lambda word: metalmom.feature.inverse.mfcc_to_mel(S[:20], norm=word),
    "dct_type": lambda word: metalmom.feature.inverse.mfcc_to_mel(S[:20], dct_type=word),
    "method": lambda word: metalmom.util.peak_pick(
        Y, pre_max=3, post_max=3, pre_avg=3, post_avg=3, delta=0.1, wait=1, method=word
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_array_is_no_word(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(metalmom.ParameterError, match=f"^{name}="):
            CALLS[name](np.zeros(5))


@pytest.mark.parametrize("mode", [np.zeros(5), np.array(["distance", "affinity"]), "distances"])
def test_links_have_a_mode_of_three(mode):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(metalmom.ParameterError, match="^mode=.*must be one of 'connectivity'"):
            metalmom.segment.recurrence_matrix(S[:, :40], mode=mode)
