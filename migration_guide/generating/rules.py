"""rules.md: the codemod's rules, each with what its examples show."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from textwrap import fill
from typing import Iterator

from migration_guide.generating.markdown import PART, block, code, document, side_by_side, table
from tf1mem.codemod import rewrite, rules
from tf1mem.codemod.claims import TARGETS
from tf1mem.codemod.rewriting import UNREADABLE, UNSAFE
from tf1mem.codemod.rules import Example, Rule, registry

# Of each rule's examples, so many that rewrite and so many that report.
REWRITING, REPORTING = 3, 2

HEAD = """
# The codemod's rules

What [`tf1mem codemod`](codemod.md) looks for, what it makes of it, and what it leaves to you. `--only TFM201,TFM110`
and `--skip TFM403` choose among the rules; a comment `# tf1mem: skip` keeps a line as it is. {codes} are the codemod's
own: what does not parse, and what would come out worse.

{contents}

Each rule says for which target it works ([three of them](codemod.md#three-targets)) and on which TensorFlow versions
what it writes runs. The examples are the rule's own, and its tests; a rule has more of them in its file, first those
that it must leave alone.
"""


def page() -> str:
    """The text of rules.md."""
    rows = ((f"[{rule.code}](#{rule.code.lower()})", _summary(rule), _targets(rule.to)) for rule in registry())
    codes = f"{UNREADABLE} and {UNSAFE}"
    head = HEAD.format(codes=codes, contents=table(("rule", "what it is for", "targets"), rows))
    return document(head, *(part for rule in registry() for part in _section(rule)))


def _summary(rule: Rule) -> str:
    """A rule's sentence, in which a star is a star."""
    parts = rule.summary.split("`")
    return "`".join(part if place % 2 else part.replace("*", "\\*") for place, part in enumerate(parts))


def _targets(targets: tuple[str, ...]) -> str:
    return "all" if set(targets) == set(TARGETS) else ", ".join(code(target) for target in targets)


def _section(rule: Rule) -> Iterator[str]:
    yield f"## {rule.code}"
    yield _summary(rule)
    targets = "every target" if set(rule.to) == set(TARGETS) else "`--to {}`".format("`, `--to ".join(rule.to))
    yield f"For {targets}, TensorFlow {rule.versions}. [Its file](../{_file(rule)})."
    shown = [each for each in rule.examples if each.after is not None][:REWRITING]
    for example in shown:
        after = "After, {}".format(code("--to " + _to(rule, example)))
        yield side_by_side(example.before, example.after or "", ("Before", after))
    reported = [each for each in rule.examples if rule.code in each.remarks and each not in shown]
    for example in reported[:REPORTING]:
        yield from _reported(rule, example)


def _file(rule: Rule) -> str:
    """The file of a rule, from the root of the repository."""
    for entry in iter_modules(rules.__path__):
        if import_module(f"{rules.__name__}.{entry.name}").rule is rule:
            return f"tf1mem/codemod/rules/{entry.name}.py"
    raise AssertionError(rule.code)


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
    """Lines that fit into a narrow column."""
    for line in "\n".join(lines).split("\n"):
        indent = " " * (len(line) - len(line.lstrip()))
        yield fill(line.strip(), 78, initial_indent=indent, subsequent_indent=indent or "  ", break_on_hyphens=False)
