"""``anyhook convert``: writes a hook file for another client, and shows what is lost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anyhook.cli.options import ClientName, Display, count, json_option
from anyhook.model.problems import UsageError

if TYPE_CHECKING:
    from anyhook.deploy.convert.convert import Converted
    from anyhook.model.hooks import HookSet

_EPILOG = """\b
Examples:
  anyhook convert .claude/settings.json --to codex               print Codex's file; what is lost goes to stderr
  anyhook convert .claude/settings.json --to gemini --strict -o .gemini/settings.json
  anyhook convert hooks/hooks.json --to cursor --json            the file and the losses as JSON

\b
Exit status:
  0 converted, 1 a guard would no longer block (with --strict, nothing is written) or no hook would be left (nothing is
  written), 2 could not convert

No hook is run. Only the file is translated. The report says where the other client would not understand what a hook
prints.
"""


@click.command("convert", epilog=_EPILOG)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--from", "source", type=ClientName(), help="The client FILE was written for.  [default: recognised]")
@click.option("--to", "target", type=ClientName(), required=True, help="The client to write for.")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to this file, not to stdout.")
@click.option("--strict", is_flag=True, help="Write nothing when a guard would be lost.")
@click.option("--force", is_flag=True, help="Replace the content of the output file.")
@json_option
def command(
    file: Path, source: str | None, target: str, output: Path | None, strict: bool, force: bool, as_json: bool
) -> int:
    """Write the hooks of FILE for another client, and show what is lost.

    A loss is an error when a guard would no longer block, a warning when a hook does less or runs in other cases, and a
    note when the difference is small.
    """
    from anyhook.deploy.convert.convert import convert_hooks
    from anyhook.dialects import dialect, profile

    hooks = _hooks_of(file, source)
    converted = convert_hooks(hooks.rules, profile(hooks.dialect), profile(target))
    content = dialect(target).write(converted.rules)
    is_refused = not converted.rules or (strict and converted.loses_a_guard)
    if output is not None and not is_refused:
        _write(output, content, force=force)
    if as_json:
        from anyhook.cli.render import print_json

        written = str(output) if output is not None and not is_refused else None
        losses = converted.losses
        print_json({"from": hooks.dialect, "to": target, "written": written, "content": content, "losses": losses})
    else:
        if output is None and not is_refused:
            click.echo(_as_text(content, ".json"), nl=False)
        _print_report(hooks, target, converted, is_refused=is_refused)
    return 1 if converted.loses_a_guard or not converted.rules else 0


def _hooks_of(file: Path, source: str | None) -> HookSet:
    """The hooks of a file as the client SOURCE reads them; by default, the client that it was written for."""
    from anyhook.sources.inventory import hooks_of_file
    from anyhook.sources.load import Loader

    if not file.exists():
        raise UsageError(f"{file}: this file does not exist")
    if file.is_dir():
        raise UsageError(f"{file}: this is a folder; name a hook file in it")
    read = hooks_of_file(file.absolute(), source, Loader())
    if not read:
        raise UsageError(f"{file}: no client is known to read hooks from this file; name one: --from CLIENT")
    hooks = read[0].hooks
    if not hooks.rules:
        raise UsageError(f"{file}: {hooks.problems[0].text if hooks.problems else 'there is no hook in this file'}")
    return hooks


def _write(path: Path, content: dict[str, Any], *, force: bool) -> None:
    from anyhook.sources.editing.replace_file import replace_file

    text = _as_text(content, path.suffix)
    try:
        if path.exists() and not force and path.read_text(encoding="utf-8", errors="replace") != text:
            raise UsageError(f"{path}: this file has other content; --force replaces all of it")
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text.encode())
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def _as_text(content: dict[str, Any], suffix: str) -> str:
    if suffix == ".toml":
        import tomlkit

        return tomlkit.dumps(content)
    import json

    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _print_report(hooks: HookSet, target: str, converted: Converted, *, is_refused: bool) -> None:
    import sys

    from anyhook.cli.loss_report import print_losses
    from anyhook.cli.render import console, printable
    from anyhook.dialects import profile
    from anyhook.model.codes import Severity

    out = console(sys.stderr)
    print_losses(out, converted.losses, Display(Path.home()))
    counts = [(sum(loss.severity is severity for loss in converted.losses), severity) for severity in Severity]
    found = ", ".join(count(number, severity) for number, severity in counts if number) or "nothing is lost"
    number = count(sum(len(rule.actions) for rule in converted.rules), "hook")
    why = "a guard would be lost" if converted.rules else "no hook would be left"
    outcome = f"not written, because {why}" if is_refused else number
    out.print(printable(f"{profile(hooks.dialect).title} to {profile(target).title}: {outcome}; {found}."))
