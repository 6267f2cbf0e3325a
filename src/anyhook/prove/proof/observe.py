"""What a client did with a case, read from the report of its run. Pure."""

from __future__ import annotations

import json
import re
from typing import Any

from msgspec import Struct

from anyhook.model.outcome import Effect
from anyhook.prove.driver import Driver
from anyhook.prove.proof.played_cases import PlayedCase
from anyhook.prove.report import HookCall, RunReport

_REFUSALS = {"deny", "block"}


class Observation(Struct, frozen=True):
    """What happened to the thing that a case is about."""

    effect: Effect | None
    """None: the client did not come so far."""
    by_client: bool = False
    """Whether the client refused by its own rules: no hook did."""

    did_not_run: bool = False
    """Of a case about what comes after a call: whether the call failed, or was refused before."""

    def meets(self, expected: Effect) -> bool:
        """Whether hooks did what they should; what the client refuses anyway, they cannot allow."""
        return expected is Effect.PROCEED if self.by_client else self.effect is expected


def observe(case: PlayedCase, report: RunReport, driver: Driver) -> Observation:
    """What a client did with a case."""
    match case.event:
        case "UserPromptSubmit" | "SessionStart":
            return Observation(Effect.PROCEED if report.model_saw else Effect.BLOCK)
        case "Stop":
            return Observation(Effect.CONTINUE if len(report.model_saw) > 1 else Effect.PROCEED)
    if not report.tool_results:
        return Observation(None)
    result = report.tool_results[0]
    ran = result.ran
    if ran is None:
        ran = result.model_saw is not None and re.search(driver.shell_ran, result.model_saw) is not None
    if case.event in ("PreToolUse", "PermissionRequest"):
        return Observation(Effect.PROCEED) if ran else Observation(Effect.BLOCK, _is_client_s_own(report))
    if not ran and not report.hooks_fired:  # a hook after it may have changed what it wrote
        return Observation(Effect.PROCEED, did_not_run=True)
    complaints = [complaint for call in report.hooks_fired if (complaint := refusal_of(call))]
    told = any(report.saw(complaint) for complaint in complaints)
    return Observation(Effect.FEEDBACK if told else Effect.PROCEED)


def _is_client_s_own(report: RunReport) -> bool:
    """Whether hooks were called and all of them agreed. Some clients refuse dangerous commands themselves."""
    calls = [call for call in report.hooks_fired if call.exit_status is not None]
    return bool(calls) and not any(call.exit_status or refusal_of(call) for call in calls)


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
