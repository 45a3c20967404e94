"""For any bytes: no crash, no change outside the edits, no change by a second run, no file that parses worse."""

from __future__ import annotations

import ast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tf1mem.codemod import TARGETS, rewrite
from tf1mem.codemod.results import Edit
from tf1mem.codemod.rules import registry
from tf1mem.codemod.source import edits
from tf1mem.codemod.source.tree import Source, broken_places, parse

PROGRAMS = sorted({example.before for rule in registry() for example in rule.examples})
WRAPPERS = st.sampled_from(
    [
        "{}",
        "if x:\n{}",
        "def f(a, b=1):\n{}",
        "class C(object):\n{}",
        "try:\n{}\nexcept ImportError:\n    pass",
        "with x as y:\n{}",
        "for i in y:\n{}\nelse:\n    pass",
        "async def f():\n{}",
        '"""\n{}\n"""',
        "# {}",
    ]
)


def indented(text: str) -> str:
    return "\n".join("    " + line if line.strip() else line for line in text.splitlines())


@st.composite
def programs(draw) -> str:
    """Draws programs from the rules' examples, nested in one another."""
    text = "\n".join(draw(st.lists(st.sampled_from(PROGRAMS), min_size=1, max_size=3)))
    for wrapper in draw(st.lists(WRAPPERS, max_size=3)):
        text = wrapper.format(indented(text)) + "\n" + draw(st.sampled_from([*PROGRAMS, "", ""]))
    return text


@st.composite
def damaged(draw) -> bytes:
    """Draws programs as `programs` does, cut or mixed with other bytes, in other encodings and with other line ends."""
    source = draw(programs()).encode(draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp037"])))
    source = source.replace(b"\n", draw(st.sampled_from([b"\n", b"\r\n", b"\r", b"\n\t", b"\\\n"])))
    for _ in range(draw(st.integers(0, 3))):
        offset = draw(st.integers(0, len(source)))
        junk = draw(
            st.one_of(st.binary(max_size=8), st.sampled_from([b"(", b"'''", b"\\", b"\x00", b"\xe9", b"f'{", b"\f"]))
        )
        source = source[:offset] + junk + source[offset + draw(st.integers(0, 5)) :]
    return source[: draw(st.integers(0, len(source)))] if draw(st.booleans()) else source


@pytest.mark.parametrize("to", TARGETS)
@settings(max_examples=300, deadline=None, derandomize=True)
@given(source=damaged())
@example(
    source=b"try:\n    import tensorflow as tf\n    tf.\nexcept ImportError:\n    tf = None\nwith tf.Session() as s:\n"
)
@example(
    source=b")\n\ttry:\n\t f x import tensorflow.t as f f.()\n\t >D(u,s[])\nexcept ImportError:with f(h,g(t,t))as s:"
)
@example(source=b"def f(:\\\ntry:import tensorflow as tf tf.contrib.training.train(config=g)")
@example(
    source=b"import tensorflow.compat(as tf\nsess = tf.Session(config=c)\n\nimport tensorflow as tf\nf(tf.Session())\n"
)
def test_any_bytes(to, source):
    result = rewrite(source, to=to)
    assert bool(result.changes) == (result.source != source)
    assert len(broken_places(parse(result.source))) <= len(broken_places(parse(source)))
    again = rewrite(result.source, to=to)
    assert again.source == result.source


@pytest.mark.parametrize("to", TARGETS)
@settings(max_examples=300, deadline=None, derandomize=True)
@given(source=programs())
@example(
    source="from keras.backend import set_session\nimport tensorflow as tf\nif tf.__version__ >= '2':\n"
    "    tf = tf.compat.v1\n    tf.disable_v2_behavior()\nset_session(tf.Session(config=tf.ConfigProto()))\n"
)
@example(
    source="import keras.backend as K\nimport tensorflow as tf\nK.set_session(tf.Session(config=c))\n"
    "K.clear_session()\n"
    "from keras.backend import set_session\nset_session(tf.Session(config=tf.ConfigProto()))\n"
)
@example(
    source="import tensorflow as tf\nfrom keras.backend.tensorflow_backend import set_session\n"
    "set_session(tf.Session(config=tf.ConfigProto()))\nimport tf1mem.v1 as tf\n"
)
@example(
    source="import tensorflow as tf\ndef f():\n"
    "    config = tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.4))\n"
    "    sess = tf.Session(config=config)\n"
    "config = tf.ConfigProto()\nconfig.gpu_options.allow_growth = True\nsess = tf.Session(config=config)\n"
)
def test_python_stays_python_and_only_reported_edits_are_made(to, source):
    """Python stays Python, and the reported edits are the only changes, except for `import tf1mem`."""
    result = rewrite(source.encode(), to=to)
    try:
        ast.parse(source)
    except SyntaxError:
        pass
    else:
        ast.parse(result.source)
    reported = edits.in_order(edit for change in result.changes for edit in change.edits)
    edited = edits.apply(source.encode(), reported)
    assert [line for line in result.source.splitlines() if line.strip() != b"import tf1mem"] == [
        line for line in edited.splitlines() if line.strip() != b"import tf1mem"
    ]
    assert rewrite(result.source, to=to).source == result.source


@pytest.mark.parametrize("depth", [50, 5_000])
@pytest.mark.parametrize("opening", ["(", "[", "if x:\n", "f(", "lambda: ", "not ", "x."])
def test_deeply_nested_source(opening, depth):
    """The source is nested deeply enough to exceed Python's recursion limit."""
    source = "import tensorflow as tf\nconfig = tf.ConfigProto()\ntf.Session(config=" + opening * depth
    for to in TARGETS:
        result = rewrite(source.encode(), to=to)
        assert bool(result.changes) == (result.source != source.encode())


def test_tree_after_edits_is_the_tree_of_the_result():
    """Parsing only the changed parts again gives the same tree."""
    source = Source(b"import tensorflow as tf\nif x:\n    tf.Session(config=c)\n")
    assert edits.parses_as_well(source, [], source.text)
    cut = Edit(len(source.text) - 2, len(source.text) - 1, b"")
    assert not edits.parses_as_well(source, [cut], edits.apply(source.text, [cut]))
