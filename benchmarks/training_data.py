"""Makes small data for the programs of training.py that don't read MNIST.

Each function writes into a copy of a program's repository.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

_WORDS = [f"w{number}" for number in range(200)]


def less_text(copy: Path) -> None:
    """Shortens char-rnn's own text to its first pages."""
    file = copy / "data" / "tinyshakespeare" / "input.txt"
    file.write_text(file.read_text("utf-8")[:60_000], "utf-8")


def fewer_reviews(copy: Path) -> None:
    """Shortens cnn-text-classification's own files of sentences to the first 400 lines each."""
    for file in (copy / "data" / "rt-polaritydata").iterdir():
        file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:400]))


def sentence_pairs(copy: Path) -> None:
    """Writes sentences of random words for transformer, into the folders that its own preparation would fill."""
    draw = np.random.RandomState(0)
    for folder in ("segmented", "prepro"):
        (copy / "iwslt2016" / folder).mkdir(parents=True)
    for name in ("train.de.bpe", "train.en.bpe", "eval.de.bpe", "eval.en.bpe"):
        lines = [" ".join(draw.choice(_WORDS, draw.randint(4, 12))) for _ in range(400)]
        (copy / "iwslt2016" / "segmented" / name).write_text("\n".join(lines) + "\n", "utf-8")
    (copy / "iwslt2016" / "prepro" / "eval.en").write_text("w1 w2\n", "utf-8")
    vocabulary = ["<pad>", "<unk>", "<s>", "</s>", *_WORDS]
    (copy / "iwslt2016" / "segmented" / "bpe.vocab").write_text("".join(f"{word}\t0\n" for word in vocabulary), "utf-8")


def points(copy: Path) -> None:
    """Writes random point clouds for pointnet, in ModelNet40's format."""
    import h5py

    draw = np.random.RandomState(0)
    folder = copy / "data" / "modelnet40_ply_hdf5_2048"
    folder.mkdir(parents=True)
    for part in ("train", "test"):
        with h5py.File(folder / f"{part}.h5", "w") as file:
            file["data"] = draw.rand(96, 2048, 3).astype("f4")
            file["label"] = draw.randint(0, 40, (96, 1)).astype("u1")
        (folder / f"{part}_files.txt").write_text(f"data/modelnet40_ply_hdf5_2048/{part}.h5\n", "utf-8")


def vocabulary(copy: Path) -> None:
    """Writes a vocabulary for BERT, of the words in its own sample text, and the config of a model of two layers."""
    text = (copy / "sample_text.txt").read_text("utf-8").lower()
    words = sorted({word.strip(".,;:!?\"'()-") for word in text.split()} - {""})
    signs = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *".,;:!?\"'()-"]
    listed = [*signs, *words]
    (copy / "vocab.txt").write_text("\n".join(listed) + "\n", "utf-8")
    (copy / "config.json").write_text(
        f'{{"vocab_size": {len(listed)}, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2,'
        ' "intermediate_size": 128}',
        "utf-8",
    )
