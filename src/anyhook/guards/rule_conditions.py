"""The conditions of rules without scripts, on one event."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

from anyhook.dialects.translation.tool_kinds import is_of_kind
from anyhook.guards.call import ONE_COMMAND, GuardCall
from anyhook.guards.touched import all_texts, read_files, written_files, written_texts
from anyhook.paths import alternatives, matches_any
from anyhook.shell.reader import read_script

_has_wildcard = re.compile(r"[*?[]").search


def all_hold(call: GuardCall) -> bool:
    """Whether every condition on this event holds of the rule in the settings of a call."""
    when = call.settings.get("when", {})
    return all(holds(call, words_of(when[key])) for key, holds in _CONDITIONS.items() if key in when)


def words_of(value: Any) -> tuple[str, ...]:
    """One text or several, as several."""
    return (value,) if isinstance(value, str) else tuple(value)


def _kind(call: GuardCall, kinds: tuple[str, ...]) -> bool:
    return is_of_kind(kinds, str(call.event.get("tool_name", "")), call.tool_input, call.dialect)


def _allows(call: GuardCall) -> bool:
    """Whether the rule allows: then all of a call must match, else one part would hide another from the user."""
    return call.settings.get("then") == "allow"


def _command(call: GuardCall, globs: tuple[str, ...]) -> bool:
    """Whether the line starts such a command, whatever it is wrapped in; of a line too long to be read, it may."""
    if _allows(call):
        patterns = [_wildcards(glob, ONE_COMMAND) for glob in globs]
        lines = [line.strip() for line in call.commands]
        return bool(lines) and all(any(pattern.fullmatch(line) for pattern in patterns) for line in lines)
    scripts = [read_script(line) for line in call.commands]
    texts = [command.text for script in scripts for command in script.commands]
    return any(script.is_truncated for script in scripts) or any(
        _wildcards(glob).fullmatch(text) for glob in globs for text in texts
    )


@lru_cache(maxsize=256)
def _wildcards(glob: str, star: str = ".*") -> re.Pattern[str]:
    """``git push *`` also matches ``git push`` alone."""
    words = " ".join(glob.split())
    start = words.removesuffix(" *")
    rest = rf"(?:\ {star})?" if start != words else ""
    return re.compile(star.join(re.escape(part) for part in start.split("*")) + rest, re.DOTALL)


def _path(call: GuardCall, globs: tuple[str, ...]) -> bool:
    kinds = words_of(call.settings.get("when", {}).get("kind", ()))
    files = (*(written_files(call) if kinds != ("read",) else ()), *(read_files(call) if kinds != ("edit",) else ()))
    found = [matches_any(path, globs, call.project) for path in files]
    if _allows(call):
        # The arguments of a command line do not tell what it does: the rule must name the command, too.
        return bool(found) and all(found) and (not call.commands or "command" in call.settings["when"])
    return any(found)


def _content(call: GuardCall, patterns: tuple[str, ...]) -> bool:
    said = (call.event.get("prompt"), call.event.get("tool_response"), call.event.get("last_assistant_message"))
    texts = (*written_texts(call), *call.commands, *(text for value in said for text in all_texts(value)))
    return any(_search(pattern)(text) for pattern in patterns for text in texts)


@lru_cache(maxsize=256)
def _search(pattern: str) -> Callable[[str], object]:
    """Linear time where the pattern allows it."""
    import re2

    try:
        search: Callable[[str], object] = re2.compile(pattern).search
    except re2.error:  # look-around and back references
        return re.compile(pattern).search
    return search


def _branch(call: GuardCall, globs: tuple[str, ...]) -> bool:
    branch = current_branch(call.project)
    return branch is not None and any(fnmatchcase(branch, each) for glob in globs for each in alternatives(glob))


def current_branch(project: Path) -> str | None:
    """The branch that is checked out; None: there is none."""
    for folder in (project, *project.parents):
        git = folder / ".git"
        try:
            if git.is_file():  # a worktree or a submodule
                git = folder / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
            head = (git / "HEAD").read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            continue
        return head.removeprefix("ref: refs/heads/") if head.startswith("ref:") else None
    return None


def _exists(call: GuardCall, globs: tuple[str, ...]) -> bool:
    return any(_is_on_disk(call.project, each) for glob in globs for each in alternatives(glob))


def _missing(call: GuardCall, globs: tuple[str, ...]) -> bool:
    return not _exists(call, globs)


def _is_on_disk(project: Path, glob: str) -> bool:
    if not _has_wildcard(glob):
        return (project / glob).exists()
    root = Path(glob).anchor
    return any(True for _ in Path(root or project).glob(glob.removeprefix(root)))


_CONDITIONS: Mapping[str, Callable[[GuardCall, tuple[str, ...]], bool]] = {
    "kind": _kind,
    "branch": _branch,
    "exists": _exists,
    "missing": _missing,
    "path": _path,
    "command": _command,
    "content": _content,
}
"""What a rule may ask of an event; the cheap ones first."""
