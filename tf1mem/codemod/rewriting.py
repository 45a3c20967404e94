"""Rewrites the bytes of one file: applies the rules, and writes the result."""

from __future__ import annotations

from typing import Callable, Iterable, NamedTuple, Sequence

from tf1mem.codemod import prefilter, targets
from tf1mem.codemod.claims import TARGETS, Claims, Plan
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.files import extract
from tf1mem.codemod.files.extracts import Extract, UnplaceableEdit
from tf1mem.codemod.findings import Rewrite
from tf1mem.codemod.results import Change, Edit, Remark, Result
from tf1mem.codemod.rules import Rule, chosen, registry
from tf1mem.codemod.source.edits import SKIP, apply, in_order, overlap, parses_as_well, with_the_same_end
from tf1mem.codemod.source.limits import TOO_DEEP
from tf1mem.codemod.source.tree import Source
from tf1mem.codemod.targets import import_tf1mem
from tf1mem.notebooks.reading import NotANotebook

__all__ = ["TARGETS", "rewrite"]

_KINDS = ("python", "notebook", "markdown", "rst")
UNREADABLE, UNSAFE = "TFM001", "TFM002"
# The remarks that belong to no rule -> name, meaning, reason and remedy, for people.
OWN_REMARKS = {
    UNREADABLE: (
        "unreadable",
        "Source that doesn't parse is left unchanged.",
        "The source around it is rewritten. Python 2 and a notebook's magics do parse.",
        "Fix the syntax, and run the codemod again.",
    ),
    UNSAFE: (
        "unsafe",
        "A change that would do harm is left out.",
        "Two rules would rewrite the same place, a change would reach beyond its cell, or the result would not parse.",
        "Run the codemod again on its result, or rewrite it by hand.",
    ),
}


class _Afterwards(Extract):
    """A rewritten module whose places are reported as those of the original module.

    Args:
        before: The original module.
        edits: The edits between the two, in order.
    """

    def __init__(self, before: Extract, edits: Sequence[Edit]) -> None:
        super().__init__(before.kind, apply(before.python, edits))
        self._before, self._edits = before, edits

    def place(self, edits: Sequence[Edit]) -> list[Edit]:
        """Raises NotImplementedError: nothing is written to the rewritten module."""
        raise NotImplementedError

    def locate(self, offset: int) -> tuple[int, int, int | None]:
        """Returns the original place of an offset; for new text, the place of the text that it replaced."""
        longer = 0
        for edit in self._edits:
            if offset < edit.start + longer:
                break
            if offset < edit.start + longer + len(edit.text):
                return self._before.locate(edit.start)
            longer += len(edit.text) - (edit.end - edit.start)
        return self._before.locate(offset - longer)


class _Applied(NamedTuple):
    rule: Rule
    rewritten: Rewrite
    edits: tuple[Edit, ...]


def rewrite(
    source: bytes, *, to: str = "shim", kind: str = "python", only: Iterable[str] = (), skip: Iterable[str] = (),
    gpu_memory_mib: int | None = None, for_graphs: bool = False,
) -> Result:  # fmt: skip
    """Rewrites the bytes of one file. It touches no file and prints nothing.

    Args:
        source: Python 2 or 3 in any superset of ASCII, with any line ends, whole or broken.
        to: The target: "shim" (imports lead to tf1mem.v1), "apply" (configs go through `tf1mem.apply`) or "native"
            (`tf.config` and `tf.debugging` of TensorFlow 2).
        kind: "python", "notebook", "markdown" or "rst".
        only: Rules to use, by code, prefix of codes, or name; default: all.
        skip: Rules to leave out, in the same form.
        gpu_memory_mib: Memory of each GPU in MiB, with which "native" converts a fraction to a limit.
        for_graphs: True if the program that the file belongs to switches TensorFlow 2's behavior off. Then an import of
            tf1mem.v1, which does the same, changes nothing for its other files.

    Returns:
        The new bytes, the changes and the remarks. Bytes outside the edits are unchanged. A file that parsed before
        still parses, and a broken one gets no worse; otherwise nothing is changed, and a remark gives the reason.

    Raises:
        ValueError: `to` or `kind` is unknown, or no rule has a given code or name.
    """
    rules = _chosen(to, kind, only, skip)
    if not prefilter.is_about(source):
        return Result(source)
    is_without_settings = kind == "python" and not prefilter.has_settings(source, to)
    if is_without_settings:
        # Only imports can matter here, and only for target shim; the plain case is decided without a tree.
        if not prefilter.may_use_tf1(source):
            return Result(source)
        decided = _decide_plainly(source, rules) if to == "shim" else None
        if decided is not None:
            return decided
    try:
        if is_without_settings and to != "shim":
            # Only names can matter: nothing is changed, but rules about the result still run.
            rules = [rule for rule in rules if rule.of_result]
        codes = frozenset(rule.code for rule in rules)
        return _rewrite(source, kind, rules, lambda facts: targets.plan(facts, to, codes, gpu_memory_mib, for_graphs))
    except NotANotebook as error:
        return Result(source, (), (Remark(UNREADABLE, 1, 1, error.wrong, error.remedy),))
    except (MemoryError, RecursionError):
        return unread(source, TOO_DEEP)


def unread(source: bytes, message: str) -> Result:
    """Returns the result for a file that can't be read: no change, and a remark with the reason.

    Args:
        source: The file's bytes.
        message: The reason, as the remark states it.
    """
    return Result(source, (), (Remark(UNREADABLE, 1, 1, message, "Look at it by hand."),))


def _rewrite(source: bytes, kind: str, rules: list[Rule], planned: Callable[[Facts], Plan]) -> Result:
    """Returns the result of the facts, the target's plan and the rules."""
    whole = extract(source, kind)
    result, is_broken = _apply_rules(source, whole, rules, planned)
    if not is_broken or not result.changed:
        return result
    # Broken source may be read differently after a change beside it, for example an added import. Then a second run
    # would find more.
    again, _ = _apply_rules(result.source, extract(result.source, kind), rules, planned)
    if not again.changed:
        return result
    line, column, cell = whole.locate(0)
    message, remedy = (
        "nothing is changed: the source that doesn't parse would be read differently",
        "Fix the syntax first.",
    )
    return Result(source, (), (Remark(UNSAFE, line, column, message, remedy, cell), *result.remarks))


def _apply_rules(
    source: bytes, whole: Extract, rules: list[Rule], planned: Callable[[Facts], Plan]
) -> tuple[Result, bool]:
    facts = Facts(Source(whole.python), whole)
    claims = Claims(planned(facts), [claimed for rule in rules for claimed in rule.claimed])
    return _Rewriting(source, facts, claims).run(rules), facts.source.is_broken


def _decide_plainly(source: bytes, rules: list[Rule]) -> Result | None:
    """Returns the result for a plain file, without a tree; None if the rules have to decide."""
    changes: list[Change] = []
    edits: list[Edit] = []
    whole = extract(source, "python")
    for rule in registry():
        if rule.plain is None:
            continue
        rewrites = rule.plain(source) if rule in rules else None  # without one rule, another needs the tree
        if rewrites is None:
            return None
        for each in rewrites:
            changes.append(Change(rule.code, *whole.locate(each.start)[:2], each.message, each.edits))
            edits += each.edits
    return Result(apply(source, edits), tuple(changes))


def _chosen(to: str, kind: str, only: Iterable[str], skip: Iterable[str]) -> list[Rule]:
    if to not in TARGETS:
        raise ValueError("to is {!r}; it is one of {}".format(to, ", ".join(TARGETS)))
    if kind not in _KINDS:
        raise ValueError("kind is {!r}; it is one of {}".format(kind, ", ".join(_KINDS)))
    return chosen(to, only, skip)


def _order(remark: Remark) -> tuple[int, int, int, str, str, str]:
    """Returns the sort key of a remark: its place, then its rule and texts."""
    return remark.cell or 0, remark.line, remark.column, remark.code, remark.message, remark.remedy


class _Rewriting:
    """The application of rules to one module."""

    def __init__(self, original: bytes, facts: Facts, claims: Claims) -> None:
        self.original, self.facts, self.claims = original, facts, claims
        self.extract: Extract = facts.extract
        self.changes: list[_Applied] = []
        self.remarks: list[Remark] = []
        self._has_skips = SKIP.search(facts.source.text) is not None

    def run(self, rules: list[Rule]) -> Result:
        for rule in rules:
            if not rule.of_changed and not rule.of_result:
                self._add_findings(rule, self.facts, self.claims)
        self._drop_what_overlaps()
        after = self._written(*self._place())
        if after == self.original:
            self.changes.clear()
        facts, claims = self._afterwards()
        for rule in rules:
            if rule.of_result:
                self._add_findings(rule, facts, claims)
            elif rule.of_changed and self.changes:
                self._add_findings(rule, self.facts, self.claims)
        changes = tuple(
            Change(change.rule.code, line, column, change.rewritten.message, change.edits, cell)
            for change in self.changes
            for line, column, cell in [self.extract.locate(change.rewritten.start)]
        )
        left = facts.imports.left if self.claims.to != "shim" else 0
        supplied = tuple(sorted(self.claims.supplied)) if changes else ()
        return Result(after, changes, tuple(sorted(set(self.remarks), key=_order)), left, supplied)

    def _afterwards(self) -> tuple[Facts, Claims]:
        """Returns the facts of the rewritten module, with no claims on them, since no plan is made for it.

        If imports move, the original's facts and claims are returned: only imports change then, and their moves are
        claims.
        """
        if not self.changes or self.claims.moves_any:
            return self.facts, self.claims
        extract = _Afterwards(self.extract, self._python_edits())
        facts = Facts(Source(extract.python), extract)
        return facts, Claims(Plan(facts, self.claims.to, frozenset()))

    def _add_findings(self, rule: Rule, facts: Facts, claims: Claims) -> None:
        for finding in rule.findings(facts, claims):
            if self._is_skipped(facts, finding.start, finding.edits if isinstance(finding, Rewrite) else ()):
                continue
            if isinstance(finding, Rewrite) and any(
                self.facts.source.is_broken_at(edit.start) for edit in finding.edits
            ):
                message = f"left unchanged ({rule.code}): the source there doesn't parse"
                self._remark(UNREADABLE, finding.start, message, "Fix the syntax, and run the codemod again.")
            elif isinstance(finding, Rewrite):
                self.changes.append(_Applied(rule, finding, finding.edits))
            else:
                self._remark(rule.code, finding.start, finding.message, finding.remedy, facts.extract)

    def _remark(self, code: str, start: int, message: str, remedy: str, extract: Extract | None = None) -> None:
        line, column, cell = (extract or self.extract).locate(start)
        self.remarks.append(Remark(code, line, column, message, remedy, cell))

    def _is_skipped(self, facts: Facts, start: int, edits: tuple[Edit, ...]) -> bool:
        if not self._has_skips:
            return False
        source, text = facts.source, facts.source.text
        return any(
            SKIP.search(text, source.line_start(place), source.line_end(place))
            for place in (start, *(edit.start for edit in edits))
            if place <= len(text)
        )

    def _drop_what_overlaps(self) -> None:
        kept: list[_Applied] = []
        edits: list[Edit] = []
        for change in self.changes:
            together = in_order([*edits, *change.edits])
            if overlap(together):
                self._leave(change, "another rule rewrites the same place")
                continue
            kept.append(change)
            edits = together
        self.changes = sorted(kept, key=lambda change: change.rewritten.start)

    def _leave(self, change: _Applied, why: str) -> None:
        message = f"left unchanged ({change.rule.code}): {why}"
        self._remark(
            UNSAFE, change.rewritten.start, message, "Run the codemod again on its result, or rewrite it by hand."
        )

    def _python_edits(self) -> list[Edit]:
        """Returns the edits of all changes, with the import of tf1mem if needed, in the module's offsets."""
        needing = [change.rewritten.start for change in self.changes if change.rewritten.imports_tf1mem]
        edits: list[Edit] = []
        if needing:
            edits += import_tf1mem.edits(self.facts, needing)
        for change in self.changes:
            edits += change.rewritten.edits
        edits = in_order(edits)
        return with_the_same_end(self.facts.source.text, edits) if self.extract.kind == "python" else edits

    def _place(self) -> tuple[list[Edit], list[Edit]]:
        """Returns the edits of the module and of the original bytes; changes without a place become remarks."""
        try:
            return self._placed()
        except UnplaceableEdit:
            kept = []
            for change in self.changes:
                try:
                    self.extract.place(in_order(change.edits))
                    kept.append(change)
                except UnplaceableEdit:
                    self._leave(change, "it would reach beyond its cell")
            self.changes = kept
        try:
            return self._placed()
        except UnplaceableEdit:  # the import of tf1mem itself
            for change in self.changes:
                self._leave(change, "it would reach beyond its cell")
            self.changes = []
            return [], []

    def _placed(self) -> tuple[list[Edit], list[Edit]]:
        edits = self._python_edits()
        placed = self.extract.place(edits)
        for number, change in enumerate(self.changes):
            own = self.extract.place(in_order(change.rewritten.edits))
            self.changes[number] = change._replace(edits=tuple(own))
        return edits, in_order(placed)

    def _written(self, edits: list[Edit], placed: list[Edit]) -> bytes:
        source = self.facts.source
        after = apply(source.text, edits)
        if not parses_as_well(source, edits, after):
            self.changes.clear()
            self._remark(
                UNSAFE, 0, "nothing is changed: the result would not parse", "Rewrite it by hand, and report it."
            )
            return self.original
        return apply(self.original, placed)
