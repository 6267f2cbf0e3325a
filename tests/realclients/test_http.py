"""Real clients, offline, with a scripted model: an HTTP hook asks a daemon that listens beside the client."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.realclients.playing import Report, Step, anyhook, approved, play, put_anyhook_on_path

PACKAGE = Path(__file__).parent / "package"
HOOK_FILES = {
    "claude-code": (".claude/settings.json", "SessionStart", "PreToolUse"),
    "copilot-cli": (".github/hooks/anyhook.json", "sessionStart", "preToolUse"),
    "qwen-code": (".qwen/settings.json", "SessionStart", "PreToolUse"),
}
FINE: Step = {"shell": "touch fine.txt"}
DANGEROUS: Step = {"shell": "echo DANGER > bad.txt"}
RUNS_WITHOUT_DAEMON = {("claude-code", "open"), ("qwen-code", "open"), ("qwen-code", "closed")}
"""What docs/daemon.md says about clients whose HTTP hook fails."""

pytestmark = [pytest.mark.usefixtures("clients"), pytest.mark.parametrize("client", HOOK_FILES)]


def play_with_entry(client: str, folder: Path, script: list[Step], *, fail: str, has_daemon: bool) -> Report:
    """A conversation in which the client has the entry that anyhook prints, and the token for it."""
    shutil.copytree(PACKAGE, folder / "project")
    put_anyhook_on_path(folder)
    name, first_event, event = HOOK_FILES[client]
    printed = anyhook(folder, "daemon", "http-entry", "--client", client, "--event", event, "--fail", fail)
    content = json.loads(printed.stdout)
    if has_daemon:  # started by a hook: a client that is played has a network of its own
        start = {"type": "command", "command": "anyhook daemon start --http"}
        content["hooks"][first_event] = [{"hooks": [start]}]
    file = folder / "project" / name
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(content))
    variables = {
        **approved(folder),
        "ANYHOOK_HTTP_TOKEN": (folder / "state/http-token").read_text(),
        "COPILOT_HOOK_ALLOW_LOCALHOST": "1",
    }
    return play(client, folder, script, env=variables)


def test_an_http_hook_that_asks_the_daemon_guards(client: str, tmp_path: Path) -> None:
    script = [FINE, DANGEROUS, {"text": "bye"}]
    report = play_with_entry(client, tmp_path, script, fail="open", has_daemon=True)
    fine, dangerous, *_ = report["tool_results"]
    assert fine["ran"]
    assert not dangerous["ran"]
    assert "guard: no DANGER here" in dangerous["model_saw"]


@pytest.mark.parametrize("fail", ["open", "closed"])
def test_without_a_daemon_the_clients_own_rule_applies(client: str, fail: str, tmp_path: Path) -> None:
    report = play_with_entry(client, tmp_path, [FINE, {"text": "bye"}], fail=fail, has_daemon=False)
    assert report["tool_results"][0]["ran"] is ((client, fail) in RUNS_WITHOUT_DAEMON)
