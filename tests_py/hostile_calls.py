"""Calls every public function with hostile values of each argument; prints what must not come out.

    python hostile_calls.py FOLDER [FUNCTION...]

Run by test_hostile.py in a process of its own: what is looked for are crashes and hangs, too. What
may come out of a call is a result, or an error that names an argument of the function.
"""

import inspect
import itertools
import json
import os
import pathlib
import re
import resource
import sys
import warnings

import metalmom
import numpy as np
from metalmom.util._signatures import rules
from metalmom.util._rules import ANYTHING

# Values of arguments that a call cannot do without, by name; functions that mean something else by
# a name have their own.
SPECTRUM = np.abs(np.random.default_rng(0).standard_normal((33, 9))).astype(np.float32)
SIGNAL = np.sin(np.arange(512) * 0.1).astype(np.float32)
SERIES = np.tile([1.0, 0.0, 0.2, 0.0], 10)
MODEL = (lambda segment: segment[np.newaxis],
         {"kind": "waveform", "sr": 22050, "channels": 1, "stems": ["all"], "segment": 0.01})  # fmt: skip
VALUES = {
    **dict.fromkeys(("y", "signals"), SIGNAL),
    **{"model": MODEL, "out": "stems", "seconds": 0.1, "segments": [*metalmom.segments(SIGNAL, 100)]},
    **dict.fromkeys(("S", "X", "X_ref", "S_db", "C"), SPECTRUM),
    **dict.fromkeys(("D", "stft_matrix"), SPECTRUM.astype(np.complex64)),
    **dict.fromkeys(("x", "data", "onset_envelope"), SERIES),
    **dict.fromkeys(("n_fft", "frame_length"), 64),
    **dict.fromkeys(("frames", "samples", "blocks", "events", "events_from", "events_to"), [0, 3]),
    **dict.fromkeys(("notes", "mels", "octs", "times", "frequencies", "A4"), np.array([3.0, 40.0])),
    **dict.fromkeys(("intervals", "intervals_from", "intervals_to"), np.array([[0.0, 1.0]])),
    **dict.fromkeys(("pre_max", "post_max", "pre_avg", "post_avg", "delta", "wait"), 1),
    **dict.fromkeys(("n_bins", "n_frames", "block_length", "Nx", "size", "n_input"), 40),
    **{"sr": 22050, "orig_sr": 22050, "target_sr": 11025, "hop_length": 16, "length": 100},
    **{"fmin": 100.0, "fmax": 4000.0, "frequency": 440.0, "tuning": 0.0, "duration": 0.01},
    **{"window": "hann", "note": "A4", "idx": [2, 4], "energy": SERIES, "d": np.float32, "ndim": 2},
    **dict.fromkeys(("left", "right"), SIGNAL),
    **dict.fromkeys(("M", "mfcc", "sim", "tg"), SPECTRUM),
    **{"A": np.eye(33), "B": SPECTRUM, "angles": SERIES, "freqs": np.arange(33.0), "f0": 440.0},
    **{"harmonics": [1, 2], "interval": 1.5, "primes": [3, 5], "fifths": 3, "unison": "C"},
    **{"key": "C:maj", "mela": 1, "thaat": "kafi", "Sa": 60, "midi": 60, "order": 4, "n": 5},
    **{"n_states": 2, "prob": [0.5, 0.5], "transition": np.full((2, 2), 0.5), "width": 1},
    **{"n_steps": 1.0, "rate": 2.0, "k": 3, "radius": 0.1, "lag": np.eye(9), "rec": np.eye(9)},
    **{"R": np.eye(9), "data_ref": SERIES, "steps": np.zeros((3, 3), int)},
    **{"axes": [0], "times": np.array([0.0, 0.01]), "path": "short.wav", "cast": np.floor},
}
OWN_VALUES = {
    **{"sequence." + name: {"prob": np.full((2, 9), 0.5)}
       for name in ("viterbi", "viterbi_binary", "viterbi_discriminative")},
    "util.valid_int": {"x": 1.5},
    "util.is_positive_int": {"x": 1},
    "util.frame": {"frame_length": 8, "hop_length": 4},
    "get_duration": {"path": None},
    "feature.chroma_vqt": {"intervals": "equal"},
    "tone": {"length": 100},
    "chirp": {"length": 100},
    # Filters of 1 Hz last minutes, at a high rate.
    "icqt": {"sr": 2205},
    "griffinlim_cqt": {"n_iter": 1, "sr": 2205},
    "pseudo_cqt": {"n_bins": 12, "sr": 2205},
    **{f"feature.chroma_{name}": {"n_octaves": 1, "sr": 2205} for name in ("cqt", "cens")},
    # Eight seconds in steps of a sample are 176,400 lags a frame.
    "feature.tempo": {"ac_size": 0.1},
    "demo.write_wav": {"duration": 0.1},
}
HOSTILE = {
    "object()": type("Anything", (), {"__repr__": lambda self: "<anything>"})(),
    "None": None,
    "0": 0,
    "-1": -1,
    "1.5": 1.5,
    "nan": np.nan,
    "inf": np.inf,
    "10**18": 10**18,
    "10**30": 10**30,
    "'nope'": "nope",
    "[0.1]": [0.1],
    "empty": np.empty(0, np.float32),
    "0-d": np.array(1.0),
    "texts": np.array(["a", "b"]),
    "True": True,
    "1j": 1j,
    "b'x'": b"x",
    "{}": {},
}
# These start a device, which takes seconds, or print.
LEFT_OUT = {"gpu_warmup", "to_device", "show_versions"}
# `core` has the names of the package; pictures take their time, and matplotlib has its own errors.
OTHER = {"core", "display"}
# What would really last that long.
ENDLESS = {("griffinlim", "n_iter"), ("griffinlim_cqt", "n_iter"), ("resample", "orig_sr"), ("load", "sr"), ("stream", "sr"), ("separate", "sr")}

INTERNAL = re.compile(r"incompatible (function|constructor)|Invoked with|std::|vector|_native|\b_\w+\(")


def functions():
    """(name, function) of all that is public, once each."""
    seen = set()
    modules = [("", metalmom)] + [
        (name + ".", value)
        for name, value in sorted((each, getattr(metalmom, each)) for each in metalmom.__all__)
        if inspect.ismodule(value) and name not in OTHER
    ]
    for prefix, module in modules:
        for name in sorted(module.__all__):
            function = getattr(module, name, None)  # display has some where matplotlib is installed
            if inspect.isfunction(function) and function not in seen and name not in LEFT_OUT:
                seen.add(function)
                yield prefix + name, function


def arguments_of(name, function):
    """Values for an ordinary call, and the names of all arguments that there are."""
    ordinary, names = {}, []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        names.append(parameter.name)
        own = OWN_VALUES.get(name, {})
        if parameter.name in own:
            ordinary[parameter.name] = own[parameter.name]
        elif parameter.default is parameter.empty:
            ordinary[parameter.name] = VALUES.get(parameter.name, SERIES)
        elif parameter.name in ("y", "n_fft", "hop_length", "frame_length", "win_length"):
            small = {"y": SIGNAL, "n_fft": 64, "hop_length": 16, "frame_length": 64, "win_length": 64}
            ordinary[parameter.name] = small[parameter.name]
    if name == "clicks":
        ordinary["times"] = VALUES["times"]
    said = rules(function)  # those by keyword alone, too, where it says what they may be
    more = [each for each in said
            if each.isidentifier() and each not in names and said[each] is not ANYTHING]
    return ordinary, names + more


def call(function, positional, arguments):
    """What is wrong with what comes out, or None."""
    try:
        result = function(*positional, **arguments)
        if inspect.isgenerator(result):
            list(itertools.islice(result, 2))
    except OSError as error:  # of a path that does not exist
        return None if {"path", "inputs", "model"} & arguments.keys() or function is metalmom.segments else error
    except Exception as error:
        return error
    return None


def is_told_well(error, function, names):
    if isinstance(error, (metalmom.AudioError, metalmom.nn.ModelError)) and "path" in names:
        return True
    if not isinstance(error, (metalmom.LibrosaError, ValueError, TypeError, MemoryError)):
        return False
    is_bare = isinstance(error, LookupError) and not isinstance(error, metalmom.LibrosaError)
    if is_bare or INTERNAL.search(str(error)):
        return False
    own = [*inspect.signature(function).parameters, *names]
    return any(re.search(rf"(?<![\w.]){each}\b", str(error)) for each in own)


def attack(name, function):
    """(wrong answers, number of calls, whether an ordinary call works)."""
    ordinary, names = arguments_of(name, function)
    takes_any = any(
        each.kind is each.VAR_POSITIONAL for each in inspect.signature(function).parameters.values()
    )
    wrong, calls = [], 0
    fault = call(function, [SIGNAL] if takes_any else [], ordinary)
    if isinstance(fault, ImportError):  # it needs what is not installed
        return [], 0, False
    for argument, (text, value) in itertools.product([*names, "*"] if takes_any else names, HOSTILE.items()):
        if (name, argument) in ENDLESS:
            continue
        if argument == "path" and isinstance(value, int) and value >= 0:
            continue  # a descriptor of this process
        calls += 1
        print(f"{name}({argument}={text})", file=sys.stderr, flush=True)
        if argument == "*":
            error = call(function, [value], ordinary)
        else:
            given = {**ordinary, argument: value}
            if argument in ("S", "onset_envelope", "tg", "path") and "y" in names:
                given["y"] = None
            error = call(function, [SIGNAL] if takes_any else [], given)
        if error is not None and not is_told_well(error, function, names):
            wrong.append(f"{name}({argument}={text}): {type(error).__name__}: {error}")
    return wrong, calls, fault is None


def main():
    os.chdir(sys.argv[1])
    chosen = sys.argv[2:]
    metalmom.demo.write_wav("short.wav", 0.02)
    metalmom.set_config(threads=1)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    wrong, calls, works = [], 0, []
    for name, function in functions():
        if not chosen or name in chosen:
            found, count, does = attack(name, function)
            wrong += found
            calls += count
            works += [name] * does
    report = {"wrong": wrong, "calls": calls, "works": works}
    pathlib.Path("report.json").write_text(json.dumps(report, indent=0))


if __name__ == "__main__":
    main()
