"""Runs both sides of a program and compares them, for `tf1mem verify`."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple, Sequence

from tf1mem.errors import VerifyError
from tf1mem.gpusim.launching import Simulation, simulation
from tf1mem.machine.folders import temporary
from tf1mem.verifying import judging, old, outputs, recordings
from tf1mem.verifying.certificate import Verdict, certificate
from tf1mem.verifying.comparing import Comparison, compare, is_rewrite, slack_of
from tf1mem.verifying.hashing import hashes
from tf1mem.verifying.links import Links
from tf1mem.verifying.places import NO_ROOM, TEMPORARY, Place, place_of
from tf1mem.verifying.recording.notes import UNWRITTEN
from tf1mem.verifying.recordings import Recording
from tf1mem.verifying.sides import Ended, Process, Side, end_started, wait
from tf1mem.verifying.signals import ended_by_signals

# The seeds for moving the old side's initial weights: one run for each.
MOVED = (1, 2)
# The key of the run whose tensors `record` keeps, so that a difference in it can be traced.
_RECORDED = "0"
# The kinds of differences that depend on no random number and on no thread.
_REPEATABLE = ("setting", "memory", "variables", "restore")
# With fewer free bytes a disk counts as full.
_LEAST_ROOM = 64 << 10


class Request(NamedTuple):
    """A program, and the options for verifying it.

    Attributes:
        program: The script's path.
        arguments: The program's arguments.
        against: A script to compare with, run as it is; None to compare with the same script, run by `tf1mem run`.
        old_python: The interpreter of the old side; None for the environment of `old.make`.
        old_file: A recording of the old side; None to run it here.
        steps: The number of training runs to compare.
        gpus: Simulated GPUs for both sides, such as ("8GiB",); () for none.
        one_cpu: True to bind each process to one CPU, so that sums are added in one order.
        seed: The seed for graphs to which the program gives none.
        same_data: True to let iterators and queues of the new side return what those of the old side returned.
        deep: True to look for the first difference inside loops and branches, too.
        root: The folder to copy; None for the one that `places.place_of` chooses.
        packages: Installed packages that `tf1mem run` rewrites like the program's own files.
    """

    program: str
    arguments: Sequence[str]
    against: str | None = None
    old_python: str | None = None
    old_file: str | None = None
    steps: int = 50
    gpus: Sequence[str] = ()
    one_cpu: bool = True
    seed: int = 1
    same_data: bool = False
    deep: bool = False
    root: str | None = None
    packages: Sequence[str] = ()


Show = Callable[[Sequence[Process]], None]


def verify(request: Request, show: Show) -> dict[str, Any]:
    """Runs both sides and compares them.

    Args:
        request: The program and the options.
        show: Called with the running processes from time to time.

    Returns:
        The certificate.

    Raises:
        VerifyError: The old side's Python or recording doesn't exist, or no temporary folder can be created.
        ScriptNotFoundError: A script doesn't exist.
    """
    place = place_of(request.program, request.root)
    other = place if request.against is None else place_of(request.against, request.root)
    python = None if request.old_file else old.find(request.old_python)
    with work_folder() as work:
        return Verification(request, place, other, python, work, show).certificate()


def record(request: Request, file: Path, show: Show) -> None:
    """Records the old side into one file; this Python runs it if no other interpreter is named.

    Raises:
        VerifyError: The program fails or never trains, or the file can't be written.
    """
    place = place_of(request.program, request.root)
    with work_folder() as work:
        python = old.find(request.old_python, sys.executable)
        sides = Verification(request, place, place, python, work, show)
        why = sides.run_old()
        if why:
            raise VerifyError(f"--record {file}", why, "Make the program run on TensorFlow 1 first")
        sides.trace_old(_RECORDED)
        kept = {each.name: each for each in work.iterdir() if (each / "notes.json").exists()}
        recordings.pack(
            file, kept, {"program": request.program, "arguments": list(request.arguments), "steps": request.steps}
        )


@contextmanager
def work_folder() -> Iterator[Path]:
    """Creates a temporary folder that exists as long as the context.

    Raises:
        VerifyError: The folder can't be created.
    """
    with ExitStack() as stack:
        stack.enter_context(ended_by_signals())
        try:
            work = stack.enter_context(temporary(TEMPORARY))
        except OSError as error:
            raise VerifyError("tf1mem verify", f"needs a temporary folder ({error})", "Set TMPDIR to one") from None
        try:
            yield work
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            raise _no_room(work) from None


def _no_room(work: Path) -> VerifyError:
    fault = f"has no room left in {work.parent} for copies of the program's folder and for recordings"
    return VerifyError("tf1mem verify", fault, "Set TMPDIR to a folder with more room")


class Verification:
    """Runs both sides of a program, one after the other, and compares them.

    Args:
        request: The program and the options.
        place: The old side's files.
        other: The new side's files.
        python: The old side's interpreter; None if the old side is a recording.
        work: A folder for recordings.
        show: Called with the running processes from time to time.
        process: Starts a process: `Process`, or a class that starts it in another way.
    """

    def __init__(  # noqa: PLR0917
        self,
        request: Request,
        place: Place,
        other: Place,
        python: str | None,
        work: Path,
        show: Show,
        process: type[Process] = Process,
    ) -> None:
        self.request, self.place, self.work, self._show, self._process = request, place, work, show, process
        self._other = other
        mode = "run" if request.against is None else "plain"
        self._old = None if python is None else Side("old", python, "plain", place, request.arguments)
        self._new = Side("new", sys.executable, mode, other, request.arguments, packages=request.packages)
        self.old: Recording | None = None
        self.moved: list[Recording] = []
        self._moved_faults: list[str] = []  # why runs with moved weights can't be used
        self._memory: dict[str, list[int]] = {}  # side -> the peak of reserved bytes on each GPU
        self._named_seeds = False
        self._new_is_eager = False
        self._start_notes: list[str] = []
        self._count = 0  # of traces that were walked through
        self._outputs: outputs.Outputs | None = None

    def certificate(self) -> dict[str, Any]:
        """Runs both sides, and returns the certificate."""
        where = self.place.in_place
        notes = [where + ": both sides run in it, one after the other"] if where else []
        if self.request.packages:
            notes.append(f"Here treated as the program's own: {', '.join(self.request.packages)}.")
        verdict, new, comparison = self._compared([*notes])
        by_number = bool(self._start_notes) and verdict.difference is not None
        if self._old is not None and (by_number or judging.is_of_seeds(verdict.difference)):
            self._named_seeds = True
            notes += self._start_notes
            notes.append(
                "Op numbers, and so seeds, differ between the graphs: both sides used seeds from the ops' names."
            )
            verdict, new, comparison = self._compared([*notes])
        if comparison is not None:
            verdict = self._unless_unrepeatable(verdict, comparison.slack)
        written = None if comparison is None else self._outputs
        more: dict[str, Any] = hashes(self.place, self._other, self._copy(new), self.request.old_file)
        if self.request.same_data and new is not None:
            more["same_data"] = {kind: new.notes.get(kind, {}) for kind in ("given", "not_given")}
        if self._memory:
            more["memory"] = self._memory
        text = " ".join([self.request.program, *self.request.arguments])
        return certificate(verdict, text, self.old, new, comparison, written, more)

    def _unless_unrepeatable(self, verdict: Verdict, slack: float) -> Verdict:
        """Returns the verdict; "not compared" if the old side, run again as it was, differs from itself by then.

        Args:
            verdict: The verdict on both sides.
            slack: The factor by which limits are wider; see `comparing.slack_of`.
        """
        difference = verdict.difference
        if self._old is None or self.old is None or difference is None or difference.kind in _REPEATABLE:
            return verdict
        if self.place.in_place:  # it may find what its first run has saved
            return verdict
        steps = self.request.steps if difference.step is None else min(self.request.steps, difference.step + 2)
        again = self._run([self._planned(self._old, "again", steps=steps, data=self._data())])[0].recording
        own = None if again is None else judging.of_repeat(self.old, self.moved, again, steps, slack)
        if own is None and again is not None and difference.kind in outputs.KINDS:
            own = outputs.difference(outputs.compare_outputs(self.old, self.moved, again))
        is_last = difference.kind in outputs.KINDS or difference.kind == "steps"  # judged after all steps
        if own is None or ((own.step or 0) > (difference.step or 0) and not is_last):
            return verdict
        why = (
            "the old side can't be reproduced: run again as it was, it differs from its own first run, as by the clock "
            f"or by threads. {own.says}"
        )
        notes = [*verdict.notes, f"The two sides differ, too. {difference.says}"]
        return Verdict(judging.NOT_COMPARED, why, None, notes)

    def _copy(self, new: Recording | None) -> Path | None:
        """Returns the copy of the program's folder in which it ran; None if there is none of this program."""
        if self._old is not None:
            return self.work / ("named" if self._named_seeds else "") / "base" / "work"
        return new.folder / "work" if new is not None and self.request.against is None else None

    def _compared(self, notes: list[str]) -> tuple[Verdict, Recording | None, Comparison | None]:
        """Runs both sides; returns the verdict, and the new side's recording and the comparison or None."""
        why = self._load_old() if self.request.old_file else self.run_old()
        new = None
        if not why:
            ended = self._run_new()
            new, why = ended.recording, _why_not("new", ended, self._other)
            why = why or self._why_not_moved()
        if why or new is None or self.old is None:
            return Verdict(judging.NOT_COMPARED, why, None, notes), new, None
        comparison = compare(self.old, self.moved, new)
        self._outputs = outputs.compare_outputs(self.old, self.moved, new)
        verdict, comparison = self._judge(comparison, new, notes)
        return verdict, new, comparison

    def run_old(self) -> str:
        """Runs the old side, also with its initial weights moved; returns why that failed, or ""."""
        base = self._run(
            [
                self._planned(self._old, "base", keeps_data=self.request.same_data),
                self._planned(self._old, "moved1", moved=1),
            ]
        )
        self.old = base[0].recording
        why = _why_not("old", base[0], self.place)
        self.moved, self._moved_faults = [], []
        self._keep_moved(base[1:])
        return why

    def _why_not_moved(self) -> str:
        """Returns why rounding can't be measured, because no run with moved weights has ended well; "" if it can."""
        if any(each.trained for each in self.moved):
            return ""
        faults = self._moved_faults or ["the recording has no run with moved weights"]
        return f"rounding can't be measured: {faults[0]}"

    def _keep_moved(self, ended: Sequence[Ended]) -> None:
        for each in ended:
            why = _why_not("old", each, self.place, " with moved weights")
            if why or each.recording is None:
                self._moved_faults.append(why)
            else:
                self.moved.append(each.recording)

    def _load_old(self) -> str:
        """Unpacks the old side's recording, and checks that it has what the request needs; returns ""."""
        about = recordings.unpack(Path(self.request.old_file or ""), self.work)
        self.request = self.request._replace(steps=about.get("steps", self.request.steps))
        self.old = Recording(self.work / "base")
        if self.request.same_data and self.old.data is None:
            wrong, remedy = "has no data of iterators and queues", "Record it again with --same-data"
            raise VerifyError(f"--same-data --old {self.request.old_file}", wrong, remedy)
        traced = self.work / "traced"
        if self.request.deep and traced.exists() and not Recording(traced).tried_deep:
            wrong, remedy = "has no tensors of loops and functions", "Record it again with --deep"
            raise VerifyError(f"--deep --old {self.request.old_file}", wrong, remedy)
        self.moved = [
            Recording(self.work / f"moved{number}") for number in MOVED if (self.work / f"moved{number}").exists()
        ]
        return ""

    def _run_new(self) -> Ended:
        """Runs the new side from the old side's initial values, and beside it the old side with other moved weights."""
        assert self.old is not None
        first = self.old.first if self.old.first.exists() else None
        processes = [self._planned(self._new, "new", first=first, data=self._data())]
        if self._old is not None:
            processes.append(self._planned(self._old, "moved2", moved=2))
        ended = self._run(processes)
        self._keep_moved(ended[1:])
        return ended[0]

    def _data(self) -> Path | None:
        return self.old.data if self.old is not None and self.request.same_data else None

    def trace_old(self, key: str) -> None:
        """Runs the old side again up to a run, unchanged and with moved weights, and records that run's tensors."""
        self._run(self._traces(key))

    def _traces(self, key: str) -> list[Any]:
        end = f"-{self._count}" if self._count else ""
        return [
            self._planned(self._old, f"traced{end}", trace=key),
            self._planned(self._old, f"traced1{end}", moved=1, trace=key),
        ]

    def _judge(self, comparison: Comparison, new: Recording, notes: list[str]) -> tuple[Verdict, Comparison]:
        """Returns the verdict, and the comparison, whose limits are wider if only the order of sums differs."""
        assert self.old is not None
        if judging.is_chaotic(comparison):
            why = (
                "the old side can't be reproduced: with weights moved by one unit in the last place its first step "
                "differs by more than 5%. Its random numbers have no seed, or come from elsewhere"
            )
            return Verdict(judging.NOT_COMPARED, why, None, notes), comparison
        self._new_is_eager = new.is_eager
        is_rewritten = is_rewrite(self.old, new)
        difference, start_notes = judging.of_start(self.old, new)
        if is_rewritten:
            notes.append(
                "The new side trains eagerly: only initial values, weights, gradients and the loss are compared."
            )
        else:
            self._start_notes = start_notes
            difference = difference or judging.of_restores(self.old, new)
        has_flipped = False
        if difference is None:
            difference, comparison, has_flipped = self._first_difference(comparison, notes)
        difference = difference or judging.of_counts(self.old, new)
        notes += judging.notes_of_data(new) + judging.notes_of_order(self.old, new)
        notes += start_notes + _note_processes(self.old, new)
        if difference is None and self.request.against is not None and not is_rewritten:
            notes += judging.notes_of_settings(self.old, new, bool(self._memory))
            difference = judging.of_settings(self.old, new)
        if difference is None and self._memory:
            difference = judging.of_memory(self._memory)
        notes += self._output_notes(new, has_flipped, difference)
        if difference is None and not has_flipped and self._outputs is not None:
            difference = outputs.difference(self._outputs)
        silent = sorted(
            {int(each.key) for each in comparison.values if each.is_meaningless and _is_fetched_in_training(each)}
        )
        if silent and not has_flipped:
            notes.append(
                f"From step {silent[0]} on rounding alone makes differences of more than 5% in what is fetched."
            )
        said_once = list(dict.fromkeys(notes))  # a comparison with seeds by name comes after one by number
        return Verdict(judging.SAME if difference is None else judging.DIFFERENT, "", difference, said_once), comparison

    def _output_notes(self, new: Recording, has_flipped: bool, difference: judging.Difference | None) -> list[str]:
        assert self.old is not None
        assert self._outputs is not None
        notes = outputs.notes(self._outputs) if difference is None else []
        if self.old.is_cut or new.is_cut:
            notes.append(f"Of what the sides print the first {recordings.PRINTED_ROOM >> 20} MiB are compared.")
        beyond = outputs.difference(self._outputs) if has_flipped and difference is None else None
        return [*notes, f"{beyond.says} The flip may have caused it."] if beyond is not None else notes

    def _first_difference(
        self, comparison: Comparison, notes: list[str]
    ) -> tuple[judging.Difference | None, Comparison, bool]:
        """Returns the first difference of what is computed, by tracing the run that shows it.

        If only the order of sums differs, limits become wider. If rounding alone moves a number past the point where an
        op jumps, such as a ReLU's input past 0, the values from there on are meaningless.

        Args:
            comparison: The comparison of the values.
            notes: Sentences for the reader, to which more are added.

        Returns:
            The difference or None; the comparison, with other limits; and True if a number was moved past a jump.
        """
        has_flipped = False
        while True:
            first = judging.first_apart(comparison)
            if first is None:
                return None, comparison, has_flipped
            difference, terms, flips = self._walk(first, comparison.slack, notes)
            step = difference.step or 0
            if first.jumps and difference.kind == "value":
                notes.append(
                    f"{difference.says} Its inputs agree, so a comparison flipped, or a count was read too early."
                )
                return None, comparison, True
            if flips and step and not has_flipped:
                name = difference.details["old"]["name"]
                notes.append(
                    f"Rounding flips an input of {name} at step {step}: from there on only feeds and data are compared."
                )
                comparison, has_flipped = comparison.ignoring_from(step), True
            elif comparison.slack == 1 < slack_of(terms):
                comparison = comparison.widened(slack_of(terms))
                self._outputs = None if self._outputs is None else self._outputs.widened(comparison.slack)
                notes.append(
                    f"Sums of up to {terms:,} numbers are added in another order: limits are {comparison.slack:.2g} "
                    "times as wide."
                )
            else:
                return difference, comparison, has_flipped

    def _walk(self, first: Any, slack: float, notes: list[str]) -> judging.Walked:
        """Traces the run that shows a difference on both sides, and walks through it; may add to the notes."""
        assert self.old is not None
        if self.old.is_eager or self._new_is_eager:  # there is no graph to walk
            return judging.Walked(judging.of_value(first, is_rewritten=not self.old.is_eager))
        key = judging.traced_key(first)
        if self._old is None and key != _RECORDED:
            return judging.Walked(judging.of_value(first))
        start = self.old.first if self.old.first.exists() else None
        name = f"traced-new-{self._count}" if self._count else "traced-new"
        processes = [self._planned(self._new, name, trace=key, first=start, data=self._data())]
        if self._old is not None:
            processes += self._traces(key)
        self._count += 1
        new, *others = [each.recording for each in self._run(processes)]
        if self._old is None:
            others = [Recording(self.work / name) for name in ("traced", "traced1") if (self.work / name).exists()]
        if new is None or not others or others[0] is None:
            return judging.Walked(judging.of_value(first))
        for side, recording in (("old", others[0]), ("new", new)):
            if "not_inside" in recording.notes:
                why = recording.notes["not_inside"]
                notes.append(f"--deep: the {side} side's loops and functions can't be recorded ({why}).")
        moved = [each for each in others[1:] if each is not None]
        return judging.of_walk(first, others[0], new, moved, slack, is_one_program=self.request.against is None)

    def _planned(self, side: Side | None, name: str, **how: Any) -> Any:
        """Returns a process for `_run` to start: the side, the recording's name, and further arguments."""
        assert side is not None
        return (side, name, how)

    def _run(self, starts: Sequence[Any]) -> list[Ended]:
        """Runs processes, as many at a time as there are CPUs; one at a time if they share a folder."""
        cpus = _cpus()
        width = 1 if self.place.in_place else max(1, min(len(starts), len(cpus)))
        ended: list[Ended] = []
        for batch in _batches(starts, width):
            with ExitStack() as stack:
                links = stack.enter_context(Links(self._roots(), self.work))
                processes: list[Process] = []
                folders: list[Path] = []
                simulations = []
                # These run also if a process can't be started, or if a signal comes while it is being started.
                stack.callback(end_started, folders)
                stack.callback(_stop, processes)
                for (program, name, how), cpu in zip(batch, cpus):
                    side = program
                    if self.request.gpus:
                        trace = self.work / f"{name}.jsonl"
                        simulations.append((name, stack.enter_context(simulation(list(self.request.gpus), trace))))
                        side = side._replace(environment=simulations[-1][1].environment)
                    bound = cpu if self.request.one_cpu else None
                    settings = {
                        "steps": self.request.steps,
                        "cpu": bound,
                        "seed": self.request.seed,
                        "deep": self.request.deep,
                        "linked": links.paths,
                        **how,
                    }
                    folder = self.work / ("named" if self._named_seeds else "") / name
                    folders.append(folder)
                    processes.append(self._process(side, folder, named_seeds=self._named_seeds, **settings))
                ended += wait(processes, self._show, links.check)
                if any(each.status == UNWRITTEN and each.recording is None for each in ended) or _is_full(self.work):
                    raise _no_room(self.work)
                for name, machine in simulations:
                    self._note_memory(name, machine)
                for process in processes:
                    if process.folder.name not in {"base", "new"}:  # the certificate hashes these two's files
                        shutil.rmtree(process.folder / "work", ignore_errors=True)
        return ended

    def _roots(self) -> list[str]:
        return sorted({place.root for place in (self.place, self._other) if not place.in_place})

    def _note_memory(self, name: str, machine: Simulation) -> None:
        side = {"base": "old", "new": "new"}.get(name)
        if side is not None:
            shares = machine.histories().shares
            self._memory[side] = [
                sum(share.peak for share in shares if share.gpu == number) for number in range(len(machine.gpus))
            ]


def _stop(processes: Sequence[Process]) -> None:
    for process in processes:
        process.stop()


def _is_full(folder: Path) -> bool:
    """Returns True if a disk has no room left, so that what was just written to it may be incomplete."""
    return shutil.disk_usage(folder).free < _LEAST_ROOM


def _is_fetched_in_training(value: Any) -> bool:
    return value.name.startswith("fetch:") and "." not in value.key and not value.jumps


def _batches(items: Sequence[Any], width: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), width):
        yield items[start : start + width]


def _cpus() -> list[int | None]:
    if hasattr(os, "sched_getaffinity"):
        return list(os.sched_getaffinity(0))
    return [None] * (os.cpu_count() or 1)


def _why_not(side: str, ended: Ended, place: Place, how: str = "") -> str:
    """Returns why a side can't be compared, because it failed or never trained; "" if it can.

    Args:
        side: "old" or "new".
        ended: The end of that side's process.
        place: The files of that side.
        how: A phrase after the side's name.
    """
    recording = ended.recording
    last = next((line.strip() for line in reversed(ended.error_text.splitlines()) if line.strip()), "")
    if recording is None:
        return f"the {side} side{how} left no recording ({_status(ended.status)})" + (f": {last}" if last else "")
    if ended.status:
        fault = recording.notes.get("raised") or last
        if fault.startswith("EOFError"):
            fault += ". Its standard input is empty: verify can't pass on what is typed"
        elif os.strerror(errno.ENOENT) in fault and not place.in_place:
            fault += f". It ran in a copy of {place.root}: --root names a folder with all files that it reads"
        steps = "1 step" if recording.trained == 1 else f"{recording.trained} steps"
        after = f"failed after {steps} ({_status(ended.status)})"
        return f"the {side} side{how} {after}" + (f": {fault}" if fault else "")
    if recording.trained == 0:
        count = recording.notes.get("processes", 0)
        other = f"; it started {_counted(count)}, and only its first process is recorded" if count else ""
        return f"the {side} side{how} never ran a step that trains{other}"
    return ""


def _status(status: int) -> str:
    """Returns an exit status in words; a negative one is a signal's number."""
    if status >= 0:
        return f"exit status {status}"
    if -status == getattr(signal, "SIGKILL", None):
        return "signal 9: killed, perhaps because memory ran out"
    return f"signal {-status}"


def _counted(processes: int) -> str:
    return "1 process" if processes == 1 else f"{processes} processes"


def _note_processes(old: Recording, new: Recording) -> list[str]:
    """Returns a note about processes that the program started, which aren't recorded."""
    a, b = (each.notes.get("processes", 0) for each in (old, new))
    if not a and not b:
        return []
    both = _counted(a) if a == b else f"{_counted(a)} on the old side, {_counted(b)} on the new"
    return [f"Not compared: {both} that the program started."]
