# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""HParamDef, the message that stores hyperparameters; its bytes are those of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_NAME = "tensorflow.HParamDef"
_FIELD = descriptor_pb2.FieldDescriptorProto
# Kind of value -> (field type, field number of a single value, field number of a list).
_KINDS = {
    "int64": (_FIELD.TYPE_INT64, 1, 4),
    "float": (_FIELD.TYPE_FLOAT, 2, 5),
    "bytes": (_FIELD.TYPE_BYTES, 3, 6),
    "bool": (_FIELD.TYPE_BOOL, 7, 8),
}


def _make() -> Any:
    """Returns the message class HParamDef, from a description of its file like the protobuf compiler's."""
    path = "tensorflow/contrib/training/python/training/hparam.proto"
    file = descriptor_pb2.FileDescriptorProto(name=path, package="tensorflow", syntax="proto3")
    message = file.message_type.add(name="HParamDef")
    optional = {"label": _FIELD.LABEL_OPTIONAL}
    message_field = {"type": _FIELD.TYPE_MESSAGE, **optional}
    value = message.nested_type.add(name="HParamType")
    value.oneof_decl.add(name="kind")
    for kind, (field_type, value_number, list_number) in _KINDS.items():
        entries = message.nested_type.add(name=f"{kind.capitalize()}List")
        entries.field.add(name="value", number=1, type=field_type, label=_FIELD.LABEL_REPEATED)
        value.field.add(name=f"{kind}_value", number=value_number, type=field_type, oneof_index=0, **optional)
        value.field.add(
            name=f"{kind}_list",
            number=list_number,
            type_name=f".{_NAME}.{entries.name}",
            oneof_index=0,
            **message_field,
        )
    entry = message.nested_type.add(name="HparamEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, type=_FIELD.TYPE_STRING, **optional)
    entry.field.add(name="value", number=2, type_name=f".{_NAME}.HParamType", **message_field)
    message.field.add(
        name="hparam",
        number=1,
        type=_FIELD.TYPE_MESSAGE,
        label=_FIELD.LABEL_REPEATED,
        type_name=f".{_NAME}.HparamEntry",
    )
    # A separate pool: programs bring copies of TensorFlow's file, and a pool accepts a name only once.
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    descriptor = pool.FindMessageTypeByName(_NAME)
    make_class = getattr(message_factory, "GetMessageClass", None)
    if make_class is None:  # protobuf before 4.22
        return message_factory.MessageFactory(pool).GetPrototype(descriptor)  # type: ignore[attr-defined]
    return make_class(descriptor)


HParamDef = _make()
