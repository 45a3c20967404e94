# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Reading of SavedModel files."""

from __future__ import annotations

import os
from typing import Any

from google.protobuf import message, text_format

import tf1mem.v1 as tf


def read_saved_model(saved_model_dir: Any) -> Any:
    """Returns the protocol buffer SavedModel of a folder.

    Args:
        saved_model_dir: Folder with saved_model.pb or saved_model.pbtxt; the first is preferred.

    Raises:
        OSError: Neither file exists, or the file can't be parsed.
    """
    from tensorflow.core.protobuf import saved_model_pb2

    folder = tf.compat.as_str_any(saved_model_dir)
    saved_model = saved_model_pb2.SavedModel()
    for name, read in (("saved_model.pb", _read_binary), ("saved_model.pbtxt", _read_text)):
        path = os.path.join(folder, name)
        if not tf.gfile.Exists(path):
            continue
        try:
            read(path, saved_model)
        except (message.DecodeError, text_format.ParseError) as error:
            raise OSError(f"Cannot parse file {path}: {error}. Export the model again.") from error
        return saved_model
    raise OSError(
        f"SavedModel file does not exist at: {folder}/{{saved_model.pbtxt|saved_model.pb}}. "
        "Name the folder that the model was exported to."
    )


def _read_binary(path: str, proto: Any) -> None:
    with tf.gfile.GFile(path, "rb") as file:
        proto.ParseFromString(file.read())


def _read_text(path: str, proto: Any) -> None:
    with tf.gfile.GFile(path, "rb") as file:
        text_format.Merge(file.read().decode("utf-8"), proto)


def get_saved_model_tag_sets(saved_model_dir: Any) -> list[list[str]]:
    """Returns a list of the tags of each graph in a SavedModel.

    Args:
        saved_model_dir: Folder with saved_model.pb or saved_model.pbtxt.

    Raises:
        OSError: Neither file exists, or the file can't be parsed.
    """
    graphs = read_saved_model(saved_model_dir).meta_graphs
    return [list(graph.meta_info_def.tags) for graph in graphs]
