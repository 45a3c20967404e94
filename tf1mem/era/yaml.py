"""PyYAML as it was up to 5.4."""

from __future__ import annotations

import ast
from typing import Any, Callable, Iterator

from tf1mem.era import doors
from tf1mem.era.repairs import changed

Note = Callable[[], None]


def _load(note: Note, original: Any, stream: Any, *args: Any, **kwargs: Any) -> Any:
    if _is_enough(original, args, kwargs):
        return original(stream, *args, **kwargs)
    note()
    return _asked(lambda loader: original(stream, loader))


def _load_all(note: Note, original: Any, stream: Any, *args: Any, **kwargs: Any) -> Any:
    if _is_enough(original, args, kwargs):
        return original(stream, *args, **kwargs)
    note()
    return _one_by_one(original, stream)


def _one_by_one(original: Any, stream: Any) -> Iterator[Any]:
    documents = _asked(lambda loader: original(stream, loader))
    end = object()
    while True:
        document = _asked(lambda _: next(documents, end))
        if document is end:
            return
        yield document


def _is_enough(original: Any, args: Any, kwargs: Any) -> bool:
    """Whether the function has a Loader: it was given one, or has its own."""
    return bool(args or kwargs or original.__defaults__)


def _asked(load: Callable[[Any], Any]) -> Any:
    """Loads with what makes plain objects; any object, if the door is open."""
    import yaml

    try:
        return load(yaml.UnsafeLoader if doors.is_open else _plain(yaml))
    except yaml.constructor.ConstructorError as error:
        if "tag:yaml.org,2002:python/" not in str(error) or doors.is_open:
            raise
        raise doors.refused("yaml.load of an object of Python's") from error


def _plain(yaml: Any) -> Any:
    """The loader of plain objects, without what FullLoader has of Python's: it hands out functions by their names.

    Made anew each time: what the program adds to FullLoader meanwhile holds.
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
    return len(call.args) < 2 and not any(one.arg in ("Loader", None) for one in call.keywords)


REPAIRS = tuple(
    changed("yaml", "PyYAML 6.0", "refuses", "without a Loader", _has_no_loader, hint=b"yaml",
            load=_load, load_all=_load_all)
)  # fmt: skip
