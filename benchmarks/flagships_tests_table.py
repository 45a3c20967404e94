"""The test suites of flagships: the files of unit tests that are run on both sides."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, NamedTuple

from benchmarks import flagships_data as data
from benchmarks.flagships_table import FLAGSHIPS

_COMMITS = {each.repository: each.commit for each in FLAGSHIPS}
_RELEASES = {each.repository: each.release for each in FLAGSHIPS}
_OTHER_WORDS = "The test compares an error's text, which TensorFlow has changed."
# Files of stable-baselines.
_LONG_TRAINING = """
0deterministic a2c_conv action_space auto_vec_detection continuous custom_policy gail her identity lstm_policy
multiple_learn save
""".split()


class Suite(NamedTuple):
    """The unit tests of a repository.

    Attributes:
        repository: "owner/name".
        commit: The commit that is taken, 40 digits.
        files: Patterns of the test files, relative to the repository.
        release: The commit's tag, or "".
        make: Writes what the tests lack into the repository's copy; None if they have everything.
        packages: The packages that both sides need besides TensorFlow and pytest, by the names to install.
        options: Options that `tf1mem run` needs.
        on_old: (path, text, text in its place): a change that the repository needs on 1.15.5, and not here.
        left_out: (pattern, why these files aren't run).
        differs: (pattern of tests, why they don't pass here and what to do).
    """

    repository: str
    commit: str
    files: tuple[str, ...]
    release: str = ""
    make: Callable[[Path, str], None] | None = None
    packages: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    on_old: tuple[str, str, str] | None = None
    left_out: tuple[tuple[str, str], ...] = ()
    differs: tuple[tuple[str, str], ...] = ()


def _of_flagship(repository: str, *files: str, **more: object) -> Suite:
    return Suite(repository, _COMMITS[repository], files, _RELEASES[repository], **more)  # type: ignore[arg-type]


SUITES = (
    _of_flagship(
        "deepmind/trfl",
        "trfl/*_test.py",
        packages=("dm-tree", "tensorflow-probability", "wrapt"),
        differs=(
            (
                "*testFactorisedKLGaussian4",
                "Random matrices, compared to 1e-4 in float32: 59 of 60 seeds pass on 1.15.5, 57 here. The numbers are "
                "others, since tensorflow-probability 0.25 makes other ops than 0.8. Those that fail here fail on "
                "1.15.5, too, with equal results.",
            ),
        ),
    ),
    Suite(
        "deepmind/sonnet",
        "cd5b5fa48e15e4d020f744968f5209949ebe750f",
        ("sonnet/**/*_test.py",),
        release="v1.36",
        make=data.messages_of_sonnet,
        packages=("contextlib2", "dm-sonnet==1.36 (1.15.5)", "mock", "semantic-version", "tensorflow-probability"),
        left_out=(("sonnet/python/modules/conv_gpu_test.py", "needs a GPU"),),
        differs=(
            ("*testIntegerDataTypeFailsWithDefaultInitializers", _OTHER_WORDS),
            ("*testPackIterableAs_*", _OTHER_WORDS),
            (
                "*ReuseVarsTest::test_defun*",
                "In eager mode, sonnet's `reuse_variables` makes a reference variable in the function that `defun` "
                "traces, which TensorFlow 2 can't: connect the module once before, as `test_defun1` does.",
            ),
        ),
    ),
    _of_flagship(
        "tensorflow/cleverhans",
        "tests_tf/test_*.py",
        make=data.mnist,
        packages=("joblib", "matplotlib", "mnist", "nose (1.15.5), pynose (here)", "scipy", "tensorflow-probability"),
    ),
    _of_flagship(
        "GPflow/GPflow",
        "tests/test_*.py",
        packages=("matplotlib", "mock", "multipledispatch", "pandas", "scipy", "tabulate"),
        left_out=(("tests/test_notebooks.py", "needs Jupyter on Python 3.7"),),
        differs=(
            ("*test_encode_decode_simple_types*", "They pass, as `[10_0]` and `[10_1]`: newer pytests name them so."),
            (
                "*test_hmc.py*test_burn",
                "pandas 3 no longer takes `samples.iloc[-1][0]` for a position: write `.iloc[0]`.",
            ),
            ("*test_saver.py*", "h5py 3 has no `Dataset.value`: write `dataset[()]`."),
        ),
    ),
    _of_flagship(
        "hill-a/stable-baselines",
        "tests/test_*.py",
        packages=(
            "cloudpickle",
            "gym==0.15.7 (1.15.5), gymnasium (here)",
            "joblib",
            "matplotlib",
            "opencv-python-headless",
            "pandas",
            "scipy",
        ),
        left_out=(
            ("tests/test_atari.py", "needs Atari's games"),
            ("tests/test_mpi_adam.py", "needs MPI"),
            ("tests/test_vec_envs.py", "starts processes for more than 5 minutes on 1.15.5"),
            *((f"tests/test_{name}.py", "trains for long") for name in _LONG_TRAINING),
        ),
        differs=(("*test_envs.py::test_env*", "pytest 8 no longer takes `pytest.warns(None)`."),),
    ),
    _of_flagship(
        "OpenNMT/OpenNMT-tf",
        "opennmt/tests/*_test.py",
        packages=("parameterized", "pyonmttok", "pyyaml", "rouge", "sacrebleu"),
        options=("--tf-version", "1.15.5"),  # its tests compare `tf.__version__` with 2
    ),
    Suite(
        "blei-lab/edward",
        "352596c3bc77e1cb5c01f77ac3283a53c74dbf21",
        ("tests/*/*_test.py",),
        packages=("matplotlib", "scipy", "seaborn"),
        on_old=(
            "edward/util/random_variables.py",
            "import set_shapes_for_outputs",
            "import set_shape_and_handle_data_for_outputs as set_shapes_for_outputs",
        ),
        left_out=(("tests/notebooks/*", "needs Jupyter on Python 3.7"),),
        differs=(
            (
                "*test_hmc_custom",
                "Random numbers, compared to 0.1: with 16 seeds it passes twice on 1.15.5, never here. The numbers are "
                "others, since `tf.contrib.distributions.TransformedDistribution` makes 26 ops fewer here.",
            ),
        ),
    ),
)
