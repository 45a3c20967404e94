"""Computes a step's figures from its nodes' allocations: the peak, the memory alive at it, a row per type of op."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Iterator

from tf1mem.estimating import workspaces
from tf1mem.estimating.workspaces import Convolution, product

# The names of a gradient's ops: by tf.GradientTape in functions (from 2.2 on), and by tf.gradients.
_GRADIENT = re.compile(r"(?:^|/)(?:gradient_tape|gradients)(?:_\d+)?/")
_CONVOLUTION = re.compile(r"^_?(?:Fused)?(?:Conv[23]D)(BackpropInput|BackpropFilter)?(?:V2)?$")
_READS = ("ReadVariableOp", "VariableV2", "Variable", "_ReadVariablesOp")


@dataclass(frozen=True)
class OpRow:
    """The memory of all ops of one type in one step.

    Attributes:
        op: The type as TensorFlow ran it, after its graph optimizations: "Conv2D".
        count: The number of ops that ran.
        input_bytes: The size of the tensors that they read, without variables and filters.
        filter_bytes: The size of the filters that convolutions read, or of the variables that other ops read.
        output_bytes: The size of the tensors that they return, including those written in place of an input.
        temporary_bytes: The measured sum of the memory that they allocated and freed while they ran.
        workspace_bytes: The computed cuDNN workspace of the convolution that needs most (see `workspaces`); 0 for
            other ops.
        workspace_algorithm: The algorithm of that workspace.
        at_peak_bytes: The memory that they had allocated and not yet freed at the step's peak.
    """

    op: str
    count: int
    input_bytes: int
    filter_bytes: int
    output_bytes: int
    temporary_bytes: int
    workspace_bytes: int
    workspace_algorithm: str
    at_peak_bytes: int


@dataclass(frozen=True)
class Figures:
    """A traced step's figures, in bytes.

    Attributes:
        peak: The most memory in use at once, by the nodes' statistics.
        resident: The memory in use before the step begins: variables, constants.
        activations: The memory alive at the peak that ops outside the gradient allocated.
        gradients: The memory alive at the peak that the gradient's ops allocated; None if no op has a gradient's name.
        temporaries: The memory that the op running at the peak frees when it ends.
        with_workspace: The peak if each convolution had its computed workspace.
        all_outputs: All memory allocated for results: the step's need if it freed nothing until its end.
        rows: A row for each type of op, the largest at the peak first.
        elsewhere: Types of ops with a tensor of 1 MiB or more that ran on the CPU although the step ran on a GPU.
    """

    peak: int
    resident: int
    activations: int
    gradients: int | None
    temporaries: int
    with_workspace: int
    all_outputs: int
    rows: tuple[OpRow, ...]
    elsewhere: tuple[str, ...]


def read(nodes: list[dict[str, Any]], sizes: dict[int, int], device: str, resident: int) -> Figures:
    """Computes the figures of a step.

    Args:
        nodes: The nodes, as `worker.nodes` returns them.
        sizes: The number of a dtype -> the bytes of one item.
        device: "gpu" or "cpu".
        resident: The bytes of variables and inputs, for a device whose allocator doesn't report its memory in use.
    """
    return _Step(nodes, sizes, device, resident).figures()


class _Step:
    """The nodes of a traced step, from which its figures are computed."""

    def __init__(self, nodes: list[dict[str, Any]], sizes: dict[int, int], device: str, resident: int) -> None:
        self._sizes = sizes
        self._on_device = [node for node in nodes if node["device"] == device]
        self._on_other_devices = [node for node in nodes if node["device"] != device]
        self._device = device
        self._tensors = {
            (node["name"], int(slot)): tensor for node in nodes for slot, tensor in node["outputs"].items()
        }
        self._ops = {node["name"]: node["op"] for node in nodes}
        self._inputs = {node["name"]: node["inputs"] for node in nodes}
        # The host's allocator counts all memory of the process; a GPU's only TensorFlow's.
        self._in_use = [used["in_use"] for node in self._on_device for used in self._memory(node) if device != "cpu"]
        self._resident = min((in_use for in_use in self._in_use if in_use), default=resident)
        if self._in_use and self._in_use[0]:
            self._resident = self._in_use[0]

    def _memory(self, node: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yields the statistics of a node's allocators on the step's device: see `worker._allocator`."""
        for used in node["allocators"]:
            if self._is_on_device(used["name"]):
                yield used

    def _is_on_device(self, allocator: str) -> bool:
        """Returns True for the name of an allocator of the step's device, not of the host's memory beside a GPU."""
        return self._device == "cpu" or ("gpu" in allocator.lower() and "host" not in allocator.lower())

    def figures(self) -> Figures:
        alive, temporaries = self._alive_at_peak()
        peak, with_workspace = self._peaks()
        named = any(_GRADIENT.search(node["name"]) for node in self._on_device)
        lasting = {name: size - temporaries.get(name, 0) for name, size in alive.items()}
        gradient = sum(size for name, size in lasting.items() if _GRADIENT.search(name))
        return Figures(
            peak=peak,
            resident=self._resident,
            activations=sum(lasting.values()) - gradient,
            gradients=gradient if named else None,
            temporaries=sum(temporaries.values()),
            with_workspace=with_workspace,
            all_outputs=sum(max(used["live"], 0) for node in self._on_device for used in self._memory(node)),
            rows=tuple(self._rows(alive)),
            elsewhere=tuple(sorted({node["op"] for node in self._on_other_devices if self._is_large(node)})),
        )

    def _peaks(self) -> tuple[int, int]:
        """Returns the peak without and with workspaces, in bytes.

        The allocator reports its memory in use when an op has ended, without what the op has freed before.
        """
        if not any(self._in_use):
            peak = self._resident + self._curve()[0]
            return peak, peak
        peak = with_workspace = self._resident
        for node in self._on_device:
            convolution = self._convolution(node)
            workspace_bytes = workspaces.workspace(convolution)[0] if convolution else 0
            for used in self._memory(node):
                most = used["in_use"] - used["live"] + used["peak"]
                peak = max(peak, most)
                with_workspace = max(with_workspace, most + workspace_bytes)
        return peak, with_workspace

    def _curve(self) -> tuple[int, int]:
        """Returns the highest total of the step's own allocations in bytes, and the number of events up to it."""
        totals = [0, *accumulate(size for _, size, _ in self._events())]
        return max(totals), totals.index(max(totals))

    def _events(self) -> list[tuple[int, int, str]]:
        """Returns each allocation (positive) and release (negative): its time, bytes and node, in order."""
        events = [
            (micros, size, node["name"])
            for node in self._on_device
            for used in self._memory(node)
            for micros, size in used["records"]
        ]
        return sorted(events, key=lambda event: event[0])  # within a microsecond they keep their order

    def _alive_at_peak(self) -> tuple[dict[str, int], dict[str, int]]:
        """Returns the bytes that each node has allocated at the peak, and the part that it frees before it ends."""
        events_to_peak = self._curve()[1]
        alive: dict[str, int] = {}
        last = ""
        for _, size, name in self._events()[:events_to_peak]:
            alive[name] = alive.get(name, 0) + size
            last = name
        alive = {name: size for name, size in alive.items() if size > 0}
        temporaries = {}
        for node in self._on_device:
            if node["name"] == last:
                live = sum(used["live"] for used in self._memory(node))
                temporaries[last] = max(alive.get(last, 0) - max(live, 0), 0)
        return alive, {name: size for name, size in temporaries.items() if size}

    def _rows(self, alive: dict[str, int]) -> list[OpRow]:
        """Returns a row for each type of op that allocates or returns memory; `alive`: bytes by node at the peak."""
        grouped: dict[str, list[dict[str, Any]]] = {}
        for node in self._on_device:
            allocates = node["temporary"] or any(used["total"] for used in self._memory(node))
            if node["op"] and node["op"] not in _READS and (self._outputs(node) or allocates):
                grouped.setdefault(node["op"], []).append(node)
        rows = []
        for op, nodes in grouped.items():
            inputs, filters = zip(*(self._read_by(node) for node in nodes))
            convolutions = [convolution for convolution in map(self._convolution, nodes) if convolution is not None]
            needed = [workspaces.workspace(convolution) for convolution in convolutions]
            workspace_bytes, algorithm = max(needed, default=(0, workspaces.NONE))
            rows.append(
                OpRow(
                    op=op,
                    count=len(nodes),
                    input_bytes=sum(inputs),
                    filter_bytes=sum(filters),
                    output_bytes=sum(self._bytes(tensor) for node in nodes for tensor in self._outputs(node)),
                    temporary_bytes=sum(node["temporary"] for node in nodes),
                    workspace_bytes=workspace_bytes,
                    workspace_algorithm=algorithm,
                    at_peak_bytes=sum(alive.get(node["name"], 0) for node in nodes),
                )
            )
        return sorted(rows, key=lambda row: (-row.at_peak_bytes, -row.output_bytes, row.op))

    def _outputs(self, node: dict[str, Any]) -> list[dict[str, Any]]:
        return [tensor for tensor in node["outputs"].values() if self._is_on_device(tensor["allocator"])]

    def _read_by(self, node: dict[str, Any]) -> tuple[int, int]:
        """Returns the bytes of a node's inputs, and of its filter or variables."""
        inputs = filters = 0
        is_convolution = _CONVOLUTION.match(node["op"]) or node["op"].startswith("DepthwiseConv2dNative")
        for place, name in enumerate(node["inputs"]):
            tensor, producer = self._tensor(name)
            if tensor is None or not self._is_on_device(tensor["allocator"]):
                continue
            if (place == 1 and "BackpropFilter" not in node["op"]) if is_convolution else producer in _READS:
                filters += self._bytes(tensor)
            else:
                inputs += self._bytes(tensor)
        return inputs, filters

    def _tensor(self, name: str) -> tuple[dict[str, Any] | None, str]:
        """Returns the tensor that an input names, and the type of the op that produced it."""
        producer, _, slot = name.partition(":")
        return self._tensors.get((producer, int(slot or 0))), self._ops.get(producer, "")

    def _bytes(self, tensor: dict[str, Any]) -> int:
        return self._sizes.get(tensor["dtype"] % 100, 0) * product(max(size, 0) for size in tensor["shape"])

    def _is_large(self, node: dict[str, Any]) -> bool:
        return node["op"] not in ("_Arg", "_Retval", "_Send", "_HostSend", "") and any(
            self._bytes(tensor) >= 2**20 for tensor in node["outputs"].values()
        )

    def _convolution(self, node: dict[str, Any]) -> Convolution | None:
        """Returns the convolution that a node computes on a GPU, or None."""
        match = _CONVOLUTION.match(node["op"])
        if not match or self._device == "cpu":
            return None
        read = [self._tensor(name)[0] for name in node["inputs"]]
        output = node["outputs"].get("0")
        direction = match.group(1)
        # forward (input, filter) -> output; input (sizes, filter, gradient) -> input; filter (input, sizes, gradient)
        places = {None: (0, 1, None), "BackpropInput": (None, 1, 2), "BackpropFilter": (0, None, 2)}[direction]
        source, kernel, result = (output if place is None else read[place] for place in places)
        if source is None or kernel is None or result is None or len(kernel["shape"]) < 4:
            return None
        spatial = len(kernel["shape"]) - 2
        layout = node["attributes"].get("data_format", "NHWC")
        first = 2 if layout.startswith("NC") else 1
        in_channels = 1 if layout.startswith("NC") else -1

        def middle(sizes: list[int]) -> tuple[int, ...]:
            return tuple(sizes[first : first + spatial]) if sizes else (1,) * spatial

        return Convolution(
            batch=result["shape"][0],
            channels=source["shape"][in_channels],
            filters=kernel["shape"][-1],
            kernel=tuple(kernel["shape"][:spatial]),
            results=middle(result["shape"]),
            strides=middle(node["attributes"].get("strides", [])),
            dilations=middle(node["attributes"].get("dilations", [])),
            item_bytes=self._sizes.get(source["dtype"] % 100, 4),
        )
