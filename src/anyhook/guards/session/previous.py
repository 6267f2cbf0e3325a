"""The condition ``previous`` of rules without scripts: what happened earlier in the session.

Of an event it is remembered only which of a rule's conditions on earlier events it meets, never its text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import structs

from anyhook.guards.call import GuardCall
from anyhook.guards.options import EARLIER_EVENT
from anyhook.guards.rule_conditions import all_hold, words_of
from anyhook.guards.session.memory import LostMemoryError

MAX_EVENTS = 100_000
"""A log that has as many may be full, so that later events are missing in it."""


def earlier_hold(call: GuardCall, previous: Any) -> bool:
    """Whether the session was as ``previous`` says before this event, which is remembered if it counts for later ones.

    Raises LostMemoryError.
    """
    wanted: Sequence[Mapping[str, Any]] = (previous,) if isinstance(previous, Mapping) else previous
    filters = [each for one in wanted for each in (one, one.get("since")) if each is not None]
    met = sum(1 << place for place, each in enumerate(filters) if _is_met(call, each))
    log = [*map(_mask, _log(call, met))]
    return all(_holds(log, one, filters) for one in wanted)


def _is_met(call: GuardCall, wanted: Mapping[str, Any]) -> bool:
    asked = structs.replace(call, settings={"when": wanted})
    return call.event.event in words_of(wanted.get("on", EARLIER_EVENT)) and all_hold(asked)


def _log(call: GuardCall, met: int) -> tuple[str, ...]:
    """The log of the session for this rule, up to this event. Each rule has its own: two would count an event twice."""
    session = call.event.session_id
    if not session:
        raise LostMemoryError("the client does not say which session this is")
    rule = {key: value for key, value in call.settings.items() if key != "remembers"}
    name = f"{session}\0{msgspec.json.encode(rule, order='deterministic').decode()}"
    log = call.memory.add(name, f"{met:x}")[:-1] if met else call.memory.log(name)
    if len(log) >= MAX_EVENTS:
        raise LostMemoryError("there are too many of them")
    return log


def _mask(line: str) -> int:
    try:
        return int(line, 16)
    except ValueError:
        raise LostMemoryError("their log was changed by another program") from None


def _holds(log: Sequence[int], wanted: Mapping[str, Any], filters: Sequence[Mapping[str, Any]]) -> bool:
    """Whether as many events as wanted are in the log, after the last one that ``since`` names if there is one."""
    start = 0
    if since := wanted.get("since"):
        place = 1 << _place(since, filters)
        start = max((number for number, met in enumerate(log, 1) if met & place), default=0)
    place = 1 << _place(wanted, filters)
    count = sum(bool(met & place) for met in log[start:])
    at_most = wanted.get("at_most")
    at_least = wanted.get("at_least", 0 if at_most is not None else 1)
    return count >= at_least and (at_most is None or count <= at_most)


def _place(one: Mapping[str, Any], filters: Sequence[Mapping[str, Any]]) -> int:
    return next(number for number, each in enumerate(filters) if each is one)
