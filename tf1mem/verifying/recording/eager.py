"""Records eager training: each call of an optimizer's apply_gradients is a step."""

from __future__ import annotations

import os
import sys
from typing import Any, Callable

from tf1mem.hooks.wrappers import put_around
from tf1mem.machine.modules import PACKAGES, loaded_module
from tf1mem.verifying.array_records import summed_by_row
from tf1mem.verifying.recording import starting
from tf1mem.verifying.recording.job import Job
from tf1mem.verifying.recording.notes import Notes

# Modules with the optimizers' classes, in TensorFlow and in Keras's packages.
_OPTIMIZERS = (
    ("python.training.optimizer", "Optimizer"),
    ("python.keras.optimizer_v2.optimizer_v2", "OptimizerV2"),
    ("tf_keras.src.optimizers.legacy.optimizer_v2", "OptimizerV2"),
    ("tf_keras.src.optimizers.optimizer", "_BaseOptimizer"),
    ("keras.src.optimizers.base_optimizer", "BaseOptimizer"),
    ("keras.src.optimizers.optimizer", "_BaseOptimizer"),
    ("keras.src.optimizers.legacy.optimizer_v2", "OptimizerV2"),
    ("keras.optimizers.optimizer_experimental.optimizer", "_BaseOptimizer"),
    ("keras.optimizers.optimizer_v2.optimizer_v2", "OptimizerV2"),
)
# Attributes of optimizers that clip gradients as they apply them.
_CLIPS = ("clipnorm", "clipvalue", "global_clipnorm")

# Parts of the paths of TensorFlow's files.
_TENSORFLOW = tuple(f"{os.sep}{package}{os.sep}" for package in PACKAGES)
# Functions of tf.config that set a GPU.
_SETTERS = ("memory_growth", "visible_devices", "device_configuration")


class EagerRecorder:
    """Wraps variables, tapes and optimizers that run eagerly, and records their values.

    Args:
        job: The process's job.
        notes: The Notes that get the recorded values.
        trained: Function that is called after each step, and ends the process after the last.

    Attributes:
        is_off: True in a process that isn't recorded.
        steps: The number of steps so far.
    """

    def __init__(self, job: Job, notes: Notes, trained: Callable[[], None]) -> None:
        self.job, self.notes, self._trained = job, notes, trained
        self._names: dict[int, str] = {}
        self._kept: list[Any] = []  # the variables whose ids are keys of `_names`: no other object gets their ids
        self._wrapped: set[tuple[str, str]] = set()  # the rows of `_OPTIMIZERS` whose classes are wrapped
        self._weights: set[str] = set()  # names of the variables that optimizers got
        self._has_begun = self.is_off = False
        self._loss: Any = None
        self._first = starting.FirstValues(job)
        self.steps = 0

    def around(self, module: Any) -> None:
        """Wraps the start of the eager context in `module`: `tensorflow.python.eager.context`, just loaded."""
        put_around(module.Context, "ensure_initialized", self._around_start)
        if hasattr(module.Context, "list_physical_devices"):
            put_around(module.Context, "list_physical_devices", self._around_list)

    def around_variables(self, module: Any) -> None:
        """Wraps the variables of `module`: `resource_variable_ops`, just loaded. The first op may make a variable."""
        put_around(module.ResourceVariable, "__init__", self._around_variable)

    def _around_list(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def list_physical_devices(context: Any, device_type: Any = None) -> Any:
            if device_type in (None, "GPU") and _sets_listed_gpus(self.job.root):
                self.notes.fields["sets_listed_gpus"] = True
            return original(context, device_type)

        return list_physical_devices

    def _around_start(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def ensure_initialized(context: Any) -> Any:
            result = original(context)
            if not self._has_begun:
                self._has_begun = True
                self._begin(context)
            return result

        return ensure_initialized

    def _begin(self, context: Any) -> None:
        """Wraps TensorFlow's classes at the first eager op: they are loaded then."""
        if context.executing_eagerly():
            _run_functions_eagerly()
        if context._seed is None:
            context._set_global_seed(self.job.seed)
        tape = loaded_module("python.eager.backprop").GradientTape
        put_around(tape, "__enter__", self._around_enter)
        put_around(tape, "gradient", self._around_gradient)

    def _around_variable(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def init(variable: Any, *args: Any, **kwargs: Any) -> None:
            original(variable, *args, **kwargs)
            if not self.is_off and _is_eager(variable):
                self._note_first(variable)

        return init

    def _note_first(self, variable: Any) -> None:
        """Notes a variable's initial value, and replaces it by the job's, if any."""
        name = self._name(variable)
        value = variable.numpy()
        first = self.notes.fields["first"]
        first[name] = self.notes.keep(value)
        # Keras's counters of steps are whole numbers, and trainable by name only.
        first[name]["trainable"] = is_weight = bool(variable.trainable) and value.dtype.kind not in "iub"
        first[name]["recipe"] = {}
        self.notes.keep_whole(name, value)
        replacement = self._first.of(name, value, is_weight)
        if replacement is not None:
            variable.assign(replacement)

    def _name(self, variable: Any) -> str:
        if id(variable) not in self._names:
            name = str(variable.name)
            names = set(self._names.values())
            count = 1
            while name in names:
                count += 1
                name = f"{variable.name}#{count}"
            self._names[id(variable)] = name
            self._kept.append(variable)
        return self._names[id(variable)]

    def _around_enter(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def enter(tape: Any) -> Any:
            # Here, since `optimizer.apply_gradients(tape.gradient(...))` looks the method up before it calls the tape.
            self._wrap_optimizers()
            return original(tape)

        return enter

    def _around_gradient(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def gradient(tape: Any, target: Any, *args: Any, **kwargs: Any) -> Any:
            self._loss = target
            return original(tape, target, *args, **kwargs)

        return gradient

    def _wrap_optimizers(self) -> None:
        for module_name, class_name in _OPTIMIZERS:
            module = loaded_module(module_name) or sys.modules.get(module_name)
            if hasattr(module, class_name) and (module_name, class_name) not in self._wrapped:
                self._wrapped.add((module_name, class_name))
                put_around(getattr(module, class_name), "apply_gradients", self._around_apply)

    def _around_apply(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def apply_gradients(optimizer: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
            pairs = list(grads_and_vars)
            clips = any(getattr(optimizer, name, None) is not None for name in _CLIPS)
            values = {} if self.is_off else self._values(pairs, clips=clips)
            result = original(optimizer, pairs, *args, **kwargs)
            if values:
                self.notes.fields["eager"] = True
                self.notes.note("runs", {"key": str(self.steps), "trains": True, "values": values, "jumps": []})
                self.steps += 1
                self._trained()
            return result

        return apply_gradients

    def _values(self, pairs: list[Any], *, clips: bool) -> dict[str, Any]:
        """Returns the notes of a step; {} if the step is being traced into a function, so that it has no values.

        Args:
            pairs: Gradients and variables.
            clips: True if the optimizer clips gradients itself, so that it applies others than these.
        """
        values: dict[str, Any] = {}
        for gradient, variable in pairs:
            dense = getattr(gradient, "values", gradient)
            if gradient is None:
                continue
            if not hasattr(dense, "numpy") or not _is_eager(variable):
                return {}
            name = self._name(_tf_variable(variable))
            self._weights.add(name)
            values["before:" + name] = self.notes.keep(variable.numpy())
            if not clips:
                rows = getattr(gradient, "indices", None)
                value = dense.numpy() if rows is None else summed_by_row(dense.numpy(), rows.numpy())
                values["gradient:" + name] = self.notes.keep(value)
        if values and hasattr(self._loss, "numpy"):
            values["fetch:0:loss"] = self.notes.keep(self._loss.numpy())
        return values

    def note_final(self) -> None:
        """Notes the variables' last values, and marks those that no optimizer got as not trained."""
        first = self.notes.fields["first"]
        # A program without an eager step trains in graphs: what was noted of their variables stays as it is.
        for name in first if self.steps else set(self._names.values()) & set(first):
            first[name]["trainable"] = first[name]["trainable"] and name in self._weights
        if self.steps:
            self.notes.note_final(self.steps, ((self._names[id(each)], each.numpy()) for each in self._kept))


def _run_functions_eagerly() -> None:
    """Makes each `tf.function`, such as the training step of Keras's `fit`, run op by op, so that it has values."""
    import tensorflow as tf

    names = ("run_functions_eagerly", "experimental_run_functions_eagerly")
    switches = [getattr(tf.config, name) for name in names if hasattr(tf.config, name)]
    if switches:
        switches[0](True)


def _sets_listed_gpus(root: str) -> bool:
    """Returns True if TensorFlow is called by a file under `root` that names a function which sets a GPU."""
    frame: Any = sys._getframe(2)
    while frame is not None and not frame.f_code.co_filename.startswith(root + os.sep):
        if not any(part in frame.f_code.co_filename for part in _TENSORFLOW):
            return False  # the caller is tf1mem, or another package
        frame = frame.f_back
    if frame is None:
        return False
    with open(frame.f_code.co_filename, encoding="utf-8", errors="replace") as file:
        text = file.read()
    return any(name in text for name in _SETTERS)


def _is_eager(variable: Any) -> bool:
    try:
        variable.numpy()
    except Exception:
        return False
    return True


def _tf_variable(variable: Any) -> Any:
    """Returns TensorFlow's variable inside a variable of Keras 3; any other variable itself."""
    value = getattr(variable, "value", None)
    return variable if value is None or callable(value) else value
