"""What the linter finds in the hook files that clients read for a project, those of the home folder included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from anyhook.doctor.findings import HealthFinding
from anyhook.lint.checked_file import Hook
from anyhook.lint.disk import Disk
from anyhook.lint.lint import check_paths, checked_files
from anyhook.model.codes import Severity
from anyhook.sources.discover import Roots
from anyhook.sources.inventory import ClientHooks, Inventory


def hooks_in_files(inventory: Inventory, disk: Disk) -> Iterator[Hook]:
    """The hooks of every client that has a file of its own, as the rules of the linter see them."""
    for client in inventory.clients:
        if client.owns_a_file:
            for file in checked_files(client, inventory.loader, disk):
                yield from file.all_hooks()


def findings_in_files(
    roots: Roots, clients: Iterable[ClientHooks], installed: Mapping[str, str]
) -> Iterator[HealthFinding]:
    """Errors and warnings; what only its author can judge is left to ``anyhook check``."""
    own = {
        file.path
        for client in clients
        for file in client.found
        if file.path.is_relative_to(roots.home) and not file.path.is_relative_to(roots.project)
    }
    report = check_paths([roots.project, *sorted(own)], roots, installed=installed)
    for problem in report.problems:
        if problem.severity is not Severity.NOTE:
            yield HealthFinding(
                check=problem.code,
                severity=problem.severity,
                text=problem.text,
                remedy=problem.fix or f"see: anyhook rule {problem.code}",
                client=problem.origin.dialect,
                file=problem.origin.file,
                line=problem.origin.line,
            )
