"""Repairs for PyYAML, whose `load` and `load_all` needed no Loader up to 5.4, and need one since 6.0."""

from __future__ import annotations

import ast
from typing import Any, Callable, Iterator

from tf1mem.era import trust
from tf1mem.era.repairs import changed

Note = Callable[[], None]  # records that the repair was needed


def _load(note: Note, original: Any, stream: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns the result of `yaml.load`, which is `original`."""
    if _gets_loader(original, args, kwargs):
        return original(stream, *args, **kwargs)
    note()
    return _load_plain_or_any(lambda loader: original(stream, loader))


def _load_all(note: Note, original: Any, stream: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns the result of `yaml.load_all`, which is `original`: an iterator."""
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
    """Returns True if a call passes a Loader, or the function has one by default, as up to PyYAML 5.4."""
    return bool(args or kwargs or original.__defaults__)


def _load_plain_or_any(load: Callable[[Any], Any]) -> Any:
    """Calls a function with a Loader for plain objects, or for any objects if the user trusts the data.

    Args:
        load: The function of a Loader.

    Returns:
        The result of `load`.

    Raises:
        DataNotTrustedError: The data has an object of Python's, and the user doesn't trust it.
    """
    import yaml

    try:
        return load(yaml.UnsafeLoader if trust.trusts_data else _plain(yaml))
    except yaml.constructor.ConstructorError as error:
        if "tag:yaml.org,2002:python/" not in str(error) or trust.trusts_data:
            raise
        raise trust.refused("yaml.load of an object of Python's") from error


def _plain(yaml: Any) -> Any:
    """Returns a subclass of FullLoader that refuses the tags of Python's modules, functions and objects.

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
    """Returns True for a call without a Loader; **kwargs, whose `keyword.arg` is None, may have one."""
    return len(call.args) < 2 and not any(keyword.arg in ("Loader", None) for keyword in call.keywords)


REPAIRS = tuple(
    changed("yaml", "PyYAML 6.0", "refuses", "without a Loader", _has_no_loader, hint=b"yaml",
            load=_load, load_all=_load_all)
)  # fmt: skip
