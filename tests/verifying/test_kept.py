"""A kept recording replaces a process that would record the same, and no other process."""

from __future__ import annotations

from tests.verifying.forked import Kept

JOB = {"steps": 6, "moved": 0, "first_values": "", "data": ""}
VARIABLES = {"PYTHONHASHSEED": "0", "TF1MEM_TF1_SEEDS": None}


def make_job(folder, source="train()"):
    """Makes the folder of a process, with its program; returns the job that the process would run."""
    (folder / "work").mkdir(parents=True)
    (folder / "work" / "program.py").write_text(source, encoding="utf-8")
    return dict(JOB, folder=str(folder), program=f"{folder}/work/program.py")


def test_the_key_depends_on_the_job_the_folder_and_the_variables(tmp_path):
    kept = Kept(tmp_path / "kept")
    job, same_job, other_job = (
        make_job(tmp_path / name, source) for name, source in (("a", "train()"), ("b", "train()"), ("c", "test()"))
    )
    key = kept.key(job, job["folder"], VARIABLES)
    assert key == kept.key(same_job, same_job["folder"], VARIABLES)
    different = [
        kept.key(other_job, other_job["folder"], VARIABLES),
        kept.key(dict(job, steps=1), job["folder"], VARIABLES),
        kept.key(dict(job, moved=1), job["folder"], VARIABLES),
        kept.key(job, "/", VARIABLES),
        kept.key(job, job["folder"], dict(VARIABLES, TF1MEM_TF1_SEEDS="false")),
    ]
    assert len({key, *different}) == 6
    assert kept.key(dict(job, first_values="first.npz"), job["folder"], VARIABLES) == ""


def test_a_recording_is_copied_with_its_status(tmp_path):
    kept, job = Kept(tmp_path / "kept"), make_job(tmp_path / "a")
    key = kept.key(job, job["folder"], VARIABLES)
    assert kept.copy(key, tmp_path / "b") is None
    (tmp_path / "a" / "stdout").write_text("0.5\n", encoding="utf-8")
    kept.keep(key, tmp_path / "a", 256)
    kept.keep("", tmp_path / "a", 0)  # an empty key: this recording isn't kept
    make_job(tmp_path / "b")
    assert kept.copy(key, tmp_path / "b") == 256
    assert (tmp_path / "b" / "stdout").read_text(encoding="utf-8") == "0.5\n"
    assert [path.name for path in (tmp_path / "kept").iterdir()] == [key]
