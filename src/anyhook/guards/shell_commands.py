"""The guard ``shell``: destructive commands, each family of them with a level of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from anyhook.guards.call import GuardCall, Objection, reply_to
from anyhook.guards.hook_files import is_below, own_folders
from anyhook.guards.shell.families.approval import APPROVES, PERSON, is_approving_text
from anyhook.guards.shell.finding import Family
from anyhook.guards.shell.judge import judge_command_line
from anyhook.guards.touched import all_texts, written_files
from anyhook.lazy_pattern import LazyPattern
from anyhook.model.output import Reply

_TYPES = LazyPattern(r"(?:^|[_.-])(?:types?|keys?|keyboard|press|paste)(?:[_.-]|$)|(?:type|send)_?text$|^computer")
"""Names of tools that type a text into whatever window there is."""


def judge(call: GuardCall) -> Reply | None:
    return reply_to(call, "shell", _objections(call))


def _objections(call: GuardCall) -> Iterator[Objection]:
    levels = call.settings.get("families", {})
    folder = call.event.cwd if isinstance(call.event.cwd, str) else str(call.project)
    for line in call.commands:
        for found in judge_command_line(line):
            yield Objection(
                f"This command {found.what}",
                found.instead,
                found.family,
                levels.get(found.family, ""),
                (folder,),
                line,
            )
    if _TYPES.search(str(call.event.get("tool_name", "")).rpartition("__")[2].lower()) and not call.commands:
        for text in filter(is_approving_text, all_texts(call.tool_input)):
            yield Objection(f"This {APPROVES}", PERSON, Family.HOOKS, levels.get(Family.HOOKS, ""), (folder,), text)
    own = own_folders(call.environment)
    for path in written_files(call) if own and any(_names(line, own) for line in call.commands) else ():
        if is_below(path, own):
            yield Objection(
                f"This command changes {path}", PERSON, Family.HOOKS, levels.get(Family.HOOKS, ""), (folder,)
            )


def _names(line: str, folders: Iterable[str]) -> bool:
    """Whether a line may name one of these folders: most lines need not be read for it."""
    return any(folder.rpartition("/")[2] in line for folder in folders)
