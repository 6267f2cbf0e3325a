"""The conditions of rules without scripts, on one event."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from msgspec import structs

from anyhook.dialects.translation.tool_kinds import is_of_kind
from anyhook.guards.call import GuardCall, is_one_command
from anyhook.guards.patterns import is_found
from anyhook.guards.touched import all_texts, read_files, written_files, written_texts
from anyhook.paths import matches_any
from anyhook.shell.reader import read_script


def all_hold(call: GuardCall, when: Mapping[str, Any], *, for_all: bool = False) -> bool:
    """Whether every condition on this event holds.

    ``for_all``: for every command line and every file of the call, because no one is asked about the rest of it.
    """
    asked = structs.replace(call, settings={"when": when, "for_all": for_all})
    return all(holds(asked, words_of(when[key])) for key, holds in _CONDITIONS.items() if key in when)


def words_of(value: Any) -> tuple[str, ...]:
    """One text or several, as several."""
    return (value,) if isinstance(value, str) else tuple(value)


def _kind(call: GuardCall, kinds: tuple[str, ...]) -> bool:
    return is_of_kind(kinds, str(call.event.get("tool_name", "")), call.tool_input, call.dialect)


def _command(call: GuardCall, globs: tuple[str, ...]) -> bool:
    """Whether the line starts such a command, whatever it is wrapped in; of a line too long to be read, it may."""
    if call.settings["for_all"]:
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
    matched = (matches_any(path, globs, call.project) for path in files)
    return bool(files) and all(matched) if call.settings["for_all"] else any(matched)


def _content(call: GuardCall, patterns: tuple[str, ...]) -> bool:
    said = (call.event.get("prompt"), call.event.get("tool_response"), call.event.get("last_assistant_message"))
    texts = (*written_texts(call), *call.commands, *(text for value in said for text in all_texts(value)))
    return any(is_found(pattern, text) for pattern in patterns for text in texts)


def _branch(call: GuardCall, globs: tuple[str, ...]) -> bool:
    branch = current_branch(call.project)
    return branch is not None and any(fnmatchcase(branch, glob) for glob in globs)


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
    return any(_found(call.project, globs))


def _missing(call: GuardCall, globs: tuple[str, ...]) -> bool:
    return not any(_found(call.project, globs))


def _found(project: Path, globs: Iterable[str]) -> Iterator[Path]:
    for glob in globs:
        try:
            yield from project.glob(glob)
        except (OSError, ValueError, NotImplementedError):  # an absolute path, or one that cannot be read
            yield from (path for path in (Path(glob),) if path.exists())


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
