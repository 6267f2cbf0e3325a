"""Deploys a package's hooks to clients: with entries that call anyhook (bridge), or as the client's own hooks (native).

Planning writes nothing; :func:`apply_deployment` changes the files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct, structs

from anyhook.deploy.convert.convert import convert_hooks
from anyhook.deploy.install import EntryChange, Owner, apply, find_installed, plan_install, plan_removal
from anyhook.deploy.readers import EntryFile, Readers, readers_of
from anyhook.deploy.target_files import writable_clients
from anyhook.dialects import profile as profile_of
from anyhook.entries.anyhook_entries import without_own_calls
from anyhook.entries.command_entries import EntryOptions, bridge, entry_of, is_bridge
from anyhook.model.codes import Severity
from anyhook.model.hooks import FateState, HookFile, HookSet, Rule
from anyhook.model.origin import Scope
from anyhook.model.problems import AnyhookError, Problem, UsageError
from anyhook.project.project import Project
from anyhook.sources.editing.replace_file import explain_obstacle
from anyhook.sources.recognise import recognise_path

BRIDGE = Owner("bridge", is_bridge)
NATIVE = Owner("native")
Method = Literal["bridge", "native"]
OWNERS: Mapping[Method, Owner] = {"bridge": BRIDGE, "native": NATIVE}


def hooks_to_deploy(project: Project, source: str | None) -> HookSet:
    """The hooks of the package for one client, by default its own; UsageError when there are none."""
    package, folder = project.own_package, project.folder
    dialect = source or package.owner()
    if dialect is None:
        others = package.clients()
        hint = f"; to deploy other hooks: --source {others[0]}" if others else "; to create it: anyhook init"
        file = folder / "hooks" / "hooks.json"
        raise UsageError(explain_obstacle(file) or f"{folder}: hooks/hooks.json does not exist{hint}")
    hooks = without_own_calls(package.of(dialect))
    if all(action.fate.state is not FateState.ACTIVE for rule in hooks.rules for action in rule.actions):
        found = next(iter(sorted(hooks.problems, key=lambda found: found.severity is not Severity.ERROR)), None)
        why = f"; {found.origin}: {found.text}" if found else ""
        raise UsageError(f"{folder}: {dialect} has no hooks here{why}")
    return hooks


class Deployment(Struct, frozen=True, kw_only=True):
    """A deployment to one client, as planned or as done."""

    client: str
    changes: tuple[EntryChange, ...] = ()
    rules: tuple[Rule, ...] = ()
    """In the client's terms."""
    losses: tuple[Problem, ...] = ()
    refusal: str = ""
    """Why nothing can be deployed; empty: it can."""
    readers: Readers = Readers()
    """The other clients that run the entries of the written file."""
    reads_besides: str = ""
    """A file of another client that this one also reads and that has the same hooks: they would run twice."""

    @property
    def is_needed(self) -> bool:
        return any(change.file.is_needed for change in self.changes)

    @property
    def loses_a_guard(self) -> bool:
        return any(loss.severity is Severity.ERROR for loss in self.losses)


def plan_deployments(
    project: Project, hooks: HookSet, clients: Sequence[str], scope: Scope, way: Method, entry: EntryOptions
) -> tuple[Deployment, ...]:
    """What must change so that these clients run the hooks in this way."""
    plans = [_plan(project, hooks, client, scope, way, entry) for client in clients]
    written = {plan.client: file for plan in plans if way == "bridge" if (file := _written(plan))}
    others = (EntryFile(each.client, each.path) for each in _all_deployed(project) if each.way == "bridge")
    files = [*written.values(), *(file for file in others if file.client not in written)]
    readers = dict(zip((file.client for file in files), readers_of(files, project.loader), strict=True))
    return tuple(
        structs.replace(
            plan,
            reads_besides=plan.reads_besides or _read_too(plan, plans),
            readers=readers.get(plan.client, Readers()) if plan.client in written else Readers(),
        )
        for plan in plans
    )


def _written(plan: Deployment) -> EntryFile | None:
    """The file that holds the entries once the plan is carried out."""
    change = plan.changes[-1].file if plan.changes else None  # after the removals
    if change is None or not change.after:
        return None
    return EntryFile(plan.client, change.path, change.after if change.is_needed else None)


def _read_too(plan: Deployment, plans: Sequence[Deployment]) -> str:
    """A file that is written for another client and also read by this one (VS Code and Copilot CLI share a folder)."""
    files = (change.file for other in plans if other is not plan for change in other.changes)
    paths = (file.path for file in files if file.after)
    return next((str(path) for path in paths if any(f.dialect == plan.client for f in recognise_path(path))), "")


def _plan(project: Project, hooks: HookSet, client: str, scope: Scope, way: Method, entry: EntryOptions) -> Deployment:
    if client == hooks.dialect:
        title = profile_of(client).title
        return Deployment(client=client, refusal=f"{title} runs these hooks already: they are written for it")
    rules, losses = rules_for(hooks, client, way, entry)
    owner, other = (BRIDGE, NATIVE) if way == "bridge" else (NATIVE, BRIDGE)
    roots, loader = project.roots, project.loader
    try:
        removals = plan_removal(client, roots, scope, other, loader)
        changes = (*removals, plan_install(client, rules, roots, scope, owner, loader))
    except AnyhookError as error:
        return Deployment(client=client, losses=losses, refusal=str(error))
    return Deployment(
        client=client,
        changes=changes,
        rules=rules,
        losses=losses,
        reads_besides=_also_read(hooks, client, project),
    )


def rules_for(
    hooks: HookSet, client: str, way: Method, entry: EntryOptions
) -> tuple[tuple[Rule, ...], tuple[Problem, ...]]:
    """The hooks in a client's terms, and what is lost."""
    if way == "bridge":
        bridged = bridge(hooks, profile_of(client), entry)
        return bridged.rules, bridged.losses
    converted = convert_hooks(hooks.rules, profile_of(hooks.dialect), profile_of(client))
    return converted.rules, converted.losses


def _also_read(hooks: HookSet, client: str, project: Project) -> str:
    """A file with these hooks, or with entries of anyhook, that the client reads anyway (many read Claude Code's)."""
    own = {file.path for file in hooks.files if file.rules}
    for file in project.found(client):
        read = project.loader.load(file)
        # Not only files of another client: VS Code and Copilot CLI have one folder for both.
        if _is_loaded(read) if str(file.path) in own else file.source.shared and _is_bridged(read):
            return str(file.path)
    return ""


def _is_loaded(file: HookFile) -> bool:
    return any(action.is_loaded for rule in file.rules for action in rule.actions)


def _is_bridged(file: HookFile) -> bool:
    return any(is_bridge(action) for rule in file.rules for action in rule.actions)


class Deployed(Struct, frozen=True, kw_only=True):
    """Deployed entries in a file of a client."""

    client: str
    scope: Scope
    way: Method
    path: Path
    events: tuple[str, ...]
    is_current: bool
    """Whether deploying again would change nothing."""
    readers: Readers = Readers()


def find_deployed(project: Project) -> tuple[Deployed, ...]:
    """All deployed entries, of the project and of the user."""
    found = _all_deployed(project)
    readers = readers_of([EntryFile(each.client, each.path) for each in found], project.loader)
    return tuple(structs.replace(each, readers=its) for each, its in zip(found, readers, strict=True))


def _all_deployed(project: Project) -> tuple[Deployed, ...]:
    return tuple(found for client, scope, way in _places() for found in _deployed(client, project, scope, way))


def _places() -> Iterator[tuple[str, Scope, Method]]:
    """Wherever entries may be deployed."""
    for scope in (Scope.PROJECT, Scope.USER):
        yield from ((client, scope, way) for client in writable_clients(scope) for way in OWNERS)


def _deployed(client: str, project: Project, scope: Scope, way: Method) -> Iterator[Deployed]:
    try:
        installed = tuple(find_installed(client, project.roots, scope, OWNERS[way], project.loader))
    except AnyhookError:
        return  # unreadable_files names it
    for target, rules in installed:
        entries = (entry for rule in rules for action in rule.actions if (entry := entry_of(action)))
        entry = next(entries, EntryOptions())
        yield Deployed(
            client=client,
            scope=scope,
            way=way,
            path=target.path,
            events=tuple(dict.fromkeys(rule.native_event for rule in rules)),
            is_current=_is_current(client, project, scope, way, entry),
        )


def _is_current(client: str, project: Project, scope: Scope, way: Method, entry: EntryOptions) -> bool:
    package = project.packages.at(Path(entry.package) if entry.package else project.folder)
    # A native entry does not say which client's hook it was made of, so every possible one is tried.
    possible = (entry.source or package.owner(), *(package.clients() if way == "native" else ()))
    plans = (
        _plan(project, without_own_calls(package.of(dialect)), client, scope, way, entry)
        for dialect in dict.fromkeys(filter(None, possible))
    )
    return any(not plan.refusal and not plan.is_needed for plan in plans)


class Undeployment(Struct, frozen=True):
    """The removal of all deployed entries from the files of some clients."""

    changes: tuple[EntryChange, ...]
    refusals: tuple[str, ...]
    """Files that cannot be read, and so may still have deployed entries."""


def plan_undeployment(project: Project, clients: Sequence[str], scopes: Sequence[Scope]) -> Undeployment:
    """What must change so that no deployed entry is left in the files of these clients."""
    changes: list[EntryChange] = []
    refusals: dict[str, None] = {}
    for scope in scopes:
        for client in (name for name in writable_clients(scope) if name in clients):
            for owner in OWNERS.values():
                try:
                    changes += plan_removal(client, project.roots, scope, owner, project.loader)
                except AnyhookError as error:
                    refusals[str(error)] = None
    return Undeployment(tuple(changes), tuple(refusals))


def unreadable_files(project: Project) -> tuple[str, ...]:
    """Why files of clients cannot be read, each with its remedy: whether entries are deployed there is not known."""
    refusals: dict[str, None] = {}
    for client, scope, way in _places():
        try:
            tuple(find_installed(client, project.roots, scope, OWNERS[way], project.loader))
        except AnyhookError as error:
            refusals[str(error)] = None
    return tuple(refusals)


def apply_deployment(deployment: Deployment) -> Deployment:
    """Change the files as planned and return what was done."""
    return structs.replace(deployment, changes=tuple(apply(change) for change in deployment.changes))
