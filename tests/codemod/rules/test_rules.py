"""Every rule's examples are rewritten as documented, for each target."""

from __future__ import annotations

import ast

import pytest

from tf1mem.codemod import rewrite
from tf1mem.codemod.rules import registry

CASES = [
    pytest.param(rule, example, to, id=f"{rule.code}-{number}-{to}")
    for rule in registry()
    for number, example in enumerate(rule.examples)
    for to in ([example.to] if example.to else rule.to)
]


@pytest.mark.parametrize(("rule", "example", "to"), CASES)
def test_example(rule, example, to):
    before = example.before.encode()
    result = rewrite(before, to=to, gpu_memory_mib=example.gpu_memory_mib)
    assert result.source.decode() == (example.before if example.after is None else example.after)
    if example.after is not None:
        assert rule.code in {change.code for change in result.changes} | set(example.remarks)
    else:
        assert rule.code not in {change.code for change in result.changes}
    for code in example.remarks:
        assert code in {remark.code for remark in result.remarks}, result.remarks
    again = rewrite(result.source, to=to, gpu_memory_mib=example.gpu_memory_mib)
    assert (again.source, again.changes) == (result.source, ())
    assert remarks_on_the_result(again) == remarks_on_the_result(result)


def remarks_on_the_result(result) -> list[str]:
    """Returns the remarks on the rewritten file, which a second run repeats."""
    codes = {rule.code for rule in registry() if rule.of_result}
    return [remark.code for remark in result.remarks if remark.code in codes]


@pytest.mark.parametrize("rule", registry(), ids=lambda rule: rule.code)
def test_documented(rule):
    assert rule.summary.endswith(".")
    assert rule.examples
    unchanged = [example.after is None for example in rule.examples]
    assert unchanged == sorted(unchanged, reverse=True), "no-ops first"


@pytest.mark.parametrize(("rule", "example", "to"), CASES)
def test_encodings_and_line_ends_make_no_difference(rule, example, to):
    """Each rule rewrites its example in the same way with CRLF, latin-1 in a comment, a BOM, or no final newline."""
    after = example.before if example.after is None else example.after
    for change in (
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: b"# -*- coding: latin-1 -*-\n# \xe9t\xe9\n" + text.encode(),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.encode().rstrip(b"\n"),
    ):
        assert rewrite(change(example.before), to=to, gpu_memory_mib=example.gpu_memory_mib).source == change(after)


@pytest.mark.parametrize(("rule", "example", "to"), CASES)
def test_examples_are_python(rule, example, to):
    try:
        for source in filter(None, (example.before, example.after)):
            ast.parse(source)
    except SyntaxError:
        assert rule.code == "TFM003", "only what is about Python 2 may be"
