"""Pictures look as librosa 1.0.0 draws them, and say the same.

The pictures kept (scripts/make_pictures.py) are librosa's, drawn by a newer matplotlib than
Debian's: what is on axes is compared as numbers and texts, what they look like without their text.
"""

import json
import pathlib
import subprocess
import sys
import warnings

import display_cases
import metalmom
import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402

KEPT = pathlib.Path(__file__).parent / "reference" / "pictures"
FACTS = json.loads((KEPT / "pictures.json").read_text())

# Root of the mean square of the difference of pixels, of 255. What remains between matplotlib 3.6
# and 3.11 is where ticks and edges of cells lie by a fraction of a pixel: 2.1 at most.
TOLERANCE = 3.0


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def drawn(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return display_cases.drawn(metalmom, name)


def differences(ours, theirs, path=""):
    """Where two trees of facts differ; numbers may by 1e-5 of the larger, or 1e-6."""
    if isinstance(theirs, dict):
        for key in theirs:
            yield from differences(ours[key], theirs[key], f"{path}.{key}")
    elif isinstance(theirs, list):
        if len(ours) != len(theirs):
            yield f"{path}: {ours} is not {theirs}"
            return
        for number, pair in enumerate(zip(ours, theirs)):
            yield from differences(*pair, f"{path}[{number}]")
    elif isinstance(theirs, float):
        if abs(ours - theirs) > max(1e-5 * max(abs(ours), abs(theirs)), 1e-6):
            yield f"{path}: {ours} is not {theirs}"
    elif ours != theirs:
        yield f"{path}: {ours!r} is not {theirs!r}"


@pytest.mark.parametrize("name", display_cases.PICTURES)
def test_picture(name):
    fig = drawn(name)
    assert list(differences(display_cases.facts(fig), FACTS[name])) == []
    expected = np.round(plt.imread(KEPT / f"{name}.png")[..., :3] * 255)
    pixels = display_cases.render(fig).astype(float)
    assert pixels.shape == expected.shape
    error = np.sqrt(np.mean((pixels - expected) ** 2))
    assert error < TOLERANCE, f"off by {error:.1f} of 255"


def colours_of_legend(draw, **kwargs):
    """What a legend shows of a picture: its colours, from the middle outwards."""
    fig, ax = plt.subplots()
    draw(np.linspace(-1, 1, 4000), ax=ax, label="x", **kwargs)
    (handle,) = ax.get_legend_handles_labels()[0]
    if hasattr(handle, "get_facecolor"):
        return [matplotlib.colors.to_hex(handle.get_facecolor())]
    effects = [effect._gc["foreground"] for effect in handle.get_path_effects()[:1]]
    return [matplotlib.colors.to_hex(colour) for colour in (handle.get_color(), *effects)]


def test_legends_show_waves_as_lines_and_bars_as_boxes():
    waveshow, wavebars = metalmom.display.waveshow, metalmom.display.wavebars
    assert colours_of_legend(waveshow, color="red") == ["#ff0000"]
    assert colours_of_legend(waveshow, color="red", invert=True) == ["#ffffff", "#ff0000"]
    assert colours_of_legend(wavebars, color="red") == ["#ff0000"]
    # Inverted bars are left out of the axes' colour, which is what a legend can show.
    assert colours_of_legend(wavebars, color="red", invert=True) == ["#ff0000"]


def colours_off(name, place, wrong):
    """How far a picture is off when one of its meshes is drawn in other colours."""
    fig = drawn(name)
    fig.axes[place].collections[0].set_cmap(wrong)
    expected = np.round(plt.imread(KEPT / f"{name}.png")[..., :3] * 255)
    return np.sqrt(np.mean((display_cases.render(fig).astype(float) - expected) ** 2))


def test_a_difference_is_seen():
    assert colours_off("axis_log", 0, "inferno") > TOLERANCE
    ours = display_cases.facts(drawn("axis_mel"))
    assert list(differences(ours, FACTS["axis_log"]))


def test_an_hour_is_drawn_from_means_and_looks_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    S = rng.uniform(-1, 0, (20, 12000)).astype(np.float32).cumsum(axis=1)
    S -= S.mean(axis=1, keepdims=True)

    def pixels(cells):
        monkeypatch.setattr("metalmom.display._reduction.CELLS", cells)
        fig, ax = plt.subplots(figsize=(4, 2), dpi=80)
        mesh = metalmom.display.specshow(S, x_axis="time", ax=ax)
        return fig, mesh, display_cases.render(fig).astype(float)

    _, whole, expected = pixels(S.size)
    fig, reduced, found = pixels(1000)
    assert whole.get_array().size == S.size
    assert reduced.get_array().size < S.size / 10
    assert reduced.get_clim() == whole.get_clim()
    assert np.sqrt(np.mean((found - expected) ** 2)) < 5
    # Zoomed in, every cell is there; zoomed out, the means are back.
    fig.axes[0].set_xlim(10, 12)
    fig.canvas.draw()
    shown = reduced.get_array().reshape(20, -1)
    assert any(np.array_equal(shown[:, 5], S[:, i]) for i in range(400, 470))
    fig.axes[0].set_xlim(0, 279)
    assert reduced.get_array().size < S.size / 10


def long_picture(monkeypatch, S, cells, view, y_axis):
    """Pixels of a spectrogram that is reduced beyond so many cells, and how many its mesh has."""
    monkeypatch.setattr("metalmom.display._reduction.CELLS", cells)
    fig, ax = plt.subplots(figsize=(4, 2), dpi=80)
    mesh = metalmom.display.specshow(S, x_axis="time", y_axis=y_axis, hop_length=128, ax=ax)
    if view:
        ax.set_xlim(view)
    return display_cases.render(fig).astype(float), mesh.get_array().size


# Root of the mean square of the difference of pixels, of 255. Where several columns lie on a pixel
# the whole mesh shows one of them, the reduced one their mean; of one second all columns are there.
LONG_TOLERANCE = {None: 5.0, (20, 40): 4.0, (30, 31): 0.5}


@pytest.mark.parametrize("view", LONG_TOLERANCE)
@pytest.mark.parametrize(
    "order, y_axis", [("C", "linear"), ("F", "log"), ("F", "mel"), ("C", "cqt_note")]
)
def test_a_long_spectrogram_looks_as_all_of_its_cells_do(monkeypatch, order, y_axis, view):
    S = np.repeat(display_cases.values(85, 241), 50, axis=1)[:, :12001]
    S = np.asarray(S, order=order)
    expected, every = long_picture(monkeypatch, S, S.size, view, y_axis)
    found, shown = long_picture(monkeypatch, S, 1000, view, y_axis)
    assert every == S.size and shown < S.size / 10
    assert np.sqrt(np.mean((found - expected) ** 2)) < LONG_TOLERANCE[view]
    elsewhere, _ = long_picture(monkeypatch, np.roll(S, 400, axis=1), 1000, view, y_axis)
    assert np.sqrt(np.mean((elsewhere - expected) ** 2)) > 3 * LONG_TOLERANCE[view]


def test_a_bar_of_phases_follows_the_picture():
    """Its ticks are evenly spaced over the colours' limits, and said as fractions of pi."""
    cases = {
        (-np.pi, np.pi): ["-π", " 0", " π"],
        (0, 1): [" 0", " 2π/13", " 5π/16"],
    }
    for limits, says in cases.items():
        _, ax = plt.subplots()
        mesh = ax.pcolormesh(display_cases.values(5, 6), vmin=limits[0], vmax=limits[1])
        bar = metalmom.display.colorbar_phase(mesh, numticks=3)
        np.testing.assert_allclose(bar.get_ticks(), np.linspace(*limits, 3))
        assert [bar.formatter(tick, 0) for tick in bar.get_ticks()] == says


def test_long_phases_are_sampled_not_averaged(monkeypatch):
    monkeypatch.setattr("metalmom.display._reduction.CELLS", 1000)
    D = np.exp(1j * np.random.default_rng(0).uniform(-3, 3, (4, 9000)))
    mesh = metalmom.display.specshow(D, vscale="phase")
    shown = mesh.get_array().reshape(4, -1)
    assert shown.shape[1] < 2000 and np.isin(shown, np.angle(D)).all()


def test_booleans_may_have_limits():
    mesh = metalmom.display.specshow(display_cases.values(5, 6) > 0.5, vmin=-1)
    assert mesh.get_clim() == (-1, 1) and mesh.get_cmap().name == "gray_r"


def test_what_is_masked_is_not_drawn():
    S = display_cases.values(5, 6)
    mesh = metalmom.display.specshow(np.ma.masked_greater(S, 0.5))
    np.testing.assert_array_equal(np.ma.getmaskarray(mesh.get_array()).reshape(5, 6), S > 0.5)
    assert mesh.get_clim()[1] == S[S <= 0.5].max()


def test_detail_follows_the_zoom():
    y = np.arange(1, 31, dtype=np.float32) * np.where(np.arange(30) % 2, -1, 1)
    _, ax = plt.subplots()
    plot = metalmom.display.waveshow(y, sr=1, max_points=4, ax=ax)
    assert plot.envelope.get_visible() and not plot.steps.get_visible()
    ax.set_xlim(10, 13)
    assert plot.steps.get_visible() and not plot.envelope.get_visible()
    np.testing.assert_array_equal(plot.steps.get_ydata(), y[10:14])
    plot.disconnect()
    ax.set_xlim(0, 30)
    assert plot.steps.get_visible() and plot.ax is ax
    plot.disconnect(strict=True)
    assert plot.ax is None


def test_a_plot_outlives_its_axes():
    fig, ax = plt.subplots()
    plot = metalmom.display.waveshow(np.ones(30, np.float32), sr=1, max_points=4, ax=ax)
    plt.close(fig)
    del fig, ax
    plot._ax = lambda: None  # as when they are collected, whenever that is
    assert plot.ax is None
    plot.disconnect()
    assert plot.cid is None


def test_ticks_say_times():
    _, ax = plt.subplots()
    says = metalmom.display.TimeFormatter()
    ax.xaxis.set_major_formatter(says)
    for view, text in ((0.5, "61.250"), (30, "61"), (100, "1:01"), (5000, "0:01:01")):
        ax.set_xlim(0, view)
        assert says(61.25) == text
    ax.plot([0, 10], [0, 0])
    lag = metalmom.display.TimeFormatter(lag=True, unit="s")
    ax.xaxis.set_major_formatter(lag)
    assert [lag(x) for x in (4, 6, 11)] == ["4", "-4", ""]


def test_seven_octaves_have_ticks_however_small_they_are():
    for height in (1, 2, 6):
        fig, ax = plt.subplots(figsize=(3, height))
        metalmom.display.specshow(display_cases.values(84, 9), y_axis="cqt_note", ax=ax)
        fig.canvas.draw()
        texts = [t.get_text() for t in ax.get_yticklabels() if t.get_text()]
        assert 2 <= len(texts) <= 12 and all(text.startswith("C") for text in texts)


def test_notes_from_zero_hertz_have_ticks():
    fig, ax = plt.subplots()
    ax.set_ylim(-100, 1000)
    metalmom.display.wavef0(np.ones(2000, np.float32), f0=np.full(4, 220.0), ax=ax)
    ax.set_ylim(-100, 1000)
    fig.canvas.draw()
    assert "C4" in [tick.get_text() for tick in ax.get_yticklabels()]


def test_legends_collect_labels():
    _, axes = plt.subplots(2)
    axes[0].plot([1, 2], label="a")
    metalmom.display.waveshow(np.zeros(10), ax=axes[1], label="b")
    legend = metalmom.display.legend_for_axes()
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b"]


def test_lines_stand_out():
    _, ax = plt.subplots()
    assert metalmom.display.highlight(ax=ax)[0]._gc["foreground"] == "black"
    ax.set_facecolor("k")
    assert metalmom.display.highlight(ax=ax)[0]._gc["foreground"] == "white"
    metalmom.display.specshow(display_cases.values(9, 9), ax=ax, cmap="gray_r")
    (line,) = ax.plot([1, 2])
    effects = metalmom.display.highlight(artist=line, linewidth=4)
    assert effects[0]._gc == {"foreground": "black", "linewidth": 4, "alpha": 1.0}
    assert line.get_path_effects() == effects


def test_a_wave_bends_back():
    bend = metalmom.display.Transformf0(np.array([100.0, 200.0, np.nan]), norm=0.5)
    points = np.array([[0.0, 0.5], [0.03, -0.2]])
    np.testing.assert_allclose(bend.inverted().transform(bend.transform(points)), points)
    assert np.isnan(bend.transform([[0.05, 0.0]])[0, 1])


D = metalmom.display


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda S: D.specshow(S, x_axis="foo"), "axis='foo' must be"),
        (lambda S: D.specshow(S, vscale="dB[x]"), "vscale='dB[x]' must be"),
        (lambda S: D.specshow(S, vscale="dBFS[0.1]"), "must have no reference"),
        (lambda S: D.specshow(S, x_axis="foo", x_coords=np.arange(9)), "x_axis='foo' must be None or"),
        (lambda S: D.specshow(S, y_axis="vqt_hz"), "intervals=None must be"),
        (lambda S: D.specshow(S, y_axis="chroma_fjs"), "intervals=None must be given for an axis 'chroma_fjs'"),
        (lambda S: D.specshow(S, y_axis="cqt_svara"), "Sa=None must be"),
        (lambda S: D.specshow(S[0]), "data.shape=(9,) must be"),
        (lambda S: D.specshow(S, x_coords=np.arange(5)), "x_coords.shape=(5,) must be"),
        (lambda S: D.specshow(S, ax=3), "ax=int must be"),
        (lambda S: D.waveshow(S[0], max_points=0), "max_points=0 must be"),
        (lambda S: D.waveshow(S[0], axis="mel"), "axis='mel' must be"),
        (lambda S: D.waveshow(S[0, :0]), "y.shape=(0,) must be"),
        *((lambda S, draw=draw: draw(np.ones((3, 9))), r"y.shape=(3, 9) must be (n,) or (2, n)")
          for draw in (D.waveshow, D.wavebars, lambda y: D.wavef0(y, f0=y[0]))),
        (lambda S: D.wavebars(S[0], n_bars=0), "n_bars=0 must be"),
        (lambda S: D.wavebars(S[0], gap_ratio=2), "gap_ratio=2 must be"),
        (lambda S: D.wavef0(S[0], f0=S[0], method="x"), "method='x' must be"),
        (lambda S: D.wavef0(S[0], f0=[0.0, 100.0]), "f0 must be positive or NaN"),
        (lambda S: D.wavef0(S[0], f0=[np.nan]), "f0 must be positive or NaN"),
        (lambda S: D.wavef0(S[0], f0=S[0], freq_axis="mel"), "freq_axis='mel' must be"),
        (lambda S: D.multiplot("foo", S), "func='foo' must be"),
        (lambda S: D.multiplot("specshow", np.zeros((2, 2, 2, 3, 3))), "at most two"),
        (lambda S: D.multiplot("specshow", S, S, labels=["a"]), "labels must be 2"),
        (lambda S: D.multiplot("specshow", S, S, share_properties="x"), "share_properties='x'"),
        (lambda S: D.multiplot("specshow"), "data must be one"),
        (lambda S: D.legend_for_axes([]), "one at least"),
        (lambda S: D.colorbar_phase(D.specshow(S), numticks=0), "numticks=0 must be"),
        (lambda S: D.infer_cmap(np.zeros(0)), "data must have finite"),
        (lambda S: D.specshow(np.full((2, 2), np.nan)), "data must have finite"),
        (lambda S: D.TimeFormatter(unit="d"), "unit='d' must be"),
        (lambda S: D.ChromaFJSFormatter(intervals={}), "intervals={} must be a name or ratios"),
    ],
)
@pytest.mark.filterwarnings("ignore:The highest bin", "error:All-NaN")
def test_refusals_name_what_was_given(call, words):
    with pytest.raises(metalmom.ParameterError) as refused:
        call(display_cases.values(9, 9))
    assert words in str(refused.value)


def test_without_matplotlib_one_sentence_says_so():
    code = """
import sys
sys.modules["matplotlib"] = None
import metalmom, numpy as np
assert "matplotlib.pyplot" not in sys.modules
for call in (lambda: metalmom.display.specshow(np.ones((2, 2))), lambda: metalmom.display.TimeFormatter):
    try:
        call()
    except ModuleNotFoundError as error:
        print(error)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rest = "needs matplotlib, which is not installed: pip install matplotlib (or metalmom[display])"
    assert ran.stdout.splitlines() == [f"specshow() {rest}", f"metalmom.display.TimeFormatter {rest}"]


def test_the_old_name_of_infer_cmap_warns_where_it_is_called():
    data = np.array([-1.0, 2.0])
    with pytest.warns(FutureWarning, match="was moved to metalmom.display.infer_cmap") as told:
        assert metalmom.display.cmap(data).name == metalmom.display.infer_cmap(data).name
    assert told[0].filename == __file__
