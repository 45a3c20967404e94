"""Decides whether code may run more than once in a process, and whether its values are then the same each time.

`tf.config` accepts a setting again with an equal value. With another value it raises RuntimeError once TensorFlow's
runtime has started, where TensorFlow 1 silently kept the first. Measured with TensorFlow 2.21, also on a simulated GPU:
this holds for threads, visible devices, memory growth, logical devices and their limits; not for soft placement,
logging of placement, XLA and the optimizer's options, which may change at any time. An eager op starts the runtime, a
Session in a graph doesn't.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

from tree_sitter import Node

from tf1mem.codemod.source.control_flow import function_of, may_both_run
from tf1mem.codemod.source.syntax import (
    ancestors,
    arguments,
    attribute_named,
    call_of,
    callee,
    condition,
    enclosing,
    is_splat,
    keyword,
    leaf_of,
    name_of,
    parameters,
    without_comments,
)

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

# Functions, by the last one or two parts of their names, that have no effect, and one result in a process for the same
# arguments. Horovod's `hvd.local_rank()` is one.
HARMLESS = frozenset(
    "str int float bool len min max round format local_rank rank size local_size cpu_count getenv environ.get".split()
)
_LOOPS = (
    "for_statement", "while_statement", "list_comprehension", "set_comprehension", "dictionary_comprehension",
    "generator_expression",
)  # fmt: skip
_DEPTH = 8  # the most functions, or variables, to follow


def is_in_a_loop(node: Node) -> bool:
    """Returns True if a node is inside a loop or a comprehension of its function, or of the module."""
    function = function_of(node)
    loop = enclosing(node, *_LOOPS)
    return loop is not None and (function is None or function.start_byte < loop.start_byte)


def runs_once(facts: Facts, node: Node, depth: int = _DEPTH) -> bool:
    """Returns True if a node runs at most once in a process, as far as its file shows.

    Args:
        facts: The module's facts.
        node: Any node.
        depth: The most functions to look through on the way to the module's own statements. If more are needed, the
            result is False.
    """
    if is_in_a_loop(node) or not depth:
        return False
    function = function_of(node)
    if function is None:
        return True
    calls = None if function.type == "lambda" else _calls(facts, function)
    if calls is None or len(calls) > 1:
        return False
    if not calls:  # tf.app.run() calls main; any other function may be called from another file
        name = name_of(function)
        return name is not None and facts.text(name) == b"main" and facts.mentions("app.run()")
    return runs_once(facts, calls[0], depth - 1)


def differs_again(facts: Facts, node: Node, value: Node, depth: int = _DEPTH) -> bool:
    """Returns True if a file shows that a node runs again, and that an expression may have another value then.

    Args:
        facts: The module's facts.
        node: The node that may run again, such as a call that takes a config.
        value: An expression in the node's function.
        depth: The most calling functions to look through. If more are needed, the result is False.
    """
    if is_settled(facts, value) or not depth:
        return False
    if is_in_a_loop(node):
        return True
    function = function_of(node)
    calls = None if function is None or function.type == "lambda" else _calls(facts, function)
    if function is None or not calls:
        return False
    for place, name in enumerate(_parameters(facts, function)):
        if name not in [facts.decoded(part) for part in _parts(value) if part.type == "identifier"]:
            continue
        passed = [(call, _argument_for(facts, call, name, place)) for call in calls]
        if any(argument is not None and differs_again(facts, call, argument, depth - 1) for call, argument in passed):
            return True
        for at, (call, argument) in enumerate(passed):
            for later, other in passed[at + 1 :]:
                texts = [None if each is None else facts.text(each) for each in (argument, other)]
                if texts[0] != texts[1] and may_both_run(call, later):
                    return True
    return False


def _parameters(facts: Facts, function: Node) -> list[str]:
    """Returns the names of a function's parameters, without a method's `self` or `cls`."""
    names = [
        facts.decoded(name)
        for each in without_comments(parameters(function))
        for name in [_first_identifier(each)]
        if name
    ]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def _first_identifier(node: Node) -> Node | None:
    return node if node.type == "identifier" else next(iter(node.named_children), None)


def _argument_for(facts: Facts, call: Node, name: str, place: int) -> Node | None:
    """Returns a call's argument for the parameter with a name and an index; None if it has none."""
    by_name = facts.argument(call, name)
    plain = [argument for argument in arguments(call) if keyword(argument) is None and not is_splat(argument)]
    if by_name is not None or place >= len(plain):
        return by_name
    return plain[place]


def _calls(facts: Facts, function: Node) -> list[Node] | None:
    """Returns the calls of a function in its file; None if it is also passed on, and so may be called elsewhere.

    A method's calls are those of attributes with its name, on any object; those of `__init__` are its class's calls.
    """
    around, name = enclosing(function, "class_definition", "function_definition"), name_of(function)
    is_method = around is not None and around.type == "class_definition"
    if is_method and around is not None and name is not None and facts.text(name) == b"__init__":
        name, is_method = name_of(around), False
    calls: list[Node] = []
    for identifier in [] if name is None else facts.source.identifiers(facts.text(name)):
        attribute = attribute_named(identifier)
        if attribute is None and (is_method or not facts.names.is_use(identifier)):
            continue
        used = attribute or identifier
        call = call_of(used) or _runner(facts, used)
        if call is None:
            return None
        calls.append(call)
    return calls


def _runner(facts: Facts, used: Node) -> Node | None:
    """Returns the call that runs a function passed to it, once: `tf.app.run(main)`."""
    call = enclosing(used, "call")
    return call if call is not None and facts.text(leaf_of(callee(call))) == b"run" else None


def is_settled(facts: Facts, node: Node, depth: int = _DEPTH) -> bool:
    """Returns True if an expression has one value in a process, whenever it is evaluated.

    Args:
        facts: The module's facts.
        node: The expression.
        depth: The most variables to look through. If more are needed, the result is False.
    """
    if not depth:
        return False
    for part in _parts(node):
        if part.type == "call":
            names = facts.decoded(callee(part)).split(".")
            if not {names[-1], ".".join(names[-2:])} & HARMLESS:
                return False
        elif part.type == "attribute":
            if any(True for _ in facts.assignments_to(part)):
                return False
        elif part.type == "identifier" and facts.names.is_use(part) and not _is_one_value(facts, part, depth):
            return False
    return True


def _is_one_value(facts: Facts, name: Node, depth: int) -> bool:
    visible = facts.names.visible(name)
    if len(visible) != 1:
        return not visible  # a builtin
    (binding,) = visible
    if binding.kind == "import":
        return True
    if binding.kind != "assignment" or binding.value is None:
        return False
    if binding.scope.kind == "module" and not is_in_a_loop(binding.node):
        return True
    return is_settled(facts, binding.value, depth - 1)


def _parts(node: Node) -> Iterator[Node]:
    yield node
    for child in node.named_children:
        yield from _parts(child)


def conditions(node: Node) -> Iterator[Node]:
    """Yields the conditions of `if`, `elif` and `while` around a node in its function, inner ones first."""
    function, child = function_of(node), node
    for above in ancestors(node):
        if above == function:
            break
        tested = condition(above) if above.type in ("if_statement", "elif_clause", "while_statement") else None
        if tested is not None and tested != child:
            yield tested
        child = above
