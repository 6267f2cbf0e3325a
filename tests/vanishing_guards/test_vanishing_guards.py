"""No guard vanishes: a deployed hook that blocks does so when the client fires the event, or deploy reports the loss.

The hooks are deployed to files, read back as the client reads them, and asked with what the client sends: recorded
payloads where there are some, else one that its profile encodes. The answer is read by the client's own rules.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from shlex import quote
from typing import Any

import pytest

from anyhook.bridge.answer_event import answer
from anyhook.bridge.prepare_event import prepare
from anyhook.bridge.read_call import Caller
from anyhook.deploy.deployment import Deployment, apply_deployment, plan_deployments
from anyhook.deploy.target_files import writable_clients
from anyhook.dialects import NAMES, profile
from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.places import Writing
from anyhook.dialects.stages import refusal_on
from anyhook.dialects.translation.equivalents import EVENTS_BY_KIND, whole_event
from anyhook.dialects.translation.translate import translate_payload
from anyhook.dialects.wire.answers import encode_reply
from anyhook.dialects.wire.payloads import decode_payload, encode_payload
from anyhook.engine.interpret import interpret
from anyhook.engine.raw import RawResult
from anyhook.entries.command_entries import EntryOptions, is_bridge
from anyhook.model.codes import Severity
from anyhook.model.hooks import Command, FateState, Rule
from anyhook.model.origin import Scope
from anyhook.model.outcome import Status
from anyhook.model.output import Reply
from anyhook.model.payload import PAYLOADS, ToolPayload
from anyhook.model.payload_base import Payload
from anyhook.project.inventory import hooks_for_project
from anyhook.project.project import Project
from anyhook.sources.discover import Roots
from anyhook.sources.state import VARIABLE
from tests.approving import approve
from tests.checkout import CONFORMANCE
from tests.effort import share
from tests.written_hooks import DIALECTS, PACKAGES, write_hooks

pytestmark = pytest.mark.long

CLAUDE = "claude-code"
CALLS = {
    "shell": ("Bash", {"command": "rm -rf /"}),
    "read": ("Read", {"file_path": "/p/.env"}),
    "write": ("Write", {"file_path": "/p/a", "content": "x"}),
    "edit": ("Edit", {"file_path": "/p/a", "old_string": "x", "new_string": "y"}),
    "mcp": ("mcp__memory__store", {"key": "k"}),
}
FIELDS: dict[str, dict[str, Any]] = {
    "UserPromptSubmit": {"prompt": "delete everything"},
    "TeammateIdle": {"teammate_name": "t"},
    "TaskCreated": {"task_id": "1", "task_subject": "x"},
    "TaskCompleted": {"task_id": "1", "task_subject": "x"},
    "Stop": {"stop_hook_active": False},
    "SubagentStop": {"agent_type": "explore", "stop_hook_active": False},
    "SubagentStart": {"agent_type": "explore"},
    "BeforeTabFileRead": {"file_path": "/p/.env"},
    "BeforeShellExecution": {"command": "rm -rf /"},
    "BeforeReadFile": {"file_path": "/p/.env"},
    "BeforeFileEdit": {"file_path": "/p/a", "edits": [{"old_string": "x", "new_string": "y"}]},
    "BeforeMCPExecution": {"tool_name": "store", "tool_input": {"key": "k"}, "mcp_server_name": "memory"},
}
GUARDS = [
    (dialect, event, client)
    for dialect in DIALECTS
    for event in profile(dialect).events
    if profile(dialect).blocks(event)
    for client in writable_clients(Scope.PROJECT)
    if client != dialect
]


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "state"))


def make_hooks(folder: Path, dialect: str, event: str) -> None:
    """A hook file with one hook, which refuses as its client understands it."""
    bound = bind_event(profile(dialect), event)
    refusal = encode_reply(bound, Reply(decision=refusal_on(event), reason="guard: no"))
    command = f"printf %s {quote(refusal.stdout.decode())}; echo 'guard: no' >&2; exit {refusal.exit_code}"
    write_hooks(
        folder, dialect, Rule(event=event, native_event=bound.native_event, actions=(Command(command=command),))
    )


def sent(client: str, entry: Rule, hooked: str) -> Iterator[dict[str, Any]]:
    """What the client sends when an event happens that the guard is for."""
    bound = bind_event(profile(client), entry.event, entry.native_event)
    kinds = [kind for kind, part in EVENTS_BY_KIND["PreToolUse"].items() if hooked in (part, "PreToolUse")]
    for payload in payloads_of(client, entry.event, kinds):
        yield encode_payload(bound, payload)
    for path in sorted((CONFORMANCE / "recordings" / client / "payloads").glob(f"{entry.native_event}[.-]*json")):
        recorded = json.loads(path.read_text())
        payload, problems = decode_payload(profile(client), recorded, entry.native_event)
        is_for_guard = hooked == whole_event(hooked) or not isinstance(payload, ToolPayload)
        if is_for_guard and ".pascal." not in path.name and not problems:
            yield recorded


def payloads_of(client: str, event: str, kinds: list[str]) -> Iterator[Payload]:
    cls = PAYLOADS[event]
    if not issubclass(cls, ToolPayload):
        yield cls(event=event, session_id="s", **FIELDS.get(event, {}))
        return
    for kind in kinds or ["shell"]:
        tool, tool_input = CALLS[kind]
        is_known = kind in profile(client).tools.kinds or (kind == "mcp" and profile(client).tools.mcp)
        call = cls(event=event, tool_name=tool, tool_input=tool_input, session_id="s")
        translated = translate_payload(call, profile(CLAUDE), profile(client)).payload
        if is_known and translated is not None:
            yield translated


def is_blocked(
    client: str, entry: Rule, folder: Path, options: dict[str, str], payload: dict[str, Any], **variables: str
) -> bool:
    """Whether the client, when it starts an entry with this payload, takes the answer for a refusal."""
    environment = {"PATH": os.environ["PATH"], **variables}
    caller = Caller(cwd=approve(folder), home=folder.parent / "home", environment=environment)
    prepared = prepare(options, caller, json.dumps(payload).encode())
    given = asyncio.run(answer(prepared, None, lambda task: None))
    raw = RawResult(exit_code=given.exit_code, stdout=given.stdout, stderr=given.stderr)
    run = interpret(bind_event(profile(client), entry.event, entry.native_event), Command(command="entry"), raw)
    return run.status in (Status.BLOCKED, Status.FAILED_CLOSED)


def fate_of_guard(
    dialect: str, event: str, client: str, folder: Path, afterwards: Callable[[Deployment], None] = lambda _: None
) -> str:
    """What becomes of a guard that is deployed: "reported", "blocks", or else how it vanishes."""
    make_hooks(folder, dialect, event)
    roots = Roots(project=folder, home=folder.parent / "home", system=folder.parent / "system")
    hooks = hooks_for_project(dialect, roots)
    (plan,) = plan_deployments(Project(roots), hooks, [client], Scope.PROJECT, "bridge", EntryOptions(source=dialect))
    assert not plan.refusal
    if any(loss.severity is Severity.ERROR for loss in plan.losses):
        return "reported"
    apply_deployment(plan)
    afterwards(plan)
    entries = [rule for rule in hooks_for_project(client, roots).rules if any(map(is_bridge, rule.actions))]
    if not entries:
        return "no entry is written"
    if not all(action.fate.state is FateState.ACTIVE for rule in entries for action in rule.actions):
        return "the client does not load the entry"
    for entry in entries:
        options = {"--client": client, "--event": entry.native_event, "--from": dialect}
        fired = list(sent(client, entry, event))
        assert fired
        for payload in fired:
            if not is_blocked(client, entry, folder, options, payload):
                return f"it lets pass: {payload}"
    return "blocks"


PLAYED = share(GUARDS, 4, lambda guard: guard[0] in ("universal", "open-plugins"))


@pytest.mark.parametrize(("dialect", "event", "client"), PLAYED)
def test_a_deployed_guard_blocks_or_its_loss_is_reported(dialect: str, event: str, client: str, tmp_path: Path) -> None:
    assert fate_of_guard(dialect, event, client, tmp_path / "project") in ("blocks", "reported")


def lose_entries(plan: Deployment) -> None:
    for change in plan.changes:
        change.file.path.unlink()


def lose_layout(plan: Deployment) -> None:
    """The form in which Factory Droid ignores its file, and anyhook once wrote it."""
    path = plan.changes[-1].file.path
    path.write_text(json.dumps({"hooks": json.loads(path.read_text())}))


def lose_hook(plan: Deployment) -> None:
    path = plan.changes[-1].file.path.parents[1] / PACKAGES["universal"]
    path.write_text(path.read_text().replace("printf", "true"))


@pytest.mark.parametrize(
    ("lose", "client", "fate"),
    [
        (lose_entries, "codex", "no entry is written"),
        (lose_layout, "factory-droid", "the client does not load the entry"),
        (lose_hook, "codex", "it lets pass: "),
        (lambda _: None, "codex", "blocks"),
    ],
)
def test_a_guard_that_vanishes_is_noticed(
    lose: Callable[[Deployment], None], client: str, fate: str, tmp_path: Path
) -> None:
    assert fate_of_guard("universal", "PreToolUse", client, tmp_path / "project", lose).startswith(fate)


def test_every_format_event_and_client_is_covered() -> None:
    """Every format that has hook files, every event that its hooks can block, every client that can be deployed to."""
    with_files = {
        name for name in NAMES if any(s.scope in (Scope.PROJECT, Scope.PLUGIN) for s in profile(name).sources)
    }
    assert set(DIALECTS) == with_files
    blocked = [(name, event) for name in with_files for event in profile(name).events if profile(name).blocks(event)]
    clients = [name for name in NAMES if any(s.writing is not Writing.NEVER for s in profile(name).sources)]
    expected = {(name, event, client) for name, event in blocked for client in clients if client != name}
    assert set(GUARDS) == expected
    assert (len(clients), len(blocked)) >= (13, 111)


SHARED = [
    (owner, event, caller)
    for owner in writable_clients(Scope.PROJECT)
    for caller in profile(owner).recognition.also_called_by
    for event in profile("universal").events
    if profile("universal").blocks(event) and event in profile(owner).events
    if profile(caller).blocks(event) and event in profile(caller).events
]


@pytest.mark.parametrize(("owner", "event", "caller"), SHARED)
def test_a_guard_in_a_file_that_another_client_reads_blocks_there(
    owner: str, event: str, caller: str, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    make_hooks(folder, "universal", event)
    entry = Rule(event=event, native_event=profile(owner).events[event][0], actions=())
    # As the reader fires it: under the name in the file if it has that, else under its own.
    known = entry.native_event in profile(caller).events[event]
    native = entry.native_event if known else profile(caller).events[event][0]
    signs = profile(caller).recognition
    bound = bind_event(profile(caller), event, native)
    for payload in payloads_of(caller, event, ["shell"]):
        sent_by_caller = dict.fromkeys(signs.caller_keys, "2026-01-01T00:00:00Z") | encode_payload(bound, payload)
        options = {"--client": owner, "--event": entry.native_event}
        variables = dict.fromkeys(signs.caller_environment, "1")
        assert is_blocked(caller, entry, folder, options, sent_by_caller, **variables), sent_by_caller
