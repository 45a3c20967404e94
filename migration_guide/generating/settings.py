"""Generates settings.md, the settings that programs use; a page for each of them; and one for all other fields."""

from __future__ import annotations

from typing import Any, Iterator, Tuple

from migration_guide.generating import columns, spelling
from migration_guide.generating.cases import SECTIONS, Case, Section
from migration_guide.generating.columns import GIB
from migration_guide.generating.markdown import PART, block, code, document, table
from tf1mem.errors import Tf1memError
from tf1mem.settings import fields
from tf1mem.settings.fields import FIELDS, Field

HEAD = """
# Every setting

The settings that programs use; here are [all other fields](settings/other_fields.md) of `ConfigProto`. A setting's page
says how TensorFlow 1 programs write it, what tf1mem calls for it on each TensorFlow, and what is refused.

{contents}

`tf1mem plan settings.json`, or `print(tf1mem.plan(config))`, shows how *your* config is applied on *your* TensorFlow.

## How to read the tables

A setting is applied in one of four ways. The tables name the call that tf1mem makes, or the Session that
your program makes.

| way | the call | reaches |
|---|---|---|
| `tf.config` | `tf.config.…`, `tf.debugging.…` | eager ops, `tf.function`, Keras, plain Sessions |
| a ConfigProto | `tf.compat.v1.enable_eager_execution(config=…)` | the same, to the byte |
| the environment | `TF_FORCE_GPU_ALLOW_GROWTH`, `CUDA_VISIBLE_DEVICES` | the same, before the GPUs start |
| the Session | `tf.compat.v1.Session(config=…)`, with the config that `tf1mem.apply` returns | this Session |

The config that `tf1mem.apply` returns has every setting, whatever else is called. The tables name the versions on which
tf1mem was tested; a version between two of them behaves like its neighbours. On 2.0 and on 2.3 to 2.14 TensorFlow
creates its eager context while it is imported, and takes no ConfigProto for it afterwards. So for these versions the
tables distinguish whether tf1mem or TensorFlow is imported first.

A setting that is *set once, for the whole process*, is read by TensorFlow when it makes its first device. After that,
tf1mem raises `RuntimeAlreadyStarted`, and names the line that came first.
"""

OTHERS = """
# All other fields

These are the fields of `ConfigProto` that aren't among [the settings that programs use](../settings.md). Each is
applied in one of three ways, which the first table shows for every TensorFlow; in the other tables, the column *way*
names the field's. A field that your TensorFlow lacks raises an error that says so. A field that is newer than tf1mem is
passed on to TensorFlow, and reported.
"""

_PLUGGED = "pluggable_device_options."
# The groups of the other fields: the heading, and the start of the fields' paths.
GROUPS = (
    ("Sessions and clusters", ""),
    ("GPUs", "gpu_options."),
    ("Graphs", "graph_options."),
    ("The graph optimizer", "graph_options.optimizer_options."),
    ("Rewriting graphs (Grappler)", "graph_options.rewrite_options."),
    ("Experimental", "experimental."),
)

_TYPES = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "string": "text",
    "strings": "a list of text",
    "messages": "a list of messages",
    "message": "a message, passed on whole",
    "map": "device types and numbers",
}
_SCOPES = {
    fields.PROCESS: "The value is set once, for the whole process",
    fields.SESSION: "Each Session can have another value",
}


def page() -> str:
    """Returns the text of settings.md."""
    rows = (
        (f"[{code(each.title)}](settings/{each.title}.md)", FIELDS[each.path].meaning, _newest(each))
        for each in SECTIONS
    )
    return document(HEAD.format(contents=table(("setting", "what it does", "on TensorFlow 2"), rows)))


def pages() -> dict[str, str]:
    """Returns the text of each setting's page, and of the page of all other fields."""
    texts = {f"{each.title}.md": document(*_section(each)) for each in SECTIONS}
    return {**texts, "other_fields.md": document(*_other_fields())}


def _newest(section: Section) -> str:
    """Returns the names of the calls that make a setting on the newest TensorFlow."""
    case = section.cases[0]
    newest = columns.Column(columns.VERSIONS[-1])
    calls = columns.cell(case.tree, newest, section.path, [8 * GIB] * case.gpus).calls
    return "<br>".join(dict.fromkeys(code(call.split("(")[0]) for call in calls))


def _section(section: Section) -> Iterator[str]:
    row = FIELDS[section.path]
    yield f"# {section.title}"
    meaning = row.meaning[0].upper() + row.meaning[1:]
    note = f" {section.note}." if section.note else ""
    yield f"{meaning}. {_SCOPES[row.scope]}.{note}"
    first = section.cases[0].tree
    yield PART + "\n" + block("\n".join(["# TensorFlow 1", *spelling.lines(first)]))
    spellings = [code(f"tf1mem.config({section.keyword})")] if section.keyword else []
    spellings += [code(section.variable)] if section.variable else []
    if spellings:
        yield "Or {}.".format(", or ".join(spellings))
    for case in section.cases:
        yield f"## {case.title}"
        yield _becomes(case, section.path)
    if section.refused:
        yield "## What is refused"
        yield table(
            ("requested", "what is wrong", "what to do"), (_refusal(section.path, value) for value in section.refused)
        )
    yield "[How to read the tables](../settings.md#how-to-read-the-tables)"


def _becomes(case: Case, path: str) -> str:
    rows = []
    for cell, group in columns.groups(case.tree, path, [8 * GIB] * case.gpus):
        calls = "<br>".join(_call(call) for call in cell.calls) or "nothing is called"
        reasons = "; ".join(reason for reason in cell.reasons if reason != "TensorFlow 1's own way")
        rows.append((columns.named(group), calls, reasons))
    return table(("TensorFlow", "what tf1mem calls", "why"), rows)


def _call(call: str) -> str:
    """Returns a call as code, with a line for each GPU."""
    return "<br>".join(code(part) for part in call.split("; ")) if call else "nothing"


def _refusal(path: str, value: Any) -> tuple[str, str, str]:
    tree = value if isinstance(value, dict) and set(value) & set(_TOP) else spelling.tree(FIELDS[path], value)
    try:
        columns.cell(tree, columns.Column("2.21"), path, [8 * GIB] * 2)
    except Tf1memError as error:
        return code(error.asked), error.wrong, error.remedy
    raise AssertionError(f"{tree} is not refused")


_TOP = {path.split(".")[0] for path in FIELDS}


# A field's routes on each TensorFlow, without its calls.
_Pattern = Tuple[Tuple[columns.Column, Tuple[str, ...]], ...]


def _pattern(row: Field) -> _Pattern:
    tree = spelling.tree(row)
    return tuple((each, columns.cell(tree, each, row.path, [8 * GIB]).routes) for each in columns.columns())


def _other_fields() -> Iterator[str]:
    with_section = {section.path for section in SECTIONS}
    rows = [row for row in FIELDS.values() if row.path not in with_section and not row.path.startswith(_PLUGGED)]
    patterns: dict[_Pattern, str] = {}
    way_of = {}
    for row in rows:
        pattern = _pattern(row)
        way_of[row.path] = patterns.setdefault(pattern, _way(pattern))
    yield OTHERS
    yield _patterns(patterns)
    heads = sorted((head for _, head in GROUPS), key=len, reverse=True)
    for title, head in GROUPS:
        mine = [row for row in rows if next(each for each in heads if row.path.startswith(each)) == head]
        yield f"## {title}"
        (scope,) = {_SCOPES[row.scope] for row in mine}
        where = f"`ConfigProto`; TF1 writes `config.{head}NAME = …`"
        yield f"In {where}. {scope}."
        if any(row.names == fields.TOGGLE for row in mine):
            yield "A *switch* is one of {}.".format(", ".join(map(code, fields.TOGGLE)))
        yield table(
            ("field", "meaning", "values", "from", "way"),
            ((code(row.path[len(head) :]), row.meaning, _values(row), row.since, way_of[row.path]) for row in mine),
        )
    yield from _plugged(patterns)


def _values(row: Field) -> str:
    if row.names == fields.TOGGLE:
        return "a switch"
    if row.kind == "enum":
        return ", ".join(code(name) for name in row.names)
    return _TYPES[row.kind]


def _way(pattern: _Pattern) -> str:
    """Returns a name for a pattern, by its last route on the newest TensorFlow."""
    last = pattern[-1][1]
    return {"tf.config": "call", "eager config": "config", "session": "Session"}[last[-1]]


def _patterns(patterns: dict[_Pattern, str]) -> str:
    words = {
        "session": "Session",
        "eager config": "a ConfigProto",
        "tf.config": "`tf.config`",
    }
    assert len(set(patterns.values())) == len(patterns), "two patterns of one name"
    together: dict[tuple[str, ...], list[columns.Column]] = {}
    for column in columns.columns():
        cells = tuple(
            " and ".join(dict.fromkeys(words[route] for route in dict(pattern)[column])) for pattern in patterns
        )
        together.setdefault(cells, []).append(column)
    return table(
        ("TensorFlow", *(f"way: {name}" for name in patterns.values())),
        ((columns.named(group), *cells) for cells, group in together.items()),
    )


def _plugged(patterns: dict[_Pattern, str]) -> Iterator[str]:
    """Yields the section on PluggableDevice's options, which are the GPUs' again under another name."""
    rows = [row for row in FIELDS.values() if row.path.startswith(_PLUGGED)]
    names = [row.path[len(_PLUGGED) :] for row in rows]
    assert names == [path[len("gpu_options.") :] for path in FIELDS if path.startswith("gpu_options.")]
    (way,) = {patterns[_pattern(row)] for row in rows}
    (since,) = {row.since for row in rows}
    yield "## Plugged-in devices"
    yield (
        "`ConfigProto.{}`, from TensorFlow {}, is for devices that a plug-in brings, such as Apple's. It has the "
        "fields of `gpu_options` again, all {} of them; each is applied the way *{}*. TensorFlow 1 has none of them."
    ).format(_PLUGGED.rstrip("."), since, len(names), way)
