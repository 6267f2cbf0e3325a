"""Texts of a model or a hook that would control the terminal on which anyhook prints them."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from anyhook.model.outcome import Effect
from anyhook.model.safe_json import escape_control_bytes, escape_controls
from anyhook.record.recorded import Happened
from anyhook.record.store.database import JournalDatabase
from tests.bridge.bridging import run_anyhook
from tests.record.store.journals import private, row

CONTROLS = [*map(chr, range(0x7F, 0xA0)), "\u202e", "\u2028", "\u2066"]
HOSTILE = "\x1b]0;x\x07\u009b31m\u0085\u202e ä \U0001f600"


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: f"U+{ord(control):04X}")
def test_json_has_no_raw_control_character_and_means_the_same(control: str) -> None:
    data = {f"ä{control}": [f"€\U0001f600{control}z"]}
    for safe in (escape_control_bytes(msgspec.json.encode(data)).decode(), escape_controls(json.dumps(data))):
        assert json.loads(safe) == data
        assert control not in safe


@pytest.mark.parametrize(
    "words",
    [("log",), ("log", "--json"), ("log", "--export"), ("log", "--export", "csv"), ("log", "--stats", "--json")],
)
def test_what_the_journal_shows_cannot_control_the_terminal(words: tuple[str, ...], tmp_path: Path) -> None:
    with JournalDatabase(private(tmp_path / "state" / "journal")) as database:
        database.add([row(tool=HOSTILE, client=HOSTILE, outcome=Happened(Effect.BLOCK, HOSTILE))])
    shown = run_anyhook(tmp_path, *words, ANYHOOK_STATE_DIR=str(tmp_path / "state"), COLUMNS="400")
    assert shown.returncode == 0, shown.stderr
    text = shown.stdout + shown.stderr
    assert not [sign for sign in text if not sign.isprintable() and sign != "\n"]
    assert "ä" in text
    assert "9b31m" in text


@pytest.mark.parametrize("form", ["--json", "--format=sarif", "--format=github", "--format=junit", "--format=text"])
def test_what_check_reports_cannot_control_the_terminal(form: str, tmp_path: Path) -> None:
    file = tmp_path / ".claude" / "settings.json"
    file.parent.mkdir()
    group = {"matcher": f"({HOSTILE}", "hooks": [{"type": HOSTILE}]}
    file.write_text(json.dumps({"hooks": {f"PreToolUse{HOSTILE}": [group]}}))
    shown = run_anyhook(tmp_path, "check", form)
    assert "9b31m" in shown.stdout
    assert not [sign for sign in shown.stdout if not sign.isprintable() and sign != "\n"]


def test_a_converted_file_cannot_control_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / ".claude" / "settings.json"
    file.parent.mkdir()
    hook = {"type": "command", "command": f"echo {HOSTILE}"}
    file.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}))
    shown = run_anyhook(tmp_path, "deploy", "--source", "claude-code", "--client", "codex", "--native", "--print")
    assert "9b31m" in shown.stdout
    assert not [sign for sign in shown.stdout if not sign.isprintable() and sign != "\n"]


def hostile_project(tmp_path: Path) -> Path:
    """A project whose hooks, rules, cases and fixtures have hostile texts."""
    project = tmp_path / "project"
    hook = {"type": "command", "command": f"echo '{HOSTILE}' >&2; exit 2", "statusMessage": HOSTILE}
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": f"ls {HOSTILE}"}}
    case = {"name": "a", "event": "pre-tool-use", "hook": "all", "input": {"fixture": "fixtures/a.json"}}
    text = json.dumps(HOSTILE.replace("\U0001f600", ""))
    files = {
        ".claude/settings.json": {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}], HOSTILE: []}},
        "hooks/hooks.json": {"version": 1, "hooks": {"pre-tool-use": [{"hooks": [hook]}]}},
        "hooks/tests/fixtures/a.json": event,
        "hooks/tests/cases/a.yaml": {**case, "expected": {"effect": "proceed", "stderr-contains": [HOSTILE]}},
        "anyhook.toml": f'[[rule]]\nname = {text}\nmessage = {text}\nthen = "block"\nwhen.command = "rm"\n',
    }
    for name, content in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(content if isinstance(content, str) else json.dumps(content))
    return project


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("list", "--json"),
        ("explain", "PreToolUse", "--tool", "Bash"),
        ("explain", "PreToolUse", "--tool", "Bash", "--json"),
        ("doctor",),
        ("doctor", "--json"),
        ("trust", "--list"),
        ("trust", "--yes"),
        ("trust", "--yes", "--json"),
        ("check", "--format", "sarif"),
        ("fire", "--client", "claude-code", "-e", "PreToolUse", "-v", "--input", "hooks/tests/fixtures/a.json"),
        ("fire", "--client", "claude-code", "-e", "PreToolUse", "--json", "--input", "hooks/tests/fixtures/a.json"),
        ("test", "-v"),
        ("test", "--json"),
        ("test", "--junit", "/dev/stdout"),
        ("matrix",),
        ("matrix", "--json"),
        ("deploy", "--client", "claude-code", "--native", "--print", "--json"),
        ("deploy", "--client", "codex", "--native", "--dry-run"),
        ("new", "hook", "-c", "claude-code", "-e", "PreToolUse", "--command", "x", "--dry-run"),
    ],
    ids=" ".join,
)
def test_what_a_project_says_cannot_control_the_terminal(words: tuple[str, ...], tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    shown = run_anyhook(hostile_project(tmp_path), *words, ANYHOOK_STATE_DIR=state, COLUMNS="400")
    text = shown.stdout + shown.stderr
    assert "Traceback" not in text
    assert text
    assert not {sign for sign in text if not sign.isprintable() and sign != "\n"}
