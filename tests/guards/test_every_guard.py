"""Every guard of the registry has what a user needs: settings, exceptions, words for the agent, a page, its limits."""

from __future__ import annotations

import time
from importlib import import_module
from pathlib import Path

import jsonschema
import pytest

from anyhook.guards.call import GuardCall, is_excepted
from anyhook.guards.catalogue import GUARDS, GuardInfo, detected_commands, guards_schema
from anyhook.guards.options import LEVELS, levels_of, usable_settings
from anyhook.model.payload import SessionStart
from tests.checkout import ROOT
from tests.guards.cases import bash, said

REFUSING = {"shell", "files", "secrets", "network", "budget"}
EVERY = [pytest.param(guard, id=name) for name, guard in GUARDS.items()]


@pytest.mark.parametrize("guard", EVERY)
def test_levels(guard: GuardInfo) -> None:
    levels = levels_of(guard.options)
    assert levels == (LEVELS if guard.name in REFUSING else ("on", "off"))
    assert guard.fails_closed is (guard.name in REFUSING)
    for level in levels:
        assert usable_settings(guard.options, {"level": level})[1] == ()


@pytest.mark.parametrize("guard", EVERY)
def test_settings_have_a_schema_and_a_meaning(guard: GuardInfo) -> None:
    assert all(option.help for option in guard.options)
    good = {"exceptions": [{"clients": ["codex"], "paths": ["docs/**"]}]}
    jsonschema.validate({"guards": {guard.name: good}}, guards_schema())
    assert usable_settings(guard.options, good) == (good, ())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"guards": {guard.name: {"no-such-setting": 1}}}, guards_schema())


@pytest.mark.parametrize("guard", EVERY)
def test_a_guard_that_refuses_takes_words_for_the_agent(guard: GuardInfo) -> None:
    has_message = any(option.name == "message" for option in guard.options)
    assert has_message is (guard.name in {*REFUSING, "tests"})


@pytest.mark.parametrize("guard", EVERY)
def test_its_page_names_every_setting_and_what_it_cannot_see(guard: GuardInfo) -> None:
    page = ROOT / "docs" / "guards" / f"{guard.name}.md"
    text = (page if page.exists() else ROOT / "docs" / "guards.md").read_text()
    assert f"anyhook add {guard.name}" in text
    assert "**What it cannot see**" in text
    assert guard.cannot_see
    missing = [option.name for option in guard.options if option.name not in text]
    assert missing == []
    assert not page.exists() or f"guards/{guard.name}.md" in (ROOT / "docs" / "guards.md").read_text()


@pytest.mark.parametrize("guard", EVERY)
def test_it_is_played_as_every_client(guard: GuardInfo) -> None:
    played = import_module("tests.guards.test_as_every_client").PLAYED
    assert guard.name in played


@pytest.mark.parametrize(
    ("exception", "expected"),
    [
        ({"clients": ["codex"]}, True),
        ({"clients": ["claude"]}, False),
        ({"paths": ["vendor/**"]}, True),
        ({"paths": ["docs/**"]}, False),
        ({"paths": ["vendor/**"], "clients": ["claude"]}, False),
        ({"clients": ["codex"], "level": "warn"}, False),
    ],
)
def test_exceptions_of_guards_that_refuse_nothing(exception: dict[str, object], expected: bool) -> None:
    event = SessionStart(session_id="s", cwd="vendor/x")
    assert is_excepted(GuardCall(event=event, settings={"exceptions": [exception]}, client="codex")) is expected
    assert (
        is_excepted(GuardCall(event=event, settings={"exceptions": [exception]}, client="codex"), "vendor/a")
        is expected
    )


KINDS = {
    "shell": {("PreToolUse", kind) for kind in ("shell", "edit", "fetch", "mcp")},
    "files": {("PreToolUse", "edit"), ("PreToolUse", "shell")},
    "secrets": {("PreToolUse", kind) for kind in ("edit", "shell", "read", "fetch", "mcp")},
    "network": {("PreToolUse", "shell"), ("PreToolUse", "fetch")},
    "format": {("PostToolUse", "edit")},
}


@pytest.mark.parametrize("name", KINDS)
def test_kinds_of_tools_that_a_guard_is_asked_about(name: str) -> None:
    assert {(asked.event, kind) for asked in GUARDS[name].events for kind in asked.kinds} == KINDS[name]


def test_the_guard_of_checks_names_what_it_would_run(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module shop\n")
    assert any(command.endswith("(go.mod)") for command in detected_commands("tests", tmp_path))
    assert detected_commands("shell", tmp_path) == ()


ASKED = [name for name, guard in GUARDS.items() if any("shell" in asked.kinds for asked in guard.events)]


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("padding", ["# {}", "{}; ", "'{}' "], ids=["comment", "words", "argument"])
def test_a_megabyte_neither_hangs_nor_passes(name: str, padding: str) -> None:
    line = "rm -rf ~ " + padding.format("x " * 500_000)
    began = time.process_time()
    told = said(name, bash(line))
    assert time.process_time() - began < 30
    assert (name != "shell") or "too long to be read" in told
