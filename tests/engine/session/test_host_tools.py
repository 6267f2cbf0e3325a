"""A host's tools have names of their own; hooks that are written for a client's names see them by those."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.dialects import NAMES
from anyhook.engine.engine import Engine
from anyhook.engine.functions.host_hooks import parse
from anyhook.engine.session.host_tools import recognise
from anyhook.engine.session.results import ToolResult
from anyhook.model.functions import deny, rewrite
from anyhook.model.output import Reply
from anyhook.model.payload import PostToolUse, PreToolUse
from anyhook.tools import Edit, Fetch, HostTool, Mcp, Read, Search, Shell, Write
from tests.engine.session.sessions import engine_of

NO_RM = {"type": "command", "command": "if grep -q 'rm -rf'; then echo no >&2; exit 2; fi"}
GUARD = {"PreToolUse": [{"matcher": "Bash", "hooks": [NO_RM]}]}


def use(engine: Engine, name: str, tool_input: Mapping[str, Any], **terms: Any) -> ToolResult:
    async def run() -> ToolResult:
        async with engine.session(**terms) as s:
            return await s.tool(name, tool_input, run=lambda given: given)

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("name", "inputs", "tools"),
    [
        ("shell", {"cmd": "rm -rf x"}, {"shell": Shell(command="cmd")}),
        ("shell", {"cmd": "rm -rf x"}, {}),
        ("run_command", {"command": "rm -rf x", "timeout": 5}, {}),
        ("bash", {"command": "rm -rf x"}, {}),
        ("do", {"it": "rm -rf x"}, {"do": Shell(command="it")}),
        ("Bash", {"command": "rm -rf x"}, {}),
    ],
)
def test_a_guard_of_the_client_sees_the_hosts_shell(name: str, inputs: dict[str, Any], tools: Any) -> None:
    result = use(Engine(parse(GUARD, "claude-code")), name, inputs, tools=tools)
    assert (result.status, result.text) == ("denied", "no")
    assert (result.name, result.input) == (name, inputs)
    allowed = use(Engine(parse(GUARD, "claude-code")), name, {**inputs, "it": "ls", "cmd": "ls", "command": "ls"})
    assert allowed.status == "ran"


def test_a_rewritten_input_has_the_hosts_names() -> None:
    engine = engine_of("claude-code")
    seen: list[Any] = []

    @engine.on(PreToolUse, matcher="Edit")
    def other_file(event: PreToolUse) -> Reply:
        seen.append(event.file_path)
        return rewrite({**event.tool_input.value, "file_path": "b.py"})

    @engine.on(PostToolUse, matcher="Edit")
    def after(event: PostToolUse) -> None:
        seen.append(event.file_path)

    edit = {"target": "a.py", "before": "1", "after": "2", "dry": True}
    tools = {"edit_file": Edit(path="target", old="before", new="after")}
    result = use(engine, "edit_file", edit, tools=tools)
    assert result.output == {**edit, "target": "b.py"}
    assert seen == ["a.py", "b.py"]


def test_hooks_of_the_host_may_use_its_own_name() -> None:
    engine = Engine(parse(GUARD, "claude-code"))
    seen: list[str] = []

    @engine.on(PreToolUse, matcher="shell")
    def own(event: PreToolUse) -> Reply | None:
        seen.append(event.tool_name)
        return deny("not today") if event.command == "ls" else None

    assert use(engine, "shell", {"cmd": "ls"}).text == "not today"
    assert use(engine, "shell", {"cmd": "rm -rf x"}).text == "no"
    assert seen == ["Bash", "Bash"]


def test_a_tool_of_an_mcp_server() -> None:
    engine = engine_of("claude-code")
    engine.register("PreToolUse", lambda event: deny(event.tool_name), matcher="mcp__github__.*")
    tools = {"create_issue": Mcp(server="github", tool="create_issue")}
    assert use(engine, "create_issue", {"title": "x"}, tools=tools).text == "mcp__github__create_issue"


def test_a_function_says_what_it_is_by_its_signature() -> None:
    def runner(cmd: str) -> str:
        return cmd

    def shell(cmd: str) -> str:
        return cmd

    engine = Engine(parse(GUARD, "claude-code"))
    assert use(engine, "shell", {"cmd": "rm -rf x"}, tools={"shell": shell}).status == "denied"
    assert use(engine, "runner", {"cmd": "rm -rf x"}, tools={"runner": runner}).status == "ran"
    assert use(engine, "shell", {"cmd": "rm -rf x"}, tools={"shell": None}).status == "ran"


def test_a_guard_that_misses_a_tool_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    engine = Engine(parse(GUARD, "claude-code"))

    async def run() -> None:
        async with engine.session(tools={"quiet": None}) as s:
            for name in ("frobnicate", "frobnicate", "quiet"):
                await s.tool(name, {"cmd": "rm -rf x"}, run=len)
            await s.tool("weather", {"city": "Ulm"}, run=len)

    with caplog.at_level(logging.WARNING, "anyhook"):
        asyncio.run(run())
    [told] = [record.getMessage() for record in caplog.records]
    assert "is not asked about the tool frobnicate, which may be like Bash" in told
    assert "tools={'frobnicate': ...}" in told


@pytest.mark.parametrize(
    ("name", "inputs", "tool"),
    [
        ("terminal", ["shell_command"], Shell(command="shell_command")),
        ("str_replace", ["path", "old_str", "new_str"], Edit(path="path", old="old_str", new="new_str")),
        ("writeFile", ["filePath", "text"], Write(path="filePath", content="text")),
        ("read_file", ["path"], Read(path="path")),
        ("grep_search", ["pattern", "path"], Search(pattern="pattern", path="path")),
        ("web_fetch", ["url"], Fetch(url="url")),
        ("send_mail", ["to", "text"], None),
        ("weather", ["city"], None),
        ("note", ["command"], None),
        ("shell", ["query"], None),
        ("", [], None),
    ],
)
def test_name_and_inputs_tell_what_a_tool_is(name: str, inputs: list[str], tool: HostTool | None) -> None:
    assert recognise(name, inputs) == tool


@given(
    st.sampled_from(NAMES),
    st.sampled_from([Shell("c"), Read("c"), Write("c", "d"), Edit("c", "d", "e"), Search("c", "d"), Fetch("c")]),
    st.dictionaries(st.sampled_from("cdefg"), st.text(max_size=9) | st.none() | st.integers(), max_size=5),
)
def test_any_input_can_be_shown_to_hooks_of_any_client(client: str, tool: HostTool, tool_input: dict[str, Any]) -> None:
    if tool.names_in(client):
        shown = tool.in_client(client, tool_input)
        if client == "claude-code":
            assert tool.in_host(client, shown) == tool_input
        else:
            tool.in_host(client, shown)
