"""The rules of the tree hold, and check_tree.py sees when they do not."""

import shutil
import subprocess

import check_tree
import pytest


def test_the_tree_holds_its_rules(root):
    assert list(check_tree.breaches(root)) == []


@pytest.mark.parametrize(
    "path, text, complaint",
    [
        ("cpp/dsp/x.cpp", '#include "ops/stft.hpp"', "cpp/dsp must not include ops/stft.hpp"),
        ("cpp/ops/x.hpp", '#include "trace/trace.hpp"', "cpp/ops must not include trace/"),
        ("cpp/ops/x.cpp", "#include <vulkan/vulkan.h>", "belongs to cpp/gpu alone"),
        ("cpp/dispatch/x.cpp", "#include <pybind11/pybind11.h>", "belongs to cpp/bridge alone"),
        ("cpp/gpu/vk/x.hpp", '#include "gpu/run/a.hpp"', "of cpp/gpu/vk must not include gpu/run/"),
        ("cpp/gpu/kernels/x.hpp", '#include "gpu/vk/a.hpp"', "must not include gpu/vk/a.hpp"),
        ("cpp/misc/x.cpp", "", "cpp/misc is no layer"),
        ("shaders/x.comp", "<" * 7 + " HEAD", "left over from a merge"),
        ("python/metalmom/beat.py", "import matplotlib", "only inside the function"),
        ("python/metalmom/beat.py", "def f():\n    import scipy.signal", "by util._packages.required"),
        ("python/metalmom/beat.py", "def f():\n    import numba", "may import numba"),
        ("python/metalmom/beat.py", "warnings.warn(text)", "by way of _warnings.warn"),
        ("python/metalmom/beat.py", "from warnings import warn", "by way of _warnings.warn"),
        ("python/metalmom/core/convert.py", "from .. import _native", "must do without _native"),
    ],
)
def test_a_breach_is_seen(tmp_path, path, text, complaint):
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(text)
    found = list(check_tree.breaches(tmp_path))
    assert len(found) == 1 and complaint in found[0], found


@pytest.mark.parametrize(
    "headers, path, complaint",
    [
        (
            {"ops/a.hpp": "base/b.hpp", "base/b.hpp": "trace/c.hpp"},
            "ops/x.cpp",
            "cpp/ops must not include trace/c.hpp, which comes along with ops/a.hpp > base/b.hpp",
        ),
        (
            {"gpu/a.hpp": "vulkan/vulkan.h"},
            "dispatch/x.cpp",
            "vulkan/vulkan.h belongs to cpp/gpu alone, which comes along with gpu/a.hpp",
        ),
    ],
)
def test_what_a_header_brings_along_is_seen(tmp_path, headers, path, complaint):
    first = next(iter(headers))
    for name, target in {**headers, path: first}.items():
        (tmp_path / "cpp" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "cpp" / name).write_text(f'#include "{target}"\n')
    found = list(check_tree.breaches(tmp_path))
    assert any(each.startswith(f"cpp/{path}:1: {complaint}") for each in found), found


def test_a_header_may_bring_what_its_layer_is_made_of(tmp_path):
    for name, target in {"gpu/x.cpp": "ops/a.hpp", "ops/a.hpp": "dsp/b.hpp"}.items():
        (tmp_path / "cpp" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "cpp" / name).write_text(f'#include "{target}"\n')
    assert list(check_tree.breaches(tmp_path)) == []


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_a_stray_file_is_seen_once_it_is_tracked(tmp_path):
    (tmp_path / "README.md").touch()
    (tmp_path / "page.html").touch()
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    assert list(check_tree.breaches(tmp_path)) == []
    subprocess.run(["git", "-C", tmp_path, "add", "."], check=True)
    found = list(check_tree.breaches(tmp_path))
    assert len(found) == 1 and found[0].startswith("page.html: nothing of the top level"), found


def test_what_an_editor_left_is_seen(tmp_path):
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks/a.cpp").write_text("<<<<<<< ours\n" + "//" + "x" * 98 + "\n" + "//" + "x" * 99 + "\n")
    found = [each.partition(": ")[::2] for each in check_tree.breaches(tmp_path)]
    assert found == [("benchmarks/a.cpp:1", "left over from a merge"),
                     ("benchmarks/a.cpp:3", "more than 100 columns: clang-format -i breaks the line")]


def test_a_lazy_import_is_allowed(tmp_path):
    (tmp_path / "python/metalmom").mkdir(parents=True)
    (tmp_path / "python/metalmom/beat.py").write_text("def f():\n    import pyarrow\n")
    assert list(check_tree.breaches(tmp_path)) == []


def breaches_of(root, files):
    """The breaches of a made-up package: module -> its text."""
    for name, text in files.items():
        path = root / "python" / "metalmom" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(text)
    return list(check_tree.breaches(root))


@pytest.mark.parametrize(
    "files, complaint",
    [
        ({"filters": "from . import core", "core/x": ""}, "filters must not import core"),
        ({"filters": "from .core.x import f", "core/x": ""}, "filters must not import core"),
        ({"filters": "def f():\n    import metalmom.core", "core/x": ""}, "filters must not import core"),
        ({"core/x": "def f():\n    from ..sequence import g", "sequence": ""}, "core must not import sequence"),
        ({"core/x": "from .. import stft"}, "nothing may import the facade"),
        ({"core/x": "def f():\n    import metalmom"}, "nothing may import the facade"),
        ({"core/x": "from . import y", "core/y": "def f():\n    from .x import g"}, "imports go round: x > y > x"),
        ({"core/x": "from . import stft", "core/__init__": "from .x import f"},
         "imports go round: __init__ > x > __init__"),
        ({"cellar": ""}, "cellar is on no floor"),
    ],
)  # fmt: skip
def test_an_import_that_goes_up_or_round_is_seen(tmp_path, files, complaint):
    found = breaches_of(tmp_path, files)
    assert len(found) == 1 and complaint in found[0], found


@pytest.mark.parametrize(
    "files",
    [
        {"core/x": "from ..filters import get_window\nfrom .y import f", "core/y": "", "filters": ""},
        {"core/x": "from .. import _native, filters", "filters": ""},
        {"core/x": "if TYPE_CHECKING:\n    from ..feature import mfcc", "feature/y": ""},
    ],
)
def test_an_import_that_goes_down_is_allowed(tmp_path, files):
    assert breaches_of(tmp_path, files) == []


def test_a_house_that_grows_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(check_tree, "MOST_FLOORS", len(check_tree.FLOORS) - 1)
    monkeypatch.setattr(check_tree, "MOST_IN_ROOT", 2)
    found = breaches_of(tmp_path, {"beat": "", "filters": ""})
    assert [each.partition(": ")[2] for each in found] == [
        "3 Python files are more than 2: give them a folder",
        f"{len(check_tree.FLOORS)} floors are more than {len(check_tree.FLOORS) - 1}",
    ]
