"""A forced GPU where there is none: no driver, or a build without the GPU engine."""

from processes import run_python

MISSING = {"VK_ICD_FILENAMES": "/nonexistent.json", "VK_DRIVER_FILES": "/nonexistent.json"}


def test_an_extractor_refuses_as_the_single_calls_do():
    code = """
import numpy as np, metalmom
y = np.random.default_rng(0).uniform(-1, 1, 22050).astype(np.float32)
metalmom.set_config(backend="gpu")
clips = [y] * 40
for call in (
    lambda: metalmom.feature.mfcc(y=y),
    lambda: metalmom.feature.chroma_stft(y=y),
    lambda: metalmom.Extractor(["mfcc"])(y),
    lambda: metalmom.Extractor(["chroma_stft", "rms", "onset_strength"])(y),
    lambda: metalmom.Extractor(["mfcc"])(y.astype(np.float64)),
    lambda: metalmom.Extractor(["mfcc"]).map(clips),
    lambda: metalmom.to_device(y),
):
    try:
        call()
    except metalmom.DeviceError as error:
        print(str(error).removeprefix("clips[0]: "))
    else:
        print("ran")
"""
    said = run_python(code, **MISSING).splitlines()
    assert said[0].startswith("no GPU: ")
    # Of float64 the GPU's precision is named where there is an engine.
    assert [each for each in said if "float64" not in each] == [said[0]] * (6 if len(set(said)) > 1 else 7)
