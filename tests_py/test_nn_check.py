"""What `metalmom.nn.check` finds in exports, and that it is so: each finding's error is measured here."""

import numpy as np
import pytest
from metalmom import ParameterError, nn
from metalmom.nn import ModelError
from metalmom.nn import _check

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx import helper  # noqa: E402
from onnx_models import F16, F32, model_of, node, tensor  # noqa: E402

SHAPE, GROUPS = (2, 8, 1024), 2
SIZES = [tensor("grouped", [0, GROUPS, -1], np.int64), tensor("whole", [0, 8, -1], np.int64),
         tensor("axis", [-1], np.int64), tensor("small", 1e-5), tensor("two", 2)]  # fmt: skip


def scale(n, dtype=np.float32):
    return [tensor("scale", np.ones(n), dtype), tensor("bias", np.zeros(n), dtype)]


def in_groups(*nodes):
    return [node("Reshape", ["x", "grouped"], ["r"], name="in"), *nodes, node("Reshape", ["n", "whole"], ["y"], name="out")]


def divided(variance):
    """Nodes that end a normalisation whose mean is m and whose variance is v."""
    return in_groups(
        node("ReduceMean", ["r", "axis"], ["m"]), *variance, node("Add", ["v", "small"], ["e"]),
        node("Sqrt", ["e"], ["deviation"]), node("Sub", ["r", "m"], ["centred"]),
        node("Div", ["centred", "deviation"], ["n"]),
    )  # fmt: skip


def one_pass(square, square_of_mean):
    return divided([square, node("ReduceMean", ["s", "axis"], ["q"]), square_of_mean,
                    node("Sub", ["q", "mm"], ["v"], name="variance")])  # fmt: skip


TWO_PASS = divided([node("Sub", ["r", "m"], ["d"]), node("Mul", ["d", "d"], ["s"]), node("ReduceMean", ["s", "axis"], ["v"])])
LAYER = in_groups(node("LayerNormalization", ["r", "scale", "bias"], ["n"], name="norm"))

# (name and kind of what is found, nodes, weights)
FORMS = {
    "GroupNormalization": (
        ("norm", "group_norm"),
        [node("GroupNormalization", ["x", "scale", "bias"], ["y"], name="norm", num_groups=GROUPS)], scale(8),
    ),
    "InstanceNormalization": (
        ("norm", "instance_norm"),
        in_groups(node("InstanceNormalization", ["r", "scale", "bias"], ["n"], name="norm")), scale(GROUPS),
    ),
    "one pass by Mul": (
        ("variance", "one_pass_variance"),
        one_pass(node("Mul", ["r", "r"], ["s"]), node("Mul", ["m", "m"], ["mm"])), [],
    ),
    "one pass by Pow": (
        ("variance", "one_pass_variance"),
        one_pass(node("Pow", ["r", "two"], ["s"]), node("Pow", ["m", "two"], ["mm"])), [],
    ),
    "two passes": (None, TWO_PASS, []),
    "LayerNormalization": (None, LAYER, scale(4096)),
}  # fmt: skip


def written(path, nodes, weights, kind=F32):
    return model_of(path, nodes, [("x", kind, SHAPE)], [("y", kind, SHAPE)], [*SIZES, *weights], opset=21)


def noise(offset, dtype=np.float32):
    return (offset + np.random.default_rng(0).normal(0, 0.25, SHAPE)).astype(dtype)


def normalised(x, groups=GROUPS):
    values = x.astype(np.float64).reshape(len(x), groups, -1)
    values -= values.mean(-1, keepdims=True)
    return (values / np.sqrt((values**2).mean(-1, keepdims=True) + 1e-5)).reshape(x.shape)


@pytest.mark.parametrize("found, nodes, weights", FORMS.values(), ids=FORMS)
def test_what_loses_precision_is_found_and_nothing_else(tmp_path, found, nodes, weights):
    path = written(tmp_path / "m.onnx", nodes, weights)
    findings = nn.check(path)
    assert [(each.node, each.kind) for each in findings] == ([found] if found else [])
    error = {offset: np.max(np.abs(nn.Session(path)(noise(offset)) - normalised(noise(offset)))) for offset in (0, 100)}
    assert error[0] < 2e-6  # float32 itself
    if found is None:  # two passes round the mean to float32, LayerNormalization does not
        assert error[100] < (2e-5 if nodes is LAYER else 2e-4) and repr(findings) == "nothing loses precision"
    else:  # the figure is of other noise of about this offset
        assert findings[0].error / 6 < error[100] < 6 * findings[0].error
        assert "LayerNormalization" in findings[0].advice


def test_a_group_norm_is_nan_where_the_offset_is_a_thousand(tmp_path):
    """The figure of the module's comment."""
    for form in ("GroupNormalization", "one pass by Mul"):
        path = written(tmp_path / "m.onnx", *FORMS[form][1:])
        assert np.isnan(nn.Session(path)(noise(1000))).any()


def test_a_norm_in_float16_is_found(tmp_path):
    path = written(tmp_path / "m.onnx", [node("LayerNormalization", ["x", "scale", "bias"], ["y"], name="norm")],
                   scale(1024, np.float16), F16)  # fmt: skip
    findings = nn.check(path)
    assert [each.kind for each in findings] == ["float16_norm", "float16_weights"]
    y = nn.Session(path)(noise(100, np.float16))
    error = np.max(np.abs(y - normalised(noise(100, np.float64), 8)))
    assert findings[0].error / 2 < error < 2 * findings[0].error


def test_what_looks_alike_is_not_found(tmp_path):
    nodes = [  # of another input; of another power; no mean of squares
        *one_pass(node("Mul", ["x", "x"], ["s"]), node("Mul", ["m", "m"], ["mm"])),
        node("Pow", ["r", "small"], ["p"]), node("ReduceMean", ["p", "axis"], ["pm"]), node("Sub", ["pm", "mm"], ["pv"]),
        node("Sub", ["r", "mm"], ["rv"]), node("Sub", ["two", "small"], ["constant"]),
        node("InstanceNormalization", ["x", "scale", "bias"], ["plain"]),
    ]  # fmt: skip
    path = written(tmp_path / "m.onnx", nodes, scale(8))
    assert nn.check(path) == []


def test_a_sum_of_squares_is_no_variance(tmp_path):
    nodes = one_pass(node("Mul", ["r", "r"], ["s"]), node("Mul", ["m", "m"], ["mm"]))
    (variance,) = (each for each in nodes if each.name == "variance")
    assert len(nn.check(written(tmp_path / "m.onnx", nodes, []))) == 1
    variance.op_type = "Add"
    assert nn.check(written(tmp_path / "m.onnx", nodes, [])) == []


def constant(**value):
    return [node("Constant", [], ["power"], **value)], []


# how a model may say a number
POWERS = {
    "raw": lambda value: ([], [tensor("power", value)]),
    "raw, in 64 bits": lambda value: ([], [tensor("power", value, np.int64)]),
    "packed floats": lambda value: ([], [helper.make_tensor("power", F32, [], [value])]),
    "packed integers": lambda value: ([], [helper.make_tensor("power", onnx.TensorProto.INT64, [], [value])]),
    "a constant's tensor": lambda value: constant(value=tensor("", value)),
    "a constant's float": lambda value: constant(value_float=float(value)),
    "a constant's integer": lambda value: constant(value_int=value),
}


@pytest.mark.parametrize("how", POWERS)
def test_a_power_is_read_however_the_model_says_it(how, tmp_path):
    for value in (2, 3):
        nodes, weights = POWERS[how](value)
        nodes += one_pass(node("Pow", ["r", "power"], ["s"]), node("Mul", ["m", "m"], ["mm"]))
        findings = nn.check(written(tmp_path / "m.onnx", nodes, weights))
        assert [each.kind for each in findings] == (["one_pass_variance"] if value == 2 else [])


def test_norms_inside_branches_and_functions_are_found(tmp_path):
    norm = node("GroupNormalization", ["x", "scale", "bias"], ["z"], num_groups=2)
    branch = helper.make_graph([norm], "branch", [], [helper.make_tensor_value_info("z", F32, SHAPE)])
    body = [node("GroupNormalization", ["a", "b", "c"], ["d"], name="inner", num_groups=2)]
    function = helper.make_function("mine", "F", ["a", "b", "c"], ["d"], body, [helper.make_opsetid("", 21)])
    nodes = [node("If", ["yes"], ["u"], then_branch=branch, else_branch=branch),
             node("F", ["u", "scale", "bias"], ["y"], domain="mine")]  # fmt: skip
    path = model_of(tmp_path / "m.onnx", nodes, [("x", F32, SHAPE)], [("y", F32, SHAPE)],
                    [*scale(8), tensor("yes", True, bool)], opset=21, functions=[function])  # fmt: skip
    assert [each.node for each in nn.check(path)] == ["GroupNormalization -> z"] * 2 + ["inner"]


def half(path, *, cast):
    """y = W x with W in float16; computed in float32 after a Cast, or in float16."""
    W = np.random.default_rng(1).standard_normal((64, 64))
    nodes = [node("MatMul", ["x", "W"], ["y"])]
    if cast:
        nodes = [node("Cast", ["W"], ["wide"], to=F32), node("MatMul", ["x", "wide"], ["y"])]
    kind = F32 if cast else F16
    return model_of(path, nodes, [("x", kind, ["n", 64])], [("y", kind, ["n", 64])], [tensor("W", W, np.float16)]), W


@pytest.mark.parametrize("cast", [True, False], ids=["in float32", "in float16"])
def test_weights_in_float16_are_measured_on_a_probe(tmp_path, cast):
    path, W = half(tmp_path / "m.onnx", cast=cast)
    (unmeasured,) = nn.check(path)
    assert (unmeasured.node, unmeasured.kind, unmeasured.error) == ("the tensor 'W' of 4,096 values", "float16_weights", None)
    assert str(unmeasured).endswith("float16_weights, error not measured: export the weights in float32")
    probe = np.random.default_rng(2).standard_normal((5, 64)).astype(np.float32 if cast else np.float16)
    (measured,) = nn.check(path, probe)
    assert [measured] == nn.check(path, {"x": probe})  # the same draw each time
    exact = probe.astype(np.float64) @ W
    true = np.max(np.abs(nn.Session(path)(probe) - exact)) / np.max(np.abs(exact))
    assert 1e-5 < true / 1.5 < measured.error < 1.5 * true < 1e-2  # another draw of the same rounding
    if cast:  # relative to the largest output, also where that is small
        (quiet,) = nn.check(path, probe / 1024)
        assert quiet.error == pytest.approx(measured.error, rel=1e-3)


def test_weights_in_branches_functions_and_constants_are_measured(tmp_path):
    inside = [node("Constant", [], ["c"], value=tensor("", 0.1, np.float16)), node("Add", ["a", "c"], ["b"])]
    function = helper.make_function("mine", "F", ["a"], ["b"], inside, [helper.make_opsetid("", 17)])
    constant = [node("Constant", [], ["c"], value=tensor("", np.full(4, 0.1), np.float16)), node("Add", ["x", "c"], ["z"])]
    branch = helper.make_graph(constant, "branch", [], [helper.make_tensor_value_info("z", F16, [4])])
    nodes = [node("If", ["yes"], ["u"], then_branch=branch, else_branch=branch), node("F", ["u"], ["y"], domain="mine")]
    path = model_of(tmp_path / "m.onnx", nodes, [("x", F16, [4])], [("y", F16, [4])], [tensor("yes", True, bool)],
                    functions=[function])  # fmt: skip
    (found,) = nn.check(path, np.zeros(4, np.float16))
    assert found.node == "3 tensors of 9 values" and 1e-6 < found.error < 1e-3


def test_a_wrong_probe_and_a_wrong_file_are_refused(tmp_path):
    path, _ = half(tmp_path / "m.onnx", cast=True)
    with pytest.raises(ParameterError, match=r"^x\.dtype=float64 must be float32"):
        nn.check(path, np.zeros((1, 64)))
    (tmp_path / "m.onnx").write_bytes(b"no model")
    with pytest.raises(ModelError, match="m.onnx is text"):
        nn.check(path)
    with pytest.raises(ParameterError, match="^path=int must be"):
        nn.check(3)


def test_findings_print_one_a_line(tmp_path):
    nodes = [node("GroupNormalization", ["x", "scale", "bias"], [name], name=name, num_groups=2) for name in ("y", "z")]
    text = repr(nn.check(written(tmp_path / "m.onnx", nodes, scale(8))))
    first, second = text.splitlines()
    assert first == f"y: group_norm, error 8.8e-02: {_check._KINDS['group_norm'][1]}"
    assert second.startswith("z: group_norm")
