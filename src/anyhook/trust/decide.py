"""Decides whether a project's hooks may run: their user has seen them, and nothing that they use has changed since.

With a bridge a client has only ever seen ``anyhook exec``, so its own trust says nothing about the hooks behind it.
Trust is given to a fingerprint (:mod:`anyhook.trust.fingerprint`): every definition, and every file that can be found
from it. It is valid for one folder; another clone of the same project must be trusted separately. Every file is hashed,
because every process that can write a file can also set its size and time of modification. The daemon hashes it again
when something about it differs that only the system can set (:mod:`anyhook.sources.disk`).

Not covered, because it cannot be known beforehand:

* A file that is changed between the check and the moment when the hook reads it. A process that can write into a
  trusted project while its hooks run can race with them; the check makes that a race instead of an open door.
* What a program loads without a plain path in a text: paths put together at run time, ``eval`` of a download, plugins
  and configuration that a formatter or a test runner reads, installed packages, programs found by PATH.
* A process that can write as the user, and so also into the folder for state.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from anyhook.model.hooks import HookSet
from anyhook.sources import disk
from anyhook.sources.discover import Roots
from anyhook.sources.state import is_state_inside, state_folder
from anyhook.trust.changes import Change, compare, trusted_rules
from anyhook.trust.fingerprint import Fingerprint, take_fingerprint
from anyhook.trust.records import Record, read_record

VARIABLE = "ANYHOOK_TRUST"


class TrustState(enum.StrEnum):
    TRUSTED = "trusted"
    UNKNOWN = "unknown"  # its user has not decided yet
    CHANGED = "changed"  # it was trusted, and is not the same any more
    REVOKED = "revoked"  # it was trusted, until its user took that back


class Trust(Struct, frozen=True):
    """Whether the hooks of a project may run, and what they are now."""

    state: TrustState
    project: Path
    fingerprint: Fingerprint
    changes: tuple[Change, ...] = ()
    trusted: tuple[HookSet, ...] = ()
    """The events and matchers that were trusted, if something has changed since."""
    note: str = ""
    """Why the state is not the expected one."""

    @property
    def is_trusted(self) -> bool:
        return self.state is TrustState.TRUSTED

    @property
    def reason(self) -> str:
        """Why the hooks do not run, and the command that helps; empty when they do."""
        match self.state:
            case TrustState.TRUSTED:
                return ""
            case TrustState.CHANGED:
                first = self.changes[0]
                more = f" and {len(self.changes) - 1} more" if len(self.changes) > 1 else ""
                why = f"changed since you trusted them ({first.path} {first.text}{more})"
                remedy = f"anyhook trust --diff {self.project}; to approve it: anyhook trust {self.project}"
            case TrustState.REVOKED:
                why, remedy = "are no longer trusted", f"anyhook trust {self.project}"
            case TrustState.UNKNOWN:
                why, remedy = "are not trusted yet", f"anyhook trust {self.project}"
        note = f"; {self.note}" if self.note else ""
        return f"the hooks of {self.project} {why}, so they do not run{note}; see: {remedy}"


def check_trust(
    roots: Roots,
    hook_sets: Iterable[HookSet],
    *,
    started_in: Path | None = None,
    owner: str | None = None,
    only_decides: bool = False,
) -> Trust:
    """Whether these hooks may run. Hooks of the user and of the organisation need no trust.

    ``started_in`` is the folder of the session, when it may be another than the project's. ``owner`` is the client that
    the package's own hook file is written for; if it was trusted as another client's, it has changed. None: that file
    is not asked for. ``only_decides``: the first difference is enough, and no text is searched that was not trusted. A
    client waits for the answer, and what a text names can be made hard to find.
    """
    hook_sets = tuple(hook_sets)
    project = disk.resolve(roots.project)
    record = read_record(roots, started_in)
    known = record.fingerprint.references if record else {}
    now = take_fingerprint(
        roots, hook_sets, started_in=started_in, owner=owner or "", known=known, only_known=only_decides
    )
    clients = {hooks.dialect for hooks in hook_sets}
    if owner is not None and record is not None:
        clients.add(record.fingerprint.owner)
    trusted = () if record is None or record.is_revoked else trusted_rules(record.fingerprint, clients)
    if not now.groups and not now.doubts and not trusted:
        return Trust(TrustState.TRUSTED, project, now, note="no hook here needs trust")
    note = _note(roots, record, started_in)
    if roots.environment.get(VARIABLE) == "1" and not note:
        return Trust(TrustState.TRUSTED, project, now, note=f"{VARIABLE}=1 is set")
    if record is None:
        return Trust(TrustState.UNKNOWN, project, now, note=note)
    if record.is_revoked:
        return Trust(TrustState.REVOKED, project, now, note=note)
    changes = tuple(compare(record.fingerprint, now, clients))
    changes += tuple(Change("the project", f"cannot be checked: {doubt}") for doubt in now.doubts)
    new = (doubt for doubt in now.doubts_about_guards if doubt not in record.accepted)
    changes += tuple(Change("a guard", f"runs what cannot be checked: {doubt}") for doubt in new)
    if not changes and now.is_partial:  # the same files in another session's folder, or a record without references
        return check_trust(roots, hook_sets, started_in=started_in, owner=owner)
    if not changes:
        return Trust(TrustState.TRUSTED, project, now, note=note)
    return Trust(TrustState.CHANGED, project, now, changes, trusted, note)


def guarding_variables() -> dict[str, str]:
    """Variables that trusted hooks should have: Python keeps compiled modules in the folder for state.

    A process that can write a ``__pycache__`` of the project could otherwise put other code into a module whose source,
    which is what was trusted, stays the same.
    """
    return {"PYTHONPYCACHEPREFIX": str(state_folder() / "pycache")}


def _note(roots: Roots, record: Record | None, started_in: Path | None) -> str:
    """Why a variable or a record does not count."""
    if roots.environment.get(VARIABLE) == "1":
        from anyhook.trust.setter_files import find_setter  # the variable is rare

        setter = find_setter(roots, VARIABLE, started_in)
        return setter and f"{VARIABLE}=1 does not count, because {setter}"
    if record is None and is_state_inside(roots.project, started_in):
        return f"what {state_folder()} says does not count, because the project could have written it"
    return ""
