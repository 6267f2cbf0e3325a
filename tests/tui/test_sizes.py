"""Small terminals: everything can be reached, and a change of size loses nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Button, Input, OptionList, TextArea, Tree

from anyhook.tui.add_screen import AddScreen
from anyhook.tui.fire_screen import FireScreen
from anyhook.tui.hook_table import HookTable
from anyhook.tui.hooks_screen import HooksScreen
from anyhook.tui.too_small import TooSmallScreen
from tests.editor.projects import CLAUDE, CLAUDE_FILE, GEMINI, GEMINI_FILE, claude_project, make_project
from tests.tui.screens import Driver, drive

pytestmark = pytest.mark.long

LEAST, MEDIUM = (40, 12), (60, 20)


@pytest.mark.parametrize("size", [LEAST, MEDIUM])
def test_a_narrow_terminal_shows_the_clients_or_the_hooks(tmp_path: Path, size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        tree, table = driver.app.screen.query_one(Tree), driver.app.screen.query_one(HookTable)
        assert tree.size.width == 0
        assert table.size.width >= size[0] - 1
        assert table.max_scroll_x == 0  # no column is out of sight
        assert "STATE" in driver.text()
        assert "q Quit" in driver.text()
        await driver.press("tab")
        assert tree.size.width >= size[0] - 1
        assert "Gemini CLI 1" in driver.text()
        await driver.press("tab")
        assert tree.size.width == 0

    drive(make_project(tmp_path, {CLAUDE_FILE: CLAUDE, GEMINI_FILE: GEMINI}), script, size)


@pytest.mark.parametrize("size", [LEAST, MEDIUM])
@pytest.mark.parametrize("key", ["a", "f", "p", "x", "d", "question_mark", "enter"])
def test_every_button_of_every_dialog_can_be_seen_and_clicked(tmp_path: Path, size: tuple[int, int], key: str) -> None:
    async def script(driver: Driver) -> None:
        await driver.press(key)
        dialog = driver.app.screen
        buttons = list(dialog.query(Button))
        assert buttons
        for button in buttons:
            assert dialog.region.contains_region(button.region), (button.id, button.region)
            assert str(button.label) in driver.text()
        await driver.click(f"#{buttons[-1].id}")
        driver.expect(HooksScreen)

    drive(claude_project(tmp_path), script, size)


def test_all_of_a_hook_can_be_read(tmp_path: Path) -> None:
    """The pane of details is too low for it, and the table has no column for the matcher."""

    async def script(driver: Driver) -> None:
        assert "project .claude" not in driver.text()
        await driver.press("enter")
        assert "project .claude/settings.json:" in driver.text()

    drive(claude_project(tmp_path), script, LEAST)


def test_a_terminal_that_is_too_small_says_what_it_needs_and_keeps_what_was_typed(tmp_path: Path) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("tab", "down", "down", "a", "enter", "enter")  # Claude Code, PreToolUse, any tool, command
        await driver.write("make")
        await driver.pilot.resize_terminal(30, 8)
        await driver.settle()
        driver.expect(TooSmallScreen)
        text = " ".join(driver.text().split())
        assert "anyhook hooks needs 40 × 12 characters. This terminal has 30 × 8." in text
        await driver.write("lost")
        await driver.pilot.resize_terminal(39, 30)
        await driver.settle()
        assert "This terminal has 39 × 30." in " ".join(driver.text().split())
        for size in (LEAST, (160, 50)):
            await driver.pilot.resize_terminal(*size)
            await driver.settle()
            driver.expect(AddScreen)
            assert driver.app.screen.query_one(Input).value == "make"
        await driver.press("enter")
        assert "After how many seconds" in driver.text()

    drive(claude_project(tmp_path), script)


def test_a_change_of_size_keeps_the_search_the_cursor_and_the_event(tmp_path: Path) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("slash")
        await driver.write("claude")
        await driver.press("enter", "end")
        rows = driver.rows()
        await driver.pilot.resize_terminal(*LEAST)
        await driver.settle()
        assert driver.rows() == rows
        assert driver.app.screen.query_one(HookTable).cursor_row == len(rows) - 1
        await driver.press("f")
        driver.expect(FireScreen)
        driver.app.screen.query_one(TextArea).text = "{}"
        await driver.pilot.resize_terminal(20, 5)
        await driver.settle()
        await driver.pilot.resize_terminal(80, 24)
        await driver.settle()
        driver.expect(FireScreen)
        assert driver.app.screen.query_one(TextArea).text == "{}"

    drive(claude_project(tmp_path), script)


def test_every_choice_can_be_reached_in_the_smallest_terminal(tmp_path: Path) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("a", "end")
        choices = driver.app.screen.query_one(OptionList)
        assert choices.highlighted == choices.option_count - 1
        assert driver.labels()[-1] in driver.text()

    drive(claude_project(tmp_path), script, LEAST)
