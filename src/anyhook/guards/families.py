"""What is refused: a row for each kind of effect, in families that have levels of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from anyhook.guards.effects.git_facts import PathFacts
from anyhook.guards.effects.model import Effect, Effects, Place, Resource, ToolCall, Verb, Zone, words
from anyhook.guards.effects.names import (
    BUILT,
    DATABASE_FILE,
    GIT_PATH,
    is_everything,
    is_precious_folder,
    is_rebuildable,
    is_root_variable,
    is_secret_file,
    is_source_file,
    is_unset_risk,
)
from anyhook.guards.effects.reading import effects_of
from anyhook.guards.effects.where import Where


class Family(StrEnum):
    """Kinds of dangerous effects; each can be set to block, ask, warn or off."""

    DELETES = "deletes"
    DISKS = "disks"
    GIT = "git"
    REMOTE_CODE = "remote-code"
    EXFILTRATION = "exfiltration"
    PERMISSIONS = "permissions"
    SYSTEM = "system"
    CONTAINERS = "containers"
    INFRASTRUCTURE = "infrastructure"
    DATABASES = "databases"
    PUBLISHING = "publishing"
    CODE = "code"
    PROTECTED_FILES = "protected-files"
    HOOKS = "hooks"


class Finding(Struct, frozen=True):
    family: Family
    what: str
    """What the call would do, to be put after ``This command``."""
    instead: str = ""
    by: int | None = None
    """The command of the line."""


class Seen:
    """The effects of one call as the rows see them, with what git knows; git is asked once, for all paths together."""

    def __init__(self, effects: Effects, where: Where) -> None:
        self.effects, self._where = effects, where
        self._facts: Mapping[str, PathFacts] | None = None
        self._is_asked = False

    def facts(self, place: Place) -> PathFacts | None:
        """What git knows of a path; None: there is no git, or it does not know the path, so that its name decides."""
        if self._where.git is None or place.path is None or place.zone not in (Zone.PROJECT, Zone.ROOT):
            return None
        if not self._is_asked:
            self._is_asked = True
            self._facts = self._where.git.ask(self._asked())
        facts = self._facts.get(_pathspec(place)) if self._facts is not None else None
        if facts is None or (facts.is_known and not facts.is_found):
            return None
        return PathFacts() if self._changes_facts() else facts

    def _asked(self) -> list[str]:
        return [
            _pathspec(effect.target)
            for effect in self.effects.effects
            if effect.verb in (Verb.DELETES, Verb.OVERWRITES)
            and isinstance(effect.target, Place)
            and effect.target.zone in (Zone.PROJECT, Zone.ROOT)
        ]

    def _changes_facts(self) -> bool:
        """Whether the call itself changes what git tells: its index, or what it ignores."""
        if any(
            command.name == "git" and not _INDEXING.isdisjoint(command.arguments) for command in self.effects.commands
        ):
            return True
        return any(
            effect.verb is Verb.WRITES
            and isinstance(effect.target, Place)
            and re.search(r"(?:^|/)\.gitignore$|(?:^|/)\.git/", effect.target.shown)
            for effect in self.effects.effects
        )


_INDEXING = words(
    "add stage rm mv update-index reset restore stash checkout switch commit apply read-tree merge rebase"
)


def _pathspec(place: Place) -> str:
    path = place.path or ""
    return path.rstrip("*").rstrip("/") if path.endswith("/*") else path


Holds: TypeAlias = Callable[[Effect, Seen], bool]


class Refusal(Struct, frozen=True):
    """A row: effects with this verb on such a target, in one of these ways, of which the condition holds."""

    family: Family
    verb: Verb
    what: str
    instead: str
    holds: Holds | None
    hows: frozenset[str] | None
    kind: str


def refuse(
    family: Family,
    verb: Verb,
    what: str = "{how}",
    instead: str = "",
    *,
    holds: Holds | None = None,
    how: str | None = None,
    kind: str = "",
) -> Refusal:
    """``how``: the ways, as words; ``kind``: that of a resource, else the target is a path."""
    return Refusal(family, verb, what, instead, holds, None if how is None else frozenset(how.split(",")), kind)


# ------------------------------------------------------------------------------------------------ conditions on paths


def _shown(effect: Effect) -> str:
    return effect.target.shown if isinstance(effect.target, Place) else ""


def _zone(effect: Effect) -> Zone:
    return effect.target.zone if isinstance(effect.target, Place) else Zone.UNKNOWN


def _is_outside(effect: Effect) -> bool:
    return _zone(effect) in (Zone.HOME, Zone.SYSTEM, Zone.OUTSIDE, Zone.DEVICE)


def _is_free(effect: Effect) -> bool:
    """Temporary, build output or a cache."""
    return _zone(effect) is Zone.TEMPORARY or is_rebuildable(_shown(effect))


def _in_unknown(effect: Effect) -> str:
    """A path in a folder that is not known is judged by its own name."""
    return _shown(effect).removeprefix("$PWD/")


def _deletes_everything(effect: Effect, _: Seen) -> bool:
    return is_everything(_in_unknown(effect)) and not _is_allowed_temporary(effect)


def _is_allowed_temporary(effect: Effect) -> bool:
    return _zone(effect) is Zone.TEMPORARY


def _deletes_outside(effect: Effect, _: Seen) -> bool:
    return _is_outside(effect) and not is_rebuildable(_shown(effect))


def _deletes_repository(effect: Effect, _: Seen) -> bool:
    return not _is_free(effect) and GIT_PATH.search(_shown(effect)) is not None


def _deletes_folder(effect: Effect, seen: Seen) -> bool:
    """By its name alone, where git knows nothing of it."""
    name = _in_unknown(effect)
    if _is_free(effect) or seen.facts(effect.target) is not None:  # type: ignore[arg-type]
        return False
    return is_precious_folder(name) or is_unset_risk(name)


def _deletes_root_variable(effect: Effect, _: Seen) -> bool:
    return is_root_variable(_in_unknown(effect))


def _loses_work(effect: Effect, seen: Seen) -> bool:
    """Whether git says that something is lost which nothing brings back."""
    if _zone(effect) is not Zone.PROJECT or not isinstance(effect.target, Place) or BUILT.search(_shown(effect)):
        return False
    facts = seen.facts(effect.target)
    if facts is None:
        return False
    if not facts.is_known or facts.lost:
        return True
    return any(not is_rebuildable(path) or is_secret_file(path) or DATABASE_FILE.search(path) for path in facts.ignored)


def _is_below_outside(effect: Effect, _: Seen) -> bool:
    if is_rebuildable(_shown(effect)):
        return False
    if effect.how == "matching" and _zone(effect) is Zone.OUTSIDE and _shown(effect) in ("/tmp", "/var/tmp"):
        return False
    return _is_outside(effect)


def _empties_source(effect: Effect, seen: Seen) -> bool:
    if _zone(effect) is Zone.TEMPORARY:
        return False
    shown = _shown(effect)
    if not (is_source_file(shown) or _is_outside(effect) or is_everything(shown)):
        return False
    facts = seen.facts(effect.target) if isinstance(effect.target, Place) else None
    return facts is None or not facts.is_known or bool(facts.lost or facts.ignored)


def _is_kept(effect: Effect, _: Seen) -> bool:
    return not _is_free(effect)


def _moves_away(effect: Effect, _: Seen) -> bool:
    return is_everything(_shown(effect)) or re.match(r"(?:.*/)?\.git$", _shown(effect)) is not None


def _mirrors(effect: Effect, seen: Seen) -> bool:
    if _is_free(effect) and not is_everything(_shown(effect)):
        return False
    return is_everything(_shown(effect)) or _is_outside(effect) or _deletes_folder(effect, seen)


_TARGET = ",recursive,empty,listed"
"""Ways of deleting what is named itself."""
_DELETE = "Delete named build output inside the project, or ask the user to delete this."
_COMMIT = "Commit or stash it first, or move it below /tmp."

REFUSALS: tuple[Refusal, ...] = (
    refuse(Family.DELETES, Verb.DELETES, instead=_DELETE, kind="files"),
    refuse(Family.DELETES, Verb.OVERWRITES, instead=_DELETE, kind="files"),
    refuse(
        Family.DELETES, Verb.DELETES, "deletes everything in {target}", _DELETE, how=_TARGET, holds=_deletes_everything,
    ),
    refuse(
        Family.DELETES, Verb.DELETES, "deletes {target}, which is outside of the project", _DELETE,
        how=_TARGET, holds=_deletes_outside,
    ),
    refuse(
        Family.DELETES, Verb.DELETES, "deletes {target}, the repository itself", _DELETE,
        how=_TARGET, holds=_deletes_repository,
    ),
    refuse(
        Family.DELETES, Verb.DELETES, "deletes {target} with everything in it", _DELETE,
        how="recursive", holds=_deletes_folder,
    ),
    refuse(Family.DELETES, Verb.DELETES, "deletes {target}", _DELETE, how=_TARGET, holds=_deletes_root_variable),
    refuse(
        Family.DELETES, Verb.DELETES, "deletes work that is not committed: {target}", _COMMIT,
        how=",recursive,listed,below", holds=_loses_work,
    ),
    refuse(
        Family.DELETES, Verb.DELETES, "deletes files below {target}, which is outside of the project", _DELETE,
        how="below,matching", holds=_is_below_outside,
    ),
    refuse(
        Family.DELETES, Verb.DELETES, "deletes the files below {target}", _DELETE,
        how="below", holds=lambda effect, seen: _deletes_everything(effect, seen) or _deletes_folder(effect, seen),
    ),
    refuse(Family.DELETES, Verb.DELETES, "moves {target} away", _DELETE, how="moved", holds=_moves_away),
    refuse(
        Family.DELETES, Verb.DELETES, "deletes files in {target} that its source does not have", _DELETE,
        how="mirrored", holds=_mirrors,
    ),
    refuse(Family.DELETES, Verb.OVERWRITES, "empties {target}", _DELETE, how="empties", holds=_empties_source),
    refuse(
        Family.DELETES, Verb.OVERWRITES, "overwrites {target} so that it cannot be recovered", _DELETE,
        how="shred", holds=_is_kept,
    ),
    refuse(Family.DELETES, Verb.OVERWRITES, "overwrites {target}", _DELETE, how="nothing", holds=_is_kept),
)  # fmt: skip


def _by_verb(rows: Sequence[Refusal]) -> Mapping[tuple[Verb, str], tuple[Refusal, ...]]:
    found: dict[tuple[Verb, str], list[Refusal]] = {}
    for row in rows:
        found.setdefault((row.verb, row.kind), []).append(row)
    return {key: tuple(own) for key, own in found.items()}


_ROWS = _by_verb(REFUSALS)
_PLACES = {".": "this folder", "*": "this folder", "..": "the folder above", "../*": "the folder above"}
"""Paths that a sentence cannot end with."""


def judge(call: ToolCall, where: Where) -> tuple[Finding, ...]:
    """Every reason to refuse a call; none if it is harmless. Never raises."""
    return judge_effects(effects_of(call, where), where)


def judge_effects(effects: Effects, where: Where) -> tuple[Finding, ...]:
    if not effects.is_readable:
        instead = "Write the text to a file with the edit tool, in parts."
        return (Finding(Family.SYSTEM, "is too long to be read", instead),)
    seen = Seen(effects, where)
    return tuple(dict.fromkeys(finding for effect in effects.effects for finding in _found(effect, seen)))


def _found(effect: Effect, seen: Seen) -> Iterator[Finding]:
    kind = effect.target.kind if isinstance(effect.target, Resource) else ""
    families: set[Family] = set()
    for row in _ROWS.get((effect.verb, kind), ()):
        if row.family in families or (row.hows is not None and effect.how not in row.hows):
            continue
        if row.holds is None or row.holds(effect, seen):
            families.add(row.family)
            what = row.what.replace("{how}", effect.how).replace("{target}", _name_of(effect))
            yield Finding(row.family, what, row.instead, effect.by)


def _name_of(effect: Effect) -> str:
    if isinstance(effect.target, Place):
        return _PLACES.get(effect.target.written.rstrip("/") or "/", effect.target.shown)
    return effect.target.name if isinstance(effect.target, Resource) else effect.target.text
