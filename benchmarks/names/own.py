"""Calls of names that the reference table has no case of: each is given the library and returns a
function without arguments.
"""

import tempfile

import numpy as np

RNG = np.random.default_rng(5)
FREQUENCIES = np.linspace(20.0, 8000.0, 200)
MAGNITUDES = RNG.random((257, 60)).astype(np.float32)
MEL = RNG.random((40, 60)).astype(np.float32)
AUDIO = RNG.standard_normal(8192).astype(np.float32)
INTERVALS = np.sort(RNG.random((20, 2)), axis=1) + np.array([[0.0, 0.1]])
CHROMA = RNG.random((12, 60))
CALLS = {}


def call(name):
    def register(prepare):
        CALLS[name] = prepare
        return prepare

    return register


def plain(name, *args, **kwargs):
    """A function that is called as it is."""

    def prepare(library):
        function = library
        for part in name.split("."):
            function = getattr(function, part)
        return lambda: function(*args, **kwargs)

    CALLS[name] = prepare


@call("segments")
def segments(library):
    return lambda: [*library.segments(AUDIO, 2048)]


@call("overlap_add")
def overlap_add(library):
    cut = [*library.segments(AUDIO, 2048)]
    return lambda: library.overlap_add(cut)


@call("separate")
def separate(library):
    model = library.separation.Model(
        lambda segment: np.stack([segment, segment]),
        {"kind": "waveform", "sr": 8000, "channels": 1, "stems": ["one", "two"], "segment": 0.25},
    )
    return lambda: library.separate(AUDIO, model, sr=8000)


for kind in "ABCDZ":
    plain(f"{kind}_weighting", FREQUENCIES)
plain("frequency_weighting", FREQUENCIES, kind="A")
plain("multi_frequency_weighting", FREQUENCIES)
plain("A4_to_tuning", 450.0)
plain("tuning_to_A4", 0.3)
plain("cqt_frequencies", 84, fmin=32.7)
plain("fourier_tempo_frequencies")
plain("list_mela")
plain("feature.inverse.mel_to_stft", MEL, n_fft=512)
plain("feature.inverse.mel_to_audio", MEL, n_fft=512, n_iter=2)
plain("feature.inverse.mfcc_to_audio", MEL[:13], n_mels=40, n_fft=512, n_iter=2)
plain("convolve", AUDIO, AUDIO[:2048])
plain("feature.spectral_slope", y=AUDIO)
for front_end in ("ast", "clap", "kaldi_fbank", "musicnn", "nemo", "vggish", "wav2vec2", "whisper", "yamnet"):
    plain(f"frontend.{front_end}", AUDIO)
plain("frontend.torchaudio_mel", AUDIO, n_mels=40)
plain("frontend.from_config", {"feature_extractor_type": "WhisperFeatureExtractor"})
plain("util.list_examples")
plain("util.find_files", tempfile.gettempdir(), recurse=False)
plain("util.match_intervals", INTERVALS[:7], INTERVALS)
plain("util.softmask", MAGNITUDES, MAGNITUDES[::-1])
plain("util.valid_intervals", INTERVALS)
plain("decompose.decompose", MAGNITUDES, n_components=3, max_iter=5, random_state=0, init="random")


@call("show_versions")
def _(library):
    import contextlib
    import io

    def shown():
        with contextlib.redirect_stdout(io.StringIO()):
            library.show_versions()

    return shown


@call("util.fill_off_diagonal")
def _(library):
    return lambda: library.util.fill_off_diagonal(np.ones((60, 60)), radius=0.25)


@call("util.rename_kw")
def _(library):
    old = library.util.Deprecated()
    return lambda: library.util.rename_kw(
        old_name="a", old_value=old, new_name="b", new_value=1, version_deprecated="1",
        version_removed="2",
    )  # fmt: skip


@call("segment.timelag_filter")
def _(library):
    half = library.segment.timelag_filter(lambda lags: lags / 2)
    return lambda: half(CHROMA.T @ CHROMA)


def axes():
    """Axes of a figure that is not shown; each call draws on them anew."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    return Figure().subplots()


def drawing(name, *args, **kwargs):
    """A function of `display` that draws on axes given as `ax`."""

    def prepare(library):
        ax, function = axes(), getattr(library.display, name)

        def draw():
            ax.clear()
            function(*args, ax=ax, **kwargs)

        return draw

    CALLS[f"display.{name}"] = prepare


drawing("specshow", MAGNITUDES, x_axis="time", y_axis="log")
drawing("waveshow", AUDIO)
drawing("wavebars", AUDIO)
drawing("wavef0", AUDIO, f0=np.linspace(200.0, 400.0, 17))
plain("display.infer_cmap", MAGNITUDES)


@call("display.AdaptiveWaveplot")
def _(library):
    ax = axes()
    (steps,) = ax.step(np.arange(64), AUDIO[:64])
    envelope = ax.fill_between(np.arange(64), AUDIO[:64], -AUDIO[:64])
    times = np.arange(len(AUDIO)) / 22050
    return lambda: library.display.AdaptiveWaveplot(times, AUDIO, steps, envelope)


@call("display.Transformf0")
def _(library):
    f0, points = np.linspace(200.0, 400.0, 60), np.stack([np.linspace(0, 1, 50)] * 2, axis=1)
    return lambda: library.display.Transformf0(f0).transform(points)


def beside_mesh(name):
    """A function that draws a colour bar beside a spectrogram; a figure for each call."""

    def prepare(library):
        def draw():
            ax = axes()
            mesh = ax.pcolormesh(MAGNITUDES[:8, :8])
            getattr(library.display, name)(mesh, ax=ax)

        return draw

    CALLS[f"display.{name}"] = prepare


beside_mesh("colorbar_db")
beside_mesh("colorbar_phase")


@call("display.highlight")
def _(library):
    return lambda: library.display.highlight(color="red")


@call("display.legend_for_axes")
def _(library):
    ax = axes()
    ax.plot([0, 1], label="line")
    return lambda: library.display.legend_for_axes(ax, fig=ax.figure)


@call("display.multiplot")
def _(library):
    from matplotlib.figure import Figure

    return lambda: library.display.multiplot("waveshow", AUDIO, AUDIO, fig=Figure())


def formatter(name, value, *args, **kwargs):
    """A formatter of ticks: made, and asked for one."""

    def prepare(library):
        kind, axis = getattr(library.display, name), axes().xaxis

        def write():
            made = kind(*args, **kwargs)
            made.set_axis(axis)
            made(value, 0)

        return write

    CALLS[f"display.{name}"] = prepare


formatter("ChromaFJSFormatter", 3, intervals="ji5", bins_per_octave=12)
formatter("ChromaFormatter", 3)
formatter("ChromaSvaraFormatter", 3, Sa=0, mela=22)
formatter("FJSFormatter", 440.0, fmin=55.0, intervals="ji5", n_bins=48, bins_per_octave=12)
formatter("LogHzFormatter", 440.0)
formatter("NoteFormatter", 440.0)
formatter("TimeFormatter", 3.5)
formatter("TonnetzFormatter", 3)
