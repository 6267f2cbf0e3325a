"""A010: hooks that take the place of ``git worktree``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anyhook.lint.checked_file import Hook, Shell
from anyhook.lint.rules.scripts import script_files, scripts_of
from anyhook.model.hooks import Command
from anyhook.model.problems import Problem
from anyhook.shell.programs import POSIX_SHELLS
from anyhook.shell.written import read_text

_makes_folder = re.compile(
    r"worktree\W+(?:add|create)|workspace\W+add|\b(?:mkdir|mktemp|makedirs|mkdirs|copytree|cpSync|clone|rsync)\b"
    r"|\bcp\s+-|\bcheckout\b|worktreePath",
    re.IGNORECASE,
).search
_HARMLESS = frozenset({"echo", "printf", "cat", "jq", "true", ":", "exit", "tee", "date", "logger", "notify-send"})


def check_worktree(hook: Hook) -> Iterator[Problem]:
    """A010: a hook on the event that is seen to make no folder: all that it starts can be read."""
    action, known = hook.action, hook.profile
    if hook.rule.event != "WorktreeCreate" or not isinstance(action, Command) or not known.runs_hooks:
        return
    text = f"{known.title} makes no worktree itself when a hook is on {hook.rule.native_event}"
    fix = "make the worktree and print its path, or remove the hook"
    if action.is_async:
        why = "and takes none from a background hook, so every worktree fails"
        yield hook.file.problem("A010", hook.at("async"), f"{text}, {why}", 'remove "async"')
        return
    texts = [hook.file.disk.text(path) for _, path in script_files(hook)]
    lines = hook.commands()
    is_read = all(line.shell is Shell.POSIX and len(scripts_of(line)) + _harmless(line.text) > 0 for line in lines)
    found = sum(len(scripts_of(line)) for line in lines)
    if not lines or not is_read or len(texts) < found or None in texts:
        return
    if not any(_makes_folder(part or "") for part in (*texts, *(line.text for line in lines))):
        yield hook.file.problem(
            "A010", lines[0].pointer, f"{text}, and this one makes none, so every worktree fails", fix
        )


def _harmless(text: str) -> bool:
    """Whether a command line only starts programs that make no folder."""
    return read_text(text).programs() <= _HARMLESS | POSIX_SHELLS
