"""Profiles are complete, and the documents name the right fields."""

from __future__ import annotations

import re
import typing
from importlib import import_module

import msgspec
import pytest

from anyhook.dialects import NAMES, all_profiles, dialect, find_client, nicknames, profile, real_clients
from anyhook.dialects.events import native_names
from anyhook.dialects.profile import Profile, Timeouts, Unit
from anyhook.model.events import BY_NAME
from tests.checkout import ROOT


def conflict_rows() -> dict[int, list[str]]:
    text = (ROOT / "docs/dialects.md").read_text()
    rows = re.findall(r"^\| (\d+) \| [^|]+ \| ([^|]+) \|$", text, re.MULTILINE)
    return {int(number): re.findall(r"`([^`]+)`", fields) for number, fields in rows}


def test_every_conflict_of_the_seeds_has_a_field() -> None:
    rows = conflict_rows()
    assert sorted(rows) == list(range(1, 39))
    for fields in rows.values():
        for field in fields:
            resolve(field)


def resolve(path: str) -> None:
    """A path is a field of the profile, or a name in a module."""
    first, _, rest = path.partition(".")
    if first in {"model", "dialects"}:
        module, _, name = f"anyhook.{path}".rpartition(".")
        assert hasattr(import_module(module), name), path
        return
    hints = typing.get_type_hints(Profile)
    assert first in hints, path
    if rest:
        assert rest in {field.name for field in msgspec.structs.fields(hints[first])}, path


@pytest.mark.parametrize("name", NAMES)
def test_a_profile_is_about_events_that_exist(name: str) -> None:
    facts = profile(name)
    assert facts.name == name
    assert native_names(name)
    for table in (facts.matching.on, facts.matching.subjects, facts.matching.values, facts.types_on, facts.effects):
        assert table.keys() <= BY_NAME.keys()
    for events in (facts.cannot_block, facts.can_block_too, facts.exits.ignored_on):
        assert events <= BY_NAME.keys()


@pytest.mark.parametrize("name", NAMES)
def test_a_dialect_offers_the_whole_protocol(name: str) -> None:
    loaded = dialect(name)
    assert loaded.write(()) is not None
    assert loaded.schema()["$schema"]


def test_all_required_dialects_are_there() -> None:
    assert NAMES[:5] == tuple(known.name for known in all_profiles() if known.basis == "recorded")
    assert {"cursor", "windsurf", "factory-droid", "kiro", "openhands"} <= {known.name for known in real_clients()}
    assert {known.name for known in all_profiles() if known.basis == "specified"} == {
        "universal", "open-plugins", "agent-sdk", "code-agent",
    }  # fmt: skip
    assert nicknames().keys().isdisjoint(NAMES)
    assert (find_client("Claude"), find_client("CODEX"), find_client("nobody")) == ("claude-code", "codex", None)
    with pytest.raises(KeyError):
        dialect("nobody")


@pytest.mark.parametrize(
    ("unit", "value", "milliseconds"),
    [
        (Unit.SECONDS, 0.5, 500),
        (Unit.SECONDS, 30, 30_000),
        (Unit.MILLISECONDS, 30, 30),
        (Unit.EITHER, 10, 10_000),
        (Unit.EITHER, 1000, 1000),
    ],
)
def test_timeouts_are_kept_in_milliseconds(unit: Unit, value: float, milliseconds: int) -> None:
    assert Timeouts(unit=unit).to_ms(value, "command") == milliseconds


@pytest.mark.parametrize("unit", Unit)
def test_timeouts_are_written_in_the_clients_unit(unit: Unit) -> None:
    timeouts = Timeouts(unit=unit)
    for milliseconds in (1, 500, 1000, 1500, 60_000, 999_000, 1_000_000, 3_600_000):
        assert timeouts.to_ms(timeouts.from_ms(milliseconds, "command"), "command") == milliseconds


def test_limits_apply_to_what_was_asked() -> None:
    codex = profile("codex").timeouts
    assert codex.effective_ms(None, "command", "PreToolUse") == 600_000
    assert codex.effective_ms(None, "command", "SessionEnd") == 1_000
    assert codex.effective_ms(60_000, "command", "SessionEnd") == 3_000
