"""The address in the browser says what is shown: it can be reloaded, sent and gone back from."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from anyhook.model.outcome import Effect
from anyhook.record.recorded import Happened
from anyhook.record.store.database import JournalDatabase
from tests.bridge.bridging import make_package
from tests.record.store.journals import hook, row
from tests.ui.browsing import SIZES, Opened, looking, started_browser  # noqa: F401
from tests.ui.serving import Asked, serving

pytest.importorskip("playwright")

from playwright.sync_api import Browser, Page, expect


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    package = make_package(tmp_path_factory.mktemp("addresses") / "project")
    blocked = row(
        session="first", project=str(package), outcome=Happened(Effect.BLOCK, "not here"),
        hooks=(hook("guard.sh", "blocked", reason="not here"),),
        payload={"tool_input": {"command": "rm -rf /"}}, answer={"decision": "deny", "reason": "not here"},
    )  # fmt: skip
    with serving(package) as running:
        with JournalDatabase(running.journal) as database:
            database.add([blocked, row(session="first", project=str(package))])
            database.add([row(session="second", client="codex", project=str(package)), row(project="/elsewhere")])
        yield running


@pytest.fixture
def opened(browser: Browser, asked: Asked) -> Iterator[Opened]:
    with looking(browser, asked) as page:
        yield page


def at(page: Page, ending: str) -> None:
    expect(page).to_have_url(re.compile(re.escape(ending) + "$"))


def test_an_event_has_an_address(opened: Opened) -> None:
    page = opened.go("sessions/claude-code/first")
    dialog = page.get_by_role("dialog")
    page.locator(".event[data-effect=block]").click()
    expect(dialog).to_contain_text('"decision": "deny"')
    at(page, "#/sessions/claude-code/first?event=1")
    page.reload()
    expect(dialog).to_contain_text("rm -rf /")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    at(page, "#/sessions/claude-code/first")
    page.go_back()  # the page before the session, not the event again
    expect(page).not_to_have_url(re.compile("event"))


@pytest.mark.long
def test_back_closes_an_event_and_the_page_stays(opened: Opened) -> None:
    page = opened.go("sessions/claude-code/first")
    page.locator(".pane").evaluate("pane => { pane.dataset.same = 'yes' }")
    page.locator(".event").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("dialog")).to_be_hidden()
    at(page, "#/sessions/claude-code/first")
    page.go_forward()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.locator("#dialog-close").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator(".event").first).to_be_focused()
    expect(page.locator(".pane")).to_have_attribute("data-same", "yes")


@pytest.mark.long
def test_an_address_of_an_event_that_does_not_exist(browser: Browser, asked: Asked) -> None:
    with looking(browser, asked) as opened:
        page = opened.go("sessions/claude-code/first?event=999")
        expect(page.get_by_role("dialog")).to_contain_text("row 999 is not in the journal")
        opened.wrong.clear()  # the browser reports the status
        page = opened.go("sessions?event=<script>")
        expect(page.get_by_role("dialog")).to_be_visible()
        opened.wrong.clear()


def test_the_address_keeps_the_filter(opened: Opened) -> None:
    page = opened.go()
    page.select_option("#filter-client", "codex")
    expect(page.locator(".session-id")).to_have_text(["second"])
    at(page, "#/sessions?client=codex")
    page.locator("#scope").uncheck()
    at(page, "#/sessions?client=codex&all=1")
    page.reload()
    expect(page.locator("#filter-client")).to_have_value("codex")
    expect(page.locator("#scope")).not_to_be_checked()
    expect(page.locator(".session-id")).to_have_text(["second"])
    page.locator(".session").click()
    at(page, "#/sessions/codex/second?client=codex&all=1")
    page.locator(".event").click()
    at(page, "#/sessions/codex/second?client=codex&all=1&event=3")
    page.go_back()
    page.go_back()
    at(page, "#/sessions?client=codex&all=1")
    expect(page.locator("main[data-shown=sessions] .session")).to_have_count(1)
    page.keyboard.press("4")
    page.wait_for_selector("main[data-shown=hooks]")
    page.go_back()
    expect(page.locator("#filter-client")).to_have_value("codex")


@pytest.mark.long
def test_the_figure_of_a_hook_leads_to_its_sessions(opened: Opened) -> None:
    page = opened.go("hooks")
    page.locator("td.number a").first.click()
    expect(page.locator("#filter-hook")).to_have_value("guard.sh")
    expect(page.locator("#scope")).not_to_be_checked()
    expect(page.locator(".session")).to_have_count(3)


@pytest.mark.long
def test_what_is_typed_again_can_be_copied(browser: Browser, asked: Asked) -> None:
    with looking(browser, asked, permissions=["clipboard-read", "clipboard-write"]) as opened:
        page = opened.go("sessions/claude-code/first?event=1")
        copied = "navigator.clipboard.readText()"
        page.get_by_role("button", name="Copy: Payload").click()
        expect(page.get_by_role("button", name="Copy: Payload")).to_have_text("Copied")
        assert page.evaluate(copied) == '{\n  "tool_input": {\n    "command": "rm -rf /"\n  }\n}'
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Copy the session's id").click()
        expect(page.get_by_role("button", name="Copy the session's id")).to_have_text("Copied")
        assert page.evaluate(copied) == "first"
        page = opened.go("problems")
        page.get_by_role("button", name="Copy anyhook deploy --client CLIENT").click()
        expect(page.get_by_role("button", name="Copy anyhook deploy --client CLIENT")).to_have_text("Copied")
        assert page.evaluate(copied) == "anyhook deploy --client CLIENT"


@pytest.mark.long
@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0.0 ms"), (9.96, "10.0 ms"), (12.4, "12 ms"), (999.4, "999 ms"), (999.6, "1.00 s"), (1100.2, "1.10 s"),
        (10_000.3, "10.0 s"), (60_000, "60 s"), (600_000, "10 min"), (149_000, "2 min 29 s"), (3_900_000, "1 h 5 min"),
    ],
)  # fmt: skip
def test_durations(opened: Opened, ms: float, text: str) -> None:
    page = opened.go("clients")
    assert page.evaluate("async (ms) => (await import('/static/dom.js')).duration(ms)", ms) == text


@pytest.mark.long
@pytest.mark.parametrize(
    ("command", "name"),
    [
        ('sh "${PACKAGE_ROOT}/hooks/no-push.sh" --all', "no-push.sh --all"),
        ('"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh', "guard.sh"),
        ("python3 hooks/rules.py", "rules.py"),
        (".claude/hooks/guard.sh", "guard.sh"),
        ("echo nope >&2; exit 7", "echo nope >&2; exit 7"),
        ("Are all tasks done? See docs/x.", "Are all tasks done? See docs/x."),
    ],
)
def test_a_bar_is_named_by_its_script(opened: Opened, command: str, name: str) -> None:
    page = opened.go("clients")
    assert page.evaluate("async (text) => (await import('/static/dom.js')).scriptName(text)", command) == name


@pytest.mark.long
def test_times_of_lists_say_the_day(opened: Opened) -> None:
    page = opened.go("clients")
    code = "async ([at, now]) => (await import('/static/dom.js')).briefly(at, new Date(now))"
    now = "2026-11-18T12:00:00"
    assert [
        page.evaluate(code, [at, now])
        for at in ("2026-11-18T00:01:00", "2026-11-17T23:59:00", "2026-11-03T09:05:00", "2025-11-18T12:00:00")
    ] == ["today 00:01", "yesterday 23:59", "3 Nov 09:05", "2025-11-18"]


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
def test_where_the_keyboard_is_can_be_seen(browser: Browser, asked: Asked, size: str) -> None:
    """Each thing that Tab reaches has an outline."""
    with looking(browser, asked, viewport=SIZES[size]) as opened:
        page = opened.go("sessions/claude-code/first" if size == "narrow" else "sessions")
        reached = set()
        for _ in range(30):
            page.keyboard.press("Tab")
            name, style, width = page.evaluate(
                "(() => { const at = document.activeElement, look = getComputedStyle(at);"
                " return [at.className || at.id || at.tagName, look.outlineStyle, parseFloat(look.outlineWidth)] })()"
            )
            if name == "BODY":
                break
            reached.add(name)
            assert (style, width >= 2) == ("solid", True), name
        assert {"skip", "quiet", "event"} <= reached
