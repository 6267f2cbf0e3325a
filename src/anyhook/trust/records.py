"""Which projects' hooks may run: their user has seen them, and nothing that they use has changed since.

With a bridge a client has only ever seen ``anyhook exec``, so its own trust says nothing about the hooks behind it.
Trust is given to a fingerprint (:mod:`anyhook.trust.fingerprint`): every definition, and every file that can be found
from it. It holds for one folder; another clone of the same project has to be trusted by itself. Every file is hashed:
its size and the time of its modification can be set by whoever can write it. The daemon does so again when something
about the file differs that nobody can set (:mod:`anyhook.sources.disk`).

Not covered, because nobody can see it beforehand:

* A file that is changed between the check and the moment when the hook reads it. Whoever can write into a trusted
  project while its hooks run can race with them; the check makes that a race instead of an open door.
* What a program loads without a plain path in a text: paths put together at run time, ``eval`` of a download, plugins
  and configuration that a formatter or a test runner reads, installed packages, programs found by PATH.
* Somebody who can write as the user, and so also into our own folder.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from anyhook.model.hooks import HookSet
from anyhook.model.problems import AnyhookError
from anyhook.sources import disk
from anyhook.sources.discover import Roots
from anyhook.sources.state import read_private, state_folder, write_private
from anyhook.trust.fingerprint import Fingerprint, Group, take_fingerprint
from anyhook.trust.seen_files import UsedFile, read_small_file, storable

VARIABLE = "ANYHOOK_TRUST"
MAX_KEPT_TEXT_BYTES = 256 * 1024
MAX_KEPT_TEXTS_BYTES = 4 * 1024 * 1024
"""How much text is kept to show a difference later."""


class TrustState(enum.StrEnum):
    TRUSTED = "trusted"
    UNKNOWN = "unknown"  # nobody has said anything about it yet
    CHANGED = "changed"  # it was trusted, and is not the same any more
    REVOKED = "revoked"  # it was trusted, until its user took that back


class Change(Struct, frozen=True):
    """One thing that is not as it was when it was trusted."""

    path: str
    """A file of the project, or the hook file whose definitions changed."""
    text: str
    """What happened to it, to be read behind the path."""
    is_definition: bool = False


class Trust(Struct, frozen=True):
    """Whether the hooks of a project may run, and what they are now."""

    state: TrustState
    project: Path
    fingerprint: Fingerprint
    changes: tuple[Change, ...] = ()
    note: str = ""
    """Why the answer is not what one might expect."""

    @property
    def is_trusted(self) -> bool:
        return self.state is TrustState.TRUSTED

    @property
    def reason(self) -> str:
        """Why the hooks do not run, and what to do about it; empty when they do."""
        match self.state:
            case TrustState.TRUSTED:
                return ""
            case TrustState.CHANGED:
                first = self.changes[0]
                more = f" and {len(self.changes) - 1} more" if len(self.changes) > 1 else ""
                why = f"changed since you trusted them ({first.path} {first.text}{more})"
                remedy = f"anyhook trust --diff {self.project}"
            case TrustState.REVOKED:
                why, remedy = "are no longer trusted", f"anyhook trust {self.project}"
            case TrustState.UNKNOWN:
                why, remedy = "are not trusted yet", f"anyhook trust {self.project}"
        note = f"; {self.note}" if self.note else ""
        return f"the hooks of {self.project} {why}, so they do not run{note}; see: {remedy}"


class Record(Struct, frozen=True):
    """What is kept about a project."""

    project: str
    fingerprint: Fingerprint
    is_revoked: bool = False


def check_trust(roots: Roots, hook_sets: Iterable[HookSet], *, started_in: Path | None = None) -> Trust:
    """Whether these hooks may run. Hooks of the user and of the organisation need no trust.

    ``started_in`` is the folder that the session is in, when it may be another than the project's.
    """
    hook_sets = tuple(hook_sets)
    project = disk.resolve(roots.project)
    record = read_record(roots)
    known = record.fingerprint.references if record else {}
    now = take_fingerprint(roots, hook_sets, started_in=started_in, known=known)
    if not now.groups and not now.doubts:
        return Trust(TrustState.TRUSTED, project, now, note="no hook here needs trust")
    note = ""
    if roots.environment.get(VARIABLE) == "1":
        setter = _own_setter(roots)
        if setter is None:
            return Trust(TrustState.TRUSTED, project, now, note=f"{VARIABLE}=1 is set")
        note = f"{VARIABLE}=1 does not count, because {setter} of the project itself mentions it"
    elif record is None and _is_in_project(roots):
        note = f"what {state_folder()} says does not count, because it is inside the project"
    if record is None:
        return Trust(TrustState.UNKNOWN, project, now, note=note)
    if record.is_revoked:
        return Trust(TrustState.REVOKED, project, now, note=note)
    changes = tuple(_compare(record.fingerprint, now, {hooks.dialect for hooks in hook_sets}))
    changes += tuple(Change("the project", f"cannot be checked: {doubt}") for doubt in now.doubts)
    return Trust(TrustState.CHANGED if changes else TrustState.TRUSTED, project, now, changes, note)


def trust_project(roots: Roots, fingerprint: Fingerprint) -> None:
    """Trust exactly what this fingerprint says: what its user was shown, even if it has changed in the meantime."""
    if fingerprint.doubts:
        raise AnyhookError(f"{roots.project}: cannot be trusted: {fingerprint.doubts[0]}")
    if _is_in_project(roots):
        raise AnyhookError(
            f"{state_folder()}: a project cannot hold the trust in itself; set another ANYHOOK_STATE_DIR"
        )
    project = disk.resolve(roots.project)
    folder = _folder(project)
    write_private(folder / "texts.json", msgspec.json.encode(_texts(project, fingerprint)))
    _write_record(folder, Record(_name(project), structs.replace(fingerprint, doubts=())))


def guarding_variables() -> dict[str, str]:
    """What the environment of trusted hooks should have: Python's compiled modules come from our folder.

    Whoever can write a ``__pycache__`` of the project could otherwise put other code into a module whose source, which
    is what was trusted, stays as it is.
    """
    return {"PYTHONPYCACHEPREFIX": str(state_folder() / "pycache")}


def revoke_trust(roots: Roots) -> bool:
    """Take the trust back; False when there was none."""
    record = read_record(roots)
    if record is None or record.is_revoked:
        return False
    _write_record(_folder(disk.resolve(roots.project)), structs.replace(record, is_revoked=True))
    return True


# ------------------------------------------------------------------------------------------------------------ our files


def read_record(roots: Roots) -> Record | None:
    """What is kept about the project; None when there is nothing, or nothing that could be believed."""
    project = disk.resolve(roots.project)
    content = None if _is_in_project(roots) else read_private(_folder(project) / "trust.json")
    if content is None:
        return None
    try:
        record = msgspec.json.decode(content, type=Record)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return record if record.project == _name(project) else None


def _write_record(folder: Path, record: Record) -> None:
    write_private(folder / "trust.json", msgspec.json.encode(record))


def _folder(project: Path) -> Path:
    return state_folder() / "trust" / sha256(_name(project).encode()).hexdigest()[:32]


def _name(project: Path) -> str:
    return storable(str(project))


def _is_in_project(roots: Roots) -> bool:
    """Whether our folder came with the project: the environment can be set by a client's project settings."""
    project = disk.resolve(roots.project)
    if disk.resolve(roots.home).is_relative_to(project):
        return False
    return disk.resolve(state_folder()).is_relative_to(project)


def _own_setter(roots: Roots) -> str | None:
    """The file by which a project could set our variable for itself, through the client that reads it."""
    from anyhook.dialects import NAMES
    from anyhook.dialects.places import Root
    from anyhook.model.problems import Problem
    from anyhook.sources.discover import config_folders, find_for_project
    from anyhook.sources.load import Loader, read_text

    loader = Loader()
    found = {file.path for name in NAMES for file in find_for_project(name, roots) if file.source.root is Root.PROJECT}
    for path in sorted(found):
        document = loader.document(path, loader.format_of(path))
        if not isinstance(document, Problem) and VARIABLE in repr(document.data):  # escapes are resolved in the data
            return path.relative_to(roots.project).as_posix()
    for folder in ("", *sorted(config_folders())):
        path = roots.project / folder / ".env"
        text = read_text(path)
        if isinstance(text, str) and VARIABLE in text:
            return path.relative_to(roots.project).as_posix()
    return None


# ---------------------------------------------------------------------------------------------------------- differences


class TextChange(Struct, frozen=True):
    """The texts of something before and after; None: it was or is not there, or its text was not kept."""

    change: Change
    before: str | None
    after: str | None


def differences(trust: Trust, roots: Roots) -> Iterator[TextChange]:
    """What changed, with the texts that are known."""
    record = read_record(roots)
    if record is None:
        return
    kept = _kept_texts(trust.project)
    old, new = record.fingerprint, trust.fingerprint
    for change in trust.changes:
        if change.is_definition:
            yield TextChange(change, _definitions(old, change.path), _definitions(new, change.path))
        else:
            before, after = old.files.get(change.path), new.files.get(change.path)
            text = None if after is None else _text_of(trust.project, after)
            yield TextChange(change, None if before is None else kept.get(before.sha256), text)


def _compare(old: Fingerprint, new: Fingerprint, clients: set[str]) -> Iterator[Change]:
    before, after = _groups_of(old, clients), _groups_of(new, clients)
    changes: dict[tuple[str, bool], Change] = {}
    for key in sorted(before.keys() | after.keys()):
        was, now = before.get(key), after.get(key)
        if was is None or now is None or was.definitions != now.definitions:
            text = "has new hooks" if was is None else "lost its hooks" if now is None else "has other hooks"
            changes[key[1], True] = Change(key[1], text, is_definition=True)
        for path in sorted({*(was.uses if was else ()), *(now.uses if now else ())}):
            had = old.files.get(path) if was and path in was.uses else None
            has = new.files.get(path) if now and path in now.uses else None
            if had != has:
                changes.setdefault((path, False), Change(path, _what_happened(had, has)))
    yield from changes.values()


def _groups_of(fingerprint: Fingerprint, clients: set[str]) -> dict[tuple[str, str], Group]:
    return {(group.client, group.file): group for group in fingerprint.groups if group.client in clients}


def _what_happened(had: UsedFile | None, has: UsedFile | None) -> str:
    if had is None or had.kind == "missing":
        return "is new"
    if has is None:
        return "is not used any more"
    if has.kind == "missing":
        return "is gone"
    if had.kind != has.kind:
        return f"was a {had.kind} and is a {has.kind}" if has.kind in ("file", "link") else f"is {has.kind}"
    if had.target != has.target:
        return f"leads to {has.target} instead of {had.target}"
    if had.sha256 != has.sha256:
        return "changed"
    return f"has mode {has.mode:03o} instead of {had.mode:03o}"


def _definitions(fingerprint: Fingerprint, file: str) -> str | None:
    """The definitions of a file as text, one key to a line; those that several clients read alike once."""
    texts: dict[str, list[str]] = {}
    for group in fingerprint.groups:
        if group.file == file:
            whole = "\n".join(_indented(definition.text) for definition in group.definitions)
            texts.setdefault(whole, []).append(group.client)
    return "\n".join(f"as {', '.join(clients)} read it:\n{text}" for text, clients in texts.items()) or None


def _indented(text: str) -> str:
    try:
        return msgspec.json.format(text, indent=2)
    except msgspec.MsgspecError:
        return text


def _texts(project: Path, fingerprint: Fingerprint) -> dict[str, str]:
    """The texts of the files by their hashes, as many as are kept."""
    texts: dict[str, str] = {}
    left = MAX_KEPT_TEXTS_BYTES
    for file in fingerprint.files.values():
        text = _text_of(project, file)
        if text is not None and len(text) <= left:
            texts[file.sha256] = text
            left -= len(text)
    return texts


def _kept_texts(project: Path) -> Mapping[str, str]:
    content = read_private(_folder(project) / "texts.json")
    try:
        return msgspec.json.decode(content or b"{}", type=dict[str, str])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return {}


def _text_of(project: Path, file: UsedFile) -> str | None:
    """The text that was hashed; None when it is large, binary, or not there any more."""
    if file.kind != "file":
        return None
    content = read_small_file(project / file.path, MAX_KEPT_TEXT_BYTES)
    if content is None or sha256(content).hexdigest() != file.sha256 or b"\0" in content:
        return None
    return content.decode("utf-8", "replace")
