"""Generates recipes.md: the scripts in examples/, each before and after."""

from __future__ import annotations

import ast
import difflib
import re
from pathlib import Path
from typing import Any, Iterator, Mapping, NamedTuple

from migration_guide.generating import spelling
from migration_guide.generating.markdown import block, code, document, side_by_side, table
from migration_guide.generating.rules import link
from tf1mem.codemod import rewrite
from tf1mem.codemod.results import Remark

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CONTEXT = 2  # lines shown around what changes

HEAD = """
# Recipes

Each recipe shows the lines that matter, before and after, from a script in [`examples/`](../examples/README.md) that
tests run. "After" is what `tf1mem codemod` writes.

{contents}
"""

TF1 = """
## TensorFlow 1 programs

None of these programs has to change: `tf1mem run --report examples/tf1/growth.py` runs a script as it is, on TensorFlow
1.13 to 2.22, and reports the outcome of each setting.

In a program that you keep, change one line, which `tf1mem codemod` does, and it runs on every TensorFlow:

{shim}

The recipes show programs **on their way to TensorFlow 2**, by `tf1mem codemod --to native`: `tf.config` where that has
the setting, and `tf1mem.apply` elsewhere. [Which target is for you?](codemod.md#three-targets)
"""

# The import of each script before and after the codemod, which is all that it changes unless a recipe shows more.
IMPORT = ("import tensorflow as tf", "import tf1mem.v1 as tf")
SHIM = "-{}\n+{}".format(*IMPORT)

TF2 = """
## TensorFlow 2 programs

Each recipe shows first the TF1 program, then a program for TensorFlow 2 that does the same with tf1mem.
"""


class Script(NamedTuple):
    """A script of examples/.

    Attributes:
        name: The path within examples/.
        source: The script's text.
        summary: The task, from examples/README.md: a few words, and details after a colon.
        options: The options in examples/README.md.
    """

    name: str
    source: str
    summary: str
    options: str

    @property
    def path(self) -> str:
        """The path from the root of the repository."""
        return "examples/" + self.name

    @property
    def title(self) -> str:
        """The first words of the summary."""
        words = self.summary.partition(":")[0]
        return words[0].upper() + words[1:]

    @property
    def docstring(self) -> str:
        """The script's docstring."""
        return ast.get_docstring(ast.parse(self.source)) or ""


def scripts() -> list[Script]:
    """Returns every script that examples/README.md lists; tests/examples checks that the list is complete."""
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    listed = []
    for line in readme.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        name = re.match(r"\[`(tf[12]/\w+\.py)`\]", cells[0])
        if name is not None:
            source = (EXAMPLES / name.group(1)).read_text(encoding="utf-8")
            options = cells[2] if len(cells) > 2 else ""
            listed.append(Script(name.group(1), source, cells[1], options.strip("`")))
    return listed


def page() -> str:
    """Returns the text of recipes.md."""
    listed = scripts()
    rows = [(f"[{each.title}](#{_anchor(each)})", code(each.name)) for each in listed]
    tf1 = [part for each in listed if each.name.startswith("tf1/") for part in _tf1(each)]
    tf2 = [part for each in listed if each.name.startswith("tf2/") for part in _tf2(each)]
    contents = table(("how to", "script"), rows)
    return document(HEAD.format(contents=contents), TF1.format(shim=block(SHIM, "diff")), *tf1, TF2, *tf2)


def _anchor(script: Script) -> str:
    """Returns the anchor of the script's heading, as GitHub and the site derive it."""
    return re.sub(r"[^\w\- ]", "", script.title.lower()).replace(" ", "-")


def _tf1(script: Script) -> Iterator[str]:
    yield f"### {script.title}"
    yield "{} [The script](../{}).".format(script.docstring.split("\n\n")[0].replace("\n", " "), script.path)
    command = f"tf1mem run {script.path} {script.options}".rstrip()
    yield f"As it is: {code(command)}"
    shim = rewrite(script.source.encode(), to="shim").source.decode()
    if shim != script.source.replace(*IMPORT):
        yield side_by_side(*hunks(script.source, shim), ("Before", "Stays a TF1 program"))
    native = rewrite(script.source.encode(), to="native")
    yield side_by_side(*hunks(script.source, native.source.decode()), ("Before", "On its way to TensorFlow 2"))
    yield from dict.fromkeys(map(_remark, native.remarks))


def _remark(remark: Remark) -> str:
    """Returns a remark of the codemod as a sentence with a link; a name such as tf.summary keeps its lower case."""
    message = remark.message.rstrip(".")
    if "." not in message.split()[0]:
        message = message[0].upper() + message[1:]
    return f"[{remark.code}]({link(remark.code)}): {message}."


def _tf2(script: Script) -> Iterator[str]:
    yield f"### {script.title}"
    yield script.docstring
    yield f"[The script](../{script.path}). Run it: `python {script.path}`"
    for config in configs(script):
        yield side_by_side(config.before, config.after, ("TensorFlow 1", "TensorFlow 2 with tf1mem"))


class Config(NamedTuple):
    """A config that a script applies.

    Attributes:
        expression: The expression in the script that creates it.
        tree: The config on one GPU, as a dict.
    """

    expression: str
    tree: dict[str, Any]

    @property
    def before(self) -> str:
        """The config as a TensorFlow 1 program writes it."""
        return "\n".join(["config = tf.ConfigProto()", *spelling.lines(self.tree), "sess = tf.Session(config=config)"])

    @property
    def after(self) -> str:
        """The config as the script writes it."""
        return f"tf1mem.apply({self.expression})"


def configs(script: Script) -> list[Config]:
    """Returns the configs that a script for TensorFlow 2 applies, each once."""
    module = ast.parse(script.source)
    constants = {
        ast.unparse(each.targets[0]): each.value for each in module.body if isinstance(each, ast.Assign)
    }  # fmt: skip
    by_expression: dict[str, Config] = {}
    for node in ast.walk(module):
        tree = None
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "tf1mem.config":
            arguments = {
                each.arg: constants.get(ast.unparse(each.value), each.value) for each in node.keywords if each.arg
            }
            tree = tree_of({name: ast.literal_eval(value) for name, value in arguments.items()})
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "tf1mem.from_env":
            tree = tree_of(_variables(script.docstring))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            tree = ast.literal_eval(node.value)
        if tree is not None:
            source = node.value if isinstance(node, ast.Assign) else node
            expression = ast.get_source_segment(script.source, source) or ""
            by_expression.setdefault(expression, Config(expression, tree))
    return list(by_expression.values())


def _variables(text: str) -> dict[str, Any]:
    """Returns the settings of a `docker run -e NAME=VALUE …`, by the argument names of `tf1mem.config`."""
    keywords = {}
    for name, value in re.findall(r"-e TF1MEM_(\w+)=(\S+)", text):
        keyword = name.lower().replace("limit_mb", "limit_mib")
        keywords[keyword] = [int(value)] if keyword == "visible_gpus" else ast.literal_eval(value.capitalize())
    return keywords


def tree_of(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields that `tf1mem.config(**keywords)` sets on a machine with one GPU.

    tests/guide/test_recipes.py compares it with `tf1mem.config`, which needs TensorFlow.
    """
    gpu: dict[str, Any] = {}
    tree: dict[str, Any] = {}
    for name, value in keywords.items():
        if name == "allow_growth":
            gpu["allow_growth"] = value
        elif name == "memory_fraction":
            gpu["per_process_gpu_memory_fraction"] = value
        elif name == "memory_limit_mib":
            gpu["experimental"] = {"virtual_devices": [{"memory_limit_mb": [value]}]}
        elif name == "split_mib":
            gpu["experimental"] = {"virtual_devices": [{"memory_limit_mb": value}]}
        elif name == "visible_gpus":
            gpu["visible_device_list"] = ",".join(map(str, value))
        elif name == "soft_placement":
            tree["allow_soft_placement"] = value
        elif name == "threads":
            tree["intra_op_parallelism_threads"] = value
        else:
            raise NotImplementedError(f"{name}: add the field of ConfigProto that it sets")
    return {**({"gpu_options": gpu} if gpu else {}), **tree}


def hunks(before: str, after: str) -> tuple[str, str]:
    """Returns the lines that differ, with a few around them, and "…" for omitted lines.

    Args:
        before: The source before.
        after: The source after.
    """
    lines = _without_docstring(before), _without_docstring(after)
    sides: tuple[list[str], list[str]] = ([], [])
    matcher = difflib.SequenceMatcher(None, *lines, autojunk=False)
    for group in matcher.get_grouped_opcodes(CONTEXT):
        first, last = group[0], group[-1]
        for side, (start, end) in enumerate(((first[1], last[2]), (first[3], last[4]))):
            part = lines[side][start:end]
            if sides[side]:
                sides[side].append("…")
            sides[side].extend(part)
    return "\n".join(sides[0]).strip("\n"), "\n".join(sides[1]).strip("\n")


def _without_docstring(source: str) -> list[str]:
    """Returns a program's lines without its docstring, which the recipe shows already."""
    first = ast.parse(source).body[0]
    has_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return source.splitlines()[first.end_lineno if has_docstring else 0 :]
