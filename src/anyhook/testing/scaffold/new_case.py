"""A new test case, made from an event and a tool: the fixture in the client's spelling, and a case to fill in."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from anyhook.dialects import profile as profile_of
from anyhook.dialects.bound_event import bind_rule
from anyhook.dialects.translation.tools import kinds_of, native_input
from anyhook.dialects.wire.payloads import encode_payload
from anyhook.engine.engine import Engine
from anyhook.model.events import Event
from anyhook.model.hooks import HookSet, Rule
from anyhook.model.payload import PAYLOADS, ToolPayload
from anyhook.model.payload_base import Payload
from anyhook.model.problems import UsageError
from anyhook.project.package_hooks import PackageHooks
from anyhook.testing.cases.case_files import CASES, NAME, read_suite
from anyhook.testing.cases.cases import WHOLE_EVENT
from anyhook.testing.scaffold.example_events import choose_client, known_event, make_payload, tool_speaker
from anyhook.testing.scaffold.from_recording import FIXTURES, folder_for_cases
from anyhook.testing.scaffold.new_files import NewFile, json_text, new_name

_SHELL = "Bash"
_FILE = "src/app.py"
INPUTS: Mapping[str, Mapping[str, Any]] = {
    "shell": {"command": "ls"},
    "read": {"file_path": _FILE},
    "write": {"file_path": _FILE, "content": "print('hello')\n"},
    "edit": {"file_path": _FILE, "old_string": "hello", "new_string": "goodbye"},
    "notebook": {"notebook_path": "analysis.ipynb", "new_source": "print('hello')"},
    "glob": {"pattern": "**/*.py"},
    "grep": {"pattern": "TODO"},
    "list": {"path": "src"},
    "web fetch": {"url": "https://example.com/", "prompt": "What is this page about?"},
    "web search": {"query": "lifecycle hooks"},
    "subagent": {"description": "Find the tests", "prompt": "Where are the tests?", "subagent_type": "general-purpose"},
    "todo": {"todos": [{"content": "Write the tests", "status": "pending"}]},
    "plan": {"plan": "Write the tests first."},
    "ask": {"questions": [{"question": "Which database?", "options": [{"label": "SQLite"}]}]},
}
"""An example input for each kind of tool."""
FIELDS: Mapping[str, Mapping[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "SessionEnd": {"reason": "other"},
    "UserPromptSubmit": {"prompt": "Write the tests"},
    "PostToolUse": {"tool_response": {"success": True}},
    "PostToolUseFailure": {"error": "it failed"},
    "BeforeShellExecution": {"command": "ls"},
    "AfterShellExecution": {"command": "ls", "output": "src\n"},
    "BeforeMCPExecution": {"tool_name": "search", "tool_input": {"query": "hooks"}},
    "AfterMCPExecution": {"tool_name": "search", "tool_input": {"query": "hooks"}},
    "PreMcpToolCall": {"tool_name": "search"},
    "Stop": {"stop_hook_active": False},
    "SubagentStop": {"stop_hook_active": False},
    "PreCompact": {"trigger": "manual"},
    "Notification": {"message": "The agent waits for you", "notification_type": "idle_prompt"},
    "TeammateIdle": {"teammate_name": "reviewer"},
    "TaskCreated": {"task_id": "1", "task_subject": "Write the tests"},
    "TaskCompleted": {"task_id": "1", "task_subject": "Write the tests"},
}
"""Fields of an event, where it has some of its own."""


class NewCase(Struct, frozen=True, kw_only=True):
    """A case that can be written."""

    name: str
    root: Path
    files: tuple[NewFile, ...]
    """The case and its fixture."""
    matches: bool = True
    """Whether a hook of the package would run; if not, the case says that none does."""


def plan_case(
    hooks: PackageHooks,
    event: str,
    *,
    name: str | None = None,
    tool: str | None = None,
    tool_input: Mapping[str, Any] | None = None,
    client: str | None = None,
) -> NewCase:
    """The case of an event for the hooks of a package; UsageError when there are none on this event."""
    owner = choose_client(hooks, client)
    if client is not None and owner != client:
        raise UsageError(f"{profile_of(client).title} has no hooks in {hooks.root}")
    payload = example_payload(known_event(event, owner), tool, tool_input, owner)
    rules = hooks.rules(owner, payload.event)
    if not rules:
        native, title = payload.native_event or payload.event, profile_of(owner).title
        raise UsageError(f"{hooks.root} has no hooks on {native} ({title}): there is nothing to test")
    matching = [number for number, rule in enumerate(rules) if would_run(rule, payload, owner)]
    index = matching[0] if matching else 0
    taken = {case.name for case in read_suite(hooks.root).everything}
    tests = folder_for_cases(hooks.root)
    fixtures = {file.stem for file in (tests / FIXTURES).glob("*.json")}
    name = _new_name(payload, taken | fixtures) if name is None else _checked(name, taken)
    stem = name if re.match(r"\d+-", name) else f"{_next_number(tests / CASES):02}-{name}"
    folder = tests.relative_to(hooks.root).as_posix()
    lines = [
        f"name: {name}",
        f"event: {rules[index].native_event}",
        f"hook: {WHOLE_EVENT}",
        *([f"client: {owner}"] if owner != hooks.owner() and len(hooks.clients()) > 1 else []),
        "input:",
        f"  fixture: {FIXTURES}/{name}.json",
        "expected:",
        "  effect: proceed" if matching else "  matched: false",
    ]
    data = encode_payload(bind_rule(profile_of(owner), rules[index]), payload)
    return NewCase(
        name=name,
        root=hooks.root,
        files=(
            NewFile(f"{folder}/{CASES}/{stem}.yaml", "\n".join(lines) + "\n"),
            NewFile(f"{folder}/{FIXTURES}/{name}.json", json_text(data)),
        ),
        matches=bool(matching),
    )


def example_payload(event: Event, tool: str | None, tool_input: Mapping[str, Any] | None, client: str) -> Payload:
    """The event with typical fields."""
    fields = dict(FIELDS.get(event.name, {}))
    if issubclass(PAYLOADS[event.name], ToolPayload):
        name = tool or _SHELL
        values = _example_input(name, client) if tool_input is None else tool_input
        fields |= {"tool_name": name, "tool_input": dict(values)}
    elif tool is not None or tool_input is not None:
        raise UsageError(f"{event.name} is not about a tool")
    return make_payload(event, fields, client)


def _example_input(tool: str, client: str) -> Mapping[str, Any]:
    """An input for a tool, with the names of the client that has a tool of this name."""
    speaker = tool_speaker(tool, client)
    kind = next(iter(kinds_of(tool, speaker)), None)
    return native_input(INPUTS[kind], kind, speaker)[0] if kind else {}


def would_run(rule: Rule, payload: Payload, client: str) -> bool:
    """Whether a client runs a hook of the rule on the event; one that waits for approval would run, too."""
    return bool(Engine(HookSet(dialect=client, rules=(rule,)), trust="all").plan(payload).runs)  # none is run


def _checked(name: str, taken: Collection[str]) -> str:
    if not NAME.fullmatch(name):
        raise UsageError(f"the name {name!r} may have a-z, 0-9 and - only, and at most 64 of them")
    if name in taken:
        raise UsageError(f"there is a case {name} already")
    return name


def _new_name(payload: Payload, taken: Collection[str]) -> str:
    """A new name from the event and the tool."""
    words = [payload.native_event or payload.event, str(getattr(payload, "tool_name", ""))]
    return new_name(words, taken)


def _next_number(cases: Path) -> int:
    """One more than the highest number that a case file begins with."""
    stems = (file.stem for file in cases.iterdir()) if cases.is_dir() else ()
    return max((int(found[1]) for stem in stems if (found := re.match(r"(\d{1,6})-", stem))), default=0) + 1
