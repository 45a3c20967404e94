"""Makes an observation of a program's notes and the driver's trace. Observations are what is compared."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

from . import simulator

REFUSED = "refused"  # out of memory
ABORTED = "aborted"  # TensorFlow ended the process: how TensorFlow 1 refuses some configs


def observe(folder: Path, status: int) -> dict[str, Any]:
    """Reads the observation of a case from its folder.

    Args:
        folder: The folder in which the case ran.
        status: The status of its process, as `os.waitpid` gives it.

    Returns:
        If the config was refused, "error": the error's class, or "aborted", and the beginning of its message.
        Otherwise "limits": each logical GPU's memory limit in bytes, as TensorFlow reports it; "physical": the
        machine's number of each logical GPU that reserved anything; "regions": the bytes of each request that it made
        to the driver, as "m1024" for managed memory; "outcomes": of each allocation "ok", "refused" or the error's
        class. Further keys are from the program's notes.

    Raises:
        AssertionError: The program failed, or TensorFlow did something that an observation can't express.
    """
    notes = folder / "notes.json"
    output = (folder / "output.txt").read_text("utf-8", "replace") if (folder / "output.txt").exists() else ""
    fatal = re.search(r" F tensorflow/\S+ (.*)", output)
    if fatal and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGABRT:
        return {"error": [ABORTED, fatal.group(1)[:120]]}
    well = notes.exists() and status == 0
    assert well, f"the program ended with {status}:\n{output[-3000:]}"
    noted = json.loads(notes.read_text("utf-8"))
    observation = {name: value for name, value in noted.items() if name not in ("limits", "steps", "error")}
    if noted["error"] is not None:
        kind, message = noted["error"]
        observation["error"] = [kind, " ".join(message.split())[:120]]
        return observation
    trace = simulator.Trace(folder)
    physical: list[int | None] = [None] * len(noted["limits"])
    regions: list[list[Any]] = [[] for _ in noted["limits"]]
    outcomes = []
    for gpu, outcome, begin, end in noted["steps"]:
        outcomes.append(REFUSED if outcome == "ResourceExhaustedError" else outcome)
        for event in trace.between(begin, end):
            if event.event != "reserve":
                assert event.event != "free", f"TensorFlow gave memory back: {event}"
                continue
            assert gpu < len(physical), "an allocation on a GPU that TensorFlow does not list"
            assert physical[gpu] in (None, event.gpu), f"/gpu:{gpu} reserved on two GPUs"
            physical[gpu] = event.gpu
            regions[gpu].append(f"m{event.bytes}" if event.kind == "managed" else event.bytes)
    observation.update(limits=noted["limits"], physical=physical, regions=regions, outcomes=" ".join(outcomes))
    return observation


def region_bytes(region: Any) -> int:
    """Returns the bytes of a region in an observation: 1024, or "m1024" for managed memory."""
    return int(re.sub("^m", "", str(region)))
