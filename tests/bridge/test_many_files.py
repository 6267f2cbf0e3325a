"""A call that concerns several files: hooks hear of every one, so that no guard is evaded by the second."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from anyhook.bridge.answer_event import answer
from anyhook.bridge.match_package import MAX_ASKED
from anyhook.bridge.prepare_event import prepare
from anyhook.bridge.read_call import Caller
from anyhook.dialects.wire.answers import ProcessAnswer
from tests.approving import approve
from tests.bridge.bridging import make_package

GUARD = """#!/bin/sh
payload=$(cat)
printf '%s\\n' "$payload" >> "$(dirname "$0")/heard.txt"
case $payload in *.env*) echo "guard: not .env" >&2; exit 2 ;; esac
"""
REWRITE = """#!/bin/sh
echo '{"hookSpecificOutput": {"hookEventName": "pre-tool-use", "updatedInput": {"file_path": "b", "content": "x"}}}'
"""
PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n{}\n*** End Patch\n"
TWO = PATCH.format("*** Add File: .env\n+KEY=1")
MOVED = PATCH.format("*** Update File: b\n*** Move to: .env\n@@\n-x\n+y")
REPLACEMENTS = [{"filePath": name, "oldString": "x", "newString": "y"} for name in ("a.txt", ".env")]


def make(folder: Path, script: str = GUARD, matcher: str = "Write|Edit|Read") -> Path:
    hook = {"type": "command", "command": "${PACKAGE_ROOT}/hooks/guard.sh"}
    return make_package(folder, {"pre-tool-use": [{"matcher": matcher, "hooks": [hook]}]}, guard=script)


def ask(folder: Path, client: str, event: str, payload: dict[str, Any], fail: str = "guard") -> ProcessAnswer:
    caller = Caller(cwd=approve(folder), home=folder.parent / "home", environment={"PATH": os.environ["PATH"]})
    options = {"--client": client, "--event": event, "--fail": fail}
    return asyncio.run(answer(prepare(options, caller, json.dumps(payload).encode()), None, lambda task: None))


def call(tool: str, tool_input: object) -> dict[str, Any]:
    return {
        "session_id": "s",
        "cwd": "/p",
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": tool_input,
    }


def heard(folder: Path) -> list[str]:
    """The files that the guard heard of."""
    lines = (folder / "hooks" / "heard.txt").read_text().splitlines()
    return sorted(json.loads(line)["toolInput"]["file_path"] for line in lines)


@pytest.mark.parametrize(
    ("client", "event", "payload"),
    [
        ("codex", "PreToolUse", call("apply_patch", {"command": TWO})),
        ("codex", "PreToolUse", call("apply_patch", {"command": MOVED})),
        ("copilot-vscode", "PreToolUse", call("apply_patch", {"input": TWO, "explanation": "why"})),
        ("copilot-vscode", "PreToolUse", call("multi_replace_string_in_file", {"replacements": REPLACEMENTS})),
        ("factory-droid", "PreToolUse", call("ApplyPatch", {"input": TWO})),
        ("openhands", "PreToolUse", {"event_type": "PreToolUse", **call("apply_patch", {"patch": TWO})}),
        ("gemini-cli", "BeforeTool", call("read_many_files", {"include": ["a.txt", ".env"]})),
        ("copilot-cli", "preToolUse", {"toolName": "apply_patch", "toolArgs": {"input": TWO}}),
        ("copilot-cli", "preToolUse", {"toolName": "apply_patch", "toolArgs": TWO}),
        # In the PascalCase variant an edit and a patch have the same name.
        ("copilot-cli", "PreToolUse", call("Edit", {"input": TWO})),
        ("copilot-cli", "PreToolUse", call("Edit", {"path": ".env", "old_str": "x", "new_str": "*** Add File: a"})),
    ],
)
def test_a_guard_hears_of_every_file(tmp_path: Path, client: str, event: str, payload: dict[str, Any]) -> None:
    folder = make(tmp_path / "p")
    sent = ask(folder, client, event, payload)
    assert "guard: not .env" in (sent.stdout + sent.stderr).decode()
    assert ".env" in heard(folder)
    assert len(heard(folder)) > 1


def test_a_guard_hears_of_every_edit_of_a_file(tmp_path: Path) -> None:
    folder = make(tmp_path / "p")
    edits = [{"old_string": "x", "new_string": new} for new in ("y", "read .env")]
    info = {"file_path": "/p/a", "edits": edits}
    sent = ask(folder, "windsurf", "pre_write_code", {"agent_action_name": "pre_write_code", "tool_info": info})
    assert sent.exit_code == 2
    assert heard(folder) == ["/p/a", "/p/a"]


def test_a_call_for_harmless_files_is_allowed(tmp_path: Path) -> None:
    folder = make(tmp_path / "p")
    sent = ask(folder, "codex", "PreToolUse", call("apply_patch", {"command": PATCH.format("*** Delete File: b")}))
    assert (sent.exit_code, b"deny" in sent.stdout) == (0, False)
    assert heard(folder) == ["a.txt", "b"]


def test_a_rewritten_part_of_a_call_is_refused_with_the_remedy(tmp_path: Path) -> None:
    folder = make(tmp_path / "p", REWRITE)
    sent = ask(folder, "codex", "PreToolUse", call("apply_patch", {"command": TWO}))
    assert b"call the tool for one file at a time" in sent.stdout + sent.stderr
    one = ask(folder, "codex", "PreToolUse", call("apply_patch", {"command": PATCH.format("")}))
    assert b"*** Update File: b" in one.stdout


@pytest.mark.parametrize(("fail", "refused"), [("guard", True), ("closed", True), ("open", False)])
def test_more_files_than_can_be_asked_about_in_time_are_refused(tmp_path: Path, fail: str, refused: bool) -> None:
    folder = make(tmp_path / "p")
    many = "\n".join(f"*** Delete File: {number}" for number in range(MAX_ASKED))
    sent = ask(folder, "codex", "PreToolUse", call("apply_patch", {"command": PATCH.format(many)}), fail)
    assert b"call the tool for fewer files at a time" in sent.stdout + sent.stderr
    assert (sent.exit_code == 2) is refused
    assert not (folder / "hooks" / "heard.txt").exists()


def test_many_files_that_no_hook_is_about_are_allowed(tmp_path: Path) -> None:
    folder = make(tmp_path / "p", matcher="Bash")
    many = "\n".join(f"*** Delete File: {number}" for number in range(MAX_ASKED))
    sent = ask(folder, "codex", "PreToolUse", call("apply_patch", {"command": PATCH.format(many)}))
    assert (sent.exit_code, sent.stdout, sent.stderr) == (0, b"", b"")
