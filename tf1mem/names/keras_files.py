"""The files of standalone Keras 2 that programs import from, and that `tf.keras` lacks."""

from __future__ import annotations

from tf1mem.names.rows import by_first_word, sections, words

_SECTIONS = sections("keras_files")

# Namespace of tf.keras -> the files of standalone Keras that had its names.
FILES = by_first_word(_SECTIONS["files"])

# Keras 1's name of a file -> the namespace of tf.keras.
RENAMED: dict[str, str] = dict(_SECTIONS["renamed"])

# The files of keras.backend.
BACKEND_FILES = words(_SECTIONS["backend"])

# The files of keras.engine, whose names are public in other namespaces.
ENGINE_FILES = words(_SECTIONS["engine"])

# Namespace of standalone Keras, "" for Keras itself -> the names that files of its layers and engine import from it.
SHARED = {home.strip("."): names for home, *names in _SECTIONS["shared"]}

# Private base class of layers -> the file of keras.layers that had it, and a layer that derives from it directly.
BASES: dict[str, tuple[str, str]] = {name: (file, layer) for name, file, layer in _SECTIONS["bases"]}

# Namespace of tf.keras or file -> each name that Keras 2 has removed -> the file of tf1mem.v1 that has it.
BROUGHT: dict[str, dict[str, str]] = {}
for _namespace, _file, *_names in _SECTIONS["brought"]:
    BROUGHT.setdefault(_namespace, {}).update(dict.fromkeys(_names, _file))

# The paths that tf1mem.v1 adds below keras for these files, such as "keras.layers.core".
PATHS = frozenset(
    [
        *(f"keras.{namespace}.{file}" for namespace, files in FILES.items() for file in files),
        *(f"keras.engine.{file}" for file in ENGINE_FILES),
        *(f"keras.backend.{file}" for file in BACKEND_FILES),
        *"keras.engine keras.legacy keras.legacy.interfaces keras.legacy.layers keras.wrappers".split(),
        *(f"keras.{file}" for file in RENAMED),
        *BROUGHT,
    ]
)
