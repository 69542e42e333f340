"""Calls what needs packages that are not installed; prints, as JSON, who said what.

    python calls_without_packages.py

Run by test_missing_packages.py in a process of its own, in which these packages cannot be imported.
"""

import inspect
import json
import operator
import sys
import tempfile
import warnings

sys.modules.update(dict.fromkeys(["matplotlib", "onnxruntime", "resampy", "samplerate", "scipy"]))

import hostile_calls  # noqa: E402
import metalmom  # noqa: E402
import numpy as np  # noqa: E402
from reference_cases import all_cases  # noqa: E402
from reference_signals import resolve  # noqa: E402

Y = np.sin(np.arange(8192) * 0.1).astype(np.float32)
SPECTRUM = np.abs(metalmom.stft(Y))


def reference_calls():
    """(name, function, arguments) of every reference case."""
    for case in all_cases():
        yield case.function, *resolve((case.args, case.kwargs))


def calls_with_a_window():
    """Those of every public function that has a window, with one of SciPy's."""
    for name, function in hostile_calls.functions():
        if "window" in inspect.signature(function).parameters:
            arguments, _ = hostile_calls.arguments_of(name, function)
            yield name, (), {**arguments, "window": "taylor"}


def further_calls():
    links = np.eye(9, dtype=np.float16)
    yield "segment.recurrence_matrix", (SPECTRUM,), {"sparse": True}
    yield "segment.cross_similarity", (SPECTRUM, SPECTRUM), {"sparse": True}
    yield "segment.path_enhance", (links, 3), {"n_filters": 1, "max_ratio": 1.0}
    yield "feature.mfcc", (), {"y": Y, "window": "taylor"}
    for method in ("linear", "kaiser_fast"):
        yield "resample", (Y,), {"orig_sr": 2, "target_sr": 1, "res_type": method}


def calls_by_other_ways():
    """Calls of classes, and of functions by way of others."""
    streaming, taylor = metalmom.streaming, {"window": "taylor"}
    for name in ("MFCC", "MelSpectrogram", "OnsetStrength", "STFT", "SpectralCentroid", "ISTFT"):
        yield name, lambda name=name: getattr(streaming, name)(**taylor)
    yield "ChromaSTFT", lambda: streaming.ChromaSTFT(tuning=0.0, **taylor)
    yield "stft", lambda: streaming.Extractor({"stft": taylor})
    iirt = metalmom.Extractor(["iirt"])
    yield "iirt", lambda: iirt(Y)
    yield "iirt", lambda: iirt.map([Y])
    yield "mfcc", lambda: metalmom.Extractor({"mfcc": taylor}).graph()
    yield "mfcc", lambda: metalmom.Extractor({"mfcc": taylor})(Y)
    yield "Session", lambda: metalmom.nn.Session("model.onnx")
    with tempfile.NamedTemporaryFile() as model:
        model.write(b"\x3a\x04\x2a\x02\x10\x0a")  # a graph of one tensor in float16
        model.flush()
        yield "check", lambda: metalmom.nn.check(model.name, np.zeros(1))
    yield "iirt", lambda: metalmom.submit(metalmom.iirt, Y).result()


def pictures():
    display = metalmom.display
    yield "colorbar_db", lambda: display.colorbar_db(None)
    yield "colorbar_phase", lambda: display.colorbar_phase(None)
    yield "highlight", lambda: display.highlight()
    yield "infer_cmap", lambda: display.infer_cmap(SPECTRUM)
    yield "legend_for_axes", lambda: display.legend_for_axes()
    yield "multiplot", lambda: display.multiplot("specshow", SPECTRUM)
    yield "specshow", lambda: display.specshow(SPECTRUM)
    yield "wavebars", lambda: display.wavebars(Y)
    yield "wavef0", lambda: display.wavef0(Y, f0=np.full(17, 440.0))
    yield "waveshow", lambda: display.waveshow(Y)


def named_calls():
    """(the name that must be told, call)."""
    for calls in (reference_calls, calls_with_a_window, further_calls):
        for name, args, kwargs in calls():
            function = operator.attrgetter(name)(metalmom)
            yield name, lambda: function(*args, **kwargs)  # noqa: B023
    yield from calls_by_other_ways()
    yield from pictures()


def main():
    warnings.simplefilter("ignore")
    told = []
    for name, call in named_calls():
        try:
            call()
        except ImportError as error:
            told.append((name, type(error).__name__, str(error)))
        except Exception:  # a case of what is refused
            continue
    print(json.dumps(told))


if __name__ == "__main__":
    main()
