"""`tf1mem check`: will an old program run?"""

from __future__ import annotations

import sys
from contextlib import closing
from typing import TYPE_CHECKING, Iterable

import click

from tf1mem.cli import colors
from tf1mem.cli.completion import files
from tf1mem.cli.widths import columns
from tf1mem.errors import BAD_INPUT

if TYPE_CHECKING:
    from tf1mem.checking.here import Here
    from tf1mem.checking.verdict import Checked

_STOPPED = 1
_FORMATS = ("text", "json", "github", "sarif")


@click.command(epilog="Example: tf1mem check train.py ~/repositories/*")
@click.option(
    "--format", "form", type=click.Choice(_FORMATS), default="text", metavar="FORMAT",
    help="Output format: {}; text. JSON has a line for each path.".format(", ".join(_FORMATS)),
)  # fmt: skip
@click.option("--exclude", multiple=True, metavar="GLOB", help="Leave out paths that match, as in a .gitignore.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Worker processes; one for each core.")
@click.option("-v", "--verbose", is_flag=True, help="Name each finding, each repair and each setting.")
@colors.option
@click.argument("paths", nargs=-1, metavar="PATH...", shell_complete=files)
def command(
    *, form: str, exclude: tuple[str, ...], jobs: int | None, verbose: bool, color: str, paths: tuple[str, ...]
) -> int:
    """Say whether old programs would run here by tf1mem run, and what stops them. Runs nothing.

    Each path is a script, which is read with the files that it imports, or a folder, which is a repository: its
    programs are found. They are checked against this Python and its packages: syntax, missing modules, names that
    TensorFlow and other libraries removed, C++ ops. The output also shows what tf1mem run repairs, and how GPU
    settings are made.

    Exit status: 0 nothing would stop any of them; 1 something would; 2 a path or a file could not be read.
    """
    from tf1mem.cli.codemod import check_installed, exclusions

    check_installed("tf1mem check")
    if not paths:
        raise click.UsageError("Nothing to check: name scripts or folders.")
    from tf1mem.checking.here import here
    from tf1mem.checking.trees import check
    from tf1mem.codemod.trees.workers import cores

    environment = here()
    found = check(paths, environment, jobs=jobs or cores(), exclude=exclusions(exclude))
    with closing(found):
        return _tell(found, environment, form, verbose, color)


def _tell(found: Iterable[Checked], environment: Here, form: str, verbose: bool, color: str) -> int:
    from tf1mem.checking.report import as_github, as_json, as_sarif, page
    from tf1mem.doctor.report.layout import plain

    if form == "json":
        status = 0
        for one in found:
            click.echo(as_json.line(one, environment))
            status = max(status, _status(one))
        return status
    every = list(found)
    status = max(map(_status, every))
    if form == "sarif":
        click.echo(as_sarif.document(every, status), nl=False)
    elif form == "github":
        for line in as_github.lines(every):
            click.echo(line)
    else:
        coloured = colors.wanted(color, sys.stdout)
        width = max(columns(sys.stdout), 60)
        click.echo(
            page.page(every, environment, width, colors.paint if coloured else plain, everything=verbose),
            color=coloured,
        )
    return status


def _status(one: Checked) -> int:
    from tf1mem.checking.verdict import STOPS

    if one.problems:
        return BAD_INPUT
    return _STOPPED if one.verdict == STOPS else 0
