"""What a rule is given: one file, the client that reads it, and the disk around it; one hook of it; one command."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from anyhook.dialects.bound_event import bind_rule
from anyhook.dialects.files.actions import keys_of
from anyhook.dialects.places import FileKind, Root, Source
from anyhook.dialects.profile import Profile
from anyhook.lint.disk import Disk
from anyhook.model.codes import Severity
from anyhook.model.document import Document, Pointer, json_pointer, parse_pointer, value_at
from anyhook.model.events import BY_NAME, Event
from anyhook.model.hooks import Action, Command, HookFile, Rule, Unreadable
from anyhook.model.origin import Origin, Scope
from anyhook.model.problems import Edit, Problem, problem


class CheckedFile(Struct, frozen=True):
    """A hook file as one client reads it."""

    profile: Profile
    hooks: HookFile
    document: Document
    source: Source
    base: Path
    """The project, plugin or home folder that the file belongs to."""
    disk: Disk
    pointers: dict[str, Pointer] = field(default_factory=dict)
    """The pointers of texts that rules have asked for."""
    command_lines: dict[int, tuple[CommandLine, ...]] = field(default_factory=dict)
    """Those of the file's actions, by the identity of the action: some twenty rules ask each hook for them."""

    @property
    def path(self) -> Path:
        return Path(self.hooks.path)

    @property
    def is_component(self) -> bool:
        """Whether the hooks are in the front matter of a skill, agent or command."""
        return self.hooks.kind == FileKind.COMPONENT

    @property
    def is_in_plugin(self) -> bool:
        """Whether the file belongs to a plugin: its hook file, or a skill, agent or command of it."""
        return self.hooks.scope == Scope.PLUGIN or (self.is_component and self.source.root is Root.PLUGIN)

    @property
    def is_shared(self) -> bool:
        """Whether other people get this file too."""
        return self.hooks.scope in (Scope.PROJECT, Scope.PLUGIN, Scope.COMPONENT)

    @property
    def is_guessed(self) -> bool:
        """Whether only the content of the file told which client it is for."""
        source = self.source
        return source.root is Root.PLUGIN and not source.marker and not source.sniffed

    @property
    def is_certain(self) -> bool:
        """Whether the place of the file, or a name in it that is the client's own, tells which client it is for."""
        hints = self.profile.recognition
        named = any(name in self.document.text for name in (*hints.variables, *hints.shared_variables))
        return named or not (self.is_guessed or self.source.sniffed)

    def all_hooks(self) -> Iterator[Hook]:
        return (Hook(self, rule, action) for rule in self.hooks.rules for action in rule.actions)

    def origin(self, pointer: Pointer) -> Origin:
        line, column = self.document.position(pointer)
        scope = Scope(self.hooks.scope)
        return Origin(self.profile.name, scope, self.hooks.path, json_pointer(pointer), line, column)

    def problem(
        self,
        code: str,
        pointer: Pointer,
        text: str,
        fix: str = "",
        *,
        severity: Severity | None = None,
        edits: tuple[Edit, ...] = (),
    ) -> Problem:
        return problem(code, self.origin(pointer), text, fix, severity=severity, edits=edits)

    def pointer(self, origin: Origin) -> Pointer:
        text = origin.pointer
        if text not in self.pointers:
            self.pointers[text] = parse_pointer(self.document.data, text)
        return self.pointers[text]


class Hook(Struct, frozen=True):
    """One hook of a file, with the rule it belongs to."""

    file: CheckedFile
    rule: Rule
    action: Action

    @property
    def profile(self) -> Profile:
        """The client's rules for an event of this spelling."""
        return bind_rule(self.file.profile, self.rule).profile

    @property
    def event(self) -> Event | None:
        return BY_NAME.get(self.rule.event)

    @property
    def decides(self) -> bool:
        """Whether the client lets a hook block something on this event."""
        return self.profile.blocks(self.rule.event)

    @property
    def pointer(self) -> Pointer:
        return self.file.pointer(self.action.origin)

    @property
    def entry(self) -> Mapping[str, Any]:
        """The hook as the file has it; empty when it is not an object."""
        value = value_at(self.file.document.data, self.pointer)
        return value if isinstance(value, dict) else {}

    def at(self, key: str) -> Pointer:
        """Where a key of the hook is; the hook itself when it does not have it."""
        return (*self.pointer, key) if key in self.entry else self.pointer

    def commands(self) -> tuple[CommandLine, ...]:
        """Every command line of the hook, with the shell that reads it."""
        known = self.file.command_lines.get(id(self.action))
        if known is None:
            known = self.file.command_lines[id(self.action)] = self._read_commands()
        return known

    def _read_commands(self) -> tuple[CommandLine, ...]:
        lines = [line for key in self.entry if (line := self._command(key))]
        if isinstance(self.action, Command):
            fields = keys_of(self.profile.layout, "command")
            found = {fields.get(line.key) for line in lines}
            if "by_os.windows" in found and (found >= {"by_os.linux", "by_os.macos"} or "by_os.posix" in found):
                lines = [line for line in lines if fields.get(line.key) != "command"]  # no system is left for it
        if not lines and isinstance(self.action, Command):
            lines = [CommandLine(self, "", text, _shell_of("", text, self.action)) for text in self.action.commands()]
        return tuple(lines)

    def shell_commands(self) -> tuple[CommandLine, ...]:
        return tuple(line for line in self.commands() if line.shell is Shell.POSIX)

    def _command(self, key: str) -> CommandLine | None:
        text = self.entry[key]
        field = ""
        if isinstance(self.action, Command):
            field = keys_of(self.profile.layout, "command").get(key, "")
        elif isinstance(self.action, Unreadable):
            field = _FIELDS.get(key, "")
        if not isinstance(text, str) or not text.strip() or not (field == "command" or field.startswith("by_os.")):
            return None
        return CommandLine(self, key, text, _shell_of(field, text, self.action))


class Shell(enum.Enum):
    """Who reads a command line."""

    POSIX = enum.auto()
    WINDOWS = enum.auto()  # PowerShell or cmd
    NONE = enum.auto()  # started directly with arguments


class CommandLine(Struct, frozen=True):
    hook: Hook
    key: str
    """The key that holds it; empty when the file has it in another form."""
    text: str
    shell: Shell

    @property
    def pointer(self) -> Pointer:
        return self.hook.at(self.key) if self.key else self.hook.pointer


_FIELDS = {
    "command": "command",
    "bash": "by_os.posix",
    "linux": "by_os.linux",
    "osx": "by_os.macos",
    "powershell": "by_os.windows",
    "windows": "by_os.windows",
    "commandWindows": "by_os.windows",
}
"""Keys under which clients keep commands, for entries that this client could not read."""

_windows_text = re.compile(
    r"\s*(?:&\s*)?\"?(?:powershell|pwsh|cmd)(?:\.exe)?(?![\w=.-])|.*\$env:\w", re.IGNORECASE
).match


def _shell_of(field: str, text: str, action: Action) -> Shell:
    if isinstance(action, Command) and action.args is not None:
        return Shell.NONE
    wants_powershell = isinstance(action, Command) and action.shell == "powershell"
    is_windows = field == "by_os.windows" or wants_powershell or _windows_text(text)
    return Shell.WINDOWS if is_windows else Shell.POSIX
