"""``anyhook exec`` as a client starts it: the hooks run, and the client gets the answer in its own format."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from msgspec import structs

from anyhook.bridge.answer_event import answer
from anyhook.bridge.prepare_event import prepare
from anyhook.bridge.read_call import Caller
from anyhook.dialects.wire.answers import ProcessAnswer, encode_reply
from anyhook.entries.fail_mode import FailMode
from anyhook.project.asked_packages import HookPackage, find_packages
from anyhook.sources.discover import Roots
from tests.approving import approve
from tests.bridge.bridging import HOOKS, make_package, run_anyhook, run_trusted, shell_call

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
    done = run_trusted(package, "exec", "--client", "codex", stdin=shell_call("echo DANGER"))
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "guard: no DANGER here")


def test_gemini_is_told_a_decision(package: Path) -> None:
    call = shell_call("echo DANGER", hook_event_name="BeforeTool", tool_name="run_shell_command")
    done = run_trusted(package, "exec", "--client", "gemini-cli", stdin=call)
    assert json.loads(done.stdout) == {"decision": "deny", "reason": "guard: no DANGER here"}
    assert done.returncode == 0


def test_copilot_is_told_flat_fields(package: Path) -> None:
    call = {"sessionId": "s", "timestamp": 1, "cwd": "/", "toolName": "bash", "toolArgs": {"command": "echo DANGER"}}
    done = run_trusted(package, "exec", "--client", "copilot-cli", "--event", "preToolUse", stdin=call)
    told = {"permissionDecision": "deny", "permissionDecisionReason": "guard: no DANGER here"}
    assert (done.returncode, json.loads(done.stdout)) == (0, told)


@pytest.mark.parametrize("client", ["codex", "claude-code", "qwen-code"])
def test_a_silent_hook_is_silence(client: str, package: Path) -> None:
    call = shell_call("ls", tool_name="run_shell_command" if client == "qwen-code" else "Bash")
    done = run_trusted(package, "exec", "--client", client, stdin=call)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_answer_can_be_told_from_a_failure(package: Path) -> None:
    words = ("exec", "--client", "codex", "--answered", "90")
    assert run_trusted(package, *words, stdin=shell_call("echo DANGER")).returncode == 92
    assert run_trusted(package, *words, stdin=shell_call("ls")).returncode == 90


def test_a_rewritten_command_has_the_clients_names(tmp_path: Path) -> None:
    package = make_package(tmp_path / "project", pre_tool("${PACKAGE_ROOT}/hooks/rewrite.sh"), rewrite=REWRITE)
    call = {
        "sessionId": "s",
        "timestamp": 1,
        "cwd": "/",
        "toolName": "bash",
        "toolArgs": {"command": "touch before.txt"},
    }
    done = run_trusted(package, "exec", "--client", "copilot-cli", "--event", "preToolUse", stdin=call)
    assert json.loads(done.stdout)["modifiedArgs"] == {"command": "touch after.txt"}


def test_a_client_that_does_not_rewrite_tells_the_user(tmp_path: Path) -> None:
    package = make_package(tmp_path / "project", pre_tool("${PACKAGE_ROOT}/hooks/rewrite.sh"), rewrite=REWRITE)
    call = shell_call("touch before.txt", tool_name="run_shell_command")
    done = run_trusted(package, "exec", "--client", "qwen-code", stdin=call)
    assert "Qwen Code does not let hooks do that" in done.stdout + done.stderr


def test_hooks_of_another_client_get_the_payload_that_they_were_written_for(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".claude").mkdir(parents=True)
    command = 'cat > got.json; echo \'{"decision": "block", "reason": "no"}\''
    entry = {"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}
    (project / ".claude" / "settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [entry]}}))
    call = shell_call("ls", hook_event_name="BeforeTool", tool_name="run_shell_command", cwd=str(project))
    done = run_trusted(project, "exec", "--client", "gemini-cli", "--from", "claude-code", stdin=call)
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
    done = run_trusted(project, "exec", "--client", "codex", "--from", "claude-code", stdin=call)
    assert (done.returncode, done.stdout) == (0, "")
    (tmp_path / "gate" / "open").touch()
    for _ in range(3_600):
        if (tmp_path / "gate" / "seen").exists():
            break
        time.sleep(0.05)
    assert (tmp_path / "gate" / "seen").exists()


# ------------------------------------------------------------------------------------------- when hooks cannot be asked

CLOSED = ("--fail", "closed")


def test_an_unreadable_payload_is_answered_by_the_fail_mode(package: Path) -> None:
    words = ("exec", "--client", "codex", "--event", "PreToolUse")
    opened = run_trusted(package, *words, stdin="garbage")
    closed = run_trusted(package, *words, *CLOSED, stdin="garbage")
    assert (opened.returncode, closed.returncode) == (0, 2)
    assert "not a JSON object" in json.loads(opened.stdout)["systemMessage"]
    assert "not a JSON object" in closed.stderr


def test_a_payload_without_its_tool_is_not_taken_for_one_that_nobody_minds(package: Path) -> None:
    call = {"session_id": "s", "hook_event_name": "PreToolUse"}
    assert run_trusted(package, "exec", "--client", "codex", *CLOSED, stdin=call).returncode == 2


@pytest.mark.parametrize("text", ["{", "[]", '{"version": 2, "hooks": {}}', '{"version": 1, "hooks": 5}', ""])
def test_a_hook_file_that_says_nothing_is_answered_by_the_fail_mode(text: str, package: Path) -> None:
    (package / "hooks" / "hooks.json").write_text(text)
    words = ("exec", "--client", "codex")
    opened = run_trusted(package, *words, stdin=shell_call("echo DANGER"))
    closed = run_trusted(package, *words, *CLOSED, stdin=shell_call("echo DANGER"))
    assert (opened.returncode, closed.returncode) == (0, 2)
    assert "hooks" in json.loads(opened.stdout)["systemMessage"]
    assert "hooks" in closed.stderr


def test_a_broken_package_is_not_passed_by_for_one_above(package: Path) -> None:
    inner = package / "inner"
    (inner / "hooks").mkdir(parents=True)
    (inner / "hooks" / "hooks.json").write_text("{")
    done = run_trusted(inner, "exec", "--client", "codex", *CLOSED, stdin=shell_call("ls"))
    assert done.returncode == 2
    assert "hooks/hooks.json:1: no hook of this file can run" in done.stderr
    assert f"anyhook check {inner}" in done.stderr


@pytest.mark.parametrize(
    ("name", "text"), [("broken.py", "@hook('PreToolUse')\ndef x(event:\n"), ("hooks.json", "{bad")]
)
def test_a_broken_file_does_not_silence_the_guards_of_other_files(tmp_path: Path, name: str, text: str) -> None:
    project = tmp_path / "project"
    (project / "hooks").mkdir(parents=True)
    (project / "hooks" / name).write_text(f"from anyhook import hook\n{text}" if name.endswith("py") else text)
    (project / "anyhook.toml").write_text("[guards.shell]\n")
    words = ("exec", "--client", "codex", "--event", "PreToolUse")
    blocked = run_trusted(project, *words, stdin=shell_call("rm -rf /"))
    assert (blocked.returncode, "deletes everything" in blocked.stderr + blocked.stdout) == (2, True)
    allowed = run_trusted(project, *words, stdin=shell_call("ls"))
    assert (allowed.returncode, name in json.loads(allowed.stdout)["systemMessage"]) == (0, True)
    closed = run_trusted(project, *words, *CLOSED, stdin=shell_call("ls"))
    assert (closed.returncode, name in closed.stderr) == (2, True)


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
    done = run_trusted(package, "exec", "--client", "codex", *CLOSED, stdin=shell_call("ls"))
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((), "--client is one of"),
        (("--client", "nobody"), "--client is one of"),
        (("--client",), "--client needs a value"),
        (("--clent", "codex"), "there is no option --clent"),
        (("--client", "codex", "--fail", "maybe"), "--fail is open, guard or closed"),
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
    state = str(approve(package, state=package.parent / "state").parent / "state")
    done = run_anyhook(package / "src" / "deep", "exec", "--client", "codex", stdin=call, ANYHOOK_STATE_DIR=state)
    assert done.returncode == 2


def test_an_agent_that_changes_its_folder_does_not_change_its_hooks(
    package: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """recordings/claude-code: the folder that hooks start in follows ``cd``, CLAUDE_PROJECT_DIR does not."""
    harmless = make_package(package / "vendor" / "harmless", {})
    state = tmp_path_factory.mktemp("state")
    approve(package, state=state)
    project = {"CLAUDE_PROJECT_DIR": str(package), "ANYHOOK_STATE_DIR": str(state)}
    for folder in (harmless, package.parent):
        done = run_anyhook(folder, "exec", "--client", "claude-code", stdin=shell_call("echo DANGER"), **project)
        assert "guard: no DANGER here" in done.stdout + done.stderr


def test_a_package_can_be_named(package: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    approve(package, state=tmp_path / "state")
    words = ("exec", "--client", "codex", "--package", str(package))
    done = run_anyhook(tmp_path / "elsewhere", *words, stdin=shell_call("echo DANGER"))
    assert done.returncode == 2


class Machine:
    """A package and an organisation's hooks, asked in this process."""

    def __init__(self, folder: Path) -> None:
        self.roots = Roots(project=folder / "project", home=folder / "home", system=folder / "system")

    def write_managed(self, hooks: str) -> None:
        place = self.roots.system / "etc" / "anyhook"
        place.mkdir(parents=True, exist_ok=True)
        (place / "hooks.json").write_text(hooks)

    def ask(self, payload: Mapping[str, Any], *, is_trusted: bool = True, fail: FailMode = "open") -> ProcessAnswer:
        if is_trusted:
            approve(self.roots.project)
        caller = Caller(cwd=self.roots.project, home=self.roots.home, environment={"PATH": "/usr/bin:/bin"})
        options = {"--client": "codex", "--fail": fail}
        prepared = prepare(options, caller, json.dumps(payload).encode(), self._find)
        return asyncio.run(answer(prepared, None, keep=lambda _: None))

    def _find(
        self, roots: Roots, *, package: Path | None, dialect: str | None, started_in: Path
    ) -> tuple[HookPackage, ...]:
        own = structs.replace(roots, system=self.roots.system)
        return find_packages(own, package=package, dialect=dialect, started_in=started_in)


MANAGED = json.dumps({"version": 1, "hooks": pre_tool('if grep -q COMPANY; then echo "managed: no" >&2; exit 2; fi')})


def test_the_organisations_hooks_run_beside_the_packages(package: Path, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.write_managed(MANAGED)
    assert machine.ask(shell_call("ls"), is_trusted=True).exit_code == 0
    assert machine.ask(shell_call("echo DANGER"), is_trusted=True).stderr == b"guard: no DANGER here"
    assert machine.ask(shell_call("echo COMPANY"), is_trusted=True).stderr == b"managed: no"


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
        assert machine.ask(shell_call("echo DANGER"), is_trusted=True).exit_code == 2
    finally:
        sys.setprofile(None)
    assert written == ["encode_reply"]


def test_the_organisations_hooks_need_no_trust_and_no_package(package: Path, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.write_managed(MANAGED)
    assert machine.ask(shell_call("echo COMPANY"), is_trusted=False).stderr == b"managed: no"
    (package / "hooks" / "hooks.json").unlink()
    assert machine.ask(shell_call("echo COMPANY"), is_trusted=False).stderr == b"managed: no"
    (package / "hooks" / "hooks.json").write_text("{")
    assert machine.ask(shell_call("echo COMPANY"), is_trusted=False).stderr == b"managed: no"


def test_an_organisations_file_that_cannot_be_read_is_answered_by_the_fail_mode(package: Path, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.write_managed("{")
    sent = machine.ask(shell_call("ls"), is_trusted=True, fail="closed")
    assert sent.exit_code == 2
    assert b"hooks.json:1: no hook of this file can run" in sent.stderr


def test_hooks_keep_an_agent_going_only_so_often(tmp_path: Path) -> None:
    hooks = {"stop": [{"hooks": [{"type": "command", "command": "echo not yet >&2; exit 2"}]}]}
    make_package(tmp_path / "project", hooks)
    machine = Machine(tmp_path)
    stop = {"session_id": "s", "hook_event_name": "Stop", "stop_hook_active": True}
    answers = [machine.ask(stop) for _ in range(10)]
    assert [given.exit_code for given in answers] == [2] * 8 + [0, 2]
    assert b"hooks kept the agent going 8 times in a row; now it may stop" in answers[8].stdout + answers[8].stderr


def test_the_hooks_are_the_packages_own(tmp_path: Path) -> None:
    """An entry that anyhook wrote into the client's file is not a hook of it: it would run twice."""
    package = make_package(tmp_path / "project", HOOKS)
    assert run_anyhook(package, "deploy", "--client", "claude-code").returncode == 0
    roots = Roots(package, tmp_path / "home", tmp_path / "system")
    (found,) = find_packages(roots, package=None, dialect="claude-code", started_in=package)
    assert found.hooks.rules == ()
