"""NVML's answer about the machine's GPUs, or the reason why there is none."""

from __future__ import annotations

from tf1mem.machine import nvml


def test_a_driver_that_is_slow_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(nvml, "SECONDS", 0.001)
    assert nvml.ask() == ((), "the driver didn't answer within 0.001 s")


def test_the_driver_answers_or_says_why_not():
    gpus, why = nvml.ask()
    assert bool(gpus) != bool(why)


def test_bus_ids_of_cuda_and_nvml_are_one():
    assert nvml.bus_id("0000:01:00.0") == nvml.bus_id("00000000:01:00.0") == "0000:01:00.0"
    assert nvml.bus_id("0000:AF:00.0") == "0000:af:00.0"
