"""The files that a tool call changes, whatever tool it is."""

from __future__ import annotations

from anyhook.guards.asked import asked_effects, paths_with
from anyhook.guards.call import GuardCall
from anyhook.guards.effects.model import Verb


def written_files(call: GuardCall) -> tuple[str, ...]:
    """The files that a call writes, moves or deletes, as far as its input tells."""
    return paths_with(asked_effects(call)[0], Verb.WRITES, Verb.DELETES)
