"""Repairs for pandas: names and behaviour that it had up to 0.25 and lost by 2.3.

pandas 3.0 also changes when assignments reach a frame, and the type of texts. No repair can restore that: see
`releases`.
"""

from __future__ import annotations

import ast
import logging
from functools import partial
from inspect import Parameter, signature
from itertools import chain
from typing import Any, Callable, Iterable, Iterator

from packaging.version import Version

from tf1mem.era.releases import OTHER_VALUES
from tf1mem.era.repairs import Repair, changed, gone, methods, moved
from tf1mem.machine.distributions import version_beside
from tf1mem.machine.first_start import near

log = logging.getLogger("tf1mem")

Note = Callable[[], None]  # records that the repair was needed

_VERSION = version_beside("pandas")
is_3 = int(_VERSION.partition(".")[0] or 0) >= 3
# The modules of the classes, as the installed version names them.
_FRAME = "pandas.DataFrame" if is_3 else "pandas.core.frame.DataFrame"
_SERIES = "pandas.Series" if is_3 else "pandas.core.series.Series"
_TEXTS = "pandas.core.strings.accessor.StringMethods"
_GROUPS = "pandas.api.typing.DataFrameGroupBy" if is_3 else "pandas.core.groupby.generic.DataFrameGroupBy"

# Texts that stand for missing values in a file, up to pandas 0.25. Later ones added "<NA>" and "None".
_MISSING = (
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "N/A", "NA", "NULL"),
    *("NaN", "n/a", "nan", "null"),
)
_MISSING_LATER = ("<NA>", "None")


def _append(
    frame: Any, other: Any, ignore_index: bool = False, verify_integrity: bool = False, sort: Any = None
) -> Any:
    """Returns a frame with further rows: those of a frame, or of a list of frames, or one row: a series or a dict."""
    import pandas as pd

    if isinstance(other, (pd.Series, dict)):
        other = pd.Series(other) if isinstance(other, dict) else other
        if other.name is None and not ignore_index:
            raise TypeError("Can only append a Series if ignore_index=True or if the Series has a name")
        columns = frame.columns.append(other.index.difference(frame.columns))
        index = pd.Index([other.name], name=frame.index.name)
        row = other.reindex(columns)
        other = pd.DataFrame(row.values.reshape(1, len(row)), index=index, columns=columns).infer_objects()
        frame = frame.reindex(columns=columns)
    elif isinstance(other, list) and other and not isinstance(other[0], pd.DataFrame):
        other = pd.DataFrame(other)
        if (frame.columns.get_indexer(other.columns) >= 0).all():
            other = other.reindex(columns=frame.columns)
    parts = [frame, *other] if isinstance(other, (list, tuple)) else [frame, other]
    sort = _is_to_be_sorted(parts, 0) if sort is None else sort
    return pd.concat(parts, ignore_index=ignore_index, verify_integrity=verify_integrity, sort=sort)


def _append_series(series: Any, to_append: Any, ignore_index: bool = False, verify_integrity: bool = False) -> Any:
    import pandas as pd

    parts = [series, *to_append] if isinstance(to_append, (list, tuple)) else [series, to_append]
    return pd.concat(parts, ignore_index=ignore_index, verify_integrity=verify_integrity)


def _is_to_be_sorted(parts: list[Any], axis: Any) -> bool:
    """Returns True if pandas 0.25 sorted the labels of the other axis: if the parts don't have the same ones.

    Args:
        parts: Frames and series to join.
        axis: The axis along which they are joined: 0, 1, "index" or "columns".
    """
    if axis in (1, "columns"):
        labels = [part.index for part in parts if part.ndim == 1 or sum(part.shape)]
    else:
        labels = [part.columns for part in parts if part.ndim == 2 and sum(part.shape)]
    return any(not labels[0].equals(another) for another in labels[1:])


def _as_matrix(data: Any, columns: Any = None) -> Any:
    return data.values if columns is None else data[columns].values


def _get_value(frame: Any, index: Any, col: Any, takeable: bool = False) -> Any:
    return frame.iat[index, col] if takeable else frame.at[index, col]


def _set_value(frame: Any, index: Any, col: Any, value: Any, takeable: bool = False) -> Any:
    if takeable:
        frame.iat[index, col] = value
    else:
        frame.at[index, col] = value
    return frame


def _lookup(frame: Any, row_labels: Any, col_labels: Any) -> Any:
    """Returns an array of the values at pairs of labels."""
    import pandas as pd

    if len(row_labels) != len(col_labels):
        raise ValueError("Row labels must have same size as column labels")
    rows, columns = frame.index.get_indexer(row_labels), frame.columns.get_indexer(col_labels)
    if (rows < 0).any() or (columns < 0).any():
        raise KeyError("One or more row or column labels was not found")
    values = frame.values[rows, columns]
    inferred = pd.Series(values.tolist()).values if values.dtype == object else values
    return inferred if inferred.dtype.kind in "biufc" else values


def _mean_deviation(data: Any, axis: Any = None, skipna: Any = None) -> Any:
    """Returns the mean absolute deviation."""
    axis = axis or 0
    skipna = True if skipna is None else skipna
    if data.ndim == 1:
        return (data - data.mean(skipna=skipna)).abs().mean(skipna=skipna)
    numbers = data.select_dtypes(["number", "bool"])
    means = numbers.mean(axis=axis, skipna=skipna)
    return numbers.sub(means, axis=1 if axis == 0 else 0).abs().mean(axis=axis, skipna=skipna)


def _limited_above(data: Any, threshold: Any, axis: Any = None, inplace: bool = False) -> Any:
    return data.clip(upper=threshold, axis=axis, inplace=inplace)


def _limited_below(data: Any, threshold: Any, axis: Any = None, inplace: bool = False) -> Any:
    return data.clip(lower=threshold, axis=axis, inplace=inplace)


def _by_position(order: tuple[str, ...], note: Note, method: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls a bound method with arguments by position, some of which it takes by name alone today.

    Args:
        order: The names of the method's arguments, in the order that they had in pandas 0.25.
        note: Records the repair.
        method: The method.
        *args: The arguments by position.
        **kwargs: The arguments by name.
    """
    kinds = signature(method).parameters
    by_position = sum(kind.kind is Parameter.POSITIONAL_OR_KEYWORD for kind in kinds.values())
    if len(args) <= by_position:
        return method(*args, **kwargs)
    note()
    named = _by_name(order, args, kwargs)
    named = {name: value for name, value in named.items() if name in kwargs or value is not None or name == order[0]}
    return method(**named)


def _pivot(note: Note, method: Any, *args: Any, **kwargs: Any) -> Any:
    """Pivots a frame; today's method has its names in another order."""
    note()
    named = _by_name(("index", "columns", "values"), args, kwargs)
    return method(**{name: value for name, value in named.items() if value is not None})


def _replace_text(note: Note, method: Any, pat: Any, repl: Any, *args: Any, **kwargs: Any) -> Any:
    """Replaces a pattern in texts: a regular expression, unless it is a single character."""
    if len(args) > 3 or "regex" in kwargs:  # the call says which
        return method(pat, repl, *args, **kwargs)
    named = _by_name(("n", "case", "flags"), args, kwargs)
    is_changed = callable(repl) or named.get("case") is False or named.get("flags")
    is_regex = not isinstance(pat, str) or len(pat) > 1 or is_changed
    if is_regex and (is_changed or not isinstance(pat, str) or not _SPECIAL.isdisjoint(pat)):
        note()
    return method(pat, repl, regex=bool(is_regex), **named)


# Characters with a meaning in regular expressions.
_SPECIAL = frozenset(".^$*+?{}[]\\|()")


def _isnt_in_place(call: ast.Call) -> bool:
    """Returns True for a call without `inplace`, which is one of a frame or series, not of its texts."""
    return not any(keyword.arg == "inplace" for keyword in call.keywords)


def _counted(note: Note, method: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns how often each value occurs, under the name of the series; the index has no name."""
    note()
    counts = method(*args, **kwargs)
    counts.index.name = None
    return counts.rename(method.__self__.name)


def _set_option(note: Note, original: Any, *args: Any, **kwargs: Any) -> Any:
    """Sets options of pandas; a largest width of -1 means that there is none."""
    pairs = list(args)
    for position in range(0, len(pairs) - 1, 2):
        if "max_colwidth" in str(pairs[position]) and pairs[position + 1] == -1:
            note()
            pairs[position + 1] = None
    return original(*pairs, **kwargs)


def _of_numbers(note: Note, method: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls a method of a frame or of its groups that leaves columns of dates and texts out."""
    if "numeric_only" in kwargs:
        return method(*args, **kwargs)
    owner = method.__self__
    data = owner.obj if type(owner).__name__ == "DataFrameGroupBy" else owner  # a frame may have a column "obj"
    if not any(dtype.kind == "M" for dtype in data.dtypes):
        try:
            return method(*args, **kwargs)
        except (TypeError, ValueError):
            pass
    result = method(*args, **kwargs, numeric_only=True)
    note()
    return result


def _of_numbers_alone(note: Note, method: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls a method of groups that leaves texts out, although today's has a result for them."""
    groups = method.__self__
    has_texts = any(dtype.kind not in "biufcmM" for dtype in groups.obj.drop(columns=groups.exclusions).dtypes)
    if not has_texts or "numeric_only" in kwargs:
        return method(*args, **kwargs)
    note()
    return method(*args, **kwargs, numeric_only=True)


def _dummies(note: Note, original: Any, data: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns indicator columns, of bytes if the program names no dtype."""
    if len(args) > 6:  # the dtype is the eighth argument
        return original(data, *args, **kwargs)
    if kwargs.get("dtype") is None:
        note()
        kwargs["dtype"] = "uint8"
    return original(data, *args, **kwargs)


def _concat(note: Note, original: Any, objs: Any, *args: Any, **kwargs: Any) -> Any:
    """Joins frames or series; sorts the labels of the other axis if the parts don't have the same ones."""
    arguments = _by_name(("axis", "join", "join_axes", "ignore_index", "keys"), args, kwargs)
    if arguments.get("join_axes", True) is None:
        del arguments["join_axes"]
    if not hasattr(objs, "__len__"):
        objs = list(objs)
    parts = [part for part in (objs.values() if isinstance(objs, dict) else objs) if hasattr(part, "ndim")]  # no None
    is_outer = arguments.get("join", "outer") == "outer"
    is_to_be_sorted = is_outer and "sort" not in arguments and _is_to_be_sorted(parts, arguments.get("axis", 0))
    if is_to_be_sorted:
        arguments["sort"] = True
    if args or is_to_be_sorted:
        note()
    return original(objs, **arguments)


def _by_name(order: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Returns all arguments of a call by name, in the order that they had in pandas 0.25."""
    if len(args) > len(order):
        raise TypeError(f"pass by name what comes after {order[-1]}")
    twice = [name for name in order[: len(args)] if name in kwargs]
    if twice:
        raise TypeError(f"got multiple values for argument {twice[0]!r}")
    return {**dict(zip(order, args)), **kwargs}


_ORDER_OF_READ = (
    *("filepath_or_buffer", "sep", "delimiter", "header", "names", "index_col", "usecols", "squeeze", "prefix"),
    *("mangle_dupe_cols", "dtype", "engine", "converters"),
)


def _read(note: Note, original: Any, *args: Any, **kwargs: Any) -> Any:
    """Reads a table from a text file by the arguments, missing values and decimals of pandas 0.25."""
    arguments = _by_name(_ORDER_OF_READ, args, kwargs)
    is_old_call = len(args) > 1 or not arguments.keys().isdisjoint(_LOST_OF_READ)
    squeeze, prefix = arguments.pop("squeeze", False), arguments.pop("prefix", None)
    arguments.pop("mangle_dupe_cols", None)
    if arguments.get("delimiter", True) is None:
        del arguments["delimiter"]
    warns = arguments.pop("warn_bad_lines", True)
    if not arguments.pop("error_bad_lines", True):
        arguments["on_bad_lines"] = "warn" if warns else "skip"
    knows_missing = _tell_missing(arguments)
    table = _with_old_decimals(original, arguments)
    if getattr(table, "ndim", 0) != 2:  # an iterator
        if squeeze or prefix:
            raise TypeError("squeeze and prefix aren't repaired where a table is read in parts: drop chunksize")
        note()
        return table
    columns = [table.iloc[:, position] for position in range(table.shape[1])]
    texts = (column for column in columns if column.dtype.kind not in "biufcmM")
    has_decimals = "f" in [column.dtype.kind for column in columns]
    if is_old_call or has_decimals or (knows_missing and any(text.isin(_MISSING_LATER).any() for text in texts)):
        note()
    if prefix and arguments.get("header", 0) is None and arguments.get("names") is None:
        table.columns = [f"{prefix}{name}" for name in table.columns]
    return table.squeeze(axis=1) if squeeze and table.shape[1] == 1 else table


_LOST_OF_READ = {"squeeze", "prefix", "mangle_dupe_cols", "error_bad_lines", "warn_bad_lines"}


def _tell_missing(arguments: dict[str, Any]) -> bool:
    """Puts the texts for missing values of pandas 0.25 into the arguments of a call that leaves them to pandas.

    Returns:
        True if the call does.
    """
    own = arguments.get("na_values")
    if isinstance(own, dict) or not arguments.get("keep_default_na", True):
        return False
    more = [] if own is None else [own] if isinstance(own, str) or not hasattr(own, "__iter__") else list(own)
    arguments.update(keep_default_na=False, na_values=[*_MISSING, *more])
    return True


def _with_old_decimals(original: Any, arguments: dict[str, Any]) -> Any:
    """Reads a table by the parser of decimals that was the default until pandas 1.1, if the file's parser has it."""
    if arguments.get("float_precision") is None:
        try:
            return original(**{**arguments, "float_precision": "legacy"})
        except ValueError as error:
            # The parser in Python, which some separators need, has one way to read decimals; nothing is read yet.
            if "float_precision" not in str(error):
                raise
    return original(**arguments)


def _label_of(note: Note, method: Any, position: str, *args: Any, **kwargs: Any) -> Any:
    """Returns the label of a series' largest or smallest value, where pandas now returns its position."""
    label = getattr(method.__self__, position)(*args, **kwargs)
    if label != method(*args, **kwargs):
        note()
    return label


def _largest(note: Note, method: Any, *args: Any, **kwargs: Any) -> Any:
    return _label_of(note, method, "idxmax", *args, **kwargs)


def _smallest(note: Note, method: Any, *args: Any, **kwargs: Any) -> Any:
    return _label_of(note, method, "idxmin", *args, **kwargs)


def _has_more_than(count: int) -> Callable[[ast.Call], bool]:
    """Returns a test that is True for calls with more arguments by position, or with starred ones."""
    return lambda call: len(call.args) > count or any(isinstance(argument, ast.Starred) for argument in call.args)


def _always(call: ast.Call) -> bool:
    return True


def _of_class(class_: str, repairs: Iterable[Repair]) -> Iterator[Repair]:
    """Yields repairs of methods, for reports with their class alone: DataFrame.append."""
    short = class_.rpartition(".")[2]
    for repair in repairs:
        kind = repair.what.partition(" ")[2]
        yield repair._replace(what=f"{short}.{repair.name} {kind}".rstrip(), is_method=True, hint=b"pandas")


def _changed_methods(
    class_: str, since: str, did: str, kind: str, *, is_in_need: Callable[[ast.Call], bool] = _always,
    **homes: Callable[..., Any],
) -> Iterator[Repair]:  # fmt: skip
    """Yields repairs of methods that a version changed: see `changed`."""
    changes = chain.from_iterable(
        changed(class_, since, did, kind, is_in_need, hint=b"pandas", is_for_indices=True, **{name: home})
        for name, home in homes.items()
    )
    for repair in _of_class(class_, changes):
        yield repair._replace(is_another=True)


def _methods_by_position(class_: str, **orders: str) -> Iterator[Repair]:
    """Yields repairs of methods that take fewer arguments by position than they did.

    Args:
        class_: The path of the class.
        **orders: The names of each method's arguments, in the order that they had; those before "|" are still taken
            by position.
    """
    for name, order in orders.items():
        taken, _, lost = (part.split() for part in order.partition("|"))
        yield from _changed_methods(
            class_, "pandas 2.0", "takes by name alone", "with arguments by position",
            is_in_need=_has_more_than(len(taken)), **{name: partial(_by_position, (*taken, *lost))},
        )  # fmt: skip


def _methods_of_numbers(class_: str, names: str) -> Iterator[Repair]:
    """Yields repairs of methods that left columns out that aren't numbers."""
    homes = dict.fromkeys(names.split(), _of_numbers)
    kind = "of columns that aren't numbers"
    return _changed_methods(class_, "pandas 2.0", "refuses", kind, is_in_need=_always, **homes)


def _appending(class_: str, home: Callable[..., Any]) -> Iterator[Repair]:
    """Yields the repair of `append`; a call whose result isn't used is one of a list."""
    return (repair._replace(is_for_statements=False) for repair in methods(class_, "pandas 2.0", _always, append=home))


def _lost(
    class_: str, append: Callable[..., Any], by_1: dict[str, Callable[..., Any]], by_2: dict[str, Callable[..., Any]]
) -> Iterator[Repair]:
    """Yields repairs of the methods that frames and series lost, both or one of them.

    Args:
        class_: The path of the class.
        append: Does what its `append` did.
        by_1: Further methods that pandas 1.0 removed -> what they did.
        by_2: Further methods that pandas 2.0 removed -> what they did.
    """
    by_1 = {
        "as_matrix": _as_matrix, "clip_lower": _limited_below, "clip_upper": _limited_above,
        "get_values": lambda data: data.values, **by_1,
    }  # fmt: skip
    by_2 = {"iteritems": lambda data: data.items(), "mad": _mean_deviation, **by_2}
    removed = (methods(class_, f"pandas {number}", None, **homes) for number, homes in (("1.0", by_1), ("2.0", by_2)))
    return _of_class(class_, chain(*removed, _appending(class_, append)))


def warn_of_3(tree: ast.Module, filename: str) -> None:
    """Warns, once in a process, that a program's file imports pandas 3.

    Args:
        tree: The file's syntax tree.
        filename: The file's path.
    """
    global _has_warned
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)) and _is_of_pandas(node) and not _has_warned:
            _has_warned = True
            log.warning(
                "%s:%d imports pandas %s, with which old programs compute other values in silence: %s. "
                "Install an older one: pip install '%s'.",
                near(filename), node.lineno, _VERSION, OTHER_VALUES["pandas"].changes,
                OTHER_VALUES["pandas"].pin,
            )  # fmt: skip


def _is_of_pandas(statement: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(statement, ast.ImportFrom):
        return not statement.level and str(statement.module).partition(".")[0] == "pandas"
    return any(alias.name.partition(".")[0] == "pandas" for alias in statement.names)


_has_warned = False

_ALL = (
    *_lost(
        _FRAME, _append, {"get_value": _get_value, "set_value": _set_value}, {"lookup": _lookup},
    ),
    *_lost(
        _SERIES,
        _append_series,
        {
            "compress": lambda series, condition: series[condition],
            "get_value": lambda series, label: series.at[label],
            "nonzero": lambda series: series.values.nonzero(),
            "ptp": lambda series: series.max() - series.min(),
        },
        {},
    ),
    *_changed_methods(_SERIES, "pandas 1.0", "returns a position", "as a label", argmax=_largest, argmin=_smallest),
    *_changed_methods(_SERIES, "pandas 2.0", "gives other names", "with the series' name", value_counts=_counted),
    *_changed_methods(
        _TEXTS, "pandas 2.0", "takes literally", "of a regular expression", is_in_need=_isnt_in_place,
        replace=_replace_text,
    ),
    *_changed_methods(
        _FRAME, "pandas 2.0", "takes by name alone", "with arguments by position", is_in_need=_has_more_than(0),
        pivot=_pivot,
    ),
    *_methods_of_numbers(_FRAME, "mean median std var sem skew kurt prod corr cov quantile"),
    *_methods_of_numbers(_GROUPS, "mean median std var"),
    *_changed_methods(_GROUPS, "pandas 2.0", "keeps", "of texts", sum=_of_numbers_alone, prod=_of_numbers_alone),
    *_methods_by_position(
        _FRAME,
        any="| axis bool_only skipna",
        drop="labels | axis index columns level inplace errors",
        drop_duplicates="subset | keep inplace",
        dropna="| axis how thresh subset inplace",
        replace="to_replace value | inplace limit regex method",
        reset_index="level | drop inplace col_level col_fill",
        set_index="keys | drop append inplace verify_integrity",
        sort_index="| axis level ascending inplace kind na_position sort_remaining",
        sort_values="by | axis ascending inplace kind na_position",
    ),
    *_methods_by_position(
        _SERIES,
        drop="labels | axis index columns level inplace errors",
        drop_duplicates="| keep inplace",
        dropna="| axis inplace",
        replace="to_replace value | inplace limit regex method",
        reset_index="level | drop name inplace",
        sort_index="| axis level ascending inplace kind na_position sort_remaining",
        sort_values="| axis ascending inplace kind na_position",
    ),
    *_methods_by_position(_TEXTS, rsplit="pat | n expand", split="pat | n expand"),
    *changed("pandas", "pandas 2.0", "returns booleans", "without a dtype", _always, get_dummies=_dummies),
    *changed("pandas", "pandas 1.0", "refuses", "with a width of -1", _always, set_option=_set_option),
    *changed(
        "pandas", "pandas 1.0", "doesn't sort", "of parts with other labels, or by position", _always, concat=_concat
    ),
    *changed(
        "pandas", "pandas 1.2", "reads otherwise", "of decimals, or with old arguments", _always, read_csv=_read,
        read_table=_read,
    ),
    *gone("pandas", "pandas 2.0", "datetime=datetime.datetime"),
    Repair("pandas", "np", "pandas 2.0", "numpy", "pandas.np", hint=b"pandas"),
    *gone("pandas.io.json", "pandas 2.0", "json_normalize=pandas.json_normalize"),
    *moved("pandas 2.0", "pandas.util.testing=pandas._testing"),
)  # fmt: skip

# Those for the installed version; all where pandas isn't installed, for the table of the guide.
REPAIRS = tuple(
    repair for repair in _ALL if not _VERSION or Version(_VERSION) >= Version(repair.since.partition(" ")[2])
)
