"""Compares an observation with the truth, and puts the differences into words."""

from __future__ import annotations

from typing import Any

from packaging.version import Version

from .entries import LATE, MIB, ORDER_LOST, Entry
from .observing import ABORTED
from .rules import expected

# The errors by which tf1mem or TensorFlow refuses a config, or TensorFlow's abort. Any other error is a fault.
REFUSALS = ("SettingError", "InvalidArgumentError", "UnknownError", "AlreadyExistsError", ABORTED)

# Entries in which tf1mem does something else than TensorFlow 1 on purpose -> what it does, and why.
REFUSED, WITHOUT_GPUS = "a SettingError", "taken, without GPUs, or as TensorFlow 1"
ON_PURPOSE = {
    "fraction negative": (REFUSED, "TensorFlow 1 reckoned a negative limit from it, and took almost all memory"),
    "a limit beyond the GPU": (REFUSED, "TensorFlow 1 reserved less than the limit, without a word"),
    "virtual devices beyond the GPU": (REFUSED, "TensorFlow 1 reserved less than the limits, without a word"),
    "CUDA -1; visible 0": (
        WITHOUT_GPUS,
        "TensorFlow 1.15 dies of it: not where it makes GPU devices (gpu/gpu_device.cc, CreateDevices, which returns "
        "early without GPUs), but where XLA does (compiler/jit/xla_gpu_device.cc)",
    ),
}


def differences(
    entry: Entry, truth: dict[str, Any], observation: dict[str, Any], version: Version, way: str
) -> list[str]:
    """Returns a line for each difference between an observation and the one to expect by the truth.

    Args:
        entry: The entry of the grid.
        truth: The entry's observation on TensorFlow 1.15.5.
        observation: The entry's observation on another version, or in another way.
        version: The TensorFlow version of `observation`.
        way: The way of `observation`: a key of `cases.WAYS`.
    """
    is_tf1 = version.release < (2,)
    if way == "run" and is_tf1:
        way = "TF1"  # `tf1mem run` leaves TensorFlow 1 alone
    if way == "TF1" and observation == truth:
        return []
    if entry.name in ON_PURPOSE and way != "TF1":
        return _on_purpose(ON_PURPOSE[entry.name][0], observation)
    # On TensorFlow 2, an earlier apply has started CUDA with its settings; on TensorFlow 1 each Session has its own.
    only_applied = is_tf1 and entry.earlier_steps and entry.earlier_steps[0][0] == "apply"
    if way == "apply" and entry.apply_outcome == LATE and not only_applied:
        return [] if observation.get("error", [""])[0] == LATE else [f"wanted {LATE}; here: {_in_words(observation)}"]
    if "error" in truth or "error" in observation:
        if "error" in truth and observation.get("error", [""])[0] in REFUSALS:
            return []
        return [f"TensorFlow 1.15.5: {_in_words(truth)}; here: {_in_words(observation)}"]
    if len(observation["limits"]) != len(truth["limits"]):
        return ["{} logical GPUs, TensorFlow 1.15.5 made {}".format(len(observation["limits"]), len(truth["limits"]))]
    if (
        way == "apply"
        and entry.apply_outcome == ORDER_LOST
        and "gpu_options.visible_device_list" in observation["lost"]
    ):
        truth = {name: value[::-1] if isinstance(value, list) else value for name, value in truth.items()}
    expectation = expected(entry, truth, version)
    if not is_tf1 and not to_the_byte(entry, way):
        below = [cap - limit for cap, limit in zip(truth["limits"], observation["limits"])]
        if not all(0 <= missing < MIB for missing in below):
            return [f"the caps are {below} bytes below TensorFlow 1's, not less than 1 MiB"]
        expectation = expected(entry, dict(truth, limits=observation["limits"]), version)
    lines = []
    for gpu in range(len(expectation["limits"])):
        for key, words in (("limits", "may take"), ("physical", "is physical GPU"), ("regions", "reserved")):
            if observation[key][gpu] != expectation[key][gpu]:
                lines.append(f"/gpu:{gpu} {words} {observation[key][gpu]}, wanted {expectation[key][gpu]}")
    if observation["outcomes"] != expectation["outcomes"]:
        lines.append("allocations: {}; wanted: {}".format(observation["outcomes"], expectation["outcomes"]))
    return lines


def to_the_byte(entry: Entry, way: str) -> bool:
    """Returns True if TensorFlow has a public way to set an entry's cap to the byte.

    The eager context takes no fraction if there are logical CPUs (tensorflow/python/eager/context.py,
    `_compute_device_options`), and no ConfigProto after devices were listed. Then only a limit of `tf.config` is left,
    which is in whole MiB.
    """
    if way != "apply" or "per_process_gpu_memory_fraction" not in entry.config.get("gpu_options", {}):
        return True
    listed = any(step == "list_physical_devices" for step, _ in entry.earlier_steps)
    return entry.config.get("device_count", {}).get("CPU", 1) == 1 and not listed


def _on_purpose(purpose: str, observation: dict[str, Any]) -> list[str]:
    error = observation.get("error", [""])[0]
    fine = error == "SettingError" if purpose == REFUSED else error == ABORTED or observation.get("limits") == []
    return [] if fine else [f"wanted {purpose}; here: {_in_words(observation)}"]


def _in_words(observation: dict[str, Any]) -> str:
    if "error" in observation:
        return "{}: {}".format(*observation["error"])
    return "taken, with limits of {}".format(observation["limits"])
