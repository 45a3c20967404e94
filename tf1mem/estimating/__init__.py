"""`tf1mem.estimate`: measures the memory of one step without a GPU."""

from __future__ import annotations

from typing import Any, Iterable, Iterator

from tf1mem.errors import StepTypeError
from tf1mem.estimating import figures, measurement
from tf1mem.estimating.exchange import Exchange
from tf1mem.estimating.progress import progress
from tf1mem.estimating.result import Estimate
from tf1mem.estimating.workspaces import product
from tf1mem.machine import folders
from tf1mem.settings.units import MIB

__all__ = ["Estimate", "estimate", "estimate_batches"]

# The memory that a program needs besides its step: waiting batches, initial values, and the allocator's chunks from its
# start, each up to twice the size of the tensor in it. Measured on simulated GPUs with Keras's fit: 8% more than the
# step alone.
HEADROOM, HEADROOM_MIB = 0.15, 16
_COMPUTED = (
    "Some of its ops depend on values, such as tf.where or cuDNN's LSTM: on the simulated GPU TensorFlow's CPU "
    "kernels computed them, from zeros where no arrays were given. Memory that cuDNN, cuSOLVER or cuFFT would take "
    "themselves, as cuDNN does for an LSTM's gradient, is not counted."
)


def estimate(
    fn_or_model: Any,
    *specs: Any,
    training: bool | None = None,
    batch_size: int | None = None,
    on: str | None = None,
    compute_capability: str = "7.0",
    time_limit_s: float = 600.0,
) -> Estimate:
    """Estimates the memory of one step: its peak, a row for each type of op, and the memory limit to set.

    The step is traced in a copy of this process, and run in another process on a simulated GPU with TensorFlow's own
    allocator. Nothing is started or changed in this process: no runtime, no variable, no optimizer slot. The figures
    are those of a traced step, a tf.function or a Session's run. If sizes depend on values, it uses the values of the
    arrays in `specs`, or else zeros. On a terminal, a line on standard error shows the progress.

    Args:
        fn_or_model: A function of tensors, a tf.function, a Keras model (2 or 3), or in graph mode the fetches of
            Session.run: an op, a tensor or a list of them.
        *specs: A spec for each argument: a tf.TensorSpec, a pair such as ((32, 784), "float32"), an array, or dicts
            and lists of those. For a Keras model they are its inputs, and for training its targets, too; by default
            the model's own, with `batch_size`. In graph mode a dict like Session.run's feed_dict.
        training: True for a Keras model's training step, False for its forward pass. By default True if the model is
            compiled.
        batch_size: The batch size, if a Keras model's own specs leave it open.
        on: "gpu" for a simulated GPU only, "cpu" for the CPU. By default a simulated GPU, or the CPU if there can be
            none; the estimate then says so.
        compute_capability: The simulated GPU's compute capability. From 7.0 on TensorFlow may use another layout for
            half precision.
        time_limit_s: The time limit in seconds for tracing, and for each run of the step.

    Returns:
        The estimate, which prints as a table.

    Raises:
        StepTypeError: `fn_or_model` can't be estimated.
        SpecError: A spec isn't valid, or leaves a dimension open.
        EstimateError: The step could not be traced or run.
        TensorFlowNotFoundError: No TensorFlow is installed.
        TensorFlowTooOldError: TensorFlow is older than 1.13.
    """
    with measurement.Workers(compute_capability, time_limit_s) as workers:
        return _measured(
            workers, fn_or_model, specs, training=training, batch_size=batch_size, on=on, time_limit_s=time_limit_s
        )


def estimate_batches(
    model: Any,
    batch_sizes: Iterable[int],
    *,
    training: bool | None = None,
    on: str | None = None,
    compute_capability: str = "7.0",
    time_limit_s: float = 600.0,
) -> Iterator[Estimate]:
    """Estimates a Keras model's step for one batch size after the other.

    Each estimate is the same as from `estimate`, and comes sooner: TensorFlow is imported once for all of them. The
    sizes are taken one by one, each after the estimate for the one before, so a generator may choose the next by it.

    Args:
        model: The Keras model, as for `estimate`.
        batch_sizes: The batch sizes, taken one by one.
        training: True for the training step, False for the forward pass. By default True if the model is compiled.
        on: "gpu" for a simulated GPU only, "cpu" for the CPU. By default a simulated GPU, or the CPU if there can be
            none.
        compute_capability: The simulated GPU's compute capability.
        time_limit_s: The time limit in seconds for tracing, and for each run of a step.

    Yields:
        The estimate for each batch size, which it has as its `batch_size`.

    Raises:
        StepTypeError: `model` is not a Keras model, or can't be estimated.
        SpecError: A batch size isn't a positive whole number, or the model doesn't take it.
        EstimateError: A step could not be traced or run.
        TensorFlowNotFoundError: No TensorFlow is installed.
        TensorFlowTooOldError: TensorFlow is older than 1.13.
    """
    with measurement.Workers(compute_capability, time_limit_s) as workers:
        for size in batch_sizes:
            yield _measured(workers, model, (), training=training, batch_size=size, on=on, time_limit_s=time_limit_s)


def _measured(
    workers: measurement.Workers,
    fn_or_model: Any,
    specs: tuple[Any, ...],
    *,
    training: bool | None,
    batch_size: int | None,
    on: str | None,
    time_limit_s: float,
) -> Estimate:
    """Returns the estimate for a step that workers run; the arguments are those of `estimate`."""
    from tf1mem.estimating import request
    from tf1mem.machine.tensorflow import import_tensorflow

    if on not in (None, measurement.GPU, measurement.CPU):
        raise StepTypeError(f"tf1mem.estimate(on={on!r})", "is not a device", "Give 'gpu' or 'cpu', or leave it out")
    tf = import_tensorflow()
    with folders.temporary("tf1mem-estimate-") as folder, progress("tf1mem.estimate") as show:
        exchange = Exchange(str(folder))
        show("tracing the step")
        request.write_traced_step(
            tf, fn_or_model, specs, exchange, training=training, batch_size=batch_size, time_limit_s=time_limit_s
        )
        step = exchange.read_answer("step")
        measured = measurement.measure(tf, exchange, on, workers, show=show)
    return _estimate(tf, step, measured, batch_size)


def _estimate(tf: Any, step: dict[str, Any], measured: measurement.Measured, batch_size: int | None) -> Estimate:
    """Returns the estimate for a measured step."""
    from tf1mem.estimating.func_graph import PARAMETER

    sizes = {number: tf.as_dtype(number).size for number in range(1, 24)}
    variables = sum(_bytes(tf, it) for it in step["variables"])
    parameters = sum(_bytes(tf, it) for it in step["variables"] if it["role"] == PARAMETER)
    inputs = sum(_bytes(tf, it) for it in step["feeds"])
    lasting = variables + (inputs if measured.device == measurement.CPU else 0)
    read = figures.read(measured.nodes, sizes, measured.device, lasting)
    peak = measured.allocator_peak or read.peak
    workspace = max(read.with_workspace - read.peak, 0)
    fit = measured.fit_mib
    lowest = fit if fit is not None else peak // MIB + 1
    headroom = max(int(lowest * HEADROOM), HEADROOM_MIB)
    limit = lowest + headroom + -(-workspace // MIB)
    notes = list(step["notes"])
    if read.elsewhere:
        notes.append("Ran on the CPU, since they have no kernel for the GPU: {}.".format(", ".join(read.elsewhere)))
    if measured.computed:
        notes.append(_COMPUTED)
    return Estimate(
        step=step["name"],
        batch_size=None if batch_size is None else int(batch_size),  # NumPy's integers are no JSON
        tensorflow=str(tf.__version__),
        device=measured.device,
        why_cpu=measured.why_cpu,
        peak=peak,
        growth_peak=measured.growth_peak,
        allocator_peak=measured.allocator_peak,
        parameters=parameters,
        other_variables=variables - parameters,
        constants=max(read.resident - lasting, 0),
        inputs=inputs,
        activations=read.activations,
        gradients=read.gradients,
        temporaries=read.temporaries,
        workspace=workspace,
        all_outputs=read.all_outputs,
        rows=read.rows,
        fit_mib=fit,
        headroom_mib=headroom,
        limit_mib=limit,
        tries=measured.tries,
        notes=tuple(notes),
    )


def _bytes(tf: Any, tensor: dict[str, Any]) -> int:
    return int(tf.as_dtype(tensor["dtype"]).size) * product(tensor["shape"])
