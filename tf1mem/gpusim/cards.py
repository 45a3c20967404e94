"""NVIDIA's cards by name: `--gpu "RTX 3090"` is a GPU with that card's memory, compute capability and multiprocessors.

`cards.json` has a row for each card. Its figures are those that a driver reported in the row's sources. `memory` has
the sources' precision: bytes, whole MiB, or GiB with one or two decimals.
"""

from __future__ import annotations

import difflib
import json
import re
from pathlib import Path
from typing import NamedTuple

from tf1mem.errors import SimulationError

RECORD = Path(__file__).resolve().parent / "cards.json"
# Words that a user may leave out of a card's name.
_FILLING = {"nvidia", "geforce", "tesla", "quadro", "rtx", "gtx", "gpu"}
_WORD = re.compile(r"[a-z0-9]+")


class Card(NamedTuple):
    """A card, as its driver reports it.

    Attributes:
        name: The name, as `cuDeviceGetName` returns it.
        memory: The memory, as precise as the source has it, as text for `gpus.parse_amount`.
        compute_capability: The compute capability, such as "8.6".
        multiprocessors: The number of multiprocessors (SMs).
        sources: The URLs of the public threads and files with these figures.
        clock_khz: The multiprocessors' highest clock rate in kHz; 0 if the sources don't have it.
        memory_clock_khz: The memory's clock rate in kHz; 0 if the sources don't have it.
        memory_bus_bits: The width of the memory's bus in bits; 0 if the sources don't have it.
    """

    name: str
    memory: str
    compute_capability: str
    multiprocessors: int
    sources: tuple[str, ...]
    clock_khz: int = 0
    memory_clock_khz: int = 0
    memory_bus_bits: int = 0


def cards() -> list[Card]:
    """Returns all known cards, from the oldest architecture to the newest."""
    with open(RECORD, encoding="utf-8") as file:
        return [Card(**dict(row, sources=tuple(row["sources"]))) for row in json.load(file)]


def find(text: str) -> Card | None:
    """Returns the card that a text names: "3090", "rtx3090", "A100-80GB" or the whole name. None if it is unknown.

    Args:
        text: A card's name. Words that all cards of a family have, such as GeForce, may be left out.

    Raises:
        SimulationError: Several cards have such a name.
    """
    words = _words(text)
    fit = [card for card in cards() if words <= _words(card.name)] if words - _FILLING else []
    if len(fit) > 1:
        whole = [card for card in fit if _words(card.name) - words <= _FILLING]
        if len(whole) != 1:
            names = ", ".join(card.name for card in fit)
            raise SimulationError(f"the GPU {text!r}", f"can be several cards: {names}", "Name one of them")
        fit = whole
    return fit[0] if fit else None


def unknown(text: str) -> SimulationError:
    """Returns the error for a text that is neither a size nor a known card, with the names nearest to it."""
    names = {_short(card.name): card.name for card in cards()}
    near = difflib.get_close_matches(_short(text), names, n=3, cutoff=0.5)
    remedy = "Write a size, such as 8GiB, or a card of tf1mem sim --list-cards"
    if near:
        remedy += ", such as " + ", ".join(names[name] for name in near)
    return SimulationError(f"the GPU {text!r}", "is neither a size nor a known card", remedy)


def _words(name: str) -> set[str]:
    """Returns a name's words in lower case; "rtx3090ti" is three."""
    spaced = re.sub(r"\b(rtx|gtx)(?=[a-z]?[0-9])", r"\1 ", name.lower())
    return set(_WORD.findall(re.sub(r"([0-9]{4})(ti|super)\b", r"\1 \2", spaced)))


def _short(name: str) -> str:
    """Returns a name in lower case without spaces, signs and the words that most cards have, to compare spellings."""
    return "".join(word for word in _WORD.findall(name.lower()) if word not in {"nvidia", "geforce", "tesla"})
