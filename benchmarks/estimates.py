"""Compares `tf1mem.estimate` for Keras's own models with TensorFlow's allocator when they are trained.

For each model, in separate processes: the estimate of its training step; `train_on_batch` on a simulated GPU without a
limit, by the allocator's own peak; and the same under the estimated limit, which must run. README.md explains the
table. A model's figures are saved as soon as they are measured, and not measured again.

Usage: estimates.py [MODEL …] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any, Mapping

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tf1mem.gpusim.launching import simulation
from tf1mem.machine.tensorflow import installed_version

PROGRAM = Path(__file__).resolve().parent / "estimates_program.py"
MIB = 2**20
# Each model of tf.keras.applications, the side of its images, and the batch.
MODELS = {
    "MobileNetV2": (96, 8),
    "ResNet50": (224, 8),
    "VGG16": (224, 8),
    "VGG19": (224, 8),
    "MobileNet": (224, 8),
    "MobileNetV3Small": (224, 8),
    "Xception": (224, 8),
    "ResNet50V2": (224, 8),
    "InceptionV3": (224, 8),
    "DenseNet121": (224, 8),
}
GPU = "64GiB,cc=7.0"  # the compute capability is the default of `tf1mem.estimate`


class NotMeasuredError(Exception):
    """A program ended without its figures."""


def figures(what: str, model: str, environment: Mapping[str, str], *more: str) -> dict[str, Any]:
    """Returns the figures that a process of the program has written."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "figures.json"
        command = [sys.executable, str(PROGRAM), str(out), what, model, *map(str, MODELS[model]), *more]
        done = subprocess.run(command, env=dict(environment), capture_output=True, encoding="utf-8", check=False)
        if not out.exists():
            raise NotMeasuredError(f"{model}, {what}: ended with {done.returncode}:\n{done.stderr[-2000:]}")
        result: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
        return result


def measured(model: str) -> dict[str, Any]:
    """Returns the figures of one model."""
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
    estimate = figures("estimate", model, environment)
    with simulation([GPU], values=False) as machine:
        on_it = {**environment, **machine.environment}
        free = figures("train", model, on_it)
        under = figures("train", model, on_it, str(estimate["limit_mib"]))
    return {"tensorflow": str(installed_version()), "estimate": estimate, "trained": free, "under_limit": under}


def error(row: dict[str, Any]) -> float:
    """Returns the relative error of the estimated peak: 0.1 if it is 10% above the allocator's."""
    return float(row["estimate"]["peak"] / row["trained"]["peak"] - 1)


def table(rows: Mapping[str, dict[str, Any]]) -> str:
    """Returns the figures as a table in Markdown, in MiB and seconds."""
    lines = [
        "| model | image, batch | estimated peak | `train_on_batch` | | limit | ran | seconds | of CPU |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for model, row in rows.items():
        estimate, (size, batch) = row["estimate"], MODELS[model]
        ran = "yes" if row["under_limit"]["ran"] else "**no**"
        lines.append(
            f"| {model} | {size}, {batch} | {estimate['peak'] / MIB:,.1f} | {row['trained']['peak'] / MIB:,.1f} "
            f"| {error(row):+.1%} | {estimate['limit_mib']:,} | {ran} | {estimate['wall_s']:.0f} "
            f"| {estimate['cpu_s']:.0f} |"
        )
    off = [abs(error(row)) for row in rows.values()]
    lines += ["", f"Median error {median(off):.1%}, largest {max(off):.1%}." if off else "Nothing was measured."]
    return "\n".join(lines)


def main() -> int:
    """Measures the models that the JSON file lacks, and prints the table of all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(MODELS))
    parser.add_argument("--json", metavar="FILE", type=Path, help="keep the figures there")
    arguments = parser.parse_args()
    unknown = set(arguments.models) - set(MODELS)
    if unknown:
        parser.error("no model {}: there are {}".format(", ".join(sorted(unknown)), ", ".join(MODELS)))
    kept: Path | None = arguments.json
    rows = json.loads(kept.read_text(encoding="utf-8")) if kept is not None and kept.exists() else {}
    failed = False
    for model in arguments.models or MODELS:
        if model in rows:
            continue
        try:
            rows[model] = measured(model)
        except NotMeasuredError as error:
            print(f"estimates: {error}", file=sys.stderr)
            failed = True
            continue
        if kept is not None:
            kept.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        print(f"{model}: measured", file=sys.stderr)
    print(table(rows))
    return int(failed or not all(row["under_limit"]["ran"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
