"""Makes small data for programs.py, in the formats and folders in which old programs look for it."""

from __future__ import annotations

import gzip
import re
import struct
from pathlib import Path

import numpy as np

# The number of images by the part's name in MNIST's files, their height and width in pixels, and the number of classes.
# There are more than 5,000 training images, since programs use the first 5,000 for validation.
_IMAGES, _SIDE, _CLASSES = {"train": 6000, "t10k": 600}, 28, 10
# A call of tensorflow.examples.tutorials.mnist's reader with a literal folder, which is the group.
_FOLDER = re.compile(r"read_data_sets\(\s*(?:train_dir\s*=\s*)?[rbu]?['\"]([^'\"]+)['\"]")


def make_data(home: Path, script: Path) -> None:
    """Writes an MNIST of random pixels into the folders that a script reads it from, and into Keras's cache.

    Args:
        home: The home directory that the script will have; it is created, and must not exist.
        script: The script, in a copy of its repository beside `home`. Nothing is written outside of `home`'s parent.
    """
    draw = np.random.RandomState(0)
    images = {part: draw.randint(0, 256, (many, _SIDE, _SIDE)).astype(np.uint8) for part, many in _IMAGES.items()}
    labels = {part: draw.randint(0, _CLASSES, many).astype(np.uint8) for part, many in _IMAGES.items()}
    keras = home / ".keras" / "datasets"
    keras.mkdir(parents=True)
    np.savez(
        str(keras / "mnist.npz"),
        x_train=images["train"], y_train=labels["train"], x_test=images["t10k"], y_test=labels["t10k"],
    )  # fmt: skip
    for named in _FOLDER.findall(script.read_text("utf-8", "replace")):
        folder = script.parent / named
        if home.parent not in folder.resolve().parents:
            continue  # an absolute path of the author's machine
        folder.mkdir(parents=True, exist_ok=True)
        # MNIST's format, IDX, begins with a magic number (2051 for bytes of rank 3, 2049 for rank 1) and the sizes.
        for part, many in _IMAGES.items():
            _write(folder / f"{part}-images-idx3-ubyte.gz", struct.pack(">4i", 2051, many, _SIDE, _SIDE), images[part])
            _write(folder / f"{part}-labels-idx1-ubyte.gz", struct.pack(">2i", 2049, many), labels[part])


def _write(path: Path, head: bytes, values: np.ndarray) -> None:
    with gzip.open(path, "wb", 1) as file:
        file.write(head + values.tobytes())
