"""Every test file is in the table of needs, and `make test`, CI's matrix or `make proof` runs it."""

from __future__ import annotations

import pytest

from tests import recordings
from tests.conformance import recording
from tests.matrix.selection import (
    GPU_BUILD,
    IN_CI,
    NEEDS,
    NOTHING,
    ON_PYTHONS,
    OUTSIDE_MATRIX,
    PYTHON,
    SAMPLE,
    TENSORFLOW,
    Proved,
    gpu_builds,
    is_run,
    needs,
)
from tests.names import generating
from tests.processes.environment import ROOT
from tf1mem.machine.versions import TESTED

FILES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py"))


@pytest.mark.parametrize("path", NEEDS)
def test_the_paths_of_the_table_exist(path):
    assert (ROOT / path).exists()


@pytest.mark.parametrize("path", FILES)
def test_proof_runs_all_that_ci_runs_and_every_file_that_needs_a_tensorflow(path):
    ci, proof = ({row.version for row in TESTED if is_run(path, row, whole)} for whole in (False, True))
    assert ci <= proof
    assert bool(proof) == (needs(path).what != NOTHING and needs(path).on != OUTSIDE_MATRIX)
    if needs(path).what == TENSORFLOW and needs(path).on not in (OUTSIDE_MATRIX, SAMPLE):
        assert proof == {row.version for row in TESTED}
    if needs(path).what == GPU_BUILD and needs(path).on not in (OUTSIDE_MATRIX, SAMPLE):
        assert proof == {row.version for row in gpu_builds()}


def test_ci_runs_the_ends_of_tensorflow_2_and_the_one_of_the_recordings():
    versions = [row.version for row in TESTED]
    assert [version for version in versions if version in IN_CI] == list(IN_CI)
    second = next(version for version in versions if version.startswith("2."))
    assert {recordings.TRUTH, second, versions[-1]} <= set(IN_CI)


def test_ci_compares_every_tensorflow_that_can_be():
    assert [row for row in TESTED if is_run("tests/conformance/test_apply.py", row, whole=False)] == gpu_builds()


def test_ci_runs_programs_for_standalone_keras_on_the_oldest_of_tensorflow_2():
    second = next(row for row in gpu_builds() if row.version.startswith("2."))
    assert [row for row in TESTED if is_run("tests/runner/test_standalone_keras.py", row, whole=False)] == [second]


def test_ci_runs_the_command_line_once_on_each_python():
    pythons = [row.python for row in TESTED if is_run("tests/cli/test_command_line.py", row, whole=False)]
    assert sorted(pythons) == sorted({row.python for row in TESTED})


def test_ci_starts_programs_on_the_oldest_and_the_newest_python():
    oldest, newest, every = {TESTED[0].python}, {TESTED[-1].python}, {row.python for row in TESTED}
    for path, pythons in (
        ("tests/runner/test_bad_input.py", oldest),
        ("tests/runner/test_notebooks.py", oldest | newest),
        ("tests/runner/test_programs_with_tensorflow.py", set()),
    ):
        assert {row.python for row in TESTED if is_run(path, row, whole=False)} == pythons
        assert {row.python for row in TESTED if is_run(path, row, whole=True)} == every


@pytest.mark.parametrize("proved", [Proved("3.11", "2.21.0"), Proved("3.13", "2.21.0"), Proved("3.14", "2.99.0")])
def test_ci_leaves_out_only_what_make_test_proves(proved):
    for path in FILES:
        alone, after = ([row for row in TESTED if is_run(path, row, False, before)] for before in (None, proved))
        if needs(path).what == PYTHON or needs(path).on in ON_PYTHONS:
            pythons = [row.python for row in alone if row.python != proved.python]
            assert [row.python for row in after] == pythons, path
        else:
            assert after == [row for row in alone if row.version != proved.version], path


def test_the_longest_path_counts():
    assert needs("tests/gpusim/test_trace.py").what == NOTHING
    assert needs("tests/gpusim/test_tensorflow_runs.py").what == GPU_BUILD


def test_the_recordings_are_of_the_versions_of_the_table():
    """The recordings are of the table's versions; run `make data` where this fails after a new row."""
    assert list(generating.TF1) == recordings.TF1
    assert recordings.NEWEST.startswith(generating.TF2 + ".")
    assert recording.TENSORFLOW == recordings.TRUTH == gpu_builds()[0].version
