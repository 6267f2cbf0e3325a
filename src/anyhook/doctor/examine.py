"""Examines the clients and hooks of a project on this machine. Nothing is run and nothing is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from anyhook.bridge.entries.anyhook_entries import is_own_call
from anyhook.bridge.entries.one_entry import with_one_entry
from anyhook.deploy.deployment import Deployed, find_deployed, unreadable_files
from anyhook.dialects.clients import OWN
from anyhook.doctor.activity import Activity, activity_findings, examined_hooks, read_activity
from anyhook.doctor.clients import (
    client_states,
    login_shell_findings,
    release_findings,
    shared_file_findings,
    switched_off_findings,
    with_counts,
)
from anyhook.doctor.findings import Diagnosis, HealthFinding
from anyhook.doctor.hook_files import findings_in_files, hooks_in_files
from anyhook.doctor.machine import deployment_findings, examine_daemon, settings_findings, trust_findings
from anyhook.doctor.programs import missing_programs
from anyhook.lint.disk import Disk
from anyhook.model.codes import Severity
from anyhook.record.store.spool import journal_folder
from anyhook.sources.discover import Roots
from anyhook.sources.installed_release import used_releases
from anyhook.sources.inventory import Inventory, take_inventory
from anyhook.sources.load import Loader
from anyhook.sources.package_hooks import find_hooks_above

_ORDER = list(Severity)


def hooks_here(roots: Roots) -> Inventory:
    """The hooks of every client for a project folder, with those of the package that it belongs to."""
    return with_one_entry(take_inventory(roots, package=find_hooks_above(roots.project, None, Loader())))


def examine(
    roots: Roots,
    environment: Mapping[str, str],
    found: Inventory | None = None,
    known: Activity | None = None,
) -> Diagnosis:
    """Everything about the hooks of a project folder that can be told without running them.

    ``known``: what the journal tells; None: it is read.
    """
    inventory = found or hooks_here(roots)
    states = client_states(inventory.clients, environment)
    deployed = find_deployed(roots)
    daemon, daemon_findings = examine_daemon(environment)
    trust, distrust = trust_findings(roots, bool(deployed))
    activity = known or read_activity(journal_folder(environment), roots.project)
    hooks = tuple(examined_hooks(inventory.clients, [state.name for state in states], activity))
    findings = (
        *findings_in_files(roots, inventory.clients, used_releases(environment)),
        *(found for hook in hooks_in_files(inventory, Disk()) for found in missing_programs(hook, environment)),
        *release_findings(states),
        *login_shell_findings(states, environment),
        *switched_off_findings(inventory.clients),
        *shared_file_findings(inventory.clients, states),
        *deployment_findings(deployed, environment.get("PATH", "")),
        *(() if unreadable_files(roots) else _unused_package(inventory, deployed)),
        *activity_findings(hooks, deployed, activity),
        *distrust,
        *settings_findings(roots),
        *daemon_findings,
    )
    return Diagnosis(
        clients=with_counts(states, hooks),
        hooks=hooks,
        findings=tuple(sorted(dict.fromkeys(findings), key=_rank)),
        daemon=daemon,
        trust=trust.state if deployed and (trust.fingerprint.groups or trust.changes) else None,
    )


def _rank(finding: HealthFinding) -> tuple[int, str, int, str]:
    return _ORDER.index(finding.severity), finding.file, finding.line, finding.check


def _unused_package(inventory: Inventory, deployed: Sequence[Deployed]) -> Iterator[HealthFinding]:
    """A package whose hooks no client runs."""
    own = [client for client in inventory.clients if client.dialect == OWN]
    hooks = [action for client in own for rule in client.hooks.rules for action in rule.actions]
    if hooks and not deployed and not all(is_own_call(action) for action in hooks):
        yield HealthFinding(
            check="not-deployed",
            severity=Severity.WARNING,
            text="no client runs the hooks of this package: they are not deployed",
            remedy="anyhook deploy --to CLIENT; for the clients: anyhook dialects",
            file=hooks[0].origin.file,
        )
