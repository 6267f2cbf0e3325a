"""Rules about files that several clients read: what the others do differently, and what runs twice."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath

from msgspec import Struct, structs

from anyhook.bridge.recognise_caller import can_recognise
from anyhook.dialects.bound_event import bind_rule
from anyhook.dialects.places import Root
from anyhook.dialects.profile import Profile, Unit
from anyhook.dialects.wire.replies import decode_reply
from anyhook.engine.match import Form, matcher_for
from anyhook.engine.plan import type_not_run
from anyhook.engine.reach import never_matches
from anyhook.entries.anyhook_entries import is_own_call
from anyhook.lint.checked_file import CheckedFile, Hook
from anyhook.lint.rules.answers import missing_part, printed_answers
from anyhook.lint.rules.exit_status import can_exit_with_two
from anyhook.lint.rules.shape import runs_in
from anyhook.model.events import Subject
from anyhook.model.hooks import Action, Command, FateState, HookSet, Rule
from anyhook.model.origin import Origin, Scope
from anyhook.model.problems import Problem, problem
from anyhook.model.wording import in_lines

_MAX_DIFFERENCES = 3
"""Differences that one message names; the rest are counted."""
_MAX_EVENTS = 4
"""Events that one difference names."""
_KEYS_THAT_MATTER = {
    "condition": ("if", 'runs hooks with "if" on every call'),
    "args": ("args", 'starts commands without their "args"'),
    "is_async": ("async", 'waits for hooks that are "async"'),
    "rewakes": ("asyncRewake", 'waits for hooks that are "asyncRewake"'),
    "fail_closed": ("onFailure", "lets the action go ahead when a hook with onFailure fails"),
}
"""Fields of a hook whose key the reader may not know: the key, and what the reader does without it."""


class ReaderDifference(Struct, frozen=True):
    """What another reader does differently. ``guards``: it changes what a hook that can block does."""

    text: str
    guards: bool = False


def read_differently(file: CheckedFile, reader: CheckedFile, in_use: bool) -> Iterator[Problem]:
    """X001: one problem for each other client that reads the file; what changes a guard comes first."""
    texts: dict[str, bool] = {}
    for difference in _differences(file, reader, in_use):
        texts[difference.text] = texts.get(difference.text, False) or difference.guards
    if not texts:
        return
    found = sorted(texts, key=lambda text: not texts[text])
    title = reader.profile.title
    shown = "; ".join(found[:_MAX_DIFFERENCES])
    more = f"; and {len(found) - _MAX_DIFFERENCES} more" if len(found) > _MAX_DIFFERENCES else ""
    text = f"{title} reads this file too, and does not do the same: it {shown}{more}"
    fix = f"run with --client {reader.profile.name} to see each place; give {title} a file of its own if it matters"
    yield file.problem("X001", (), text, fix)


def is_in_use(reader: CheckedFile) -> bool:
    """Whether the project has anything of the client's own: its folder, or a file only it reads."""
    own = {
        source.pattern.partition("/")[0]
        for source in reader.profile.sources
        if source.root is Root.PROJECT and not source.shared
    }
    if signs := reader.profile.recognition.signs:
        place = reader.path.relative_to(reader.base).parts[0]  # the file itself proves nothing
        own = {sign for sign in signs if not sign.startswith(f"{place}/")}
    return any(_exists(reader, path) for path in own)


def _exists(reader: CheckedFile, path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return name in reader.disk.names(reader.base / folder)


def _differences(file: CheckedFile, reader: CheckedFile, in_use: bool) -> Iterator[ReaderDifference]:
    theirs = {hook.action.origin.pointer: hook for hook in reader.all_hooks()}
    loaded_here = [hook for hook in file.all_hooks() if hook.action.is_loaded]
    ours = [hook for hook in loaded_here if not is_own_call(hook.action)]
    if len(ours) < len(loaded_here) and not can_recognise(file.profile, reader.profile):
        text = f"is answered in {file.profile.title}'s terms by the entries of anyhook, which cannot tell them apart"
        yield ReaderDifference(text, guards=True)
    if ours and (lost := _lost_file(reader)):
        yield ReaderDifference(f"ignores the whole file ({lost})", any(hook.decides for hook in ours))
        return
    pairs = [(hook, theirs[hook.action.origin.pointer]) for hook in ours if hook.action.origin.pointer in theirs]
    yield from _missing_events(pairs)
    yield from _other_hooks(pairs)
    loaded = [(here, there) for here, there in pairs if there.action.is_loaded]
    yield from _other_matchers(loaded)
    yield from _other_ends(loaded)
    yield from _other_answers(loaded)
    if in_use:  # what happens when a hook breaks is worth a line only to those who use the client
        yield from _other_failures(loaded)
    yield from _other_units(loaded)
    yield from _other_keys(loaded)


Pairs = list[tuple[Hook, Hook]]


def _lost_file(reader: CheckedFile) -> str:
    """Why the reader drops every hook, when it does."""
    actions = [action for rule in reader.hooks.rules for action in rule.actions]
    if not actions or any(action.is_loaded for action in actions):
        return ""
    reasons = {action.fate.why for action in actions}
    codes = {found.code for found in reader.hooks.problems}
    return reasons.pop() if len(reasons) == 1 and codes & {"S009", "S006", "K003", "F001", "F002", "F004"} else ""


def _missing_events(pairs: Pairs) -> Iterator[ReaderDifference]:
    lost = [here for here, there in pairs if not there.action.is_loaded and _lacks_event(there)]
    if lost:
        names = list(dict.fromkeys(hook.rule.native_event for hook in lost))
        more = f" and {len(names) - _MAX_EVENTS} more events" if len(names) > _MAX_EVENTS else ""
        yield ReaderDifference(f"never runs {', '.join(names[:_MAX_EVENTS])}{more}", any(hook.decides for hook in lost))


def _lacks_event(hook: Hook) -> bool:
    event = hook.event
    return event is None or event.name not in hook.profile.events


def _other_hooks(pairs: Pairs) -> Iterator[ReaderDifference]:
    """Hooks that the reader drops, or of a type that it does not run."""
    dropped = [here for here, there in pairs if not there.action.is_loaded and not _lacks_event(there)]
    if dropped:
        where = in_lines(hook.action.origin.line for hook in dropped)
        what = "the hook" if len(dropped) == 1 else "the hooks"
        yield ReaderDifference(f"does not load {what} {where}", any(hook.decides for hook in dropped))
    for here, there in pairs:
        if there.action.is_loaded and (why := _type_not_run(there)) and not _type_not_run(here):
            yield ReaderDifference(
                f"does not run {here.action.kind} hooks on {here.rule.native_event}", bool(why) and here.decides
            )


def _type_not_run(hook: Hook) -> str:
    return type_not_run(hook.profile, hook.rule, hook.action, matcher_for(hook.file.profile, hook.rule))


def _other_matchers(pairs: Pairs) -> Iterator[ReaderDifference]:
    for here, there in pairs:
        ours, theirs = matcher_for(here.file.profile, here.rule), matcher_for(there.file.profile, there.rule)
        event = here.rule.native_event
        if ours.form in (Form.EVERYTHING, Form.IGNORED):
            if theirs.form is Form.INVALID:
                yield ReaderDifference(f"skips hooks with the matcher {here.rule.matcher!r} on {event}", here.decides)
        elif theirs.form is Form.IGNORED and theirs.subject is Subject.TOOL:
            yield ReaderDifference("ignores matchers, so hooks run on every tool", here.decides)
        elif theirs.form is Form.IGNORED:
            yield ReaderDifference(f"ignores matchers on {event}", here.decides)
        elif _never(there.file.profile, there.rule) and not _never(here.file.profile, here.rule):
            yield ReaderDifference(f"never runs hooks with the matcher {here.rule.matcher!r} on {event}", here.decides)


def _never(profile: Profile, rule: Rule) -> str:
    return never_matches(profile, rule, matcher_for(profile, rule))


def _other_ends(pairs: Pairs) -> Iterator[ReaderDifference]:
    """Hooks that can end with 2, where that means something else to the reader."""
    deaf: dict[str, None] = {}
    for here, there in pairs:
        event, ours, theirs = here.rule.event, here.profile.exits, there.profile.exits
        if not here.decides or event in ours.ignored_on or not can_exit_with_two(here):
            continue
        if event in theirs.ignored_on or not there.decides:
            deaf[here.rule.native_event] = None
        elif theirs.needs != "nothing" and ours.needs == "nothing":
            yield ReaderDifference("does not block on exit 2 without a message on stderr", guards=True)
    if deaf:
        yield ReaderDifference(f"does not block on exit 2 on {', '.join(deaf)}", guards=True)


def _other_answers(pairs: Pairs) -> Iterator[ReaderDifference]:
    """Answers that a command prints itself, and that the reader does not take."""
    for here, there in pairs:
        for answer in printed_answers(here):
            ours = decode_reply(bind_rule(here.file.profile, here.rule), answer.data)
            theirs = decode_reply(bind_rule(there.file.profile, there.rule), answer.data)
            if answer.is_read and (part := missing_part(theirs, ours)):
                guards = part == "refusal" and here.decides
                yield ReaderDifference(f"discards the {part} that a hook prints on {here.rule.native_event}", guards)


def _other_failures(pairs: Pairs) -> Iterator[ReaderDifference]:
    for here, there in pairs:
        event, ours, theirs = here.rule.event, here.profile.exits, there.profile.exits
        if here.decides and event in theirs.fails_closed_on and event not in ours.fails_closed_on:
            yield ReaderDifference(
                f"denies the tool when a {here.rule.native_event} hook fails with any status", guards=True
            )


def _other_units(pairs: Pairs) -> Iterator[ReaderDifference]:
    for here, there in pairs:
        if here.action.timeout_ms is None:
            continue
        ours, theirs = (hook.profile.timeouts.unit_of(hook.action.kind) for hook in (here, there))
        if Unit.MILLISECONDS in (ours, theirs) and ours is not theirs:
            yield ReaderDifference(f"counts timeouts in {theirs}", here.decides)
            return


def _other_keys(pairs: Pairs) -> Iterator[ReaderDifference]:
    for here, there in pairs:
        for field, (key, effect) in _KEYS_THAT_MATTER.items():
            is_set = bool(getattr(here.action, field, None)) and key in here.entry
            if is_set and not getattr(there.action, field, None):
                changes_guard = here.decides and field != "is_async"
                yield ReaderDifference(effect, changes_guard)


def is_read_elsewhere(found: Problem, others: Iterable[CheckedFile]) -> bool:
    """Whether a key that the client does not read is there for another client that reads the same file."""
    if found.code not in _UNREAD:
        return False
    return any(found.origin.pointer not in _unread_keys(other) for other in others)


def _unread_keys(reader: CheckedFile) -> frozenset[str]:
    return frozenset(found.origin.pointer for found in reader.hooks.problems if found.code in _UNREAD)


_UNREAD = frozenset({"K001", "K002", "T003"})


# -------------------------------------------------------------------------------------------------------- running twice


def runs_twice(hooks: HookSet, title: str, arguments: Mapping[Origin, object]) -> Iterator[Problem]:
    """X002: the same command on the same event, reached through two files of one client; once for the two.

    The hooks of a skill or an agent run only while it is in use, so two of these need not meet. Claude Code 2.1.325
    was seen to run a skill's copy in addition, and an agent's not. ``arguments``: those that files give their hooks,
    whether the client reads them or not.
    """
    seen: dict[object, Origin] = {}
    twice: dict[tuple[str, str], list[tuple[Origin, Origin, str]]] = {}
    for rule in hooks.rules:
        for action in rule.actions:
            key = _twice_key(rule, action, arguments.get(action.origin))
            if key is None:
                continue
            first, here = seen.setdefault(key, action.origin), action.origin
            meet = {first.scope, here.scope} != {Scope.COMPONENT} and not (_needs_agent(first) or _needs_agent(here))
            if first.file != here.file and meet:
                twice.setdefault((first.file, here.file), []).append((first, here, rule.native_event))
    for pairs in twice.values():
        first, here, event = pairs[0]
        others = f", as it does {len(pairs) - 1} more of this file" if len(pairs) > 1 else ""
        in_use = " while it is in use" if Scope.COMPONENT in {first.scope, here.scope} else ""
        text = f"{title} runs this command twice on {event}{in_use}: it is also in {_shown(first, here)}{others}"
        yield problem("X002", here, text, "keep it in one of the two files")


def _needs_agent(origin: Origin) -> bool:
    return origin.scope is Scope.COMPONENT and "agents" in PurePath(origin.file).parts


_PROJECT = frozenset({Scope.PROJECT, Scope.LOCAL, Scope.COMPONENT})


def _shown(there: Origin, here: Origin) -> str:
    """A place in another file; of the same project as its path below what the two have in common."""
    if not _PROJECT.issuperset({there.scope, here.scope}):
        return str(there)
    return str(structs.replace(there, file=os.path.relpath(there.file, os.path.commonpath((there.file, here.file)))))


def _twice_key(rule: Rule, action: Action, arguments: object) -> object | None:
    if action.fate.state is not FateState.ACTIVE or not isinstance(action, Command):
        return None
    what = action.summary(), action.by_os, repr(arguments), action.condition, runs_in(action)
    return rule.event, rule.matcher or "", *what
