"""A table of names in TensorFlow 1's private files, `tensorflow.python.…`, and their new homes; programs import them.

Its main part, internals.txt, is generated from TensorFlow 1 and every TensorFlow 2 that tf1mem knows
(tests/v1/internals/recording.py). It lists each name that at least one TensorFlow 2 lacks in the file that had it in
TensorFlow 1.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Iterator, NamedTuple

from tf1mem.names.keras_files import BROUGHT

PATH = Path(__file__).parent / "data" / "internals.txt"

# Names that are gone and so simple that tf1mem.v1 implements them itself (tf1mem/v1/_internals.py).
SUPPLIED = frozenset(
    [
        "python.eager.execution_callbacks.InfOrNanError",
        "python.eager.function.defun",
        *(f"python.framework.common_shapes.{name}" for name in ("no_outputs", "scalar_shape", "unchanged_shape")),
        "python.framework.common_shapes.call_cpp_shape_fn",
        "python.framework.common_shapes.unknown_shape",
        "python.framework.function.Defun",
        "python.framework.op_def_library.OpDefLibrary",
        *(f"python.framework.op_def_registry.{name}" for name in ("get_registered_ops", "register_op_list")),
        "python.framework.ops.RegisterShape",
        "python.framework.ops._set_call_cpp_shape_fn",
        "python.framework.test_ops._op_def_lib",
        "python.framework.test_util.run_in_graph_and_eager_modes",
        *(f"python.framework.tensor_shape.{name}" for name in ("matrix", "scalar", "vector")),
        "python.layers.utils.get_reachable_from_inputs",
        "python.ops.gen_control_flow_ops._op_def_lib",
        "python.ops.distributions.transformed_distribution.TransformedDistribution",
        "python.ops.parallel_for.test_util.PForTestCase",
        "python.profiler.profile_context.ProfileContext",
        "python.pywrap_tensorflow.TF_bfloat16_type",
        *(f"python.tf2.{name}" for name in ("disable", "enable", "enabled")),
    ]
)


class Moved(NamedTuple):
    """A name that isn't where TensorFlow 1 had it.

    Attributes:
        file: The file of TensorFlow 1 that had it, such as "python.ops.control_flow_ops".
        name: The name in that file.
        home: The namespace of tf1mem.v1 that has it: a public one, or a file of TensorFlow.
        there: The name in that namespace.
    """

    file: str
    name: str
    home: str
    there: str

    @property
    def is_public(self) -> bool:
        """True if its home is a public namespace."""
        return not (self.home + ".").startswith("python.")


# Rows that the generated table lacks, in the same format: names that begin with an underscore, or do now, and names
# that were renamed or that tf1mem.v1 implements.
_BESIDE = """
python.eager.execution_callbacks contrib.eager ExecutionCallback add_execution_callback clear_execution_callbacks
python.eager.execution_callbacks contrib.eager errstate inf_callback inf_nan_callback nan_callback seterr
python.framework.error_interpolation python.framework.error_interpolation interpolate=interpolate_graph
python.framework.ops python.framework.stack _default_session_stack
python.keras.utils.multi_gpu_utils keras.utils multi_gpu_model
python.ops.array_ops python.ops.tensor_getitem_override _SLICE_TYPE_ERROR
python.ops.custom_gradient python.ops.custom_gradient get_dependent_variables=_get_dependent_variables
python.ops.nn_grad python.ops.nn_fused_batch_norm_grad _BatchNormGrad
python.ops.nn_impl python.ops.nn_impl l2_normalize_v2=l2_normalize
python.ops.resource_variable_ops python.ops.ref_variable _from_proto_fn _to_proto_fn
python.tpu.tpu python.tpu.tpu_replication _TPU_REPLICATE_ATTR
python.training.experimental.mixed_precision train.experimental disable_mixed_precision_graph_rewrite
python.training.experimental.mixed_precision train.experimental enable_mixed_precision_graph_rewrite
python.training.tracking.data_structures python.trackable.data_structures _DictWrapper
python.training.tracking.graph_view python.checkpoint.graph_view ObjectGraphView
"""


def rows() -> Iterator[Moved]:
    """Yields every name that isn't where TensorFlow 1 had it."""
    yield from read()
    yield from _parsed(_BESIDE)
    for name in BROUGHT["keras.wrappers.scikit_learn"]:
        yield Moved("python.keras.wrappers.scikit_learn", name, "keras.wrappers.scikit_learn", name)


def read() -> Iterator[Moved]:
    """Yields the rows of internals.txt: for each name one row per file that has it in any TensorFlow."""
    return _parsed(PATH.read_text("utf-8"))


def _parsed(text: str) -> Iterator[Moved]:
    for line in text.splitlines():
        if line and not line.startswith("#"):
            file, home, *names = line.split()
            for entry in names:
                name, _, there = entry.partition("=")
                yield Moved(file, name, "" if home == "." else home, there or name)


def moved(dotted: str) -> str | None:
    """Returns the name in the table that a path equals or lies below; None for a file, and for names that stayed.

    Args:
        dotted: The path, such as "python.ops.control_flow_ops.cond".
    """
    parts = dotted.split(".")
    paths = (".".join(parts[:size]) for size in range(len(parts), 0, -1))
    return next((path for path in paths if path in _names()), None)


def is_file(dotted: str) -> bool:
    """Returns True if a path is a file of the table: some TensorFlow 2 lacks it, or has it with other names."""
    return dotted in _files()


def has_files(dotted: str) -> bool:
    """Returns True if a path is a file of the table, or a folder that contains one."""
    return dotted in _paths()


@lru_cache(maxsize=None)
def _files() -> frozenset[str]:
    return frozenset(row.file for row in rows())


@lru_cache(maxsize=None)
def _paths() -> frozenset[str]:
    """Returns the files of the table and the folders that contain them."""
    parts = [file.split(".") for file in _files()]
    return frozenset(".".join(each[:size]) for each in parts for size in range(1, len(each) + 1))


@lru_cache(maxsize=None)
def _names() -> frozenset[str]:
    return frozenset(f"{row.file}.{row.name}" for row in rows())
