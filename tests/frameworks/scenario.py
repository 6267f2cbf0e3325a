"""One conversation that every adapter plays: what the model says, and what it must then read."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence

from msgspec import Struct

from anyhook.engine.engine import Engine
from anyhook.model.functions import ask, context, deny, rewrite
from anyhook.model.hooks import HookSet
from anyhook.model.output import Reply
from anyhook.model.payload import (
    PostToolUse,
    PostToolUseFailure,
    PreToolUse,
    SessionStart,
    Stop,
    UserPromptSubmit,
)
from anyhook.model.payload_base import Payload
from tests.checkout import ROOT

EVENTS = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd"]
CAP = 8
"""How often in a row Claude Code's hooks keep an agent going."""


class Calls(Struct, frozen=True):
    """The model calls the tool ``shell(cmd)``, with several commands at once."""

    commands: tuple[str, ...]


class Turn(Struct, frozen=True):
    """What the model says, and the texts that it must read in the request before."""

    says: Calls | str
    reads: tuple[str, ...] = ()
    not_reads: tuple[str, ...] = ()


def calls(*commands: str) -> Calls:
    return Calls(commands)


WORK = (
    Turn(calls("rm all"), reads=("Python 3.12.", "Work.", "Be brief.")),
    Turn(calls("original"), reads=("No rm.",)),
    Turn(calls("note"), reads=("ran changed",)),
    Turn(calls("boom"), reads=("ran note", "Noted.")),
    Turn(calls("ls", "rm some", "pwd"), reads=("It failed, try another way.",)),
    Turn(calls("secret"), reads=("ran ls", "No rm.", "ran pwd")),
    Turn(calls("ask me"), reads=("(hidden)",), not_reads=("ran secret",)),
    Turn("Done.", reads=("it needs permission",)),
    Turn(calls("test"), reads=("Test first.",)),
    Turn("Tested.", reads=("ran test",)),
    Turn("Tested again.", reads=("Test first.",)),
)
"""The answer to the prompt "Work."."""
RAN = ["changed", "note", "boom", "ls", "pwd", "secret", "test"]
"""What the tool has run; those at the same time in any order."""
ENDLESS = tuple(Turn("More.", reads=("Never enough.",) if number else ()) for number in range(CAP + 1))
"""The answer to the prompt "Endless."."""


class Script:
    """The model's side of one conversation."""

    def __init__(self) -> None:
        self.turns: list[Turn] = [*WORK, *ENDLESS]
        self.ran: list[str] = []

    def shell(self, cmd: str) -> str:
        """Run a command."""
        self.ran.append(cmd)
        if cmd == "boom":
            raise RuntimeError("it went off")
        return f"ran {cmd}"

    def answer(self, read: str) -> Calls | str:
        """What the model says, having read this since it last spoke."""
        turn = self.turns.pop(0)
        for text in turn.reads:
            assert text in read, f"before {turn.says}: {text!r} is not in {read!r}"
        for text in turn.not_reads:
            assert text not in read, f"before {turn.says}: {text!r} is in {read!r}"
        return turn.says

    def check_end(self, fired: Sequence[str]) -> None:
        assert not self.turns
        assert sorted(self.ran) == sorted(RAN)
        assert (fired[0], fired[-1]) == ("SessionStart", "SessionEnd")
        assert fired.count("UserPromptSubmit") == 3
        assert fired.count("PreToolUse") == len(RAN) + 3
        assert fired.count("PostToolUse") == len(RAN) - 1
        assert fired.count("PostToolUseFailure") == 1
        assert fired.count("Stop") == 3 + CAP + 1


def engine_with_hooks() -> tuple[Engine, list[str]]:
    """The engine, and the names of the events that it has fired."""
    engine = Engine(HookSet(dialect="claude-code"))
    fired: list[str] = []
    prompts: list[str] = []
    stops: list[str] = []

    async def note(event: Payload) -> None:
        fired.append(event.event)

    for name in (
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "Stop",
        "SessionEnd",
    ):
        engine.register(name, note)

    @engine.on(SessionStart)
    async def start(event: SessionStart) -> Reply:
        return context("Python 3.12.")

    @engine.on(UserPromptSubmit)
    async def prompt(event: UserPromptSubmit) -> Reply:
        prompts.append(event.prompt)
        return deny("No such prompts.") if event.prompt == "Forbidden." else context("Be brief.")

    @engine.on(PreToolUse, matcher="Bash")
    async def guard(event: PreToolUse) -> Reply | None:
        command = event.command or ""
        if command.startswith("rm"):
            return deny("No rm.")
        if command.startswith("ask"):
            return ask("Is it safe?")
        return rewrite({"command": "changed"}) if command == "original" else None

    @engine.on(PostToolUse, matcher="Bash")
    async def after(event: PostToolUse) -> Reply | None:
        return {"note": context("Noted."), "secret": rewrite("(hidden)")}.get(event.command or "")

    @engine.on(PostToolUseFailure)
    async def failed(event: PostToolUseFailure) -> Reply:
        return context("It failed, try another way.")

    @engine.on(Stop)
    async def stop(event: Stop) -> Reply | None:
        stops.append(event.last_assistant_message or "")
        if prompts[-1] == "Endless.":
            return deny("Never enough.")
        return deny("Test first.") if len(stops) < 3 else None

    return engine, fired


def run_example(page: str) -> None:
    """Run the example of a page as a program of its own."""
    text = (ROOT / "docs/frameworks" / f"{page}.md").read_text(encoding="utf-8")
    [code] = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
