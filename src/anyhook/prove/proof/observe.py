"""What a client did with a case, read from the report of its run. Pure."""

from __future__ import annotations

import json
import re
from typing import Any

from msgspec import Struct, structs

from anyhook.model.outcome import Effect
from anyhook.prove.driver import Driver
from anyhook.prove.proof.played_cases import PlayedCase
from anyhook.prove.report import HookCall, RunReport

_REFUSALS = {"deny", "block"}
_REFUSED = {Effect.BLOCK, Effect.CONTINUE}
_BEFORE_THE_MODEL = ("UserPromptSubmit", "SessionStart")
_TELLING_CHARACTERS = 12
"""A shorter reason ("no") may be a part of what the client itself says."""
_HOOK = re.compile(r"(?<![\w/.-])hook\b", re.IGNORECASE)


class Observation(Struct, frozen=True):
    """What happened to the thing that a case is about."""

    effect: Effect | None
    """None: the client did not come so far."""
    by_client: bool = False
    """Whether nothing shows that a hook refused it: the client did, by its own rules."""

    did_not_run: bool = False
    """Of a case about what comes after a call: whether the call failed, or was refused before."""

    def meets(self, expected: Effect) -> bool:
        """Whether hooks did what they should; what the client refuses anyway, they cannot allow."""
        return expected is Effect.PROCEED if self.by_client else self.effect is expected


class PlayReport(Struct, frozen=True, kw_only=True):
    """A case and what a client showed."""

    case: PlayedCase
    report: RunReport
    seen: Observation
    distrusted: bool = False
    """Whether it ends otherwise with the trust that the user gave the client: the client skips hooks then."""


def observe(
    case: PlayedCase, report: RunReport, driver: Driver, control: RunReport | None = None, *, unrecorded: bool = False
) -> Observation:
    """What a client did with a case.

    A refusal is a hook's if the hook's own reason reached the model, or if the client goes ahead in the ``control``,
    the same play with silent hooks. ``unrecorded``: the event also has hooks whose calls cannot be seen; what the
    client says of a hook has to be enough there.
    """
    seen = _happened(case, report, driver)
    if seen.effect not in _REFUSED or decisive_reasons(report):
        return seen
    if control is not None and _happened(case, control, driver).effect is Effect.PROCEED:
        return seen
    results = (result.model_saw or "" for result in report.tool_results)
    if unrecorded and any(map(_HOOK.search, (*results, report.stderr))):
        return seen
    if case.event in _BEFORE_THE_MODEL:
        return Observation(None)  # clients refuse no prompt: it failed before
    return structs.replace(seen, by_client=True)


def needs_control(case: PlayedCase, report: RunReport, driver: Driver) -> bool:
    """Whether only the same play with silent hooks can tell who refused: a hook was called that may have done it."""
    if _happened(case, report, driver).effect not in _REFUSED or decisive_reasons(report):
        return False
    return any(call.exit_status != 0 or call.stdout.strip() for call in report.hooks_fired)


def is_skipped_in(untrusted: RunReport, play: PlayReport, driver: Driver) -> bool:
    """Whether hooks that refused have no part in another run of the case: it ends otherwise, or without their reason.

    The client may refuse by its own rules what they refuse.
    """
    if _happened(play.case, untrusted, driver).effect is not play.seen.effect:
        return True
    reasons = decisive_reasons(play.report)
    return bool(reasons) and not any(_has_come(reason, untrusted) for reason in reasons)


def decisive_reasons(report: RunReport) -> tuple[str, ...]:
    """The reasons with which hooks refused and that reached the model, or the user where no model was asked."""
    reasons = (refusal_of(call) for call in report.hooks_fired)
    return tuple(
        reason for reason in reasons if len(reason.strip()) >= _TELLING_CHARACTERS and _has_come(reason, report)
    )


def _has_come(reason: str, report: RunReport) -> bool:
    return report.saw(reason) if report.model_saw else report.showed(reason)


def _happened(case: PlayedCase, report: RunReport, driver: Driver) -> Observation:
    """What was done with it, by the client or by a hook."""
    if case.event in _BEFORE_THE_MODEL:
        return Observation(Effect.PROCEED if report.model_saw else Effect.BLOCK)
    if case.event == "Stop":
        return Observation(Effect.CONTINUE if len(report.model_saw) > 1 else Effect.PROCEED)
    if not report.tool_results:
        return Observation(None)
    result = report.tool_results[0]
    ran = result.ran
    if ran is None:
        ran = result.model_saw is not None and re.search(driver.shell_ran, result.model_saw) is not None
    if case.event in ("PreToolUse", "PermissionRequest"):
        return Observation(Effect.PROCEED if ran else Effect.BLOCK)
    if not ran and not report.hooks_fired:  # a hook after it may have changed what it wrote
        return Observation(Effect.PROCEED, did_not_run=True)
    complaints = [complaint for call in report.hooks_fired if (complaint := refusal_of(call))]
    told = any(report.saw(complaint) for complaint in complaints)
    return Observation(Effect.FEEDBACK if told else Effect.PROCEED)


def refusal_of(call: HookCall) -> str:
    """The reason with which a hook refuses, by any client's rule for replies; empty: it does not refuse."""
    if call.exit_status == 2:
        return call.stderr.strip() or "exit status 2"
    try:
        reply = json.loads(call.stdout)
    except ValueError:
        return ""
    return _refusal_in(reply) if isinstance(reply, dict) else ""


def _refusal_in(reply: dict[str, Any]) -> str:
    specific = reply.get("hookSpecificOutput")
    for part in (specific if isinstance(specific, dict) else {}, reply):
        for key, reason in (("permissionDecision", "permissionDecisionReason"), ("decision", "reason")):
            if part.get(key) in _REFUSALS:
                return str(part.get(reason) or part[key])
    return ""


def words_of(call: HookCall) -> str:
    """What a hook says to people: its reason, its message, else what it printed."""
    if refusal := refusal_of(call):
        return refusal
    try:
        reply = json.loads(call.stdout)
    except ValueError:
        reply = {}
    message = reply.get("systemMessage") if isinstance(reply, dict) else None
    return str(message) if message else call.stderr.strip() or call.stdout.strip()
