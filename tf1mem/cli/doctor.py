"""`tf1mem doctor`: shows what is installed and in force, or what a script does with its GPU settings."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Callable, Iterator, NamedTuple, Sequence, TextIO

import click

from tf1mem.cli import colors, exits, gpus, output_options
from tf1mem.cli.widths import columns
from tf1mem.errors import BAD_INPUT, FINDINGS, ScriptError, Tf1memError

if TYPE_CHECKING:
    from tf1mem.doctor.examination import Examination
    from tf1mem.doctor.finding import Finding
    from tf1mem.gpusim.gpus import SimulatedGpu

_PYTHONS = ("python", "python2", "python3")


@click.command(
    epilog="Example: tf1mem doctor --gpus 2 --gpu 8GiB -- train.py --epochs 3",
    context_settings={"allow_interspersed_args": False},
)
@gpus.options(
    "Run the script on N simulated GPUs of 16 GiB, or of the kind of --gpu.",
    "Run it on a simulated GPU: 8GiB, or 16GiB,name=V100,cc=7.0. One for each GPU.",
)
@click.option("--sim", metavar="SIZES", hidden=True)  # the old form of --gpu: 8GiB,8GiB for two GPUs
@click.option("--with-tf1mem", is_flag=True, help="Run the script as tf1mem run does, not as it is.")
@output_options.formats("text", "json", more="With json, what the script prints goes to stderr.")
@click.option("--strict", is_flag=True, help="Exit with 1 where there is an error or a warning: for CI.")
@output_options.quiet("Print only the findings.")
@output_options.verbose("Also say what each code means.")
@colors.option
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- SCRIPT | -m MODULE [ARGUMENTS]...]")
@exits.documented("doctor")
def command(
    *,
    count: int | None,
    kinds: tuple[str, ...],
    sim: str | None,
    with_tf1mem: bool,
    form: str,
    strict: bool,
    quiet: bool,
    verbose: bool,
    arguments: tuple[str, ...],
) -> int:
    """Show what is installed and in force, or what a script does with its GPU settings.

    Alone, it looks at the environment and starts no GPU. With a script, it runs that script as it is, with this
    Python, and shows on stderr which line started the GPU runtime, what came too late, was ignored or overridden, what
    was reserved, and how to fix it.
    """
    if sim is not None:
        kinds = (*kinds, *([size for size in sim.split(",") if size] or [sim]))
    requested = gpus.requested(count, kinds)
    output_options.check_amount(quiet, verbose)
    output = _Output(form == "json", verbose - quiet)
    if not arguments:
        if requested is not None or with_tf1mem:
            raise click.UsageError("--gpu, --gpus and --with-tf1mem are for a script: name it after --.")
        findings = _environment(output)
        return FINDINGS if strict and _are_bad(findings) else 0
    _check(arguments)
    machine: Sequence[SimulatedGpu] = ()
    if requested is not None:
        from tf1mem.gpusim.gpus import lineup

        machine = lineup(requested)
    try:
        examination = _script(arguments, machine, with_tf1mem, output)
    except Tf1memError as error:
        colors.complain(error)
        return BAD_INPUT
    status = examination.run.status
    if status == 0 and strict and _are_bad(examination.findings):
        return FINDINGS
    if status >= 0 or sys.platform != "linux":
        return status
    from tf1mem.gpusim import commands

    return commands.end_as(status)


class _Output(NamedTuple):
    """The form and the amount of the output.

    Attributes:
        as_json: True for JSON, False for text.
        verbosity: -1 for --quiet, 1 for --verbose, else 0.
    """

    as_json: bool
    verbosity: int

    def findings(self, findings: Sequence[Finding], stream: TextIO) -> None:
        """Prints the findings alone; nothing if there is none."""
        from tf1mem.doctor.report.layout import findings_text

        if findings:
            _print("\n".join(findings_text(findings, _width(stream), self.paint(stream))), stream)

    def meanings(self, findings: Sequence[Finding], stream: TextIO) -> None:
        """Prints the meaning of each code, with --verbose only."""
        from tf1mem.doctor.report.layout import wrapped

        if self.verbosity > 0 and findings:
            meanings = {finding.code: finding.kind.meaning for finding in findings}
            lines = [self.paint(stream)("The codes", "title")]
            for code, meaning in sorted(meanings.items()):
                lines += wrapped(meaning, _width(stream), f"  {code}  ", " " * 10)
            _print("\n" + "\n".join(lines), stream)

    def paint(self, stream: TextIO) -> Callable[[str, str], str]:
        """Returns the function that colours text for a stream."""
        from tf1mem.doctor.report.layout import plain

        if not colors.wanted(stream):
            return plain
        return colors.paint


def _are_bad(findings: Sequence[Finding]) -> bool:
    from tf1mem.doctor.finding import NOTE

    return any(finding.severity != NOTE for finding in findings)


def _check(arguments: Sequence[str]) -> None:
    """Raises an error if the arguments name nothing that can be run."""
    subject = "tf1mem doctor -- " + arguments[0]
    if arguments[0] == "-m":
        if len(arguments) < 2:
            raise click.UsageError("-m: name a module.")
        return
    if os.path.basename(arguments[0]) in _PYTHONS and not arguments[0].endswith(".py"):
        raise ScriptError(subject, "is a Python, not a script", "Name the script itself: this Python runs it")
    from tf1mem import runner

    try:
        runner.script(arguments[0], arguments[1:])
    except ScriptError as error:
        raise type(error)(subject, error.wrong, error.remedy) from None


def _environment(output: _Output) -> Sequence[Finding]:
    from tf1mem.doctor.examination import examine_environment
    from tf1mem.doctor.report import checkup_page
    from tf1mem.doctor.report.as_json import of_checkup

    with _progress_line() as show:
        checkup, findings = examine_environment(show)
    if output.as_json:
        _print(json.dumps(of_checkup(checkup, findings), indent=2), sys.stdout)
    elif output.verbosity < 0:
        output.findings(findings, sys.stdout)
    else:
        _print(checkup_page.page(checkup, findings, _width(sys.stdout), output.paint(sys.stdout)), sys.stdout)
        output.meanings(findings, sys.stdout)
    return findings


def _script(
    arguments: Sequence[str], machine: Sequence[SimulatedGpu], with_tf1mem: bool, output: _Output
) -> Examination:
    from tf1mem.doctor.examination import examine_script
    from tf1mem.doctor.report import script_page
    from tf1mem.doctor.report.as_json import of_script

    examination = examine_script(arguments, machine, with_tf1mem, quiet_stdout=output.as_json)
    if output.as_json:
        _print(json.dumps(of_script(examination), indent=2), sys.stdout)
    elif output.verbosity < 0:
        output.findings(examination.findings, sys.stderr)
    else:
        _print("\n" + script_page.page(examination, _width(sys.stderr), output.paint(sys.stderr)), sys.stderr)
        output.meanings(examination.findings, sys.stderr)
    return examination


@contextmanager
def _progress_line() -> Iterator[Callable[[str], None]]:
    """Shows on a terminal what is being done, in a line that is cleared at the end."""
    stream = sys.stderr

    def show(activity: str) -> None:
        if stream.isatty():
            text = activity and f"tf1mem doctor: {activity} …"
            _print("\r" + text.ljust(_width(stream) - 1) + ("" if activity else "\r"), stream, end="")

    try:
        yield show
    finally:
        show("")


def _print(text: str, stream: TextIO, end: str = "\n") -> None:
    encoding = stream.encoding or "utf-8"
    try:
        print(text.encode(encoding, "backslashreplace").decode(encoding), file=stream, flush=True, end=end)
    except BrokenPipeError:
        # The reader is gone; Python would report an error for buffered output when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _width(stream: TextIO) -> int:
    return max(columns(stream), 40)
