"""``anyhook schema``: JSON Schemas of hook files and their test cases, for editors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from anyhook.cli.options import ClientName
from anyhook.dialects import OWN

_EPILOG = """\b
Examples:
  anyhook schema                           of universal hooks (hooks/hooks.json)
  anyhook schema codex > codex.schema.json
  anyhook schema hook-case                 of test cases (hooks/tests/cases/*.yaml)
  anyhook schema hook-test-config          of hooks/tests/test-config.json
  anyhook schema --all schemas             one file for each of them into a folder

Point your editor at one: in VS Code with "json.schemas" in the settings, elsewhere with a "$schema" key if the
client allows one in the file. For a case, its first line may be: # yaml-language-server: $schema=hook-case.json
"""


class SchemaName(ClientName):
    """A client, whose hook files are meant, or one of the files that tests are made of."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from anyhook.testing.cases.case_schema import SCHEMAS

        return value if value in SCHEMAS else super().convert(value, param, ctx)


@click.command("schema", epilog=_EPILOG)
@click.argument("name", type=SchemaName(), default=OWN)
@click.option("--all", "folder", type=click.Path(path_type=Path), help="Write all schemas here.")
def command(name: str, folder: Path | None) -> None:
    """Print the JSON Schema of the hook files of a client, NAME, or of hook-case or hook-test-config."""
    from anyhook.cli.render import print_json
    from anyhook.dialects import NAMES
    from anyhook.testing.cases.case_schema import SCHEMAS

    if folder is None:
        print_json(_schema(name))
        return
    import json

    folder.mkdir(parents=True, exist_ok=True)
    names = (*NAMES, *SCHEMAS)
    for each in names:
        text = json.dumps(_schema(each), indent=2, ensure_ascii=False) + "\n"
        (folder / f"{each}.json").write_text(text, encoding="utf-8")
    click.echo(f"{len(names)} schemas written to {folder}")


def _schema(name: str) -> dict[str, Any]:
    from anyhook.dialects import dialect
    from anyhook.testing.cases.case_schema import SCHEMAS

    return SCHEMAS[name]() if name in SCHEMAS else dialect(name).schema()
