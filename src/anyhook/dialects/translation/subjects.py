"""What a matcher is compared with, where the payload itself does not say it."""

from __future__ import annotations

from anyhook.dialects.profile import Profile
from anyhook.dialects.translation.equivalents import kinds_of_event
from anyhook.dialects.translation.tools import tools_of_kind
from anyhook.dialects.vocabulary import KINDS
from anyhook.model.events import Subject
from anyhook.model.payload import subject_of
from anyhook.model.payload_base import Payload


def matched_text(payload: Payload, profile: Profile) -> str:
    """The text that matchers see; empty when there is none.

    An event of one kind of tools does not name the tool, though matchers on it may (``Read`` on Cursor's
    beforeReadFile).
    """
    subject = profile.matching.subject(payload.event)
    found = subject_of(payload, subject)
    if found is None and subject is Subject.TOOL:
        kinds = kinds_of_event(payload.event) or frozenset()
        return next((name for kind in KINDS if kind in kinds for name in tools_of_kind(kind, profile.name)), "")
    return found or ""
