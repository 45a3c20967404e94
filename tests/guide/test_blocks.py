"""Every block of code that can run is run; blocks.py says how a page marks those that can't."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import pytest

from tests.matrix.proof import in_ci_or_proof
from tests.processes.environment import LIMIT_S, clean

from . import blocks
from .site import BESIDE, GUIDE, ROOT

# Generated pages, whose code other tests run: those of the examples and of the rules; and the page whose blocks are the
# cells of a notebook, which test_notebooks.py runs.
ELSEWHERE = ("conformance.md", "recipes.md", "rules.md", "settings.md", "notebooks.md")
PAGES = [
    page for page in [*sorted(GUIDE.glob("*.md")), *(ROOT / name for name in BESIDE)] if page.name not in ELSEWHERE
]

# Page -> the files in the folder of its commands, in place of the reader's own programs: name -> the path of a file or
# folder of the checkout, or the text of a file.
FOUND = {
    "README.md": {
        "src": ROOT / "examples" / "tf1",
        "src/python2.py": "print 'hello'\n",
        "workers.sh": "#!/bin/sh\npython -c 'import tf1mem' & wait\n",
    },
    "migration_guide/horovod.md": {
        "horovod": ROOT / "tests" / "distribution" / "programs" / "horovod",
        "bin/horovodrun": '#!/bin/sh\nshift 2\nHOROVOD_LOCAL_RANK=0 "$@" & HOROVOD_LOCAL_RANK=1 "$@"; wait\n',
    },
    "migration_guide/simulated_gpus.md": {
        "train.py": "import tensorflow as tf\ntf.config.set_logical_device_configuration("
        "tf.config.list_physical_devices('GPU')[0], [tf.config.LogicalDeviceConfiguration(1024)])\ntf.zeros([1])\n",
        "trace.jsonl": next(iter(sorted((GUIDE / "pictures" / "traces").glob("*.jsonl"))), ""),
    },
}
# Pages whose commands take a minute or more; other tests run most of these commands.
SLOW = "ci.md complaints.md containers.md estimate.md horovod.md memory.md pytest.md run.md two_processes.md".split()
SCRIPT = "block.py"
GPUS = ("8GiB", "8GiB")
WARM = ["tensorflow"]


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def shell(folder: Path, programs: dict[str, str], **more: str) -> dict[str, str]:
    """Returns the environment variables for a page's commands, with which nothing can be installed.

    Args:
        folder: A folder for scripts, which come first on the PATH.
        programs: Name of a command -> the command line to run for it.
        more: Further variables.
    """
    scripts = {name: f'exec {command} "$@"' for name, command in programs.items()}
    # A page's test changes nothing outside its folder: commands that install have to be marked as not run.
    for name in ("pip", "pip3", "apt", "apt-get", "conda", "uv"):
        scripts[name] = f'echo "{name} is not run by tests: mark the block" >&2\nexit 97'
    for name, line in scripts.items():
        script = folder / name
        script.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return clean(
        # For `python -m pip`, which the scripts above don't replace.
        PIP_REQUIRE_VIRTUALENV="1",
        PIP_NO_INDEX="1",
        # "bin": of the page's own folder.
        PATH=os.pathsep.join([str(folder), "bin", os.environ.get("PATH", os.defpath)]),
        COLUMNS="80",
        NO_COLOR="1",
        **more,
    )


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Returns the variables for a page's commands: `tf1mem` is the checkout's, and `python` runs the tests."""
    python = shlex.quote(sys.executable)
    programs = {"python": python, "tf1mem": f"{python} -m tf1mem"}
    # An installed tf1mem has the plugin as an entry point, which tests/gpusim/test_prebuilt.py tests.
    return shell(tmp_path_factory.mktemp("bin"), programs, PYTEST_PLUGINS="pytest_tf1mem")


def test_nothing_is_installed(environment, tmp_path):
    for command in ("pip install tf1mem", "python -m pip install --target . tf1mem"):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=str(tmp_path),
            env=environment,
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )
        assert done.returncode != 0, command


@pytest.fixture(scope="module")
def on_gpus(warm_on_gpus, environment):
    """Returns a function that runs a program on simulated GPUs, in a fork of a Python that has imported TensorFlow."""
    from tf1mem.gpusim.launching import simulation

    with simulation(GPUS) as simulated:
        yield lambda script: warm_on_gpus.run(script, env={**environment, **simulated.environment})


@pytest.mark.parametrize(
    "page",
    in_ci_or_proof(
        [page for page in PAGES if page != ROOT / "README.md"], [page for page in PAGES if page.name not in SLOW]
    ),
    ids=name_of,
)
def test_the_code_on_a_page_runs(page, tmp_path, environment, request):
    for block, where in walk(page, tmp_path):
        if block.language == "python":
            done = request.getfixturevalue("on_gpus")(tmp_path / SCRIPT)
            assert done.returncode == 0, f"{where}\n{done.stdout}{done.stderr}"
        else:
            run(block, where, tmp_path, environment)


def walk(page: Path, folder: Path) -> Iterator[tuple[blocks.Block, str]]:
    """Yields each block of a page that is run, with its page and line; writes the files that it needs before.

    Args:
        page: The page.
        folder: The folder for the files; a program that is to be run is there as SCRIPT.
    """
    page_blocks = blocks.read(page)
    _prepare(folder, FOUND.get(name_of(page), {}))
    for block in page_blocks:
        if "file" in block.marks or (block.is_run and block.language == "python"):
            target = folder / block.marks.get("file", SCRIPT)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        if block.is_run:
            yield block, f"{name_of(page)}:{block.line}"


def _prepare(folder: Path, files: dict[str, str]) -> None:
    for name, source in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(source, str):
            target.write_text(source, encoding="utf-8")
            target.chmod(0o755)
        else:
            (shutil.copytree if source.is_dir() else shutil.copy)(str(source), str(target))


def run(block, where, folder, environment, others=None):
    """Runs the commands of a block in one shell, so that a variable that one exports is set for the next.

    Args:
        block: The block.
        where: The page and line, for messages.
        folder: The page's own folder.
        environment: The variables.
        others: The start of a command -> its status, or a pair of its status and its lines, if they differ from the
            page.
    """
    commands = blocks.commands(block)
    expected = blocks.statuses(block)
    for start, end in (others or {}).items():
        for place, command in enumerate(commands):
            if command.text.startswith(start):
                expected[place], command.prints = (end, command.prints) if isinstance(end, int) else end
    lines = ["exec </dev/null"]
    for place, command in enumerate(commands):
        output = shlex.quote(str(folder / f".output-{place}"))
        lines.append(f"{{ {command.text}\n}} >{output} 2>&1; echo $? >{output}.status")
    subprocess.run(
        ["bash", "-c", "\n".join(lines)], cwd=str(folder), env=environment, timeout=LIMIT_S, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    for place, (command, status) in enumerate(zip(commands, expected)):
        output_file = folder / f".output-{place}"
        output = output_file.read_text(encoding="utf-8", errors="replace") if output_file.exists() else "(not reached)"
        ended = Path(str(output_file) + ".status")
        transcript = f"{where}: $ {command.text}\n{output}"
        assert ended.exists(), transcript
        assert int(ended.read_text()) == status, f"status {ended.read_text().strip()}, not {status}: {transcript}"
        line = blocks.missing(command.prints, output)
        assert line is None, f"not printed: {line!r}\n{transcript}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_python_that_is_not_run_says_why(page):
    for block in blocks.read(page):
        if "not run" in block.marks:
            assert len(block.marks["not run"]) > 5, f"{page}:{block.line}"
        if block.language == "python":
            compile(block.text, f"{page}:{block.line}", "exec")


def test_a_line_that_a_command_does_not_print_is_reported():
    block = blocks.Block("console", "$ a \\\n  b\nx 12\n...\ny\n$ c\n", 1)
    first, second = blocks.commands(block)
    assert (first.text, first.prints, second.text) == ("a \\\n  b", ["x 12", "...", "y"], "c")
    assert blocks.missing(first.prints, "x 3\nz\ny\n") is None
    assert blocks.missing(first.prints, "y\nx 3\n") == "y"


def test_a_command_that_fails_is_found(tmp_path, environment):
    block = blocks.Block("console", "$ true\n$ false\n$ true\n", 1)
    with pytest.raises(AssertionError, match="status 1, not 0"):
        run(block, "here", tmp_path, environment)
    run(
        blocks.Block("console", "$ export A=b\n$ test $A = b\n$ false\n", 1, {"status": "0, 0, 1"}),
        "",
        tmp_path,
        environment,
    )
