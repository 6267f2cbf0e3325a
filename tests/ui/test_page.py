"""The page in a real browser: what it shows, how it is used by keyboard, and what it must never do."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from anyhook.model.outcome import Effect
from anyhook.record.recorded import Happened
from anyhook.record.store.database import DATABASE, JournalDatabase
from tests.bridge.bridging import make_package
from tests.record.store.journals import hook, row
from tests.ui.browsing import SECONDS, SIZES, Examination, Opened, logged_in, looking, started_browser  # noqa: F401
from tests.ui.serving import Asked, serving
from tools.ui.invented_journal import fill_journal, invented_rows

pytest.importorskip("playwright")

from playwright.sync_api import Browser, Page, Route, expect

EVENTS = 10_000
PAGES = ("overview", "sessions", "live", "hooks", "matrix", "problems", "clients", "clients/codex")
SCRIPT = "<script>document.title = 'run'</script><img src=x onerror=\"document.title='run'\">"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    top = tmp_path_factory.mktemp("page")
    package = make_package(top / "project")
    with serving(package) as running:
        fill_journal(running.journal, invented_rows(EVENTS, package, time.time()))
        yield running


@pytest.fixture
def opened(browser: Browser, asked: Asked, request: pytest.FixtureRequest) -> Iterator[Opened]:
    """Without errors, and without a request to another host, at the end of each test."""
    with looking(browser, asked, **getattr(request, "param", {})) as page:
        yield page


def open_session(opened: Opened) -> Page:
    """A session that is complete, with one blocked call."""
    page = opened.go()
    page.locator(".session", has_text="0203a7e2").click()
    page.wait_for_selector(".event[data-effect=block]")
    return page


def test_the_address_opens_the_page_once(browser: Browser, tmp_path: Path) -> None:
    with serving(make_package(tmp_path / "project")) as asked:
        first, second = browser.new_context(), browser.new_context()
        page = Opened(first, asked)
        page.page.goto(asked.server.url)
        page.page.wait_for_selector("main[data-shown=overview]")
        assert page.page.url == f"{asked.origin}/"  # without the token
        assert "The journal has no refused event of this project" in page.page.inner_text("main")
        [cookie] = first.cookies()
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
        assert page.wrong == []
        for url in (asked.server.url, f"{asked.origin}/?token=wrong", f"{asked.origin}/"):
            refused = Opened(second, asked).page
            answer = refused.goto(url)
            assert answer is not None
            assert answer.status == 403
            assert "works once" in refused.inner_text("body")
        first.close()
        second.close()


@pytest.mark.long
def test_ten_thousand_events(opened: Opened) -> None:
    """All of them are there, and few are in the page; bench/ui.py says how long it takes."""
    page = opened.go()
    sessions, earlier = page.locator(".session"), page.get_by_role("button", name="Earlier sessions")
    expect(sessions).to_have_count(25)
    while sessions.count() < 205:
        page.locator(".side").evaluate("side => side.scrollTo(0, side.scrollHeight)")
        page.wait_for_timeout(50)
    expect(earlier).to_have_count(0)
    counts = [int(text.split()[0]) for text in page.locator(".session-figures > span:first-child").all_inner_texts()]
    assert sum(counts) == EVENTS
    assert page.locator(".event").count() <= 200


@pytest.mark.long
def test_a_long_session_is_loaded_as_it_is_read(browser: Browser, tmp_path: Path) -> None:
    with serving(make_package(tmp_path / "project")) as asked:
        with JournalDatabase(asked.journal) as database:
            database.add([row(project=str(tmp_path / "project")) for _ in range(450)])
        context = logged_in(browser, asked)
        page = Opened(context, asked).go()
        assert page.locator(".event").count() == 200
        while page.locator(".event").count() < 450:
            page.keyboard.press("End")
        expect(page.get_by_role("button", name="More events")).to_have_count(0)
        context.close()


def test_what_the_first_page_needs_is_asked_for_at_once(browser: Browser, asked: Asked) -> None:
    """Before the modules are there."""
    context = logged_in(browser, asked, viewport=SIZES["wide"])
    opened = Opened(context, asked)
    addresses: list[str] = []
    opened.page.on("request", lambda request: addresses.append(request.url.removeprefix(asked.origin)))
    held: list[Route] = []
    opened.page.route("**/static/app.js", lambda route: held.append(route))
    with opened.page.expect_response("**/api/overview"):
        opened.page.goto(f"{asked.origin}/", wait_until="commit")
    while not held:
        opened.page.wait_for_timeout(10)
    held[0].continue_()
    opened.page.wait_for_selector("main[data-shown=overview]")
    assert {address for address in addresses if address.startswith("/api")} == {
        "/api/about",
        "/api/clients",
        "/api/overview",
    }
    assert "/static/pages/matrix.js" not in addresses  # a page is loaded when it is shown
    context.close()


def test_the_overview_says_the_important_thing_first(opened: Opened) -> None:
    page = opened.go("overview")
    expect(page.locator(".standing")).to_contain_text(re.compile("Protected in 0 of|No client is installed"))
    expect(page.locator(".todo")).to_contain_text("anyhook deploy")
    expect(page.locator(".page > div > .events .event-subject").first).to_have_text("git push --force origin main")
    page.locator(".page > div > .events .event").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("git push --force origin main")


def test_this_project_first_and_all_with_one_click(browser: Browser, tmp_path: Path) -> None:
    project = make_package(tmp_path / "project")
    with serving(project) as asked:
        with JournalDatabase(asked.journal) as database:
            database.add([row(session="elsewhere", project="/src/shop", tool="Far")])
        context = logged_in(browser, asked, viewport=SIZES["wide"])
        opened = Opened(context, asked)
        page = opened.go()
        expect(page.locator("#scope")).to_be_checked()
        page.get_by_role("button", name="Show all projects").click()
        expect(page.locator(".session-id")).to_have_text(["elsewhere"])
        page.keyboard.press("3")
        expect(page.locator("#scope")).not_to_be_checked()  # for all pages
        expect(page.locator(".live .event-client")).to_have_text(["claude-code · /src/shop"])
        page.locator("#scope").check()
        expect(page.locator(".live .event")).to_have_count(0)
        expect(page.locator("main")).to_contain_text("No event yet")
        assert opened.wrong == []
        context.close()


def test_events_without_a_session_are_not_one_session(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with serving(tmp_path / "plain") as asked:
        with JournalDatabase(asked.journal) as database:
            database.add(
                [
                    row(session="", client=client, project=f"/src/{name}", event=event, canonical=event, tool=name)
                    for client, name in (("codex", "shop"), ("codex", "blog"), ("claude-code", "shop"))
                    for event in ("UserPromptSubmit", "PreToolUse")
                ]
            )
        context = logged_in(browser, asked, viewport=SIZES["wide"])
        page = Opened(context, asked).go()
        expect(page.locator("#scope")).to_have_count(0)  # this folder is no project
        places = [text.replace("\n", " ") for text in page.locator(".session").all_inner_texts()]
        assert len(places) == 3
        for index in range(3):
            page.locator(".session").nth(index).click()
            expect(page.locator(".session").nth(index)).to_have_attribute("aria-current", "true")
            expect(page.locator(".event")).to_have_count(2)
            name = "blog" if "blog" in places[index] else "shop"
            expect(page.locator(".event-tool")).to_have_text([name, name])
            expect(page.locator(".session-head")).to_contain_text(f"/src/{name}")
        expect(page.get_by_text("Turn 1")).to_have_count(0)
        context.close()


def test_the_timeline_has_turns_and_bars(opened: Opened) -> None:
    page = open_session(opened)
    expect(page.locator(".turn h3")).to_have_text(["Turn 1", "Turn 2", "Turn 3", "Turn 4"])
    assert page.locator(".level-session .event-name").all_text_contents() == ["SessionStart", "SessionEnd"]
    assert page.locator(".turn >> nth=0 >> .event-name").all_inner_texts()[:3] == [
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
    ]
    blocked = page.locator(".event[data-effect=block]")
    assert blocked.count() == 1
    assert blocked.locator(".bar.bad").count() == 1
    widths = page.locator(".bar").evaluate_all("bars => bars.map(bar => bar.getBoundingClientRect().width)")
    assert min(widths) > 0
    assert len({round(width) for width in widths}) > 10


def test_a_click_opens_everything_about_an_event(opened: Opened) -> None:
    page = open_session(opened)
    page.locator(".event[data-effect=block]").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("the history of main would be lost")
    expect(dialog).to_contain_text("hooks/hooks.json:9")
    expect(dialog).to_contain_text('"command": "git push --force origin main"')
    expect(dialog).to_contain_text('the matcher "Write" does not match')
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.locator(".event[data-effect=block]")).to_be_focused()


def test_a_live_event_appears(opened: Opened) -> None:
    page = opened.go("live")
    expect(page.get_by_text("connected")).to_be_visible()
    with JournalDatabase(opened.asked.journal) as database:
        database.add([row(tool="JustNow", client="codex", project=opened.asked.project)])
    first = page.locator(".live li").first
    expect(first).to_contain_text("JustNow")
    page.get_by_role("button", name="Pause").click()
    with JournalDatabase(opened.asked.journal) as database:
        database.add([row(tool="Later", project=opened.asked.project)])
    expect(page.get_by_text("held back")).to_be_visible(timeout=SECONDS)
    expect(first).to_contain_text("JustNow")
    page.get_by_role("button", name="Go on").click()
    expect(first).to_contain_text("Later")


def test_the_output_of_hooks_is_text(browser: Browser, tmp_path: Path) -> None:
    hooks = {"pre-tool-use": [{"matcher": SCRIPT, "hooks": [{"type": "command", "command": f"echo '{SCRIPT}'"}]}]}
    with serving(make_package(tmp_path / "project", hooks)) as asked:
        evil = row(
            client=SCRIPT, event=SCRIPT, session=SCRIPT, tool=SCRIPT, project=SCRIPT, release=SCRIPT,
            outcome=Happened(Effect.BLOCK, SCRIPT, decided_by=SCRIPT), payload={SCRIPT: SCRIPT},
            hooks=(hook(SCRIPT, "blocked", reason=SCRIPT, file=SCRIPT), hook(SCRIPT, "skipped", reason=SCRIPT)),
        )  # fmt: skip
        with JournalDatabase(asked.journal) as database:
            database.add([evil])
        context = logged_in(browser, asked)
        opened = Opened(context, asked)
        for where in ("sessions", "live", "hooks", "problems"):
            page = opened.go(where)
            if page.locator("#scope").count() and page.locator("#scope").is_checked():
                page.locator("#scope").uncheck()
                page.wait_for_selector(".event")
            assert where == "problems" or SCRIPT[:20] in page.inner_text("main")
            assert page.locator("main script, main img").count() == 0
            assert page.title() != "run"
        page = opened.go("live")
        page.locator(".event").first.click()
        expect(page.get_by_role("dialog")).to_contain_text(SCRIPT)
        assert page.locator("dialog script, dialog img").count() == 0
        assert page.title() != "run"
        assert opened.wrong == []
        assert opened.hosts == {asked.origin}
        context.close()


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.dataset.number || document.activeElement.className"))


def test_the_keyboard_alone(opened: Opened) -> None:
    page = opened.go()
    page.locator(".session", has_text="0203a7e2").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".event[data-effect=block]")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    first = focused(page)
    page.keyboard.press("ArrowDown")
    second = focused(page)
    assert int(second) > int(first)
    page.keyboard.press("k")
    assert focused(page) == first
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("j")  # the next event takes its place
    expect(page).to_have_url(re.compile(f"event={second}$"))
    page.keyboard.press("t")  # not for the page behind
    assert page.locator("#theme").get_attribute("aria-label") == "Colours: auto"
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator(f"[data-number='{second}']")).to_be_focused()
    for key, name in enumerate(PAGES[:-1], 1):
        page.keyboard.press(str(key))
        page.wait_for_selector(f"main[data-shown={name}]")
        expect(page.locator("nav [aria-current=page]")).to_have_text(name.title())
    page.keyboard.press("2")
    page.wait_for_selector("main[data-shown=sessions]")
    page.keyboard.press("/")
    expect(page.locator("#filter-hook")).to_be_focused()
    page.keyboard.type("1tests.sh")  # keys are letters in a field
    expect(page.locator("#filter-hook")).to_have_value("1tests.sh")


def test_tab_goes_from_the_top_to_the_content(opened: Opened) -> None:
    page = opened.go()
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#filter-client")).to_be_focused()


def test_filter(opened: Opened) -> None:
    page = opened.go()
    page.select_option("#filter-client", "codex")
    expect(page.locator(".session").first).to_contain_text("codex")
    expect(page.locator(".session", has_text="claude-code")).to_have_count(0)
    page.fill("#filter-hook", "no such hook")
    page.keyboard.press("Enter")
    expect(page.locator(".session-list")).to_contain_text("No such events are in the journal.")
    page.fill("#filter-hook", "")
    page.select_option("#filter-client", "")
    expect(page.locator(".session").first).to_be_visible()


@pytest.mark.long
def test_a_rare_event_is_found_in_a_long_journal(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anyhook.ui.api.sessions.SCANNED_ROWS", 20)
    with serving(make_package(tmp_path / "project")) as asked:
        with JournalDatabase(asked.journal) as database:
            here = str(tmp_path / "project")
            rare = row(session="rare", project=here, hooks=(hook("rare.sh"),))
            database.add([rare, *(row(project=here) for _ in range(90))])
        context = logged_in(browser, asked)
        page = Opened(context, asked).go()
        page.fill("#filter-hook", "rare.sh")
        page.keyboard.press("Enter")
        expect(page.locator(".session-id")).to_have_text(["rare"])
        expect(page.locator("#filter-hook")).to_be_focused()
        page.fill("#filter-hook", "")
        page.keyboard.press("Enter")
        context.close()


@pytest.mark.parametrize("size", SIZES)
def test_long_texts_stay_in_their_places(browser: Browser, tmp_path: Path, size: str) -> None:
    project, long, unbroken = make_package(tmp_path / "project"), "a long text " * 60, "x" * 400
    with serving(project) as asked:
        with JournalDatabase(asked.journal) as database:
            hooks = (hook(unbroken, "blocked", reason=long), hook(long, "failed-so-blocked", reason=unbroken))
            database.add(
                [
                    row(session=unbroken, project=f"{project}/{unbroken}", tool=unbroken, client=client, hooks=hooks,
                        outcome=Happened(Effect.BLOCK, long))
                    for client in ("codex", unbroken)
                ]
            )  # fmt: skip
        context = logged_in(browser, asked, viewport=SIZES[size])
        opened = Opened(context, asked)
        for where in ("sessions", "live"):
            page = opened.go(where)
            beyond = page.evaluate(
                "[...document.querySelectorAll(':is(.side, .pane, .page) *')].filter((each) => each.checkVisibility()"
                " && each.getBoundingClientRect().right > (each.closest('.side, .pane, .page')"
                ".getBoundingClientRect().right)).map((each) => each.className)"
            )
            assert beyond == [], where
        page.locator(".event").first.click()
        page.wait_for_selector("dialog[open]")
        title = page.locator("#dialog-title").bounding_box()
        assert title is not None
        assert title["height"] < 100
        context.close()


def test_an_empty_journal_says_what_to_do(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with serving(tmp_path / "plain") as asked:
        context = logged_in(browser, asked, viewport=SIZES["wide"])
        page = Opened(context, asked).go()
        expect(page.locator(".session-list")).to_have_text("The journal is empty.")
        expect(page.locator(".first-steps")).to_contain_text("anyhook deploy")
        context.close()


def test_a_journal_that_cannot_be_read_can_be_asked_again(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with serving(tmp_path / "plain") as asked:
        (asked.journal / DATABASE).write_bytes(b"this is no database" * 1000)
        context = logged_in(browser, asked)
        page = Opened(context, asked).page
        asked.get("/api/about")  # sets it aside
        page.goto(f"{asked.origin}/")
        expect(page.locator("#notes")).to_contain_text("this journal was corrupt and was set aside")
        expect(page.locator("#notes")).not_to_contain_text("cannot be written")
        (asked.journal / DATABASE).write_bytes(b"this is no database" * 1000)
        page.evaluate("location.hash = '#/sessions/codex/x'")
        expect(page.get_by_role("alert")).to_contain_text("the journal was corrupt")
        expect(page.get_by_role("heading", name="Sessions")).to_be_visible()
        page.get_by_role("button", name="Try again").click()
        expect(page.locator("main")).to_contain_text("The journal has no event of this session.")
        context.close()


def background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


@pytest.mark.parametrize("opened", [{"color_scheme": "dark"}], indirect=True)
def test_colours(opened: Opened) -> None:
    page = opened.go()
    dark = background(page)
    assert page.locator("#theme").get_attribute("aria-label") == "Colours: auto"
    page.keyboard.press("t")
    light = background(page)
    assert light != dark
    page.reload()
    page.wait_for_selector("main[data-shown]")
    assert background(page) == light
    page.locator("#theme").click()
    assert background(page) == dark
    page.emulate_media(color_scheme="light")
    assert background(page) == dark
    page.locator("#theme").click()
    assert background(page) == light


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault_and_nothing_is_cut_off(
    browser: Browser, asked: Asked, scheme: Literal["light", "dark"], size: str
) -> None:
    looked = Examination()
    with looking(browser, asked, color_scheme=scheme, viewport=SIZES[size]) as opened:
        for name in PAGES:
            looked.examine(opened.go(name), name)
        page = open_session(opened)
        looked.examine(page, "a session")
        page.locator(".event[data-effect=block]").click()
        page.wait_for_selector("dialog[open]")
        looked.examine(page, "an event")
    assert looked.faults == []
