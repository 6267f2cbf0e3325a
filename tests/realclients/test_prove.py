"""``anyhook prove`` in real clients: what is wrong with a hook is found, with the right reason."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from anyhook.dialects import all_profiles, profile
from tests.realclients.playing import Report, anyhook, prove, put_anyhook_on_path

RECORDED = [known.name for known in all_profiles() if known.basis == "recorded"]
GUARD = """#!/bin/sh
if grep -q DANGER; then echo 'guard: no DANGER here' >&2; exit 2; fi
"""
DANGEROUS = "echo DANGER > bad.txt"
FINE = "echo fine > fine.txt"


class HookFile(NamedTuple):
    """A client's hook file."""

    path: str
    event: str
    tool: str
    is_flat: bool = False
    """An event has hooks, not groups of hooks."""

    def content(self, command: str, tool: str | None = None) -> dict[str, Any]:
        hook = {"type": "command", ("bash" if self.is_flat else "command"): command}
        matcher = {"matcher": tool or self.tool}
        entry = {**matcher, **hook} if self.is_flat else {**matcher, "hooks": [hook]}
        version = {"version": 1} if self.is_flat else {}
        return {**version, "hooks": {self.event: [entry]}}


HOOK_FILES = {
    "claude-code": HookFile(".claude/settings.json", "PreToolUse", "Bash"),
    "codex": HookFile(".codex/hooks.json", "PreToolUse", "Bash"),
    "gemini-cli": HookFile(".gemini/settings.json", "BeforeTool", "run_shell_command"),
    "copilot-cli": HookFile(".github/hooks/guard.json", "preToolUse", "bash", is_flat=True),
    "qwen-code": HookFile(".qwen/settings.json", "PreToolUse", "run_shell_command"),
}

pytestmark = [pytest.mark.usefixtures("clients"), pytest.mark.parametrize("client", RECORDED)]


@pytest.fixture
def folder(client: str, tmp_path: Path) -> Path:
    """A project with a guard for one client, and with two cases: one that it blocks, one that it allows."""
    project = tmp_path / "project"
    tests = project / ".anyhook/tests"
    for name, command, effect in (("blocks", DANGEROUS, "block"), ("allows", FINE, "proceed")):
        case = {"name": name, "event": "PreToolUse", "client": client, "input": {"fixture": f"fixtures/{name}.json"}}
        write(tests / f"cases/{name}.yaml", {**case, "expected": {"effect": effect}})
        event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
        write(tests / f"fixtures/{name}.json", event)
    write(project / "guard.sh", GUARD)
    (project / "guard.sh").chmod(0o755)
    write(project / HOOK_FILES[client].path, HOOK_FILES[client].content("./guard.sh"))
    return tmp_path


def write(path: Path, content: str | Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2))


def columns(proved: Report) -> tuple[bool, bool, bool]:
    """Loaded, fired and effect of the first hook."""
    hook = proved["hooks"][0]
    return hook["loaded"], hook["fired"], hook["effect"]


def content(folder: Path) -> Mapping[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_good_hook_is_proved_and_nothing_is_changed(client: str, folder: Path) -> None:
    before = content(folder)
    status, proved = prove(folder, "--client", client)
    assert (status, columns(proved)) == (0, (True, True, True)), proved
    assert content(folder) == before


def test_try_says_what_the_client_does(client: str, folder: Path) -> None:
    """Asked without the client, and in it: with a good hook, and with one that never matches."""
    file = HOOK_FILES[client]
    for tool, outcome, is_blocked in ((None, "blocked", True), ("no_such_tool", "not covered", False)):
        write(folder / "project" / file.path, file.content("./guard.sh", tool=tool))
        done = anyhook(folder, "try", DANGEROUS, "--client", client, "--json")
        [tried] = json.loads(done.stdout)["clients"]
        _, proved = prove(folder, "--client", client, "--case", "blocks")
        assert (tried["outcome"], columns(proved)[2]) == (outcome, is_blocked), (tried, proved)


def test_a_wrong_tool_name(client: str, folder: Path) -> None:
    file = HOOK_FILES[client]
    write(folder / "project" / file.path, file.content("./guard.sh", tool="no_such_tool"))
    status, proved = prove(folder, "--client", client, "--case", "blocks")
    assert (status, columns(proved)) == (1, (True, False, False)), proved
    assert "no_such_tool" in proved["hooks"][0]["reason"]


def lose_the_file(client: str, content: dict[str, Any]) -> str:
    """One mistake for which the client drops the whole file, beside a good hook."""
    match client:
        case "claude-code":
            content["hooks"]["PreToolUse"].append({"matcher": "Bash", "hooks": [{"type": "command"}]})
        case "codex":
            content["version"] = 1
        case "copilot-cli":
            content["hooks"]["sessionStart"] = {"type": "command", "bash": "true"}
        case _:
            return json.dumps(content) + "}"
    return json.dumps(content)


def test_a_file_that_is_dropped_for_one_bad_entry(client: str, folder: Path) -> None:
    file = HOOK_FILES[client]
    write(folder / "project" / file.path, lose_the_file(client, file.content("./guard.sh")))
    status, proved = prove(folder, "--client", client, "--case", "blocks")
    assert status == 1, proved
    assert proved["missed"] == ["blocks"]
    reasons = [hook["reason"] for hook in proved["hooks"]] + [problem["text"] for problem in proved["problems"]]
    assert any("does not load it" in reason or "JSON" in reason for reason in reasons), reasons
    assert not any(hook["fired"] for hook in proved["hooks"])


DROPS_ENTRIES_ALONE = ("gemini-cli", "qwen-code")
"""No bad entry loses the file here, only JSON that cannot be read: gemini-cli/types-nocmd, qwen-code/config-nocmd."""


def test_a_bad_entry_that_is_dropped_alone(client: str, folder: Path) -> None:
    if client not in DROPS_ENTRIES_ALONE:
        return
    file = HOOK_FILES[client]
    content = file.content("./guard.sh")
    content["hooks"][file.event].insert(0, {"matcher": file.tool, "hooks": [{"type": "command"}]})
    write(folder / "project" / file.path, content)
    status, proved = prove(folder, "--client", client, "--case", "blocks")
    bad, good = proved["hooks"]
    assert (status, bad["loaded"], good["loaded"], good["fired"], good["effect"]) == (0, False, True, True, True), (
        proved
    )
    assert "does not load it" in bad["reason"]


def test_a_script_that_is_not_executable(client: str, folder: Path) -> None:
    (folder / "project/guard.sh").chmod(0o644)
    status, proved = prove(folder, "--client", client)
    if profile(client).execution.makes_executable:
        assert (status, columns(proved)) == (0, (True, True, True)), proved
        return
    assert (status, columns(proved)) == (1, (True, True, False)), proved
    assert "chmod +x" in proved["hooks"][0]["reason"]


def deploy_starter(client: str, folder: Path) -> None:
    shutil.rmtree(folder / "project")
    (folder / "project").mkdir()
    put_anyhook_on_path(folder)
    assert anyhook(folder, "init", ".").returncode == 0
    assert anyhook(folder, "deploy", "--client", client).returncode == 0


def test_the_starter_package_is_proved_once_it_is_trusted(client: str, folder: Path) -> None:
    deploy_starter(client, folder)
    status, untrusted = prove(folder, "--client", client, "--case", "formatter-strips")
    assert status == 1
    assert [hook["hook"] for hook in untrusted["hooks"] if "not trusted yet" in hook["reason"]]

    assert anyhook(folder, "trust", "--yes", ".").returncode == 0
    status, proved = prove(folder, "--client", client)
    assert (status, {hook["effect"] for hook in proved["hooks"]}) == (0, {True}), proved


ASKS_FOR_TRUST = {
    "codex": {},
    "copilot-cli": {},
    "gemini-cli": {".gemini/settings.json": {"security": {"folderTrust": {"enabled": True}}}},
}
"""The user's settings with which a client asks for trust.

Claude Code does not ask when it is headless. Qwen Code asks for approval of every call in a folder that is not trusted,
and so refuses the call itself when it is headless: no call goes ahead without the guard.
"""


def test_a_hook_that_the_client_does_not_trust(client: str, folder: Path) -> None:
    if client not in ASKS_FOR_TRUST:
        return
    for name, settings in ASKS_FOR_TRUST[client].items():
        write(folder / "home" / name, settings)
    home = ("--home", str(folder / "home"))
    status, proved = prove(folder, "--client", client, "--case", "blocks", "--user-trust", *home)
    assert (status, columns(proved)) == (1, (True, False, False)), proved
    assert "does not trust it" in proved["hooks"][0]["reason"]


SPEAKS = {
    "claude-code": "UserPromptSubmit",
    "codex": "UserPromptSubmit",
    "qwen-code": "UserPromptSubmit",
    "gemini-cli": "BeforeAgent",
}


def test_a_hook_that_only_tells_the_model_something(client: str, folder: Path) -> None:
    """Without cases: the built-in ones show that the text was in a request of the client."""
    if client not in SPEAKS:
        return
    shutil.rmtree(folder / "project/.anyhook")
    context = {"hookSpecificOutput": {"hookEventName": SPEAKS[client], "additionalContext": "Mind the giraffes."}}
    hook = {"type": "command", "command": f"echo '{json.dumps(context)}'"}
    write(folder / "project" / HOOK_FILES[client].path, {"hooks": {SPEAKS[client]: [{"hooks": [hook]}]}})
    status, proved = prove(folder, "--client", client)
    assert (status, columns(proved)) == (0, (True, True, True)), proved
    assert [(played["played"], played["told"]) for played in proved["played"]] == [("say hello", "Mind the giraffes.")]
