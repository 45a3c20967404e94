"""Old programs, untouched, train to 1.15.5's numbers by `tf1mem run`: the same first weights, batches and losses."""

import pytest

from . import recording

WARM = ["tf1mem.v1"]
PROGRAMS = recording.programs()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_trains_to_the_recorded_numbers(name, warm, tmp_path):
    out, err = tmp_path / "out", tmp_path / "err"
    program = warm.submit([str(PROGRAMS[name])], folder=tmp_path, out=out, err=err, by_run=True)
    assert program.status() == 0, err.read_text(encoding="utf-8")
    assert not recording.differences(recording.read()[name], out.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize(
    ("line", "count"),
    [("step 1 loss 2.50001", 0), ("step 1 loss 2.5001", 1), ("step 2 loss 2.5", 1), ("a step 1 loss 2.5", 1)],
)
def test_numbers_differ_by_rounding_only(line, count):
    assert len(recording.differences(["step 1 loss 2.5"], [line])) == count


def test_a_missing_line_and_one_more_are_differences():
    assert len(recording.differences(["a 1.0", "b"], ["a 1.0"])) == len(recording.differences([], ["b"])) == 1
