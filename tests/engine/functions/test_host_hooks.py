"""Hooks that a host hands over as objects: maps of events to matchers with functions, configurations, options."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest

from anyhook.engine.engine import Engine
from anyhook.engine.executors.callback import CallbackContext
from anyhook.engine.functions.host_hooks import HookMatcher, merge, parse
from anyhook.model.hooks import FateState
from anyhook.model.outcome import Effect
from anyhook.model.payload import PreToolUse, Stop
from anyhook.model.payload_base import Payload
from anyhook.model.problems import UsageError

BASH = PreToolUse(tool_name="Bash", tool_input={"command": "rm -rf /"}, tool_use_id="toolu_1")
READ = PreToolUse(tool_name="Read", tool_input={})


def no(payload: Payload) -> str:
    return "deny"


class Likeness(NamedTuple):
    """Another library's matcher: only its attributes count."""

    matcher: str | None
    hooks: Sequence[Callable[..., Any]]


@dataclasses.dataclass
class Options:
    """Another library's options."""

    hooks: Any


@pytest.mark.parametrize(
    "config",
    [
        {"PreToolUse": [HookMatcher(matcher="Bash", hooks=[no])]},
        {"PreToolUse": [HookMatcher("Bash", (no,), 5)]},
        {"PreToolUse": (Likeness("Bash", [no]),)},
        {"PreToolUse": [{"matcher": "Bash", "hooks": [no]}]},
        {"hooks": {"PreToolUse": [HookMatcher("Bash", [no])]}},
        {"hooks": {"PreToolUse": [HookMatcher("Bash", [no])]}, "model": "any"},
        Options({"PreToolUse": [HookMatcher("Bash", [no])]}),
    ],
    ids=range(7),
)
def test_a_map_of_events_to_matchers(config: Any) -> None:
    hooks = parse(config, "claude-code")
    assert hooks.problems == ()
    engine = Engine(hooks)
    assert engine.fire_sync(BASH).effect is Effect.BLOCK
    assert engine.fire_sync(READ).effect is Effect.PROCEED


@pytest.mark.parametrize("config", [{"PreToolUse": [no]}, {"PreToolUse": no}, {"pre-tool-use": [no]}], ids=range(3))
def test_a_function_alone_is_for_every_tool(config: Any) -> None:
    engine = Engine(parse(config, "claude-code"))
    assert [engine.fire_sync(event).effect for event in (BASH, READ)] == [Effect.BLOCK, Effect.BLOCK]


@pytest.mark.parametrize("config", [{}, {"hooks": {}}, Options(None)], ids=range(3))
def test_no_hooks_are_no_problem(config: Any) -> None:
    hooks = parse(config, "agent-sdk")
    assert (hooks.dialect, hooks.rules, hooks.problems) == ("agent-sdk", (), ())


def test_functions_run_after_hooks_that_are_data() -> None:
    seen: list[str] = []
    group = {"matcher": "Bash", "hooks": [lambda payload: seen.append("function"), {"type": "command", "command": ":"}]}
    hooks = parse({"PreToolUse": [group, {"hooks": [{"type": "command", "command": ":"}]}]}, "code-agent")
    assert [(rule.matcher, [action.kind for action in rule.actions]) for rule in hooks.rules] == [
        ("Bash", ["command"]),
        (None, ["command"]),
        ("Bash", ["callback"]),
    ]
    Engine(hooks).fire_sync(BASH)
    assert seen == ["function"]


def test_a_timeout_is_for_each_function_and_0_is_none() -> None:
    given = {"PreToolUse": [HookMatcher(None, [no, no], 2.5), HookMatcher(None, [no], 0)]}
    limits = [action.timeout_ms for rule in parse(given, "agent-sdk").rules for action in rule.actions]
    assert limits == [2500, 2500, None]


def test_a_hook_is_known_by_its_place_in_the_map() -> None:
    contexts: list[CallbackContext] = []

    def callback(payload: Payload, tool_use_id: str | None, context: CallbackContext) -> None:
        contexts.append(context)

    engine = Engine(parse({"Stop": [HookMatcher(hooks=[callback], timeout=9)]}, "agent-sdk"))
    [run] = engine.fire_sync(Stop()).runs
    assert (run.origin.pointer, contexts) == ("/Stop/0", [CallbackContext("/Stop/0", 9)])
    assert engine.unregister("/Stop/0")
    assert engine.fire_sync(Stop()).runs == ()


def test_a_function_that_can_never_be_called_is_a_problem() -> None:
    def two(payload: Payload, tool_use_id: str) -> None: ...

    hooks = parse({"PreToolUze": [no], "Stop": [HookMatcher(hooks=[two]), no]}, "agent-sdk")
    assert [(each.code, each.origin.pointer) for each in hooks.problems] == [
        ("E001", "/PreToolUze/0"),
        ("K007", "/Stop/0"),
    ]
    assert "no client has an event called 'PreToolUze'" in hooks.problems[0].text
    assert [rule.origin.pointer for rule in hooks.rules] == ["/Stop/1"]


def test_data_with_a_mistake_is_a_problem() -> None:
    hooks = parse({"hooks": {"PreToolUze": [{"hooks": [{"type": "command", "command": ":"}]}]}}, "claude-code")
    assert "E001" in [problem.code for problem in hooks.problems]


def test_a_client_that_does_not_exist() -> None:
    with pytest.raises(UsageError, match="there is no client 'clude'"):
        parse({"PreToolUse": [no]}, "clude")
    assert parse({}, "Claude").dialect == "claude-code"


# --- mistakes, and several configurations

TRUE = {"hooks": [{"type": "command", "command": "true"}]}


@pytest.mark.parametrize("client", ["code-agent", "universal", "open-plugins", "claude-code"])
@pytest.mark.parametrize(
    ("config", "what"), [(None, "null"), ([1], "a list"), ((1,), "a list"), ("s", "text"), (3, "a number")]
)
def test_what_is_no_configuration_is_a_problem(config: object, what: str, client: str) -> None:
    hooks = parse(config, client)
    assert [problem.text for problem in hooks.problems] == [f"the file holds {what}, not an object"]
    assert not hooks.rules


@pytest.mark.parametrize(
    ("client", "event"), [("code-agent", "PreToolUse"), ("universal", "pre-tool-use"), ("open-plugins", "PreToolUse")]
)
def test_an_invalid_matcher_is_a_problem(client: str, event: str) -> None:
    config = {"version": 1, "hooks": {event: [{**TRUE, "matcher": "Bash("}]}}
    assert "M001" in [problem.code for problem in parse(config, client).problems]
    config["hooks"] = {event: [{**TRUE, "matcher": "Bash"}]}
    assert "M001" not in [problem.code for problem in parse(config, client).problems]


def test_configurations_are_merged_in_their_order_without_duplicates() -> None:
    other = {"hooks": [{"type": "command", "command": "false"}]}
    merged = merge(parse({"Stop": [other, TRUE]}, "code-agent"), parse({"Stop": [TRUE]}, "code-agent"))
    active = [a.summary() for rule in merged.rules for a in rule.actions if a.fate.state is FateState.ACTIVE]
    assert active == ["false", "true"]


def test_a_configuration_that_is_merged_twice_runs_once() -> None:
    once = parse({"Stop": [TRUE]}, "code-agent")
    assert len(Engine(merge(once, once)).fire_sync(Stop()).runs) == 1


@pytest.mark.parametrize("other", [None, [], {}, {"Stop": [TRUE]}])
def test_what_is_no_set_of_hooks_is_not_merged(other: Any) -> None:
    with pytest.raises(TypeError, match="merge takes what parse and load return"):
        merge(parse({"Stop": [TRUE]}, "code-agent"), other)


def test_a_map_of_events_is_read_for_a_client_that_has_no_hooks_around_them() -> None:
    hooks = parse({"PreToolUse": [{"type": "command", "command": "true"}]}, "mastra-code")
    assert hooks.problems == ()
    assert [a.fate.state for rule in hooks.rules for a in rule.actions] == [FateState.ACTIVE]


def test_hooks_of_two_clients_are_not_merged() -> None:
    with pytest.raises(ValueError, match="one client"):
        merge(parse({"Stop": [TRUE]}, "code-agent"), parse({"Stop": [TRUE]}, "claude-code"))
