"""Changes of guards and rules: settings and conditions are dropped, inverted or weakened.

A changed file is written anew from its data. It keeps every hook, as cases count hooks: a rule that is gone is one that
never applies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from anyhook.dialects.vocabulary import TOOL_KINDS
from anyhook.guards.options import LEVELS
from anyhook.model.document import Document, Format, Pointer, value_at
from anyhook.model.hooks import DeclaredRule, Guard, Rule
from anyhook.model.lazyjson import dump_json
from anyhook.sources.parsing.parse_front_matter import parse_yaml
from anyhook.sources.parsing.parse_toml import parse_toml
from anyhook.testing.mutation.example_calls import REFUSED_CALLS, call_of, other_call
from anyhook.testing.mutation.mutant import EFFECT, Mutant, missing_case

_NEVER = "(?!)"
"""A pattern that matches nothing."""
_LISTS = ("paths", "allow", "hosts", "skip", "on", "commands", "clients")
_WEAKER = {"block": ("ask", "allow"), "ask": ("block", "allow"), "allow": ("ask",), "warn": ("block",)}
"""By the effect of a rule: what it may be by mistake. Without any, it is enough that the rule never applies."""
_SILENT = {"warn", "context", "rewrite", "run"}


def settings_mutants(rule: Rule, action: Guard, document: Document, file: Path) -> Iterator[Mutant]:
    """The changes of one guard or rule of a file."""
    written = (parse_yaml if document.format is Format.RULES else parse_toml)(document.text, str(file))
    found = _Settings(rule, written, file)
    if not isinstance(action, DeclaredRule):
        yield from found.of_guard(("guards", action.guard))
        return
    for place in found.rules_on(action.origin.line):
        yield from found.of_rule(place)


class _Settings:
    def __init__(self, rule: Rule, written: Document, file: Path) -> None:
        self.rule, self.written, self.file = rule, written, file
        self.event = rule.native_event

    def rules_on(self, line: int) -> Iterator[Pointer]:
        """The rules that begin on a line: the one that an action is from."""
        for key in ("rule", "rules"):
            rules = value_at(self.written.data, (key,))
            for number in range(len(rules) if isinstance(rules, list) else 0):
                if self.written.position((key, number))[0] == line:
                    yield key, number

    # --- guards

    def of_guard(self, place: Pointer) -> Iterator[Mutant]:
        name = str(place[-1])
        table: Mapping[str, Any] = value_at(self.written.data, place) or {}
        level = table.get("level", "block")
        call = REFUSED_CALLS.get(name, {}) if self.rule.event == "PreToolUse" else {}
        also = "" if call else f"in which the {name} guard objects"
        refuses = missing_case(self.event, call, f"effect: {_effect(level)}" if call else EFFECT, also)
        yield self._set((*place, "level"), "off", f"the {name} guard is off", refuses)
        if level in LEVELS and level != "off" and "level" in table:
            for other in ("warn", "block"):
                if other != level:
                    yield self._set((*place, "level"), other, f"the level {level} is {other}", refuses)
        for key, value in table.items():
            yield from self._of_setting((*place, key), key, value, name)

    def _of_setting(self, place: Pointer, key: str, value: Any, name: str) -> Iterator[Mutant]:
        match value:
            case Mapping() if key == "families":
                for family, level in value.items():
                    other = "off" if level != "off" else "block"
                    about = missing_case(self.event, {}, f"effect: {_effect(level)}", f"with a command of {family}")
                    yield self._set((*place, family), other, f"the family {family} is {other}, not {level}", about)
            case list() if key == "exceptions":
                for number, exception in enumerate(value):
                    yield from self._of_exception((*place, number), exception, name)
            case list() if key in _LISTS:
                yield from self._entries(place, key, value, f"the {name} guard")
            case str() if key in ("command", "note"):
                changed = "true" if key == "command" else ""
                about = missing_case(self.event, {}, EFFECT, f"in which {value} makes a difference")
                yield self._set(place, changed, f"the {key} is {changed or 'empty'}", about)
            case bool():
                about = missing_case(self.event, {}, EFFECT, f"for which {key} makes a difference")
                yield self._set(place, not value, f"{key} is {str(not value).lower()}", about)

    def _of_exception(self, place: Pointer, exception: Mapping[str, Any], name: str) -> Iterator[Mutant]:
        conditions = {key: value for key, value in exception.items() if key != "level"}
        said = ", ".join(f"{key} {' '.join(map(str, value))}" for key, value in conditions.items())
        level = str(exception.get("level", "off"))
        holds = missing_case(self.event, {}, f"effect: {_effect(level)}", f"to which the exception for {said} applies")
        never = {**conditions, "commands": [], "paths": []}
        yield self._set(place, {**exception, **never}, f"the exception for {said} is gone", holds)
        for key, value in conditions.items():
            if len(conditions) > 1:
                rest = {name: other for name, other in exception.items() if name != key}
                about = missing_case(self.event, {}, "effect: block", f"to which all of it applies but {key}")
                yield self._set(place, rest, f"the exception is without {key}", about)
            if isinstance(value, list):
                yield from self._entries((*place, key), key, value, "the exception")

    def _entries(self, place: Pointer, key: str, value: list[Any], whose: str) -> Iterator[Mutant]:
        for entry in value if len(value) > 1 or whose.endswith("guard") else ():
            rest = [other for other in value if other is not entry]
            about = missing_case(self.event, {}, EFFECT, f"about {entry}, which {whose} has in {key}")
            yield self._set(place, rest, f"{key} is without {entry}", about)

    # --- rules

    def of_rule(self, place: Pointer) -> Iterator[Mutant]:
        rule: Mapping[str, Any] = value_at(self.written.data, place) or {}
        when: Mapping[str, Any] = rule.get("when") or {}
        then = str(rule.get("then"))
        applies = self._applies(rule, when)
        never = {**rule, "when": {**when, "content": _NEVER}}
        yield self._set(place, never, "the rule is gone", applies)
        for other in _WEAKER.get(then, ()):
            changed = {**rule, "then": other, "message": rule.get("message") or "changed"}
            what = "the rule allows" if other == "allow" else f"the rule {_verb(other)}"
            yield self._set((*place, "then"), other, what, applies, (place, changed))
        for key, value in when.items():
            yield from self._of_condition((*place, "when", key), rule, when, key, value)
        for event in rule["on"] if isinstance(rule.get("on"), list) and len(rule["on"]) > 1 else ():
            yield self._without_event(place, rule, never, event)

    def _of_condition(
        self, at: Pointer, rule: Mapping[str, Any], when: Mapping[str, Any], key: str, value: Any
    ) -> Iterator[Mutant]:
        place = at[:-2]
        rest = {name: other for name, other in when.items() if name != key}
        if not (key == "kind" and "command" in when):  # only a shell is given a command
            yield self._dropped(at, rule, when, key)
        for changed in _inverted(key, value, when):
            what = f"the condition {key} is inverted"
            yield self._set(at, None, what, self._applies(rule, when), (place, {**rule, "when": {**rest, **changed}}))
        alternatives = value if isinstance(value, list) else value.split("|") if _is_plain(key, value) else []
        for entry in alternatives if len(alternatives) > 1 else ():
            left: Any = [other for other in alternatives if other is not entry]
            left = left if isinstance(value, list) else "|".join(left)
            about = self._applies(rule, {**when, key: entry})
            what = f"the condition {key} is without {entry if isinstance(entry, str) else 'one of its tables'}"
            yield self._set(at, left, what, about)

    def _dropped(self, at: Pointer, rule: Mapping[str, Any], when: Mapping[str, Any], key: str) -> Mutant:
        rest = {name: other for name, other in when.items() if name != key}
        given, also = other_call(when, key)
        expected = "matched: false" if key == "kind" else f"effect: {_opposite(rule)}"
        outside = missing_case(self.event, given, expected, also)
        return self._set(at, None, f"the condition {key} is gone", outside, (at[:-2], {**rule, "when": rest}))

    def _without_event(self, place: Pointer, rule: Mapping[str, Any], never: Mapping[str, Any], event: str) -> Mutant:
        rest = [other for other in rule["on"] if other != event]
        data = _with(self.written.data, (*place, "on"), rest)
        rules = list(value_at(data, place[:-1]))
        rules.insert(int(place[-1]) + 1, {**never, "on": event})  # the hooks after it keep their numbers
        text = self._dumped(_with(data, place[:-1], rules))
        line, _ = self.written.position((*place, "on"))
        about = missing_case(event, call_of(rule.get("when") or {})[0], f"effect: {_effect(str(rule.get('then')))}")
        return Mutant(self.file, line, f"the rule is not asked on {event}", about, text)

    def _applies(self, rule: Mapping[str, Any], when: Mapping[str, Any]) -> str:
        given, also = call_of(when)
        then = str(rule.get("then"))
        if then in _SILENT:
            said = rule.get("message") or rule.get("by") or "what it prints"
            return missing_case(self.event, given, f"stdout-contains: {dump_json([said]).decode()}", also)
        return missing_case(self.event, given, f"effect: {_effect(then)}", also)

    # --- texts

    def _set(
        self, at: Pointer, value: Any, what: str, missing: str, other: tuple[Pointer, Any] | None = None
    ) -> Mutant:
        """The file with another value at a place, or at ``other``; the line is that of the first."""
        line, _ = self.written.position(at)
        place, changed = other or (at, value)
        return Mutant(self.file, line, what, missing, self._dumped(_with(self.written.data, place, changed)))

    def _dumped(self, data: Any) -> str:
        if self.written.format is Format.YAML:
            return dump_json(data).decode() + "\n"  # which is YAML
        import tomlkit

        return tomlkit.dumps(data)


def _with(data: Any, place: Pointer, value: Any) -> Any:
    """A copy of the data with another value at a place."""
    if not place:
        return value
    key, *rest = place
    if isinstance(data, list):
        return [_with(item, tuple(rest), value) if number == key else item for number, item in enumerate(data)]
    return {**data, key: _with(data.get(key), tuple(rest), value)}


def _inverted(key: str, value: Any, when: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if key in ("exists", "missing") and not {"exists", "missing"} <= when.keys():
        yield {"missing" if key == "exists" else "exists": value}
    elif key == "kind":
        kinds = [value] if isinstance(value, str) else value
        yield {"kind": [kind for kind in TOOL_KINDS if kind not in (*kinds, "any")]} if "any" not in kinds else {}
    elif key == "content":
        yield {"content": rf"^(?![\s\S]*(?:{value}))"}


def _is_plain(key: str, value: Any) -> bool:
    """Whether a pattern is a list of alternatives alone."""
    return key == "content" and isinstance(value, str) and not re.search(r"[()\[\]\\]", value)


def _effect(level: str) -> str:
    return level if level in ("block", "ask") else "proceed"


def _opposite(rule: Mapping[str, Any]) -> str:
    return "proceed" if rule.get("then") != "allow" else "ask"


def _verb(effect: str) -> str:
    return {"block": "blocks", "ask": "asks"}[effect]
