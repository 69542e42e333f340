"""What stubs say is true. (That they are those of the docstrings: test_signatures.py.)

mypy (Debian's package `mypy`, or from pip) reads an example, and its stubtest compares the stubs with
the modules; without it these tests are skipped.
"""

import ast
import builtins
import collections
import inspect
import operator
import os
import pathlib
import subprocess
import sys
import warnings

import metalmom
import numpy as np
import pytest
from devices import on_device
from reference_cases import all_cases
from reference_signals import resolve
from stub_values import accepted, annotations, fits, signatures

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "metalmom"
EXAMPLE = ROOT / "tests_py" / "typed_example.py"
STUBS = sorted(PACKAGE.rglob("*.pyi"))


def stub_of(function):
    """The definitions of a function in the stub of the module where it lives."""
    below = PACKAGE / function.__module__.partition(".")[2].replace(".", "/")
    path = below / "__init__.pyi" if below.is_dir() else below.with_suffix(".pyi")
    return signatures(path)[function.__name__]


# Of each function some cases, no two with arguments of the same names.
CASES = collections.defaultdict(dict)
for case in all_cases():
    CASES[case.function].setdefault((len(case.args), *sorted(case.kwargs)), case)


@pytest.mark.parametrize("name", CASES)
def test_what_a_stub_says_is_true(name):
    """The stub takes the arguments of the reference cases, and the results are what it says."""
    function = operator.attrgetter(name)(metalmom)
    definitions = stub_of(function)
    for case in list(CASES[name].values())[:8]:
        args, kwargs = resolve(case.args), resolve(case.kwargs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result = function(*args, **kwargs)
            except Exception:  # what is refused is no concern of types
                continue
        node = accepted(function, args, kwargs, definitions)
        assert node is not None, f"{case.id}: no signature takes its arguments"
        returns = ast.unparse(node.returns)
        assert fits(result, node.returns), f"{case.id}: {type(result)} is not {returns}"


def test_a_wrong_type_is_seen():
    (node,) = ast.parse("def f() -> tuple[npt.NDArray[np.float32], int | None]: ...").body
    assert fits((np.zeros(2, np.float32), None), node.returns)
    assert not fits((np.zeros(2), None), node.returns)
    assert not fits((np.zeros(2, np.float32), 1.0), node.returns)
    assert not fits(np.zeros(2, np.float32), node.returns)


def checked(*command, folder):
    """Run a tool of mypy's with an empty configuration."""
    environment = {**os.environ, "MYPY_CACHE_DIR": str(folder), "PYTHONWARNINGS": "ignore"}
    return subprocess.run(
        [sys.executable, "-m", *command], capture_output=True, text=True, cwd=folder, env=environment)


@pytest.mark.parametrize("stub", STUBS, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_what_a_stub_uses_is_imported(stub):
    tree = ast.parse(stub.read_text())
    known = set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            known |= {(each.asname or each.name).partition(".")[0] for each in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            known.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            known.add(node.id)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert used <= known


def test_mypy_reads_the_example(tmp_path):
    pytest.importorskip("mypy", reason="needs mypy: apt-get install mypy")
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


def test_the_example_runs(tmp_path):
    metalmom.demo.write_wav(tmp_path / "song.wav", duration=8)
    ran = subprocess.run([sys.executable, EXAMPLE, tmp_path / "song.wav"], capture_output=True, text=True)
    assert ran.returncode == 0 and "beats per minute" in ran.stdout, ran.stderr


# Functions with an attribute `set_default` are classes to type checkers; pybind11 has a metaclass of
# its own, and gives classes without a constructor one that raises.
ALLOWED = r"metalmom\.(backend|threads|DeviceArray(\.__init__)?)"


def test_stubs_and_modules_agree(tmp_path):
    """Names, parameters, kinds and defaults, as mypy's stubtest compares them."""
    pytest.importorskip("mypy.stubtest", reason="needs mypy: apt-get install mypy")
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
        for definition in stub_of(function)
        for key, kind in annotations(definition).items()
        if kind is not None and "DeviceArray" in ast.unparse(kind)
    }


@on_device
def test_arrays_on_a_device_are_taken_as_stubs_say():
    """What a stub lets be on a device is taken by some call, and nothing else is; results are where it says."""
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
        node = accepted(function, given.args, given.kwargs, stub_of(function))
        if node is None or not fits(result, node.returns):
            wrong.append((name, keys, type(result), node and ast.unparse(node.returns)))
    assert wrong == []
    functions = {name: operator.attrgetter(name)(metalmom) for name in [*CASES, *(each[0] for each in FURTHER)]}
    said = set().union(*(said_to_be_on_a_device(name, function) for name, function in functions.items()))
    assert taken == said and len({name for name, _ in said}) > 40
