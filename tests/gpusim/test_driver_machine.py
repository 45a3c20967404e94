"""The machine file, which Python and C read in the same way."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
from pathlib import Path

import pytest

from tf1mem.errors import SimulationError
from tf1mem.gpusim import machine
from tf1mem.gpusim.gpus import MOST_GPUS, SimulatedGpu, lineup
from tf1mem.gpusim.simulated_libraries import SOURCES

STRUCTURES = {
    "machine": machine.Machine,
    "machine_gpu": machine.MachineGpu,
    "machine_process": machine.MachineProcess,
    "machine_usage": machine.MachineUsage,
}


def compiler() -> str:
    return os.environ.get("CC", "cc")


def test_the_layout_in_c_and_in_python_is_the_same(tmp_path: Path) -> None:
    offsets = {}
    lines = ["#include <stdio.h>", "#include <stddef.h>", '#include "machine.h"', "int main(void) {", 'printf("{");']
    for name, structure in STRUCTURES.items():
        offsets[name] = [ctypes.sizeof(structure), ctypes.alignment(structure)]
        lines.append(f'printf("\\"{name}\\": [%zu, %zu], ", sizeof(struct {name}), _Alignof(struct {name}));')
        for field, *_ in structure._fields_:
            descriptor = getattr(structure, field)
            offsets[f"{name}.{field}"] = [descriptor.offset, descriptor.size]
            place = f"offsetof(struct {name}, {field}), sizeof ((struct {name} *)0)->{field}"
            lines.append(f'printf("\\"{name}.{field}\\": [%zu, %zu], ", {place});')
    lines.append('printf("\\"constants\\": [%d, %d, %d]}\\n", MACHINE_LAYOUT, MACHINE_GPUS, MACHINE_PROCESSES); }')
    offsets["constants"] = [machine.LAYOUT, MOST_GPUS, machine.MOST_PROCESSES]
    (tmp_path / "layout.c").write_text("\n".join(lines), encoding="utf-8")
    command = [compiler(), "-std=gnu11", "-I", str(SOURCES), str(tmp_path / "layout.c"), "-o", str(tmp_path / "layout")]
    subprocess.run(command, check=True)
    assert json.loads(subprocess.check_output([str(tmp_path / "layout")]).decode()) == offsets
    assert (SOURCES / "machine.h").read_text(encoding="utf-8").count(machine.MAGIC.decode().strip()) == 1


def test_a_created_machine_can_be_read(tmp_path: Path) -> None:
    gpus = lineup(
        ["8GiB,name=Tesla V100,cc=7.0", "12345678901B,uuid=GPU-00112233-4455-6677-8899-aabbccddeeff"], used="1KiB"
    )
    machine.create(tmp_path / "machine", gpus)
    assert machine.read(tmp_path / "machine") == machine.State(gpus, (), (1024, 1024))
    assert machine.reap(tmp_path / "machine", tmp_path / "trace") == ()
    assert not (tmp_path / "trace").exists()
    # A new file replaces the machine file in one step, and leaves no other file.
    machine.create(str(tmp_path / "machine"), gpus[:1])
    assert machine.read(str(tmp_path / "machine")).gpus == gpus[:1]
    assert os.listdir(str(tmp_path)) == ["machine"]


def test_sixteen_gpus_and_no_more(tmp_path: Path) -> None:
    machine.create(tmp_path / "machine", lineup(16))
    assert len(machine.read(tmp_path / "machine").gpus) == 16
    for gpus in ([], [SimulatedGpu()] * 17):
        with pytest.raises(SimulationError, match="1 to 16"):
            machine.create(tmp_path / "machine", gpus)


def test_unreadable_and_unwritable_files_are_errors(tmp_path: Path) -> None:
    with pytest.raises(SimulationError, match="No such file"):
        machine.create(tmp_path / "none" / "machine", lineup(1))
    with pytest.raises(SimulationError, match="No such file"):
        machine.read(tmp_path / "machine")
    (tmp_path / "machine").write_bytes(b"x" * 100)
    with pytest.raises(SimulationError, match="this version"):
        machine.read(tmp_path / "machine")
    (tmp_path / "machine").write_bytes(bytes(ctypes.sizeof(machine.Machine)))
    with pytest.raises(SimulationError, match="this version"):
        machine.reap(tmp_path / "machine")


def test_processes_are_reaped_even_if_the_trace_cannot_be_written(tmp_path: Path) -> None:
    machine.create(tmp_path / "machine", lineup(1))
    mapped = machine._mapped(os.open(str(tmp_path / "machine"), os.O_RDWR))
    mapped.processes[0].pid, mapped.process_count = 2**31 - 1, 1  # no such process
    mapped.processes[0].usage[0].used = mapped.processes[0].usage[0].reserved = 1
    assert [usage.reserved for usage in machine.reap(tmp_path / "machine", tmp_path / "none" / "trace")] == [1]
    contents = machine.read(tmp_path / "machine")
    assert contents.trace_cut
    assert [(usage.state, usage.reserved) for usage in contents.accounts] == [(machine.KILLED, 1)]
    assert (contents.usages, contents.in_use) == ((), (0,))
