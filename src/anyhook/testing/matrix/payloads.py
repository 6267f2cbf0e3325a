"""What a hook was given in one client and not in another, as far as its script looks at it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from anyhook.dialects.events import fold_spelling
from anyhook.model.outcome import Run, Status
from anyhook.testing.matrix.comparison import ClientRun, Comparison, Path

_MAX_DIFFERENCES = 2
"""How many differences of a payload a reason names at most."""
_NOT_FOUND = frozenset({1, 126, 127})
"""Statuses of a shell whose program, or of a program whose file, is not there."""
_FOLDERS = {"home": "the home folder", "file's folder": "the folder of the hook file"}
"""Where only some clients start hooks."""


class ScriptFacts(Struct, frozen=True):
    """What is known of a hook's scripts."""

    text: str = ""
    """All of them, one after the other; empty: there are none to look at."""
    variables: frozenset[str] = frozenset()
    """Environment variables that the case sets for them, in every client."""

    def mentions(self, word: str) -> bool:
        return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", self.text) is not None

    def reads(self, key: str) -> bool:
        """Whether it looks for a key, as code does: in quotes, or after a dot."""
        return re.search(rf"[\"'.]{re.escape(key)}(?![\w-])", self.text) is not None


class Renamed(Struct, frozen=True):
    """A value of the payload that is elsewhere in the other client's, or not at all."""

    ours: Path
    theirs: Path | None

    @property
    def key(self) -> str:
        return self.ours[-1]


def explain_behaviour(comparison: Comparison, code: ScriptFacts) -> str:
    """Why a hook does something else when another client runs it, and what it does."""
    hook_context = [*_other_variables(comparison, code), *_other_folder(comparison)]
    causes = hook_context[:1] or [*_other_tool(comparison, code), *_other_keys(comparison, code)]
    cause = "; ".join(causes[:_MAX_DIFFERENCES]) or "the script does something else here"
    return f"{cause}: {_what_it_does(comparison.was, comparison.now)}"


def _what_it_does(was: Run, now: Run) -> str:
    if now.status is Status.TIMED_OUT:
        return "it times out"
    if now.exit_code is None:
        return "it does not start"
    if was.exit_code not in (None, now.exit_code):
        return f"it exits with {now.exit_code}, not {was.exit_code}"
    return "it prints something else" if now.stdout.strip() else "it prints nothing"


def _other_folder(comparison: Comparison) -> Iterator[str]:
    """A hook that finds its files only from the folder in which our client starts it."""
    ours, theirs = (side.bound.profile.execution.cwd for side in (comparison.ours, comparison.theirs))
    was, now = comparison.was, comparison.now
    is_lost = now.exit_code in _NOT_FOUND and (was.exit_code not in _NOT_FOUND or was.stdout != now.stdout)
    if ours != theirs and is_lost and theirs in _FOLDERS:
        yield f"the hook starts in {_FOLDERS[theirs]}"


def _other_tool(comparison: Comparison, code: ScriptFacts) -> Iterator[str]:
    ours, theirs = (_tool(side) for side in (comparison.ours, comparison.theirs))
    if not ours or ours == theirs or (theirs and code.mentions(theirs)):
        return
    named = f"the payload names the tool {theirs}" if theirs else "the payload names no tool"
    if code.mentions(ours):
        yield f"{named}, and the script looks for {ours}"
    elif not code.text:
        yield f"{named}, not {ours}" if theirs else named


def _tool(side: ClientRun) -> str:
    name = getattr(side.payload, "tool_name", "")
    return name if isinstance(name, str) else ""


def _other_keys(comparison: Comparison, code: ScriptFacts) -> Iterator[str]:
    renamed = renamed_keys(comparison.ours.given, comparison.theirs.given)
    missed = [entry for entry in renamed if _is_missed(entry, code)]
    # Who has the event's name in a script seldom looks for it: it is part of answers, too.
    event_key = comparison.ours.bound.profile.wire.event_key
    told = [entry for entry in missed if entry.key != event_key]
    gone = [entry for entry in renamed if len(entry.ours) > 1 and entry.theirs is None]
    if not told and gone:
        yield f"the payload has no {'.'.join(gone[0].ours)}"
        return
    moved = {entry.ours for entry in told}
    for entry in told or missed:
        if any(entry.ours[:depth] in moved for depth in range(1, len(entry.ours))):
            continue  # the object around it has moved, which says enough
        place = f"calls it {'.'.join(entry.theirs)}" if entry.theirs else "has nothing like it"
        yield f"the script looks for {entry.key}, and the payload {place}"


def _is_missed(entry: Renamed, code: ScriptFacts) -> bool:
    """Whether the script looks for a value where it is no longer, and nowhere else."""
    knows_both = entry.theirs is not None and code.reads(entry.theirs[-1])
    return code.reads(entry.key) and not knows_both


def renamed_keys(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> tuple[Renamed, ...]:
    """The values of our payload that theirs has under another key, or not at all."""
    there = dict(_leaves(theirs))
    found: list[Renamed] = []
    for path, value in _leaves(ours):
        if path in there:
            continue
        spelled = [other for other in there if fold_spelling(other[-1]) == fold_spelling(path[-1])]
        same = [other for other, theirs_value in there.items() if theirs_value == value and value not in (None, "", {})]
        found.append(Renamed(path, min(spelled or same, key=len, default=None)))
    return tuple(found)


def _leaves(data: Mapping[str, Any], above: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every key of an object and of the objects in it."""
    for key, value in data.items():
        yield (*above, key), value
        if isinstance(value, Mapping):
            yield from _leaves(value, (*above, key))


def _other_variables(comparison: Comparison, code: ScriptFacts) -> Iterator[str]:
    """Variables that the hook uses and the client does not set."""
    ours, theirs = comparison.ours.bound.profile.execution, comparison.theirs.bound.profile.execution
    command = comparison.now.summary
    for name in (*ours.exports, *ours.payload_exports):
        if name in (*theirs.exports, *theirs.payload_exports, *code.variables):
            continue
        if _uses(command, name) or _uses(code.text, name):
            yield f"the variable {name} is not set"


def _uses(text: str, variable: str) -> bool:
    return re.search(rf"\$\{{?{variable}\b", text) is not None
