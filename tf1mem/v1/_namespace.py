"""Modules of tf1mem.v1: TensorFlow's own, with a few names laid over them.

A `Layer` says which names tf1mem lays over one namespace of TensorFlow (`train`, `keras.backend`, …). Such a
namespace becomes an `Overlay`, a module that looks in its layer first and in TensorFlow after that. Every other
namespace is TensorFlow's own module object, so that nothing exists twice; a finder makes both importable under
`tf1mem.v1`, to `import tf1mem.v1.keras.backend as K` and its like.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Callable, Dict, Iterable, Mapping, NamedTuple

from tf1mem.errors import MissingPackageError, MissingSymbolError, RemovedModuleError, RemovedSymbolError, Tf1memError
from tf1mem.machine.first_start import user_frame

ROOT = "tf1mem.v1"

Factory = Callable[[], Any]
Missing = Callable[[str, str], Any]

# An import statement takes an ImportError, and swallows an AttributeError; hasattr and getattr the other way round.
_OF_ATTRIBUTES: dict[type, type[Tf1memError]] = {
    MissingPackageError: MissingSymbolError,
    RemovedModuleError: RemovedSymbolError,
}
_OF_IMPORTS: dict[type, type[Tf1memError]] = {kind: of_imports for of_imports, kind in _OF_ATTRIBUTES.items()}


def _of_kind(kinds: Mapping[type, type[Tf1memError]], error: Tf1memError) -> Tf1memError:
    kind = kinds.get(type(error))
    return error if kind is None else kind(error.asked, error.wrong, error.remedy)


def located(symbol: str) -> str:
    """A symbol and the line that asked for it, "tf.contrib.crf, at train.py:12", if one of the program's is known."""
    filename, line = user_frame()
    return symbol if filename is None else f"{symbol}, at {filename}:{line}"


def below(*parts: str) -> str:
    """The dotted name of a path's parts, of which empty ones are left out."""
    return ".".join(filter(None, parts))


def empty_module(dotted: str) -> Callable[[], ModuleType]:
    """The base of a namespace that TensorFlow has nothing for."""
    module = ModuleType(f"{ROOT}.{dotted}")
    return lambda: module


def import_or_none(name: str) -> ModuleType | None:
    """The module of that name, or None if there is none; errors inside the module are the caller's to see."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name + ".").startswith(error.name + "."):
            return None
        raise


class Layer(NamedTuple):
    """What tf1mem lays over one namespace of TensorFlow.

    Attributes:
        names: Name -> a function that returns the object laid over it, called when the name is first used.
        base: Returns TensorFlow's own module, or raises one of tf1mem's errors if there is none; None where it is
            what TensorFlow has under the same name.
        missing: Called with the namespace and a name that neither layer nor base has. Returns the object, or raises.
        required: Whether the namespace is nothing without its base: using it at all raises what `base` raises.
    """

    names: Mapping[str, Factory]
    base: Callable[[], Any] | None = None
    missing: Missing | None = None
    required: bool = False


class Tree:
    """The namespaces of tf1mem.v1.

    Args:
        base: TensorFlow's module that holds TF1's API.
        layers: Dotted namespace -> what is laid over it. Its ancestors become overlays too.
    """

    # Parts of the package `tensorflow` that TF1 programs import, which compat.v1 does not re-export.
    INTERNALS = frozenset("compiler core examples include python stream_executor tools tsl".split())

    def __init__(self, base: Any, layers: Mapping[str, Layer]) -> None:
        self.base = base
        self.layers: Dict[str, Layer] = {"": Layer({})}
        self.layers.update(layers)
        for dotted in layers:
            parts = dotted.split(".")
            for length in range(1, len(parts)):
                self.layers.setdefault(".".join(parts[:length]), Layer({}))

    def base_of(self, dotted: str) -> Any:
        """TensorFlow's own object for a namespace.

        Raises:
            AttributeError: TensorFlow has nothing there.
            Tf1memError: The layer knows why there is nothing.
        """
        layer = self.layers.get(dotted)
        if layer is not None and layer.base is not None:
            return layer.base()
        if not dotted:
            return self.base
        parent, _, leaf = dotted.rpartition(".")
        return self._base_member(parent, self.base_of(parent), leaf)

    def _base_member(self, dotted: str, base: Any, name: str) -> Any:
        internal = dotted.split(".", 1)[0] if dotted else name
        if internal in self.INTERNALS:
            # `tensorflow.python.x` is no attribute until someone has imported it, and may be a function of that name.
            # By this very path: on 1.15 and 2.0 the base's __name__ is another, by which it would load a second time.
            module = import_or_none(below("tensorflow", dotted, name))
            if module is not None:
                return module
        return getattr(base, name)

    def get(self, dotted: str, name: str) -> Any:
        """Looks a name up: in the layer, then among the overlays below it, then in TensorFlow.

        Raises:
            AttributeError: There is no such name; one of tf1mem's errors where the reason is known.
        """
        try:
            return self._get(dotted, name)
        except (MissingPackageError, RemovedModuleError) as error:
            raise _of_kind(_OF_ATTRIBUTES, error) from None

    def _get(self, dotted: str, name: str) -> Any:
        layer = self.layers[dotted]
        child = below(dotted, name)
        if name in layer.names:
            return layer.names[name]()
        if child in self.layers:
            if self.layers[child].required:
                self.base_of(child)
            return import_module(f"{ROOT}.{child}")
        if name == "__all__":
            return [entry for entry in self.dir(dotted) if not entry.startswith("_") or entry == "__version__"]
        dunder = name.startswith("__") and name.endswith("__")
        try:
            return self._base_member(dotted, self.base_of(dotted), name)
        except AttributeError:
            if layer.missing is not None and not dunder:
                return layer.missing(dotted, name)
            raise AttributeError(f"module {below(ROOT, dotted)!r} has no attribute {name!r}") from None
        except Tf1memError:
            if dunder:  # Asked by Python's own machinery (inspect, doctest, …), for which "no" is an answer.
                raise AttributeError(name) from None
            raise

    def dir(self, dotted: str) -> list[str]:
        """The names of a namespace."""
        names = set(self.layers[dotted].names)
        try:
            names.update(dir(self.base_of(dotted)))
        except (AttributeError, Tf1memError):
            pass
        prefix = dotted + "." if dotted else ""
        for key in self.layers:
            leaf = key[len(prefix) :]
            if leaf and key.startswith(prefix) and "." not in leaf and leaf not in self.INTERNALS:
                (names.add if self._usable(key) else names.discard)(leaf)
        return sorted(names)

    def _usable(self, dotted: str) -> bool:
        if not self.layers[dotted].required:
            return True
        try:
            self.base_of(dotted)
        except (AttributeError, ImportError):
            return False
        return True

    def module(self, dotted: str) -> ModuleType | None:
        """The module to import for a dotted name below the root, or None if there is none."""
        if dotted in self.layers:
            if self.layers[dotted].required:
                try:
                    self.base_of(dotted)
                except AttributeError:
                    return None
            return Overlay(self, dotted)
        parent, _, leaf = dotted.rpartition(".")
        above = import_module(below(ROOT, parent))
        if parent.split(".", 1)[0] not in self.INTERNALS:
            try:
                value = getattr(above, leaf)
            except AttributeError as error:
                if isinstance(error, Tf1memError):
                    raise _of_kind(_OF_IMPORTS, error) from None
            else:
                return self._importable(dotted, value)
        found = import_or_none("tensorflow." + dotted)
        if found is None and parent in self.layers:
            try:
                found = import_or_none(f"{self.base_of(parent).__name__}.{leaf}")
            except AttributeError:
                return None
        if found is None and parent not in self.layers:
            self._explain(parent, leaf)
        return found

    def _explain(self, dotted: str, name: str) -> None:
        """Raises what Keras has to say of a path below one of TensorFlow's own modules; Python's own words do else."""
        top = dotted.split(".", 1)[0]
        missing = self.layers[top].missing if top == "keras" and top in self.layers else None
        if missing is not None:
            try:
                missing(dotted, name)
            except RemovedSymbolError as error:
                raise _of_kind(_OF_IMPORTS, error) from None

    def _importable(self, dotted: str, value: Any) -> ModuleType | None:
        if not isinstance(value, ModuleType):
            return None
        if dotted.startswith("contrib.") and not hasattr(value, "__path__") and dotted not in self.layers:
            # TensorFlow 1's contrib shows a file in place of a package (tf.contrib.eager is its python/tfe.py). Both
            # must be found here: the file's names, and the package's other files.
            self.layers[dotted] = Layer({}, base=lambda: value)
            return Overlay(self, dotted)
        return value


class Overlay(ModuleType):
    """A namespace of TensorFlow's with names of tf1mem's laid over it."""

    def __init__(self, tree: Tree, dotted: str) -> None:
        super().__init__(f"{ROOT}.{dotted}", f"TensorFlow's `{dotted}`, by tf1mem.")
        self.__dict__.update(_tree=tree, _dotted=dotted, __path__=[])

    def __getattr__(self, name: str) -> Any:
        value = self._tree.get(self._dotted, name)
        if name != "__all__":
            self.__dict__[name] = value
        return value

    def __dir__(self) -> Iterable[str]:
        own = {name for name in self.__dict__ if name not in ("_tree", "_dotted")}
        return sorted(own.union(self._tree.dir(self._dotted)))

    def __reduce__(self) -> Any:
        return import_module, (self.__name__,)


class _Loader:
    """Gives the import system a module that exists already."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        # The import system writes __spec__ into what is returned here, which would break TensorFlow's own modules.
        return self.module if isinstance(self.module, Overlay) and self.module.__spec__ is None else None

    def exec_module(self, module: ModuleType) -> None:
        if module is not self.module:
            sys.modules[module.__name__] = self.module


class Finder:
    """Finds the modules below tf1mem.v1.

    Args:
        tree: The namespaces.
        own: Names of tf1mem.v1's own files, which are left to Python.
    """

    def __init__(self, tree: Tree, own: Iterable[str]) -> None:
        self.tree = tree
        self.own = frozenset(own)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if not name.startswith(ROOT + "."):
            return None
        dotted = name[len(ROOT) + 1 :]
        if dotted.split(".", 1)[0] in self.own:
            return None
        if (dotted + ".").startswith("compat.v1."):  # The same API once more.
            rest = dotted[len("compat.v1.") :]
            module: ModuleType | None = import_module(below(ROOT, rest))
        else:
            module = self.tree.module(dotted)
        if module is None:
            return None
        return ModuleSpec(name, _Loader(module), is_package=True)  # type: ignore[arg-type]


def install(tree: Tree, own: Iterable[str]) -> None:
    """Makes the namespaces importable, once."""
    for finder in list(sys.meta_path):
        if type(finder).__name__ == Finder.__name__ and type(finder).__module__ == __name__:
            sys.meta_path.remove(finder)
    # First, because TensorFlow's own packages have real paths, on which Python would find their files again and load
    # them a second time under our name.
    sys.meta_path.insert(0, Finder(tree, own))
