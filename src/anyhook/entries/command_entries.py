"""Writes the entries of a bridge: one for every event of a client that a package has hooks for.

An entry answers without anyhook if ``anyhook`` is missing or broken: clients disagree on what a failed hook means
(exit status 127 blocks in Gemini CLI and denies in Copilot CLI), so that must not be left to them. What a broken one
has printed is dropped: a client that expects JSON would find none.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from anyhook.dialects import NAMES
from anyhook.dialects import profile as profile_of
from anyhook.dialects.bound_event import BoundEvent, bind_event, bind_rule
from anyhook.dialects.contract import BLOCKING_STATUS
from anyhook.dialects.events import native_name, native_names
from anyhook.dialects.profile import Order, Profile
from anyhook.dialects.translation.equivalents import EVENTS_BY_KIND, MCP, Route, routes, whole_event
from anyhook.dialects.translation.tool_kinds import tools_for
from anyhook.dialects.translation.tools import is_mcp_name, kinds_of, tool_names
from anyhook.dialects.vocabulary import ANY_KIND
from anyhook.dialects.wire.answers import ProcessAnswer
from anyhook.engine.interpret import interpret
from anyhook.engine.match import Form, matcher_for, seen_tool
from anyhook.engine.raw import RawResult
from anyhook.entries.fail_mode import FailMode, fail_mode, fallback
from anyhook.model.hooks import Action, Command, FateState, HookSet, Rule
from anyhook.model.losses import loss, loss_of
from anyhook.model.outcome import Status
from anyhook.model.problems import Problem
from anyhook.model.wording import join_or

NOT_ANSWERED = "anyhook did not answer"
ANSWERED = 90
"""An entry's ``anyhook exec`` exits with this plus the status for the client; no failure has such a status."""
BRIDGE_OVERHEAD_MS = 5_000
"""What the bridge itself may take, beside the hooks."""
_CAPTURED = "answer=$("
_IN_PLUGIN = re.compile(r"\$\{\w+\}(/[\w./-]+)?")
"""A path in the folder of a plugin, which its client names by a variable."""
_MARK = re.compile(r"(^|[\s/\\\"'(])anyhook(\.exe)?[\"']? exec --client ")


class EntryOptions(Struct, frozen=True, kw_only=True):
    """How the entries of one deployment are written."""

    client: tuple[str, ...] = ()
    """What asks the daemon before it starts the program, if it has to; none: the program is started."""
    program: str = "anyhook"
    """As a shell can start it."""
    source: str = ""
    """The dialect of the hooks, if it cannot be found from the package."""
    package: str = ""
    """The folder of the hooks, when it is not found from the folder in which the client starts hooks."""
    fail: FailMode = "guard"


class Bridged(Struct, frozen=True):
    """The entries for one client, and what it will not do."""

    rules: tuple[Rule, ...]
    losses: tuple[Problem, ...] = ()


def bridge(hooks: HookSet, client: Profile, entry: EntryOptions) -> Bridged:
    """The entries that let these hooks answer a client."""
    source = profile_of(hooks.dialect)
    wanted: dict[str, list[Action]] = {}
    losses: list[Problem] = []
    for rule in hooks.rules:
        ways = _routes(rule, client)
        for action in rule.actions:
            if action.fate.state is not FateState.ACTIVE:
                continue
            losses += _losses(rule, action, ways, source, client)
            for way in ways:
                wanted.setdefault(way.event, []).append(action)
    rules = tuple(_entry_rule(event, actions, source, client, entry) for event, actions in wanted.items())
    return Bridged(rules, tuple(losses))


def _routes(rule: Rule, client: Profile) -> tuple[Route, ...]:
    """The events of the client on which the hooks of a rule must be asked."""
    ways = routes(rule.event, client.name)
    if not rule.kinds or ANY_KIND in rule.kinds:
        return ways
    # A tool of an MCP server may do the same as one of the client's own.
    wanted = tools_for(rule.kinds) | {MCP}
    return tuple(way for way in ways if way.kinds is None or not wanted.isdisjoint(way.kinds))


def is_bridge(action: Action) -> bool:
    """Whether anyhook wrote an entry of a hook file."""
    return isinstance(action, Command) and any(map(is_entry_text, action.commands()))


def is_entry_text(text: str) -> bool:
    """Whether a command line is one of an entry."""
    return "anyhook" in text and bool(_MARK.search(text))


def entry_of(action: Action) -> EntryOptions | None:
    """The options of an entry that anyhook wrote; None: it did not write it."""
    called = _called(action)
    return None if called is None else called.entry


def client_of(action: Action) -> str:
    """The client that an entry was written for; empty: anyhook did not write it."""
    called = _called(action)
    return "" if called is None else called.client


def rewritten(action: Action) -> str | None:
    """The line that anyhook would write for an entry of its own; None: it did not write the entry."""
    called = _called(action)
    if called is None or called.client not in NAMES:
        return None
    return entry_line(profile_of(called.client), called.native_event, called.entry)


class _Called(Struct, frozen=True):
    """What an entry's command line says."""

    entry: EntryOptions
    client: str
    native_event: str


def _called(action: Action) -> _Called | None:
    """The words of an entry before its fallback answer; None: anyhook did not write it, or it cannot be split."""
    if not isinstance(action, Command) or not is_bridge(action):
        return None
    line = next(command for command in action.commands() if _MARK.search(command))
    try:
        words = shlex.split(line.removeprefix(_CAPTURED).partition(" --answered ")[0], posix=os.name != "nt")
    except ValueError:  # an unclosed quote: anyhook did not write it
        return None
    place = words.index("exec") if "exec" in words[1:] else 0
    if not place:
        return None
    options = dict(zip(words[place + 1 :: 2], words[place + 2 :: 2], strict=False))
    entry = EntryOptions(
        client=tuple(words[: place - 1]),
        program=words[place - 1],
        source=options.get("--from", ""),
        package=options.get("--package", ""),
        fail=fail_mode(options.get("--fail")),
    )
    return _Called(entry, options.get("--client", ""), options.get("--event", ""))


def _losses(rule: Rule, action: Action, ways: Sequence[Route], source: Profile, client: Profile) -> Iterator[Problem]:
    is_guard = source.blocks(rule.event)
    if not ways:
        remark = loss("L001", "the hook is left out", f"{client.title} has no event like {rule.native_event}")
        yield loss_of(remark, rule, action, is_guard=is_guard)
        return
    if is_guard and (unblocked := [way.event for way in ways if not client.blocks(way.event)]):
        names = ", ".join(native_name(event, client.name) or event for event in unblocked)
        remark = loss("L002", "the hook can no longer block", f"{client.title} does not let hooks block on {names}")
        yield loss_of(remark, rule, action, is_guard=is_guard)
    for remark in _tool_losses(rule, ways, source, client):
        yield loss_of(remark, rule, action, is_guard=is_guard)


def _tool_losses(rule: Rule, ways: Sequence[Route], source: Profile, client: Profile) -> Iterator[Problem]:
    """Tools that a hook is for and that the client has no event for, or does not have."""
    if whole_event(rule.event) not in EVENTS_BY_KIND or not client.tools.kinds:
        return
    by_kind = frozenset[str]().union(*(way.kinds or () for way in ways))
    tools_of_client = {*client.tools.kinds, *({MCP} if client.tools.mcp else ())}
    if rule.event not in EVENTS_BY_KIND:
        if by_kind and tools_of_client.isdisjoint(by_kind):
            yield loss("L003", "the hook never runs", f"{client.title} has no {join_or(sorted(by_kind))} tool")
        return
    heard = by_kind or tools_of_client
    if rule.kinds and ANY_KIND not in rule.kinds:
        if heard.isdisjoint(tools_for(rule.kinds)):
            yield loss(
                "L003",
                "the hook never runs",
                f"{client.title} has no event for tools of the kind {join_or(rule.kinds)}",
            )
        return
    matcher = matcher_for(source, rule)
    if matcher.form in (Form.EVERYTHING, Form.IGNORED):
        if by_kind:
            why = f"{client.title} has no event for tools other than: {', '.join(sorted(by_kind))}"
            yield loss("L007", "the hook hears only of some tools", why)
        return
    matching = bind_rule(source, rule).profile.matching
    tools = [name for name in sorted(tool_names(source.name)) if matcher.matches(*seen_tool(matching, name))]
    unheard = [name for name in tools if (kinds := kinds_of(name, source.name)) and heard.isdisjoint(kinds)]
    is_mcp = MCP in heard and is_mcp_name((rule.matcher or "").lstrip("^("), source.name)
    if not is_mcp and len(unheard) == len(tools) and (tools or by_kind):
        what = "event for" if by_kind else "tool like"
        yield loss("L003", "the hook never runs", f"{client.title} has no {what} {', '.join(tools) or rule.matcher}")
    elif unheard and by_kind:
        why = f"{client.title} has no event for {', '.join(unheard)}"
        yield loss("L007", "the hook hears only of some tools", why)


def _entry_rule(event: str, actions: Sequence[Action], source: Profile, client: Profile, entry: EntryOptions) -> Rule:
    native = native_name(event, client.name) or event
    command = Command(command=entry_line(client, native, entry), timeout_ms=_timeout_ms(event, actions, source, client))
    return Rule(event=event, native_event=native, actions=(command,))


def _timeout_ms(event: str, actions: Sequence[Action], source: Profile, client: Profile) -> int | None:
    """Time enough for the package's hooks, by their own limits; None where the client takes no such number."""
    if not client.timeouts.configurable:
        return None
    limits = [source.timeouts.effective_ms(action.timeout_ms, action.kind, event) or 0 for action in actions]
    together = sum(limits) if source.execution.order is Order.SEQUENTIAL else max(limits)
    whole_seconds = -(-(together + BRIDGE_OVERHEAD_MS) // 1000) * 1000
    maximum = client.timeouts.maximum_ms(event)
    return whole_seconds if maximum is None else min(whole_seconds, maximum)


def entry_line(client: Profile, native_event: str, entry: EntryOptions) -> str:
    """The command line of an entry, for the shell that the client uses."""
    words = [*entry.client, entry.program, "exec", "--client", client.name, "--event", native_event]
    words += ["--from", entry.source] if entry.source else []
    words += ["--package", entry.package] if entry.package else []
    words += ["--fail", entry.fail] if entry.fail != "guard" else []
    if os.name == "nt":  # cmd cannot express the rest
        return " ".join(f'"{word}"' if " " in word else word for word in words)
    # Not `status`, which zsh lets no one set.
    asks = f"{_CAPTURED}{' '.join(map(_quoted, words))} --answered {ANSWERED}); code=$?"
    relays = f'case $code in 9[0-9]) printf %s "$answer"; exit $((code - {ANSWERED})) ;; esac'
    text = f"{NOT_ANSWERED}, so its hooks were not asked about {native_event}. Is it installed here?"
    return f"{asks}; {relays}; {_said(_instead(client, native_event, entry.fail, text))}"


def _quoted(word: str) -> str:
    """A word for the shell. Claude Code leaves a plugin's variable to the shell, so it must not be in single quotes."""
    return f'"{word}"' if _IN_PLUGIN.fullmatch(word) else shlex.quote(word)


def _instead(client: Profile, native_event: str, fail: FailMode, text: str) -> ProcessAnswer:
    """The entry's own answer. A refusal is an exit status where the client honours that and passes on the reason."""
    sent = fallback(client, native_event, fail, text)
    by_status = ProcessAnswer(exit_code=BLOCKING_STATUS, stderr=text.encode())
    event = native_names(client.name).get(native_event)
    if event is None or sent.exit_code:
        return sent
    bound = bind_event(client, event.name, native_event)
    return by_status if _refuses(bound, sent, text) and _refuses(bound, by_status, text) else sent


def _refuses(bound: BoundEvent, sent: ProcessAnswer, reason: str) -> bool:
    """Whether the client takes an answer for a refusal with this reason: Copilot CLI drops what is on stderr."""
    raw = RawResult(exit_code=sent.exit_code, stdout=sent.stdout, stderr=sent.stderr)
    run = interpret(bound, Command(command=""), raw)
    return run.status is Status.BLOCKED and reason in run.reason


def _said(sent: ProcessAnswer) -> str:
    """Shell commands that print an answer and exit with its status."""
    parts: Mapping[str, bytes] = {"": sent.stdout, " >&2": sent.stderr}
    said = [f"printf '%s\\n' {shlex.quote(text.decode())}{where}" for where, text in parts.items() if text]
    return "; ".join((*said, f"exit {sent.exit_code}"))
