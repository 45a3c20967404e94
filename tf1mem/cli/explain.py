"""`tf1mem explain`: explains a code that tf1mem's output contains, such as TFM402."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from textwrap import indent, wrap
from typing import TYPE_CHECKING, Iterator

import click
from click.shell_completion import CompletionItem

import tf1mem
from tf1mem.cli import colors, output_options
from tf1mem.cli.widths import columns
from tf1mem.errors import meant

if TYPE_CHECKING:
    from tf1mem.doctor.explaining import Explanation, ShownExample

_RULES = "TFM"  # the prefix of the codemod's codes
_MISSING = "The codemod's rules are missing here: they need Python 3.10 and tf1mem[cli]"


def _known() -> list[Explanation]:
    """Returns the explanations of all codes, without those of the codemod's rules if the codemod isn't installed."""
    from tf1mem.checking.kinds import kinds
    from tf1mem.doctor import explaining

    rules = explaining.of_rules() if _has_codemod() else ()
    return [*rules, *explaining.of_findings(), *explaining.of_kinds(kinds())]


def _completed(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Returns the codes that begin with the typed text; also the names of rules, once something is typed."""
    known, begun = _known(), incomplete.lower()
    codes = [(it.code, it.summary) for it in known] + [(it.name, it.summary) for it in known if it.name and begun]
    return [CompletionItem(code, help=summary) for code, summary in codes if code.lower().startswith(begun)]


@click.command(epilog="Example: tf1mem explain TFM402")
@click.option("--list", "listed", is_flag=True, help="List all codes.")
@output_options.formats("text", "json")
@output_options.quiet("A line for each code, as in the list.")
@output_options.verbose("Show all examples.")
@colors.option
@click.argument("codes", nargs=-1, metavar="CODE...", shell_complete=_completed)
def command(*, listed: bool, form: str, quiet: bool, verbose: bool, codes: tuple[str, ...]) -> None:
    """Explain what a code means, and what to do about it.

    The codemod's rules and remarks are TFM001 and up, and have names: growth-and-limit is TFM402. What the doctor finds
    is TFD101 and up, and what check finds TFC102 and up.
    """
    from tf1mem.doctor import explaining

    output_options.check_amount(quiet, verbose)
    if not codes and not listed:
        raise click.UsageError("Nothing to explain: name a code, such as TFM402, or list them with --list.")
    if any(code.upper().startswith(_RULES) for code in codes):
        from tf1mem.cli.codemod import check_installed

        check_installed("tf1mem explain of the codemod's rules")
    known = _known()
    chosen = known if listed else [_find(code, known) for code in codes]
    briefly = listed or (quiet and form == "text")
    shown: dict[str, tuple[ShownExample, ...]] = {}
    if _has_codemod() and not briefly:
        shown = {it.code: explaining.examples(it.code, everything=verbose) for it in chosen}
    if form == "json":
        explained = [explaining.as_dict(it, shown.get(it.code, ())) for it in chosen]
        head = {"schema": explaining.SCHEMA, "tf1mem": tf1mem.__version__}
        click.echo(json.dumps({**head, "codes": explained}, indent=2))
        return
    coloured = colors.wanted(sys.stdout)
    width = min(columns(sys.stdout), 100)
    for number, it in enumerate(chosen):
        lines = _line(it, width) if briefly else _page(it, shown.get(it.code, ()), width)
        click.echo("\n" * (number > 0 and not briefly) + "\n".join(lines), color=coloured)
    if listed and not _has_codemod():
        click.echo(_MISSING, err=True)


def _has_codemod() -> bool:
    return sys.version_info >= (3, 10) and find_spec("tree_sitter") is not None


def _find(word: str, known: list[Explanation]) -> Explanation:
    for it in known:
        if word.upper() == it.code or (it.name and word.lower() == it.name):
            return it
    words = [it.code for it in known] + [it.name for it in known if it.name]
    hint = meant(word.upper(), words) or meant(word.lower(), words)
    missing = "" if _has_codemod() else f"{_MISSING}."
    message = f"There is no code {word!r}. {hint} tf1mem explain --list lists them. {missing}"
    raise click.UsageError(" ".join(message.split()))


def _line(it: Explanation, width: int) -> list[str]:
    head = click.style(f"{it.code}  ", bold=True)
    name = f"{it.name}: " if it.name else ""
    first_line, *more_lines = wrap(name + it.summary, width - 8, break_on_hyphens=False)
    return [head + first_line, *(" " * 8 + line for line in more_lines)]


def _page(it: Explanation, shown: tuple[ShownExample, ...], width: int) -> Iterator[str]:
    yield click.style(f"{it.code}  {it.name}".rstrip(), bold=True)
    for paragraph in (it.summary, *it.why):
        yield from ("", *wrap(paragraph, width, break_on_hyphens=False))
    yield from ("", click.style("What to do", bold=True))
    for paragraph in it.remedy:
        yield from wrap(paragraph, width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    for example in shown:
        yield from _example(example, width)


def _example(example: ShownExample, width: int) -> Iterator[str]:
    yield from ("", click.style("Example", bold=True))
    yield indent(example.before.rstrip("\n"), "    ")
    if example.after is not None:
        yield click.style(f"  becomes, --to {example.to}", bold=True)
        yield indent(example.after.rstrip("\n"), "    ")
    for remark in example.remarks:
        yield from wrap(remark, width, initial_indent="  > ", subsequent_indent="    ", break_on_hyphens=False)
