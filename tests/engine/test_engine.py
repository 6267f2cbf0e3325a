"""The engine between events: background hooks, and agents that are kept going too often."""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path
from typing import Any

import pytest

from anyhook.dialects.events import native_name
from anyhook.engine import background
from anyhook.engine.engine import Engine
from anyhook.model.hooks import Command, HookSet, Rule
from anyhook.model.outcome import Effect, Outcome
from anyhook.model.payload import PostToolUse, PreToolUse, Stop, SubagentStop
from anyhook.model.payload_base import Payload


def engine_with(client: str, event: str, *commands: str, tmp_path: Path, **more: Any) -> Engine:
    actions = tuple(Command(command=text, **more) for text in commands)
    rule = Rule(event=event, native_event=native_name(event, client) or event, actions=actions)
    return Engine(HookSet(dialect=client, rules=(rule,)), project=tmp_path, home=tmp_path)


BLOCK = """cat > /dev/null; echo '{"decision": "block", "reason": "go on"}'"""


@pytest.mark.parametrize(("client", "cap"), [("claude-code", 8), ("qwen-code", 8), ("copilot-cli", 8)])
def test_an_agent_is_not_kept_going_for_ever(client: str, cap: int, tmp_path: Path) -> None:
    engine = engine_with(client, "Stop", BLOCK, tmp_path=tmp_path)

    async def play() -> list[Effect]:
        return [(await engine.fire(Stop(session_id="s", stop_hook_active=n > 0))).effect for n in range(cap + 2)]

    assert asyncio.run(play()) == [Effect.CONTINUE] * cap + [Effect.PROCEED, Effect.CONTINUE]


@pytest.mark.parametrize(
    ("client", "payload"),
    [
        ("codex", Stop(session_id="s", stop_hook_active=True)),
        ("copilot-cli", SubagentStop(session_id="s", stop_hook_active=True, agent_id="a", agent_type="t")),
    ],
)
def test_some_clients_have_no_cap(client: str, payload: Payload, tmp_path: Path) -> None:
    engine = engine_with(client, payload.event, BLOCK, tmp_path=tmp_path)

    async def play() -> set[Effect]:
        return {(await engine.fire(payload)).effect for _ in range(10)}

    assert asyncio.run(play()) == {Effect.CONTINUE}


EVENT = PostToolUse(session_id="s", tool_name="Bash", tool_input={}, tool_response="")
CONTEXT = """{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "late news"}}"""


def test_context_of_a_background_hook_arrives_with_the_next_event(tmp_path: Path) -> None:
    engine = engine_with(
        "claude-code", "PostToolUse", f"cat > /dev/null; echo '{CONTEXT}'", tmp_path=tmp_path, is_async=True
    )

    async def play() -> tuple[tuple[str, ...], tuple[str, ...]]:
        first = await engine.fire(EVENT)
        await asyncio.wait(engine._background.tasks)
        second = await engine.fire(Stop(session_id="s", stop_hook_active=False))
        await engine.close()
        return first.to_model, second.to_model

    assert asyncio.run(play()) == ((), ("late news",))


def test_what_follows_the_announcement_is_the_answer(tmp_path: Path) -> None:
    command = f"""cat > /dev/null; echo '{{"async": true}}'; sleep 0.2; echo '{CONTEXT}'"""
    engine = engine_with("claude-code", "PostToolUse", command, tmp_path=tmp_path)

    async def play() -> tuple[str, ...]:
        await engine.fire(EVENT)
        await engine.close(wait=120)
        return (await engine.fire(Stop(session_id="s", stop_hook_active=False))).to_model

    assert asyncio.run(play()) == ("late news",)


def test_background_hooks_wait_for_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "MAX_CONCURRENT", 2)
    count = (
        f"cat > /dev/null; touch {tmp_path}/$$; ls {tmp_path} | wc -l >> {tmp_path}.log; sleep 0.2; rm {tmp_path}/$$"
    )
    engine = engine_with(
        "claude-code", "PostToolUse", *[f"{count} # {n}" for n in range(6)], tmp_path=tmp_path, is_async=True
    )

    async def play() -> None:
        await engine.fire(EVENT)
        await engine.close(wait=120)

    asyncio.run(play())
    seen = [int(line) for line in Path(f"{tmp_path}.log").read_text().split()]
    assert len(seen) == 6
    assert max(seen) <= 2


def test_background_hooks_that_never_got_room_end_quietly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "MAX_CONCURRENT", 1)
    commands = [f"cat > /dev/null; sleep 600 # {number}" for number in range(3)]
    engine = engine_with("claude-code", "PostToolUse", *commands, tmp_path=tmp_path, is_async=True)

    async def play() -> None:
        await engine.fire(EVENT)
        await engine.close(wait=0.2)

    asyncio.run(play())
    assert not engine._background.tasks


def test_a_reply_that_is_broken_json_is_a_problem(tmp_path: Path) -> None:
    broken = """cat > /dev/null; echo '{"decision": "block",}'"""
    engine = engine_with("copilot-vscode", "Stop", broken, tmp_path=tmp_path)
    outcome = engine.fire_sync(Stop(session_id="s", stop_hook_active=False))
    (problem,) = outcome.problems
    assert problem.code == "A004"
    assert problem.text == "the reply is not valid JSON: VS Code reads it as plain text, which decides nothing"


@pytest.mark.parametrize(("client", "field"), [("claude-code", "to_user"), ("agent-sdk", "to_model")])
def test_a_message_of_a_background_hook_arrives_with_the_next_event(client: str, field: str, tmp_path: Path) -> None:
    command = """cat > /dev/null; echo '{"async": true}'; echo '{"systemMessage": "late news"}'"""
    engine = engine_with(client, "PostToolUse", command, tmp_path=tmp_path)

    async def play() -> Outcome:
        await engine.fire(EVENT)
        await engine.close(wait=120)
        return await engine.fire(Stop(session_id="s", stop_hook_active=False))

    assert "late news" in getattr(asyncio.run(play()), field)


def test_fire_sync_where_a_loop_runs_names_the_remedy() -> None:
    async def host() -> None:
        Engine(HookSet(dialect="claude-code")).fire_sync(Stop())

    with pytest.raises(RuntimeError, match=r"use `await engine.fire\(...\)` instead of fire_sync"):
        asyncio.run(host())


def test_fire_sync_without_a_descriptor_for_a_loop_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> asyncio.AbstractEventLoop:
        raise OSError(errno.EMFILE, "Too many open files")

    rule = Rule(event="PreToolUse", native_event="PreToolUse", actions=(Command(command="true"),))
    payload = PreToolUse(tool_name="Bash", tool_input={"command": "ls"})
    monkeypatch.setattr(asyncio.events, "new_event_loop", fail)
    outcome = Engine(HookSet(dialect="claude-code", rules=(rule,))).fire_sync(payload)
    assert (outcome.effect, outcome.runs[0].reason) == (Effect.BLOCK, "failed: Too many open files")
    allowing = Engine(HookSet(dialect="claude-code", rules=(rule,)), unasked="allow")
    assert allowing.fire_sync(payload).effect is Effect.PROCEED
