"""The rules on mistakes with `tf.config`: their remarks, their rewrites, and code that they leave alone."""

from __future__ import annotations

import json

import pytest

from tf1mem.codemod import TARGETS, rewrite
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.files import extract
from tf1mem.codemod.rules import registry
from tf1mem.codemod.source.control_flow import before, may_both_run
from tf1mem.codemod.source.removal import without_statement

HEAD = "import tensorflow as tf\n"
GPUS = HEAD + "gpus = tf.config.list_physical_devices('GPU')\n"
GROW = "tf.config.experimental.set_memory_growth({}, True)\n"
LIMIT = "tf.config.set_logical_device_configuration({}, [tf.config.LogicalDeviceConfiguration(memory_limit={})])\n"
RULES = [rule for rule in registry() if rule.code.startswith("TFM4")]
CASES = [
    pytest.param(rule, example, to, id=f"{rule.code}-{number}-{to}")
    for rule in RULES
    for number, example in enumerate(rule.examples)
    for to in ([example.to] if example.to else rule.to)
]


def messages(source: str, code: str, to: str = "apply", kind: str = "python") -> list[str]:
    return [remark.message for remark in rewrite(source.encode(), to=to, kind=kind).remarks if remark.code == code]


def facts_of(source: str) -> Facts:
    text = source.encode()
    return Facts(extract(text, "python"))


def call_of(facts: Facts, name: str):
    (call,) = facts.calls(name)
    return call


@pytest.mark.parametrize(("rule", "example", "to"), CASES)
def test_a_rules_remark_comes_exactly_where_the_example_lists_it(rule, example, to):
    remarks = rewrite(example.before.encode(), to=to).remarks
    assert (rule.code in {remark.code for remark in remarks}) == (rule.code in example.remarks), remarks


def test_every_rule_on_mistakes_is_for_every_target():
    assert {rule.to for rule in RULES} == {TARGETS}
    assert {rule.code for rule in RULES} == {"TFM401", "TFM402", "TFM403", "TFM404", "TFM405", "TFM407"}


# --- names --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before_", "after"),
    [
        ("import tensorflow.compat.v1 as tf\ntf.{}(g, True)\n", None),
        ("import tensorflow as T\nT.{}(g, True)\n", None),
        ("import tensorflow\ntensorflow . {}(g, True)\n", None),
        ("from tensorflow.compat import v2\nv2.{}(g, True)\n", None),
        ("def f():\n    import tensorflow as tf\n    tf.{}(g, True)\n", None),
        ("try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\ntf.{}(g, True)\n", None),
        ("import tensorflow as tf\ntf = tf.compat.v1\ngrow = tf.{}\n", None),
        ("import tensorflow as tf\nx = lambda g: (tf\n    .{}(g, True))\n", None),
        ("def f(tf):\n    tf.{}(g, True)\n", "same"),
        ("from own import tf\ntf.{}(g, True)\n", "same"),
        ("import tensorflow as tf\nclass A:\n    def f(self, tf):\n        tf.{}(g, True)\n", "same"),
    ],
)
def test_a_wrong_name_is_corrected_by_every_spelling_of_tensorflow(before_, after):
    wrong, right = "config.set_memory_growth", "config.experimental.set_memory_growth"
    result = rewrite(before_.format(wrong).encode(), to="apply").source.decode()
    assert result == before_.format(wrong if after else right)


def test_set_memory_limit_beside_growth_is_not_rewritten_alone():
    source = GPUS + GROW.format("gpus[0]") + "tf.config.experimental.set_memory_limit(gpus[0], 4096)\n"
    result = rewrite(source.encode(), to="apply")
    assert not result.changed
    assert {"TFM401", "TFM402"} <= {remark.code for remark in result.remarks}


def test_alpha_settings_in_several_functions_stay():
    source = HEAD + "def f():\n    tf.config.gpu.set_per_process_memory_growth(True)\n"
    source += "def g():\n    tf.config.gpu.set_per_process_memory_fraction(0.4)\n"
    assert not rewrite(source.encode(), to="apply").changed
    assert len(messages(source, "TFM401")) == 2


@pytest.mark.parametrize(
    "other", [GROW.format("gpus[0]"), "c = tf.compat.v1.ConfigProto()\nuse(c)\n", "import tf1mem\ntf1mem.apply(x)\n"]
)
def test_alpha_settings_beside_other_settings_stay(other):
    source = GPUS + other + "tf.config.gpu.set_per_process_memory_fraction(0.4)\n"
    assert "TFM401" not in {change.code for change in rewrite(source.encode(), to="apply").changes}
    assert len(messages(source, "TFM401")) == 1


def test_alpha_settings_beside_a_comment():
    source = HEAD + "# once a ConfigProto\ntf.config.gpu.set_per_process_memory_fraction(0.4)\n"
    assert "memory_fraction=0.4" in rewrite(source.encode(), to="apply").source.decode()


def test_an_import_of_several_names_stays():
    source = "from tensorflow.config import list_physical_devices, set_memory_growth\n"
    assert messages(source, "TFM401") == ["tf.config.set_memory_growth never existed"]


# --- growth and limits ----------------------------------------------------------------------------------------------


def test_comments_of_a_removed_loop_stay():
    source = GPUS + "if gpus:\n  try:\n    # one\n    for gpu in gpus:\n      # two\n      "
    source += GROW.format("gpu").rstrip() + "  # three\n    " + LIMIT.format("gpus[0]", 1024).rstrip() + "  # four\n"
    source += "  except RuntimeError as e:\n    print(e)\n"
    expected = "import tf1mem\n" + GPUS + "if gpus:\n  try:\n    # one\n    # two\n    # three\n    "
    expected += "tf1mem.apply(tf1mem.config(allow_growth=True, split_mib=[1024]))  # four\n"
    expected += "  except RuntimeError as e:\n    print(e)\n"
    assert rewrite(source.encode(), to="apply").source.decode() == expected


def test_names_that_never_existed_are_joined_too():
    source = GPUS + "for gpu in gpus:\n    tf.config.set_memory_growth(gpu, True)\n"
    source += "    tf.config.experimental.set_memory_limit(gpu, 2048)\n"
    expected = "import tf1mem\n" + GPUS + "if gpus:\n    "
    expected += "tf1mem.apply(tf1mem.config(allow_growth=True, memory_limit_mib=2048))\n"
    result = rewrite(source.encode(), to="apply")
    assert result.source.decode() == expected
    assert not result.remarks


def test_old_experimental_names_are_joined_too():
    source = GPUS + "for gpu in gpus:\n    " + GROW.format("gpu") + "    "
    source += (
        LIMIT.replace("set_logical", "experimental.set_virtual")
        .replace("config.LogicalDevice", "config.experimental.VirtualDevice")
        .format("gpu", 1024)
    )
    result = rewrite(source.encode(), to="native")
    assert [change.code for change in result.changes] == ["TFM402"]
    assert not rewrite(result.source, to="native").changed


OTHER_MEANING = {
    "a size for each": "for gpu in gpus:\n    " + GROW.format("gpu") + "    " + LIMIT.format("gpu", "size[gpu]"),
    "a size that is computed": "for gpu in gpus:\n    " + GROW.format("gpu") + "    " + LIMIT.format("gpu", "f()"),
    "several devices of each": "for gpu in gpus:\n    " + GROW.format("gpu") + "    "
    + LIMIT.format("gpu", 1).replace("[tf", "[tf.config.LogicalDeviceConfiguration(1), tf"),
    "a continue": "for gpu in gpus:\n    if x:\n        continue\n    " + GROW.format("gpu") + "    "
    + LIMIT.format("gpu", 1),
    "a condition": "for gpu in gpus:\n    if grow:\n        " + GROW.format("gpu") + "    " + LIMIT.format("gpu", 1),
    "growth that may be off": "for gpu in gpus:\n    " + GROW.format("gpu").replace("True", "b")
    + LIMIT.format("gpus[0]", 1),
    "some of the GPUs": "for gpu in gpus[1:]:\n    " + GROW.format("gpu") + "    " + LIMIT.format("gpu", 1),
    "the second": "for gpu in gpus:\n    " + GROW.format("gpu") + LIMIT.format("gpus[1]", 1),
    "the first of several": GROW.format("gpus[0]") + LIMIT.format("gpus[0]", 1),
    "the first of the visible GPUs": "tf.config.set_visible_devices(gpus[1:])\n" + GROW.format("gpus[0]")
    + LIMIT.format("gpus[0]", 1),
    "an op before": "x = tf.constant(1)\nfor gpu in gpus:\n    " + GROW.format("gpu") + "    " + LIMIT.format("gpu", 1),
    "an op between": "for gpu in gpus:\n    " + GROW.format("gpu") + "tf.constant(1)\nfor gpu in gpus:\n    "
    + LIMIT.format("gpu", 1),
    "two limits": "for gpu in gpus:\n    " + GROW.format("gpu") + LIMIT.format("gpus[0]", 1)
    + LIMIT.format("gpus[1]", 1),
    "a variable that is read later": "for gpu in gpus:\n    " + GROW.format("gpu") + LIMIT.format("gpus[0]", 1)
    + "f(gpu)\n",
}  # fmt: skip


@pytest.mark.parametrize("shape", OTHER_MEANING)
def test_calls_are_joined_only_if_the_meaning_stays(shape):
    source = GPUS + OTHER_MEANING[shape]
    result = rewrite(source.encode(), to="apply")
    assert not result.changed, result.source.decode()
    if shape != "some of the GPUs":
        assert messages(source, "TFM402"), result.remarks


def test_a_limit_of_the_cpu_is_ignored():
    source = HEAD + "cpus = tf.config.list_physical_devices('CPU')\n"
    source += LIMIT.format("cpus[0]", 1) + GROW.format("cpus[0]")
    assert not messages(source, "TFM402")


# --- too late -------------------------------------------------------------------------------------------------------


def test_a_late_setting_is_reported_with_line_and_versions():
    source = HEAD + "model = tf.keras.Sequential([\n    tf.keras.layers.Dense(1)])\n"
    source += "tf.config.set_visible_devices([], 'GPU')\n"
    (message,) = messages(source, "TFM403")
    assert message == (
        "tf.config.set_visible_devices comes after tf.keras.Sequential, "
        "which starts TensorFlow's runtime on TensorFlow 2.0 to 2.15 (line 2)"
    )


ONE = "import tensorflow.compat.v1 as tf\ndef f(c):\n    c.gpu_options.allow_growth = True\n"
WITH = "    with tf.Session(config=c):\n        pass\n"


@pytest.mark.parametrize(
    ("source", "late"),
    [
        (ONE + WITH, False),
        (ONE + WITH + WITH, False),
        (ONE + "    print(tf.test.is_gpu_available())\n" + WITH, True),
        (ONE + "    tf.Session().run(x)\n" + WITH, True),
        (
            "import tensorflow as tf\ntf.Session()\ntf.Session(config=tf.ConfigProto(allow_soft_placement=True))\n",
            False,
        ),
    ],
)
def test_settings_after_the_first_session_are_late(source, late):
    remarks = rewrite(source.encode(), to="shim", only=["TFM403"]).remarks
    assert bool(remarks) is late


def test_a_listing_with_a_config_starts_the_gpus_with_it():
    source = GPUS + "from tensorflow.python.client.device_lib import list_local_devices as listed\n"
    source += GROW.format("gpus[0]") + "listed({})\n"
    assert messages(source.format(""), "TFM403")
    assert not messages(source.format("session_config=config"), "TFM403")


def test_a_late_setting_in_a_notebook_is_reported_with_the_cell():
    cells = [["import tensorflow as tf\n", "x = tf.constant(1)"], [GROW.format("gpu")]]
    notebook = {
        "cells": [
            {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": lines}
            for lines in cells
        ],
        "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip
    (message,) = messages(json.dumps(notebook), "TFM403", kind="notebook")
    assert message.endswith("(line 2 of cell 1)")


@pytest.mark.parametrize(
    "source",
    [
        "def f(): return tf.constant(1)\nset()\n",
        "try:\n    tf.constant(1)\nexcept Exception:\n    pass\nset()\n",
        "for x in y:\n    tf.constant(1)\nset()\n",
        "while tf1:\n    tf.constant(1)\nset()\n",
        "a = x and tf.constant(1)\nset()\n",
        "a = tf.constant(1) if x else 2\nset()\n",
        "a = [tf.constant(1) for x in y]\nset()\n",
        "a = lambda: tf.constant(1)\nset()\n",
        "if x:\n    tf.constant(1)\nelse:\n    set()\n",
        "@tf.function\ndef f(x):\n    return tf.constant(1)\nset()\n",
        "class A:\n    x = tf.constant(1)\nset()\n",
        "def f():\n    set()\nx = tf.constant(1)\n",
        "tf.constant\nset()\n",
    ],
)
def test_calls_that_may_not_run_before_do_not_count(source):
    assert not messages(HEAD + source.replace("set()", "tf.config.set_visible_devices([], 'GPU')"), "TFM403")


@pytest.mark.parametrize(
    "source",
    [
        "a = tf.constant(1) and x\nset()\n",
        "a = 2 if tf.constant(1) else 3\nset()\n",
        "if tf.constant(1):\n    set()\n",
        "for x in tf.range(3):\n    set()\n",
        "with tf.summary.create_file_writer('x'):\n    set()\n",
        "print([1, f(x=tf.constant(1))])\nset()\n",
        "a = tf.constant(1)\nclass A:\n    def f(self):\n        try:\n            set()\n"
        "        except RuntimeError:\n            pass\n",
        "y = tf.keras.layers.Dense(1)(x)\nset()\n",
    ],
)
def test_calls_that_surely_run_before_count(source):
    assert messages(HEAD + source.replace("set()", "tf.config.set_visible_devices([], 'GPU')"), "TFM403")


@pytest.mark.parametrize(
    ("source", "both"),
    [
        ("a()\nb()\n", True),
        ("if x:\n    a()\nelse:\n    b()\n", False),
        ("if x:\n    a()\nb()\n", True),
        ("def f():\n    if x:\n        a()\n        return\n    b()\n", False),
        ("for i in y:\n    if x:\n        a()\n        continue\n    b()\n", False),
        ("for i in y:\n    a()\n    break\nb()\n", True),
        ("try:\n    a()\nexcept E:\n    b()\n", False),
        ("with x:\n    a()\nb()\n", True),
        ("def f():\n    a()\ndef g():\n    b()\n", False),
    ],
)
def test_may_both_run(source, both):
    facts = facts_of(source)
    assert may_both_run(call_of(facts, "a"), call_of(facts, "b")) is both


def test_before_is_in_order():
    facts = facts_of("a()\nwith b() as x:\n    c()\n    if d():\n        e()\n    mark()\n")
    calls = [facts.text(node) for node in before(call_of(facts, "mark")) if node.type == "call"]
    assert calls == [b"a()", b"b()", b"c()", b"d()"]


# --- growth that differs ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "if len(gpus) == 1:\n    " + GROW.format("gpus[0]"),
        "tf.config.experimental.set_visible_devices(gpus[0], 'GPU')\n" + GROW.format("gpus[0]"),
        GROW.format("gpus[hvd.local_rank()]"),
        GROW.format("gpu"),
        "for i in range(len(gpus)):\n    " + GROW.format("gpus[i]"),
        GROW.format("gpus[0]") + LIMIT.format("gpus[1]", 1),
    ],
)
def test_growth_that_does_not_differ_gets_no_remark(source):
    assert not messages(GPUS + source, "TFM404")


# --- without a statement ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "after"),
    [
        ("x\nmark()\ny\n", "x\ny\n"),
        ("x\nmark()", "x"),
        ("x\r\nmark()", "x"),
        ("x\nmark()  # why", "x\n# why"),
        ("mark()", ""),
        ("if x:\n    mark()\n", "if x:\n    pass\n"),
        ("if x: mark()\n", "if x: pass\n"),
        ("x; mark()\n", "x; pass\n"),
        ("mark(); x\n", "x\n"),
        ("y; mark(); x\n", "y; x\n"),
        ("if x:\n    mark(  # why\n    ); y\n", "if x:\n    # why\n    y\n"),
        ("x\nmark();\ny\n", "x\ny\n"),
        ("x\nmark();  # why\ny\n", "x\n# why\ny\n"),
        ("if x:\n    mark()  # why\n    y\n", "if x:\n    # why\n    y\n"),
        ("if x:\n    mark(\n        # why\n    )\n    y\n", "if x:\n    # why\n    y\n"),
        ("if x:\r\n\tmark()  # why\r\n\ty\r\n", "if x:\r\n\t# why\r\n\ty\r\n"),
        ("if x:\n    mark(\n        # why\n    )\n", "if x:\n    # why\n    pass\n"),
        ("if x:\n    # only a comment\n    mark()\n", "if x:\n    # only a comment\n    pass\n"),
    ],
)
def test_a_statement_is_removed(source, after):
    facts = facts_of(source)
    statement = call_of(facts, "mark").parent
    edit = without_statement(facts.source, statement)
    assert (facts.source.text[: edit.start] + edit.text + facts.source.text[edit.end :]).decode() == after
