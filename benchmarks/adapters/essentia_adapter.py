"""Essentia's standard mode: frame by frame from Python, in its own conventions."""

import essentia
import essentia.standard as es
import numpy as np

essentia.log.infoActive = False

NAME = "essentia"
LIKE_LIBROSA = frozenset()

WINDOW = es.Windowing(type="hann", size=2048)
SPECTRUM = es.Spectrum(size=2048)
MEL = es.MelBands(numberBands=128, inputSize=1025, sampleRate=22050, highFrequencyBound=11025)
MFCC = es.MFCC(numberBands=128, numberCoefficients=13, inputSize=1025, sampleRate=22050,
               highFrequencyBound=11025)  # fmt: skip


def frames(y):
    return es.FrameGenerator(y, frameSize=2048, hopSize=512, startFromZero=False)


SOLVE = {
    "melspectrogram": lambda y: np.stack([MEL(SPECTRUM(WINDOW(f))) for f in frames(y)]),
    "mfcc": lambda y: np.stack([MFCC(SPECTRUM(WINDOW(f)))[1] for f in frames(y)]),
}


def VERSION():
    return essentia.__version__


def threads(n):
    """It computes on the calling thread."""
