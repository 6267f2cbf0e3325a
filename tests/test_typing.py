"""What a type checker tells an agent builder who uses the public names."""

from __future__ import annotations

import re
import subprocess
import sys
from textwrap import dedent

import pytest

from tests.checkout import SOURCE

pytestmark = pytest.mark.long

GOOD = """
    from collections.abc import AsyncIterator

    from anyhook import Engine, HookSet, PreToolUse, Reply, Stop, SyncSession, ToolQuestion, allow, deny, parse, rewrite
    from anyhook.agent_sdk import AsyncOutput, HookMatcher, SyncOutput

    engine = Engine(HookSet(dialect="agent-sdk"))

    @engine.on(PreToolUse, matcher="Bash", timeout=5)
    def guard(event: PreToolUse) -> SyncOutput | None:
        return SyncOutput(decision="block", reason=event.tool_name) if event.command else None

    @engine.on(PreToolUse)
    async def review(event: PreToolUse) -> Reply:
        return allow(event.command)

    @engine.on(Stop)
    def note(event: Stop) -> None:
        print(event.last_assistant_message)

    @engine.on(Stop)
    async def report(event: Stop) -> AsyncIterator[AsyncOutput | SyncOutput]:
        yield AsyncOutput(async_timeout=5)
        yield SyncOutput(system_message=str(event["session_id"]))

    async def by_dictionary(event: PreToolUse, tool_use_id: str | None, context: object) -> dict[str, str]:
        return {"decision": "block"} if "rm" in event["tool_input"]["command"] else {}

    options = {"PreToolUse": [HookMatcher(matcher="Bash", hooks=[by_dictionary, guard], timeout=5)]}
    from_options = Engine(parse(options, "agent-sdk"), project=".")

    async def ask(question: ToolQuestion) -> bool | Reply:
        return question.name == "Read" or deny("Only read.")

    async def agent() -> str:
        async with engine.session(cwd=".", model="m", ask=ask) as s:
            if not (await s.prompt("hello")).allowed:
                return s.turn_ended or ""
            result = await s.tool("Bash", {"command": "ls"}, run=lambda tool_input: tool_input["command"])
            async with s.subagent("Explore") as sub:
                await sub.tool("Read", {"file_path": "a"}, run=len)
            return result.text if (await s.stop(result.text)).keep_going else s.pending_context().text

    def sync_agent() -> str | None:
        with engine.session(problems="raise") as s:
            prompt = s.prompt("hello")
            result = s.tool("Bash", {"command": prompt.text}, run=lambda tool_input: tool_input["command"])
            return s.turn_ended or result.text

    reveal_type(guard)
"""
HOOK_FILE = """
    from anyhook import PreToolUse, Reply, Stop, allow, ask, context, deny, environment, hook, rewrite, stop
    from anyhook.agent_sdk import SyncOutput

    @hook("PreToolUse", matcher="Bash", timeout=5)
    def guard(event: PreToolUse) -> Reply | None:
        return deny(event.tool_name) if event.command else None

    @hook("pre-tool-use")
    @hook("PreToolUse", timeout=0.5)
    async def review(event: PreToolUse) -> Reply:
        return rewrite({**event.tool_input.value, "home": environment()["HOME"]})

    @hook("Stop")
    def note(event: Stop) -> SyncOutput | None:
        print(event.last_assistant_message, allow(), ask("?"), context(""), stop(""))
        return None

    @hook("SessionStart")
    def anything(event: object) -> dict[str, str]:
        return {}
"""
BAD = {
    "a field that the event does not have": (
        """
        @engine.on(PreToolUse)
        def guard(event: PreToolUse) -> None:
            print(event.tool_nam)
        """,
        'has no attribute "tool_nam"',
    ),
    "a function for another event": (
        """
        @engine.on(PreToolUse)
        def guard(event: Stop) -> None: ...
        """,
        "Argument 1 has incompatible type",
    ),
    "an answer that no hook can give": (
        """
        @engine.on(PreToolUse)
        def guard(event: PreToolUse) -> bool:
            return True
        """,
        'cannot be "bool"',
    ),
    "the same, later": (
        """
        @engine.on(PreToolUse)
        async def guard(event: PreToolUse) -> str:
            return "deny"
        """,
        "cannot be",
    ),
    "a decision that does not exist": ('SyncOutput(decision="deny")', "incompatible type"),
    "a field of the event that is missing": ('PreToolUse(tool_name="Bash")', 'Missing named argument "tool_input"'),
    "something that asks for nothing": ("engine.session(ask=5)", 'Argument "ask" to "session" of "Engine"'),
    "a tool that cannot be called": (
        """
        async def agent() -> None:
            async with engine.session() as s:
                await s.tool("Bash", {}, run="ls")
        """,
        'Argument "run" to "tool"',
    ),
    "a hook file's function for another event": (
        """
        @hook("PreToolUse")
        def guard(event: Stop) -> None: ...
        """,
        'expected "Callable[[PreToolUse], None]"',
    ),
    "a hook file's answer that no hook can give": (
        """
        @hook("PreToolUse")
        def guard(event: PreToolUse) -> bool:
            return True
        """,
        'cannot be "bool"',
    ),
    "an event that there is not": (
        """
        @hook("PreTolUse")
        def guard(event: PreToolUse) -> None: ...
        """,
        "No overload variant",
    ),
    "a setting that there is not": (
        """
        @hook("PreToolUse", macher="Bash")
        def guard(event: PreToolUse) -> None: ...
        """,
        'did you mean "matcher"?',
    ),
    "a refusal without a reason": ("deny()", 'Missing positional argument "reason"'),
    "a result that there is not": (
        """
        async def agent() -> None:
            async with engine.session() as s:
                print((await s.prompt("hello")).blocked)
        """,
        '"PromptResult" has no attribute "blocked"',
    ),
}
SETTINGS = """\
[mypy]
strict = true
[mypy-httpx.*,pydantic_ai.*]
follow_imports = skip
"""
"""What models need has types by the thousand, and none of them is in the public names."""
BEGINNING = """\
from anyhook import Engine, HookSet, PreToolUse, Stop, deny, hook
from anyhook.agent_sdk import SyncOutput
engine = Engine(HookSet(dialect="agent-sdk"))
"""


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What mypy says of each snippet, in one run over all of them."""
    folder = tmp_path_factory.mktemp("typing")
    (folder / "mypy.ini").write_text(SETTINGS)
    (folder / "good.py").write_text(dedent(GOOD))
    (folder / "hook_file.py").write_text(dedent(HOOK_FILE))
    files = {f"bad_{number}.py": what for number, what in enumerate(BAD)}
    for file, what in files.items():
        (folder / file).write_text(BEGINNING + dedent(BAD[what][0]))
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(folder / "cache"), "good.py", "hook_file.py", *files],
        cwd=folder,
        env={"MYPYPATH": str(SOURCE), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    said: dict[str, list[str]] = {what: [] for what in ("good", "hook_file", *BAD)}
    for file, text in re.findall(r"^(\w+\.py):\d+: (.+)$", ran.stdout, re.MULTILINE):
        said[files.get(file, file.removesuffix(".py"))].append(text)
    assert said["good"], ran.stdout + ran.stderr
    return said


def test_right_use_is_accepted(complaints: dict[str, list[str]]) -> None:
    [revealed] = complaints["good"]
    assert revealed.startswith("note: Revealed type is")
    assert "PreToolUse) -> anyhook.model.output.SyncOutput | None" in revealed


def test_a_hook_file_is_accepted(complaints: dict[str, list[str]]) -> None:
    assert complaints["hook_file"] == []


@pytest.mark.parametrize("what", BAD)
def test_wrong_use_is_an_error(complaints: dict[str, list[str]], what: str) -> None:
    errors = [text for text in complaints[what] if text.startswith("error:")]
    assert errors
    assert BAD[what][1] in errors[0]  # a decorator that is wrong makes mypy say one thing more
