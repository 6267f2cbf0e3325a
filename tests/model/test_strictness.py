"""The one order of strictness."""

from anyhook.model.outcome import Effect, strictness
from anyhook.model.output import Decision


def test_every_decision_and_effect_has_its_place() -> None:
    decisions = sorted((*Decision, None), key=strictness)
    assert decisions == [Decision.ALLOW, None, Decision.DEFER, Decision.ASK, Decision.DENY, Decision.BLOCK]
    effects = sorted(Effect, key=strictness)
    assert [*map(str, effects)] == ["proceed", "feedback", "continue", "defer", "ask", "block", "stop"]


def test_both_words_for_a_refusal_weigh_the_same() -> None:
    assert strictness(Decision.DENY) == strictness(Decision.BLOCK) == strictness(Effect.BLOCK)
