"""Hooks that cannot block, block by the wrong status, or answer too late."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyhook.dialects import profile
from anyhook.dialects.summary import blocks_on
from anyhook.model.codes import Severity
from tests.lint.projects import PLACES, check, codes, found, groups, guard, hook


def test_a_guard_that_always_succeeds(tmp_path: Path) -> None:
    (problem,) = found(tmp_path, guard("claude-code", "guard || true"), "A001")
    assert problem.severity is Severity.NOTE
    assert "'|| true'" in problem.text
    assert found(tmp_path, guard("claude-code", "guard"), "A001") == []
    assert found(tmp_path, {PLACES["claude-code"]: groups("Stop", hook("log || true"))}, "A001") == []


GATE = "if grep -q rm; then echo 'BLOCKED: no rm' >&2; exit 1; fi"


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini-cli", "qwen-code", "cursor", "windsurf"])
def test_one_does_not_block(client: str, tmp_path: Path) -> None:
    assert len(found(tmp_path, guard(client, GATE), "A002")) == 1


@pytest.mark.parametrize(
    ("client", "status"),
    [("claude-code", "exit 2"), ("codex", "exit 2 with stderr"), ("gemini-cli", "exit >1 with text")],
)
def test_what_blocks_is_what_dialects_says(client: str, status: str, tmp_path: Path) -> None:
    assert blocks_on(profile(client)) == status
    (inline,) = found(tmp_path / "a", guard(client, GATE), "A002")
    (script,) = found(tmp_path / "b", {**guard(client, "sh guard.sh"), "guard.sh": GATE.replace("; ", "\n")}, "A002")
    for problem in (inline, script):
        assert f"only {status} blocks" in problem.text


def test_one_blocks_in_copilot(tmp_path: Path) -> None:
    assert found(tmp_path, guard("copilot-cli", GATE), "A002") == []


@pytest.mark.parametrize(
    "command",
    [
        GATE.replace("exit 1", "exit 2"),
        "test -f x || exit 1",
        "node -e 'if (bad) { console.error(\"blocked\"); process.exit(2) } else process.exit(1)'",
        """echo '{"decision": "block"}'; exit 1""",
    ],
)
def test_no_gate_with_one(command: str, tmp_path: Path) -> None:
    assert found(tmp_path, guard("claude-code", command), "A002") == []


def test_failing_closed_makes_one_block(tmp_path: Path) -> None:
    assert found(tmp_path / "a", guard("cursor", GATE, failClosed=True), "A002") == []
    assert found(tmp_path / "b", guard("claude-code", GATE, onFailure="block"), "A002") == []


def test_a_background_hook_cannot_decide(tmp_path: Path) -> None:
    (problem,) = found(tmp_path / "a", guard("claude-code", "guard", **{"async": True}), "A003")
    assert problem.severity is Severity.WARNING
    (problem,) = found(tmp_path / "b", {PLACES["claude-code"]: groups("Stop", hook("x", **{"async": True}))}, "A003")
    assert problem.severity is Severity.NOTE
    later = {PLACES["claude-code"]: groups("PostToolUse", hook("x", **{"async": True}))}
    assert found(tmp_path / "c", later, "A003") == []
    waking = guard("claude-code", "guard", **{"async": True, "asyncRewake": True})
    assert found(tmp_path / "e", waking, "A003") == []
    worktree = {PLACES["claude-code"]: groups("WorktreeCreate", hook("x", **{"async": True}))}
    assert {"A003", "A010"} & codes(tmp_path / "f", worktree) == {"A010"}
    assert "A003" not in codes(tmp_path / "d", guard("gemini-cli", "guard", **{"async": True}))


SILENT = "if grep -q rm; then exit 2; fi"


@pytest.mark.parametrize("client", ["codex", "gemini-cli", "qwen-code"])
def test_a_silent_two_does_not_block(client: str, tmp_path: Path) -> None:
    assert len(found(tmp_path, guard(client, SILENT), "A005")) == 1


@pytest.mark.parametrize("client", ["claude-code", "copilot-cli", "cursor"])
def test_a_silent_two_blocks(client: str, tmp_path: Path) -> None:
    assert found(tmp_path, guard(client, SILENT), "A005") == []


@pytest.mark.parametrize(
    ("client", "command", "count"),
    [
        ("codex", "if grep -q rm; then echo no >&2; exit 2; fi", 0),
        ("codex", "if grep -q rm; then echo no; exit 2; fi", 1),
        ("gemini-cli", "if grep -q rm; then echo no; exit 2; fi", 0),
        ("codex", "python3 guard.py || exit 2", 0),
        ("codex", "guard", 0),
    ],
)
def test_what_counts_as_a_message(client: str, command: str, count: int, tmp_path: Path) -> None:
    assert len(found(tmp_path, guard(client, command), "A005")) == count


@pytest.mark.parametrize(
    ("name", "script", "count"),
    [
        ("a.sh", "#!/bin/sh\nif grep -q rm; then\n  exit 2\nfi\n", 1),
        ("a.sh", "#!/bin/sh\nif grep -q rm; then\n  echo no >&2\n  exit 2\nfi\n", 0),
        ("a.sh", "#!/bin/sh\n. ./lib.sh\ndeny 'no' && exit 2\n", 0),
        ("a.py", "import sys, json\nif 'rm' in sys.stdin.read():\n    sys.exit(2)\n", 1),
        ("a.py", "import sys\nprint('no', file=sys.stderr)\nsys.exit(2)\n", 0),
        ("a.py", "import sys\nfrom lib import deny\ndeny()\nsys.exit(2)\n", 0),
        ("a.js", "const fs = require('fs');\nprocess.exit(2);\n", 1),
        ("a.js", "console.error('no');\nprocess.exit(2);\n", 0),
        ("a.rb", "exit 2\n", 0),
    ],
)
def test_a_silent_two_in_a_script(name: str, script: str, count: int, tmp_path: Path) -> None:
    runner = {"sh": "sh", "py": "python3", "js": "node", "rb": "ruby"}[name[2:]]
    files = {**guard("codex", f"{runner} ./{name}"), name: script}
    assert len(found(tmp_path, files, "A005")) == count


def test_events_that_cannot_block_are_left_alone(tmp_path: Path) -> None:
    files = {PLACES["codex"]: groups("SessionStart", hook(SILENT), hook("x || true"), hook(GATE))}
    assert {p.code for p in check(tmp_path, files).problems} == set()


def test_the_line_that_convert_writes_is_no_refusal(tmp_path: Path) -> None:
    command = 'cd "${CLAUDE_PROJECT_DIR}/sub" || exit 1\nnode deny-writes.js'
    assert not found(tmp_path, guard("claude-code", command), "A002")


def test_a_script_that_refuses_with_one(tmp_path: Path) -> None:
    command = guard("claude-code", 'bash "$CLAUDE_PROJECT_DIR"/a.sh')
    refuses = "if grep -q rm; then\n  echo 'BLOCKED: no rm' >&2\n  exit 1\nfi\n"
    assert found(tmp_path / "a", {**command, "a.sh": refuses}, "A002")
    assert not found(tmp_path / "b", {**command, "a.sh": refuses.replace("exit 1", "exit 2")}, "A002")
    broken = "# blocked commands are refused\ncommand -v jq || {\n  echo 'jq is missing' >&2\n  exit 1\n}\n"
    assert not found(tmp_path / "c", {**command, "a.sh": broken}, "A002")


def test_a_stop_hook_that_never_ends(tmp_path: Path) -> None:
    def stop(command: str) -> dict[str, object]:
        return {PLACES["claude-code"]: groups("Stop", hook(command))}

    again = "npm test || { echo 'tests fail' >&2; exit 2; }"
    (problem,) = found(tmp_path, stop(again), "A009")
    assert "after 8 times" in problem.text
    assert found(tmp_path, stop('echo \'{"decision": "block", "reason": "go on"}\''), "A009")
    assert not found(tmp_path, stop(f"jq -e .stop_hook_active && exit 0; {again}"), "A009")
    assert not found(tmp_path, stop("npm test"), "A009")
    assert not found(tmp_path, guard("claude-code", again), "A009")
