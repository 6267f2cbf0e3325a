"""The conditions of rules without scripts, on one event.

Some are about the event (what the tool is, which branch is checked out). The others are about one part of a call: a
command of the line with its effects, or the tool itself. All of these must hold of the same part.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

from anyhook.dialects.translation.tool_kinds import is_of_kind
from anyhook.dialects.translation.tools import split_mcp_name
from anyhook.dialects.vocabulary import DOUBLE_UNDERSCORE
from anyhook.guards.asked import asked_effects, runs_here, tool_call_of
from anyhook.guards.call import GuardCall
from anyhook.guards.command_patterns import PLAIN_WRAPPERS, matches_broadly, matches_narrowly
from anyhook.guards.effects.model import Effect, Effects, Place, Url, Verb, Zone, words
from anyhook.guards.effects.names import is_secret_file
from anyhook.guards.effects.programs.services import CLIENTS
from anyhook.guards.effects.tools import all_texts, given_texts, written_texts
from anyhook.guards.effects.where import Where
from anyhook.guards.patterns import is_found
from anyhook.guards.places import is_matched, split_negated
from anyhook.lazy_pattern import LazyPattern
from anyhook.paths import alternatives
from anyhook.shell.command import Invocation
from anyhook.shell.reader import read_script

_WILDCARD = LazyPattern(r"[*?[]")
_HARMLESS = words(
    "cd pwd true false : echo head tail wc cat ls grep egrep fgrep cut tr nl basename dirname sleep test ["
)
"""Programs that no option makes write, start something or change the shell; what they read is judged besides."""
_DATABASES = words(CLIENTS)
_QUERIES = words("sql query queries statement statements cypher pipeline aggregate mutation")
_HEADER_BYTES = 65_536
"""How much of a file on the disk a condition sees."""


class Part(Struct, frozen=True):
    """A command of the line and its effects; or, without a command, what the tool itself does."""

    command: Invocation | None
    effects: tuple[Effect, ...]


class Asked(Struct, frozen=True):
    """A table of conditions on one part of a call."""

    call: GuardCall
    when: Mapping[str, Any]
    part: Part
    where: Where
    permits: bool
    """Whether a part that meets them is let through: then all of it must match, else any of it."""

    def words(self, key: str) -> tuple[str, ...]:
        return words_of(self.when[key])


OfEvent: TypeAlias = Callable[[GuardCall, tuple[str, ...]], bool]
OfPart: TypeAlias = Callable[[Asked], bool]


def all_hold(call: GuardCall) -> bool:
    """Whether every condition on this event holds of the rule in the settings of a call, and ``unless`` does not."""
    when, unless = call.settings.get("when", {}), call.settings.get("unless")
    if not _of_event_hold(call, when):
        return False
    if unless is not None and not _of_event_hold(call, unless):
        unless = None
    if unless is not None and not _has_parts(unless):
        return False
    if not _has_parts(when) and unless is None:
        return True
    effects, where = asked_effects(call)
    meets = partial(_meets, call, where)
    return _is_allowed(call, effects, meets, unless) if _allows(call) else _is_caught(call, effects, meets, unless)


def _meets(call: GuardCall, where: Where, when: Mapping[str, Any], part: Part, *, permits: bool) -> bool:
    asked = Asked(call, when, part, where, permits)
    return all(holds(asked) for key, holds in _OF_PART.items() if key in when)


def _is_caught(call: GuardCall, effects: Effects, meets: Callable[..., bool], unless: Mapping[str, Any] | None) -> bool:
    """Whether some part meets the conditions and is not let through. What cannot be read may be such a part."""
    if not effects.is_readable:
        return True
    when = call.settings.get("when", {})
    return any(
        meets(when, part, permits=False) and (unless is None or not meets(unless, part, permits=True))
        for part in _parts(effects)
        if _has_parts(when) or not _is_plain_wrapper(part, effects)
    )


def _is_allowed(
    call: GuardCall, effects: Effects, meets: Callable[..., bool], unless: Mapping[str, Any] | None
) -> bool:
    """Whether some part meets the conditions, and every other one is harmless."""
    if not all(read_script(line).is_complete for line in effects.lines) or not effects.is_readable:
        return False
    when, parts = call.settings.get("when", {}), _parts(effects)
    if unless is not None and any(meets(unless, part, permits=False) for part in parts):
        return False
    met = [part for part in parts if meets(when, part, permits=True)]
    return bool(met) and all(part in met or _is_harmless(part, effects) for part in parts)


def _parts(effects: Effects) -> tuple[Part, ...]:
    found: dict[int | None, list[Effect]] = {}
    for effect in effects.effects:
        found.setdefault(effect.by, []).append(effect)
    commands = [Part(command, tuple(found.get(by, ()))) for by, command in enumerate(effects.commands)]
    itself = Part(None, tuple(found.get(None, ())))
    return (*commands, itself) if itself.effects or not commands else tuple(commands)


def _is_plain_wrapper(part: Part, effects: Effects) -> bool:
    """Whether a part only starts another one (``timeout 60 npm test``)."""
    if part.command is None or part.effects:
        return False
    name = part.command.name
    return name in PLAIN_WRAPPERS and any(name in command.wrapped_by for command in effects.commands)


def _is_harmless(part: Part, effects: Effects) -> bool:
    command = part.command
    if command is None or command.assignments or not all(word.is_known for word in command.words):
        return False
    if any(each.writes and each.target.text != "/dev/null" for each in command.redirects):
        return False
    if command.name not in _HARMLESS or command.wrapped_by:
        return _is_plain_wrapper(part, effects)
    if any("/" in word.text for word in command.words[:1]):
        return False
    return all(map(_is_harmless_effect, part.effects))


def _is_harmless_effect(effect: Effect) -> bool:
    target = effect.target
    if not isinstance(target, Place):
        return False
    if effect.verb is not Verb.READS:
        return target.path == "/dev/null"
    is_ours = target.zone in (Zone.PROJECT, Zone.ROOT, Zone.TEMPORARY)
    return is_ours and not is_secret_file(target.shown)


def words_of(value: Any) -> tuple[str, ...]:
    """One text or several, as several."""
    return (value,) if isinstance(value, str) else tuple(value)


def _allows(call: GuardCall) -> bool:
    return call.settings.get("then") == "allow"


# ------------------------------------------------------------------------------------------------------- of the event


def _of_event_hold(call: GuardCall, when: Mapping[str, Any]) -> bool:
    return all(holds(call, words_of(when[key])) for key, holds in _OF_EVENT.items() if key in when)


def _any_is_like(texts: Iterable[str], globs: Sequence[str]) -> bool:
    """Whether one of the texts is meant by globs, of which ``!`` takes out others."""
    given = tuple(texts)
    wanted, unwanted = split_negated(globs)

    def is_like(globs: Sequence[str]) -> bool:
        return any(fnmatchcase(text, each) for text in given for glob in globs for each in alternatives(glob))

    return (is_like(wanted) if wanted else True) and not is_like(unwanted)


def _kind(call: GuardCall, kinds: tuple[str, ...]) -> bool:
    return is_of_kind(kinds, str(call.event.get("tool_name", "")), call.tool_input, call.dialect)


def _server_and_tool(call: GuardCall) -> tuple[str, str]:
    """The MCP server and the tool as it calls it; without a server, the tool's own name."""
    name, server = str(call.event.get("tool_name", "")), call.event.get("mcp_server_name")
    found = split_mcp_name(name, call.dialect)
    if found is None and name.startswith(DOUBLE_UNDERSCORE.prefix):
        first, sign, rest = name.removeprefix(DOUBLE_UNDERSCORE.prefix).partition(DOUBLE_UNDERSCORE.separator)
        found = (first, rest) if sign else None
    of_name, tool = found or ("", name)
    return of_name or (server if isinstance(server, str) else ""), tool


def _tool(call: GuardCall, globs: tuple[str, ...]) -> bool:
    server, tool = _server_and_tool(call)
    name = str(call.event.get("tool_name", ""))
    return bool(name) and _any_is_like((name, tool, *((f"mcp__{server}__{tool}",) if server else ())), globs)


def _server(call: GuardCall, globs: tuple[str, ...]) -> bool:
    server, _ = _server_and_tool(call)
    return bool(server) and _any_is_like((server,), globs)


def _content(call: GuardCall, patterns: tuple[str, ...]) -> bool:
    said = (call.event.get("prompt"), call.event.get("tool_response"), call.event.get("last_assistant_message"))
    written = written_texts(tool_call_of(call))
    texts = (*written, *call.commands, *(text for value in said for text in all_texts(value)))
    return any(is_found(pattern, text) for pattern in patterns for text in texts)


def _branch(call: GuardCall, globs: tuple[str, ...]) -> bool:
    """Where no branch is checked out, none of ``!`` is; a rule that allows does not go by that."""
    branch = current_branch(call.project)
    if branch is None:
        return not _allows(call) and not split_negated(globs)[0]
    return _any_is_like((branch,), globs)


def current_branch(project: Path) -> str | None:
    """The branch that is checked out; None: there is none."""
    for folder in (project, *project.parents):
        git = folder / ".git"
        try:
            if git.is_file():  # a worktree or a submodule
                git = folder / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
            if not (git / "HEAD").is_file():
                continue
            head = (git / "HEAD").read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            continue
        return head.removeprefix("ref: refs/heads/") if head.startswith("ref:") else None
    return None


def _exists(call: GuardCall, globs: tuple[str, ...]) -> bool:
    return any(_is_on_disk(call, each) for glob in globs for each in alternatives(glob))


def _missing(call: GuardCall, globs: tuple[str, ...]) -> bool:
    return not _exists(call, globs)


def _is_on_disk(call: GuardCall, glob: str) -> bool:
    glob = call.home + glob[1:] if glob == "~" or glob.startswith("~/") else glob
    if not _WILDCARD.search(glob):
        return (call.project / glob).exists()
    root = Path(glob).anchor
    return any(True for _ in Path(root or call.project).glob(glob.removeprefix(root)))


_OF_EVENT: Mapping[str, OfEvent] = {
    "kind": _kind,
    "tool": _tool,
    "server": _server,
    "branch": _branch,
    "exists": _exists,
    "missing": _missing,
    "content": _content,
}
"""What a rule may ask of an event; the cheap ones first."""


# -------------------------------------------------------------------------------------------------- of a part of a call


def _command(asked: Asked) -> bool:
    """Whether the part is such a command, whatever it is wrapped in; to be let through, in the project."""
    command = asked.part.command
    if command is None or not command.words or (asked.permits and not runs_here(command, asked.where)):
        return False
    wanted, unwanted = split_negated(asked.words("command"))
    restricts, permits = (matches_narrowly, matches_broadly) if asked.permits else (matches_broadly, matches_narrowly)
    return (not wanted or restricts(command, wanted)) and not permits(command, unwanted)


_CHANGES = (Verb.WRITES, Verb.OVERWRITES)
_VERBS: Mapping[str, tuple[Verb, ...]] = {
    "reads": (Verb.READS,),
    "writes": _CHANGES,
    "deletes": (Verb.DELETES,),
    "path": (Verb.READS, Verb.DELETES, *_CHANGES),
}
_TAKES_BELOW = (Verb.DELETES, Verb.OVERWRITES)
"""What happens to a folder then happens to all that is in it."""


def _verbs(asked: Asked, key: str) -> tuple[Verb, ...]:
    """The effects that a condition is about; ``path`` is also about what ``kind`` says."""
    kinds = words_of(asked.when.get("kind", ())) if key == "path" else ()
    if kinds == ("read",):
        return _VERBS["reads"]
    return (Verb.DELETES, *_CHANGES) if kinds == ("edit",) else _VERBS[key]


def _places(asked: Asked, key: str) -> tuple[tuple[Effect, Place], ...]:
    verbs = _verbs(asked, key)
    return tuple(
        (effect, effect.target)
        for effect in asked.part.effects
        if isinstance(effect.target, Place)
        and effect.verb in verbs
        and effect.how != "makes"
        and (key == "path" or effect.how != "asks")
    )


def _is_meant(asked: Asked, key: str, effect: Effect, place: Place) -> bool:
    below = effect.verb in _TAKES_BELOW and not asked.permits
    path, root = place.path or place.shown, Path(asked.where.project)
    return is_matched(path, asked.words(key), root, asked.where.home, may_contain=below)


def _files(asked: Asked, key: str) -> bool:
    """Whether a file of the part is meant; for what is let through every one must be."""
    results = [_is_meant(asked, key, *each) for each in _places(asked, key)]
    if not asked.permits:
        return any(results)
    return bool(results) and all(results) and (not _allows(asked.call) or _is_about_these_only(asked))


def _is_about_these_only(asked: Asked) -> bool:
    """Whether every file of a part is one that a condition on files is about.

    What a command does with its files is only known for programs that are known: a rule that allows one must name it.
    """
    if asked.part.command is not None and "command" not in asked.when:
        return False
    verbs = {verb for key in _VERBS if key in asked.when for verb in _verbs(asked, key)}
    return all(effect.verb in verbs for effect in asked.part.effects if isinstance(effect.target, Place))


def _urls(asked: Asked) -> bool:
    urls = [effect.target for effect in asked.part.effects if isinstance(effect.target, Url)]
    results = [_any_is_like(_forms_of(url), tuple(map(_url_glob, asked.words("url")))) for url in urls]
    return bool(results) and (all(results) if asked.permits else any(results))


def _forms_of(url: Url) -> tuple[str, ...]:
    """The address with and without its scheme and its path; never with a user's name, behind which another may hide."""
    scheme, sign, rest = url.text.partition("://")
    _, slash, path = (rest if sign else url.text).partition("/")
    whole = f"{url.host}{slash}{path}"
    return (url.host, whole, f"{scheme.lower()}://{whole}") if sign else (url.host, whole)


def _url_glob(glob: str) -> str:
    """Hosts and schemes have no upper case."""
    scheme, sign, rest = glob.partition("://")
    host, slash, path = (rest if sign else glob).partition("/")
    return (f"{scheme.lower()}://" if sign else "") + f"{host.lower()}{slash}{path}"


def _query(asked: Asked) -> bool:
    return any(is_found(pattern, text) for pattern in asked.words("query") for text in _queries(asked))


def _queries(asked: Asked) -> tuple[str, ...]:
    """What a database is asked: the inputs of a tool, or what a command gives to a database's client."""
    command = asked.part.command
    if command is None:
        return given_texts(asked.call.tool_input, _QUERIES)
    if command.name not in _DATABASES:
        return ()
    text = command.input.text if command.input is not None else None
    return (*command.arguments, *command.written_files, *((text,) if text else ()))


def _on_disk(asked: Asked) -> bool:
    """Whether the files of the part have such a text now; those that the conditions on files mean, if there are any."""
    keys = [key for key in _VERBS if key in asked.when] or ["writes", "deletes"]
    files = {
        place.path
        for key in keys
        for effect, place in _places(asked, key)
        if place.path and (key not in asked.when or _is_meant(asked, key, effect, place))
    }
    results = [any(is_found(pattern, _start_of(path)) for pattern in asked.words("on_disk")) for path in files]
    return bool(results) and (all(results) if asked.permits else any(results))


def _start_of(path: str) -> str:
    """The beginning of a regular file; nothing of a pipe or a device, which could keep the rule waiting."""
    try:
        if not Path(path).is_file():
            return ""
        with open(path, "rb", opener=_open_without_waiting) as file:
            return file.read(_HEADER_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


_OF_PART: Mapping[str, OfPart] = {
    "command": _command,
    **{key: partial(_files, key=key) for key in _VERBS},
    "url": _urls,
    "query": _query,
    "on_disk": _on_disk,
}
"""What a rule may ask of one part of a call; those that read the disk last."""


def _has_parts(when: Mapping[str, Any]) -> bool:
    return not _OF_PART.keys().isdisjoint(when)
