"""A hook's JSON as its client reads it, by the client's :class:`~anyhook.dialects.contract.Answers` alone.

Writing is in :mod:`anyhook.dialects.wire.answers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any

from msgspec import UNSET

from anyhook.dialects.bound_event import BoundEvent
from anyhook.dialects.contract import Answers, Field
from anyhook.dialects.overrides import overridden
from anyhook.dialects.profile import Unit
from anyhook.dialects.stages import Answer
from anyhook.model.cause import Cause, CauseKind
from anyhook.model.document import json_pointer
from anyhook.model.lazyjson import load_json
from anyhook.model.output import AsyncOutput, Decision, HookOutput, Reply, to_json

_KINDS: Mapping[str, tuple[type, ...]] = {
    "reason": (str,),
    "context": (str,),
    "message": (str,),
    "stop_reason": (str,),
    "input": (dict,),
    "continue": (bool,),
    "suppress": (bool,),
    "async": (bool,),
    "async_timeout": (int, float),
    "initial_message": (str,),
    "session_title": (str,),
    "classifier_context": (str,),
    "terminal": (str,),
    "suppress_prompt": (bool,),
    "reload_skills": (bool,),
    "retry": (bool,),
    "interrupt": (bool,),
    "watch_paths": (list,),
    "permissions": (list,),
    "content": (dict,),
    "unused_reason": (str,),
    "response": (str,),
}
"""The types that a part can have; parts that are not listed can have any."""

Path = tuple[str, ...]
Parts = dict[str, Any]
Tree = dict[str, Any]  # keys, each with the tree below it; empty below a value that is read whole
Bad = Callable[..., None]


def decode_reply(bound: BoundEvent, data: bytes | Mapping[str, Any]) -> Reply:
    """What a client makes of a hook's JSON. Never raises; a reply that the client discards says so in ``invalid``."""
    value = _object(data)
    if value is None:
        return Reply(invalid=Cause(CauseKind.NOT_AN_OBJECT, "it is not a JSON object"))
    return overridden(bound.profile.overrides.decode, Answer(bound, value), read_answer)


def read_answer(answer: Answer) -> Reply:
    """The reply in a JSON object, by the fields of the profile alone."""
    answers, event, value = answer.bound.profile.answers, answer.bound.event, answer.value
    unread = [Cause(CauseKind.UNKNOWN_KEY, "", pointer) for pointer in _unknown(value, _tree(answers, event))]
    parts, sources = _parts(answers, event, value, unread)
    read = {part: _read_at(value, field) for part, field in sources.items() if part in parts}
    return _reply(parts, answer.bound.profile.timeouts.async_unit, read, tuple(unread))


def reply_to(bound: BoundEvent, output: HookOutput | Mapping[str, Any] | Reply) -> Reply:
    """What a callback returned, as a reply; its own types need no translation of units."""
    match output:
        case Reply():
            return output
        case AsyncOutput():
            return output.to_reply()
        case Mapping():
            return decode_reply(bound, output)
        case _:
            return decode_reply(bound, to_json(output))


def _object(data: bytes | Mapping[str, Any]) -> dict[str, Any] | None:
    try:
        value = load_json(data) if isinstance(data, bytes) else dict(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _at(answer: Any, path: Path) -> Any:
    """The value at a path, or UNSET."""
    for key in path:
        if not isinstance(answer, Mapping) or key not in answer:
            return UNSET
        answer = answer[key]
    return answer


def _tree(answers: Answers, event: str) -> Tree:
    """All keys that the client reads on an event."""
    tree: Tree = {}
    for path in (*answers.event_names, *(field.path for field in answers.fields(event))):
        branch = tree
        for key in path:
            branch = branch.setdefault(key, {})
    return tree


def _unknown(answer: Mapping[str, Any], tree: Tree, above: Path = ()) -> Iterator[str]:
    for key, value in answer.items():
        if key not in tree:
            yield json_pointer((*above, key))
        elif tree[key] and isinstance(value, Mapping):
            yield from _unknown(value, tree[key], (*above, key))


def _parts(
    answers: Answers, event: str, answer: dict[str, Any], unread: list[Cause]
) -> tuple[Parts, Mapping[str, Field]]:
    """The parts of a reply, and where each was found. Bad values are noted as unread."""

    def bad(path: Path, why: str, kind: CauseKind = CauseKind.BAD_VALUE) -> None:
        unread.append(Cause(kind, why, json_pointer(path)))

    parts: Parts = {}
    sources: dict[str, Field] = {}
    for field in answers.fields(event):
        if field.only_with and parts.get("decision") not in field.only_with:
            continue
        value = _read(answers, answer, field, bad)
        if field.required and value is UNSET and field.path[0] in answer:
            bad(field.path, "is missing")
        if value is not UNSET and field.part not in parts:
            parts[field.part] = value
            sources[field.part] = field
    for part, field in sources.items():
        if field.implies and parts[part]:
            if "decision" not in parts:
                parts["decision"], sources["decision"] = field.implies, field
            break
    return parts, sources


def _read_at(answer: dict[str, Any], field: Field) -> Cause:
    said = repr(_at(answer, field.path)) if field.values else ""
    return Cause(CauseKind.REPLY, said, json_pointer(field.path))


def _read(answers: Answers, answer: dict[str, Any], field: Field, bad: Bad) -> Any:
    """The canonical value of one field, or UNSET."""
    for depth in range(1, len(field.path)):
        above = _at(answer, field.path[:depth])
        if above is UNSET or isinstance(above, Mapping):
            continue
        if above is not None or not answers.null_is_absent:
            bad(field.path[:depth], "is not an object")
        return UNSET
    value = _at(answer, field.path)
    if value is UNSET or (value is None and answers.null_is_absent):
        return UNSET
    if field.refused:
        bad(field.path, "is not supported here", CauseKind.UNSUPPORTED)
        return UNSET
    if field.values:
        canonical = field.values.get(_as_text(value))
        if canonical is None:
            bad(
                field.path,
                f"cannot be {value!r}",
                CauseKind.UNSUPPORTED if isinstance(value, bool) else CauseKind.BAD_VALUE,
            )
        return canonical or UNSET
    kinds = None if field.any_type else _KINDS.get(field.part)
    if kinds and (not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)):
        bad(field.path, "has a wrong type")
        return UNSET
    return value


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else ""


def _reply(parts: Parts, async_unit: Unit, read: Mapping[str, Cause], unread: tuple[Cause, ...]) -> Reply:
    rest = dict(parts)
    decision = rest.pop("decision", None)
    goes_on = rest.pop("continue", None)
    timeout = rest.pop("async_timeout", None)
    factor = 1000 if async_unit is Unit.SECONDS else 1
    async_timeout_ms = round(timeout * factor) if timeout is not None and isfinite(timeout) else None
    if rest.get("async"):  # explored-pre-async-deny: what is said beside it does not count
        return Reply(async_=True, async_timeout_ms=async_timeout_ms, unread=unread)
    return Reply(
        decision=Decision(decision) if decision else None,
        reason=rest.pop("reason", None),
        updated_input=rest.pop("input", None),
        updated_output=rest.pop("output", None),
        context=rest.pop("context", None),
        message=rest.pop("message", None),
        stop=None if goes_on is None else not goes_on,
        stop_reason=rest.pop("stop_reason", None),
        suppress=rest.pop("suppress", False),
        async_=rest.pop("async", False),
        async_timeout_ms=async_timeout_ms,
        other=rest,
        read=read,
        unread=unread,
    )
