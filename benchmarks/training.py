"""Compares losses of public training programs on the CPU and on a simulated GPU, and memory with and without values.

`tf1mem run` runs each program of the table below for its first training steps, each time in a new copy of its
repository: on the CPU, with and without oneDNN, and several times on a simulated GPU, with values and without.
README.md says how to read the table.

Usage: training.py DIR [--only REPOSITORY …] [--steps N] [--repeats N] [--seconds N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Callable, Iterator

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import training_data  # noqa: E402
from programs_data import make_data  # noqa: E402

from tf1mem.gpusim.histories import histories  # noqa: E402
from tf1mem.gpusim.trace import events  # noqa: E402

CLOSE = 1e-4  # the largest difference of a loss, relative to the loss or to 1 if the loss is smaller


@dataclass(frozen=True)
class Program:
    """A program and its needs.

    Attributes:
        repository: The repository, as owner/name.
        script: The script's path; if `arguments` has -m, the module's root is the script's folder.
        kind: The kind of model that it trains, for the table.
        arguments: The script's arguments.
        data: A function that writes data that the repository lacks.
        before: Commands of the repository that prepare data: a script and its arguments.
        instead: File -> a text in it, and its replacement.
    """

    repository: str
    script: str
    kind: str
    arguments: tuple[str, ...] = ()
    data: Callable[[Path], None] | None = None
    before: tuple[tuple[str, ...], ...] = ()
    instead: tuple[tuple[str, str, str], ...] = ()

    @property
    def folder(self) -> str:
        """The name of the repository's folder."""
        return self.repository.replace("/", "+")

    @property
    def name(self) -> str:
        """The program's name in tables."""
        return f"{self.repository}: {self.script}"


_BERT_DATA = (
    "--input_file=sample_text.txt", "--output_file=examples.tfrecord", "--vocab_file=vocab.txt", "--max_seq_length=32",
    "--max_predictions_per_seq=5", "--dupe_factor=5", "--random_seed=1",
)  # fmt: skip
_BERT = (
    "--input_file=examples.tfrecord", "--output_dir=out", "--do_train=True", "--bert_config_file=config.json",
    "--train_batch_size=8", "--max_seq_length=32", "--max_predictions_per_seq=5", "--num_train_steps=40",
    "--num_warmup_steps=5",
)  # fmt: skip
_TRANSFORMER = ("--vocab_size=204", "--batch_size=8", "--d_model=64", "--d_ff=128", "--num_blocks=2", "--num_heads=4")
_SEEDED = ("env = gym.make('CartPole-v0')\n", "env = gym.make('CartPole-v0'); env.seed(1); env.action_space.seed(1)\n")
_WITHOUT_FILMS = ('env = gym.wrappers.Monitor(env, directory="gym-results/", force=True)\n', "")
# A histogram stops the program if a value is NaN, as values may be with --no-values.
_HISTOGRAM = (
    'tf.summary.histogram("{}/grad/hist".format(v.name), g)',
    'tf.summary.scalar("{}/grad/hist".format(v.name), tf.reduce_mean(g))',
)
# The program trains and clips weights in one run, in no fixed order: the clipping gets a run of its own before it.
_CLIPPING = (
    "_, D_loss_curr, _ = sess.run(\n            [D_solver, D_loss, clip_D],",
    "sess.run(clip_D)\n        _, D_loss_curr = sess.run(\n            [D_solver, D_loss],",
)
_LABS, _GENERATIVE, _GAMES = (
    "hunkim/DeepLearningZeroToAll",
    "wiseodd/generative-models",
    "hunkim/ReinforcementZeroToAll",
)

PROGRAMS = (
    Program(_LABS, "lab-11-2-mnist_deep_cnn.py", "convolutions, dropout"),
    Program(
        "dennybritz/cnn-text-classification-tf", "train.py", "convolutions over words",
        data=training_data.fewer_reviews, instead=(("train.py", *_HISTOGRAM),),
    ),
    Program(
        "charlesq34/pointnet", "train.py", "convolutions and batch norm over points",
        ("--batch_size=8", "--num_point=128"), training_data.points,
    ),
    Program("tkipf/gcn", "gcn/train.py", "graph convolutions, sparse", ("--epochs=40", "--early_stopping=100")),
    Program(
        "sherjilozair/char-rnn-tensorflow", "train.py", "LSTM", ("--batch_size=20", "--seq_length=20"),
        training_data.less_text,
    ),
    Program(_LABS, "lab-12-5-rnn_stock_prediction.py", "LSTM, dynamic_rnn"),
    Program(_GENERATIVE, "GAN/vanilla_gan/gan_tensorflow.py", "GAN"),
    Program(
        _GENERATIVE, "GAN/wasserstein_gan/wgan_tensorflow.py", "Wasserstein GAN",
        instead=(("GAN/wasserstein_gan/wgan_tensorflow.py", *_CLIPPING),),
    ),
    Program(_GENERATIVE, "VAE/vanilla_vae/vae_tensorflow.py", "variational autoencoder"),
    Program("google-research/bert", "run_pretraining.py", "attention, Estimator", _BERT,
            training_data.vocabulary, (("create_pretraining_data.py", *_BERT_DATA),)),
    Program("Kyubyong/transformer", "train.py", "attention, tf.data", _TRANSFORMER, training_data.sentence_pairs),
    Program(
        _GAMES, "07_3_dqn_2015_cartpole.py", "reinforcement: DQN with a target net",
        instead=tuple(("07_3_dqn_2015_cartpole.py", *texts) for texts in (_SEEDED, _WITHOUT_FILMS)),
    ),
    Program(
        _GAMES, "08_1_pg_cartpole.py", "reinforcement: policy gradient",
        instead=(("08_1_pg_cartpole.py", *_SEEDED),),
    ),
)  # fmt: skip


def main() -> int:
    """Runs the programs and prints the table; returns 1 if a program differs, or was not run."""
    parser = argparse.ArgumentParser(prog="training.py", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder of repositories, each named owner+name")
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="REPOSITORY", help="owner+name; by default all of them"
    )
    parser.add_argument("--steps", type=int, default=20, help="training steps of each (default: 20)")
    parser.add_argument("--repeats", type=int, default=3, help="runs with values, and without (default: 3)")
    parser.add_argument("--seconds", type=float, default=600, help="time limit of each run (default: 600)")
    parser.add_argument("--json", type=Path, help="keeps a program's outcome here; another run goes on from them")
    options = parser.parse_args()
    kept: dict[str, Any] = json.loads(options.json.read_text("utf-8")) if options.json and options.json.exists() else {}
    for program in PROGRAMS:
        if program.name in kept or (options.only and program.folder not in options.only):
            continue
        if not (options.folder / program.folder / program.script).is_file():
            print(f"{program.name} is not in {options.folder}", file=sys.stderr)
            continue
        try:
            kept[program.name] = outcome(
                program, options.folder / program.folder, options.steps, options.repeats, options.seconds
            )
        except Stopped as error:
            print(f"{program.name}: {error}", file=sys.stderr, flush=True)
            continue
        print(f"{program.name}: {kept[program.name]}", file=sys.stderr, flush=True)
        if options.json:
            options.json.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    print("| {} |\n|{}".format(" | ".join(COLUMNS), "---|" * len(COLUMNS)))
    for row in rows(kept):
        print("| {} |".format(" | ".join(row)))
    selected = [program.name for program in PROGRAMS if not options.only or program.folder in options.only]
    return int(not all(name in kept and good(kept[name]) for name in selected))


class Stopped(Exception):  # noqa: N818 - an outcome
    """A program ended before its last step, or took too long."""


def outcome(program: Program, repository: Path, steps: int, repeats: int, seconds: float) -> dict[str, Any]:
    """Runs a program, and returns the distance of its losses, and the peaks in bytes.

    Args:
        program: The program.
        repository: The repository's folder, which isn't changed.
        steps: The number of training steps to run.
        repeats: The number of runs with values, and without.
        seconds: The time limit for each run, in seconds.

    Raises:
        Stopped: A run on the CPU or with values ended early, or took too long.
    """
    run, simulated = partial(_run, program, repository, steps, seconds), ("sim", "--gpu", "8GiB")
    on_cpu, _ = run()
    in_another_order, _ = run(onednn=False)
    runs = [run(under=(*simulated, "--values")) for _ in range(repeats)]
    result = {
        "steps": len(on_cpu["losses"]),
        "first": on_cpu["losses"][0],
        "last": on_cpu["losses"][-1],
        "apart": max(_apart(on_cpu["losses"], on_gpu["losses"]) for on_gpu, _ in runs),
        "apart on the CPU": _apart(on_cpu["losses"], in_another_order["losses"]),
        "launches": runs[0][1].launches,
        "computed": runs[0][1].computed,
        "peaks": sorted(on_gpu["peak"] for on_gpu, _ in runs),
        "reserved": sorted(share.peak for _, share in runs),
    }
    try:
        without = [run(under=(*simulated, "--no-values")) for _ in range(repeats)]
    except Stopped:  # without values, sizes and conditions that depend on them are wrong
        return {**result, "stops without values": True}
    return {
        **result,
        "stops without values": False,
        "peaks without values": sorted(on_gpu["peak"] for on_gpu, _ in without),
        "reserved without values": sorted(share.peak for _, share in without),
    }


def _apart(losses: list[list[float]], others: list[list[float]]) -> float:
    """Returns the largest difference of losses, relative to the loss, or to 1 for a smaller loss; infinite for NaN."""
    pairs = [pair for step, same in zip(losses, others) for pair in zip(step, same)]
    apart = [abs(loss - other) / max(1.0, abs(loss)) for loss, other in pairs]
    return max(math.inf if math.isnan(difference) else difference for difference in apart)


def _run(
    program: Program, repository: Path, steps: int, seconds: float, *, under: tuple[str, ...] = (), onednn: bool = True
) -> tuple[dict[str, Any], Any]:
    """Runs training_program.py once; returns its results, and its history on the GPU from the trace."""
    with tempfile.TemporaryDirectory(prefix="training-") as folder:
        home, copy = Path(folder) / "home", Path(folder) / repository.name.rpartition("+")[2]
        out, trace = Path(folder) / "losses.json", Path(folder) / "trace.jsonl"
        shutil.copytree(repository, copy, ignore=shutil.ignore_patterns(".git"))
        make_data(home, copy / program.script)
        if program.data:
            program.data(copy)
        for file, text, other in program.instead:
            (copy / file).write_text((copy / file).read_text("utf-8").replace(text, other), "utf-8")
        script = copy / program.script
        path = [str(copy), str(script.parent), str(HERE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("TF1MEM", "PYTHON"))},
            "PYTHONPATH": os.pathsep.join(path), "PYTHONHASHSEED": "0", "MPLBACKEND": "Agg",
            "TF_CPP_MIN_LOG_LEVEL": "3", "TF_FORCE_GPU_ALLOW_GROWTH": "true",
            "TF_ENABLE_ONEDNN_OPTS": str(int(onednn)),
        }  # fmt: skip
        on_cpu = {**environment, "CUDA_VISIBLE_DEVICES": "-1"}
        for before in program.before:
            _end(["-m", "tf1mem", "run", *before], script.parent, on_cpu, seconds)
        child = [str(HERE / "training_program.py"), str(out), str(steps), script.name, *program.arguments]
        if under:
            child = ["-m", "tf1mem", *under, "--trace", str(trace), "--", sys.executable, *child]
        _end(child, script.parent, environment if under else on_cpu, seconds)
        if not out.exists():
            raise Stopped("it ended before it had trained so many steps")
        shares = histories(events(trace)).shares if under else ()
        return json.loads(out.read_text("utf-8")), max(shares, key=lambda share: share.launches or 0, default=None)


def _end(command: list[str], where: Path, environment: dict[str, str], seconds: float) -> None:
    try:
        done = subprocess.run(
            [sys.executable, *command], cwd=where, env=environment, timeout=seconds, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Stopped(f"it took longer than {seconds:.0f} s") from None
    if done.returncode:
        messages = done.stderr.decode("utf-8", "replace").strip().splitlines() or [f"status {done.returncode}"]
        raise Stopped(next((line for line in messages if "Error: " in line), messages[-1]))


def good(result: dict[str, Any]) -> bool:
    """Returns True if losses match the CPU's, and peaks are in the same range with values and without."""
    if result["stops without values"]:
        return result["apart"] <= CLOSE
    with_values, without = result["peaks"], result["peaks without values"]
    return (
        result["apart"] <= CLOSE
        and result["reserved"] == result["reserved without values"]
        and with_values[0] <= without[-1]
        and without[0] <= with_values[-1]
    )


COLUMNS = (
    "program", "what it trains", "losses, first and 20th", "apart", "apart on the CPU", "reserved, KiB", "peaks, KiB",
    "peaks without values",
)  # fmt: skip


def rows(kept: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yields a row of the table for each program."""
    for program in PROGRAMS:
        if program.name not in kept:
            continue
        result, name = kept[program.name], f"{program.repository}: {Path(program.script).name}"
        apart = (f"{result[kind]:.0e}" if result[kind] else "0" for kind in ("apart", "apart on the CPU"))
        ends = ", ".join(f"{first:.4g} → {last:.4g}" for first, last in zip(result["first"], result["last"]))
        without = "it stops" if result["stops without values"] else _kib(result["peaks without values"])
        yield (name, program.kind, ends, *apart, _kib(result["reserved"]), _kib(result["peaks"]), without)


def _kib(sizes: list[int]) -> str:
    """Returns the first and the last of sorted sizes in bytes, as KiB: "1,024 to 2,048"; one number if both agree."""
    return " to ".join(dict.fromkeys(f"{size / 1024:,.0f}" for size in (sizes[0], sizes[-1])))


if __name__ == "__main__":
    sys.exit(main())
