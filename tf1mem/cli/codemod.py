"""`tf1mem codemod`: old TF1 source, rewritten."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import ExitStack, closing
from dataclasses import replace
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Sequence

import click

import tf1mem
from tf1mem.cli.completion import files
from tf1mem.errors import ConfigFileError, MissingPackageError, Tf1memError

if TYPE_CHECKING:
    from typing import Callable, Iterable

    from tf1mem.codemod.trees.configuration import Configuration
    from tf1mem.codemod.trees.formats import FormatWriter
    from tf1mem.codemod.trees.walk import Entry, Exclusion
    from tf1mem.codemod.trees.work import Options

# What is imported, and what it is installed as.
_PACKAGES = (
    ("tree_sitter", "tree-sitter"),
    ("tree_sitter_python", "tree-sitter-python"),
    ("markdown_it", "markdown-it-py"),
    ("rich", "rich"),
)
_STDIN = "-"


def _formats() -> list[str]:
    """The modules in codemod/trees/formats/, by their names alone: importing any would make --help slow."""
    folder = os.path.join(os.path.dirname(tf1mem.__file__), "codemod", "trees", "formats")
    first = ("text", "json", "github", "sarif")  # what is added comes behind them
    return sorted((module.name for module in iter_modules([folder])), key=lambda name: (*first, name).index(name))


@click.command(epilog="Example: tf1mem codemod --to apply --write src")
@click.option("--to", type=click.Choice(("shim", "apply", "native")), help="What to rewrite to; shim.")
@click.option("--write", is_flag=True, help="Write the files.")
@click.option("--check", is_flag=True, help="Only say which files would change.")
@click.option("--only", multiple=True, metavar="CODES", help="Follow these rules only: TFM101,TFM102.")
@click.option("--skip", multiple=True, metavar="CODES", help="Don't follow these rules.")
@click.option("--list-rules", is_flag=True, help="List the rules.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Leave out what fits, as in a .gitignore.")
@click.option("--docs/--no-docs", default=None, help="Also the Python in Markdown and reST.")
@click.option(
    "--gpu-memory-mib", type=click.IntRange(min=1), metavar="N", help="Memory of a GPU, to make a fraction a limit."
)
@click.option("--format", "form", type=click.Choice(_formats()), default="text")
@click.option(
    "--report", metavar="FILE", shell_complete=files, help="Keep what is left for a person in FILE, by rule and folder."
)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Worker processes; one for each core.")
@click.option("--stdin-filename", metavar="FILE", help="What standard input is called, and so what it is.")
@click.argument("paths", nargs=-1, metavar="PATH...", shell_complete=files)
def command(
    *,
    to: str | None,
    write: bool,
    check: bool,
    only: tuple[str, ...],
    skip: tuple[str, ...],
    list_rules: bool,
    exclude: tuple[str, ...],
    docs: bool | None,
    gpu_memory_mib: int | None,
    form: str,
    report: str | None,
    jobs: int | None,
    stdin_filename: str | None,
    paths: tuple[str, ...],
) -> int:
    """Rewrite TF1 source so that its GPU settings hold on every TensorFlow.

    Shows what would change in the files and folders, or in standard input (-). Folders are searched for .py and
    .ipynb, without what .gitignore names and git doesn't track, hidden folders and environments; the end says what was
    left out. Once files are written a second run finds less that is left for a person: --report keeps all of it.

    \b
    --to shim     tf1mem.v1 in place of tensorflow: the smallest change
    --to apply    each config goes through tf1mem.apply, on the way to TF2
    --to native   tf.config calls, where the settings can be read off

    Exit status: 0 nothing to do; 1 something would change or, with --write, is left for a person; 2 something could
    not be read or written. Settings can stand in [tool.tf1mem.codemod] of pyproject.toml or [tf1mem:codemod] of
    setup.cfg.
    """  # noqa: D301 - click wants the character, not an escape of it
    _check_installed()
    if list_rules:
        _print_rules()
        return 0
    if not paths:
        raise click.UsageError("Nothing to rewrite: name files or folders, or - for standard input.")
    if write and check:
        raise click.UsageError("--write with --check: leave one of them out.")
    from tf1mem.codemod.trees import configuration
    from tf1mem.codemod.trees.work import Options

    from_stdin = _STDIN in paths
    if from_stdin and len(paths) > 1:
        raise click.UsageError("Standard input (-) can't be read together with files: run it twice.")
    found = configuration.find([stdin_filename or os.curdir] if from_stdin else paths)
    options = Options(
        to=to or found.to or "shim",
        only=_codes(only) or found.only,
        skip=_codes(skip) or found.skip,
        gpu_memory_mib=gpu_memory_mib or found.gpu_memory_mib,
        write=write,
        diff=not (write or check),
    )
    try:
        options.rewrite(b"", "python")
    except ValueError as error:
        if isinstance(error, Tf1memError):
            raise
        raise click.UsageError(str(error)) from None
    if from_stdin and report:
        raise click.UsageError("--report with standard input (-): name files or folders.")
    if from_stdin:
        return _rewrite_stdin(stdin_filename, options, form)
    from tf1mem.codemod.trees.walk import walk

    exclusions = _exclusions(found, exclude)
    if options.to == "shim" and any(map(os.path.isdir, paths)):
        from tf1mem.codemod.trees.program import is_for_graphs

        options = replace(options, for_graphs=is_for_graphs(walk(paths, exclude=exclusions)))
    found_files = walk(paths, exclude=exclusions, docs=bool(found.docs if docs is None else docs))
    return _rewrite_tree(found_files, options, form, jobs, report)


def _check_installed() -> None:
    if sys.version_info < (3, 10):
        raise Tf1memError(
            "tf1mem codemod",
            "needs Python 3.10 or newer, and this is {}.{}".format(*sys.version_info[:2]),
            "Install it in an environment of its own, with a newer Python: "
            "it reads source of any age and needs no TensorFlow",
        )
    packages = _PACKAGES if sys.version_info >= (3, 11) else (*_PACKAGES, ("tomli", "tomli"))
    for module, package in packages:
        if find_spec(module) is None:
            raise MissingPackageError(
                "tf1mem codemod", f"needs {package}, which isn't installed", "pip install 'tf1mem[codemod]'"
            )


def _codes(given: Sequence[str]) -> tuple[str, ...]:
    return tuple(code for text in given for code in text.replace(",", " ").split())


def _exclusions(found: Configuration, given: Sequence[str]) -> list[Exclusion]:
    from tf1mem.codemod.trees.patterns import Patterns
    from tf1mem.codemod.trees.walk import Exclusion

    made = []
    for folder, patterns, where in (
        (found.folder, found.exclude, "exclude in " + found.file),
        (os.getcwd(), given, "--exclude"),
    ):
        for pattern in patterns:
            read = Patterns([pattern])
            if not read:
                raise ConfigFileError(
                    f"{where} {pattern!r}", "is not a pattern", "Write it as in a .gitignore: made/, *_pb2.py"
                )
            made.append(Exclusion(folder, read))
    return made


def _rewrite_tree(
    found: Iterable[Entry], options: Options, form: str, jobs: int | None, report_path: str | None
) -> int:
    from tf1mem.codemod.trees.formats import Output, writer
    from tf1mem.codemod.trees.outcomes import Tally
    from tf1mem.codemod.trees.work import work

    tally = Tally()
    report = None
    if report_path is not None:
        from tf1mem.codemod.trees.report import Report

        report = Report(report_path, options.to)
    told = writer(form, Output(options.to, options.mode, sys.stdout.buffer, sys.stdout.isatty()))
    with ExitStack() as stack:
        if report is not None:
            # Also where the run is interrupted: what it has written by then, another doesn't find again.
            stack.push(lambda error, *_: report.end(tally, options.mode, whole=error is None))
        progress = _progress(stack, told)
        for outcome in stack.enter_context(closing(work(found, options, jobs=jobs, progress=progress))):
            tally.add(outcome)
            if report is not None:
                report.add(outcome)
            told.add(outcome)
    told.end(tally)
    return tally.status(write=options.write)


def _progress(stack: ExitStack, told: FormatWriter) -> Callable[[int, int | None], None] | None:
    """One bar: above it the report, where both are on the same terminal; none where neither stream is one."""
    console = told.console
    if console is None:
        if sys.stdout.isatty() or not sys.stderr.isatty():
            return None
        from rich.console import Console

        console = Console(stderr=True)
    if not console.is_interactive:
        return None
    from tf1mem.codemod.trees.terminal import progress_bar

    return stack.enter_context(progress_bar(console))


def _rewrite_stdin(name: str | None, options: Options, form: str) -> int:
    from tf1mem.codemod.trees.formats import Output, writer
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
    told = writer(form, Output(options.to, options.mode, stream.buffer, stream.isatty() and not options.write))
    told.add(outcome)
    told.end(tally)
    return tally.status(write=options.write)


def _print_rules() -> None:
    from textwrap import fill

    from tf1mem.codemod.rules import registry

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 80
    for rule in registry():
        head = "{}  {:<19}  ".format(rule.code, ", ".join(rule.to))
        click.echo(fill(rule.summary, width, initial_indent=head, subsequent_indent=" " * len(head)))
