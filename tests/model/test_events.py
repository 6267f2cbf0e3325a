"""The table of events is consistent."""

from __future__ import annotations

from anyhook.model.events import BY_NAME, EVENTS, FoldRule
from anyhook.model.payload import PAYLOADS


def test_every_event_is_listed_once() -> None:
    assert len(BY_NAME) == len(EVENTS)


def test_every_event_has_a_payload() -> None:
    assert PAYLOADS.keys() == BY_NAME.keys()


def test_an_event_on_which_nothing_a_hook_says_counts_cannot_block() -> None:
    deaf = (FoldRule.OBSERVE, FoldRule.CONTEXT)
    assert not [event.name for event in EVENTS if event.can_block and event.fold in deaf]
