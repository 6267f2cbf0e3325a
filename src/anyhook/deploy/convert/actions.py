"""Converts one action: its kind, its time limit, its fail mode and its settings. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from msgspec import Struct, structs

from anyhook.deploy.convert.commands import Stage, convert_command
from anyhook.dialects.files.actions import keys_of
from anyhook.dialects.profile import Layout, Profile, Unit
from anyhook.model.codes import Severity
from anyhook.model.hooks import ACTIVE, Action, Command, Guard, Prompt, Python, RuleCommand
from anyhook.model.losses import loss
from anyhook.model.problems import Problem


class Setting(Struct, frozen=True):
    """A setting that some clients have, and what it means to lose it."""

    default: Any
    code: str
    loss: str


_SETTINGS: Mapping[str, Setting] = {
    "name": Setting(None, "L010", "the name of the hook is gone"),
    "status_message": Setting(None, "L010", "the status message is gone"),
    "show_output": Setting(None, "L010", "the setting whether output is shown is gone"),
    "context_limit": Setting(None, "L010", "the limit on context is gone"),
    "max_turns": Setting(None, "L010", "the limit on turns is gone"),
    "model": Setting(None, "L010", "the model is the client's own"),
    "tools": Setting((), "L009", "the agent has other tools"),
    "condition": Setting(None, "L008", "the hook runs on every call, not only where its condition holds"),
    "is_async": Setting(False, "L009", "the agent waits for the hook, and its reply counts"),
    "rewakes": Setting(False, "L009", "the hook does not wake the agent"),
    "once": Setting(False, "L008", "the hook runs every time, not once"),
    "continue_on_block": Setting(False, "L009", "the turn may end when the hook blocks"),
    "headers": Setting({}, "L004", "the headers of the request are gone"),
    "allowed_env": Setting((), "L004", "variables in the headers are not filled in"),
    "input": Setting({}, "L004", "the tool is called without its input"),
}


def fields_of(kind: str, target: Profile) -> frozenset[str]:
    """The fields of such an action that the target's files have keys for."""
    return frozenset(field.partition("=")[0] for field in keys_of(target.layout, kind).values())


def convert_action(action: Action, stage: Stage) -> tuple[Action | None, tuple[Problem, ...]]:
    """The action as the target client can have it; None when it cannot, and what is lost."""
    remarks: list[Problem] = []
    converted = action if _can_run(action, stage, remarks) else None
    if isinstance(converted, Command):
        converted = convert_command(converted, stage, remarks)
    if converted is None:
        return None, tuple(remarks)
    changes: dict[str, Any] = {
        "timeout_ms": _timeout(action, stage, remarks),
        "fail_closed": _fails_closed(action, stage, remarks),
        "extra": _extra(action, stage.target.layout, remarks),
        "fate": ACTIVE,
    }
    changes |= _without_unknown(action, stage, remarks)
    return structs.replace(converted, **changes), tuple(remarks)


def _can_run(action: Action, stage: Stage, remarks: list[Problem]) -> bool:
    target, kind = stage.target, action.kind
    why = ""
    if kind not in target.layout.action_keys:
        why = f"{target.title} runs no {kind} hooks"
    elif isinstance(action, Prompt) and (action.purpose == "submit") != target.layout.submits_prompts:
        does = "gives the text of a prompt hook to the agent" if target.layout.submits_prompts else "asks for a verdict"
        why = f"{target.title} {does}, which is not what this hook is for"
    elif kind not in target.types_on.get(stage.new_event, {kind}):
        why = f"{target.title} runs no {kind} hooks on this event"
    if why:
        only_here = isinstance(action, Python | Guard | RuleCommand)
        remedy = "deploy it with a bridge: only anyhook runs it" if only_here else "write it as a command"
        remarks.append(loss("L001", "the hook is left out", why, remedy))
    return not why


def _without_unknown(action: Action, stage: Stage, remarks: list[Problem]) -> dict[str, Any]:
    """The defaults of all settings that the target does not have."""
    changes: dict[str, Any] = {}
    for name, setting in _SETTINGS.items():
        if name not in stage.fields and getattr(action, name, setting.default) != setting.default:
            changes[name] = setting.default
            remarks.append(loss(setting.code, setting.loss, f"{stage.target.title} has no such setting"))
    return changes


def _extra(action: Action, layout: Layout, remarks: list[Problem]) -> dict[str, Any]:
    """Keys that are notes in both files; all others mean nothing to the target."""
    keys = keys_of(layout, action.kind)
    kept = {key: value for key, value in action.extra.items() if keys.get(key) == "note" and isinstance(value, str)}
    gone = sorted(key for key, value in action.extra.items() if key not in kept and value not in ({}, [], None))
    if gone:
        remarks.append(loss("L010", f"{', '.join(gone)} is left out", "it is no setting of the target"))
    return kept


# ---------------------------------------------------------------------------------------------------------- time limits


def _timeout(action: Action, stage: Stage, remarks: list[Problem]) -> int | None:
    """The time limit to write, so that the hook has as long as before; None: the target's default."""
    rules, title = stage.target.timeouts, stage.target.title
    before = stage.source.timeouts.effective_ms(action.timeout_ms, action.kind, stage.event)
    default = rules.effective_ms(None, action.kind, stage.new_event)
    if not rules.configurable or "timeout" not in stage.fields:
        if action.timeout_ms is not None and before != default:
            remarks.append(loss("L009", f"the limit of {_seconds(before)} is gone", f"{title} has no such setting"))
        return None
    if before is None:
        if default is not None:
            why = f"{title} always has a limit"
            what = f"the hook ends after {_seconds(default)}, not without a limit"
            remarks.append(loss("L009", what, why, severity=Severity.NOTE))
        return None
    if action.timeout_ms is None:
        if before == default:
            return None
        why = f"the default of {title} is {_seconds(default)}"
        remarks.append(loss("L010", f"the limit of {_seconds(before)} is written out", why))
    return _within_bounds(before, stage, remarks)


def _within_bounds(limit_ms: int, stage: Stage, remarks: list[Problem]) -> int:
    rules, title = stage.target.timeouts, stage.target.title
    maximum = rules.maximum_ms(stage.new_event)
    if maximum is not None and limit_ms > maximum:
        what = f"the hook ends after {_seconds(maximum)}, not {_seconds(limit_ms)}"
        remarks.append(loss("L009", what, f"{title} has an upper limit", "make the hook faster"))
        return maximum
    step = 1000 if rules.whole_numbers and rules.unit is not Unit.MILLISECONDS else 1
    least = max(rules.minimum_ms or 0, 0 if rules.zero == "at once" else step)
    rounded = max(ceil(limit_ms / step) * step, least)
    if rounded != limit_ms:
        why = f"{title} has no smaller or finer number"
        remarks.append(loss("L010", f"the limit is {_seconds(rounded)}, not {_seconds(limit_ms)}", why))
    return rounded


def _seconds(milliseconds: int | None) -> str:
    return "no limit" if milliseconds is None else f"{milliseconds / 1000:g} s"


# ----------------------------------------------------------------------------------------------------------- fail modes


def _fails_closed(action: Action, stage: Stage, remarks: list[Problem]) -> bool:
    """Whether to write that the hook blocks when it fails, so that it does what it did."""
    was_closed = action.fail_closed or _fails_closed_by_default(stage.source, stage.event)
    is_closed = _fails_closed_by_default(stage.target, stage.new_event)
    can_say = "fail_closed" in stage.fields
    title = stage.target.title
    if was_closed == is_closed:
        return action.fail_closed and can_say
    if not was_closed:
        what = "a hook that fails now blocks"
        remarks.append(
            loss(
                "L005", what, f"{title} blocks on this event when a hook fails", "let the hook end with 0 when it fails"
            )
        )
        return False
    if can_say:
        if not action.fail_closed:
            why = f"{stage.source.title} blocks by default when a hook fails, {title} does not"
            remarks.append(loss("L010", "that a failing hook blocks is written out", why))
        return True
    severity = None if action.fail_closed else Severity.WARNING
    why = f"{title} allows the action when a hook fails"
    fix = "let the hook end with 2 when it fails"
    remarks.append(loss("L002", "a hook that fails no longer blocks", why, fix, severity=severity))
    return False


def _fails_closed_by_default(profile: Profile, event: str) -> bool:
    return profile.exits.above(event) == 0 or event in profile.exits.fails_closed_on
