"""Every guard in every client without recordings of its own, by the payloads that the client's documents show.

For each client and guard: the guard has its effect, or it is declared here why it has none. The clients with recordings
run in tests/realclients/test_guards.py.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from anyhook.bridge.answer_event import answer
from anyhook.bridge.prepare_event import prepare
from anyhook.bridge.read_call import Caller
from anyhook.dialects import all_profiles
from anyhook.dialects.clients import OWN
from anyhook.dialects.wire.answers import ProcessAnswer
from anyhook.guards.catalogue import GUARDS
from anyhook.project.asked_packages import HookPackage
from anyhook.project.package_hooks import PackageHooks
from anyhook.sources.state import VARIABLE
from tests.guards.documented_payloads import PAYLOADS

pytestmark = pytest.mark.skipif(os.name == "nt", reason="formatter and notifier of these tests are shell scripts")
TOKEN = "ghp_" + "a8Kd03mXq7Lw92TzRb5Yc1Nf6Vh4Js0Pe3Gu"
REFUSES = ("deny", "block", '"permission":"deny"', '"continue":false', '"followup_message"')


class Trial(NamedTuple):
    """What makes a guard act, and what shows that it did."""

    moment: str
    settings: str
    values: Mapping[str, str]
    says: str
    times: int = 1
    is_refused: bool = True


TRIALS = {
    "shell": Trial("shell", "", {"SHELL": "git push --force origin main"}, "(shell guard: git)"),
    "files": Trial("write", "", {"FILE": ".env", "TEXT": "A=1"}, "(files guard)"),
    "secrets": Trial("prompt", "", {"TEXT": f"use {TOKEN}"}, "(secrets guard)"),
    "network": Trial("shell", 'hosts = ["github.com"]', {"SHELL": "curl https://evil.test"}, "(network guard)"),
    "budget": Trial("shell", "tool_calls = 1", {"SHELL": "ls"}, "(budget guard: tool_calls)", times=2),
    "tests": Trial("stop", 'command = "exit 7"', {}, "exit 7: exit status 7"),
    "context": Trial("start", 'note = "note.md"', {}, "The password of the day is heron.", is_refused=False),
    "format": Trial("written", "", {"FILE": "a.go", "TEXT": "code"}, "was formatted", is_refused=False),
    "notify": Trial("stop", "bell = false", {}, "", is_refused=False),
}
NOT: Mapping[tuple[str, str], str] = {
    ("antigravity", "secrets"): "has no event when a prompt is sent",
    ("antigravity", "context"): "no document says what it reads when a session starts: nothing is told",
    ("antigravity", "format"): "no document says what it reads after a tool: the file is formatted, nothing is told",
    ("windsurf", "tests"): "has no event when the agent wants to end",
    ("windsurf", "context"): "has no event when a session starts",
    ("windsurf", "notify"): "has no event when the agent waits or ends",
    ("kiro", "format"): "reads nothing after a tool: the file is formatted, the agent is not told",
    ("windsurf", "format"): "reads nothing after an edit: the file is formatted, the agent is not told",
}
"""Why a guard has no effect in a client, or not all of it."""
WITHOUT_DOCUMENTED_PAYLOADS = {
    "rulesync": "runs no hooks: a program that writes hook files for clients, which send their own payloads",
}


def test_the_table_is_complete() -> None:
    documented = {known.name for known in all_profiles() if known.basis == "documented"}
    assert documented == {*PAYLOADS, *WITHOUT_DOCUMENTED_PAYLOADS}
    assert set(TRIALS) == set(GUARDS)
    assert {guard for _, guard in NOT} <= set(GUARDS)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "state").mkdir(mode=0o700)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "state"))
    root = tmp_path / "project"
    (root / "hooks").mkdir(parents=True)
    (root / "note.md").write_text("The password of the day is heron.")
    (root / "go.mod").write_text("module x\n")
    (root / "a.go").write_text("code")
    (tmp_path / "bin").mkdir()
    for name, script in (("gofmt", 'echo CODE > "$2"'), ("notify-send", 'echo "$4" > "$NOTICES"')):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return root


def answered(client: str, trial: Trial, project: Path) -> ProcessAnswer:
    """What the client reads after its last event."""
    event, payload = PAYLOADS[client][trial.moment]
    text = json.dumps(payload)
    for name, value in {**trial.values, "PROJECT": str(project)}.items():
        text = text.replace(f'"{name}"', json.dumps(value))
    path = f"{project.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    variables = {"PATH": path, "NOTICES": str(project.parent / "notices")}
    package = HookPackage(PackageHooks(project).of(OWN), project)
    for _ in range(trial.times):
        prepared = prepare(
            {"--client": client, "--event": event},
            Caller(cwd=project, home=project.parent, environment=variables),
            text.encode(),
            lambda *_, **__: (package,),
        )
        given = asyncio.run(answer(prepared, None, lambda _: None))
    return given


@pytest.mark.parametrize("guard", TRIALS)
@pytest.mark.parametrize("client", PAYLOADS)
def test_the_guard_has_its_effect(client: str, guard: str, project: Path) -> None:
    trial = TRIALS[guard]
    (project / "anyhook.toml").write_text(f"[guards.{guard}]\n{trial.settings}\n")
    if trial.moment not in PAYLOADS[client]:
        assert NOT[client, guard].startswith("has no event")
        return
    given = answered(client, trial, project)
    said = (given.stdout + given.stderr).decode()
    if (client, guard) not in NOT:
        assert trial.says in said
    if trial.is_refused:
        assert given.exit_code == 2 or any(word in said for word in REFUSES), said
    if guard == "format":
        assert (project / "a.go").read_text() == "CODE\n"
    if guard == "notify":
        wait_for((project.parent / "notices").exists)


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    assert condition()
