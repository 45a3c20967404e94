"""The rules of the codemod: one file each, registered by being in this folder.

A rule's module has the rule's name, a docstring whose first sentence is the rule's summary, and one object:

    rule = Rule("TFM101", to=("shim",), versions="1.13 to 2.22", examples=(Example(before, after), …))

    @rule
    def imports(facts: Facts, claims: Claims) -> Iterator[Finding]: …

The function yields results of `findings.rewrite` and `findings.remark`. It takes the facts, and also the claims if
another rule or the target may have settled the same place. It serves all targets of the rule; `@rule.of("native")`
registers a function for this target alone. The edits of a rewrite are all applied, or none. The examples are the rule's
documentation and its first tests.

Two kinds of rules have no function. A rule about consumers of configs lists them, `takes=(takers.SERVER,)`: their
configs go through `tf1mem.apply`. For a rule with `by_plan=True`, the target's plan makes the findings, under the
rule's code.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from inspect import signature
from itertools import chain
from pkgutil import iter_modules
from typing import Callable, Iterable, Iterator, NamedTuple, TypeVar

from tf1mem.codemod.claims import TARGETS, Claimer, ClaimKind, Claims
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.files.extracts import Extract
from tf1mem.codemod.findings import Finding, Rewrite
from tf1mem.codemod.results import Change, Edit, Result
from tf1mem.codemod.source.edits import apply as with_edits
from tf1mem.codemod.targets import apply
from tf1mem.errors import meant
from tf1mem.settings.takers import Taker

Check = TypeVar("Check", Callable[[Facts, Claims], Iterator[Finding]], Callable[[Facts], Iterator[Finding]])
PlainCheck = TypeVar("PlainCheck", bound=Callable[[bytes], "list[Rewrite] | None"])
# The first lines of most examples, before and after the rule.
HEAD = "import tensorflow as tf\n"
BOTH = "import tf1mem\n" + HEAD


@dataclass(frozen=True)
class Example:
    """A source before and after the rule.

    Attributes:
        before: Python source.
        after: The rewritten source; None if it stays as it is.
        to: The target; None for every target of the rule.
        remarks: Codes of the expected remarks.
        gpu_memory_mib: The GPUs' memory in MiB, which `rewrite` gets; None if it isn't known.
    """

    before: str
    after: str | None = None
    to: str | None = None
    remarks: tuple[str, ...] = ()
    gpu_memory_mib: int | None = None


class _Check(NamedTuple):
    """A function of a rule.

    Attributes:
        function: The function.
        targets: The targets for which it yields findings.
        takes_claims: True if it takes the claims beside the facts.
    """

    function: Callable[..., Iterator[Finding]]
    targets: tuple[str, ...]
    takes_claims: bool


class Rule:
    """One rule, and its entry in the registry.

    Args:
        code: The code, such as "TFM101".
        to: The targets that it belongs to.
        versions: The TensorFlow versions for which its results hold.
        examples: The examples, no-ops first.
        shown_for: The target of the examples without one; None if they hold for each target of the rule.
        of_changed: True if it only applies to modules that other rules change.
        of_result: True if it makes remarks about the module as other rules have rewritten it. It changes nothing.
        by_plan: True if the target's plan makes the findings.
        takes: The consumers whose configs go through `tf1mem.apply`, if that is all the rule does.
        only_importers: True if, with `takes`, it only applies to modules that import TensorFlow or Keras themselves.
        words: Words beside those of `prefilter.SETTINGS`. A file with none of either isn't parsed for the rule.

    Attributes:
        name: The name of the module, with hyphens: "import-tensorflow".
        summary: The first sentence of the module's docstring.
        reasons: The other paragraphs of the docstring.
        claimed: Pairs of a kind of claim, and the function that yields the claimed spans.
        plain: The function for plain files; None if the rule has none.
    """

    def __init__(
        self, code: str, *, to: tuple[str, ...] = TARGETS, versions: str = "1.13 to 2.22",
        examples: tuple[Example, ...] = (), shown_for: str | None = None, of_changed: bool = False,
        of_result: bool = False, words: tuple[bytes, ...] = (), by_plan: bool = False, takes: tuple[Taker, ...] = (),
        only_importers: bool = False,
    ) -> None:  # fmt: skip
        self.by_plan, self.takes, self.only_importers = by_plan, takes, only_importers
        self.of_changed, self.of_result, self.words = of_changed, of_result, words
        self.code, self.to, self.versions = code, to, versions
        self.examples = tuple(
            replace(example, to=example.to or shown_for or ("apply" if takes else None)) for example in examples
        )
        self.name = self.summary = ""
        self.reasons: list[str] = []
        self.claimed: list[tuple[ClaimKind, Claimer]] = []
        self.plain: Callable[[bytes], list[Rewrite] | None] | None = None
        self._checks: list[_Check] = []

    def __call__(self, check: Check) -> Check:
        """Registers a function that yields findings for each target, from the facts, or the facts and the claims."""
        return self.of(*self.to)(check)

    def of(self, *targets: str) -> Callable[[Check], Check]:
        """Returns a decorator for a function that yields findings for some of the rule's targets."""

        def register(check: Check) -> Check:
            self._checks.append(_Check(check, targets, len(signature(check).parameters) == 2))
            return check

        return register

    def plainly(self, check: PlainCheck) -> PlainCheck:
        """Registers a function that decides a plain file (see `targets/plain.py`) from its bytes.

        It returns the rewrites, or None if the file isn't plain. A rule without such a function has nothing to do in a
        file that has none of `prefilter.SETTINGS` and of the rules' words.
        """
        self.plain = check
        return check

    def claims(self, kind: ClaimKind) -> Callable[[Claimer], Claimer]:
        """Returns a decorator for a function that yields the spans which the rule settles for all others."""

        def register(claimer: Claimer) -> Claimer:
            self.claimed.append((kind, claimer))
            return claimer

        return register

    def findings(self, facts: Facts, claims: Claims) -> Iterator[Finding]:
        """Returns the rule's findings in a module."""
        if self.takes:
            rows = self.takes if facts.imports.bindings or not self.only_importers else ()
            return apply.rewrites(facts, claims, *rows)
        if self.by_plan:
            return claims.planned(self.code)
        checks = (check for check in self._checks if claims.to in check.targets)
        return chain.from_iterable(
            check.function(facts, claims) if check.takes_claims else check.function(facts) for check in checks
        )


@cache
def registry() -> tuple[Rule, ...]:
    """Returns every rule, ordered by code."""
    rules = []
    for entry in iter_modules(__path__):
        module = import_module(f"{__name__}.{entry.name}")
        rule: Rule = module.rule
        rule.name = entry.name.replace("_", "-")
        rule.summary, *rule.reasons = (" ".join(part.split()) for part in (module.__doc__ or "").split("\n\n"))
        rules.append(rule)
    return tuple(sorted(rules, key=lambda rule: rule.code))


def chosen(to: str | None = None, only: Iterable[str] = (), skip: Iterable[str] = ()) -> list[Rule]:
    """Returns the active rules, ordered by code.

    Args:
        to: A target; None for the rules of all targets.
        only: Rules to use, by code, prefix of codes (four characters or more: "TFM4"), or name; default: all.
        skip: Rules to leave out, in the same form.

    Raises:
        ValueError: A word of `only` or `skip` fits no rule.
    """
    selected, excluded = ([rule for word in words for rule in _called(word)] for words in (only, skip))
    return [
        rule
        for rule in registry()
        if (to is None or to in rule.to) and (not selected or rule in selected) and rule not in excluded
    ]


def _called(word: str) -> list[Rule]:
    rules = [rule for rule in registry() if word == rule.name or (rule.code.startswith(word) and len(word) > 3)]
    if rules:
        return rules
    codes_and_names = [name for rule in registry() for name in (rule.code, rule.name)]
    words = f"there is no rule {word!r}.", meant(word, codes_and_names), "tf1mem codemod --list-rules lists them"
    raise ValueError(" ".join(filter(None, words)))


def plainly_decided(whole: Extract, rules: list[Rule]) -> Result | None:
    """Returns the result for a plain file, without a tree; None if the rules have to decide.

    Args:
        whole: A Python file with no word of `prefilter.SETTINGS` and none of the rules' words.
        rules: The active rules, of target shim.
    """
    changes: list[Change] = []
    edits: list[Edit] = []
    for rule in registry():
        if rule.plain is None:
            continue
        rewrites = rule.plain(whole.python) if rule in rules else None  # the other functions assume this rule
        if rewrites is None:
            return None
        for each in rewrites:
            changes.append(Change(rule.code, *whole.locate(each.start)[:2], each.message, each.edits))
            edits += each.edits
    return Result(with_edits(whole.python, edits), tuple(changes))
