"""A project's own hooks around an agent, in twenty lines. A list plays the model."""

import asyncio
import subprocess
from pathlib import Path

from anyhook import Engine, load

SHOP = Path(__file__).parent / "shop"
ANSWERS = ["rm -rf build", "echo building", "All built."]


async def main() -> None:
    # These hooks came with the examples; ask your user about a project's before you say trust="all".
    async with Engine(load(SHOP, "claude-code"), project=SHOP, trust="all").session() as s:
        print("user: ", (await s.prompt("Build the shop.")).text)
        print("hooks:", s.pending_context().text)
        for command in ANSWERS[:-1]:
            result = await s.tool("Bash", {"command": command}, run=bash)
            print("tool: ", command, "->", result.status, "->", result.text)
        print("agent:", ANSWERS[-1], "(it may stop)" if not (await s.stop(ANSWERS[-1])).keep_going else "")


def bash(tool_input: dict[str, str]) -> str:
    return subprocess.run(tool_input["command"], shell=True, capture_output=True, text=True).stdout.strip()


asyncio.run(main())
