"""The guard ``shell``: destructive commands, each family of them with a level of its own."""

from __future__ import annotations

from collections.abc import Iterator

from anyhook.guards.call import GuardCall, Objection, reply_to
from anyhook.guards.shell.judge import judge_command_line
from anyhook.model.output import Reply


def judge(call: GuardCall) -> Reply | None:
    return reply_to(call, "shell", _objections(call))


def _objections(call: GuardCall) -> Iterator[Objection]:
    levels = call.settings.get("families", {})
    folder = call.event.cwd if isinstance(call.event.cwd, str) else str(call.project)
    for line in call.commands:
        for found in judge_command_line(line):
            yield Objection(
                f"This command {found.what}",
                found.instead,
                found.family,
                levels.get(found.family, ""),
                (folder,),
                line,
            )
