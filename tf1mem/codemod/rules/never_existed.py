"""Names that `tf.config` never had, or only in TensorFlow 2.0's alpha, become the names that the author meant.

Checked in TensorFlow 1.14, 1.15, 2.0, 2.1, 2.4, 2.10, 2.16, 2.21 and 2.22: none has any of these. The replacements
exist from 2.1 to 2.22; the target "native" uses the name that is no longer experimental. A fraction has no function in
`tf.config`: together with the growth beside it, it becomes one `tf1mem.apply`, since the alpha's `tf.config.gpu` had
both. Code that also tries another name, for example in a try statement, stays.
"""

from __future__ import annotations

from typing import Callable, Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import Claims
from tf1mem.codemod.facts import gpu_memory
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.facts.public_names import called, home_of, public_name_of, spelling
from tf1mem.codemod.facts.starts import first_start
from tf1mem.codemod.findings import Finding, remark, rewrite
from tf1mem.codemod.results import Edit
from tf1mem.codemod.rules import HEAD, Example, Rule
from tf1mem.codemod.source import syntax
from tf1mem.codemod.source.control_flow import function_of, may_both_run, statement_of
from tf1mem.codemod.source.edits import replace, wrap
from tf1mem.codemod.source.paths import dotted_text, public_name
from tf1mem.codemod.source.removal import without_statement
from tf1mem.names import never_names
from tf1mem.names.never_names import never

_OF_ALPHA = "tf.config.gpu.set_per_process_memory_{}\n"
_CODE = "TFM401"

rule = Rule(
    _CODE,
    versions="2.1 to 2.22",
    words=(b"gpu_growth", b"set_log_device_placement", b"experimental.set_soft", b"config.gpu_options"),
    examples=(
        Example(HEAD + "tf.config.experimental.set_memory_growth(gpu, True)\n"),
        Example(HEAD + "tf.config.set_soft_device_placement(True)\ntf.debugging.set_log_device_placement(True)\n"),
        Example("from tensorflow.python.framework import config\nconfig.set_memory_growth(gpu, True)\n"),
        Example("import own as tf\ntf.config.set_memory_growth(gpu, True)\n"),
        Example(HEAD + "print('tf.config.set_memory_growth')  # tf.config.set_memory_growth\n"),
        Example(
            HEAD + "try:\n    tf.config.set_memory_growth(gpu, True)\n"
            "except Exception:\n    tf.config.experimental.set_memory_growth(gpu, True)\n"
        ),
        Example(HEAD + "if hasattr(tf.config, 'set_memory_growth'):\n    tf.config.set_memory_growth(gpu, True)\n"),
        Example(HEAD + "try:\n    " + _OF_ALPHA.format("growth(True)") + "except AttributeError:\n    pass\n"),
        Example(HEAD + "tf.config.set_memory_growth(True)\n", remarks=(_CODE,)),
        Example(HEAD + "tf.config.experimental.set_memory_limit(1024)\n", remarks=(_CODE,)),
        Example(HEAD + "tf.config.gpu_options.allow_growth = True\n", remarks=(_CODE,)),
        Example(HEAD + "config = tf.config.experimental.ConfigProto()\nprint(config)\n", remarks=(_CODE,)),
        Example(
            HEAD + "if tf.test.is_gpu_available():\n    tf.config.gpu.set_per_process_memory_fraction(0.4)\n",
            remarks=(_CODE,),
        ),
        Example(
            HEAD + "tf.config.set_memory_growth(gpu, True)\n",
            HEAD + "tf.config.experimental.set_memory_growth(gpu, True)\n",
        ),
        Example(
            "import tensorflow\nfor gpu in gpus:\n    tensorflow.config.set_memory_growth(gpu, True)\n",
            "import tensorflow\nfor gpu in gpus:\n    tensorflow.config.experimental.set_memory_growth(gpu, True)\n",
        ),
        Example(
            "from tensorflow import config as c\nc.set_memory_growth(gpu, True)\n",
            "from tensorflow import config as c\nc.experimental.set_memory_growth(gpu, True)\n",
        ),
        Example(
            "def f():\n    from tensorflow.config import set_memory_growth\n    set_memory_growth(gpu, True)\n",
            "def f():\n    from tensorflow.config.experimental import set_memory_growth\n"
            "    set_memory_growth(gpu, True)\n",
        ),
        Example(
            "import tensorflow.compat.v2 as tf\ntf.config.experimental.set_gpu_growth(gpu, True)\n",
            "import tensorflow.compat.v2 as tf\ntf.config.experimental.set_memory_growth(gpu, True)\n",
        ),
        Example(
            HEAD + "tf.config.set_virtual_device_configuration(\n"
            "    gpu, [tf.config.VirtualDeviceConfiguration(1024)])\n",
            HEAD + "tf.config.experimental.set_virtual_device_configuration(\n"
            "    gpu, [tf.config.experimental.VirtualDeviceConfiguration(1024)])\n",
            to="apply",
        ),
        Example(
            HEAD + "tf.config.set_virtual_device_configuration(\n"
            "    gpu, [tf.config.VirtualDeviceConfiguration(1024)])\n",
            HEAD + "tf.config.set_logical_device_configuration(\n"
            "    gpu, [tf.config.LogicalDeviceConfiguration(1024)])\n",
            to="native",
        ),
        Example(
            "from tensorflow.config import experimental\nexperimental.set_logical_device_configuration(gpu, sizes)\n",
            "from tensorflow.config import experimental\nexperimental.set_virtual_device_configuration(gpu, sizes)\n",
            to="shim",
        ),
        Example(
            HEAD + "tf.config.set_log_device_placement(True)\n",
            HEAD + "tf.debugging.set_log_device_placement(True)\n",
        ),
        Example(
            HEAD + "tf.config.set_memory_limit(gpu, 1024)\n",
            HEAD + "tf.config.experimental.set_virtual_device_configuration("
            "gpu, [tf.config.experimental.VirtualDeviceConfiguration(memory_limit=1024)])\n",
            to="shim",
        ),
        Example(
            HEAD + "tf.config.set_memory_limit(gpu, 1024)\n",
            HEAD + "tf.config.set_logical_device_configuration("
            "gpu, [tf.config.LogicalDeviceConfiguration(memory_limit=1024)])\n",
            to="native",
        ),
        Example(
            HEAD + "tf.config.gpu.set_per_process_memory_fraction(0.4)\n",
            "import tf1mem\n" + HEAD + "tf1mem.apply(tf1mem.config(memory_fraction=0.4))\n",
        ),
        Example(
            HEAD + "if share is None:\n    tf.config.gpu.set_per_process_memory_growth(True)\n"
            "else:\n    tf.config.gpu.set_per_process_memory_fraction(share)\n",
            "import tf1mem\n" + HEAD
            + "if share is None:\n    tf1mem.apply(tf1mem.config(allow_growth=True))\n"
            "else:\n    tf1mem.apply(tf1mem.config(memory_fraction=share))\n",
        ),
        Example(
            HEAD + "tf.config.gpu.set_per_process_memory_growth(enabled=True)\n",
            "import tf1mem\n" + HEAD + "tf1mem.apply(tf1mem.config(allow_growth=True))\n",
        ),
        Example(
            HEAD + _OF_ALPHA.format("fraction(F)") + _OF_ALPHA.format("growth(True)"),
            "import tf1mem\n" + HEAD
            + "tf1mem.apply(tf1mem.config(memory_fraction=F, allow_growth=True))\n",
        ),
    ),
)  # fmt: skip

# The last parts of all names that never existed; and the names of TensorFlow 2.0's alpha, whose calls become one
# `tf1mem.apply`.
_LEAVES = sorted({name.rpartition(".")[2].encode() for name in never_names.EVERY})
_ALPHA = frozenset((*never_names.FRACTIONS, *never_names.GROWTHS))


@rule.of("shim", "apply")
def never_existed(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Yields a finding for each name that never existed; the rewrites use the real name that most versions have."""
    return _findings(facts, claims, lambda real: real.name)


@rule.of("native")
def never_existed_on_tensorflow_2(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Yields a finding for each name that never existed; the rewrites use the newest real name."""
    return _findings(facts, claims, lambda real: real.native)


def _findings(facts: Facts, claims: Claims, spelling_of: Callable[[never_names.Meant], str]) -> Iterator[Finding]:
    """Yields a finding for each name that never existed, where it is used or imported.

    Args:
        facts: The module's facts.
        claims: The claims on it.
        spelling_of: Returns the target's spelling of the real name.
    """
    if b"config" not in facts.source.text:
        return
    of_alpha: list[Node] = []
    for node in [node for leaf in _LEAVES for node in facts.source.identifiers(leaf)]:
        above, named = node.parent, syntax.attribute_named(node)
        if above is not None and above.type == "dotted_name":
            yield from _imported(facts, above)
        name = None if named is None else public_name_of(facts, named)
        if named is None or name not in never_names.EVERY or _is_tried(facts, named) or claims.covers(named):
            continue
        if name in _ALPHA:
            of_alpha.append(named)
        else:
            yield _named(facts, named, str(name), spelling_of)
    for group in _possible_groups(of_alpha):
        yield from _alpha_findings(facts, claims, group)


def _named(facts: Facts, node: Node, name: str, spelling_of: Callable[[never_names.Meant], str]) -> Finding:
    """Returns the finding for a name: a rewrite if a call has enough arguments for the real function, else a remark.

    Args:
        facts: The module's facts.
        node: The use of the name, such as `tf.config.set_memory_growth`.
        name: The name that never existed, without "tensorflow.".
        spelling_of: Returns the target's spelling of the real name.
    """
    call = syntax.call_of(node)
    if name in never_names.LIMITS:
        return _limit(facts, node, call, name, spelling_of)
    if name in never_names.REPORTED:
        return remark(node, never(name), never_names.REPORTED[name])
    meant = never_names.RENAMED[name]
    new = spelling_of(meant)
    home = home_of(facts, node, new)
    reached = home or home_of(facts, node, meant.name)
    if reached is None or (call is not None and len(syntax.arguments(call)) < meant.arguments):
        return remark(node, never(name), f"The real name is tf.{new}.")
    new = new if home is not None else meant.name
    edits = [Edit(reached[0].end_byte, node.end_byte, b"." + reached[1].encode())]
    if call is not None and meant in (never_names.SPLIT, never_names.SPLIT_OF):
        edits += _keyword(facts, call, new)
    return rewrite(node, f"{never(name)}; it is tf.{new}", *edits)


def _keyword(facts: Facts, call: Node, new: str) -> Iterator[Edit]:
    """Yields the edit of the only keyword that differs between set_virtual_… and set_logical_device_configuration.

    Args:
        facts: The module's facts.
        call: The call.
        new: The name of the function that it will call.
    """
    before, after = b"virtual_devices", b"logical_devices"
    if "virtual" in new:
        before, after = after, before
    for pair in map(syntax.keyword, syntax.arguments(call)):
        if pair is not None and facts.text(pair.name) == before:
            yield replace(pair.name, after)


def _limit(
    facts: Facts, node: Node, call: Node | None, name: str, spelling_of: Callable[[never_names.Meant], str]
) -> Finding:
    """Returns the finding for a call that sets a GPU's limit by a name that never existed."""
    split, size = spelling_of(never_names.SPLIT), spelling_of(never_names.SIZE)
    passed = syntax.arguments(call) if call is not None else []
    function, part = spelling(facts, node, split), spelling(facts, node, size)
    plain = len(passed) == 2 and not any(
        syntax.is_splat(child) or syntax.keyword(child) is not None for child in passed
    )
    grows = call is not None and any(pair.limit.call == call for pair in gpu_memory.growths_and_limits(facts))
    if not plain or function is None or part is None or grows:
        return remark(node, never(name), f"A limit is set by tf.{split}(gpu, [tf.{size}(memory_limit=…)]), in MiB.")
    sized = wrap(passed[1], b"[" + part + b"(memory_limit=", b")]")
    return rewrite(node, f"{never(name)}; it is tf.{split}", replace(node, function), *sized)


def _imported(facts: Facts, dotted: Node) -> Iterator[Finding]:
    """Yields the finding for an imported name that never existed in the module from which it is imported.

    If another module has the name, and the statement imports nothing else, that module takes its place.
    """
    statement = syntax.enclosing(dotted, "import_from_statement")
    home = syntax.imported_module(statement) if statement is not None else None
    if statement is None or home is None or dotted == home or facts.guarded(statement):
        return
    text = dotted_text(facts.text(home))
    lies_in = public_name(text)
    name = f"{lies_in}.{dotted_text(facts.text(dotted))}"
    if lies_in is None or name not in never_names.EVERY:
        return
    meant = never_names.RENAMED.get(name)
    leaf = "." + name.rpartition(".")[2]
    fitting = [new for new in (meant.native, meant.name) if new.endswith(leaf)] if meant is not None else []
    if not fitting or len(syntax.import_items(statement)) != 1:
        other = fitting[0] if fitting else meant.name if meant is not None else "config.experimental"
        yield remark(dotted, never(name), f"The real name is tf.{other}.")
        return
    new = text[: len(text) - len(lies_in)] + fitting[0].rpartition(".")[0]
    yield rewrite(statement, f"{never(name)}; it is tf.{fitting[0]}", replace(home, new.encode()))


def _is_tried(facts: Facts, node: Node) -> bool:
    """Returns True if a name is under a version test, or in a `try` whose handler sets the memory in another way."""
    if facts.guarded(node):
        return True
    child = node
    for above in syntax.ancestors(node):
        if above.type == "try_statement" and syntax.body(above) == child:
            handlers = [facts.text(part) for part in above.named_children if part.type == "except_clause"]
            return any(b"config" in text and b"et_memory" in text for text in handlers)
        child = above
    return False


def _alpha_findings(facts: Facts, claims: Claims, nodes: list[Node]) -> Iterator[Finding]:
    """Yields the findings for one of the `_possible_groups`: a rewrite to one config, or a remark on each."""
    nodes = sorted(nodes, key=lambda node: node.start_byte)
    calls = [call for call in map(syntax.call_of, nodes) if call is not None]
    edits = _one_config(facts, claims, calls) if len(calls) == len(nodes) else []
    if edits:
        name = called(facts, calls[0]) or ""
        message = f"{never(name)}; the settings go through tf1mem.apply"
        yield rewrite(calls[0], message, *edits, imports_tf1mem=True)
        return
    for node in nodes:
        yield remark(
            node, never(public_name_of(facts, node) or ""),
            "Call tf1mem.apply(tf1mem.config(memory_fraction=…, allow_growth=…)), once, "
            "before the first op.",
        )  # fmt: skip


def _possible_groups(nodes: list[Node]) -> list[list[Node]]:
    """Returns groups of nodes that one run may execute; nodes of different functions always share a group."""
    groups: list[list[Node]] = []
    for node in sorted(nodes, key=lambda node: node.start_byte):
        near = [group for group in groups if any(not _excludes(other, node) for other in group)]
        groups = [group for group in groups if group not in near]
        groups.append([*(other for group in near for other in group), node])
    return groups


def _excludes(first: Node, second: Node) -> bool:
    return function_of(first) == function_of(second) and not may_both_run(first, second)


def _one_config(facts: Facts, claims: Claims, calls: list[Node]) -> list[Edit]:
    """Returns edits that turn these calls into one `tf1mem.apply`; none if that may change what the program does."""
    if (
        len({called(facts, call) in never_names.FRACTIONS for call in calls}) != len(calls)
        or len({statement_of(call).parent for call in calls}) != 1
        or not all(map(syntax.is_statement, calls)) or first_start(facts, claims.moves_any, calls[-1]) is not None
        or gpu_memory.growth_calls(facts) or gpu_memory.limit_calls(facts)
        or not all(map(claims.covers, facts.source.identifiers(b"ConfigProto")))
        or facts.source.identifiers(b"tf1mem")
    ):  # fmt: skip
        return []
    settings = [_setting(facts, call) for call in calls]
    if None in settings:
        return []
    arguments = b", ".join(filter(None, settings))
    combined = replace(calls[0], b"tf1mem.apply(tf1mem.config(" + arguments + b"))")
    return [combined, *(without_statement(facts.source, statement_of(call)) for call in calls[1:])]


def _setting(facts: Facts, call: Node) -> bytes | None:
    """Returns a call's setting as an argument of `tf1mem.config`; None if the source doesn't show it."""
    passed = syntax.arguments(call)
    if len(passed) > 1 or any(map(syntax.is_splat, passed)):
        return None
    value = syntax.argument_value(passed[0]) if passed else None
    if called(facts, call) in never_names.GROWTHS:
        if value is None:
            return b"allow_growth=True"
        return None if value.type == "false" else b"allow_growth=" + facts.text(value)
    return None if value is None else b"memory_fraction=" + facts.text(value)
