"""``anyhook new hook``: adds a hook to a client's file, with prompts on a terminal and with options elsewhere."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
from msgspec import structs

from anyhook.cli.guards_file import GuardName
from anyhook.cli.options import (
    Display,
    OneOf,
    client_option,
    complete_event,
    home_option,
    json_option,
    make_roots,
    path_argument,
)
from anyhook.cli.render import console, print_json, print_problems, printable
from anyhook.dialects import profile
from anyhook.editor.draft import GUARD, HERE, Draft, Question, answered, known_event, next_question
from anyhook.editor.external_editor import editor_command, run_editor
from anyhook.editor.new_hook import plan_new_hook
from anyhook.model.problems import UsageError
from anyhook.report.data import problems_data
from anyhook.sources.discover import Roots
from anyhook.sources.editing.file_change import FileChange, apply, diff_lines

_EPILOG = """\b
Examples:
  anyhook new hook                                                          asks for everything
  anyhook new hook -c claude-code -e PreToolUse -m Bash --command ./check.sh
  anyhook new hook -c codex -e Stop --command "make test" --scope user --dry-run
  anyhook new hook -c gemini -e BeforeTool --guard secrets                  a guard that comes with anyhook
  anyhook new hook -c vscode -e Stop --command ./end.sh --file .github/hooks/end.json --edit

\b
Exit status:
  0 written, or shown with --dry-run, 2 nothing written, 130 interrupted

Comments, order and style of the file stay. On a terminal, what is missing is asked for, and the change is shown before
it is written. Elsewhere the event, an action and, if several clients have hooks here, the client must be given.
"""
_ACTIONS = {"--command": "command", "--prompt": "prompt", "--url": "http", "--guard": "guard"}


@click.command("hook", epilog=_EPILOG)
@path_argument
@client_option("The client whose file gets the hook.")
@click.option("--event", "-e", shell_complete=complete_event, help="The event, by any client's name for it.")
@click.option("--matcher", "-m", help="For which tool, source or trigger.  [default: any]")
@click.option("--command", "shell_command", metavar="LINE", help="Run this command.")
@click.option("--prompt", metavar="TEXT", help="Ask a model.")
@click.option("--url", help="Send the event to this URL.")
@click.option("--guard", type=GuardName(), help="Use a guard that comes with anyhook: see anyhook add.")
@click.option("--timeout", metavar="SECONDS", help="Stop the hook after this time.  [default: the client's]")
@click.option("--scope", type=OneOf(["project", "local", "user"]), help="Whose file.  [default: project]")
@click.option("--file", type=click.Path(path_type=Path), help="This file of the client.")
@click.option("--dry-run", is_flag=True, help="Show the change, and write nothing.")
@click.option("--yes", "-y", is_flag=True, help="Write without asking.")
@click.option("--edit", "opens_editor", is_flag=True, help="Open $VISUAL or $EDITOR at the new hook afterwards.")
@home_option
@json_option
def command(
    path: Path,
    client: str | None,
    event: str | None,
    matcher: str | None,
    shell_command: str | None,
    prompt: str | None,
    url: str | None,
    guard: str | None,
    timeout: str | None,
    scope: str | None,
    file: Path | None,
    dry_run: bool,
    yes: bool,
    opens_editor: bool,
    home: Path | None,
    as_json: bool,
) -> int:
    """Add a hook to a client's hook file in PATH, or a guard to the project. No hook is run."""
    roots = make_roots(path, home)
    given = {"--command": shell_command, "--prompt": prompt, "--url": url, "--guard": guard}
    chosen = [(option, value) for option, value in given.items() if value is not None]
    if len(chosen) > 1:
        raise UsageError(f"{chosen[0][0]} and {chosen[1][0]} exclude each other")
    draft = Draft(client=client, matcher=matcher, timeout=timeout)
    is_interactive = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
    show = Display(roots.home)
    try:
        draft = _complete(draft, event, chosen, scope, file, roots, is_interactive=is_interactive)
        change = plan_new_hook(draft, roots)
        if not as_json:
            _print_change(change, show)
        is_written = not dry_run and (yes or not is_interactive or click.confirm("Write this?", default=True))
    except click.Abort:  # Ctrl-C or Ctrl-D at a question
        click.echo("\nnothing written", err=True)
        raise
    if is_written:
        apply(change)
    if as_json:
        _print_json(change, is_written)
    elif is_written:
        click.echo(f"wrote {show.path(change.path)}")
    elif not dry_run:
        click.echo("nothing written")
    if is_written and opens_editor:
        run_editor(editor_command(str(change.path), change.line, os.environ))
    return 0 if is_written or dry_run else 2


def _complete(
    draft: Draft,
    event: str | None,
    chosen: list[tuple[str, str]],
    scope: str | None,
    file: Path | None,
    roots: Roots,
    *,
    is_interactive: bool,
) -> Draft:
    """The draft with an answer to every question: from the options, from the user, or the usual one."""
    while (question := next_question(draft, roots)) is not None:
        value: str | None = None
        match question.field:
            case "event" if event is not None:
                value = known_event(event, draft.client or "")
            case "kind" if chosen:
                option, text = chosen[0]
                kind = _ACTIONS[option]
                value = f"{GUARD} {text}" if kind == GUARD else kind
                if kind != GUARD:
                    draft = structs.replace(draft, text=text)
            case "file" if file is not None:
                value = str(file.absolute())
            case "file" if scope is not None:
                value = _file_of_scope(question, scope, draft)
        is_asked = value is None and is_interactive
        if value is None:
            value = _ask(question) if is_interactive else _usual(question)
        try:
            draft = answered(draft, question, value)
        except UsageError as error:
            if not is_asked:
                raise
            click.echo(printable(str(error)), err=True)
    return draft


def _file_of_scope(question: Question, scope: str, draft: Draft) -> str:

    found = next((choice.value for choice in question.choices if choice.note.split(",")[0] == scope), None)
    if found is None:
        raise UsageError(f"{profile(draft.client or '').title} has no hook file for the scope {scope}")
    return found


def _usual(question: Question) -> str:
    """The answer that needs no user; UsageError: the option that gives it is missing."""
    if question.field in ("matcher", "timeout", "file") and question.choices:
        return question.choices[0].value
    here = [choice.value for choice in question.choices if choice.note == HERE]
    if question.field == "client" and len(here) == 1:
        return here[0]
    options = ", ".join(_ACTIONS) if question.field == "kind" else question.option
    raise UsageError(f"{question.title} Without a terminal, say it with {options}")


def _ask(question: Question) -> str:
    """Ask on the terminal: a number of the list, or a text of its own."""
    click.echo(question.title)
    if question.free and len(question.choices) == 1:  # a number is an answer, not a place in the list
        usual = question.choices[0]
        said: str = click.prompt(f"{question.free} [{usual.label}]", default=usual.value, show_default=False)
        return said
    for number, choice in enumerate(question.choices, 1):
        click.echo(printable(f"  {number:>2}  {choice.label}{f'  ({choice.note})' if choice.note else ''}"))
    if not question.choices:
        typed: str = click.prompt(question.free, default="", show_default=False)
        return typed
    while True:
        answer: str = click.prompt(question.free or "number", default="1")
        if not answer.isdecimal():
            return answer
        if 1 <= int(answer) <= len(question.choices):
            return question.choices[int(answer) - 1].value
        click.echo(f"the numbers are 1 to {len(question.choices)}", err=True)


def _print_change(change: FileChange, show: Display) -> None:

    out = console()
    kind = " (new file)" if change.before is None else ""
    out.print(printable(f"{show.path(change.path)}{kind}: {change.what}"), style="bold")
    for line in diff_lines(change):
        out.print(printable(line), style={"+": "green", "-": "red", "@": "cyan"}.get(line[:1], ""))
    for note in change.notes:
        out.print(printable(f"note: {note}"), style="yellow")
    print_problems(change.problems, show)


def _print_json(change: FileChange, is_written: bool) -> None:

    print_json(
        {
            "file": str(change.path),
            "what": change.what,
            "written": is_written,
            "notes": change.notes,
            "problems": problems_data(change.problems),
            "diff": list(diff_lines(change)),
        }
    )
