"""What is refused: a row for each kind of effect, in families that have levels of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from anyhook.guards import wording
from anyhook.guards.effects.git_facts import PathFacts
from anyhook.guards.effects.model import AWAY, Effect, Effects, Place, Resource, ToolCall, Verb, Zone, words
from anyhook.guards.effects.names import (
    BUILT,
    DATABASE_FILE,
    GIT_PATH,
    IRREPLACEABLE,
    PRIVATE_KEY,
    RAW_DEVICE,
    RUN_BY_MACHINE,
    START_UP_FILE,
    is_everything,
    is_precious_folder,
    is_protected,
    is_rebuildable,
    is_root_variable,
    is_secret_file,
    is_source_file,
    is_system,
    is_unset_risk,
)
from anyhook.guards.effects.programs.guards import is_own_program
from anyhook.guards.effects.reading import effects_of
from anyhook.guards.effects.where import Where
from anyhook.guards.hook_files import is_below, is_client_folder, is_hook_file, is_own_state
from anyhook.lazy_pattern import LazyPattern


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
        self.effects, self.where = effects, where
        self._facts: Mapping[str, PathFacts] | None = None
        self._is_asked = False

    def facts(self, effect: Effect) -> PathFacts | None:
        """What git knows of a path; None: there is no git, or it does not know the path, so that its name decides."""
        place = effect.target
        if self.where.git is None or not isinstance(place, Place) or place.zone not in (Zone.PROJECT, Zone.ROOT):
            return None
        if not self._is_asked:
            self._is_asked = True
            self._facts = self.where.git.ask(self._asked())
        facts = self._facts.get(_pathspec(place)) if self._facts is not None else None
        if facts is None or (facts.is_known and not facts.is_found):
            return None
        return PathFacts() if self._changes_facts(effect) else facts

    def _asked(self) -> list[str]:
        return [
            _pathspec(effect.target)
            for effect in self.effects.effects
            if effect.verb in (Verb.DELETES, Verb.OVERWRITES)
            and isinstance(effect.target, Place)
            and effect.target.zone in (Zone.PROJECT, Zone.ROOT)
        ]

    def _changes_facts(self, by: Effect) -> bool:
        """Whether the call itself has changed before what git tells: its index, or what it ignores."""
        before = self.effects.commands[: by.by]
        if any(command.name == "git" and not _INDEXING.isdisjoint(command.arguments) for command in before):
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

    verb: Verb
    what: str
    instead: str
    holds: Holds | None
    hows: frozenset[str] | None
    kind: str


def refuse(
    verb: Verb,
    what: str = "{how}",
    *,
    instead: str = "",
    holds: Holds | None = None,
    how: str | None = None,
    kind: str = "",
) -> Refusal:
    """``how``: the ways, as words; ``kind``: that of a resource, else the target is a path."""
    return Refusal(verb, what, instead, holds, None if how is None else frozenset(how.split(",")), kind)


# ------------------------------------------------------------------------------------------------ conditions on paths


def _shown(effect: Effect) -> str:
    return effect.target.shown if isinstance(effect.target, Place) else ""


def _written(effect: Effect) -> str:
    return effect.target.written if isinstance(effect.target, Place) else ""


def _zone(effect: Effect) -> Zone:
    return effect.target.zone if isinstance(effect.target, Place) else Zone.UNKNOWN


def _is_outside(effect: Effect) -> bool:
    return _zone(effect) in AWAY


def _is_free(effect: Effect) -> bool:
    """Temporary, build output or a cache."""
    return _zone(effect) is Zone.TEMPORARY or is_rebuildable(_shown(effect))


def _in_unknown(effect: Effect) -> str:
    """A path in a folder that is not known is judged by its own name."""
    return _shown(effect).removeprefix("$PWD/")


def _deletes_everything(effect: Effect, _: Seen) -> bool:
    if _zone(effect) in (Zone.ROOT, Zone.ABOVE):
        return True
    return is_everything(_in_unknown(effect)) and _zone(effect) is not Zone.TEMPORARY


def _deletes_outside(effect: Effect, _: Seen) -> bool:
    return _is_outside(effect) and not is_rebuildable(_shown(effect))


def _deletes_repository(effect: Effect, _: Seen) -> bool:
    return not _is_free(effect) and GIT_PATH.search(_shown(effect)) is not None


def _deletes_folder(effect: Effect, seen: Seen) -> bool:
    """By its name alone, where git knows nothing of it."""
    name = _in_unknown(effect)
    if _is_free(effect) or seen.facts(effect) is not None:
        return False
    return is_precious_folder(name) or is_unset_risk(name)


def _deletes_root_variable(effect: Effect, _: Seen) -> bool:
    return is_root_variable(_in_unknown(effect))


def _loses_work(effect: Effect, seen: Seen) -> bool:
    """Whether git says that something is lost which nothing brings back."""
    if _zone(effect) is not Zone.PROJECT or BUILT.search(_shown(effect)):
        return False
    facts = seen.facts(effect)
    if facts is None:
        return False
    if not facts.is_known or facts.lost:
        return True
    return any(not is_rebuildable(path) or is_secret_file(path) or DATABASE_FILE.search(path) for path in facts.ignored)


def _is_below_outside(effect: Effect, _: Seen) -> bool:
    if is_rebuildable(_shown(effect)):
        return False
    if effect.how == "matching" and _shown(effect) in ("/tmp", "/var/tmp"):
        return False
    return _is_outside(effect)


def _empties_source(effect: Effect, seen: Seen) -> bool:
    if _zone(effect) is Zone.TEMPORARY:
        return False
    shown = _shown(effect)
    if not (is_source_file(shown) or _is_outside(effect) or is_everything(shown)):
        return False
    facts = seen.facts(effect)
    return facts is None or not facts.is_known or bool(facts.lost or facts.ignored)


def _is_kept(effect: Effect, _: Seen) -> bool:
    return not _is_free(effect)


def _moves_away(effect: Effect, _: Seen) -> bool:
    return is_everything(_shown(effect)) or re.match(r"(?:.*/)?\.git$", _shown(effect)) is not None


def _puts_text_in_database(effect: Effect, _: Seen) -> bool:
    """An edit by a tool, which writes text; programs that write to a database know its form."""
    return effect.by is None and not _is_free(effect) and DATABASE_FILE.search(_shown(effect)) is not None


def _mirrors(effect: Effect, seen: Seen) -> bool:
    if _is_free(effect) and not is_everything(_shown(effect)):
        return False
    return is_everything(_shown(effect)) or _is_outside(effect) or _deletes_folder(effect, seen)


# ---------------------------------------------------------------------------------------------- conditions on writes


def _is_protected(effect: Effect, _: Seen) -> bool:
    shown = _shown(effect)
    if _zone(effect) is Zone.TEMPORARY or effect.how in ("from a template", "makes"):
        return False
    if effect.how.startswith("code") and shown.startswith(("~", "/etc", "/usr")):
        return True
    return is_protected(shown) and (effect.how != "makes a key" or shown.startswith("~/.ssh"))


def _is_system(effect: Effect, _: Seen) -> bool:
    shown = _shown(effect)
    is_home = shown == "~" and _written(effect)[:2] != ".."
    is_own = shown == "/" or is_home or (is_system(shown) and _OPEN_SYSTEM.match(shown) is None)
    return is_own and not effect.how.startswith("code")


_OPEN_SYSTEM = LazyPattern(r"/(?:opt|usr/local|var/(?:www|lib/\w+/data))(?:/|$)|/proc/self|/dev/")


def _is_irreplaceable(effect: Effect, _: Seen) -> bool:
    return _zone(effect) is not Zone.TEMPORARY and IRREPLACEABLE.search(_shown(effect)) is not None


def _is_run_by_machine(effect: Effect, _: Seen) -> bool:
    return RUN_BY_MACHINE.match(_shown(effect)) is not None


def _is_switch_of_kernel(effect: Effect, _: Seen) -> bool:
    return re.match(r"/proc/(?!self/)|/sys/", _shown(effect)) is not None


def _is_start_up(effect: Effect, _: Seen) -> bool:
    """A line that adds to PATH or starts a version manager may be added, as installation guides say."""
    if START_UP_FILE.match(_shown(effect)) is None:
        return False
    adds = effect.how in (">>", "adds") and _HARMLESS_LINE.match(effect.text) and not _NOT_HARMLESS.search(effect.text)
    return not adds


_HARMLESS_LINE = LazyPattern(
    r"\s*(?:\\n)?(?:export (?:PATH|GOPATH|JAVA_HOME|NVM_DIR|PYENV_ROOT|ANDROID_HOME|EDITOR|LANG)\b|eval \"?\$\(|"
    r"source |"
    r"\. |\[ -|alias (?!(?:sudo|su|ssh|anyhook)=)\w+=(?!.*\b(?:rm|sudo)\b)|#|setopt|autoload|fpath)"
)
_NOT_HARMLESS = LazyPattern(r"curl|wget|/dev/tcp|/tmp|base64|PROMPT_COMMAND|rm -")


def _is_device(effect: Effect, _: Seen) -> bool:
    """A device by its name, or what a program lists that knows of devices: ``$(findmnt -no SOURCE /home)``."""
    shown = _shown(effect)
    return shown[:1] in "/\\$" and (RAW_DEVICE.match(shown) or _LISTED_DEVICE.match(shown)) is not None


_LISTED_DEVICE = LazyPattern(r"\$\([^)]*\b(?:df|findmnt|lsblk|blkid|mount|diskutil|losetup|swapon)\b")


def _is_block_outside(effect: Effect, _: Seen) -> bool:
    return _is_outside(effect) and not _shown(effect).startswith("/dev/")


def _is_own_state(effect: Effect, seen: Seen) -> bool:
    shown = _shown(effect)
    own = seen.where.own_folders
    if own and isinstance(effect.target, Place) and is_below(effect.target.path or "", own):
        return True
    return is_own_state(shown) and (shown.startswith("/run/") or _zone(effect) is not Zone.TEMPORARY)


def _decides_hooks(effect: Effect, _: Seen) -> bool:
    shown = _shown(effect)
    if _zone(effect) is Zone.TEMPORARY:
        return False
    if is_client_folder(shown.rstrip("/")):  # files may be copied there; a link would give the client other settings
        return effect.how not in ("copies", "from a template", "code")
    return is_hook_file(shown) or is_own_program(shown)


def _is_private(effect: Effect, _: Seen) -> bool:
    return effect.how != "asks" and PRIVATE_KEY.search(_shown(effect)) is not None


def _code_loses(effect: Effect, seen: Seen) -> bool:
    """One-liners: every path must be one that may be deleted."""
    shown = _in_unknown(effect)
    if _deletes_everything(effect, seen) or _deletes_outside(effect, seen) or _deletes_repository(effect, seen):
        return True
    if "*" in shown and not _is_free(effect):
        return True
    return _deletes_folder(effect, seen) or _deletes_root_variable(effect, seen) or _loses_work(effect, seen)


def _loses_changes(effect: Effect, seen: Seen) -> bool:
    facts = seen.facts(effect)
    return facts is None or not facts.is_known or bool(facts.lost)


# ----------------------------------------------------------------------------------------------- conditions on modes

_KEEPS_PRIVATE = LazyPattern(r"0?[4675]00|[go]-rwx|go-.*|og-.*")
_PLAIN_MODE = LazyPattern(r"\+x|0?755|a\+x|u\+x|0?644|a\+r|0?600")


def _opens_key(effect: Effect, _: Seen) -> bool:
    shown = _shown(effect)
    mode = effect.how.removesuffix(" recursive")
    is_key = PRIVATE_KEY.search(shown) is not None or shown in ("~/.ssh", "~")
    return is_key and not _KEEPS_PRIVATE.fullmatch(mode)


def _changes_modes_outside(effect: Effect, _: Seen) -> bool:
    return effect.how.endswith(" recursive") and (is_system(_shown(effect)) or _shown(effect) == "~")


def _changes_system_mode(effect: Effect, _: Seen) -> bool:
    is_own = re.match(r"/(?:etc|usr|bin|sbin|boot|lib|var/log)", _shown(effect)) is not None
    return is_own and not _PLAIN_MODE.fullmatch(effect.how.removesuffix(" recursive"))


def _locks_project(effect: Effect, _: Seen) -> bool:
    return re.fullmatch(r"[ugoa]*-[rwx]+ recursive", effect.how) is not None and is_everything(_shown(effect))


# ----------------------------------------------------------------------------------------------------------- the rows

_TARGET = ",recursive,empty,listed"
"""Ways of deleting what is named itself."""
REFUSALS: Mapping[Family, tuple[str, tuple[Refusal, ...]]] = {
    Family.HOOKS: (
        wording.PERSON,
        (
            refuse(Verb.WRITES, "changes or deletes {target}", holds=_is_own_state),
            refuse(Verb.DELETES, "changes or deletes {target}", holds=_is_own_state),
            refuse(Verb.WRITES, "changes or deletes {target}", instead=wording.FIX_REPORTED, holds=_decides_hooks),
            refuse(Verb.DELETES, "changes or deletes {target}", instead=wording.FIX_REPORTED, holds=_decides_hooks),
            refuse(Verb.GUARDS, kind="approval"),
            refuse(Verb.GUARDS, instead=wording.FIX_REPORTED, kind="hooks"),
        ),
    ),
    Family.DELETES: (
        wording.DELETE_NAMED,
        (
            refuse(Verb.DELETES, kind="files"),
            refuse(Verb.OVERWRITES, kind="files"),
            refuse(Verb.DELETES, "deletes everything in {target}", how=_TARGET, holds=_deletes_everything),
            refuse(
                Verb.DELETES, "deletes {target}, which is outside of the project", how=_TARGET, holds=_deletes_outside
            ),
            refuse(Verb.DELETES, "deletes {target}, the repository itself", how=_TARGET, holds=_deletes_repository),
            refuse(Verb.DELETES, "deletes {target} with everything in it", how="recursive", holds=_deletes_folder),
            refuse(Verb.DELETES, "deletes {target}", how=_TARGET, holds=_deletes_root_variable),
            refuse(
                Verb.DELETES,
                "deletes work that is not committed: {target}",
                instead=wording.COMMIT_FIRST,
                how=",recursive,listed,below",
                holds=_loses_work,
            ),
            refuse(
                Verb.DELETES,
                "deletes files below {target}, which is outside of the project",
                how="below,matching",
                holds=_is_below_outside,
            ),
            refuse(
                Verb.DELETES,
                "deletes the files below {target}",
                how="below",
                holds=lambda effect, seen: _deletes_everything(effect, seen) or _deletes_folder(effect, seen),
            ),
            refuse(Verb.DELETES, "moves {target} away", how="moved", holds=_moves_away),
            refuse(
                Verb.DELETES, "deletes files in {target} that its source does not have", how="mirrored", holds=_mirrors
            ),
            refuse(Verb.OVERWRITES, "empties {target}", how="empties", holds=_empties_source),
            refuse(Verb.OVERWRITES, "overwrites {target} so that it cannot be recovered", how="shred", holds=_is_kept),
            refuse(Verb.OVERWRITES, "overwrites {target}", how="nothing", holds=_is_kept),
            refuse(Verb.WRITES, "overwrites the database {target}", how="edits,adds", holds=_puts_text_in_database),
        ),
    ),
    Family.CODE: (
        wording.WRITE_OUT,
        (
            refuse(Verb.DELETES, kind="code"),
            refuse(Verb.DELETES, "deletes {target}", how="code", holds=_code_loses),
        ),
    ),
    Family.PROTECTED_FILES: (
        wording.LEAVE_FILE,
        (
            refuse(Verb.DELETES, "deletes {target}", holds=_is_irreplaceable),
            refuse(Verb.OVERWRITES, "deletes {target}", how="shred", holds=_is_irreplaceable),
            refuse(
                Verb.DELETES,
                "changes {target}",
                how="moved",
                holds=lambda effect, seen: _is_protected(effect, seen) or _is_system(effect, seen),
            ),
            refuse(Verb.WRITES, "changes {target}", holds=_is_protected),
            refuse(Verb.WRITES, "changes the system at {target}", holds=_is_system),
            refuse(
                Verb.WRITES,
                "changes {target}",
                holds=lambda effect, _: (
                    effect.how not in (">", ">>", "adds") and START_UP_FILE.match(_shown(effect)) is not None
                ),
            ),
        ),
    ),
    Family.SYSTEM: (
        wording.ASK_USER,
        (
            refuse(Verb.WRITES, "changes a switch of the kernel", holds=_is_switch_of_kernel),
            refuse(Verb.WRITES, "changes {target}, which this machine reads by itself", holds=_is_run_by_machine),
            refuse(Verb.WRITES, "changes {target}, which every shell runs", holds=_is_start_up),
            refuse(Verb.MACHINE, kind="system"),
        ),
    ),
    Family.DISKS: (
        wording.USE_IMAGE,
        (
            refuse(Verb.WRITES, "writes to the device {target}", holds=_is_device),
            refuse(Verb.OVERWRITES, "overwrites {target}", how="block,raw", holds=_is_block_outside),
            refuse(Verb.OVERWRITES, "overwrites {target}", how="raw"),
            refuse(Verb.MACHINE, kind="disk"),
        ),
    ),
    Family.GIT: (
        wording.COMMIT_WORK,
        (
            refuse(
                Verb.OVERWRITES,
                holds=_loses_changes,
                how="throws the changes in these files away,deletes tracked files with their changes",
            ),
            refuse(
                Verb.SHARED, instead=wording.KEEP_BRANCH, kind="history", how="deletes a branch that may not be merged"
            ),
            refuse(Verb.SHARED, instead=wording.AGREE_FIRST, kind="history", how="rewrites the repository's history"),
            refuse(Verb.SHARED, kind="history"),
            refuse(Verb.SHARED, instead=wording.PUSH_OWN, kind="remote"),
            refuse(Verb.SHARED, instead=wording.ASK_USER, kind="remote settings"),
            refuse(Verb.SHARED, instead=wording.LEAVE_OUT, kind="secret"),
            refuse(Verb.SHARED, instead=wording.ASK_USER, kind="server"),
        ),
    ),
    Family.CONTAINERS: (
        wording.NAME_ONE,
        (refuse(Verb.SHARED, kind="containers"),),
    ),
    Family.INFRASTRUCTURE: (
        wording.SHOW_PLAN,
        (refuse(Verb.SHARED, kind="cloud"),),
    ),
    Family.DATABASES: (
        wording.USE_COPY,
        (refuse(Verb.SHARED, kind="database"),),
    ),
    Family.PUBLISHING: (
        wording.TRY_FIRST,
        (refuse(Verb.PUBLISHES, kind="packages"),),
    ),
    Family.REMOTE_CODE: (
        wording.READ_FIRST,
        (refuse(Verb.RUNS, kind="code"),),
    ),
    Family.EXFILTRATION: (
        wording.SEND_NOTHING,
        (
            refuse(Verb.SENDS, kind="secrets"),
            refuse(Verb.SENDS, kind="connection"),
            refuse(Verb.READS, kind="credentials"),
            refuse(Verb.READS, "prints a private key or credentials", holds=_is_private),
        ),
    ),
    Family.PERMISSIONS: (
        wording.LEAST_MODE,
        (
            refuse(Verb.PERMITS, kind="files"),
            refuse(Verb.PERMITS, instead=wording.ASK_USER, kind="machine"),
            refuse(Verb.PERMITS, "lets others read a private key", holds=_opens_key),
            refuse(Verb.PERMITS, "changes permissions outside of the project", holds=_changes_modes_outside),
            refuse(Verb.PERMITS, "changes permissions of the system", holds=_changes_system_mode),
            refuse(Verb.PERMITS, "takes permissions away from the whole project", holds=_locks_project),
        ),
    ),
}
"""Of each family what to do instead, if its row does not say it, and its rows."""


def _by_verb() -> Mapping[tuple[Verb, str], tuple[tuple[Family, str, Refusal], ...]]:
    found: dict[tuple[Verb, str], list[tuple[Family, str, Refusal]]] = {}
    for family, (instead, rows) in REFUSALS.items():
        for row in rows:
            found.setdefault((row.verb, row.kind), []).append((family, row.instead or instead, row))
    return {key: tuple(own) for key, own in found.items()}


_ROWS = _by_verb()


def judge(call: ToolCall, where: Where) -> tuple[Finding, ...]:
    """Every reason to refuse a call; none if it is harmless. Never raises."""
    return judge_effects(effects_of(call, where), where)


def judge_effects(effects: Effects, where: Where) -> tuple[Finding, ...]:
    if not effects.is_readable:
        return (Finding(Family.SYSTEM, "is too long to be read", wording.IN_PARTS),)
    seen = Seen(effects, where)
    return tuple(dict.fromkeys(finding for effect in effects.effects for finding in _found(effect, seen)))


def _found(effect: Effect, seen: Seen) -> Iterator[Finding]:
    kind = effect.target.kind if isinstance(effect.target, Resource) else ""
    families: set[Family] = set()
    for family, instead, row in _ROWS.get((effect.verb, kind), ()):
        if family in families or (row.hows is not None and effect.how not in row.hows):
            continue
        if row.holds is None or row.holds(effect, seen):
            families.add(family)
            what = row.what.replace("{how}", effect.how).replace("{target}", _name_of(effect))
            yield Finding(family, what, instead, effect.by)


def _name_of(effect: Effect) -> str:
    if isinstance(effect.target, Place):
        return wording.place_name(effect.target.shown, effect.target.written)
    return effect.target.name if isinstance(effect.target, Resource) else effect.target.text
