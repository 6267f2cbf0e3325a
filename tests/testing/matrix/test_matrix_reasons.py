"""Reasons for a difference, one rule of a profile at a time: the two sides differ in nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import structs

from anyhook.dialects import profile as profile_of
from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.clients.codex import unknown_keys_void_the_reply
from anyhook.dialects.profile import Profile
from anyhook.dialects.stages import FinishedRun
from anyhook.engine.fold import fold
from anyhook.engine.interpret import interpret
from anyhook.engine.raw import RawResult
from anyhook.model.hooks import Command, Rule
from anyhook.model.origin import Origin
from anyhook.model.outcome import Effect
from anyhook.model.payload_base import Payload
from anyhook.testing.matrix.comparison import ClientRun
from anyhook.testing.matrix.payloads import ScriptFacts, renamed_keys
from anyhook.testing.matrix.reasons import explain_difference
from anyhook.testing.matrix.unheard import unheard

CLAUDE = profile_of("claude-code")


def side(profile: Profile, event: str, *results: RawResult, timeout_ms: int | None = None) -> ClientRun:
    """What a client makes of hooks that ended like this."""
    bound = bind_event(profile, event)
    actions = tuple(
        Command(command=f"hook-{place}", origin=Origin(pointer=str(place)), timeout_ms=timeout_ms)
        for place in range(len(results))
    )
    ended = [
        FinishedRun(interpret(bound, action, raw), place, place)
        for place, (action, raw) in enumerate(zip(actions, results, strict=True))
    ]
    payload = Payload(event=event, native_event=bound.native_event)
    outcome = fold(bound, payload, ended)
    rule = Rule(event=event, native_event=bound.native_event, actions=actions)
    return ClientRun(bound=bound, rules=(rule,), payload=payload, given={}, outcome=outcome)


def printed(answer: dict[str, Any], exit_code: int = 0) -> RawResult:
    return RawResult(exit_code=exit_code, stdout=json.dumps(answer).encode())


def changed(section: str, **values: Any) -> Profile:
    """Claude ScriptFacts, with other rules in one section of its fact sheet."""
    return structs.replace(CLAUDE, **{section: structs.replace(getattr(CLAUDE, section), **values)})


def reason(profile: Profile, event: str, *results: RawResult) -> str:
    ours, theirs = side(CLAUDE, event, *results), side(profile, event, *results)
    assert ours.effect is not theirs.effect
    return explain_difference(ours, theirs, ScriptFacts())


DENY = printed({"decision": "block", "reason": "no"})
ALLOW = printed({"decision": "approve"})
EXIT_1 = RawResult(exit_code=1, stderr=b"no")
EXIT_3 = RawResult(exit_code=3, stderr=b"no")
EXIT_2 = RawResult(exit_code=2, stderr=b"no")
SILENT = RawResult(exit_code=2)
TOOL = "PreToolUse"


@pytest.mark.parametrize(
    ("profile", "event", "results", "text"),
    [
        (changed("exits", needs="stderr"), TOOL, [SILENT], "exit 2 with empty stderr is a failed hook, the tool runs"),
        (
            changed("exits", needs="any text"),
            TOOL,
            [SILENT],
            "exit 2 without any output is a failed hook, the tool runs",
        ),
        (
            changed("exits", ignored_on=frozenset({"Stop"})),
            "Stop",
            [EXIT_2],
            "exit 2 does not block on Stop, the agent stops",
        ),
        (
            changed("exits", blocks_above={"*": 0}),
            TOOL,
            [EXIT_1],
            "any exit status but 0 blocks, the tool does not run",
        ),
        (
            changed("exits", blocks_above={"*": 1}),
            TOOL,
            [EXIT_3],
            "every exit status above 1 blocks, also 3, the tool does not run",
        ),
        (
            changed("exits", fails_closed_on=frozenset({TOOL})),
            TOOL,
            [EXIT_1],
            "a hook that fails (exit 1) counts as a refusal, the tool does not run",
        ),
        (
            changed("overrides", decode=(unknown_keys_void_the_reply, *CLAUDE.overrides.decode)),
            TOOL,
            [printed({"decision": "block", "reason": "no", "by": "me"})],
            "the unknown key by voids the reply, the tool runs",
        ),
        (
            changed("answers", speaks_json=False),
            TOOL,
            [DENY],
            "replies in JSON are not read, only the exit status counts, the tool runs",
        ),
        (
            changed("folding", decisions={"*": "last"}),
            TOOL,
            [DENY, ALLOW],
            "of several decisions (deny then allow) the last one counts, the tool runs",
        ),
        (
            changed("folding", asks_without_decision_on=frozenset({TOOL})),
            TOOL,
            [RawResult(exit_code=0)],
            "no hook decides, and that means asking, the user is asked",
        ),
        (
            changed("stopping", continue_false="ignored"),
            "UserPromptSubmit",
            [printed({"continue": False})],
            "continue: false is ignored, the prompt is sent",
        ),
        (
            structs.replace(CLAUDE, cannot_block=frozenset({"UserPromptSubmit"})),
            "UserPromptSubmit",
            [EXIT_2],
            "hooks cannot block UserPromptSubmit, the prompt is sent",
        ),
        (
            changed("overrides", fold=()),
            "Stop",
            [printed({"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "Go on."}})],
            "context does not keep the agent going, the agent stops",
        ),
    ],
)
def test_the_rule_that_makes_the_difference_is_named(
    profile: Profile, event: str, results: list[RawResult], text: str
) -> None:
    assert reason(profile, event, *results) == text


def test_a_hook_that_runs_out_of_time_is_told_with_its_limit() -> None:
    ours = side(CLAUDE, TOOL, EXIT_2, timeout_ms=1500)
    theirs = side(CLAUDE, TOOL, RawResult(timed_out=True), timeout_ms=1500)
    text = "the hook is ended after 1.5 s, and that lets it happen, the tool runs"
    assert explain_difference(ours, theirs, ScriptFacts()) == text


def test_the_same_deed_is_told_from_another_one_by_what_the_own_client_makes_of_it() -> None:
    """What is printed may differ without a difference: a time, the name of the tool."""
    ours = side(CLAUDE, TOOL, RawResult(exit_code=2, stderr=b"at 10:01"))
    theirs = side(changed("exits", ignored_on=frozenset({TOOL})), TOOL, RawResult(exit_code=2, stderr=b"at 10:02"))
    assert explain_difference(ours, theirs, ScriptFacts()) == "exit 2 does not block on PreToolUse, the tool runs"
    other = side(CLAUDE, TOOL, RawResult(exit_code=0))
    assert explain_difference(ours, other, ScriptFacts()) == (
        "the script does something else here: it exits with 0, not 2, the tool runs"
    )


def test_the_key_that_counted_is_named() -> None:
    """Also when the key only implies a decision."""
    follow_up = printed({"followup_message": "go on"})
    ours, theirs = side(profile_of("cursor"), "Stop", follow_up), side(CLAUDE, "Stop", follow_up)
    assert explain_difference(ours, theirs, ScriptFacts()) == "reads decision, not followup_message, the agent stops"


def test_keys_are_followed_by_their_spelling_and_by_their_value() -> None:
    ours = {"tool_name": "Bash", "tool_input": {"file_path": "/a"}, "cwd": "/w", "turn": 1}
    theirs = {"toolName": "bash", "toolArgs": {"path": "/a"}, "cwd": "/w"}
    found = {".".join(entry.ours): entry.theirs for entry in renamed_keys(ours, theirs)}
    assert found == {
        "tool_name": ("toolName",),
        "tool_input": None,
        "tool_input.file_path": ("toolArgs", "path"),
        "turn": None,
    }


def test_a_script_that_knows_both_names_misses_nothing() -> None:
    code = ScriptFacts("path = event.get('file_path') or event.get('path')  # the tool_name does not matter")
    assert code.reads("file_path")
    assert code.reads("path")
    assert not code.reads("tool_name")
    assert code.mentions("tool_name")


def test_what_the_model_is_not_told_is_told() -> None:
    event, text = "UserPromptSubmit", RawResult(exit_code=0, stdout=b"The server is down.")
    ours, theirs = side(CLAUDE, event, text), side(profile_of("gemini-cli"), event, text)
    assert ours.effect is theirs.effect is Effect.PROCEED
    assert unheard(ours, theirs, ScriptFacts()) == (
        "the model is not told: plain text on stdout is not for the model on BeforeAgent",
    )
    assert unheard(ours, ours, ScriptFacts()) == ()
