"""Measures a traced step in a worker process, on a simulated GPU, or on the CPU if there can be none."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from tf1mem.errors import EstimateError, SimulatorNotBuiltError
from tf1mem.estimating.exchange import Exchange
from tf1mem.estimating.progress import ShowStage
from tf1mem.estimating.worker import OUT_OF_MEMORY
from tf1mem.machine import child
from tf1mem.settings.units import MIB

GPU, CPU = "gpu", "cpu"
# The size of the simulated GPU: enough for any step, and untouched memory costs the host nothing.
MACHINE_GIB = 1024
# Environment variables to remove, since they would change the allocator or the GPUs.
_DROPPED = (
    "CUDA_VISIBLE_DEVICES", "TF_FORCE_GPU_ALLOW_GROWTH", "TF_GPU_ALLOCATOR", "TF_XLA_FLAGS", "TF_FORCE_UNIFIED_MEMORY",
    "TF_PER_DEVICE_MEMORY_LIMIT_MB", "TF_BFC_MEMORY_DUMP",
)  # fmt: skip
# Prefixes of the names of ops that need computed values: ops whose output sizes depend on values, and cuDNN's.
_BY_VALUES = ("Where", "Unique", "DynamicPartition", "NonMaxSuppression", "CudnnRNN", "CTCLossV2", "ListDiff")
# The precision of the search for a limit: a share of the step's peak, but at least some MiB.
_PRECISION, _LEAST_PRECISION_MIB = 0.03, 4
# Numbers the answers' files: several workers may run the step of one exchange, and write into its folder.
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Measured:
    """A worker's measurements.

    Attributes:
        nodes: The nodes' statistics (`worker.nodes`), from a run without growth, where all memory is in one region.
        device: "gpu" for a simulated GPU, or "cpu".
        allocator_peak: The allocator's own peak in bytes, or None if this TensorFlow doesn't report it.
        growth_peak: The allocator's peak with growth in bytes, or None on the CPU.
        fit_mib: About the lowest limit in MiB under which the step ran, with growth and without; None on the CPU.
        tries: The number of limits under which it was run; 0 on the CPU.
        why_cpu: The reason for measuring on the CPU, or "".
        computed: True if TensorFlow's CPU kernels computed the values on the simulated GPU.
    """

    nodes: list[dict[str, Any]]
    device: str
    allocator_peak: int | None
    growth_peak: int | None
    fit_mib: int | None
    tries: int
    why_cpu: str
    computed: bool = False


class Worker:
    """The worker process.

    Args:
        environment: The process's environment variables.
        time_limit_s: The time limit for one run, in seconds.

    Attributes:
        has_ended: True once the process has ended, or was ended because a run had exceeded its time limit.
    """

    def __init__(self, environment: dict[str, str], time_limit_s: float) -> None:
        self._limit = time_limit_s
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self._process = subprocess.Popen(
            child.python("from tf1mem.estimating.worker import main; main()"),
            env={**environment, **child.LEFT_ALONE}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self._errors, bufsize=0, start_new_session=True,
        )  # fmt: skip
        self.has_ended = False

    def run(self, exchange: Exchange, **request: Any) -> dict[str, Any]:
        """Runs the step in an exchange once.

        Args:
            exchange: The exchange with the step.
            request: The settings of the run, as `worker._run` reads them.

        Returns:
            The worker's answer; if the run failed, a dict with "failed" (the kind of failure) and "message".
        """
        return self.run_all(exchange, [request])[0]

    def run_all(self, exchange: Exchange, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Runs a step several times side by side, and returns the answers, like `run`'s."""
        import select

        numbered = [dict(request, answer=f"answer{next(_numbers)}") for request in requests]
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        in_time, line = True, b""
        try:
            self._process.stdin.write((json.dumps({"folder": exchange.folder, "runs": numbered}) + "\n").encode())
            in_time = bool(select.select([self._process.stdout], [], [], self._limit)[0])
            line = self._process.stdout.readline() if in_time else b""
        except BrokenPipeError:
            pass  # the process has ended: there is no line
        if not in_time:
            self.close()  # or it would go on beside the next worker
            failure = {"failed": "no answer", "message": f"no answer within {self._limit:.0f} s"}
            return [failure] * len(requests)
        statuses = json.loads(line) if line else [None] * len(requests)
        answers = [
            exchange.read_answer(request["answer"])
            or {"failed": "ended", "message": _ending(status) + self._last_words()}
            for request, status in zip(numbered, statuses)
        ]
        if not line:
            self.close()
        return answers

    def _last_words(self) -> str:
        """Returns ": " and the last line of the worker's stderr, or of the fatal messages in it; "" if it is empty."""
        self._errors.flush()
        self._errors.seek(0)
        lines = [line for line in self._errors.read().decode(errors="replace").splitlines() if line.strip()]
        fatal = [line for line in lines if " F " in line or line[:1] == "F"]  # the marks of TensorFlow's log
        return ": " + (fatal or lines)[-1].strip() if lines else ""

    def close(self) -> None:
        """Kills the process, and its children; does nothing at a second call."""
        if self.has_ended:
            return
        self.has_ended = True
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                stream.close()


class Workers:
    """The worker processes of one or several estimates, which end with this context.

    A worker is started when a step is first measured on its kind of device. The next steps are run by the same one,
    which has already imported TensorFlow.

    Args:
        compute_capability: The simulated GPU's compute capability, such as "7.0": TensorFlow lays out tensors by it.
        time_limit_s: The time limit for one run of a step, in seconds.
    """

    def __init__(self, compute_capability: str, time_limit_s: float) -> None:
        self._gpu, self._limit = f"{MACHINE_GIB}GiB,cc={compute_capability}", time_limit_s
        self._started: dict[tuple[str, bool], Worker] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def get(self, device: str, computed: bool = False) -> Worker:
        """Returns the worker for "gpu", a simulated GPU, or "cpu".

        Args:
            device: "gpu" or "cpu".
            computed: True to compute the values on the simulated GPU by TensorFlow's CPU kernels.

        Raises:
            SimulatorNotBuiltError: The simulated GPU can't be built.
        """
        worker = self._started.get((device, computed))
        if worker is None or worker.has_ended:
            worker = self._started[device, computed] = self._start(device, computed)
        return worker

    def _start(self, device: str, computed: bool) -> Worker:
        environment = child.without_this_folder()
        environment = {name: value for name, value in environment.items() if name not in _DROPPED}
        environment.update(TF_CPP_MIN_LOG_LEVEL="1")
        if device == CPU:
            # oneDNN's ops are off, since no GPU has them.
            environment.update(CUDA_VISIBLE_DEVICES="-1", TF_ENABLE_ONEDNN_OPTS="0", TF_DISABLE_MKL="1")
        else:
            from tf1mem.gpusim.launching import simulation

            machine = self._stack.enter_context(simulation([self._gpu], values=None if computed else False))
            environment.update(machine.environment)
        worker = Worker(environment, self._limit)
        self._stack.callback(worker.close)
        return worker


def measure(tf: Any, exchange: Exchange, on: str | None, workers: Workers, *, show: ShowStage) -> Measured:
    """Measures the step in the exchange.

    Args:
        tf: The `tensorflow` module.
        exchange: The exchange with the step.
        on: "gpu" for a simulated GPU or an error, "cpu", or None for a simulated GPU if possible.
        workers: The workers that run the step.
        show: A function called with each stage's description.

    Raises:
        EstimateError: The step can't be run.
        SimulatorNotBuiltError: `on` is "gpu", and the simulated GPU isn't built.
    """
    why = ""
    if on != CPU:
        why = _why_no_gpu(tf)
        if not why:
            # Computing values takes time that most steps don't need: their sizes don't depend on values.
            for computed in (True,) if _needs_values(tf, exchange.graph()) else (False, True):
                try:
                    return _on_gpu(workers.get(GPU, computed), exchange, show, computed)
                except (EstimateError, SimulatorNotBuiltError) as error:
                    if on == GPU and computed:
                        raise
                    why = f"{error.asked}: {error.wrong}"
        elif on == GPU:
            raise EstimateError("tf1mem.estimate(on='gpu')", why, "Leave on out, or give on='cpu'")
    show("running it on the CPU")
    return _on_cpu(workers.get(CPU), exchange, why)


def _why_no_gpu(tf: Any) -> str:
    """Returns the reason why this TensorFlow can't use a simulated GPU; "" if it can."""
    if not tf.test.is_built_with_cuda():
        return "this TensorFlow is a build for the CPU"
    if hasattr(tf.test, "is_built_with_rocm") and tf.test.is_built_with_rocm():
        return "this TensorFlow is built for ROCm, and simulated GPUs are CUDA's"
    return ""


def _needs_values(tf: Any, graph: bytes) -> bool:
    """Returns True if a step has ops whose output sizes depend on values, or ops that need computed values."""
    definition = tf.compat.v1.GraphDef.FromString(graph)
    nodes = [*definition.node, *(node for function in definition.library.function for node in function.node_def)]
    return any(node.op.startswith(_BY_VALUES) for node in nodes)


def _on_gpu(worker: Worker, exchange: Exchange, show: ShowStage, computed: bool) -> Measured:
    """Measures the step on a simulated GPU, and searches for the lowest limit under which it runs."""
    show("running it on a simulated GPU, with growth")
    growing = _checked(worker.run(exchange, trace=True, nodes=False, device=GPU), "a simulated GPU")
    growth_peak = growing["allocator_peak"] or _reported_peak(growing.get("nodes", []))
    # The first run's peak, if TensorFlow reports it, includes the trials of convolutions' algorithms.
    first = max(growth_peak, growing.get("first_peak") or 0)
    # The first limit to try. With growth, regions are smaller and gaps larger: the run without it seldom needs more.
    # Rather too high than too low: until about 2.4 a failed allocation waits for 10 s.
    fit, tries = first // MIB + _precision(first), 1
    # One run both measures the step in one region, as without growth, and tries the limit: most of a run's time
    # goes into TensorFlow's optimization of the graph.
    ran, one_region = _runs_under(worker, exchange, fit, show, traced=True)
    if "nodes" not in one_region:
        show("running it on a simulated GPU, without growth")
        # Not much larger than needed: a region's size costs the host memory.
        fraction = _fraction(growth_peak * 3 // 2 // MIB + 64)
        one_region = worker.run(exchange, trace=True, nodes=True, device=GPU, fraction=fraction)
    one_region = _checked(one_region, "a GPU")
    peak = one_region["allocator_peak"] or _reported_peak(one_region["nodes"])
    if not ran:
        fit, tries = _lowest_limit(worker, exchange, peak, fit, _precision(first), show=show)
    return Measured(one_region["nodes"], GPU, one_region["allocator_peak"], growth_peak, fit, tries, "", computed)


def _precision(first: int) -> int:
    """Returns the precision of the search in MiB, for a peak in bytes."""
    return max(int(first * _PRECISION) // MIB, _LEAST_PRECISION_MIB)


def _lowest_limit(
    worker: Worker, exchange: Exchange, peak: int, below: int, precision: int, *, show: ShowStage
) -> tuple[int, int]:
    """Returns about the lowest limit in MiB under which the step runs with growth and without, and the number of tries.

    Args:
        worker: The worker that runs the step.
        exchange: The exchange with the step.
        peak: The step's peak in bytes.
        below: A limit in MiB under which the step did not run: the first try.
        precision: The precision in MiB.
        show: A function called with each limit's description.
    """
    above, tries = None, 1  # `above`: a limit under which the step ran
    limit, step = below + precision, precision * 2
    while above is None:
        tries += 1
        if _runs_under(worker, exchange, limit, show)[0]:
            above = limit
        else:
            below, limit, step = limit, limit + step, step * 2
            if limit > peak // MIB * 3 + 2048:
                raise EstimateError(
                    "tf1mem.estimate",
                    f"the step, whose peak is {peak // MIB:,} MiB, did not run under {below:,} MiB",
                    "Please report it, with the step",
                )
    while above - below > precision:
        tries += 1
        limit = (below + above) // 2
        if _runs_under(worker, exchange, limit, show)[0]:
            above = limit
        else:
            below = limit
    return above, tries


def _runs_under(
    worker: Worker, exchange: Exchange, limit_mib: int, show: ShowStage, traced: bool = False
) -> tuple[bool, dict[str, Any]]:
    """Runs the step under a limit, with growth and without.

    Args:
        worker: The worker that runs the step.
        exchange: The exchange with the step.
        limit_mib: The limit in MiB.
        show: A function called with the limit's description.
        traced: True to trace the step without growth.

    Returns:
        True if both ran, and the worker's answer for the one without growth.

    Raises:
        EstimateError: One failed for another reason than the limit.
    """
    show(f"running it under {limit_mib:,} MiB, with growth and without")
    request = {"trace": False, "nodes": False, "device": GPU, "fraction": _fraction(limit_mib)}
    without_growth = dict(request, growth=False, trace=traced, nodes=traced)
    answers = worker.run_all(exchange, [dict(request, growth=True), without_growth])
    if any(answer.get("failed") == OUT_OF_MEMORY for answer in answers):
        return False, answers[1]
    for answer in answers:
        _checked(answer, f"a simulated GPU with a limit of {limit_mib} MiB")
    return True, answers[1]


def _fraction(limit_mib: int) -> float:
    """Returns the per_process_gpu_memory_fraction that is this limit on the simulated GPU."""
    return limit_mib / (MACHINE_GIB * 1024)


def _on_cpu(worker: Worker, exchange: Exchange, why: str) -> Measured:
    answer = worker.run(exchange, trace=True, nodes=True, device=CPU)
    if "failed" in answer and why:
        answer["message"] += f" (on the CPU, since there is no simulated GPU: {why})"
    answer = _checked(answer, "the CPU")
    return Measured(answer["nodes"], CPU, None, None, None, 0, why or "it was requested")


def _reported_peak(nodes: list[dict[str, Any]]) -> int:
    """Returns the peak in bytes, from nodes' statistics, for a TensorFlow that doesn't report the allocator's.

    While a node ran, the peak of its allocations was added to what other nodes had in use.
    """
    return max(
        (used["in_use"] - used["live"] + used["peak"] for node in nodes for used in node["allocators"]), default=0
    )


def _checked(answer: dict[str, Any], where: str) -> dict[str, Any]:
    """Returns an answer; raises EstimateError if the run failed.

    Args:
        answer: The worker's answer.
        where: The device of the run, for the error.
    """
    if "failed" in answer:
        raise EstimateError(
            "tf1mem.estimate",
            "the step could not be run on {}: {}".format(where, answer["message"][:1500]),
            "It runs in another process, with zeros where no arrays were given; Python functions, tables and files of "
            "this process aren't there",
        )
    return answer


def _ending(status: int | None) -> str:
    """Returns how the process of a run ended, by its status as `os.waitpid` returns it; None if there is none."""
    if status is None:
        return "its process could not be started"
    if os.WIFSIGNALED(status):
        return f"TensorFlow ended its process by signal {os.WTERMSIG(status)}"
    return f"its process ended with {os.WEXITSTATUS(status)}"
