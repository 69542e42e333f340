"""The scripts of docs/gallery run and draw the pictures beside them."""

import multiprocessing

import numpy as np
import pytest
from make_gallery import GALLERY, draw

plt = pytest.importorskip("matplotlib.pyplot")

SCRIPTS = sorted(path.stem for path in GALLERY.glob("*.py"))
# What these show is how long things took.
OF_TIMES = {"gpu", "onset_monitor", "traces"}


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_draws_its_picture(name, tmp_path):
    out = tmp_path / f"{name}.png"
    # A process of its own, but one that has imported matplotlib.
    process = multiprocessing.get_context("fork").Process(target=draw, args=(name, out), daemon=True)
    process.start()
    process.join(120)
    assert process.exitcode == 0
    drawn, kept = (plt.imread(path)[..., :3] for path in (out, GALLERY / f"{name}.png"))
    assert drawn.shape == kept.shape
    if name in OF_TIMES:
        assert drawn.std() > 0.05
    else:
        # Fonts and ticks may move with the version of matplotlib; of a blank page this is 1.
        assert distance(drawn, kept) < 0.5


def distance(drawn, kept):
    """How far a picture is from the kept one, as a share of how far a blank page is from it."""
    return np.sqrt(np.mean((drawn - kept) ** 2) / np.mean((1 - kept) ** 2))


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_wrong_picture_is_seen(name):
    kept = plt.imread(GALLERY / f"{name}.png")[..., :3]
    assert distance(np.ones_like(kept), kept) == 1
    others = [plt.imread(GALLERY / f"{other}.png")[..., :3] for other in SCRIPTS if other != name]
    assert all(distance(other, kept) > 0.5 for other in others if other.shape == kept.shape)


def test_every_script_has_its_place_on_the_page():
    page = (GALLERY / "README.md").read_text()
    for name in SCRIPTS:
        assert f"({name}.py)" in page and f"({name}.png)" in page
