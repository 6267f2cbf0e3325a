"""Writes test cases from a recording: one for every different event that a hook of the package runs on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from anyhook.dialects import profile
from anyhook.dialects.events import fold_spelling
from anyhook.engine.engine import Engine
from anyhook.model.hooks import Action, DeclaredRule, Guard, HookSet, Python, Rule, RuleCommand
from anyhook.model.outcome import Effect
from anyhook.project.package_hooks import PACKAGE_FILE
from anyhook.project.project import Project
from anyhook.record.entries import is_recorder
from anyhook.record.infer import ReadEvent, conclude, plain_payload, read_payloads
from anyhook.record.recorded import Happened
from anyhook.record.recordings import Recording
from anyhook.sources.editing.replace_file import refuse_links
from anyhook.testing.cases.case_files import CASES, FOLDERS, read_suite
from anyhook.testing.cases.fixtures import decode_fixture
from anyhook.testing.runner import asks_a_model, is_named
from anyhook.testing.scaffold.new_files import NewFile, create, json_text, new_name

FIXTURES = "fixtures"
_VOLATILE_FIELDS = frozenset(
    {
        "sessionid", "transcriptpath", "timestamp", "promptid", "turnid", "tooluseid", "toolcallid", "messageid",
        "durationms", "scratchpaddir", "generationid", "conversationid", "executionid", "trajectoryid",
    }
)  # fmt: skip
"""Fields, without case and separators, that do not make two events different for a test."""


class WrittenCases(Struct, frozen=True, kw_only=True):
    """What was written, and what was not."""

    folder: Path
    cases: tuple[Path, ...] = ()
    fixtures: tuple[Path, ...] = ()
    without_effect: int = 0
    """Cases without an effect, because the outcome of their event is not known."""
    known: int = 0
    """Events that are the same as an earlier one, or as an existing fixture."""
    without_hook: int = 0
    """Events that no hook of the package runs on."""
    needs_verdict: int = 0
    """Events on which a hook asks a model: the case needs a verdict, which recordings do not have."""


class _Group(Struct, frozen=True):
    """A group of hooks that an event is for, and how a case names it."""

    index: int
    rule: Rule
    which: str
    """The line of the case that says so."""
    client: str | None
    """None: the package's own, which need not be named."""

    @property
    def asks_a_model(self) -> bool:
        return any(map(asks_a_model, self.rule.actions))


def write_cases(recording: Recording, root: Path) -> WrittenCases:
    """Write a fixture and a case for every different event that hooks of the package run on; no file is replaced."""
    return _Writer(recording, root).write()


def folder_for_cases(root: Path) -> Path:
    """The folder of the package's cases: the existing one, or beside the package's own hooks, or in .anyhook."""
    in_package, in_anyhook = (root / folder for folder in FOLDERS)
    first = in_package if (root / PACKAGE_FILE).is_file() else in_anyhook
    return next((folder for folder in (first, in_package, in_anyhook) if folder.is_dir()), first)


class _Writer:
    """Writes the cases of one recording."""

    def __init__(self, recording: Recording, root: Path) -> None:
        self.recording, self.root, self.hooks = recording, root, Project.open(root).own_package
        self.folder = folder_for_cases(root)
        for folder in (self.folder / CASES, self.folder / FIXTURES):
            refuse_links(root, folder)
        self.taken = {case.name for case in read_suite(root).everything} | set(self._stems())
        self.seen = set(self._existing_fixtures())
        self.cases: list[Path] = []
        self.fixtures: list[Path] = []

    def write(self) -> WrittenCases:
        read = read_payloads(self.recording.events)
        without_effect = known = without_hook = needs_verdict = 0
        for event, happened in zip(read, conclude(read), strict=True):
            groups = list(self._groups(event))
            if not groups:
                without_hook += 1
                continue
            key = _comparison_key(plain_payload(event.recorded))
            if key in self.seen:
                known += 1
                continue
            self.seen.add(key)
            plain = [group for group in groups if not group.asks_a_model]
            needs_verdict += len(plain) < len(groups)
            if plain:
                fixture = self._write_fixture(event)
                effect = _effect(happened, len(groups))
                without_effect += len(plain) if effect is None else 0
                for group in plain:
                    self._write_case(event, group, fixture, effect, happened)
        return WrittenCases(
            folder=self.folder,
            cases=tuple(self.cases),
            fixtures=tuple(self.fixtures),
            without_effect=without_effect,
            known=known,
            without_hook=without_hook,
            needs_verdict=needs_verdict,
        )

    # --- which hooks an event is for

    def _groups(self, event: ReadEvent) -> Iterator[_Group]:
        """The groups that the event would run: of its client's own hooks, or else of the package's."""
        owner = self.hooks.owner()
        own = self.hooks.rules(event.recorded.client, event.payload.event)
        client = event.recorded.client if own or owner is None else owner
        rules = self.hooks.rules(client, event.payload.event)
        for index, rule in enumerate(rules):
            if all(map(is_recorder, rule.actions)):
                continue
            data = plain_payload(event.recorded)
            payload = decode_fixture(profile(client), data, rule.event, rule.native_event)
            engine = Engine(HookSet(dialect=client, rules=(rule,)), project=self.hooks.root)
            if engine.plan(payload).runs:
                which = which_group(rules, index, self.hooks.root)
                yield _Group(index, rule, which, None if client == owner else client)

    # --- files

    def _stems(self) -> Iterator[str]:
        for folder in (self.folder / CASES, self.folder / FIXTURES):
            yield from (file.stem for file in (folder.iterdir() if folder.is_dir() else ()))

    def _existing_fixtures(self) -> Iterator[str]:
        folder = self.folder / FIXTURES
        for file in sorted(folder.glob("*.json")) if folder.is_dir() else ():
            try:
                data = json.loads(file.read_bytes())
            except (OSError, ValueError, RecursionError):
                continue  # not a fixture that anyhook wrote; a case that uses it reports the mistake
            if isinstance(data, dict):
                yield _comparison_key(data)

    def _new_name(self, *words: str) -> str:
        name = new_name(words, self.taken)
        self.taken.add(name)
        return name

    def _write_fixture(self, event: ReadEvent) -> Path:
        name = self._new_name("recorded", event.payload.event, event.about)
        self.fixtures.append(self._create(f"{FIXTURES}/{name}.json", json_text(plain_payload(event.recorded))))
        self.taken.discard(name)  # the case may have the same name
        return self.fixtures[-1]

    def _write_case(
        self, event: ReadEvent, group: _Group, fixture: Path, effect: Effect | None, happened: Happened | None
    ) -> None:
        name = self._new_name(fixture.stem if not group.index else f"{fixture.stem}-group-{group.index}")
        recorded = event.recorded
        lines = [
            f"# From the recording {self.recording.name}: {profile(recorded.client).title}, {recorded.at}.",
            f"# The outcome then: {_in_words(happened)}.",
            f"name: {name}",
            f"event: {recorded.event}" if group.client else f"event: {group.rule.native_event}",
            group.which,
            *([f"client: {group.client}"] if group.client else []),
            "input:",
            f"  fixture: {FIXTURES}/{fixture.name}",
        ]
        if effect is None:
            lines += ["# State the expected outcome:", "# expected:", "#   effect: proceed"]
        else:
            lines += ["expected:", f"  effect: {effect}"]
        self.cases.append(self._create(f"{CASES}/{name}.yaml", "\n".join(lines) + "\n"))

    def _create(self, name: str, text: str) -> Path:
        path = (self.folder / name).relative_to(self.root)
        return create(self.root, NewFile(str(path), text)).path


def _effect(happened: Happened | None, groups: int) -> Effect | None:
    """The effect that a case may expect of one group: what all groups allowed, or what it decided alone."""
    if happened is None or happened.may_have_asked:
        return None
    return happened.effect if happened.effect is Effect.PROCEED or groups == 1 else None


def _in_words(happened: Happened | None) -> str:
    if happened is None:
        return "not known"
    reason = " ".join(happened.reason.split())
    asked = ", and the user was asked" if happened.may_have_asked else ""
    return f"{happened.effect} ({reason}{asked})" if reason else str(happened.effect)


def _comparison_key(payload: Mapping[str, Any]) -> str:
    """A text that is equal for two payloads that differ only in ids and times."""
    lasting = {key: value for key, value in payload.items() if fold_spelling(key) not in _VOLATILE_FIELDS}
    return json.dumps(lasting, sort_keys=True)


_PLAIN = re.compile(r"[A-Za-z0-9_][\w./ -]*(?::\w+)?")
"""What YAML reads as text without quotes."""


def which_group(rules: Sequence[Rule], index: int, root: Path) -> str:
    """The line of a case for one of these groups: what is not in a hook file by its name, because its place moves."""
    name = _name(rules[index].actions[0])
    is_unique = bool(name) and sum(is_named(rule, name, root) for rule in rules) == 1
    return f"hook: {name}" if is_unique and _PLAIN.fullmatch(name) else f"hook-index: {index}"


def _name(action: Action) -> str:
    """A name that stays when the settings change; empty: there is none."""
    if isinstance(action, DeclaredRule | RuleCommand):
        return str(action.settings.get("name", ""))
    if isinstance(action, Guard):
        return f"{action.guard} guard"
    return action.summary() if isinstance(action, Python) else ""
