"""Hook test cases: what a case says, and the suite of a package. See :mod:`anyhook.testing.cases.case_files`.

The keys are those of the universal hooks spec ("Hook Testing"); ``docs/testing.md`` says what anyhook adds.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct, UnsetType, structs

from anyhook.engine.models.models import ModelAnswer
from anyhook.model.origin import Origin
from anyhook.model.outcome import Effect, Status
from anyhook.model.problems import Problem

DEFAULT_TIMEOUT_SECONDS = 30.0
"""How long a case may take when neither it nor the test config says so."""


class SuiteConfig(Struct, frozen=True, kw_only=True):
    """``tests/test-config.json``."""

    version: int = 1
    timeout: float = DEFAULT_TIMEOUT_SECONDS
    """Seconds that a case may take."""
    env: Mapping[str, str] = {}
    """Variables for hooks, besides the few that every case gets. ``PACKAGE_ROOT`` is relative to the package."""
    network: bool = False
    """Whether HTTP hooks may call other machines."""


class CaseFolder(Struct, frozen=True):
    """A ``tests`` folder: its config, its fixtures, its cases."""

    path: Path
    config: SuiteConfig = SuiteConfig()


class Override(Struct, frozen=True):
    """One value that replaces or adds to the fixture, and its origin in the case."""

    path: tuple[str, ...]
    value: Any
    origin: Origin = Origin()


class CaseInput(Struct, frozen=True, kw_only=True):
    """The payload of the hook."""

    fixture: str | None = None
    """A JSON file, relative to the ``tests`` folder; None: an empty payload."""
    overrides: tuple[Override, ...] = ()
    verdict: ModelAnswer | None = None
    """The answer of the model, for prompt and agent hooks: no model is called."""
    earlier: tuple[str, ...] = ()
    """Fixtures of earlier events of the session, which guards and rules remember."""


class Stated(Struct, frozen=True):
    """The effect in another client, known to differ; None: it does not differ in this way."""

    deployed: Effect | None
    """When the client asks anyhook."""
    native: Effect | None
    """When the hook is converted to the client's terms."""


class Expected(Struct, frozen=True, kw_only=True):
    """What the case expects. Only what is stated is checked."""

    exit_code: int | None = None
    status: Status | None = None
    """How the hook ends. A hook that fails fails its case, unless this or the exit code says that it does."""
    stdout_contains: tuple[str, ...] = ()
    stderr_contains: tuple[str, ...] = ()
    stdout_json: Any | UnsetType = UNSET
    """A deep partial match: every key and list item given here must exist; there may be others."""
    not_contains: tuple[str, ...] = ()
    """Texts that neither stdout nor stderr may have."""
    matched: bool | None = None
    """False: the group must not match the event. Otherwise it must."""
    effect: Effect | None = None
    """The effect of all replies together."""
    prompt_contains: tuple[str, ...] = ()
    """Texts of the prompt that a model would be asked."""
    clients: Mapping[str, Stated] = {}
    """Effects under other clients' rules that are known to differ: for the matrix."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is stated, so that the case would pass whatever the hook does."""
        return structs.replace(self, clients={}) == Expected()


class Case(Struct, frozen=True, kw_only=True):
    """One test case, as its file states it."""

    name: str
    event: str
    """The event, by any client's name for it."""
    description: str = ""
    hook: str = ""
    """The group of the event with this hook: a part of its name, command or file. Empty: ``hook_index`` tells."""
    hook_index: int = 0
    """Which group of the event's array."""
    action_index: int | None = None
    """Which of the group's actions the assertions look at; None: the first."""
    client: str | None = None
    """Whose rules apply; None: those of the client that the package's hooks are written for."""
    sandbox: bool = False
    """Whether it runs in a copy of the package."""
    timeout: float | None = None
    """Seconds; None: as the test config says."""
    input: CaseInput = CaseInput()
    expected: Expected = Expected()
    folder: CaseFolder
    file: Path
    lines: Mapping[str, int] = {}
    """The line of every key that the file has, by its dotted path: ``expected.exit-code``."""

    @property
    def seconds(self) -> float:
        return self.folder.config.timeout if self.timeout is None else self.timeout

    def line(self, key: str = "") -> int:
        """The line of a key, or of the nearest one above it."""
        while key and key not in self.lines:
            key = key.rpartition(".")[0]
        return self.lines.get(key, 1)

    def origin(self, key: str = "") -> Origin:
        """The origin of a key in the case's file."""
        return Origin(self.client or "", file=str(self.file), pointer=key, line=self.line(key))


class BrokenCase(Struct, frozen=True):
    """A case file, or a test config, that cannot be used, and why."""

    name: str
    """As it says, or else the stem of the file."""
    file: Path
    problems: tuple[Problem, ...]
    event: str = ""


class Suite(Struct, frozen=True, kw_only=True):
    """All cases of a package."""

    root: Path
    """The package: the folder that the hooks belong to, and in which they run."""
    cases: tuple[Case, ...] = ()
    broken: tuple[BrokenCase, ...] = ()

    @property
    def everything(self) -> tuple[Case | BrokenCase, ...]:
        """Cases and broken ones, in the order of their files."""
        return tuple(sorted((*self.cases, *self.broken), key=lambda case: case.file))
