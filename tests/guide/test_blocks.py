"""Every block of code that can run is run; blocks.py says how a page marks those that can't."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes.environment import clean

from . import blocks
from .site import BESIDE, GUIDE, ROOT

# The generated pages, whose code is from programs that are run elsewhere: the examples, the rules' own tests; and the
# page whose blocks are a notebook's cells (test_notebooks.py).
ELSEWHERE = ("conformance.md", "recipes.md", "rules.md", "settings.md", "notebooks.md")
PAGES = [
    page for page in [*sorted(GUIDE.glob("*.md")), *(ROOT / name for name in BESIDE)] if page.name not in ELSEWHERE
]

# What the commands of a page find in their folder where the page speaks of the reader's own programs: a file or folder
# of the checkout, or the text of a file.
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
# The README is read as plain text, too, so it keeps comments few, and what its commands end with stands here.
# Plain Python can't run the script, which the doctor looks at, too; and the codemod has something to change.
STATUS = {"README.md": {"python train.py": 1, "tf1mem codemod": 1, "tf1mem doctor --gpu": 1}}
TIMEOUT_S = 240
GPUS = ("8GiB", "8GiB")
WARM = ["tensorflow"]


def name_of(page):
    return page.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """The variables of a page's commands: `tf1mem` and `python` are the ones that are tested."""
    folder = tmp_path_factory.mktemp("bin")
    for name, command in (("python", ""), ("tf1mem", " -m tf1mem")):
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)}{command} "$@"\n', encoding="utf-8")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    # A page's test changes nothing outside its folder: what installs has to be marked as not run.
    for name in ("pip", "pip3", "apt", "apt-get", "conda", "uv"):
        script = folder / name
        script.write_text(f'#!/bin/sh\necho "{name} is not run by tests: mark the block" >&2\nexit 97\n', "utf-8")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return clean(
        # `python -m pip` and whatever goes round those.
        PIP_REQUIRE_VIRTUALENV="1",
        PIP_NO_INDEX="1",
        # Who installs tf1mem has it as an entry point: tests/gpusim/test_prebuilt.py.
        PYTEST_PLUGINS="pytest_tf1mem",
        # "bin": of the page's own folder.
        PATH=os.pathsep.join([str(folder), "bin", os.environ.get("PATH", os.defpath)]),
        COLUMNS="80",
        NO_COLOR="1",
    )


def test_nothing_is_installed(environment, tmp_path):
    for command in ("pip install tf1mem", "python -m pip install --target . tf1mem"):
        done = subprocess.run(
            ["bash", "-c", command], cwd=str(tmp_path), env=environment, capture_output=True, timeout=300, check=False
        )
        assert done.returncode != 0, command


@pytest.fixture(scope="module")
def on_gpus(warm_on_gpus, environment):
    """Runs a program on the simulated GPUs, in a fork of a Python that has imported TensorFlow."""
    from tf1mem.gpusim.launching import simulation

    with simulation(GPUS) as simulated:
        yield lambda script: warm_on_gpus.run(script, env={**environment, **simulated.environment})


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_what_a_page_shows_runs(page, tmp_path, environment, request):
    page_blocks = blocks.read(page)
    _prepare(tmp_path, FOUND.get(name_of(page), {}))
    for block in page_blocks:
        where = f"{name_of(page)}:{block.line}"
        if "file" in block.marks:
            target = tmp_path / block.marks["file"]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        elif block.is_run and block.language == "python":
            script = tmp_path / "block.py"
            script.write_text(block.text, encoding="utf-8")
            done = request.getfixturevalue("on_gpus")(script)
            assert done.returncode == 0, f"{where}\n{done.stdout}{done.stderr}"
        elif block.is_run:
            _run(block, where, tmp_path, environment, STATUS.get(name_of(page)))


def _prepare(folder: Path, files: dict[str, str]) -> None:
    for name, source in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(source, str):
            target.write_text(source, encoding="utf-8")
            target.chmod(0o755)
        else:
            (shutil.copytree if source.is_dir() else shutil.copy)(str(source), str(target))


def _run(block, where, folder, environment, status_of=None):
    """Runs the commands of a block in one shell, so that what one exports is there for the next."""
    commands = blocks.commands(block)
    expected = blocks.statuses(block)
    for start, status in (status_of or {}).items():
        expected = [
            status if command.text.startswith(start) else usual for command, usual in zip(commands, expected)
        ]  # fmt: skip
    lines = ["exec </dev/null"]
    for place, command in enumerate(commands):
        output = shlex.quote(str(folder / f".output-{place}"))
        lines.append(f"{{ {command.text}\n}} >{output} 2>&1; echo $? >{output}.status")
    subprocess.run(
        ["bash", "-c", "\n".join(lines)], cwd=str(folder), env=environment, timeout=TIMEOUT_S, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    for place, (command, status) in enumerate(zip(commands, expected)):
        kept = folder / f".output-{place}"
        output = kept.read_text(encoding="utf-8", errors="replace") if kept.exists() else "(not reached)"
        ended = Path(str(kept) + ".status")
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


def test_what_is_not_printed_is_found():
    block = blocks.Block("console", "$ a \\\n  b\nx 12\n...\ny\n$ c\n", 1)
    first, second = blocks.commands(block)
    assert (first.text, first.prints, second.text) == ("a \\\n  b", ["x 12", "...", "y"], "c")
    assert blocks.missing(first.prints, "x 3\nz\ny\n") is None
    assert blocks.missing(first.prints, "y\nx 3\n") == "y"


def test_a_command_that_fails_is_found(tmp_path, environment):
    block = blocks.Block("console", "$ true\n$ false\n$ true\n", 1)
    with pytest.raises(AssertionError, match="status 1, not 0"):
        _run(block, "here", tmp_path, environment)
    _run(
        blocks.Block("console", "$ export A=b\n$ test $A = b\n$ false\n", 1, {"status": "0, 0, 1"}),
        "",
        tmp_path,
        environment,
    )
