"""What a guard is asked, and its reply: levels, exceptions, and the words for the agent."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from anyhook.dialects import find_client
from anyhook.dialects.clients import OWN
from anyhook.dialects.translation.tool_kinds import command_inputs, inputs_of, plain_key
from anyhook.guards.command_patterns import matches_narrowly
from anyhook.guards.options import LEVELS
from anyhook.guards.places import is_matched
from anyhook.guards.session.memory import GuardMemory, MemoryOfProcess
from anyhook.guards.wording import message
from anyhook.model.functions import ask, context, deny
from anyhook.model.output import Reply
from anyhook.model.payload_base import Payload
from anyhook.shell.command import Invocation

_ARGUMENTS = frozenset({"args", "arguments", "argv", "params", "parameters"})


class GuardCall(Struct, frozen=True, kw_only=True):
    """One event for one guard."""

    event: Payload
    settings: Mapping[str, Any] = {}
    project: Path = Path()
    client: str = ""
    """The client that asks."""
    environment: Mapping[str, str] = {}
    """What a command hook would inherit."""
    dialect: str = OWN
    """In whose terms the event is."""
    memory: GuardMemory = field(default_factory=MemoryOfProcess)
    post: Callable[[str, str], None] = lambda _title, _text: None
    """Posts a notice to the webhook of the user, in the background."""

    @property
    def tool_input(self) -> Mapping[str, Any]:
        given = self.event.get("tool_input")
        return given if isinstance(given, dict) else {}

    @property
    def home(self) -> str:
        """The home folder that hooks inherit."""
        return ((self.environment or os.environ).get("HOME") or str(Path.home())).rstrip("/")

    @property
    def commands(self) -> tuple[str, ...]:
        """The command lines that the call would run, by a shell or by a tool of an MCP server."""
        own = self.event.command
        lines = dict.fromkeys((own,) if isinstance(own, str) else ())
        names = command_inputs(str(self.event.get("tool_name", "")))
        for given in inputs_of(self.tool_input):
            for key, value in given.items():
                if plain_key(str(key)) in names:
                    lines |= dict.fromkeys((*_lines(value), *_with_arguments(value, given)))
        return tuple(lines)


def _lines(value: object) -> Iterable[str]:
    """A command line, or several, or the words of one."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return (" ".join(value), *value)
    return ()


def _with_arguments(command: object, given: Mapping[str, Any]) -> Iterator[str]:
    """A program whose arguments are an input of their own."""
    for key, value in given.items():
        if isinstance(command, str) and plain_key(str(key)) in _ARGUMENTS:
            from shlex import join  # few tools take them so

            if isinstance(value, list):
                yield f"{command} {join(map(str, value))}"
            elif isinstance(value, str):
                yield f"{command} {value}"


class Objection(Struct, frozen=True):
    """Something that a guard does not allow."""

    what: str
    """A sentence without its full stop: ``This command deletes the home folder``."""
    instead: str = ""
    """What the agent can do instead, as a sentence."""
    note: str = ""
    """What it is about, for the end of the message: the family of a command."""
    level: str = ""
    """Its own level; empty: that of the guard."""
    paths: tuple[str, ...] = ()
    """The files that it is about."""
    command: Invocation | None = None
    """The command of the line that it is about, if an exception can name it."""


class Shadowed(Reply, frozen=True, kw_only=True, omit_defaults=True):
    """What a guard or a rule with the level *shadow* says: nothing. What it would have done is only recorded."""

    would: str = ""
    """``block``, or the effect of the rule; the reason is why."""


def reply_to(call: GuardCall, name: str, objections: Iterable[Objection]) -> Reply | None:
    """The reply to the gravest objection; None: there is none, or its level is off."""
    levels = [(level_of(call, objection), objection) for objection in objections]
    level, objection = max(levels, key=lambda each: LEVELS.index(each[0]), default=("off", None))
    if objection is None or level == "off":
        return None
    text = message_of(call, name, objection)
    if level == "shadow":
        return Shadowed(would="block", reason=text)
    return {"block": deny, "ask": ask, "warn": context}[level](text)


def level_of(call: GuardCall, objection: Objection) -> str:
    """What to do about an objection: as the first exception says that applies, else as the guard's settings say."""
    for exception in call.settings.get("exceptions", ()):
        if _applies(exception, call, objection):
            return str(exception.get("level", "off"))
    return objection.level or str(call.settings.get("level", "block"))


def is_excepted(call: GuardCall, *paths: str) -> bool:
    """Whether an exception switches a guard off that refuses nothing; without paths, by the folder of the session."""
    folder = call.event.cwd if isinstance(call.event.cwd, str) else str(call.project)
    return level_of(call, Objection("", level="on", paths=paths or (folder,))) == "off"


def message_of(call: GuardCall, name: str, objection: Objection) -> str:
    """What the agent reads about an objection."""
    return message(name, objection.what, objection.instead, objection.note, call.settings)


def _applies(exception: Mapping[str, Any], call: GuardCall, objection: Objection) -> bool:
    """Whether every condition of an exception holds. Of several files each must match, else one would hide another."""
    clients, paths, commands = (exception.get(key) for key in ("clients", "paths", "commands"))
    if clients is not None and call.client not in {find_client(name) for name in clients}:
        return False
    if paths is not None and not (
        objection.paths and all(is_matched(path, paths, call.project, call.home) for path in objection.paths)
    ):
        return False
    return commands is None or (objection.command is not None and matches_narrowly(objection.command, commands))
