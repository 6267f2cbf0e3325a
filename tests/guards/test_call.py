"""Levels, exceptions and messages of guards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anyhook.guards.call import GuardCall, Objection, is_excepted, reply_to
from anyhook.guards.catalogue import GUARDS, guard_function
from anyhook.guards.families import Family
from anyhook.model.output import Decision
from anyhook.model.payload import PreToolUse, Stop

PROJECT = Path("/work/shop")
DANGEROUS = "git push --force origin main"


def shell_call(command: object, *, client: str = "codex", cwd: str = "/work/shop", **settings: Any) -> GuardCall:
    event = PreToolUse(session_id="s", cwd=cwd, tool_name="Bash", tool_input={"command": command})
    return GuardCall(event=event, settings=settings, project=PROJECT, client=client)


def decision(call: GuardCall) -> Decision | str | None:
    reply = guard_function("shell")(call)
    return None if reply is None else reply.decision or "warn"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, Decision.DENY),
        ({"level": "ask"}, Decision.ASK),
        ({"level": "warn"}, "warn"),
        ({"level": "off"}, None),
        ({"families": {"git": "ask"}}, Decision.ASK),
        ({"level": "off", "families": {"git": "block"}}, Decision.DENY),
        ({"families": {"databases": "off"}}, Decision.DENY),
    ],
)
def test_levels(settings: dict[str, Any], expected: Decision | str | None) -> None:
    assert decision(shell_call(DANGEROUS, **settings)) == expected


def test_the_gravest_of_several_counts() -> None:
    both = f"npm publish && {DANGEROUS}"
    assert decision(shell_call(both, families={"git": "warn", "publishing": "ask"})) is Decision.ASK


@pytest.mark.parametrize(
    ("exception", "expected"),
    [
        ({"clients": ["codex"]}, None),
        ({"clients": ["claude"]}, Decision.DENY),
        ({"clients": ["codex"], "level": "ask"}, Decision.ASK),
        ({"commands": ["git push --force origin *"]}, None),
        ({"commands": ["git push"]}, Decision.DENY),
        ({"commands": ["git tag *", "git push --force origin *"]}, None),
        ({"commands": ["git push *"], "clients": ["cursor"]}, Decision.DENY),
        ({"paths": ["sandbox/**"]}, Decision.DENY),
    ],
)
def test_exceptions(exception: dict[str, Any], expected: Decision | None) -> None:
    assert decision(shell_call(DANGEROUS, exceptions=[exception])) == expected


def test_an_exception_for_a_folder() -> None:
    exceptions = [{"paths": ["sandbox/**"]}]
    assert decision(shell_call(DANGEROUS, cwd="/work/shop/sandbox/a", exceptions=exceptions)) is None
    assert decision(shell_call(DANGEROUS, cwd="/work/shop/sandbox/../src", exceptions=exceptions)) is Decision.DENY


SCRATCH = "git push --force origin scratch/a"


@pytest.mark.parametrize(
    ("line", "is_excepted"),
    [
        (SCRATCH, True),
        (f"cd /work/shop && {SCRATCH}", True),
        (f"cd api && {SCRATCH} 2>&1 | tail -3", True),
        (f"{SCRATCH} > /dev/null && echo done", True),
        (f"timeout 60 {SCRATCH}", True),
        (f"bash -c 'cd api; {SCRATCH}'", True),
        ("git push --force origin 'scratch/a'", True),
        (f"if true; then {SCRATCH}; fi", True),
        ("git push --force origin scratch/a main", False),
        ("git push --force origin scratch/$BRANCH", False),
        ("git push --force origin main scratch/a", False),
        (f"{SCRATCH} && git push --force origin main", False),
        (f"cd /work/other && {SCRATCH}", False),
        ('cd "$DIR" && ' + SCRATCH, False),
        (f"sudo {SCRATCH}", False),
        (f"GIT_SSH=./x {SCRATCH}", False),
        (f"{SCRATCH} > ~/.bashrc", False),
        (f"{SCRATCH} | sh", False),
        (f"{SCRATCH} | tee x | bash", False),
        ("echo scratch/a | xargs git push --force origin", False),
        (f"ssh box {SCRATCH}", False),
    ],
)
def test_an_exception_is_for_one_command_wherever_it_is_in_the_line(line: str, is_excepted: bool) -> None:
    exceptions = [{"commands": ["git push --force {origin,upstream} scratch/*"]}]
    assert decision(shell_call(line, exceptions=exceptions)) is (None if is_excepted else Decision.DENY)


def test_an_exception_for_the_command_of_another_guard() -> None:
    exceptions = [{"commands": ["cat .env.test"]}]
    call = shell_call("cd /work/shop && cat .env.test | head", exceptions=exceptions)
    assert guard_function("secrets")(call) is None
    call = shell_call("cat .env.test .env", exceptions=exceptions)
    assert guard_function("secrets")(call) is not None


def test_the_folder_of_an_exception_is_that_of_the_command() -> None:
    exceptions = [{"paths": ["sandbox", "sandbox/**"]}]
    assert decision(shell_call(f"cd sandbox && {DANGEROUS}", exceptions=exceptions)) is None
    left = shell_call(f"cd .. && {DANGEROUS}", cwd="/work/shop/sandbox", exceptions=exceptions)
    assert decision(left) is Decision.DENY


@pytest.mark.parametrize("more", ["; rm -rf ~", " && rm -rf ~", "\nrm -rf ~", " $(rm -rf ~)", " | sh", " `rm -rf ~`"])
def test_an_exception_covers_no_second_command(more: str) -> None:
    exceptions = [{"commands": ["git push --force *"]}]
    assert decision(shell_call(f"git push --force origin x{more}", exceptions=exceptions)) is Decision.DENY


def test_the_message_says_what_to_do_instead() -> None:
    reply = guard_function("shell")(shell_call(DANGEROUS, message="Ask the platform team."))
    assert reply is not None
    assert reply.reason == (
        "This command overwrites history on the remote. Push a branch of your own, without force, and open a pull "
        "request. Ask the platform team. (shell guard: git)"
    )


@pytest.mark.parametrize(
    "given",
    [
        {"cmd": DANGEROUS},
        {"commandLine": DANGEROUS},
        {"commands": ["ls", DANGEROUS]},
        {"script": DANGEROUS},
        {"command": DANGEROUS.split()[0], "args": DANGEROUS.split()[1:]},
        {"command": "bash", "arguments": ["-c", DANGEROUS]},
        {"command": "bash", "args": f"-c '{DANGEROUS}'"},
        {"command": "bash", "arguments": f"-c '{DANGEROUS}'"},
        {"command": "bash", "argv": ["-c", DANGEROUS]},
        {"command": "bash", "params": f"-c '{DANGEROUS}'"},
        {"command": "bash", "parameters": ["-c", DANGEROUS]},
        {"argv": DANGEROUS.split()},
        {"input": {"command": DANGEROUS}},
        {"commands": [{"command": "ls"}, {"command": DANGEROUS}]},
        {"command": "ls", "then": [{"cmd": DANGEROUS}]},
    ],
)
def test_a_command_is_found_under_other_names(given: dict[str, Any]) -> None:
    event = PreToolUse(session_id="s", tool_name="mcp__box__run", tool_input=given)
    assert decision(GuardCall(event=event, project=PROJECT)) is Decision.DENY


TYPED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("mcp__terminal__write", {"text": DANGEROUS}),
    ("mcp__box__run_command", {"input": DANGEROUS}),
    ("mcp__box__execCode", {"code": DANGEROUS}),
    ("mcp__tmux__send", {"keys": [DANGEROUS, "Enter"]}),
    ("mcp__pane__send_keys", {"data": DANGEROUS}),
    ("write_to_shell", {"lines": ["ls", DANGEROUS]}),
)
STORED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("mcp__notes__add_note", {"text": DANGEROUS}),
    ("mcp__chat__send_message", {"input": DANGEROUS, "body": DANGEROUS}),
    ("mcp__browser__type", {"text": DANGEROUS}),
    ("mcp__jupyter__execute_code", {"code": DANGEROUS}),
    ("mcp__box__run_command", {"description": DANGEROUS}),
    ("Write", {"file_path": "a.md", "content": DANGEROUS}),
)


@pytest.mark.parametrize(
    ("name", "given", "expected"), [*((*each, True) for each in TYPED), *((*each, False) for each in STORED)]
)
def test_a_text_is_a_command_line_where_the_tool_runs_commands(
    name: str, given: dict[str, Any], expected: bool
) -> None:
    event = PreToolUse(session_id="s", tool_name=name, tool_input=given)
    assert (DANGEROUS in GuardCall(event=event, project=PROJECT).commands) is expected


@pytest.mark.parametrize(
    "given", [{"cmd": 7}, {"cmd": 7, "args": ["ls"]}, {"cmd": {"a": "ls"}}, {"commands": ["ls", 7]}, {}]
)
def test_what_is_no_command_line(given: dict[str, Any]) -> None:
    assert GuardCall(event=PreToolUse(session_id="s", tool_name="mcp__box__run", tool_input=given)).commands == ()


def test_all_files_must_be_excepted() -> None:
    call = shell_call("true", exceptions=[{"paths": ["docs/**"]}])
    assert reply_to(call, "files", [Objection("x", paths=("docs/a",))]) is None
    assert reply_to(call, "files", [Objection("x", paths=("docs/a", "src/b"))]) is not None
    assert reply_to(call, "files", [Objection("x")]) is not None


@pytest.mark.parametrize(
    ("cwd", "paths", "expected"),
    [
        ("/work/shop/docs", (), True),
        ("/work/shop/src", (), False),
        ("/work/shop/src", ("/work/shop/docs/a.md",), True),
        ("/work/shop/docs", ("/work/shop/src/a.py",), False),
        (None, (), False),
        (7, ("/work/shop/docs/a.md",), True),
    ],
)
def test_an_exception_for_a_guard_that_refuses_nothing(cwd: Any, paths: tuple[str, ...], expected: bool) -> None:
    event = Stop(session_id="s") if cwd is None else Stop(session_id="s", cwd=cwd)
    settings = {"exceptions": [{"paths": ["docs", "docs/**"]}]}
    assert is_excepted(GuardCall(event=event, settings=settings, project=Path("/work/shop")), *paths) is expected


def test_the_families_are_those_of_the_judge() -> None:
    families = next(option for option in GUARDS["shell"].options if option.name == "families")
    assert set(families.names) == set(Family)
