"""The changes that rules make to one module: collected, checked against each other, and written, or left out."""

from __future__ import annotations

from typing import NamedTuple, Sequence

from tf1mem.codemod.claims import Claims, TargetPlan
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.files.extracts import Extract, UnplaceableEdit
from tf1mem.codemod.findings import UNREADABLE, UNSAFE, Rewrite
from tf1mem.codemod.results import Change, Edit, Remark, Result
from tf1mem.codemod.rules import Rule
from tf1mem.codemod.source.edits import SKIP, apply, in_order, overlap, parses_as_well, with_the_same_end
from tf1mem.codemod.targets import import_tf1mem


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


class ModuleChanges:
    """The changes to one module.

    Args:
        original: The bytes of the file.
        facts: The facts of its module.
        claims: The claims on it.
    """

    def __init__(self, original: bytes, facts: Facts, claims: Claims) -> None:
        self.original, self.facts, self.claims = original, facts, claims
        self.extract: Extract = facts.extract
        self.changes: list[_Applied] = []
        self.remarks: list[Remark] = []
        self._has_skips = SKIP.search(facts.source.text) is not None

    def by(self, rules: Sequence[Rule]) -> Result:
        """Returns the result of rules; called once."""
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
        lacking_uses = facts.imports.lacking_uses if self.claims.to != "shim" else 0
        supplied = tuple(sorted(self.claims.supplied)) if changes else ()
        return Result(after, changes, tuple(sorted(set(self.remarks), key=_order)), lacking_uses, supplied)

    def _afterwards(self) -> tuple[Facts, Claims]:
        """Returns the facts of the rewritten module, with no claims on them, since no plan is made for it.

        If imports move, the original's facts and claims are returned: only imports change then, and their moves are
        claims.
        """
        if not self.changes or self.claims.moves_any:
            return self.facts, self.claims
        extract = _Afterwards(self.extract, self._python_edits())
        facts = Facts(extract)
        return facts, Claims(TargetPlan(facts, self.claims.to, frozenset()))

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


def _order(remark: Remark) -> tuple[int, int, int, str, str, str]:
    """Returns the sort key of a remark: its place, then its rule and texts."""
    return remark.cell or 0, remark.line, remark.column, remark.code, remark.message, remark.remedy
