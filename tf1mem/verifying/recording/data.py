"""The data of a program's iterators and queues, kept on the old side and given to the new, for `--same-data`."""

from __future__ import annotations

import os
from typing import Any, Mapping, NamedTuple, Sequence

from tf1mem.machine.modules import loaded_module
from tf1mem.verifying.recording.job import Job

DATA = "data.npz"
# The most bytes of data that are kept.
ROOM = 1 << 30
_END = "~end"
# Arrays of text are written as their bytes and the ends of their items.
_BYTES, _ENDS = "~bytes", "~ends"


class Turn(NamedTuple):
    """A run of ops that return data.

    Attributes:
        keys: An op's name -> its name in the file, with the count of its runs.
        values: A tensor's name -> the value to use; {} if this process gets none.
    """

    keys: Mapping[str, str]
    values: Mapping[str, Any]


class Data:
    """Keeps what ops return, by the op's name and the count of its runs, or replaces it by what was kept.

    Args:
        job: The job, which says whether data is kept, or names a file with data.
        fields: The fields of the process's notes: "given" and "not_given" count ops' runs there.
    """

    def __init__(self, job: Job, fields: dict[str, Any]) -> None:
        self._job, self._fields = job, fields
        self._counts: dict[str, int] = {}
        self._kept: dict[str, Any] = {}
        self._kept_bytes = 0
        self._replacements: Any = None

    def start(self, tensors: Sequence[Any]) -> Turn:
        """Begins a run of ops that return data.

        Args:
            tensors: The tensors that the run's ops return.

        Raises:
            tf.errors.OutOfRangeError: The data ended here on the old side.
        """
        keys = {}
        for name in sorted({tensor.op.name for tensor in tensors}):
            self._counts[name] = self._counts.get(name, 0) + 1
            keys[name] = f"{name.replace('/', '|')}#{self._counts[name]}"
        if not self._job.data or not tensors:
            return Turn(keys, {})
        if self._replacements is None:
            import numpy as np

            self._replacements = np.load(self._job.data)
        if any(key + _END in self._replacements.files for key in keys.values()):
            raise loaded_module("python.framework.errors_impl").OutOfRangeError(None, None, "End of sequence")
        values = {tensor.name: self._read(keys, tensor) for tensor in tensors if tensor.graph.is_feedable(tensor)}
        values = {name: value for name, value in values.items() if value is not None}
        replaced = {name.rpartition(":")[0] for name in values}
        for name in keys:
            kind = "given" if name in replaced else "not_given"
            counts = self._fields.setdefault(kind, {})
            counts[name] = counts.get(name, 0) + 1
        return Turn(keys, values)

    def keep(self, turn: Turn, tensor: Any, value: Any) -> None:
        """Keeps a tensor's value in this run, if there is room."""
        import numpy as np

        if not self._job.keeps_data:
            return
        array = np.asarray(value)
        key = f"{turn.keys[tensor.op.name]}:{tensor.value_index}"
        if array.dtype.kind == "O":
            items = [each if isinstance(each, bytes) else str(each).encode() for each in array.ravel().tolist()]
            ends = np.cumsum([len(each) for each in items], dtype=np.int64).reshape(array.shape)
            parts = {key + _BYTES: np.frombuffer(b"".join(items), np.uint8), key + _ENDS: ends}
        else:
            parts = {key: array}
        size = sum(each.nbytes for each in parts.values())
        if self._kept_bytes + size <= ROOM:
            self._kept_bytes += size
            self._kept.update(parts)

    def end(self, turn: Turn, error: Exception) -> None:
        """Keeps the fact that the data ended in this run, if the run's error says so."""
        import numpy as np

        if self._job.keeps_data and turn.keys and type(error).__name__ == "OutOfRangeError":
            self._kept[min(turn.keys.values()) + _END] = np.zeros(0)

    def write(self) -> None:
        """Writes the file, if data is kept."""
        import numpy as np

        if self._job.keeps_data:
            np.savez(os.path.join(self._job.folder, DATA), **self._kept)

    def _read(self, keys: Mapping[str, str], tensor: Any) -> Any:
        key = f"{keys[tensor.op.name]}:{tensor.value_index}"
        if key in self._replacements.files:
            value = self._replacements[key]
        elif key + _ENDS in self._replacements.files:
            value = _texts(self._replacements[key + _BYTES].tobytes(), self._replacements[key + _ENDS])
        else:
            return None
        return value if tensor.shape.is_compatible_with(value.shape) else None


def _texts(content: bytes, ends: Any) -> Any:
    import numpy as np

    stops = ends.ravel().tolist()
    texts: Any = np.empty(len(stops), dtype=object)
    texts[:] = [content[start:stop] for start, stop in zip([0, *stops], stops)]
    return texts.reshape(ends.shape)
