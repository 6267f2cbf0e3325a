"""Rows are found by what they are about, and what each hook did is added up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anyhook.model.outcome import Effect
from anyhook.record.recorded import Happened, RecordedEvent, note_row
from anyhook.record.store.database import JournalDatabase
from anyhook.record.store.query import (
    Checkout,
    RowFilter,
    hook_activity,
    percentile,
    session_time,
    wanted_rows,
)
from tests.record.store.journals import hook, private, row


@pytest.mark.parametrize(
    ("wanted", "is_wanted"),
    [
        (RowFilter(), True),
        (RowFilter(session="s"), True),
        (RowFilter(session="s12"), False),
        (RowFilter(event="pretooluse"), True),
        (RowFilter(event="preToolUse"), True),
        (RowFilter(event="Tool"), False),
        (RowFilter(effect="proceed"), True),
        (RowFilter(effect="block"), False),
        (RowFilter(clients=("codex", "claude-code")), True),
        (RowFilter(clients=("claude",)), False),
        (RowFilter(hook="guard"), True),
        (RowFilter(hook="hooks.json"), True),
        (RowFilter(hook="other"), False),
        (RowFilter(since="2026-01-01"), True),
        (RowFilter(since="2027-01-01"), False),
        (RowFilter(project="/p"), False),
        (RowFilter(below="/src"), True),
        (RowFilter(below="/src/shop"), True),
        (RowFilter(below="/src/sh"), False),
        (RowFilter(below="/src/shop/api"), False),
        (RowFilter(below="/"), True),
        (RowFilter(below="/elsewhere", repositories=("host/shop", "/src/.git")), True),
        (RowFilter(below="/elsewhere", repositories=("host/other",)), False),
    ],
)
def test_filter(wanted: RowFilter, is_wanted: bool) -> None:
    assert wanted.matches(row(at="2026-06-01T00:00:00.000Z", project="/src/shop", repository="host/shop")) is is_wanted


@pytest.mark.parametrize("session", ["a1-b2", "a", "é", 'quote"', "cut \ud83d", "back\\slash"])
def test_rows_of_a_session_are_found_without_decoding_the_others(session: str, tmp_path: Path) -> None:
    rows = [row(session=session, payload={"text": "é"}), row(session="other"), row(session=f"{session}2", answer="x")]
    with JournalDatabase(private(tmp_path / "journal")) as database:
        database.add(rows)
        wanted = RowFilter(session=session)
        assert [found.number for found in wanted_rows(database.rows_after(0), wanted)] == [1, 3]
        [brief, _] = wanted_rows(database.rows_after(0), wanted, with_bodies=False)
    assert (brief.event.session, brief.event.hooks) == (session, rows[0].hooks)


def test_bodies_need_not_be_read(tmp_path: Path) -> None:
    with JournalDatabase(private(tmp_path / "journal")) as database:
        database.add([row(payload={"prompt": "p" * 1000})])
        [brief] = wanted_rows(database.rows_after(0), RowFilter(), with_bodies=False)
        [whole] = wanted_rows(database.rows_after(0), RowFilter())
    assert whole.event.payload == {"prompt": "p" * 1000}
    assert not isinstance(brief.event.payload, dict)


def test_notes_are_shown_only_without_a_filter() -> None:
    assert RowFilter().matches(note_row("x"))
    assert not RowFilter(clients=("codex",)).matches(note_row("x"))


def test_activity_of_hooks() -> None:
    slow = [row(at=f"2026-01-01T00:00:{n:02}.000Z", hooks=(hook("a", ms=float(n)),)) for n in range(1, 21)]
    hooks = (
        hook("a", "blocked", ms=100.0),
        hook("b", "timed-out"),
        hook("c", "skipped"),
        hook("d", "failed-so-blocked"),
    )
    refused = row(at="2026-01-02T00:00:00.000Z", client="codex", outcome=Happened(Effect.BLOCK), hooks=hooks)
    first, *rest = hook_activity([refused, *slow])
    assert (first.hook, first.fired, first.blocked, first.failed, first.timed_out) == ("a", 21, 1, 0, 0)
    assert (first.p50_ms, first.p95_ms, first.total_ms) == (11.0, 20.0, 310.0)
    assert (first.last_at, first.last_status, first.last_effect) == (refused.at, "blocked", "block")
    assert first.clients == ("claude-code", "codex")
    assert [(one.hook, one.failed, one.timed_out) for one in rest] == [("b", 0, 1), ("d", 1, 0)]


def test_the_checkouts_of_a_repository_have_the_same_hooks_and_two_packages_in_it_have_not() -> None:
    def in_checkout(top: str, within: str, **more: Any) -> RecordedEvent:
        project = f"{top}/{within}".rstrip("/")
        ran = hook("a", file=f"{project}/hooks/hooks.json", pointer="/0")
        return row(project=project, within=within, hooks=(ran,), **more)

    mine, theirs, other = (
        in_checkout("/home/ana/shop", "", repository="host/shop"),
        in_checkout("/home/ben/src/shop", "", repository="host/shop", at="2100-01-01T00:00:00.000Z", subject="ls"),
        in_checkout("/home/ana/shop", "api", repository="host/shop"),
    )
    first, second = hook_activity([mine, theirs, other])
    assert (first.fired, first.known_as, first.last_subject) == (2, "host/shop:hooks/hooks.json", "ls")
    assert (second.fired, second.known_as) == (1, "host/shop:api/hooks/hooks.json")
    without_git = in_checkout("/tmp/x", "")
    assert hook_activity([without_git])[0].known_as == "/tmp/x/hooks/hooks.json"


@pytest.mark.parametrize(
    ("project", "within", "repository", "name"),
    [
        ("/src/shop", "", "", "host/shop"),  # before git init
        ("/src/shop/api", "", "", "host/shop"),
        ("/src/shop", "", "/src/shop/.git", "host/shop"),  # before the first commit
        ("/src/other-tree", "", "/src/shop/.git", "host/shop"),  # a worktree
        ("/src/shop/api", "api", "host/before", "host/shop"),  # before it was moved to another origin
        ("/src/shop/vendor", "", "host/vendor", "host/vendor"),  # a submodule
        ("/src/shop-2", "", "host/other", "host/other"),
    ],
)
def test_a_repository_keeps_its_rows_under_a_new_name(project: str, within: str, repository: str, name: str) -> None:
    now = Checkout("/src/shop", ("host/shop", "/src/shop/.git"))
    file = f"{project}/hooks.json"
    renamed = now.renamed(row(project=project, within=within, repository=repository))
    assert renamed.repository == name
    assert renamed.known_as(file).startswith(f"{name}:")


def test_what_was_simulated_is_no_activity() -> None:
    assert hook_activity([row(simulation="fire")]) == ()


def test_percentiles() -> None:
    assert [percentile([1.0, 2.0], share) for share in (0.5, 0.95)] == [1.0, 2.0]
    assert percentile([], 0.5) == 0.0


def test_share_of_sessions() -> None:
    rows = [
        row(at="2026-01-01T00:00:00.000Z", ms=500.0),
        row(at="2026-01-01T00:00:09.500Z", ms=500.0),
        row(at="2026-01-01T09:00:00.000Z", session="other", ms=0.0),
    ]
    assert session_time(rows).share == 0.1
    at_once = [row(at="2026-01-01T00:00:01.000Z", ms=1000.0), row(at="2026-01-01T00:00:02.000Z", ms=1500.0)]
    times = session_time(at_once)
    assert (times.session_ms, times.hooks_ms, times.share) == (2000.0, 2000.0, 1.0)


def test_a_row_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    with JournalDatabase(private(tmp_path / "journal")) as database:
        database.add([row(), row(), row()])
        database._open().execute("UPDATE rows SET content = x'ff' WHERE number = 2")
        assert [found.number for found in wanted_rows(database.newest_first(), RowFilter())] == [3, 1]
