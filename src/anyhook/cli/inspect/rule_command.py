"""``anyhook rule``: what a rule of the linter means, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_EPILOG = """\b
Examples:
  anyhook rule                     every rule, one line each
  anyhook rule M006                what M006 means, an example, and the remedy
  anyhook rule tool-never-seen     the same, by its name
"""


def _complete(_context: click.Context, _parameter: click.Parameter, start: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from anyhook.model.codes import CODES

    begins = start.upper()
    codes = [CompletionItem(code, help=known.summary) for code, known in CODES.items() if code.startswith(begins)]
    names = [known for known in CODES.values() if start and known.name.startswith(start.lower())]
    return [*codes, *(CompletionItem(known.name, help=known.summary) for known in names)]


@click.command("rule", epilog=_EPILOG)
@click.argument("name", required=False, shell_complete=_complete)
def command(name: str | None) -> None:
    """Explain a rule of the linter. NAME is its code or its name."""
    from anyhook.model.codes import CODES

    if name is None:
        for known in CODES.values():
            click.echo(f"{known.code}  {known.severity.value:<7}  {known.summary}")
        return
    from anyhook.lint.catalogue import page_text

    click.echo(page_text(_code(name)), nl=False)


def _code(name: str) -> str:
    from anyhook.model.codes import CODES
    from anyhook.model.problems import UsageError
    from anyhook.model.wording import close_matches, join_or

    names = {known.name: code for code, known in CODES.items()}
    code = names.get(name.lower(), name.upper())
    if code not in CODES:
        close = close_matches(name.upper(), CODES, limit=3) or close_matches(name.lower(), names, limit=3)
        hint = f"; did you mean {join_or(close)}?" if close else "; anyhook rule lists all rules"
        raise UsageError(f"there is no rule {name!r}{hint}")
    return code
