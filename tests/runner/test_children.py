"""`tf1mem run` also applies to Pythons that a program starts: their files are repaired, and settings hold in them."""

from __future__ import annotations

import os
import sys
import zipfile

import pytest

from tf1mem.applying.outside import Origin, Outside, within
from tf1mem.gpusim.launching import simulation
from tf1mem.machine.tensorflow import installed_version
from tf1mem.runner.records import ChildRecord, as_text
from tf1mem.settings.settings import Settings
from tf1mem.settings.units import MIB

# A file that prints "own" if it is repaired as a file of the program (dict.has_key works then). It doesn't import
# TensorFlow, which would take long.
KID = """
    import sys

    def seen():
        return "own" if can({}) else "as it is"

    def can(mapping):
        try:
            return mapping.has_key(1) is False
        except AttributeError:
            return False

    if __name__ == "__main__":
        print(seen(), *sys.argv[1:], flush=True)
    """
# Way of starting a Python -> the program's code for it.
WAYS = {
    "script": "run([python, 'kid.py', 'a'])",
    "system": "os.system(f'{python} kid.py a')",
    "popen": "print(os.popen(f'{python} kid.py a').read(), end='')",
    "shell": "subprocess.call(f'cd sub && {python} -u ../kid.py a', shell=True)",
    "shebang": "run(['./kid.py', 'a'])",
    "module": "run([python, '-m', 'kid', 'a'])",
    "text": "run([python, '-c', 'import kid, sys; print(kid.seen(), *sys.argv[1:])', 'a'])",
    "joined_text": "run([python, '-uc', 'import kid, sys; print(kid.seen(), *sys.argv[1:])', 'a'])",
    "empty_environment": "run([python, 'kid.py', 'a'], env={})",
    "own_path": "run([python, 'kid.py', 'a'], env=dict(os.environ, PYTHONPATH='sub'))",
    "cleared": "os.environ.clear(); run([python, 'kid.py', 'a'])",
    "cleared_for_a_shell": "os.environ.clear(); os.system(f'{python} kid.py a')",
    "executed": "os.fork() or os.execve(python, [python, 'kid.py', 'a'], {}); os.wait()",
    "executed_as_it_is": "os.fork() or os.execvp(python, [python, 'kid.py', 'a']); os.wait()",
    "spawned": "os.spawnle(os.P_WAIT, python, python, 'kid.py', 'a', {})",
    "posix_spawn": "os.waitpid(os.posix_spawn(python, [python, 'kid.py', 'a'], {}), 0)",
    "close_fds": "subprocess.run([python, 'kid.py', 'a'], close_fds=False, env={})",
    "asyncio": "import asyncio; asyncio.run(wait())",
    "grandchild": "run([python, '-c', 'import sys, os; os.execve(sys.argv[1], sys.argv[1:], {})',"
    " python, 'kid.py', 'a'])",
    "multiprocessing": "process('spawn')",
    "fork": "process('fork')",
    "forkserver": "process('forkserver')",
    "executor": "from concurrent.futures import ProcessPoolExecutor as P; P(1).submit(say).result()",
    "elsewhere": "run([python, os.path.abspath('kid.py'), 'a'], cwd='/')",
}
# Starts a Python in each way that its arguments hold; prints the way before the child's output.
STARTS = """
    import os, subprocess, sys
    run, python = subprocess.run, sys.executable

    def say():
        import kid
        print(kid.seen(), "a", flush=True)

    def process(method):
        import multiprocessing as mp
        child = mp.get_context(method).Process(target=say)
        child.start()
        child.join()

    async def wait():
        import asyncio
        await (await asyncio.create_subprocess_exec(python, "kid.py", "a", env={})).wait()

    if __name__ == "__main__":
        before = dict(os.environ)
        for way in sys.argv[1:]:
            print(way, flush=True)
            exec(way)
            os.environ.update(before)
    """


def _write(bench):
    bench.write({"start.py": STARTS, "kid.py": KID, "sub/none.txt": ""})
    kid = bench.directory / "kid.py"
    kid.write_text(f"#!{sys.executable}\n{kid.read_text()}")
    kid.chmod(0o755)


def test_every_way_of_starting_a_python_starts_one_of_the_program_s(bench):
    _write(bench)
    ways = {name: way for name, way in WAYS.items() if hasattr(os, "posix_spawn") or name != "posix_spawn"}
    done = bench.tf1mem("run", "start.py", *ways.values())
    assert done.code == 0, done.err
    output_of = dict(zip(done.out.splitlines()[::2], done.out.splitlines()[1::2]))
    assert {name: output_of.get(way) for name, way in ways.items()} == dict.fromkeys(ways, "own a"), done.err
    assert "Traceback" not in done.err


def test_children_can_be_left_alone(bench):
    _write(bench)
    done = bench.tf1mem("run", "--no-children", "start.py", WAYS["script"], WAYS["grandchild"])
    assert [line for line in done.out.splitlines() if line.startswith(("own", "as it"))] == ["as it is a"] * 2, done.err


def test_a_python_that_cannot_be_reached_has_a_line(bench):
    _write(bench)
    bench.write({"o.json": '{"gpu_options": {"allow_growth": true}}'})
    done = bench.tf1mem("run", "--report", "--override", "o.json", "start.py", "run([python, '-I', 'kid.py', 'a'])")
    stderr = " ".join(done.err.split())
    assert "-I kid.py a): -I hides the program's settings from its Python: it ran unchanged" in stderr
    assert "tf1mem: warning:" in stderr
    assert "the settings of tf1mem run don't apply there" in stderr


def test_the_environment_s_own_sitecustomize_is_run(bench):
    _write(bench)
    bench.write({"own/sitecustomize.py": "print('own sitecustomize', __name__, flush=True)\n"})
    done = bench.tf1mem("run", "start.py", WAYS["script"], env={"PYTHONPATH": str(bench.directory / "own")})
    assert done.out.splitlines()[-2:] == ["own sitecustomize sitecustomize", "own a"], done.err


# A program, and a module whose `hold` a child calls: both hold a Session's GPU memory.
SESSION = """
    import tensorflow as tf
    import os

    def hold(config=None):
        with tf.Session(config=config) as session:
            session.run(tf.constant(1) + 1)

    if __name__ == "__main__":
        config = tf.ConfigProto()
        config.gpu_options.per_process_gpu_memory_fraction = 0.4
        hold(config)
    """


@pytest.mark.skipif(installed_version().release < (1, 14), reason="the simulator is for TensorFlow 1.14 and up")
def test_settings_hold_in_children_to_the_byte(bench, tmp_path):
    bench.write({"o.json": '{"gpu_options": {"per_process_gpu_memory_fraction": 0.05}}', "hold.py": SESSION})
    bench.write(
        {
            "start.py": """
                import multiprocessing as mp
                import os, subprocess, sys

                def work():
                    import hold
                    hold.hold()

                if __name__ == "__main__":
                    subprocess.run([sys.executable, "hold.py"], env=dict(os.environ, PYTHONPATH="nowhere"), check=True)
                    child = mp.get_context("spawn").Process(target=work)
                    child.start()
                    child.join()
                """
        }
    )
    with simulation("16GiB", tmp_path / "trace", values=False) as machine:
        done = bench.tf1mem(
            "run", "--report", "--override", "o.json", "start.py", env={**machine.environment, "COLUMNS": "140"}
        )
        held = [share.peak // MIB for share in machine.histories().shares]
    assert done.code == 0, done.err
    assert len(held) == 2
    assert all(abs(mib - 819) < 40 for mib in held), held  # 0.05 of 16 GiB
    stderr = " ".join(done.err.split())
    assert "0.05 in its children --override o.json holds in its children, see below" in stderr
    assert "(python hold.py):" in stderr
    assert "spawn_main" in stderr
    assert stderr.count("per_process_gpu_memory_fraction 0.05 done") == 2


NESTED = "run([python, '-m', 'tf1mem', 'run', 'kid.py', 'a'])"


def test_a_run_within_a_run_is_reported(bench):
    _write(bench)
    done = bench.tf1mem("run", "--report", "start.py", NESTED)
    assert done.out.splitlines()[-1] == "own a", done.err
    stderr = done.err[done.err.index("(tf1mem run kid.py a):") :]
    assert "repaired: dict.has_key at kid.py" in stderr


def test_settings_of_a_run_within_a_run():
    file, other = Origin("--config a", Settings({})), Origin("--override b", Settings({}))
    variables = Outside(Origin("TF1MEM_ALLOW_GROWTH", None))
    assert within(None, variables) == within(variables, None) == variables
    assert within(variables, Outside(override=other)) == Outside(variables.config, other)
    assert within(variables, Outside(file, other, {"a": "b"})) == Outside(file, other, {"a": "b"})
    assert within(Outside(file), Outside(other, other)) == Outside(file, other)
    assert within(Outside(override=file), Outside(other, other)) == Outside(other, file)


def test_code_that_is_no_script_runs_as_in_python(bench):
    bench.write({"appdir/__main__.py": "print('folder')\n"})
    with zipfile.ZipFile(str(bench.directory / "app.zip"), "w") as archive:
        archive.writestr("__main__.py", "print('zip')\n")
    bench.write({"start.py": STARTS})
    done = bench.tf1mem("run", "start.py", *(f"run([python, {name!r}])" for name in ("app.zip", "appdir", "none.py")))
    assert [line for line in done.out.splitlines() if "run(" not in line] == ["zip", "folder"], done.err
    assert "can't open file" in done.err
    assert "Failed checking" not in done.err


def test_children_with_other_arguments_are_one_kind_where_they_are_many():
    many = [ChildRecord(number, f"python kid.py {number}", "the same") for number in range(50)]
    assert as_text(many[:2]).splitlines() == [f"child {n} (python kid.py {n}): the same" for n in range(2)]
    text = as_text([*many, ChildRecord(99, "python kid.py 99", "another")])
    assert [line.partition("(")[2] for line in text.splitlines()] == [
        "python kid.py ...): the same",
        "python kid.py ...): another",
    ]


def test_workers_of_pytest_xdist(bench):
    bench.write({"helper.py": KID, "test_own.py": "import helper\n\ndef test_own():\n    assert not {}.has_key(1)\n"})
    bench.write({"test_more.py": "def test_more():\n    import helper\n    assert helper.seen() == 'own'\n"})
    done = bench.tf1mem("run", "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", ".")
    assert "2 passed" in done.out, done.out + done.err
