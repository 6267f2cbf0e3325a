"""A trial as ``anyhook deploy`` would have it: the client asks anyhook, which runs the hooks by their own rules."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from msgspec import Struct, structs

from anyhook.bridge.answer_event import reply_for_client
from anyhook.bridge.prepare_event import answer_without_hooks, prepare
from anyhook.bridge.read_call import Caller, answer_with
from anyhook.dialects import profile as profile_of
from anyhook.dialects.bound_event import bind_payload
from anyhook.dialects.stages import FinishedRun
from anyhook.dialects.translation.equivalents import routes
from anyhook.dialects.translation.translate import translate_payload
from anyhook.dialects.wire.answers import ProcessAnswer
from anyhook.dialects.wire.payloads import encode_payload
from anyhook.engine.fold import fold
from anyhook.engine.interpret import interpret
from anyhook.engine.raw import RawResult
from anyhook.model.hooks import Command, HookSet
from anyhook.model.lazyjson import dump_json
from anyhook.model.outcome import Outcome
from anyhook.project.asked_packages import HookPackage
from anyhook.testing.runner import Trial

RunHooks = Callable[[Trial], Awaitable[Outcome | None]]
"""Runs the hooks of a trial by the rules of their own client; None: they did not end in time."""

_ENTRY = Command(command="anyhook exec")


class BridgedPlay(Struct, frozen=True):
    """What a client does with a deployed entry."""

    outcome: Outcome | None
    """By the client's rules; None: it has no such event, or the hooks did not end in time."""
    why: str = ""
    """Why there is no outcome."""
    asked: Outcome | None = None
    """What the hooks did, by their own rules; None: none of them ran."""
    heard: str = ""
    """The tool that the call was about, as the hooks know it."""


async def play_deployed(trial: Trial, client: str, run_hooks: RunHooks) -> BridgedPlay:
    """Send the trial's event as a client does to the entry that ``deploy`` would write, and read its answer."""
    source, target = profile_of(trial.client), profile_of(client)
    sent = translate_payload(trial.payload, source, target).payload if routes(trial.rule.event, client) else None
    if sent is None:
        return BridgedPlay(None, f"has no event like {trial.rule.native_event}")
    bound = bind_payload(target, sent)
    tested = HookPackage(HookSet(dialect=trial.client, rules=trial.rules), trial.root)
    prepared = prepare(
        {"--client": client, "--event": bound.native_event, "--from": trial.client},
        Caller(cwd=trial.root, home=trial.root, environment={}),
        dump_json(encode_payload(bound, sent)),
        lambda *_, **__: (tested,),
    )
    answer: ProcessAnswer | None = answer_without_hooks(prepared)
    outcome: Outcome | None = None
    asked = prepared.packages[0] if prepared.packages else None
    if answer is None:
        assert asked is not None
        assert asked.hook_payload is not None
        outcome = await run_hooks(structs.replace(trial, payload=asked.hook_payload))
        if outcome is None:
            return BridgedPlay(None, f"not finished after {trial.case.seconds:g} s")
        answer = answer_with(prepared.call, [reply_for_client(prepared.call, asked, outcome)])
    raw = RawResult(exit_code=answer.exit_code, stdout=answer.stdout, stderr=answer.stderr)
    received = prepared.call.client_payload
    folded = fold(bound, received, [FinishedRun(interpret(bound, _ENTRY, raw), 0, 0)])
    heard = getattr(asked.hook_payload, "tool_name", "") if asked else ""
    return BridgedPlay(folded, asked=outcome, heard=heard)
