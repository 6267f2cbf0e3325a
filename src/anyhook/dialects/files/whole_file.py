"""A hook file as a whole: syntax, top-level keys and switches, and what its client makes of mistakes in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.json import encode

from anyhook.dialects.clients import OWN
from anyhook.dialects.events import find_event
from anyhook.dialects.files.entries import EXPECTED, describe
from anyhook.dialects.overrides import overridden
from anyhook.dialects.places import FileKind
from anyhook.dialects.profile import Layout, LossScope, Profile, SettingsRule, Switch
from anyhook.dialects.settings.shapes import Misfit, misfit
from anyhook.dialects.stages import Opened
from anyhook.model.codes import Severity
from anyhook.model.document import Document, Pointer, QuirkKind, json_pointer, value_at
from anyhook.model.hooks import Switches
from anyhook.model.origin import Origin, Scope
from anyhook.model.problems import Problem, problem
from anyhook.model.wording import close_matches

_SHOWN = 40
"""Characters of a setting's text that a message shows."""
_names_hooks = re.compile(r"^hooks\s*:", re.MULTILINE).search


class WholeFile:
    """Collects the problems of one file, and whether they cost its client the whole file."""

    def __init__(self, profile: Profile, document: Document, kind: FileKind, scope: Scope) -> None:
        self.profile = profile
        opened = Opened(profile, kind, scope)
        self.layout: Layout = overridden(profile.overrides.layout, opened, lambda it: it.profile.layout)
        self.document = document
        self.kind = kind
        self.scope = scope
        self.problems: list[Problem] = []
        self.file_lost = ""
        """Why the client loses the whole file; empty while it does not."""
        self.lost_scope = self.layout.on_syntax_error
        """What else that costs: the start of the client."""
        self.events_lost: set[str] = set()
        """Events whose hooks never run, in any file, because of a mistake in this one."""

    @property
    def expected(self) -> str:
        """The shape that the client wants, in words for people."""
        return EXPECTED[self.layout.shape]

    def origin(self, pointer: Pointer) -> Origin:
        line, column = self.document.position(pointer)
        return Origin(self.profile.name, self.scope, self.document.path, json_pointer(pointer), line, column)

    def report(self, code: str, pointer: Pointer, text: str, fix: str = "", severity: Severity | None = None) -> None:
        self.problems.append(problem(code, self.origin(pointer), text, fix, severity=severity))

    def _report_at(self, code: str, offset: int, text: str, fix: str, severity: Severity | None = None) -> None:
        line, column = self.document.line_column(offset)
        origin = Origin(self.profile.name, self.scope, self.document.path, "", line, column)
        self.problems.append(problem(code, origin, text, fix, severity=severity))

    def check_text(self) -> None:
        """Report what the text has that this client does not accept, and whether that loses the file."""
        accepted = {
            QuirkKind.COMMENT: self.layout.comments,
            QuirkKind.TRAILING_COMMA: self.layout.trailing_commas,
            QuirkKind.BYTE_ORDER_MARK: self.layout.byte_order_mark,
        }
        title, consequence = self.profile.title, self._consequence(self.layout.on_syntax_error)
        reported: set[QuirkKind] = set()
        lost: set[tuple[int, str]] = set()
        for quirk in self.document.quirks:
            line, _ = self.document.line_column(quirk.offset)
            match quirk.kind:
                case QuirkKind.BROKEN if self.kind is FileKind.COMPONENT and not _names_hooks(self.document.text):
                    pass  # most skills and agents have no hooks, and what a client makes of the rest is its own matter
                case QuirkKind.BROKEN:
                    code = quirk.code or ("F009" if self.kind is FileKind.COMPONENT else "F001")
                    fix = quirk.fix or "correct the syntax at this place"
                    self._report_at(code, quirk.offset, f"{quirk.text}; {consequence}", fix)
                    self.file_lost = f"{quirk.text} in line {line}: {consequence}"
                case QuirkKind.DUPLICATE_KEY:
                    if self._concerns_hooks(quirk.pointer):
                        self._report_at(
                            "F003",
                            quirk.offset,
                            f'"{quirk.text}" appears twice in this object; this first one is lost',
                            "merge the two into one",
                        )
                case QuirkKind.LOST if (quirk.offset, quirk.text) in lost:
                    pass  # one mistake that costs several hooks
                case QuirkKind.LOST:
                    lost.add((quirk.offset, quirk.text))
                    self._report_at(quirk.code or "F010", quirk.offset, quirk.text, quirk.fix)
                case _ if not accepted[quirk.kind]:
                    # The first one, at which the client gives up, is also the one that is reported.
                    self.file_lost = self.file_lost or f"{quirk.kind} in line {line}: {consequence}"
                    if quirk.kind not in reported:
                        reported.add(quirk.kind)
                        code = "F004" if quirk.kind is QuirkKind.BYTE_ORDER_MARK else "F002"
                        text, fix = f"{quirk.kind}: {consequence}", f"remove it; {title} reads strict JSON"
                        severity = None
                        if self.profile.basis == "documented":  # no document says what the client makes of it
                            text, severity = f"{quirk.kind}: {title} may ignore the whole file", Severity.WARNING
                            fix = f"remove it; nobody has seen {title} read one"
                        self._report_at(code, quirk.offset, text, fix, severity)

    def why_lost(self, pointer: Pointer) -> str:
        """Why the parser could not make a hook of what is here; empty when it could."""
        lost = (quirk for quirk in self.document.quirks if quirk.kind is QuirkKind.LOST and quirk.pointer)
        return next((quirk.text for quirk in lost if quirk.pointer == pointer), "")

    def _consequence(self, loss: LossScope) -> str:
        if loss is LossScope.START:
            return f"{self.profile.title} refuses to start"
        reader = "anyhook" if self.profile.name == OWN else self.profile.title
        return f"{reader} ignores the whole file"

    def _concerns_hooks(self, pointer: Pointer) -> bool:
        return self.kind is FileKind.HOOKS or (bool(pointer) and pointer[0] == "hooks")

    def check_file_keys(self, data: Mapping[str, Any]) -> None:
        layout, title = self.layout, self.profile.title
        if layout.file_keys is not None:
            for key in data:
                if key not in layout.file_keys and not (layout.bare_map and find_event(key)):
                    self.file_lost = f'top-level key "{key}": {title} ignores the whole file'
                    allowed = ", ".join(sorted(layout.file_keys))
                    close = close_matches(key, layout.file_keys)
                    hint = f"did you mean {close[0]}? " if close else "remove it; "
                    self.report("K003", (key,), self.file_lost, f"{hint}only {allowed} are allowed here")
        for key in layout.text_keys & data.keys():
            if not isinstance(data[key], str | None):
                self.file_lost = f'"{key}" is {describe(data[key])}, not text: {title} ignores the whole file'
                self.report("K007", (key,), self.file_lost, "write text")
        if layout.version is None:
            return
        version, wanted = data.get("version"), encode(layout.version).decode()
        if version is None:
            if layout.version_required:
                severity = None if "version" not in data else Severity.ERROR
                text = f'no "version"; {title} wants {wanted}'
                self.report("S005", (), text, f'add "version": {wanted}', severity)
        elif version != layout.version or isinstance(version, bool):
            self.file_lost = f"version {version!r}: {title} ignores the whole file"
            self.report("S006", ("version",), self.file_lost, f'write "version": {wanted}')

    def check_settings(self, data: Any, *, has_hooks: bool) -> None:
        """Report a setting whose value costs the file, or the start of the client.

        A lost file without hooks or switches costs no hook, and so is not reported.
        """
        for settings in self.profile.settings:
            if self.file_lost or not self._is_about(settings):
                continue
            concerns = has_hooks or settings.costs is LossScope.START or any(_values_of(self.profile.switches, data))
            found = misfit(data, settings.shape) if concerns else None
            if found is not None:
                self.lost_scope = settings.costs
                self.file_lost = f"{self._say_misfit(found, data)}: {self._consequence(settings.costs)}"
                where = found.pointer[:-1] if found.is_missing else found.pointer
                self.report("S013", where, self.file_lost, f"write {found.expected}, or remove the setting")

    def _is_about(self, settings: SettingsRule) -> bool:
        is_named = not settings.files or self.document.path.endswith(settings.files)
        return is_named and self.kind in settings.kinds and self.scope in settings.scopes

    def _say_misfit(self, found: Misfit, data: Any) -> str:
        name = ".".join(map(str, found.pointer))
        line, _ = self.document.position(found.pointer)
        if not found.pointer:
            return f"the settings are {describe(data)}, not an object"
        if found.is_missing:
            return f"{name} is missing in line {line}"
        value = value_at(data, found.pointer)
        shown = f'"{value}"' if isinstance(value, str) and len(value) <= _SHOWN else describe(value)
        shown = f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else shown
        return f"{name} in line {line} is {shown}, not {found.expected}"

    def read_switches(self, data: Any) -> Switches:
        off: set[str] = set()
        named: set[str] = set()
        if self.file_lost:  # with its switches
            events = frozenset(self.events_lost)
            if self.lost_scope is LossScope.START:
                return Switches(frozenset({"start"}), events=events, no_start=self.file_lost)
            return Switches(events=events)
        for switch in self.profile.switches:
            value = _value_at(data, switch.path)
            if switch.reach == "named" and isinstance(value, list):
                named.update(item for item in value if isinstance(item, str))
            elif switch.reach != "named" and self.document.path.endswith(switch.file) and _is_off(switch, value):
                off.add(switch.reach)
        return Switches(frozenset(off), frozenset(named), frozenset(self.events_lost))


def _is_off(switch: Switch, value: Any) -> bool:
    """Whether a switch has the value that turns hooks off, or one that counts as it."""
    if value is _ABSENT or value is None or isinstance(value, bool):
        return value is switch.value
    is_false = switch.others == "by meaning" and isinstance(value, str) and value.lower() == "false"
    is_true = not is_false and (isinstance(value, list | dict) or bool(value))
    return switch.others != "ignored" and is_true is switch.value


def _values_of(switches: Sequence[Switch], data: Any) -> Iterator[bool]:
    return (_value_at(data, switch.path) is not _ABSENT for switch in switches)


_ABSENT = object()


def _value_at(data: Any, path: Sequence[str]) -> Any:
    for key in path:
        data = data.get(key, _ABSENT) if isinstance(data, dict) else _ABSENT
    return data
