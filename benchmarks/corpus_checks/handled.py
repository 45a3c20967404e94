"""Decides whether a file contains GPU settings, and whether they are handled, by the file alone.

A file is a **hit** if its code (not its comments or strings) calls a ConfigProto or GPUOptions that isn't its own.
"Fully handled" means for the file after the codemod:

* shim: the names with which it builds a config, and those that take one, come from `tf1mem.v1`; or every config is
  passed through `tf1mem.apply`, and the name that builds it exists on TensorFlow 2.
* apply: every config is passed through `tf1mem.apply`, and the name that builds it exists on TensorFlow 2.
* native: no tf1mem is left, and no ConfigProto or GPUOptions, except for classes that have settings of their own
  without one (an Estimator's RunConfig, a test's Session, a Server, InteractiveSession): these keep their config, built
  by a name that exists on TensorFlow 2, if tf.config gets the settings of the whole process as well.

Code under a test of TensorFlow's version (or under `hasattr`, or in a `try` for an AttributeError or ImportError) is a
branch that the program has for each TensorFlow already, and is ignored for shim and apply.

A config that the file passes to nothing and that doesn't leave it (no return, no argument, no attribute) is dead: the
codemod should report it and not apply it, so there is nothing to handle.
"""

from __future__ import annotations

import ast
import re
from typing import Callable, NamedTuple

from corpus_checks.names import UNKNOWN, Names
from corpus_checks.reading import Tree
from tf1mem.settings.takers import INTERACTIVE_SESSION, ON_ITS_OWN, TAKERS

BUILDERS = ("ConfigProto", "GPUOptions")
# Name of a class or function that takes a config -> the argument and its index; None for methods, of any class.
CONSUMERS: dict[str, tuple[str, int | None]] = {}
for _taker in TAKERS:
    for _leaf in _taker.leaves:
        CONSUMERS.setdefault(_leaf, (_taker.keyword, None if _taker.of else _taker.position))
_WITH_THEIR_OWN = {
    leaf for taker in TAKERS if taker.config == ON_ITS_OWN or taker is INTERACTIVE_SESSION for leaf in taker.leaves
}
# Settings of the whole process -> the calls of tf.config that make them.
_LASTING = {
    "allow_growth": ("set_memory_growth",),
    "per_process_gpu_memory_fraction": ("set_logical_device_configuration",),
    "visible_device_list": ("set_visible_devices",),
    "intra_op_parallelism_threads": ("set_intra_op_parallelism_threads",),
}
_STRING = re.compile(r"(?s)('''|\"\"\").*?\1|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|#[^\n]*")
_BUILT = re.compile(r"(?<!class )(?<!def )\b(?:ConfigProto|GPUOptions)[ \t]*\(")
_VERSION = re.compile(r"version|hasattr\(|\btf_?v?[12]\b|executing_eagerly|is_v2|\bv2\b", re.IGNORECASE)
_MISSING = re.compile(r"AttributeError|ImportError|ModuleNotFoundError")
_TENSORFLOW = ("tensorflow", "keras")


class Settings(NamedTuple):
    """A file's use of configs.

    Attributes:
        builds: True if it builds a config, which makes it a hit.
        holds: True if it builds none, but sets a field of one, or passes one to TensorFlow.
        shim: True if it is fully handled for the target "shim".
        apply: True if it is fully handled for the target "apply".
        native: True if it is fully handled for the target "native".
        dead: True if it builds a config that it passes to nothing.
        why: Target -> the reason why it isn't fully handled.
    """

    builds: bool
    holds: bool
    shim: bool
    apply: bool
    native: bool
    dead: bool
    why: dict[str, str]


# A function that returns the paths of a name in another module of the program: for "utils.tf", of `tf` in utils.py.
Elsewhere = Callable[[str], "set[str]"]


def settings(tree: Tree, elsewhere: Elsewhere | None = None) -> Settings:
    """Returns a file's use of configs.

    Args:
        tree: The parsed file.
        elsewhere: A function that looks up names of the program's other modules, or None.
    """
    if tree.module is None:
        return _by_text(tree.text)
    if not any(word in tree.text for word in (*BUILDERS, "gpu_options", "config=", "session_config")):
        return Settings(False, False, True, True, True, False, {})
    return _UseOfConfigs(Names(tree.module), elsewhere).settings()


def _by_text(text: str) -> Settings:
    """Returns the use of configs by the lines of code alone, for a file without a syntax tree."""
    code = _STRING.sub("", text)
    builds = bool(_BUILT.search(code))
    shim = bool(
        re.search(r"^\s*(?:import|from) tf1mem\.v1|^\s*from tf1mem import v1", code, re.MULTILINE)
    ) and not re.search(r"^\s*(?:import|from) tensorflow\b(?![\w.]*python)", code, re.MULTILINE)
    taken = re.findall(r"[(,]\s*(?:session_)?config\s*=\s*([\w.]+)", code)
    apply = "import tf1mem" in code and all(config in ("tf1mem.apply", "None") for config in taken)
    native = not builds and "tf1mem" not in code
    why = {} if shim and apply and native else dict.fromkeys(("shim", "apply", "native"), "judged without a tree")
    return Settings(builds, False, shim or not builds, apply or not builds, native, False, why)


# Libraries with a ConfigProto of their own.
_OWN_CONFIGS = ("intel_extension_for_tensorflow",)


class _UseOfConfigs:
    """The calls of a module that build a config, take one, or set Keras's Session, each with the paths of its name."""

    def __init__(self, names: Names, elsewhere: Elsewhere | None) -> None:
        self.names = names
        self.elsewhere = elsewhere
        self.built: list[tuple[ast.Call, set[str]]] = []
        self.taken: list[tuple[ast.Call, str, set[str], ast.expr]] = []
        self.keras: list[set[str]] = []
        self.sets_options = False
        for node in names.nodes:
            self._look(node)

    def settings(self) -> Settings:
        why = {"shim": self._shim(), "apply": self._apply(), "native": self._native()}
        good = {target: not reason for target, reason in why.items()}
        builds = bool(self.built)
        dead = builds and not self.taken and not self.keras and not self._leaves()
        holds = not builds and (self.sets_options or bool(self.taken))
        return Settings(builds, holds, good["shim"], good["apply"], good["native"], dead, why)

    def _look(self, node: ast.AST) -> None:
        if isinstance(node, ast.Attribute) and node.attr == "gpu_options":
            self.sets_options = True
        if not isinstance(node, ast.Call):
            return
        name = _last(node.func)
        if name in BUILDERS:
            paths = self._paths(node.func)
            own = ("own:", *_OWN_CONFIGS)
            if not all(path.startswith(own) or path == UNKNOWN + "self." + name for path in paths):
                self.built.append((node, paths))
        elif name == "set_session" and node.args and not self._has_own_branch(node):
            self.keras.append(self._paths(node.func))
        if name in CONSUMERS:
            config = _argument(node, *CONSUMERS[name])
            if config is None or (isinstance(config, ast.Constant) and config.value is None):
                return
            paths = self._paths(node.func)
            own = all(path.startswith("own:") for path in paths)
            if name in ("train", "replace", "session", "Server") and not own:
                own = not any(path.startswith((*_TENSORFLOW, "tf1mem", UNKNOWN)) for path in paths)
            if not own and not (name == "Session" and _is_elsewhere(paths)):
                self.taken.append((node, name, paths, config))

    def _paths(self, node: ast.expr) -> set[str]:
        """Returns the paths that an expression refers to, including names of the program's other modules."""
        paths = self.names.of(node)
        if self.elsewhere is None:
            return paths
        known_paths: set[str] = set()
        for path in paths:
            known = path.split(".")[0] in (*_TENSORFLOW, "tf1mem") or path.startswith((UNKNOWN, "own:"))
            known_paths |= {path} if known else (self.elsewhere(path) or {path})
        # A star import gives only names that the module has: paths of TensorFlow and tf1mem are certain, others aren't.
        settled = {path for path in known_paths if path.startswith((*_TENSORFLOW, "tf1mem"))}
        return settled if settled and self.names.stars else known_paths

    def _has_own_branch(self, node: ast.AST, paths: set[str] = frozenset()) -> bool:  # type: ignore[assignment]
        """Returns True for a node in the program's own branch on TensorFlow's version, or with a name bound in one."""
        if any(_on_tf2({path}) for path in paths) and any(not _on_tf2({path}) for path in paths):
            return True
        for above in self.names.above(node):
            if isinstance(above, (ast.If, ast.IfExp)) and _VERSION.search(ast.unparse(above.test)):
                return True
            if isinstance(above, ast.Try) and any(
                handler.type is not None and _MISSING.search(ast.unparse(handler.type)) for handler in above.handlers
            ):
                return True
            if isinstance(above, (ast.FunctionDef, ast.ClassDef)) and any(
                _VERSION.search(ast.unparse(decorator)) for decorator in above.decorator_list
            ):
                return True
        return False

    def _shim(self) -> str:
        for node, paths in self.built:
            if not _from_tf1mem(paths) and not _on_tf2(paths) and not self._has_own_branch(node, paths):
                return f"line {node.lineno}: built by {_shown(paths)}"
        for node, name, paths, config in self.taken:
            fine = _from_tf1mem(paths) or self._applied(config) or self._has_own_branch(node, paths)
            if not fine and _of_tensorflow(paths):
                return f"line {node.lineno}: {name} is {_shown(paths)}"
        return self._set_session()

    def _apply(self) -> str:
        for node, paths in self.built:
            if not _on_tf2(paths) and not _from_tf1mem(paths) and not self._has_own_branch(node, paths):
                return f"line {node.lineno}: built by {_shown(paths)}"
        return self._not_applied() or self._set_session()

    def _native(self) -> str:
        kept = self._is_kept()
        for node, paths in self.built:
            if not kept or not (_on_tf2(paths) or self._has_own_branch(node, paths)):
                return f"line {node.lineno}: built by {_shown(paths)}"
        for scope in {id(scope_of_node): scope_of_node for scope_of_node in self.names.scope_of.values()}.values():
            for values in scope.bound.values():
                if any(isinstance(value, str) and value.split(".")[0] == "tf1mem" for value, _ in values):
                    return "tf1mem is imported"
        return ""

    def _is_kept(self) -> bool:
        """Returns True if a ConfigProto may stay: its user needs it, and tf.config gets the process's settings, too."""
        takers = {name for _, name, _, _ in self.taken}
        if not takers & _WITH_THEIR_OWN or not takers <= _WITH_THEIR_OWN | {"Session"}:
            return False
        called = {_last(node.func) for node in self.names.nodes if isinstance(node, ast.Call)}
        return all(called & set(_LASTING[name]) for name in self._lasting())

    def _lasting(self) -> set[str]:
        lasting = set()
        for node in self.names.nodes:
            if isinstance(node, ast.Assign):
                values = {_last(target): node.value for target in node.targets}
            elif isinstance(node, ast.keyword) and node.arg:
                values = {node.arg: node.value}
            else:
                continue
            for name, value in values.items():
                nothing = isinstance(value, ast.Constant) and not value.value
                if name in _LASTING and not nothing:
                    lasting.add(name)
        return lasting

    def _not_applied(self) -> str:
        for node, name, _, config in self.taken:
            if not self._applied(config) and not self._has_own_branch(node):
                return f"line {node.lineno}: {name} takes a config that isn't applied"
        return ""

    def _set_session(self) -> str:
        for paths in self.keras:
            if any(path.startswith(_TENSORFLOW) for path in paths):
                return f"Keras's set_session: {_shown(paths)}"
        return ""

    def _applied(self, config: ast.expr) -> bool:
        paths = self.names.of(config)
        return (
            bool(paths)
            and all(path in ("tf1mem.apply()", "None", UNKNOWN) for path in paths)
            and "tf1mem.apply()" in paths
        )

    def _leaves(self) -> bool:
        """Returns True if a config, or the name it is assigned to, is returned, passed on or stored in an attribute."""
        nodes = {id(node) for node, _ in self.built}
        held: set[str] = set()
        for node in self.names.nodes:
            if isinstance(node, ast.Assign) and _contains(node.value, nodes):
                if any(not isinstance(target, ast.Name) for target in node.targets):
                    return True
                held |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        for node in self.names.nodes:
            if isinstance(node, (ast.Return, ast.Yield)) and node.value is not None:
                if _contains(node.value, nodes) or _mentions(node.value, held):
                    return True
            elif isinstance(node, ast.Call) and id(node) not in nodes:
                arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
                if any(_contains(argument, nodes) or _mentions(argument, held) for argument in arguments):
                    return True
            elif isinstance(node, (ast.Dict, ast.List, ast.Tuple)) and any(
                _mentions(child, held) for child in ast.iter_child_nodes(node) if isinstance(child, ast.Name)
            ):
                return True
            elif isinstance(node, ast.Assign) and any(not isinstance(target, ast.Name) for target in node.targets):
                handed_on = node.value.id if isinstance(node.value, ast.Name) else ""
                if handed_on in held:
                    return True
        return False


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _argument(call: ast.Call, keyword: str, position: int | None) -> ast.expr | None:
    for keyword_argument in call.keywords:
        if keyword_argument.arg == keyword:
            return keyword_argument.value
    if (
        position is not None
        and len(call.args) > position
        and not any(isinstance(argument, ast.Starred) for argument in call.args)
    ):
        return call.args[position]
    return None


def _from_tf1mem(paths: set[str]) -> bool:
    return bool(paths) and all(path.split(".")[0] == "tf1mem" for path in paths)


def _of_tensorflow(paths: set[str]) -> bool:
    """Returns True if any path is TensorFlow's or Keras's."""
    return any(path.startswith(_TENSORFLOW) or "tensorflow" in path for path in paths)


def _is_elsewhere(paths: set[str]) -> bool:
    """Returns True for another library's Session, such as requests.Session or boto3.Session."""
    return bool(paths) and all(
        not path.startswith((*_TENSORFLOW, "tf1mem", UNKNOWN, ".")) and "tf" not in path.split(".") for path in paths
    )


def _on_tf2(paths: set[str]) -> bool:
    return all(".compat.v1." in path or ".protobuf." in path or path.startswith("tf1mem") for path in paths)


def _shown(paths: set[str]) -> str:
    return " or ".join(sorted(paths))


def _contains(node: ast.AST, ids: set[int]) -> bool:
    return any(id(below) in ids for below in ast.walk(node))


def _mentions(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(below, ast.Name) and below.id in names for below in ast.walk(node))
