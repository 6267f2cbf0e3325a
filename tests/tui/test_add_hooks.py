"""Hooks of every kind are added by the questions, by keys alone."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from textual.widgets import OptionList

from anyhook.dialects.events import native_name
from anyhook.editor.draft import Draft, next_question
from anyhook.guards.catalogue import GUARDS
from anyhook.tui.add_screen import AddScreen
from anyhook.tui.hooks_screen import HooksScreen
from anyhook.tui.preview_screen import PreviewScreen
from tests.editor.projects import CLAUDE, CLAUDE_FILE, claude_project, make_project, read
from tests.effort import mostly_long
from tests.tui.screens import Driver, drive


@pytest.mark.parametrize(
    ("kind", "text", "key"),
    [
        ("command", "make test", "command"),
        pytest.param("prompt", "is it safe", "prompt", marks=pytest.mark.long),
        pytest.param("http", "http://localhost/", "url", marks=pytest.mark.long),
    ],
)
def test_every_kind_of_action(kind: str, text: str, key: str, tmp_path: Path) -> None:
    roots = claude_project(tmp_path)

    async def script(driver: Driver) -> None:
        await driver.press("tab", "down", "down", "a")  # Claude Code, PreToolUse
        await driver.choose("Bash")
        await driver.choose(kind)
        await driver.write(text)
        await driver.press("enter", "enter", "enter")  # default timeout, first file
        driver.expect(PreviewScreen)
        await driver.press("y")
        driver.expect(HooksScreen)
        assert any(text in row for row in driver.rows())
        added = json.loads(read(roots, CLAUDE_FILE))["hooks"]["PreToolUse"][-1]
        assert added["matcher"] == "Bash"
        assert added["hooks"][0]["type"] == kind
        assert added["hooks"][0][key] == text
        await driver.press("u")

    drive(roots, script)
    assert read(roots, CLAUDE_FILE) == CLAUDE


@pytest.mark.parametrize("guard", mostly_long(GUARDS, short=["shell"]))
def test_every_guard(guard: str, tmp_path: Path) -> None:
    roots = make_project(tmp_path, {})
    events = next_question(Draft(client="universal"), roots)
    assert events is not None
    wanted = {native_name(each.event, "universal") for each in GUARDS[guard].events}
    event = next(choice.label for choice in events.choices if choice.value in wanted)

    async def script(driver: Driver) -> None:
        await driver.press("a")
        await driver.choose("universal hooks")
        await driver.choose(event)
        if f"guard: {guard}" not in driver.labels():
            await driver.press("enter")  # any tool
        await driver.choose(f"guard: {guard}")
        driver.expect(PreviewScreen)
        await driver.press("y")
        assert read(roots, "anyhook.toml") == f"[guards.{guard}]\n"
        assert driver.rows()
        await driver.press("u")

    drive(roots, script)
    assert not (roots.project / "anyhook.toml").exists()


@pytest.mark.skipif(os.name != "posix", reason="the editor is a shell script")
@pytest.mark.parametrize("changes", [False, True])
def test_the_editor_opens_at_the_new_hook(changes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    roots, record, program = claude_project(tmp_path), tmp_path / "arguments", tmp_path / "vi"
    edit = 'sed -i "s/make format/make all/" "$2"' if changes else ""
    program.write_text(f'#!/bin/sh\ntail -n "$1" "$2" | head -n 5 > {record}\n{edit}\n')
    program.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(program))

    async def script(driver: Driver) -> None:
        await driver.press("tab", "down", "down", "a")
        await driver.choose("Edit")
        await driver.choose("command")
        await driver.write("make format")
        await driver.press("enter", "enter", "enter", "e")
        driver.expect(HooksScreen)
        assert "make format" in record.read_text(encoding="utf-8")  # from the line at which it was opened
        assert ("make all" if changes else "make format") in driver.rows()
        assert driver.status().startswith("Done: edit" if changes else "Done: add a hook on PreToolUse.")
        await driver.press(*("u" if changes else ""), "u")  # the editing, the new hook

    drive(roots, script)
    assert read(roots, CLAUDE_FILE) == CLAUDE


def test_a_hook_goes_to_a_new_file_of_a_name_of_its_own(tmp_path: Path) -> None:
    roots = make_project(tmp_path, {})

    async def script(driver: Driver) -> None:
        await driver.press("a")
        await driver.choose("VS Code")
        await driver.choose("Stop")
        await driver.choose("command")
        await driver.write("make test")
        await driver.press("enter", "enter")
        assert "or type the name of a new file in .github/hooks" in driver.text()
        await driver.write("end.txt")
        await driver.press("enter")
        driver.expect(AddScreen)
        assert "'end.txt' is not one of these" in driver.text()
        await driver.press(*["backspace"] * 4, "enter", "y")
        assert "make test" in read(roots, ".github/hooks/end.json")
        await driver.press("u")

    drive(roots, script)
    assert not (roots.project / ".github").exists()


def test_a_letter_goes_to_the_next_choice_that_begins_with_it(tmp_path: Path) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("tab", "down", "a")  # the events of Claude Code
        choices = driver.app.screen.query_one(OptionList)
        for _ in range(2):
            await driver.press("p")
            assert driver.labels()[choices.highlighted or 0].startswith("P")
        first = choices.highlighted
        await driver.press("Z")
        assert choices.highlighted == first

    drive(claude_project(tmp_path), script)


def test_every_key_says_why_it_does_nothing_without_a_hook(tmp_path: Path) -> None:
    async def script(driver: Driver) -> None:
        for key in ("e", "d", "x", "f", "t", "enter"):
            await driver.press(key)
            driver.expect(HooksScreen)
            assert driver.status() == "No hooks here yet. Press a to add one, ? for help."
            await driver.press("p")
            assert driver.status() == "No problems."
        await driver.press("u")
        assert driver.status().startswith("Nothing to undo")
        await driver.press("r")
        assert driver.status() == "The files were read again."

    drive(make_project(tmp_path, {}), script)


def test_a_project_whose_files_are_all_broken_leads_to_the_problems(tmp_path: Path) -> None:
    async def script(driver: Driver) -> None:
        assert "No hook can be read. Press p for the problems" in driver.text()
        await driver.press("p")
        assert "1 problem" in driver.text()

    drive(make_project(tmp_path, {CLAUDE_FILE: '{"hooks": {,}}'}), script)


def test_a_file_that_several_clients_read_is_there_once_and_says_who_reads_it(tmp_path: Path) -> None:
    other = ".cursor/hooks.json"
    text = '{"version": 1, "hooks": {"stop": [{"command": "exit 0"}]}}'
    claude = '{"hooks": {"PreToolUse": [{"matcher": "Bash(x)", "hooks": [{"type": "command", "command": "exit 1"}]}]}}'

    async def script(driver: Driver) -> None:
        assert sorted(driver.rows()) == ["exit 0", "exit 1"]
        await driver.select("exit 1")
        shown = driver.text()
        assert "Claude Code +1" in shown
        assert "never matches" in shown
        assert "also read by Cursor (never matches)" in shown
        await driver.press("tab", "down")
        assert driver.rows() == ["exit 1"]

    drive(make_project(tmp_path, {CLAUDE_FILE: claude, other: text}), script, (120, 30))


def test_the_title_says_whether_hooks_wait_for_trust(tmp_path: Path) -> None:
    package = '{"version": 1, "hooks": {"stop": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}}'

    async def waits(driver: Driver) -> None:
        assert "1 untrusted: anyhook trust" in driver.text()

    async def has_none(driver: Driver) -> None:
        assert "trust" not in driver.text().splitlines()[0]

    for name in ("package", "claude"):
        (tmp_path / name).mkdir()
    drive(make_project(tmp_path / "package", {"hooks/hooks.json": package}), waits)
    drive(make_project(tmp_path / "claude", {CLAUDE_FILE: CLAUDE}), has_none)


def test_the_table_names_the_client_only_where_there_are_several(tmp_path: Path) -> None:
    other = ".cursor/hooks.json"
    text = '{"version": 1, "hooks": {"stop": [{"command": "exit 0"}]}}'

    async def script(driver: Driver) -> None:
        assert "CLIENT" in driver.text()
        await driver.press("tab", "down")
        assert "CLIENT" not in driver.text()
        assert "MATCHER" in driver.text()

    drive(make_project(tmp_path, {CLAUDE_FILE: CLAUDE, other: text}), script)
