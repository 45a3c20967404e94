"""The files of standalone Keras 2 that programs import from, and that `tf.keras` hasn't got."""

from __future__ import annotations

# Namespace of tf.keras -> the files that standalone Keras had it in.
FILES = {
    "layers": "advanced_activations convolutional convolutional_recurrent core embeddings local merge noise "
    "normalization pooling recurrent wrappers",
    "utils": "conv_utils data_utils generic_utils io_utils layer_utils multi_gpu_utils np_utils training_utils "
    "vis_utils",
}

# Those of keras.engine, whose names are public in other namespaces.
ENGINE_FILES = "base_layer input_layer network saving sequential topology training training_utils".split()

# Namespace of tf.keras -> the names that Keras 2 lost on its way, and tf1mem.v1 brings.
BROUGHT = {
    "keras.utils": ("multi_gpu_model",),
    "keras.wrappers.scikit_learn": ("BaseWrapper", "KerasClassifier", "KerasRegressor"),
}

# What tf1mem.v1 has below keras for their sake: "keras.layers.core".
PATHS = frozenset(
    [
        *(f"keras.{namespace}.{file}" for namespace, files in FILES.items() for file in files.split()),
        *(f"keras.engine.{file}" for file in ENGINE_FILES),
        *"keras.backend.tensorflow_backend keras.engine keras.objectives keras.wrappers".split(),
        *BROUGHT,
    ]
)
