"""Explanations of codes: the codemod's rules and the kinds of findings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Iterable, Iterator

from tf1mem.doctor.finding import ERROR, NOTE, WARNING, Kind
from tf1mem.doctor.judges import kinds

if TYPE_CHECKING:
    from tf1mem.codemod.rules import Example, Rule

_SEVERITIES = {
    ERROR: "An error: a setting is lost, or the program can't go on.",
    WARNING: "A warning: often a mistake.",
    NOTE: "A note: good to know.",
}
# The first code of a range -> the command that looks for findings of that range; the highest range comes first.
_COMMANDS = (("TFD2", "`tf1mem doctor -- SCRIPT`"), ("TFD1", "`tf1mem doctor`"), ("TFC1", "`tf1mem check`"))
# The number of the JSON's schema; it rises when a field goes or changes its meaning.
SCHEMA = 1
# The reason for the rules that only add `tf1mem.apply`.
_EARLY = (
    "TensorFlow reads GPU settings once, when the first GPU of a process is set up; `tf1mem.apply` applies them "
    "before that, or raises an error if it is too late."
)


@dataclass(frozen=True)
class ShownExample:
    """An example of a rule at work.

    Attributes:
        before: source before the rewrite.
        after: source after it; None if it stays unchanged.
        to: codemod target.
        remarks: places that need a decision by hand, each with its remedy.
    """

    before: str
    after: str | None
    to: str
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """The explanation of a code.

    Attributes:
        code: code such as "TFM101".
        name: name beside the code; "" without a name.
        severity: severity of a finding: "error", "warning" or "note"; None for a rule.
        summary: summary in one sentence.
        why: reasons, one string a paragraph.
        remedy: remedy, one string a paragraph.
    """

    code: str
    name: str
    severity: str | None
    summary: str
    why: tuple[str, ...]
    remedy: tuple[str, ...]


def as_dict(explanation: Explanation, shown: Iterable[ShownExample]) -> dict[str, Any]:
    """Returns an explanation as plain values for JSON.

    Args:
        explanation: The explanation of one code.
        shown: The examples.
    """
    return {
        "code": explanation.code,
        "name": explanation.name or None,
        "severity": explanation.severity,
        "message": explanation.summary,
        "why": list(explanation.why),
        "remedy": list(explanation.remedy),
        "examples": [asdict(example) for example in shown],
    }


def of_findings() -> Iterator[Explanation]:
    """Yields the explanation of each kind of the doctor's findings, by code."""
    return of_kinds(kinds())


def of_kinds(finding_kinds: Iterable[Kind]) -> Iterator[Explanation]:
    """Yields the explanation of each kind in `finding_kinds`."""
    return map(_of_kind, finding_kinds)


def of_rules() -> Iterator[Explanation]:
    """Yields the explanation of each codemod rule and each of the codemod's own remarks, by code; needs the codemod."""
    from tf1mem.codemod.findings import OWN_REMARKS
    from tf1mem.codemod.rules import registry

    for code, (name, summary, why, remedy) in OWN_REMARKS.items():
        yield Explanation(code, name, None, summary, (why,), (remedy,))
    for rule in registry():
        yield _of_rule(rule)


def examples(code: str, *, everything: bool = False) -> tuple[ShownExample, ...]:
    """Returns the examples of a rule, or of the rules about a kind of finding; needs the codemod.

    Args:
        code: code of the rule or of the kind.
        everything: True for all examples; else one that is rewritten and one that is reported.
    """
    from tf1mem.codemod.rules import registry
    from tf1mem.codemod.rules.import_tensorflow import rule as imports

    about = {code}
    for kind in kinds():
        if kind.code == code:
            about.update(kind.reported_by if kind.rewrite is None else kind.rewrite.rules or (imports.code,))
    return tuple(shown for rule in registry() if rule.code in about for shown in _examples(rule, everything))


def _of_kind(kind: Kind) -> Explanation:
    remedy = [kind.remedy.rstrip(".") + "."]
    if kind.rewrite is not None:
        only = "--only {} ".format(",".join(kind.rewrite.rules)) if kind.rewrite.rules else ""
        often = "in few programs" if kind.rewrite.seldom else "where it can"
        command = f"`tf1mem codemod --to {kind.rewrite.target} {only}FILE`"
        remedy.append(f"The codemod makes this change {often}: {command} shows it.")
    if kind.reported_by:
        remedy.append("In source `tf1mem codemod` reports it: {}.".format(", ".join(kind.reported_by)))
    seeker = next(command for first, command in _COMMANDS if kind.code >= first)
    why = (f"{_SEVERITIES[kind.severity]} {seeker} looks for it.",)
    return Explanation(kind.code, "", kind.severity, kind.meaning, why, tuple(remedy))


def _of_rule(rule: Rule) -> Explanation:
    remedy = []
    rewrites = any(_rewrites(rule, example) for example in rule.examples)
    to = "" if "shim" in rule.to else f"--to {rule.to[0]} "
    command = f"`tf1mem codemod {to}--only {rule.code} PATH`"
    if rewrites:
        remedy.append(f"{command} shows what would change; `--write` writes it.")
    if any(rule.code in example.remarks for example in rule.examples):
        subject = "It also" if rewrites else command
        remedy.append(f"{subject} lists each place that needs a decision by hand, and says what to do there.")
    remedy.append(f"A comment `# tf1mem: skip` keeps a line as it is, and `--skip {rule.code}` leaves the rule out.")
    targets = ", ".join(f"`--to {to}`" for to in rule.to)
    reasons = [*([_EARLY] if rule.takes else []), *rule.reasons]
    holds = "the source that it writes works" if rewrites else "it applies"
    why = (*reasons, f"This is a rule of {targets}; {holds} on TensorFlow {rule.versions}.")
    return Explanation(rule.code, rule.name, None, rule.summary, why, (" ".join(remedy),))


def _examples(rule: Rule, everything: bool) -> Iterator[ShownExample]:
    """Yields the rule's rewritten and reported examples: one of each, or all."""
    for of_kind in (
        [it for it in rule.examples if _rewrites(rule, it)],
        [it for it in rule.examples if rule.code in it.remarks],
    ):
        yield from (_shown(rule, example) for example in of_kind[: None if everything else 1])


def _rewrites(rule: Rule, example: Example) -> bool:
    return example.after is not None and rule.code not in example.remarks


def _shown(rule: Rule, example: Example) -> ShownExample:
    from tf1mem.codemod.rewriting import rewrite

    to = example.to or rule.to[0]
    result = rewrite(example.before.encode(), to=to, gpu_memory_mib=example.gpu_memory_mib)
    remarks = tuple(
        f"line {remark.line}: {remark.message}. {remark.remedy}"
        for remark in result.remarks
        if remark.code == rule.code
    )
    return ShownExample(example.before, example.after, to, remarks)
