"""Gemini CLI: headless with ``-p``, the Gemini API."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from anyhook.prove.driver import Driver, Package, Start, folder_trust, merged
from anyhook.prove.script import ToolStep

_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
}


class _GeminiCli(Driver):
    package = Package(
        registry="npm",
        name="@google/gemini-cli",
        version="0.61.0",
        programs="node_modules/.bin/gemini",
        command="gemini",
    )
    approval = ("--approval-mode", "yolo")
    trust_files = (".gemini/settings.json", ".gemini/trustedFolders.json")
    shell_ran = r"Process Group PGID|^<untrusted_context>"

    def prepare(self, start: Start) -> None:
        """It takes these settings from the home folder alone: they are added to what is there.

        A file with comments, or with a mistake that keeps Gemini CLI from starting, stays as it is: the environment has
        the key, and the settings only spare requests that are left unanswered here.
        """
        path = start.workspace.home / ".gemini" / "settings.json"
        path.parent.mkdir(exist_ok=True)
        try:
            settings = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        except ValueError:
            return
        if isinstance(settings, dict):
            path.write_text(json.dumps(merged(settings, _SETTINGS), indent=2), encoding="utf-8")

    def arguments(self, start: Start) -> Sequence[str]:
        return ["-m", "gemini-2.5-pro", "-p", start.prompts[0]]

    def environment(self, start: Start) -> Mapping[str, str]:
        trust = {"GEMINI_CLI_TRUST_WORKSPACE": "true"} if start.trust else {}
        return {
            **trust,
            "GEMINI_API_KEY": "invented",
            "GOOGLE_GEMINI_BASE_URL": start.url,
            "GEMINI_CLI_NO_RELAUNCH": "true",
            "GEMINI_TELEMETRY_ENABLED": "false",
            "GEMINI_SANDBOX": "false",
            "NO_BROWSER": "1",
        }

    def trust_in(self, files: Mapping[str, str]) -> Mapping[str, str]:
        return {name: folder_trust(text) if name.endswith("settings.json") else text for name, text in files.items()}

    def shell(self, command: str) -> ToolStep:
        return ToolStep("run_shell_command", {"command": command, "description": "scripted step"})

    def write(self, path: str, content: str) -> ToolStep:
        return ToolStep("write_file", {"file_path": path, "content": content})

    def edit(self, path: str, old: str, new: str) -> ToolStep:
        names = {"file_path": path, "instruction": "scripted step", "old_string": old, "new_string": new}
        return ToolStep("replace", names)

    def read(self, path: str) -> ToolStep:
        return ToolStep("read_file", {"file_path": path})


DRIVER = _GeminiCli()
