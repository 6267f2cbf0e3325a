"""A hook file as a whole: syntax, top-level keys and switches, and what its client makes of mistakes in them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from anyhook.dialects.events import find_event
from anyhook.dialects.files.entries import EXPECTED, describe
from anyhook.dialects.places import FileKind
from anyhook.dialects.profile import Layout, LossScope, Profile
from anyhook.model.codes import Severity
from anyhook.model.document import Document, Pointer, QuirkKind, json_pointer
from anyhook.model.hooks import Switches
from anyhook.model.origin import Origin, Scope
from anyhook.model.problems import Problem, problem
from anyhook.model.wording import close_matches

_names_hooks = re.compile(r"^hooks\s*:", re.MULTILINE).search


class WholeFile:
    """Collects the problems of one file, and whether they cost its client the whole file."""

    def __init__(self, profile: Profile, document: Document, kind: FileKind, scope: Scope) -> None:
        self.profile = profile
        self.layout: Layout = profile.layout
        self.document = document
        self.kind = kind
        self.scope = scope
        self.problems: list[Problem] = []
        self.file_lost = ""
        """Why the client loses the whole file; empty while it does not."""
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

    def _report_at(self, code: str, offset: int, text: str, fix: str) -> None:
        line, column = self.document.line_column(offset)
        origin = Origin(self.profile.name, self.scope, self.document.path, "", line, column)
        self.problems.append(problem(code, origin, text, fix))

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
                    code = "F009" if self.kind is FileKind.COMPONENT else "F001"
                    self._report_at(
                        code, quirk.offset, f"{quirk.text}; {consequence}", "correct the syntax at this place"
                    )
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
                        self._report_at(
                            code, quirk.offset, f"{quirk.kind}: {consequence}", f"remove it; {title} reads strict JSON"
                        )

    def why_lost(self, pointer: Pointer) -> str:
        """Why the parser could not make a hook of what is here; empty when it could."""
        lost = (quirk for quirk in self.document.quirks if quirk.kind is QuirkKind.LOST and quirk.pointer)
        return next((quirk.text for quirk in lost if quirk.pointer == pointer), "")

    def _consequence(self, loss: LossScope) -> str:
        if loss is LossScope.START:
            return f"{self.profile.title} refuses to start"
        return f"{self.profile.title} ignores the whole file"

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
        version = data.get("version")
        if version is None:
            if layout.version_required:
                severity = None if "version" not in data else Severity.ERROR
                text = f'no "version"; {title} wants {layout.version!r}'
                self.report("S005", (), text, f'add "version": {layout.version!r}', severity)
        elif version != layout.version or isinstance(version, bool):
            self.file_lost = f"version {version!r}: {title} ignores the whole file"
            self.report("S006", ("version",), self.file_lost, f'write "version": {layout.version!r}')

    def check_switches(self, data: Any) -> None:
        """Report settings whose value has a type that loses the file."""
        for switch in self.profile.switches:
            value = _value_at(data, switch.path)
            wrong = not isinstance(value, bool) and not (value is None and switch.null)
            if switch.others == "file lost" and value is not _ABSENT and wrong and not self.file_lost:
                self.file_lost = f"{'.'.join(switch.path)} is {describe(value)}: {self._consequence(LossScope.FILE)}"
                self.report("S008", switch.path, self.file_lost, "write true or false")

    def read_switches(self, data: Any) -> Switches:
        off: set[str] = set()
        named: set[str] = set()
        for switch in self.profile.switches:
            value = _value_at(data, switch.path)
            if switch.reach == "named" and isinstance(value, list):
                named.update(item for item in value if isinstance(item, str))
            elif switch.reach != "named" and self.document.path.endswith(switch.file):
                mistyped = switch.others == "same" and not (value in (_ABSENT, None) or isinstance(value, bool))
                if value is switch.value or mistyped:
                    off.add(switch.reach)
        if self.file_lost and self.layout.on_syntax_error is LossScope.START:
            off.add("start")
        return Switches(frozenset(off), frozenset(named), frozenset(self.events_lost))


_ABSENT = object()


def _value_at(data: Any, path: Sequence[str]) -> Any:
    for key in path:
        data = data.get(key, _ABSENT) if isinstance(data, dict) else _ABSENT
    return data
