# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Writes the file from which TensorBoard's projector learns which embeddings to show. TensorBoard need not be there."""

from __future__ import annotations

import os
from typing import Any

from google.protobuf import text_format
from tensorflow.python.lib.io import file_io

from tf1mem.v1.contrib.tensorboard.plugins.projector.projector_config_pb2 import (
    EmbeddingInfo,
    ProjectorConfig,
    SpriteMetadata,
)

__all__ = ["EmbeddingInfo", "ProjectorConfig", "SpriteMetadata", "visualize_embeddings"]

# The name under which TensorBoard looks for the file.
_FILE = "projector_config.pbtxt"


def visualize_embeddings(summary_writer: Any, config: Any) -> None:
    """Writes a projector's configuration into the folder of a summary writer.

    Args:
        summary_writer: tf.summary.FileWriter of the folder, or the folder's path, as TensorBoard 2 takes it.
        config: ProjectorConfig. Without `model_checkpoint_path`, TensorBoard takes the folder's latest checkpoint.

    Raises:
        ValueError: The writer has no folder.
    """
    folder = summary_writer if isinstance(summary_writer, (str, os.PathLike)) else summary_writer.get_logdir()
    if folder is None:
        raise ValueError("Summary writer must have a logdir")
    file_io.write_string_to_file(os.path.join(folder, _FILE), text_format.MessageToString(config))
