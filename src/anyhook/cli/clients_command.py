"""``anyhook clients``: how clients differ, as a table or in full, and the JSON Schemas of hook files."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from typing import Any

import click

from anyhook.cli.options import ClientRelease, json_option
from anyhook.cli.render import Column, console, print_json, table
from anyhook.dialects import NAMES, dialect, profile
from anyhook.dialects.clients import OWN
from anyhook.dialects.events import native_names
from anyhook.dialects.measured import measurements
from anyhook.dialects.profile import Profile
from anyhook.dialects.summary import blocks_on, event_facts, matcher_text, profile_data, rule_fields
from anyhook.guards.catalogue import guards_schema, rules_schema
from anyhook.model.problems import UsageError
from anyhook.model.wording import format_limit
from anyhook.testing.cases.case_schema import SCHEMAS

_EPILOG = """\b
Examples:
  anyhook clients                       one line for each client
  anyhook clients codex                 everything that is known about Codex
  anyhook clients codex@0.147.0 --json  the same of another release
  anyhook clients codex --schema        for Codex's hook file
  anyhook clients --schema              for universal hooks: hooks/hooks.json
  anyhook clients guards --schema       for guards and rules in anyhook.toml
  anyhook clients hook-case --schema    for test cases in hooks/tests

To use a schema in VS Code, add it to "json.schemas" in the settings. Other editors read a "$schema" key, if the client
allows one in the file. In a case, the first line may be: # yaml-language-server: $schema=hook-case.json
"""
_UNITS = {"seconds": "s", "milliseconds": "ms"}


class _Name(ClientRelease):
    """A client, or another file of which there is a schema."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return value if value in other_schemas() else super().convert(value, param, ctx)


@click.command("clients", epilog=_EPILOG)
@click.argument("name", type=_Name(), required=False)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of the client's hook file.")
@json_option
def command(name: str | None, schema: bool, as_json: bool) -> None:
    """Show the clients that anyhook knows and how they differ.

    Facts are "recorded" (seen in the real client of that release), "documented", or "specified" in a document alone.
    With --schema, NAME may also be guards, rules, hook-case or hook-test-config.
    """
    if schema:
        print_json(schema_of(name or OWN))
        return
    if name in other_schemas():
        raise UsageError(f"{name} is no client; to print its schema: anyhook clients {name} --schema")

    profiles = [profile(each) for each in ([name] if name else NAMES)]
    if as_json:
        tables = [profile_data(each) for each in profiles]
        print_json(tables[0] if name else tables)
    elif name:
        _print_profile(profiles[0])
    else:
        _print_overview(profiles)


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of a client's hook file, or of another file that anyhook reads."""
    others = other_schemas()
    return others[name]() if name in others else dialect(name).schema()


def other_schemas() -> Mapping[str, Callable[[], dict[str, Any]]]:
    """The schemas of files that are not a client's hook files."""
    return {**SCHEMAS, "guards": guards_schema, "rules": rules_schema}


def _print_overview(profiles: list[Profile]) -> None:

    columns = (
        Column("CLIENT", "bold cyan"),
        Column("FACTS"),
        Column("EVENTS"),
        Column("MATCHER", flexible=True),
        Column("TIMEOUT"),
        Column("BLOCKS ON", flexible=True),
    )
    table(
        columns,
        [
            (
                facts.name,
                facts.basis,
                str(len({event.name for event in native_names(facts.name).values()})),
                matcher_text(facts),
                f"{_UNITS[facts.timeouts.unit.split()[0]]} {format_limit(facts.timeouts.default_ms, True)}",
                blocks_on(facts),
            )
            for facts in profiles
        ],
    )
    _print_nicknames(profiles)


def _print_nicknames(profiles: list[Profile]) -> None:
    """The shorter names that every option takes, too."""
    names = (f"{nickname} ({facts.name})" for facts in profiles for nickname in facts.nicknames)
    click.echo()
    click.echo(textwrap.fill(f"Other names: {', '.join(names)}.", 80, break_on_hyphens=False))


def _print_profile(facts: Profile) -> None:

    out = console()
    out.print(f"{facts.title} ({facts.name}), {facts.basis}, {facts.release}", style="bold")
    out.print()
    _print_releases(facts)
    out.print("Files, in the order they are used:", style="bold")
    table(
        (Column("SCOPE", "cyan"), "FROM", "FILE", "KIND"),
        [(s.scope, s.root, s.pattern, s.kind + (", shared" if s.shared else "")) for s in facts.sources],
    )
    out.print()
    out.print("Events:", style="bold")
    rows = [
        (" ".join(each.names), each.canonical, each.subject, "yes" if each.blocks else "no", each.effect)
        for each in event_facts(facts)
    ]
    table((Column("NAME", "cyan"), "CANONICAL", "MATCHER SEES", "BLOCKS", Column("EFFECT", flexible=True)), rows)
    out.print()
    out.print("Rules:", style="bold")
    table((Column("FIELD", "cyan"), Column("VALUE", flexible=True)), rule_fields(facts))


def _print_releases(facts: Profile) -> None:
    """The releases that were measured, and what changed in which of them."""
    out = console()
    if measured := measurements(facts.name):
        out.print("Measured:", style="bold")
        rows = [(each.release, each.date or "-", str(each.vectors), str(each.agree)) for each in measured]
        table((Column("RELEASE", "cyan"), "DATE", "VECTORS", "AGREE"), rows)
        out.print()
    if facts.changes:
        out.print("Changes:", style="bold")
        table(
            (Column("SINCE", "cyan"), Column("WHAT", flexible=True)),
            [(change.since, change.what) for change in facts.changes],
        )
        out.print()
