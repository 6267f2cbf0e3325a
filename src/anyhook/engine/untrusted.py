"""What an engine does about hooks that nobody has approved."""

from __future__ import annotations

import logging
from typing import Literal

from msgspec import structs

from anyhook.dialects import profile as profile_of
from anyhook.dialects.bound_event import is_guard
from anyhook.dialects.profile import Profile
from anyhook.model.hooks import ACTIVE, Action, FateState, HookSet
from anyhook.model.problems import AnyhookError

_LOGGER = logging.getLogger("anyhook")


def decide_untrusted(hooks: HookSet, profile: Profile | None, trust: Literal["skip", "all"] | None) -> HookSet:
    """The hooks as the host wants them run; raises AnyhookError if a guard would be lost without a word."""
    found = [(rule, action) for rule in hooks.rules for action in rule.actions if _is_untrusted(action)]
    if not found:
        return hooks
    if trust == "all":
        rules = (structs.replace(rule, actions=tuple(map(_activated, rule.actions))) for rule in hooks.rules)
        return structs.replace(hooks, rules=tuple(rules))
    guards = [action for rule, action in found if is_guard(profile or profile_of(hooks.dialect), rule, action)]
    if guards and trust is None:
        more = f" and {len(guards) - 1} more" if len(guards) > 1 else ""
        raise AnyhookError(
            f"{guards[0].origin}: {guards[0].summary()}{more}: {guards[0].fate.why}, so it would not run, and it may "
            'be a guard; approve it with anyhook trust, or say trust="skip" or trust="all"'
        )
    for _, action in found:
        _LOGGER.warning("%s: a hook does not run: %s", action.origin, action.fate.why)
    return hooks


def _is_untrusted(action: Action) -> bool:
    return action.fate.state is FateState.UNTRUSTED


def _activated(action: Action) -> Action:
    return structs.replace(action, fate=ACTIVE) if _is_untrusted(action) else action
