"""Modules of tf1mem.v1: TensorFlow's own, with some names replaced or added.

A `Layer` lists the names that tf1mem replaces or adds in one namespace of TensorFlow (`train`, `keras.backend`, …).
Such a namespace becomes an `Overlay`, a module that looks names up in its layer first and in TensorFlow after that.
Every other namespace is TensorFlow's own module object, so that nothing exists twice. A finder makes both kinds
importable below `tf1mem.v1`, for statements such as `import tf1mem.v1.keras.backend as K`.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import FunctionType, ModuleType
from typing import Any, Callable, Dict, Iterable, Iterator, Mapping, NamedTuple

from tf1mem.errors import MissingPackageError, MissingSymbolError, RemovedModuleError, RemovedSymbolError, Tf1memError
from tf1mem.hooks.wrappers import name_by_place
from tf1mem.machine.first_start import user_frame
from tf1mem.machine.modules import dotted_name
from tf1mem.names import gone, used_names

ROOT = "tf1mem.v1"

Factory = Callable[[], Any]
Missing = Callable[[str, str], Any]

# A failed import has to raise an ImportError, which programs catch: Python replaces an AttributeError by an ImportError
# without tf1mem's advice. A failed attribute access has to raise an AttributeError, which hasattr and getattr handle.
# So each error for an import has a counterpart for an attribute.
_ATTRIBUTE_ERRORS: dict[type, type[Tf1memError]] = {
    MissingPackageError: MissingSymbolError,
    RemovedModuleError: RemovedSymbolError,
}
_IMPORT_ERRORS: dict[type, type[Tf1memError]] = {kind: of_imports for of_imports, kind in _ATTRIBUTE_ERRORS.items()}


def _as_kind(kinds: Mapping[type, type[Tf1memError]], error: Tf1memError) -> Tf1memError:
    """Returns the counterpart of an error; the error itself if its class has none."""
    kind = kinds.get(type(error))
    return error if kind is None else kind(error.asked, error.wrong, error.remedy)


def located(symbol: str) -> str:
    """Returns a symbol and, if known, the program's line that uses it, such as "tf.contrib.crf, at train.py:12"."""
    filename, line = user_frame()
    return symbol if filename is None else f"{symbol}, at {filename}:{line}"


def raise_if_removed(dotted: str) -> None:
    """Raises an error if TensorFlow has removed a name for good; returns None otherwise.

    Args:
        dotted: The name below `tf`, such as "estimator.BoostedTreesClassifier", or below `tensorflow` if it starts with
            "python.".

    Raises:
        RemovedSymbolError: The name is removed; the error says what to use in its place.
    """
    if gone.gone(dotted) == dotted:
        root = "tensorflow." if dotted.startswith("python.") else "tf."
        raise RemovedSymbolError(located(root + dotted), "this TensorFlow no longer has it", gone.ADVICE[dotted])


def _named(value: Any, dotted: str, name: str) -> Any:
    """Returns a layer's value. A function of tf1mem that wraps TensorFlow's gets the name by which pickle finds it.

    Args:
        value: Any object.
        dotted: The layer's namespace.
        name: The object's name in the namespace.
    """
    if isinstance(value, FunctionType) and hasattr(value, "__wrapped__") and _is_nameless(value):
        value.__module__, value.__qualname__ = dotted_name(ROOT, dotted), name
        vars(value)["autograph_info__"] = {}  # AutoGraph leaves such functions alone, as it does TensorFlow's
    return value


def _name_by_place(value: Any, leaf: str) -> None:
    """Gives a function of TensorFlow the name by which pickle finds it; for a public namespace, all its functions."""
    if isinstance(value, FunctionType):
        name_by_place(value, leaf)
    elif isinstance(value, ModuleType) and "._api." in value.__name__ + ".":
        for name, member in list(vars(value).items()):
            if isinstance(member, FunctionType) or getattr(member, "__name__", None) == f"{value.__name__}.{name}":
                _name_by_place(member, name)


def _is_nameless(function: FunctionType) -> bool:
    """Returns True for a function of tf1mem that pickle doesn't find by its module and name."""
    own = vars(sys.modules.get(function.__module__, function)).get(function.__name__)
    return own is not function and str(function.__globals__["__name__"]).startswith(ROOT.partition(".")[0] + ".")


def empty_module(dotted: str) -> Callable[[], ModuleType]:
    """Returns a function that returns one empty module: the base of a namespace that TensorFlow lacks."""
    module = ModuleType(f"{ROOT}.{dotted}")
    return lambda: module


def is_on_path(error: ModuleNotFoundError, name: str) -> bool:
    """Returns True if the missing module is `name` or a package above it, not one that it imports."""
    return error.name is not None and (name + ".").startswith(error.name + ".")


def import_or_none(name: str) -> ModuleType | None:
    """Returns the module of that name, or None if there is none; errors raised inside the module propagate."""
    try:
        with _shown_attribute_errors(name):
            return import_module(name)
    except ModuleNotFoundError as error:
        if is_on_path(error, name):
            return None
        raise


@contextmanager
def _shown_attribute_errors(name: str) -> Iterator[None]:
    """Raises an AttributeError of a module's code as an ImportError: hasattr and imports would hide the former."""
    try:
        yield
    except AttributeError as error:
        if isinstance(error, Tf1memError):
            raise _as_kind(_IMPORT_ERRORS, error) from None
        raise ImportError(f"{name} can't be imported: {error}", name=name) from error


class Layer(NamedTuple):
    """The names that tf1mem replaces or adds in one namespace of TensorFlow.

    Attributes:
        names: Name -> a function that returns the object for it, called when the name is first used.
        base: Function that returns TensorFlow's own module, or raises one of tf1mem's errors if there is none; None for
            TensorFlow's module of the same name.
        missing: Called with the namespace and a name that neither layer nor base has. Returns the object, or raises.
        required: True if the namespace is useless without its base, so that any use raises the error of `base`.
    """

    names: Mapping[str, Factory]
    base: Callable[[], Any] | None = None
    missing: Missing | None = None
    required: bool = False


class Files(NamedTuple):
    """A namespace that TensorFlow lacks, and that is a folder of files in tf1mem.

    Attributes:
        top: Name of the namespace and of the folder.
        shortened: Function from TensorFlow 1's dotted path below `top` to the dotted name below tf1mem.v1.
    """

    top: str
    shortened: Callable[[str], str]


class Tree:
    """The namespaces of tf1mem.v1.

    Args:
        base: TensorFlow's module that holds TF1's API.
        layers: Dotted namespace -> the layer over it. Its ancestors become overlays too.
        files: Namespaces that are folders of files in tf1mem.
        late: Top-level namespace -> a function that returns the layers below it, called when one is first used.
        origin: Returns the full name of TensorFlow's own module for a dotted name below one of `INTERNALS`.
    """

    # Parts of the package `tensorflow` that TF1 programs import, which compat.v1 does not re-export.
    INTERNALS = frozenset("compiler core examples include python stream_executor tools tsl".split())

    def __init__(
        self,
        base: Any,
        layers: Mapping[str, Layer],
        files: Iterable[Files] = (),
        late: Mapping[str, Callable[[], Mapping[str, Layer]]] | None = None,
        origin: Callable[[str], str] = "tensorflow.{}".format,
    ) -> None:
        self.base = base
        self.files = {folder.top: folder for folder in files}
        self.layers: Dict[str, Layer] = {"": Layer({})}
        self._late = dict(late or {})
        self._origin = origin
        self._add_layers(layers)

    def _add_layers(self, layers: Mapping[str, Layer]) -> None:
        """Adds layers, and empty ones for their ancestors; names of an existing layer take precedence."""
        for dotted, added in layers.items():
            older = self.layers.get(dotted, Layer({}))
            names, missing = {**added.names, **older.names}, older.missing or added.missing
            self.layers[dotted] = added._replace(names=names, missing=missing)
            parts = dotted.split(".")
            for length in range(1, len(parts)):
                self.layers.setdefault(".".join(parts[:length]), Layer({}))

    def _add_late_layers(self, dotted: str) -> None:
        """Adds the late layers of a name's top-level namespace, if it has any, at its first use."""
        late = self._late.pop(dotted.partition(".")[0], None)
        if late is not None:
            self._add_layers(late())

    def base_of(self, dotted: str) -> Any:
        """Returns TensorFlow's own object for a namespace.

        Raises:
            AttributeError: TensorFlow has nothing there.
            Tf1memError: TensorFlow has nothing there, and the layer's `base` says why.
        """
        layer = self.layers.get(dotted)
        if layer is not None and layer.base is not None:
            return layer.base()
        if not dotted:
            return self.base
        parent, _, leaf = dotted.rpartition(".")
        return self._base_member(parent, self.base_of(parent), leaf)

    def _is_internal(self, dotted: str) -> bool:
        """Returns True for a name below one of `INTERNALS`."""
        top = dotted.partition(".")[0]
        return top in self.INTERNALS and top not in self.files

    def _base_member(self, dotted: str, base: Any, name: str) -> Any:
        if self._is_internal(dotted_name(dotted, name)):
            # Imported, because before its import `tensorflow.python.x` is no attribute, or a function of that name. The
            # path isn't made from base.__name__, which differs on 1.15 and 2.0 and would load the file a second time.
            module = import_or_none(self._origin(dotted_name(dotted, name)))
            if module is not None:
                return module
        return getattr(base, name)

    def get(self, dotted: str, name: str) -> Any:
        """Returns a name's object: from the layer, else the overlay of that name, else from TensorFlow.

        Args:
            dotted: The namespace; "" for the root.
            name: The name in it.

        Raises:
            AttributeError: There is no such name. If the reason is known, it is one of tf1mem's errors.
        """
        try:
            return self._get(dotted, name)
        except (MissingPackageError, RemovedModuleError) as error:
            used_names.record_lacking(dotted_name(dotted, name), error.remedy)
            raise _as_kind(_ATTRIBUTE_ERRORS, error) from None
        except RemovedSymbolError as error:
            used_names.record_lacking(dotted_name(dotted, name), error.remedy)
            raise

    def _get(self, dotted: str, name: str) -> Any:
        child = dotted_name(dotted, name)
        self._add_late_layers(child)
        layer = self.layers[dotted]
        if name in layer.names:
            value = _named(layer.names[name](), dotted, name)
            if self._is_supplied(dotted, name):
                used_names.record_supplied(child)
            return value
        if child in self.layers:
            if self.layers[child].required:
                self.base_of(child)
            return import_module(f"{ROOT}.{child}")
        if name == "__all__":
            return [entry for entry in self.dir(dotted) if not entry.startswith("_") or entry == "__version__"]
        dunder = name.startswith("__") and name.endswith("__")
        try:
            value = self._base_member(dotted, self.base_of(dotted), name)
            if not self._is_internal(child):
                _name_by_place(value, name)
            return value
        except AttributeError:
            if layer.missing is not None and not dunder:
                value = layer.missing(dotted, name)
                used_names.record_supplied(child)
                return value
            raise AttributeError(f"module {dotted_name(ROOT, dotted)!r} has no attribute {name!r}") from None
        except Tf1memError:
            if dunder:  # inspect, doctest and the like probe for such names, and handle an AttributeError
                raise AttributeError(name) from None
            raise

    def _is_supplied(self, dotted: str, name: str) -> bool:
        """Returns True for a name that TensorFlow itself lacks."""
        try:
            return not hasattr(self.base_of(dotted), name)
        except (AttributeError, ImportError):
            return True

    def dir(self, dotted: str) -> list[str]:
        """Returns the names of a namespace, sorted."""
        names = set(self.layers[dotted].names)
        try:
            names.update(dir(self.base_of(dotted)))
        except (AttributeError, Tf1memError):
            pass
        prefix = dotted + "." if dotted else ""
        # Programs see contrib's folders `python`. TensorFlow's parts of such names aren't listed: programs import them.
        hidden = () if dotted.partition(".")[0] in self.files else self.INTERNALS
        for key in self.layers:
            leaf = key[len(prefix) :]
            if leaf and key.startswith(prefix) and "." not in leaf and leaf not in hidden:
                (names.add if self._usable(key) else names.discard)(leaf)
        return sorted(names)

    def _usable(self, dotted: str) -> bool:
        """Returns False for an overlay that requires a base that TensorFlow lacks."""
        if not self.layers[dotted].required:
            return True
        try:
            self.base_of(dotted)
        except (AttributeError, Tf1memError):
            return False
        except ImportError:  # a package that is installed and fails: a use of the name shows the error
            return True
        return True

    def module(self, dotted: str) -> ModuleType | None:
        """Returns the module to import for a dotted name below tf1mem.v1, or None if there is none."""
        self._add_late_layers(dotted)
        if dotted in self.layers:
            if self.layers[dotted].required:
                try:
                    self.base_of(dotted)
                except AttributeError:
                    return None
            return Overlay(self, dotted)
        parent, _, leaf = dotted.rpartition(".")
        above = import_module(dotted_name(ROOT, parent))
        if not self._is_internal(parent):
            try:
                value = getattr(above, leaf)
            except AttributeError as error:
                if isinstance(error, Tf1memError):
                    raise _as_kind(_IMPORT_ERRORS, error) from None
            else:
                return self._importable(dotted, value)
        module = import_or_none(self._origin(dotted))
        if module is None and parent in self.layers:
            try:
                base = str(self.base_of(parent).__name__)
            except AttributeError:
                return None
            if not base.startswith(ROOT):
                module = import_or_none(f"{base}.{leaf}")
        if module is None:
            try:
                self._raise_with_advice(parent, leaf)
            except RemovedSymbolError as error:
                raise _as_kind(_IMPORT_ERRORS, error) from None
        return module

    def _raise_with_advice(self, dotted: str, name: str) -> None:
        """Raises an error if there is advice for a missing path; without advice, the import system raises its error."""
        raise_if_removed(f"{dotted}.{name}")
        top = dotted.split(".", 1)[0]
        missing = self.layers[top].missing if top == "keras" and top in self.layers else None
        if missing is not None and dotted not in self.layers:
            missing(dotted, name)

    def _importable(self, dotted: str, value: Any) -> ModuleType | None:
        """Returns the module to import for a name whose attribute has this value; None if that is no module."""
        if not isinstance(value, ModuleType):
            return None
        if dotted.startswith("contrib.") and not hasattr(value, "__path__") and dotted not in self.layers:
            # In TensorFlow 1's contrib, an attribute may be a file in place of the package of its name:
            # tf.contrib.eager is its python/tfe.py. The overlay has the file's names, and the package's files can be
            # imported below it.
            self.layers[dotted] = Layer({}, base=lambda: value)
            return Overlay(self, dotted)
        return value


class Overlay(ModuleType):
    """A module that looks names up in tf1mem's layer first, then in TensorFlow's namespace.

    Args:
        tree: The namespaces.
        dotted: The module's namespace.
        path: The folders with files of tf1mem below the module, its `__path__`.
    """

    def __init__(self, tree: Tree, dotted: str, path: Iterable[str] = ()) -> None:
        super().__init__(f"{ROOT}.{dotted}", f"TensorFlow's `{dotted}`, by tf1mem.")
        self.__dict__.update(_tree=tree, _dotted=dotted, _is_file=dotted.startswith("python."), __path__=[*path])

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType):
            # Importing a file must not replace a function of the same name (contrib.framework.arg_scope).
            if name in self._tree.layers[self._dotted].names:
                return
        elif self._is_file and not name.startswith("__"):
            # A program that replaces a function in TensorFlow's file expects TensorFlow to call the replacement.
            setattr(self._tree.base_of(self._dotted), name, value)
            if name not in self._tree.layers[self._dotted].names:
                self.__dict__.pop(name, None)
                return
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        value = self._tree.get(self._dotted, name)
        # A value of a file that is no function or module isn't cached, because it is state that can change.
        is_state = self._is_file or (name.startswith("_") and not name.startswith("__"))
        if name != "__all__" and (not is_state or callable(value) or isinstance(value, ModuleType)):
            self.__dict__[name] = value
        return value

    def __delattr__(self, name: str) -> None:
        in_file = self._is_file and hasattr(self._tree.base_of(self._dotted), name)
        if name in self.__dict__ or not in_file:
            super().__delattr__(name)
        if in_file:
            delattr(self._tree.base_of(self._dotted), name)

    def __dir__(self) -> Iterable[str]:
        loaded = {name for name in self.__dict__ if name not in ("_tree", "_dotted", "_is_file")}
        return sorted(loaded.union(self._tree.dir(self._dotted)))

    def __reduce__(self) -> Any:
        return import_module, (self.__name__,)


class _Loader:
    """Import loader for a module that exists already."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        # The import system sets __spec__ of the returned module, which would break TensorFlow's own modules.
        return self.module if isinstance(self.module, Overlay) and self.module.__spec__ is None else None

    def exec_module(self, module: ModuleType) -> None:
        if module is not self.module:
            sys.modules[module.__name__] = self.module


class _FileLoader(SourceFileLoader):
    """Import loader for a file of tf1mem that replaces a file of TensorFlow 1."""

    def exec_module(self, module: ModuleType) -> None:
        with _shown_attribute_errors(module.__name__):
            super().exec_module(module)


class _PackageLoader(_FileLoader):
    """Import loader that makes an overlay of a folder of tf1mem, so that the folder's layer applies too."""

    def __init__(self, tree: Tree, dotted: str, path: str) -> None:
        super().__init__(f"{ROOT}.{dotted}", path)
        self._tree, self._dotted = tree, dotted

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        layers, above = self._tree.layers, self._dotted.rpartition(".")[0]
        layers.setdefault(self._dotted, Layer({}, base=empty_module(self._dotted), missing=layers[above].missing))
        return Overlay(self._tree, self._dotted, spec.submodule_search_locations or ())


class Finder:
    """Import finder for modules below tf1mem.v1, except its private ones, which begin with an underscore.

    Args:
        tree: The namespaces.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if not name.startswith(ROOT + "."):
            return None
        dotted = name[len(ROOT) + 1 :]
        if dotted.startswith("_"):
            return None
        if (dotted + ".").startswith("compat.v1."):  # an alias of the whole API
            return _spec_of(name, import_module(dotted_name(ROOT, dotted[len("compat.v1.") :])))
        top, _, path_below = dotted.partition(".")
        if top in self.tree.files:
            shortened = self.tree.files[top].shortened(path_below)
            if shortened != dotted and dotted not in self.tree.layers:
                return _spec_of(name, import_module(dotted_name(ROOT, shortened)))
            spec = PathFinder.find_spec(name, path)
            if spec is not None and spec.origin is not None:  # a folder without an __init__.py has only stubs
                return self._file_spec(spec, dotted)
        return _spec_of(name, self.tree.module(dotted))

    def _file_spec(self, spec: ModuleSpec, dotted: str) -> ModuleSpec:
        used_names.record_supplied(dotted)
        assert spec.origin is not None
        if spec.submodule_search_locations is not None:
            spec.loader = _PackageLoader(self.tree, dotted, spec.origin)
        else:
            spec.loader = _FileLoader(spec.name, spec.origin)
        return spec


def _spec_of(name: str, module: ModuleType | None) -> ModuleSpec | None:
    return None if module is None else ModuleSpec(name, _Loader(module), is_package=True)  # type: ignore[arg-type]


def install(tree: Tree) -> None:
    """Makes the namespaces importable below tf1mem.v1; replaces the finder of an earlier call."""
    for finder in list(sys.meta_path):
        if type(finder).__name__ == Finder.__name__ and type(finder).__module__ == __name__:
            sys.meta_path.remove(finder)
    # First in the list: TensorFlow's packages have real paths, in which Python's own finder would find their files and
    # load them a second time, under tf1mem's name.
    sys.meta_path.insert(0, Finder(tree))
