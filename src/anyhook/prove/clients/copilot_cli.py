"""Copilot CLI: headless with ``-p``, offline with an own key, Chat Completions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from anyhook.prove.driver import Driver, Package, Start
from anyhook.prove.script import ToolStep


class _CopilotCli(Driver):
    package = Package(
        registry="npm",
        name="@github/copilot",
        version="1.0.102",
        programs="node_modules/@github/copilot-*/copilot",
        command="copilot",
    )
    approval = ("--allow-all",)
    trust_files = (".copilot/config.json",)
    shell_ran = r"completed with exit code"

    def prepare(self, start: Start) -> None:
        """The program unpacks itself once (235 MB): let it find what it unpacked when it was installed."""
        if start.installation is not None:
            cache = _cache(start)
            cache.mkdir()
            (cache / "pkg").symlink_to(start.installation / "cache" / "pkg")

    def arguments(self, start: Start) -> Sequence[str]:
        trust = ("--trust-folder",) if start.trust else ()
        log = ("--log-level", "debug", "--log-dir", str(start.workspace.logs))
        return ["-p", start.prompts[0], *trust, "--no-auto-update", *log]

    def environment(self, start: Start) -> Mapping[str, str]:
        return {
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_CACHE_HOME": str(_cache(start)),
            "COPILOT_HOME": str(start.workspace.home / ".copilot"),
            "COPILOT_MODEL": "mock-model",
            "COPILOT_PROVIDER_TYPE": "openai",
            "COPILOT_PROVIDER_WIRE_API": "completions",
            "COPILOT_PROVIDER_BASE_URL": f"{start.url}/v1",
            "COPILOT_PROVIDER_API_KEY": "invented",
        }

    def version_environment(self, installation: Path) -> Mapping[str, str]:
        return {"COPILOT_CACHE_HOME": str(installation / "cache")}

    def shell(self, command: str) -> ToolStep:
        return ToolStep("bash", {"command": command, "description": "scripted step"})

    def write(self, path: str, content: str) -> ToolStep:
        return ToolStep("create", {"path": path, "file_text": content})

    def edit(self, path: str, old: str, new: str) -> ToolStep:
        return ToolStep("edit", {"path": path, "old_str": old, "new_str": new})

    def read(self, path: str) -> ToolStep:
        return ToolStep("view", {"path": path})


def _cache(start: Start) -> Path:
    return start.workspace.root / "cache"


DRIVER = _CopilotCli()
