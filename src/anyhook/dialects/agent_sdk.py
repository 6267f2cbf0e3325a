"""In-process callbacks of seed 003: 15 events, sync and async outputs, no files; ``agent-sdk.md`` has the real SDK."""

from __future__ import annotations

from msgspec import structs

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.claude_code import CLAUDE_ANSWERS, CLAUDE_WIRE, SPECIFIC_NAME
from anyhook.dialects.profile import (
    Execution,
    Folding,
    Layout,
    Matching,
    MatchMode,
    Order,
    Otherwise,
    Profile,
    Stopping,
    Timeouts,
    Unit,
)

PROFILE = Profile(
    name="agent-sdk",
    title="Agent SDK",
    release="seed 003",
    basis="seed",
    layout=Layout(
        # Callbacks have no file; this is how the same groups are written when somebody keeps command hooks for them.
        common_keys={"timeout": "timeout"},
        action_keys={"command": {"command": "command"}},
    ),
    matching=Matching(mode=MatchMode(exact=r"[A-Za-z0-9_|]*", otherwise=Otherwise.GLOB)),
    timeouts=Timeouts(
        default_ms=None,
        closed_on=frozenset({"PreToolUse", "UserPromptSubmit"}),
        async_unit=Unit.SECONDS,  # the seed; the real SDK counts milliseconds (SEED-CONFLICTS row 30)
    ),
    execution=Execution(order=Order.SEQUENTIAL, stops_after="continue false", honours_async=True),
    folding=Folding(
        decision="first",  # processPreToolUseResults returns at the first deny or allow
        no_decision="ask",
    ),
    stopping=Stopping(cap=8, continue_true_restarts=True, continue_false="stops the hooks"),
    wire=CLAUDE_WIRE,
    answers=structs.replace(
        CLAUDE_ANSWERS,
        bad_value="ignored",
        null_is_absent=True,
        event_names=(SPECIFIC_NAME,),
        message_to=frozenset({"user", "model"}),  # section 9 joins systemMessage into the context
    ),
    trust="none: the host's own code",
)

DIALECT = ProfiledDialect(PROFILE)
