"""A ConfigProto in text format is read as TensorFlow reads it, but without TensorFlow."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings

from tests.settings.test_properties import trees
from tf1mem.errors import Tf1memError
from tf1mem.settings import fields, protos, text_proto
from tf1mem.settings.settings import Settings, _from_text


def read(text):
    return _from_text(text_proto.read(text))


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("gpu_options { allow_growth: t }", "gpu_options.allow_growth", True),
        ("gpu_options: < allow_growth: 1 >;", "gpu_options.allow_growth", True),
        ("gpu_options { per_process_gpu_memory_fraction: .4f }", "gpu_options.per_process_gpu_memory_fraction", 0.4),
        ("gpu_options { per_process_gpu_memory_fraction: 40 }", "gpu_options.per_process_gpu_memory_fraction", 40.0),
        ("gpu_options { visible_device_list: \"0\" ',1' } # both", "gpu_options.visible_device_list", "0,1"),
        ("operation_timeout_in_ms: 0x10,", "operation_timeout_in_ms", 16),
        ("inter_op_parallelism_threads: - 1", "inter_op_parallelism_threads", -1),
        ("device_count { key: 'GPU' value: 0 } device_count { key: 'CPU' value: 2 }", "device_count",
         {"GPU": 0, "CPU": 2}),
        ("device_count [{ key: 'GPU' }]", "device_count", {"GPU": 0}),
        ("device_filters: ['/job:a', '/job:b'] device_filters: '\\303\\xa9'", "device_filters",
         ("/job:a", "/job:b", "\u00e9")),
        ("graph_options { optimizer_options { global_jit_level: ON_1 } }",
         "graph_options.optimizer_options.global_jit_level", "ON_1"),
        ("graph_options { optimizer_options { global_jit_level: 2 } }",
         "graph_options.optimizer_options.global_jit_level", "ON_2"),
    ],
)  # fmt: skip
def test_a_field_as_text(text, path, value):
    assert dict(read(text).values) == {path: value}
    assert read(text).soft_placement is False  # as in every ConfigProto


@pytest.mark.parametrize(
    "text",
    [
        "gpu_options { allow_growth: true", "gpu_options { allow_growth: true >", "gpu_options: 1", "}", "1: 2",
        "allow_soft_placement", "allow_soft_placement: { }", "allow_soft_placement: $", "allow_soft_placement: [true]",
        "allow_soft_placement: true allow_soft_placement: false", "gpu_options { } gpu_options { allow_growth: true }",
        "device_filters: 'a' 'b", "device_filters: '\\x'", "device_count { kex: 'GPU' }",
        "device_count { key: 'GPU' value: 1 } device_count { key: 'GPU' value: 0 }",
        "gpu_options { experimental { virtual_devices { memory_limit: 1 } } }",
        "rpc_options " + "{ a " * 9000,
    ],
)  # fmt: skip
def test_a_text_that_is_no_config_is_refused(text):
    with pytest.raises((text_proto.TextError, Tf1memError)) as caught:
        read(text)
    assert len(str(caught.value)) < 200


@pytest.mark.usefixtures("tensorflow_version")
@given(tree=trees())
@hypothesis_settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_text_proto_is_read_as_tensorflow_reads_it(tree):
    from google.protobuf import text_format

    try:
        config = protos.from_tree(Settings.of(tree).tree)
    except Tf1memError:
        return
    settings, expected = read(text_format.MessageToString(config)), Settings.of(config)
    assert settings.to_proto() == config
    kept_as_text = {"message", "messages"}  # the two ways of reading spell this text differently
    for path, value in expected.values.items():
        if fields.field(path).kind not in kept_as_text or path.endswith("virtual_devices"):
            # TensorFlow keeps some numbers in 32 bits, while text keeps all digits: 0.05 is read as 0.05.
            rounded = pytest.approx(value, rel=1e-7) if isinstance(value, float) else value
            assert settings.get(path) == rounded
    assert settings.values.keys() == expected.values.keys()
