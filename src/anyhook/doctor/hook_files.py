"""What the linter finds in the hook files that clients read for a project, those of the home folder included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from anyhook.doctor.findings import HealthFinding
from anyhook.lint.lint import check_paths
from anyhook.model.codes import Severity
from anyhook.sources.discover import Roots
from anyhook.sources.inventory import ClientHooks


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
