"""What is changed about the hooks of a package: each mutant is one file with one change. Nothing is written here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from anyhook.entries.anyhook_entries import asking_of
from anyhook.model.document import Document, Format, Pointer, parse_pointer, value_at
from anyhook.model.hooks import Action, Command, FateState, Guard, HookSet, Python, Rule
from anyhook.model.lazyjson import dump_json
from anyhook.model.problems import Problem
from anyhook.sources.load import Loader
from anyhook.testing.mutation.code_mutants import function_mutants, script_mutants
from anyhook.testing.mutation.mutant import EFFECT, Mutant, missing_case
from anyhook.testing.mutation.settings_mutants import settings_mutants

_FORMS = (Format.JSON, Format.YAML, Format.TOML)
_EVERYTHING = ("", "*", ".*")


def mutants_of(hook_sets: Iterable[HookSet], root: Path) -> tuple[Mutant, ...]:
    """Every change of the hooks of a package, each once."""
    found: dict[tuple[Path, str], Mutant] = {}
    for hooks in hook_sets:
        for rule in hooks.rules:
            for mutant in _of_rule(rule, root):
                found.setdefault((mutant.file, mutant.text), mutant)
    return tuple(found.values())


def _of_rule(rule: Rule, root: Path) -> Iterator[Mutant]:
    loader = Loader()
    for action in rule.actions:
        file = Path(action.origin.file)
        if action.fate.state is not FateState.ACTIVE or not file.is_relative_to(root) or asking_of(action):
            continue  # an entry of deploy only asks hooks of the package
        form = loader.format_of(file)
        document = loader.document(file, form)
        if isinstance(document, Problem):
            continue
        match action:
            case Guard():
                yield from settings_mutants(rule, action, document, file)
            case Python():
                yield from function_mutants(file, document.text, rule, action)
            case _ if form in _FORMS:
                yield from _of_entry(rule, action, document, file)
                if isinstance(action, Command):
                    yield from script_mutants(rule, action, root)


def _of_entry(rule: Rule, action: Action, document: Document, file: Path) -> Iterator[Mutant]:
    """The hook does nothing; its matcher or kind loses an alternative, or matches everything."""
    pointer = parse_pointer(document.data, action.origin.pointer)
    if changes := _nothing(document, pointer, action):
        missing = missing_case(rule.native_event, {}, EFFECT, f"in which {action.summary()} runs")
        yield Mutant(file, action.origin.line, "the hook does nothing", missing, _changed(document, changes))
    group = parse_pointer(document.data, rule.origin.pointer)
    for key, everything in (("matcher", ".*"), ("kind", "any")):
        place = (*group, key)
        value = value_at(document.data, place)
        if place in document.spans and isinstance(value, str | list):
            yield from _of_matcher(rule, document, file, place, value, everything)


def _nothing(document: Document, pointer: Pointer, action: Action) -> dict[Pointer, Any]:
    """What makes a hook one that does nothing, whatever its client calls its command."""
    entry = value_at(document.data, pointer)
    if isinstance(action, Command):
        own = {key: value for key, value in entry.items() if value in action.commands()} if entry else {}
        return {(*pointer, key): "true" for key in own if (*pointer, key) in document.spans}
    return {pointer: {"type": "command", "command": "true"}} if pointer in document.spans else {}


def _of_matcher(
    rule: Rule, document: Document, file: Path, place: Pointer, value: str | list[Any], everything: str
) -> Iterator[Mutant]:
    line, _ = document.position(place)
    key = str(place[-1])
    names = value if isinstance(value, list) else value.split("|")
    if value in _EVERYTHING or everything in names:
        return
    is_plain = isinstance(value, list) or not set("()[]\\") & set(value)
    for name in names if len(names) > 1 and is_plain else ():
        left = [other for other in names if other != name]
        text = _changed(document, {place: left if isinstance(value, list) else "|".join(left)})
        given = {"tool_name": name} if key == "matcher" else {}
        missing = missing_case(rule.native_event, given, EFFECT, f"with the {key} {name}")
        yield Mutant(file, line, f"the {key} is without {name}", missing, text)
    said = value if isinstance(value, str) else ", ".join(map(str, value))
    missing = missing_case(rule.native_event, {}, "matched: false", f"with another tool than {said}")
    yield Mutant(file, line, f"the {key} matches everything", missing, _changed(document, {place: everything}))


def _changed(document: Document, values: dict[Pointer, Any]) -> str:
    """The text with other values at some places; a JSON value is one of YAML, and a text or list of TOML, too."""
    text = document.text
    for place, value in sorted(values.items(), key=lambda each: document.spans[each[0]].start, reverse=True):
        span = document.spans[place]
        text = text[: span.start] + dump_json(value).decode() + text[span.end :]
    return text
