"""The doctor's JSON. Its fields are described in `tf1mem/cli/schemas/`, and in the guide's page on JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Sequence

from tf1mem import __version__
from tf1mem.machine.builds import capability_text

if TYPE_CHECKING:
    from tf1mem.doctor.checkup import Checkup
    from tf1mem.doctor.examination import Examination
    from tf1mem.doctor.finding import Finding
    from tf1mem.gpusim.histories import Histories
    from tf1mem.machine.architectures import Architectures

SCHEMA = 2  # rises when a field goes or changes its meaning
# The fields of a process's share of a GPU (gpusim/histories.py) that the JSON has.
_OF_SHARE = ("gpu", "regions", "reserved", "peak", "managed_peak", "refused", "launches")


def of_checkup(checkup: Checkup, findings: Sequence[Finding]) -> dict[str, Any]:
    """Returns the object that `tf1mem doctor --format json` prints."""
    here, libraries, driver, devices = checkup.installed, checkup.libraries, checkup.driver, checkup.devices
    return {
        "schema": SCHEMA,
        "tf1mem": __version__,
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
            "import": devices.state,
            "import_error": devices.error,
        },
        "cuda_libraries": asdict(libraries),
        "gpu_code": None if checkup.architectures is None else _gpu_code(checkup.architectures),
        "driver": {name: value for name, value in vars(driver).items() if name != "gpus"},
        "physical_gpus": [asdict(gpu) for gpu in driver.gpus],
        "physical_devices": devices.physical,
        "environment": [asdict(variable) for variable in checkup.variables],
        "findings": [finding.as_dict() for finding in findings],
    }


def _gpu_code(built: Architectures) -> dict[str, list[str]]:
    return {kind: list(map(capability_text, numbers)) for kind, numbers in built._asdict().items()}


def of_script(examination: Examination) -> dict[str, Any]:
    """Returns the object that `tf1mem doctor --format json -- script.py` prints."""
    run, record = examination.run, examination.run.record
    return {
        "schema": SCHEMA,
        "tf1mem": __version__,
        "script": examination.script,
        "with_tf1mem": examination.with_tf1mem,
        "exit_status": run.status,
        "tensorflow": record.tensorflow,
        "start": record.start,
        "sessions": record.of("session"),
        "settings": record.of("setting"),
        "variables": record.of("variable"),
        "error": record.last("error"),
        "findings": [finding.as_dict() for finding in examination.findings],
        "fixes": [asdict(patch) for patch in examination.patches],
        "gpus": [asdict(gpu) for gpu in run.gpus],
        "reserved": _reserved(run.histories),
        "in_use": examination.in_use(),
    }


def _reserved(histories: Histories | None) -> list[dict[str, Any]] | None:
    if histories is None:
        return None
    return [
        {"pid": share.process.pid, **{name: getattr(share, name) for name in _OF_SHARE}, "started_by": share.where}
        for share in sorted(histories.shares, key=lambda share: share.gpu)  # TensorFlow starts GPUs in any order
    ]
