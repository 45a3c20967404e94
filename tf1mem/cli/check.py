"""`tf1mem check`: says whether old programs would run here."""

from __future__ import annotations

import sys
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Iterable

import click

from tf1mem.cli import colors, exits, output_options
from tf1mem.cli.completion import files
from tf1mem.cli.widths import columns
from tf1mem.errors import BAD_INPUT, FINDINGS, SourceFileError

if TYPE_CHECKING:
    from tf1mem.checking.here import Here
    from tf1mem.checking.verdict import Checked


@click.command(epilog="Example: tf1mem check train.py ~/repositories/*")
@output_options.formats("text", "json", "github", "sarif", more="JSON has a line for each path.")
@click.option("--html", metavar="FILE", shell_complete=files, help="Write programs and findings as an HTML page.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Leave out paths that match, as in a .gitignore.")
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Number of worker processes (default: one for each core)."
)
@click.option("--no-cache", is_flag=True, help="Look into files again that an earlier check has read.")
@output_options.quiet("Print only what stops them, and no table.")
@output_options.verbose("Name each finding, each repair and each setting.")
@colors.option
@click.argument("paths", nargs=-1, metavar="PATH...", shell_complete=files)
@exits.documented("check")
def command(
    *,
    form: str,
    html: str | None,
    exclude: tuple[str, ...],
    jobs: int | None,
    no_cache: bool,
    quiet: bool,
    verbose: bool,
    paths: tuple[str, ...],
) -> int:
    """Say whether old programs would run here by tf1mem run, and what stops them. Runs nothing.

    Each path is a script, which is read with the files that it imports, or a folder, which is a repository: its
    programs are found, and its tests, which are counted apart. They are checked against this Python and its packages:
    syntax, missing modules, names that TensorFlow and other libraries removed, C++ ops. The output also shows what
    tf1mem run repairs, and how GPU settings are made.
    """
    output_options.check_amount(quiet, verbose)
    from tf1mem.cli.codemod import check_installed, exclusions

    check_installed("tf1mem check")
    if not paths:
        raise click.UsageError("Nothing to check: name scripts or folders.")
    if html is not None:
        output_options.check_writable("--html", html, SourceFileError)
    from tf1mem.checking.here import here
    from tf1mem.checking.remembered import Remembered, remembered
    from tf1mem.checking.trees import check
    from tf1mem.codemod.trees.workers import cores

    environment = here()
    known = Remembered() if no_cache else remembered(environment)
    results = check(paths, environment, jobs=jobs or cores(), exclude=exclusions(exclude), known=known)
    with ExitStack() as stack:
        stack.callback(known.save)  # also if the run is interrupted
        stack.enter_context(closing(results))
        checked: Iterable[Checked] = results
        if html is not None:
            from tf1mem.checking.report.as_html import document

            checked = every = list(results)
            output_options.write("--html", html, document(every, environment), SourceFileError)
        return _print_report(checked, environment, form, verbose - quiet)


def _print_report(results: Iterable[Checked], environment: Here, form: str, verbosity: int) -> int:
    """Prints the results in a form, "json" one by one as they arrive; returns the exit status of all of them."""
    from tf1mem.checking.report import as_github, as_json, as_sarif, page
    from tf1mem.doctor.report.layout import plain

    if form == "json":
        status = 0
        for result in results:
            click.echo(as_json.line(result, environment))
            status = max(status, _status(result))
        return status
    every = list(results)
    status = max(map(_status, every))
    if form == "sarif":
        click.echo(as_sarif.document(every, status), nl=False)
    elif form == "github":
        for line in as_github.lines(every):
            click.echo(line)
    else:
        width, coloured = max(columns(sys.stdout), 60), colors.wanted(sys.stdout)
        paint = colors.paint if coloured else plain
        text = page.page(every, environment, width, paint, verbosity=verbosity)
        click.echo(text, color=coloured, nl=bool(text))
    return status


def _status(result: Checked) -> int:
    """Returns the exit status for one path; the largest of several is the command's."""
    from tf1mem.checking.verdict import SOME_STOP, STOPS

    if result.problems:
        return BAD_INPUT
    return FINDINGS if result.verdict in (STOPS, SOME_STOP) else 0
