"""A hook's JSON as its client reads it, by the client's :class:`~anyhook.dialects.contract.Answers` alone.

Writing is in :mod:`anyhook.dialects.wire.answers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any

from msgspec import UNSET

from anyhook.dialects.bound_event import BoundEvent
from anyhook.dialects.contract import Answers, EventName, Field
from anyhook.dialects.profile import Unit
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


class VoidReplyError(Exception):
    """The client discards the whole reply."""

    def __init__(self, cause: Cause, *, unsupported: bool = False) -> None:
        super().__init__(str(cause))
        self.cause = cause
        self.unsupported = unsupported
        """Each part has a right type, and one of them is not accepted here."""


def decode_reply(bound: BoundEvent, data: bytes | Mapping[str, Any]) -> Reply:
    """What a client makes of a hook's JSON. Never raises; a reply that the client discards says so in ``invalid``."""
    answers, event = bound.profile.answers, bound.event
    answer = _object(data)
    if answer is None:
        return Reply(invalid=Cause(CauseKind.NOT_AN_OBJECT, "it is not a JSON object"))
    unread: list[Cause] = []
    try:
        answer = _without_foreign(answers.event_names, answer, bound.native_event, unread)
        unknown = [Cause(CauseKind.UNKNOWN_KEY, "", pointer) for pointer in _unknown(answer, _tree(answers, event))]
        unread += unknown
        if answers.strict and unknown:
            pointer = unknown[0].pointer
            text = f"{pointer} is not a key that {bound.title} knows here"
            raise VoidReplyError(Cause(CauseKind.UNKNOWN_KEY, text, pointer))
        parts, sources = _parts(answers, event, answer, unread)
    except VoidReplyError as void:
        if void.unsupported and event in answers.stop_survives_on and answer.get("continue") is False:
            said = {key: value for key in ("stopReason", "reason") if isinstance(value := answer.get(key), str)}
            return Reply(stop=True, stop_reason=said.get("stopReason"), reason=said.get("reason"))
        return Reply(unread=tuple(unread), invalid=void.cause)
    read = {part: _read_at(answer, field) for part, field in sources.items() if part in parts}
    return _reply(parts, bound.profile.timeouts.async_unit, read, tuple(unread))


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


def _without_foreign(
    names: tuple[EventName, ...], answer: dict[str, Any], native_event: str, unread: list[Cause]
) -> dict[str, Any]:
    """The reply without what is for another event."""
    for name in names:
        parent = _at(answer, name.path[:-1])
        if not isinstance(parent, Mapping):
            continue
        said = parent.get(name.path[-1])
        if said is None and not name.required:
            continue
        is_unknown = isinstance(said, str) and said in name.unknown
        if said is not None and (said == native_event or not (name.checked or is_unknown)):
            continue
        why = f"is {said!r}, not {native_event!r}" if said else "is missing"
        pointer = json_pointer(name.path)
        if name.wrong == "void":
            raise VoidReplyError(Cause(CauseKind.WRONG_EVENT, f"{pointer} {why}", pointer))
        unread.append(Cause(CauseKind.WRONG_EVENT, why, json_pointer(name.path[:1])))
        answer = {key: value for key, value in answer.items() if key != name.path[0]}
    return answer


def _tree(answers: Answers, event: str) -> Tree:
    """All keys that the client reads on an event."""
    tree: Tree = {}
    for path in (*(name.path for name in answers.event_names), *(field.path for field in answers.fields(event))):
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
    """The parts of a reply, and where each was found. Bad values are noted as unread, or void the reply."""

    def bad(path: Path, why: str, lenient: bool = False, unsupported: bool = False) -> None:
        pointer = json_pointer(path)
        if answers.bad_value == "void" and not lenient:
            raise VoidReplyError(Cause(CauseKind.BAD_VALUE, f"{pointer} {why}", pointer), unsupported=unsupported)
        unread.append(Cause(CauseKind.BAD_VALUE, why, pointer))

    parts: Parts = {}
    sources: dict[str, Field] = {}
    hidden: set[str] = set()
    for field in answers.fields(event):
        if field.only_with and parts.get("decision") not in field.only_with:
            continue
        value = _read(answers, answer, field, bad)
        if field.required and value is UNSET and field.path[0] in answer:
            bad(field.path, "is missing")
        if field.refused_alone and field.part not in parts and _as_text(_at(answer, field.path)) in field.refused_alone:
            bad(field.path, f"cannot be {_at(answer, field.path)!r} alone")
        if answers.bad_value_hides and value is UNSET and _at(answer, field.path) not in (UNSET, None):
            hidden.add(field.part)
        if value is not UNSET and field.part not in parts and field.part not in hidden:
            parts[field.part] = value
            sources[field.part] = field
        if field.needs_list and "decision" in parts and _lacks_list(_at(answer, field.path), field.needs_list):
            bad(field.path, f"has no list at {json_pointer(field.needs_list)}: the decision does not count")
            del parts["decision"]
    for need in (*answers.needs.get(event, ()), *answers.needs.get("*", ())):
        has_it = _is_given(parts, need.needs, need.needs_value) or (need.blank and parts.get(need.needs) == "")
        if need.beside and need.part in sources and need.needs in sources:
            has_it = has_it and sources[need.part].path[:-1] == sources[need.needs].path[:-1]
        is_there = _is_given(parts, need.part, need.value) if need.value else need.part in parts
        if is_there and not has_it:
            wanted = f"{need.needs} {need.needs_value}".rstrip() + (" beside it" if need.beside else "")
            path = sources[need.part].path if need.part in sources else (need.part,)
            bad(path, f"is not accepted without {wanted}", unsupported=True)
            parts.pop(need.part, None)
    for part, field in sources.items():
        if field.implies and parts.get(part) and (not field.implies_with or _is_truthy(parts.get(field.implies_with))):
            if "decision" not in parts:
                parts["decision"], sources["decision"] = field.implies, field
            break
    return parts, sources


def _lacks_list(value: Any, path: Path) -> bool:
    """Values that are false in JavaScript need none."""
    return value is not UNSET and _is_truthy(value) and not _has_list(value, path)


def _is_truthy(value: Any) -> bool:
    """Whether a value is true in JavaScript, where empty objects and lists are."""
    return isinstance(value, Mapping | list) or bool(value)


def _has_list(value: Any, path: Path) -> bool:
    if not path:
        return isinstance(value, list)
    if path[0] == "*":
        return isinstance(value, list) and all(_has_list(element, path[1:]) for element in value)
    return _has_list(_at(value, path[:1]), path[1:])


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
    if value is UNSET or (value is None and answers.null_is_absent) or (value == "" and field.skips_blank):
        return UNSET
    if field.refused:
        bad(field.path, "is not supported here", unsupported=True)
        return UNSET
    if field.values:
        canonical = field.values.get(_as_text(value))
        if canonical is None:
            bad(field.path, f"cannot be {value!r}", field.lenient, unsupported=isinstance(value, bool))
        return canonical or UNSET
    kinds = None if field.any_type else _KINDS.get(field.part)
    if kinds and (not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)):
        bad(field.path, "has a wrong type", field.lenient)
        return UNSET
    return value


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else ""


def _is_given(parts: Mapping[str, Any], part: str, value: str) -> bool:
    given = parts.get(part)
    if isinstance(given, str) and not given.strip():
        return False
    return given == value if value else given is not None


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
