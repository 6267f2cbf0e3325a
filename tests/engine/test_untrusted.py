"""A host that embeds the engine: no guard is lost without a word because nobody has approved it."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from anyhook import Engine, PreToolUse, load
from anyhook.model.hooks import FateState
from anyhook.model.outcome import Effect
from anyhook.model.problems import AnyhookError
from tests.approving import approve

CALL = PreToolUse(tool_name="Bash", tool_input={"command": "ls"})


def project(folder: Path, event: str = "PreToolUse") -> Path:
    group = {"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}
    (folder / ".claude").mkdir(parents=True)
    (folder / ".claude/settings.json").write_text(json.dumps({"hooks": {event: [group]}}))
    return folder


def test_an_untrusted_guard_is_named_when_the_engine_is_made(tmp_path: Path) -> None:
    hooks = load(project(tmp_path / "p"), "claude-code")
    assert [action.fate.state for rule in hooks.rules for action in rule.actions] == [FateState.UNTRUSTED]
    with pytest.raises(AnyhookError, match=r"settings\.json:1: echo no .*not trusted yet.*anyhook trust"):
        Engine(hooks)


def test_a_host_can_leave_it_out_and_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "anyhook"):
        engine = Engine(load(project(tmp_path / "p"), "claude-code"), trust="skip")
        outcomes = [engine.fire_sync(CALL) for _ in range(2)]
    assert [outcome.effect for outcome in outcomes] == [Effect.PROCEED] * 2
    assert [record.message.split(": ", 1)[1] for record in caplog.records] == ["a hook does not run: not trusted yet"]


def test_a_host_that_has_asked_its_user_runs_all(tmp_path: Path) -> None:
    engine = Engine(load(project(tmp_path / "p"), "claude-code"), trust="all")
    assert engine.fire_sync(CALL).effect is Effect.BLOCK


def test_what_a_person_approved_runs_until_it_changes(tmp_path: Path) -> None:
    folder = approve(project(tmp_path / "p"))
    assert Engine(load(folder, "claude-code")).fire_sync(CALL).effect is Effect.BLOCK
    settings = folder / ".claude/settings.json"
    settings.write_text(settings.read_text().replace("echo no", "echo nothing"))
    with pytest.raises(AnyhookError, match="changed since it was trusted"):
        Engine(load(folder, "claude-code"))


def test_a_hook_that_can_block_nothing_stops_no_host(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    Engine(load(project(tmp_path / "p", "SessionEnd"), "claude-code"))
    assert "a hook does not run: not trusted yet" in caplog.text


def test_the_users_own_hooks_need_no_trust(tmp_path: Path) -> None:
    home = project(tmp_path / "home")
    (tmp_path / "p").mkdir()
    assert Engine(load(tmp_path / "p", "claude-code", home=home)).fire_sync(CALL).effect is Effect.BLOCK
