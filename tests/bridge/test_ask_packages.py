"""``anyhook exec`` as a client starts it: the hooks are asked, and the client hears them in its own words."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from anyhook.bridge.ask_packages import Call, answer
from anyhook.bridge.fail_mode import FailMode
from anyhook.bridge.packages import find_packages
from anyhook.dialects import profile
from anyhook.dialects.wire.answers import ProcessAnswer, encode_reply
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.sources.discover import Roots
from tests.bridge.bridging import HOOKS, make_package, run_anyhook, shell_call

TRUSTED = {"ANYHOOK_TRUST": "1"}
REWRITE = """#!/bin/sh
echo '{"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": {"command": "touch after.txt"}}}'
"""


def pre_tool(command: str) -> dict[str, Any]:
    return {"pre-tool-use": [{"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}]}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return make_package(tmp_path / "project")


# ------------------------------------------------------------------------------------- answers that each client honours


def test_codex_is_told_by_exit_status_2_and_nothing_on_stdout(package: Path) -> None:
    done = run_anyhook(package, "exec", "--client", "codex", stdin=shell_call("echo DANGER"), **TRUSTED)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "guard: no DANGER here")


def test_gemini_is_told_a_decision(package: Path) -> None:
    call = shell_call("echo DANGER", hook_event_name="BeforeTool", tool_name="run_shell_command")
    done = run_anyhook(package, "exec", "--client", "gemini-cli", stdin=call, **TRUSTED)
    assert json.loads(done.stdout) == {"decision": "deny", "reason": "guard: no DANGER here"}
    assert done.returncode == 0


def test_copilot_is_told_flat_fields(package: Path) -> None:
    call = {"sessionId": "s", "timestamp": 1, "cwd": "/", "toolName": "bash", "toolArgs": {"command": "echo DANGER"}}
    done = run_anyhook(package, "exec", "--client", "copilot-cli", "--event", "preToolUse", stdin=call, **TRUSTED)
    told = {"permissionDecision": "deny", "permissionDecisionReason": "guard: no DANGER here"}
    assert (done.returncode, json.loads(done.stdout)) == (0, told)


@pytest.mark.parametrize("client", ["codex", "claude-code", "qwen-code"])
def test_a_silent_hook_is_silence(client: str, package: Path) -> None:
    call = shell_call("ls", tool_name="run_shell_command" if client == "qwen-code" else "Bash")
    done = run_anyhook(package, "exec", "--client", client, stdin=call, **TRUSTED)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_answer_can_be_told_from_a_failure(package: Path) -> None:
    words = ("exec", "--client", "codex", "--answered", "90")
    assert run_anyhook(package, *words, stdin=shell_call("echo DANGER"), **TRUSTED).returncode == 92
    assert run_anyhook(package, *words, stdin=shell_call("ls"), **TRUSTED).returncode == 90


def test_a_rewritten_command_has_the_clients_names(tmp_path: Path) -> None:
    package = make_package(tmp_path / "project", pre_tool("${PACKAGE_ROOT}/hooks/rewrite.sh"), rewrite=REWRITE)
    call = {
        "sessionId": "s",
        "timestamp": 1,
        "cwd": "/",
        "toolName": "bash",
        "toolArgs": {"command": "touch before.txt"},
    }
    done = run_anyhook(package, "exec", "--client", "copilot-cli", "--event", "preToolUse", stdin=call, **TRUSTED)
    assert json.loads(done.stdout)["modifiedArgs"] == {"command": "touch after.txt"}


def test_a_client_that_does_not_rewrite_tells_the_user(tmp_path: Path) -> None:
    package = make_package(tmp_path / "project", pre_tool("${PACKAGE_ROOT}/hooks/rewrite.sh"), rewrite=REWRITE)
    call = shell_call("touch before.txt", tool_name="run_shell_command")
    done = run_anyhook(package, "exec", "--client", "qwen-code", stdin=call, **TRUSTED)
    assert "Qwen Code does not let hooks do that" in done.stdout + done.stderr


def test_hooks_of_another_client_get_the_payload_that_they_were_written_for(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".claude").mkdir(parents=True)
    command = 'cat > got.json; echo \'{"decision": "block", "reason": "no"}\''
    entry = {"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}
    (project / ".claude" / "settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [entry]}}))
    call = shell_call("ls", hook_event_name="BeforeTool", tool_name="run_shell_command", cwd=str(project))
    done = run_anyhook(project, "exec", "--client", "gemini-cli", "--from", "claude-code", stdin=call, **TRUSTED)
    got = json.loads((project / "got.json").read_text())
    assert (got["hook_event_name"], got["tool_name"], got["tool_input"]) == ("PreToolUse", "Bash", {"command": "ls"})
    assert json.loads(done.stdout) == {"decision": "deny", "reason": "no"}


def test_background_hooks_run_and_nobody_waits(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".claude").mkdir(parents=True)
    (tmp_path / "gate").mkdir()
    # It waits for what is made below, after exec has answered.
    command = f"until [ -e {tmp_path}/gate/open ]; do sleep 0.05; done; touch {tmp_path}/gate/seen"
    entry = {"hooks": [{"type": "command", "command": command, "async": True}]}
    (project / ".claude" / "settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [entry]}}))
    call = shell_call("ls", cwd=str(project))
    done = run_anyhook(project, "exec", "--client", "codex", "--from", "claude-code", stdin=call, **TRUSTED)
    assert (done.returncode, done.stdout) == (0, "")
    (tmp_path / "gate" / "open").touch()
    for _ in range(600):
        if (tmp_path / "gate" / "seen").exists():
            break
        time.sleep(0.05)
    assert (tmp_path / "gate" / "seen").exists()


# ------------------------------------------------------------------------------------------- when hooks cannot be asked

CLOSED = ("--fail", "closed")


def test_an_unreadable_payload_is_answered_by_the_fail_mode(package: Path) -> None:
    words = ("exec", "--client", "codex", "--event", "PreToolUse")
    opened = run_anyhook(package, *words, stdin="garbage", **TRUSTED)
    closed = run_anyhook(package, *words, *CLOSED, stdin="garbage", **TRUSTED)
    assert (opened.returncode, closed.returncode) == (0, 2)
    assert "not a JSON object" in json.loads(opened.stdout)["systemMessage"]
    assert "not a JSON object" in closed.stderr


def test_a_payload_without_its_tool_is_not_taken_for_one_that_nobody_minds(package: Path) -> None:
    call = {"session_id": "s", "hook_event_name": "PreToolUse"}
    assert run_anyhook(package, "exec", "--client", "codex", *CLOSED, stdin=call, **TRUSTED).returncode == 2


@pytest.mark.parametrize("text", ["{", "[]", '{"version": 2, "hooks": {}}', '{"version": 1, "hooks": 5}', ""])
def test_a_hook_file_that_says_nothing_is_answered_by_the_fail_mode(text: str, package: Path) -> None:
    (package / "hooks" / "hooks.json").write_text(text)
    words = ("exec", "--client", "codex")
    opened = run_anyhook(package, *words, stdin=shell_call("echo DANGER"), **TRUSTED)
    closed = run_anyhook(package, *words, *CLOSED, stdin=shell_call("echo DANGER"), **TRUSTED)
    assert (opened.returncode, closed.returncode) == (0, 2)
    assert "hooks" in json.loads(opened.stdout)["systemMessage"]
    assert "hooks" in closed.stderr


def test_a_broken_package_is_not_passed_by_for_one_above(package: Path) -> None:
    inner = package / "inner"
    (inner / "hooks").mkdir(parents=True)
    (inner / "hooks" / "hooks.json").write_text("{")
    done = run_anyhook(inner, "exec", "--client", "codex", *CLOSED, stdin=shell_call("ls"), **TRUSTED)
    assert (done.returncode, "inner/hooks/hooks.json" in done.stderr) == (2, True)


def test_without_any_hooks_the_fail_mode_answers(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    done = run_anyhook(tmp_path / "project", "exec", "--client", "codex", *CLOSED, stdin=shell_call("ls"))
    assert (done.returncode, "no hooks" in done.stderr) == (2, True)


def test_an_event_that_no_hook_is_for_needs_no_trust(package: Path) -> None:
    call = shell_call("ls", tool_name="apply_patch")
    done = run_anyhook(package, "exec", "--client", "codex", *CLOSED, stdin=call)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_agent_may_stop_though_the_hooks_cannot_be_asked(tmp_path: Path) -> None:
    package = make_package(tmp_path / "project", {"stop": [{"hooks": [{"type": "command", "command": "exit 2"}]}]})
    call = {"session_id": "s", "hook_event_name": "Stop", "stop_hook_active": False}
    done = run_anyhook(package, "exec", "--client", "codex", *CLOSED, stdin=call)
    assert done.returncode == 0
    assert "not trusted" in json.loads(done.stdout)["systemMessage"]


def test_a_hook_that_takes_too_long_follows_its_own_rule(tmp_path: Path) -> None:
    hooks = {"pre-tool-use": [{"hooks": [{"type": "command", "command": "sleep 60", "timeout": 1}]}]}
    package = make_package(tmp_path / "project", hooks)
    done = run_anyhook(package, "exec", "--client", "codex", *CLOSED, stdin=shell_call("ls"), **TRUSTED)
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((), "--client is one of"),
        (("--client", "nobody"), "--client is one of"),
        (("--client",), "--client needs a value"),
        (("--clent", "codex"), "there is no option --clent"),
        (("--client", "codex", "--fail", "maybe"), "--fail is open or closed"),
        (("--client", "codex", "--answered", "x"), "--answered is a number"),
    ],
)
def test_wrong_use_is_no_answer(words: tuple[str, ...], text: str, package: Path) -> None:
    done = run_anyhook(package, "exec", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert text in done.stderr


# --------------------------------------------------------------------------------------------------- which hooks answer


def test_the_package_is_found_from_a_folder_below(package: Path) -> None:
    (package / "src" / "deep").mkdir(parents=True)
    call = shell_call("echo DANGER")
    assert run_anyhook(package / "src" / "deep", "exec", "--client", "codex", stdin=call, **TRUSTED).returncode == 2


def test_an_agent_that_changes_its_folder_does_not_change_its_hooks(package: Path) -> None:
    """recordings/claude-code: the folder that hooks start in follows ``cd``, CLAUDE_PROJECT_DIR does not."""
    harmless = make_package(package / "vendor" / "harmless", {})
    project = {"CLAUDE_PROJECT_DIR": str(package)}
    for folder in (harmless, package.parent):
        done = run_anyhook(
            folder, "exec", "--client", "claude-code", stdin=shell_call("echo DANGER"), **TRUSTED, **project
        )
        assert "guard: no DANGER here" in done.stdout + done.stderr


def test_a_package_can_be_named(package: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    words = ("exec", "--client", "codex", "--package", str(package))
    done = run_anyhook(tmp_path / "elsewhere", *words, stdin=shell_call("echo DANGER"), **TRUSTED)
    assert done.returncode == 2


class Machine:
    """A package and an organisation's hooks, asked in this process."""

    def __init__(self, folder: Path) -> None:
        self.roots = Roots(project=folder / "project", home=folder / "home", system=folder / "system")

    def write_managed(self, hooks: str) -> None:
        place = self.roots.system / "etc" / "anyhook"
        place.mkdir(parents=True, exist_ok=True)
        (place / "hooks.json").write_text(hooks)

    def ask(self, command: str, *, is_trusted: bool, fail: FailMode = "open") -> ProcessAnswer:
        environment = {"PATH": "/usr/bin:/bin", **(TRUSTED if is_trusted else {})}
        roots = Roots(self.roots.project, self.roots.home, self.roots.system, environment)
        packages = find_packages(roots, package=None, dialect=None, started_in=roots.project)
        client_payload, _ = decode_payload(profile("codex"), shell_call(command))
        call = Call(client="codex", client_payload=client_payload, home=roots.home, environment=environment, fail=fail)
        return asyncio.run(answer(call, packages))


MANAGED = json.dumps({"version": 1, "hooks": pre_tool('if grep -q COMPANY; then echo "managed: no" >&2; exit 2; fi')})


def test_the_organisations_hooks_run_beside_the_packages(package: Path, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.write_managed(MANAGED)
    assert machine.ask("ls", is_trusted=True).exit_code == 0
    assert machine.ask("echo DANGER", is_trusted=True).stderr == b"guard: no DANGER here"
    assert machine.ask("echo COMPANY", is_trusted=True).stderr == b"managed: no"


def test_a_reply_is_written_once_per_event(package: Path, tmp_path: Path) -> None:
    """However many packages are asked: what the client cannot be told is known from the same writing."""
    machine = Machine(tmp_path)
    machine.write_managed(MANAGED)
    written: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is encode_reply.__code__:
            written.append(frame.f_code.co_qualname)

    sys.setprofile(note)
    try:
        assert machine.ask("echo DANGER", is_trusted=True).exit_code == 2
    finally:
        sys.setprofile(None)
    assert written == ["encode_reply"]


def test_the_organisations_hooks_need_no_trust_and_no_package(package: Path, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.write_managed(MANAGED)
    assert machine.ask("echo COMPANY", is_trusted=False).stderr == b"managed: no"
    (package / "hooks" / "hooks.json").unlink()
    assert machine.ask("echo COMPANY", is_trusted=False).stderr == b"managed: no"
    (package / "hooks" / "hooks.json").write_text("{")
    assert machine.ask("echo COMPANY", is_trusted=False).stderr == b"managed: no"


def test_an_organisations_file_that_cannot_be_read_is_answered_by_the_fail_mode(package: Path, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.write_managed("{")
    sent = machine.ask("ls", is_trusted=True, fail="closed")
    assert (sent.exit_code, b"etc/anyhook/hooks.json" in sent.stderr) == (2, True)


def test_hooks_keep_an_agent_going_only_so_often(tmp_path: Path) -> None:
    hooks = {"stop": [{"hooks": [{"type": "command", "command": "echo not yet >&2; exit 2"}]}]}
    package = make_package(tmp_path / "project", hooks)
    machine = Machine(tmp_path)
    environment = {"PATH": "/usr/bin:/bin", **TRUSTED}
    roots = Roots(package, machine.roots.home, machine.roots.system, environment)
    stop = {"session_id": "s", "hook_event_name": "Stop", "stop_hook_active": True}
    client_payload, _ = decode_payload(profile("codex"), stop)
    call = Call(client="codex", client_payload=client_payload, home=roots.home, environment=environment)
    packages = find_packages(roots, package=None, dialect=None, started_in=package)
    kept = [asyncio.run(answer(call, packages)).exit_code for _ in range(10)]
    assert kept == [2] * 8 + [0, 2]


def test_the_hooks_are_the_packages_own(tmp_path: Path) -> None:
    """An entry of ours in the client's file is not a hook of it: it would be asked twice."""
    package = make_package(tmp_path / "project", HOOKS)
    assert run_anyhook(package, "deploy", "--to", "claude-code").returncode == 0
    roots = Roots(package, tmp_path / "home", tmp_path / "system")
    (found,) = find_packages(roots, package=None, dialect="claude-code", started_in=package)
    assert found.hooks.rules == ()
