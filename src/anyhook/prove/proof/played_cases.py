"""Test cases as something that can be played to a client: a prompt, the model's script, files.

A case about a tool becomes a call of that tool, a case about a prompt is the prompt, a case about the end of a turn is
a turn that ends, and every play starts a session. Other events cannot be caused on purpose, and are not played.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, structs

from anyhook.dialects import profile
from anyhook.dialects.clients import OWN
from anyhook.dialects.events import find_event
from anyhook.dialects.translation.tools import canonical_input, kind_of_call
from anyhook.model.outcome import Effect
from anyhook.model.payload import SessionStart, StopPayload, ToolPayload, UserPromptSubmit
from anyhook.model.payload_base import Payload
from anyhook.model.problems import Problem
from anyhook.project.project import Project
from anyhook.prove.script import EditStep, ReadStep, Script, ShellStep, Step, TextStep, WriteStep
from anyhook.prove.situation import DEFAULT_PROMPT, WrittenFile
from anyhook.sources.load import Loader
from anyhook.testing.cases.cases import Case
from anyhook.testing.cases.fixtures import decode_fixture, read_fixture
from anyhook.testing.scaffold.example_events import tool_speaker

_END = (TextStep("done"),)
_TURNS_AFTER_A_STOP = 3


class PlayedCase(Struct, frozen=True, kw_only=True):
    """One case, ready to be played to any client."""

    name: str
    event: str
    """The canonical name."""
    expected: Effect | None = None
    """What should happen; None: the case does not say."""
    by_client: Mapping[str, Effect] = {}
    """What should happen in single clients."""
    prompt: str = DEFAULT_PROMPT
    script: Script = (_END,)
    files: Mapping[str, WrittenFile] = {}
    without: tuple[str, ...] = ()
    """Files that the project must not have: a tool that creates a file fails where there is one."""
    environment: Mapping[str, str] = {}
    fields: Mapping[str, Any] = {}
    """The payload, with canonical names."""

    def expected_in(self, client: str) -> Effect | None:
        return self.by_client.get(client, self.expected)

    def situation(self) -> PlayedCase:
        """What is played, without what it is about: cases with the same are played together."""
        return structs.replace(self, name="", event="", expected=None, by_client={}, fields={})

    def subject(self) -> str:
        """What is played, for people: the command, the file, the prompt."""
        match self.script[0][0]:
            case ShellStep(command=command):
                return command
            case WriteStep(path=path):
                return f"write {path}"
            case EditStep(path=path):
                return f"edit {path}"
            case ReadStep(path=path):
                return f"read {path}"
        return {"UserPromptSubmit": self.prompt, "Stop": "the end of a turn"}.get(self.event, "a new session")


class NotPlayed(Struct, frozen=True):
    """A case that cannot be played to a client, and why."""

    name: str
    why: str


def _on_call(name: str, event: str, step: Step, tool: str, **tool_input: str) -> PlayedCase:
    fields = {"tool_name": tool, "tool_input": tool_input}
    return PlayedCase(name=name, event=event, script=((step,), _END), fields=fields)


_WRITTEN = {"file_path": "anyhook-prove.txt", "content": "one\n"}
_WRITE, _ECHO = WriteStep("anyhook-prove.txt", "one\n"), "echo anyhook-prove"
_PUSH = "git push --force origin main"
"""Clients run it by themselves; Claude Code and Codex refuse ``rm -rf /``. It needs a network."""

OPEN = _on_call("a forced push", "PreToolUse", ShellStep(_PUSH), "Bash", command=_PUSH)
"""It shows whether hooks are asked at all, also where the client refuses what a case is about."""

BUILT_IN: tuple[PlayedCase, ...] = (
    _on_call("a dangerous command", "PreToolUse", ShellStep("rm -rf /"), "Bash", command="rm -rf /"),
    OPEN,
    _on_call("a file is written", "PreToolUse", _WRITE, "Write", **_WRITTEN),
    _on_call("a file was written", "PostToolUse", _WRITE, "Write", **_WRITTEN),
    _on_call("a command has run", "PostToolUse", ShellStep(_ECHO), "Bash", command=_ECHO),
    PlayedCase(name="a prompt", event="UserPromptSubmit", prompt="say hello", fields={"prompt": "say hello"}),
    PlayedCase(name="a session starts", event="SessionStart", prompt="say hello", fields={"source": "startup"}),
    PlayedCase(name="the end of a turn", event="Stop", script=(_END,) * (_TURNS_AFTER_A_STOP + 1)),
)
"""For events without cases. They say nothing about what a hook should do."""


def stage_cases(cases: Sequence[Case], root: Path) -> tuple[tuple[PlayedCase, ...], tuple[NotPlayed, ...]]:
    """The cases of a package that can be played, and the others."""
    hooks = Project.open(root).own_package
    staged = [_stage(case, root, case.client or hooks.owner() or OWN, hooks.loader) for case in cases]
    return (
        tuple(case for case in staged if isinstance(case, PlayedCase)),
        tuple(case for case in staged if isinstance(case, NotPlayed)),
    )


def _stage(case: Case, root: Path, client: str, loader: Loader) -> PlayedCase | NotPlayed:
    event = find_event(case.event, client)
    data = read_fixture(case, loader)
    if event is None or isinstance(data, Problem):
        why = f"there is no event {case.event}" if event is None else data.text if isinstance(data, Problem) else ""
        return NotPlayed(case.name, why)
    if case.expected.effect is Effect.ASK:  # the command would run: clients are started with every tool approved
        return NotPlayed(case.name, "the client is started so that it does not ask")
    # A client may have an event in two spellings, each with its own form of the payload.
    spellings = profile(client).events.get(event.name, (event.name,))
    payloads = [decode_fixture(profile(client), data, event.name, spelling) for spelling in spellings]
    payload = next((payload for payload in payloads if type(payload) is not Payload), payloads[0])
    expected = PlayedCase(
        name=case.name,
        event=event.name,
        expected=_expected(case, event.name),
        by_client={name: said for name in case.expected.clients if (said := case.expected.stated(name).deployed)},
        environment={name: _in_project(value, root) for name, value in case.folder.config.env.items()},
    )
    return _with_payload(expected, payload, root, client)


def _expected(case: Case, event: str) -> Effect | None:
    if case.expected.matched is False:
        return Effect.PROCEED
    if case.expected.effect is not None or case.expected.exit_code is None:
        return case.expected.effect
    if case.expected.exit_code == 0:
        return Effect.PROCEED
    blocking = {"PreToolUse": Effect.BLOCK, "UserPromptSubmit": Effect.BLOCK, "Stop": Effect.CONTINUE}
    return blocking.get(event) if case.expected.exit_code == 2 else None


def _with_payload(case: PlayedCase, payload: Payload, root: Path, client: str) -> PlayedCase | NotPlayed:
    match payload:
        case ToolPayload():
            given = payload.tool_input.value
            speaker = tool_speaker(payload.tool_name, client)  # a fixture may have another client's names
            kind = kind_of_call(payload.tool_name, given, speaker) or ""
            canonical, _ = canonical_input(given, kind, speaker)
            step = _step(kind, canonical, root)
            if step is None:
                return NotPlayed(case.name, f"the tool {payload.tool_name} is not played")
            fields = {"tool_name": payload.tool_name, "tool_input": given}
            without = (step.path,) if isinstance(step, WriteStep) else ()
            return structs.replace(
                case, script=((step,), _END), files=_files_for(step, root), without=without, fields=fields
            )
        case UserPromptSubmit(prompt=prompt):
            return structs.replace(case, prompt=prompt or DEFAULT_PROMPT, fields={"prompt": prompt})
        case SessionStart(source=source):
            if source not in ("startup", None, ""):
                return NotPlayed(case.name, f"the session does not start with {source!r} here, but anew")
            return structs.replace(case, fields={"source": "startup"})
        case StopPayload(stop_hook_active=True):
            return NotPlayed(case.name, "it begins when a hook has already kept the agent going")
        case StopPayload() if case.event == "Stop":
            return structs.replace(case, script=(_END,) * (_TURNS_AFTER_A_STOP + 1))
    return NotPlayed(case.name, f"{case.event} cannot be caused on purpose")


def _in_project(value: str, root: Path) -> str:
    """A variable of the test config: the package's folder is relative there."""
    return str(root) if value == "." else value


def _step(kind: str, given: Mapping[str, Any], root: Path) -> Step | None:
    path = _relative(str(given.get("file_path", "")), root)
    match kind:
        case "shell":
            return ShellStep(str(given.get("command", "")))
        case "write" if path:
            return WriteStep(path, str(given.get("content", "")))
        case "edit" if path:
            return EditStep(path, str(given.get("old_string", "")), str(given.get("new_string", "")))
        case "read" if path:
            return ReadStep(path)
    return None


def _relative(path: str, root: Path) -> str:
    """A path in the project; of a file elsewhere only its name, so that nothing outside is touched."""
    path = path.replace("${PACKAGE_ROOT}", ".")
    inside = os.path.relpath(os.path.normpath(root / path), root)
    return Path(path).name if inside.startswith(os.pardir) else "" if inside == os.curdir else inside


def _files_for(step: Step, root: Path) -> dict[str, WrittenFile]:
    """Files that must exist for a tool to work."""
    match step:
        case EditStep(path=path, old=old) if not _has_text(root / path, old):
            return {path: WrittenFile(f"{old}\n")}
        case ReadStep(path=path) if not (root / path).exists():
            return {path: WrittenFile("one line\n")}
    return {}


def _has_text(path: Path, text: str) -> bool:
    return path.is_file() and text in path.read_text(encoding="utf-8", errors="replace")
