"""The file that hooks of Claude Code write variables to: the client's own, else one that only this user can read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from anyhook.dialects import profile
from anyhook.engine.environment import HookContext, hook_environment
from anyhook.model.hooks import Command
from anyhook.model.payload import PreToolUse, SessionStart

NAME = "CLAUDE_ENV_FILE"
ACTION = Command(command="true")


def _env_file(scratch: Path, session: str, inherited: dict[str, str] | None = None) -> str | None:
    context = HookContext(project=scratch, home=scratch, inherited=inherited or {}, scratch=scratch)
    payload = SessionStart(session_id=session)
    return hook_environment(profile("claude-code").execution, context, payload, ACTION).variables.get(NAME)


def test_the_clients_own_file_is_handed_on(tmp_path: Path) -> None:
    assert _env_file(tmp_path, "s1", {NAME: "/run/client/env.sh"}) == "/run/client/env.sh"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_without_one_it_is_in_a_private_folder(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        path = Path(_env_file(tmp_path, "s1") or "")
    finally:
        os.umask(before)
    assert path.parent.parent == tmp_path
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert _env_file(tmp_path, "s1") == str(path)
    assert _env_file(tmp_path, "s2") != str(path)


@pytest.mark.parametrize("session", ["../../etc/profile", "..", "/etc/x", "a\0b", "\ud800", ""])
def test_the_text_of_a_session_id_is_no_part_of_it(tmp_path: Path, session: str) -> None:
    path = Path(_env_file(tmp_path, session) or "")
    assert path.parent.parent == tmp_path
    assert path.stem.isalnum()


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_link_planted_there_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir(mode=0o755)
    (tmp_path / f"anyhook-env-{os.geteuid()}").symlink_to(target)
    assert _env_file(tmp_path, "s1") is None
    assert stat.S_IMODE(target.stat().st_mode) == 0o755


def test_values_of_an_outer_event_are_not_inherited(tmp_path: Path) -> None:
    """An agent that is started inside a hook has that hook's variables in its own environment."""
    outer = {"COMMAND": "old", "FILE_PATH": "old", "TOOL_NAME": "old", "PATH": "/bin"}
    context = HookContext(project=tmp_path, home=tmp_path, inherited=outer, scratch=tmp_path)
    execution = profile("code-agent").execution
    write = PreToolUse(session_id="s", tool_name="Write", tool_input={"file_path": "a.py"})
    variables = hook_environment(execution, context, write, ACTION).variables
    assert "COMMAND" not in variables
    assert (variables["TOOL_NAME"], variables["PATH"]) == ("Write", "/bin")
    start = hook_environment(execution, context, SessionStart(session_id="s"), ACTION).variables
    assert not {"TOOL_NAME", "FILE_PATH", "COMMAND"} & set(start)
