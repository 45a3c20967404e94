"""Generates the tables in seeds.md, of random numbers that differ from TensorFlow 1's."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Iterator

from migration_guide.generating.markdown import code, table, with_tables
from tf1mem.v1._differing import readable
from tf1mem.v1._differing_table import ROWS

ROOT = Path(__file__).resolve().parents[2]
OTHERS = ROOT / "tests" / "v1" / "seeds" / "recorded" / "others.json"


def page() -> str:
    """Returns the text of seeds.md, with the report's lines, and the kinds of calls that count differently."""
    reported = table(("numbers differ after", "if the call is given", "on TensorFlow"), _reported())
    lines_of: dict[str, list[str]] = json.loads(OTHERS.read_text(encoding="utf-8"))
    versions = sorted(lines_of, key=_release)
    calls = table(("calls", "for example", "differing calls", "in the code of"), _kinds(lines_of, versions))
    return with_tables("seeds.md", {"what is reported": reported, "calls": calls})


def _release(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _reported() -> Iterator[tuple[str, str, str]]:
    rows: dict[tuple[str, str], list[str]] = {}
    for version, kinds_of in ROWS.items():
        for name, kinds in kinds_of.items():
            rows.setdefault((name, "; or ".join(filter(None, map(_features, kinds)))), []).append(version)
    for (name, features), versions in sorted(rows.items()):
        yield readable(name), features or "anything", ", ".join(versions)


# The abbreviations for arguments in a call's features, unless they are a type or value.
_MEANS = {
    "t": "True", "f": "False or a float", "i": "a whole number", "S": "of a static shape", "D": "of a dynamic shape",
    "0": "a scalar tensor", "l": "a list of numbers", "V": "a variable", "F": "a float type", "I": "an integer type",
    "?": "of an unknown rank",
}  # fmt: skip


def _features(kind: str) -> str:
    return " and ".join(map(_feature, kind.split()))


def _feature(feature: str) -> str:
    name, _, value = feature.partition("=")
    return f"no {code(name[1:])}" if feature.startswith("!") else f"{code(name)}: {_meaning(value)}"


def _meaning(value: str) -> str:
    return f"of {value[4:]} dimensions" if value.startswith("rank") else _MEANS.get(value) or code(value)


# Pattern of calls, their name, and the code whose number of ops differs. The first pattern that matches a call counts.
KINDS = (
    (r"minimize\(.*batch_normalization", "updates of networks with batch norm", "TensorFlow's gradients"),
    (r"tf\.gradients\(", "gradients of tensordot, einsum, sign and swish", "TensorFlow's gradients"),
    (r"rejection_resample", "rejection_resample", "TensorFlow"),
    (r"tf\.keras\.(losses|metrics)|m\.compile", "losses, metrics and compile of tf.keras", "Keras"),
    (r"tf\.keras\.layers", "some layers of tf.keras, mostly called twice", "Keras"),
    (r"batch_normalization\(.*renorm", "batch norm with renorm whose training is fed", "Keras"),
    (r"contrib\.distributions", "contrib's multivariate normal, relaxed and transformed distributions", "tf1mem"),
    (r"contrib\.seq2seq", "decoders with beam search or scheduled sampling", "tf1mem"),
    (r"contrib\.rnn", "GridLSTMCell, IntersectionRNNCell", "tf1mem"),
    (r"contrib\.(layers|slim)", "unit_norm", "tf1mem"),
    (r"contrib\.opt", "contrib's optimizers, mostly with sparse gradients", "tf1mem or TensorFlow"),
    (r"bincount", "bincount", "TensorFlow"),
)  # fmt: skip


def kind(call: str) -> int:
    """Returns the place in `KINDS` of a call.

    Args:
        call: The call, as recorded/others.json has it.

    Raises:
        ValueError: No pattern matches the call.
    """
    for place, (pattern, *_) in enumerate(KINDS):
        if re.search(pattern, call):
            return place
    raise ValueError(f"{call}: no pattern in KINDS of {Path(__file__).name} matches it. Add one.")


def _kinds(lines_of: dict[str, list[str]], versions: list[str]) -> Iterator[tuple[str, ...]]:
    by_kind: dict[int, dict[str, list[tuple[str, str]]]] = {}
    for version in versions:
        for line in lines_of[version]:
            call, _, difference = line.rpartition("  # ")
            by_kind.setdefault(kind(call), {}).setdefault(version, []).append((call, difference))
    for place in sorted(by_kind):
        _, name, code_of = KINDS[place]
        example = min(
            (call for calls in by_kind[place].values() for call, _ in calls), key=lambda call: (len(call), call)
        )
        yield name, code(example), _by_version(by_kind[place], versions), code_of


def _by_version(calls: dict[str, list[tuple[str, str]]], versions: list[str]) -> str:
    """Returns the range on each TensorFlow, such as "2.4.4 to 2.18.1: 3 (+1); 2.21.0: 16 (+1)"."""
    parts: list[tuple[str, list[str]]] = []
    for version in versions:
        numbers = _range(calls.get(version, []))
        if parts and parts[-1][0] == numbers:
            parts[-1][1].append(version)
        else:
            parts.append((numbers, [version]))
    return "; ".join(f"{' to '.join(dict.fromkeys([on[0], on[-1]]))}: {numbers}" for numbers, on in parts if numbers)


def _range(calls: list[tuple[str, str]]) -> str:
    """Returns the number of calls, and the least and the largest difference in brackets."""
    if not calls:
        return ""
    numbers = sorted(0 if difference == "within" else int(difference) for _, difference in calls)
    ends = [f"{number:+}" if number else "within" for number in dict.fromkeys([numbers[0], numbers[-1]])]
    return f"{len(calls)} ({' to '.join(ends)})"
