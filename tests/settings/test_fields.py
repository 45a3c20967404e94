"""The table of fields agrees with the installed TensorFlow's ConfigProto."""

from __future__ import annotations

import pytest
from packaging.version import Version

from tests.settings import generating
from tf1mem.settings import fields


def described(descriptor, prefix=""):
    """Yields the fields of a message, and of the messages in it that the table splits, with types and enum values."""
    for entry in descriptor.fields:
        path = prefix + entry.name
        if path in fields.MESSAGES:
            yield from described(entry.message_type, path + ".")
        else:
            yield path, entry


@pytest.fixture(scope="module")
def proto_fields():
    import tensorflow as tf

    return dict(described(tf.compat.v1.ConfigProto.DESCRIPTOR))


def test_every_field_of_the_installed_tensorflow_is_in_the_table(proto_fields):
    assert sorted(set(proto_fields) - set(fields.FIELDS)) == []


def test_every_field_of_the_table_up_to_this_version_exists(proto_fields, tensorflow_version):
    claimed = {
        row.path for row in fields.FIELDS.values() if Version(row.since) <= Version(tensorflow_version.base_version)
    }
    assert sorted(claimed - set(proto_fields)) == []


def test_kinds_and_enums_are_protobufs(proto_fields):
    kinds = {1: "float", 2: "float", 3: "int", 5: "int", 8: "bool", 9: "string", 14: "enum"}
    for path, entry in proto_fields.items():
        row = fields.FIELDS[path]
        if entry.message_type is not None:
            assert row.kind in ("message", "messages", "map"), path
        elif row.kind == "strings":
            assert entry.type == 9, path
        else:
            assert row.kind == kinds[entry.type], path
        if row.kind == "enum":
            values = entry.enum_type.values_by_number
            # Older versions have fewer values: all of them are in the table, and the default is its first.
            assert {value.name for value in values.values()} <= set(row.names), path
            assert values[0].name == row.names[0], path


def test_rows_are_complete():
    for path, row in fields.FIELDS.items():
        assert row.path == path
        assert row.meaning
        assert row.scope in (fields.PROCESS, fields.SESSION)
        assert bool(row.names) == (row.kind == "enum"), path
        assert row.call is None or row.call.startswith("tf.")
    assert set(fields.FIELDS) >= fields.SESSION_ONLY


def test_an_unknown_field():
    row = fields.field("gpu_options.experimental.from_the_future")
    assert row.kind == "unlisted"
    assert row.scope == fields.PROCESS


def test_the_types_of_a_config_have_the_fields_of_the_table():
    assert generating.STUB.read_text(encoding="utf-8") == generating.text()
