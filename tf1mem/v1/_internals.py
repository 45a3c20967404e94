"""TensorFlow's own files, `tensorflow.python.…`, with the names that they had in TensorFlow 1.

A name that is also public resolves to the public object, so that both paths lead to the same object. If the old file
has lost a name, the name resolves to the object in the file that it moved to.
"""

from __future__ import annotations

from functools import partial, wraps
from importlib import import_module
from inspect import signature
from operator import attrgetter
from typing import Any, Callable, Dict, cast

from tf1mem.errors import MissingPackageError, MissingSymbolError
from tf1mem.names import gone, internals
from tf1mem.v1 import _estimators, _op_definitions, _tf2_switch
from tf1mem.v1._keras_package import keras_package
from tf1mem.v1._namespace import ROOT, Layer, empty_module, import_or_none, raise_if_removed


def layers() -> dict[str, Layer]:
    """Returns a layer for each file of TensorFlow 1 whose names differ in another TensorFlow."""
    public: Dict[str, Dict[str, Callable[[], Any]]] = {file: dict(names) for file, names in _SUPPLIED.items()}
    moved: Dict[str, Dict[str, list[str]]] = {file: {} for file in _SUPPLIED}
    for row in internals.rows():
        public.setdefault(row.namespace, {})
        moved.setdefault(row.namespace, {})
        path = f"{row.home}.{row.there}".lstrip(".")
        if row.is_public:
            public[row.namespace][row.name] = partial(_object_at, path)
        else:
            moved[row.namespace].setdefault(row.name, []).append(path)
    for path in gone.ADVICE:
        file = path.rpartition(".")[0]
        if file.startswith("python."):
            public.setdefault(file, {})
            moved.setdefault(file, {})
    return {
        file: Layer(public[file], base=partial(_file, file), missing=partial(_missing, moved[file])) for file in public
    }


def _register_shape(op_type: str) -> Callable[[Any], Any]:
    """Returns a decorator without effect, as RegisterShape's was in TensorFlow 1: shapes come from C++."""
    return lambda function: function


def _shapes_of_op(op: Any, require_shape_fn: bool = True) -> dict[str, list[Any]]:
    """Stands in for call_cpp_shape_fn: returns the shapes of an op's outputs, which C++ has inferred."""
    return {
        "shapes": [output.get_shape().as_proto() for output in op.outputs],
        "handle_data": [None for _ in op.outputs],
    }


def _with_loop_fn_dtypes(test_case: Any) -> Any:
    """Returns PForTestCase with TensorFlow 1's argument loop_fn_dtypes; newer versions infer the dtypes."""
    if "loop_fn_dtypes" in signature(test_case._test_loop_fn).parameters:
        return test_case

    class PForTestCase(test_case):  # type: ignore[misc]
        def _test_loop_fn(
            self, loop_fn: Any, iters: Any, loop_fn_dtypes: Any = None, parallel_iterations: Any = None, **more: Any
        ) -> None:
            super()._test_loop_fn(loop_fn, iters, parallel_iterations=parallel_iterations, **more)

    return PForTestCase


def _in_graph_and_eager_modes(decorator: Any) -> Callable[..., Any]:
    """Returns run_in_graph_and_eager_modes with TensorFlow 1's argument reset_test; newer versions always reset."""
    if "reset_test" in signature(decorator).parameters:
        return cast(Callable[..., Any], decorator)

    @wraps(decorator)
    def run_in_graph_and_eager_modes(
        func: Any = None, config: Any = None, use_gpu: bool = True, reset_test: bool = True, **more: Any
    ) -> Any:
        return decorator(func, config=config, use_gpu=use_gpu, **more)

    return run_in_graph_and_eager_modes


def _with_old_arguments(file: Any) -> Any:
    """Returns Defun with TensorFlow 1's argument whitelisted_stateful_ops, now called allowlisted_stateful_ops."""
    defun: Any = file.Defun
    if "allowlisted_stateful_ops" not in signature(file._DefinedFunction.__init__).parameters:
        return defun

    class Defun(defun):  # type: ignore[misc]
        def __init__(self, *input_types: Any, whitelisted_stateful_ops: Any = None, **more: Any) -> None:
            if whitelisted_stateful_ops is not None:
                more["allowlisted_stateful_ops"] = whitelisted_stateful_ops
            super().__init__(*input_types, **more)

    return Defun


def _reachable_from_inputs(inputs: Any, targets: Any = None) -> Any:
    """Stands in for get_reachable_from_inputs: returns a set of tensors; newer TensorFlows return ops, too."""
    reachable = import_module(ROOT + ".python.keras.utils.tf_utils").get_reachable_from_inputs(inputs, targets)
    return {each for each in reachable if not isinstance(each, import_module(ROOT).Operation)}


def _training(name: str) -> Any:
    return getattr(_estimators.estimator_training(), name)


class _Export:
    """A decorator without effect, as TensorFlow 1's were: they only note the name that an API has for a symbol."""

    def __init__(self, *names: str, **more: Any) -> None:
        pass

    def __call__(self, symbol: Any) -> Any:
        return symbol

    def export_constant(self, module_name: str, name: str) -> None:
        """Notes nothing, either."""


def _exporter(name: str) -> Any:
    """Returns TensorFlow's decorator if it takes TensorFlow 1's arguments; newer ones register what they decorate."""
    file = import_module("tensorflow.python.util.tf_export")
    return getattr(file, name) if hasattr(file, "estimator_export") else _Export


# File -> name that newer TensorFlows removed -> a factory of the replacement.
_SUPPLIED: Dict[str, Dict[str, Callable[[], Any]]] = {
    "python.distribute.estimator_training": {
        "estimator_evaluate": lambda: _training("estimator_evaluate"),
        "estimator_train": lambda: _training("estimator_train"),
        "init_run_config": lambda: _training("init_run_config"),
        "should_run_distribute_coordinator": lambda: _training("should_run_distribute_coordinator"),
        "train_and_evaluate": lambda: _training("train_and_evaluate"),
    },
    "python.eager.execution_callbacks": {
        "InfOrNanError": lambda: import_module(ROOT + ".contrib.eager.execution_callbacks").InfOrNanError,
    },
    "python.eager.function": {"defun": lambda: import_module(ROOT + ".contrib.eager.function").defun},
    # Shape functions, which programs pass to RegisterShape.
    "python.framework.common_shapes": {
        "call_cpp_shape_fn": lambda: _shapes_of_op,
        "no_outputs": lambda: lambda op: [],
        "scalar_shape": lambda: lambda op: [_shape([])],
        "unchanged_shape": lambda: lambda op: [op.inputs[0].get_shape()],
        "unknown_shape": lambda: lambda op: [_shape(None) for _ in op.outputs],
    },
    "python.framework.function": {
        "Defun": lambda: _with_old_arguments(import_module("tensorflow.python.framework.function")),
    },
    "python.framework.op_def_library": {"OpDefLibrary": lambda: _op_defs("op_def_library").OpDefLibrary},
    "python.framework.op_def_registry": {
        "get_registered_ops": lambda: _op_defs("op_def_registry").get_registered_ops,
        "register_op_list": lambda: _op_defs("op_def_registry").register_op_list,
    },
    "python.framework.ops": {
        "RegisterShape": lambda: _register_shape,
        "_set_call_cpp_shape_fn": lambda: lambda call_cpp_shape_fn: None,
        # Edward calls it for ops that it copies; it was gone before 1.13, since C++ infers shapes as it makes an op.
        "set_shapes_for_outputs": lambda: lambda op: None,
    },
    "python.framework.test_ops": {"_op_def_lib": lambda: _op_def_lib("python.framework.test_ops")},
    "python.framework.test_util": {
        "run_in_graph_and_eager_modes": lambda: _in_graph_and_eager_modes(
            import_module("tensorflow.python.framework.test_util").run_in_graph_and_eager_modes
        ),
    },
    "python.framework.tensor_shape": {
        "scalar": lambda: lambda: _shape([]),
        "vector": lambda: lambda length: _shape([length]),
        "matrix": lambda: lambda rows, cols: _shape([rows, cols]),
    },
    "python.layers.utils": {"get_reachable_from_inputs": lambda: _reachable_from_inputs},
    "python.ops.gen_control_flow_ops": {"_op_def_lib": lambda: _op_def_lib("python.ops.gen_control_flow_ops")},
    # TensorFlow 2 removed this file with tf.contrib.distributions.
    "python.ops.distributions.transformed_distribution": {
        "TransformedDistribution": lambda: (
            import_module(ROOT + ".contrib.distributions.transformed_distribution").TransformedDistribution
        ),
    },
    "python.ops.parallel_for.test_util": {
        "PForTestCase": lambda: _with_loop_fn_dtypes(
            import_module("tensorflow.python.ops.parallel_for.test_util").PForTestCase
        ),
    },
    "python.profiler.profile_context": {
        "ProfileContext": lambda: import_module(ROOT + ".contrib.tfprof.profile_context").ProfileContext,
    },
    "python.pywrap_tensorflow": {
        "TF_bfloat16_type": lambda: lambda: import_module(ROOT).bfloat16.as_numpy_dtype,
    },
    "python.tf2": {
        "disable": lambda: _tf2_switch.function("disable"),
        "enable": lambda: _tf2_switch.function("enable"),
        "enabled": lambda: _tf2_switch.function("enabled"),
    },
    "python.util.tf_export": {
        "estimator_export": lambda: _exporter("estimator_export"),
        "keras_export": lambda: _exporter("keras_export"),
        "tf_export": lambda: _exporter("tf_export"),
    },
}


def _op_defs(file: str) -> Any:
    """Returns op_def_library or op_def_registry: TensorFlow's own up to 2.0, and `_op_definitions` later."""
    if hasattr(import_module("tensorflow.python.framework.op_def_registry"), "get_registered_ops"):
        return import_module(f"tensorflow.python.framework.{file}")
    return _op_definitions


def _op_def_lib(dotted: str) -> Any:
    """Returns the OpDefLibrary of a file of generated op functions."""
    module: Any = import_module("tensorflow." + dotted)
    return module._op_def_lib if hasattr(module, "_op_def_lib") else _op_definitions.library_of(module)


def _shape(sizes: list[Any] | None) -> Any:
    return import_module(ROOT).TensorShape(sizes)


def origin(dotted: str) -> str:
    """Returns the dotted name that a file of TensorFlow 1 has in the installed TensorFlow.

    Args:
        dotted: The file's dotted name in TensorFlow 1, such as "python.keras.layers.core".
    """
    for top, package in (("python.keras", _keras), ("python.estimator", _estimator)):
        if (dotted + ".").startswith(top + "."):
            return package() + dotted[len(top) :]
    return "tensorflow." + dotted


def _keras() -> str:
    # A TensorFlow may also hold files of another Keras, so this finds the files of the Keras behind tf.keras.
    try:
        model = import_module(ROOT + ".keras").Model
    except MissingSymbolError as error:
        raise MissingPackageError(error.asked, error.wrong, error.remedy) from None
    return keras_package(model) or "tensorflow.python.keras"


def _estimator() -> str:
    import_module(ROOT + ".estimator")  # raises if a package is missing, else loads it
    return "tensorflow_estimator.python.estimator"


def _file(dotted: str) -> Any:
    module = import_or_none(origin(dotted))
    return empty_module(dotted)() if module is None else module


def _object_at(path: str) -> Any:
    return attrgetter(path)(import_module(ROOT))


def _missing(moved: dict[str, list[str]], dotted: str, name: str) -> Any:
    for path in moved.get(name, ()):
        module, _, leaf = path.rpartition(".")
        value = getattr(import_or_none(origin(module)), leaf, None)
        if value is not None:
            return value
    if name == "_op_def_lib" and dotted.startswith("python.ops.gen_"):
        return _op_def_lib(dotted)
    raise_if_removed(f"{dotted}.{name}")
    raise AttributeError(f"module 'tensorflow.{dotted}' has no attribute {name!r}")
