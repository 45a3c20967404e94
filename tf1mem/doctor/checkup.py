"""The checkup: everything about the machine and the environment, asked once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from tf1mem.doctor import devices, driver, installed, libraries, variables


@dataclass(frozen=True)
class Checkup:
    """What is installed, and what is in force.

    Attributes:
        installed: Python and TensorFlow.
        libraries: The CUDA libraries that TensorFlow opens.
        driver: The CUDA driver and its GPUs.
        devices: What TensorFlow lists.
        variables: The environment variables that are set and matter.
        environment: All of them.
    """

    installed: installed.Installed
    libraries: libraries.Libraries
    driver: driver.Driver
    devices: devices.Devices
    variables: tuple[variables.Variable, ...]
    environment: dict[str, str]

    def value(self, name: str) -> str | None:
        """An environment variable's value, or None."""
        return self.environment.get(name)


def look(more: dict[str, str] | None = None, import_tensorflow: bool = True) -> Checkup:
    """Asks everything; nothing is started in this process, and no GPU is made a device of.

    Args:
        more: Environment variables to add, as a simulation's.
        import_tensorflow: Whether TensorFlow is imported, in a child, and asked for its devices: that takes seconds.
    """
    environment = dict(os.environ, **(more or {}))
    here = installed.look(environment)
    asked = driver.asked(environment)
    listed = devices.Devices("answered")
    if here.folder is not None and import_tensorflow:
        listed = devices.asked(environment, asked.state != "silent")
    return Checkup(
        here,
        libraries.look(here, environment),
        asked,
        listed,
        tuple(variables.look(environment, here)),
        environment,
    )


def as_dict(checkup: Checkup) -> dict[str, Any]:
    """The checkup as plain values, for JSON."""
    here, wanted, asked = checkup.installed, checkup.libraries, checkup.driver
    return {
        "python": here.python,
        "platform": here.platform,
        "tensorflow": {
            "version": here.tensorflow,
            "distributions": list(here.distributions),
            "folder": here.folder,
            "build": here.build,
            "keras": here.keras_in_use,
            "tf_keras": here.tf_keras,
            "estimator": here.estimator,
            "contrib": here.contrib,
            "import": checkup.devices.state,
            "import_error": checkup.devices.error,
        },
        "cuda_libraries": {
            "cuda": wanted.cuda,
            "cudnn": wanted.cudnn,
            "wanted": list(wanted.wanted),
            "missing": None if wanted.missing is None else list(wanted.missing),
        },
        "driver": {
            "state": asked.state,
            "version": asked.version,
            "cuda": asked.cuda,
            "error": asked.error,
            "simulated": asked.simulated,
        },
        "physical_gpus": [dict(gpu.__dict__) for gpu in asked.gpus],
        "physical_devices": None if checkup.devices.physical is None else list(checkup.devices.physical),
        "environment": [dict(variable.__dict__) for variable in checkup.variables],
    }
