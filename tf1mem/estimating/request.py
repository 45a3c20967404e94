"""Checks the arguments of `tf1mem.estimate`, and writes the step's graph to an exchange."""

from __future__ import annotations

import gc
import numbers
import os
import re
import traceback
from typing import Any, Callable

from tf1mem.errors import EstimateError, SpecError, StepTypeError, Tf1memError
from tf1mem.estimating import fork, func_graph, graph_mode, keras_models
from tf1mem.estimating.exchange import Exchange
from tf1mem.estimating.func_graph import Function
from tf1mem.estimating.specs import checked, leaves, read_spec

_KINDS = {kind.__name__: kind for kind in (EstimateError, SpecError, StepTypeError)}


def write_traced_step(
    tf: Any,
    fn_or_model: Any,
    specs: tuple[Any, ...],
    exchange: Exchange,
    *,
    training: bool | None,
    batch_size: int | None,
    time_limit_s: float,
) -> None:
    """Writes the graph and the description of a step to an exchange.

    Args:
        tf: The `tensorflow` module.
        fn_or_model: The first argument of `tf1mem.estimate`.
        specs: The further positional arguments.
        exchange: The exchange to write to.
        training: True for a model's training step, False for its forward pass, None for training if it is compiled.
        batch_size: The batch size for a model's own specs, or None.
        time_limit_s: The time limit for tracing, in seconds.

    Raises:
        StepTypeError: `fn_or_model` can't be estimated.
        SpecError: A spec isn't valid, or leaves a dimension open.
        EstimateError: The step could not be traced.
    """
    if batch_size is not None:
        if not isinstance(batch_size, numbers.Integral) or isinstance(batch_size, bool) or batch_size < 1:
            raise SpecError(f"batch_size={batch_size!r}", "is not a batch", "Give a whole number such as 32")
        batch_size = int(batch_size)
    is_model = keras_models.is_model(fn_or_model)
    if (training is not None or batch_size is not None) and not is_model:
        raise StepTypeError(
            f"tf1mem.estimate({_name(fn_or_model)}, training=…, batch_size=…)", "is not a Keras model",
            "Leave these out: a function is traced as it is, and its specs have the batch size",
        )  # fmt: skip
    fetches = None if is_model else graph_mode.fetches_of(tf, fn_or_model)
    if fetches is not None:
        return graph_mode.write(tf, fetches, specs, exchange)
    if not callable(fn_or_model):
        raise StepTypeError(
            f"tf1mem.estimate({_name(fn_or_model)})", "is not something that can be run",
            "Give a function, a tf.function, a Keras model, or in graph mode a train op or a tensor",
        )  # fmt: skip
    structures = [read_spec(tf, spec, f"spec {place}") for place, spec in enumerate(specs, 1)]
    if is_model:
        trains = keras_models.is_compiled(fn_or_model) if training is None else training
        structures = keras_models.default_specs(fn_or_model, trains, structures, batch_size)
        function = keras_models.step(tf, fn_or_model, trains)
        _check_count(structures, 2 if trains else 1, function.name)
    else:
        if not structures:
            signature = getattr(fn_or_model, "input_signature", None) or getattr(fn_or_model, "_input_signature", None)
            structures = [
                read_spec(tf, spec, f"input_signature[{place}]") for place, spec in enumerate(signature or ())
            ]
        function = Function(getattr(fn_or_model, "python_function", fn_or_model), _name(fn_or_model))
    for place, structure in enumerate(structures, 1):
        for leaf in leaves(structure):
            checked(leaf, f"spec {place}")
    _in_a_copy(lambda: func_graph.trace(tf, function, structures, exchange), tf, function.name, exchange, time_limit_s)
    return None


def _check_count(structures: list[Any], most: int, name: str) -> None:
    if len(structures) != most:
        raise SpecError(
            f"tf1mem.estimate of {name}", "takes {} spec{}, and was given {}".format(
                most, "" if most == 1 else "s", len(structures)
            ),
            "Give the inputs{}; several inputs as a list".format(" and the targets" if most == 2 else ""),
        )  # fmt: skip


def _in_a_copy(act: Callable[[], None], tf: Any, name: str, exchange: Exchange, time_limit_s: float) -> None:
    """Traces in a forked copy of this process, and raises the error that it reports."""
    caller = f"tf1mem.estimate of {name}"

    def guarded() -> None:
        gc.disable()  # a graph has little garbage, and the copy soon ends; looking for it costs a seventh of the time
        try:
            _keep_off_the_gpu(tf)
            act()
        except Tf1memError as error:
            failed = [type(error).__name__, error.asked, error.wrong, error.remedy]
            exchange.write_answer("failed", {"error": failed})
        except BaseException as error:
            lines = "".join(traceback.format_exception(type(error), error, error.__traceback__))
            reason = _decisive_line("".join(traceback.format_exception_only(type(error), error)))
            failed = ["EstimateError", caller, f"it failed while it was traced: {reason}", f"Where:\n{lines.rstrip()}"]
            exchange.write_answer("failed", {"error": failed})

    if not hasattr(os, "fork"):
        raise EstimateError("tf1mem.estimate", "needs to fork, and this system can't", "Run it on Linux, or in WSL")
    status = fork.in_copy(guarded, time_limit_s)
    if status is None:
        raise EstimateError(
            caller,
            f"tracing it took more than {time_limit_s:.0f} s in a copy of this process",
            "If it reads tensors from a GPU (.numpy()), read them before; or give a larger time_limit_s",
        )
    answer = exchange.read_answer("failed")
    if answer:
        kind, *words = answer["error"]
        raise _KINDS.get(kind, EstimateError)(*words)
    if status or not exchange.read_answer("step"):
        raise EstimateError(
            caller,
            f"the copy of this process that traced it {_ending(status)}",
            "Estimate before anything is run in this process",
        )


def _decisive_line(text: str) -> str:
    """Returns the decisive line of an error: AutoGraph's and Keras 3's messages are long, and end with it."""
    message = re.sub("\x1b\\[[0-9;]*m", "", text).partition("Arguments received by ")[0]
    return (message.strip() or text.strip()).splitlines()[-1].strip()


def _ending(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"was ended by signal {os.WTERMSIG(status)}"
    return f"ended with status {os.WEXITSTATUS(status)}"


def _keep_off_the_gpu(tf: Any) -> None:
    """Hides the GPUs in the copy, in case tracing starts the runtime, as a GradientTape does."""
    from tf1mem.machine import eager_context

    if eager_context.has_started():
        return
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    if eager_context.has_listed_devices():  # CUDA has read the variable already
        tf.config.experimental.set_visible_devices([], "GPU")


def _name(value: Any) -> str:
    name = getattr(value, "__name__", None) or getattr(value, "name", None)
    if isinstance(name, str):
        return name
    text = repr(value)
    return text if len(text) <= 50 else text[:49] + "…"
