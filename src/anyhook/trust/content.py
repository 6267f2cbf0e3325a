"""What belongs to a hook: its definition as written, and the files that a person approves with it.

The rule is short enough to remember: a file that the hook's command line names; every other file of the package's
``hooks/`` and ``scripts/`` folders that no command line names, which belongs to all hooks that run code; and what the
author adds with ``uses``. Nothing else is guessed from the texts of programs.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from anyhook.dialects import profile
from anyhook.lazy_pattern import LazyPattern
from anyhook.model.document import Document, Format, Pointer, parse_pointer
from anyhook.model.hooks import Action, Agent, Command, Guard, HookSet, Http, McpTool, Prompt, Python, Rule, RuleCommand
from anyhook.model.problems import AnyhookError
from anyhook.sources import disk
from anyhook.sources.discover import Roots
from anyhook.sources.load import FILE_NAME, Loader
from anyhook.sources.package_files import FOLDERS, code_below, defines_hooks, files_of, used_globs
from anyhook.trust.seen_files import MAX_FILES, SeenFiles, TooMuchError, UsedFile, called, storable
from anyhook.trust.signing import SIGNATURE_FILE

VERSION = 1
"""Part of every digest: it changes with the rule above."""
_SYSTEM_FOLDERS = tuple(
    f"/{name}/"
    for name in ("bin", "sbin", "usr", "lib", "lib64", "opt", "nix", "snap", "System", "Library", "dev", "proc")
)
"""Programs of the system: an update of them must not end trust."""
_SCRIPT_SUFFIXES = tuple(
    f".{name}"
    for name in ("sh", "bash", "zsh", "fish", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "php", "lua", "ps1")
)
_SUBSTITUTION = LazyPattern(r"\$\([^()]*\)|`[^`]*`")
_SUBSTITUTED_FOLDER = LazyPattern(r"(?:\$\([^()]*\)|`[^`]*`)(?=[\"']?[/\\])")
_OUTPUT = LazyPattern(r"""(?<![=<-])>>?\s*(?:"[^"]*"|'[^']*'|[^\s;&|<>()"'])+""")
"""A file that a command line writes: what a hook notes there must not withhold it."""
_VARIABLE = LazyPattern(r"^(?:\$\{?(?P<name>\w+)(?:[:?-][^}]*)?\}?|%(?P<windows>\w+)%)(?=[/\\])")
_SEPARATORS = LazyPattern(r"[\s;&|<>()\"']+")
_MAX_WORDS = 2_000


class HookContent(Struct, frozen=True, kw_only=True):
    """A hook with everything that belongs to it."""

    rule: Rule
    action: Action
    place: str
    """The file that defines it, from the project folder."""
    definition: str
    """As JSON, as its file says it."""
    files: tuple[UsedFile, ...] = ()
    obstacle: str = ""
    """Why nobody can approve it; empty: somebody can."""
    digest: str = ""

    @property
    def limit(self) -> str:
        """The obstacle, if it is that too much would have to be read; no name in it is one that somebody chose."""
        return "" if self.files else self.obstacle

    @property
    def label(self) -> str:
        """The hook in one line, for people."""
        kinds = f"kind {', '.join(self.rule.kinds)}" if self.rule.kinds else ""
        matched = ", ".join(filter(None, (self.rule.matcher, kinds)))
        matcher = f" [{matched}]" if matched else ""
        return storable(f"{self.rule.native_event}{matcher}: {self.action.name or self.action.summary()}")

    @property
    def written_at(self) -> tuple[str, int, str]:
        """What readings of one hook by several clients have in common."""
        return self.place, self.action.origin.line, self.label


class Contents:
    """Reads what belongs to the hooks of one client in one project, each file once."""

    def __init__(
        self,
        roots: Roots,
        hooks: HookSet,
        loader: Loader,
        started_in: Path | None = None,
        seen: SeenFiles | None = None,
    ) -> None:
        """``started_in``: the folder of the session, where some clients start hooks and relative paths lead.

        ``seen``: what was read of the project before, for other clients.
        """
        self.seen = SeenFiles(roots.project) if seen is None else seen
        self._roots, self._hooks, self._loader = roots, hooks, loader
        follows = profile(hooks.dialect).execution.cwd == "session"
        elsewhere = disk.resolve(started_in) if started_in is not None and follows else None
        self._started_in = None if elsewhere == self.seen.project else elsewhere
        self._named: dict[int, tuple[Path, ...]] = {}
        self._below: dict[Path, tuple[Path, ...]] = {}

    def of(self, rule: Rule, action: Action) -> HookContent:
        """What belongs to one hook of the set."""
        file = self._inside(Path(action.origin.file))
        place, definition = self.seen.place(file), self._definition(rule, action)
        try:
            names = self.seen.links_to(file).union(*map(self.seen.add, self._files(action, file)))
            files = tuple(self.seen.by_name[name] for name in sorted(names))
            obstacle = next((_why_hidden(file) for file in files if file.is_hidden), "")
        except (AnyhookError, TooMuchError) as limit:
            files, obstacle = (), f"{limit}; make the hooks use fewer, or smaller ones"
        written = msgspec.json.encode((VERSION, place, definition, files), order="deterministic")
        return HookContent(
            rule=rule,
            action=action,
            place=place,
            definition=definition,
            files=files,
            obstacle=obstacle,
            digest=sha256(written).hexdigest(),
        )

    # ------------------------------------------------------------------------------------------------- the definition

    def _definition(self, rule: Rule, action: Action) -> str:
        """The hook as its file says it, whichever client reads it and whatever later releases make of a key."""
        path = Path(action.origin.file)
        form = self._loader.format_of(path)
        document = self._loader.document(path, form)
        if isinstance(document, Document) and form is not Format.PYTHON and action.origin.pointer:
            written: Any = _as_written(document, parse_pointer(document.data, action.origin.pointer))
        else:
            matched = (rule.matcher, rule.kinds, rule.command_pattern)
            written = {"matched": matched, "does": action.summary(), "timeout": action.timeout_ms, "name": action.name}
        if isinstance(action, Agent | Prompt):
            written = (written, self._models())  # they choose who judges
        try:
            return msgspec.json.encode((rule.native_event, written), order="deterministic").decode()
        except (UnicodeEncodeError, TypeError):  # half of a surrogate pair in a string; a key that is no text
            return storable(repr((rule.native_event, written)))

    def _models(self) -> Any:
        settings = self._roots.project / FILE_NAME
        document = self._loader.document(settings, Format.TOML) if disk.is_file(settings) else None
        return document.data.get("models") if isinstance(document, Document) and document.data else None

    def _inside(self, path: Path) -> Path:
        """The hook file below the real project folder, whichever way it was reached."""
        project = self._roots.project
        return disk.resolve(project) / path.relative_to(project) if path.is_relative_to(project) else path

    # -------------------------------------------------------------------------------------------------------- its files

    def _files(self, action: Action, file: Path) -> set[Path]:
        """The files that a command line names, those of the code folders that none names, and ``uses``.

        A Python hook can also import modules that command lines name.
        """
        if not runs_code(action):
            return set()
        is_python = isinstance(action, Python)
        named = self._named_by(action, file)
        reached = [self.seen.project / name for path in named for name in self.seen.add(path)]
        shared = {path for folder in self._code_folders(file, reached) for path in self._code_in(folder)}
        of_others = {path for path in self._named_by_any if not (is_python and path.suffix == ".py")}
        found = shared - of_others
        return {*named, *found, *files_of(self.seen.project, self._uses), *((file,) if is_python else ())}

    def _named_by(self, action: Action, file: Path) -> tuple[Path, ...]:
        """The files that a command line names; a script that does not exist counts, because one may appear."""
        if id(action) not in self._named:
            folders = self._folders(action, file)
            found: dict[Path, None] = {}
            for word in _words_in(action):
                candidates = list(self._candidates(word, folders))
                existing = [path for path in candidates if disk.is_file(path)]
                is_script = word.endswith(_SCRIPT_SUFFIXES) and not word.startswith("-")
                found |= dict.fromkeys(existing or (candidates[-1:] if is_script else ()))
            self._named[id(action)] = tuple(found)
        return self._named[id(action)]

    @cached_property
    def _named_by_any(self) -> frozenset[Path]:
        """The files that some command line of the client's hooks names: each belongs to the hooks that name it."""
        named: set[Path] = set()
        for action in (action for rule in self._hooks.rules for action in rule.actions if runs_code(action)):
            with suppress(TooMuchError):  # it cannot be approved, the others can
                named.update(self._named_by(action, self._inside(Path(action.origin.file))))
        return frozenset(Path(os.path.normpath(path)) for path in named)

    def _candidates(self, word: str, folders: Iterable[Path]) -> Iterator[Path]:
        """The paths that a word may mean, programs of the system left out.

        A variable of a client names some folder of the project, but not that of the session.
        """
        variable = _VARIABLE.match(word)
        name = (variable["name"] or variable["windows"]) if variable else ""
        rest = word[variable.end() :].lstrip("/\\") if variable else word
        if word.startswith("~/") or name in ("HOME", "USERPROFILE"):
            yield self._roots.home / rest.removeprefix("~/")
        elif os.path.isabs(rest):  # noqa: PTH117
            if (
                not os.path.normpath(rest).startswith(_SYSTEM_FOLDERS)
                or rest.startswith("/dev/shm/")
                or self._is_of_project(rest)
            ):
                yield Path(rest)
        else:
            yield from (folder / rest for folder in folders if name in ("", "PWD") or folder != self._started_in)

    def _is_of_project(self, path: str) -> bool:
        return Path(path).is_relative_to(self.seen.project) or Path(path).is_relative_to(self._roots.project)

    def _folders(self, action: Action, file: Path) -> list[Path]:
        """Where a relative path may start: beside the hook file, above it up to the project, and where it runs."""
        project = self.seen.project
        start = file.parent if file.is_relative_to(project) else project
        folders = [folder for folder in (start, *start.parents) if folder.is_relative_to(project)]
        if self._started_in is not None:
            folders.append(self._started_in)
        if isinstance(action, Command) and action.cwd:
            folders += [Path(os.path.normpath(path)) for path in self._candidates(action.cwd, tuple(folders))]
        return folders

    def _code_folders(self, file: Path, named: Iterable[Path]) -> list[Path]:
        """A package's ``hooks/`` and ``scripts/``, and the outermost ``hooks/`` folder that a named script lies in."""
        project = self.seen.project
        folders: dict[Path, None] = {}
        if file == project / FILE_NAME:
            folders |= dict.fromkeys(project / name for name in FOLDERS)
        elif file.parent.name == "hooks" and file.is_relative_to(project):
            folders |= dict.fromkeys(file.parent.parent / name for name in FOLDERS)
        for path in named:
            above = [at for at in path.parents if at.is_relative_to(project) and at != project]
            folders |= dict.fromkeys([at for at in above if at.name == "hooks"][-1:])
        return list(folders)

    def _code_in(self, folder: Path) -> tuple[Path, ...]:
        """The files of a code folder that define no hooks. They are counted before one is read: every event pays."""
        if folder not in self._below:
            below = tuple(islice(code_below(folder), MAX_FILES + 1))
            is_few = len(below) <= MAX_FILES
            self._below[folder] = tuple(path for path in below if not self._defines_hooks(path)) if is_few else below
        if len(self._below[folder]) > MAX_FILES:
            raise TooMuchError(f"{called(self.seen.place(folder))} holds more than {MAX_FILES:,} files")
        return self._below[folder]

    def _defines_hooks(self, path: Path) -> bool:
        """True for a file that belongs to the hooks alone that it defines, or to none: the signature."""
        if path.suffix == ".py":  # most of these are modules
            return defines_hooks(path, self._loader)
        is_own = path.name in ("hooks.json", "rules.yaml", "rules.yml") and path.parent.name == "hooks"
        return is_own or path in self._definition_files or path == self.seen.project / SIGNATURE_FILE

    @cached_property
    def _definition_files(self) -> frozenset[Path]:
        return frozenset(self._inside(Path(file.path)) for file in self._hooks.files)

    @cached_property
    def _uses(self) -> tuple[str, ...]:
        return used_globs(self.seen.project, self._loader)


def runs_code(action: Action) -> bool:
    """True if a hook starts a program or calls a function, which files of the project may be a part of."""
    return isinstance(action, RuleCommand) or not isinstance(action, Agent | Guard | Http | McpTool | Prompt)


def _words_in(action: Action) -> Iterator[str]:
    """The different words of the command lines and variables of a hook."""
    if not isinstance(action, Command):
        return iter(())
    if action.is_too_long:
        raise TooMuchError("the command line of a hook is too long to be searched for files")
    texts = (*action.commands(), *map(shlex.quote, action.args or ()), *map(shlex.quote, action.env.values()))
    return iter(dict.fromkeys(word for text in texts for word in words_of(text)))


def words_of(text: str) -> Iterator[str]:
    """The words of a command line that may name a file, without quotes; those inside a quoted script, too."""
    text = _OUTPUT.sub(" ", text)
    inside = " ".join(found.strip("$()`") for found in _SUBSTITUTION.findall(text))
    text = f"{_SUBSTITUTED_FOLDER.sub('$X', text)} {inside}"
    try:
        words = shlex.split(text)
    except ValueError:  # an unclosed quote
        words = text.split()
    parts = (part for word in words for part in (word, *_SEPARATORS.split(word)) if part and "\0" not in part)
    for number, part in enumerate(parts):
        if number == _MAX_WORDS:
            raise TooMuchError(f"the command line of a hook has more than {_MAX_WORDS:,} words")
        yield part
        if "=" in part:  # --config=file, BASH_ENV=./file
            yield part.partition("=")[2]


def _as_written(document: Document, pointer: Pointer) -> Any:
    """The value at a place, with what the groups around it say besides the list that it is in."""
    around: list[Mapping[str, Any]] = []
    at: Any = document.data
    for place, step in enumerate(pointer):
        is_group = isinstance(at, Mapping) and place > 0 and isinstance(pointer[place - 1], int)
        if is_group:
            around.append({key: value for key, value in at.items() if key != step})
        try:
            at = at[step]
        except (KeyError, IndexError, TypeError):
            break
    return {"is": at, "in": around} if around else at


def _why_hidden(file: UsedFile) -> str:
    return {
        "unreadable": f"{file.path} cannot be read; make it readable for you",
        "special": f"{file.path} is not a regular file, so its content cannot be known",
        "too large": f"{file.path} is too large to be hashed",
    }[file.kind]
