"""The plot of a run: how many times as long the peers take, by problem and clip length."""

import importlib.util

SHADES = ("#f6b35c", "#e2654f", "#b03a66", "#6a2a6e", "#241540")  # short clips to long
PEER_SHADES = ("#0b7a75", "#d1495b", "#e0a100", "#2b1a4a", "#6c757d")
TICKS = (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def duration(seconds):
    return f"{seconds / 60:g} min" if seconds > 60 else f"{seconds:g} s"


def ratio_axis(ax, rows):
    """A logarithmic axis that begins at a whole tick and marks where both are equal."""
    low = min(row.ratio.median - row.ratio.spread for row in rows)
    high = max(row.ratio.median + row.ratio.spread for row in rows)
    ax.set_xscale("log")
    left = max(tick for tick in TICKS if tick <= max(low, TICKS[0]) * 0.98 or tick == TICKS[0])
    right = min(tick for tick in TICKS if tick >= min(high, TICKS[-1]) * 1.02 or tick == TICKS[-1])
    ax.set_xlim(left, right * 1.35)
    ticks = [tick for tick in TICKS if left <= tick <= right]
    ax.set_xticks(ticks, [f"{tick:g}x" for tick in ticks])
    ax.minorticks_off()
    ax.grid(axis="x", color="#e4e4e4", linewidth=0.8)
    ax.axvline(1, color="#555555", linewidth=1)
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(length=0)


def dots(ax, rows, names, groups, group_of, label_of, shades):
    """Row by row of NAMES a dot per group with its spread, joined by a line."""
    for place, name in enumerate(names):
        here = [row.ratio.median for row in rows if row.problem == name]
        ax.plot([min(here), max(here)], [place, place], color="#cfcfcf", linewidth=2, zorder=1)
    for shade, group in zip(shades, groups, strict=False):
        own = [row for row in rows if group_of(row) == group]
        ax.errorbar(
            [row.ratio.median for row in own],
            [names.index(row.problem) for row in own],
            xerr=[row.ratio.spread for row in own],
            fmt="o", markersize=6, color=shade, elinewidth=1, label=label_of(group), zorder=2,
        )  # fmt: skip
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.legend(frameon=False, ncols=5, loc="lower left", bbox_to_anchor=(-0.01, 1.0),
              columnspacing=1.2, handletextpad=0.2, borderaxespad=0.1)  # fmt: skip


def numbers(ax, names, texts, heading):
    """A column of TEXTS, name -> text, to the right of the axis."""
    for place, text in [(-0.95, heading)] + [(names.index(n), texts[n]) for n in texts]:
        ax.text(1.01, place, text, transform=ax.get_yaxis_transform(), va="center", fontsize=8,
                color="#333333", clip_on=False)  # fmt: skip


def names_by_ratio(rows, length):
    """Problems, the largest ratio first, on clips of LENGTH where there are such."""
    ratios = {row.problem: row.ratio.median for row in rows}
    ratios |= {row.problem: row.ratio.median for row in rows if row.seconds == length}
    return sorted(ratios, key=lambda name: -ratios[name])


def can_draw():
    """Whether matplotlib, which only `draw` needs, is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def draw(path, facts, rows):
    """Two panels: librosa over every clip length, all peers on the length that most have."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = [row for row in rows if row.ratio and row.threads == facts["threads"]]
    if not rows:
        return
    reference = [row for row in rows if row.peer == "librosa"]
    others = {row.problem for row in rows if row.peer not in ("librosa", "metalmom")}
    length = 30 if any(row.seconds == 30 for row in rows) else max(row.seconds for row in rows)
    compared = [row for row in rows if row.problem in others and row.seconds == length]
    panels = [panel for panel in (reference, compared) if panel]
    counts = [len({row.problem for row in panel}) + 1.9 for panel in panels]
    fig, axes = plt.subplots(
        len(panels), figsize=(8, 0.3 * sum(counts) + 0.9), height_ratios=counts, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    fig.get_layout_engine().set(h_pad=0.12)
    for ax, panel in zip(axes[:, 0], panels):
        ratio_axis(ax, panel)
        names, texts = names_by_ratio(panel, length), {}
        if panel is reference:
            lengths = sorted({row.seconds for row in panel})
            dots(ax, panel, names, lengths, lambda row: row.seconds, duration, SHADES)
            ax.set_xlabel("times as fast as librosa, by length of the clip")
            for row in panel:
                where = "" if row.seconds == length else f" ({duration(row.seconds)})"
                if not where or row.problem not in texts:
                    texts[row.problem] = f"{row.ratio.median:.3g}{where}"
            numbers(ax, names, texts, duration(length))
        else:
            peers = list(dict.fromkeys(row.peer for row in panel))
            dots(ax, panel, names, peers, lambda row: row.peer, str, PEER_SHADES)
            ax.set_xlabel(f"times as fast as each library, clips of {duration(length)}")
            for name in names:
                each = [row.ratio.median for row in panel if row.problem == name]
                texts[name] = f"{min(each):.2g} to {max(each):.2g}"
            numbers(ax, names, texts, "")
    threads = "one thread" if facts["threads"] == 1 else f"{facts['threads']} threads"
    text = f"metalmom {facts['commit']} on {facts['cpu']}, {threads}, {facts['clock']}"
    fig.suptitle(text, fontsize=9, color="#555555", x=0.01, ha="left")
    fig.savefig(path, dpi=150, metadata={"Date": None} if str(path).endswith(".svg") else None)
