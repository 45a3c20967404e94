"""The checkup: everything about the machine and the environment, asked once.

Nothing here starts TensorFlow's GPU runtime, or CUDA, in the process that asks.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Callable

from tf1mem.doctor.checkup import devices, driver, installed, libraries, variables
from tf1mem.machine.child import ANSWERED, SILENT


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


def look(begun: Callable[[str], None]) -> Checkup:
    """Asks everything; no GPU is made a device of.

    Args:
        begun: Told what takes its time, as it begins: the driver, and TensorFlow, which is imported in a child.
    """
    environment = dict(os.environ)
    here = installed.look(environment)
    begun("asking the CUDA driver")
    asked = driver.asked(environment)
    listed = devices.Devices(ANSWERED)
    if here.folder is not None:
        begun("importing TensorFlow in a process of its own")
        listed = devices.asked(environment, asked.state != SILENT)
    return Checkup(
        here, libraries.look(here, environment), asked, listed, tuple(variables.look(environment, here)), environment
    )
