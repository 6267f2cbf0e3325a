"""Claude Code's ``if`` and Factory's ``commandRegex``: conditions on a tool's input. Pure.

``if`` holds one permission rule, ``Tool`` or ``Tool(what)``, but does not read it as permissions are read: "recorded"
below means that release 2.1.325 did so when it was given some 9,000 pairs of rules and calls. It is a filter that fails
open, so a call that cannot be judged runs the hook. Only shells and file tools have a "what": such rules as
``WebFetch(domain:example.com)`` and ``Agent(Explore)`` never hold (recorded), though they are good permissions.
"""

from __future__ import annotations

import posixpath
import re
import warnings
from functools import lru_cache

from msgspec import Struct

from anyhook.dialects.profile import MatchMode
from anyhook.engine.match import Pattern, compile_pattern
from anyhook.engine.shell_commands import read_command_line
from anyhook.model.hooks import Action, Rule
from anyhook.model.payload_base import Payload
from anyhook.shell.command import Invocation

SHELL_TOOLS = frozenset({"Bash", "PowerShell"})
FILE_TOOLS = frozenset({"Read", "Edit", "MultiEdit", "Write", "NotebookEdit", "Glob", "Grep", "LS"})
"""Tools whose rules look at a path. Each rule is for its own tool: ``Edit(...)`` says nothing of Write."""
_RENAMED = {"Task": "Agent"}
"""Former names of tools, which rules may still use."""


def holds(rule: Rule, action: Action, payload: Payload) -> bool:
    """Whether the conditions of a hook hold for a tool call. Never raises."""
    if rule.command_pattern is not None and not _command_matches(rule.command_pattern, payload):
        return False
    return action.condition is None or permission_rule_holds(action.condition, payload)


def permission_rule_holds(text: str, payload: Payload) -> bool:
    """Whether a tool call is one that ``Bash(git *)``, ``Edit(src/**)`` or ``mcp__memory__get`` is about."""
    if not text.strip():
        return True
    found = _RULE.fullmatch(text)
    tool = getattr(payload, "tool_name", None)
    if found is None or not isinstance(tool, str) or _current(found["tool"]) != _current(tool):
        return False
    what = _unescape_brackets(found["what"] or "")
    if what in ("", "*"):
        return True
    if tool in SHELL_TOOLS:
        command = payload.command
        return not isinstance(command, str) or _shell_rule_holds(what, command, tool)
    if tool in FILE_TOOLS:
        path, cwd = payload.file_path, payload.cwd
        return not isinstance(path, str) or _file_rule_holds(what, path, cwd if isinstance(cwd, str) else "")
    return False


_RULE = re.compile(r"(?P<tool>[^\s()*]+)(?:\((?P<what>.*)\))?", re.DOTALL)


def _current(tool: str) -> str:
    return _RENAMED.get(tool, tool)


def _unescape_brackets(text: str) -> str:
    return re.sub(r"\\([()])", r"\1", text)


# ----------------------------------------------------------------------------------------------------- shell commands


class CommandPattern(Struct, frozen=True):
    """``git push``, ``git *``, ``git:*``, ``* --help``: a whole command, ``*`` standing for any text."""

    parts: tuple[str, ...]
    """The text between the wildcards."""
    bare: str | None = None
    """The command without arguments, if it matches too: ``git *`` and ``git:*`` are also about a bare ``git``."""
    names_only: bool = False
    """It says nothing but how the name of the command begins."""

    def matches(self, text: str) -> bool:
        return text == self.bare or wildcard_matches(self.parts, text)

    def may_match(self, command: Invocation) -> bool:
        """The same for a command of which some arguments are not known."""
        if not self.names_only and not all(word.is_known for word in command.words):
            return True  # recorded: Bash(git push *) runs on `echo $(date)`, Bash(git *) does not
        return self.matches(command.text)


@lru_cache(maxsize=1024)
def command_pattern(what: str) -> CommandPattern:
    """The pattern of a rule's text."""
    text = " ".join(what.split())
    prefix = next((text.removesuffix(end) for end in (":*", " *", "*") if text.endswith(end)), None)
    names_only = prefix is not None and not re.search(r"[\s*]", prefix)
    if text.endswith(":*") and prefix is not None:
        return CommandPattern((f"{prefix} ", ""), prefix, names_only)
    parts = wildcard_parts(text)
    bare = parts[0][:-1] if len(parts) == 2 and text.endswith(" *") else None
    return CommandPattern(parts, bare, names_only)


def _shell_rule_holds(what: str, command: str, tool: str) -> bool:
    if tool == "PowerShell":
        return _powershell_rule_holds(what, command)
    line = read_command_line(command)
    if not line.is_complete:
        return True
    pattern = command_pattern(what)
    return any(pattern.may_match(part) for part in line.commands)


def _powershell_rule_holds(what: str, command: str) -> bool:
    """PowerShell is not parsed: the text is split at separators, and anything that can hide a command runs the hook."""
    if re.search(r"\$\(|[`{]|(?:^|[;|(=\s])[&.]\s", command):
        return True
    pattern = command_pattern(what.lower())
    return any(pattern.matches(" ".join(part.split()).lower()) for part in re.split(r"&&|[;|\n]+", command))


# --------------------------------------------------------------------------------------------------------------- files


def _file_rule_holds(what: str, path: str, cwd: str) -> bool:
    """As in a .gitignore of the folder that the rule starts from, or as wildcards on the whole path."""
    cwd = _posix(cwd)
    full = posixpath.normpath(posixpath.join(cwd, _posix(path)))
    # Recorded: Write(*/a.ts) and Write(/tmp/x) are also about files outside the working folder, Write(/tmp/*) is not.
    if what == full or (what[0] != "/" and wildcard_matches(wildcard_parts(what), full)):
        return True
    if what.startswith("//"):
        folder, pattern = "/", what[1:]
    elif what.startswith("~/"):
        folder, pattern = _posix(posixpath.expanduser("~")), what[1:]
    elif not cwd and full.startswith("/"):
        return True  # it is not known what the rule is relative to
    else:
        folder, pattern = cwd, what.removeprefix("./")
    above = posixpath.normpath(folder).removesuffix("/") + "/" if folder else ""
    compiled = ignore_pattern(pattern)
    return compiled is not None and full.startswith(above) and compiled.fullmatch(full[len(above) :]) is not None


def _posix(path: str) -> str:
    r"""``C:\Users\x`` as ``/c/Users/x``, which is how rules see it."""
    if found := re.match(r"([A-Za-z]):[\\/]", path):
        return f"/{found[1].lower()}/" + path[3:].replace("\\", "/")
    return path


@lru_cache(maxsize=1024)
def ignore_pattern(text: str) -> re.Pattern[str] | None:
    """A line of a .gitignore as a pattern for relative paths of files, in any case; None: it matches nothing.

    A file matches when it or a folder above it does. ``a`` is looked for in every folder, ``/a`` and ``a/b`` only in
    the first; ``*`` stays within a folder, ``**`` does not.
    """
    text = re.sub("/+", "/", text)
    is_folder = text.endswith("/")
    body = text.removesuffix("/")
    if not body.strip("/") or body[0] in "!#":
        return None
    anchored = "/" in body
    segments = body.removeprefix("/").split("/")
    pattern = "" if anchored else "(?:.*/)?"
    for place, segment in enumerate(segments):
        is_last = place == len(segments) - 1
        if segment == "**":
            pattern += ".+" if is_last else "(?:.*/)?"
        else:
            pattern += _segment(segment) + ("" if is_last else "/")
    try:
        return re.compile(pattern + ("/.*" if is_folder else "(?:/.*)?"), re.IGNORECASE | re.DOTALL)
    except re.error:
        return None


def _segment(text: str) -> str:
    """The part of a pattern between two slashes."""

    def translate(found: re.Match[str]) -> str:
        token = found[0]
        if token[0] == "\\":
            return re.escape(token[1:])
        if token[0] == "[" and len(token) > 1:
            members = re.sub(r"([\\\[&~|]|-(?=-))", r"\\\1", token[1:-1])
            return "[^" + members[1:] + "]" if members[0] in "!^" else f"[{members}]"
        return {"*": "[^/]*", "?": "[^/]"}.get(token[0]) or re.escape(token)

    return re.sub(r"\\.|\[[!^]?\]?[^\]]+\]|\*+|.", translate, text, flags=re.DOTALL)


# ----------------------------------------------------------------------------------------------------- wildcards, regex


def wildcard_parts(pattern: str) -> tuple[str, ...]:
    r"""The texts between the ``*`` of a pattern; ``\*`` and ``\\`` are the characters themselves."""
    parts = [""]
    for token in re.findall(r"\\[*\\]|.", pattern, re.DOTALL):
        if token == "*":
            parts.append("")
        else:
            parts[-1] += token[-1]
    return tuple(parts)


def wildcard_matches(parts: tuple[str, ...], text: str) -> bool:
    """Whether the parts follow each other in the text, from its start to its end. Takes linear time."""
    first, *middle = parts
    if not middle:
        return text == first
    last = middle.pop()
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    place, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, place, end)
        if found < 0:
            return False
        place = found + len(part)
    return True


def _command_matches(pattern: str, payload: Payload) -> bool:
    command = payload.command
    if not isinstance(command, str):
        return False
    compiled = _regex(pattern)
    try:
        return compiled is None or compiled.search(command) is not None
    except UnicodeEncodeError:  # half of a surrogate pair, which a client cut in two
        return True


@lru_cache(maxsize=1024)
def _regex(text: str) -> Pattern | None:
    """The pattern; None: it is invalid, and so not applied."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            return compile_pattern(text, MatchMode())[0]
        except ValueError:
            return None
