"""The documentation site lists every public name, its links resolve, and it builds without a warning."""

import importlib.util
import inspect
import os
import re
import subprocess
import sys

import pytest
from test_public import MODULES

import metalmom  # noqa: F401


@pytest.fixture(scope="module")
def conf(root):
    spec = importlib.util.spec_from_file_location("conf", root / "docs" / "conf.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_lists_every_public_name_once(conf):
    home = {}
    listed = {}
    for module in conf.public_modules():
        text = "\n".join(conf.page(module, home))
        own = re.findall(r"^(?:   |\.\. py:data:: )(\w+)$", text, re.M)
        also = [name.rpartition(".")[2] for name in re.findall(r":py:obj:`~([\w.]+)`", text)]
        names = [name for name, value in conf.members(module) if not inspect.ismodule(value)]
        assert sorted(own + also) == sorted(names)
        listed |= {f"{module.__name__}.{name}": module for name in own}
    for name in MODULES:  # the modules of librosa's paths, such as metalmom.core.audio, share their names
        module = importlib.import_module(name)
        for each in getattr(module, "__all__", ()):
            value = getattr(module, each)
            if callable(value):
                assert home.get((each, id(value))) in listed, f"{name}.{each}"


def pages(root):
    return [*root.glob("*.md"), *(root / "docs").rglob("*.md")]


def anchors(path):
    """What a link can name on a page, as GitHub and MyST make it of the headings."""
    lines = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S).splitlines()
    headings = [line.lstrip("# ").lower() for line in lines if line.startswith("#")]
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in headings}


# What scripts/docs makes.
MADE = {"examples/index.rst", "examples/tour.rst", "api/index.rst"}


def test_links_within_the_documents_resolve(root):
    broken = []
    for page in pages(root):
        text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            path, _, anchor = target.partition("#")
            if re.match(r"https?:", target) or path in MADE:
                continue
            there = page.parent / path if path else page
            if not there.exists() or (anchor and anchor not in anchors(there)):
                broken.append(f"{page.relative_to(root)}: {target}")
    assert broken == []


def test_every_page_has_its_place(root):
    """A contents list of Sphinx names it."""
    contents = "".join(path.read_text() for path in (root / "docs").glob("*.md"))
    listed = set(re.findall(r"^[\w/-]+$", contents, re.M))
    names = {str(path.relative_to(root / "docs").with_suffix("")) for path in (root / "docs").rglob("*.md")}
    assert names - listed == {"index", "gallery/README"}


def test_the_site_builds_without_a_warning(root):
    pytest.importorskip("sphinx_gallery", reason="needs the packages of docs/requirements.txt")
    done = subprocess.run(
        [root / "scripts" / "docs", "--check"], capture_output=True, text=True,
        env={**os.environ, "METALMOM_DOCS_PYTHON": sys.executable},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
