"""The clients of this machine: which releases are installed, where their hooks come from, who reads whose files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from msgspec import structs

from anyhook.bridge.entries.anyhook_entries import is_own_call
from anyhook.bridge.entries.one_entry import is_left_entry
from anyhook.dialects import all_profiles, profile
from anyhook.dialects.clients import OWN
from anyhook.dialects.profile import Order, Profile
from anyhook.dialects.releases import release_order
from anyhook.doctor.findings import ExaminedClient, ExaminedHook, HealthFinding
from anyhook.engine.reach import mark_unreachable
from anyhook.model.codes import Severity
from anyhook.model.hooks import Action, FateState, Rule
from anyhook.model.wording import join_and
from anyhook.shell.programs import POSIX_SHELLS
from anyhook.sources.installed_release import installed_release
from anyhook.sources.inventory import ClientHooks

_TOOL_CALL = ("PreToolUse", "PostToolUse")


def client_states(clients: Sequence[ClientHooks], environment: Mapping[str, str]) -> tuple[ExaminedClient, ...]:
    """Every client that is installed, or has a hook file of its own here."""
    states = (_state(known, [c for c in clients if c.dialect == known.name], environment) for known in all_profiles())
    return tuple(state for state in states if state is not None)


def _state(known: Profile, here: Sequence[ClientHooks], environment: Mapping[str, str]) -> ExaminedClient | None:
    installed = installed_release(known, environment)
    if known.name == OWN or not (installed or any(client.owns_a_file for client in here)):
        return None
    marked = [mark_unreachable(client.hooks, known_tools_only=True) for client in here]
    actions = ((rule, action) for hook_set in marked for rule in hook_set.rules for action in rule.actions)
    active = [(rule, action) for rule, action in actions if action.fate.state is FateState.ACTIVE]
    return ExaminedClient(
        name=known.name,
        title=known.title,
        installed=installed,
        measured=known.release,
        basis=known.basis,
        files=tuple(dict.fromkeys(str(file.path) for client in here for file in client.found)),
        limit_ms=_limit_ms(known, active),
    )


def with_counts(states: Sequence[ExaminedClient], hooks: Sequence[ExaminedHook]) -> tuple[ExaminedClient, ...]:
    """The states with the number of these hooks: those behind an entry of anyhook count, not the entry."""
    loaded = {state.name: [hook.loaded for hook in hooks if hook.client == state.name] for state in states}
    return tuple(
        structs.replace(state, hooks=len(loaded[state.name]), active=loaded[state.name].count(FateState.ACTIVE))
        for state in states
    )


def _limit_ms(known: Profile, hooks: Sequence[tuple[Rule, Action]]) -> int | None:
    """How long the hooks before and after a tool call may take together, if every matcher matches."""
    total = 0
    for event in _TOOL_CALL:
        limits = [
            known.timeouts.effective_ms(action.timeout_ms, action.kind, event)
            for rule, action in hooks
            if rule.event == event and not action.is_async
        ]
        if None in limits:
            return None
        known_limits = [limit for limit in limits if limit is not None]
        is_sequential = known.execution.order is Order.SEQUENTIAL
        total += sum(known_limits) if is_sequential else max(known_limits, default=0)
    return total


def release_findings(states: Sequence[ExaminedClient]) -> Iterator[HealthFinding]:
    """Installed releases whose rules were not measured."""
    for state in states:
        if state.basis != "recorded" or not state.installed:
            continue
        known = profile(state.name)
        order = release_order(state.installed)
        if order > release_order(known.release):
            text = f"{state.title} {state.installed} is newer than the release that was measured, {known.release}"
            remedy = f"see whether your hooks still work: anyhook prove --client {state.name}"
            yield _release_note("newer-client", state, text, remedy)
        elif order < release_order(known.oldest or known.release):
            oldest = known.oldest or known.release
            text = f"{state.title} {state.installed} is older than the oldest release that was measured, {oldest}"
            remedy = f"update {state.title}, or see: anyhook prove --client {state.name}"
            yield _release_note("older-client", state, text, remedy)


def _release_note(check: str, state: ExaminedClient, text: str, remedy: str) -> HealthFinding:
    return HealthFinding(check=check, severity=Severity.NOTE, text=text, remedy=remedy, client=state.name)


def login_shell_findings(states: Sequence[ExaminedClient], environment: Mapping[str, str]) -> Iterator[HealthFinding]:
    """Clients that run hooks in the user's shell, where that one cannot run what hooks and entries are written in."""
    shell = PurePath(environment.get("SHELL", "")).name
    if not shell or shell in POSIX_SHELLS:
        return
    for state in states:
        if state.files and profile(state.name).execution.uses_login_shell:
            yield HealthFinding(
                check="login-shell",
                severity=Severity.ERROR,
                text=f"{state.title} runs hooks in your shell, {shell}, which cannot run the commands of most hooks",
                remedy=f"start {state.title} with SHELL=/bin/sh",
                client=state.name,
            )


def switched_off_findings(clients: Sequence[ClientHooks]) -> Iterator[HealthFinding]:
    """Hooks that a setting or another hook keeps from running; the linter reports the other reasons."""
    for client in clients:
        for rule in client.hooks.rules if client.owns_a_file else ():
            for action in rule.actions:
                if action.fate.state in (FateState.DISABLED, FateState.SHADOWED) and not is_left_entry(action):
                    yield HealthFinding(
                        check=f"hook-{action.fate.state}",
                        severity=Severity.WARNING,
                        text=f"{profile(client.dialect).title} does not run {action.summary()}: {action.fate.why}",
                        remedy="change the setting, or delete the hook if it is no longer wanted",
                        client=client.dialect,
                        file=action.origin.file,
                        line=action.origin.line,
                    )


def shared_file_findings(clients: Sequence[ClientHooks], states: Sequence[ExaminedClient]) -> Iterator[HealthFinding]:
    """Files with hooks that a second client in use also reads; entries of anyhook know who calls them."""
    in_use = {state.name for state in states}
    readers: dict[str, list[str]] = {}
    for client in clients:
        if client.dialect not in in_use:
            continue
        for file in client.hooks.files:
            if any(not is_own_call(action) for rule in file.rules for action in rule.actions):
                readers.setdefault(file.path, []).append(client.dialect)
    for path, names in readers.items():
        unique = tuple(dict.fromkeys(names))
        if len(unique) > 1:
            titles = join_and(profile(name).title for name in unique)
            text = f"{titles} all read this file" if len(unique) > 2 else f"{titles} both read this file"
            yield HealthFinding(
                check="shared-file",
                severity=Severity.WARNING,
                text=f"{text}, and each runs its hooks by its own rules",
                remedy="see the differences with anyhook check; or move the hooks to hooks/ and use anyhook deploy",
                file=path,
            )
