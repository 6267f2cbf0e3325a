"""Every action of the screen, driven as a user would: by keys, by the mouse, and with a planted editor."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from textual.color import Color
from textual.containers import VerticalScroll
from textual.widgets import Button, DataTable, OptionList, TextArea, Tree

from anyhook.editor.overview import take_overview
from anyhook.sources.discover import Roots
from anyhook.tui.add_screen import AddScreen
from anyhook.tui.fire_screen import FireScreen
from anyhook.tui.hook_table import columns_for
from anyhook.tui.hooks_screen import HooksScreen
from anyhook.tui.preview_screen import ChoiceScreen, PreviewScreen
from anyhook.tui.problems_screen import ProblemsScreen
from anyhook.tui.text_screen import TextScreen
from tests.checkout import ROOT
from tests.editor.projects import (
    CLAUDE,
    CLAUDE_FILE,
    GEMINI,
    GEMINI_FILE,
    claude_project,
    make_project,
    read,
)
from tests.editor.test_trials import CASE, PACKAGE
from tests.effort import mostly_long
from tests.tui.screens import Driver, drive

posix_only = pytest.mark.skipif(os.name != "posix", reason="hooks and the editor are shell scripts")
OPENING = (("a",), ("f",), ("p",), ("p", "enter"), ("x",), ("d",))
"""Keys that open a screen or a dialog."""
TRUE = '        {"type": "command", "command": "true"}\n'


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with what the editor was started with. The editor replaces "true" by "false"."""
    record, program = tmp_path / "arguments", tmp_path / "bin" / "vi"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {record}\nsed -i "s/\\"true\\"/\\"false\\"/" "$2"\n')
    program.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(program))
    return record


# ------------------------------------------------------------------------------------------------------ what is shown


def test_clients_events_and_hooks_are_shown_with_counts(tmp_path: Path) -> None:
    async def script(driver: Driver) -> None:
        text = driver.text()
        assert "4 hooks, 2 problems" in text
        for part in ("All clients 4", "Claude Code 3 !2", "PreToolUse 2", "Gemini CLI 1", "BeforeTool 1"):
            assert part in text
        await driver.select("./missing.sh")
        details = driver.text()
        assert "Claude Code · Stop · limit (600s) · active · last fired never" in details
        assert "project .claude/settings.json:10" in details
        assert "C005" in details

    drive(make_project(tmp_path, {CLAUDE_FILE: CLAUDE, GEMINI_FILE: GEMINI}), script)


def test_neither_the_number_of_hooks_nor_that_of_problems_is_cut(tmp_path: Path) -> None:
    hooks = ", ".join(f'{{"type": "command", "command": "./missing-{number}.sh"}}' for number in range(12))
    groups = ", ".join(f'"{event}": [{{"hooks": [{hooks}]}}]' for event in ("PreToolUse", "Stop"))
    roots = make_project(tmp_path, {CLAUDE_FILE: f'{{"hooks": {{{groups}}}}}'})

    async def script(driver: Driver) -> None:
        number = len(driver.app.overview.problems_in(driver.app.overview.clients[0]))
        assert number >= 10
        assert f"Claude Code 24 !{number}" in driver.text()

    drive(roots, script, (80, 24))


def test_the_tree_chooses_which_hooks_are_shown(tmp_path: Path) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("tab", "down", "down", "down")
        assert driver.rows() == ["./missing.sh"]
        await driver.press("up", "up", "up")
        assert len(driver.rows()) == 4

    drive(make_project(tmp_path, {CLAUDE_FILE: CLAUDE, GEMINI_FILE: GEMINI}), script)


def test_a_click_chooses_a_client_and_a_click_on_the_footer_acts(tmp_path: Path) -> None:
    async def script(driver: Driver) -> None:
        await driver.click("#clients", (6, 4))
        assert driver.rows() == ["exit 0"]
        await driver.click("#hooks", (4, 1))
        assert driver.app.screen.query_one(DataTable).has_focus
        footer = driver.text().splitlines()[-1]
        await driver.click("Footer", (footer.index("Help"), 0))
        driver.expect(TextScreen)
        await driver.click("#close")
        driver.expect(HooksScreen)

    drive(make_project(tmp_path, {CLAUDE_FILE: CLAUDE, GEMINI_FILE: GEMINI}), script)


def test_search(tmp_path: Path) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("slash")
        await driver.write("gemini exit")
        assert driver.rows() == ["exit 0"]
        await driver.press("enter")
        assert driver.app.screen.query_one(DataTable).has_focus
        await driver.press("escape")
        assert len(driver.rows()) == 4

    drive(make_project(tmp_path, {CLAUDE_FILE: CLAUDE, GEMINI_FILE: GEMINI}), script)


def test_help_names_every_key(tmp_path: Path) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("question_mark")
        driver.expect(TextScreen)
        text = driver.text()
        for binding in HooksScreen.BINDINGS:
            key = getattr(binding, "key_display", None) or str(getattr(binding, "key", "")).split(",")[0]
            assert key in ("escape",) or any(line.strip(" │").startswith(key) for line in text.splitlines()), key
        await driver.press("escape")
        driver.expect(HooksScreen)

    drive(claude_project(tmp_path), script, (100, 40))


# --------------------------------------------------------------------------------------------------------- changes


def test_a_hook_is_added_after_a_preview_and_undone(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)

    async def script(driver: Driver) -> None:
        await driver.press("tab", "down", "down", "a")  # Claude Code, PreToolUse
        driver.expect(AddScreen)
        assert driver.labels()[0] == "any tool"
        await driver.choose("Write")
        await driver.choose("command")
        await driver.write("make format")
        await driver.press("enter", "enter", "enter")  # default timeout, first file
        driver.expect(PreviewScreen)
        assert '"matcher": "Write"' in driver.text()
        assert read(roots, CLAUDE_FILE) == CLAUDE  # nothing is written yet
        await driver.press("y")
        assert "make format" in driver.rows()
        assert "make format" in read(roots, CLAUDE_FILE)
        assert driver.status() == "Done: add a hook on PreToolUse. Undo: u"
        assert driver.rows()[driver.app.screen.query_one(DataTable).cursor_row] == "make format"
        await driver.press("question_mark", "escape")
        assert driver.status() == ""  # what was done before is no longer said
        await driver.press("u")
        assert driver.status() == "Undone: add a hook on PreToolUse"
        assert read(roots, CLAUDE_FILE) == CLAUDE
        assert "make format" not in driver.rows()

    drive(roots, script)


def test_the_preview_shows_what_is_wrong_with_the_new_hook(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)

    async def script(driver: Driver) -> None:
        await driver.press("tab", "down", "down", "a")  # Claude Code, PreToolUse
        await driver.write("run_shell_command")
        await driver.press("enter", "enter")
        await driver.write("./no.sh")
        await driver.press("enter", "enter", "enter")
        driver.expect(PreviewScreen)
        text = driver.text()
        assert "error    M006  Claude Code has no tool called run_shell_command" in text
        assert "in Claude Code it is Bash or" in text
        assert "C005" in text
        await driver.press("escape")

    drive(roots, script)
    assert read(roots, CLAUDE_FILE) == CLAUDE


def test_what_is_typed_over_the_choices_is_the_answer(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)

    async def script(driver: Driver) -> None:
        await driver.press("tab", "down", "down", "a")  # Claude Code, PreToolUse
        await driver.write("Edit|Write")
        await driver.press("enter", "enter")  # the matcher, command
        await driver.write("make format")
        await driver.press("enter")
        await driver.write("17")
        await driver.press("enter", "enter")  # the seconds, the first file
        driver.expect(PreviewScreen)
        await driver.press("y")

    drive(roots, script)
    assert '"matcher": "Edit|Write"' in read(roots, CLAUDE_FILE)
    assert '"timeout": 17' in read(roots, CLAUDE_FILE)


def test_a_guard_is_added_from_an_empty_project_and_back_goes_back(tmp_path: Path) -> None:
    roots = make_project(tmp_path, {})

    async def script(driver: Driver) -> None:
        assert driver.text().count("No hooks here yet. Press a to add one, ? for help.") == 1
        await driver.press("a")
        await driver.press("enter")  # the first client: hooks of the project
        assert "On which event" in driver.text()
        await driver.click("#back")
        assert "Which client?" in driver.text()
        await driver.press("enter")
        await driver.choose("pre-tool-use")
        await driver.choose("any tool")
        await driver.choose("guard: shell")
        driver.expect(PreviewScreen)
        await driver.click("#write")
        assert read(roots, "anyhook.toml") == "[guards.shell]\n"
        assert any("shell guard" in row for row in driver.rows())

    drive(roots, script)


def test_a_hook_is_added_to_the_project_below_that_is_selected(tmp_path: Path) -> None:
    roots = make_project(tmp_path, {f"below/{GEMINI_FILE}": GEMINI})

    async def script(driver: Driver) -> None:
        await driver.press("tab", "down", "down", "a", "enter", "enter")  # BeforeTool, any tool, command
        await driver.write("make")
        await driver.press("enter", "enter", "enter", "y")

    drive(roots, script)
    assert '"make"' in read(roots, f"below/{GEMINI_FILE}")
    assert not (roots.project / GEMINI_FILE).exists()


def test_a_wrong_answer_is_explained_and_asked_again(tmp_path: Path) -> None:
    roots = make_project(tmp_path, {CLAUDE_FILE: '{"hooks": {,}}'})

    async def script(driver: Driver) -> None:
        await driver.press("tab", "down", "a")
        assert "On which event of Claude Code?" in driver.text()
        await driver.choose("Stop")
        await driver.choose("command")
        await driver.write("true")
        await driver.press("enter")
        await driver.press("tab")
        await driver.write("soon")
        await driver.press("enter")
        assert "'soon' is not a number of seconds" in driver.text()
        await driver.press("shift+tab", "enter", "enter")  # the default, the first file, which is broken
        driver.expect(AddScreen)
        assert "settings.json:1:" in driver.text()
        await driver.press("escape")
        driver.expect(HooksScreen)

    drive(roots, script)
    assert read(roots, CLAUDE_FILE) == '{"hooks": {,}}'


def test_a_hook_is_deleted_and_undone(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)

    async def script(driver: Driver) -> None:
        await driver.select("true")
        await driver.press("x")
        await driver.press("escape")  # not yet
        assert read(roots, CLAUDE_FILE) == CLAUDE
        await driver.press("delete", "enter")
        assert driver.rows() == ["./scripts/guard.sh", "./missing.sh"]
        assert driver.app.screen.query_one(DataTable).cursor_row == 1  # where it was
        assert TRUE not in read(roots, CLAUDE_FILE)
        await driver.press("u")
        assert read(roots, CLAUDE_FILE) == CLAUDE
        await driver.press("u")
        assert driver.status() == "Nothing to undo: nothing was written since the start."

    drive(roots, script)


def test_a_hook_is_disabled_and_enabled(tmp_path: Path) -> None:
    roots = make_project(tmp_path, {GEMINI_FILE: GEMINI})

    async def script(driver: Driver) -> None:
        await driver.press("d", "y")
        assert '"disabled"' in read(roots, GEMINI_FILE)
        assert "disabled" in driver.text()
        await driver.press("d", "y")
        assert read(roots, GEMINI_FILE) == GEMINI

    drive(roots, script)


def test_a_client_without_a_way_to_disable_says_so_and_offers_what_it_has(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)

    async def script(driver: Driver) -> None:
        await driver.press("d")
        driver.expect(ChoiceScreen)
        assert "Claude Code has no way to disable this hook alone. It has:" in driver.text()
        await driver.press("escape", "d", "down", "enter")
        driver.expect(PreviewScreen)
        await driver.press("y")
        assert '"disableAllHooks": true' in read(roots, CLAUDE_FILE)
        await driver.press("d", "y")
        assert read(roots, CLAUDE_FILE) == CLAUDE

    drive(roots, script)


def test_a_read_only_file_and_one_that_changed_meanwhile_lose_nothing(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)
    file = roots.project / CLAUDE_FILE

    async def script(driver: Driver) -> None:
        file.chmod(0o444)
        await driver.select("true")
        await driver.press("x", "y")
        driver.expect(TextScreen)
        assert "the file is read-only" in driver.text().replace("\n", " ")
        await driver.press("escape")
        file.chmod(0o644)
        await driver.press("x")
        file.write_text(CLAUDE.replace("opus", "sonnet"), encoding="utf-8")
        await driver.press("y")
        assert "has changed since" in driver.text()
        await driver.press("escape")

    drive(roots, script)
    assert read(roots, CLAUDE_FILE) == CLAUDE.replace("opus", "sonnet")


@posix_only
def test_the_editor_opens_at_the_line_and_its_change_can_be_undone(tmp_path: Path, editor: Path) -> None:
    roots = claude_project(tmp_path)

    async def script(driver: Driver) -> None:
        await driver.select("true")
        await driver.press("e")
        assert editor.read_text().splitlines() == ["+7", str(roots.project / CLAUDE_FILE)]
        assert "false" in driver.rows()
        await driver.press("u")
        assert read(roots, CLAUDE_FILE) == CLAUDE

    drive(roots, script)


def test_an_editor_that_does_not_exist_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", str(tmp_path / "no-editor"))

    async def script(driver: Driver) -> None:
        await driver.press("e")
        assert "cannot be started" in driver.text().replace("\n", " ")

    drive(claude_project(tmp_path), script)


# ------------------------------------------------------------------------------------------------------ try and explain


@posix_only
def test_the_narrowest_table_names_the_clients_where_there_are_several(tmp_path: Path) -> None:
    overview = take_overview(Roots(project=ROOT / "examples" / "shop", home=tmp_path))
    columns = columns_for(overview.written_once(), overview, 80, has_client=False, has_event=False)
    assert [column.title for column in columns] == ["CLIENT", "EVENT", "HOOK", "STATE"]


def test_a_sample_event_is_fired_and_the_trace_shown(tmp_path: Path) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("f")
        driver.expect(FireScreen)
        payload = driver.app.screen.query_one(TextArea)
        assert '"tool_name": "Bash"' in payload.text
        await driver.press("ctrl+r")
        text = driver.text()
        assert "blocked" in text
        assert "stderr: not this" in text
        payload.text = payload.text.replace("Bash", "Read")
        await driver.click("#fire")
        assert "skipped" in driver.text()
        await driver.press("escape")
        driver.expect(HooksScreen)

    drive(claude_project(tmp_path), script, (100, 40))


@posix_only
def test_the_cases_of_a_hook_run(tmp_path: Path) -> None:
    fixture = '{"hookEventName": "pre-tool-use", "toolName": "Bash", "toolInput": {"command": "ls"}}'
    files = {"hooks/hooks.json": PACKAGE, "hooks/tests/cases/01-refused.yaml": CASE}

    async def script(driver: Driver) -> None:
        await driver.select("exit 2")
        await driver.press("t")
        driver.expect(TextScreen)
        assert "passed        refused" in driver.text()
        assert "1 of 1 passed" in driver.text()

    drive(make_project(tmp_path, {**files, "hooks/tests/fixtures/refused.json": fixture}), script)


@posix_only
def test_a_problem_leads_to_its_page_and_to_its_line(tmp_path: Path, editor: Path) -> None:
    roots = claude_project(tmp_path)

    async def script(driver: Driver) -> None:
        await driver.select("./missing.sh")
        await driver.press("p")
        driver.expect(ProblemsScreen)
        assert "1 problem of this hook, 1 more" in driver.text()
        await driver.press("enter")
        driver.expect(TextScreen)
        assert "anyhook check --explain C005" in driver.text()
        await driver.press("escape", "e")
        assert editor.read_text().splitlines()[0] == "+10"

    drive(roots, script)


# -------------------------------------------------------------------------------------------------- files and terminals


def test_a_broken_file_is_shown_as_a_problem_with_its_line(tmp_path: Path) -> None:
    async def script(driver: Driver) -> None:
        assert "Claude Code 0 !1" in driver.text()
        await driver.press("p")
        assert ".claude/settings.json:1" in driver.text()

    drive(make_project(tmp_path, {CLAUDE_FILE: '{"hooks": {,}}'}), script)


def test_text_of_a_file_cannot_control_the_terminal(tmp_path: Path) -> None:
    command = "\\u001b]0;owned\\u0007[bold]not markup[/bold]"

    async def script(driver: Driver) -> None:
        assert "\x1b" not in driver.text()
        assert "owned" in driver.text()
        await driver.press("down")  # the details show all of it
        assert "[bold]not markup[/bold]" in driver.text()

    drive(make_project(tmp_path, {CLAUDE_FILE: CLAUDE.replace('"true"', f'"{command}"')}), script, (160, 50))


def test_without_colours_the_cursor_is_reversed_or_underlined(tmp_path: Path) -> None:
    async def script(driver: Driver) -> None:
        table, tree = driver.app.screen.query_one(DataTable), driver.app.screen.query_one(Tree)
        assert table.get_component_rich_style("datatable--cursor").reverse
        assert tree.get_component_rich_style("tree--cursor").underline
        await driver.press("tab")
        assert tree.get_component_rich_style("tree--cursor").reverse
        assert table.get_component_rich_style("datatable--cursor").underline
        await driver.press("a")
        first, *_ = driver.app.screen.query_one(OptionList).render_line(0)
        assert first.style is not None
        assert first.style.underline

    drive(claude_project(tmp_path), script, has_colour=False)


# ------------------------------------------------------------------------------------------------------ keys and looks


@pytest.mark.parametrize("keys", mostly_long([(), *OPENING, ("slash",), ("f1",)], short=[()]))
def test_ctrl_c_quits_from_every_screen(tmp_path: Path, keys: tuple[str, ...]) -> None:
    async def script(driver: Driver) -> None:
        await driver.press(*keys)
        assert driver.app.return_code is None
        await driver.pilot.press("ctrl+c")
        assert driver.app.return_code == 0

    drive(claude_project(tmp_path), script)


@pytest.mark.parametrize("keys", mostly_long([*OPENING, ("question_mark",), ("t",)], short=[("a",)]))
def test_esc_goes_back_from_every_dialog(tmp_path: Path, keys: tuple[str, ...]) -> None:
    async def script(driver: Driver) -> None:
        await driver.press(*keys)
        assert not isinstance(driver.app.screen, HooksScreen)
        await driver.press(*(["escape"] * len(keys)))
        driver.expect(HooksScreen)

    drive(claude_project(tmp_path), script)


def test_arrow_keys_scroll_the_preview_at_once_and_choose_a_button(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)

    async def script(driver: Driver) -> None:
        await driver.press("x")
        text = driver.app.screen.query_one(VerticalScroll)
        assert text.max_scroll_y > 0
        for key, place in (("down", 1), ("up", 0), ("end", text.max_scroll_y), ("home", 0), ("pagedown", None)):
            await driver.press(key)
            assert text.scroll_y == place or (place is None and text.scroll_y > 0)
        await driver.press("right", "enter")  # Cancel
        driver.expect(HooksScreen)

    drive(roots, script, (40, 12))
    assert read(roots, CLAUDE_FILE) == CLAUDE


def test_a_wrapped_line_of_the_preview_stays_behind_its_sign(tmp_path: Path) -> None:
    command = "echo " + "long " * 30 + "end"
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}, indent=1)

    async def script(driver: Driver) -> None:
        await driver.press("x")
        wrapped = next(line for line in driver.text().splitlines() if 'end"' in line)
        assert re.search(r"│  long", wrapped), wrapped  # the border, a blank, and a blank below the sign

    drive(make_project(tmp_path, {CLAUDE_FILE: text}), script)


def test_home_and_end_go_to_the_first_and_the_last_hook(tmp_path: Path) -> None:
    async def script(driver: Driver) -> None:
        table = driver.app.screen.query_one(DataTable)
        await driver.press("end")
        assert table.cursor_row == table.row_count - 1 > 0
        await driver.press("home")
        assert table.cursor_row == 0

    drive(claude_project(tmp_path), script)


def test_no_state_and_no_count_of_an_event_is_cut(tmp_path: Path) -> None:
    rules = [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./missing.sh"}]}]
    text = json.dumps({"disableAllHooks": True, "hooks": {"PostToolUseFailure": rules, "PreToolUse": rules}})

    async def script(driver: Driver) -> None:
        shown = driver.text()
        assert "PostToolUseFail… 1" in shown
        assert "!1 disabled" in shown

    drive(make_project(tmp_path, {CLAUDE_FILE: text}), script)


def test_an_empty_table_says_why(tmp_path: Path) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("slash")
        await driver.write("zzz")
        text = driver.text()
        assert "No hook matches the search. Esc leaves the search." in text
        assert "/ Find" not in text  # the key would be typed
        await driver.press("escape")
        assert "/ Find" in driver.text()

    drive(claude_project(tmp_path), script)


def test_the_fire_screen_says_what_its_empty_pane_is_for(tmp_path: Path) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("f")
        assert "The trace is shown here." in driver.text()

    drive(claude_project(tmp_path), script)


@posix_only
def test_every_button_works_by_mouse(tmp_path: Path, editor: Path) -> None:
    roots = claude_project(tmp_path)

    async def script(driver: Driver) -> None:
        await driver.press("f")
        await driver.click("#fire")
        assert "Claude Code: PreToolUse" in driver.text()
        await driver.click("#close")
        await driver.press("p")
        await driver.click("#page")
        driver.expect(TextScreen)
        await driver.click("#close")
        await driver.click("#edit")
        assert editor.exists()
        driver.expect(HooksScreen)
        await driver.press("tab", "down", "a", "enter")
        assert "Claude Code › PreToolUse" in driver.text()
        await driver.click("#back")
        assert "On which event" in driver.text()
        await driver.click("#cancel")
        await driver.press("x")
        await driver.click("#cancel")
        await driver.press("x")
        before = read(roots, CLAUDE_FILE)
        await driver.click("#write")
        driver.expect(HooksScreen)
        assert read(roots, CLAUDE_FILE) != before

    drive(roots, script)


def test_the_focus_covers_the_whole_button(tmp_path: Path) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("x")
        for button in driver.app.screen.query(Button):
            assert button.size.width == len(str(button.label)) + 2

    drive(claude_project(tmp_path), script)


def test_the_colours_of_problems_can_be_read_under_the_cursor(tmp_path: Path) -> None:
    def luminance(colour: Color) -> float:
        parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    async def script(driver: Driver) -> None:
        await driver.press("p")
        choices = driver.app.screen.query_one(OptionList)
        cursor = choices.get_component_styles("option-list--option-highlighted").background
        assert cursor is not None
        for colour in ("#ff8787", "#fd971f", "#58d1eb"):  # error, warning and code, as the pictures show them
            assert (luminance(Color.parse(colour)) + 0.05) / (luminance(cursor) + 0.05) >= 3

    drive(claude_project(tmp_path), script)
