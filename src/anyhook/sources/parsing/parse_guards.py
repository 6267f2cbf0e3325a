"""Guards and rules of ``anyhook.toml`` and ``hooks/rules.yaml``, read as hooks.

The data has the shape of a universal hook file, so that its dialect reads it like any other. Wrong settings are
reported and left out: the guard runs with their defaults, the strictest, and does not vanish.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from anyhook.dialects.clients import OWN
from anyhook.dialects.events import find_event, native_name
from anyhook.guards.options import Mistake
from anyhook.model.document import Document, Format, Pointer, Quirk, QuirkKind, Span, line_starts
from anyhook.model.events import BY_NAME, Event, FoldRule, Subject
from anyhook.model.hooks import only_shadows
from anyhook.model.wording import did_you_mean
from anyhook.sources.package_files import why_unusable
from anyhook.sources.parsing.parse_toml import parse_toml

_names_guards = re.compile(r"(?mi)^[ \t\ufeff]*(?:\[{1,2}[ \t]*)?[\"']?(?:guards?|rules?|uses?)\b").search
_tables = re.compile(r"(?m)^[ \t\ufeff]*\[{1,2}[ \t]*[\"']?(\w*)").findall
_INTENDED = {"guard": "[guards.NAME]", "guards": "[guards.NAME]", "rule": "[[rule]]", "rules": "[[rule]]"}
"""By a table of ``anyhook.toml``, in lower case, what was intended."""
CODE = "F012"
MAX_RULES = 1000
"""In one file: each is asked on every event, and each costs time before the first is."""
_WITH_TEXT = ("UserPromptSubmit", "Stop", "SubagentStop")
"""The events besides those of tools in which a rule searches a text."""


def parse_guards(text: str, path: str = "") -> Document:
    """Reads any text; ``data`` is None when no guard is in it, or when it is not TOML."""
    tables_in_text = _tables(text)
    if not _names_guards(text) and tables_in_text and not _unknown_tables(tables_in_text):
        return Document(path, text, None, Format.GUARDS, line_starts(text), {})  # settings alone, as in most files
    written = parse_toml(text, path)
    if not isinstance(written.data, dict):
        return _without_hooks(written, Format.GUARDS)
    tables = OwnHooks(written)
    tables.read_guards(written.data.get("guards", {}))
    tables.read_rules(written.data.get("rule", []), "rule")
    tables.read_uses(written.data.get("uses", []))
    for key in _unknown_tables(written.data.keys() - {"guards", "rule", "uses"}):
        intended = _INTENDED.get(key.lower())
        fix = f"write {intended}" if intended else did_you_mean(key, ("guards", "rule", "uses", *_tables_of_settings()))
        tables.report((key,), f'"{key}" is not a setting here', fix)
    return tables.document(Format.GUARDS)


def _without_hooks(written: Document, form: Format) -> Document:
    quirks = (written.broken,) if written.broken else ()
    return Document(written.path, written.text, None, form, written.line_starts, {}, quirks)


def _unknown_tables(names: Iterable[str]) -> set[str]:
    """Those that are not of settings: each may be a guard that is spelled wrongly."""
    found = set(names)
    return found.difference(_tables_of_settings()) if found else found


def _tables_of_settings() -> tuple[str, ...]:
    """Tables of ``anyhook.toml`` that define no hooks."""
    from anyhook.sources.settings import TABLES  # an event waits for the import, and most files have guards alone

    return TABLES


def parse_rules(text: str, path: str = "") -> Document:
    """The same for a file of rules alone."""
    from anyhook.sources.parsing.parse_front_matter import parse_yaml  # few projects have one

    written = parse_yaml(text, path)
    if written.broken or written.data is None:
        return _without_hooks(written, Format.RULES)
    tables = OwnHooks(written)
    if not isinstance(written.data, dict) or "rules" not in written.data:
        tables.report((), 'the file has no "rules"', "write rules: and below it a list")
        return tables.document(Format.RULES)
    tables.read_rules(written.data["rules"], "rules")
    for key in written.data.keys() - {"rules"}:
        tables.report((key,), f'"{key}" is not a setting here', "leave it out")
    for quirk in written.quirks:
        if quirk.kind is QuirkKind.DUPLICATE_KEY and len(quirk.pointer) == 1:
            tables.report(quirk.pointer, _twice(quirk), "merge the two into one")
    return tables.document(Format.RULES)


class OwnHooks:
    """Collects the hooks of a file, each with the place of the table that it comes from."""

    def __init__(self, written: Document) -> None:
        self._written = written
        self._events: dict[str, list[dict[str, Any]]] = {}
        self._quirks: list[Quirk] = []
        whole = Span(0, len(written.text))
        self._spans: dict[Pointer, Span] = {(): whole, ("hooks",): whole}
        self._remembering: list[Mapping[str, Any]] = []
        self._too_many: Quirk | None = None

    def document(self, form: Format) -> Document:
        written = self._written
        if self._too_many is not None:
            return Document(written.path, written.text, None, form, written.line_starts, {}, (self._too_many,))
        data = {"version": 1, "hooks": self._events} if self._events else None
        return Document(written.path, written.text, data, form, written.line_starts, self._spans, tuple(self._quirks))

    def read_guards(self, tables: object) -> None:
        from anyhook.guards.catalogue import GUARDS
        from anyhook.guards.options import usable_settings

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
            hook |= {"failClosed": True} if guard.fails_closed and not only_shadows(settings) else {}
            for asked in guard.events:
                self.add(asked.event, asked.kinds, hook, place)

    def read_rules(self, rules: object, key: str) -> None:
        if not isinstance(rules, list):
            fix = "write [[rule]]" if key == "rule" else "write each rule as an item: - then: block"
            self.report((key,), f'"{key}" must be a list', fix)
            return
        if len(rules) > MAX_RULES:
            text = f"the file has {len(rules):,} rules; with more than {MAX_RULES:,} none is read"
            fix = "merge rules: a condition may be a list of patterns"
            self._too_many = Quirk(QuirkKind.BROKEN, 0, 0, text, (), fix, "F006")
            return
        first: dict[str, int] = {}
        for number, rule in enumerate(rules):
            self._read_rule(rule, (key, number))
            name = rule.get("name") if isinstance(rule, dict) else None
            if isinstance(name, str) and first.setdefault(name, number) != number:
                line, _ = self._written.position((key, first[name]))
                text = f"the rule in line {line} is called {name}, too"
                self.report((key, number, "name"), text, "give one of them another name")

    def _read_rule(self, rule: object, place: Pointer) -> None:
        """One rule. With a mistake it is a hook that is not loaded: a condition less would make another rule of it."""
        from anyhook.guards.options import rule_mistakes

        if not isinstance(rule, dict):
            self.report(place, "a rule must be a table", "write its settings: on, when, then")
            return
        names = _words(rule.get("on", "PreToolUse"))
        events = tuple(dict.fromkeys(event for name in names if (event := _own_event(name))))
        mistakes = [*self._twice_below(place), *rule_mistakes(rule)]
        mistakes += [Mistake(("on",), *_no_event(name)) for name in names if _own_event(name) is None]
        given = rule.get("when")
        when: Mapping[str, Any] = given if isinstance(given, dict) else {}
        kinds = _words(when.get("kind", []))
        mistakes += [mistake for event in events for mistake in _mistakes_on(event, rule.get("then"), when)]
        settings = {name: value for name, value in rule.items() if name != "on"}
        remembered: dict[str, tuple[str, ...]] = {}
        if "previous" in when and not mistakes:
            earlier = EarlierEvents(when["previous"])
            mistakes += earlier.mistakes
            settings["when"] = {**when, "previous": earlier.tables}
            settings["log"] = self._log_of(settings)
            remembered = earlier.kinds
        hook = _hook_of(rule, settings)
        added = [self.add(event.name, _either(kinds, remembered.get(event.name)), hook, place) for event in events]
        noting = {"type": "rule", "settings": {**settings, "remembers": True}, "timeout": 10}
        own = {event.name for event in events}
        if own:
            added += [self.add(name, found, noting, place) for name, found in remembered.items() if name not in own]
        for mistake in mistakes:
            for pointer in added or [()]:
                self.report((*place, *mistake.pointer), mistake.text, mistake.fix, pointer)

    def read_uses(self, globs: object) -> None:
        """Report globs that cannot be used; the others count."""
        if not isinstance(globs, list):
            self.report(("uses",), '"uses" must be a list', 'write uses = ["lib/**"]', code="K007")
            return
        for number, glob in enumerate(globs):
            text, fix = why_unusable(glob)
            if text:
                self.report(("uses", number), f'"uses" cannot have {glob!r}: {text}', fix, code="K007")

    def _log_of(self, settings: Mapping[str, Any]) -> str:
        """What tells the log of a rule from that of an equal one: its file, and how many of them are above it there.

        The number of the rule in its file would do, too, but a rule that is written above it would then empty its log.
        """
        above = self._remembering.count(settings)
        self._remembering.append(dict(settings))
        return f"{PurePath(self._written.path).name} {above}"

    def _twice_below(self, place: Pointer) -> Iterator[Mistake]:
        """Keys that a rule has twice: YAML reads the last, and a reader may see the first."""
        for quirk in self._written.quirks:
            if quirk.kind is QuirkKind.DUPLICATE_KEY and quirk.pointer[: len(place)] == place:
                yield Mistake(quirk.pointer[len(place) :], _twice(quirk), "leave one of them out")

    def add(self, event: str, kinds: tuple[str, ...], hook: Mapping[str, Any], place: Pointer) -> Pointer:
        """Put a hook under its event."""
        native = native_name(event, OWN) or event
        groups = self._events.setdefault(native, [])
        group: Pointer = ("hooks", native, len(groups))
        groups.append({**({"kind": list(kinds)} if kinds else {}), "hooks": [dict(hook)]})
        span = self._written.span(place)
        self._spans.setdefault(group[:2], span)
        pointer = (*group, "hooks", 0)
        self._spans |= {group: span, pointer: span}
        return pointer

    def report(self, place: Pointer, text: str, fix: str, lost: Pointer = (), code: str = CODE) -> None:
        """A mistake at a place of the file; ``lost`` is the hook that it costs."""
        span = self._written.span(place)
        start = span.key if span.key >= 0 else span.start
        self._quirks.append(Quirk(QuirkKind.LOST, start, span.end, text, lost, fix, code))


class EarlierEvents:
    """The tables of a condition ``previous``, with the canonical names of their events, and what must be remembered.

    A rule is asked on the events that it must remember, too.
    """

    def __init__(self, value: Any) -> None:
        self.mistakes: list[Mistake] = []
        self.kinds: dict[str, tuple[str, ...]] = {}
        """By event, the kinds of tools that count; empty: all."""
        place: Pointer = ("when", "previous")
        if isinstance(value, dict):
            self.tables = [self._read(value, place)]
        else:
            self.tables = [self._read(table, (*place, number)) for number, table in enumerate(value)]

    def _read(self, table: Mapping[str, Any], place: Pointer) -> dict[str, Any]:
        from anyhook.guards.options import EARLIER_EVENT, OF_A_CALL

        names = _words(table.get("on", EARLIER_EVENT))
        events = [event for name in names if (event := _own_event(name))]
        self.mistakes += [Mistake((*place, "on"), *_no_event(name)) for name in names if _own_event(name) is None]
        kinds = _words(table.get("kind", []))
        for event in events:
            self.kinds[event.name] = _either(kinds, self.kinds.get(event.name))
        for key in OF_A_CALL:
            if key in table and any(event.subject is not Subject.TOOL for event in events):
                text = f'"{key}" is about a tool, and one of the events is not'
                self.mistakes.append(Mistake((*place, key), text, f"leave {key} out"))
        read = {**table, **({"on": [event.name for event in events]} if "on" in table else {})}
        return read | ({"since": self._read(table["since"], (*place, "since"))} if "since" in table else {})


def _twice(quirk: Quirk) -> str:
    return f'"{quirk.text}" is given twice'


def _own_event(name: str) -> Event | None:
    event = find_event(name, OWN)
    return event if event is not None and native_name(event.name, OWN) is not None else None


def _no_event(name: str) -> tuple[str, str]:
    known = [other for other in BY_NAME if native_name(other, OWN)]
    return f"universal hooks have no event {name}", did_you_mean(name, known)


def _mistakes_on(event: Event, then: object, when: Mapping[str, Any]) -> Iterator[Mistake]:
    """What a rule says that cannot be on an event: it would never apply, or have no effect."""
    from anyhook.guards.options import OF_A_CALL

    is_tool = event.subject is Subject.TOOL
    for key in OF_A_CALL if not is_tool else ():
        if key in when:
            yield Mistake(("when", key), f"{event.name} is not about a tool", f"leave {key} out")
    if "content" in when and not is_tool and event.name not in _WITH_TEXT:
        yield Mistake(("when", "content"), f"{event.name} has no text to search", "leave content out")
    if then in ("ask", "allow", "rewrite") and not (is_tool and event.fold is FoldRule.DECISION):
        yield Mistake(("then",), f"{then} has no effect on {event.name}", "write PreToolUse or PermissionRequest as on")
    if then == "block" and not event.can_block and event.fold is not FoldRule.FEEDBACK:
        yield Mistake(("then",), f"block has no effect on {event.name}", "write context, warn or run as then")


def _hook_of(rule: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The hook that a rule is on its own events."""
    from anyhook.guards.options import RUN_SECONDS

    words = rule.get("run")
    program, *arguments = words if isinstance(words, list) and words else [words]
    if rule.get("then") != "run" or not isinstance(program, str):
        closes = rule.get("then") in ("block", "ask") and rule.get("level") != "shadow"
        closed = {"failClosed": True} if closes else {}
        return {"type": "rule", "settings": settings, "timeout": 10, **closed}
    hook: dict[str, Any] = {"type": "rule_command", "command": program, "settings": settings}
    hook |= {"args": arguments} if isinstance(words, list) else {}
    return hook | {
        "timeout": rule.get("timeout", RUN_SECONDS),
        "failClosed": rule.get("fail_closed", False) and rule.get("level") != "shadow",
    }


def _either(kinds: tuple[str, ...], others: tuple[str, ...] | None) -> tuple[str, ...]:
    """Kinds of which one must do, where each list is a reason to be asked; none: any tool."""
    if others is None:
        return kinds
    return tuple(dict.fromkeys((*kinds, *others))) if kinds and others else ()


def _words(value: object) -> tuple[str, ...]:
    words = value if isinstance(value, list) else [value]
    return tuple(word for word in words if isinstance(word, str))
