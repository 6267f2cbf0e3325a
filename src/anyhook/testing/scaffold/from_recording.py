"""Writes test cases from a recording: one for every different event that a hook of the package is about."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from anyhook.dialects import profile
from anyhook.dialects.events import fold_spelling
from anyhook.engine.engine import Engine
from anyhook.model.hooks import Agent, HookSet, Prompt, Rule
from anyhook.model.outcome import Effect
from anyhook.record.entries import is_recorder
from anyhook.record.infer import ReadEvent, conclude, plain_payload, read_payloads
from anyhook.record.journal import Happened, Recording
from anyhook.sources.package_hooks import PACKAGE_FILE, PackageHooks
from anyhook.testing.cases.case_files import CASES, FOLDERS, read_suite
from anyhook.testing.cases.fixtures import decode_fixture

FIXTURES = "fixtures"
MAX_NAME_LENGTH = 64
_PASSING = frozenset(
    {
        "sessionid", "transcriptpath", "timestamp", "promptid", "turnid", "tooluseid", "toolcallid", "messageid",
        "durationms", "scratchpaddir", "generationid", "conversationid", "executionid", "trajectoryid",
    }
)  # fmt: skip
"""Fields, without case and separators, in which two events may differ and still be the same for a test."""


class WrittenCases(Struct, frozen=True, kw_only=True):
    """What was written, and what was not."""

    folder: Path
    cases: tuple[Path, ...] = ()
    fixtures: tuple[Path, ...] = ()
    unstated: int = 0
    """Cases without an effect, because it is not known what came of their event."""
    known: int = 0
    """Events that are the same as one before, or as a fixture that is there already."""
    unheard: int = 0
    """Events that no hook of the package is about."""
    asking: int = 0
    """Events about which a hook asks a model: such a case needs a verdict, which nobody has recorded."""


class _Group(Struct, frozen=True):
    """A group of hooks that an event is for, and how a case names it."""

    index: int
    rule: Rule
    client: str | None
    """None: the package's own, which need not be named."""

    @property
    def asks_a_model(self) -> bool:
        return any(isinstance(a, Agent) or (isinstance(a, Prompt) and a.purpose == "judge") for a in self.rule.actions)


def write_cases(recording: Recording, root: Path) -> WrittenCases:
    """Write a fixture and a case for every different event that hooks of the package are about; nothing is replaced."""
    return _Writer(recording, root).write()


def folder_for_cases(root: Path) -> Path:
    """Where the package has its cases, or where they belong: beside a package's own hooks, or else in .anyhook."""
    beside, apart = (root / folder for folder in FOLDERS)
    first = beside if (root / PACKAGE_FILE).is_file() else apart
    return next((folder for folder in (first, beside, apart) if folder.is_dir()), first)


class _Writer:
    """One recording on its way into a folder of cases."""

    def __init__(self, recording: Recording, root: Path) -> None:
        self.recording, self.hooks = recording, PackageHooks(root)
        self.folder = folder_for_cases(root)
        self.taken = {case.name for case in read_suite(root).everything} | set(self._stems())
        self.seen = set(self._fixtures_there())
        self.cases: list[Path] = []
        self.fixtures: list[Path] = []

    def write(self) -> WrittenCases:
        read = read_payloads(self.recording.events)
        unstated = known = unheard = asking = 0
        for event, happened in zip(read, conclude(read), strict=True):
            groups = list(self._groups(event))
            if not groups:
                unheard += 1
                continue
            key = _sameness(plain_payload(event.recorded))
            if key in self.seen:
                known += 1
                continue
            self.seen.add(key)
            plain = [group for group in groups if not group.asks_a_model]
            asking += len(plain) < len(groups)
            if plain:
                fixture = self._write_fixture(event)
                effect = _effect(happened, len(groups))
                unstated += len(plain) if effect is None else 0
                for group in plain:
                    self._write_case(event, group, fixture, effect, happened)
        return WrittenCases(
            folder=self.folder,
            cases=tuple(self.cases),
            fixtures=tuple(self.fixtures),
            unstated=unstated,
            known=known,
            unheard=unheard,
            asking=asking,
        )

    # --- which hooks an event is for

    def _groups(self, event: ReadEvent) -> Iterator[_Group]:
        """The groups that the event would run: of its client's own hooks, or else of the package's."""
        owner = self.hooks.owner()
        own = self.hooks.rules(event.recorded.client, event.payload.event)
        client = event.recorded.client if own or owner is None else owner
        for index, rule in enumerate(self.hooks.rules(client, event.payload.event)):
            if all(map(is_recorder, rule.actions)):
                continue
            data = plain_payload(event.recorded)
            payload = decode_fixture(profile(client), data, rule.event, rule.native_event)
            engine = Engine(HookSet(dialect=client, rules=(rule,)), project=self.hooks.root)
            if engine.plan(payload).runs:
                yield _Group(index, rule, None if client == owner else client)

    # --- files

    def _stems(self) -> Iterator[str]:
        for folder in (self.folder / CASES, self.folder / FIXTURES):
            yield from (file.stem for file in (folder.iterdir() if folder.is_dir() else ()))

    def _fixtures_there(self) -> Iterator[str]:
        folder = self.folder / FIXTURES
        for file in sorted(folder.glob("*.json")) if folder.is_dir() else ():
            try:
                data = json.loads(file.read_bytes())
            except (OSError, ValueError, RecursionError):
                continue  # somebody's own, and a case that uses it says what is wrong with it
            if isinstance(data, dict):
                yield _sameness(data)

    def _new_name(self, *words: str) -> str:
        base = re.sub(r"[^a-z0-9]+", "-", "-".join(_kebab(word) for word in words)).strip("-")[: MAX_NAME_LENGTH - 4]
        numbers = ("", *(f"-{number}" for number in range(2, 1000)))
        name = next(base + number for number in numbers if base + number not in self.taken)
        self.taken.add(name)
        return name

    def _write_fixture(self, event: ReadEvent) -> Path:
        name = self._new_name("recorded", event.payload.event, event.about)
        path = self.folder / FIXTURES / f"{name}.json"
        self.fixtures.append(_create(path, _json_text(plain_payload(event.recorded))))
        self.taken.discard(name)  # the case may have the same name
        return path

    def _write_case(
        self, event: ReadEvent, group: _Group, fixture: Path, effect: Effect | None, happened: Happened | None
    ) -> None:
        name = self._new_name(fixture.stem if not group.index else f"{fixture.stem}-group-{group.index}")
        recorded = event.recorded
        lines = [
            f"# From the recording {self.recording.name}: {profile(recorded.client).title}, {recorded.at}.",
            f"# What came of it then: {_in_words(happened)}.",
            f"name: {name}",
            f"event: {recorded.event}" if group.client else f"event: {group.rule.native_event}",
            f"hook-index: {group.index}",
            *([f"client: {group.client}"] if group.client else []),
            "input:",
            f"  fixture: {FIXTURES}/{fixture.name}",
        ]
        if effect is None:
            lines += ["# Say what should come of it:", "# expected:", "#   effect: proceed"]
        else:
            lines += ["expected:", f"  effect: {effect}"]
        self.cases.append(_create(self.folder / CASES / f"{name}.yaml", "\n".join(lines) + "\n"))


def _effect(happened: Happened | None, groups: int) -> Effect | None:
    """What a case may expect of one group: that it let through what all let through, or what it alone decided."""
    if happened is None or happened.may_have_asked:
        return None
    return happened.effect if happened.effect is Effect.PROCEED or groups == 1 else None


def _in_words(happened: Happened | None) -> str:
    if happened is None:
        return "not known"
    reason = " ".join(happened.reason.split())
    asked = ", and the user was asked" if happened.may_have_asked else ""
    return f"{happened.effect} ({reason}{asked})" if reason else str(happened.effect)


def _sameness(payload: Mapping[str, Any]) -> str:
    """A text that is equal for two payloads that differ only in passing ids and times."""
    lasting = {key: value for key, value in payload.items() if fold_spelling(key) not in _PASSING}
    return json.dumps(lasting, sort_keys=True)


def _json_text(payload: Mapping[str, Any]) -> str:
    """Indented JSON; with escapes only where a client has cut an emoji in two, which UTF-8 cannot say."""
    text = json.dumps(payload, indent=2, ensure_ascii=False)
    is_utf8 = not re.search("[\ud800-\udfff]", text)
    return (text if is_utf8 else json.dumps(payload, indent=2)) + "\n"


def _kebab(word: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", word).lower()


def _create(path: Path, text: str) -> Path:
    """Write a new file; one that is there is never replaced."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)
    return path
