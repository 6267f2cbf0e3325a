"""The guards there are: what each does, on which events it is asked, its settings, and the module that has its code.

Nothing here imports a guard: a file that names one is read on every event, and most events concern none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from anyhook.guards.call import GuardCall
from anyhook.guards.options import MESSAGE, REFUSING, RULE, SWITCHED, Option, schema_of
from anyhook.model.output import Reply

GuardFunction = Callable[[GuardCall], Reply | None]


class GuardEvent(Struct, frozen=True):
    """An event on which a guard is asked."""

    event: str
    """Canonical name."""
    kinds: tuple[str, ...] = ()
    """What the tool must do; empty: anything, or the event is not about a tool."""


class GuardInfo(Struct, frozen=True, kw_only=True):
    name: str
    does: str
    """In one line."""
    events: tuple[GuardEvent, ...]
    options: tuple[Option, ...]
    module: str
    """Below :mod:`anyhook.guards`; its function ``judge`` is the guard."""
    timeout: int = 10
    """Seconds that it may take."""
    cannot_see: str
    """What passes the guard, said plainly."""
    fails_closed: bool = True
    """What it guards is blocked when the guard itself fails."""
    only_restricts: bool = False
    """Before a tool runs it only blocks, asks or warns, and it starts no program: it needs no trust there."""


_FAMILIES = (
    "deletes", "disks", "git", "remote-code", "exfiltration", "permissions", "system", "containers", "infrastructure",
    "databases", "publishing", "code", "protected-files", "hooks",
)  # fmt: skip
"""As :class:`anyhook.guards.families.Family`, whose module loads a parser; a test compares the two."""

_GUARDS = (
    GuardInfo(
        name="shell",
        does="refuses destructive commands, judged by what the command line would really start",
        events=(GuardEvent("PreToolUse", ("shell", "edit", "fetch", "mcp")),),
        options=(
            *REFUSING,
            Option("families", "levels", "levels of single families of commands", names=_FAMILIES),
        ),
        only_restricts=True,
        module="shell_commands",
        cannot_see="what a script does that the line starts, values that are only known when the line runs, and "
        "aliases of your own shell",
    ),
    GuardInfo(
        name="files",
        does="protects files from changes by any tool: secrets, lock files, git's own, hook files, a list of your own",
        events=(GuardEvent("PreToolUse", ("edit", "shell")),),
        options=(
            *REFUSING,
            Option("paths", "texts", "globs of further files to protect", of="path"),
            Option("allow", "texts", "globs of files that may be changed", of="path"),
            Option("defaults", "flag", "protect secrets, lock files, .git and hook files", True),
        ),
        only_restricts=True,
        module="files",
        cannot_see="what a script or a build writes, and paths that are only known when a command runs",
    ),
    GuardInfo(
        name="secrets",
        does="keeps secrets out of prompts, commands and files, and files of secrets from being read",
        events=(
            GuardEvent("PreToolUse", ("edit", "shell", "read", "fetch", "mcp")),
            GuardEvent("PostToolUse"),
            GuardEvent("UserPromptSubmit"),
        ),
        options=(*REFUSING, Option("allow", "texts", "globs of files that may be read", of="path")),
        only_restricts=True,
        module="secrets",
        cannot_see="passwords without the form of a token, and what a script prints before it has run; of output that "
        "has a secret, the agent is only told not to repeat it",
    ),
    GuardInfo(
        name="network",
        does="refuses downloads that are run unread, and hosts that are not on your list",
        events=(GuardEvent("PreToolUse", ("shell", "fetch")),),
        options=(
            *REFUSING,
            Option("hosts", "texts", "the hosts that are allowed, with * for any text; not given: every host"),
        ),
        only_restricts=True,
        module="network",
        cannot_see="hosts that a program has in its own settings (a registry, a remote of git), and web searches",
    ),
    GuardInfo(
        name="format",
        does="formats the files that an agent has edited with what the project uses; never fails the edit",
        events=(GuardEvent("PostToolUse", ("edit",)),),
        options=(*SWITCHED, Option("skip", "texts", "globs of files that are left as they are")),
        module="formatting",
        cannot_see="files that a command has written by itself; it starts no program of the project, and not prettier, "
        "whose settings can load code of the project",
        timeout=30,
        fails_closed=False,
    ),
    GuardInfo(
        name="context",
        does="tells the agent at the start of a session its branch, what is not committed, and a note of yours",
        events=(GuardEvent("SessionStart"),),
        options=(
            *SWITCHED,
            Option("note", "text", "a file of the project whose text is added"),
            Option("characters", "count", "how long the text may be", 4000),
        ),
        module="session_context",
        cannot_see="failing checks: it runs none",
        fails_closed=False,
    ),
    GuardInfo(
        name="budget",
        does="limits the tool calls, the minutes and the stop rounds of a session",
        events=(
            GuardEvent("PreToolUse"),
            GuardEvent("UserPromptSubmit"),
            GuardEvent("Stop"),
            GuardEvent("SessionEnd"),
        ),
        options=(
            *REFUSING,
            Option("tool_calls", "count", "how many tools may be called", 500),
            Option("minutes", "count", "how long tools may be called, from the first prompt or call", 240),
            Option("stop_rounds", "count", "how often hooks may keep the agent going when it wants to end", 5),
        ),
        only_restricts=True,
        module="session.budget",
        cannot_see="what a session costs, and what an agent does without a tool",
    ),
    GuardInfo(
        name="notify",
        does="tells you by bell, desktop or webhook that the agent waits or has ended",
        events=(GuardEvent("Notification"), GuardEvent("PermissionRequest"), GuardEvent("Stop")),
        options=(
            *SWITCHED,
            Option("on", "words", "when you are told", ["waits", "ends"], names=("waits", "ends"), may_be_empty=True),
            Option("bell", "flag", "ring the bell of the terminal", True),
            Option("desktop", "flag", "show a notice with notify-send, osascript or PowerShell", True),
            Option("webhook", "flag", "post to the webhook under [notify] in your own anyhook.toml", False),
        ),
        module="session.notify",
        cannot_see="waiting in clients without such an event; the bell needs a terminal, and the daemon has none",
        fails_closed=False,
    ),
    GuardInfo(
        name="tests",
        does="runs the project's checks when the agent wants to end, and gives it the failures",
        events=(GuardEvent("Stop"),),
        options=(
            *SWITCHED,
            MESSAGE,
            Option("command", "text", "the command that runs the checks, in the project's folder"),
            Option("rounds", "count", "how often in a row the agent is kept going", 3),
            Option("seconds", "count", "how long the command may take, at most 280", 240),
        ),
        module="session.checks",
        timeout=300,
        cannot_see="whether the checks test anything, and changes in files that git ignores",
        fails_closed=False,
    ),
)
GUARDS: Mapping[str, GuardInfo] = {guard.name: guard for guard in _GUARDS}


def guard_function(name: str) -> GuardFunction:
    """The code of a guard, or of rules; its module is imported now. KeyError: there is no guard of this name."""
    from importlib import import_module

    module = "rules" if name == "rule" else GUARDS[name].module
    found: GuardFunction = import_module(f"anyhook.guards.{module}").judge
    return found


def detected_commands(name: str, project: Path) -> tuple[str, ...]:
    """What a guard could run in a project, each with the file that says so; nothing for the others."""
    if name != "tests":
        return ()
    from anyhook.guards.session.checks import detect

    return tuple(f"{found.command} ({found.file})" for found in detect(project))


_OUTSIDE = r"^(/|~|[A-Za-z]:)|(^|/)\.\.(/|$)|\\"
"""Of a glob: what makes it an absolute path, or leads out of the package."""


def guards_schema() -> dict[str, Any]:
    """The JSON Schema of guards and rules in ``anyhook.toml``; the other tables of the file may have anything."""
    guards = {name: {"description": guard.does, **schema_of(guard.options)} for name, guard in GUARDS.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Guards and rules in anyhook.toml",
        "type": "object",
        "properties": {
            "guards": {"type": "object", "properties": guards, "additionalProperties": False},
            "rule": _rules(),
            "uses": {
                "description": "globs of further files that belong to all hooks of the package",
                "type": "array",
                "items": {"type": "string", "not": {"pattern": _OUTSIDE}},
            },
        },
    }


def rules_schema() -> dict[str, Any]:
    """The JSON Schema of ``hooks/rules.yaml``."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rules without scripts",
        "type": "object",
        "properties": {"rules": _rules()},
        "required": ["rules"],
        "additionalProperties": False,
    }


def _rules() -> dict[str, Any]:
    return {"type": "array", "items": {**schema_of(RULE), "required": ["then"]}}
