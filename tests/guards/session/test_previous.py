"""The condition ``previous``: what a rule knows of earlier events."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from anyhook.bridge.stored_state import StoredMemory
from anyhook.guards.call import GuardCall
from anyhook.guards.rules import judge
from anyhook.guards.session.memory import GuardMemory, MemoryOfProcess
from anyhook.guards.session.previous import MAX_EVENTS
from anyhook.model.output import Decision, Reply
from anyhook.model.payload import PostToolUse, PreToolUse, UserPromptSubmit
from anyhook.model.payload_base import Payload
from anyhook.sources.state import VARIABLE

TESTS_FIRST = {
    "then": "block",
    "when": {"command": "git commit *", "previous": [{"command": "pytest *", "since": {"kind": "edit"}, "at_most": 0}]},
}


def ran(command: str, session: str = "s") -> Payload:
    return PostToolUse(session_id=session, tool_name="Bash", tool_input={"command": command}, tool_response="")


def edited(path: str = "a.py", session: str = "s") -> Payload:
    given = {"file_path": path, "content": "x"}
    return PostToolUse(session_id=session, tool_name="Write", tool_input=given, tool_response="")


def asks(command: str, session: str | None = "s") -> Payload:
    given = {"command": command}
    if session is None:
        return PreToolUse(tool_name="Bash", tool_input=given)
    return PreToolUse(session_id=session, tool_name="Bash", tool_input=given)


def played(rule: Mapping[str, Any], *events: Payload, memory: GuardMemory | None = None) -> Reply | None:
    """The reply to the last event."""
    memory = memory or MemoryOfProcess()
    reply = None
    for event in events:
        note = {} if event is events[-1] else {"remembers": True}
        reply = judge(GuardCall(event=event, settings={**rule, **note}, memory=memory))
    return reply


@pytest.mark.parametrize(
    ("events", "is_blocked"),
    [
        ((), True),
        ((ran("pytest"),), False),
        ((ran("pytest"), edited()), True),
        ((edited(), ran("pytest -q")), False),
        ((edited(), ran("cd x && pytest"), ran("ls")), False),
        ((edited(), ran("echo pytest")), True),
        ((edited(), asks("pytest")), True),
        ((edited(), ran("pytest", session="other")), True),
        ((ran("pytest"), edited(session="other")), False),
    ],
)
def test_tests_ran_since_the_last_edit(events: tuple[Payload, ...], is_blocked: bool) -> None:
    assert (played(TESTS_FIRST, *events, asks("git commit -m x")) is not None) is is_blocked
    assert played(TESTS_FIRST, *events, asks("ls")) is None


@pytest.mark.parametrize(
    ("previous", "count", "holds"),
    [
        ({}, 0, False),
        ({}, 1, True),
        ({"at_least": 3}, 2, False),
        ({"at_least": 3}, 3, True),
        ({"at_most": 1}, 0, True),
        ({"at_most": 1}, 1, True),
        ({"at_most": 1}, 2, False),
        ({"at_least": 1, "at_most": 1}, 0, False),
    ],
)
def test_how_often(previous: dict[str, Any], count: int, holds: bool) -> None:
    rule = {"then": "block", "when": {"previous": {"kind": "shell", **previous}}}
    assert (played(rule, *[ran("ls")] * count, asks("x")) is not None) is holds


def test_an_event_does_not_count_for_itself() -> None:
    rule = {
        "then": "block",
        "when": {"kind": "shell", "previous": {"on": "PreToolUse", "kind": "shell", "at_least": 2}},
    }
    memory = MemoryOfProcess()
    replies = [judge(GuardCall(event=asks("ls"), settings=rule, memory=memory)) for _ in range(4)]
    assert [reply is not None for reply in replies] == [False, False, True, True]


def test_all_of_several_must_hold() -> None:
    previous = [{"kind": "edit"}, {"on": "UserPromptSubmit", "content": "(?i)release"}]
    rule = {"then": "block", "when": {"previous": previous}}
    prompt = UserPromptSubmit(session_id="s", prompt="Release it")
    assert played(rule, edited(), asks("x")) is None
    assert played(rule, prompt, asks("x")) is None
    assert played(rule, prompt, edited(), asks("x")) is not None


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state"


def test_the_memory_outlives_processes_and_holds_no_text(state: Path) -> None:
    rule = {"then": "block", "when": {"previous": {"command": "deploy *"}}}
    played(rule, ran("deploy --token SECRET"), asks("ls"), memory=StoredMemory("codex", Path("/p")))
    assert played(rule, asks("ls"), memory=StoredMemory("codex", Path("/p"))) is not None
    assert played(rule, asks("ls"), memory=StoredMemory("codex", Path("/q"))) is None
    assert played({**rule, "message": "x"}, asks("ls"), memory=StoredMemory("codex", Path("/p"))) is None
    (file,) = (state / "guards").iterdir()
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("1\n", 0o600)


UNKNOWN = "Earlier events of the session are not known: the client does not say which session this is."


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"then": "block"}, Reply(decision=Decision.DENY, reason=f"A rule of this project applies. {UNKNOWN}")),
        (
            {"then": "ask", "name": "r"},
            Reply(decision=Decision.ASK, reason=f"The rule r of this project applies. {UNKNOWN}"),
        ),
        ({"then": "block", "message": "No."}, Reply(decision=Decision.DENY, reason=f"No. {UNKNOWN}")),
        ({"then": "ask", "message": "Sure?"}, Reply(decision=Decision.ASK, reason=f"Sure? {UNKNOWN}")),
        ({"then": "allow"}, Reply(message=f"A rule of this project is not applied. {UNKNOWN}")),
        ({"then": "warn", "name": "r", "message": "x"}, Reply(message=f"The rule r is not applied. {UNKNOWN}")),
    ],
)
@pytest.mark.parametrize("session", [None, ""])
def test_a_session_that_is_not_known(rule: dict[str, Any], expected: Reply, session: str | None) -> None:
    rule = {**rule, "when": {"command": "git push", "previous": {"kind": "edit"}}}
    assert played(rule, asks("git push", session=session)) == expected
    assert played(rule, asks("ls", session=session)) is None
    assert played({**rule, "remembers": True}, asks("git push", session=session)) is None


@pytest.mark.parametrize("log", ["x\n", "1\n" * MAX_EVENTS])
def test_a_log_that_cannot_be_believed_does_not_open_the_gate(state: Path, log: str) -> None:
    memory = StoredMemory("codex", Path("/p"))
    played(TESTS_FIRST, ran("pytest"), asks("ls"), memory=memory)
    assert played(TESTS_FIRST, asks("git commit"), memory=memory) is None
    (file,) = (state / "guards").iterdir()
    file.write_text(log)
    reply = played(TESTS_FIRST, asks("git commit"), memory=memory)
    assert reply is not None
    assert "Earlier events of the session are not known" in (reply.reason or "")
    file.chmod(0o666)
    assert played(TESTS_FIRST, asks("git commit"), memory=memory) is not None
