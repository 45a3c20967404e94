"""`tf1mem.estimate`: the memory that one step takes, measured before there is a GPU to run it on."""

from __future__ import annotations

from typing import Any

from tf1mem.errors import StepTypeError
from tf1mem.estimating import figures, measurement
from tf1mem.estimating.exchange import Exchange
from tf1mem.estimating.progress import progress
from tf1mem.estimating.result import Estimate
from tf1mem.estimating.workspaces import product
from tf1mem.machine import folders
from tf1mem.settings.units import MIB

__all__ = ["Estimate", "estimate"]

# What a program needs beside its step: batches that wait, initial values, and the chunks that its start has left, each
# up to twice as large as the tensor in it. Seen on simulated GPUs with Keras's fit: 8% more than the step alone.
HEADROOM, HEADROOM_MIB = 0.15, 16
_COMPUTED = (
    "It has ops that run by values, such as tf.where or cuDNN's LSTM: TensorFlow's CPU kernels computed on the "
    "simulated GPU, of zeros where no arrays were given. What cuDNN, cuSOLVER or cuFFT would take for themselves, as "
    "cuDNN does for an LSTM's gradient, is not counted."
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
    """The memory that one step takes: its peak, a row for each type of op, and the limit to ask for.

    The step is traced in a copy of this process and run in another one, on a simulated GPU with TensorFlow's own
    allocator. Nothing is started or changed here: no runtime, no variable, no optimizer slot. Its figures are those of
    a traced step, a tf.function or a Session's run. Where sizes depend on values, those of the arrays that are given
    count, or else of zeros. On a terminal, a line of standard error says what it is at.

    Args:
        fn_or_model: A function of tensors, a tf.function, a Keras model (2 or 3), or in graph mode what Session.run
            would fetch: an op, a tensor or a list of them.
        *specs: What it takes, one for each argument: a tf.TensorSpec, a pair such as ((32, 784), "float32"), an
            array, or dicts and lists of those. A Keras model's are its inputs, and its targets when it is trained;
            left out, they are what the model says, with `batch_size`. In graph mode a dict, as Session.run is fed.
        training: Of a Keras model, its training step rather than its forward pass. By default if it is compiled.
        batch_size: The batch that a Keras model's own specs leave open.
        on: "gpu" for a simulated GPU and nothing else, "cpu" for the CPU; by default the CPU only where a simulated
            GPU can't be had, and the estimate says so.
        compute_capability: The GPU's. From 7.0 on TensorFlow may lay out half precision otherwise.
        time_limit_s: Seconds for tracing, and for each run of the step.

    Returns:
        The estimate. It prints as a table.

    Raises:
        StepTypeError: It is nothing of what can be estimated.
        SpecError: A spec is none, or leaves a dimension open.
        EstimateError: The step could not be traced or run.
        TensorFlowNotFoundError: No TensorFlow is installed.
        TensorFlowTooOldError: It is older than 1.13.
    """
    from tf1mem.estimating import request
    from tf1mem.machine.tensorflow import import_tensorflow

    if on not in (None, measurement.GPU, measurement.CPU):
        raise StepTypeError(f"tf1mem.estimate(on={on!r})", "is not a device", "Say 'gpu', 'cpu' or nothing")
    tf = import_tensorflow()
    with folders.temporary("tf1mem-estimate-") as folder, progress("tf1mem.estimate") as say:
        exchange = Exchange(str(folder))
        say("tracing the step")
        request.bring(
            tf, fn_or_model, specs, exchange, training=training, batch_size=batch_size, time_limit_s=time_limit_s
        )
        step = exchange.read_answer("step")
        measured = measurement.measure(tf, exchange, on, compute_capability, time_limit_s, say=say)
    return _told(tf, step, measured)


def _told(tf: Any, step: dict[str, Any], measured: measurement.Measured) -> Estimate:
    from tf1mem.estimating.func_graph import PARAMETER

    sizes = {number: tf.as_dtype(number).size for number in range(1, 24)}
    variables = sum(_bytes(tf, it) for it in step["variables"])
    parameters = sum(_bytes(tf, it) for it in step["variables"] if it["role"] == PARAMETER)
    inputs = sum(_bytes(tf, it) for it in step["feeds"])
    lasting = variables + (inputs if measured.device == measurement.CPU else 0)
    found = figures.read(measured.nodes, sizes, measured.device, lasting)
    peak = measured.allocator_peak or found.peak
    workspace = max(found.with_workspace - found.peak, 0)
    fit = measured.fit_mib
    lowest = fit if fit is not None else peak // MIB + 1
    headroom = max(int(lowest * HEADROOM), HEADROOM_MIB)
    limit = lowest + headroom + -(-workspace // MIB)
    notes = list(step["notes"])
    if found.elsewhere:
        notes.append("Ran on the CPU, for want of a kernel for the GPU: {}.".format(", ".join(found.elsewhere)))
    if measured.computed:
        notes.append(_COMPUTED)
    return Estimate(
        step=step["name"],
        tensorflow=str(tf.__version__),
        device=measured.device,
        why_cpu=measured.why_cpu,
        peak=peak,
        growth_peak=measured.growth_peak,
        allocator_peak=measured.allocator_peak,
        parameters=parameters,
        other_variables=variables - parameters,
        constants=max(found.resident - lasting, 0),
        inputs=inputs,
        activations=found.activations,
        gradients=found.gradients,
        temporaries=found.temporaries,
        workspace=workspace,
        all_outputs=found.all_outputs,
        rows=found.rows,
        fit_mib=fit,
        headroom_mib=headroom,
        limit_mib=limit,
        tries=measured.tries,
        notes=tuple(notes),
    )


def _bytes(tf: Any, tensor: dict[str, Any]) -> int:
    return int(tf.as_dtype(tensor["dtype"]).size) * product(tensor["shape"])
