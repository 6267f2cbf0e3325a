"""Fills the tables of ``docs/writing-hooks.md`` from the profiles. The prose between them is written by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import structs

from anyhook.dialects import real_clients
from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.profile import Profile
from anyhook.dialects.translation.tools import native_input
from anyhook.dialects.wire.answers import encode_reply
from anyhook.dialects.wire.payloads import encode_payload
from anyhook.model.events import BY_NAME, EVENTS, FoldRule
from anyhook.model.output import Decision, Reply
from anyhook.model.payload import PAYLOADS
from anyhook.model.payload_base import Payload
from anyhook.model.wording import join_and
from anyhook.testing.scaffold.example_events import make_payload
from anyhook.testing.scaffold.new_case import FIELDS, INPUTS
from tools.site.markdown import table

CLIENTS = tuple(known for known in real_clients() if known.runs_hooks)

_part = re.compile(r"(<!-- generated: (?P<name>\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

_CAN = {
    FoldRule.DECISION: "allow, refuse or ask the user; change the input",
    FoldRule.GATE: "refuse",
    FoldRule.FEEDBACK: "tell the model",
    FoldRule.CONTINUATION: "keep the agent going",
    FoldRule.CONTEXT: "tell the model",
    FoldRule.REPLACEMENT: "replace a value",
    FoldRule.OBSERVE: "watch",
}
_REASON = "Ask first."
REPLIES: Mapping[str, tuple[str, str, Reply]] = {
    "refuse": ("refuse a tool call", "PreToolUse", Reply(decision=Decision.DENY, reason=_REASON)),
    "ask": ("let the user decide", "PreToolUse", Reply(decision=Decision.ASK, reason=_REASON)),
    "rewrite": (
        "change the input of a tool",
        "PreToolUse",
        Reply(decision=Decision.ALLOW, updated_input={"command": "ls -l"}),
    ),
    "tell": (
        "tell the model something with a prompt",
        "UserPromptSubmit",
        Reply(context="The shop runs on Python 3.12."),
    ),
    "tell_later": (
        "tell the model something after a tool has run",
        "PostToolUse",
        Reply(decision=Decision.BLOCK, reason="The linter fails."),
    ),
    "go_on": ("keep the agent going", "Stop", Reply(decision=Decision.BLOCK, reason="Run the tests.")),
}
"""What a hook can say: its name in the page, in words, on which event, and the reply."""


def filled(text: str) -> str:
    """The page with every generated part as it must be."""
    return _part.sub(lambda found: f"{found[1]}\n{_PARTS[found['name']]()}\n\n{found[3]}", text)


def _code(text: str) -> str:
    return f"`{text}`"


def _clients(profiles: Iterable[Profile]) -> str:
    """Their titles; if nearly all, those that are missing."""
    named = {known.name for known in profiles}
    others = [known.title for known in CLIENTS if known.name not in named]
    if not others:
        return "all"
    if len(others) <= 2 < len(named):
        return f"all but {join_and(others)}"
    return join_and([known.title for known in CLIENTS if known.name in named])


def _grouped(pairs: Iterable[tuple[str, Profile]]) -> dict[str, list[Profile]]:
    """The clients by what they have in common, the largest group first."""
    found: dict[str, list[Profile]] = {}
    for text, known in pairs:
        found.setdefault(text, []).append(known)
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))


# Events and payloads


def _events() -> str:
    rows = []
    for event in EVENTS:
        having = [known for known in CLIENTS if event.name in known.events]
        if len(having) > 1:
            names = _grouped((_code(known.events[event.name][0]), known) for known in having)
            spelled = "; ".join(f"{name}: {_clients(group)}" for name, group in names.items())
            rows.append((_code(event.name), _CAN[event.fold], str(event.subject), spelled))
    return table(("event", "a hook can", "the matcher sees", "names"), rows)


def _single_events() -> str:
    """Events that one client has."""
    found: dict[str, list[str]] = {}
    for event in EVENTS:
        having = [known for known in CLIENTS if event.name in known.events]
        if len(having) == 1:
            found.setdefault(having[0].title, []).append(_code(having[0].events[event.name][0]))
    return table(("client", "events that only it has"), [(title, ", ".join(names)) for title, names in found.items()])


def _fields() -> str:
    every = [field.name for field in structs.fields(Payload) if field.name not in _NOT_SENT]
    rows = [("every event", ", ".join(map(_code, every)))]
    for event in EVENTS:
        own = [field.name for field in structs.fields(PAYLOADS[event.name]) if field.name not in {*every, *_NOT_SENT}]
        if own and sum(event.name in known.events for known in CLIENTS) > 1:
            rows.append((_code(event.name), ", ".join(map(_code, own))))
    return table(("event", "fields"), rows)


_NOT_SENT = {"event", "native_event", "extra", "spelling"}


def _payloads() -> str:
    rows = [(known.title, _code(json.dumps(_payload(known), separators=(",", ":")))) for known in CLIENTS]
    return table(("client", "what a hook reads on stdin before `ls` runs in the shell"), rows)


def _payload(known: Profile) -> dict[str, Any]:
    event = BY_NAME[_before_shell(known)]
    name = next(iter(known.tools.kinds["shell"].names))
    values, _ = native_input(INPUTS["shell"], "shell", known.name)
    own = {"tool_name": name, "tool_input": values} if event.name == "PreToolUse" else FIELDS[event.name]
    payload = make_payload(event, {**own, "session_id": "4f2a", "cwd": "/src/shop"}, known.name)
    return encode_payload(bind_event(known, event.name), payload)


def _before_shell(known: Profile) -> str:
    """The event before a command: of all tools, or of the shell alone."""
    return "PreToolUse" if "PreToolUse" in known.events else "BeforeShellExecution"


# Replies


def _exits() -> str:
    rows = [(known.title, status_two(known), other_status(known), json_status(known)) for known in CLIENTS]
    return table(("client", "status 2", "a status other than 0 and 2", "stdout is read as JSON"), rows)


def status_two(known: Profile) -> str:
    needs = {"stderr": "blocks if stderr has a reason", "any text": "blocks if a reason is printed"}
    listens = [name for name in known.exits.ignored_on if known.blocks(name) or BY_NAME[name].fold is FoldRule.FEEDBACK]
    unless = sorted(known.events[name][0] for name in listens if name in known.events)
    return needs.get(known.exits.needs, "blocks") + (f"; not on {join_and(list(map(_code, unless)))}" if unless else "")


def other_status(known: Profile) -> str:
    exits = known.exits
    above = exits.blocks_above.get("*")
    if above == 0:
        return "blocks"
    closed = sorted({*exits.fails_closed_on, *(event for event in exits.blocks_above if event != "*")})
    named = [_code(known.events[name][0]) for name in closed if name in known.events]
    if above is not None:
        return f"above {above} blocks; else the hook has failed"
    if not named:
        return "the hook has failed, and the call goes ahead"
    return f"blocks on {join_and(named)}; else the hook has failed"


def json_status(known: Profile) -> str:
    if not known.answers.speaks_json:
        return "never"
    return {"zero": "with status 0", "not two": "with any status but 2"}.get(known.exits.json, "with any status")


def _answers(event: str, reply: Reply) -> Callable[[], str]:
    """Which reply says this to which client."""

    def rows() -> str:
        groups = _grouped((said(known, event, reply), known) for known in CLIENTS)
        ordered = sorted(groups.items(), key=lambda item: item[0].startswith(("no such event", "not possible")))
        return table(("reply", "clients"), [(said, _clients(group)) for said, group in ordered])

    return rows


def said(known: Profile, event: str, reply: Reply) -> str:
    """How a hook says this to the client."""
    if event == "PreToolUse":
        event = _before_shell(known)
    if event not in known.events:
        return "no such event"
    answer = encode_reply(bind_event(known, event), reply)
    if answer.lost:
        return "not possible"
    if answer.exit_code:
        return f"exit status {answer.exit_code}, and `{answer.stderr.decode()}` on stderr"
    return _code(answer.stdout.decode())


def _variables() -> str:
    rows = []
    for known in CLIENTS:
        execution = known.execution
        lists: Sequence[Iterable[str]] = (execution.exports, execution.plugin_exports, execution.substituted)
        rows.append((known.title, *(", ".join(map(_code, names)) or "none" for names in lists)))
    return table(("client", "set for every hook", "also for hooks of plugins", "replaced in the command"), rows)


def _limits() -> str:
    rows = []
    for known in CLIENTS:
        limits = known.timeouts
        default = "none" if limits.default_ms is None else f"{limits.default_ms / 1000:g} s"
        unit = "cannot be set" if not limits.configurable else f"{limits.unit}"
        cap = known.stopping.cap
        rows.append((known.title, unit, default, "no limit" if cap is None else str(cap)))
    return table(("client", "unit of a time limit", "without one", "stops that hooks may prevent in a row"), rows)


_PARTS: Mapping[str, Callable[[], str]] = {
    "events": _events,
    "single_events": _single_events,
    "fields": _fields,
    "payloads": _payloads,
    "exits": _exits,
    **{name: _answers(event, reply) for name, (_, event, reply) in REPLIES.items()},
    "variables": _variables,
    "limits": _limits,
}
