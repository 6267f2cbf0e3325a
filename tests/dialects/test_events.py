"""The names of events in the profiles are complete, and each says one thing."""

from __future__ import annotations

from collections import Counter

import pytest

from anyhook.dialects import NAMES, all_profiles
from anyhook.dialects.events import find_event, is_well_formed, native_name, native_names, owners
from anyhook.dialects.profile import Profile
from anyhook.model.events import BY_NAME, EVENTS
from tests.checkout import CONFORMANCE

SEED_EVENTS = {
    "agent-sdk": (
        "PreToolUse PostToolUse PostToolUseFailure Notification UserPromptSubmit SessionStart SessionEnd Stop "
        "SubagentStart SubagentStop PreCompact PermissionRequest Setup TeammateIdle TaskCompleted"
    ),
    "universal": (
        "pre-tool-use permission-request post-tool-use pre-prompt session-start session-end stop sub-agent-end "
        "pre-compact notification"
    ),
    "copilot-vscode": "SessionStart UserPromptSubmit PreToolUse PostToolUse PreCompact SubagentStart SubagentStop Stop",
    "open-plugins": (
        "PreToolUse PostToolUse PostToolUseFailure SessionStart SessionEnd BeforeReadFile AfterFileEdit "
        "BeforeShellExecution AfterShellExecution UserPromptSubmit Stop SubagentStart SubagentStop"
    ),
    "code-agent": (
        "PreToolUse PostToolUse PostToolUseFailure UserPromptSubmit Stop SubagentStop PreCompact Setup SessionStart "
        "SessionEnd Notification"
    ),
}


@pytest.mark.parametrize("dialect", SEED_EVENTS)
def test_every_event_of_a_seed_is_there(dialect: str) -> None:
    written = {native_name(event.name, dialect) for event in EVENTS} - {None}
    assert written == set(SEED_EVENTS[dialect].split())


@pytest.mark.parametrize(
    ("dialect", "count"),
    [("claude-code", 33), ("qwen-code", 22), ("cursor", 21), ("copilot-cli", 15), ("codex", 11), ("gemini-cli", 11),
     ("factory-droid", 9), ("openhands", 6)],
)  # fmt: skip
def test_a_client_has_as_many_events_as_its_documents_count(dialect: str, count: int) -> None:
    assert len({event.name for event in native_names(dialect).values()}) == count


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini-cli", "copilot-cli", "qwen-code"])
def test_every_recorded_event_is_known(client: str) -> None:
    files = (CONFORMANCE / "recordings" / client / "payloads").glob("[!_]*.json")
    names = {file.name.partition(".")[0].partition("-")[0] for file in files}
    assert names
    assert names <= native_names(client).keys()


@pytest.mark.parametrize("known", all_profiles(), ids=NAMES)
def test_a_client_names_events_of_the_table_and_each_name_once(known: Profile) -> None:
    assert known.events.keys() <= BY_NAME.keys()
    assert set(known.former_events.values()) <= BY_NAME.keys()
    names = Counter(name for names in known.events.values() for name in names)
    assert [name for name, count in names.items() if count > 1] == []


def test_every_event_of_the_table_is_some_clients() -> None:
    assert {event for known in all_profiles() for event in known.events} == BY_NAME.keys()


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("pre-tool-use", "PreToolUse"),
        ("pre_tool_use", "PreToolUse"),
        ("BeforeTool", "PreToolUse"),
        ("agentStop", "Stop"),
        ("beforeShellCommand", "BeforeShellExecution"),
        ("SubAgentStop", "SubagentStop"),
    ],
)
def test_an_event_is_found_by_anybodys_name(name: str, canonical: str) -> None:
    event = find_event(name)
    assert event is not None
    assert event.name == canonical


def test_a_name_that_means_two_things_is_read_by_the_dialect() -> None:
    event = find_event("Notification", "gemini-cli")
    assert event is not None
    assert event.name == "Notification"
    assert find_event("nonsense") is None


def test_owners_and_shape_of_names() -> None:
    assert owners("BeforeTool") == ("gemini-cli",)
    assert is_well_formed("copilot:tool.pre")
    assert not is_well_formed("two words")
