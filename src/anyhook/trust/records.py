"""What anyhook keeps about a repository: which hooks a person approved, and which guards were seen guarding it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import copy
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, structs

from anyhook.model.hooks import Action, DeclaredRule, Guard, HookSet, Rule, Unreadable
from anyhook.model.origin import Origin, Scope
from anyhook.model.problems import AnyhookError
from anyhook.sources import disk
from anyhook.sources.discover import Roots
from anyhook.sources.state import is_state_inside, make_private, read_private, state_folder, write_private
from anyhook.trust.repository import begins_with, first_commits, repository_of
from anyhook.trust.seen_files import UsedFile, storable

MAX_KEPT_TEXT_BYTES = 256 * 1024
MAX_KEPT_TEXTS_BYTES = 4 * 1024 * 1024
"""How much text is kept to show a difference later."""
_LOCK_SECONDS = 5.0
MAX_SETS = 50
"""How many branches, and how many approved sets of hooks, are remembered for each client."""


class KnownHook(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A hook as it was when a person approved it, or when it was seen guarding."""

    digest: str
    client: str
    """In whose terms it is written."""
    label: str
    place: str
    line: int = 0
    definition: str
    source: str = ""
    """The hash of the file that defines it."""
    files: tuple[UsedFile, ...] = ()
    event: str
    native_event: str
    matcher: str | None = None
    kinds: tuple[str, ...] = ()
    is_async: bool = False
    guard: str = ""
    """The ready-made guard that it is, "rule", or empty: a hook that runs something."""
    settings: Mapping[str, Any] = {}
    """Of a guard or rule: everything that it needs to go on judging."""

    def rule_in(self, root: Path) -> Rule:
        """The hook as a rule: a guard judges as it did, another hook only tells which events it was for."""
        origin = Origin(self.client, Scope.PROJECT, str(root / self.place), line=self.line)
        action: Action = Unreadable(text=self.label, is_async=self.is_async, origin=origin)
        if self.guard:
            kind = DeclaredRule if self.guard == DeclaredRule.kind else Guard
            action = kind(guard=self.guard, settings=self.settings, origin=origin, fail_closed=True)
        return Rule(
            event=self.event,
            native_event=self.native_event,
            matcher=self.matcher,
            kinds=self.kinds,
            actions=(action,),
            origin=origin,
        )


class ApprovedSet(Struct, frozen=True):
    """All hooks that were there when a person approved them."""

    hooks: frozenset[str]
    knew: frozenset[str]
    """Every hook that was known then: that the others are gone was approved, too."""


class ClientRecord(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which hooks of one client were in force."""

    by_branch: Mapping[str, frozenset[str]] = {}
    """The digests that were last in force on each branch; the branch of the last event is the last."""
    approved: tuple[ApprovedSet, ...] = ()

    def missing(self, present: frozenset[str], branch: str) -> frozenset[str]:
        """The hooks that were removed or changed, and that no person has agreed to lose."""
        last = [*self.by_branch.values(), frozenset[str]()][-2:][0]
        lost = self.by_branch.get(branch, last) - present
        if not lost or any(hooks == present for name, hooks in self.by_branch.items() if name != branch):
            return frozenset()
        agreed = frozenset[str]().union(*(one.knew for one in self.approved if one.hooks == present))
        return lost - agreed

    def with_set(self, branch: str, hooks: frozenset[str], approved: ApprovedSet | None = None) -> ClientRecord:
        """The record with these hooks in force on a branch."""
        others = [(name, found) for name, found in self.by_branch.items() if name != branch][-MAX_SETS:]
        return ClientRecord(
            by_branch={**dict(others), branch: hooks},
            approved=self.approved if approved is None else (*self.approved[-MAX_SETS:], approved),
        )


class PackageRecord(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is kept about the hooks of one folder of a repository."""

    known: Mapping[str, KnownHook] = {}
    """By digest: all hooks that were approved or seen guarding."""
    approved: Mapping[str, str] = {}
    """The digests that a person approved, with the time."""
    revoked: frozenset[str] = frozenset()
    """The digests that a person took back; a signature does not bring them back."""
    clients: Mapping[str, ClientRecord] = {}
    owner: str = ""
    """The client that the folder's own hook file was written for."""
    signed: frozenset[str] = frozenset()
    """The digests that were seen in signatures that counted: a later one may do without them."""
    serial: int = 0
    """The highest serial of a signature that was seen."""

    def of(self, client: str) -> ClientRecord:
        return self.clients.get(client, ClientRecord())

    def without_forgotten(self) -> PackageRecord:
        """The record without the hooks that are in no set any more: it would grow with every change."""
        sets = (hooks for client in self.clients.values() for hooks in client.by_branch.values())
        kept = frozenset[str]().union(*sets)
        known = {digest: hook for digest, hook in self.known.items() if digest in kept}
        return structs.replace(self, known=known, signed=self.signed & kept)


class Record(Struct, frozen=True, kw_only=True):
    """What is kept about one repository."""

    folder: str
    origin: str = ""
    root: str = ""
    """Its first commit; empty: not known."""
    packages: Mapping[str, PackageRecord] = {}
    """By the folder of the hooks, from the top of the working tree."""


class TrustStore:
    """Finds and keeps the record of the repository that a project is in."""

    def __init__(self, roots: Roots, started_in: Path | None = None) -> None:
        self.project = disk.resolve(roots.project)
        self.repository = repository_of(roots.project)
        self.started_in = started_in
        self._environment = roots.environment
        self._is_inside = is_state_inside(self.project, started_in)

    def at(self, folder: Path) -> TrustStore:
        """The store for another folder of the same repository."""
        other = copy(self)
        other.project = disk.resolve(folder)
        return other

    @property
    def why_not_kept(self) -> str:
        """Why the folder for state does not count; empty: it does."""
        if not self._is_inside:
            return ""
        return f"what {state_folder()} says does not count, because the project could have written it"

    @property
    def package(self) -> str:
        """The folder of the hooks from the top of the working tree."""
        inside = self.project.is_relative_to(self.repository.top)
        return self.project.relative_to(self.repository.top).as_posix() if inside else "."

    def read(self) -> PackageRecord:
        """What is known of this package; empty if nothing is.

        A folder that became a part of another repository keeps its guards, though no approval. Without this, removing
        or replacing ``.git`` would end the memory of which guards there were.
        """
        own = self._record.packages.get(self.package) if self._record else None
        if own is not None and own.clients:
            return own
        name, _, package = self._last(self.project).partition(" ")
        former = self._read(name) if name != self.name and not self._is_inside else None
        found = former.packages.get(package) if former else None
        return structs.replace(found, approved={}) if found else own or PackageRecord()

    def is_repository(self, origin: str, root: str) -> bool:
        """True if this is a clone of the repository that came from this place and began with this commit."""
        if not root or origin != self.repository.origin:
            return False
        is_known = self._record is not None and self._record.root == root
        return is_known or begins_with(self.repository, root, self._environment)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Keep others from writing between what is read and what is written. Raises AnyhookError."""
        from filelock import FileLock, Timeout  # most events change nothing

        if self._is_inside:
            raise AnyhookError(
                f"{state_folder()}: a project cannot hold the trust in itself; set another ANYHOOK_STATE_DIR"
            )
        path = state_folder() / "trust" / "lock"
        try:
            make_private(path.parent)
            with FileLock(path, timeout=_LOCK_SECONDS, mode=0o600):
                self.forget()
                yield
        except Timeout:
            raise AnyhookError(f"{path}: another anyhook is writing there; try again") from None
        except OSError as error:
            raise AnyhookError(f"{path}: cannot be written: {error.strerror or error}; make it writable") from error

    def write(self, package: PackageRecord, root: str = "") -> None:
        """Keep what is now known of this package, within :meth:`changing`.

        ``root``: the repository's first commit, if it was looked up; then it is kept for all clones.
        """
        own = self.repository
        record = self._record or Record(folder=storable(str(own.folder)), origin=own.origin)
        packages = {**record.packages, self.package: package.without_forgotten()}
        record = structs.replace(record, packages=packages)
        if root:
            record = structs.replace(record, origin=own.origin, root=root)
        write_private(_file("repositories", self.name), msgspec.json.encode(record))
        self.__dict__["_record"] = record
        _keep(_path("places", f"{own.folder}\0{own.origin}"), self.name)
        for folder in {self.project, own.folder}:
            _keep(_path("places", str(folder)), f"{self.name} {self.package if folder == self.project else ''}")
        if root and own.origin:
            clones = _path("origins", own.origin)
            _keep(clones, " ".join(sorted({*_text(clones).split(), self.name})))

    def keep_texts(self, texts: Mapping[str, str]) -> None:
        """Keep the texts of what is in force by now, by which a later change is shown."""
        if not texts.keys() - (kept := self.texts()).keys():
            return
        kept |= texts
        while sum(map(len, kept.values())) > MAX_KEPT_TEXTS_BYTES:
            kept.pop(next(iter(kept)))
        write_private(_file("texts", self.name), msgspec.json.encode(kept))

    def root(self) -> str:
        """The first commit of the repository; empty: there is none, or it is not known."""
        return next(reversed(first_commits(self.repository, self._environment)), "")

    def forget(self) -> None:
        """Read again what others may have written."""
        self.__dict__.pop("_record", None)

    def texts(self) -> dict[str, str]:
        """The texts of files that were approved or in force, by their hashes."""
        content = None if self._is_inside else read_private(_file("texts", self.name))
        try:
            return msgspec.json.decode(content or b"{}", type=dict[str, str])
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return {}

    # --------------------------------------------------------------------------------------------------- the repository

    @cached_property
    def _record(self) -> Record | None:
        return None if self._is_inside else self._read(self.name)

    @cached_property
    def name(self) -> str:
        """The name under which this repository is kept: that of a clone which is known already, else its own."""
        own = self.repository
        place = _path("places", f"{own.folder}\0{own.origin}")
        if self._read(known := _text(place)) is not None:
            return known
        last = self._last(own.folder).partition(" ")[0]  # the same folder, when its origin was another one
        clones = _text(_path("origins", own.origin)).split() if own.origin else []
        for name in (last, *clones) if own.is_git and not own.is_shallow else clones:
            record = self._read(name)
            is_likely = record is not None and (name == last or record.origin == own.origin)
            if record is not None and is_likely and begins_with(own, record.root, self._environment):
                if not self._is_inside:
                    with suppress(AnyhookError):  # git is asked again next time
                        _keep(place, name)
                return name
        return sha256(f"{own.folder}\0{own.origin}".encode(errors="replace")).hexdigest()[:32]

    @staticmethod
    def _last(folder: Path) -> str:
        """The name of the repository that a folder was last known in, and of the package that it was there."""
        return _text(_path("places", str(folder)))

    @staticmethod
    def _read(name: str) -> Record | None:
        content = read_private(_file("repositories", name)) if name.isalnum() else None
        try:
            return None if content is None else msgspec.json.decode(content, type=Record)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None


def _path(kind: str, about: str) -> Path:
    return state_folder() / "trust" / kind / sha256(about.encode(errors="surrogateescape")).hexdigest()[:32]


def _file(kind: str, name: str) -> Path:
    return state_folder() / "trust" / kind / f"{name}.json"


def _text(path: Path) -> str:
    return (read_private(path) or b"").decode("utf-8", "replace")


def _keep(path: Path, text: str) -> None:
    if _text(path) != text:
        write_private(path, text.encode())


def text_of(project: Path, file: UsedFile | None) -> str | None:
    """The text that was hashed; None when it is large or binary, or the file has changed since."""
    if file is None or file.kind != "file":
        return None
    content = disk.read_small_file(project / file.path, MAX_KEPT_TEXT_BYTES, follow_links=False)
    if content is None or sha256(content).hexdigest() != file.sha256 or b"\0" in content:
        return None
    return content.decode("utf-8", "replace")


def known_folders(roots: Roots, client: str | None) -> Iterator[Path]:
    """The folders from the project upwards whose hooks are known: of a client, or of the folder's own hook file.

    The first whose hooks a person has approved is the last: with that, they took the place of those above. A signature
    is for the repository, and its package could have been copied into any folder.
    """
    store = TrustStore(roots)
    for folder in (roots.project, *roots.project.parents):
        inside = disk.resolve(folder).is_relative_to(store.repository.top)
        store = store.at(folder) if inside else TrustStore(structs.replace(roots, project=folder))
        if known_hooks(store, client):
            yield folder
            if store.read().approved:
                return


def known_hooks(store: TrustStore, client: str | None) -> tuple[KnownHook, ...]:
    """The hooks that were in force in a folder: of a client, or of the folder's own hook file."""
    package = store.read()
    digests = package.of(client or package.owner).missing(frozenset(), store.repository.branch)
    return tuple(package.known[digest] for digest in sorted(digests) if digest in package.known)


def hooks_as_known(known: Iterable[KnownHook], root: Path) -> tuple[HookSet, ...]:
    """Hooks that were known, by the client in whose terms they are written."""
    rules: dict[str, list[Rule]] = {}
    for hook in known:
        rules.setdefault(hook.client, []).append(hook.rule_in(root))
    return tuple(HookSet(dialect=client, rules=tuple(found)) for client, found in rules.items())
