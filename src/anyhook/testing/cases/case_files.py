"""Finds the test cases of a package and reads them; every mistake in a file is a problem with its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from msgspec import UNSET

from anyhook.dialects import find_client, unknown_client_text
from anyhook.dialects.files.entries import describe
from anyhook.model.document import Document, Format, Pointer, QuirkKind, json_pointer
from anyhook.model.origin import Origin
from anyhook.model.outcome import Effect, Status
from anyhook.model.problems import Problem, UsageError, problem
from anyhook.model.wording import did_you_mean, join_or
from anyhook.sources.load import parse, read_text
from anyhook.testing.cases.cases import (
    DEFAULT_TIMEOUT_SECONDS,
    BrokenCase,
    Case,
    CaseFolder,
    CaseInput,
    Expected,
    Override,
    Stated,
    Suite,
    SuiteConfig,
)
from anyhook.testing.cases.overrides import parse_path

FOLDERS = ("hooks/tests", ".anyhook/tests")
"""Where a package keeps its cases; one may have both."""
CASES, CONFIG = "cases", "test-config.json"
SUFFIXES = frozenset({".yaml", ".yml"})
NAME = re.compile(r"[a-z0-9-]{1,64}")

CASE_KEYS = (
    "$schema", "name", "description", "event", "hook", "hook-index", "action-index", "client", "sandbox", "timeout",
    "input", "expected",
)  # fmt: skip
INPUT_KEYS = ("fixture", "overrides", "verdict", "earlier")
EXPECTED_KEYS = (
    "exit-code", "status", "stdout-contains", "stderr-contains", "stdout-json", "not-contains", "matched", "effect",
    "prompt-contains", "clients",
)  # fmt: skip
WAYS = ("deployed", "native")
CONFIG_KEYS = ("$schema", "version", "timeout", "env", "network")
_OF_A_RUN = ("exit-code", "status", "stdout-contains", "stderr-contains", "stdout-json", "prompt-contains")
"""Keys that need a hook that runs."""

_Value = TypeVar("_Value")


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
        self.data: Mapping[str, Any] = {}
        text = read_text(file)
        if isinstance(text, Problem):
            self.problems.append(text)
            return
        self.document = parse(text, form, str(file))
        self._note_quirks(self.document)
        if self.is_object:
            self.data = self.document.data
        elif not self.problems:
            self._refuse((), f"the file must be an object with keys, not {describe(self.document.data)}")

    @property
    def is_object(self) -> bool:
        """Whether the file has an object to read; if not, a problem says why."""
        return self.document is not None and isinstance(self.document.data, dict)

    def _note_quirks(self, document: Document) -> None:
        for quirk in document.quirks:
            line, column = document.line_column(quirk.offset)
            origin = Origin(file=str(self.file), line=line, column=column)
            if quirk.kind is QuirkKind.BROKEN:
                self.problems.append(problem("F001", origin, quirk.text))
            elif quirk.kind is QuirkKind.DUPLICATE_KEY:
                self.problems.append(problem("F003", origin, f"the key {quirk.text} appears twice"))

    # --- the two kinds of files

    def config(self) -> SuiteConfig:
        self._check_keys((), CONFIG_KEYS)
        if self.is_object and "version" not in self.data:
            self._refuse((), 'the file has no "version"', 'add "version": 1')
        version = self._get(("version",), _integer, 1)
        if version != 1:
            self._refuse(("version",), f"version {version} is not known; this is version 1")
        env = {key: self._get(("env", key), _text, "") for key in self._members(("env",))}
        return SuiteConfig(
            version=version,
            timeout=self._get(("timeout",), _seconds, DEFAULT_TIMEOUT_SECONDS),
            env=env,
            network=self._get(("network",), _flag, False),
        )

    def case(self, folder: CaseFolder) -> Case | BrokenCase:
        self._check_keys((), CASE_KEYS)
        name, event = self._get(("name",), _text, ""), self._get(("event",), _text, "")
        if self.is_object:
            self._check_name(name)
            if not event:
                self._miss("event", "name the event, such as pre-tool-use")
            if "hook" in self._members(()) and "hook-index" in self._members(()):
                self._refuse(("hook-index",), "hook and hook-index exclude each other")
        case = Case(
            name=name,
            event=event,
            description=self._get(("description",), _text, ""),
            hook=self._get(("hook",), _text, ""),
            hook_index=self._get(("hook-index",), _index, 0),
            action_index=self._get(("action-index",), _index, None),
            client=self._get(("client",), _client, None),
            sandbox=self._get(("sandbox",), _flag, False),
            timeout=self._get(("timeout",), _seconds, None),
            input=self._input(),
            expected=self._expected(),
            folder=folder,
            file=self.file,
            lines=dict(self._lines()),
        )
        if self.problems:
            return BrokenCase(name or self.file.stem, self.file, tuple(self.problems), event)
        return case

    def _check_name(self, name: str) -> None:
        if not name:
            self._miss("name", "give it one of a-z, 0-9 and -")
        elif len(name) > 64:
            self._refuse(("name",), f"the name has {len(name)} characters; 64 are allowed")
        elif not NAME.fullmatch(name):
            self._refuse(("name",), f"the name {name!r} may have a-z, 0-9 and - only")

    def _input(self) -> CaseInput:
        self._check_keys(("input",), INPUT_KEYS)
        overrides = []
        for key in self._members(("input", "overrides")):
            pointer = ("input", "overrides", key)
            try:
                overrides.append(Override(parse_path(key), self._value(pointer), self._origin(pointer)))
            except ValueError as error:
                self._refuse(pointer, f"{key!r} is not a path: {error}", 'write it like toolInput."a.b".0')
        return CaseInput(
            fixture=self._get(("input", "fixture"), _text, None),
            overrides=tuple(overrides),
            verdict=self._get(("input", "verdict"), _verdict, None),
            earlier=self._get(("input", "earlier"), _texts, ()),
        )

    def _expected(self) -> Expected:
        at = "expected"
        self._check_keys((at,), EXPECTED_KEYS)
        matched = self._get((at, "matched"), _flag, None)
        if matched is False and (extra := [key for key in _OF_A_RUN if key in self._members((at,))]):
            text = f"{extra[0]} cannot be expected of a hook that must not run (matched: false)"
            self._refuse((at, extra[0]), text)
        clients: dict[str, Stated] = {}
        for key in self._members((at, "clients")):
            try:
                clients[_client(key)] = self._stated((at, "clients", key))
            except ValueError as error:
                self._refuse((at, "clients", key), str(error))
        return Expected(
            exit_code=self._get((at, "exit-code"), _integer, None),
            status=self._get((at, "status"), _status, None),
            stdout_contains=self._get((at, "stdout-contains"), _texts, ()),
            stderr_contains=self._get((at, "stderr-contains"), _texts, ()),
            stdout_json=self._get((at, "stdout-json"), _json, UNSET),
            not_contains=self._get((at, "not-contains"), _texts, ()),
            matched=matched,
            effect=self._get((at, "effect"), _effect, None),
            prompt_contains=self._get((at, "prompt-contains"), _texts, ()),
            clients=clients,
        )

    def _stated(self, pointer: Pointer) -> Stated:
        """One effect for both ways, or one for each of them."""
        if not isinstance(self._value(pointer), Mapping):
            effect = self._get(pointer, _effect, Effect.PROCEED)
            return Stated(effect, effect)
        self._check_keys(pointer, WAYS)
        deployed, native = (self._get((*pointer, way), _effect, None) for way in WAYS)
        return Stated(deployed, native)

    # --- values

    def _value(self, pointer: Pointer) -> Any:
        """A value of the file; UNSET when there is none."""
        value: Any = self.data
        for key in pointer:
            value = value.get(key, UNSET) if isinstance(value, Mapping) else UNSET
        return value

    def _get(self, pointer: Pointer, read: Callable[[Any], Any], default: _Value) -> _Value | Any:
        """A value of its type; the default when there is none, or when it is wrong and noted."""
        value = self._value(pointer)
        if value is UNSET:
            return default
        try:
            return read(value)
        except ValueError as error:
            self._refuse(pointer, f"{pointer[-1]}: {error}")
            return default

    def _members(self, pointer: Pointer) -> Mapping[str, Any]:
        value = self._value(pointer)
        return value if isinstance(value, Mapping) else {}

    def _check_keys(self, pointer: Pointer, known: tuple[str, ...]) -> None:
        value = self._value(pointer)
        if value is not UNSET and not isinstance(value, Mapping):
            self._refuse(pointer, f"{pointer[-1]}: expected an object with keys, got {describe(value)}")
        for key in self._members(pointer):
            if key not in known:
                self._refuse((*pointer, key), f"unknown key {key}; {did_you_mean(key, known)}", code="K003")
        for inner in ("overrides", "clients", "env"):
            below = self._value((*pointer, inner))
            if inner in known and below is not UNSET and not isinstance(below, Mapping):
                self._refuse((*pointer, inner), f"{inner}: expected an object with keys, got {describe(below)}")

    # --- patterns

    def _lines(self) -> Iterator[tuple[str, int]]:
        """The line of every key down to single overrides and clients."""
        if self.document is not None:
            for pointer in self.document.spans:
                if 0 < len(pointer) <= 3 and all(isinstance(part, str) for part in pointer):
                    yield ".".join(map(str, pointer)), self.document.position(pointer)[0]

    def _origin(self, pointer: Pointer) -> Origin:
        line, column = self.document.position(pointer) if self.document else (0, 0)
        return Origin(file=str(self.file), pointer=json_pointer(pointer), line=line, column=column)

    def _refuse(self, pointer: Pointer, text: str, fix: str = "", code: str = "K007") -> None:
        self.problems.append(problem(code, self._origin(pointer), text, fix))

    def _miss(self, key: str, fix: str) -> None:
        self._refuse((), f"the case has no {key}", fix, "K006")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected text, got {describe(value)}")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, got {describe(value)}")
    return value


def _integer(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"expected a whole number, got {describe(value)}")
    return value


def _index(value: Any) -> int:
    if _integer(value) < 0:
        raise ValueError("groups and actions are counted from 0")
    return int(value)


def _seconds(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValueError(f"expected a number of seconds, got {describe(value)}")
    if not 0 < value < float("inf"):
        raise ValueError("expected more than 0 seconds")
    return float(value)


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError(f"expected a list of texts, got {describe(value)}")
    return tuple(_text(item) for item in value)


def _json(value: Any) -> Any:
    return value


def _verdict(value: Any) -> str | Mapping[str, Any]:
    if isinstance(value, str | dict):
        return value
    raise ValueError(f"expected the model's answer as text or as an object, got {describe(value)}")


def _effect(value: Any) -> Effect:
    text = _text(value)
    if text in list(Effect):
        return Effect(text)
    raise ValueError(f"there is no effect {text!r}; {did_you_mean(text, list(Effect))}")


def _status(value: Any) -> Status:
    text = _text(value)
    if text in list(Status):
        return Status(text)
    raise ValueError(f"there is no status {text!r}; {did_you_mean(text, list(Status))}")


def _client(value: Any) -> str:
    name = find_client(_text(value))
    if name is None:
        raise ValueError(unknown_client_text(value))
    return name
