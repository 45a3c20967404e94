# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""A predictor of a SavedModel."""

from __future__ import annotations

import logging
from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.predictor import predictor
from tf1mem.v1.contrib.saved_model import reader

_LOG = logging.getLogger("tensorflow")
DEFAULT_TAGS = "serve"


def get_meta_graph_def(saved_model_dir: Any, tags: str) -> Any:
    """Returns the MetaGraphDef with a set of tags.

    Args:
        saved_model_dir: Folder of the SavedModel.
        tags: Tags, separated by commas.

    Raises:
        ValueError: No graph has these tags.
    """
    tag_set = {tag.strip() for tag in tags.split(",")}
    for graph in reader.read_saved_model(saved_model_dir).meta_graphs:
        if set(graph.meta_info_def.tags) == tag_set:
            return graph
    raise ValueError(f"Could not find MetaGraphDef with tags {tags}")


def _signature(key: str | None, export_dir: Any, tags: str) -> Any:
    """Returns the SignatureDef of a key, also as contrib.learn spells the key; raises a ValueError if there is none."""
    key = key or tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    signatures = get_meta_graph_def(export_dir, tags).signature_def
    if key in signatures:
        return signatures[key]
    learn_key = f"default_input_alternative:{key}"
    if learn_key in signatures:
        _LOG.warning('Could not find signature def "%s". Using "%s" instead', key, learn_key)
        return signatures[learn_key]
    raise ValueError(f'Got signature_def_key "{key}". Available signatures are {list(signatures)}.')


class SavedModelPredictor(predictor.Predictor):
    """Predicts with a SavedModel; inputs and outputs have the shapes of the signature.

    Args:
        export_dir: Folder of the SavedModel.
        signature_def_key: Key of the signature; "serving_default" by default.
        signature_def: SignatureDef to use instead of one of the SavedModel's.
        input_names: Dict of key -> name of an input tensor, to use instead of a signature.
        output_names: Dict of key -> name of a predicted tensor, to use instead of a signature.
        tags: Tags of the graph, separated by commas; "serve" by default.
        graph: The tf.Graph to load into; a new graph by default.
        config: ConfigProto of the session.

    Raises:
        ValueError: More than one of signature key, signature and names is set, only one dict of names is set, or
            the signature doesn't exist.
    """

    def __init__(
        self,
        export_dir: Any,
        signature_def_key: str | None = None,
        signature_def: Any = None,
        input_names: Any = None,
        output_names: Any = None,
        tags: str | None = None,
        graph: Any = None,
        config: Any = None,
    ) -> None:
        if (input_names is None) != (output_names is None):
            raise ValueError("input_names and output_names must both be specified or both be unspecified.")
        if sum(argument is not None for argument in (signature_def_key, signature_def, input_names)) > 1:
            raise ValueError(
                "You must specify at most one of signature_def_key OR signature_def OR (input_names AND output_names)."
            )
        tags = tags or DEFAULT_TAGS
        self._graph = graph or tf.Graph()
        with self._graph.as_default():
            self._session = tf.Session(config=config)
            tf.saved_model.loader.load(self._session, tags.split(","), export_dir)
        if input_names is None:
            signature = signature_def or _signature(signature_def_key, export_dir, tags)
            input_names = {name: info.name for name, info in signature.inputs.items()}
            output_names = {name: info.name for name, info in signature.outputs.items()}
        self._feed_tensors = {name: self._graph.get_tensor_by_name(t) for name, t in input_names.items()}
        self._fetch_tensors = {name: self._graph.get_tensor_by_name(t) for name, t in output_names.items()}
