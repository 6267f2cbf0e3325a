"""The clients of this machine: which releases are installed, where their hooks come from, who reads whose files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from msgspec import Struct

from anyhook.dialects import all_profiles, profile
from anyhook.dialects.clients import OWN
from anyhook.dialects.profile import Order, Profile
from anyhook.dialects.releases import release_order
from anyhook.dialects.translation.equivalents import whole_event
from anyhook.model.hooks import FateState, is_shadow
from anyhook.model.origin import Origin
from anyhook.model.problems import Problem, problem
from anyhook.model.wording import brief_line, join_and
from anyhook.project.hook import Reading, ResolvedHook
from anyhook.project.resolve import ProjectClient, is_entry
from anyhook.shell.programs import POSIX_SHELLS
from anyhook.sources.installed_release import installed_release

NOT_FOUND = "H002"
"""That no client finds the programs that deployed entries start."""
_TOOL_CALL = ("PreToolUse", "PostToolUse")


class ExaminedClient(Struct, frozen=True, kw_only=True):
    """A client that is installed here or has hooks here."""

    name: str
    title: str
    installed: str
    """The release that PATH finds; empty: none, or its files do not tell."""
    measured: str
    """The release whose rules anyhook knows."""
    basis: str
    """How they are known: recorded, documented or specified."""
    files: tuple[str, ...]
    """Where its hooks come from."""
    hooks: int = 0
    active: int = 0
    untrusted: int = 0
    """Hooks that nobody has approved."""
    guards: int = 0
    """Active hooks that can refuse a tool before it runs."""
    shadows: int = 0
    """Active guards and rules that only record what they would do."""
    errors: int = 0
    """What is wrong with its hooks or their files."""
    limit_ms: int | None = 0
    """How long its hooks can make one tool call wait; None: without a limit."""

    @property
    def lack(self) -> str:
        """Why its tools may run without a guard; empty: they do not."""
        if self.untrusted:
            return f"{self.untrusted} hook{'' if self.untrusted == 1 else 's'} untrusted"
        if self.guards:
            return f"{self.errors} error{'' if self.errors == 1 else 's'} in hooks" if self.errors else ""
        if self.shadows:
            return "shadow: does not block"
        return "no hook can refuse a tool" if self.active else "no hook runs" if self.hooks else "no hooks"


def protection_text(clients: Sequence[ExaminedClient], problems: Sequence[Problem]) -> str:
    """In how many clients hooks guard the tools, and why not in the others: what matters first, in one sentence."""
    if not clients:
        return "No client is installed or has hooks here"
    lacks: dict[str, list[str]] = {}
    for client in clients:
        if client.lack:
            lacks.setdefault(client.lack, []).append(client.title)
    guarded = sum(not client.lack for client in clients)
    text = f"Protected in {guarded} of {len(clients)} client{'' if len(clients) == 1 else 's'}"
    unfound = (found.text for found in problems if found.code == NOT_FOUND)
    return "; ".join([text, *(f"{join_and(titles)}: {lack}" for lack, titles in lacks.items()), *unfound])


def client_states(clients: Sequence[ProjectClient], environment: Mapping[str, str]) -> tuple[ExaminedClient, ...]:
    """Every client that is installed, or has a hook file of its own here."""
    states = (_state(known, [c for c in clients if c.name == known.name], environment) for known in all_profiles())
    return tuple(state for state in states if state is not None)


def _state(known: Profile, here: Sequence[ProjectClient], environment: Mapping[str, str]) -> ExaminedClient | None:
    installed = installed_release(known, environment)
    if known.name == OWN or not (installed or any(client.owns_a_file for client in here)):
        return None
    written = [hook for client in here for hook in client.written]
    return ExaminedClient(
        name=known.name,
        title=known.title,
        installed=installed,
        measured=known.release,
        basis=known.basis,
        files=tuple(dict.fromkeys(str(file.path) for client in here for file in client.found)),
        hooks=len(written),
        active=sum(hook.is_active for hook in written),
        untrusted=sum(any(each.state is FateState.UNTRUSTED for each in hook.readings) for hook in written),
        guards=sum(any(map(_can_refuse, hook.readings)) for hook in written),
        shadows=sum(any(map(_is_shadow, hook.readings)) for hook in written),
        limit_ms=_limit_ms(known, [hook for client in here for hook in client.hooks if hook.is_active]),
    )


def _can_refuse(reading: Reading) -> bool:
    event = reading.read.event
    is_before = whole_event(event) == "PreToolUse" and profile(reading.client).blocks(event)
    is_active = reading.state is FateState.ACTIVE and not reading.read.action.is_async
    return is_before and is_active and not is_shadow(reading.read.action)


def _is_shadow(reading: Reading) -> bool:
    return reading.state is FateState.ACTIVE and is_shadow(reading.read.action)


def _limit_ms(known: Profile, hooks: Sequence[ResolvedHook]) -> int | None:
    """How long the hooks before and after a tool call may take together, if every matcher matches."""
    total = 0
    for event in _TOOL_CALL:
        limits = [hook.timeout_ms for hook in hooks if hook.event == event and not hook.action.is_async]
        if None in limits:
            return None
        known_limits = [limit for limit in limits if limit is not None]
        is_sequential = known.execution.order is Order.SEQUENTIAL
        total += sum(known_limits) if is_sequential else max(known_limits, default=0)
    return total


def release_problems(states: Sequence[ExaminedClient]) -> Iterator[Problem]:
    """Installed releases whose rules were not measured."""
    for state in states:
        if state.basis != "recorded" or not state.installed:
            continue
        known = profile(state.name)
        order = release_order(state.installed)
        if order > release_order(known.release):
            text = f"{state.title} {state.installed} is newer than the release that was measured, {known.release}"
            remedy = f"see whether your hooks still work: anyhook prove --client {state.name}"
            yield problem("H021", Origin(state.name), text, remedy)
        elif order < release_order(known.oldest or known.release):
            oldest = known.oldest or known.release
            text = f"{state.title} {state.installed} is older than the oldest release that was measured, {oldest}"
            remedy = f"update {state.title}, or see: anyhook prove --client {state.name}"
            yield problem("H022", Origin(state.name), text, remedy)


def login_shell_problems(states: Sequence[ExaminedClient], environment: Mapping[str, str]) -> Iterator[Problem]:
    """Clients that run hooks in the user's shell, where that one cannot run what hooks and entries are written in."""
    shell = PurePath(environment.get("SHELL", "")).name
    if not shell or shell in POSIX_SHELLS:
        return
    for state in states:
        if state.files and profile(state.name).execution.uses_login_shell:
            text = f"{state.title} runs hooks in your shell, {shell}, which cannot run the commands of most hooks"
            yield problem("H004", Origin(state.name), text, f"start {state.title} with SHELL=/bin/sh")


def switched_off_problems(hooks: Sequence[ResolvedHook]) -> Iterator[Problem]:
    """Hooks that a setting or another hook keeps from running; the linter reports the other reasons."""
    for hook in hooks:
        code = _SWITCHED_OFF.get(hook.state)
        if code is not None and not hook.is_left:
            text = f"{profile(hook.client).title} does not run this hook: {hook.why}"
            fix = "change the setting, or delete the hook if it is no longer wanted"
            yield problem(code, hook.origin, text, fix, about=brief_line(hook.summary))


_SWITCHED_OFF: Mapping[str, str] = {FateState.DISABLED: "H011", FateState.SHADOWED: "H012"}


def shared_file_problems(clients: Sequence[ProjectClient], states: Sequence[ExaminedClient]) -> Iterator[Problem]:
    """Files with hooks that a second client in use also reads; entries of anyhook know who calls them."""
    in_use = {state.name for state in states}
    readers: dict[str, list[str]] = {}
    for client in clients:
        if client.name not in in_use:
            continue
        for file in client.files:
            if any(not is_entry(action) for rule in file.rules for action in rule.actions):
                readers.setdefault(file.path, []).append(client.name)
    for path, names in readers.items():
        unique = tuple(dict.fromkeys(names))
        if len(unique) > 1:
            titles = join_and(profile(name).title for name in unique)
            text = f"{titles} all read this file" if len(unique) > 2 else f"{titles} both read this file"
            fix = "see the differences with anyhook check --all; or move the hooks to hooks/ and use anyhook deploy"
            yield problem("H013", Origin(file=path), f"{text}, and each runs its hooks by its own rules", fix)
