"""Finds the test cases of a package and reads them; every mistake in a file is a problem with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, structs

from anyhook.dialects import find_client, unknown_client_text
from anyhook.model.document import Document, Format, Pointer, QuirkKind, json_pointer, value_at
from anyhook.model.origin import Origin
from anyhook.model.problems import Problem, UsageError, problem
from anyhook.model.wording import join_or
from anyhook.sources.load import parse, read_text
from anyhook.sources.read_struct import read_fields
from anyhook.testing.cases.cases import (
    WHOLE_EVENT,
    BrokenCase,
    Case,
    CaseFolder,
    CaseKeys,
    Expected,
    Suite,
    SuiteConfig,
)
from anyhook.testing.cases.overrides import parse_path

FOLDERS = ("hooks/tests", ".anyhook/tests")
"""Where a package keeps its cases; one may have both."""
CASES, CONFIG = "cases", "test-config.json"
SUFFIXES = frozenset({".yaml", ".yml"})
NAME = re.compile(r"[a-z0-9-]{1,64}")

_OF_A_RUN = ("exit-code", "status", "stdout-contains", "stderr-contains", "stdout-json", "prompt-contains")
"""Keys that need a hook that runs."""
_OF_ONE_HOOK = (("action-index",), ("expected", "exit-code"), ("expected", "status"), ("expected", "stdout-json"))
"""Keys that a case about every hook of its event cannot have."""


def find_package(path: Path) -> Path:
    """The folder, this one or the nearest above it, that has hook test cases."""
    path = path.absolute()
    for folder in (path, *path.parents):
        if any((folder / tests / CASES).is_dir() for tests in FOLDERS):
            return folder
    places = join_or(f"{tests}/{CASES}/*.yaml" for tests in FOLDERS)
    raise UsageError(
        f"{path}: no hook test cases here or in a folder above.\nThey are kept in {places}.\n"
        "To write some: anyhook init (a first package), or anyhook new case"
    )


def read_suite(root: Path) -> Suite:
    """All cases of a package; a file that cannot be used is in ``broken``, and costs only itself."""
    read: list[Case | BrokenCase] = []
    for tests in FOLDERS:
        if (root / tests / CASES).is_dir():
            read += _read_folder(root / tests)
    cases: dict[str, Case] = {}
    broken: list[BrokenCase] = []
    for each in read:
        if isinstance(each, BrokenCase):
            broken.append(each)
        elif (first := cases.setdefault(each.name, each)) is not each:
            location = f"{first.file.relative_to(root).as_posix()}:{first.line('name')}"
            text = f"the name {each.name} is taken by {location}"
            repeated = problem("K007", each.origin("name"), text, "give every case a name of its own")
            broken.append(BrokenCase(each.name, each.file, (repeated,), each.event))
    return Suite(root=root, cases=tuple(cases.values()), broken=tuple(broken))


def _read_folder(tests: Path) -> Iterator[Case | BrokenCase]:
    config = tests / CONFIG
    folder = CaseFolder(tests)
    if config.exists() or config.is_symlink():
        reader = _CaseReader(config, Format.JSON)
        folder = CaseFolder(tests, reader.config())
        if reader.problems:
            yield BrokenCase(CONFIG, config, tuple(reader.problems))
            return
    for file in sorted((tests / CASES).iterdir()):
        if file.suffix in SUFFIXES:
            yield read_case(file, folder)


def read_case(file: Path, folder: CaseFolder) -> Case | BrokenCase:
    """One case file."""
    return _CaseReader(file, Format.YAML).case(folder)


class _CaseReader:
    """Reads one file. Every mistake is reported, so that all of them can be repaired at once."""

    def __init__(self, file: Path, form: Format) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.document: Document | None = None
        text = read_text(file)
        if isinstance(text, Problem):
            self.problems.append(text)
            return
        self.document = parse(text, form, str(file))
        for quirk in self.document.quirks:
            line, column = self.document.line_column(quirk.offset)
            origin = Origin(file=str(file), line=line, column=column)
            if quirk.kind is QuirkKind.BROKEN:
                self.problems.append(problem("F001", origin, quirk.text))
            elif quirk.kind is QuirkKind.DUPLICATE_KEY:
                self.problems.append(problem("F003", origin, f"the key {quirk.text} appears twice"))

    def config(self) -> SuiteConfig:
        return SuiteConfig(**{"version": 1, **self._fields(SuiteConfig)})

    def case(self, folder: CaseFolder) -> Case | BrokenCase:
        fields = self._fields(CaseKeys)
        if client := fields.get("client"):
            fields["client"] = self._client(client, ("client",))
        expected: Expected = fields.get("expected", Expected())
        clients = {self._client(name, ("expected", "clients", name)): said for name, said in expected.clients.items()}
        fields["expected"] = structs.replace(expected, clients=clients)
        self._check_together()
        if self.problems:
            name, event = fields.get("name", self.file.stem), fields.get("event", "")
            return BrokenCase(name, self.file, tuple(self.problems), event)
        return Case(**fields, folder=folder, file=self.file, lines=dict(self._lines()))

    def _fields(self, cls: type[Struct]) -> dict[str, Any]:
        """What the file says; nothing, if it cannot be read at all."""
        is_unreadable = self.document is None or (self.document.data is None and self.problems)
        return {} if is_unreadable else read_fields(cls, self._value(), (), self._report)

    def _client(self, name: str, pointer: Pointer) -> str:
        found = find_client(name)
        if found is None:
            self._report("K007", pointer, unknown_client_text(name), "correct the name")
        return found or name

    def _check_together(self) -> None:
        """Keys that exclude each other, and paths of overrides."""
        if self._value("hook") is not None and self._value("hook-index") is not None:
            self._report("K007", ("hook-index",), "hook and hook-index exclude each other", "leave one of them out")
        for pointer in _OF_ONE_HOOK if self._value("hook") == WHOLE_EVENT else ():
            if self._value(*pointer) is not None:
                text = f"{pointer[-1]} is about one hook, but hook: {WHOLE_EVENT} runs every hook of the event"
                self._report("K007", pointer, text, "name the hook, or state expected.effect")
        for key in _OF_A_RUN if self._value("expected", "matched") is False else ():
            if self._value("expected", key) is not None:
                text = f"{key} cannot be expected of a hook that must not run (matched: false)"
                self._report("K007", ("expected", key), text, "leave it out")
        overrides = self._value("input", "overrides")
        for key in overrides if isinstance(overrides, Mapping) else ():
            try:
                parse_path(key)
            except ValueError as error:
                text = f"{key!r} is not a path: {error}"
                self._report("K007", ("input", "overrides", key), text, 'write it like toolInput."a.b".0')

    def _value(self, *pointer: str) -> Any:
        """A value of the file; None when there is none."""
        return value_at(self.document.data, pointer) if self.document else None

    def _lines(self) -> Iterator[tuple[str, int]]:
        """The line of every key down to single overrides and clients."""
        if self.document is not None:
            for pointer in self.document.spans:
                if 0 < len(pointer) <= 3 and all(isinstance(part, str) for part in pointer):
                    yield ".".join(map(str, pointer)), self.document.position(pointer)[0]

    def _report(self, code: str, pointer: Pointer, text: str, fix: str) -> None:
        line, column = self.document.position(pointer) if self.document else (0, 0)
        origin = Origin(file=str(self.file), pointer=json_pointer(pointer), line=line, column=column)
        self.problems.append(problem(code, origin, text, fix))
