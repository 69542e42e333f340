"""`metalmom.frontend` against the models' own code: scripts/make_frontend_reference.py has run that."""

import functools
import inspect
import json
import pathlib
import re

import metalmom
import numpy as np
import pytest
from frontend_cases import CASES, RATES, sound
from metalmom import _native, cli, frontend
from metalmom.frontend import _steps
from metalmom.util._output_files import write_wav
from metalmom.util._signatures import rules

pytestmark = pytest.mark.filterwarnings("ignore:Empty filters", "ignore:n_fft=512 is too large")

KEPT = np.load(pathlib.Path(__file__).parent / "reference" / "models" / "frontend.npz")

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "models.md"

FEATURES = [name for name in frontend.__all__ if name != "from_config"]


def run(case, y):
    return getattr(frontend, case.name)(y, **case.arguments)


def error(found, case, title=None):
    wanted = KEPT[title or case.title]
    assert found.dtype == np.float32 or case.name == "torchaudio_mel"
    assert found.shape == tuple(KEPT[f"{case.title}: shape"])
    return np.abs(found[case.kept] - wanted).max(initial=0) / (np.abs(wanted).max(initial=0) or 1)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_it_is_the_reference(case):
    # the references keep float32, of which this is some roundings
    assert error(run(case, case.audio.astype(np.float64)), case) < 5e-7
    assert error(run(case, case.audio.astype(np.float32)), case) < 1e-6


@pytest.mark.parametrize("case", [case for case in CASES if case.name == "kaldi_fbank"], ids=lambda case: case.title)
def test_kaldi_native_fbank_is_near(case):
    """It works in float32, where soft bands lose digits."""
    assert error(run(case, case.audio.astype(np.float32)), case, f"{case.title}: float32") < 1e-4


def test_every_front_end_has_cases():
    assert {case.name for case in CASES} == {*FEATURES}


@pytest.mark.parametrize("name", FEATURES)
def test_of_a_batch_each_clip_is_alone(name):
    function, sr = getattr(frontend, name), RATES.get(name, 16000)
    clips = np.stack([sound(70001, sr, 1), 0.01 * sound(70001, sr, 2), np.zeros(70001, np.float32)])
    np.testing.assert_array_equal(function(clips), [function(clip) for clip in clips])
    np.testing.assert_array_equal(function(clips[np.newaxis]), function(clips)[np.newaxis])
    np.testing.assert_array_equal(function(clips[:, ::-1][:, ::-1]), function(clips))
    assert clips[2].max() == 0  # and it is only read


@pytest.mark.parametrize("name", FEATURES)
def test_in_an_extractor_and_a_map(name):
    function, sr = getattr(frontend, name), RATES.get(name, 16000)
    clips = [sound(n, sr, n) for n in (70001, 52345, 70001)]
    fx = metalmom.Extractor([f"frontend.{name}"])
    for clip, found in zip(clips, fx.map(clips), strict=True):
        np.testing.assert_array_equal(found[f"frontend.{name}"], function(clip))
    np.testing.assert_array_equal(fx(clips[1])[f"frontend.{name}"], function(clips[1]))


def test_front_ends_share_what_they_have_in_common():
    y = sound(20001)
    found = metalmom.Extractor({"a": {"feature": "frontend.whisper"}, "b": {"feature": "frontend.whisper", "n_mels": 128},
                                "c": {"feature": "frontend.yamnet"}, "rms": {}})(y)  # fmt: skip
    np.testing.assert_array_equal(found["b"], frontend.whisper(y, n_mels=128))
    np.testing.assert_array_equal(found["c"], frontend.yamnet(y))


@pytest.mark.parametrize("name", FEATURES)
def test_another_rate_is_refused(name):
    function = getattr(frontend, name)
    sr = inspect.signature(function).parameters["sr"].default
    if name in ("kaldi_fbank", "torchaudio_mel"):
        assert function(sound(9000), sr=22050).size
        return
    with pytest.raises(metalmom.ParameterError, match=f"^sr=22050 must be {sr}, .*resample"):
        function(sound(9000), sr=22050)


def test_whisper_transforms_no_padding():
    """The frames of audio alone: what else there is has one value, the floor."""
    y = sound(16000 * 5)
    found = frontend.whisper(y)
    assert np.ptp(found[:, 503:]) == 0 and found[0, 503] == found.min()
    np.testing.assert_array_equal(found, frontend.whisper(np.pad(y, (0, 16000 * 25))))
    np.testing.assert_array_equal(found, frontend.whisper(np.pad(y, (0, 16000 * 26))))
    assert frontend.whisper(sound(0)).shape == (80, 3000)
    assert frontend.whisper(sound(159), pad=False).shape == (80, 0)


def test_kaldi_fbank_scales_samples():
    """As a product before it, which is exact with powers of two."""
    y = sound(9001)
    for scale, raw_energy in ((32768, True), (0.5, False)):
        made = functools.partial(frontend.kaldi_fbank, num_bins=40, use_energy=True, raw_energy=raw_energy)
        np.testing.assert_array_equal(made(y, scale=scale), made(np.float32(scale) * y))


def test_what_is_shorter_than_a_frame():
    short = sound(150)
    assert frontend.kaldi_fbank(short).shape == (0, 23)
    assert frontend.vggish(sound(15599)).shape == (0, 96, 64)
    assert frontend.vggish(sound(15600)).shape == (1, 96, 64)
    assert frontend.musicnn(sound(3000)).shape == (0, 187, 96)
    assert frontend.yamnet(short).shape == (1, 96, 64)
    assert (frontend.nemo(short) == 0).all()
    assert np.isfinite(frontend.nemo(sound(161))).all()
    with pytest.raises(metalmom.ParameterError, match=r"^y.shape\[-1\]=150 must be at least 201 to be reflected"):
        frontend.torchaudio_mel(short)


@pytest.mark.parametrize("name", ["clap", "wav2vec2"])
def test_nothing_is_refused(name):
    with pytest.raises(metalmom.ParameterError, match=r"^y.shape=\(0,\) must not be empty"):
        getattr(frontend, name)(np.zeros(0, np.float32))


@pytest.mark.parametrize("name", FEATURES)
def test_audio_is_finite(name):
    y = sound(70000)
    y[1000] = np.nan
    with pytest.raises(metalmom.ParameterError, match="y .*finite"):
        getattr(frontend, name)(y)


@pytest.mark.parametrize("name, arguments, told", [
    ("kaldi_fbank", {"dither": 1.0}, "dither=1.0 must be 0"),
    ("kaldi_fbank", {"window_type": "kaiser"}, "window_type='kaiser' must be one of"),
    ("kaldi_fbank", {"high_freq": 9000.0}, "high_freq=9000.0 must be above low_freq=20"),
    ("kaldi_fbank", {"low_freq": 8000.0}, "low_freq=8000.0 must be from 0"),
    ("kaldi_fbank", {"frame_length_ms": 0.1}, "frame_length_ms=0.1 must be two samples"),
    ("kaldi_fbank", {"frame_shift_ms": 0.01}, "frame_shift_ms=0.01 must be a sample"),
    ("nemo", {"normalize": "fixed"}, "normalize='fixed' must be"),
    ("clap", {"truncation": "random"}, "truncation='random' must be"),
    ("clap", {"padding": "zeros"}, "padding='zeros' must be"),
    ("torchaudio_mel", {"pad_mode": "circular"}, "pad_mode='circular' must be"),
    ("torchaudio_mel", {"mel_scale": "bark"}, "mel_scale='bark' must be"),
    ("torchaudio_mel", {"norm": "l2"}, "norm='l2' must be"),
    ("torchaudio_mel", {"win_length": 500}, "win_length=500 must be"),
    ("ast", {"std": 0.0}, "std=0.0 must be"),
    ("whisper", {"n_mels": 0}, "n_mels=0 must be"),
    ("whisper", {"chunk_length": 0.5}, "chunk_length=0.5 must be"),
    ("ast", {"max_length": 0}, "max_length=0 must be"),
    ("musicnn", {"overlap": 0}, "overlap=0 must be"),
])  # fmt: skip
def test_wrong_values_are_named(name, arguments, told):
    with pytest.raises(metalmom.ParameterError) as raised:
        getattr(frontend, name)(sound(9000, RATES.get(name, 16000)), **arguments)
    assert str(raised.value).startswith(told)


@pytest.fixture
def songs(tmp_path):
    (tmp_path / "songs").mkdir()
    for k, seconds in enumerate((1.0, 3.5)):
        write_wav(tmp_path / "songs" / f"{k}.wav", sound(int(16000 * seconds), seed=k), 16000)
    return tmp_path / "songs"


@pytest.mark.parametrize("name", [name for name in FEATURES if name not in ("clap", "musicnn", "yamnet")])
def test_extract_writes_a_row_a_frame(songs, tmp_path, name):
    """At the front-end's rate, which nobody has said. Of patches, whose thousands of columns take long, one is enough."""
    metalmom.extract(songs, tmp_path / "out", features=[f"frontend.{name}"], format="npz")
    features = metalmom.open_features(tmp_path / "out")
    for file in features:
        assert file.error == ""
        y, _ = metalmom.load(songs / file.path, sr=16000)
        np.testing.assert_array_equal(file[f"frontend.{name}"], getattr(frontend, name)(y))
    assert len(features) == 2
    assert name == "vggish" or cli.main(["verify", str(tmp_path / "out")]) == 0


def test_extract_on_the_command_line(songs, tmp_path):
    assert cli.main(["extract", str(songs), "-o", str(tmp_path / "out"), "--features", "frontend.whisper", "--format", "npz"]) == 0
    assert json.loads((tmp_path / "out/manifest.json").read_text())["recipe"]["sr"] == 16000


def test_rates_of_a_recipe():
    from metalmom.extraction.recipes import Recipe

    assert Recipe({"features": ["frontend.clap"]}).sr == 48000
    assert Recipe({"features": ["mfcc"]}).sr == 22050
    assert Recipe({"features": ["frontend.whisper", "frontend.yamnet", "decibels"]} | {"features": {
        "frontend.whisper": {}, "frontend.yamnet": {}, "zero_crossing_rate": {}}}).sr == 16000  # fmt: skip
    assert Recipe({"features": ["frontend.whisper", "mfcc"]}).sr == 22050


def test_features_of_frames_that_are_not_last_are_refused(songs, tmp_path):
    recipe = {"features": {"frontend.kaldi_fbank": {}, "d": {"feature": "delta", "of": "frontend.kaldi_fbank"}}}
    with pytest.raises(metalmom.ParameterError, match="features.d: of.*last axis is frames"):
        metalmom.extract(songs, tmp_path / "out", recipe=recipe)


# Configurations.


def known(kind, **others):
    return {"feature_extractor_type": f"{kind}FeatureExtractor", **others}


@pytest.mark.parametrize("config, function, arguments", [
    (known("Whisper"), frontend.whisper, {}),
    (known("Whisper", feature_size=128, chunk_length=20, n_samples=320000, nb_max_frames=2000, hop_length=160, n_fft=400,
           sampling_rate=16000, padding_side="right", padding_value=0.0, return_attention_mask=False,
           processor_class="WhisperProcessor", dither=0.0), frontend.whisper, {"n_mels": 128, "chunk_length": 20}),
    (known("Whisper", mel_filters=metalmom.filters.mel(sr=16000, n_fft=400, n_mels=80).tolist()), frontend.whisper, {}),
    (known("AST", num_mel_bins=64, max_length=512, mean=-6.5, std=3.5, do_normalize=True, return_attention_mask=True,
           feature_size=1), frontend.ast, {"num_mel_bins": 64, "max_length": 512, "mean": -6.5, "std": 3.5, "do_normalize": True}),
    (known("Wav2Vec2", do_normalize=False, sampling_rate=16000), frontend.wav2vec2, {"do_normalize": False}),
    (known("Clap", truncation="rand_trunc", padding="repeat", frequency_min=50, frequency_max=14000, top_db=None,
           nb_max_samples=480000, nb_frequency_bins=513, fft_window_size=1024), frontend.clap,
     {"truncation": "rand_trunc", "padding": "repeat", "frequency_min": 50, "frequency_max": 14000}),
], ids=lambda value: getattr(value, "__name__", None))  # fmt: skip
def test_configurations(tmp_path, config, function, arguments):
    path = tmp_path / "preprocessor_config.json"
    path.write_text(json.dumps(config))
    y = sound(20000, RATES.get(function.__name__, 16000))
    of_processor = tmp_path / "processor"
    of_processor.mkdir()
    (of_processor / "processor_config.json").write_text(json.dumps({"processor_class": "P", "feature_extractor": config}))
    for given in (config, path, str(path), tmp_path, {"feature_extractor": config}, of_processor):
        made = frontend.from_config(given)
        assert isinstance(made, functools.partial)
        assert (made.func, made.keywords) == (function, arguments)
        np.testing.assert_array_equal(made(y), function(y, **arguments))


@pytest.mark.parametrize("config, told", [
    ({}, "config: feature_extractor_type=None must be one of WhisperFeatureExtractor"),
    ({"feature_extractor": 3}, "config: feature_extractor=3 must be a JSON object"),
    (known("SeamlessM4T"), "config: feature_extractor_type='SeamlessM4TFeatureExtractor' must be one of"),
    (known("Whisper", hop_length=320), "config: hop_length=320 must be 160 for WhisperFeatureExtractor"),
    (known("Whisper", n_samples=16000), "config: n_samples=16000 must be 480000"),
    (known("Whisper", do_normalize=True), "config: do_normalize=True must be False"),
    (known("Whisper", auto_map={}), "config: auto_map={} is not a key that the front-end of"),
    (known("Whisper", feature_size=0), "n_mels=0 must be"),
    (known("Whisper", mel_filters=[[0.0]]), "config: mel_filters must be Slaney's"),
    (known("AST", sampling_rate=8000), "config: sampling_rate=8000 must be 16000"),
    (known("Clap", top_db=80), "config: top_db=80 must be None"),
    (known("Clap", truncation="none"), "truncation='none' must be one of"),
])  # fmt: skip
def test_what_no_front_end_has_is_named(config, told):
    with pytest.raises(metalmom.ParameterError) as raised:
        frontend.from_config(config)
    assert str(raised.value).startswith(told)


def test_files_that_are_no_configuration(tmp_path):
    with pytest.raises(metalmom.ParameterError, match="config=.* must be a file"):
        frontend.from_config(tmp_path / "missing.json")
    for text in ("{", "[]"):
        (tmp_path / "a.json").write_text(text)
        with pytest.raises(metalmom.ParameterError, match="config=.* must be a (file of JSON|JSON object)"):
            frontend.from_config(tmp_path / "a.json")


def test_the_programs_of_the_page_run():
    section = PAGE.read_text().partition("## Front-ends\n")[2].partition("\n## ")[0]
    programs = re.findall(r"^```python\n(.*?)^```", section, re.M | re.S)
    names = {}
    for program in programs:
        exec(compile(program, PAGE, "exec"), names)
    assert len(programs) == 3 and names["frontend"].keywords == {"n_mels": 128}
    assert [mel.shape for mel in names["mels"]] == [(128, 3000)] * 2
    np.testing.assert_array_equal(names["patches"], frontend.yamnet(names["y"])[-len(names["patches"]) :])


@pytest.mark.parametrize("name", [name for name in FEATURES if name != "torchaudio_mel"])
def test_a_pure_tone_in_float32_is_as_exact_as_in_float64(name):
    """Where nearly all bands are far below the loudest one; all is transformed in double."""
    y = metalmom.tone(440, sr=RATES.get(name, 16000), duration=4).astype(np.float32)
    found, wanted = (getattr(frontend, name)(each) for each in (y, y.astype(np.float64)))
    assert np.abs(found - wanted).max() < 5e-7 * np.abs(wanted).max()


def test_an_offset_costs_no_digits():
    """The mean of a frame is taken away in double, and no frame is rounded before it is transformed."""
    y = sound(20001)
    offset = frontend.kaldi_fbank(y.astype(np.float64) + 1000, num_bins=80)
    np.testing.assert_allclose(offset, frontend.kaldi_fbank(y, num_bins=80), atol=2e-5)


# Numbers that no argument takes: in one place, by what is declared of the arguments.

NUMBERS = [(name, argument) for name in FEATURES
           for argument, rule in rules(getattr(frontend, name)).items() if rule.counts]  # fmt: skip


@pytest.mark.parametrize("name, argument", NUMBERS)
@pytest.mark.parametrize("value", [True, np.nan, np.inf, -1e300, 10**18, "16000", [1.0], 10**5000], ids=range(8))
def test_what_is_no_number_is_refused(name, argument, value):
    with pytest.raises(metalmom.ParameterError) as raised:
        getattr(frontend, name)(sound(9000, RATES.get(name, 16000)), **{argument: value})
    assert str(raised.value).startswith(f"{argument}=")


@pytest.mark.parametrize("name, arguments, told", [
    ("kaldi_fbank", {"sr": -1}, "sr=-1 must be a number > 0"),
    ("kaldi_fbank", {"preemph_coeff": 2}, "preemph_coeff=2 must be a number from 0 to 1"),
    ("torchaudio_mel", {"f_max": -1.0}, "f_max=-1.0 must be a number > 0"),
    ("torchaudio_mel", {"f_min": 4000.0, "f_max": 3000.0}, "f_max=3000.0 must be above f_min=4000"),
    ("torchaudio_mel", {"f_min": 9000.0}, "f_max=8000.0 must be above f_min=9000"),
    ("torchaudio_mel", {"window": lambda n: np.full(n, np.nan)}, "window=<function"),
    ("clap", {"frequency_min": 15000}, "frequency_max=14000.0 must be above frequency_min=15000"),
    ("ast", {"std": 1e-300}, "std=1e-300 must be above 5e-31"),
    ("ast", {"max_length": 2**40}, "max_length=1099511627776 must be smaller"),
    ("whisper", {"chunk_length": 2**40}, "chunk_length=1099511627776 must be smaller"),
    ("whisper", {"n_mels": 2**40}, "n_mels=1099511627776 must be smaller"),
    ("kaldi_fbank", {"num_bins": 2**40}, "num_bins=1099511627776 must be smaller"),
    ("kaldi_fbank", {"frame_length_ms": 2**40}, "frame_length_ms=1099511627776 must be smaller"),
])  # fmt: skip
def test_numbers_beyond_their_limits_are_named(name, arguments, told):
    with pytest.raises(metalmom.ParameterError) as raised:
        getattr(frontend, name)(sound(9000, RATES.get(name, 16000)), **arguments)
    assert str(raised.value).startswith(told)


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
@pytest.mark.parametrize("name", [name for name in FEATURES if name != "torchaudio_mel"])
@pytest.mark.parametrize("dtype, scale", [(np.float32, 3e38), (np.float64, 1e300)])
def test_audio_whose_features_overflow_is_refused(name, dtype, scale):
    """Where they do not, features are finite: front-ends that compute in double have room for float32."""
    y = (np.sign(sound(80000)) * scale).astype(dtype)
    try:
        found = getattr(frontend, name)(y)
    except metalmom.ParameterError as error:
        assert str(error) in ("y must be small enough for its features to be finite", "y is not finite everywhere")
    else:
        assert np.isfinite(found).all() and np.abs(found).max() > 0
        assert dtype == np.float32 or name in ("yamnet", "vggish")  # which have logarithms of magnitudes


def test_recipes_make_nothing_of_frames_that_are_not_last():
    for name in ("kaldi_fbank", "ast", "clap", "yamnet", "musicnn"):
        recipe = {"k": {"feature": f"frontend.{name}"}, "d": {"feature": "delta", "of": "k"}}
        with pytest.raises(metalmom.ParameterError, match="features.d: of.*last axis is frames"):
            metalmom.Extractor(recipe)
    assert metalmom.Extractor({"k": {"feature": "frontend.whisper"}, "d": {"feature": "delta", "of": "k"}})


def test_a_recipe_of_two_rates_says_how_to_get_the_models(songs, tmp_path, capsys):
    with pytest.raises(SystemExit):
        cli.main(["extract", str(songs), "-o", str(tmp_path / "out"), "--features", "frontend.yamnet,mfcc"])
    assert "sr=22050 must be 16000, the rate of the model: resample the audio (metalmom.resample), or extract " \
           "with sr=16000 (--sr 16000)" in capsys.readouterr().err


@pytest.mark.parametrize("value", [[[1.0], [2.0, 3.0]], ["x"], 10**5000, {}], ids=["ragged", "words", "huge", "dict"])
@pytest.mark.parametrize("key", ["mel_filters", "feature_size", "hop_length", "feature_extractor_type", "other"])
def test_values_of_a_configuration_that_are_none_are_refused(key, value):
    with pytest.raises(metalmom.ParameterError):
        frontend.from_config({**known("Whisper"), key: value})


def test_configurations_too_deep_are_refused(tmp_path):
    for depth in (990, 100000):
        (tmp_path / "a.json").write_text('{"feature_extractor_type": ' + "[" * depth + "]" * depth + "}")
        with pytest.raises(metalmom.ParameterError, match="config"):
            frontend.from_config(tmp_path / "a.json")
    with pytest.raises(metalmom.ParameterError, match="config"):
        frontend.from_config("\0")


def test_the_op_makes_patches_and_rows():
    """Front-ends ask for them on devices, and `ast` everywhere."""
    y, frame = sound(3700), {"n_fft": 512, "frame_length": 400, "hop_length": 160, "center": False, "amin": 1e-10, "shift": -3.0}
    basis, window = _steps.mel_triangles(16000, 512, 20, 0.0, 8000.0), np.hanning(512)

    def levels(y, **arguments):
        return _native.log_bands_by_frame(y=y, basis=basis, window=window, **frame, **arguments).T

    plain = levels(y)  # 21 frames
    for patch, hop in ((4, 3), (3, 3), (2, 5), (21, 1), (22, 1)):
        patches = [plain[i : i + patch] for i in range(0, len(plain) - patch + 1, hop)]
        np.testing.assert_array_equal(levels(y, patch=patch, patch_hop=hop), np.concatenate([plain[:0], *patches]))
    for n, count in ((200, 1), (1520, 1), (1521, 2), (2160, 2), (2161, 3), (3700, 5)):  # 8 frames are 1520 samples, 4 hops 640
        ended = np.zeros(1520 + 640 * (count - 1), np.float32)
        ended[:n] = y[:n]
        expected = levels(ended, patch=8, patch_hop=4)
        assert len(expected) == 8 * count
        np.testing.assert_array_equal(levels(y[:n], patch=8, patch_hop=4, whole_patches=True), expected)
    np.testing.assert_array_equal(levels(y, n_rows=5), plain[:5])
    np.testing.assert_array_equal(levels(y, n_rows=24), np.concatenate([plain, np.full((3, 20), -3, np.float32)]))
    np.testing.assert_array_equal(levels(y[:300], n_rows=2), np.full((2, 20), -3, np.float32))
    del frame["shift"]
    with pytest.raises(metalmom.ParameterError, match="n_rows=24 must be the number of frames"):
        _native.log_bands(y=y, basis=basis, window=window, **frame, n_rows=24)
    with pytest.raises(metalmom.ParameterError, match="n_rows=40 must be 0 where frames are in patches"):
        levels(y, n_rows=40, patch=4, patch_hop=2)
