"""Rewrites the bytes of one file: applies the rules, and writes the result."""

from __future__ import annotations

from functools import partial
from typing import Callable, Iterable, Sequence

from tf1mem.codemod import targets
from tf1mem.codemod.claims import TARGETS, Claims, TargetPlan
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.files import extract
from tf1mem.codemod.files.extracts import Extract
from tf1mem.codemod.findings import UNREADABLE, UNSAFE, unread
from tf1mem.codemod.module_changes import ModuleChanges
from tf1mem.codemod.prefilter import Needs, needs
from tf1mem.codemod.results import Remark, Result
from tf1mem.codemod.rules import Rule, chosen, plainly_decided
from tf1mem.codemod.source.limits import TOO_DEEP
from tf1mem.notebooks.reading import NotANotebook

__all__ = ["TARGETS", "rewrite"]

_KINDS = ("python", "notebook", "markdown", "rst")


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
    needed = needs(source, kind, to)
    if needed is Needs.NOTHING:
        return Result(source)
    if needed is Needs.NAMES and to != "shim":
        # Nothing is changed, but rules about the result still run.
        rules = [rule for rule in rules if rule.of_result]
    try:
        whole = extract(source, kind)
        if needed is Needs.NAMES and to == "shim":
            # Most files that use TensorFlow 1 are plain, and need no tree.
            decided = plainly_decided(whole, rules)
            if decided is not None:
                return decided
        codes = frozenset(rule.code for rule in rules)
        planned = partial(targets.plan, to=to, codes=codes, gpu_memory_mib=gpu_memory_mib, for_graphs=for_graphs)
        result, is_broken = _by_rules(source, whole, rules, planned)
        if not is_broken or not result.changed:
            return result
        # Broken source may be read differently after a change beside it, for example an added import. Then a second
        # run would find more.
        again, _ = _by_rules(result.source, extract(result.source, kind), rules, planned)
        return _left_alone(source, whole, result) if again.changed else result
    except NotANotebook as error:
        return Result(source, (), (Remark(UNREADABLE, 1, 1, error.wrong, error.remedy),))
    except (MemoryError, RecursionError):
        return unread(source, TOO_DEEP)


def _by_rules(
    source: bytes, whole: Extract, rules: Sequence[Rule], planned: Callable[[Facts], TargetPlan]
) -> tuple[Result, bool]:
    """Returns the result of the facts, the target's plan and the rules, and True if some source doesn't parse."""
    facts = Facts(whole)
    claims = Claims(planned(facts), [claimed for rule in rules for claimed in rule.claimed])
    return ModuleChanges(source, facts, claims).by(rules), facts.source.is_broken


def _left_alone(source: bytes, whole: Extract, result: Result) -> Result:
    line, column, cell = whole.locate(0)
    message = "nothing is changed: the source that doesn't parse would be read differently"
    return Result(source, (), (Remark(UNSAFE, line, column, message, "Fix the syntax first.", cell), *result.remarks))


def _chosen(to: str, kind: str, only: Iterable[str], skip: Iterable[str]) -> list[Rule]:
    if to not in TARGETS:
        raise ValueError("to is {!r}; it is one of {}".format(to, ", ".join(TARGETS)))
    if kind not in _KINDS:
        raise ValueError("kind is {!r}; it is one of {}".format(kind, ", ".join(_KINDS)))
    return chosen(to, only, skip)
