"""Small data for the programs of training.py, which programs_data.py hasn't. Each writes into a program's copy."""

from __future__ import annotations

from pathlib import Path

import numpy as np

_WORDS = [f"w{number}" for number in range(200)]


def less_text(copy: Path) -> None:
    """char-rnn: the first pages of its own text."""
    file = copy / "data" / "tinyshakespeare" / "input.txt"
    file.write_text(file.read_text("utf-8")[:60_000], "utf-8")


def fewer_reviews(copy: Path) -> None:
    """cnn-text-classification: the first of its own sentences."""
    for file in (copy / "data" / "rt-polaritydata").iterdir():
        file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:400]))


def sentence_pairs(copy: Path) -> None:
    """transformer: sentences of words that mean nothing, where its own preparation puts them."""
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
    """pointnet: point clouds of no shape, in ModelNet40's form."""
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
    """bert: the words of its own sample, and a model of two layers."""
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
