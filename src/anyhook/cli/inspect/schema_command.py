"""``anyhook schema``: JSON Schemas of hook files and test cases, for editors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from anyhook.cli.options import ClientName
from anyhook.dialects.clients import OWN
from anyhook.model.problems import UsageError

_EPILOG = """\b
Examples:
  anyhook schema                           for universal hooks (hooks/hooks.json)
  anyhook schema codex > codex.schema.json
  anyhook schema guards                    for guards and rules in anyhook.toml
  anyhook schema hook-case                 for test cases (hooks/tests/cases/*.yaml)
  anyhook schema hook-test-config          for hooks/tests/test-config.json
  anyhook schema --all schemas             write every schema to a folder

To use one in VS Code, add it to "json.schemas" in the settings. Other editors read a "$schema" key, if the client
allows one in the file. In a case, the first line may be: # yaml-language-server: $schema=hook-case.json
"""


class SchemaName(ClientName):
    """A client, for its hook files, or another file that anyhook reads."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return value if value in _others() else super().convert(value, param, ctx)


@click.command("schema", epilog=_EPILOG)
@click.argument("name", type=SchemaName(), default=OWN)
@click.option("--all", "folder", type=click.Path(path_type=Path), help="Write all schemas to this folder.")
def command(name: str, folder: Path | None) -> None:
    """Print the JSON Schema of a hook file. NAME is a client, guards, rules, hook-case or hook-test-config."""
    from anyhook.cli.render import print_json
    from anyhook.dialects import NAMES

    if folder is None:
        print_json(_schema(name))
        return
    import json

    names = (*NAMES, *_others())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for each in names:
            text = json.dumps(_schema(each), indent=2, ensure_ascii=False) + "\n"
            (folder / f"{each}.json").write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{error.filename or folder}: {error.strerror}; name a folder that can be written") from None
    click.echo(f"{len(names)} schemas written to {folder}")


def _schema(name: str) -> dict[str, Any]:
    from anyhook.dialects import dialect

    others = _others()
    return others[name]() if name in others else dialect(name).schema()


def _others() -> Mapping[str, Callable[[], dict[str, Any]]]:
    """The schemas of files that are not a client's hook files."""
    from anyhook.guards.catalogue import guards_schema, rules_schema
    from anyhook.testing.cases.case_schema import SCHEMAS

    return {**SCHEMAS, "guards": guards_schema, "rules": rules_schema}
