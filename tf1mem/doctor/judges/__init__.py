"""From facts to findings: pure, a module for each kind of thing that goes wrong.

A finding is one place in one of these modules: its kind, with the code, the severity and the mend that the guide lists,
and below it the function that finds it.
"""

from __future__ import annotations

from tf1mem.doctor.checkup import Checkup
from tf1mem.doctor.finding import Finding, Kind, worst_first
from tf1mem.doctor.judges import ending, growth, losses, machine, placement
from tf1mem.doctor.watch.record import Record


def of_machine(checkup: Checkup) -> list[Finding]:
    """What is wrong with what is installed and in force, in the order to tell it."""
    return worst_first(machine.findings(checkup))


def of_script(record: Record, script: str, status: int) -> list[Finding]:
    """What is wrong with what a script did, in the order to tell it.

    Args:
        record: What was seen of it.
        script: The script, as a command line names it.
        status: Its exit status; the negative number of the signal that ended it.
    """
    found = list(ending.findings(record, script, status))
    for judge in (losses, growth, placement):
        found += judge.findings(record)
    return worst_first([*found, *losses.under_tf1mem(record)])


def kinds() -> list[Kind]:
    """Every kind of finding, by its code."""
    every = {
        value
        for judge in (machine, ending, losses, growth, placement)
        for value in vars(judge).values()
        if isinstance(value, Kind)
    }
    return sorted(every, key=lambda kind: kind.code)
