"""The fingerprint of a project's hooks: every definition that could run, and every file that running it would use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, structs

from anyhook.dialects import profile
from anyhook.dialects.bound_event import is_guard
from anyhook.model.hooks import Action, Agent, Command, FateState, HookSet, OsCommands, Prompt, Rule
from anyhook.model.origin import Origin, Scope
from anyhook.sources import disk
from anyhook.sources.discover import Roots
from anyhook.sources.load import FILE_NAME
from anyhook.sources.state import login_home
from anyhook.trust.details import details_of
from anyhook.trust.digests import digest_of
from anyhook.trust.seen_files import TooMuchError, UsedFile, storable
from anyhook.trust.used_files import RULES, FileFinder, Reference

CODE_FOLDER, PACKAGE_FOLDERS = "hooks", ("hooks", "scripts")
_PLACE_AND_FATE = frozenset({"origin", "fate"})
"""Where a hook is defined and its fate; neither changes what it does."""


class Definition(Struct, frozen=True):
    """One hook, with all that its file says about it."""

    event: str
    matcher: str | None
    summary: str
    text: str
    """Everything as JSON with sorted keys, so that equal hooks have equal texts."""
    canonical_event: str = ""
    is_active: bool = True
    is_async: bool = False
    details: tuple[str, ...] = ()
    """What else a user should see: other systems' commands, variables, folder, headers and what they send."""
    doubts: tuple[str, ...] = ()
    """Of a hook that can block: what it runs that cannot be found beforehand, so that a change of it is not seen."""
    kinds: tuple[str, ...] = ()
    """What a tool must do, whatever it is called; empty: anything."""


class Group(Struct, frozen=True):
    """The hooks that one client reads from one file, and the paths of all files that they use."""

    client: str
    file: str
    definitions: tuple[Definition, ...]
    uses: tuple[str, ...]


class Fingerprint(Struct, frozen=True):
    """What is trusted, or would be."""

    groups: tuple[Group, ...] = ()
    files: Mapping[str, UsedFile] = {}
    doubts: tuple[str, ...] = ()
    """Why this cannot be trusted; empty when it can."""
    unresolved: tuple[str, ...] = ()
    """What the hooks run that cannot be found beforehand: shown to the user, who decides."""
    owner: str = ""
    """The client that the package's own hook file is written for; empty: it has no such file."""
    references: Mapping[str, tuple[Reference, ...]] = {}
    """What the texts name, by their hashes; spares the next reader the work."""
    is_partial: bool = False
    """Texts were not searched because only known ones were to be: what they use is missing here."""

    @property
    def doubts_about_guards(self) -> tuple[str, ...]:
        """What guards run that cannot be found beforehand: the user must accept it explicitly."""
        found = (doubt for group in self.groups for hook in group.definitions for doubt in hook.doubts)
        return tuple(sorted(set(found)))

    @property
    def digest(self) -> str:
        return digest_of(msgspec.json.encode((self.groups, self.files), order="deterministic"))


def needs_trust(origin: Origin, roots: Roots) -> bool:
    """Whether a hook comes from the project rather than from its user or the organisation.

    A user's file inside the project is the project's after all (a variable such as CLAUDE_CONFIG_DIR may lead there),
    unless the project holds the whole home folder.
    """
    match origin.scope:
        case Scope.MANAGED | Scope.RUNTIME:
            return False
        case Scope.PROJECT | Scope.LOCAL:
            return True
        case _:
            is_inside = disk.resolve(Path(origin.file)).is_relative_to(disk.resolve(roots.project))
            homes = {disk.resolve(home) for home in (roots.home, login_home() or roots.home)}
            holds_home = all(home.is_relative_to(disk.resolve(roots.project)) for home in homes)
            is_inside = is_inside or Path(origin.file).is_relative_to(roots.project)
            return is_inside and not (origin.scope is Scope.USER and holds_home)


def take_fingerprint(
    roots: Roots,
    hook_sets: Iterable[HookSet],
    *,
    started_in: Path | None = None,
    owner: str = "",
    known: Mapping[str, tuple[Reference, ...]] | None = None,
    only_known: bool = False,
) -> Fingerprint:
    """The fingerprint of those hooks that need trust.

    ``started_in`` is the folder that the session is in: where a client starts hooks there, relative paths mean files of
    that folder, too. ``known`` are the references of an earlier fingerprint. ``only_known``: no other
    text is searched, which takes time. Never raises, whatever is there.
    """
    hook_sets = tuple(hook_sets)
    follows = any(profile(hooks.dialect).execution.cwd == "session" for hooks in hook_sets)
    session = started_in if follows else None
    finder = FileFinder(roots.project, roots.home, session, known or {}, only_known=only_known)
    groups: list[Group] = []
    doubts: list[str] = []
    try:
        for hooks in hook_sets:
            for file, found in _by_file(hooks, roots):
                groups.append(_group(finder, hooks.dialect, _inside(file, roots), found))
    except TooMuchError as limit:
        doubts.append(f"{limit}; make the hooks use fewer, or smaller ones")
    doubts += [_doubt(file) for file in finder.seen.by_name.values() if file.is_hidden]
    files = dict(sorted(finder.seen.by_name.items()))
    return Fingerprint(
        tuple(groups),
        files,
        tuple(doubts),
        tuple(finder.unresolved),
        owner,
        finder.references,
        is_partial=finder.has_unknown,
    )


def _by_file(hooks: HookSet, roots: Roots) -> Iterator[tuple[str, list[tuple[Rule, Action]]]]:
    """The hooks that need trust and that the client loads; also disabled ones, which a setting can bring back."""
    of_project: dict[str, bool] = {}
    for file in {action.origin.file: action.origin for rule in hooks.rules for action in rule.actions}.values():
        of_project[file.file] = needs_trust(file, roots)
    found = [
        (rule, action)
        for rule in hooks.rules
        for action in rule.actions
        if action.is_loaded and of_project[action.origin.file]
    ]
    found.sort(key=lambda pair: pair[1].origin.file)  # stable: the order within a file is the client's
    for file, group in groupby(found, key=lambda pair: pair[1].origin.file):
        yield file, list(group)


def _inside(file: str, roots: Roots) -> Path:
    """The hook file below the real project folder, whichever way it was reached."""
    path = Path(file)
    return disk.resolve(roots.project) / path.relative_to(roots.project) if path.is_relative_to(roots.project) else path


def _group(
    finder: FileFinder,
    client: str,
    file: Path,
    found: list[tuple[Rule, Action]],
) -> Group:
    definitions = []
    started: set[str] = set()
    for rule, action in found:
        definition = _define(rule, action)
        cwd = action.cwd if isinstance(action, Command) else None
        references = _references(finder, definition, action)
        used = finder.used_by_hook(references, file, cwd)
        if is_guard(profile(client), rule, action):
            definition = structs.replace(definition, doubts=finder.doubts_of(references, used))
        definitions.append(definition)
        started |= used
    uses = {*started, *finder.seen.links_to(file)}
    if any(isinstance(action, Prompt | Agent) for _, action in found):
        uses |= finder.seen.add(finder.project / FILE_NAME)  # it chooses the model that judges
    for folder in _code_folders(finder, file, started):
        uses |= finder.whole_folder(folder)
    return Group(client, finder.seen.place(file), tuple(definitions), tuple(sorted(finder.with_all_they_use(uses))))


def _define(rule: Rule, action: Action) -> Definition:
    fields = {name: getattr(action, name) for name in action.__struct_fields__ if name not in _PLACE_AND_FATE}
    around = {name: getattr(rule, name) for name in rule.__struct_fields__ if name not in {"actions", "origin"}}
    around["kinds"] = rule.kinds or None
    # A hook that is switched off or replaced is another one than the same hook in use: a guard must not end that way.
    state = "" if action.fate.state is FateState.ACTIVE else action.fate.state
    text = _canonical({"type": action.kind, **_said({**fields, "state": state}), "rule": _said(around)})
    matcher = None if rule.matcher is None else storable(rule.matcher)
    details = tuple(storable(detail) for detail in details_of(action))
    return Definition(
        storable(rule.native_event),
        matcher,
        storable(action.summary()),
        text,
        storable(rule.event),
        not state,
        action.is_async,
        details,
        kinds=rule.kinds,
    )


def _said(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Only what a file says, so that a key that a later anyhook knows does not end trust."""
    unsaid: tuple[Any, ...] = ("", {}, OsCommands())
    return {name: value for name, value in fields.items() if not (value is None or value is False or value in unsaid)}


def _canonical(data: Mapping[str, Any]) -> str:
    try:
        return msgspec.json.encode(data, order="deterministic").decode()
    except (UnicodeEncodeError, TypeError):  # half of a surrogate pair in a string; a key that is no text
        return storable(repr(data))


def _references(finder: FileFinder, definition: Definition, action: Action) -> tuple[Reference, ...]:
    def search() -> tuple[Reference, ...]:
        from anyhook.trust.references import references_of_action  # only for a hook never seen: it costs time

        return references_of_action(action)

    return finder.references_for(f"{RULES}:hook:{digest_of(definition.text.encode())}", search)


def _code_folders(finder: FileFinder, file: Path, started: Iterable[str]) -> list[Path]:
    """Folders whose code all counts: a package's hooks/ and scripts/, and a hooks/ folder that a script lies in."""
    project = finder.project
    folders: dict[Path, None] = {}
    if file.parent.name == CODE_FOLDER and file.is_relative_to(project):
        folders |= dict.fromkeys(file.parent.parent / name for name in PACKAGE_FOLDERS)
    for name in sorted(started):
        parents = [parent for parent in (project / name).parents if parent.is_relative_to(project)]
        folders |= dict.fromkeys(
            [parent for parent in parents if parent.name == CODE_FOLDER and parent != project][-1:]
        )
    return list(folders)


def _doubt(file: UsedFile) -> str:
    return {
        "unreadable": f"{file.path} cannot be read; make it readable for you",
        "special": f"{file.path} is not a regular file, so its content cannot be known",
        "too large": f"{file.path} is too large to be hashed",
    }[file.kind]
