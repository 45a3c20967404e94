"""A recording is used again for a process that would make it again, and for no other."""

from __future__ import annotations

from tests.verifying.forked import Kept

JOB = {"steps": 6, "moved": 0, "first": "", "data": ""}
VARIABLES = {"PYTHONHASHSEED": "0", "TF1MEM_TF1_SEEDS": None}


def made(folder, source="train()"):
    """Makes the folder of a process that is about to start; returns its job."""
    (folder / "work").mkdir(parents=True)
    (folder / "work" / "program.py").write_text(source, encoding="utf-8")
    return dict(JOB, folder=str(folder), program=f"{folder}/work/program.py")


def test_the_key_is_all_that_a_process_is_given(tmp_path):
    kept = Kept(tmp_path / "kept")
    job, again, other = (
        made(tmp_path / name, source) for name, source in (("a", "train()"), ("b", "train()"), ("c", "test()"))
    )
    key = kept.key(job, job["folder"], VARIABLES)
    assert key == kept.key(again, again["folder"], VARIABLES)
    different = [
        kept.key(other, other["folder"], VARIABLES),
        kept.key(dict(job, steps=1), job["folder"], VARIABLES),
        kept.key(dict(job, moved=1), job["folder"], VARIABLES),
        kept.key(job, "/", VARIABLES),
        kept.key(job, job["folder"], dict(VARIABLES, TF1MEM_TF1_SEEDS="false")),
    ]
    assert len({key, *different}) == 6
    assert kept.key(dict(job, first="first.npz"), job["folder"], VARIABLES) == ""


def test_a_recording_is_copied_with_its_status(tmp_path):
    kept, job = Kept(tmp_path / "kept"), made(tmp_path / "a")
    key = kept.key(job, job["folder"], VARIABLES)
    assert kept.copy(key, tmp_path / "b") is None
    (tmp_path / "a" / "stdout").write_text("0.5\n", encoding="utf-8")
    kept.keep(key, tmp_path / "a", 256)
    kept.keep("", tmp_path / "a", 0)  # of a process that isn't kept
    made(tmp_path / "b")
    assert kept.copy(key, tmp_path / "b") == 256
    assert (tmp_path / "b" / "stdout").read_text(encoding="utf-8") == "0.5\n"
    assert [path.name for path in (tmp_path / "kept").iterdir()] == [key]
