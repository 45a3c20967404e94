"""The checkup: one query of everything about the machine and the environment.

Nothing here starts TensorFlow's GPU runtime, or CUDA, in the doctor's own process.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Callable

from tf1mem.doctor.checkup import cuda_libraries, driver, installed, listed_devices, variables
from tf1mem.errors import LibraryFileError
from tf1mem.machine.architectures import Architectures, of_tensorflow
from tf1mem.machine.child import ANSWERED, SILENT


@dataclass(frozen=True)
class Checkup:
    """Facts about the installation, the machine and the environment.

    Attributes:
        installed: Python, TensorFlow and Keras, with versions.
        libraries: CUDA libraries that TensorFlow opens.
        driver: CUDA driver and its GPUs.
        devices: Physical devices that TensorFlow lists.
        variables: Environment variables that are set and matter.
        environment: All environment variables.
        architectures: Compute capabilities that TensorFlow has code for; None for a build without CUDA.
    """

    installed: installed.Installed
    libraries: cuda_libraries.Libraries
    driver: driver.Driver
    devices: listed_devices.Devices
    variables: tuple[variables.Variable, ...]
    environment: dict[str, str]
    architectures: Architectures | None = None

    def value(self, name: str) -> str | None:
        """Returns an environment variable's value, or None."""
        return self.environment.get(name)


def look(show_step: Callable[[str], None]) -> Checkup:
    """Queries the machine and the environment, without making a device on any GPU.

    Args:
        show_step: Called with a line of text before each slow step: the query of the driver, and the import of
            TensorFlow in a child process.
    """
    environment = dict(os.environ)
    here = installed.look(environment)
    show_step("asking the CUDA driver")
    driver_answer = driver.query(environment)
    device_list = listed_devices.Devices(ANSWERED)  # stays without a TensorFlow: there is nothing to list
    if here.folder is not None:
        show_step("importing TensorFlow in a separate process")
        device_list = listed_devices.query(environment, driver_answer.state != SILENT)
    return Checkup(
        here,
        cuda_libraries.look(here, environment),
        driver_answer,
        device_list,
        tuple(variables.look(environment, here)),
        environment,
        _architectures(here),
    )


def _architectures(here: installed.Installed) -> Architectures | None:
    if here.folder is None or here.build != "CUDA":
        return None
    try:
        return of_tensorflow(installed.inner_folder(here.folder))
    except LibraryFileError:  # the import fails, too, and says more
        return None
