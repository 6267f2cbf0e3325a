from __future__ import annotations

from anyhook.model.outcome import Effect
from anyhook.record.recorded import Happened
from anyhook.record.store.query import NumberedRow
from anyhook.ui.event_view import BODY_BYTES, LISTED_HOOKS, TEXT_CHARACTERS, BodyView, event_detail, event_view
from tests.record.store.journals import hook, row


def test_a_list_has_short_texts_and_few_hooks() -> None:
    long = "x" * 5000
    hooks = (*(hook(long, reason=long) for _ in range(100)), hook("late", "skipped"))
    event = row(
        tool=long,
        subject="ls",
        simulation="fire",
        outcome=Happened(Effect.BLOCK, long),
        hooks=hooks,
        payload={"secret": long},
    )
    view = event_view(NumberedRow(3, event))
    assert [len(text) for text in (view.tool, view.reason, view.hooks[0].hook, view.hooks[0].reason)] == [
        TEXT_CHARACTERS
    ] * 4
    assert (len(view.hooks), view.more_hooks, view.skipped) == (LISTED_HOOKS, 100 - LISTED_HOOKS, 1)
    assert not hasattr(view, "payload")
    assert (view.subject, view.simulation) == ("ls", "fire")


def test_an_opened_event_is_complete() -> None:
    long = "x" * 5000
    event = row(
        outcome=Happened(Effect.BLOCK, long, decided_by="/p/hooks/hooks.json:3"),
        hooks=(hook(long, "blocked", reason=long), hook("late", "skipped", reason="does not match")),
        payload={"tool_input": {"command": long}},
        answer={"decision": "block", "reason": long},
        recording="monday",
    )
    detail = event_detail(NumberedRow(3, event))
    assert (detail.view.reason, detail.view.hooks[0].reason) == (long, long)
    assert [(each.hook, each.reason) for each in detail.skipped] == [("late", "does not match")]
    assert (detail.payload, detail.answer) == (BodyView(event.payload, 0), BodyView(event.answer, 0))
    assert (detail.decided_by, detail.recording) == ("/p/hooks/hooks.json:3", "monday")


def test_large_bodies_are_cut() -> None:
    large = {"text": "é" * BODY_BYTES}
    detail = event_detail(NumberedRow(1, row(payload=large, answer=large)))
    for body in (detail.payload, detail.answer):
        assert body is not None
        assert isinstance(body.value, str)
        assert len(body.value.encode()) <= BODY_BYTES
        assert body.cut_bytes > 2 * BODY_BYTES


def test_a_body_that_is_null_is_not_a_missing_one() -> None:
    detail = event_detail(NumberedRow(1, row(payload=None, answer=None)))
    assert (detail.payload, detail.answer) == (BodyView(None, 0), BodyView(None, 0))
    detail = event_detail(NumberedRow(1, row()))
    assert (detail.payload, detail.answer) == (None, None)
