"""The page in a real browser where things are not as usual: the matrix, PostgreSQL, servers that end, hostile rows."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from anyhook.model.outcome import Effect
from anyhook.record.recorded import Happened
from anyhook.record.store.database import DATABASE, JournalDatabase
from tests.bridge.bridging import make_package, run_anyhook
from tests.record.store.journals import change, hook, row
from tests.ui.browsing import SIZES, Examination, Opened, logged_in, looking, started_browser  # noqa: F401
from tests.ui.serving import serving

pytest.importorskip("playwright")

from playwright.sync_api import Browser, expect

pytestmark = pytest.mark.long

CASE = """\
name: {name}
event: pre-tool-use
input: {{fixture: fixtures/call.json, overrides: {{toolInput.command: {command}}}}}
expected: {{effect: {effect}}}
"""
SCRIPT = "<img src=x onerror=\"document.title='run'\">"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With test cases, in a home folder of its own."""
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    made = make_package(tmp_path / "project")
    cases = made / "hooks" / "tests" / "cases"
    cases.mkdir(parents=True)
    (cases.parent / "fixtures").mkdir()
    call = {"hookEventName": "pre-tool-use", "toolName": "Bash", "toolInput": {"command": ""}}
    (cases.parent / "fixtures" / "call.json").write_text(json.dumps(call))
    (cases / "blocks.yaml").write_text(CASE.format(name="blocks", command="echo DANGER", effect="block"))
    (cases / "markup.yaml").write_text(CASE.format(name=json.dumps(SCRIPT), command="echo DANGER", effect="proceed"))
    return made


@pytest.mark.parametrize("size", SIZES)
def test_the_matrix(browser: Browser, package: Path, size: str) -> None:
    looked = Examination()
    with serving(package) as asked, looking(browser, asked, viewport=SIZES[size]) as opened:
        page = opened.go("matrix")
        expect(page.locator("[data-refusal]")).to_contain_text("waits for your approval")
        expect(page.locator(".command code")).to_have_text(f"anyhook trust {package}")
        looked.examine(page, "not trusted")
        assert run_anyhook(package, "trust", "--yes").returncode == 0
        page.keyboard.press("r")
        page.wait_for_selector("main[data-shown=matrix]")
        expect(page.locator("[data-refusal]")).to_have_count(0)
        heads = page.locator(".matrix thead th").all_inner_texts()
        assert {"Case", "claude", "codex", "gemini"} <= set(heads)
        expect(page.locator(".matrix tbody th")).to_have_text(["blocks"])
        expect(page.locator("main")).to_contain_text(
            'markup: "name" must be 1 to 64 of a-z, 0-9 and -'
        )  # could not run
        texts = page.locator(".matrix tbody tr").first.locator("td").all_inner_texts()
        assert len(texts) == len(heads) - 1
        assert texts[heads.index("claude") - 1].startswith("block")
        assert page.title() != "run"
        looked.examine(page, "the matrix")
    assert looked.faults == []


def test_a_project_without_cases_says_how_to_begin(browser: Browser, tmp_path: Path) -> None:
    with serving(make_package(tmp_path / "project")) as asked, looking(browser, asked) as opened:
        page = opened.go("matrix")
        expect(page.locator("[data-refusal]")).to_contain_text("no hook test cases here")
        expect(page.locator(".command code")).to_have_text(["anyhook init", "anyhook new case"])


@pytest.mark.skipif(os.name != "posix", reason="needs a Unix socket")
def test_a_journal_in_postgresql(browser: Browser, tmp_path: Path) -> None:
    """Sessions, an event and a live one, of the database and not of the journal here."""
    pytest.importorskip("psycopg")
    from anyhook.record.store.postgres import send_to_postgres
    from tests.record.store.postgres_server import postgres, why_not

    if why_not():
        pytest.skip(why_not())
    project = make_package(tmp_path / "project")
    with postgres() as database, serving(project, url=database.url) as asked, looking(browser, asked) as opened:
        with JournalDatabase(asked.journal) as journal:
            journal.add([row(session="shared", project=str(project), payload={"prompt": "of the team"})])
            send_to_postgres(journal, database.url, with_bodies=True)
            journal.add([row(session="kept-here", project=str(project))])
        page = opened.go()
        expect(page.locator(".session-id")).to_have_text(["shared"])
        expect(page.locator("#about")).to_contain_text("journal: PostgreSQL")
        page.locator(".event").click()
        expect(page.get_by_role("dialog")).to_contain_text("of the team")
        page = opened.go("live")
        expect(page.get_by_text("connected", exact=True)).to_be_visible()
        with JournalDatabase(asked.journal) as journal:
            send_to_postgres(journal, database.url)
        expect(page.locator(".live .event")).to_have_count(2)
        database.stop()
        page.keyboard.press("2")
        expect(page.get_by_role("alert")).to_be_visible()
        opened.wrong.clear()  # the browser reports the status
        database.start()
        page.get_by_role("button", name="Try again").click()
        expect(page.locator(".session-id")).to_have_text(["kept-here", "shared"])


def test_live_goes_on_where_the_connection_broke(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anyhook.ui.access.secrets.token_urlsafe", lambda _: "as-before")
    project = make_package(tmp_path / "project")
    with serving(project) as asked:
        context = logged_in(browser, asked)
        page = Opened(context, asked).go("live")
        expect(page.get_by_text("connected", exact=True)).to_be_visible()
    expect(page.get_by_text("no connection")).to_be_visible()
    with JournalDatabase(asked.journal) as database:
        database.add([row(tool="Meanwhile", project=str(project))])
    with serving(project, port=asked.server.port):
        expect(page.locator(".live .event-tool")).to_have_text(["Meanwhile"])
        expect(page.get_by_text("connected", exact=True)).to_be_visible()
        context.close()


def test_another_server_at_the_same_address_needs_its_own_address(browser: Browser, tmp_path: Path) -> None:
    project = make_package(tmp_path / "project")
    with serving(project) as asked:
        context = logged_in(browser, asked)
        page = Opened(context, asked).go("live")
        expect(page.get_by_text("connected", exact=True)).to_be_visible()
    with serving(project, port=asked.server.port):
        expect(page.locator(".state")).to_contain_text("this browser has not opened the address")
        page.keyboard.press("2")
        expect(page.get_by_role("alert")).to_contain_text("this browser has not opened the address")
        page.reload()
        expect(page.get_by_role("heading")).to_have_text("This page needs a new address")
        looked = Examination()
        looked.examine(page, "refused")
        assert looked.faults == []
        context.close()


def test_a_server_that_has_ended_is_told(browser: Browser, tmp_path: Path) -> None:
    with serving(make_package(tmp_path / "project")) as asked:
        context = logged_in(browser, asked)
        page = Opened(context, asked).go()
    for key in "1234":  # also pages whose code was not loaded yet
        page.keyboard.press(key)
        if key != "1":
            expect(page.get_by_role("alert")).to_contain_text("Is anyhook ui still running?")
            expect(page.get_by_role("button", name="Try again")).to_be_visible()
    context.close()


@pytest.mark.parametrize("size", SIZES)
def test_rows_that_no_client_would_send(browser: Browser, tmp_path: Path, size: str) -> None:
    """Broken rows are left out, and the others are shown: surrogates, control characters, a payload of a megabyte."""
    project = make_package(tmp_path / "project")
    odd = "\x00\x1b[31m\u202e\ufffe" + SCRIPT
    with serving(project) as asked:
        with JournalDatabase(asked.journal) as database:
            here, name, large = str(project), "n" * 20_000, {"text": SCRIPT * 30_000}
            hooks = tuple(hook(name, SCRIPT, file=odd, reason=name, ms=1e12) for _ in range(200))
            database.add(
                [
                    row(session="odd", project=here, tool=odd, event=odd, hooks=(hook(odd, "blocked", reason=odd),)),
                    row(session="odd", project=here, outcome=Happened(Effect.BLOCK, name), payload=large, answer=large,
                        hooks=hooks),
                    *(row(session=kind, project=here) for kind in ("broken", "surrogate", "no-json", "wrong-types")),
                ]
            )  # fmt: skip
        spoil(asked.journal, "broken", lambda content: content[: len(content) // 2])
        spoil(asked.journal, "surrogate", lambda content: content.replace(b"Bash", rb"\ud800"))
        spoil(asked.journal, "no-json", lambda content: b"\xff\xfe" + content)
        spoil(asked.journal, "wrong-types", lambda content: content.replace(b'"Bash"', b"[1]"))
        with looking(browser, asked, viewport=SIZES[size]) as opened:
            page = opened.go("sessions/claude-code/odd")
            expect(page.locator(".event")).to_have_count(2)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            page.locator(".event").nth(1).click()
            dialog = page.get_by_role("dialog")
            expect(dialog).to_contain_text("The first part of")
            assert dialog.locator("li").count() == 200
            for where in ("sessions", "live", "hooks"):
                page = opened.go(where)
                expect(page.locator("main")).to_contain_text("odd" if where == "sessions" else "guard.sh")
                assert page.locator("main img, main script").count() == 0
                assert page.title() != "run"
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), where


def spoil(journal: Path, session: str, do: Callable[[bytes], bytes]) -> None:
    """Change the row of a session behind anyhook's back."""
    with closing(sqlite3.connect(journal / DATABASE)) as connection:
        [(number, content)] = [
            (number, content)
            for number, content in connection.execute("select number, content from rows")
            if f'"session":"{session}"'.encode() in content
        ]
    change(journal, f"update rows set content = x'{do(content).hex()}' where number = {number}")
