"""``kind`` in ``hooks.json``: a hook for what a tool does runs for every tool of every client that does it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from anyhook.bridge.prepare_event import prepare
from anyhook.bridge.read_call import Caller
from anyhook.deploy.convert.convert import convert_hooks
from anyhook.dialects import NAMES, dialect, profile
from anyhook.dialects.bound_event import bind_payload, bind_rule
from anyhook.dialects.files.schema import json_schema
from anyhook.dialects.translation.equivalents import MCP, routes
from anyhook.dialects.translation.tool_kinds import tools_for
from anyhook.dialects.translation.tools import native_input, tools_of_kind
from anyhook.dialects.translation.translate import translate_payload
from anyhook.dialects.vocabulary import TOOL_KINDS
from anyhook.dialects.wire.payloads import encode_payload
from anyhook.engine.match import Form, matcher_for, seen_tool
from anyhook.engine.plan import plan_event
from anyhook.model.hooks import HookSet
from anyhook.model.lazyjson import dump_json
from anyhook.model.payload import PreToolUse
from anyhook.model.payload_base import Payload
from anyhook.project.asked_packages import HookPackage
from anyhook.project.package_hooks import PackageHooks

KINDS = [kind for kind in TOOL_KINDS if kind not in (MCP, "any")]
INPUTS: dict[str, dict[str, Any]] = {
    "shell": {"command": "ls"},
    "write": {"file_path": "a", "content": "x"},
    "edit": {"file_path": "a", "old_string": "x", "new_string": "y"},
    "notebook": {"notebook_path": "a", "new_source": "x"},
    "read": {"file_path": "a"},
    "web fetch": {"url": "https://example.com"},
}
CLIENTS = [name for name in NAMES if routes("PreToolUse", name) and profile(name).tools.kinds]
WHOLE = [name for name in CLIENTS if "PreToolUse" in profile(name).events]
"""Those with one event for all tools."""


def package(folder: Path, **group: Any) -> HookSet:
    (folder / "hooks").mkdir()
    groups = [{**group, "hooks": [{"type": "command", "command": "exit 2"}]}]
    (folder / "hooks" / "hooks.json").write_text(json.dumps({"version": 1, "hooks": {"pre-tool-use": groups}}))
    hooks = PackageHooks(folder).of("universal")
    assert hooks.problems == ()
    return hooks


def calls(client: str, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every call of a tool of a kind that a client's table has."""
    for own in sorted(tools_for((kind,))):
        for name in tools_of_kind(own, client):
            yield name, native_input(INPUTS.get(own, {"query": "x"}), own, client)[0]


def is_asked(hooks: HookSet, project: Path, client: str, sent: Payload) -> bool:
    """Whether the hooks run for an event of a client that asks anyhook."""
    bound = bind_payload(profile(client), sent)
    prepared = prepare(
        {"--client": client, "--event": bound.native_event},
        Caller(cwd=project, home=project.parent, environment={}),
        dump_json(encode_payload(bound, sent)),
        lambda *_, **__: (HookPackage(hooks, project),),
    )
    payload = prepared.packages[0].hook_payload if prepared.packages else None
    if payload is None:
        return False
    tool = str(payload.get("tool_name"))
    return bool(plan_event(hooks, profile("universal"), payload.event, tool, payload).runs)


def call(client: str, tool: str, given: dict[str, Any]) -> Payload:
    native = profile(client).events["PreToolUse"][0]
    return PreToolUse(session_id="s", cwd="/", tool_name=tool, tool_input=given, native_event=native)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("client", WHOLE)
def test_a_kind_matches_every_tool_of_every_client_that_asks_anyhook(client: str, kind: str, tmp_path: Path) -> None:
    hooks = package(tmp_path, kind=kind)
    missed = [
        tool for tool, given in calls(client, kind) if not is_asked(hooks, tmp_path, client, call(client, tool, given))
    ]
    assert missed == []


@pytest.mark.parametrize(("kind", "tool", "given"), [("shell", "Bash", "shell"), ("edit", "Write", "write")])
@pytest.mark.parametrize("client", CLIENTS)
def test_clients_with_an_event_for_each_kind(client: str, kind: str, tool: str, given: str, tmp_path: Path) -> None:
    hooks = package(tmp_path, kind=kind)
    event = PreToolUse(session_id="s", tool_name=tool, tool_input=INPUTS[given], native_event="pre-tool-use")
    sent = translate_payload(event, profile("universal"), profile(client)).payload
    assert sent is None or is_asked(hooks, tmp_path, client, sent)


@pytest.mark.parametrize("client", WHOLE)
def test_tools_that_no_table_has(client: str, tmp_path: Path) -> None:
    hooks = package(tmp_path, kind="shell")
    new = call(client, "SuperShell", {"cmd": "ls"})
    assert is_asked(hooks, tmp_path, client, new)
    assert not is_asked(hooks, tmp_path, client, call(client, "SuperView", {"file": "a"}))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("client", WHOLE)
def test_a_converted_kind_matches_every_known_tool(client: str, kind: str, tmp_path: Path) -> None:
    converted = convert_hooks(package(tmp_path, kind=kind).rules, profile("universal"), profile(client))
    tools = [tool for tool, _ in calls(client, kind)]
    if not tools:
        assert converted.rules == ()
        assert any(loss.text.partition(": ")[0] == "the hook is left out" for loss in converted.losses)
        return
    found = [
        (bind_rule(profile(client), rule).profile.matching, matcher_for(profile(client), rule))
        for rule in converted.rules
    ]
    matched = {tool for tool in tools for own, matcher in found if matcher.matches(*seen_tool(own, tool))}
    assert matched == set(tools)
    is_everything = any(matcher.form in (Form.EVERYTHING, Form.IGNORED) for _, matcher in found)
    told = any(
        loss.text.partition(": ")[0] == f"kind {kind} is written as the names of such tools"
        for loss in converted.losses
    )
    assert told is not (is_everything or client == "universal")


def test_a_kind_and_a_matcher(tmp_path: Path) -> None:
    converted = convert_hooks(
        package(tmp_path, kind=["edit"], matcher="Write|Bash").rules, profile("universal"), profile("gemini-cli")
    )
    assert [rule.matcher for rule in converted.rules] == ["^write_file$"]


def test_an_event_for_each_kind_natively(tmp_path: Path) -> None:
    converted = convert_hooks(package(tmp_path, kind="shell").rules, profile("universal"), profile("windsurf"))
    assert [rule.native_event for rule in converted.rules] == ["pre_run_command"]


def test_any_kind_is_every_tool(tmp_path: Path) -> None:
    converted = convert_hooks(package(tmp_path, kind="any").rules, profile("universal"), profile("codex"))
    assert [rule.matcher for rule in converted.rules] == [None]
    assert not any("kind" in loss.text.partition(": ")[0] for loss in converted.losses)


@pytest.mark.parametrize(
    ("event", "kind", "text"),
    [
        ("pre-tool-use", "shel", "there is no kind 'shel' of tools"),
        ("pre-tool-use", [], "the kind is neither a text nor a list of texts"),
        ("pre-tool-use", {"shell": True}, "the kind is neither a text nor a list of texts"),
        ("stop", "shell", "stop is not about a tool"),
    ],
)
def test_a_wrong_kind_is_an_error_and_never_every_tool(event: str, kind: Any, text: str, tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    groups = [{"kind": kind, "hooks": [{"type": "command", "command": "exit 2"}]}]
    file = tmp_path / "hooks" / "hooks.json"
    file.write_text(json.dumps({"version": 1, "hooks": {event: groups}}))
    hooks = PackageHooks(tmp_path).of("universal")
    assert [(problem.code, problem.severity, problem.text) for problem in hooks.problems] == [("K007", "error", text)]
    assert [action.fate.why for rule in hooks.rules for action in rule.actions] == [text]
    if event != "stop":
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(json.loads(file.read_text()), json_schema(profile("universal")))


def test_the_schema_and_the_writer_know_kinds(tmp_path: Path) -> None:
    hooks = package(tmp_path, kind=["shell", "fetch"])
    written = dialect("universal").write(hooks.rules)
    assert written["hooks"]["pre-tool-use"][0]["kind"] == ["shell", "fetch"]
    jsonschema.validate(written, json_schema(profile("universal")))
