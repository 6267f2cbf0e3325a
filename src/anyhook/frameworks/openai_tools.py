"""The tools of OpenAI Agents that are no functions: MCP servers, shell and patches, each run as hooks decide."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from agents.editor import ApplyPatchResult

if TYPE_CHECKING:
    from anyhook.frameworks.openai_agents import HookedRunner


class ToolError(Exception):
    """A tool has failed, and the SDK has made a text of it."""


def hooked_shell(executor: Callable[[Any], Any], runner: HookedRunner) -> Callable[[Any], Awaitable[Any]]:
    async def execute(request: Any) -> Any:
        command = "\n".join(request.data.action.commands)

        async def run(tool_input: dict[str, Any]) -> Any:
            if tool_input["command"] != command:
                request.data.action.commands = [tool_input["command"]]
            return await _awaited(executor(request))

        result = await runner.call("shell", {"command": command}, run, tool_use_id=request.data.call_id)
        return result.output if result.status == "ran" and not result.context else runner.text(result)

    return execute


class HookedServer:
    """An MCP server, whose tools are called as hooks decide."""

    def __init__(self, server: Any, runner: HookedRunner) -> None:
        self._server, self._runner = server, runner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._server, name)

    async def call_tool(self, tool_name: str, arguments: dict[str, Any] | None, *more: Any, **options: Any) -> Any:
        from mcp.types import CallToolResult, TextContent

        answers: list[Any] = []

        async def run(tool_input: dict[str, Any]) -> str:
            answers.append(await self._server.call_tool(tool_name, tool_input, *more, **options))
            said = "\n".join(part.text for part in answers[0].content if isinstance(part, TextContent))
            if answers[0].model_dump(by_alias=True).get("isError"):
                raise ToolError(said)
            return said

        result = await self._runner.call(self._runner.mcp_name(self._server.name, tool_name), arguments or {}, run)
        if result.status == "ran" and not result.context:
            return answers[0]
        return CallToolResult(content=[TextContent(type="text", text=self._runner.text(result))])


class HookedEditor:
    """An editor of patches: to create a file is to write it; to change or delete it is to edit it."""

    def __init__(self, editor: Any, runner: HookedRunner) -> None:
        self._editor, self._runner = editor, runner

    async def create_file(self, operation: Any) -> Any:
        return await self._apply("write_file", {"path": operation.path, "content": _lines(operation, "+")}, operation)

    async def update_file(self, operation: Any) -> Any:
        change = {"old_string": _lines(operation, "-"), "new_string": _lines(operation, "+")}
        return await self._apply("edit_file", {"path": operation.path, **change}, operation)

    async def delete_file(self, operation: Any) -> Any:
        change = {"old_string": "", "new_string": ""}
        return await self._apply("edit_file", {"path": operation.path, **change}, operation)

    async def _apply(self, name: str, given: dict[str, Any], operation: Any) -> Any:
        async def run(tool_input: dict[str, Any]) -> Any:
            operation.path = tool_input["path"]
            return await _awaited(getattr(self._editor, operation.type)(operation))

        result = await self._runner.call(name, given, run)
        if result.status == "ran" and not result.context:
            return result.output
        return ApplyPatchResult(
            status="completed" if result.status == "ran" else "failed", output=self._runner.text(result)
        )


def _lines(operation: Any, mark: str) -> str:
    return "\n".join(line[1:] for line in (operation.diff or "").splitlines() if line.startswith(mark))


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
