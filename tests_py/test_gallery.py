"""The scripts of docs/gallery run, and draw the pictures beside them."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

plt = pytest.importorskip("matplotlib.pyplot")

GALLERY = pathlib.Path(__file__).resolve().parent.parent / "docs" / "gallery"
SCRIPTS = sorted(path.stem for path in GALLERY.glob("*.py"))
# What these show is how long things took.
OF_TIMES = {"gpu", "traces"}


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_draws_its_picture(name, tmp_path):
    out = tmp_path / f"{name}.png"
    command = [sys.executable, "-W", "error::FutureWarning", GALLERY / f"{name}.py", out]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    drawn, kept = (plt.imread(path)[..., :3] for path in (out, GALLERY / f"{name}.png"))
    assert drawn.shape == kept.shape
    if name in OF_TIMES:
        assert drawn.std() > 0.05
    else:
        # Of 1: fonts and ticks may move with the version of matplotlib.
        assert np.sqrt(np.mean((drawn - kept) ** 2)) < 0.1


def test_every_script_has_its_place_on_the_page():
    page = (GALLERY / "README.md").read_text()
    for name in SCRIPTS:
        assert f"({name}.py)" in page and f"({name}.png)" in page
