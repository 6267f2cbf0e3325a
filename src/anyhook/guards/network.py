"""The guard ``network``: hosts that commands and fetch tools may use, and no downloads that are run unread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from anyhook.guards.asked import asked_effects, named_command
from anyhook.guards.call import GuardCall, Objection, reply_to
from anyhook.guards.effects.model import Url
from anyhook.guards.families import Family, judge_effects
from anyhook.guards.wording import DOWNLOAD, sentence
from anyhook.model.hooks import PLACE
from anyhook.model.output import Reply

_LOCAL = ("localhost", "127.*", "::1", "0.0.0.0", "*.localhost")


def judge(call: GuardCall) -> Reply | None:
    return reply_to(call, "network", _objections(call))


def _objections(call: GuardCall) -> Iterator[Objection]:
    effects, where = asked_effects(call)
    for found in judge_effects(effects, where):
        if found.family is Family.REMOTE_CODE:
            what = sentence(found.what, is_command=bool(effects.lines))
            yield Objection(what, DOWNLOAD, command=named_command(call, effects, where, found.by))
    allowed = call.settings.get("hosts")
    if allowed is None:
        return
    for effect in effects.effects:
        if isinstance(effect.target, Url):
            host = effect.target.host
            if not any(fnmatchcase(host, glob.lower()) for glob in (*_LOCAL, *allowed)):
                instead = _allowed_hosts(call.settings)
                command = named_command(call, effects, where, effect.by)
                yield Objection(f"{host} is not an allowed host", instead, command=command)


def _allowed_hosts(settings: Mapping[str, Any]) -> str:
    """What to use instead. The words of a project that nobody trusts are not quoted: it has a place instead."""
    listed = settings["hosts"]
    if not listed:
        return "No host is allowed here."
    return f"The list is in {settings[PLACE]}." if PLACE in settings else f"Use one of: {', '.join(listed)}."
