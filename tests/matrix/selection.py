"""Selects the tests for each TensorFlow of the matrix: those that can run there, and whose results may differ there.

`make test` runs all tests on the newest stable TensorFlow. So tests with the same result on every TensorFlow run there
only. Tests that depend on the Python run on three in CI: that of `make test`, the oldest and the newest; the slow
ones run on the oldest or on the newest alone. The command line and imports depend on the Python most, so their tests
run on each Python of the TensorFlows that CI runs on.
"""

from __future__ import annotations

from typing import NamedTuple

from tf1mem.machine.versions import TESTED, Tested

# The needs of a test.
NOTHING = "nothing"  # it has the same result on every Python and TensorFlow
PYTHON = "python"  # it has the same result on every TensorFlow: it runs once on each Python
TENSORFLOW = "tensorflow"  # it runs on any TensorFlow
GPU_BUILD = "gpu build"  # it runs on a TensorFlow that can use simulated GPUs

# The choice among the TensorFlows that meet the needs. Those that can use simulated GPUs are "compared" with 1.15.5.
EVERY = "every"  # on every one, in CI as in `make proof`
# In CI on the oldest that is compared and on the newest, in `make proof` on every one.
OLDEST_AND_NEWEST = "oldest and newest"
OLDEST = "oldest"  # in CI on the oldest that is compared, in `make proof` on every one
OLDEST_2 = "oldest of 2"  # in CI on the oldest of TensorFlow 2 that is compared, in `make proof` on every one
SAMPLE = "sample"  # in `make proof` on the oldest that is compared, one in the middle and the newest stable one
PYTHONS = "pythons"  # in CI once on each Python, in `make proof` on every one
OUTER_PYTHONS = "outer pythons"  # in CI once on the oldest Python and once on the newest, in `make proof` on every one
OLDEST_PYTHON = "oldest python"  # in CI once on the oldest Python, in `make proof` on every one
NEWEST_PYTHON = "newest python"  # in CI once on the newest Python, in `make proof` on every one
PROOF = "proof"  # in `make proof` on every one
OUTSIDE_MATRIX = "outside the matrix"  # on none of the matrix: only `make test` runs it

# The TensorFlows on which `make matrix` runs the tests: that of the recordings, the oldest of TensorFlow 2, the first
# without its own Keras 2, and the newest. The jobs of .github/workflows and `make proof` run on every one.
IN_CI = ("1.15.5", "2.0.4", "2.16.2", "candidate")

# Choice -> the Pythons on which CI runs the tests, once on each.
ON_PYTHONS = {
    PYTHONS: {row.python for row in TESTED},
    OUTER_PYTHONS: {TESTED[0].python, TESTED[-1].python},
    OLDEST_PYTHON: {TESTED[0].python},
    NEWEST_PYTHON: {TESTED[-1].python},
}


class Needs(NamedTuple):
    """The needs of a test file.

    Attributes:
        what: NOTHING, PYTHON, TENSORFLOW or GPU_BUILD.
        on: EVERY, or another of the choices; it says on which TensorFlows that meet the needs the file runs.
        python: The oldest Python that the file runs on.
    """

    what: str
    on: str = EVERY
    python: tuple[int, int] = (3, 7)


class Proved(NamedTuple):
    """The environment in which `make test` has run everything, so that CI's matrix doesn't repeat it.

    Attributes:
        python: The first two numbers of its Python, as "3.11".
        version: The version of its TensorFlow.
    """

    python: str
    version: str


# Folder or file -> its needs; the longest path that fits a file counts.
NEEDS = {
    "tests": Needs(TENSORFLOW),
    "tests/applying/takers": Needs(GPU_BUILD, PROOF),
    "tests/checking": Needs(PYTHON, PROOF, (3, 10)),
    "tests/cli": Needs(TENSORFLOW, PYTHONS),
    "tests/cli/test_completion.py": Needs(TENSORFLOW, OUTER_PYTHONS),
    "tests/cli/test_estimate.py": Needs(TENSORFLOW, PROOF),
    "tests/codemod": Needs(PYTHON, PROOF, (3, 10)),
    "tests/codemod/differential": Needs(GPU_BUILD, PROOF),
    "tests/conformance": Needs(GPU_BUILD),
    "tests/conformance/test_fresh.py": Needs(GPU_BUILD, PROOF),
    "tests/conformance/test_run.py": Needs(GPU_BUILD, PROOF),
    "tests/conformance/test_truth.py": Needs(NOTHING),
    "tests/conformance/test_values.py": Needs(GPU_BUILD, SAMPLE),
    "tests/conformance/test_v1.py": Needs(GPU_BUILD, PROOF),
    "tests/distribution": Needs(GPU_BUILD, SAMPLE),
    "tests/doctor": Needs(GPU_BUILD, PROOF),
    "tests/era": Needs(NOTHING),
    "tests/estimating": Needs(GPU_BUILD, PROOF),
    "tests/examples": Needs(TENSORFLOW, SAMPLE),
    "tests/examples/test_fleet.py": Needs(PYTHON, PROOF, (3, 10)),
    "tests/examples/test_on_simulated_gpus.py": Needs(GPU_BUILD, PROOF),
    "tests/gpusim": Needs(NOTHING),
    "tests/gpusim/test_tensorflow_runs.py": Needs(GPU_BUILD, PROOF),
    "tests/gpusim/test_values.py": Needs(GPU_BUILD, PROOF),
    "tests/gpusim/test_values_exact.py": Needs(GPU_BUILD, SAMPLE),
    "tests/gpusim/test_values_sanitizers.py": Needs(GPU_BUILD, PROOF),
    "tests/gpusim/test_values_together.py": Needs(GPU_BUILD, PROOF),
    "tests/gpusim/test_values_xla.py": Needs(GPU_BUILD, SAMPLE),
    "tests/guide": Needs(GPU_BUILD, OUTSIDE_MATRIX),
    "tests/guide/test_columns.py": Needs(GPU_BUILD, PROOF),
    "tests/house": Needs(NOTHING),
    "tests/machine/test_child.py": Needs(TENSORFLOW, PROOF),
    "tests/machine/test_folders.py": Needs(NOTHING),
    "tests/matrix": Needs(NOTHING),
    "tests/names": Needs(PYTHON, PROOF, (3, 10)),
    "tests/names/test_stubs.py": Needs(NOTHING),
    "tests/oom": Needs(GPU_BUILD, PROOF),
    "tests/planning": Needs(TENSORFLOW, OUTER_PYTHONS),
    "tests/programs": Needs(TENSORFLOW, OUTSIDE_MATRIX),
    "tests/recordings": Needs(TENSORFLOW, PROOF),
    "tests/test_editors.py": Needs(TENSORFLOW, OUTSIDE_MATRIX),
    "tests/runner/test_bad_input.py": Needs(TENSORFLOW, OLDEST_PYTHON),
    "tests/runner/test_children.py": Needs(TENSORFLOW, PROOF),
    "tests/runner/test_like_python.py": Needs(PYTHON, PROOF),
    "tests/runner/test_loaded.py": Needs(TENSORFLOW, OUTER_PYTHONS),
    "tests/runner/test_program_imports.py": Needs(PYTHON),
    "tests/runner/test_imports_by_name.py": Needs(PYTHON),
    "tests/runner/test_keras_1.py": Needs(TENSORFLOW, OLDEST_2),
    "tests/runner/test_standalone_keras.py": Needs(TENSORFLOW, OLDEST_2),
    "tests/runner/test_kernel.py": Needs(TENSORFLOW, OLDEST_AND_NEWEST),
    "tests/runner/test_notebooks.py": Needs(TENSORFLOW, OUTER_PYTHONS),
    "tests/runner/test_packages.py": Needs(GPU_BUILD, PROOF),
    "tests/runner/test_programs_with_tensorflow.py": Needs(TENSORFLOW, PROOF),
    "tests/runner/test_python2_programs.py": Needs(NOTHING),
    "tests/runner/test_territory.py": Needs(PYTHON),
    "tests/runner/test_unchanged_packages.py": Needs(PYTHON),
    "tests/settings/test_files.py": Needs(TENSORFLOW, NEWEST_PYTHON),
    "tests/settings/test_properties.py": Needs(TENSORFLOW, PROOF),
    "tests/settings/test_settings.py": Needs(TENSORFLOW, PYTHONS),
    "tests/settings/test_text_proto.py": Needs(TENSORFLOW, NEWEST_PYTHON),
    "tests/upstream": Needs(PYTHON, OLDEST),
    "tests/verifying": Needs(TENSORFLOW, OUTSIDE_MATRIX),
    "tests/verifying/test_equal.py": Needs(GPU_BUILD, PROOF),
    "tests/verifying/test_migrations.py": Needs(GPU_BUILD, PROOF),
    "tests/verifying/test_flagship_judged.py": Needs(GPU_BUILD, PROOF),
    "tests/verifying/test_shapes.py": Needs(GPU_BUILD, PROOF),
    "tests/verifying/test_sides.py": Needs(GPU_BUILD, OLDEST),
    "tests/v1/images": Needs(TENSORFLOW, OUTSIDE_MATRIX),  # the matrix's environments have no SciPy
    "tests/v1/seeds/test_graphs.py": Needs(TENSORFLOW, OLDEST_AND_NEWEST),
    "tests/v1/contrib/test_cudnn_rnn.py": Needs(GPU_BUILD, PROOF),
    "tests/v1/contrib/test_memory_stats.py": Needs(GPU_BUILD, PROOF),
    "tests/v1/contrib/test_programs.py": Needs(GPU_BUILD, PROOF),
}


def needs(path: str) -> Needs:
    """Returns the needs of a file of tests, by its path in the checkout."""
    parts = path.split("/")
    return next(NEEDS[name] for name in ("/".join(parts[:size]) for size in range(len(parts), 0, -1)) if name in NEEDS)


def is_run(path: str, row: Tested, whole: bool, proved: Proved | None = None) -> bool:
    """Returns True if a TensorFlow of the matrix runs a file of tests.

    Args:
        path: The path of the file in the checkout.
        row: The TensorFlow.
        whole: True in `make proof`, False in CI.
        proved: The environment of `make test`, if that ran before: its TensorFlow isn't tested again, and tests that
            run once on a Python aren't run on its Python again.
    """
    what, on, python = needs(path)
    rows = TESTED if proved is None else tuple(row for row in TESTED if row.version != proved.version)
    fitting = [other for other in rows if _fits(other, what, python, rows)]
    if row not in fitting or on == OUTSIDE_MATRIX:
        return False
    once_on_a_python = what == PYTHON or (on in ON_PYTHONS and not whole)
    if once_on_a_python and proved is not None and row.python == proved.python:
        return False
    if on == PROOF:
        return whole
    if on in ON_PYTHONS and not whole:
        return row.python in ON_PYTHONS[on] and row == _first_of(row.python, rows)
    if on == OLDEST_AND_NEWEST and not whole:
        return row in (gpu_builds()[0], TESTED[-1])
    if on == OLDEST and not whole:
        return row == gpu_builds()[0]
    if on == OLDEST_2 and not whole:
        return row == next(other for other in gpu_builds() if not other.version.startswith("1."))
    if on == SAMPLE:
        stable = [other for other in gpu_builds() if other.version != "candidate"]
        return whole and row in (stable[0], stable[len(stable) // 2], stable[-1])
    return True


def slowest_first(path: str) -> int:
    """Returns a key that sorts slow files of tests first: files that need more take longer."""
    return (GPU_BUILD, TENSORFLOW, PYTHON, NOTHING).index(needs(path).what)


def gpu_builds() -> list[Tested]:
    """Returns the TensorFlows that can use simulated GPUs, and so are compared with 1.15.5, the oldest first."""
    return [row for row in TESTED if row.gpu_build]


def _fits(row: Tested, what: str, python: tuple[int, int], rows: tuple[Tested, ...]) -> bool:
    if tuple(map(int, row.python.split("."))) < python:
        return False
    if what == PYTHON:
        return row == _first_of(row.python, rows)
    return what == TENSORFLOW or (what == GPU_BUILD and row.gpu_build)


def _first_of(python: str, rows: tuple[Tested, ...]) -> Tested | None:
    """Returns the TensorFlow that stands for a Python: the oldest compared one on that Python."""
    return next((row for row in rows if row.python == python and row.gpu_build), None)


def row_of(version: str) -> Tested:
    """Returns the row of the table for a version."""
    return next(row for row in TESTED if row.version == version)
