"""The build refuses unknown values of its options, and leaves out parts that it cannot build."""

import shutil
import subprocess
import sysconfig

import pytest

CMAKE = shutil.which("cmake")
pytestmark = pytest.mark.skipif(not CMAKE, reason="needs CMake")

KNOWN = {
    "PYTHON": "ON", "C": "ON", "IO": "ON", "GPU": "AUTO", "TESTS": "OFF", "BENCH": "OFF", "TOOLS": "ON", "FFT": "fftw",
    "SANITIZE": "", "USDT": "AUTO",
}  # fmt: skip


def checked(root, **options):
    """Run the checks of the options alone."""
    given = [f"-DMETALMOM_{name}={value}" for name, value in {**KNOWN, **options}.items()]
    script = root / "cmake" / "MetalmomOptions.cmake"
    return subprocess.run([CMAKE, *given, "-P", script], capture_output=True, text=True)


@pytest.mark.parametrize("name, value", [
    ("FFT", "fftww"), ("GPU", "maybe"), ("USDT", "probes"), ("IO", "offf"), ("TESTS", ""), ("TOOLS", "2"),
    ("SANITIZE", "adress"),
])  # fmt: skip
def test_an_unknown_value_is_refused(root, name, value):
    done = checked(root, **{name: value})
    assert done.returncode != 0 and f"METALMOM_{name}={value} must be one of:" in done.stderr


@pytest.mark.parametrize(
    "name, value", [("FFT", "own"), ("GPU", "OFF"), ("USDT", "OFF"), ("IO", "off"), ("SANITIZE", "thread")]
)
def test_a_known_value_is_taken(root, name, value):
    assert checked(root, **{name: value}).returncode == 0


@pytest.mark.parametrize("option, given, returncode, said", [
    ("GPU", "AUTO", 0, "metalmom is built without a GPU engine: the header vulkan/vulkan.h was not found"),
    ("GPU", "ON", 1, "METALMOM_GPU=ON needs the header vulkan/vulkan.h"),
    ("USDT", "AUTO", 0, "metalmom is built without probes: the header sys/sdt.h was not found"),
    ("USDT", "ON", 1, "METALMOM_USDT=ON needs the header sys/sdt.h"),
])  # fmt: skip
def test_where_a_need_of_a_part_is_missing(root, tmp_path, option, given, returncode, said):
    off = dict.fromkeys(("PYTHON", "IO", "TOOLS", "GPU", "USDT"), "OFF")
    options = {**off, "FFT": "own", option: given}
    defined = [f"-DMETALMOM_{name}={value}" for name, value in options.items()]
    headers = ["/usr/include", "/usr/local/include", f"/usr/include/{sysconfig.get_config_var('MULTIARCH')}"]
    done = subprocess.run(
        [CMAKE, "-G", "Ninja", "-S", root, "-B", tmp_path, *defined,
         f"-DCMAKE_IGNORE_PATH={';'.join(headers)}", "-DGLSLC=/bin/true"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == returncode
    assert said in " ".join((done.stdout + done.stderr).split())
