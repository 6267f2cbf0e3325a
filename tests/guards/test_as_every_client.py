"""Every guard refuses and allows the same calls in every client that has such an event."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from anyhook.bridge.answer_event import answer
from anyhook.bridge.packages import HookPackage
from anyhook.bridge.prepare_event import Caller, prepare
from anyhook.dialects import NAMES, profile
from anyhook.dialects.bound_event import bind_payload
from anyhook.dialects.clients import OWN
from anyhook.dialects.translation.equivalents import routes
from anyhook.dialects.translation.translate import translate_payload
from anyhook.dialects.wire.payloads import encode_payload
from anyhook.model.lazyjson import dump_json
from anyhook.model.payload import PreToolUse, Stop
from anyhook.model.payload_base import Payload
from anyhook.sources.package_hooks import PackageHooks
from anyhook.sources.state import VARIABLE
from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.matrix.play import play_matrix

SETTINGS = '[guards.shell]\n[guards.files]\n[guards.secrets]\n[guards.network]\nhosts = ["github.com"]\n'
ORDER = ("shell", "files", "secrets", "network")
TOKEN = "ghp_" + "a8Kd03mXq7Lw92TzRb5Yc1Nf6Vh4Js0Pe3Gu"
CASES: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "shell-refuses": ("shell", "Bash", {"command": "git push --force origin main"}, "block"),
    "shell-allows": ("shell", "Bash", {"command": "git status"}, "proceed"),
    "files-refuses": ("files", "Write", {"file_path": ".env", "content": "A=1"}, "block"),
    "files-refuses-by-shell": ("files", "Bash", {"command": "echo A=1 > .env"}, "block"),
    "files-allows": ("files", "Write", {"file_path": "a.txt", "content": "A=1"}, "proceed"),
    "secrets-refuses": ("secrets", "Write", {"file_path": "a.txt", "content": TOKEN}, "block"),
    "secrets-refuses-by-shell": ("secrets", "Bash", {"command": "cat .env"}, "block"),
    "secrets-allows": ("secrets", "Write", {"file_path": "a.txt", "content": "A=1"}, "proceed"),
    "network-refuses": ("network", "Bash", {"command": "curl https://evil.test"}, "block"),
    "network-allows": ("network", "Bash", {"command": "curl https://github.com"}, "proceed"),
}


def write_package(root: Path) -> None:
    tests = root / "hooks" / "tests"
    for folder in ("cases", "fixtures"):
        (tests / folder).mkdir(parents=True)
    (root / "anyhook.toml").write_text(SETTINGS)
    for name, (guard, tool, given, effect) in CASES.items():
        payload = {"hookEventName": "pre-tool-use", "toolName": tool, "toolInput": given}
        (tests / "fixtures" / f"{name}.json").write_text(json.dumps(payload))
        lines = [f"name: {name}", "event: pre-tool-use", f"hook-index: {ORDER.index(guard)}", "input:"]
        lines += [f"  fixture: fixtures/{name}.json", "expected:", f"  effect: {effect}", ""]
        (tests / "cases" / f"{name}.yaml").write_text("\n".join(lines))


def test_no_client_differs(tmp_path: Path) -> None:
    write_package(tmp_path)
    suite = read_suite(tmp_path)
    rows = play_matrix(suite, suite.everything).rows
    found = {
        (row.case.name, cell.client): f"{cell.effect}: {cell.reason}"
        for row in rows
        for cell in row.cells
        if str(cell.effect) != CASES[row.case.name][3]
    }
    assert len(rows) == len(CASES)
    assert found == {}


CALL = PreToolUse(session_id="s", tool_name="Bash", tool_input={"command": "ls"}, native_event="pre-tool-use")
STOP = Stop(session_id="s", native_event="stop")


def said_to(client: str, event: Payload, project: Path) -> str:
    """What a client reads after an event that it has sent in its own terms."""
    sent = translate_payload(event, profile(OWN), profile(client)).payload
    assert sent is not None
    bound = bind_payload(profile(client), sent)
    package = HookPackage(PackageHooks(project).of(OWN), project)
    prepared = prepare(
        {"--client": client, "--event": bound.native_event},
        Caller(cwd=project, home=project.parent, environment={}),
        dump_json(encode_payload(bound, sent)),
        lambda *_, **__: (package,),
    )
    given = asyncio.run(answer(prepared, None, lambda _: None))
    return (given.stdout + given.stderr).decode()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "state"))
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.mark.parametrize("client", [name for name in NAMES if routes("PreToolUse", name)])
def test_a_budget_holds_in_every_client(client: str, project: Path) -> None:
    (project / "anyhook.toml").write_text("[guards.budget]\ntool_calls = 1\n")
    assert "limit" not in said_to(client, CALL, project)
    assert "This session has reached its limit of tool calls (1)." in said_to(client, CALL, project)


@pytest.mark.parametrize("client", [name for name in NAMES if routes("Stop", name)])
def test_failing_checks_are_told_in_every_client(client: str, project: Path) -> None:
    (project / "anyhook.toml").write_text('[guards.tests]\ncommand = "exit 7"\n')
    assert "exit 7: exit status 7" in said_to(client, STOP, project)
