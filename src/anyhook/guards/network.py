"""The guard ``network``: hosts that commands and fetch tools may use, and no downloads that are run unread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from anyhook.guards.call import GuardCall, Objection, reply_to
from anyhook.guards.shell.finding import Family
from anyhook.guards.shell.judge import judge_command_line
from anyhook.guards.touched import hosts
from anyhook.model.hooks import PLACE
from anyhook.model.output import Reply

_LOCAL = ("localhost", "127.*", "::1", "0.0.0.0", "*.localhost")


def judge(call: GuardCall) -> Reply | None:
    return reply_to(call, "network", _objections(call))


def _objections(call: GuardCall) -> Iterator[Objection]:
    for line in call.commands:
        for found in judge_command_line(line):
            if found.family is Family.REMOTE_CODE:
                yield Objection(f"This command {found.what}", "Download the file, read it, then run it.", command=line)
    allowed = call.settings.get("hosts")
    if allowed is None:
        return
    for host in hosts(call):
        if not any(fnmatchcase(host, glob.lower()) for glob in (*_LOCAL, *allowed)):
            instead = _allowed_hosts(call.settings)
            command = call.commands[0] if call.commands else ""
            yield Objection(f"{host} is not an allowed host", instead, command=command)


def _allowed_hosts(settings: Mapping[str, Any]) -> str:
    """What to use instead. The words of a project that nobody trusts are not quoted: it has a place instead."""
    listed = settings["hosts"]
    if not listed:
        return "No host is allowed here."
    return f"The list is in {settings[PLACE]}." if PLACE in settings else f"Use one of: {', '.join(listed)}."
