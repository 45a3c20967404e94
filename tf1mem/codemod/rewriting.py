"""Old source in, new source out: the rules at work on one file's bytes."""

from __future__ import annotations

from typing import Callable, Iterable, NamedTuple, Sequence

from tf1mem.codemod import prefilter, targets
from tf1mem.codemod.claims import TARGETS, Claims, Plan
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.files import extract
from tf1mem.codemod.files.extracts import Extract, UnplaceableEdit
from tf1mem.codemod.findings import Rewrite
from tf1mem.codemod.results import Change, Edit, Remark, Result
from tf1mem.codemod.rules import Rule, chosen
from tf1mem.codemod.rules.import_tensorflow import CODE as IMPORTS
from tf1mem.codemod.rules.import_tensorflow import MOVED
from tf1mem.codemod.rules.python2_source import CODE as PYTHON2
from tf1mem.codemod.rules.python2_source import looks_like_python2
from tf1mem.codemod.source.edits import SKIP, apply, in_order, overlap, parses_as_well, with_the_same_end
from tf1mem.codemod.source.limits import TOO_DEEP
from tf1mem.codemod.source.tree import Source
from tf1mem.codemod.targets import import_tf1mem
from tf1mem.notebooks.reading import NotANotebook

__all__ = ["TARGETS", "rewrite"]

_KINDS = ("python", "notebook", "markdown", "rst")
UNREADABLE, UNSAFE = "TFM001", "TFM002"
# The remarks that are of no rule -> what they are called, what they are, why, and what to do.
OWN_REMARKS = {
    UNREADABLE: (
        "unreadable",
        "What doesn't parse is left as it is.",
        "What stands around it is rewritten all the same. Python 2 parses, and so do a notebook's magics.",
        "Mend the syntax, and run the codemod again.",
    ),
    UNSAFE: (
        "unsafe",
        "What would come out worse is left as it is.",
        "Two rules would rewrite the same place, a change would reach beyond its cell, or the result would not parse.",
        "Run the codemod again on its result, or rewrite it by hand.",
    ),
}


class _Afterwards(Extract):
    """What a module has become, whose places are told as those of the module as it was.

    Args:
        before: The module as it was.
        edits: What it is changed by, in order.
    """

    def __init__(self, before: Extract, edits: Sequence[Edit]) -> None:
        super().__init__(before.kind, apply(before.python, edits))
        self._before, self._edits = before, edits

    def place(self, edits: Sequence[Edit]) -> list[Edit]:
        """Nothing is written there any more."""
        raise NotImplementedError

    def locate(self, offset: int) -> tuple[int, int, int | None]:
        """Where what stands at an offset came from; for what was written, where it took something's place."""
        longer = 0
        for edit in self._edits:
            if offset < edit.start + longer:
                break
            if offset < edit.start + longer + len(edit.text):
                return self._before.locate(edit.start)
            longer += len(edit.text) - (edit.end - edit.start)
        return self._before.locate(offset - longer)


class _Found(NamedTuple):
    rule: Rule
    rewritten: Rewrite
    edits: tuple[Edit, ...]


def rewrite(
    source: bytes, *, to: str = "shim", kind: str = "python", only: Iterable[str] = (), skip: Iterable[str] = (),
    gpu_memory_mib: int | None = None, for_graphs: bool = False,
) -> Result:  # fmt: skip
    """Rewrites one file's bytes. Touches no file and prints nothing.

    Args:
        source: The bytes: any encoding that ASCII is part of, any line ends, Python 2 or 3, whole or broken.
        to: What to come to: "shim" (the import changes), "apply" (configs go through `tf1mem.apply`) or "native"
            (`tf.config` and `tf.debugging` of TensorFlow 2).
        kind: "python", "notebook", "markdown" or "rst".
        only: The rules to use, by code, by what codes begin with, or by name; all where there are none.
        skip: The rules to leave out, in the same words.
        gpu_memory_mib: The memory of each GPU in MiB, with which "native" can say a fraction as a limit.
        for_graphs: Whether the program that the file is a part of switches TensorFlow 2's behavior off, so that
            "shim" can do no more harm by it.

    Returns:
        The new bytes, the changes and the remarks. Bytes outside the edits are as they were; a file that parsed
        before parses after, and one that didn't is no worse, or nothing is changed and a remark says so.

    Raises:
        ValueError: `to` or `kind` is none of these, or there is no rule of a code or name.
    """
    rules = _chosen(to, kind, only, skip)
    if not prefilter.is_about(source):
        return Result(source)
    is_without_settings = kind == "python" and not prefilter.has_settings(source, to)
    if is_without_settings:
        # Only imports can matter here, and those are of target shim; the plain case is decided without a tree.
        if not prefilter.may_use_tf1(source):
            return Result(source)
        decided = _decide_plainly(source, rules) if to == "shim" else None
        if decided is not None:
            return decided
    try:
        if is_without_settings and to != "shim":
            # Names alone matter: nothing is changed, but a last look is had.
            rules = [rule for rule in rules if rule.of_result]
        codes = frozenset(rule.code for rule in rules)
        return _rewrite(source, kind, rules, lambda facts: targets.plan(facts, to, codes, gpu_memory_mib, for_graphs))
    except NotANotebook as error:
        return Result(source, (), (Remark(UNREADABLE, 1, 1, error.wrong, error.remedy),))
    except (MemoryError, RecursionError):
        return unread(source, TOO_DEEP)


def unread(source: bytes, message: str) -> Result:
    """Returns the result for a file that can't be read through: no change, and a remark that says why.

    Args:
        source: Its bytes.
        message: Why.
    """
    return Result(source, (), (Remark(UNREADABLE, 1, 1, message, "Look at it by hand."),))


def _rewrite(source: bytes, kind: str, rules: list[Rule], planned: Callable[[Facts], Plan]) -> Result:
    """What becomes of a file by its facts, the target's plan and the rules."""
    whole = extract(source, kind)
    result, is_broken = _by_rules(source, whole, rules, planned)
    if not is_broken or not result.changed:
        return result
    # What doesn't parse can be read otherwise once something beside it is changed, an import added, for example; then
    # the rules would find more each time that they are run.
    again, _ = _by_rules(result.source, extract(result.source, kind), rules, planned)
    if not again.changed:
        return result
    line, column, cell = whole.locate(0)
    message, remedy = "nothing is changed: what doesn't parse would be read otherwise", "Mend the syntax first."
    return Result(source, (), (Remark(UNSAFE, line, column, message, remedy, cell), *result.remarks))


def _by_rules(
    source: bytes, whole: Extract, rules: list[Rule], planned: Callable[[Facts], Plan]
) -> tuple[Result, bool]:
    facts = Facts(Source(whole.python), whole)
    claims = Claims(planned(facts), [claimed for rule in rules for claimed in rule.claimed])
    return _Rewriting(source, facts, claims).run(rules), facts.source.is_broken


def _decide_plainly(source: bytes, rules: list[Rule]) -> Result | None:
    """What becomes of a plain file, without a tree; None where the rules have to look."""
    codes = {rule.code for rule in rules}
    if b"tf1mem" in source or not codes >= {IMPORTS, PYTHON2} or looks_like_python2(source) is not None:
        return None
    edits = prefilter.plain_imports(source)
    if edits is None:
        return None
    whole = extract(source, "python")
    changes = [
        Change(IMPORTS, *whole.locate(source.rfind(b"\n", 0, edit.start) + 1)[:2], MOVED, (edit,)) for edit in edits
    ]
    return Result(apply(source, edits), tuple(changes))


def _chosen(to: str, kind: str, only: Iterable[str], skip: Iterable[str]) -> list[Rule]:
    if to not in TARGETS:
        raise ValueError("to is {!r}; it is one of {}".format(to, ", ".join(TARGETS)))
    if kind not in _KINDS:
        raise ValueError("kind is {!r}; it is one of {}".format(kind, ", ".join(_KINDS)))
    return chosen(to, only, skip)


def _order(remark: Remark) -> tuple[int, int, int, str, str, str]:
    """Where a remark stands among others; of several at one place and of one rule, by what they say."""
    return remark.cell or 0, remark.line, remark.column, remark.code, remark.message, remark.remedy


class _Rewriting:
    """The rules at work on one module."""

    def __init__(self, original: bytes, facts: Facts, claims: Claims) -> None:
        self.original, self.facts, self.claims = original, facts, claims
        self.extract: Extract = facts.extract
        self.changes: list[_Found] = []
        self.remarks: list[Remark] = []
        self._has_skips = SKIP.search(facts.source.text) is not None

    def run(self, rules: list[Rule]) -> Result:
        for rule in rules:
            if not rule.of_changed and not rule.of_result:
                self._take(rule, self.facts, self.claims)
        self._drop_what_overlaps()
        after = self._written(*self._place())
        if after == self.original:
            self.changes.clear()
        facts, claims = self._afterwards()
        for rule in rules:
            if rule.of_result:
                self._take(rule, facts, claims)
            elif rule.of_changed and self.changes:
                self._take(rule, self.facts, self.claims)
        changes = tuple(
            Change(found.rule.code, line, column, found.rewritten.message, found.edits, cell)
            for found in self.changes
            for line, column, cell in [self.extract.locate(found.rewritten.start)]
        )
        left = facts.imports.left if self.claims.to != "shim" else 0
        supplied = tuple(sorted(self.claims.supplied)) if changes else ()
        return Result(after, changes, tuple(sorted(set(self.remarks), key=_order)), left, supplied)

    def _afterwards(self) -> tuple[Facts, Claims]:
        """What is known of what has become of the module, and nothing is claimed of that: no plan is made for it.

        Where imports move, it is still what the module was: they are all that changes, and what moves is claimed.
        """
        if not self.changes or self.claims.moves_any:
            return self.facts, self.claims
        extract = _Afterwards(self.extract, self._python_edits())
        facts = Facts(Source(extract.python), extract)
        return facts, Claims(Plan(facts, self.claims.to, frozenset()))

    def _take(self, rule: Rule, facts: Facts, claims: Claims) -> None:
        for found in rule.findings(facts, claims):
            if self._is_skipped(facts, found.start, found.edits if isinstance(found, Rewrite) else ()):
                continue
            if isinstance(found, Rewrite) and any(self.facts.source.is_broken_at(edit.start) for edit in found.edits):
                message = f"left as it is ({rule.code}): it stands in what doesn't parse"
                self._remark(UNREADABLE, found.start, message, "Mend the syntax, and run the codemod again.")
            elif isinstance(found, Rewrite):
                self.changes.append(_Found(rule, found, found.edits))
            else:
                self._remark(rule.code, found.start, found.message, found.remedy, facts.extract)

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
        kept: list[_Found] = []
        edits: list[Edit] = []
        for found in self.changes:
            together = in_order([*edits, *found.edits])
            if overlap(together):
                self._leave(found, "another rule rewrites the same place")
                continue
            kept.append(found)
            edits = together
        self.changes = sorted(kept, key=lambda found: found.rewritten.start)

    def _leave(self, found: _Found, why: str) -> None:
        message = f"left as it is ({found.rule.code}): {why}"
        self._remark(
            UNSAFE, found.rewritten.start, message, "Run the codemod again on its result, or rewrite it by hand."
        )

    def _python_edits(self) -> list[Edit]:
        """The edits of all changes, and the import that they need, in the module's offsets."""
        needing = [found.rewritten.start for found in self.changes if found.rewritten.imports_tf1mem]
        edits: list[Edit] = []
        if needing:
            edits += import_tf1mem.edits(self.facts, needing)
        for found in self.changes:
            edits += found.rewritten.edits
        edits = in_order(edits)
        return with_the_same_end(self.facts.source.text, edits) if self.extract.kind == "python" else edits

    def _place(self) -> tuple[list[Edit], list[Edit]]:
        """The edits of the module and of the original's bytes; changes that have no place there are left, and told."""
        try:
            return self._placed()
        except UnplaceableEdit:
            kept = []
            for found in self.changes:
                try:
                    self.extract.place(in_order(found.edits))
                    kept.append(found)
                except UnplaceableEdit:
                    self._leave(found, "it would reach beyond its cell")
            self.changes = kept
        try:
            return self._placed()
        except UnplaceableEdit:  # the import that they all need
            for found in self.changes:
                self._leave(found, "it would reach beyond its cell")
            self.changes = []
            return [], []

    def _placed(self) -> tuple[list[Edit], list[Edit]]:
        edits = self._python_edits()
        placed = self.extract.place(edits)
        for number, found in enumerate(self.changes):
            own = self.extract.place(in_order(found.rewritten.edits))
            self.changes[number] = found._replace(edits=tuple(own))
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
