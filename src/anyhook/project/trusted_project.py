"""Which hooks of a project anyhook would run, for every client that asks it, and whether they may run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import msgspec

from anyhook.dialects import NAMES
from anyhook.dialects.clients import OWN
from anyhook.entries.anyhook_entries import asking_of
from anyhook.model.problems import AnyhookError, UsageError
from anyhook.project.project import Project
from anyhook.sources import disk
from anyhook.sources.editing.replace_file import refuse_links, replace_file
from anyhook.trust.decide import JudgedHook, Trust
from anyhook.trust.records import KnownHook
from anyhook.trust.signing import (
    MAX_SIGNED_BYTES,
    SIGNATURE_FILE,
    SignedHooks,
    read_signed,
    sign,
)


class TrustedProject:
    """The hooks of a project that deployed entries run, or would run; all clients' if there are none of those."""

    def __init__(self, project: Project, clients: Iterable[str] = ()) -> None:
        """``clients``: also the hooks of these, which the clients may run themselves."""
        self.roots = project.roots
        self.package = project.own_package
        self.owner = self.package.owner() or ""
        self._clients = tuple(clients)
        self._packages = project.packages
        self._judge = project.packages.trust(project.folder)

    @cached_property
    def trusts(self) -> dict[str, Trust]:
        """By client; clients without hooks, now and before, are left out."""
        wanted = (*(self._asked() or NAMES), *self._clients, *self._known())
        found = {name: self._trust_of(name) for name in dict.fromkeys(wanted)}
        return {name: trust for name, trust in found.items() if trust.hooks or trust.missing}

    @property
    def hooks(self) -> tuple[JudgedHook, ...]:
        return tuple(hook for trust in self.trusts.values() for hook in trust.hooks)

    @property
    def missing(self) -> tuple[KnownHook, ...]:
        return tuple(hook for trust in self.trusts.values() for hook in trust.missing)

    @property
    def is_trusted(self) -> bool:
        return not any(trust.needs_approval for trust in self.trusts.values())

    @property
    def reason(self) -> str:
        """Why not all hooks run, and the command that helps; empty when they do."""
        # Several clients may read the same hook.
        places = {hook.content.written_at for hook in self.hooks if not hook.may_run}
        waiting = len(places) + len({(hook.place, hook.label) for hook in self._removed})
        if not waiting:
            return ""
        verb = "hook waits" if waiting == 1 else "hooks wait"
        notes = "".join(f"; {note}" for note in dict.fromkeys(trust.note for trust in self.trusts.values()) if note)
        return f"{waiting} {verb} for your approval{notes}; see: anyhook trust {self.roots.project}"

    @property
    def texts(self) -> dict[str, str]:
        """The texts that were approved, by their hashes."""
        return self._judge.store.texts()

    def approve(self, digests: Iterable[str]) -> None:
        """Approve these hooks as they were shown, and that these known ones are gone."""
        at = datetime.now(UTC).isoformat(timespec="seconds")
        self._judge.approve(self.trusts, frozenset(digests), owner=self.owner, at=at)
        self.__dict__.pop("trusts", None)

    def approve_all(self) -> None:
        """Approve all that waits and can be approved; what the others were is not forgotten."""
        hooks = [hook.content.digest for hook in self.hooks if not hook.content.obstacle]
        kept = {hook.former.digest for hook in self.hooks if hook.content.obstacle and hook.former}
        self.approve((*hooks, *(hook.digest for hook in self.missing if hook.digest not in kept)))

    def revoke(self) -> bool:
        """Take back every approval; False: there was none."""
        return self._judge.revoke()

    def sign(self, key: Path | None) -> tuple[Path, SignedHooks]:
        """Sign all hooks that are here, in a file beside them; the serial is one more than any that was seen."""
        store, file = self._judge.store, self.roots.project / SIGNATURE_FILE
        if not (root := store.root()):
            why = "a signature holds for one repository, which is known by its first commit"
            raise UsageError(f"{self.roots.project}: {why}; sign in a whole clone (not --depth) with a commit")
        serial, content = self._judge.record.serial, disk.read_small_file(file, MAX_SIGNED_BYTES)
        with suppress(AnyhookError):  # a broken file is replaced
            serial = max(serial, read_signed(content or b"").serial)
        hooks = tuple(sorted({hook.content.digest for hook in self.hooks}))
        unsigned = SignedHooks(version=1, origin=store.repository.origin, root=root, serial=serial + 1, hooks=hooks)
        refuse_links(self.roots.project, file)
        signed = sign(unsigned, key, self.roots.project)
        file.parent.mkdir(exist_ok=True)
        replace_file(file, msgspec.json.format(msgspec.json.encode(signed), indent=2) + b"\n")
        return file, signed

    @property
    def _removed(self) -> list[KnownHook]:
        changed = {hook.former.digest for hook in self.hooks if hook.former}
        return [hook for hook in self.missing if hook.digest not in changed]

    def _asked(self) -> tuple[str, ...]:
        """The clients in whose terms deployed entries ask for hooks."""
        sources = {
            entry.source or self.owner or OWN
            for name in NAMES
            for rule in self.package.of(name).rules
            for action in rule.actions
            if (entry := asking_of(action)) is not None and not entry.package
        }
        return tuple(name for name in NAMES if name in sources or name == self.owner)

    def _known(self) -> Iterator[str]:
        return iter(self._judge.record.clients)

    def _trust_of(self, name: str) -> Trust:
        return self._packages.judged(self.roots.project, None if name == (self.owner or OWN) else name).trust
