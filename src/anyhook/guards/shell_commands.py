"""The guard ``shell``: dangerous effects of a call, each family of them with a level of its own."""

from __future__ import annotations

from collections.abc import Iterator

from anyhook.guards.asked import asked_effects, folder_of, named_command
from anyhook.guards.call import GuardCall, Objection, reply_to
from anyhook.guards.families import judge_effects
from anyhook.guards.wording import sentence
from anyhook.model.output import Reply


def judge(call: GuardCall) -> Reply | None:
    return reply_to(call, "shell", _objections(call))


def _objections(call: GuardCall) -> Iterator[Objection]:
    levels = call.settings.get("families", {})
    effects, where = asked_effects(call)
    for found in judge_effects(effects, where):
        what = sentence(found.what, is_command=bool(effects.lines))
        level, folder = levels.get(found.family, ""), folder_of(effects, where, found.by)
        command = named_command(call, effects, where, found.by)
        yield Objection(what, found.instead, found.family, level, (folder,), command)
