"""The build refuses unknown values of its options, and leaves out a GPU engine that it cannot build."""

import shutil
import subprocess

import pytest

CMAKE = shutil.which("cmake")
pytestmark = pytest.mark.skipif(not CMAKE, reason="needs CMake")

KNOWN = {
    "PYTHON": "ON", "C": "ON", "IO": "ON", "GPU": "AUTO", "TESTS": "OFF", "BENCH": "OFF", "TOOLS": "ON", "FFT": "fftw",
    "SANITIZE": "",
}  # fmt: skip


def checked(root, **options):
    """Run the checks of the options alone."""
    given = [f"-DMETALMOM_{name}={value}" for name, value in {**KNOWN, **options}.items()]
    script = root / "cmake" / "MetalmomOptions.cmake"
    return subprocess.run([CMAKE, *given, "-P", script], capture_output=True, text=True)


@pytest.mark.parametrize("name, value", [
    ("FFT", "fftww"), ("GPU", "maybe"), ("IO", "offf"), ("TESTS", ""), ("TOOLS", "2"), ("SANITIZE", "adress"),
])  # fmt: skip
def test_an_unknown_value_is_refused(root, name, value):
    done = checked(root, **{name: value})
    assert done.returncode != 0 and f"METALMOM_{name}={value} must be one of:" in done.stderr


@pytest.mark.parametrize(
    "name, value", [("FFT", "own"), ("GPU", "OFF"), ("IO", "off"), ("SANITIZE", "thread")]
)
def test_a_known_value_is_taken(root, name, value):
    assert checked(root, **{name: value}).returncode == 0


@pytest.mark.parametrize("given, returncode, said", [
    ("AUTO", 0, "metalmom is built without a GPU engine: the header vulkan/vulkan.h was not found"),
    ("ON", 1, "METALMOM_GPU=ON needs the header vulkan/vulkan.h"),
])  # fmt: skip
def test_where_a_need_of_the_gpu_engine_is_missing(root, tmp_path, given, returncode, said):
    options = {"PYTHON": "OFF", "IO": "OFF", "TOOLS": "OFF", "FFT": "own", "GPU": given}
    defined = [f"-DMETALMOM_{name}={value}" for name, value in options.items()]
    done = subprocess.run(
        [CMAKE, "-G", "Ninja", "-S", root, "-B", tmp_path, *defined,
         "-DCMAKE_IGNORE_PATH=/usr/include;/usr/local/include", "-DGLSLC=/bin/true"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == returncode
    assert said in " ".join((done.stdout + done.stderr).split())
