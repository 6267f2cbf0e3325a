"""A complete small coding agent that obeys the hooks of a project.

Run it as it is, and a script plays the model. With OPENAI_API_KEY set (and OPENAI_BASE_URL, OPENAI_MODEL, for any
server that speaks the same) a real model does the work in an empty folder, and you are asked before every tool:

    python examples/agent_loop.py "Write a haiku about hooks into haiku.txt"
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from anyhook import Engine, Reply, Session, Stop, ToolQuestion, ToolResult, deny, load

Message = dict[str, Any]
Model = Callable[[list[Message]], Awaitable[Message]]

SHOP = Path(__file__).parent / "shop"
WORK = Path(tempfile.mkdtemp(prefix="agent-"))

# --- the tools, by the names that the hooks of the shop know them by


def bash(tool_input: dict[str, Any]) -> str:
    ran = subprocess.run(tool_input["command"], shell=True, cwd=WORK, capture_output=True, text=True, timeout=60)
    return (ran.stdout + ran.stderr).strip()


def write(tool_input: dict[str, Any]) -> str:
    (WORK / tool_input["file_path"]).write_text(tool_input["content"], encoding="utf-8")
    return f"Wrote {tool_input['file_path']}."


TOOLS = {"Bash": (bash, ["command"]), "Write": (write, ["file_path", "content"])}

# --- the model: a script, or any server that speaks OpenAI's chat completions


def asks_for(*calls: tuple[str, Message]) -> Message:
    functions = [{"name": name, "arguments": json.dumps(tool_input)} for name, tool_input in calls]
    return {"role": "assistant", "tool_calls": [{"id": f"call-{n}", "function": f} for n, f in enumerate(functions)]}


SCRIPT = iter(
    [
        asks_for(("Bash", {"command": "rm -rf ."}), ("Write", {"file_path": "todo.txt", "content": "Buy milk."})),
        asks_for(("Bash", {"command": "cat todo.txt"})),
        {"role": "assistant", "content": "The list is written."},
        {"role": "assistant", "content": "I wrote todo.txt; it says: Buy milk."},
    ]
)


async def scripted(messages: list[Message]) -> Message:
    return next(SCRIPT)


async def real(messages: list[Message]) -> Message:
    import httpx

    address = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions"
    text = {"type": "string"}
    tools = [
        {"name": name, "parameters": {"type": "object", "properties": dict.fromkeys(inputs, text), "required": inputs}}
        for name, (_, inputs) in TOOLS.items()
    ]
    request = {
        "model": os.environ.get("OPENAI_MODEL", "gpt-5-mini"),
        "messages": messages,
        "tools": [{"type": "function", "function": tool} for tool in tools],
    }
    key = {"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
    async with httpx.AsyncClient(timeout=120) as client:
        answer = (await client.post(address, json=request, headers=key)).raise_for_status().json()
    message: Message = answer["choices"][0]["message"]
    return message


# --- the loop


async def agent(s: Session, model: Model, wish: str) -> None:
    prompt = await s.prompt(wish)
    if not prompt.allowed:
        print(f"blocked: {prompt.reason}")
        return
    messages: list[Message] = [{"role": "user", "content": prompt.text}]
    while s.turn_ended is None:
        pending = s.pending_context()
        for text in pending.for_user:
            print(f"note:    {text}")
        if pending.text:
            messages.append({"role": "system", "content": pending.text})
        answer = await model(messages)
        messages.append(answer)
        if calls := answer.get("tool_calls"):
            results = await asyncio.gather(*(use_tool(s, call) for call in calls))
            for result in results:
                print(f"{result.name + ':':8} {next(iter(result.input.values()))} -> {result.status}: {result.text}")
                messages.append({"role": "tool", "tool_call_id": result.tool_use_id, "content": result.text})
            continue
        print(f"agent:   {answer['content']}")
        stop = await s.stop(answer["content"])
        if not stop.keep_going:
            return
        print(f"hook:    {stop.text}")
        messages.append({"role": "user", "content": stop.text})
    print(f"stopped: {s.turn_ended}")


async def use_tool(s: Session, call: Message) -> ToolResult:
    name, tool_input = call["function"]["name"], json.loads(call["function"]["arguments"])
    return await s.tool(name, tool_input, run=TOOLS[name][0], tool_use_id=call["id"])


def ask(question: ToolQuestion) -> bool:
    return input(f"May {question.name} run with {dict(question.input)}? [y/N] ").strip().lower() == "y"


async def main(wish: str) -> None:
    is_real = "OPENAI_API_KEY" in os.environ
    # These hooks came with the examples; ask your user about a project's before you say trust="all".
    engine = Engine(load(SHOP, "claude-code"), project=SHOP, trust="all")

    @engine.on(Stop)
    def wants_details(event: Stop) -> Reply | None:
        return None if event.stop_hook_active else deny("Say which files you wrote, and what is in them.")

    async with engine.session(cwd=WORK, ask=ask, needs_permission=is_real) as s:
        await agent(s, real if is_real else scripted, wish)


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "Clean up, and write me a list of things to do."))
