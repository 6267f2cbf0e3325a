"""What anyhook keeps about the projects whose hooks their user has trusted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from anyhook.model.problems import AnyhookError
from anyhook.sources import disk
from anyhook.sources.discover import Roots
from anyhook.sources.state import is_state_inside, read_private, state_folder, write_private
from anyhook.trust.digests import digest_of
from anyhook.trust.fingerprint import Fingerprint
from anyhook.trust.seen_files import UsedFile, storable

MAX_KEPT_TEXT_BYTES = 256 * 1024
MAX_KEPT_TEXTS_BYTES = 4 * 1024 * 1024
"""How much text is kept to show a difference later."""


class Record(Struct, frozen=True):
    """What is kept about a project."""

    project: str
    fingerprint: Fingerprint
    is_revoked: bool = False
    accepted: tuple[str, ...] = ()
    """What guards run that cannot be checked, and that the user has accepted."""


def read_record(roots: Roots, started_in: Path | None = None) -> Record | None:
    """The record of a project; None when there is none, or one that the project could have written itself."""
    project = disk.resolve(roots.project)
    content = None if is_state_inside(project, started_in) else read_private(_folder(project) / "trust.json")
    if content is None:
        return None
    try:
        record = msgspec.json.decode(content, type=Record)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return record if record.project == _name(project) else None


def is_known(roots: Roots, client: str | None) -> bool:
    """Whether hooks of a client were trusted here, or by default those of the package's own file, and still are."""
    record = read_record(roots)
    if record is None or record.is_revoked:
        return False
    wanted = client or record.fingerprint.owner
    return any(group.client == wanted for group in record.fingerprint.groups)


def trust_project(roots: Roots, fingerprint: Fingerprint, *, accepts_uncovered: bool = False) -> None:
    """Trust exactly what this fingerprint says: what the user was shown, even if it has changed in the meantime.

    ``accepts_uncovered``: the user accepts that guards run something of which a change cannot be seen.
    """
    if fingerprint.doubts:
        raise AnyhookError(f"{roots.project}: cannot be trusted: {fingerprint.doubts[0]}")
    accepted = fingerprint.doubts_about_guards
    if accepted and not accepts_uncovered:
        raise AnyhookError(f"{roots.project}: a guard runs what cannot be checked: {accepted[0]}")
    project = disk.resolve(roots.project)
    if is_state_inside(project):
        raise AnyhookError(
            f"{state_folder()}: a project cannot hold the trust in itself; set another ANYHOOK_STATE_DIR"
        )
    folder = _folder(project)
    write_private(folder / "texts.json", msgspec.json.encode(_texts(project, fingerprint)))
    _write_record(folder, Record(_name(project), structs.replace(fingerprint, doubts=()), accepted=accepted))


def revoke_trust(roots: Roots) -> bool:
    """Take the trust back; False when there was none."""
    record = read_record(roots)
    if record is None or record.is_revoked:
        return False
    _write_record(_folder(disk.resolve(roots.project)), structs.replace(record, is_revoked=True))
    return True


def kept_texts(project: Path) -> Mapping[str, str]:
    """The texts of the files that were trusted, by their hashes."""
    content = read_private(_folder(project) / "texts.json")
    try:
        return msgspec.json.decode(content or b"{}", type=dict[str, str])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return {}


def text_of(project: Path, file: UsedFile) -> str | None:
    """The text that was hashed; None when it is large or binary, or the file has changed since."""
    if file.kind != "file":
        return None
    content = disk.read_small_file(project / file.path, MAX_KEPT_TEXT_BYTES, follow_links=False)
    if content is None or digest_of(content) != file.sha256 or b"\0" in content:
        return None
    return content.decode("utf-8", "replace")


def _texts(project: Path, fingerprint: Fingerprint) -> dict[str, str]:
    """The texts of the files by their hashes, as many as are kept."""
    texts: dict[str, str] = {}
    left = MAX_KEPT_TEXTS_BYTES
    for file in fingerprint.files.values():
        text = text_of(project, file)
        if text is not None and len(text) <= left:
            texts[file.sha256] = text
            left -= len(text)
    return texts


def _write_record(folder: Path, record: Record) -> None:
    write_private(folder / "trust.json", msgspec.json.encode(record))


def _folder(project: Path) -> Path:
    return state_folder() / "trust" / digest_of(_name(project).encode())[:32]


def _name(project: Path) -> str:
    return storable(str(project))
