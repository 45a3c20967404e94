"""The files of standalone Keras 2 that programs import from, and that `tf.keras` lacks."""

from __future__ import annotations

# Namespace of tf.keras -> the files of standalone Keras that had its names.
FILES = {
    "layers": "advanced_activations convolutional convolutional_recurrent core embeddings local merge noise "
    "normalization pooling recurrent wrappers",
    "utils": "conv_utils data_utils generic_utils io_utils layer_utils multi_gpu_utils np_utils training_utils "
    "vis_utils visualize_util",
}

# Keras 1's name of a file -> the namespace of tf.keras.
RENAMED = {"initializations": "initializers", "objectives": "losses"}

# The files of keras.engine, whose names are public in other namespaces.
ENGINE_FILES = "base_layer input_layer network saving sequential topology training training_utils".split()

# Namespace of tf.keras -> the names that Keras 2 has removed, and tf1mem.v1 implements.
BROUGHT = {
    "keras.utils": ("multi_gpu_model",),
    "keras.wrappers.scikit_learn": ("BaseWrapper", "KerasClassifier", "KerasRegressor"),
}

# The paths that tf1mem.v1 adds below keras for these files, such as "keras.layers.core".
PATHS = frozenset(
    [
        *(f"keras.{namespace}.{file}" for namespace, files in FILES.items() for file in files.split()),
        *(f"keras.engine.{file}" for file in ENGINE_FILES),
        *"keras.backend.tensorflow_backend keras.engine keras.wrappers".split(),
        *(f"keras.{file}" for file in RENAMED),
        *BROUGHT,
    ]
)
