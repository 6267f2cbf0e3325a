"""Guards of ``anyhook.toml``, read as hooks.

The data has the shape of a universal hook file, so that its dialect reads it like any other. Wrong settings are
reported and left out: the guard runs with their defaults, the strictest, and does not vanish.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from anyhook.dialects.clients import OWN
from anyhook.dialects.events import native_name
from anyhook.model.document import Document, Format, Pointer, Quirk, QuirkKind, Span, line_starts
from anyhook.sources.parsing.parse_toml import parse_toml

_names_guards = re.compile(r"^[ \t\ufeff]*(?:\[{0,2}[ \t]*[\"']?(?:guards|rule)\b)", re.MULTILINE).search
CODE = "F012"


def parse_guards(text: str, path: str = "") -> Document:
    """Reads any text; ``data`` is None when no guard is in it, or when it is not TOML."""
    if not _names_guards(text):  # most files have other settings alone
        return Document(path, text, None, Format.GUARDS, line_starts(text), {})
    written = parse_toml(text, path)
    if not isinstance(written.data, dict):
        broken = tuple(quirk for quirk in written.quirks if quirk.kind is QuirkKind.BROKEN)
        return Document(path, text, None, Format.GUARDS, written.line_starts, {}, broken)
    tables = OwnHooks(written)
    tables.read_guards(written.data.get("guards", {}))
    return tables.document(Format.GUARDS)


class OwnHooks:
    """Collects the hooks of a file, each with the place of the table that it comes from."""

    def __init__(self, written: Document) -> None:
        self._written = written
        self._events: dict[str, list[dict[str, Any]]] = {}
        self._quirks: list[Quirk] = []
        whole = Span(0, len(written.text))
        self._spans: dict[Pointer, Span] = {(): whole, ("hooks",): whole}

    def document(self, form: Format) -> Document:
        written = self._written
        data = {"version": 1, "hooks": self._events} if self._events else None
        return Document(written.path, written.text, data, form, written.line_starts, self._spans, tuple(self._quirks))

    def read_guards(self, tables: object) -> None:
        from anyhook.guards.catalogue import GUARDS
        from anyhook.guards.options import usable_settings
        from anyhook.model.wording import did_you_mean

        if not isinstance(tables, dict):
            self.report(("guards",), '"guards" must be a table', "write [guards.shell]")
            return
        for name, table in tables.items():
            place: Pointer = ("guards", name)
            if name not in GUARDS:
                self.report(place, f"there is no guard {name}", did_you_mean(name, GUARDS))
                continue
            if not isinstance(table, dict):
                self.report(place, f"{name} must be a table", f"write [guards.{name}]")
                table = {}
            guard = GUARDS[name]
            settings, mistakes = usable_settings(guard.options, table)
            for mistake in mistakes:
                self.report((*place, *mistake.pointer), mistake.text, mistake.fix)
            hook = {"type": "guard", "guard": name, "settings": settings, "timeout": guard.timeout}
            hook |= {"failClosed": True} if guard.fails_closed else {}
            for asked in guard.events:
                self.add(asked.event, asked.kinds, hook, place)

    def add(self, event: str, kinds: tuple[str, ...], hook: Mapping[str, Any], place: Pointer) -> None:
        """Put a hook under its event."""
        native = native_name(event, OWN) or event
        groups = self._events.setdefault(native, [])
        group: Pointer = ("hooks", native, len(groups))
        groups.append({**({"kind": list(kinds)} if kinds else {}), "hooks": [dict(hook)]})
        span = self._written.span(place)
        self._spans.setdefault(group[:2], span)
        self._spans |= {group: span, (*group, "hooks", 0): span}

    def report(self, place: Pointer, text: str, fix: str) -> None:
        """A mistake at a place of the file, for which only what it is about is lost."""
        span = self._written.span(place)
        start = span.key if span.key >= 0 else span.start
        self._quirks.append(Quirk(QuirkKind.LOST, start, span.end, text, (), fix, CODE))
