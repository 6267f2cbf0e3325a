"""anyhook's own settings: ``anyhook.toml`` of the user and of the project, and the environment.

A project is not trusted with the user's keys: it may name models and releases of clients, and nothing else. Only the
user's file and environment set where a key is sent, which key that is, what may be spent, which programs an agent hook
may start, how the daemon runs and what the journal keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

from msgspec import Meta, Struct, structs

from anyhook.dialects import find_client, profile, unknown_client_text
from anyhook.dialects.releases import unknown_release_text
from anyhook.model.document import Document, Pointer, json_pointer
from anyhook.model.origin import Origin, Scope
from anyhook.model.problems import Problem, problem
from anyhook.sources import disk
from anyhook.sources.load import FILE_NAME, read_text
from anyhook.sources.read_struct import Count, Positive, read_fields
from anyhook.sources.state import named_settings_folder, users_folder, why_not_the_users

ADDRESS_VARIABLE = "ANYHOOK_BASE_URL"
T = TypeVar("T", bound=Struct)

MAX_PORT = 65535
PROVIDERS = ("openai", "anthropic", "google", "ollama")
SAFE_COMMANDS = (
    "git status",
    "git status --short",
    "git diff",
    "git diff --cached",
    "git diff --stat",
    "git log",
    "git log --oneline",
    "git show",
    "git show --stat",
    "ls",
    "ls -l",
)
"""What an agent hook may start by default: commands that only read."""


Port = Annotated[int, Meta(gt=0, le=MAX_PORT)]
Model = Annotated[str, Meta(pattern=rf"^({'|'.join(PROVIDERS)}):", title="a model, such as openai:gpt-5")]


class ModelKeys(Struct, frozen=True, kw_only=True):
    """``[models]``: which model judges prompt and agent hooks, and what that may cost."""

    default: str = ""
    """``provider:model``; empty: no model is configured."""
    aliases: Mapping[str, Model] = {}
    """The names that hook files use, such as "haiku", each with its ``provider:model``."""
    base_url: str = ""
    """The address of a gateway or of your own server; empty: the provider's."""
    api_key_env: str = ""
    """The variable that holds the key; empty: the provider's usual one."""
    stream: bool = False
    """Stream answers: some gateways end long requests without output."""
    max_concurrent: Count = 4
    """How many model calls may run at the same time, in one engine."""
    token_budget: Count = 100_000
    """Tokens that one run of one hook may use, sent and received together."""
    commands: tuple[str, ...] = SAFE_COMMANDS
    """What agent hooks may start: the first words of a command line, with ``*`` for any arguments."""


class ModelSettings(ModelKeys, frozen=True, kw_only=True):
    provider: str = ""
    """The provider that the address and the key are for, worked out from ``default``; others have their own."""


class DaemonSettings(Struct, frozen=True, kw_only=True):
    """``[daemon]``: when the daemon runs, and who can ask it. Only in your own file."""

    start: bool = True
    """If no daemon runs, ``anyhook exec`` starts one in the background for the next event."""
    idle_minutes: Positive = 30.0
    """Minutes without work after which the daemon ends."""
    http: bool = False
    """The daemon also listens for HTTP hooks of clients on this machine."""
    http_port: Port = 24665
    """The port for HTTP hooks. Hook files name it, so it is fixed."""


class JournalSettings(Struct, frozen=True, kw_only=True):
    """``[journal]``: what is kept of every event, and where it goes. Only in your own file."""

    enabled: bool = True
    """``false``: keep no journal."""
    days: Count = 30
    """Days after which rows are removed."""
    megabytes: Count = 100
    """Size of the database above which the oldest rows are removed."""
    bodies: bool = False
    """Rows also have the payload and the answer, without secrets."""
    subjects: bool = True
    """Rows have a line that says what the event was about, such as the command, without secrets."""
    url: str = ""
    """A PostgreSQL database that gets the same rows: ``postgresql://...``."""
    otlp: str = ""
    """The base URL of an OpenTelemetry collector (OTLP over HTTP) that gets the rows as spans and metrics."""
    otlp_headers: Mapping[str, str] = {}
    """Headers of every request to the collector, such as ``authorization``."""


class OwnPattern(Struct, frozen=True):
    """A regular expression for secrets, and where it is written."""

    text: str
    origin: Origin


class RedactKeys(Struct, frozen=True):
    patterns: tuple[str, ...] = ()


class RedactSettings(Struct, frozen=True, kw_only=True):
    """``[redact]``: what else is taken out of recordings. A project may add patterns, too: they only hide more."""

    patterns: tuple[OwnPattern, ...] = ()
    """Regular expressions; what they match is replaced."""


class NotifySettings(Struct, frozen=True, kw_only=True):
    """``[notify]``: where the guard ``notify`` posts to. Only in your own file."""

    webhook: str = ""
    """A URL; empty: nothing is posted."""


class Settings(Struct, frozen=True, kw_only=True):
    models: ModelSettings = ModelSettings()
    daemon: DaemonSettings = DaemonSettings()
    journal: JournalSettings = JournalSettings()
    clients: Mapping[str, str] = {}
    """``[clients]``: the release of each client in use (``codex = "0.147.0"``); a project's choice comes first."""
    redact: RedactSettings = RedactSettings()
    notify: NotifySettings = NotifySettings()
    problems: tuple[Problem, ...] = ()


def read_settings(project: Path | None, environment: Mapping[str, str], user_folder: Path | None = None) -> Settings:
    """The settings of a project, or without one. Never raises: a wrong value is a problem and has its default."""
    users = _SettingsFile((user_folder or users_folder(project)) / FILE_NAME, Scope.USER)
    if user_folder is None:
        users.problems += ignored_settings(project)
    projects = _SettingsFile(project / FILE_NAME if project else None, Scope.PROJECT)
    for name in PROJECTS_TABLES:
        if users.document and isinstance(users.document.data, dict) and name in users.document.data:
            users.report((name,), f"{name} has no effect here", f"put it into the {FILE_NAME} of a project")
    users.report_other_tables()
    return Settings(
        models=_models(_Table(users, "models"), _Table(projects, "models"), environment),
        daemon=_Table(users, "daemon").of_user(DaemonSettings, _Table(projects, "daemon")),
        journal=_Table(users, "journal").of_user(JournalSettings, _Table(projects, "journal")),
        clients={**_Table(users, "clients").releases(), **_Table(projects, "clients").releases()},
        redact=_redact(_Table(users, "redact"), _Table(projects, "redact")),
        notify=_Table(users, "notify").of_user(NotifySettings, _Table(projects, "notify")),
        problems=(*users.problems, *projects.problems),
    )


def ignored_settings(project: Path | None = None) -> tuple[Problem, ...]:
    """The settings that the environment names and that do not count, if there are any."""
    named = named_settings_folder()
    why = why_not_the_users(named, project) or why_not_the_users(named)
    if not why or not disk.exists(named / FILE_NAME):
        return ()
    origin = Origin("", Scope.USER, str(named / FILE_NAME))
    fix = "keep your settings in ~/.config, or set XDG_CONFIG_HOME to another folder of yours"
    return (problem("H014", origin, f"these settings do not count: {why}", fix),)


def read_pinned_releases(project: Path) -> tuple[Mapping[str, str], tuple[Problem, ...]]:
    """The releases of clients that a project names, and the mistakes in that."""
    file = _SettingsFile(project / FILE_NAME, Scope.PROJECT)
    return _Table(file, "clients").releases(), tuple(file.problems)


def _models(users: _Table, projects: _Table, environment: Mapping[str, str]) -> ModelSettings:
    projects.refuse(key for key in ModelKeys.__struct_fields__ if key not in _PROJECTS_KEYS)
    own, theirs = users.read(ModelKeys), projects.read(ModelKeys)
    wanted, base_url = environment.get("ANYHOOK_MODEL", ""), environment.get(ADDRESS_VARIABLE) or own.base_url
    # The user's server is never one of a provider that a project has chosen.
    named = wanted or own.default if environment.get(ADDRESS_VARIABLE) else own.default
    changes = {
        "default": wanted or theirs.default or own.default,
        "aliases": {**theirs.aliases, **own.aliases},
        "base_url": base_url,
        "provider": (provider_of(named) or "openai") if base_url or own.api_key_env else "",
    }
    return ModelSettings(**{**structs.asdict(own), **changes})


def _redact(*tables: _Table) -> RedactSettings:
    """A list with a wrong element is left out, and reported."""
    return RedactSettings(
        patterns=tuple(
            OwnPattern(text, table.place_of("patterns", at))
            for table in tables
            for at, text in enumerate(table.read(RedactKeys).patterns)
        )
    )


def provider_of(model: str) -> str:
    """The provider in ``provider:model``; empty when it is not a known one."""
    provider, colon, _ = model.partition(":")
    return provider if colon and provider in PROVIDERS else ""


class _SettingsFile:
    """One file, and the mistakes in it."""

    def __init__(self, path: Path | None, scope: Scope) -> None:
        self.path, self.scope = path, scope
        self.problems: list[Problem] = []
        self.document: Document | None = None
        if path is None or not disk.exists(path):
            return
        text = read_text(path)
        if isinstance(text, Problem):
            self.problems.append(problem(text.code, structs.replace(text.origin, scope=scope), text.text, text.fix))
            return
        from anyhook.sources.parsing.parse_toml import parse_toml  # most users have no such file

        self.document = parse_toml(text, str(path))
        if quirk := self.document.broken:
            line, column = self.document.line_column(quirk.offset)
            origin = Origin("", scope, str(path), "", line, column)
            self.problems.append(
                problem(
                    "F001", origin, f"{quirk.text}; anyhook ignores the whole file", "correct the syntax at this place"
                )
            )

    def table(self, name: str) -> dict[str, Any]:
        data = self.document.data if self.document else None
        table = data.get(name) if isinstance(data, dict) else None
        return table if isinstance(table, dict) else {}

    def report_other_tables(self) -> None:
        """Report what is in the file besides the tables of settings."""
        data = self.document.data if self.document else None
        for name, value in data.items() if isinstance(data, dict) else ():
            if name not in (*TABLES, *PROJECTS_TABLES):
                self.report((name,), f'"{name}" is not a table of settings', f"known are {', '.join(sorted(TABLES))}")
            elif name in TABLES and not isinstance(value, dict):
                self.report((name,), f'"{name}" must be a table', f"write [{name}] and its keys below")

    def place_of(self, pointer: Pointer) -> Origin:
        line, column = self.document.position(pointer) if self.document else (0, 0)
        return Origin("", self.scope, str(self.path), json_pointer(pointer), line, column)

    def report(self, pointer: Pointer, text: str, fix: str) -> None:
        self.problems.append(problem("K007", self.place_of(pointer), text, fix))


class _Table:
    """One table of a file, whose values are read one by one."""

    def __init__(self, file: _SettingsFile, name: str) -> None:
        self._file, self._name = file, name
        self._values = file.table(name)

    def place_of(self, *pointer: str | int) -> Origin:
        return self._file.place_of((self._name, *pointer))

    def read(self, cls: type[T]) -> T:
        """The settings of this table; what is missing or wrong has its default."""
        return cls(**read_fields(cls, self._values, (), lambda code, at, text, fix: self._report(at, text, fix)))

    def of_user(self, cls: type[T], project: _Table) -> T:
        """The same, where a project may set nothing."""
        project.refuse(cls.__struct_fields__)
        project.read(cls)
        return self.read(cls)

    def refuse(self, keys: Iterable[str]) -> None:
        """Take out the values that a project may not set, and report them."""
        refused = [key for key in keys if key in self._values]
        for key in refused:
            text = f"a project may not choose {key}; it is ignored"
            self._report((key,), text, f"set it in your own {FILE_NAME}")
        self._values = {key: value for key, value in self._values.items() if key not in refused}

    def releases(self) -> dict[str, str]:
        """The releases of clients, each by the client's name."""
        found: dict[str, str] = {}
        for key, value in self._values.items():
            client = find_client(key)
            if client is None:
                self._report((key,), unknown_client_text(key), "correct the name")
            elif not isinstance(value, str) or (why := unknown_release_text(profile(client), value)):
                text = why if isinstance(value, str) else f'"{key}" must be a release, as text'
                self._report((key,), text, f'write {key} = "{profile(client).release}"')
            else:
                found[client] = value
        return found

    def _report(self, pointer: Pointer, text: str, fix: str) -> None:
        self._file.report((self._name, *pointer), text, fix)


TABLES = tuple(name for name in Settings.__struct_fields__ if name != "problems")
PROJECTS_TABLES = ("guards", "rule", "uses")
"""Guards and rules are hooks of a package, which is trusted and deployed as one; ``uses`` names files of theirs."""
_PROJECTS_KEYS = ("default", "aliases")
"""What a project may choose about models."""
