"""Hooks in the form that every dialect reads into: files of rules, rules of actions, each with origin and fate."""

# No ``from __future__ import annotations``: msgspec would compile every string annotation again in each process.

import enum
import sys
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any, ClassVar, Literal

from msgspec import Struct, structs

from anyhook.model.origin import Origin
from anyhook.model.problems import Problem


class FateState(enum.StrEnum):
    """What becomes of a hook in the client that reads it."""

    ACTIVE = "active"
    UNTRUSTED = "untrusted"  # nobody has approved it, or it has changed since
    DISABLED = "disabled"  # switched off by a setting
    SHADOWED = "shadowed"  # another file or an identical hook takes its place
    NEVER = "never matches"  # loaded, but its matcher matches nothing that this client sends
    DROPPED = "dropped"  # the client does not load it


class Fate(Struct, frozen=True):
    state: FateState = FateState.ACTIVE
    why: str = ""


ACTIVE = Fate()


class OsCommands(Struct, frozen=True, omit_defaults=True):
    """Commands for single operating systems, where they differ from the default."""

    windows: str | None = None
    linux: str | None = None
    macos: str | None = None

    def any_text(self) -> str:
        """A command for one of the systems; empty if there is none."""
        return self.windows or self.linux or self.macos or ""


class Action(Struct, frozen=True, kw_only=True):
    """One thing to run when a rule matches. Fields that a client does not have keep their default."""

    kind: ClassVar[str] = ""

    origin: Origin = Origin()
    fate: Fate = ACTIVE
    name: str | None = None
    timeout_ms: int | None = None
    """None: the client's default. Always milliseconds, whichever unit the file uses."""
    condition: str | None = None
    """Claude Code's ``if``: a permission rule that the tool call must satisfy."""
    is_async: bool = False
    once: bool = False
    fail_closed: bool = False
    """True: if the hook itself fails, the action that it guards is blocked."""
    status_message: str | None = None
    extra: Mapping[str, Any] = {}
    """Keys of the entry that no field above holds, kept for writing back."""

    @property
    def is_loaded(self) -> bool:
        return self.fate.state is not FateState.DROPPED

    def summary(self) -> str:
        """What the action does, in one line."""
        return self.kind


MAX_COMMAND_LENGTH = 64_000
"""Of the command lines, arguments and variables of one hook that are searched: for mistakes, and for files."""


class Command(Action, frozen=True, kw_only=True):
    kind: ClassVar[str] = "command"

    command: str = ""
    """For every operating system without its own variant; empty if there are only variants."""
    by_os: OsCommands = OsCommands()
    args: tuple[str, ...] | None = None
    """Not None: the command is started directly with these arguments, without a shell."""
    shell: str | None = None
    cwd: str | None = None
    env: Mapping[str, str] = {}
    rewakes: bool = False
    """Claude Code's ``asyncRewake``: runs in the background and wakes the model when it exits with 2."""
    show_output: bool | None = None
    context_limit: int | None = None
    """Codex's ``additionalContextLimit``, in tokens."""

    def line(self) -> str:
        """The command that this system runs; empty if there is none for it."""
        own = {"win32": self.by_os.windows, "darwin": self.by_os.macos, "linux": self.by_os.linux}
        line = own.get(sys.platform)
        return self.command if line is None else line

    def summary(self) -> str:
        """What this system runs; if there is nothing for it, what another one does."""
        command = self.line() or next(iter(self.commands()), "")
        return " ".join((command, *(self.args or ())))

    def commands(self) -> tuple[str, ...]:
        """Every command line that any operating system would run."""
        variants = (self.command, self.by_os.linux, self.by_os.macos, self.by_os.windows)
        return tuple(dict.fromkeys(variant for variant in variants if variant))

    @property
    def is_too_long(self) -> bool:
        """Whether searching its texts would take long; no system starts a much longer command."""
        return sum(map(len, (*self.commands(), *(self.args or ()), *self.env.values()))) > MAX_COMMAND_LENGTH


class Prompt(Action, frozen=True, kw_only=True):
    kind: ClassVar[str] = "prompt"

    prompt: str
    model: str | None = None
    purpose: Literal["judge", "submit"] = "judge"
    """judge: a model is asked for a verdict. submit: the text is given to the agent as a prompt (Copilot CLI, Kiro)."""
    continue_on_block: bool = False

    def summary(self) -> str:
        return " ".join(self.prompt.split())


class Agent(Action, frozen=True, kw_only=True):
    kind: ClassVar[str] = "agent"

    prompt: str
    model: str | None = None
    tools: tuple[str, ...] = ()
    max_turns: int | None = None

    def summary(self) -> str:
        return " ".join(self.prompt.split())


class Http(Action, frozen=True, kw_only=True):
    kind: ClassVar[str] = "http"

    url: str
    headers: Mapping[str, str] = {}
    allowed_env: tuple[str, ...] = ()

    def summary(self) -> str:
        return f"POST {self.url}"


class McpTool(Action, frozen=True, kw_only=True):
    kind: ClassVar[str] = "mcp_tool"

    server: str
    tool: str
    input: Mapping[str, Any] = {}

    def summary(self) -> str:
        return f"{self.server}/{self.tool}"


class Python(Action, frozen=True, kw_only=True):
    """A function of the Python file that the origin names; only anyhook runs such hooks."""

    kind: ClassVar[str] = "python"

    function: str

    def summary(self) -> str:
        return f"{PurePath(self.origin.file).name}:{self.function}"


PLACE = "place"
"""A setting that no file has: where a guard of an untrusted project is written, which it says in place of its words."""
_SHADOW = "shadow: does not block"
_SPEAKING = ("warn", "ask", "block")


def only_shadows(settings: Mapping[str, Any]) -> bool:
    """Whether a guard or a rule with these settings only records what it would do, and never blocks."""
    families, exceptions = settings.get("families"), settings.get("exceptions")
    levels = [*families.values()] if isinstance(families, Mapping) else []
    levels += [each.get("level") for each in exceptions if isinstance(each, Mapping)] if exceptions else []
    return settings.get("level") == "shadow" and not any(level in _SPEAKING for level in levels)


class Guard(Action, frozen=True, kw_only=True):
    """A guard that comes with anyhook (:mod:`anyhook.guards`), with the settings that a file gives it."""

    kind: ClassVar[str] = "guard"

    guard: str
    settings: Mapping[str, Any] = {}

    def summary(self) -> str:
        told = ((key, value) for key, value in self.settings.items() if value not in ({}, []) and key != PLACE)
        is_shadow = only_shadows(self.settings)
        said = ", ".join(_SHADOW if is_shadow and key == "level" else f"{key} = {_brief(value)}" for key, value in told)
        return f"{self.guard} guard" + (f" ({said})" if said else "")


class Callback(Action, frozen=True, kw_only=True):
    kind: ClassVar[str] = "callback"

    function: Callable[..., Any]

    def summary(self) -> str:
        return getattr(self.function, "__qualname__", repr(self.function))


class DeclaredRule(Guard, frozen=True, kw_only=True):
    """A rule without a script (:mod:`anyhook.guards.rules`): its settings are its conditions and its effect."""

    kind: ClassVar[str] = "rule"

    guard: str = "rule"

    def summary(self) -> str:
        return _rule_summary(self.settings, "")


class RuleCommand(Command, frozen=True, kw_only=True):
    """A rule without a script whose effect is a command: it runs as any other, if the conditions hold."""

    kind: ClassVar[str] = "rule_command"

    settings: Mapping[str, Any] = {}

    def summary(self) -> str:
        return _rule_summary(self.settings, super().summary())


def is_shadow(action: Action) -> bool:
    return isinstance(action, Guard | RuleCommand) and only_shadows(action.settings)


def _rule_summary(settings: Mapping[str, Any], command: str) -> str:
    """What a rule is called and does, and its conditions. A rule with mistakes has a summary, too."""
    name, then, when = settings.get("name"), settings.get("then"), settings.get("when")
    if settings.get("remembers"):
        return f"{name or then}: remembers earlier events"
    effect = _brief(then) if then else "no effect"
    unless = settings.get("unless")
    if then == "rewrite" and {"replace", "by"} <= settings.keys():
        effect = f"rewrite {_brief(settings['replace'])} to {_brief(settings['by'])}"
    if command:
        effect = command if name else f"run: {command}"
    said = f"{_brief(name)}: {effect}" if name else effect
    said += f", {_SHADOW}" if only_shadows(settings) else ""
    conditions = when.items() if isinstance(when, Mapping) else ()
    shown = ", ".join(f"{key} {_condition(value)}" for key, value in conditions)
    if isinstance(unless, Mapping):
        shown += f"{', ' if shown else ''}unless [{_brief(unless)}]"
    return f"{said} ({shown})" if shown else said


def _condition(value: object) -> str:
    tables = value if isinstance(value, list) and all(isinstance(item, Mapping) for item in value) else [value]
    return " and ".join(f"[{_brief(item)}]" if isinstance(item, Mapping) else _brief(item) for item in tables)


def _brief(value: object) -> str:
    """A setting in one line: its text, or how many values it has."""
    match value:
        case str() if len(value) <= 40:
            return value
        case str():
            return f"{value[:37]}..."
        case bool():
            return "true" if value else "false"
        case Mapping():
            return ", ".join(f"{key}: {_brief(inner)}" for key, inner in value.items())
        case list() | tuple() if all(isinstance(item, str) for item in value):
            return _brief(" ".join(value))
        case list() | tuple():
            return str(len(value))
        case _:
            return str(value)


class Unreadable(Action, frozen=True, kw_only=True):
    """An entry that is not a valid action in any client; kept so that it can be shown and explained."""

    kind: ClassVar[str] = "unreadable"

    text: str

    def summary(self) -> str:
        return self.text


class Rule(Struct, frozen=True, kw_only=True):
    """An event, a matcher on its subject, and the actions to run."""

    event: str
    """Canonical name (:mod:`anyhook.model.events`), or the name as written if it is unknown."""
    native_event: str
    """The name as the file spells it."""
    matcher: str | None = None
    actions: tuple[Action, ...] = ()
    origin: Origin = Origin()
    sequential: bool = False
    command_pattern: str | None = None
    """Factory's ``commandRegex``: a second pattern, on the shell command."""
    kinds: tuple[str, ...] = ()
    """What the tool must do, whatever it is called (:mod:`anyhook.dialects.translation.tool_kinds`)."""
    is_nested: bool = True
    """True: the file has a group with a list of hooks. False: one flat entry."""
    extra: Mapping[str, Any] = {}


class Switches(Struct, frozen=True):
    """Settings of a file that switch off its own hooks or those of other files."""

    off: frozenset[str] = frozenset()
    """Which hooks are off: "file", "all", "unmanaged"; "start": the client does not start."""
    named: frozenset[str] = frozenset()
    """Names or commands of single hooks that are switched off."""
    events: frozenset[str] = frozenset()
    """Events on which no hook runs, because of a mistake in the file."""
    no_start: str = ""
    """Why the client does not start, if it does not."""


class HookFile(Struct, frozen=True, kw_only=True):
    """One file as one dialect reads it."""

    dialect: str
    path: str
    scope: str
    kind: str
    rules: tuple[Rule, ...] = ()
    problems: tuple[Problem, ...] = ()
    switches: Switches = Switches()
    extra: Mapping[str, Any] = {}
    """Other top-level keys of a file that holds only hooks, kept for writing back."""


class HookSet(Struct, frozen=True, kw_only=True):
    """All hooks of one client for one project, in the order in which the client runs them."""

    dialect: str
    rules: tuple[Rule, ...] = ()
    problems: tuple[Problem, ...] = ()
    files: tuple[HookFile, ...] = ()


def with_fate(rule: Rule, fate: Fate) -> Rule:
    """The rule with this fate for every action that is active."""
    return structs.replace(
        rule,
        actions=tuple(structs.replace(a, fate=fate) if a.fate.state is FateState.ACTIVE else a for a in rule.actions),
    )
