"""``anyhook schema``: JSON Schemas of hook files, for editors."""

from __future__ import annotations

from pathlib import Path

import click

from anyhook.cli.options import ClientName

_EPILOG = """\b
Examples:
  anyhook schema                           of universal hooks (hooks/hooks.json)
  anyhook schema codex > codex.schema.json
  anyhook schema --all schemas             one file for each client into a folder

Point your editor at one: in VS Code with "json.schemas" in the settings, elsewhere with a "$schema" key if the
client allows one in the file.
"""


@click.command("schema", epilog=_EPILOG)
@click.argument("dialect", type=ClientName(), default="universal")
@click.option("--all", "folder", type=click.Path(path_type=Path), help="Write the schemas of all clients here.")
def command(dialect: str, folder: Path | None) -> None:
    """Print the JSON Schema of DIALECT's hook files."""
    from anyhook.cli.render import print_json
    from anyhook.dialects import NAMES
    from anyhook.dialects import dialect as load_dialect

    if folder is None:
        print_json(load_dialect(dialect).schema())
        return
    import json

    folder.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        text = json.dumps(load_dialect(name).schema(), indent=2, ensure_ascii=False) + "\n"
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    click.echo(f"{len(NAMES)} schemas written to {folder}")
