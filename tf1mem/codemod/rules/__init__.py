"""The rules of the codemod: one file each, found by being here.

A rule's module is called as the rule is, holds a docstring whose first sentence says what it is for, and one object:

    rule = Rule("TFM101", to=("shim",), versions="1.13 to 2.22", examples=(Example(before, after), …))

    @rule
    def imports(facts: Facts, claims: Claims) -> Iterator[Finding]: …

The function yields what `findings.rewrite` and `findings.remark` make, of the facts, and of the claims where others may
have settled what it is about. A rule for things that take a config says which, `takes=(takers.SERVER,)`, and has no
function: their configs go through `tf1mem.apply`. A rewrite is all or nothing. The examples are its documentation and
its first tests.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from inspect import signature
from pkgutil import iter_modules
from typing import Callable, Iterable, Iterator, TypeVar

from tf1mem.codemod.claims import TARGETS, Claimer, Claims, Kind
from tf1mem.codemod.facts.consumers import rewrites
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding
from tf1mem.errors import meant
from tf1mem.settings.takers import Taker

Check = TypeVar("Check", Callable[[Facts, Claims], Iterator[Finding]], Callable[[Facts], Iterator[Finding]])
# What most examples begin with, before and after.
HEAD = "import tensorflow as tf\n"
BOTH = "import tf1mem\n" + HEAD


@dataclass(frozen=True)
class Example:
    """Source before and after.

    Attributes:
        before: Python source.
        after: What becomes of it; None where it stays as it is.
        to: The target; None for every one that the rule has.
        remarks: The codes of the remarks that are made.
        gpu_memory_mib: As for `rewrite`.
    """

    before: str
    after: str | None = None
    to: str | None = None
    remarks: tuple[str, ...] = ()
    gpu_memory_mib: int | None = None


class Rule:
    """One rule, and its place in the registry.

    Args:
        code: Such as "TFM101".
        to: The targets it belongs to.
        versions: The TensorFlow versions for which what it writes holds.
        examples: No-ops first.
        shown_for: The target of the examples that name none; None where they hold for each of the rule's.
        of_changed: Whether it has something to say of modules only that other rules change.
        of_result: Whether it looks at what has become of a module, so that what it says of that is said at once, not
            in a second run. It changes nothing.
        takes: What takes the configs that the rule has go through `tf1mem.apply`, if that is all it does.
        only_importers: Whether it does so only in modules that import TensorFlow or Keras themselves.
        words: Bytes of which a file holds one if the rule can matter to it, beside those of `prefilter.SETTINGS`. Files
            that hold none are never parsed for it: on a large tree that is most of them.

    Attributes:
        name: What people call it, such as "import-tensorflow": the name of its file.
        summary: The first sentence of its file.
        reasons: The paragraphs below it.
    """

    def __init__(
        self, code: str, *, to: tuple[str, ...] = TARGETS, versions: str = "1.13 to 2.22",
        examples: tuple[Example, ...] = (), shown_for: str | None = None, of_changed: bool = False,
        of_result: bool = False, words: tuple[bytes, ...] = (), takes: tuple[Taker, ...] = (),
        only_importers: bool = False,
    ) -> None:  # fmt: skip
        self.takes, self.only_importers = takes, only_importers
        self.of_changed, self.of_result, self.words = of_changed, of_result, words
        self.code, self.to, self.versions = code, to, versions
        self.examples = tuple(
            replace(each, to=each.to or shown_for or ("apply" if takes else None)) for each in examples
        )
        self.name = self.summary = ""
        self.reasons: list[str] = []
        self.claimed: list[tuple[Kind, Claimer]] = []
        self._check: Callable[..., Iterator[Finding]]

    def __call__(self, check: Check) -> Check:
        """Takes the function that finds what the rule is about, of the facts, or of the facts and the claims."""
        self._check, self._asks_claims = check, len(signature(check).parameters) == 2
        return check

    def claims(self, kind: Kind) -> Callable[[Claimer], Claimer]:
        """Takes a function that gives the stretches of a module which the rule settles, so that no other has to."""

        def register(claimer: Claimer) -> Claimer:
            self.claimed.append((kind, claimer))
            return claimer

        return register

    def findings(self, facts: Facts, claims: Claims) -> Iterator[Finding]:
        """What the rule finds in a module."""
        if self.takes:
            rows = self.takes if facts.imports.bindings or not self.only_importers else ()
            return rewrites(facts, claims, *rows)
        return self._check(facts, claims) if self._asks_claims else self._check(facts)


@cache
def registry() -> tuple[Rule, ...]:
    """Every rule, by code."""
    found = []
    for entry in iter_modules(__path__):
        module = import_module(f"{__name__}.{entry.name}")
        rule: Rule = module.rule
        rule.name = entry.name.replace("_", "-")
        rule.summary, *rule.reasons = (" ".join(part.split()) for part in (module.__doc__ or "").split("\n\n"))
        found.append(rule)
    return tuple(sorted(found, key=lambda rule: rule.code))


def chosen(to: str | None = None, only: Iterable[str] = (), skip: Iterable[str] = ()) -> list[Rule]:
    """The rules that are at work.

    Args:
        to: A target; None for the rules of all.
        only: The rules to use, by code, by what codes begin with ("TFM4"), or by name; all where there are none.
        skip: Rules to leave out, in the same words.

    Raises:
        ValueError: There is no such rule.
    """
    kept, left = ([rule for asked in words for rule in _called(asked)] for words in (only, skip))
    return [
        rule for rule in registry() if (to is None or to in rule.to) and (not kept or rule in kept) and rule not in left
    ]


def _called(asked: str) -> list[Rule]:
    found = [rule for rule in registry() if asked == rule.name or (rule.code.startswith(asked) and len(asked) > 3)]
    if found:
        return found
    known = [word for rule in registry() for word in (rule.code, rule.name)]
    words = f"there is no rule {asked!r}.", meant(asked, known), "tf1mem codemod --list-rules lists them"
    raise ValueError(" ".join(filter(None, words)))
