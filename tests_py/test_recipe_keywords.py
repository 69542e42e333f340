"""What a recipe takes of a function's keywords is what the function takes, and reaches it as it is."""

import importlib
import inspect
import warnings

import metalmom
import numpy as np
import pytest
from metalmom._extractor import _recipe
from test_extractor import assert_same, song

SR = 22050
Y = song(1.2)
SPECTRUM = np.abs(metalmom.stft(Y))
MEL = metalmom.feature.melspectrogram(y=Y)
MFCC = metalmom.feature.mfcc(y=Y)
N_FRAMES = SPECTRUM.shape[-1]


class Prior:
    """A distribution of tempi: what SciPy's have of it that is asked for."""

    def logpdf(self, bpm):
        return -np.abs(np.log2(np.maximum(bpm, 1e-3) / 90))


# What a keyword is set to, whichever function has it. None of it is anybody's default.
VALUES = {
    "ac_size": 4.0, "aggregate": np.median, "align_zeros": False, "amin": 1e-3, "axis": 0, "backtrack": True,
    "base_c": False, "beta": 0.25, "beta_parameters": (2, 9), "bins_per_octave": 24,
    "boltzmann_parameter": 3, "bounds_error": False, "bpm": 100.0, "center": False,
    "centroid": np.full((1, N_FRAMES), 900.0), "channels": [0, 64, 128], "clip": False, "coef": 0.5,
    "cqt_mode": "hybrid", "ctroct": 4.0, "cval": 0.25, "dct_type": 3, "delay": 2, "delta": 0.2, "deriv": 2,
    "detrend": True, "dtype": np.float64, "energy": np.cos(np.arange(N_FRAMES)), "factors": [1, 2, 3],
    "fill_na": 0.0, "fill_nan": True, "fill_value": 0.5, "filter_scale": 0.5, "fix": False, "flayout": "ba",
    "fmax": 3000.0, "fmin": 80.0, "frame_length": 1024, "freq": np.linspace(0, 9000, 1025),
    "freqs": np.linspace(1, 400, 384), "ftype": "cheby1", "gamma": 3.0, "hop_length": 256, "htk": True,
    "intervals": "ji5", "k": 4, "kernel_size": 15, "kind": "nearest", "lag": 2, "length": 9000, "lifter": 2,
    "linear": True, "margin": 2.0, "mask": True, "max_size": 3, "max_tempo": 150.0,
    "max_transition_rate": 20.0, "mel_norm": None, "metric": "cosine", "mode": "nearest", "n_bands": 4,
    "n_bins": 60, "n_chroma": 6, "n_fft": 1024, "n_fmt": 500, "n_iter": 2, "n_mels": 40, "n_mfcc": 13,
    "n_octaves": 5, "n_steps": 3, "n_thresholds": 50, "no_trough_prob": 0.1, "norm": 1, "normalize": False,
    "octwidth": 3, "order": 2, "over_sample": 2, "p": 3, "pad": True, "pad_mode": "reflect",
    "passband_ripple": 2, "polyorder": 3, "post_avg": 3, "post_max": 3, "power": 1.0, "pre_avg": 5,
    "pre_max": 3, "prior": Prior(), "quantile": 0.1, "Q": 30.0, "rate": 1.5, "reassign_frequencies": False,
    "reassign_times": False, "ref": 0.5, "ref_magnitude": np.max, "ref_power": 1e-3, "reflect_type": "odd",
    "res_type": "soxr_mq", "resolution": 0.05, "return_zf": True, "roll_percent": 0.5, "scale": True,
    "self": True, "smoothing_window": "boxcar", "sparse": False, "sparsity": 0.05, "sr": 16000,
    "start_bpm": 80, "std_bpm": 0.5, "stopband_attenuation": 40, "switch_prob": 0.1, "sym": True, "t_min": 1.0,
    "tempo_max": 200.0, "tempo_min": 60.0, "threshold": 0.2, "tightness": 50, "top_db": 20,
    "transition_min_prob": 1e-3, "trim": False, "trough_threshold": 0.3, "tuning": 0.2, "units": "time",
    "wait": 5, "width": 5, "win_len_smooth": 11, "win_length": 900, "window": "hamming", "zero_pos": False,
}  # fmt: skip

# Of windows that count frames.
SHORT = {"win_length": 40, "center": {"center": False, "win_length": 40}}
OF_BINS = {"n_bins": 12, "norm": 2, "scale": False, "dtype": np.complex128}
# Of numpy.pad, most of whose keywords belong to one mode.
PADDING = {
    "mode": "edge", "constant_values": 0.5, "end_values": {"mode": "linear_ramp", "end_values": 0.5},
    "stat_length": {"mode": "mean", "stat_length": 2}, "reflect_type": {"mode": "reflect", "reflect_type": "odd"},
}  # fmt: skip

# Where a function needs others.
OWN = {
    "feature.chroma_cens": {"window": np.hanning(5)},
    "feature.chroma_cqt": {"window": np.hanning(5)},
    "feature.tonnetz": {"window": np.hanning(5)},
    "feature.chroma_vqt": {"bins_per_octave": 10},
    "feature.fourier_tempogram": SHORT,
    "feature.hybrid_tempogram": {**SHORT, "copy": False, "assume_sorted": False},
    "feature.tempogram": SHORT,
    "feature.tempogram_ratio": SHORT,
    "feature.stack_memory": PADDING,
    "onset.onset_strength": {"ref": np.zeros((128, N_FRAMES), np.float32), "norm": np.inf},
    "onset.onset_strength_multi": {"ref": np.zeros((128, N_FRAMES), np.float32), "norm": np.inf},
    "beat.plp": {"win_length": 40},
    "cqt": OF_BINS,
    "decompose.nn_filter": {
        "sparse": True, "full": True, "mode": "affinity", "bandwidth": {"mode": "affinity", "bandwidth": 2.0},
        "aggregate": np.mean, "rec": np.ones((N_FRAMES, N_FRAMES)),
    },
    "effects.deemphasis": {"zi": np.ones(1, np.float32)},
    "effects.preemphasis": {"zi": np.ones(1, np.float32)},
    "effects.remix": {"intervals": [(0, 500)]},
    "feature.inverse.mel_to_audio": {"length": 26_400, "n_iter": 1},
    "feature.inverse.mfcc_to_audio": {"length": 26_400, "n_iter": 1, "norm": None, "n_mels": 100, "lifter": 30},
    "feature.mfcc": {"norm": None},
    "frontend.ast": {"num_mel_bins": 64, "max_length": 30, "do_normalize": False, "mean": -5.0, "std": 3.0},
    "frontend.clap": {"truncation": "rand_trunc", "padding": "pad", "frequency_min": 50.0, "frequency_max": 12000.0},
    "frontend.kaldi_fbank": {
        "sr": 8000, "frame_length_ms": 20.0, "frame_shift_ms": 12.5, "num_bins": 40, "low_freq": 60.0, "high_freq": 7000.0,
        "preemph_coeff": 0.5, "remove_dc_offset": False, "window_type": "hamming", "dither": 0,
        "blackman_coeff": {"window_type": "blackman", "blackman_coeff": 0.4}, "round_to_power_of_two": False,
        "snip_edges": False, "use_energy": True, "raw_energy": {"use_energy": True, "raw_energy": False},
        "energy_floor": {"use_energy": True, "energy_floor": 1.0}, "htk_compat": {"use_energy": True, "htk_compat": True},
        "use_log_fbank": False, "use_power": False, "scale": 32768,
    },
    "frontend.musicnn": {"overlap": 20},
    "frontend.nemo": {"preemph": 0.5, "normalize": None},
    "frontend.torchaudio_mel": {
        "sr": 8000, "win_length": 300, "f_min": 50.0, "f_max": 7000.0, "pad": 100, "norm": "slaney", "mel_scale": "slaney",
        "normalized": True, "pad_mode": "constant",
    },
    "frontend.wav2vec2": {"do_normalize": False},
    "frontend.whisper": {"chunk_length": 2, "pad": False},
    "hybrid_cqt": OF_BINS,
    "iirt": {
        "center_freqs": np.array([300.0, 400.0]), "sample_rates": np.array([8000.0, 4000.0]), "fmin": 80.0,
    },
    "lpc": {"order": 3},
    "onset.onset_detect": {"method": "dp_count"},
    "perceptual_weighting": {"kind": "C", "axes": (-1,), "frequencies": 1000.0},
    "pseudo_cqt": OF_BINS,
    "resample": {**PADDING, "target_sr": 8000, "orig_sr": 44100},
    "vqt": OF_BINS,
    "zero_crossings": {"pad": False},
}  # fmt: skip
# Whose filters are short.
HIGH_BINS = {"fmin": 500.0, "n_bins": 24}
# What is given in any case.
REQUIRED = {
    "cqt": HIGH_BINS,
    "decompose.nn_filter": {"aggregate": np.median},
    "effects.pitch_shift": {"sr": SR, "n_steps": 2},
    "effects.remix": {"intervals": [(100, 9000), (50, 4000)]},
    "effects.time_stretch": {"rate": 1.2},
    "feature.chroma_vqt": {"intervals": "equal"},
    "feature.inverse.mel_to_audio": {"n_iter": 2},
    "feature.inverse.mfcc_to_audio": {"n_iter": 2},
    "hybrid_cqt": HIGH_BINS,
    "iirt": {"center_freqs": np.array([500.0, 900.0]), "sample_rates": np.array([4000.0, 4000.0])},
    "lpc": {"order": 4},
    "perceptual_weighting": {"frequencies": metalmom.mel_frequencies(128)},
    "pseudo_cqt": HIGH_BINS,
    "pyin": {"fmin": 100.0, "fmax": 900.0},
    "resample": {"orig_sr": SR, "target_sr": 16000},
    "vqt": HIGH_BINS,
    "yin": {"fmin": 100.0, "fmax": 900.0},
}
# Functions of other features: of which.
FED = {
    "decompose.nn_filter": ("mfcc", MFCC),
    "feature.delta": ("mfcc", MFCC),
    "feature.inverse.mel_to_audio": ("melspectrogram", MEL),
    "feature.inverse.mel_to_stft": ("melspectrogram", MEL),
    "feature.inverse.mfcc_to_audio": ("mfcc", MFCC),
    "feature.stack_memory": ("mfcc", MFCC),
    "perceptual_weighting": ("melspectrogram", MEL),
}
# Whose results begin with random phases.
RANDOM = {"feature.inverse.mel_to_audio", "feature.inverse.mfcc_to_audio"}
# Of frequencies, names or files; a factorisation that scikit-learn makes.
NO_FEATURES = {
    "decompose.decompose", "explain", "frequency_weighting", "get_duration", "hz_to_note",
    "loadx", "multi_frequency_weighting", "segments", "separate", "submit", "to_device",
}  # fmt: skip
# The rates of models, which are the only ones.
ONE_VALUE = {(f"frontend.{name}", "sr") for name in metalmom.frontend.__all__} - {
    ("frontend.kaldi_fbank", "sr"), ("frontend.torchaudio_mel", "sr"),
}  # fmt: skip
# Not to be set: `feature` of a table names the function.
UNSET = {"y", "out", "feature", *_recipe._INPUTS}


def features():
    """The functions of audio, and those with **kwargs that are made of features, by their full names."""
    found = {}
    for module in (*_recipe.MODULES, "feature.inverse"):
        home = importlib.import_module(f"metalmom.{module}".rstrip("."))
        for name in home.__all__:
            function = getattr(home, name, None)
            if inspect.isfunction(function):
                found[f"{module}.{name}".lstrip(".")] = function
    return found


def is_open(function):
    return any(p.kind is p.VAR_KEYWORD for p in inspect.signature(function).parameters.values())


FEATURES = {
    name: function for name, function in features().items()
    if name not in NO_FEATURES and ("y" in inspect.signature(function).parameters or is_open(function))
}  # fmt: skip


def settings_of(name, function):
    """Each keyword set to what is not its default, with what it needs beside."""
    own = OWN.get(name, {})
    for key, default in _recipe.parameters_of(function).items():
        if key in UNSET or (name, key) in ONE_VALUE or name in FED and key == next(iter(inspect.signature(function).parameters)):
            continue
        value = own[key] if key in own else VALUES[key]
        setting = value if isinstance(value, dict) else {key: value}
        assert repr(setting[key]) != repr(REQUIRED.get(name, {}).get(key, default)), key
        yield key, setting


def outcome(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()


@pytest.mark.parametrize("name", FEATURES)
def test_every_keyword_reaches_its_function(name):
    function = FEATURES[name]
    for key, setting in settings_of(name, function):
        arguments = REQUIRED.get(name, {}) | setting
        recipe = {"it": {"feature": name, **arguments}}
        if name in FED:
            source, value = FED[name]
            recipe = {"source": {"feature": source}, "it": {**recipe["it"], "of": "source"}}
            alone = outcome(lambda: function(value, **arguments))
        else:
            alone = outcome(lambda: function(y=Y, **arguments))
        for values in outcome(lambda: metalmom.Extractor(recipe).map([Y, Y])):
            if name in RANDOM:
                assert (values["it"].dtype, values["it"].shape) == (alone.dtype, alone.shape), key
            else:
                assert_same(values["it"], alone, f"{name}: {key}")


OPEN = {name: function for name, function in features().items() if is_open(function) and name not in ("explain", "submit")}


@pytest.mark.parametrize("name", OPEN)
def test_what_a_function_hands_on_is_declared_beside_it(name):
    assert hasattr(OPEN[name], "takes")


# What the function sets whatever it is given, as librosa's does. (`resample` hands on what only numpy.pad
# looks at, where it has to pad.)
SET_ANYWAY = {("feature.zero_crossing_rate", "axis")}


@pytest.mark.parametrize("name", [name for name in FEATURES if is_open(FEATURES[name])])
def test_no_other_keyword_is_taken(name):
    """Neither by the function, nor by a recipe: such a value would be lost, or end in an error of an inner name."""
    function = FEATURES[name]
    known = _recipe.parameters_of(function)
    every = set().union(*(inspect.signature(each).parameters for each in features().values()), *OWN.values(), VALUES)
    of = {"of": "source"} if name in FED else {}
    for key in sorted(every - set(known) - UNSET - {"args", "kwargs"}):
        recipe = {"it": {"feature": name, **of, **REQUIRED.get(name, {}), key: 1}, "source": {"feature": "mfcc"}}
        with pytest.raises(metalmom.ParameterError, match=f"{key}=1 is not a parameter of"):
            metalmom.Extractor(recipe)
        if name != "resample" and (name, key) not in SET_ANYWAY:
            arguments = {**REQUIRED.get(name, {}), key: 1}
            with pytest.raises((TypeError, ValueError)):
                outcome(lambda: function(FED[name][1], **arguments) if of else function(y=Y, **arguments))


@pytest.mark.parametrize("key", ["y", "out", "S"])
@pytest.mark.parametrize("value", [Y, SPECTRUM, 1])
def test_inputs_and_results_are_no_settings(key, value):
    for features, defaults in (({"rms": {}, "stft": {}}, {key: value}),
                               ({"it": {"feature": "stft" if key == "out" else "rms", key: value}}, {}),
                               ({"mfcc": {}, "it": {"feature": "delta", "of": "mfcc", "data": value}}, {})):  # fmt: skip
        with pytest.raises(metalmom.ParameterError, match="must not be given"):
            metalmom.Extractor(features, **defaults)
        with pytest.raises(metalmom.ParameterError, match="must not be given"):
            metalmom.Extractor.from_recipe({"features": features, "defaults": defaults})


def test_inputs_and_results_that_are_none_change_nothing():
    fx = metalmom.Extractor({"rms": {"S": None}, "stft": {"y": None}}, out=None, y=None)
    assert_same(fx(Y)["rms"], metalmom.feature.rms(y=Y), "rms")


@pytest.mark.parametrize(
    "name, key",
    [("tempo", "onset_envelope"), ("tempo", "tg"), ("chroma_cqt", "C"), ("chroma_vqt", "V"), ("tonnetz", "chroma"),
     ("tonnetz", "C"), ("onset_strength", "S"), ("beat_track", "onset_envelope")],
)  # fmt: skip
def test_what_replaces_audio_is_refused(name, key):
    with pytest.raises(metalmom.ParameterError, match=f"features.{name}: {key} must not be given"):
        metalmom.Extractor({name: {key: SPECTRUM}})


@pytest.mark.parametrize(
    "name, of",
    [("chroma_cqt", "cqt"), ("chroma_cens", "magnitudes"), ("tonnetz", "chroma"), ("zero_crossing_rate", "stretched"),
     ("spectral_flatness", "magnitudes"), ("resample", "stretched"), ("time_stretch", "stretched")],
)  # fmt: skip
def test_a_feature_of_another_takes_it_as_what_it_is(name, of):
    recipe = {"cqt": {"feature": "pseudo_cqt"}, "magnitudes": {"feature": "pseudo_cqt"}, "chroma": {"feature": "chroma_stft"},
              "stretched": {"feature": "time_stretch", "rate": 2.0}}  # fmt: skip
    own = {"resample": {"orig_sr": SR, "target_sr": 16000}, "time_stretch": {"rate": 0.5}}.get(name, {})
    fed = {"chroma_cqt": "C", "chroma_cens": "C", "tonnetz": "chroma", "spectral_flatness": "S"}.get(name, "y")
    values = metalmom.Extractor({**recipe, "it": {"feature": name, "of": of, **own}})(Y)
    function, _ = _recipe.find_function(name)
    assert_same(values["it"], function(**{fed: values[of]}, **own), name)


def test_a_feature_is_made_of_parameters_that_its_function_has():
    with pytest.raises(metalmom.ParameterError, match="dta is not a parameter of feature.delta; did you mean 'data'"):
        metalmom.Extractor({"mfcc": {}, "it": {"feature": "delta", "of": {"dta": "mfcc"}}})


def test_a_recipe_keeps_the_name_of_its_function():
    fx = metalmom.Extractor(["onset_strength"], feature=metalmom.feature.melspectrogram)
    assert fx.recipe["features"]["onset_strength"]["feature"] == "onset.onset_strength"
