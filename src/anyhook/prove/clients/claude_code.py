"""Claude Code: headless with ``-p``, Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anyhook.prove.conversations import stream_json
from anyhook.prove.driver import Conversation, Driver, Package, Start
from anyhook.prove.script import ToolStep


class _ClaudeCode(Driver):
    package = Package(
        registry="npm",
        name="@anthropic-ai/claude-code",
        version="2.1.325",
        programs="node_modules/@anthropic-ai/claude-code-*/claude",  # the native program: no Node is needed
        command="claude",
    )
    approval = ("--dangerously-skip-permissions",)
    # The release 2.1.325 refuses "rm -rf /" itself, with every call approved: "Dangerous rm operation detected: '/'".
    shell_ran = r"^(?!PreToolUse:\S+ hook error|<tool_use_error>|Permission |Dangerous \w+ operation detected)"

    def arguments(self, start: Start) -> Sequence[str]:
        log = ("--debug-file", str(start.workspace.logs / "debug.log"))
        if len(start.prompts) == 1:
            return ["-p", start.prompts[0], *log]
        return ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", *log]

    def conversation(self, start: Start) -> Conversation | None:
        return stream_json(start.prompts)

    def environment(self, start: Start) -> Mapping[str, str]:
        return {
            "ANTHROPIC_BASE_URL": start.url,
            "ANTHROPIC_API_KEY": "sk-ant-invented",
            "CLAUDE_CODE_TMPDIR": str(start.workspace.tmp),
            "IS_SANDBOX": "1",  # else root cannot skip permissions
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
        }

    def shell(self, command: str) -> ToolStep:
        return ToolStep("Bash", {"command": command, "description": "scripted step"})

    def write(self, path: str, content: str) -> ToolStep:
        return ToolStep("Write", {"file_path": path, "content": content})

    def edit(self, path: str, old: str, new: str) -> ToolStep:
        return ToolStep("Edit", {"file_path": path, "old_string": old, "new_string": new})

    def read(self, path: str) -> ToolStep:
        return ToolStep("Read", {"file_path": path})


DRIVER = _ClaudeCode()
