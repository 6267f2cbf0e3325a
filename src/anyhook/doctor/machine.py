"""What is deployed, whether it may run, and how the daemon is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

import anyhook
from anyhook.daemon_socket.ask import ask_daemon
from anyhook.daemon_socket.runtime_folder import find_runtime_folder
from anyhook.deploy.deployment import Deployed
from anyhook.dialects import profile
from anyhook.entries.daemon_client import client_by_name
from anyhook.model.origin import Origin
from anyhook.model.problems import Problem, problem
from anyhook.project.project import Project
from anyhook.project.trusted_project import TrustedProject
from anyhook.record.own_patterns import pattern_problems
from anyhook.sources.discover import Roots
from anyhook.sources.settings import ignored_settings, read_settings
from anyhook.sources.state import users_folder


class DaemonState(Struct, frozen=True, kw_only=True):
    is_running: bool
    version: str = ""
    pid: int = 0


def deployment_problems(deployed: Sequence[Deployed], path: str) -> Iterator[Problem]:
    """Entries that are out of date, that other clients misread, or that cannot start anyhook."""
    for item in deployed:
        if not item.is_current:
            text = "the entries of anyhook here are not what deploying would write now"
            origin, fix = Origin(item.client, file=str(item.path)), f"anyhook deploy --client {item.client}"
            yield problem("H006", origin, text, fix)
        for reader in item.readers.unrecognised:
            text = f"{profile(reader).title} reads this file too, and an entry cannot tell that it is the caller"
            yield problem("H007", Origin(reader, file=str(item.path)), text, f"anyhook deploy --client {reader}")
    if deployed:
        for name in ("anyhook", *client_by_name()):
            if shutil.which(name, path=path) is None:
                text = f"{name} is not on the PATH, so deployed entries answer by their fail mode"
                fix = "install it for all programs with pipx, or: anyhook deploy --absolute"
                yield problem("H002", Origin(), text, fix)


def trust_problems(project: Project, is_deployed: bool) -> tuple[TrustedProject, list[Problem]]:
    """Whether all hooks of the project may run."""
    trust = TrustedProject(project)
    if not is_deployed or trust.is_trusted:
        return trust, []
    fix = "review and approve them: anyhook trust"
    return trust, [problem("H003", Origin(file=str(project.folder)), trust.reason, fix)]


def settings_problems(roots: Roots) -> Iterator[Problem]:
    """Mistakes in the user's settings, and settings that are not the user's, although the environment says so."""
    users = read_settings(None, os.environ, users_folder(roots.project))
    yield from (*users.problems, *pattern_problems(users), *ignored_settings(roots.project))


def journal_problems(environment: Mapping[str, str]) -> Iterator[Problem]:
    """Whether the database of the user's settings takes the events of this machine."""
    url = read_settings(None, environment).journal.url
    if not url:
        return
    from anyhook.record.store.postgres import why_unreachable  # few users have one

    if why := why_unreachable(url):
        text, _, fix = why.rpartition("; ")
        yield problem("H015", Origin(), f"{text}; events are kept on this machine until it can be reached", fix)


def examine_daemon(environment: Mapping[str, str]) -> tuple[DaemonState, list[Problem]]:
    """The daemon of this user: none, one that answers, one of another version, or what a dead one has left."""
    folder = find_runtime_folder(environment)
    said = ask_daemon(folder, "status")
    if said is not None:
        state = DaemonState(is_running=True, version=str(said.get("version", "")), pid=int(said.get("pid", 0)))
        return state, list(_version_problems(state))
    if not folder.socket.exists():
        return DaemonState(is_running=False), []
    text = "the socket of a daemon exists, but no daemon answers, so every event takes the slow way"
    fix = "anyhook daemon restart; the reason may be in: anyhook daemon logs"
    return DaemonState(is_running=False), [problem("H016", Origin(file=str(folder.socket)), text, fix)]


def _version_problems(state: DaemonState) -> Iterator[Problem]:
    if state.version != anyhook.__version__:
        text = f"the daemon is anyhook {state.version}, but {anyhook.__version__} is installed"
        yield problem("H017", Origin(), text, "anyhook daemon restart")
