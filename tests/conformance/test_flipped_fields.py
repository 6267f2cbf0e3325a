"""A profile with one wrong field, or without one of its overrides, is noticed by the vectors."""

from __future__ import annotations

from typing import Any

import pytest

from anyhook.dialects import all_profiles, profile
from anyhook.dialects.profile import Profile
from conformance.referee import fire_in_process, load, play_all
from tests.conformance.wrong_profile import flipped, planted
from tests.dialects.shown_overrides import SHOWN

pytestmark = pytest.mark.long

FLIPS: tuple[tuple[str, str, str, Any], ...] = (
    ("codex", "exits", "needs", "nothing"),
    ("codex", "exits", "json", "always"),
    ("codex", "folding", "rewrite", "none"),
    ("claude-code", "exits", "keeps_reply", False),
    ("claude-code", "folding", "precedence", ("allow", "ask", "defer", "deny")),
    ("copilot-cli", "exits", "fails_closed_on", frozenset()),
    ("gemini-cli", "exits", "blocks_above", {}),
    ("qwen-code", "stopping", "continue_false_on", {}),
    ("claude-code", "answers", "null_is_absent", True),
    ("gemini-cli", "exits", "json", "zero"),
)
"""Client, part of the profile, field, a wrong value."""


OVERRIDES = tuple(
    (known.name, stage, override.__name__)
    for known in all_profiles()
    if known.basis == "recorded"
    for stage in known.overrides.__struct_fields__
    for override in getattr(known.overrides, stage)
    if (known.name, override.__name__) not in SHOWN
)
"""Client, stage, and the override that is left out. Those that no vector needs are shown in tests/dialects."""


def notices(client: str, wrong: Profile) -> bool:
    """Whether a vector of the client disagrees with the wrong profile."""
    with planted(wrong):
        return any(wrong for _, wrong in play_all(load([client])[::-1], fire_in_process, at_once=4))


@pytest.mark.parametrize(
    ("client", "part", "field", "value"),
    FLIPS,
)
def test_a_wrong_field_is_noticed(client: str, part: str, field: str, value: Any) -> None:
    assert notices(client, flipped(profile(client), part, field, value))


@pytest.mark.parametrize(("client", "stage", "name"), OVERRIDES)
def test_a_missing_override_is_noticed(client: str, stage: str, name: str) -> None:
    known = profile(client)
    kept = tuple(each for each in getattr(known.overrides, stage) if each.__name__ != name)
    assert notices(client, flipped(known, "overrides", stage, kept))
