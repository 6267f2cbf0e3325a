"""Files with more than any project needs: they are said to be too large, and no guard is lost by that."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from anyhook.guards.patterns import MAX_REPLACED_LENGTH
from anyhook.model.hooks import MAX_COMMAND_LENGTH
from anyhook.sources.load import MAX_HOOKS, MAX_RULES_BYTES
from anyhook.sources.parsing.parse_guards import MAX_RULES
from tests.bridge.bridging import run_anyhook, shell_call

CALL = shell_call("echo DANGER")
TOML = '[[rule]]\nname = "r{0}"\nthen = "block"\nwhen.command = "{1}"\n'
BLOCKS = TOML.format(0, "echo DANGER")


def toml(number: int) -> str:
    return "".join(TOML.format(each, "echo DANGER" if not each else f"x{each}") for each in range(number))


def yaml(number: int) -> str:
    return "rules:\n" + "".join(f"- {{name: r{each}, then: block, when: {{command: x}}}}\n" for each in range(number))


def hooks(number: int, command: str = "exit 2") -> str:
    hook = {"type": "command", "command": command}
    return json.dumps({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [hook]} for _ in range(number)]}})


def claude(number: int, command: str = "true", matcher: str = "Bash") -> str:
    group = {"matcher": matcher, "hooks": [{"type": "command", "command": command}]}
    return json.dumps({"hooks": {"PreToolUse": [group] * number}})


TOO_MUCH = {
    "anyhook.toml": (toml(MAX_RULES + 1), "the file has 1,001 rules; with more than 1,000 none is read"),
    "hooks/rules.yaml": (yaml(MAX_RULES + 1), "the file has 1,001 rules; with more than 1,000 none is read"),
    "hooks/rules.yml": (yaml(1) + "#" * MAX_RULES_BYTES, "the file has 256 KB; rules over 256 KB are not read"),
    "hooks/hooks.json": (hooks(MAX_HOOKS + 1), "the file has 1,001 hooks; with more than 1,000 none is read"),
}


def project_with(tmp_path: Path, files: Mapping[str, str]) -> Path:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    return project


def run(project: Path, *words: str, **options: Any) -> Any:
    home = {"HOME": str(project.parent / "home"), "ANYHOOK_STATE_DIR": str(project.parent / "state")}
    return run_anyhook(project, *words, **home, **options)


@pytest.mark.parametrize("name", TOO_MUCH)
@pytest.mark.parametrize("words", [("check",), ("check", "--json"), ("list",), ("doctor",)])
def test_it_is_said(name: str, words: tuple[str, ...], tmp_path: Path) -> None:
    text, why = TOO_MUCH[name]
    done = run(project_with(tmp_path, {name: text}), *words)
    shown = " ".join((done.stdout + done.stderr).split())
    assert why in shown
    assert Path(name).name in shown
    if words[0] != "list":
        assert done.returncode != 0
        assert "merge" in shown


@pytest.mark.parametrize("name", TOO_MUCH)
@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_a_trusted_guard_is_not_lost(name: str, client: str, tmp_path: Path) -> None:
    """The file grew by a pull: what it has is not known, so the call that it might block is."""
    own = {"anyhook.toml": BLOCKS, "hooks/hooks.json": hooks(1)}.get(name, f"rules:\n{yaml_of(BLOCKED)}")
    project = project_with(tmp_path, {name: own})
    assert run(project, "trust", "--yes").returncode == 0
    ask = ("exec", "--client", client, "--event", "PreToolUse")
    assert is_refused(run(project, *ask, stdin=CALL))
    (project / name).write_text(TOO_MUCH[name][0])
    assert is_refused(run(project, *ask, stdin=CALL))
    assert is_refused(run(project, *ask, "--fail", "closed", stdin=CALL))


@pytest.mark.parametrize("name", TOO_MUCH)
def test_what_was_never_trusted_refuses_where_it_must(name: str, tmp_path: Path) -> None:
    project = project_with(tmp_path, {name: TOO_MUCH[name][0]})
    done = run(project, "exec", "--client", "codex", "--event", "PreToolUse", "--fail", "closed", stdin=CALL)
    assert is_refused(done)


BLOCKED = {"name": "r", "then": "block", "when": {"command": "echo DANGER"}}


def yaml_of(rule: Mapping[str, Any]) -> str:
    return f"- {json.dumps(rule)}\n"


def is_refused(done: Any) -> bool:
    return done.returncode == 2 or '"deny"' in done.stdout


def test_as_many_as_are_allowed_are_read(tmp_path: Path) -> None:
    project = project_with(tmp_path, {"anyhook.toml": toml(MAX_RULES), ".claude/settings.json": claude(1)})
    done = run(project, "check")
    assert "F006" not in done.stdout
    assert "1001 hooks" in done.stdout


def test_many_heavy_matchers_of_a_client(tmp_path: Path) -> None:
    project = project_with(tmp_path, {".claude/settings.json": claude(20_000, matcher="(a|aa)+$(b*)*")})
    done = run(project, "check")
    assert done.returncode
    assert "the file has 20,000 hooks; with more than 1,000 none is read" in " ".join(done.stdout.split())


@pytest.mark.long
@pytest.mark.parametrize(
    ("unit", "length"),
    [
        *((unit, MAX_COMMAND_LENGTH) for unit in ("$(", "a;", '"$(', "sh -c '")),
        ("$(", 7_000_000),
    ],
)
def test_a_long_command_stalls_nothing(unit: str, length: int, tmp_path: Path) -> None:
    """It is not looked at: `check` says so, and it cannot be trusted."""
    command = (unit * (length // len(unit) + 1))[: length + 1]
    project = project_with(tmp_path, {"hooks/hooks.json": hooks(1, command)})
    checked = run(project, "check")
    assert "the command has more than 64,000 characters and is not checked" in " ".join(checked.stdout.split())
    assert checked.returncode
    trusted = run(project, "trust", "--yes")
    assert trusted.returncode
    assert "the command line of a hook is too long to be searched for files" in trusted.stdout + trusted.stderr
    assert "Traceback" not in run(project, "doctor").stderr


@pytest.mark.parametrize(("replace", "by"), [("", "y" * 60_000), ("(?=(.*))", r"\\1" * 1000), (".*", r"\\g<0>" * 500)])
def test_a_rewrite_that_makes_a_call_huge_blocks_it(replace: str, by: str, tmp_path: Path) -> None:
    rule = f'[[rule]]\nname = "grow"\nthen = "rewrite"\nreplace = "{replace}"\nby = "{by}"\n'
    project = project_with(tmp_path, {"anyhook.toml": rule})
    assert run(project, "trust", "--yes").returncode == 0
    call = shell_call("echo " + "x" * 60_000)
    done = run(project, "exec", "--client", "claude-code", "--event", "PreToolUse", stdin=call)
    assert '"deny"' in done.stdout
    assert f"it puts in more than {MAX_REPLACED_LENGTH:,} characters" in done.stdout
    assert len(done.stdout) < 10_000
