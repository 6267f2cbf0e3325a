"""Qwen Code: headless with ``-p``, Chat Completions. Its settings are in a system file outside the home folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anyhook.prove.conversations import stream_json
from anyhook.prove.driver import Conversation, Driver, Package, Start, folder_trust
from anyhook.prove.model_server.messages import Message
from anyhook.prove.script import ToolStep

_SETTINGS: dict[str, dict[str, Any]] = {
    "security": {"auth": {"selectedType": "openai"}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False},
    "memory": {
        "enableManagedAutoMemory": False,
        "enableManagedAutoDream": False,
    },  # agents beside the main one
}
_MEMORY_AGENT = "You are now acting as the managed memory"
"""How the system prompt of the agents begins that keep Qwen Code's memory; they get tools, as the main agent does."""


class _QwenCode(Driver):
    package = Package(
        registry="npm",
        name="@qwen-code/qwen-code",
        version="0.24.4",
        programs="node_modules/.bin/qwen",
        command="qwen",
    )
    approval = ("--approval-mode", "yolo")
    trust_files = (".qwen/settings.json", ".qwen/trustedFolders.json")
    shell_ran = r"^Command: "

    def prepare(self, start: Start) -> None:
        security = {**_SETTINGS["security"], **({"folderTrust": {"enabled": False}} if start.trust else {})}
        _settings_file(start).write_text(json.dumps({**_SETTINGS, "security": security}), encoding="utf-8")

    def arguments(self, start: Start) -> Sequence[str]:
        if len(start.prompts) == 1:
            return ["-m", "mock-model", "-p", start.prompts[0]]
        return ["-m", "mock-model", "--input-format", "stream-json", "--output-format", "stream-json"]

    def conversation(self, start: Start) -> Conversation | None:
        return stream_json(start.prompts)

    def environment(self, start: Start) -> Mapping[str, str]:
        return {
            "OPENAI_API_KEY": "invented",
            "OPENAI_BASE_URL": f"{start.url}/v1",
            "OPENAI_MODEL": "mock-model",
            "QWEN_CODE_SYSTEM_SETTINGS_PATH": str(_settings_file(start)),
            "QWEN_CODE_NO_RELAUNCH": "true",
            "QWEN_TELEMETRY_ENABLED": "false",
            "QWEN_SANDBOX": "false",
            "NO_BROWSER": "1",
        }

    def is_aside(self, messages: Sequence[Message]) -> bool:
        return bool(messages) and messages[0].text.startswith(_MEMORY_AGENT)

    def trust_in(self, files: Mapping[str, str]) -> Mapping[str, str]:
        return {name: folder_trust(text) if name.endswith("settings.json") else text for name, text in files.items()}

    def shell(self, command: str) -> ToolStep:
        names = {"command": command, "description": "scripted step", "is_background": False}
        return ToolStep("run_shell_command", names)

    def write(self, path: str, content: str) -> ToolStep:
        return ToolStep("write_file", {"file_path": path, "content": content})

    def edit(self, path: str, old: str, new: str) -> ToolStep:
        return ToolStep("edit", {"file_path": path, "old_string": old, "new_string": new})

    def read(self, path: str) -> ToolStep:
        return ToolStep("read_file", {"file_path": path})


def _settings_file(start: Start) -> Path:
    return start.workspace.root / "qwen-settings.json"


DRIVER = _QwenCode()
