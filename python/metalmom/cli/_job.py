"""Arguments of the main job: librosa's defaults, but for the number of coefficients.

cpp/tools/main_job.hpp has the same for the job without Python.
"""

from .. import _native

SR = int(_native.defaults["sr"])
N_FFT = _native.defaults["n_fft"]
HOP_LENGTH = _native.defaults["hop_length"]
N_MFCC = 13
