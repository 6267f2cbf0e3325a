"""Hook test cases: what a case says, and the suite of a package. See :mod:`anyhook.testing.cases.case_files`.

The keys are those of the universal hooks spec ("Hook Testing"); ``docs/testing.md`` says what anyhook adds. The
schemas for editors are made of these types.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field, structs

from anyhook.dialects import NAMES
from anyhook.engine.models.models import ModelAnswer
from anyhook.model.origin import Origin
from anyhook.model.outcome import Effect, Status
from anyhook.model.problems import Problem

WHOLE_EVENT = "all"
"""What ``hook`` says of a case that is about every hook of its event."""
DEFAULT_TIMEOUT_SECONDS = 30.0
"""How long a case may take when neither it nor the test config says so."""

Seconds = Annotated[float, Meta(gt=0, le=86_400)]
Index = Annotated[int, Meta(ge=0)]
Name = Annotated[str, Meta(pattern="^[a-z0-9-]{1,64}$", title="1 to 64 of a-z, 0-9 and -")]


class SuiteConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``tests/test-config.json``."""

    version: Annotated[Literal[1], Meta(description="The version of this format.")]
    timeout: Annotated[Seconds, Meta(description="Seconds that a case may take.")] = DEFAULT_TIMEOUT_SECONDS
    env: Annotated[
        Mapping[str, str],
        Meta(description="Variables for hooks, besides a few. PACKAGE_ROOT is relative to the package."),
    ] = {}
    network: Annotated[bool, Meta(description="Whether HTTP hooks may call other machines.")] = False
    schema: str = field(default="", name="$schema")


class CaseFolder(Struct, frozen=True):
    """A ``tests`` folder: its config, its fixtures, its cases."""

    path: Path
    config: SuiteConfig = SuiteConfig(version=1)


class CaseInput(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The payload of the hook."""

    fixture: Annotated[
        str | None,
        Meta(description="A JSON file with the payload, relative to the tests folder; any client's spelling."),
    ] = None
    overrides: Annotated[
        Mapping[str, Any],
        Meta(description='Values on top of the fixture by dotted paths: toolInput.edits.0.text, toolInput."a.b".'),
    ] = {}
    verdict: Annotated[
        ModelAnswer | None,
        Meta(description="What the model answers to a prompt or agent hook; none is called."),
    ] = None
    earlier: Annotated[
        tuple[str, ...],
        Meta(description="Fixtures of earlier events of the session, which guards and rules remember."),
    ] = ()


class Stated(Struct, frozen=True, forbid_unknown_fields=True):
    """The effect in another client, known to differ; without one it does not differ in this way."""

    deployed: Annotated[Effect | None, Meta(description="When the client asks anyhook.")] = None
    native: Annotated[Effect | None, Meta(description="When the hook is converted to the client's terms.")] = None


Texts = tuple[str, ...]


class Expected(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """What the case expects. Only what is stated is checked."""

    exit_code: Annotated[int | None, Meta(description="The exit code of the hook's command.")] = None
    status: Annotated[
        Status | None,
        Meta(description="How the hook ends. A hook that fails fails its case, unless the case expects it."),
    ] = None
    stdout_contains: Annotated[Texts, Meta(description="Texts that stdout must have.")] = ()
    stderr_contains: Annotated[Texts, Meta(description="Texts that stderr must have.")] = ()
    stdout_json: Annotated[Any | UnsetType, Meta(description="JSON that stdout must match; it may have more keys.")] = (
        UNSET
    )
    not_contains: Annotated[Texts, Meta(description="Texts that neither stdout nor stderr may have.")] = ()
    matched: Annotated[
        bool | None, Meta(description="false: the group must not match the event, and nothing runs.")
    ] = None
    effect: Annotated[Effect | None, Meta(description="What the client does in the end.")] = None
    prompt_contains: Annotated[Texts, Meta(description="Texts of the prompt that a model would be asked.")] = ()
    clients: Annotated[
        Mapping[str, Effect | Stated],
        Meta(
            description="Clients with another effect, known and accepted: for the matrix. One effect, or one for each "
            "way: when the client asks anyhook (deployed), and of the converted hook (native).",
            extra_json_schema={"propertyNames": {"enum": list(NAMES)}},
        ),
    ] = {}

    @property
    def is_empty(self) -> bool:
        """Whether nothing is stated, so that the case would pass whatever the hook does."""
        return structs.replace(self, clients={}) == Expected()

    def stated(self, client: str) -> Stated:
        """What is said of another client."""
        said = self.clients.get(client)
        return said if isinstance(said, Stated) else Stated(said, said)


class CaseKeys(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """One test case, as its file states it."""

    name: Annotated[Name, Meta(description="Names the case: a-z, 0-9 and -, at most 64 characters, one case each.")]
    event: Annotated[
        str, Meta(description="The event, by any client's name for it: pre-tool-use, PreToolUse, beforeShellExecution.")
    ]
    description: Annotated[str, Meta(description="What the case shows, for people.")] = ""
    hook: Annotated[
        str,
        Meta(
            description="The group of the event with this hook: a part of its name, command or file. all: every group."
        ),
    ] = ""
    hook_index: Annotated[
        Index, Meta(description="Which group of the event's array, counted from 0. Default: the first.")
    ] = 0
    action_index: Annotated[
        Index | None, Meta(description="Which of the group's actions the assertions look at, counted from 0.")
    ] = None
    client: Annotated[
        str | None,
        Meta(
            description="Whose rules apply. Default: the client that the package's hooks are written for.",
            extra_json_schema={"enum": [*NAMES, None]},
        ),
    ] = None
    sandbox: Annotated[bool, Meta(description="Run in a copy of the package, which is removed afterwards.")] = False
    timeout: Annotated[
        Seconds | None, Meta(description="Seconds that this case may take. Default: as test-config.json says.")
    ] = None
    input: CaseInput = CaseInput()
    expected: Expected = Expected()
    schema: str = field(default="", name="$schema")


class Case(CaseKeys, frozen=True, kw_only=True):
    """A case, and where it is."""

    folder: CaseFolder
    file: Path
    lines: Mapping[str, int] = {}
    """The line of every key that the file has, by its dotted path: ``expected.exit-code``."""

    @property
    def is_whole_event(self) -> bool:
        """Whether every hook of the event runs, as in the client."""
        return self.hook == WHOLE_EVENT

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
