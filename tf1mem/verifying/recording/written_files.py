"""Records the summaries and checkpoints that a program wrote into its own folder."""

from __future__ import annotations

import os
import weakref
from itertools import islice
from typing import Any, Callable, Iterator

from tf1mem.hooks.wrappers import put_around
from tf1mem.verifying.recording.notes import Notes

# In a folder with more files than this, files aren't looked at.
_MOST_FILES = 20_000
# At most this many scalars are read from event files, and checkpoints of at most this many bytes are read.
_MOST_SCALARS = 100_000
_LARGEST = 2 << 30
_INDEX = ".index"


class WrittenFiles:
    """Finds the files that a program wrote into its folder, and reads them at the program's end.

    It is created before the program starts.

    Args:
        root: The folder of the program's own files.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._before = self._files()
        self._writers: Any = weakref.WeakSet()

    def around(self, module: Any) -> None:
        """Wraps `module`, TensorFlow's `event_file_writer`, so that its buffers can be written out at the end."""
        put_around(module.EventFileWriter, "__init__", self._around_writer)

    def _around_writer(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def init(writer: Any, *args: Any, **kwargs: Any) -> None:
            original(writer, *args, **kwargs)
            self._writers.add(writer)

        return init

    def note(self, notes: Notes) -> None:
        """Notes the scalars of event files and the values of checkpoints, where TensorFlow can read them."""
        for writer in list(self._writers):
            if not getattr(writer, "_closed", True):
                writer.flush()
        written = self._written()
        if not written:
            return
        import tensorflow as tf

        events = [path for path in written if ".tfevents." in os.path.basename(path)]
        for path, tag, step, value in islice(_scalars(tf, events), _MOST_SCALARS):
            folder = notes.fields.setdefault("summaries", {}).setdefault(self._name(os.path.dirname(path)), {})
            folder.setdefault(tag, []).append([step, value])
        for prefix in _last_checkpoints(written):
            values = self._read(tf, prefix, notes)
            if values:
                notes.fields.setdefault("checkpoints", {})[self._name(prefix)] = values

    def _name(self, path: str) -> str:
        return os.path.relpath(path, self._root)

    def _read(self, tf: Any, prefix: str, notes: Notes) -> dict[str, Any]:
        try:
            reader = tf.train.load_checkpoint(prefix)
            shapes, types = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
            names = sorted(name for name in shapes if _is_number(types[name]))
            size = sum(types[name].size * tf.TensorShape(shapes[name]).num_elements() for name in names)
            return {} if size > _LARGEST else {name: notes.keep(reader.get_tensor(name)) for name in names}
        except Exception:  # a checkpoint that is incomplete, because the program ended as it wrote it
            return {}

    def _written(self) -> list[str]:
        files = self._files()
        return sorted(path for path in files if files[path] != self._before.get(path))

    def _files(self) -> dict[str, tuple[int, int]]:
        """Returns the folder's files with time and size; {} if there are too many."""
        files = {}
        for path in islice(_walk(self._root), _MOST_FILES + 1):
            try:
                about = os.stat(path)
            except OSError:  # it was removed meanwhile, or is a link to nothing
                continue
            files[path] = (about.st_mtime_ns, about.st_size)
        return {} if len(files) > _MOST_FILES else files


def _walk(root: str) -> Iterator[str]:
    for folder, folders, files in os.walk(root):
        folders.sort()
        yield from (os.path.join(folder, name) for name in sorted(files))


def _scalars(tf: Any, paths: list[str]) -> Iterator[tuple[str, str, int, float]]:
    """Yields the path, tag, step and value of each scalar in event files."""
    for path in paths:
        try:
            for event in tf.compat.v1.train.summary_iterator(path):
                for value in event.summary.value:
                    number = _scalar(tf, value)
                    if number is not None:
                        yield path, value.tag, int(event.step), number
        except Exception:  # the file's last record is incomplete
            continue


def _scalar(tf: Any, value: Any) -> float | None:
    """Returns a scalar of a summary; TensorFlow 2 writes it as a tensor. None for images, histograms and text."""
    if value.WhichOneof("value") == "simple_value":
        return float(value.simple_value)
    if value.WhichOneof("value") == "tensor":
        array = tf.make_ndarray(value.tensor)
        if array.ndim == 0 and array.dtype.kind in "fiu":
            return float(array)
    return None


def _last_checkpoints(paths: list[str]) -> list[str]:
    """Returns the prefix of each folder's last checkpoint."""
    last: dict[str, tuple[int, int, str]] = {}
    for path in paths:
        if not path.endswith(_INDEX):
            continue
        prefix = path[: -len(_INDEX)]
        number = prefix.rpartition("-")[2]
        recency = (os.stat(path).st_mtime_ns, int(number) if number.isdigit() else -1, prefix)
        last[os.path.dirname(path)] = max(last.get(os.path.dirname(path), recency), recency)
    return [prefix for _, _, prefix in last.values()]


def _is_number(kind: Any) -> bool:
    return bool(kind.is_floating or kind.is_integer or kind.is_bool)
