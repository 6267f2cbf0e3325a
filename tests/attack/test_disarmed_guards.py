"""A guard that was trusted cannot be edited away: what it guards is blocked until its user has approved the change."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bridge.bridging import HOOKS, RUN, make_package, run_anyhook, shell_call

OTHER = {"matcher": "Write", "hooks": [{"type": "command", "command": "true"}]}


def write(folder: Path, hooks: object, **more: object) -> None:
    (folder / "hooks/hooks.json").write_text(json.dumps({"version": 1, "hooks": hooks, **more}))


def remove_all(folder: Path) -> None:
    write(folder, {})


def remove_the_guard(folder: Path) -> None:
    write(folder, {"pre-tool-use": [OTHER]})


def move_to_another_event(folder: Path) -> None:
    write(folder, {"post-tool-use": HOOKS["pre-tool-use"]})


def match_nothing(folder: Path) -> None:
    write(folder, {"pre-tool-use": [{**HOOKS["pre-tool-use"][0], "matcher": "NoSuchTool"}]})


def break_the_matcher(folder: Path) -> None:
    write(folder, {"pre-tool-use": [{**HOOKS["pre-tool-use"][0], "matcher": "(("}]})


def run_in_the_background(folder: Path) -> None:
    guard = {"type": "command", "command": "${PACKAGE_ROOT}/hooks/guard.sh", "async": True}
    write(folder, {"pre-tool-use": [{"matcher": "Bash", "hooks": [guard]}]})


def break_the_file(folder: Path) -> None:
    (folder / "hooks/hooks.json").write_text("{")


def empty_the_file(folder: Path) -> None:
    (folder / "hooks/hooks.json").write_text("")


def write_for_another_client(folder: Path) -> None:
    write(folder, {"PreToolUse": [OTHER]})


def delete_the_file(folder: Path) -> None:
    (folder / "hooks/hooks.json").unlink()


def delete_the_folder(folder: Path) -> None:
    for file in (folder / "hooks").iterdir():
        file.unlink()
    (folder / "hooks").rmdir()


def edit_the_script(folder: Path) -> None:
    (folder / "hooks/guard.sh").write_text("#!/bin/sh\nexit 0\n")


def add_a_script(folder: Path) -> None:
    (folder / "hooks/new.sh").write_text("")


ATTACKS = [
    remove_all,
    remove_the_guard,
    move_to_another_event,
    match_nothing,
    break_the_matcher,
    run_in_the_background,
    break_the_file,
    empty_the_file,
    write_for_another_client,
    delete_the_file,
    delete_the_folder,
    edit_the_script,
    add_a_script,
]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = make_package(tmp_path / "project", {"pre-tool-use": [*HOOKS["pre-tool-use"], OTHER]})
    assert run_anyhook(folder, "trust", "--yes").returncode == 0
    return folder


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_edited_guard_blocks_and_says_why(attack: Callable[[Path], None], package: Path) -> None:
    attack(package)
    done = run_anyhook(package, "exec", "--client", "codex", stdin=shell_call("echo DANGER"))
    assert done.returncode == 2
    assert "changed since you trusted them" in done.stderr
    assert f"to approve it: anyhook trust {package}" in done.stderr


@pytest.mark.parametrize("attack", ATTACKS)
def test_it_follows_the_chosen_fail_mode(attack: Callable[[Path], None], package: Path) -> None:
    attack(package)
    words = ("exec", "--client", "codex", "--fail")
    closed = run_anyhook(package, *words, "closed", stdin=shell_call("echo DANGER"))
    assert closed.returncode == 2
    opened = run_anyhook(package, *words, "open", stdin=shell_call("echo DANGER"))
    assert opened.returncode == 0
    assert "changed since you trusted them" in opened.stdout + opened.stderr


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="root can read everything")
@pytest.mark.parametrize("name", ["hooks", "hooks/hooks.json", "hooks/guard.sh"])
def test_a_guard_that_may_not_be_read_blocks(name: str, package: Path) -> None:
    """``chmod 000``, as a user for whom that matters."""
    run = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", *RUN) if os.geteuid() == 0 else RUN
    words = ("exec", "--client", "codex")
    assert run_anyhook(package, *words, stdin=shell_call("ls"), run=run).returncode == 0
    (package / name).chmod(0)
    done = run_anyhook(package, *words, stdin=shell_call("ls"), run=run)
    (package / name).chmod(0o755)
    assert done.returncode == 2
    assert "changed since you trusted them" in done.stderr
    assert "Traceback" not in done.stderr


def test_events_that_it_never_guarded_go_on(package: Path) -> None:
    remove_all(package)
    done = run_anyhook(package, "exec", "--client", "codex", stdin={**shell_call("ls"), "tool_name": "mcp__a__b"})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_approval_ends_it(package: Path) -> None:
    remove_the_guard(package)
    shown = run_anyhook(package, "trust", "--show")
    assert shown.returncode == 1
    assert "changed: hooks/hooks.json has other hooks" in shown.stdout
    assert run_anyhook(package, "trust", "--yes").returncode == 0
    done = run_anyhook(package, "exec", "--client", "codex", stdin=shell_call("echo DANGER"))
    assert (done.returncode, done.stderr) == (0, "")


def test_a_package_without_hooks_can_be_approved(package: Path) -> None:
    remove_all(package)
    assert run_anyhook(package, "trust", "--yes").returncode == 0
    done = run_anyhook(package, "exec", "--client", "codex", stdin=shell_call("echo DANGER"))
    assert done.returncode == 0


@pytest.mark.parametrize(
    "text", ['{"version": 1, "hooks": {}}', "{}", "", "{", '{"version": 1, "hooks": {"stop": []}}']
)
def test_a_file_in_a_folder_below_does_not_hide_the_guard(text: str, package: Path) -> None:
    (package / "sub/hooks").mkdir(parents=True)
    (package / "sub/hooks/hooks.json").write_text(text)
    below = package / "sub"
    variables = {"HOME": str(package.parent / "home"), "ANYHOOK_STATE_DIR": str(package.parent / "state")}
    done = run_anyhook(below, "exec", "--client", "codex", stdin=shell_call("echo DANGER"), **variables)
    assert done.returncode == 2
    assert "no DANGER here" in done.stderr


def test_a_trusted_package_below_replaces_the_one_above(package: Path) -> None:
    below = make_package(package / "sub", {"pre-tool-use": [OTHER]})
    variables = {"HOME": str(package.parent / "home"), "ANYHOOK_STATE_DIR": str(package.parent / "state")}
    assert run_anyhook(below, "trust", "--yes", **variables).returncode == 0
    done = run_anyhook(below, "exec", "--client", "codex", stdin=shell_call("echo DANGER"), **variables)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_switch_in_the_package_disables_no_trusted_guard(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / ".claude").mkdir(parents=True)
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2"}]}
    settings = folder / ".claude/settings.json"
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [group]}}))
    assert run_anyhook(folder, "trust", "--yes").returncode == 0
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [group]}, "disableAllHooks": True}))
    words = ("exec", "--client", "codex", "--from", "claude-code")
    done = run_anyhook(folder, *words, stdin=shell_call("ls"))
    assert done.returncode == 2
    assert "has other hooks" in done.stderr


def test_what_a_guard_runs_unseen_must_be_accepted(tmp_path: Path) -> None:
    hook = {"type": "command", "command": 'bash "$GUARD"'}
    folder = make_package(tmp_path / "project", {"pre-tool-use": [{"matcher": "Bash", "hooks": [hook]}]})
    refused = run_anyhook(folder, "trust", "--yes")
    assert refused.returncode == 2
    assert "a guard runs what cannot be checked: bash $GUARD" in refused.stderr
    assert "anyhook trust --yes --accept-uncovered" in refused.stderr
    words = ("exec", "--client", "codex", "--fail", "closed")
    assert "are not trusted yet" in run_anyhook(folder, *words, stdin=shell_call("ls")).stderr
    assert "until you trust them" in run_anyhook(folder, "deploy", "--to", "codex", "--yes").stdout
    assert run_anyhook(folder, "trust", "--show").returncode == 1
    assert run_anyhook(folder, "trust", "--yes", "--accept-uncovered").returncode == 0
    guard = folder.parent / "guard"
    guard.write_text("exit 2\n")
    done = run_anyhook(folder, *words, stdin=shell_call("ls"), GUARD=str(guard))
    assert (done.returncode, "trusted" in done.stderr) == (2, False)
