"""What an index and an sdist are given."""

import re
import shutil
import subprocess
import sys
import tomllib

import pytest
from metalmom.util import _packages


@pytest.fixture
def project(root):
    return tomllib.loads((root / "pyproject.toml").read_text())


def test_links_of_the_index_page_are_absolute(root, project):
    readme = project["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    page = (root / "README.md").read_text()
    relative = re.findall(r"\]\((?!https?:|#)([^)]+)\)", page)
    for each in readme["substitutions"]:
        page = re.sub(each["pattern"], each["replacement"], page)
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)]+)\)", page)
    home = project["project"]["urls"]["Homepage"]
    assert len(links) >= len(relative) > 10
    assert all(link.startswith(("https://", "#")) for _, link in links)
    own = {link.partition("/main/")[2] for _, link in links if "metalmom/metalmom/" in link}
    assert own == set(relative)
    raw = home.replace("github.com", "raw.githubusercontent.com")
    assert all(link.startswith(f"{raw}/main/" if picture else f"{home}/blob/main/")
               for picture, link in links if link.partition("/main/")[2] in relative)  # fmt: skip


def test_addresses_are_of_one_project(project):
    home = project["project"]["urls"]["Homepage"]
    assert all(address.startswith(home) for address in project["project"]["urls"].values())


def test_each_extra_that_is_named_installs_what_is_missing(root, project):
    extras = project["project"]["optional-dependencies"]
    for package, (_, _, extra) in _packages._PACKAGES.items():
        if extra:
            assert package in {re.match(r"\w+", each)[0] for each in extras[extra]}, extra
    texts = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "python").rglob("*.py")]
    named = {name for text in texts for names in re.findall(r"(?:metalmom|\.)\[([\w,]+)\]['`\"]", text.read_text())
             for name in names.split(",")}  # fmt: skip
    assert {"scipy", "display", "onnx"} <= named <= extras.keys()


# Stands for scikit-build-core, which tests do not need: an sdist is what lies there when it is called.
BACKEND = """
import pathlib
def build_wheel(): pass
def build_sdist(directory, settings):
    pathlib.Path(directory, "seen").write_text(pathlib.Path("REVISION").read_text())
    return "sdist"
"""


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_an_sdist_has_the_revision_and_the_tree_keeps_no_file(root, tmp_path):
    package = tmp_path / "path" / "scikit_build_core"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "build.py").write_text(BACKEND)
    tree = tmp_path / "tree"
    tree.mkdir()
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "one"]):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *command], cwd=tree, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=tree, capture_output=True, text=True).stdout
    code = f"""
import sys
sys.path[:0] = [{str(package.parent)!r}, {str(root / "cmake")!r}]
import build_backend
assert build_backend.build_sdist({str(tmp_path)!r}) == "sdist" and callable(build_backend.build_wheel)
"""
    subprocess.run([sys.executable, "-c", code], cwd=tree, check=True)
    seen = (tmp_path / "seen").read_text().strip()
    assert len(seen) >= 4 and head.startswith(seen)
    assert not (tree / "REVISION").exists()
    (tree / "REVISION").write_text("of the sdist")  # which is built again from what it has unpacked
    subprocess.run([sys.executable, "-c", code], cwd=tree, check=True)
    assert (tmp_path / "seen").read_text() == (tree / "REVISION").read_text() == "of the sdist"
