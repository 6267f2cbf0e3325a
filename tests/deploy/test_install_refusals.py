"""What cannot be done safely is not done, and the message says what to do; rights and links stay as they are."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from anyhook.model.problems import AnyhookError
from anyhook.sources.state import state_folder
from tests.deploy.installing import (
    CLAUDE,
    CODEX,
    STOP,
    Machine,
)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (CLAUDE, '{\n  "hooks": {,\n}', r"settings\.json:2: expected a key"),
        (CLAUDE, "// nothing\n", "only comments"),
        (CLAUDE, "[]", "the file holds a list"),
        (CLAUDE, '{\n "hooks": []}', r'settings\.json:2: "hooks" holds a list'),
        (CLAUDE, '{"hooks": {"Stop": {}}}', '"Stop" holds an object'),
        (CLAUDE, '{"hooks": {}, "hooks": {}}', r'settings\.json:1: "hooks" appears twice'),
        (CLAUDE, '{"hooks": {"Stop": [],\n"Stop": []}}', '"Stop" appears twice'),
        (
            CODEX,
            '{"hooks": {}, // why\n "description": ""}',
            r"hooks\.json:1: Codex would not load the new hooks: comment",
        ),
        (CODEX, '{"version": 1, "hooks": {}}', 'Codex would not load the new hooks: top-level key "version"'),
        (CODEX, '\ufeff{"hooks": {}}', "byte order mark"),
    ],
)
def test_a_file_that_cannot_take_an_entry_is_refused_and_left_alone(
    name: str, text: str, message: str, machine: Machine
) -> None:
    path = machine.write(name, text)
    client = "codex" if "codex" in name else "claude-code"
    with pytest.raises(AnyhookError, match=message) as refused:
        machine.install(client, [STOP])
    assert "\n" in str(refused.value), "a remedy"
    assert path.read_bytes().decode() == text


def test_a_key_that_stands_twice_elsewhere_does_not_matter(machine: Machine) -> None:
    before = '{"a": 1, "a": 2, "hooks": {"Stop": [{"hooks": []}]}}'
    path = machine.write(CLAUDE, before)
    machine.install("claude-code", [STOP])
    assert path.read_bytes().decode().startswith('{"a": 1, "a": 2, "hooks"')
    machine.remove("claude-code")
    assert path.read_bytes().decode() == before


def test_a_read_only_file_is_refused(machine: Machine) -> None:
    path = machine.write(CLAUDE, "{}")
    path.chmod(0o444)
    with pytest.raises(AnyhookError, match="read-only"):
        machine.install("claude-code", [STOP])
    assert path.read_bytes() == b"{}"


def test_a_file_where_a_folder_is_needed_is_refused(machine: Machine) -> None:
    machine.write(".claude", "")
    with pytest.raises(AnyhookError, match="this is a file, and must be a folder"):
        machine.install("claude-code", [STOP])


def test_bytes_that_are_not_utf_8_are_refused(machine: Machine) -> None:
    machine.write(CLAUDE, "").write_bytes(b'{"a": "\xff"}')
    with pytest.raises(AnyhookError, match="not UTF-8"):
        machine.install("claude-code", [STOP])


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need rights there")
def test_a_link_is_followed_and_stays_a_link(machine: Machine) -> None:
    real = machine.roots.project / "dotfiles.json"
    real.write_text('{"a": 1}', encoding="utf-8")
    link = machine.roots.project / CLAUDE
    link.parent.mkdir()
    link.symlink_to(real)
    change = machine.install("claude-code", [STOP])
    assert (change.file.path, change.file.written_path) == (link, real.resolve())
    assert link.is_symlink()
    assert "hooks" in json.loads(real.read_bytes())
    machine.remove("claude-code")
    assert (link.is_symlink(), real.read_text(encoding="utf-8")) == (True, '{"a": 1}')
    real.unlink()
    with pytest.raises(AnyhookError, match="its target does not exist"):
        machine.install("claude-code", [STOP])


@pytest.mark.skipif(os.name == "nt", reason="other rights there")
def test_the_mode_stays_and_our_own_files_are_private(machine: Machine) -> None:
    path = machine.write(CLAUDE, "{}")
    path.chmod(0o640)
    before = os.umask(0)
    try:
        machine.install("claude-code", [STOP])
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    own = [state_folder(), *state_folder().rglob("*")]
    assert {stat.S_IMODE(p.stat().st_mode) for p in own if p.is_dir()} == {0o700}
    assert {stat.S_IMODE(p.stat().st_mode) for p in own if p.is_file()} == {0o600}


def test_an_own_folder_that_cannot_be_used_is_refused(machine: Machine) -> None:
    machine.own_folder("a file").write_text("", encoding="utf-8")
    with pytest.raises(AnyhookError, match="ANYHOOK_STATE_DIR"):
        machine.install("claude-code", [STOP])
    assert machine.files() == {}
