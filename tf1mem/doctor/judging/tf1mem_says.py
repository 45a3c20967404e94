"""What tf1mem itself reports, where the script lives under it."""

from __future__ import annotations

from typing import Iterator

from tf1mem.applying.report import NO_EFFECT, REFUSED, REPLACED
from tf1mem.doctor.findings import Finding
from tf1mem.doctor.observed import Observed


def findings(seen: Observed) -> Iterator[Finding]:
    """A finding for each setting that was lost, by the report that `tf1mem.report()` gives.

    Args:
        seen: What was seen of the script.
    """
    for line in seen.reports_of_tf1mem:
        if line["outcome"] in (NO_EFFECT, REFUSED, REPLACED) and line["value"] != "(default)":
            yield Finding(
                "TFD225",
                "{}={}: {} ({}).".format(line["setting"], line["value"], line["outcome"], line["why"]),
                "print(tf1mem.report()) shows all of them",
            )
