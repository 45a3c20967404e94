"""Generates rules.md, the list of the codemod's rules, and a page for each group of rules, with their examples."""

from __future__ import annotations

from textwrap import fill
from typing import Iterator

from migration_guide.generating.markdown import PART, block, code, document, side_by_side, table
from tf1mem.codemod import rewrite
from tf1mem.codemod.claims import TARGETS
from tf1mem.codemod.findings import UNREADABLE, UNSAFE
from tf1mem.codemod.rules import Example, Rule, registry

# The most examples to show for each rule: rewritten and reported.
REWRITING, REPORTING = 3, 2

# The groups, by the first digit of their codes: the page and its title.
GROUPS = {
    "0": ("source", "Source that can't be followed"),
    "1": ("imports", "Imports and names"),
    "2": ("configs", "Configs and Sessions"),
    "3": ("native", "TensorFlow 2's own calls"),
    "4": ("mistakes", "Mistakes in GPU settings"),
}

HEAD = """
# The codemod's rules

These are the rules by which [`tf1mem codemod`](codemod.md) rewrites source, or reports what needs a decision by hand.
`--only TFM201,TFM110` and `--skip set-too-late` choose rules by code (`TFM4` means all that begin with it) or by name;
a comment `# tf1mem: skip` keeps a line as it is. {codes} are always on: they report source that doesn't parse, and
changes that would do harm.

A rule's page has examples, and lists the [targets](codemod.md#three-targets) that have the rule and the TensorFlow
versions on which its result runs.
"""

GROUP = """
# {title}

These are the codemod's rules TFM{digit}xx; here are [all rules](../rules.md). The examples are also the rules' tests.
"""


def page() -> str:
    """Returns the text of rules.md."""
    return document(
        HEAD.format(codes=f"{UNREADABLE} and {UNSAFE}"), *(part for digit in GROUPS for part in _listed(digit))
    )


def pages() -> dict[str, str]:
    """Returns the text of each group's page."""
    return {
        f"{name}.md": document(
            GROUP.format(title=title, digit=digit), *(part for rule in _with_digit(digit) for part in _section(rule))
        )
        for digit, (name, title) in GROUPS.items()
    }


def link(code: str) -> str:
    """Returns the page and anchor that explain a rule, or one of the codemod's own remarks."""
    for rule in registry():
        if rule.code == code:
            return f"rules/{GROUPS[code[3]][0]}.md#{code.lower()}-{rule.name}"
    return "rules.md"


def _with_digit(digit: str) -> list[Rule]:
    return [rule for rule in registry() if rule.code[3] == digit]


def _listed(digit: str) -> Iterator[str]:
    yield f"## {GROUPS[digit][1]}"
    rows = (
        (f"[{rule.code}]({link(rule.code)})", rule.name, _summary(rule), _targets(rule.to))
        for rule in _with_digit(digit)
    )
    yield table(("rule", "name", "what it is for", "targets"), rows)


def _summary(rule: Rule) -> str:
    """Returns a rule's summary with stars escaped."""
    parts = rule.summary.split("`")
    return "`".join(part if place % 2 else part.replace("*", "\\*") for place, part in enumerate(parts))


def _targets(targets: tuple[str, ...]) -> str:
    return "all" if set(targets) == set(TARGETS) else ", ".join(code(target) for target in targets)


def _section(rule: Rule) -> Iterator[str]:
    yield f"## {rule.code} {rule.name}"
    yield _summary(rule)
    targets = "every target" if set(rule.to) == set(TARGETS) else "`--to {}`".format("`, `--to ".join(rule.to))
    yield (
        f"For [{targets}](../codemod.md#three-targets). The result runs on TensorFlow {rule.versions}. "
        f"[The rule's file](../../{_file(rule)})."
    )
    changed = [each for each in rule.examples if each.after is not None]
    shown = [each for each in changed if rule.code not in each.remarks][:REWRITING]
    reported = [each for each in rule.examples if rule.code in each.remarks and each not in shown]
    if not shown and not reported:
        return
    yield '<details markdown="1">\n<summary>Examples</summary>'
    for example in shown:
        after = "After, {}".format(code("--to " + _to(rule, example)))
        yield side_by_side(example.before, example.after or "", ("Before", after))
    for example in reported[:REPORTING]:
        yield from _reported(rule, example)
    yield "</details>"


def _file(rule: Rule) -> str:
    """Returns the path of a rule's file, from the root of the repository."""
    return "tf1mem/codemod/rules/{}.py".format(rule.name.replace("-", "_"))


def _to(rule: Rule, example: Example) -> str:
    return example.to or rule.to[0]


def _reported(rule: Rule, example: Example) -> Iterator[str]:
    result = rewrite(example.before.encode(), to=_to(rule, example), gpu_memory_mib=example.gpu_memory_mib)
    yield "Reported:"
    yield PART + "\n" + block(example.before)
    lines = [
        f"line {remark.line}: {remark.message}\n  {remark.remedy}"
        for remark in result.remarks
        if remark.code == rule.code
    ]
    assert lines, example
    yield block("\n".join(fill_all(lines)), "text")


def fill_all(lines: list[str]) -> Iterator[str]:
    """Yields lines that fit into a narrow column."""
    for line in "\n".join(lines).split("\n"):
        indent = " " * (len(line) - len(line.lstrip()))
        yield fill(line.strip(), 78, initial_indent=indent, subsequent_indent=indent or "  ", break_on_hyphens=False)
