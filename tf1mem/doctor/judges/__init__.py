"""Pure functions from facts to findings, one module for each kind of problem.

Each finding has one place in one of these modules: its kind, with the code, severity and remedy that the guide lists,
and below it the function that finds it.
"""

from __future__ import annotations

from tf1mem.doctor.checkup import Checkup
from tf1mem.doctor.finding import Finding, Kind, worst_first
from tf1mem.doctor.judges import ending, growth, installation, losses, placement
from tf1mem.doctor.watch.record import Record


def of_machine(checkup: Checkup) -> list[Finding]:
    """Returns the findings about the installation and the environment, in the order of the report."""
    return worst_first(installation.findings(checkup))


def of_script(record: Record, script: str, status: int) -> list[Finding]:
    """Returns the findings about a script's run, in the order of the report.

    Args:
        record: record of the script's process.
        script: script as named on a command line.
        status: exit status, or the negative number of the signal that ended it.
    """
    findings = list(ending.findings(record, script, status))
    for judge in (losses, growth, placement):
        findings += judge.findings(record)
    return worst_first([*findings, *losses.under_tf1mem(record)])


def kinds() -> list[Kind]:
    """Returns every kind of finding, by code."""
    every = {
        value
        for judge in (installation, ending, losses, growth, placement)
        for value in vars(judge).values()
        if isinstance(value, Kind)
    }
    return sorted(every, key=lambda kind: kind.code)
