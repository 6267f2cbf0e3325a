"""Nothing of an untrusted clone runs: not by ``exec``, and not by any command that has no business running hooks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anyhook.project.package_hooks import PACKAGE_FILE
from tests.bridge.bridging import run_anyhook, shell_call

MARKER = "ran.txt"
PYTHON = f'open(__file__.rsplit("/", 2)[0] + "/{MARKER}", "w").write(__name__)\n'


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A project in which everything that could be run or imported leaves a marker behind."""
    project = tmp_path / "project"
    (project / "hooks").mkdir(parents=True)
    leave = f"touch '{project / MARKER}'"
    (project / "hooks" / "guard.sh").write_text(f"#!/bin/sh\n{leave}\n")
    (project / "hooks" / "guard.sh").chmod(0o755)
    commands = ["${PACKAGE_ROOT}/hooks/guard.sh", "python3 hooks/judge.py", leave]
    group = {"hooks": [{"type": "command", "command": command} for command in commands]}
    events = ("session-start", "pre-tool-use", "post-tool-use", "stop")
    (project / PACKAGE_FILE).write_text(json.dumps({"version": 1, "hooks": {event: [group] for event in events}}))
    decorated = f'{PYTHON}from anyhook import hook\n@hook("PreToolUse")\ndef guard(event):\n    {PYTHON}'
    for name in ("hooks/judge.py", "hooks/hook.py"):
        (project / name).write_text(decorated)
    # Modules with the names of anyhook and its libraries, imported if the folder is on the module path.
    for name in ("conftest", "sitecustomize", "usercustomize", "msgspec", "click", "json", "anyhook"):
        (project / f"{name}.py").write_text(f'open("{project / MARKER}", "w")\n')
    (project / ".claude").mkdir()
    settings = {"hooks": {"PreToolUse": [group]}, "env": {"ANYHOOK_STATE_DIR": "state"}}
    (project / ".claude" / "settings.json").write_text(json.dumps(settings))
    return project


def ran(clone: Path) -> bool:
    return (clone / MARKER).exists()


EXECS = [
    ("--client", "codex"),
    ("--client", "codex", "--fail", "closed"),
    ("--client", "codex", "--from", "claude-code"),
    ("--client", "claude-code"),
    ("--client", "codex", "--package", "."),
]


@pytest.mark.parametrize("words", EXECS, ids=" ".join)
def test_exec_runs_nothing(words: tuple[str, ...], clone: Path) -> None:
    done = run_anyhook(clone, "exec", *words, stdin=shell_call("ls"))
    assert not ran(clone)
    assert "not trusted yet" in done.stdout + done.stderr
    assert "anyhook trust" in done.stdout + done.stderr
    assert done.returncode == (2 if "closed" in words else 0)


@pytest.mark.parametrize("event", ["SessionStart", "PreToolUse", "PostToolUse", "Stop"])
def test_no_event_makes_exec_run_something(event: str, clone: Path) -> None:
    run_anyhook(
        clone, "exec", "--client", "codex", "--event", event, stdin={**shell_call("ls"), "hook_event_name": event}
    )
    assert not ran(clone)


def test_a_project_cannot_bring_its_own_trust_along(clone: Path) -> None:
    assert run_anyhook(clone, "trust", "--yes").returncode == 0
    (clone.parent / "state").rename(clone / "state")
    done = run_anyhook(
        clone, "exec", "--client", "codex", stdin=shell_call("ls"), ANYHOOK_STATE_DIR=str(clone / "state")
    )
    assert not ran(clone)
    assert "not trusted yet" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("list", "--json"),
        ("explain", "PreToolUse", "--client", "claude-code", "--tool", "Bash"),
        ("check",),
        ("check", "--fix"),
        ("deploy", "--client", "codex", "--native", "--print"),
        ("deploy", "--source", "claude-code", "--client", "gemini-cli", "--native", "--print"),
        ("deploy", "--client", "codex,gemini-cli,cursor,windsurf,copilot-cli"),
        ("deploy", "--client", "codex", "--native"),
        ("deploy", "--client", "codex", "--dry-run"),
        ("deploy", "--client", "codex", "--check"),
        ("deploy", "--source", "claude-code", "--client", "codex"),
        ("undeploy",),
        ("doctor",),
        ("trust", "--list"),
        ("trust", "--diff"),
        ("trust", "--yes"),
        ("trust", "--revoke"),
        ("clients",),
        ("clients", "universal", "--schema"),
        ("record", "on", "--client", "codex"),
    ],
    ids=" ".join,
)
def test_a_command_that_only_looks_runs_nothing(words: tuple[str, ...], clone: Path) -> None:
    done = run_anyhook(clone, *words)
    assert not ran(clone)
    assert done.returncode in (0, 1), done.stderr


def test_what_is_trusted_runs_until_it_changes(clone: Path) -> None:
    assert run_anyhook(clone, "trust", "--yes").returncode == 0
    run_anyhook(clone, "exec", "--client", "codex", stdin=shell_call("ls"))
    assert ran(clone)

    (clone / MARKER).unlink()
    (clone / "hooks" / "guard.sh").write_text("#!/bin/sh\nexit 0\n")
    done = run_anyhook(clone, "exec", "--client", "codex", stdin=shell_call("ls"))
    assert (done.returncode, "hooks/guard.sh" in done.stderr) == (2, True)  # a guard that changed blocks


def test_deploying_does_not_take_the_trust_away(clone: Path) -> None:
    (clone / ".claude" / "settings.json").write_text("{}\n")
    assert run_anyhook(clone, "trust", "--yes").returncode == 0
    assert run_anyhook(clone, "deploy", "--client", "claude-code,codex,gemini-cli").returncode == 0
    assert run_anyhook(clone, "trust", "--list").returncode == 0
    assert run_anyhook(clone, "record", "on", "--client", "claude-code").returncode == 0
    assert run_anyhook(clone, "trust", "--list").returncode == 0


@pytest.mark.parametrize(
    "line",
    [
        "anyhook exec --client claude-code --event PreToolUse; touch ran.txt",
        "touch ran.txt; anyhook exec --client claude-code --event PreToolUse --answered 90",
        "./bin/anyhook exec --client claude-code --event PreToolUse --answered 90",
        "./anyhook-client anyhook exec --client claude-code --event PreToolUse --answered 90",
        "touch ran.txt anyhook exec --client claude-code --event PreToolUse --answered 90",
        "python -IS ./anyhook/cli/record_event.py claude-code PreToolUse out",
    ],
)
def test_an_entry_that_only_looks_like_ours_needs_trust(line: str, clone: Path) -> None:
    (clone / ".claude" / "settings.json").write_text("{}\n")
    assert run_anyhook(clone, "trust", "--yes").returncode == 0
    hooks = {"PreToolUse": [{"hooks": [{"type": "command", "command": line}]}]}
    (clone / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}))
    done = run_anyhook(clone, "trust", "--list", "-c", "claude-code")
    assert (done.returncode, "1 hook waits for your approval" in done.stdout) == (1, True)


def test_a_script_in_the_folder_that_the_agent_went_to_is_not_the_trusted_one(tmp_path: Path) -> None:
    """Hooks of Claude Code start in the session's folder, so a plain path means another file there."""
    project = tmp_path / "project"
    group = {"hooks": [{"type": "command", "command": "./guard.sh"}]}
    (project / ".claude").mkdir(parents=True)
    (project / ".claude" / "settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [group]}}))
    for folder, text in ((project, "exit 0"), (project / "sub", f"touch '{project / MARKER}'")):
        folder.mkdir(exist_ok=True)
        (folder / "guard.sh").write_text(f"#!/bin/sh\n{text}\n")
        (folder / "guard.sh").chmod(0o755)
    assert run_anyhook(project, "trust", "--yes").returncode == 0

    words = ("exec", "--client", "codex", "--from", "claude-code")
    done = run_anyhook(project, *words, stdin=shell_call("ls", cwd=str(project)))
    assert "trust" not in done.stdout
    done = run_anyhook(project, *words, stdin=shell_call("ls", cwd=str(project / "sub")))
    assert not ran(project)
    assert (done.returncode, "changed since it was trusted" in done.stderr) == (2, True)
