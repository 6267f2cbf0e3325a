"""What is deployed, whether it may run, and how the daemon is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence

import anyhook
from anyhook.bridge.entries.daemon_client import client_by_name
from anyhook.bridge.project_trust import trust_of_project
from anyhook.daemon_socket.ask import ask_daemon
from anyhook.daemon_socket.runtime_folder import find_runtime_folder
from anyhook.deploy.deployment import Deployed
from anyhook.dialects import profile
from anyhook.doctor.findings import DaemonState, HealthFinding
from anyhook.model.codes import Severity
from anyhook.record.own_patterns import pattern_problems
from anyhook.sources.discover import Roots
from anyhook.sources.settings import ignored_settings, read_settings, users_folder
from anyhook.trust.decide import Trust


def deployment_findings(deployed: Sequence[Deployed], path: str) -> Iterator[HealthFinding]:
    """Entries that are out of date, that other clients misread, or that cannot start anyhook."""
    for item in deployed:
        if not item.is_current:
            yield HealthFinding(
                check="out-of-date",
                severity=Severity.WARNING,
                text="the entries of anyhook here are not what deploying would write now",
                remedy=f"anyhook deploy --to {item.client}",
                client=item.client,
                file=str(item.path),
            )
        for reader in item.readers.unrecognised:
            yield HealthFinding(
                check="unrecognised-reader",
                severity=Severity.WARNING,
                text=f"{profile(reader).title} reads this file too, and an entry cannot tell that it is the caller",
                remedy=f"anyhook deploy --to {reader}",
                client=reader,
                file=str(item.path),
            )
    if deployed:
        for name in ("anyhook", *client_by_name()):
            if shutil.which(name, path=path) is None:
                yield HealthFinding(
                    check="anyhook-not-found",
                    severity=Severity.ERROR,
                    text=f"{name} is not on the PATH, so deployed entries answer by their fail mode",
                    remedy="install anyhook where the clients find it, for example: pipx install anyhook",
                )


def trust_findings(roots: Roots, is_deployed: bool) -> tuple[Trust, list[HealthFinding]]:
    """Whether the hooks of the project are trusted, and in use at all."""
    trust = trust_of_project(roots)
    findings: list[HealthFinding] = []
    has_hooks = bool(trust.fingerprint.groups or trust.changes)
    if has_hooks and is_deployed and not trust.is_trusted:
        findings.append(
            HealthFinding(
                check="not-trusted",
                severity=Severity.ERROR,
                text=trust.reason,
                remedy="review the hooks and allow them: anyhook trust",
                file=str(roots.project),
            )
        )
    return trust, findings


def settings_findings(roots: Roots) -> Iterator[HealthFinding]:
    """Mistakes in the user's settings, and settings that are not the user's, although the environment says so."""
    users = read_settings(None, os.environ, users_folder(roots.project))
    for found in dict.fromkeys((*users.problems, *pattern_problems(users))):
        yield HealthFinding(
            check=found.code,
            severity=found.severity,
            text=found.text,
            remedy=found.fix,
            file=found.origin.file,
            line=found.origin.line,
        )
    for ignored in ignored_settings(roots.project):
        yield HealthFinding(
            check="ignored-settings",
            severity=Severity.WARNING,
            text=ignored.text,
            remedy=ignored.fix,
            file=ignored.origin.file,
        )


def examine_daemon(environment: Mapping[str, str]) -> tuple[DaemonState, list[HealthFinding]]:
    """The daemon of this user: none, one that answers, one of another version, or what a dead one has left."""
    folder = find_runtime_folder(environment)
    said = ask_daemon(folder, "status")
    if said is not None:
        state = DaemonState(is_running=True, version=str(said.get("version", "")), pid=int(said.get("pid", 0)))
        return state, list(_version_findings(state))
    if not folder.socket.exists():
        return DaemonState(is_running=False), []
    finding = HealthFinding(
        check="dead-daemon",
        severity=Severity.WARNING,
        text="the socket of a daemon exists, but no daemon answers, so every event takes the slow way",
        remedy="anyhook daemon restart; the reason may be in: anyhook daemon logs",
        file=str(folder.socket),
    )
    return DaemonState(is_running=False), [finding]


def _version_findings(state: DaemonState) -> Iterator[HealthFinding]:
    if state.version != anyhook.__version__:
        yield HealthFinding(
            check="stale-daemon",
            severity=Severity.WARNING,
            text=f"the daemon is anyhook {state.version}, but {anyhook.__version__} is installed",
            remedy="anyhook daemon restart",
        )
