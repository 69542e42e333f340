"""audioFlux: its mel spectrogram and MFCC of 2048/512, in its own conventions."""

import audioflux as af
from audioflux.type import SpectralDataType, SpectralFilterBankScaleType, WindowType

NAME = "audioFlux"
LIKE_LIBROSA = frozenset()

BFT = af.BFT(num=128, radix2_exp=11, samplate=22050, slide_length=512,
             window_type=WindowType.HANN, data_type=SpectralDataType.POWER,
             scale_type=SpectralFilterBankScaleType.MEL)  # fmt: skip
XXCC = af.XXCC(num=128)


def mel(y):
    return BFT.bft(y, result_type=1)


def mfcc(y):
    power = mel(y)
    XXCC.set_time_length(time_length=power.shape[-1])
    return XXCC.xxcc(power, cc_num=13)


SOLVE = {"melspectrogram": mel, "mfcc": mfcc}


def VERSION():
    return af.__version__


def threads(n):
    """It has no such setting; OpenMP's environment variable is set before the import."""
