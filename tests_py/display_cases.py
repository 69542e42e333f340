"""The pictures that are compared with librosa's: each draws on a small figure.

Imported by scripts/make_pictures.py, which lets librosa draw them, and by the test, which lets
metalmom. `facts` says what is on a figure, `render` what it looks like without its text, whose
fonts differ from one matplotlib to the next.
"""

import numpy as np
import reference_signals as s

SIZE, DPI = (2.4, 1.8), 80
PICTURES = {}


def picture(draw):
    """Register a function (library, figure) that draws."""
    PICTURES[draw.__name__] = draw
    return draw


def values(rows, columns, seed=71):
    """Ridges that rise over a floor: something to see."""
    row, column = np.mgrid[:rows, :columns]
    ridge = np.exp(-((row - rows * (0.2 + 0.6 * column / columns)) ** 2) / rows)
    return (ridge + 0.05 * s.positive((rows, columns), seed)).astype(np.float32)


def spectrum(rows, columns):
    turns = s.exact(s.normal((rows, columns), 72), np.float64)
    return values(rows, columns) * np.exp(1j * turns)


def wave(n=4000):
    y = s.exact(s.normal(n, 73) * np.linspace(0.1, 1, n))
    y[n // 2 : n // 2 + n // 8] = 0
    return y


def add_axis(kind, rows=129, **kwargs):
    name = "axis_" + "_".join([kind, *(str(k) for k in kwargs)])

    def draw(library, fig):
        library.display.specshow(
            values(rows, 30), y_axis=kind, x_axis="time", ax=fig.subplots(), **kwargs
        )

    PICTURES[name] = draw


for kind in ("linear", "log", "oct3", "log_oct3", "fft_note", "mel", "mel_oct3", "frames", "off"):
    add_axis(kind)
for kind in ("time", "h", "m", "s", "ms", "lag", "lag_h", "lag_m", "lag_s", "lag_ms"):
    add_axis(kind)
add_axis("fft_svara", Sa=220.0)
add_axis("mel", fmin=100.0, fmax=4000.0, htk=True)
for kind in ("cqt_hz", "cqt_oct3", "cqt_note"):
    add_axis(kind, rows=36)
add_axis("cqt_note", rows=60, key="Eb:min", fmin=55.0, tuning=0.25, bins_per_octave=36)
add_axis("cqt_svara", rows=36, Sa=220.0)
add_axis("cqt_svara", rows=36, Sa=220.0, mela=22)
for kind in ("vqt_hz", "vqt_oct3", "vqt_note", "vqt_fjs"):
    add_axis(kind, rows=24, intervals="ji5")
add_axis("vqt_fjs", rows=18, intervals="ji5", fmin=55.0, unison="G", unicode=False)
add_axis("chroma", rows=12)
add_axis("chroma", rows=24, bins_per_octave=24, key="F:min")
add_axis("chroma_h", rows=12, Sa=4, thaat="kafi")
add_axis("chroma_c", rows=12, mela=22, Sa=2)
add_axis("chroma_fjs", rows=12, intervals="ji5")
add_axis("chroma_fjs", rows=3, intervals=[1, 1.25, 1.5], bins_per_octave=3)
add_axis("tonnetz", rows=6)
add_axis("tempo", rows=80, tempo_min=40, tempo_max=400)
add_axis("fourier_tempo", rows=65)


def add_values(name, **kwargs):
    def draw(library, fig):
        library.display.specshow(
            spectrum(65, 40), x_axis="time", y_axis="linear", ax=fig.subplots(), **kwargs
        )

    PICTURES["values_" + name] = draw


for vscale in ("dB", "dB[0.1]", "dB[power]", "dB[power,0.1]", "dBFS", "dBFS[power]", "phase", "dphase"):
    add_values(vscale, vscale=vscale)
add_values("dBFS_top", vscale="dBFS", top_db=30)


@picture
def values_dphase_t(library, fig):
    library.display.specshow(
        spectrum(65, 40).T, x_axis="linear", y_axis="time", vscale="dphase_t", ax=fig.subplots()
    )


@picture
def colours_diverging(library, fig):
    library.display.specshow(values(20, 30) - 0.3, ax=fig.subplots())


@picture
def colours_boolean(library, fig):
    library.display.specshow(values(20, 30) > 0.3, ax=fig.subplots())


@picture
def colours_chosen(library, fig):
    library.display.specshow(
        values(20, 30) - 0.3, cmap="viridis", vmin=-1, vmax=2, ax=fig.subplots()
    )


@picture
def colours_with_holes(library, fig):
    library.display.specshow(np.where(values(20, 30) > 0.8, np.nan, 1.0), ax=fig.subplots())


@picture
def square(library, fig):
    library.display.specshow(values(30, 30), x_axis="time", y_axis="time", ax=fig.subplots())


@picture
def coordinates(library, fig):
    library.display.specshow(
        values(20, 30),
        x_coords=np.sqrt(np.arange(31.0)),
        y_coords=np.arange(21.0) ** 2,
        x_axis="time",
        ax=fig.subplots(),
    )


@picture
def bars_of_colours(library, fig):
    axes = fig.subplots(1, 2)
    mesh = library.display.specshow(values(20, 30), vscale="dBFS", ax=axes[0])
    library.display.colorbar_db(mesh)
    mesh = library.display.specshow(spectrum(20, 30), vscale="phase", ax=axes[1])
    library.display.colorbar_phase(mesh, numticks=7)


def add_wave(name, stereo=False, n=4000, limits=None, **kwargs):
    def draw(library, fig):
        ax = fig.subplots()
        y = np.stack([wave(n), 0.4 * wave(n)[::-1]]) if stereo else wave(n)
        library.display.waveshow(y, ax=ax, **kwargs)
        if limits:
            ax.set_xlim(*limits)

    PICTURES["wave_" + name] = draw


add_wave("envelope", max_points=200)
add_wave("samples", n=300)
add_wave("stereo", stereo=True, max_points=200)
add_wave("zoomed", max_points=200, limits=(0.15, 0.155))
add_wave("transposed", max_points=200, transpose=True)
add_wave("inverted", max_points=200, invert=True, color="C2")
add_wave("options", max_points=100, offset=2, color="r", alpha=0.5, where="pre", axis="ms")
add_wave("lag", max_points=200, axis="lag")
add_wave("no_axis", max_points=200, axis=None)


@picture
def bars(library, fig):
    library.display.wavebars(wave(), n_bars=20, ax=fig.subplots())


@picture
def bars_stereo(library, fig):
    y = np.stack([wave(), 0.4 * wave()[::-1]])
    library.display.wavebars(
        y, n_bars=12, gap_ratio=0.1, rounding_ratio=0, color="C3", offset=1, ax=fig.subplots()
    )


@picture
def bars_transposed(library, fig):
    library.display.wavebars(wave(), n_bars=8, transpose=True, invert=True, ax=fig.subplots())


@picture
def labels_and_silence(library, fig):
    plain, inverted, bars, gaps = fig.subplots(2, 2).flat
    library.display.waveshow(wave(), max_points=200, color="C1", label="a", ax=plain)
    library.display.waveshow(wave(), max_points=200, invert=True, label="b", ax=inverted)
    library.display.wavebars(0 * wave(), n_bars=9, label="c", ax=bars)
    library.display.wavebars(0.01 * wave(), n_bars=9, invert=True, color="C2", label="d", ax=gaps)


@picture
def just_intervals(library, fig):
    library.display.specshow(
        values(12, 30), y_axis="chroma_fjs", intervals=1 + np.arange(12) / 12, ax=fig.subplots()
    )


@picture
def limits_and_a_line(library, fig):
    """Limits that were chosen stay; else there is room for what else is drawn."""
    chosen, free = fig.subplots(2)
    chosen.set_xlim(0.1, 0.4)
    library.display.specshow(values(20, 30), x_axis="time", y_axis="linear", ax=chosen)
    free.plot([-0.5, 1.5], [0, 9000])
    library.display.specshow(values(20, 30), x_axis="time", y_axis="log", ax=free)


def pitch():
    f0 = np.linspace(100, 300, 8)
    f0[3] = np.nan
    return f0


@picture
def wave_along_pitch(library, fig):
    library.display.wavef0(wave(), f0=pitch(), max_points=3999, ax=fig.subplots())


@picture
def bars_along_pitch(library, fig):
    library.display.wavef0(
        wave(), f0=np.full(8, 220.0), method="wavebars", n_bars=10, freq_axis="cqt_hz",
        ax=fig.subplots(),
    )  # fmt: skip


@picture
def wave_along_falling_pitch(library, fig):
    y = wave()[::-1].copy()
    library.display.wavef0(y, f0=np.linspace(300, 200, 8), max_points=500, ax=fig.subplots())


@picture
def bars_along_falling_pitch(library, fig):
    library.display.wavef0(
        wave(), f0=pitch()[::-1], method="wavebars", n_bars=10, ax=fig.subplots()
    )


@picture
def grid_of_waves(library, fig):
    library.display.multiplot(
        "waveshow", np.stack([wave(), wave()[::-1], 0.5 * wave()]), fig=fig, max_points=100,
        titles=["a", "b", "c"], labels=["d", "e", "f"],
    )  # fmt: skip


@picture
def grid_of_rows(library, fig):
    y = np.stack([wave(), wave()[::-1]])
    library.display.multiplot(
        "wavebars", np.stack([y, 2 * y]), fig=fig, n_bars=8, share_properties="row"
    )


@picture
def grid_of_spectrograms(library, fig):
    S = np.stack([values(20, 30), values(20, 30)[::-1]])
    library.display.multiplot("specshow", S, fig=fig, orient="h", x_axis="time", y_axis="log")


def drawn(library, name):
    """A figure of a picture, laid out alike by every matplotlib."""
    import matplotlib.pyplot as plt

    with plt.style.context("default"):
        fig = plt.figure(figsize=SIZE, dpi=DPI)
        PICTURES[name](library, fig)
        fig.canvas.draw()
    return fig


def _axis_facts(axis):
    low, high = sorted(axis.get_view_interval())
    ticks = [
        (round(float(place), 6), tick.label1.get_text().replace("−", "-"))
        for place, tick in zip(axis.get_majorticklocs(), axis.get_major_ticks())
        if low <= place <= high
    ]
    return {
        "scale": axis.get_scale(),
        "label": axis.get_label_text(),
        "limits": [float(v) for v in axis.get_view_interval()],
        "ticks": [place for place, _ in ticks],
        "texts": [text for _, text in ticks],
    }


def facts(fig):
    """What is on the axes of a figure: scales, limits, ticks, labels, colours."""
    found = []
    for ax in fig.axes:
        meshes = [c for c in ax.collections if c.get_array() is not None]
        found.append({
            "x": _axis_facts(ax.xaxis),
            "y": _axis_facts(ax.yaxis),
            "aspect": str(ax.get_aspect()),
            "title": ax.get_title(),
            "labels": ax.get_legend_handles_labels()[1],
            "colours": [m.get_cmap().name for m in meshes],
            "ranges": [[float(v) for v in m.get_clim()] for m in meshes],
        })  # fmt: skip
    return found


def render(fig):
    """The pixels of a figure (height, width, 3), its text left out."""
    from matplotlib.text import Text

    for text in fig.findobj(Text):
        text.set_visible(False)
    fig.canvas.draw()
    return np.asarray(fig.canvas.buffer_rgba())[..., :3]
