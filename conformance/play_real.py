"""Plays a vector to a real client and compares what it did with what the vector says; see README.md.

Only what a headless run brings about can be played: tool calls, prompts, the end of a turn, a session's start and end.
What a client shows to a person is not looked at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct, structs

from anyhook.dialects import profile
from anyhook.dialects.events import find_event
from anyhook.prove.installation import Installed
from anyhook.prove.report import RunReport
from anyhook.prove.run import ClientRunner, RunError
from anyhook.prove.script import ScriptError, files_made_by
from anyhook.prove.situation import Situation, read_files, read_situation
from conformance.explore.scenes import SCENES, Scene, shell

Vector = Mapping[str, Any]
Kind = Literal["before", "after", "prompt", "stop", "quiet"]

KINDS: Mapping[str, Kind] = {
    "PreToolUse": "before",
    "PermissionRequest": "before",
    "PostToolUse": "after",
    "PostToolUseFailure": "after",
    "PostToolBatch": "after",
    "UserPromptSubmit": "prompt",
    "Stop": "stop",
    "SessionStart": "quiet",
    "SessionEnd": "quiet",
    "BeforeModel": "quiet",
    "AfterModel": "quiet",
    "BeforeToolSelection": "quiet",
    "MessageDisplay": "quiet",
    "InstructionsLoaded": "quiet",
}
"""By canonical event: what tells its effect. Other events cannot be brought about."""
_SECONDS = 60
_MAX_SLEEP = 8
_PATCHED = re.compile(r"^\*\*\* Add File: (\S+)$", re.MULTILINE)
_UNKNOWN_OPTION = re.compile(r"^error: unexpected argument '--", re.MULTILINE)
_OLD_TRUST = {"trusted_folders": ["@PROJECT@"], "trustedFolders": ["@PROJECT@"]}


class Playable(Struct, frozen=True):
    """A vector that can be played."""

    vector: Vector
    kind: Kind
    situation: Situation
    made_before: frozenset[str] = frozenset()
    """The files that the tool call makes as the model wrote it."""
    made_after: frozenset[str] = frozenset()
    """The files that it makes as a hook rewrote it."""

    @property
    def made(self) -> frozenset[str]:
        """The files that are made where the call goes ahead."""
        return self.made_after if self.vector["expect"].get("updated_input") else self.made_before


def playable(vector: Vector) -> Playable | None:
    """The vector as a situation for a client; None: it cannot be played."""
    event = find_event(vector["event"], vector["client"])
    kind = KINDS.get(event.name) if event else None
    if kind is None or vector.get("fires", 1) != 1 or vector.get("env") or "mcpServers" in json.dumps(vector["files"]):
        return None
    if any(behaviour.get("sleep", 0) > _MAX_SLEEP for behaviour in _behaviours(vector)):
        return None
    case = _case(vector, kind)
    if case is None:
        return None
    before, after = case.pop("made")
    try:
        situation = read_situation(json.loads(json.dumps(case).replace("@HOOK@", "@RECORD@")))
    except ScriptError:
        return None
    return Playable(vector, kind, situation, before, after)


def _behaviours(vector: Vector) -> Iterator[Mapping[str, Any]]:
    for behaviour in vector["hooks"].values():
        yield from behaviour if isinstance(behaviour, list) else [behaviour]


def _case(vector: Vector, kind: Kind) -> dict[str, Any] | None:
    payload, files = vector["payload"], vector["files"]
    case: dict[str, Any] = {
        "files": {path: content for path, content in files.items() if not path.startswith("~/")},
        "home_files": {path[2:]: content for path, content in files.items() if path.startswith("~/")},
        "hooks": vector["hooks"],
        "script": [{"text": "finished"}],
        "timeout": _SECONDS,
        "made": (frozenset(), frozenset()),
    }
    match kind:
        case "before" | "after":
            step = _tool_step(vector)
            if step is None:
                return None
            before, after = _made(_tool_input(vector)), _made(vector["expect"].get("updated_input"))
            is_permission = "ermissionRequest" in vector["event"]
            if is_permission and "shell" in step and (scene := SCENES[vector["client"]].get("PermissionRequest")):
                step, case["args"] = _instead(scene, step["shell"]), list(scene.args)
            case["script"] = [{**step, "marker": sorted(before | after)}, {"text": "finished"}]
            case["made"] = (before, after)
            asks = payload.get("permission_mode") in ("default", "acceptEdits")
            case["approve"] = not (asks or is_permission)
        case "prompt":
            case["prompt"] = payload.get("prompt") or "hello"
        case "stop":
            if payload.get("stop_hook_active"):
                return None
            # A hook that refuses every time would go on for ever; the vector is about the first time.
            case["hooks"] = {name: b if isinstance(b, list) else [b, {}] for name, b in vector["hooks"].items()}
            case["script"] = [{"text": "finished"}, {"text": "again"}]
        case "quiet":
            if payload.get("source") in ("resume", "clear", "compact"):
                return None
    return case


def _tool_input(vector: Vector) -> Any:
    payload = vector["payload"]
    calls = payload.get("tool_calls")
    if calls:
        return calls[0].get("tool_input") if len(calls) == 1 else None
    value = payload.get("tool_input", payload.get("toolArgs", payload.get("toolInput")))
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return None
    return value


def _tool_step(vector: Vector) -> dict[str, Any] | None:
    """The model's call: of the shell, or of a tool that writes a file."""
    payload, given = vector["payload"], _tool_input(vector)
    if not isinstance(given, dict):
        return None
    name = (payload.get("tool_calls") or [payload])[0].get("tool_name") or payload.get("toolName")
    shells = {*profile(vector["client"]).tools.kinds["shell"].names, "Bash"}
    if name in shells and isinstance(given.get("command"), str):
        return {"shell": given["command"]}
    if name == "apply_patch":
        return {"raw": {"name": name, "input": given["command"]}}
    return {"raw": {"name": name, "input": given}} if {"file_path", "content"} <= given.keys() else None


def _instead(scene: Scene, command: str) -> dict[str, Any]:
    """The scene's call, with another command: a client may ask for some calls only."""
    assert scene.step is not None
    call = json.dumps(scene.step("0")).replace(json.dumps(shell("0")["shell"]), json.dumps(command))
    return dict(json.loads(call))


def _made(given: Any) -> frozenset[str]:
    """The files of the project that a tool's input makes."""
    if not isinstance(given, dict):
        return frozenset()
    command = str(given.get("command", ""))
    names = [*files_made_by(command.replace("@PROJECT@/", "")), *_PATCHED.findall(command)]
    if "content" in given and isinstance(given.get("file_path"), str):
        names.append(given["file_path"].replace("@PROJECT@/", ""))
    return frozenset(names)


# ---------------------------------------------------------------------------------------------------------- comparing


def play(runner: ClientRunner, client: Installed, chosen: Playable) -> list[str] | None:
    """How the client differs from the vector; None: the release lacks an option by which the event is brought about."""
    try:
        report = runner.play(client, chosen.situation)
    except RunError as error:
        return [str(error)]
    lacks_option = chosen.situation.arguments and _UNKNOWN_OPTION.search(report.stderr)
    return None if lacks_option else differences(chosen, report)


def differences(chosen: Playable, report: RunReport) -> list[str]:
    expected, event = chosen.vector["expect"], chosen.vector["event"]
    fired = [call.name for call in report.hooks_fired if (call.event or event).lower() == event.lower()]
    ran = sorted(dict.fromkeys(fired) if chosen.kind == "stop" else fired)
    wrong = []
    wanted = sorted(set(expected["ran"]) if chosen.kind == "stop" else expected["ran"]) if "ran" in expected else ran
    if ran != wanted:
        wrong.append(f"ran {', '.join(ran) or 'no hook'}; recorded: {', '.join(wanted) or 'no hook'}")
    wrong += _effect_differences(chosen, report, expected.get("effect"))
    requests = report.model_saw[1:] if chosen.kind in ("before", "after", "stop") else report.model_saw
    said = "\n".join(message.text for request in requests for message in request)
    wrong += [
        f"the model is not told {t[:60]!r}" for t in expected.get("to_model", ()) if "@" not in t and t not in said
    ]
    wrong += [f"the model is told {t[:60]!r}" for t in expected.get("not_to_model", ()) if t in said]
    return wrong


def _effect_differences(chosen: Playable, report: RunReport, effect: str | None) -> Iterator[str]:
    """Where a headless run cannot tell effects apart, as a refusal and a question, nothing is said."""
    requests = len(report.model_saw)
    made = {name for name, is_made in report.files_made.items() if is_made}
    if effect == "stop" and chosen.kind == "before":
        if requests > 1:
            yield "the agent goes on; recorded: it stops"
        if bool(made) is not chosen.vector["expect"].get("tool_runs", bool(made)):
            yield "the tool runs; recorded: it does not run" if made else "the tool does not run; recorded: it runs"
    match chosen.kind, effect:
        case "before", "block" if made:
            yield "the tool runs; recorded: it is blocked"
        case "before", "proceed" if made != chosen.made:
            yield "the tool runs with another input" if made else "the tool is blocked; recorded: it runs"
        case "after", "stop" if requests > 1:
            yield "the agent goes on; recorded: it stops"
        case "after", "proceed" | "feedback" if requests < 2:
            yield "the agent stops; recorded: it goes on"
        case "prompt", "block" | "stop" if requests:
            yield "the prompt reaches the model; recorded: it is blocked"
        case "prompt", "proceed" if not requests:
            yield "the prompt is blocked; recorded: it reaches the model"
        case "stop", "continue" if requests < 2:
            yield "the agent stops; recorded: it is kept going"
        case "stop", "proceed" | "stop" if requests > 1:
            yield "the agent is kept going; recorded: it stops"


def for_old_copilot(chosen: Playable) -> Playable:
    """The same for releases that lack the option by which a folder is trusted, and have a variable and a setting."""
    given = chosen.situation
    files = {**read_files({".copilot/config.json": _OLD_TRUST}), **given.home_files}
    environment = {"GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS": "true", **given.environment}
    older = structs.replace(given, trust=False, home_files=files, environment=environment)
    return structs.replace(chosen, situation=older)


def for_old_qwen(chosen: Playable) -> Playable:
    """The same for releases that run hooks with an option alone."""
    given = chosen.situation
    return structs.replace(
        chosen, situation=structs.replace(given, arguments=(*given.arguments, "--experimental-hooks"))
    )
