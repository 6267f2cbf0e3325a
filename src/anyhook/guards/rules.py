"""Rules without scripts: conditions on an event, and what happens when all of them hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from anyhook.guards.call import GuardCall, Shadowed
from anyhook.guards.patterns import MAX_REPLACED_LENGTH, Replacement, TooLongError
from anyhook.guards.rule_conditions import all_hold
from anyhook.guards.session.memory import LostMemoryError
from anyhook.model.functions import allow, ask, context, deny, rewrite
from anyhook.model.output import Reply


class Applies(Struct, frozen=True):
    """Whether a rule applies to an event."""

    applies: bool
    doubt: str = ""
    """Why the condition ``previous`` cannot be told, if that is so; all others hold then."""


def rule_applies(call: GuardCall) -> Applies:
    """Whether every condition of the rule in the settings of a call holds. What later events need is remembered."""
    rule = call.settings
    wanted = rule.get("when", {}).get("previous")
    if wanted is None:
        return Applies(all_hold(call))
    from anyhook.guards.session.previous import earlier_hold  # few rules have it

    decides = not rule.get("remembers") and all_hold(call)
    try:
        earlier = earlier_hold(call, wanted)
    except LostMemoryError as error:
        return Applies(applies=False, doubt=str(error) if decides else "")
    return Applies(decides and earlier)


def judge(call: GuardCall) -> Reply | None:
    """What the rule in the settings of a call replies; None: a condition does not hold."""
    rule = call.settings
    found = rule_applies(call)
    reply = _in_doubt(rule, found.doubt) if found.doubt else _effect(call, rule) if found.applies else None
    if reply is None or rule.get("level") != "shadow":
        return reply
    return Shadowed(would=rule["then"], reason=reply.reason or reply.context or reply.message)


def _effect(call: GuardCall, rule: Mapping[str, Any]) -> Reply | None:
    message = rule.get("message") or _default_message(rule)
    match rule["then"]:
        case "block":
            return deny(message)
        case "ask":
            return ask(message)
        case "allow":
            return allow(message)
        case "rewrite":
            return _rewritten(call, rule)
        case _:
            return context(message)


def _in_doubt(rule: Mapping[str, Any], why: str) -> Reply:
    """A rule that refuses does so; any other is not applied, and the user is told."""
    unknown = f"Earlier events of the session are not known: {why}."
    match rule["then"]:
        case "block":
            return deny(f"{rule.get('message') or _default_message(rule)} {unknown}")
        case "ask":
            return ask(f"{rule.get('message') or _default_message(rule)} {unknown}")
        case _:
            name = f"The rule {rule['name']}" if rule.get("name") else "A rule of this project"
            return Reply(message=f"{name} is not applied. {unknown}")


def _default_message(rule: Mapping[str, Any]) -> str:
    name = rule.get("name")
    return f"The rule {name} of this project applies." if name else "A rule of this project applies."


def _rewritten(call: GuardCall, rule: Mapping[str, Any]) -> Reply | None:
    """The input of the tool with every match in its texts replaced; None: there is none.

    A call that the rule would make too long is blocked: the input that the rule forbids must not be used.
    """
    replacement = Replacement(rule["replace"], rule["by"])
    try:
        changed = {key: _with_replacements(value, replacement) for key, value in call.tool_input.items()}
    except TooLongError:
        why = f"it puts in more than {MAX_REPLACED_LENGTH:,} characters; correct its replace and by."
        return deny(f"{_default_message(rule)} The call cannot be rewritten: {why}")
    return None if changed == call.tool_input else rewrite(changed)


def _with_replacements(value: Any, replacement: Replacement) -> Any:
    """Also within lists and objects: the words of a command, the edits of a call."""
    match value:
        case str():
            return replacement.apply(value)
        case list():
            return [_with_replacements(item, replacement) for item in value]
        case dict():
            return {key: _with_replacements(item, replacement) for key, item in value.items()}
        case _:
            return value
