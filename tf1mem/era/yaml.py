"""Repairs for PyYAML, whose `load` needed no Loader up to 5.4, and needs one since."""

from __future__ import annotations

import ast
from typing import Any, Callable, Iterator

from tf1mem.era import trust
from tf1mem.era.repairs import changed

Note = Callable[[], None]  # records that the repair was needed


def _load(note: Note, original: Any, stream: Any, *args: Any, **kwargs: Any) -> Any:
    if _gets_loader(original, args, kwargs):
        return original(stream, *args, **kwargs)
    note()
    return _load_plain_or_any(lambda loader: original(stream, loader))


def _load_all(note: Note, original: Any, stream: Any, *args: Any, **kwargs: Any) -> Any:
    if _gets_loader(original, args, kwargs):
        return original(stream, *args, **kwargs)
    note()
    return _one_by_one(original, stream)


def _one_by_one(original: Any, stream: Any) -> Iterator[Any]:
    documents = _load_plain_or_any(lambda loader: original(stream, loader))
    end = object()
    while True:
        document = _load_plain_or_any(lambda _: next(documents, end))
        if document is end:
            return
        yield document


def _gets_loader(original: Any, args: Any, kwargs: Any) -> bool:
    """Returns True if the function has a Loader: as an argument, or by default."""
    return bool(args or kwargs or original.__defaults__)


def _load_plain_or_any(load: Callable[[Any], Any]) -> Any:
    """Loads plain objects; any object, if the user trusts the data."""
    import yaml

    try:
        return load(yaml.UnsafeLoader if trust.trusts_data else _plain(yaml))
    except yaml.constructor.ConstructorError as error:
        if "tag:yaml.org,2002:python/" not in str(error) or trust.trusts_data:
            raise
        raise trust.refused("yaml.load of an object of Python's") from error


def _plain(yaml: Any) -> Any:
    """Returns a loader of plain objects. FullLoader's access to Python's functions by name is removed.

    The class is made anew each time, so that constructors that the program adds to FullLoader count.
    """

    class Plain(yaml.FullLoader):  # type: ignore[misc]
        pass

    def refused(loader: Any, suffix: str, node: Any) -> Any:
        problem = f"could not determine a constructor for the tag {node.tag!r}"
        raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)

    for kind in ("module", "name", "object", "object/apply", "object/new"):
        Plain.add_multi_constructor(f"tag:yaml.org,2002:python/{kind}:", refused)
    return Plain


def _has_no_loader(call: ast.Call) -> bool:
    return len(call.args) < 2 and not any(keyword.arg in ("Loader", None) for keyword in call.keywords)


REPAIRS = tuple(
    changed("yaml", "PyYAML 6.0", "refuses", "without a Loader", _has_no_loader, hint=b"yaml",
            load=_load, load_all=_load_all)
)  # fmt: skip
