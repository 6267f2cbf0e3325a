"""Every guard refuses and allows the same calls in every client that has such an event."""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from anyhook.bridge.answer_event import answer
from anyhook.bridge.prepare_event import prepare
from anyhook.bridge.read_call import Caller
from anyhook.dialects import NAMES, profile
from anyhook.dialects.bound_event import bind_event, bind_payload
from anyhook.dialects.clients import OWN
from anyhook.dialects.translation.equivalents import routes
from anyhook.dialects.translation.translate import translate_payload
from anyhook.dialects.wire.answers import encode_reply
from anyhook.dialects.wire.payloads import encode_payload
from anyhook.model.lazyjson import dump_json
from anyhook.model.output import Reply
from anyhook.model.payload import PostToolUse, PreToolUse, SessionStart, Stop
from anyhook.model.payload_base import Payload
from anyhook.project.asked_packages import HookPackage
from anyhook.project.package_hooks import PackageHooks
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


PLAYED = {*ORDER, "budget", "tests", "format", "context", "notify"}
"""The guards that a test of this module plays as every client that has such an event."""


def said_to(client: str, event: Payload, project: Path, **variables: str) -> str:
    """What a client reads after an event that it has sent in its own terms."""
    sent = translate_payload(event, profile(OWN), profile(client)).payload
    assert sent is not None
    bound = bind_payload(profile(client), sent)
    package = HookPackage(PackageHooks(project).of(OWN), project)
    prepared = prepare(
        {"--client": client, "--event": bound.native_event},
        Caller(cwd=project, home=project.parent, environment=variables),
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


SILENCE = ("", "{}")
EXCEPTED = '[[guards.{name}.exceptions]]\nclients = ["{client}"]\n'


@pytest.mark.parametrize("client", [name for name in NAMES if routes("SessionStart", name)])
def test_the_context_of_a_session_reaches_the_agent(client: str, project: Path) -> None:
    (project / ".git").mkdir()
    (project / ".git" / "HEAD").write_text("ref: refs/heads/release\n")
    (project / "anyhook.toml").write_text("[guards.context]\n")
    event = SessionStart(session_id="s", source="startup", native_event="session-start")
    told = said_to(client, event, project, PATH=os.environ["PATH"])
    assert ("The branch is release." in told) is hears_context(client)
    (project / "anyhook.toml").write_text("[guards.context]\n" + EXCEPTED.format(name="context", client=client))
    assert "release" not in said_to(client, event, project, PATH=os.environ["PATH"])


def hears_context(client: str) -> bool:
    """Whether a hook of the client can add context when a session starts."""
    way = routes("SessionStart", client)[0]
    native = profile(client).events[way.event][0]
    bound = bind_event(profile(client), way.event, native)
    return b"x y" in encode_reply(bound, Reply(context="x y")).stdout


@pytest.mark.skipif(os.name == "nt", reason="the program of this test is a shell script")
@pytest.mark.parametrize("client", [name for name in NAMES if routes("PostToolUse", name)])
def test_an_edited_file_is_formatted_in_every_client(client: str, project: Path) -> None:
    programs = project.parent / "bin"
    plant(programs / "ruff", 'for last; do :; done\necho "x = 1" > "$last"\n')
    (project / "ruff.toml").write_text("")
    given = {"file_path": str(project / "a.py"), "content": "x=1"}
    event = PostToolUse(
        session_id="s", tool_name="Write", tool_input=given, tool_response="ok", native_event="post-tool-use"
    )
    for exception, formatted in (("", "x = 1\n"), (EXCEPTED.format(name="format", client=client), "x=1\n")):
        (project / "a.py").write_text("x=1\n")
        (project / "anyhook.toml").write_text("[guards.format]\n" + exception)
        said_to(client, event, project, PATH=f"{programs}:/usr/bin:/bin")
        assert (project / "a.py").read_text() == formatted


@pytest.mark.skipif(os.name == "nt", reason="the program of this test is a shell script")
@pytest.mark.parametrize("client", [name for name in NAMES if routes("Stop", name)])
def test_the_user_is_notified_in_every_client(client: str, project: Path) -> None:
    programs, shown = project.parent / "bin", project.parent / "shown"
    plant(programs / "notify-send", f"printf '%s' \"$4\" > '{shown}.new'\n/bin/mv '{shown}.new' '{shown}'\n")
    (project / "anyhook.toml").write_text("[guards.notify]\nbell = false\n")
    assert said_to(client, STOP, project, PATH=str(programs)).strip() in SILENCE
    end = time.monotonic() + 60
    while not shown.exists() and time.monotonic() < end:
        time.sleep(0.02)
    assert shown.read_text() == "The agent has ended its turn."


def plant(program: Path, text: str) -> None:
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{text}")
    program.chmod(0o755)
