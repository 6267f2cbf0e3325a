"""Whether the target client understands what a hook prints; the code of the hook itself is not converted. Pure.

:mod:`anyhook.engine.interpret` reads the same results as both clients would. How a command blocks is not known, so
every way counts that its own client honours.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from anyhook.deploy.convert.commands import Stage
from anyhook.dialects.bound_event import BoundEvent
from anyhook.dialects.contract import BLOCKING_STATUS
from anyhook.dialects.profile import Profile
from anyhook.dialects.stages import refusal_on
from anyhook.dialects.translation.tools import input_name, patch_input
from anyhook.dialects.wire.answers import encode_reply
from anyhook.dialects.wire.payload_codec import payload_codec
from anyhook.engine.interpret import interpret
from anyhook.engine.raw import RawResult
from anyhook.model.events import FoldRule
from anyhook.model.hooks import Action, Command, Http
from anyhook.model.losses import loss
from anyhook.model.outcome import Status
from anyhook.model.output import Decision, Reply
from anyhook.model.payload import PAYLOADS
from anyhook.model.problems import Problem

_REMEDY = "answer as that client wants it, or use `anyhook deploy`, whose bridge translates"
_READING_REMEDY = "read these names too, or use `anyhook deploy`, whose bridge translates"
_REASON = "no"


def contract_remarks(action: Action, stage: Stage, source: BoundEvent, target: BoundEvent) -> Iterator[Problem]:
    """What a hook's own code must know to work under the target client."""
    if isinstance(action, Command | Http):
        yield from _answer_remarks(action, stage, source, target)
        yield from _payload_remarks(stage)


# -------------------------------------------------------------------------------------------------------------- answers


def _answer_remarks(action: Action, stage: Stage, source: BoundEvent, target: BoundEvent) -> Iterator[Problem]:
    title, new_native = target.title, target.native_event
    if not _can_block(source):
        return
    if not _can_block(target):
        yield loss("L002", "a block has no effect", f"nothing blocks in {title} on {new_native}")
        return
    if stage.new_event in stage.target.answers.silence_blocks_on - stage.source.answers.silence_blocks_on:
        yield loss(
            "L005",
            "a hook without output blocks",
            f"{title} blocks on {new_native} when a hook prints nothing",
            _REMEDY,
        )

    def counts(raw: RawResult | None, bound: BoundEvent) -> bool:
        return raw is not None and _refuses(bound, action, raw)

    def survives(raw: RawResult | None) -> bool | None:
        """Whether the target honours what the source honours; None: the source does not."""
        if not counts(raw, source):
            return None
        return counts(raw, target)

    by_status = None
    if isinstance(action, Command):
        by_status = survives(RawResult(exit_code=BLOCKING_STATUS, stderr=b"no"))
    by_answer = None
    if stage.target.answers.on or not stage.target.answers.speaks_json:  # rulesync is no client, and reads no answers
        by_answer = survives(_json_result(source, refusal_on(stage.event)))
    if by_status is not True and by_answer is not True:
        yield loss("L002", "a block is not understood", f"{title} wants another answer on {new_native}", _REMEDY)
        return
    if by_status is False:
        why = f"on {new_native} {title} wants it as JSON"
        yield loss("L005", f"exit status {BLOCKING_STATUS} no longer blocks", why, _REMEDY)
    elif by_status and survives(RawResult(exit_code=BLOCKING_STATUS)) is False:
        why = f"{title} honours exit status {BLOCKING_STATUS} only with a reason"
        yield loss("L005", "a block without a reason has no effect", why, "print the reason on stderr")
    if by_answer is False:
        yield loss("L005", "a block as JSON is not understood", f"{title} reads other JSON on {new_native}", _REMEDY)
    if isinstance(action, Command) and stage.source.exits.blocks_above.get("*") == 0:
        closed = action.fail_closed or "fail_closed" in stage.fields
        if not closed and survives(RawResult(exit_code=1, stderr=b"no")) is False:
            yield loss("L002", "exit status 1 no longer blocks", f"{title} takes it for a failure", "end with 2")
    if by_answer:
        yield from _asking_remarks(action, source, target)


def _asking_remarks(action: Action, source: BoundEvent, target: BoundEvent) -> Iterator[Problem]:
    ask = _json_result(source, Decision.ASK)
    if ask is not None and _decision(source, action, ask) is Decision.ASK:
        heard = _decision(target, action, ask)
        if heard is not Decision.ASK and not (heard and heard.is_refusal):
            yield loss(
                "L005", "a hook cannot make the client ask the user", f"{target.title} allows the action", _REMEDY
            )


def _can_block(bound: BoundEvent) -> bool:
    return bound.can_block or bound.fold_rule is FoldRule.FEEDBACK


def _json_result(bound: BoundEvent, decision: Decision) -> RawResult | None:
    """A decision as JSON in the form that the client documents; None when it has no JSON for it."""
    answers = bound.profile.answers
    if not answers.speaks_json:
        return None
    in_json = structs.replace(bound.profile, answers=structs.replace(answers, block_by_exit=frozenset()))
    sent = encode_reply(structs.replace(bound, profile=in_json), Reply(decision=decision, reason=_REASON))
    return RawResult(exit_code=0, stdout=sent.stdout) if sent.stdout and sent.exit_code == 0 else None


def _refuses(bound: BoundEvent, action: Action, raw: RawResult) -> bool:
    run = interpret(bound, action, raw)
    return run.status in (Status.BLOCKED, Status.FAILED_CLOSED)


def _decision(bound: BoundEvent, action: Action, raw: RawResult) -> Decision | None:
    reply = interpret(bound, action, raw).reply
    return reply.decision if reply is not None else None


# ------------------------------------------------------------------------------------------------------------- payloads

_FIELDS = ("prompt", "tool_response", "stop_hook_active")
_INPUTS = {"shell": ("command",), "read": ("file_path",), "write": ("file_path", "content"), "edit": ("file_path",)}
"""What hooks look at most, in an event and in the input of a tool."""


def _payload_remarks(stage: Stage) -> Iterator[Problem]:
    """What a hook may read and what has another name in the target's payload."""
    renamed = [f"{after} for {before}" for before, after in _paths(stage) if before and after and before != after]
    if renamed:
        why = f"{stage.target.title} writes {', '.join(dict.fromkeys(renamed))}"
        yield loss("L006", "the hook gets a payload with other names", why, _READING_REMEDY)


def _paths(stage: Stage) -> Iterator[tuple[str, str]]:
    """The paths of the same value in the payloads of both clients; empty: it has none."""
    both = ((stage.source, stage.event), (stage.target, stage.new_event))
    for field in _FIELDS:
        before, after = (_path(profile, event, field) for profile, event in both)
        yield before, after
    for kind, fields in _INPUTS.items():
        if stage.kinds is not None and kind not in stage.kinds:
            continue
        for field in fields:
            before, after = (_input_path(profile, event, field, kind) for profile, event in both)
            yield before, after


def _path(profile: Profile, event: str, field: str) -> str:
    codec = payload_codec(profile.wire, PAYLOADS[event], event).fields.get(field)
    if codec is None:
        return ""
    return f"{profile.wire.container}.{codec.names[0]}" if codec.inside else codec.names[0]


def _input_path(profile: Profile, event: str, field: str, kind: str) -> str:
    """The path of an input of a tool: below the tool's input or, on events of one kind of tools, at the top level."""
    if not (around := _path(profile, event, "tool_input")):
        return _path(profile, event, field)
    patch = patch_input(kind, profile.name)
    return f"{around}.{patch or input_name(field, kind, profile.name)}" + (" (a patch)" if patch else "")
