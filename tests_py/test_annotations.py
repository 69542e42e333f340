"""What annotations say is true.

mypy (from pip) reads an example and the package's own bodies, and its stubtest compares the few stubs
with their modules; without it these tests are skipped.
"""

import collections
import inspect
import operator
import os
import pathlib
import pkgutil
import subprocess
import sys
import typing
import warnings
from typing import Any, Literal, get_args

import metalmom
import numpy as np
import pytest
from devices import on_device
from metalmom.util import _types
from metalmom.util._signatures import rule_of, rules
from reference_cases import all_cases
from reference_signals import resolve
from test_public import MODULES
from typed_values import accepted, fits, signatures

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "metalmom"
EXAMPLE = ROOT / "tests_py" / "typed_example.py"


# Of each function some cases, no two with arguments of the same names.
CASES = collections.defaultdict(dict)
for case in all_cases():
    CASES[case.function].setdefault((len(case.args), *sorted(case.kwargs)), case)


@pytest.mark.parametrize("name", CASES)
def test_what_annotations_say_is_true(name):
    """They take the arguments of the reference cases, and the results are what they say."""
    function = operator.attrgetter(name)(metalmom)
    for case in list(CASES[name].values())[:8]:
        args, kwargs = resolve(case.args), resolve(case.kwargs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result = function(*args, **kwargs)
            except Exception:  # what is refused is no concern of types
                continue
        signature = accepted(function, args, kwargs)
        assert signature is not None, f"{case.id}: no signature takes its arguments"
        assert fits(result, signature.returns), f"{case.id}: {type(result)} is not {signature.returns}"


def test_a_wrong_type_is_seen():
    returns = tuple[_types.NDArray[np.float32], int | None]
    assert fits((np.zeros(2, np.float32), None), returns)
    assert not fits((np.zeros(2), None), returns)
    assert not fits((np.zeros(2, np.float32), 1.0), returns)
    assert not fits(np.zeros(2, np.float32), returns)


@pytest.mark.parametrize("hint, default, said", [
    (_types.Positive, 22050, "number > 0"),
    (_types.PositiveInt | None, None, "int > 0"),
    (_types.PositiveInt | None, 2, "int > 0 or None"),
    (Literal["frames", "time"], "time", '{"frames", "time"}'),
    (Literal["auto"] | int | tuple[int, ...] | None, "auto", '"auto", int, tuple of int or None'),
    (_types.Placed | None, None, "np.ndarray [shape=(..., n)], real floating-point, or DeviceArray"),
    (_types.PadMode, "constant", "str or callable"),
    (_types.Int | Any, 0, None),
])  # fmt: skip
def test_annotations_in_words(hint, default, said):
    rule = rule_of(hint, default)
    assert (rule and str(rule)) == said


def test_words_of_a_function_hold_for_what_it_hands_on():
    of_mfcc = rules(metalmom.feature.mfcc)
    assert of_mfcc["fmin"] is rules(metalmom.filters.mel)["fmin"] and str(of_mfcc["fmin"]) == "number"
    assert str(of_mfcc["n_mfcc"]) == "int > 0"


@pytest.mark.parametrize("name", MODULES)
def test_hints_of_public_functions_can_be_had(name):
    """By `typing.get_type_hints`, as libraries ask for them, which knows no more than the function's module."""
    module, missing = pkgutil.resolve_name(name), {}
    for each in getattr(module, "__all__", ()):
        function = inspect.unwrap(getattr(module, each))
        for definition in [function, *typing.get_overloads(function)] if inspect.isfunction(function) else []:
            try:
                typing.get_type_hints(definition, include_extras=True)
            except NameError as error:
                missing[each] = str(error)
    assert missing == {}


def checked(*command, folder):
    """Run a tool of mypy's with an empty configuration."""
    environment = {**os.environ, "MYPY_CACHE_DIR": str(folder), "PYTHONWARNINGS": "ignore"}
    return subprocess.run(
        [sys.executable, "-m", *command], capture_output=True, text=True, cwd=folder, env=environment)


def test_mypy_reads_the_example(tmp_path):
    pytest.importorskip("mypy", reason="needs mypy")
    ran = checked("mypy", "--strict", str(EXAMPLE), folder=tmp_path)
    assert ran.returncode == 0, ran.stdout
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "import metalmom\n"
        "import numpy as np\n"
        "y = np.zeros(4096, dtype=np.float32)\n"
        "metalmom.stft(y, hop_length='512')\n"
        "metalmom.beat.beat_track(y, 22050)\n"
        "name: int = metalmom.hz_to_note(440.0)\n"
        "D, path = metalmom.sequence.dtw(y, y, backtrack=False) + 'x'\n"
        "metalmom.feature.mfccs\n"
    )
    ran = checked("mypy", "--strict", str(wrong), folder=tmp_path)
    lines = {line.split(":")[1] for line in ran.stdout.splitlines() if ": error:" in line}
    assert lines == {"4", "5", "6", "7", "8"}, ran.stdout


def test_mypy_reads_the_package(tmp_path):
    pytest.importorskip("mypy", reason="needs mypy")
    where = {"MYPY_CACHE_DIR": str(tmp_path), "PYTHONWARNINGS": "ignore"}
    ran = subprocess.run([sys.executable, "-m", "mypy"], capture_output=True, text=True, cwd=ROOT,
                         env={**os.environ, **where})  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_example_runs(tmp_path):
    metalmom.demo.write_wav(tmp_path / "song.wav", duration=8)
    ran = subprocess.run([sys.executable, EXAMPLE, tmp_path / "song.wav"], capture_output=True, text=True)
    assert ran.returncode == 0 and "beats per minute" in ran.stdout, ran.stderr


# pybind11 has a metaclass of its own, and gives classes without a constructor one that raises.
ALLOWED = r"metalmom\.DeviceArray(\.__init__)?"


def test_stubs_and_modules_agree(tmp_path):
    """Names, parameters, kinds and defaults, as mypy's stubtest compares them."""
    pytest.importorskip("mypy.stubtest", reason="needs mypy")
    (tmp_path / "mypy.ini").write_text("[mypy]\nignore_errors = True\nignore_missing_imports = True\n")
    (tmp_path / "allowed").write_text(ALLOWED)
    names = [path.relative_to(PACKAGE.parent).with_suffix("") for path in PACKAGE.rglob("*.pyi")]
    modules = sorted(".".join(name.parts).removesuffix(".__init__") for name in names)
    ran = checked(
        "mypy.stubtest", *(m for m in modules if "._" not in m), "--concise", "--ignore-missing-stub",
        "--mypy-config-file", "mypy.ini", "--allowlist", "allowed", "--ignore-unused-allowlist",
        folder=tmp_path,
    )  # fmt: skip
    told = [line for line in ran.stdout.splitlines() if line.startswith("metalmom") and "._" not in line.split()[0]]
    assert ran.returncode in (0, 1) and told == [], ran.stdout + ran.stderr


Y = np.random.default_rng(0).uniform(-1, 1, 22050).astype(np.float32)
POWERS = np.abs(np.random.default_rng(1).standard_normal((65, 30))).astype(np.float32)
# Calls of what these reference cases have in sizes that no kernel takes, or not at all.
FURTHER = [
    ("convolve", (), {"x": Y, "h": Y[:64]}),
    ("hybrid_cqt", (Y[:8192],), {"hop_length": 16}),
    ("onset.onset_strength", (), {"S": POWERS, "ref": POWERS}),
    ("onset.onset_strength_multi", (), {"S": POWERS, "ref": POWERS}),
    ("pcen", (POWERS,), {"ref": POWERS, "zi": POWERS[:, :1], "return_zf": True}),
    ("feature.chroma_cqt", (), {"y": Y[:8192]}),
    ("feature.mfcc", (), {"S": POWERS}),
    ("feature.fourier_tempogram", (), {"y": Y, "win_length": 256}),
    ("feature.fourier_tempogram", (), {"onset_envelope": Y, "win_length": 256}),
    ("feature.hybrid_tempogram", (), {"y": Y, "win_length": 256}),
    ("feature.hybrid_tempogram", (), {"onset_envelope": Y, "win_length": 256}),
    ("feature.tempogram_ratio", (), {"y": Y}),
]


def on_device_one_by_one():
    """(name, function, arguments, which of them are on a device), each array alone, and all together."""
    some = [case for cases in CASES.values() for case in list(cases.values())[:4]]
    for name, args, kwargs in [*((case.function, *resolve((case.args, case.kwargs))) for case in some), *FURTHER]:
        function = operator.attrgetter(name)(metalmom)
        try:
            given = inspect.signature(function).bind(*args, **kwargs)
        except TypeError:
            continue
        arrays = {key: value for key, value in given.arguments.items()
                  if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "fc"}  # fmt: skip
        for keys in [*([key] for key in arrays), *([[*arrays]] if len(arrays) > 1 else [])]:
            again = inspect.signature(function).bind(*args, **kwargs)
            for key in keys:
                single = np.complex64 if arrays[key].dtype.kind == "c" else np.float32
                again.arguments[key] = metalmom.to_device(arrays[key].astype(single))
            yield name, function, again, keys


def said_to_be_on_a_device(name, function):
    return {
        (name, key)
        for signature in signatures(function)
        for key, hint in signature.hints.items()
        if metalmom.DeviceArray in (hint, *get_args(hint))
    }


@on_device
def test_arrays_on_a_device_are_taken_as_annotations_say():
    """What an annotation lets be on a device is taken by some call, and nothing else is; results are where it says."""
    taken, wrong = set(), []
    for name, function, given, keys in on_device_one_by_one():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result = function(*given.args, **given.kwargs)
            except Exception:  # no kernel, or a case of what is refused anyway
                continue
        # of nothing the CPU answers; an array with which there is nothing to do is handed back
        if any(result is given.arguments[key] for key in keys) or getattr(result, "size", 1) == 0:
            continue
        taken |= {(name, key) for key in keys}
        signature = accepted(function, given.args, given.kwargs)
        if signature is None or not fits(result, signature.returns):
            wrong.append((name, keys, type(result), signature and signature.returns))
    assert wrong == []
    functions = {name: operator.attrgetter(name)(metalmom) for name in [*CASES, *(each[0] for each in FURTHER)]}
    said = set().union(*(said_to_be_on_a_device(name, function) for name, function in functions.items()))
    assert taken == said and len({name for name, _ in said}) > 40
