"""Finds guarded code, in programs for both TensorFlows: branches under a test of the version, and attempts.

An attempt is a `try` that expects TensorFlow to lack a name or a module.

A test must depend on what TensorFlow, or its Keras, says of itself: its version, or the existence of a name. So a
condition is followed to the origin of its values; `hasattr(self, "sess")` and another module's VERSION don't count. If
the source doesn't show the origin, as for a flag or another file's helper, a name such as `is_tf2` counts.

`tf.executing_eagerly()` tests the mode and not the version: TensorFlow 2 has graph mode too, and the branch for graph
mode runs as soon as a program switches to that mode.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Callable, Iterator

from tree_sitter import Node

from tf1mem.codemod.facts import version_tests
from tf1mem.codemod.facts.version_tests import TestedSide
from tf1mem.codemod.source.names import UNKNOWN, Binding, Names
from tf1mem.codemod.source.paths import dotted_text, is_compat_v1, tf1_name
from tf1mem.codemod.source.syntax import (
    IMPORTS,
    ancestors,
    argument_value,
    arguments,
    assigned,
    assignment_to,
    attribute,
    attribute_named,
    attribute_of,
    body,
    callee,
    condition,
    enclosing,
    import_items,
    imported_module,
    leaf_of,
    root_of,
    without_comments,
)  # fmt: skip
from tf1mem.names import tf1_names, tf2_names

# Members that hold a module's version, and functions that look members up.
_VERSIONS = frozenset(["__version__", "VERSION", "GIT_VERSION", "__git_version__"])
_LOOKUPS = frozenset([b"hasattr", b"getattr", b"dir", b"vars"])
# Functions that look up a module, or a package's version, by a string.
_BY_STRING = frozenset([b"find_spec", b"find_loader", b"version", b"get_distribution", b"distribution", b"require"])
_PACKAGE = re.compile(
    rb"[\"'](?:tensorflow|keras|tf[-_]nightly|tf[-_]keras)(?:[-_](?:gpu|cpu))?(?:[.=<>].*)?[\"']", re.S
)
_LOADED = re.compile(rb"[\"']tensorflow(?:\.[\w.]*)?[\"']")
# Usual names for TensorFlow where its import isn't visible: in a parameter, or from another file.
_ALIASES = frozenset("tf tensorflow tf1 tf2 tfv1 tfv2 tf_v1 tf_v2 tf_compat".split())
# A flag or a helper with TensorFlow's name in it: is_tf2, TF_MAJOR_VERSION, useTF1. The pattern begins at the rare
# letters that end the name, so that it searches several times faster.
_NAMED_AFTER = (
    rb"[fwFW](?:(?<![A-Za-z]tf)(?<=tf)|(?<![A-Z]TF)(?<=TF)|(?<=[a-z]Tf)|(?<=tensorflow)|(?<=TENSORFLOW)|(?<=TensorFlow))"
    rb"(?:_?(?:v|V|ver|VER|major|MAJOR|version|VERSION|Version)?_?[12](?:[^\d]|\d?(?!\d))"
    rb"|_(?:major_|MAJOR_)?(?:version|VERSION|ver)|Version)"
)
_TENSORFLOW_NAME = re.compile(_NAMED_AFTER)


class _Words:
    """Patterns, each with a word that all its matches contain. A pattern is only searched for in texts with its word.

    This is twice as fast as one combined pattern.

    Args:
        patterns: Pairs of a word and a pattern; the pattern b"" stands for the word itself.
    """

    def __init__(self, *patterns: tuple[bytes, bytes]) -> None:
        self._patterns = [(word, re.compile(pattern) if pattern else None) for word, pattern in patterns]

    def occur_in(self, text: bytes) -> bool:
        """Returns True if any pattern has a match in a text."""
        return any(word in text and (pattern is None or pattern.search(text)) for word, pattern in self._patterns)


# A helper of another file with only a version in its name: is_v2_0().
_VERSION_HELPER = re.compile(rb"\bis_v[12](?:_\d+)?\Z")
# Every test of TensorFlow's version contains one of these, or a name that `_TENSORFLOW_NAME` matches.
_TESTS = _Words(
    (b"__version__", b""),
    (b"__dict__", b""),
    (b"VERSION", rb"VERSION\b"),
    (b"is_v", rb"\bis_v[12]"),
    *((word, rb"\b%b\b" % word) for word in sorted(_LOOKUPS | _BY_STRING | {b"enabled"})),
)
# Words that certainly test the version: no names of flags and helpers, no lookups in other objects than TensorFlow.
_CERTAIN = _Words(
    (b"__version__", b""),
    (b"__dict__", b""),
    (b"import_module", b""),
    (b"__import__", b""),
    (b"VERSION", rb"VERSION\b"),
    (b"tf2", rb"\btf2\b"),
    *((word, rb"\b%b\s*\([^()\"']*[\"']" % word) for word in sorted(_BY_STRING)),
)
_LOOKED_UP_IN = re.compile(rb"\b(?:hasattr|getattr|dir|vars)\s*\(\s*(\w+)")
# Errors for a missing name of a module, and for a module or name that can't be imported.
_NO_NAME = (b"AttributeError", b"NameError")
_NO_MODULE = (b"ImportError", b"ModuleNotFoundError")
# The statements of an attempt that only tries whether names exist.
_SIMPLE = ("expression_statement", "return_statement", "delete_statement", *IMPORTS)
# Nodes that are constants, such as a flag's value.
_CONSTANTS = ("true", "false", "integer", "float", "string")
# Nodes in which no test of the version is looked for.
_CLOSED = ("dictionary", "lambda", "comment", "none", *_CONSTANTS)


def may_ask(text: bytes) -> bool:
    """Returns True if a text may test TensorFlow's version."""
    return _TESTS.occur_in(text) or _TENSORFLOW_NAME.search(text) is not None


def may_try(text: bytes) -> bool:
    """Returns True if a text may catch the error of a missing name or module."""
    return any(word in text for word in (*_NO_NAME, *_NO_MODULE))


class Guards:
    """The tests of TensorFlow's version in one module.

    Args:
        names: The module's names.
        by_name: True to count names such as `is_tf2` if the source doesn't show their origin.
    """

    def __init__(self, names: Names, *, by_name: bool = True) -> None:
        self._names, self._source, self._by_name = names, names.source, by_name
        # A question about a node, and the node's id -> the answer.
        self._answers: dict[tuple[str, int], bool] = {}
        self._sides: dict[int, TestedSide] = {}  # a condition's id -> the result of `_side_of`

    def guarded(self, node: Node) -> bool:
        """Returns True if a node runs only under a test of TensorFlow's version, or in an attempt.

        Args:
            node: Any node of the module.
        """
        return self._guarded(node)

    def has_helper(self) -> bool:
        """Returns True if the module has a function that tests the version: `def is_v2_0(): return tf2.enabled()`."""
        text = self._source.text
        if not may_ask(text) or not self._may_be_certain():
            return False
        certain = Guards(self._names, by_name=False)
        return any(
            certain._function_shows_version(function)
            for word in set(re.findall(rb"(?m)^[ \t]*def[ \t]+(\w+)", text))
            for function in (binding.statement for binding in self._names.bindings(word))
            if function.type == "function_definition" and _may_show_version(self._source.text_of(function))
        )

    def _may_be_certain(self) -> bool:
        """Returns True if more than a name may show some test. Few modules have such a test: the check saves time."""
        text = self._source.text
        if may_try(text) or _CERTAIN.occur_in(text):
            return True
        return any(
            binding.path is not None and _is_of_tensorflow(binding.path)
            for word in set(_LOOKED_UP_IN.findall(text))
            for binding in self._names.bindings(word)
        )

    def _guarded(self, node: Node, until: Node | None = None, *, by_split: bool = False) -> bool:
        """Returns True if a node runs on one TensorFlow only; unless `by_split`, also if it runs on neither of them.

        Args:
            node: The node.
            until: The outermost node to look at; None for the module.
            by_split: True to count only tests that differ between TensorFlow 1 and 2.
        """

        def is_guard(tested: Node | None, holds: bool) -> bool:
            side = TestedSide.OPEN if tested is None else self._side_of(tested)
            return side is TestedSide.SPLITS or (
                not by_split and side is (TestedSide.NEVER if holds else TestedSide.ALWAYS)
            )

        child = node
        for above in ancestors(node):
            if above == until:
                break
            if any(is_guard(tested, holds) for tested, holds in self._conditions(above, child)):
                return True
            if above.type == "match_statement":
                first = without_comments(above)[0]
                if first != child and self._shows_version(first):
                    return True
            if above.type == "try_statement" and self._expects_missing(above):
                return True
            child = above
        return False

    def _conditions(self, above: Node, child: Node) -> Iterator[tuple[Node | None, bool]]:
        """Yields the conditions under which a node runs a part of it, each with the value that it has there.

        Args:
            above: The node.
            child: The part, a child of the node.
        """
        if above.type in ("if_statement", "elif_clause", "while_statement"):
            own = condition(above)
            if own == child:
                return
            yield own, child.type not in ("else_clause", "elif_clause")
            if child.type in ("else_clause", "elif_clause"):
                for other in above.named_children:
                    if other.type == "elif_clause" and other.start_byte < child.start_byte:
                        yield condition(other), False
        elif above.type == "conditional_expression" and len(above.named_children) == 3:
            first, own, _ = above.named_children
            if own != child:
                yield own, child == first
        elif above.type == "boolean_operator":
            first = without_comments(above)[0]
            if first != child:
                yield first, _is_and(above)
        elif above.type == "block" and self._may_ask:
            for earlier in above.named_children:
                if earlier.start_byte >= child.start_byte:
                    break
                if earlier.type == "if_statement":
                    if self._is_another_way(_consequence(earlier)):
                        yield condition(earlier), False
                    last = earlier.named_children[-1]
                    if last.type == "else_clause" and self._is_another_way(body(last)):
                        yield condition(earlier), True

    @cached_property
    def _may_ask(self) -> bool:
        return may_ask(self._source.text)

    def _is_another_way(self, block: Node | None) -> bool:
        """Returns True if a branch replaces the code after it; False if it only ends without a result."""
        if block is None:
            return False
        statements = without_comments(block)
        if not statements or statements[-1].type not in ("return_statement", "continue_statement"):
            return False
        return bool(without_comments(statements[-1])) or any(True for _ in self._tensorflow(block))

    # --- the meaning of a condition -----------------------------------------------------------------------------------

    def _side_of(self, node: Node) -> TestedSide:
        if node.id not in self._sides:
            self._sides[node.id] = TestedSide.OPEN  # a self-reference adds nothing
            self._sides[node.id] = self._find_side_of(node)
        return self._sides[node.id]

    def _find_side_of(self, node: Node) -> TestedSide:
        kind = node.type
        if kind == "parenthesized_expression":
            return version_tests.all_of(map(self._side_of, without_comments(node)))
        if kind == "not_operator":
            return version_tests.opposite(version_tests.all_of(map(self._side_of, without_comments(node))))
        if kind == "boolean_operator":
            together = version_tests.all_of if _is_and(node) else version_tests.any_of
            return together(map(self._side_of, without_comments(node)))
        if kind == "comparison_operator":
            return version_tests.of_comparison(self._names, node, self._shows_version)
        held = self._held_by(node)
        if held is not None:
            side = self._side_of(held)
            if side is not TestedSide.OPEN:
                return side
        side_of_call = self._side_of_call(node) if kind == "call" else None
        if side_of_call is not None:
            return side_of_call
        return TestedSide.SPLITS if self._shows_version(node) else TestedSide.OPEN

    def _held_by(self, node: Node) -> Node | None:
        """Returns the only expression that a variable, an attribute or a function's result can be; None if unclear."""
        if node.type == "identifier":
            return self._names.only_value(node) if self._names.is_use(node) else None
        if node.type == "attribute":
            assignments = list(self._assignments_to(node))
            return assigned(assignments[0]) if len(assignments) == 1 else None
        if node.type == "call" and callee(node).type == "identifier":
            visible = self._names.visible(callee(node))
            if len(visible) == 1 and visible[0].statement.type == "function_definition":
                returned = [without_comments(statement) for statement in _returns(body(visible[0].statement))]
                return returned[0][0] if len(returned) == 1 and len(returned[0]) == 1 else None
        return None

    def _side_of_call(self, call: Node) -> TestedSide | None:
        """Returns the TensorFlows for which a call is true: `version.startswith("1.")` or `hasattr(tf, "Session")`."""
        function, passed = callee(call), arguments(call)
        parts = attribute(function)
        if parts is not None and self._source.text_of(parts.leaf) == b"startswith" and len(passed) == 1:
            text = self._source.string(passed[0])
            return version_tests.begins(text) if text is not None and self._shows_version(parts.object) else None
        if self._source.text_of(function) == b"hasattr" and len(passed) == 2 and self._shows_version(call):
            leaf, paths = self._source.string(passed[1]), self._names.paths(passed[0])
            names = [tf1_name(path) for path in paths if path != UNKNOWN and not is_compat_v1(path)]
            if leaf is not None and len(names) == len(paths) == 1 and names[0] is not None:
                return _side_of_name(names[0], leaf.decode("utf-8", "replace"))
        return None

    # --- the origin of a value ----------------------------------------------------------------------------------------

    def _shows_version(self, node: Node) -> bool:
        """Returns True if the value of an expression comes from TensorFlow's version or names."""
        return self._answered("value", node, self._find_shows_version)

    def _answered(self, question: str, node: Node, find: Callable[[Node], bool]) -> bool:
        """Returns the answer of `find` for a node, computed once; a node that refers to itself adds nothing."""
        key = question, node.id
        if key not in self._answers:
            self._answers[key] = False
            self._answers[key] = find(node)
        return self._answers[key]

    def _find_shows_version(self, node: Node) -> bool:
        if node.type in _CLOSED:
            return False
        if node.type == "identifier":
            return self._names.is_use(node) and self._name_shows_version(node)
        if node.type == "attribute":
            return self._attribute_shows_version(node)
        if node.type == "call":
            return self._call_shows_version(node)
        if node.type == "keyword_argument":
            return self._shows_version(argument_value(node))
        if node.type in ("comparison_operator", "not_operator", "boolean_operator"):
            return self._side_of(node) is TestedSide.SPLITS
        return any(map(self._shows_version, node.named_children))

    def _name_shows_version(self, node: Node) -> bool:
        visible = self._names.visible(node)
        if any(map(self._binding_shows_version, visible)) or self._is_an_attempt(visible):
            return True
        return self._is_named_after(node) and all(map(self._is_open, visible))

    def _binding_shows_version(self, binding: Binding) -> bool:
        if binding.path is not None:
            return _is_version(binding.path)
        statement, value = binding.statement, binding.value
        if statement.type == "function_definition":
            return self._function_shows_version(statement)
        if value is None and statement.type == "assignment":
            value = assigned(statement)  # major, minor = tf.__version__.split(".")[:2]
        if value is None:
            return False
        return self._shows_version(value) or (value.type in _CONSTANTS and self._is_settled_by_a_test(statement))

    def _is_settled_by_a_test(self, statement: Node) -> bool:
        """Returns True if a constant is assigned, or returned, on one side of a test: `IS_OLD = True`."""

        def find(statement: Node) -> bool:
            return self._guarded(statement, enclosing(statement, "function_definition"), by_split=True)

        return self._answered("settled", statement, find)

    def _is_an_attempt(self, visible: list[Binding]) -> bool:
        """Returns True for a name that is imported from a path that TensorFlow 2 lacks, and set to None elsewhere."""
        has_none = any(binding.value is not None and binding.value.type == "none" for binding in visible)
        return has_none and any(binding.path is not None and _is_gone(binding.path) for binding in visible)

    def _is_open(self, binding: Binding) -> bool:
        """Returns True if the source doesn't decide a name's value: another file, a caller or the command line does.

        A constant counts, too: people edit it, as in `USE_TF2 = True`.
        """
        if binding.path is not None:
            return tf1_name(binding.path) is None
        if binding.kind == "parameter":
            return True
        value = binding.value
        if value is None:
            return False
        if value.type == "call":  # os.environ.get("USE_TF2")
            return any(_TENSORFLOW_NAME.search(self._source.text_of(part)) for part in arguments(value))
        return value.type in ("true", "false", "none", "integer", "subscript")

    def _is_named_after(self, node: Node) -> bool:
        return self._by_name and _TENSORFLOW_NAME.search(self._source.text_of(node)) is not None

    def _attribute_shows_version(self, node: Node) -> bool:
        parts = attribute(node)
        assert parts is not None
        paths, leaf = self._names.paths(node), self._source.decoded(parts.leaf)
        if any(path != UNKNOWN and _is_version(path) for path in paths):
            return True
        if leaf in (*_VERSIONS, "__dict__") and self._is_tensorflow(parts.object):
            return True
        if self._source.decoded(parts.object) not in _ALIASES and self._shows_version(parts.object):
            return True
        assignments = list(self._assignments_to(node))
        if assignments:
            return any(map(self._assignment_shows_version, assignments))
        methods = [
            binding
            for binding in self._names.bindings(self._source.text_of(parts.leaf))
            if binding.scope.kind == "class"
        ]
        if methods:
            return any(map(self._binding_shows_version, methods))
        return self._is_named_after(parts.leaf)

    def _assignment_shows_version(self, assignment: Node) -> bool:
        value = assigned(assignment)
        if value is None:
            return False
        return self._shows_version(value) or (value.type in _CONSTANTS and self._is_settled_by_a_test(assignment))

    def _assignments_to(self, node: Node) -> Iterator[Node]:
        """Yields the assignments to attributes that are spelled like this one."""
        for name in self._source.identifiers(self._source.text_of(leaf_of(node))):
            named = attribute_named(name)
            assignment = assignment_to(named) if named is not None else None
            if (
                named is not None
                and assignment is not None
                and self._source.text_of(named) == self._source.text_of(node)
            ):
                yield assignment

    def _call_shows_version(self, call: Node) -> bool:
        function, passed = callee(call), arguments(call)
        leaf = self._source.text_of(leaf_of(function))
        if function.type == "identifier" and leaf in _LOOKUPS and not self._names.bindings(leaf):
            return bool(passed) and self._looks_up(leaf, passed)
        if leaf in _BY_STRING and passed and _PACKAGE.match(self._source.text_of(passed[0])):
            return True
        if leaf == b"enabled" and any(path.endswith(".tf2.enabled") for path in self._names.paths(function)):
            return True
        if _VERSION_HELPER.search(leaf) and not passed and self._is_of_another_file(function):
            return True
        return self._shows_version(function) or any(map(self._shows_version, passed))

    def _looks_up(self, function: bytes, passed: list[Node]) -> bool:
        """Returns True if a call looks up a name of TensorFlow, or a flag that is named after it."""
        if function != b"getattr":
            return self._is_tensorflow(passed[0])
        name = self._source.text_of(passed[1]).strip(b"'\"") if len(passed) > 1 and passed[1].type == "string" else b""
        if self._is_tensorflow(passed[0]):
            return bool(name) and (len(passed) > 2 or name.decode("utf-8", "replace") in _VERSIONS)
        return self._shows_version(passed[0]) or (bool(name) and self._is_named_after(passed[1]))

    def _is_of_another_file(self, function: Node) -> bool:
        root = root_of(function)
        return root.type == "identifier" and all(
            binding.path is not None and tf1_name(binding.path) is None for binding in self._names.visible(root)
        )

    def _function_shows_version(self, function: Node) -> bool:
        """Returns True if a function returns TensorFlow's version or names, or a constant on one side of a test."""

        def find(function: Node) -> bool:
            return any(map(self._return_shows_version, _returns(body(function))))

        return self._answered("function", function, find)

    def _return_shows_version(self, statement: Node) -> bool:
        values = without_comments(statement)
        is_constant = all(value.type in _CONSTANTS for value in values)
        return any(map(self._shows_version, values)) or (
            bool(values) and is_constant and self._is_settled_by_a_test(statement)
        )

    def _is_tensorflow(self, node: Node) -> bool:
        """Returns True for TensorFlow, Keras and their members. A name of unknown origin counts if it is like `tf`."""
        paths = self._names.paths(node)
        known = [path for path in paths if path != UNKNOWN]
        if known:
            return any(_is_of_tensorflow(path) or path.rpartition(".")[2] in _ALIASES for path in known)
        if node.type == "call":
            passed = arguments(node)
            return bool(passed) and _LOADED.match(self._source.text_of(passed[0])) is not None
        if node.type == "identifier":
            values = [binding.value for binding in self._names.visible(node) if binding.kind != "parameter"]
            if values:
                return any(
                    value is not None and value.type == "call" and self._is_tensorflow(value) for value in values
                )
        is_name = self._by_name and node.type in ("identifier", "attribute")
        return is_name and self._source.decoded(leaf_of(node)) in _ALIASES

    # --- attempts -----------------------------------------------------------------------------------------------------

    def _expects_missing(self, statement: Node) -> bool:
        """Returns True if an attempt expects that TensorFlow, not the program, lacks something."""
        return self._answered("missing", statement, self._find_expects_missing)

    def _find_expects_missing(self, statement: Node) -> bool:
        """Computes the answer of `_expects_missing`, which remembers it."""
        clauses = [clause for clause in statement.named_children if clause.type == "except_clause"]
        heads = b"".join(self._source.text_of(part) for clause in clauses for part in clause.named_children[:-1])
        tried = body(statement)
        if tried is None or not may_try(heads):
            return False
        used = list(self._tensorflow(tried))
        if not used:
            return False
        is_plain = all(
            part.type in _SIMPLE and any(True for _ in self._tensorflow(part)) for part in without_comments(tried)
        )
        if any(path for clause in clauses for path in self._tensorflow(clause) if not _is_gone(path)):
            # The handler has a fallback; it counts if the missing name may be TensorFlow's and not the program's.
            if any(map(_differs, used)) or not any(word in heads for word in _NO_NAME):
                return True
            return not any(map(self._is_of_self, _attributes(tried)))
        if not any(word in heads for word in _NO_NAME):
            # An import of Keras succeeds or fails independently of TensorFlow's version.
            imported = [tf1_name(path) or "" for each in _imports(tried) for path in self._imported(each)]
            return any(name and not name.startswith("keras.") for name in imported)
        return is_plain

    def _is_of_self(self, node: Node) -> bool:
        """Returns True for an attribute of `self` or `cls`."""
        return self._source.text_of(root_of(node)) in (b"self", b"cls")

    def _tensorflow(self, node: Node) -> Iterator[str]:
        """Yields the paths of TensorFlow and Keras that are used or imported inside a node."""
        for statement in _imports(node):
            yield from self._imported(statement)
        for identifier in _identifiers(node):
            used = identifier
            if not self._names.is_use(identifier):
                continue
            above = attribute_of(used)
            while above is not None:
                used, above = above, attribute_of(above)
            yield from (path for path in self._names.paths(used) if path != UNKNOWN and tf1_name(path) is not None)

    def _imported(self, statement: Node) -> Iterator[str]:
        module = imported_module(statement)
        above = [] if module is None else [dotted_text(self._source.text_of(module))]
        for item in import_items(statement):
            path = ".".join([*above, dotted_text(self._source.text_of(item.name))])
            if tf1_name(path) is not None:
                yield path


def _may_show_version(function: bytes) -> bool:
    """Returns True if a function may distinguish TensorFlow 1 and 2, by a test in its text or by calling a helper."""
    return (
        len(function) < 300  # a function that only calls a helper is short
        or may_try(function)
        or _CERTAIN.occur_in(function)
        or _LOOKED_UP_IN.search(function) is not None
    )


def _is_and(node: Node) -> bool:
    return any(child.type == "and" for child in node.children)


def _consequence(statement: Node) -> Node | None:
    return next((child for child in statement.named_children if child.type == "block"), None)


def _side_of_name(module: str, leaf: str) -> TestedSide | None:
    """Returns the TensorFlows in which a module has a name; None if that isn't known."""
    dotted = f"{module}.{leaf}".lstrip(".")
    if leaf.startswith("_") or leaf in ("python", "contrib") or (module and not tf2_names.is_module(module)):
        return None
    if tf1_names.gone(dotted) or tf1_names.tf2_only(dotted) or dotted.startswith(("keras", "python", "contrib")):
        return None
    return TestedSide.NEVER if tf2_names.lacking(dotted) else TestedSide.ALWAYS


def _identifiers(node: Node) -> list[Node]:
    if node.type == "identifier":
        return [node]
    return [identifier for child in node.named_children for identifier in _identifiers(child)]


def _attributes(node: Node) -> Iterator[Node]:
    """Yields the attributes in a node, each dotted expression whole."""
    for child in node.named_children:
        if child.type == "attribute":
            yield child
        else:
            yield from _attributes(child)


def _imports(node: Node) -> list[Node]:
    if node.type in IMPORTS:
        return [node]
    return [statement for child in node.named_children for statement in _imports(child)]


def _returns(node: Node | None) -> Iterator[Node]:
    """Yields the return statements of a function's body, without those of nested functions."""
    for child in without_comments(node):
        if child.type == "return_statement":
            yield child
        elif child.type not in ("function_definition", "class_definition", "lambda"):
            yield from _returns(child)


def _is_of_tensorflow(path: str) -> bool:
    """Returns True for a path of TensorFlow or Keras, except for flags: their values come from the program."""
    return tf1_name(path) is not None and "FLAGS" not in path.split(".")


def _is_version(path: str) -> bool:
    return path.rpartition(".")[2] in _VERSIONS and _is_of_tensorflow(path)


def _is_gone(path: str) -> bool:
    return not is_compat_v1(path) and tf1_names.gone(tf1_name(path) or "")


def _differs(path: str) -> bool:
    """Returns True if TensorFlow 1 or TensorFlow 2 may lack the name at a path."""
    name = tf1_name(path) or ""
    return is_compat_v1(path) or name.startswith("python.") or tf1_names.gone(name) or tf1_names.tf2_only(name)
