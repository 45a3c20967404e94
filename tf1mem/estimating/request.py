"""What was asked to be estimated, brought to a graph in an exchange."""

from __future__ import annotations

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


def bring(
    tf: Any,
    thing: Any,
    specs: tuple[Any, ...],
    exchange: Exchange,
    *,
    training: bool | None,
    batch_size: int | None,
    time_limit_s: float,
) -> None:
    """Leaves the graph of a step, and how to run it, in an exchange.

    Args:
        tf: TensorFlow.
        thing: What `tf1mem.estimate` was given first.
        specs: What it was given then.
        exchange: Where to.
        training: Whether a model's training step is asked for.
        batch_size: The batch of specs that a model says itself.
        time_limit_s: Seconds for tracing.

    Raises:
        StepTypeError: The thing is nothing of what can be estimated.
        SpecError: A spec is none, or leaves a dimension open.
        EstimateError: The step could not be traced.
    """
    if batch_size is not None:
        if not isinstance(batch_size, numbers.Integral) or isinstance(batch_size, bool) or batch_size < 1:
            raise SpecError(f"batch_size={batch_size!r}", "is not a batch", "Give a whole number such as 32")
        batch_size = int(batch_size)
    is_model = keras_models.is_model(thing)
    if (training is not None or batch_size is not None) and not is_model:
        raise StepTypeError(
            f"tf1mem.estimate({_name(thing)}, training=…, batch_size=…)", "is not a Keras model",
            "Leave these out: a function is traced as it is, and its specs say the batch",
        )  # fmt: skip
    fetches = None if is_model else graph_mode.fetches_of(tf, thing)
    if fetches is not None:
        return graph_mode.write(tf, fetches, specs, exchange)
    if not callable(thing):
        raise StepTypeError(
            f"tf1mem.estimate({_name(thing)})", "is not something that can be run",
            "Give a function, a tf.function, a Keras model, or in graph mode a train op or a tensor",
        )  # fmt: skip
    given = [read_spec(tf, spec, f"spec {place}") for place, spec in enumerate(specs, 1)]
    if is_model:
        wanted = keras_models.is_compiled(thing) if training is None else training
        given = keras_models.default_specs(thing, wanted, given, batch_size)
        function = keras_models.step(tf, thing, wanted)
        _check_count(given, 2 if wanted else 1, function.name)
    else:
        signature = () if given else getattr(thing, "input_signature", None) or getattr(thing, "_input_signature", None)
        given += [read_spec(tf, spec, f"input_signature[{place}]") for place, spec in enumerate(signature or ())]
        function = Function(getattr(thing, "python_function", thing), _name(thing))
    for place, structure in enumerate(given, 1):
        for leaf in leaves(structure):
            checked(leaf, f"spec {place}")
    _in_a_copy(lambda: func_graph.trace(tf, function, given, exchange), tf, function.name, exchange, time_limit_s)
    return None


def _check_count(given: list[Any], most: int, name: str) -> None:
    if len(given) != most:
        raise SpecError(
            f"tf1mem.estimate of {name}", "takes {} spec{}, and was given {}".format(
                most, "" if most == 1 else "s", len(given)
            ),
            "Give the inputs{}; several inputs as a list".format(" and the targets" if most == 2 else ""),
        )  # fmt: skip


def _in_a_copy(act: Callable[[], None], tf: Any, name: str, exchange: Exchange, time_limit_s: float) -> None:
    asked = f"tf1mem.estimate of {name}"

    def guarded() -> None:
        try:
            _keep_off_the_gpu(tf)
            act()
        except Tf1memError as error:
            failed = [type(error).__name__, error.asked, error.wrong, error.remedy]
            exchange.write_answer("failed", {"error": failed})
        except BaseException as error:
            lines = "".join(traceback.format_exception(type(error), error, error.__traceback__))
            said = _said("".join(traceback.format_exception_only(type(error), error)))
            failed = ["EstimateError", asked, f"it failed while it was traced: {said}", f"Where:\n{lines.rstrip()}"]
            exchange.write_answer("failed", {"error": failed})

    if not hasattr(os, "fork"):
        raise EstimateError("tf1mem.estimate", "needs to fork, and this system can't", "Run it on Linux, or in WSL")
    status = fork.in_copy(guarded, time_limit_s)
    if status is None:
        raise EstimateError(
            asked,
            f"tracing it took more than {time_limit_s:.0f} s in a copy of this process",
            "If it reads tensors that lie on a GPU (.numpy()), do so before; or give a larger time_limit_s",
        )
    answer = exchange.read_answer("failed")
    if answer:
        kind, *words = answer["error"]
        raise _KINDS.get(kind, EstimateError)(*words)
    if status or not exchange.read_answer("step"):
        raise EstimateError(
            asked,
            f"the copy of this process that traced it {_ending(status)}",
            "Estimate before anything is run in this process",
        )


def _said(text: str) -> str:
    """The line of an error that counts: AutoGraph's and Keras 3's are long, and end with it, but for arguments."""
    own = re.sub("\x1b\\[[0-9;]*m", "", text).partition("Arguments received by ")[0]
    return (own.strip() or text.strip()).splitlines()[-1].strip()


def _ending(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"was ended by signal {os.WTERMSIG(status)}"
    return f"ended with status {os.WEXITSTATUS(status)}"


def _keep_off_the_gpu(tf: Any) -> None:
    """In the copy: should tracing start the runtime, as a GradientTape does, it finds no GPU."""
    from tf1mem.machine import eager_context

    if eager_context.has_started():
        return
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    if eager_context.has_listed_devices():  # CUDA has read the variable already
        tf.config.experimental.set_visible_devices([], "GPU")


def _name(thing: Any) -> str:
    name = getattr(thing, "__name__", None) or getattr(thing, "name", None)
    if isinstance(name, str):
        return name
    text = repr(thing)
    return text if len(text) <= 50 else text[:49] + "…"
