"""Compares TensorFlow's memory on a real GPU with its memory on a simulated one of the same size.

Each case runs twice, in separate processes: on the machine's own driver, whose NVML reports the memory in use before
and after, and on the simulator. No other process should use the GPU meanwhile. README.md explains the table. Without a
GPU it says so, and exits with 0.

Usage: gpu_check.py [CASE …] [--json FILE]
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Mapping

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tf1mem.errors import Tf1memError
from tf1mem.gpusim import trace
from tf1mem.gpusim.gpus import SimulatedGpu
from tf1mem.gpusim.launching import simulation
from tf1mem.machine import cuda
from tf1mem.machine.tensorflow import installed_version

PROGRAM = Path(__file__).resolve().parent / "gpu_check_program.py"
MIB = 2**20
CASES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "fraction 0.05": {"per_process_gpu_memory_fraction": 0.05},
    "fraction 0.4": {"per_process_gpu_memory_fraction": 0.4},
    "growth": {"allow_growth": True},
    "growth, fraction 0.05": {"allow_growth": True, "per_process_gpu_memory_fraction": 0.05},
    "limit of 1000 MiB": {"experimental": {"virtual_devices": [{"memory_limit_mb": [1000]}]}},
    "two of 500 MiB": {"experimental": {"virtual_devices": [{"memory_limit_mb": [500, 500]}]}},
}


class NotMeasuredError(Exception):
    """A program ended without its figures."""


def measured(config: dict[str, Any] | None, environment: Mapping[str, str]) -> dict[str, Any]:
    """Returns the program's report on a config, or on a bare CUDA context without TensorFlow if it is None."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "figures.json"
        command = [sys.executable, str(PROGRAM), str(out), json.dumps(config)]
        done = subprocess.run(command, env=dict(environment), capture_output=True, encoding="utf-8", check=False)
        if done.returncode or not out.exists():
            raise NotMeasuredError(f"{PROGRAM.name} ended with {done.returncode}:\n{done.stderr[-2000:]}")
        figures: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
        return figures


def on_the_simulator(config: dict[str, Any], like: dict[str, Any], environment: Mapping[str, str]) -> int:
    """Returns the bytes that TensorFlow reserves on a simulated GPU with as much total and free memory as a real one.

    Args:
        config: The config.
        like: Figures of the real GPU.
        environment: Environment variables of the process.
    """
    major, minor = like["compute_capability"]
    gpu = SimulatedGpu(
        total_bytes=like["total_bytes"],
        used_bytes=like["total_bytes"] - like["free_bytes"],
        compute_capability=(major, minor),
    )
    with tempfile.TemporaryDirectory() as folder, simulation(
        [gpu], trace=Path(folder) / "trace.jsonl", values=False
    ) as machine:
        measured(config, {**environment, "CUDA_VISIBLE_DEVICES": "0", **machine.environment})
        assert machine.trace is not None
        totals = [event.total or 0 for event in trace.read(machine.trace) if event.event == "reserve"]
        return max(totals, default=0)


def compare(cases: list[str]) -> dict[str, Any]:
    """Returns the figures of cases on the real and the simulated GPU, with the GPU, its driver and TensorFlow."""
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
    context = measured(None, environment)
    rows = []
    for name in cases:
        config = {"gpu_options": CASES[name]}
        real = measured(config, environment)
        taken = real["used_after"] - real["used_before"]
        simulated = on_the_simulator(config, context, environment)
        rows.append({"case": name, "driver_bytes": taken, "simulator_bytes": simulated})
    return {
        "date": datetime.date.today().isoformat(),
        "gpu": context["name"],
        "total_bytes": context["total_bytes"],
        "driver": context["driver"],
        "tensorflow": str(installed_version()),
        "context_bytes": context["used_after"] - context["used_before"],
        "rows": rows,
    }


def table(comparison: dict[str, Any]) -> str:
    """Returns the figures as a readable table, in MiB."""
    heading = "{gpu}, {total_bytes:,} bytes; driver {driver}; TensorFlow {tensorflow}; {date}".format(**comparison)
    lines = [heading, "{:<24}{:>14}{:>14}{:>14}{:>12}".format("MiB", "driver", "less context", "simulator", "more by")]
    for row in comparison["rows"]:
        bare = row["driver_bytes"] - comparison["context_bytes"]
        figures = (row["driver_bytes"], bare, row["simulator_bytes"], bare - row["simulator_bytes"])
        lines.append(
            "{:<24}{:>14,.2f}{:>14,.2f}{:>14,.2f}{:>12,.2f}".format(row["case"], *(it / MIB for it in figures))
        )
    return "\n".join(lines)


def main() -> int:
    """Prints the comparison, or that there is no GPU."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("cases", nargs="*", metavar="CASE", help="; ".join(CASES))
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures there too")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.cases) - set(CASES))
    if unknown:
        parser.error("no case {}: there are {}".format(", ".join(unknown), "; ".join(CASES)))
    if not cuda.ask():
        print("no GPU here: nothing to compare")
        return 0
    try:
        comparison = compare(arguments.cases or list(CASES))
    except (NotMeasuredError, Tf1memError) as error:
        print(f"gpu_check: {error}", file=sys.stderr)
        return 1
    print(table(comparison))
    if arguments.json:
        arguments.json.write_text(json.dumps(comparison, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
