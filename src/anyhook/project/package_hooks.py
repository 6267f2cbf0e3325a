"""The hooks that a package contains, and the client that they are written for; the home folder has no part in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import structs

from anyhook.dialects import NAMES, profile
from anyhook.dialects.clients import OWN
from anyhook.model.codes import Severity
from anyhook.model.document import Document, Format
from anyhook.model.hooks import HookSet, Rule
from anyhook.model.origin import Origin
from anyhook.model.problems import Problem, problem
from anyhook.project.inventory import hooks_for_project, hooks_of_file
from anyhook.sources import disk
from anyhook.sources.discover import Roots, find_for_project
from anyhook.sources.load import Loader, may_define_hooks
from anyhook.sources.recognise import readers_of, written_for

PACKAGE_FILE = "hooks/hooks.json"
"""The hook file of a package or plugin; several clients use this path, so the content tells whose it is."""
NOWHERE = Path("/nonexistent/anyhook")
"""In place of the home folder and the system root, whose hooks are not part of a package."""


class PackageHooks:
    """The hooks of one package folder, each client's loaded once."""

    def __init__(self, root: Path, loader: Loader | None = None) -> None:
        self.root = root
        self.loader = loader or Loader()
        self._roots = Roots(project=root, home=NOWHERE, system=NOWHERE)
        self._hooks: dict[str, HookSet] = {}
        self._owner: str | None = None

    def of(self, client: str) -> HookSet:
        """What a client loads of this package."""
        if client not in self._hooks:
            hooks = self._load(client)
            if client != OWN and client == self.owner():
                hooks = structs.replace(hooks, problems=(*hooks.problems, *self._unasked()))
            self._hooks[client] = hooks
        return self._hooks[client]

    def rules(self, client: str, event: str) -> tuple[Rule, ...]:
        """The groups of an event, in the client's order: what ``hook-index`` counts."""
        return tuple(rule for rule in self.of(client).rules if rule.event == event)

    def owner(self) -> str | None:
        """The client that the package's own hook file is written for; None when there is no such file.

        Functions and guards without such a file, or next to one without hooks, are universal hooks.
        """
        if self._owner is None:
            self._owner = self._recognise(self.root / PACKAGE_FILE)
        return self._owner or None

    def clients(self) -> tuple[str, ...]:
        """The clients that have hooks in a file of their own here."""
        return tuple(name for name in NAMES if self._owns_a_file(name) and self.of(name).rules)

    def _unasked(self) -> Iterator[Problem]:
        """Files with functions or guards beside a hook file that is written for another client: they do not run."""
        title = profile(self.owner() or OWN).title
        for file in find_for_project(OWN, self._roots):
            if self._is_own(file.path):
                text = f"its hooks do not run, because {PACKAGE_FILE} is written for {title}"
                fix = f"write that file anew, as printed by: anyhook deploy --client {OWN} --native --print"
                origin = Origin(OWN, file.source.scope, str(file.path))
                yield problem("F011", origin, text, fix, severity=Severity.ERROR)

    def has_own_hooks(self) -> bool:
        """Whether a file here that only anyhook reads has functions or guards, or fails to define them."""
        return any(self._is_own(file.path) for file in find_for_project(OWN, self._roots))

    def _is_own(self, file: Path) -> bool:
        form = self.loader.format_of(file)
        if not form.is_own:
            return False
        is_broken = isinstance(self.loader.document(file, form), Problem)
        return may_define_hooks(file) if is_broken else written_for(file, self.loader) is not None

    def _owns_a_file(self, name: str) -> bool:
        found = find_for_project(name, self._roots)
        return any(not file.source.shared and not file.source.sniffed for file in found)

    def _recognise(self, file: Path) -> str:
        if not disk.is_file(file):
            return OWN if self.has_own_hooks() else ""
        document = self.loader.document(file, Format.JSON)
        if _is_without_hooks(document) and self.has_own_hooks():  # told without loading any client
            return OWN
        guess = written_for(file, self.loader)
        if guess is not None and guess.dialect == OWN:  # also next to a plugin's manifest
            return OWN
        if guess is None and isinstance(document, Document) and self.has_own_hooks():  # its hooks are no client's
            return OWN
        readers = readers_of(file, self.loader)
        return readers[0].dialect if readers else OWN  # a broken file that no client claims belongs to the package

    def _load(self, client: str) -> HookSet:
        hooks, own_file = hooks_for_project(client, self._roots, self.loader), self.root / PACKAGE_FILE
        is_loaded = any(Path(file.path) == own_file for file in hooks.files)
        if self.owner() != client or is_loaded or not disk.is_file(own_file):
            return hooks
        return hooks_of_file(own_file, client, self.loader)[0].hooks


def _is_without_hooks(document: Document | Problem) -> bool:
    """Whether a file has no hooks at all: ``{}``, or an empty value of ``hooks``."""
    data = None if isinstance(document, Problem) else document.data
    return isinstance(data, dict) and not data.get("hooks", data)
