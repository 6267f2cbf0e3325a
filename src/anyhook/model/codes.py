"""Every problem code there is: its name, how serious it is, and what it says in one line.

Letters group them: F file, S shape, E event, K key, M matcher, T timeout, C command, A answer, D duplicate,
X several clients. A code never changes its meaning; ``docs/rules/`` has a page for each.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable

from msgspec import Struct


class Severity(enum.StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Code(Struct, frozen=True):
    code: str
    name: str
    severity: Severity
    summary: str
    fixable: bool = False


GROUPS = {
    "F": "the file",
    "S": "its shape",
    "E": "events",
    "K": "keys",
    "M": "matchers",
    "T": "timeouts",
    "C": "commands",
    "A": "answers",
    "D": "duplicates",
    "X": "several clients",
}

_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE


def _table(codes: Iterable[Code]) -> dict[str, Code]:
    return {code.code: code for code in codes}


CODES: dict[str, Code] = _table(
    (
        Code("F001", "syntax-error", _ERROR, "the text cannot be parsed, so no hook in it exists"),
        Code(
            "F002",
            "not-strict-json",
            _ERROR,
            "comments or trailing commas in a file the client reads as strict JSON",
            True,
        ),
        Code("F003", "duplicate-key", _ERROR, "a key appears twice in one object; the first value is lost"),
        Code(
            "F004",
            "byte-order-mark",
            _ERROR,
            "the file starts with a byte order mark that the client does not accept",
            True,
        ),
        Code("F005", "unreadable-file", _ERROR, "the file exists but cannot be read"),
        Code(
            "F006", "file-too-large", _ERROR, "the file is larger than any hook file can sensibly be and was not read"
        ),
        Code("F007", "link-leaves-project", _WARNING, "the file is a symbolic link to a place outside the project"),
        Code("F008", "not-utf8", _ERROR, "the file is not UTF-8 text"),
        Code("F009", "broken-front-matter", _ERROR, "the front matter between the --- lines is not valid YAML"),
        Code("F010", "lost-function", _ERROR, "an @hook of which no hook can be made without running the file"),
        Code(
            "S001",
            "missing-hooks-wrapper",
            _ERROR,
            'events are at the top level; the client looks for them under "hooks"',
            True,
        ),
        Code("S002", "hooks-is-a-list", _ERROR, '"hooks" is a list; the client wants an object of events'),
        Code(
            "S003",
            "flat-entry",
            _ERROR,
            "a hook is directly in the event's list; the client wants {matcher, hooks: [...]}",
            True,
        ),
        Code("S004", "nested-group", _ERROR, "a {matcher, hooks: [...]} group where the client wants flat entries"),
        Code("S005", "missing-version", _WARNING, 'the file has no "version"', True),
        Code("S006", "wrong-version", _ERROR, '"version" is not one that the client accepts'),
        Code("S007", "empty-event", _NOTE, "an event with an empty list does nothing"),
        Code("S008", "wrong-type", _ERROR, "a value has a type that the client cannot use here"),
        Code("S009", "file-dropped", _ERROR, "one bad entry makes the client drop the whole file"),
        Code(
            "S010",
            "default-path-repeated",
            _WARNING,
            "the manifest names the default hook file, which is loaded anyway",
            True,
        ),
        Code(
            "S011", "bad-manifest-path", _ERROR, "the manifest's hook path has a form that the client does not accept"
        ),
        Code("S012", "manifest-path-missing", _ERROR, "the manifest names a hook file that does not exist"),
        Code("E001", "unknown-event", _ERROR, "no client has an event of this name"),
        Code("E002", "foreign-event", _ERROR, "an event of other clients; this one never fires it"),
        Code("E003", "not-an-event", _WARNING, "a setting where the client expects event names"),
        Code("E004", "mixed-event-case", _NOTE, "event names are spelled in several styles in one file"),
        Code("K001", "unknown-group-key", _NOTE, "a key of a matcher group that the client does not read"),
        Code("K002", "unknown-hook-key", _NOTE, "a key of a hook that the client does not read"),
        Code("K003", "unknown-file-key", _ERROR, "a top-level key that makes the client reject the file"),
        Code("K004", "missing-type", _ERROR, 'a hook without "type"', True),
        Code("K005", "unsupported-type", _ERROR, "a hook type that the client does not run"),
        Code("K006", "missing-value", _ERROR, "a hook without the value its type needs"),
        Code("K007", "bad-value", _ERROR, "a key has a value that the client does not accept"),
        Code("K008", "key-without-effect", _WARNING, "a key that the client accepts but does not act on here"),
        Code("M001", "invalid-pattern", _ERROR, "the matcher is not a valid pattern, so it never matches"),
        Code("M002", "permission-rule-as-matcher", _ERROR, "permission-rule syntax such as Bash(git *) in a matcher"),
        Code("M003", "path-as-matcher", _ERROR, "a file path or glob in a matcher that is compared with tool names"),
        Code("M004", "matcher-ignored", _WARNING, "the client ignores matchers here, so the hook runs every time"),
        Code("M005", "matcher-not-needed", _NOTE, "an empty or catch-all matcher where the client ignores matchers"),
        Code(
            "M006",
            "tool-never-seen",
            _ERROR,
            "the matcher names only tools that this client does not have, so it never matches",
        ),
        Code("M007", "dead-alternative", _NOTE, "one of the matcher's names is not a tool of this client"),
        Code("M008", "removed-tool", _WARNING, "the matcher names a tool that the client no longer has"),
        Code(
            "M009", "value-never-sent", _ERROR, "the matcher asks for a value that the client never sends on this event"
        ),
        Code("M010", "slow-pattern", _WARNING, "the pattern can take exponential time in the client's own matcher"),
        Code(
            "T001",
            "milliseconds-as-seconds",
            _WARNING,
            "a timeout that looks like milliseconds where the client counts seconds",
            True,
        ),
        Code(
            "T002",
            "seconds-as-milliseconds",
            _ERROR,
            "a timeout that looks like seconds where the client counts milliseconds",
            True,
        ),
        Code("T003", "unread-timeout-key", _WARNING, "a timeout under a name that the client does not read", True),
        Code("T004", "timeout-out-of-range", _WARNING, "a timeout beyond what the client allows"),
        Code(
            "C001",
            "unquoted-root",
            _WARNING,
            "a path variable without quotes: a folder name with a space breaks the command",
            True,
        ),
        Code("C002", "script-missing", _ERROR, "the script that the command names does not exist"),
        Code("C003", "script-not-executable", _ERROR, "the script is started directly but is not executable"),
        Code("C004", "script-without-shebang", _WARNING, "the script is started directly but has no #! line"),
        Code(
            "C005",
            "cwd-dependent-path",
            _WARNING,
            "a relative path, where the client runs hooks in whatever folder the session is in",
        ),
        Code("C006", "personal-path", _WARNING, "the home folder of one machine in a file that others use"),
        Code("C007", "variable-not-set", _WARNING, "a variable that the client never sets for hooks"),
        Code("C008", "unfilled-placeholder", _WARNING, "a template placeholder that nothing fills in"),
        Code("C009", "command-is-a-comment", _ERROR, "the whole command is a shell comment"),
        Code("C010", "backslash-path", _WARNING, "a Windows path in a command that a POSIX shell runs"),
        Code("C011", "no-windows-command", _NOTE, "a bash command without its Windows twin"),
        Code(
            "C012",
            "path-from-wrong-folder",
            _WARNING,
            "the path exists beside the file, but the client starts from another folder",
        ),
        Code(
            "A001", "always-succeeds", _NOTE, "the command always exits with 0, so it cannot block by its exit status"
        ),
        Code(
            "A002",
            "exit-one-does-not-block",
            _ERROR,
            "the hook means to block but exits with 1, which lets the action go ahead",
        ),
        Code("A003", "async-decision", _WARNING, "a background hook on an event whose point is to decide"),
        Code("A004", "unread-answer", _ERROR, "the command prints JSON with keys that no client reads"),
        Code("A005", "silent-block", _ERROR, "exit 2 without a message on stderr does not block in this client"),
        Code(
            "A006",
            "answer-not-honoured",
            _ERROR,
            "an answer that this client discards, though another client honours it",
        ),
        Code("A007", "inline-decision", _NOTE, "the decision is JSON printed by the command line itself"),
        Code("D001", "duplicate-hook", _WARNING, "the same hook appears twice under one event and matcher"),
        Code("X001", "read-differently", _WARNING, "several clients read this file and do different things with it"),
        Code("X002", "runs-twice", _WARNING, "one client reaches the same command through two files and runs it twice"),
    )
)
