"""The conditions of rules without scripts, on one event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from anyhook.dialects.translation.tool_kinds import is_of_kind
from anyhook.guards.call import GuardCall, is_one_command
from anyhook.guards.patterns import is_found
from anyhook.guards.touched import all_texts, read_files, written_files, written_texts
from anyhook.lazy_pattern import LazyPattern
from anyhook.paths import alternatives, matches_any
from anyhook.shell.reader import read_script

_WILDCARD = LazyPattern(r"[*?[]")


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
        forms = [form for glob in globs for form in _forms(glob)]
        return bool(call.commands) and all(is_one_command(line, forms) for line in call.commands)
    scripts = [read_script(line) for line in call.commands]
    texts = [command.text for script in scripts for command in script.commands]
    return any(script.is_truncated for script in scripts) or any(
        _is_like(text, form) for glob in globs for form in _forms(glob) for text in texts
    )


def _forms(glob: str) -> tuple[str, ...]:
    """``git push *`` also matches ``git push`` alone."""
    plain = " ".join(glob.split())
    return (plain, plain[:-2]) if plain.endswith(" *") else (plain,)


def _is_like(text: str, glob: str) -> bool:
    """Whether a glob matches a text, found in linear time."""
    first, *others = glob.split("*")
    if not others or not text.startswith(first):
        return text == glob
    at = len(first)
    for part in others[:-1]:
        at = text.find(part, at) + len(part)
        if at < len(part):
            return False
    return text.endswith(others[-1]) and at + len(others[-1]) <= len(text)


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
    return any(is_found(pattern, text) for pattern in patterns for text in texts)


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
            if not (git / "HEAD").is_file():
                continue
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
    if not _WILDCARD.search(glob):
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
