"""Many runs to one outcome: what each client's folding says, and what no folding may ever lose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec import structs

from anyhook.dialects import NAMES, profile
from anyhook.dialects.bound_event import BoundEvent, bind_event
from anyhook.dialects.stages import FinishedRun
from anyhook.engine.fold import fold
from anyhook.engine.interpret import interpret
from anyhook.model.cause import CauseKind
from anyhook.model.events import FoldRule
from anyhook.model.origin import Origin
from anyhook.model.outcome import Effect, Outcome, Run
from anyhook.model.output import Decision, Reply
from anyhook.model.payload import PreToolUse
from tests.effort import examples
from tests.engine.answers import ACTIONS, CASES, JSON, TEXTS, bound, payload_for, raw_results

DENY, ASK, ALLOW = Decision.DENY, Decision.ASK, Decision.ALLOW


def folded(client: str, event: str, *replies: Reply | None, order: Sequence[int] = ()) -> Outcome:
    """The outcome of hooks with these answers, which finished in this order."""
    places = order or range(len(replies))
    runs = [
        FinishedRun(Run(origin=Origin(pointer=str(place)), reply=reply), place, places.index(place))
        for place, reply in enumerate(replies)
    ]
    return fold(bind_event(profile(client), event), payload_for(event), runs)


def depends_on_finishing(it: BoundEvent) -> bool:
    rules = it.profile.folding
    return (
        rules.reason == "last to finish"
        or rules.rewrite_winner == "last to finish"
        or rules.context == "completion order"
        or rules.decisions.get(it.event) == "first to finish"
    )


# ------------------------------------------------------------------------------------------------------- properties

REPLIES = st.builds(
    Reply,
    decision=st.sampled_from([None, None, *Decision]),
    reason=st.none() | TEXTS,
    context=st.none() | TEXTS,
    message=st.none() | TEXTS,
    stop=st.sampled_from([None, None, None, True, False]),
    stop_reason=st.none() | TEXTS,
    updated_input=JSON,
    updated_output=JSON,
    other=st.dictionaries(st.sampled_from(["interrupt", "session_title"]), JSON, max_size=1),
)
ENDED = st.lists(REPLIES | st.none(), max_size=4)


def runs_of(replies: Sequence[Reply | None], order: Sequence[int]) -> list[FinishedRun]:
    return [FinishedRun(Run(reply=reply), place, order[place]) for place, reply in enumerate(replies)]


@given(case=st.sampled_from(CASES), data=st.data())
@settings(max_examples=examples(500))
def test_whatever_hooks_print_there_is_an_outcome_and_it_can_be_written_as_json(
    case: tuple[str, str], data: st.DataObject
) -> None:
    it = bound(*case)
    count = data.draw(st.integers(0, 3))
    order = data.draw(st.permutations(range(count)))
    ended = []
    for place in range(count):
        action, raw = data.draw(ACTIONS), data.draw(raw_results(*case))
        cap = None if action.context_limit is None else action.context_limit * 4
        ended.append(FinishedRun(interpret(it, action, raw), place, order[place], cap))
    outcome = fold(it, payload_for(it.event), ended)
    assert outcome.to_json()["effect"] in list(Effect)


@given(case=st.sampled_from(CASES), replies=ENDED)
@settings(max_examples=examples(300))
def test_whatever_callbacks_answer_there_is_an_outcome(case: tuple[str, str], replies: list[Reply | None]) -> None:
    it = bound(*case)
    outcome = fold(it, payload_for(it.event), runs_of(replies, range(len(replies))))
    assert len(outcome.runs) == len(replies)


@given(case=st.sampled_from(CASES), replies=ENDED, data=st.data())
@settings(max_examples=examples(300))
def test_who_finishes_first_matters_only_where_the_profile_says_so(
    case: tuple[str, str], replies: list[Reply | None], data: st.DataObject
) -> None:
    it = bound(*case)
    assume(not depends_on_finishing(it))
    payload = payload_for(it.event)
    one, other = (runs_of(replies, data.draw(st.permutations(range(len(replies))))) for _ in range(2))
    assert repr(fold(it, payload, one)) == repr(fold(it, payload, other))


STRICT = [
    (client, native)
    for client, native in CASES
    for it in [bound(client, native)]
    if not it.profile.folding.decisions.keys() & {it.event, "*"}
    and it.can_block
    and not (it.fold_rule is FoldRule.CONTINUATION and it.profile.name == "agent-sdk")
]
"""Events on which the strictest answer wins, whatever the others say."""


@given(case=st.sampled_from(STRICT), others=st.lists(REPLIES | st.none(), max_size=4), data=st.data())
@settings(max_examples=examples(500))
def test_a_refusal_is_never_lost(case: tuple[str, str], others: list[Reply | None], data: st.DataObject) -> None:
    it = bound(*case)
    if it.profile.overrides.merge:  # in one merged reply, a bad output voids the decision, and so does a blank reason
        others = [None if reply is None else _mergeable(reply) for reply in others]
    kind = DENY if it.fold_rule is FoldRule.DECISION else Decision.BLOCK
    refusal = Reply(decision=kind, reason="guarded")
    alone = fold(it, payload_for(it.event), runs_of([refusal], [0]))
    replies = list(others)
    replies.insert(data.draw(st.integers(0, len(others))), refusal)
    order = data.draw(st.permutations(range(len(replies))))
    among_others = fold(it, payload_for(it.event), runs_of(replies, order))
    assert among_others.effect in (alone.effect, Effect.STOP)
    assert among_others.decision is not None
    assert among_others.decision.is_refusal
    if among_others.effect is Effect.BLOCK:
        assert among_others.updated_input is None, "what is blocked is not rewritten"


def _mergeable(reply: Reply) -> Reply:
    return structs.replace(reply, updated_output=None, reason=(reply.reason or "").strip() or None)


@pytest.mark.parametrize("client", NAMES)
def test_silence_changes_nothing(client: str) -> None:
    for native in [native for name, native in CASES if name == client]:
        it = bound(client, native)
        nothing = fold(it, payload_for(it.event), [])
        silence = fold(it, payload_for(it.event), runs_of([None, Reply()], [1, 0]))
        if it.event in it.profile.answers.silence_blocks_on:
            assert (nothing.effect, silence.effect) == (Effect.PROCEED, Effect.BLOCK)
            continue
        assert nothing.effect is silence.effect
        assert nothing.effect in (Effect.PROCEED, Effect.ASK)
        assert (nothing.reason, nothing.to_model, nothing.to_user, nothing.decided_by) == ("", (), (), None)


# --------------------------------------------------------------------------------------------------------- decisions


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini-cli", "universal", "open-plugins"])
def test_deny_beats_ask_beats_allow(client: str) -> None:
    allow, ask, deny = (Reply(decision=d, reason=str(d)) for d in (ALLOW, ASK, DENY))
    assert folded(client, "PreToolUse", allow, deny, ask).effect is Effect.BLOCK
    assert folded(client, "PreToolUse", allow, ask).effect is Effect.ASK
    assert folded(client, "PreToolUse", allow).effect is Effect.PROCEED


def test_the_agent_sdk_takes_the_first_decision() -> None:
    allow, deny = Reply(decision=ALLOW), Reply(decision=DENY, reason="no")
    assert folded("agent-sdk", "PreToolUse", allow, deny).effect is Effect.PROCEED
    assert folded("agent-sdk", "PreToolUse", deny, allow).effect is Effect.BLOCK


def test_the_outcome_names_the_hook_that_decided() -> None:
    outcome = folded("codex", "PreToolUse", None, Reply(decision=DENY, reason="no"), Reply(decision=ALLOW))
    assert outcome.decided_by == Origin(pointer="1")
    assert folded("codex", "PreToolUse", Reply(decision=ALLOW)).decided_by is None


# ----------------------------------------------------------------------------------------------------------- reasons

TWO_DENIALS = (Reply(decision=DENY, reason="first"), Reply(decision=DENY, reason="second"))


def test_which_of_several_reasons_counts() -> None:
    assert folded("codex", "PreToolUse", *TWO_DENIALS).reason == "first"
    assert folded("copilot-cli", "PreToolUse", *TWO_DENIALS).reason == "second"
    assert folded("gemini-cli", "PreToolUse", *TWO_DENIALS).reason == "first\nsecond"
    assert folded("claude-code", "PreToolUse", *TWO_DENIALS, order=[1, 0]).reason == "first"  # the last to finish
    assert folded("claude-code", "PreToolUse", *TWO_DENIALS, order=[0, 1]).reason == "second"


def test_who_is_told_a_reason() -> None:
    tool = folded("claude-code", "PreToolUse", Reply(decision=DENY, reason="no"))
    prompt = folded("claude-code", "UserPromptSubmit", Reply(decision=Decision.BLOCK, reason="no"))
    assert "no" in tool.to_model
    assert "no" not in prompt.to_model
    assert "no" in prompt.to_user


# ------------------------------------------------------------------------------------------------------------ contexts


def test_the_order_of_contexts() -> None:
    one, two = Reply(context="one"), Reply(context="two")
    assert folded("codex", "SessionStart", one, two, order=[1, 0]).to_model == ("one", "two")
    assert folded("claude-code", "SessionStart", one, two, order=[1, 0]).to_model == ("two", "one")


def test_a_hook_may_limit_its_own_context() -> None:
    text = "a" * 50 + "b" * 50
    run = Run(reply=Reply(context=text))
    limited = FinishedRun(run, 0, 0, context_cap=10)
    (heard,) = fold(
        bind_event(profile("codex"), "SessionStart", "SessionStart"), payload_for("SessionStart"), [limited]
    ).to_model
    assert heard == "aaaaa\n[90 characters cut]\nbbbbb"


# ----------------------------------------------------------------------------------------------------------- rewriting


def rewriting(command: str, **more: Any) -> Reply:
    return Reply(decision=ALLOW, updated_input={"command": command}, **more)


def test_the_last_rewriting_wins_by_place_or_by_finishing() -> None:
    one, two = rewriting("one"), rewriting("two")
    assert folded("gemini-cli", "PreToolUse", one, two, order=[1, 0]).updated_input == {"command": "two"}
    assert folded("codex", "PreToolUse", one, two, order=[1, 0]).updated_input == {"command": "one"}
    assert folded("claude-code", "PreToolUse", one, two, order=[0, 1]).updated_input == {"command": "two"}


def test_what_is_blocked_is_not_rewritten() -> None:
    outcome = folded("claude-code", "PreToolUse", rewriting("one"), Reply(decision=DENY, reason="no"))
    assert (outcome.effect, outcome.updated_input) == (Effect.BLOCK, None)


# ------------------------------------------------------------------------------------------------------------ stopping


def test_a_block_keeps_a_stopping_agent_going() -> None:
    outcome = folded("claude-code", "Stop", Reply(decision=Decision.BLOCK, reason="run the tests"))
    assert (outcome.effect, outcome.reason) == (Effect.CONTINUE, "run the tests")


def test_continue_false_ends_the_agent_where_it_means_that() -> None:
    stop = Reply(stop=True, stop_reason="enough")
    assert folded("claude-code", "PostToolUse", stop).effect is Effect.STOP
    assert folded("qwen-code", "PreToolUse", stop).effect is Effect.BLOCK
    assert folded("claude-code", "SessionStart", stop).effect is Effect.PROCEED
    assert folded("copilot-cli", "PreToolUse", stop).effect is Effect.PROCEED


STOP = Reply(stop=True, stop_reason="enough")


@pytest.mark.parametrize(
    ("client", "replies", "effect", "runs"),
    [
        ("claude-code", [], Effect.PROCEED, True),
        ("claude-code", [Reply(decision=DENY)], Effect.BLOCK, False),
        ("claude-code", [Reply(decision=ASK)], Effect.ASK, None),
        ("claude-code", [STOP], Effect.STOP, True),
        ("claude-code", [structs.replace(STOP, decision=DENY)], Effect.STOP, False),
        ("claude-code", [STOP, Reply(decision=DENY)], Effect.STOP, False),
        ("claude-code", [STOP, Reply(decision=ASK)], Effect.ASK, None),
        ("claude-code", [STOP, Reply(decision=Decision.DEFER)], Effect.DEFER, None),
        ("claude-code", [structs.replace(STOP, updated_input={})], Effect.STOP, False),
        ("gemini-cli", [STOP], Effect.STOP, False),
        ("gemini-cli", [structs.replace(STOP, decision=ALLOW)], Effect.STOP, False),
        ("qwen-code", [STOP], Effect.BLOCK, False),
        ("copilot-cli", [STOP], Effect.PROCEED, True),
    ],
)
def test_an_outcome_says_whether_the_tool_runs(
    client: str, replies: list[Reply], effect: Effect, runs: bool | None
) -> None:
    bash = PreToolUse(tool_name="Bash", tool_input={"command": "ls"})
    ended = [FinishedRun(Run(reply=reply), place, place) for place, reply in enumerate(replies)]
    outcome = fold(bind_event(profile(client), "PreToolUse"), bash, ended)
    assert (outcome.effect, outcome.tool_runs) == (effect, runs)


@pytest.mark.parametrize("event", ["PostToolUse", "UserPromptSubmit", "Stop"])
def test_no_tool_waits_for_other_events(event: str) -> None:
    assert folded("claude-code", event, STOP).tool_runs is None


def test_a_permission_that_no_hook_gives_is_the_users_to_give() -> None:
    assert folded("copilot-cli", "PermissionRequest", Reply()).tool_runs is None
    assert folded("copilot-cli", "PermissionRequest", Reply(decision=ALLOW)).tool_runs is True


@given(client=st.sampled_from(NAMES), replies=st.lists(REPLIES, max_size=3))
def test_a_tool_runs_only_where_nothing_refuses_it(client: str, replies: list[Reply]) -> None:
    outcome = folded(client, "PreToolUse", *replies)
    expected = {Effect.PROCEED: (True,), Effect.BLOCK: (False,), Effect.STOP: (True, False)}
    assert outcome.tool_runs in expected.get(outcome.effect, (None,))
    if outcome.tool_runs:
        refused = outcome.decision is not None and outcome.decision.is_refusal
        assert not refused or outcome.cause.kind is CauseKind.CANNOT_BLOCK
    if outcome.tool_runs is False:
        assert outcome.updated_input is None


# -------------------------------------------------------------------------------------------------------------- causes


@pytest.mark.parametrize(
    ("client", "event", "replies", "kind"),
    [
        ("claude-code", "PreToolUse", [], CauseKind.NO_DECISION),
        ("claude-code", "PreToolUse", [Reply(decision=DENY)], CauseKind.DECISION),
        ("claude-code", "PreToolUse", [Reply(decision=DENY), Reply(decision=ALLOW)], CauseKind.STRICTEST_DECISION),
        ("agent-sdk", "PreToolUse", [Reply(decision=DENY), Reply(decision=ALLOW)], CauseKind.FIRST_DECISION),
        ("agent-sdk", "PreToolUse", [Reply()], CauseKind.SILENCE_ASKS),
        ("antigravity", "PreToolUse", [Reply()], CauseKind.SILENCE_BLOCKS),
        ("claude-code", "SessionEnd", [Reply(decision=Decision.BLOCK)], CauseKind.CANNOT_BLOCK),
        ("kiro", "Stop", [Reply(decision=Decision.BLOCK)], CauseKind.CANNOT_BLOCK),
        ("claude-code", "Stop", [Reply(context="go on")], CauseKind.CONTEXT_CONTINUES),
        ("claude-code", "PostToolUse", [Reply(stop=True)], CauseKind.STOP_ENDS_TURN),
        ("claude-code", "SessionStart", [Reply(stop=True)], CauseKind.STOP_IGNORED),
        ("qwen-code", "PreToolUse", [Reply(stop=True)], CauseKind.STOP_BLOCKS),
    ],
)
def test_an_outcome_says_which_rule_made_it(client: str, event: str, replies: list[Reply], kind: CauseKind) -> None:
    outcome = folded(client, event, *replies)
    assert outcome.cause.kind is kind
    assert outcome.effect is Effect.PROCEED or kind is not CauseKind.CANNOT_BLOCK
