"""A session step by step: what each call gives back to the host, and what hooks leave for whom."""

from __future__ import annotations

import asyncio
import enum
import threading
from collections import UserDict, UserString
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import uuid4

import attrs
import pytest
from pydantic import BaseModel

from anyhook.engine.engine import Engine
from anyhook.engine.session.results import PendingContext, ToolQuestion, ToolResult
from anyhook.engine.session.session import Session
from anyhook.model.functions import deny, rewrite, stop
from anyhook.model.output import Reply, SyncOutput
from anyhook.model.payload import PostToolBatch
from anyhook.model.payload_base import Payload
from tests.engine.session.sessions import add, allow, answer, command_rule, decide, engine_of, names, record, returns

BASH = {"command": "ls"}
RUN = returns("ran")


def play(engine: Engine, scene: Callable[[Session], Awaitable[Any]], **terms: Any) -> Any:
    """What happens in a session of this engine."""

    async def run() -> Any:
        async with engine.session(**terms) as session:
            return await scene(session)

    return asyncio.run(run())


def use(
    engine: Engine,
    name: str = "Bash",
    tool_input: Mapping[str, Any] = BASH,
    run: Callable[[dict[str, Any]], Any] = RUN,
    **terms: Any,
) -> ToolResult:
    """The result of one tool call."""
    result: ToolResult = play(engine, lambda s: s.tool(name, tool_input, run), **terms)
    return result


def claude(event: str, output: Any) -> Engine:
    engine = engine_of("claude-code")
    answer(engine, event, output)
    return engine


# --- prompts


def test_a_prompt_gets_context() -> None:
    result = play(claude("UserPromptSubmit", add("UserPromptSubmit", "It is Monday.")), lambda s: s.prompt("Hello"))
    assert (result.allowed, result.context) == (True, ("It is Monday.",))
    assert result.text == "Hello\n\nIt is Monday."


def test_a_prompt_is_blocked_with_a_reason() -> None:
    engine = claude("UserPromptSubmit", {"decision": "block", "reason": "no secrets"})

    async def scene(s: Session) -> None:
        result = await s.prompt("the password is x")
        assert (result.allowed, result.reason, result.text) == (False, "no secrets", "")
        assert s.pending_context().for_user == ("no secrets",)

    play(engine, scene)


# --- tools: who may use them


def test_without_hooks_a_tool_runs() -> None:
    result = use(engine_of("claude-code"))
    assert (result.status, result.output, result.text) == ("ran", "ran", "ran")
    assert [outcome.event for outcome in result.outcomes] == ["PreToolUse", "PostToolUse"]


def test_a_denied_tool_does_not_run() -> None:
    ran: list[object] = []
    result = use(claude("PreToolUse", decide("deny", "too dangerous")), run=ran.append)
    assert (result.status, result.reason, result.text) == ("denied", "too dangerous", "too dangerous")
    assert not ran


def test_the_model_learns_of_a_denial_without_a_reason() -> None:
    engine = engine_of("agent-sdk")
    answer(engine, "PreToolUse", decide("deny") | {"systemMessage": "be careful"})
    assert use(engine).text == "be careful\n\nA hook did not allow Bash."


def test_ask_without_anybody_to_ask_is_denied() -> None:
    result = use(claude("PreToolUse", decide("ask", "is it safe?")))
    assert result.status == "denied"
    assert result.text == "Bash was not run: it needs permission, and the host cannot ask for it: is it safe?"


@pytest.mark.parametrize("answered", [True, False])
@pytest.mark.parametrize("is_async", [True, False])
def test_the_host_is_asked(answered: bool, is_async: bool) -> None:
    questions: list[ToolQuestion] = []

    def ask(question: ToolQuestion) -> bool:
        questions.append(question)
        return answered

    async def ask_later(question: ToolQuestion) -> bool:
        await asyncio.sleep(0)
        return ask(question)

    result = use(claude("PreToolUse", decide("ask", "is it safe?")), ask=ask_later if is_async else ask)
    [question] = questions
    assert (question.name, question.input, question.reason) == ("Bash", BASH, "is it safe?")
    assert (question.tool_use_id, question.agent_id) == (result.tool_use_id, None)
    assert result.text == ("ran" if answered else "The user did not allow Bash.")


def test_the_host_answers_like_a_permission_hook() -> None:
    engine = claude("PreToolUse", decide("ask"))
    allowed = rewrite({"command": "ls -l"})
    assert use(engine, run=lambda i: i["command"], ask=lambda question: allowed).output == "ls -l"
    denied = deny("Use git instead.")
    assert use(engine, ask=lambda question: denied).text == "Use git instead."


def test_an_answer_of_the_host_can_end_the_turn() -> None:
    async def scene(s: Session) -> None:
        await s.tool("Bash", BASH, returns("never"))
        assert s.turn_ended == "Enough."

    denied = stop("Enough.")
    play(claude("PreToolUse", decide("ask")), scene, ask=lambda question: denied)


def request(behavior: str, **more: Any) -> dict[str, Any]:
    decision = {"behavior": behavior, **more}
    return {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}


def test_hooks_answer_before_the_host() -> None:
    engine = claude("PreToolUse", decide("ask"))
    hook_id = answer(engine, "PermissionRequest", request("allow", updatedInput={"command": "ls -a"}))
    result = use(engine, run=lambda i: i["command"])
    assert (result.status, result.output, result.input) == ("ran", "ls -a", {"command": "ls -a"})
    engine.unregister(hook_id)
    answer(engine, "PermissionRequest", request("deny", message="not today"))
    assert use(engine, ask=lambda question: True).reason == "not today"


def test_a_permission_hook_can_end_the_turn() -> None:
    engine = claude("PreToolUse", decide("ask"))
    answer(engine, "PermissionRequest", request("deny", message="not today", interrupt=True))

    async def scene(s: Session) -> None:
        assert (await s.tool("Bash", BASH, returns("never"))).status == "denied"
        assert s.turn_ended == "not today"

    play(engine, scene)


def test_the_host_says_what_needs_permission() -> None:
    def is_shell(question: ToolQuestion) -> bool:
        return question.name == "Bash"

    engine = engine_of("claude-code")
    assert use(engine, "Bash", needs_permission=is_shell).status == "denied"
    assert use(engine, "Bash", needs_permission=is_shell, ask=lambda question: True).status == "ran"
    assert use(engine, "Read", needs_permission=is_shell).status == "ran"
    assert use(claude("PreToolUse", allow()), "Bash", needs_permission=True).status == "ran"


def test_seed_003_asks_when_no_hook_decides() -> None:
    engine = engine_of("agent-sdk")
    assert use(engine).text == "Bash was not run: it needs permission, and the host cannot ask for it"
    assert use(engine, ask=lambda question: True).status == "ran"


def test_questions_come_one_at_a_time() -> None:
    asking: list[int] = []

    async def ask(question: ToolQuestion) -> bool:
        asking.append(1)
        assert len(asking) == 1
        await asyncio.sleep(0)
        asking.pop()
        return True

    async def scene(s: Session) -> list[str]:
        results = await asyncio.gather(*(s.tool("Bash", BASH, returns("ran")) for _ in range(3)))
        return [result.status for result in results]

    assert play(claude("PreToolUse", decide("ask")), scene, ask=ask) == ["ran"] * 3


def test_a_deferred_call_ends_the_turn() -> None:
    async def scene(s: Session) -> None:
        assert (await s.tool("Bash", BASH, returns("never"))).status == "deferred"
        assert s.turn_ended == "later"

    play(claude("PreToolUse", decide("defer", "later")), scene)


# --- tools: what they do


def test_inputs_are_rewritten_one_after_the_other() -> None:
    engine = claude("PreToolUse", decide("ask", updatedInput={"command": "one"}))
    seen: list[Any] = []
    answer(engine, "PermissionRequest", lambda event: seen.append(event.tool_input["command"]))

    def ask(question: ToolQuestion) -> Reply:
        seen.append(question.input["command"])
        return rewrite({"command": "two"})

    result = use(engine, run=lambda i: i["command"], ask=ask)
    assert (seen, result.output) == (["one", "one"], "two")


def test_what_a_tool_raises_is_its_failure() -> None:
    def fails(tool_input: dict[str, Any]) -> None:
        raise KeyError("name")

    engine = claude("PostToolUseFailure", add("PostToolUseFailure", "Try the other file."))
    result = use(engine, run=fails)
    assert (result.status, result.error) == ("failed", "KeyError: 'name'")
    assert result.text == "KeyError: 'name'\n\nTry the other file."


@pytest.mark.parametrize("ending", [SystemExit(2), asyncio.CancelledError(), StopIteration()], ids=repr)
def test_a_tool_does_not_end_the_agent(ending: BaseException) -> None:
    def fails(tool_input: dict[str, Any]) -> None:
        raise ending

    async def fails_later(tool_input: dict[str, Any]) -> None:
        fails(tool_input)

    assert use(engine_of("claude-code"), run=fails).status == "failed"
    assert use(engine_of("claude-code"), run=fails_later).status == "failed"


def test_an_output_is_replaced_and_commented() -> None:
    specific = {"hookEventName": "PostToolUse", "updatedToolOutput": "clean", "additionalContext": "I cleaned it."}
    engine = claude("PostToolUse", {"decision": "block", "reason": "It was dirty.", "hookSpecificOutput": specific})
    result = use(engine)
    assert (result.output, result.feedback) == ("clean", "It was dirty.")
    assert result.text == "clean\n\nIt was dirty.\n\nI cleaned it."


class Answer:
    def __str__(self) -> str:
        return "42"


@pytest.mark.parametrize(
    ("output", "text"),
    [("text", "text"), (None, ""), ({"a": [1]}, '{"a":[1]}'), ({"set": {1}}, '{"set":[1]}'), (Answer(), '"42"')],
    ids=str,
)
def test_any_output_has_a_text(output: Any, text: str) -> None:
    engine = engine_of("claude-code", command_rule("PostToolUse", "cat > /dev/null"))
    result = use(engine, run=returns(output))
    assert result.text == text
    assert [run.status for run in result.outcomes[-1].runs] == ["allowed"]


def test_sync_tools_do_not_wait_for_each_other() -> None:
    together = threading.Barrier(3, timeout=120)

    async def scene(s: Session) -> list[Any]:
        calls = (s.tool("Bash", BASH, lambda tool_input: together.wait() >= 0) for _ in range(3))
        return [result.output for result in await asyncio.gather(*calls)]

    assert play(engine_of("claude-code"), scene) == [True] * 3


def test_every_call_has_its_own_id() -> None:
    engine = engine_of("claude-code")
    fired = record(engine)

    async def scene(s: Session) -> None:
        await asyncio.gather(*(s.tool("Read", {"file_path": str(n)}, returns(n)) for n in range(5)))

    play(engine, scene)
    ids = {
        (event["tool_use_id"], event["tool_input"]["file_path"])
        for event in fired
        if event["hook_event_name"] in ("PreToolUse", "PostToolUse")
    }
    assert len(ids) == 5


# --- file, shell and MCP events


def test_open_plugins_has_shell_events() -> None:
    engine = engine_of("open-plugins")
    fired = record(engine)
    use(engine, run=returns("a\nb"))
    assert names(fired)[1:-1] == ["PreToolUse", "BeforeShellExecution", "AfterShellExecution", "PostToolUse"]
    assert fired[2]["command"] == "ls"
    assert (fired[3]["command"], fired[3]["output"]) == ("ls", "a\nb")


def test_open_plugins_has_file_events() -> None:
    engine = engine_of("open-plugins")
    fired = record(engine)
    use(engine, "Read", {"file_path": "a.py"})
    use(engine, "Edit", {"file_path": "b.py", "old_string": "x", "new_string": "y"})
    use(engine, "Write", {"file_path": "c.py", "content": "z"})
    about_files = [event for event in fired if event["hook_event_name"] in ("BeforeReadFile", "AfterFileEdit")]
    assert names(fired)[1:4] == ["PreToolUse", "BeforeReadFile", "PostToolUse"]
    assert [(event["file_path"], event.get("edits")) for event in about_files] == [
        ("a.py", None),
        ("b.py", [{"old_string": "x", "new_string": "y"}]),
        ("c.py", [{"old_string": "", "new_string": "z"}]),
    ]


@pytest.mark.parametrize(
    ("event", "name", "tool_input"),
    [("BeforeShellExecution", "Bash", BASH), ("BeforeReadFile", "Read", {"file_path": ".env"})],
)
def test_events_beside_a_tool_can_block_it(event: str, name: str, tool_input: dict[str, Any]) -> None:
    engine = engine_of("open-plugins", command_rule(event, "echo 'not this' >&2; exit 2"))
    result = use(engine, name, tool_input)
    assert (result.status, result.text) == ("denied", "not this")


def test_a_dialect_without_these_events_does_not_fire_them() -> None:
    engine = engine_of("claude-code")
    answer(engine, "BeforeShellExecution", lambda event: pytest.fail("it has no such event"))
    assert use(engine).status == "ran"


def test_names_of_tools_and_events_are_the_clients() -> None:
    engine = engine_of("windsurf")
    fired: list[tuple[str, str]] = []
    for event in ("pre_run_command", "pre_write_code", "pre_mcp_tool_use"):
        answer(engine, event, lambda payload: fired.append((payload.native_event, payload.event)))
    use(engine, "run_command", {"command_line": "ls"})
    use(engine, "write_code", {"file_path": "a"})
    use(engine, "mcp__files__read", {})
    assert fired == [
        ("pre_run_command", "BeforeShellExecution"),
        ("pre_write_code", "BeforeFileEdit"),
        ("pre_mcp_tool_use", "BeforeMCPExecution"),
    ]


# --- the turn


def test_continue_false_ends_the_turn() -> None:
    engine = claude("PostToolUse", {"continue": False, "stopReason": "the budget is used up"})
    fired = record(engine)

    async def scene(s: Session) -> None:
        await s.prompt("go")
        assert s.turn_ended is None
        assert (await s.tool("Bash", BASH, returns("ran"))).status == "ran"
        assert s.turn_ended == "the budget is used up"
        refused = await s.tool("Bash", BASH, returns("never"))
        assert refused.text == "Bash was not run, because the turn has ended: the budget is used up"
        assert not (await s.stop("done")).keep_going
        assert "Stop" not in names(fired)
        await s.prompt("go on")
        assert s.turn_ended is None

    play(engine, scene)


@pytest.mark.parametrize(
    ("client", "status"), [("claude-code", "ran"), ("gemini-cli", "denied"), ("agent-sdk", "denied")]
)
def test_whether_the_tool_still_runs_is_the_clients_rule(client: str, status: str) -> None:
    engine = engine_of(client)
    answer(engine, "PreToolUse", {"continue": False, "stopReason": "enough"})

    async def scene(s: Session) -> None:
        assert (await s.tool("Bash", BASH, returns("ran"))).status == status
        assert s.turn_ended == "enough"

    play(engine, scene)


def test_a_tool_that_a_hook_allows_runs_in_a_turn_that_it_ends() -> None:
    engine = engine_of("agent-sdk")
    answer(engine, "PreToolUse", allow() | {"continue": False, "stopReason": "the last one"})

    async def scene(s: Session) -> list[str]:
        return [(await s.tool("Bash", BASH, RUN)).status for _ in range(2)]

    assert play(engine, scene) == ["ran", "denied"]


def test_continue_false_on_a_prompt() -> None:
    async def scene(s: Session) -> None:
        assert not (await s.prompt("go")).allowed
        assert s.turn_ended == "not now"

    play(claude("UserPromptSubmit", {"continue": False, "stopReason": "not now"}), scene)


def test_a_stop_hook_says_why_to_go_on() -> None:
    async def scene(s: Session) -> None:
        result = await s.stop("done")
        assert (result.keep_going, result.reason, result.text) == (True, "run the tests", "run the tests")

    play(claude("Stop", {"decision": "block", "reason": "run the tests"}), scene)


# --- what hooks leave


def test_context_waits_by_audience() -> None:
    engine = claude("SessionStart", add("SessionStart", "Python 3.12") | {"systemMessage": "Welcome back."})

    async def scene(s: Session) -> None:
        assert s.pending_context() == PendingContext(("Python 3.12",), ("Welcome back.",))
        assert s.pending_context() == PendingContext()

    play(engine, scene)


@pytest.mark.parametrize(("suppress", "for_user"), [(False, ("shown",)), (True, ())])
def test_suppress_output_hides_from_the_user(suppress: bool, for_user: tuple[str, ...]) -> None:
    engine = engine_of("agent-sdk")
    answer(engine, "SessionStart", {"systemMessage": "shown", "suppressOutput": suppress})

    async def scene(s: Session) -> None:
        assert s.pending_context() == PendingContext(("shown",), for_user)

    play(engine, scene)


def test_a_subagent_keeps_its_context_to_itself() -> None:
    engine = claude("SubagentStart", lambda event: add("SubagentStart", f"You are {event.agent_type}."))

    async def scene(s: Session) -> None:
        async with s.subagent("Explore") as one, s.subagent("Plan") as two:
            assert one.agent_id != two.agent_id
            assert two.pending_context().text == "You are Plan."
            assert one.pending_context().text == "You are Explore."
            assert s.pending_context().text == ""

    play(engine, scene)


def test_a_turn_that_ends_in_a_subagent_is_the_subagents() -> None:
    async def scene(s: Session) -> None:
        async with s.subagent("Explore") as sub:
            await sub.tool("Bash", BASH, returns("ran"))
            assert sub.turn_ended == "enough"
        assert s.turn_ended is None

    play(claude("PostToolUse", {"continue": False, "stopReason": "enough"}), scene)


# --- the other events


def test_hooks_can_forbid_compaction() -> None:
    async def scene(s: Session) -> None:
        result = await s.compact("auto", run=lambda instructions: pytest.fail("not allowed"))
        assert (result.compacted, result.reason) == (False, "not yet")

    play(claude("PreCompact", {"decision": "block", "reason": "not yet"}), scene)


def test_a_summary_heeds_instructions_and_hooks(tmp_path: Path) -> None:
    engine = engine_of("claude-code", command_rule("PreCompact", "echo 'keep the names'"), project=tmp_path)

    async def scene(s: Session) -> None:
        result = await s.compact("manual", run=str.upper, custom_instructions="be brief")
        assert (result.compacted, result.summary) == (True, "BE BRIEF\n\nKEEP THE NAMES")

    play(engine, scene)


def test_a_task_is_not_completed_while_a_hook_objects() -> None:
    engine = engine_of("claude-code", command_rule("TaskCompleted", "echo 'tests fail' >&2; exit 2"))

    async def scene(s: Session) -> None:
        result = await s.task_completed("t-1", "Tests")
        assert (result.accepted, result.reason) == (False, "tests fail")

    play(engine, scene)


def test_an_idle_teammate_gets_work() -> None:
    engine = engine_of("claude-code", command_rule("TeammateIdle", "echo 'review it' >&2; exit 2"))

    async def scene(s: Session) -> None:
        result = await s.teammate_idle("Ada", "core")
        assert (result.keep_going, result.text) == (True, "review it")

    play(engine, scene)


def test_context_of_a_notification_waits() -> None:
    async def scene(s: Session) -> None:
        await s.notify("Waiting", type="idle_prompt")
        assert s.pending_context().for_model == ("The user is away.",)

    engine = engine_of("agent-sdk")
    answer(engine, "Notification", add("Notification", "The user is away."))
    play(engine, scene)


def test_context_of_a_notification_is_not_heard_in_claude_code() -> None:
    async def scene(s: Session) -> None:
        await s.notify("Waiting", type="idle_prompt")
        assert s.pending_context().for_model == ()

    play(claude("Notification", add("Notification", "The user is away.")), scene)


def test_a_host_fires_events_of_its_own() -> None:
    engine = engine_of("claude-code")
    fired = record(engine)
    play(engine, lambda s: s.fire(PostToolBatch(tool_calls=[])), session_id="s-9", permission_mode="plan")
    assert names(fired) == ["SessionStart", "PostToolBatch", "SessionEnd"]
    assert {(event["session_id"], event["permission_mode"]) for event in fired} == {("s-9", "plan")}


def test_a_session_that_is_over_says_so() -> None:
    engine = engine_of("claude-code")

    async def scene() -> None:
        async with engine.session() as s:
            pass
        with pytest.raises(RuntimeError, match="the session is not open"):
            await s.prompt("hello?")

    asyncio.run(scene())


# --- functions as hooks


def test_a_decorated_function_is_a_hook() -> None:
    from anyhook import PreToolUse
    from anyhook.agent_sdk import SyncOutput

    engine = engine_of("claude-code")

    @engine.on(PreToolUse, matcher="Bash")
    async def guard(event: PreToolUse) -> SyncOutput | None:
        return SyncOutput(decision="block", reason=f"no {event.tool_input['command']}")

    assert use(engine).reason == "no ls"
    assert use(engine, "Read").status == "ran"


def test_only_an_event_can_be_hooked() -> None:
    from anyhook import Payload

    with pytest.raises(TypeError, match="Payload is not the class of an event"):
        engine_of("claude-code").on(Payload)


# --- what hosts hand over


class Words(str):
    """Text of a framework's own, as LangChain's messages and Markup have it."""

    def __str__(self) -> str:
        return "not this"


class Tools(enum.StrEnum):
    BASH = "Bash"


class PlainTools(enum.Enum):
    BASH = "Bash"


class Call(BaseModel):
    command: str


@dataclass
class CallData:
    command: str


class Pair(NamedTuple):
    command: str
    number: int


@attrs.define
class AttrsCall:
    command: str


class OldModel:
    """As pydantic 1 has it."""

    __fields__ = ("command",)

    def __init__(self, command: str) -> None:
        self.command = command

    def dict(self) -> dict[str, str]:
        return {"command": self.command}


class Scalar:
    """As numpy has it."""

    def __init__(self, value: str) -> None:
        self.value = value

    def tolist(self) -> str:
        return self.value


class BrokenModel:
    def model_dump(self, mode: str) -> None:
        raise RuntimeError("no such column")


NO_DANGER = "grep -q DANGER && { echo no danger >&2; exit 2; } || true"


@pytest.mark.parametrize(
    ("name", "tool_input"),
    [
        ("Bash", {"command": Words("DANGER")}),
        ("Bash", {Words("command"): "DANGER"}),
        (Words("Bash"), {"command": "DANGER"}),
        (Tools.BASH, {"command": "DANGER"}),
        (PlainTools.BASH, {"command": "DANGER"}),
        ("Bash", {"call": Call(command="DANGER")}),
        ("Bash", {"calls": [CallData("DANGER")]}),
        ("Bash", {"path": Path("/tmp/DANGER")}),
        ("Bash", Call(command="DANGER")),
        ("Bash", CallData("DANGER")),
        ("Bash", {"command": b"DANGER"}),
        ("Bash", {"command": [bytearray(b"DANGER"), memoryview(b"x")]}),
        ("Bash", {"command": b"\xff DANGER"}),
        ("Bash", {b"DANGER": 1}),
        ("Bash", {"command": UserString("DANGER")}),
        ("Bash", {"command": {"DANGER"}}),
        ("Bash", {"command": Pair("DANGER", 1)}),
        ("Bash", AttrsCall("DANGER")),
        ("Bash", OldModel("DANGER")),
        ("Bash", {"command": Scalar("DANGER")}),
        ("Bash", {"command": "DANGER", "at": datetime.now(UTC), "id": uuid4(), "cost": Decimal("1.5")}),
        ("Bash", MappingProxyType({"command": "DANGER"})),
        ("Bash", UserDict(command="DANGER")),
    ],
)
def test_a_guard_reads_what_a_framework_hands_over(name: Any, tool_input: Any) -> None:
    engine = engine_of("claude-code", command_rule("PreToolUse", NO_DANGER))
    result = use(engine, name, tool_input)
    assert (result.status, result.reason) == ("denied", "no danger")
    assert use(engine, name, {"command": Words("ls")}).status == "ran"


def test_a_tool_gets_its_input_as_it_was() -> None:
    engine = engine_of("claude-code", command_rule("PreToolUse", "true"))
    call = Call(command="ls")
    result = use(engine, "Bash", {"call": call}, run=lambda tool_input: tool_input["call"] is call)
    assert result.output is True


def test_prompts_and_last_messages_may_be_text_of_a_framework() -> None:
    rules = [command_rule(event, NO_DANGER) for event in ("UserPromptSubmit", "Stop")]
    engine = engine_of("claude-code", *rules)
    assert not play(engine, lambda s: s.prompt(Words("DANGER"))).allowed
    assert play(engine, lambda s: s.stop(Words("DANGER"))).keep_going


def test_a_call_that_no_guard_can_read_is_blocked() -> None:
    engine = engine_of("claude-code", command_rule("PreToolUse", "true"))
    result = use(engine, "Bash", {"command": object()})
    assert result.status == "denied"
    assert result.reason == "failed: the event could not be handed to the hook: object cannot be written as JSON"
    endless: dict[str, Any] = {}
    endless["itself"] = endless
    result = use(engine, "Bash", endless)
    assert result.status == "denied"
    assert result.reason.endswith("it refers to itself or is nested too deeply")


@pytest.mark.parametrize(
    ("tool_input", "why"),
    [
        (BrokenModel(), "no such column"),
        (object(), "object cannot be written as JSON"),
        ("ls", "it is str, not a dictionary"),
        (["ls"], "it is list, not a dictionary"),
        (None, "it is NoneType, not a dictionary"),
    ],
    ids=range(5),
)
def test_an_input_that_is_no_dictionary_is_denied(tool_input: Any, why: str) -> None:
    engine = engine_of("claude-code")
    ran: list[object] = []
    result = use(engine, "Bash", tool_input, run=ran.append)
    assert (result.status, ran) == ("denied", [])
    assert result.reason == f"Bash was not run, because its input cannot be read: {why}"


def test_a_guard_by_variables_reads_half_of_a_surrogate_pair() -> None:
    guard = command_rule("PreToolUse", """case "$COMMAND$TOOL_INPUT" in *DANGER*DANGER*) exit 1;; esac""")
    assert use(engine_of("code-agent", guard), "Bash", {"command": "\ud83d DANGER"}).status == "denied"


def test_a_refusal_counts_whatever_its_reason_is() -> None:
    engine = engine_of("claude-code")

    def guard(event: Payload) -> SyncOutput:
        return SyncOutput(decision="block", reason=ValueError("broken"))  # type: ignore[arg-type]

    engine.register("PreToolUse", guard)
    result = use(engine)
    assert (result.status, result.reason) == ("denied", "broken")


def test_what_a_tool_returns_may_be_anything() -> None:
    engine, seen = engine_of("claude-code"), []
    engine.register("PostToolUse", lambda payload: seen.append(payload.tool_response.value))
    endless: dict[str, Any] = {}
    endless["itself"] = endless
    for output in (b"bytes", BrokenModel(), endless, {"a": OldModel("x")}):
        assert use(engine, "Bash", BASH, run=returns(output)).status == "ran"
    assert (seen[0], seen[2], seen[3]) == ("bytes", "{'itself': {...}}", {"a": {"command": "x"}})


def test_a_function_reads_what_json_cannot_hold() -> None:
    engine, seen = engine_of("claude-code"), []
    engine.register("PreToolUse", lambda payload: seen.append(payload.tool_input["thing"]))
    thing = object()
    assert use(engine, "Bash", {"thing": thing}).status == "ran"
    assert seen == [thing]
