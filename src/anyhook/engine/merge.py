"""Several hooks' JSON as one reply, for clients that merge it before they read it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from anyhook.dialects.bound_event import BoundEvent
from anyhook.dialects.overrides import overridden
from anyhook.dialects.stages import FoundJson, Printed, Printout, Printouts
from anyhook.dialects.wire.answers import encode_reply
from anyhook.engine.interpret import find_json, meaning_of_status
from anyhook.model.cause import CauseKind, JsonUse
from anyhook.model.lazyjson import load_json
from anyhook.model.outcome import Run
from anyhook.model.output import Reply


def merged_reply(bound: BoundEvent, runs: Sequence[Run]) -> Reply | None:
    """What the client reads in the merged output of these runs; None where there is nothing to merge."""
    try:
        given = Printouts(bound, tuple(_printout(bound, run) for run in runs))
        return overridden(bound.profile.overrides.merge, given, lambda _: None)
    except (ValueError, RecursionError):  # a function's reply that JSON cannot carry is read by itself
        return None


def _printout(bound: BoundEvent, run: Run) -> Printout:
    printed, code = Printed(run.stdout, run.stderr), run.exit_code
    spelled = None
    if run.reply is not None:
        said = load_json(encode_reply(bound, run.reply, is_process=False).stdout or b"{}")
        spelled = said if isinstance(said, dict) else None
    if code is None:
        return Printout(run, printed, FoundJson(JsonUse.NONE), CauseKind.NO_REPLY, spelled)
    status = meaning_of_status(bound.profile.exits, bound.event, code, printed)
    return Printout(run, printed, find_json(bound, printed, code), status, spelled)
