"""torchaudio's CPU path, NumPy to NumPy, its transforms built once as its users do."""

import torch
import torchaudio
from torchaudio.transforms import MFCC, MelSpectrogram, Resample, Spectrogram

NAME = "torchaudio"
# With Slaney's mel scale and norm. It resamples by another filter.
LIKE_LIBROSA = frozenset({"melspectrogram", "mfcc", "stft"})

MEL = dict(n_fft=2048, hop_length=512, n_mels=128, norm="slaney", mel_scale="slaney",
           pad_mode="constant")  # fmt: skip
MODULES = {
    "melspectrogram": MelSpectrogram(22050, **MEL),
    "mfcc": MFCC(22050, n_mfcc=13, melkwargs=MEL),
    "stft": Spectrogram(2048, hop_length=512, power=None, pad_mode="constant"),
    "resample": Resample(22050, 16000),
}


def numpy_to_numpy(module):
    def call(y):
        with torch.inference_mode():
            return module(torch.from_numpy(y)).numpy()

    return call


SOLVE = {name: numpy_to_numpy(module) for name, module in MODULES.items()}


def VERSION():
    return torchaudio.__version__


def threads(n):
    torch.set_num_threads(n)
