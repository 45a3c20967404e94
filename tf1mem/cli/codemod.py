"""`tf1mem codemod`: rewrites old TF1 source."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, closing
from dataclasses import replace
from pkgutil import iter_modules
from typing import TYPE_CHECKING, NamedTuple, Sequence, TextIO

import click

import tf1mem
from tf1mem.cli import colors, exits, output_options
from tf1mem.cli.completion import files
from tf1mem.cli.widths import columns
from tf1mem.errors import ConfigFileError, Tf1memError

if TYPE_CHECKING:
    from typing import Callable, Iterable

    from tf1mem.codemod.trees.formats import FormatWriter
    from tf1mem.codemod.trees.known import KnownFiles
    from tf1mem.codemod.trees.walk import Entry, Exclusion
    from tf1mem.codemod.trees.work import Options

# Packages that the command needs beside the codemod's: the name to import, and the name to install.
_PACKAGES = (("markdown_it", "markdown-it-py"), ("rich", "rich"))
_STDIN = "-"


def _formats() -> list[str]:
    """Returns the names of the modules in codemod/trees/formats/; importing them would make --help slow."""
    folder = os.path.join(os.path.dirname(tf1mem.__file__), "codemod", "trees", "formats")
    first = ("text", "json", "github", "sarif")  # further formats come after these
    return sorted((module.name for module in iter_modules([folder])), key=lambda name: (*first, name).index(name))


@click.command(epilog="Example: tf1mem codemod --to apply --write src")
@click.option(
    "--to",
    type=click.Choice(("shim", "apply", "native")),
    metavar="TARGET",
    help="Target of the rewrite: shim, apply or native (default: shim).",
)
@click.option("--python3", is_flag=True, help="Translate Python 2 files to Python 3 instead.")
@click.option("--write", is_flag=True, help="Write the files.")
@click.option("--check", is_flag=True, help="Only say which files would change.")
@click.option("--diff", "--dry-run", "diff", is_flag=True, help="Show what would change, write nothing (the default).")
@click.option("--only", multiple=True, metavar="RULES", help="Apply only these rules: TFM101,TFM4,server.")
@click.option("--skip", multiple=True, metavar="RULES", help="Don't apply these rules.")
@click.option("--list-rules", is_flag=True, help="List the rules, or those of --to, --only and --skip.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Leave out paths that match, as in a .gitignore.")
@click.option("--docs/--no-docs", default=None, help="Also rewrite Python in Markdown and reST.")
@click.option(
    "--gpu-memory-mib", type=click.IntRange(min=1), metavar="N", help="A GPU's memory, to turn a fraction into a limit."
)
@output_options.formats(*_formats())
@click.option(
    "--report",
    metavar="FILE",
    shell_complete=files,
    help="Write what needs a decision by hand to FILE.",
)
@click.option("--no-cache", is_flag=True, help="Look at files again that an earlier run has looked at.")
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Number of worker processes (default: one for each core)."
)
@click.option("--stdin-filename", metavar="FILE", help="File name for standard input, which sets its kind.")
@output_options.quiet("Print the findings, but no summary.")
@output_options.verbose("Name each change, and each file that is left out.")
@colors.option
@click.argument("paths", nargs=-1, metavar="PATH...", shell_complete=files)
@exits.documented("codemod")
def command(
    *,
    to: str | None,
    python3: bool,
    write: bool,
    check: bool,
    diff: bool,
    only: tuple[str, ...],
    skip: tuple[str, ...],
    list_rules: bool,
    exclude: tuple[str, ...],
    docs: bool | None,
    gpu_memory_mib: int | None,
    form: str,
    report: str | None,
    no_cache: bool,
    jobs: int | None,
    stdin_filename: str | None,
    quiet: bool,
    verbose: bool,
    paths: tuple[str, ...],
) -> int:
    """Rewrite TF1 source so that its GPU settings hold on every TensorFlow.

    Shows what would change in the files and folders, or in standard input (-). Folders are searched for .py and
    .ipynb, without hidden folders, environments, and what .gitignore names and git doesn't track; the last lines list
    what was left out. Once files are written, a second run finds fewer places that need a decision by hand: --report
    keeps all.

    \b
    --to shim     tf1mem.v1 in place of tensorflow
    --to apply    each config goes through tf1mem.apply
    --to native   tf.config calls, where they can set it

    --python3 alone translates Python 2 to a Python 3 that means the same, as tf1mem run does, with a few names from
    tf1mem. To rewrite the settings, run the command again without it.

    Options can also be set in [tool.tf1mem.codemod] of pyproject.toml or [tf1mem:codemod] of
    setup.cfg.
    """  # noqa: D301 - click wants the character, not an escape of it
    output_options.check_amount(quiet, verbose)
    check_installed("tf1mem codemod")
    if list_rules:
        return _print_rules(to, _codes(only), _codes(skip))
    if not paths:
        raise click.UsageError("Nothing to rewrite: name files or folders, or - for standard input.")
    if write and check:
        raise click.UsageError("--write with --check: leave one of them out.")
    from tf1mem.codemod.trees import configuration
    from tf1mem.codemod.trees.work import PYTHON3, Options

    if python3:
        _check_python3(to, only, skip, docs, gpu_memory_mib)
    from_stdin = _STDIN in paths
    if from_stdin and len(paths) > 1:
        raise click.UsageError("Standard input (-) can't be read together with files: run the command twice.")
    configured = configuration.find([stdin_filename or os.curdir] if from_stdin else paths)
    options = Options(
        to=PYTHON3 if python3 else to or configured.to or "shim",
        only=_codes(only) or configured.only,
        skip=_codes(skip) or configured.skip,
        gpu_memory_mib=gpu_memory_mib or configured.gpu_memory_mib,
        write=write and not diff,
        diff=diff or not (write or check),
    )
    output = _Output(form, verbose - quiet)
    try:
        options.rewrite(b"", "python")
    except ValueError as error:
        if isinstance(error, Tf1memError):
            raise
        raise click.UsageError(str(error)) from None
    if from_stdin and report:
        raise click.UsageError("--report with standard input (-): name files or folders.")
    if from_stdin:
        return _rewrite_stdin(stdin_filename, options, output)
    from tf1mem.codemod.trees.walk import walk

    entries: Iterable[Entry] = walk(
        paths,
        exclude=[
            *_read_exclusions((configured.folder, configured.exclude, "exclude in " + configured.file)),
            *exclusions(exclude),
        ],
        docs=bool(configured.docs if docs is None else docs) and not python3,
    )
    if options.to == "shim" and any(map(os.path.isdir, paths)):
        from tf1mem.codemod.trees.graph_program import is_for_graphs

        entries = list(entries)
        options = replace(options, for_graphs=is_for_graphs(entries))
    from tf1mem.codemod.trees.known import KnownFiles

    known = KnownFiles() if no_cache else options.known_files()
    return _rewrite_tree(entries, options, output, jobs, report, known=known)


def _check_python3(
    to: str | None, only: Sequence[str], skip: Sequence[str], docs: bool | None, gpu_memory_mib: int | None
) -> None:
    """Refuses --python3 with options that have no effect beside it, and without the package that parses Python 2."""
    from tf1mem.machine.extras import check_python2

    without_effect = {"--to": to, "--only": only, "--skip": skip, "--docs": docs, "--gpu-memory-mib": gpu_memory_mib}
    for option, value in without_effect.items():
        if value:
            raise click.UsageError(f"--python3 with {option}: leave one of them out, and run the command twice.")
    check_python2("tf1mem codemod --python3")


def check_installed(subject: str) -> None:
    """Raises an error if the codemod can't run here.

    Args:
        subject: The command that needs it, for the error.

    Raises:
        MissingPackageError: Python is too old, or a package is missing.
    """
    from tf1mem.machine.extras import check_codemod

    more = _PACKAGES if sys.version_info >= (3, 11) else (*_PACKAGES, ("tomli", "tomli"))
    check_codemod(subject, more)


def _codes(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(code for text in texts for code in text.replace(",", " ").split())


def exclusions(patterns: Sequence[str]) -> list[Exclusion]:
    """Returns the exclusions of the patterns of --exclude."""
    return _read_exclusions((os.getcwd(), patterns, "--exclude"))


def _read_exclusions(*sources: tuple[str, Sequence[str], str]) -> list[Exclusion]:
    from tf1mem.codemod.trees.patterns import Patterns
    from tf1mem.codemod.trees.walk import Exclusion

    exclusions = []
    for folder, patterns, where in sources:
        for pattern in patterns:
            read = Patterns([pattern])
            if not read:
                raise ConfigFileError(
                    f"{where} {pattern!r}", "is not a pattern", "Write it as in a .gitignore: made/, *_pb2.py"
                )
            exclusions.append(Exclusion(folder, read))
    return exclusions


class _Output(NamedTuple):
    """The output: its format, and its amount: -1 for --quiet, 1 for --verbose, else 0."""

    form: str
    verbosity: int

    def writer(self, options: Options, stream: TextIO) -> FormatWriter:
        from tf1mem.codemod.trees.formats import Output, writer

        shown = stream is sys.stdout  # else stdout has the rewritten source, and the messages are plain
        color = shown and colors.wanted(stream)
        output = Output(
            options.to, options.mode, stream.buffer, shown and stream.isatty(), color, verbosity=self.verbosity
        )
        return writer(self.form, output)


def _rewrite_tree(
    entries: Iterable[Entry],
    options: Options,
    output: _Output,
    jobs: int | None,
    report_path: str | None,
    *,
    known: KnownFiles,
) -> int:
    from tf1mem.codemod.trees.outcomes import Tally
    from tf1mem.codemod.trees.work import work

    tally = Tally()
    report = None
    if report_path is not None:
        from tf1mem.codemod.trees.by_hand import ReportFile

        report = ReportFile(report_path, options.to)
    writer = output.writer(options, sys.stdout)
    with ExitStack() as stack:
        if report is not None:
            # Also if the run is interrupted: a second run doesn't find the places of files that this one has written.
            stack.push(lambda error, *_: report.end(tally, options.mode, whole=error is None))
        stack.callback(known.save)  # also if the run is interrupted
        progress = _progress(stack, writer, output)
        for outcome in stack.enter_context(closing(work(entries, options, jobs=jobs, known=known, progress=progress))):
            tally.add(outcome)
            if report is not None:
                report.add(outcome)
            writer.add(outcome)
    writer.end(tally)
    return tally.status(write=options.write)


def _progress(stack: ExitStack, writer: FormatWriter, output: _Output) -> Callable[[int, int | None], None] | None:
    """Shows a progress bar below the output, or on stderr; returns the function that updates it, or None for no bar."""
    console = writer.console
    if output.verbosity < 0:
        return None
    if console is None:
        if sys.stdout.isatty() or not sys.stderr.isatty():
            return None
        from rich.console import Console

        console = Console(stderr=True, color_system="auto" if colors.wanted(sys.stderr) else None)
    if not console.is_interactive:
        return None
    from tf1mem.codemod.trees.terminal import progress_bar

    return stack.enter_context(progress_bar(console))


def _rewrite_stdin(name: str | None, options: Options, output: _Output) -> int:
    from tf1mem.codemod.trees.outcomes import Tally
    from tf1mem.codemod.trees.walk import kind_of
    from tf1mem.codemod.trees.work import outcome_of

    if sys.stdin is None:
        raise click.UsageError("Standard input (-) is closed: give it the source.")
    source = sys.stdin.buffer.read()
    path, kind = name or _STDIN, kind_of(name or "")
    result = options.rewrite(source, kind)
    outcome = outcome_of(path, kind, source, result, diff=options.diff)
    if options.write:
        sys.stdout.buffer.write(result.source)
        sys.stdout.buffer.flush()
        outcome = replace(outcome, written=result.changed)
    tally = Tally()
    tally.add(outcome)
    stream = sys.stderr if options.write else sys.stdout
    writer = output.writer(options, stream)
    writer.add(outcome)
    writer.end(tally)
    return tally.status(write=options.write)


def _print_rules(to: str | None, only: Sequence[str], skip: Sequence[str]) -> int:
    from textwrap import fill

    from tf1mem.codemod.rules import chosen

    width = columns(sys.stdout)
    try:
        rules = chosen(to, only, skip)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    for rule in rules:
        click.echo("{}  {}  ({})".format(rule.code, rule.name, ", ".join(rule.to)))
        click.echo(fill(rule.summary, width, initial_indent=" " * 8, subsequent_indent=" " * 8))
    return 0
