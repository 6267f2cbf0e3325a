"""Clients that read each other's files: each is answered by one entry, and deploy and status say by which."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest

from anyhook.deploy.deployment import Deployment, apply_deployment, find_deployed, plan_deployments
from anyhook.deploy.readers import Readers
from anyhook.deploy.target_files import writable_clients
from anyhook.dialects import profile
from anyhook.dialects.translation.equivalents import routes
from anyhook.entries.anyhook_entries import is_own_call
from anyhook.entries.command_entries import EntryOptions
from anyhook.entries.daemon_client import client_by_name
from anyhook.model.hooks import FateState
from anyhook.model.origin import Scope
from anyhook.project.inventory import hooks_for_project
from anyhook.project.one_entry import leave_to_one_entry
from anyhook.project.project import Project
from anyhook.sources.discover import Roots
from tests.bridge.bridging import make_package, run_anyhook

EVENTS = ("PreToolUse", "Stop")
HOOK = {"hooks": [{"type": "command", "command": "${PACKAGE_ROOT}/hooks/guard.sh"}]}
HOOKS = {"pre-tool-use": [HOOK], "stop": [HOOK]}
CLIENTS = writable_clients(Scope.PROJECT)
FIVE = ("claude-code", "cursor", "copilot-cli", "copilot-vscode", "codex")


def read_each_other(one: str, other: str) -> bool:
    return any(b in profile(a).recognition.also_called_by for a, b in ((one, other), (other, one)))


def deploy(folder: Path, clients: tuple[str, ...], scope: Scope = Scope.PROJECT) -> tuple[Roots, list[Deployment]]:
    package = make_package(folder / "project", HOOKS)
    roots = Roots(project=package, home=folder / "home", system=folder / "system")
    hooks = hooks_for_project("universal", roots)
    plans = plan_deployments(Project(roots), hooks, clients, scope, "bridge", EntryOptions(client=client_by_name()))
    assert not any(plan.refusal for plan in plans)
    return roots, [apply_deployment(plan) for plan in plans]


def answering(client: str, event: str, roots: Roots) -> list[str]:
    """The files whose entries answer a client on an event of the hooks."""
    ways = {way.event for way in routes(event, client)}
    return [
        Path(action.origin.file).relative_to(roots.project).as_posix()
        for rule in leave_to_one_entry(hooks_for_project(client, roots)).rules
        if rule.event in ways
        for action in rule.actions
        if action.fate.state is FateState.ACTIVE and is_own_call(action)
    ]


@pytest.mark.parametrize(
    "clients",
    [
        FIVE,
        CLIENTS,
        *((client,) for client in CLIENTS),
        *(pair for pair in combinations(CLIENTS, 2) if read_each_other(*pair)),
    ],
)
def test_every_client_runs_each_hook_once(clients: tuple[str, ...], tmp_path: Path) -> None:
    roots, done = deploy(tmp_path, clients)
    for plan in done:
        own = plan.changes[-1].file.path.relative_to(roots.project).as_posix()
        for event in EVENTS:
            assert set(answering(plan.client, event, roots)) == ({own} if routes(event, plan.client) else set())
            assert len(answering(plan.client, event, roots)) == len(routes(event, plan.client))
        for name in plan.readers.served:
            assert name not in clients
            assert answering(name, "PreToolUse", roots) == [own]
    for name in set(CLIENTS) - set(clients):
        assert len(answering(name, "PreToolUse", roots)) <= 1


def test_deploy_and_status_know_whom_a_file_serves(tmp_path: Path) -> None:
    roots, (claude,) = deploy(tmp_path, ("claude-code",))
    assert claude.readers == Readers(served=("copilot-cli", "cursor", "copilot-vscode"))
    _, (claude, _) = deploy(tmp_path, ("claude-code", "cursor"))
    expected = Readers(served=("copilot-cli", "copilot-vscode"), left=("cursor",))
    assert claude.readers == expected
    assert {found.client: found.readers for found in find_deployed(Project(roots))} == {
        "claude-code": expected,
        "cursor": Readers(),
    }
    _, (codex,) = deploy(tmp_path, ("codex",))  # VS Code is still served by the file of Claude Code
    assert codex.readers == Readers()


def test_no_client_reads_entries_that_cannot_know_it(tmp_path: Path) -> None:
    """A client whose calls look like another's must be reported; so far there is none."""
    _, done = deploy(tmp_path, CLIENTS)
    assert [plan.readers.unrecognised for plan in done] == [()] * len(CLIENTS)


def test_the_commands_say_it(tmp_path: Path) -> None:
    package = make_package(tmp_path / "project", HOOKS)
    text = "serves    also Copilot CLI, Cursor and VS Code, in their own terms: they read this file"
    assert text in run_anyhook(package, "deploy", "--client", "claude-code", "--dry-run").stdout
    assert text in run_anyhook(package, "deploy", "--client", "claude-code").stdout
    assert "they also serve copilot-cli, cursor, copilot-vscode" in run_anyhook(package, "doctor").stdout
    (row,) = json.loads(run_anyhook(package, "doctor", "--json").stdout)["deployed"]
    assert row["serves"] == ["claude-code", "copilot-cli", "cursor", "copilot-vscode"]


def test_entries_of_another_client_are_neither_listed_nor_reported(tmp_path: Path) -> None:
    """VS Code reads the file of Copilot CLI, and does not load the entries in it."""
    package = make_package(tmp_path / "project", HOOKS)
    assert run_anyhook(package, "deploy", "--client", "copilot-cli,vscode").returncode == 0
    listed = run_anyhook(package, "list", "-c", "vscode").stdout
    assert "VS Code: 2 hooks, 0 active" in listed
    assert "problem" not in listed
    explained = run_anyhook(package, "explain", "PreToolUse", "--tool", "Bash", "-c", "vscode").stdout
    assert "1 of 1 hook would run" in explained
    assert "error" not in explained
    assert "X001" not in run_anyhook(package, "check").stdout
