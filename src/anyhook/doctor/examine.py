"""Examines the clients and hooks of a project on this machine. Nothing is run and nothing is written."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct, structs

from anyhook.deploy.deployment import Deployed, find_deployed, unreadable_files
from anyhook.dialects.clients import OWN
from anyhook.doctor.activity import Activity, activity_problems, examined_hooks, read_activity
from anyhook.doctor.clients import (
    ExaminedClient,
    client_states,
    login_shell_problems,
    release_problems,
    shared_file_problems,
    switched_off_problems,
)
from anyhook.doctor.limits import limit_problems
from anyhook.doctor.machine import (
    DaemonState,
    deployment_problems,
    examine_daemon,
    journal_problems,
    settings_problems,
    trust_problems,
)
from anyhook.doctor.programs import missing_programs
from anyhook.lint.checked_file import Hook
from anyhook.lint.disk import Disk
from anyhook.lint.lint import check_project, checked_files
from anyhook.model.codes import Severity
from anyhook.model.hooks import FateState
from anyhook.model.origin import Origin
from anyhook.model.problems import Problem, problem
from anyhook.project.hook import Reading, place_of, written_in
from anyhook.project.project import Project
from anyhook.record.store.spool import journal_folder
from anyhook.report.entries import entries_of, errors_among
from anyhook.sources.installed_release import used_releases


class Diagnosis(Struct, frozen=True, kw_only=True):
    clients: tuple[ExaminedClient, ...]
    hooks: tuple[Reading, ...]
    """Every hook of each client, then those that no client has."""
    deployed: tuple[Deployed, ...]
    activity: Activity
    problems: tuple[Problem, ...]
    """Errors first."""
    files: int
    """The hook files that were checked."""
    daemon: DaemonState
    trust: str
    """Which hooks wait for approval; empty: none does, or nothing is deployed."""

    @property
    def written(self) -> int:
        """How many hooks there are, each counted once, however many clients have it."""
        return len(written_in(self.hooks))

    def about(self, clients: Collection[str]) -> Diagnosis:
        """What concerns these clients, or every client; none: all of it."""
        if not clients:
            return self
        concerned = {"", OWN, *clients}
        return structs.replace(
            self,
            clients=tuple(client for client in self.clients if client.name in clients),
            hooks=tuple(hook for hook in self.hooks if hook.client in clients),
            deployed=tuple(item for item in self.deployed if item.client in clients),
            problems=tuple(found for found in self.problems if found.origin.dialect in concerned),
        )

    @property
    def is_healthy(self) -> bool:
        return all(found.severity is Severity.NOTE for found in self.problems)


def examine(project: Project, environment: Mapping[str, str], known: Activity | None = None) -> Diagnosis:
    """Everything about the hooks of a project that can be told without running them.

    ``known``: what the journal tells; None: it is read.
    """
    roots = project.roots
    states = client_states(project.readers, environment)
    deployed = find_deployed(project)
    daemon, daemon_problems = examine_daemon(environment)
    trust, distrust = trust_problems(project, bool(deployed))
    activity = known or read_activity(journal_folder(environment), roots.project)
    hooks = examined_hooks(project, [state.name for state in states])
    disk = Disk()
    report = check_project(project, used_releases(environment), disk)
    problems = (
        *report.problems,
        *(found for hook in _wanted_hooks(project, disk) for found in missing_programs(hook, environment)),
        *release_problems(states),
        *login_shell_problems(states, environment),
        *switched_off_problems(project.hooks),
        *shared_file_problems(project.readers, states),
        *deployment_problems(deployed, environment.get("PATH", "")),
        *(() if unreadable_files(project) else _unused_package(project, deployed)),
        *activity_problems(hooks, deployed, activity),
        *distrust,
        *settings_problems(roots),
        *journal_problems(environment),
        *daemon_problems,
        *limit_problems(),
    )
    return Diagnosis(
        clients=tuple(structs.replace(state, errors=_errors_of(state, problems)) for state in states),
        hooks=hooks,
        deployed=deployed,
        activity=activity,
        problems=tuple(sorted(dict.fromkeys(problems), key=_place)),
        files=len(report.files),
        daemon=daemon,
        trust=trust.reason if deployed else "",
    )


def _errors_of(client: ExaminedClient, problems: Sequence[Problem]) -> int:
    own = (found for found in problems if found.origin.dialect == client.name)
    return len(entries_of(errors_among(own)))


def _place(found: Problem) -> tuple[str, int, str]:
    return found.origin.file, found.origin.line, found.code


def _unused_package(project: Project, deployed: Sequence[Deployed]) -> Iterator[Problem]:
    """A package whose hooks no client runs."""
    hooks = [hook for client in project.readers if client.name == OWN for hook in client.hooks]
    if hooks and not deployed and not all(hook.is_entry for hook in hooks):
        text = "no client runs the hooks of this package: they are not deployed"
        fix = "anyhook deploy --client CLIENT; which there are: anyhook clients"
        yield problem("H005", Origin(file=hooks[0].file), text, fix)


def _wanted_hooks(project: Project, disk: Disk) -> Iterator[Hook]:
    """The hooks that are meant to run, also those that wait for a person or that a mistake keeps from running."""
    wanted = {hook.place for hook in project.hooks if hook.state not in (FateState.DISABLED, FateState.SHADOWED)}
    return (hook for hook in hooks_in_files(project, disk) if place_of(hook.action) in wanted)


def hooks_in_files(project: Project, disk: Disk) -> Iterator[Hook]:
    """The hooks of every client that has a file of its own, as the rules of the linter see them."""
    for client in project.clients:
        for file in checked_files(client.read, project.loader, disk):
            yield from file.all_hooks()
