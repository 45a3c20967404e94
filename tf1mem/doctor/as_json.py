"""The doctor's JSON. Its fields are described in the guide, migration_guide/doctor.md."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Sequence

from tf1mem import __version__
from tf1mem.doctor.checkup import Checkup
from tf1mem.doctor.checkup import as_dict as checkup_dict
from tf1mem.doctor.findings import Finding
from tf1mem.doctor.telling_run import Report, in_use

if TYPE_CHECKING:
    from tf1mem.gpusim.histories import Histories

LAYOUT = 1


def of_checkup(checkup: Checkup, findings: Sequence[Finding]) -> dict[str, Any]:
    """What `tf1mem doctor --json` prints."""
    return {
        "tf1mem": __version__,
        "layout": LAYOUT,
        **checkup_dict(checkup),
        "findings": [finding.as_dict() for finding in findings],
    }


def of_run(report: Report) -> dict[str, Any]:
    """What `tf1mem doctor --json -- script.py` prints."""
    seen = report.ran.seen
    return {
        "tf1mem": __version__,
        "layout": LAYOUT,
        "script": report.script,
        "with_tf1mem": report.with_tf1mem,
        "exit_status": report.ran.status,
        "tensorflow": seen.tensorflow,
        "start": seen.start,
        "sessions": seen.of("session"),
        "settings": seen.of("setting"),
        "variables": seen.of("variable"),
        "error": seen.last("error"),
        "findings": [finding.as_dict() for finding in report.findings],
        "mends": [dataclasses.asdict(mend) for mend in report.mends],
        "gpus": [dataclasses.asdict(gpu) for gpu in report.ran.gpus],
        "reserved": _reserved(report.ran.histories),
        "in_use": in_use(report),
    }


def _reserved(told: Histories | None) -> list[dict[str, Any]] | None:
    if told is None:
        return None
    return [
        {
            "pid": share.process.pid,
            "gpu": share.gpu,
            "regions": share.regions,
            "reserved": share.reserved,
            "peak": share.peak,
            "managed_peak": share.managed_peak,
            "refused": share.refused,
            "launches": share.launches,
            "started_by": share.where,
        }
        for share in sorted(told.shares, key=lambda share: share.gpu)  # TensorFlow takes them in any order
    ]
