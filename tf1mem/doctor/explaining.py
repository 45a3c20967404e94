"""What a code means: a rule of the codemod, or a kind of finding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Iterable, Iterator

from tf1mem.doctor.finding import ERROR, NOTE, WARNING, Kind
from tf1mem.doctor.judges import kinds

if TYPE_CHECKING:
    from tf1mem.codemod.rules import Example, Rule

_SEVERITIES = {
    ERROR: "An error: a setting is lost, or the program can't go on.",
    WARNING: "A warning: often it isn't meant.",
    NOTE: "A note: good to know.",
}
# What looks for a kind of finding, by the first of their codes.
_SEEN = (("TFD2", "`tf1mem doctor -- SCRIPT`"), ("TFD1", "`tf1mem doctor`"), ("TFC1", "`tf1mem check`"))
# Why the rules are there that do nothing else than have configs applied.
_EARLY = (
    "TensorFlow reads GPU settings once, when the first GPU of a process is set up; `tf1mem.apply` has them in force "
    "by then, or says that they come too late."
)


@dataclass(frozen=True)
class Shown:
    """An example of a rule at work.

    Attributes:
        before: The source.
        after: What becomes of it; None where it stays as it is.
        to: The target.
        remarks: What is left for a person, and what to do about it.
    """

    before: str
    after: str | None
    to: str
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """What a code means.

    Attributes:
        code: The code, such as "TFM101".
        name: What it is called beside its code; "" where it has no name.
        severity: How bad a finding is: "error", "warning" or "note"; None of a rule.
        says: What it is, in a sentence.
        why: More of that, in paragraphs.
        mend: What to do about it, in paragraphs.
    """

    code: str
    name: str
    severity: str | None
    says: str
    why: tuple[str, ...]
    mend: tuple[str, ...]


def of_findings() -> Iterator[Explanation]:
    """What each kind of finding of the doctor's means, by code."""
    return of_kinds(kinds())


def of_kinds(found: Iterable[Kind]) -> Iterator[Explanation]:
    """What kinds of findings mean."""
    return map(_of_kind, found)


def of_rules() -> Iterator[Explanation]:
    """What each rule of the codemod means, and each of its own remarks, by code. The codemod has to be installed."""
    from tf1mem.codemod.rewriting import OWN_REMARKS
    from tf1mem.codemod.rules import registry

    for code, (name, says, why, mend) in OWN_REMARKS.items():
        yield Explanation(code, name, None, says, (why,), (mend,))
    for rule in registry():
        yield _of_rule(rule)


def examples(code: str) -> tuple[Shown, ...]:
    """What is shown of a rule, or of those that are about a kind of finding. The codemod has to be installed.

    Args:
        code: The rule's code, or the kind's.
    """
    from tf1mem.codemod.rules import registry
    from tf1mem.codemod.rules.import_tensorflow import CODE as IMPORTS

    about = {code}
    for kind in kinds():
        if kind.code == code:
            about.update(kind.reported_by if kind.rewrite is None else kind.rewrite.rules or (IMPORTS,))
    return tuple(shown for rule in registry() if rule.code in about for shown in _examples(rule))


def _of_kind(kind: Kind) -> Explanation:
    mend = [kind.mend.rstrip(".") + "."]
    if kind.rewrite is not None:
        only = "--only {} ".format(",".join(kind.rewrite.rules)) if kind.rewrite.rules else ""
        often = "in few programs" if kind.rewrite.seldom else "where it can"
        mend.append(f"The codemod does it {often}: `tf1mem codemod --to {kind.rewrite.target} {only}FILE` shows how.")
    if kind.reported_by:
        mend.append("In source `tf1mem codemod` reports it: {}.".format(", ".join(kind.reported_by)))
    seen = next(seen for first, seen in _SEEN if kind.code >= first)
    return Explanation(
        kind.code, "", kind.severity, kind.meaning, (f"{_SEVERITIES[kind.severity]} {seen} looks for it.",), tuple(mend)
    )


def _of_rule(rule: Rule) -> Explanation:
    mend = []
    rewrites = any(_rewrites(rule, example) for example in rule.examples)
    if rewrites:
        to = "" if "shim" in rule.to else f"--to {rule.to[0]} "
        mend.append(f"`tf1mem codemod {to}--only {rule.code} PATH` shows what would change; with `--write` it does.")
    if any(rule.code in example.remarks for example in rule.examples):
        mend.append("What it leaves for a person is listed, with what to do about each.")
    mend.append(f"A comment `# tf1mem: skip` keeps a line as it is, and `--skip {rule.code}` leaves the rule out.")
    targets = ", ".join(f"`--to {to}`" for to in rule.to)
    reasons = [*([_EARLY] if rule.takes else []), *rule.reasons]
    holds = "what it writes holds" if rewrites else "it holds"
    why = (*reasons, f"A rule of {targets}; {holds} on TensorFlow {rule.versions}.")
    return Explanation(rule.code, rule.name, None, rule.summary, why, (" ".join(mend),))


def _examples(rule: Rule) -> Iterator[Shown]:
    """One that is rewritten, and one that is reported, where a rule has them."""
    for of_kind in (
        [it for it in rule.examples if _rewrites(rule, it)],
        [it for it in rule.examples if rule.code in it.remarks],
    ):
        yield from (_shown(rule, example) for example in of_kind[:1])


def _rewrites(rule: Rule, example: Example) -> bool:
    return example.after is not None and rule.code not in example.remarks


def _shown(rule: Rule, example: Example) -> Shown:
    from tf1mem.codemod.rewriting import rewrite

    to = example.to or rule.to[0]
    result = rewrite(example.before.encode(), to=to, gpu_memory_mib=example.gpu_memory_mib)
    remarks = tuple(
        f"line {remark.line}: {remark.message}. {remark.remedy}"
        for remark in result.remarks
        if remark.code == rule.code
    )
    return Shown(example.before, example.after, to, remarks)
