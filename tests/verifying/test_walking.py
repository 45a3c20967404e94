"""The walk tells rounding from differences: long sums, and numbers that rounding moves past the point of a jump."""

from __future__ import annotations

import numpy as np
import pytest

from tf1mem.verifying.comparing import Compared, Comparison, slack_of
from tf1mem.verifying.recording.notes import Notes
from tf1mem.verifying.recordings import Recording
from tf1mem.verifying.text import up_to
from tf1mem.verifying.walking import Walk

X = np.linspace(-1.0, 1.0, 200).astype("float32")


def op(name, kind, inputs=(), **attributes):
    return {
        "name": name, "type": kind, "inputs": list(inputs), "outputs": [f"{name}:0"], "line": "program.py:3",
        "attributes": attributes, "arguments": [],
    }  # fmt: skip


def recorded(folder, ops, tensors, variables=()):
    """Returns a recording whose trace has these ops and tensors."""
    folder.mkdir()
    notes = Notes(str(folder))
    notes.fields["first"] = {name: {"shape": shape} for name, shape in variables}
    notes.fields["trace"] = {"ops": ops, "tensors": {name: notes.keep(value) for name, value in tensors.items()}}
    notes.write()
    return Recording(folder)


def walked(tmp_path, ops, old, new, new_ops=None):
    sides = [
        recorded(tmp_path / name, side_ops, tensors)
        for name, side_ops, tensors in (("old", ops, old), ("new", new_ops or ops, new), ("moved", ops, old))
    ]
    return Walk(sides[0], sides[1], sides[2:], 1.0)


GRADIENT = [op("g", "Placeholder"), op("h", "Relu"), op("grad", "ReluGrad", ["g:0", "h:0"])]


@pytest.mark.parametrize(
    ("features", "new_features", "flips"),
    [(0.0, 3e-8, True), (0.5, 0.5, False)],
    ids=["an output that is nearly 0", "an output that isn't"],
)
def test_a_number_at_the_jump_of_a_relu(features, new_features, flips, tmp_path):
    """One gradient of 200 is left out on one side."""
    gradient, left_out = np.ones(200, "float32"), np.ones(200, "float32")
    left_out[7] = 0.0
    old, new = np.abs(X) + 0.1, np.abs(X) + 0.1
    old[7], new[7] = features, new_features
    walk = walked(
        tmp_path,
        GRADIENT,
        {"g:0": gradient, "h:0": old, "grad:0": left_out},
        {"g:0": gradient, "h:0": new, "grad:0": gradient},
    )
    place = walk.first()
    assert place is not None
    assert place.old.name == "grad"
    assert place.apart == 1.0
    assert walk.flips(place) is flips


def test_numbers_that_all_differ_are_no_flip(tmp_path):
    gradient = np.ones(200, "float32")
    features = np.zeros(200, "float32")
    tensors = [{"g:0": gradient, "h:0": features, "grad:0": gradient * factor} for factor in (1.0, 1.01)]
    walk = walked(tmp_path, GRADIENT, *tensors)
    place = walk.first()
    assert place is not None
    assert not walk.flips(place)


@pytest.mark.parametrize(
    ("kind", "shapes", "result", "attributes", "terms"),
    [
        ("MatMul", [[3, 70], None], [3, 5], {}, 70),
        ("MatMul", [[70, 3], None], [3, 5], {"transpose_a": "b: true"}, 70),
        ("BatchMatMulV2", [[8, 3, 70], [8, 70, 5]], [8, 3, 5], {}, 70),
        ("Conv2D", [[2, 9, 9, 4], None], [2, 7, 7, 6], {}, 3 * 3 * 4),
        ("Conv2DBackpropFilter", [[2, 9, 9, 4], [4], [2, 7, 7, 6]], [3, 3, 4, 6], {}, 2 * 7 * 7),
        ("Conv2DBackpropInput", [[4], None, [2, 7, 7, 6]], [2, 9, 9, 4], {}, 3 * 3 * 6),
        ("Mean", [[50, 4], [1]], [4], {}, 50),
        ("Softmax", [[5, 90]], [5, 90], {}, 90),
        ("Tanh", [[5, 90]], [5, 90], {}, 1),
    ],
)
def test_terms_of_a_sum(kind, shapes, result, attributes, terms, tmp_path):
    """A shape that is None is a variable's, whose reads aren't recorded."""
    ops, tensors = [op("w", "VarHandleOp"), op("read", "ReadVariableOp", ["w:0"])], {}
    inputs = []
    for index, shape in enumerate(shapes):
        inputs.append("read:0" if shape is None else f"x{index}:0")
        if shape is not None:
            ops.append(op(f"x{index}", "Placeholder"))
            tensors[f"x{index}:0"] = np.ones(shape, "float32")
    ops.append(op("y", kind, inputs, **attributes))
    tensors["y:0"] = np.ones(result, "float32")
    variable = [("w:0", [3, 3, 4, 6] if kind.startswith("Conv") else [70, 5])]
    sides = [recorded(tmp_path / name, ops, tensors, variable) for name in ("old", "new", "moved")]
    walk = Walk(sides[0], sides[1], sides[2:], 1.0)
    assert walk.longest_sum(walk.old.ops["y"]) == terms


def test_sums_behind_equal_tensors_do_not_count(tmp_path):
    ops = [op("x", "Placeholder"), op("sum", "Sum", ["x:0", "x:0"]), op("y", "Exp", ["sum:0"])]
    old = {"x:0": np.ones(1000, "float32"), "sum:0": np.float32(1000), "y:0": np.float32(2)}
    walk = walked(tmp_path, ops, old, {**old, "y:0": np.float32(2.1)})
    assert walk.longest_sum(walk.old.ops["y"]) == 1
    assert walk.longest_sum(walk.old.ops["sum"]) == 1000


def test_a_constant_that_differs_is_named(tmp_path):
    ops = [op("e", "Const"), op("y", "AddV2", ["e:0", "e:0"])]
    walk = walked(tmp_path, ops, {"e:0": np.float32(1e-10)}, {"e:0": np.float32(1e-11)})
    unlike = walk.unlike()
    assert unlike is not None
    assert (unlike.name, unlike.values) == ("y", {"e:0": (1e-10, 1e-11)})


def test_a_variable_that_is_changed_more_often_is_named(tmp_path):
    ops = [op("w", "VarHandleOp"), op("train", "ResourceApplyAdam", ["w:0"])]
    walk = walked(tmp_path, ops, {}, {}, [*ops, op("decay", "AssignVariableOp", ["w:0"])])
    unlike = walk.unlike()
    assert unlike is not None
    assert (unlike.name, unlike.values) == ("w", {"changes in a step": (1, 2)})


def test_one_value_in_two_texts(tmp_path):
    """Versions of protobuf print a float with other digits."""
    sides = [[op("y", "Exp", epsilon=text)] for text in ("f: 0.0010000000474974513", "f: 0.001")]
    assert walked(tmp_path, sides[0], {}, {}, sides[1]).unlike() is None


def test_limits_follow_the_longest_sum():
    assert slack_of(1) == slack_of(64) == 1.0
    assert slack_of(3200) == pytest.approx(7.07, abs=0.01)
    assert slack_of(10**9) == 16.0
    value = Compared("3", "fetch:loss", "fetch:loss", 2e-5, 1e-6, 1e-5)
    comparison = Comparison([value, value._replace(name="feed:x"), value._replace(key="2")], [])
    assert [each.differs for each in comparison.widened(4.0).values] == [False] * 3
    silent = comparison.ignoring_from(3)
    assert [each.differs for each in silent.values] == [False, True, True]
    assert silent.until == 3


def test_a_verdict_says_how_far_it_holds():
    verdict = {"verdict": "same", "thresholds": {"until": 6}}
    assert up_to(verdict) == " up to step 5"
    assert up_to({**verdict, "thresholds": {"until": None}}) == up_to({**verdict, "verdict": "different"}) == ""
