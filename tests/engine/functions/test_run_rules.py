"""Rules whose effect is a command: when it runs, what it receives, and what its reply counts for."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from anyhook.engine.engine import Engine
from anyhook.guards.session.memory import MemoryOfProcess
from anyhook.model.outcome import Effect, Outcome, Status
from anyhook.model.payload import PostToolUse, PreToolUse
from anyhook.model.payload_base import Payload
from anyhook.project.package_hooks import PackageHooks


def fired(folder: Path, rule: dict[str, Any], *events: Payload) -> Outcome:
    """What the last of the events leads to."""
    return fired_all(folder, [{"then": "run", **rule}], *events)


def fired_all(folder: Path, rules: list[dict[str, Any]], *events: Payload) -> Outcome:
    (folder / "hooks").mkdir(exist_ok=True)
    (folder / "hooks" / "rules.yaml").write_text(json.dumps({"rules": rules}))
    hooks = PackageHooks(folder).of("universal")
    assert hooks.problems == ()

    async def play() -> Outcome:
        memory = MemoryOfProcess()
        for event in events:
            engine = Engine(hooks, project=folder, home=folder, environment={"PATH": "/usr/bin:/bin"}, memory=memory)
            outcome = await engine.fire(event)
            await engine.close()
        return outcome

    return asyncio.run(play())


def bash(command: str, **more: Any) -> Payload:
    given = {"command": command, **more}
    return PreToolUse(session_id="s", tool_name="Bash", tool_input=given, native_event="pre-tool-use")


def test_a_command_runs_only_if_the_conditions_hold_and_reads_the_event(tmp_path: Path) -> None:
    rule = {"when": {"kind": "shell", "command": "git push *"}, "run": "cat > seen.json"}
    assert fired(tmp_path, rule, bash("git status")).effect is Effect.PROCEED
    assert not (tmp_path / "seen.json").exists()
    assert fired(tmp_path, rule, bash("git push; $(touch pwned)")).effect is Effect.PROCEED
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert seen["toolInput"] == {"command": "git push; $(touch pwned)"}
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize(
    ("run", "effect", "reason"),
    [
        ("exit 0", Effect.PROCEED, None),
        ("echo no >&2; exit 2", Effect.BLOCK, "no"),
        (["sh", "-c", "echo no >&2; exit 2"], Effect.BLOCK, "no"),
        (
            'echo \'{"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "sure?"}}\'',
            Effect.ASK,
            "sure?",
        ),
    ],
)
def test_its_reply_counts_as_that_of_any_command(tmp_path: Path, run: Any, effect: Effect, reason: str | None) -> None:
    outcome = fired(tmp_path, {"run": run}, bash("ls"))
    assert (outcome.effect, outcome.reason or None) == (effect, reason)


@pytest.mark.parametrize("run", ["exit 1", "sleep 600", ["./missing.sh"]])
@pytest.mark.parametrize(("closed", "effect"), [(False, Effect.PROCEED), (True, Effect.BLOCK)])
def test_a_command_that_fails(tmp_path: Path, run: Any, closed: bool, effect: Effect) -> None:
    outcome = fired(tmp_path, {"run": run, "timeout": 1, "fail_closed": closed}, bash("ls"))
    assert outcome.effect is effect
    assert outcome.runs[0].status is not Status.ALLOWED


@pytest.mark.parametrize("run", ["./show.sh ${file}", ["./show.sh", "${file}"]])
def test_the_text_of_an_event_is_never_run(tmp_path: Path, run: Any) -> None:
    show = tmp_path / "show.sh"
    show.write_text('#!/bin/sh\nprintf "%s|" "$#" "$1" > seen.txt\n')
    show.chmod(0o755)
    name = "a b;touch pwned;$(touch pwned)'\"`touch pwned`"
    event = PreToolUse(
        session_id="s", tool_name="Write", tool_input={"file_path": name, "content": ""}, native_event="pre-tool-use"
    )
    fired(tmp_path, {"run": run}, event)
    assert (tmp_path / "seen.txt").read_text() == f"1|{name}|"
    assert not (tmp_path / "pwned").exists()


EDIT = PostToolUse(
    session_id="s", tool_name="Write", tool_input={"file_path": "a", "content": "x"}, native_event="post-tool-use"
)
TWICE = {"then": "block", "when": {"previous": {"kind": "edit", "at_least": 2}}}


def test_a_command_after_earlier_events(tmp_path: Path) -> None:
    rule = {"when": {"command": "git push *", "previous": {"kind": "edit"}}, "run": "exit 2"}
    assert fired(tmp_path, rule, bash("git push")).effect is Effect.PROCEED
    assert fired(tmp_path, rule, EDIT, bash("git push")).effect is Effect.BLOCK


@pytest.mark.parametrize(
    ("rules", "toml"),
    [
        ([TWICE, TWICE], ""),
        ([TWICE, {"on": "Stop", **TWICE}], ""),
        ([TWICE], '[[rule]]\nthen = "block"\nwhen.previous = { kind = "edit", at_least = 2 }\n'),
        ([{"then": "warn", "message": "x", "when": {"previous": {"kind": "edit"}}}, TWICE, TWICE, TWICE], ""),
    ],
)
def test_equal_rules_do_not_count_for_each_other(tmp_path: Path, rules: list[dict[str, Any]], toml: str) -> None:
    (tmp_path / "anyhook.toml").write_text(toml)
    assert fired_all(tmp_path, rules, EDIT, bash("ls")).effect is Effect.PROCEED
    assert fired_all(tmp_path, rules, EDIT, EDIT, bash("ls")).effect is Effect.BLOCK


def test_equal_rules_in_two_files(tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "rules.yml").write_text(json.dumps({"rules": [TWICE]}))
    assert fired_all(tmp_path, [TWICE], EDIT, bash("ls")).effect is Effect.PROCEED
    assert fired_all(tmp_path, [], EDIT, EDIT, bash("ls")).effect is Effect.BLOCK


def test_an_event_that_a_rule_names_twice_counts_once(tmp_path: Path) -> None:
    when = {"previous": {"on": "PreToolUse", "at_least": 2}}
    rule = {"on": ["PreToolUse", "pre-tool-use"], "then": "block", "when": when}
    ls = bash("ls")
    assert fired_all(tmp_path, [rule], ls, ls).effect is Effect.PROCEED
    assert fired_all(tmp_path, [rule], ls, ls, ls).effect is Effect.BLOCK


def test_a_command_decides_when_earlier_events_are_not_known(tmp_path: Path) -> None:
    rule = {"when": {"previous": {"kind": "edit"}}, "run": "exit 2"}
    event = PreToolUse(tool_name="Bash", tool_input={"command": "ls"}, native_event="pre-tool-use")
    assert fired(tmp_path, rule, event).effect is Effect.BLOCK
