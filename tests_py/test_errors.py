"""Errors are data: what an error is about can be read from it, whoever raised it."""

import pickle

import numpy as np
import pytest

import metalmom
from metalmom.util.exceptions import (
    Argument, DeviceTypeError, MissingPackageOfArgument, ParameterKeyError, Shown, TypeOf, Unsaid,
)  # fmt: skip

Y = np.sin(np.arange(4096) * 0.1).astype(np.float32)


def told(call):
    with pytest.raises(metalmom.ParameterError) as error:
        call()
    return error.value


RAISED = {
    "Python": (lambda: metalmom.resample(Y, orig_sr=0, target_sr=1), "orig_sr", "0", "a positive number"),
    "the engine": (lambda: metalmom.lpc(Y, order=5000), "order", "5000",
                   "less than the number of samples, 4096"),
    "a signature": (lambda: metalmom.fft_frequencies(sr=0), "sr", "0", "a number > 0"),
    "a part": (lambda: metalmom.stft(Y[:0], pad_mode="reflect"), "y.shape[-1]", "0",
               "at least 1 to be padded with pad_mode='reflect'"),
    "the engine, of some values at a time": (lambda: metalmom.mu_compress([0.5, 3]), "x", "[0.5, 3]",
                                             "in the range [-1, +1] everywhere"),
    "another name inside": (lambda: metalmom.feature.rms(y=Y, frame_length=0), "frame_length", "0", None),
    "no value": (lambda: metalmom.util.normalize(np.array([np.nan, 1.0])), "S", None, "finite everywhere"),
}  # fmt: skip


@pytest.mark.parametrize("call, name, value, rule", RAISED.values(), ids=RAISED)
def test_an_error_has_the_name_the_value_and_the_rule(call, name, value, rule):
    error = told(call)
    assert error.name == name
    assert error.argument == name.partition(".")[0]
    assert rule is None or error.rule == rule
    if value is None:
        assert error.value is Unsaid
        assert str(error) == f"{name} must be {rule}"
    else:
        assert str(error.value) == value
        assert str(error) == f"{name}={value} {error.verb} {error.rule}{error.hint}"


def test_what_was_probably_meant_is_apart_from_the_rule():
    error = told(lambda: metalmom.stft(Y.tolist()))
    assert (error.rule, error.hint) == ("a numpy.ndarray", ": pass np.asarray(y)")
    error = told(lambda: metalmom.onset.onset_detect(y=Y, units="sample"))
    assert error.choices == ("frames", "samples", "time")
    assert error.hint == "; did you mean 'samples'?"
    clip = told(lambda: metalmom.Extractor(["mfcc"]).map([Y.tolist()]))
    assert (clip.argument, clip.rule) == ("y", "a numpy.ndarray")


def test_the_engine_says_the_choices_of_a_word():
    error = told(lambda: metalmom.filters.mel(sr=22050, n_fft=2048, norm="slanei"))
    assert error.argument == "norm"
    from metalmom import _native

    raised = told(lambda: _native.resample(y=Y, orig_sr=2.0, target_sr=1.0, res_type="soxr_hqq"))
    assert raised.name == "res_type"
    assert "soxr_hq" in raised.choices


def test_a_rule_may_be_made_of_choices():
    error = metalmom.ParameterError("orient", "x", choices=("h", "v", None))
    assert str(error) == "orient='x' must be 'h', 'v' or None"


def test_a_text_alone_is_told_as_it_is():
    error = metalmom.ParameterError("something of mine")
    assert str(error) == "something of mine"
    assert error.args == ("something of mine",)
    assert error.rule is error.argument is None
    assert str(metalmom.ParameterError()) == ""

    def refuse(*_, **__):
        raise metalmom.ParameterError("sr is mine")

    assert str(told(lambda: metalmom.onset.onset_strength(y=Y, feature=refuse))) == "sr is mine"


@pytest.mark.parametrize("value", [3, "x", None, Unsaid, Y, lambda: None, object], ids=lambda value: type(value).__name__)
def test_errors_cross_processes(value):
    for error in (
        metalmom.ParameterError("a.shape", value, "small", verb="is", hint=": really", choices=("b", "c")),
        ParameterKeyError("a", value, "known"),
        MissingPackageOfArgument("a needs b", name="b", argument="a=3"),
        metalmom.DeviceError("a", value, "no kernel", verb="has", kind="argument", op="f", arrays=("y",)),
        DeviceTypeError("a DeviceArray has no +"),
    ):
        same = pickle.loads(pickle.dumps(error))
        assert type(same) is type(error)
        assert (str(same), same.args) == (str(error), error.args)
        assert (same.name, same.argument, same.rule) == (error.name, error.argument, error.rule)
        if error.rule is not None:
            assert (same.verb, same.hint, same.choices) == (error.verb, error.hint, error.choices)
        if isinstance(error, metalmom.DeviceError):
            assert (same.kind, same.op, same.arrays) == (error.kind, error.op, error.arrays)
        if error.rule is not None:
            assert metalmom.util.exceptions.shown(same.value) == metalmom.util.exceptions.shown(value)


def test_all_arguments_that_an_error_names_can_be_read_from_it(tmp_path):
    with pytest.raises(metalmom.ParameterError) as told:
        metalmom.extract(tmp_path, tmp_path / "out", features=["rms"], overwrite=True, repair=True)
    for error in (told.value, pickle.loads(pickle.dumps(told.value))):
        named = [part for part in error.parts if isinstance(part, Argument)]
        assert [(part.name, part.value) for part in named] == [("repair", True), ("overwrite", True)]
        assert str(error) == "".join(error.parts)


def test_values_are_shown_on_a_line():
    for value, text in [
        (np.float64(1.5), "1.5"), (np.dtype("f4"), "float32"), ("a", "'a'"), (Shown("list"), "list"), (TypeOf([3]), "list"),
        (np.zeros((2, 3)), "<float64 array of shape (2, 3)>"), (np.ones(2), "array([1., 1.])"),
    ]:  # fmt: skip
        assert str(metalmom.ParameterError("x", value, "y")) == f"x={text} must be y"


def test_an_error_with_other_parts_is_about_the_same_argument():
    for kind in (metalmom.ParameterError, metalmom.DeviceError):
        error = kind("y of type list", rule="a numpy.ndarray", argument="y")
        assert error.but(hint=": pass np.asarray(y)").argument == "y"
        assert error.but(name="x.shape").argument == "x"


def test_the_text_of_a_device_error_is_made_of_its_parts():
    for error, text in [
        (metalmom.DeviceError("the device was lost"), "the device was lost"),
        (metalmom.DeviceError("y", rule="in memory so", verb="lies", kind="order"), "y lies in memory so: pass y.numpy()"),
        (metalmom.DeviceError("out", rule="no kernel", verb="has", kind="argument", arrays=("x", "y")),
         "out has no kernel: pass x.numpy() and y.numpy()"),
        (metalmom.DeviceError("clips without samples", kind="plan", op="stft", lead="not this: "),
         "stft: not this: clips without samples"),
    ]:  # fmt: skip
        assert str(error) == text
    assert metalmom.DeviceError("the device was lost").kind == "fault"
    assert str(error.but(op="mfcc", arrays=("y",))) == "mfcc: not this: clips without samples: pass y.numpy()"


def test_settings_say_how_they_are_given():
    for function in (metalmom.set_config, metalmom.config_context):
        with pytest.raises(TypeError, match=rf"^{function.__name__}\(\) takes 0 positional arguments but 1 was given; .*\(threads=...\)$"):
            function(2)
