"""For any config there is a plan that mentions all of its settings, or an exception of tf1mem's own."""

from __future__ import annotations

import inspect

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import tf1mem
from tf1mem.errors import Tf1memError
from tf1mem.machine.versions import NEWEST, TESTED
from tf1mem.settings import fields
from tf1mem.settings.environment import VARIABLES
from tf1mem.settings.settings import Settings

# 2.1, whose plans differ from its neighbours'; the stable versions of the table; a candidate of the newest release.
VERSIONS = ["2.1.4", *(row.version for row in TESTED if row.version != "candidate"), "{}.{}.0rc0".format(*NEWEST)]

_numbers = st.integers() | st.floats() | st.booleans()
_anything = st.recursive(
    st.none() | _numbers | st.text(max_size=8) | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | st.integers(), inner, max_size=3),
    max_leaves=6,
)


def _fitting(row: fields.Field):
    """Returns a strategy for values of the field's type, most of them valid."""
    if row.path.endswith("virtual_devices"):
        entry = st.fixed_dictionaries(
            {"memory_limit_mb": st.lists(st.sampled_from([1, 512, 1024.5, 0, 1e9]), max_size=2)}
        )
        return st.lists(entry, max_size=3)
    if row.path.endswith("visible_device_list"):
        return st.sampled_from(["0", "1", "1,0", "0,1", " 0 , 1 ", "", "7", "0,0", "-1", "a"])
    return {
        "bool": st.booleans(),
        "int": st.sampled_from([0, 1, -1, 4, 2**40]),
        "float": st.sampled_from([0.0, 0.05, 0.4, 1.0, 1.5, -1.0]),
        "string": st.sampled_from(["", "BFC", "x"]),
        "enum": st.sampled_from(row.names or ("",)),
        "map": st.dictionaries(st.sampled_from(["CPU", "GPU", "gpu", "TPU"]), st.integers(-1, 3), max_size=3),
        "strings": st.lists(st.text(max_size=3), max_size=2),
        "messages": st.lists(st.just({}), max_size=1),
        "message": st.just({}),
    }[row.kind]


@st.composite
def trees(draw):
    """Draws dicts in the shape of ConfigProto, some of them with a value of a wrong type."""
    tree: dict = {}
    for path in draw(st.lists(st.sampled_from(sorted(fields.FIELDS)), max_size=6, unique=True)):
        value = draw(_fitting(fields.FIELDS[path]) if draw(st.integers(0, 9)) else _anything)
        *parents, name = path.split(".")
        inside = tree
        for parent in parents:
            inside = inside.setdefault(parent, {})
        inside[name] = value
    return tree


@given(trees() | _anything, st.sampled_from(VERSIONS), st.none() | st.integers(0, 3) | st.just([8 * 2**30, 2**30 + 1]))
@example({"device_count": {"CPU": 1}}, "2.21.0", None)
@hypothesis_settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_plan_mentions_every_field_or_an_error_of_ours_is_raised(config, version, gpus):
    if isinstance(config, (bytes, str)):
        return  # bytes and paths need a TensorFlow: a test below has them
    try:
        plan = tf1mem.plan(config, tensorflow=version, gpus=gpus)
    except Tf1memError:
        return
    expected = set(plan.settings.values) | set(plan.settings.spelled_defaults) - {"allow_soft_placement"}
    settings_of_steps = {step.setting for step in plan.steps}
    assert expected <= settings_of_steps
    for step in plan.steps[1:]:
        assert step.reason
        assert bool(step.call) or not step.action
    assert plan.as_text(80)


@pytest.fixture(scope="module")
def config_class(tensorflow_version):
    import tensorflow as tf

    return tf.compat.v1.ConfigProto


@given(tree=trees(), data=st.binary(max_size=40))
@hypothesis_settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_real_protos_and_bytes(config_class, tree, data):
    try:
        there_and_back = Settings.of(Settings.of(tree).to_proto())
        assert there_and_back.values.keys() == Settings.of(tree).values.keys()
    except Tf1memError:
        pass
    try:
        settings = Settings.of(data)
    except Tf1memError:
        return
    assert settings.to_proto().SerializeToString() == config_class.FromString(data).SerializeToString()
    plan = tf1mem.plan(settings, tensorflow="2.21.0", gpus=2) if not settings.values.keys() & {"x"} else None
    assert plan is None or {*settings.values, *settings.unknown} <= {step.setting for step in plan.steps}


def _is_read_or_refused(read) -> None:
    message = ""
    try:
        read()
    except Tf1memError as error:
        message = str(error)
    assert len(message) < 1200


_ODD = st.sampled_from([
    "gpu_options", "allow_growth", "allowGrowth",
    ": ", "{", "}", "[", "]", "\n", "\n  ", "- ", "!!int ", "!!bool ", "!!float ",
    "!!timestamp ", "!!binary ", "!!omap ", "!!set ", "!!python/name:os.system ",
    "zz", "''", "_", "0x", "-", "1:1", "0b", ".inf",
    "1e999", "2001-01-01", "<<", "&a ", "*a", "? ", "|", ">", "%YAML 1.1\n", "---\n", '"', "\\", "\u2028", "9" * 5000,
    "device_count", "key", "value", "virtual_devices", "memory_limit_mb", "experimental", ",", "#", "true",
    "null", "0.4", "1",
])  # fmt: skip
_texts = (
    st.lists(_ODD | st.text(max_size=4), max_size=14).map("".join).map(lambda text: text.encode("utf-8", "replace"))
)


@given(st.binary(max_size=40) | _texts, st.sampled_from(["json", "yaml", "pbtxt"]))
@hypothesis_settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_file_of_any_bytes_is_read_or_refused_by_an_error_of_ours(tmp_path_factory, data, ending):
    path = tmp_path_factory.getbasetemp() / ("any." + ending)
    path.write_bytes(data)
    _is_read_or_refused(lambda: tf1mem.plan(path, tensorflow="2.21.0", gpus=2))


_NAMES = st.sampled_from([*VARIABLES, "TF1MEM_X", "PATH"]) | st.integers() | st.none() | st.text(max_size=3)


@given(
    st.dictionaries(_NAMES, st.text(max_size=5) | st.sampled_from(["1", "0.4", "1,0", "9" * 5000, "1e400"]) | _anything)
    | _anything
)
@hypothesis_settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_an_environment_is_read_or_refused_by_an_error_of_ours(tensorflow_version, environ):
    _is_read_or_refused(lambda: tf1mem.from_env(environ))


_WORDS = list(inspect.signature(tf1mem.config).parameters)


@given(
    st.dictionaries(st.sampled_from(_WORDS), _numbers | _anything | st.lists(st.integers(0, 3), max_size=3), max_size=3)
)
@hypothesis_settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_plain_names_are_read_or_refused_by_an_error_of_ours(tensorflow_version, keywords):
    _is_read_or_refused(lambda: tf1mem.config(**keywords))
