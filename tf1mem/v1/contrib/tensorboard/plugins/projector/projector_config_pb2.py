# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The protocol buffers of the embedding projector.

They are in a pool of their own, so that TensorBoard and TensorFlow's files may define messages of the same names.
"""

from __future__ import annotations

from typing import Any, cast

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

__all__ = ["DESCRIPTOR", "EmbeddingInfo", "ProjectorConfig", "SpriteMetadata"]

_PACKAGE = "tensorflow"
_FIELD = descriptor_pb2.FieldDescriptorProto
_STRING, _UINT32 = _FIELD.TYPE_STRING, _FIELD.TYPE_UINT32

# Message -> its fields, in the order of their numbers from 1: name, type or name of a message, and whether repeated.
_MESSAGES: dict[str, list[tuple[str, int | str, bool]]] = {
    "SpriteMetadata": [("image_path", _STRING, False), ("single_image_dim", _UINT32, True)],
    "EmbeddingInfo": [
        ("tensor_name", _STRING, False),
        ("metadata_path", _STRING, False),
        ("bookmarks_path", _STRING, False),
        ("tensor_shape", _UINT32, True),
        ("sprite", "SpriteMetadata", False),
        ("tensor_path", _STRING, False),
    ],
    "ProjectorConfig": [
        ("model_checkpoint_path", _STRING, False),
        ("embeddings", "EmbeddingInfo", True),
        ("model_checkpoint_dir", _STRING, False),
    ],
}


def _file() -> Any:
    """Returns the descriptor of the file with these messages."""
    name = "tensorflow/contrib/tensorboard/plugins/projector/projector_config.proto"
    file = descriptor_pb2.FileDescriptorProto(name=name, package=_PACKAGE, syntax="proto3")
    for message, fields in _MESSAGES.items():
        described = file.message_type.add(name=message)
        for number, (field, kind, repeated) in enumerate(fields, 1):
            added = described.field.add(name=field, number=number)
            added.label = _FIELD.LABEL_REPEATED if repeated else _FIELD.LABEL_OPTIONAL
            if isinstance(kind, str):
                added.type, added.type_name = _FIELD.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
            else:
                added.type = kind
    pool: Any = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool.FindFileByName(name)


DESCRIPTOR = _file()


def _class_of(message: str) -> Any:
    descriptor, factory = DESCRIPTOR.message_types_by_name[message], cast(Any, message_factory)
    if hasattr(factory, "GetMessageClass"):
        return factory.GetMessageClass(descriptor)
    return factory.MessageFactory(DESCRIPTOR.pool).GetPrototype(descriptor)  # before protobuf 4.22


# A picture of small pictures, one of which stands for each embedded point. image_path: its file; single_image_dim:
# width and height of a small picture, in pixels.
SpriteMetadata = _class_of("SpriteMetadata")

# One embedding. tensor_name: the variable's name; metadata_path: a file with a label for each row; tensor_path: a file
# with the values, for an embedding that is in no checkpoint, and tensor_shape their shape.
EmbeddingInfo = _class_of("EmbeddingInfo")

# All embeddings that the projector shows, and the checkpoint that has them.
ProjectorConfig = _class_of("ProjectorConfig")
