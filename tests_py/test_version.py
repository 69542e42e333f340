"""One version everywhere, and the report of an installation."""

import tomllib

import metalmom
import numpy as np


def test_one_version(root):
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert metalmom.__version__ == project["version"]
    assert metalmom.__version__ == metalmom.build_info()["version"]
    assert metalmom.version.version.startswith(metalmom.version.short_version + ".")


def test_show_versions(capsys):
    metalmom.show_versions()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "INSTALLED VERSIONS"
    assert f"metalmom: {metalmom.__version__}" in lines
    assert f"numpy: {np.__version__}" in lines
    assert any(line.startswith("  compiler: ") for line in lines)
