"""Every problem code with its name, severity and one-line summary.

The first letter is the group. A code never changes its meaning; ``docs/rules/`` has a page for each.
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
    is_minor: bool = False
    """Its notes are shown by ``check --all`` only."""

    @property
    def is_per_file(self) -> bool:
        """Whether people make this mistake in all hooks of a file, so that it is told once for the file."""
        return self.code in _PER_FILE


_PER_FILE = frozenset({"C001", "C005", "C006", "C012", "M011", "S007"})


class Group(Struct, frozen=True):
    """The rules whose codes begin with one letter."""

    about: str
    command: str = "check"
    """The command that reports them."""


GROUPS = {
    "F": Group("the file"),
    "S": Group("its structure"),
    "E": Group("events"),
    "K": Group("keys"),
    "M": Group("matchers"),
    "T": Group("timeouts"),
    "C": Group("commands"),
    "A": Group("replies of hooks"),
    "D": Group("duplicates"),
    "X": Group("several clients"),
    "H": Group("this machine", "doctor"),
    "L": Group("losses: what hooks no longer do in another client", "deploy"),
}

_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE


def _table(codes: Iterable[Code]) -> dict[str, Code]:
    return {code.code: code for code in codes}


CODES: dict[str, Code] = _table(
    (
        Code("F001", "syntax-error", _ERROR, "the file cannot be parsed, so none of its hooks is loaded"),
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
        Code("F006", "file-too-large", _ERROR, "the file is too large for a hook file and was not read"),
        Code("F007", "link-leaves-project", _WARNING, "the file is a symbolic link that leads outside the project"),
        Code("F008", "not-utf8", _ERROR, "the file is not UTF-8 text"),
        Code("F009", "broken-front-matter", _ERROR, "the front matter between the --- lines is not valid YAML"),
        Code("F010", "lost-function", _ERROR, "an @hook decorator that cannot be read without running the file"),
        Code("F011", "never-read", _WARNING, "a hook file where its client never looks"),
        Code("F012", "lost-guard", _ERROR, "a guard or rule that cannot be used as it is written"),
        Code(
            "F013",
            "unknown-format",
            _WARNING,
            "a file in the place of a hook file, in a form that anyhook does not know",
        ),
        Code(
            "S001",
            "missing-hooks-wrapper",
            _ERROR,
            'the events are at the top level; the client expects them under "hooks"',
            True,
        ),
        Code("S002", "hooks-is-a-list", _ERROR, '"hooks" is a list; the client expects an object with events as keys'),
        Code(
            "S003",
            "flat-entry",
            _ERROR,
            "a hook is directly in the event's list; the client expects {matcher, hooks: [...]}",
            True,
        ),
        Code("S004", "nested-group", _ERROR, "a {matcher, hooks: [...]} group where the client expects flat entries"),
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
        Code(
            "S013",
            "wrong-setting",
            _ERROR,
            "another setting has a value with which the client drops the file or does not start",
        ),
        Code("E001", "unknown-event", _ERROR, "no client has an event of this name"),
        Code("E002", "foreign-event", _ERROR, "an event of other clients that this client never fires"),
        Code("E003", "not-an-event", _WARNING, "a setting where the client expects event names"),
        Code("E004", "mixed-event-case", _NOTE, "event names are spelled in several styles in one file"),
        Code(
            "K001", "unknown-group-key", _NOTE, "a key of a matcher group that the client does not read", is_minor=True
        ),
        Code("K002", "unknown-hook-key", _NOTE, "a key of a hook that the client does not read", is_minor=True),
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
        Code(
            "M005",
            "matcher-not-needed",
            _NOTE,
            "an empty or catch-all matcher where the client ignores matchers",
            is_minor=True,
        ),
        Code(
            "M006",
            "tool-never-seen",
            _ERROR,
            "the matcher names only tools that this client does not have, so it never matches",
        ),
        Code("M007", "dead-alternative", _NOTE, "one of the matcher's names is not a tool of this client"),
        Code("M008", "removed-tool", _WARNING, "the matcher names a tool that the client no longer has", is_minor=True),
        Code("M009", "value-never-sent", _ERROR, "the matcher names a value that the client never sends on this event"),
        Code("M010", "slow-pattern", _WARNING, "the pattern can take exponential time in the client's own matcher"),
        Code(
            "M011",
            "not-a-tool-name",
            _ERROR,
            "the matcher is an event, an expression or only the start of an MCP tool's name, so it never matches",
        ),
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
            "an unquoted path variable: a folder name with a space breaks the command",
            True,
        ),
        Code("C002", "script-missing", _ERROR, "the script that the command names does not exist"),
        Code("C003", "script-not-executable", _ERROR, "the script is started directly but is not executable"),
        Code("C004", "script-without-shebang", _WARNING, "the script is started directly but has no #! line"),
        Code(
            "C005",
            "cwd-dependent-path",
            _WARNING,
            "a relative path in a client that runs hooks in the session's current folder",
        ),
        Code("C006", "personal-path", _WARNING, "a path in one user's home folder, in a file that others use"),
        Code("C007", "variable-not-set", _WARNING, "a variable that the client never sets for hooks"),
        Code("C008", "unfilled-placeholder", _WARNING, "a template placeholder that was not filled in"),
        Code("C009", "command-is-a-comment", _ERROR, "the whole command is a shell comment"),
        Code("C010", "backslash-path", _WARNING, "a Windows path in a command that a POSIX shell runs"),
        Code("C011", "no-windows-command", _NOTE, "a bash command without one for Windows"),
        Code(
            "C012",
            "path-from-wrong-folder",
            _WARNING,
            "the path exists relative to the file, but the client runs hooks in another folder",
        ),
        Code("C013", "not-valid-shell", _ERROR, "a command or script that no shell can parse"),
        Code("C014", "bash-only-syntax", _WARNING, "syntax of bash in a command or script that sh runs"),
        Code("C015", "windows-only-command", _WARNING, "a program of Windows as the only command of a shared hook"),
        Code("C016", "secret", _WARNING, "a key, token or webhook address in a hook file or in its script"),
        Code("C017", "unquoted-payload", _WARNING, "an unquoted variable that holds a part of the event"),
        Code("C018", "windows-line-ends", _ERROR, "a script with the line ends of Windows, which cannot run"),
        Code("C019", "payload-as-code", _WARNING, "a part of the event that a shell or another program runs as code"),
        Code(
            "A001", "always-succeeds", _NOTE, "the command always exits with 0, so it cannot block by its exit status"
        ),
        Code(
            "A002",
            "exit-one-does-not-block",
            _ERROR,
            "the hook is written to block but exits with 1, which allows the action",
        ),
        Code("A003", "async-decision", _WARNING, "a background hook on an event that waits for a decision"),
        Code("A004", "unread-reply", _ERROR, "the command prints JSON with keys that no client reads"),
        Code("A005", "silent-block", _ERROR, "exit 2 without a message on stderr does not block in this client"),
        Code(
            "A006",
            "reply-not-honoured",
            _ERROR,
            "a reply that this client discards, though another client honours it",
        ),
        Code("A007", "inline-decision", _NOTE, "the decision is JSON printed by the command line itself"),
        Code("A008", "text-not-read", _WARNING, "the hook only prints text, and the client reads none on this event"),
        Code("A009", "endless-stop", _NOTE, "a hook that keeps the agent going and never looks at stop_hook_active"),
        Code("A010", "no-worktree", _WARNING, "a hook that takes the place of git worktree and makes no worktree"),
        Code("D001", "duplicate-hook", _WARNING, "the same hook appears twice under one event and matcher"),
        Code(
            "X001",
            "read-differently",
            _NOTE,
            "several clients read this file and do different things with it",
            is_minor=True,
        ),
        Code("X002", "runs-twice", _WARNING, "one client reaches the same command through two files and runs it twice"),
        Code("X003", "needs-newer-release", _WARNING, "a hook needs a newer release of its client than the one in use"),
        Code("H001", "missing-program", _ERROR, "a program that a hook or its script starts is not on the PATH"),
        Code(
            "H002",
            "anyhook-not-found",
            _ERROR,
            "entries are deployed, but anyhook or its client program is not on the PATH",
        ),
        Code("H003", "not-trusted", _ERROR, "hooks are deployed, but they are not trusted or have changed since"),
        Code("H004", "login-shell", _ERROR, "a client runs hooks in the user's shell, which is not a POSIX shell"),
        Code("H005", "not-deployed", _WARNING, "the project has a package of hooks that no client runs"),
        Code("H006", "out-of-date", _WARNING, "deploying again would change the entries"),
        Code(
            "H007",
            "unrecognised-reader",
            _WARNING,
            "a client reads the entries of another one, which cannot tell the two apart",
        ),
        Code(
            "H008",
            "never-fired",
            _WARNING,
            "entries were deployed more than a day ago, and no event has arrived from the client",
        ),
        Code("H009", "hook-failed", _WARNING, "a hook failed or timed out when it last ran"),
        Code("H010", "slow-hooks", _WARNING, "the hooks of one tool call take more than two seconds together"),
        Code("H011", "hook-disabled", _WARNING, "a setting keeps a hook from running"),
        Code("H012", "hook-shadowed", _WARNING, "another hook or file keeps a hook from running"),
        Code("H013", "shared-file", _WARNING, "two clients in use read one file of hooks, each by its own rules"),
        Code("H014", "ignored-settings", _WARNING, "the environment names settings that do not count"),
        Code("H015", "journal-unreachable", _WARNING, "the database of the journal cannot be reached"),
        Code("H016", "dead-daemon", _WARNING, "a daemon left its socket behind and does not answer"),
        Code("H017", "stale-daemon", _WARNING, "the daemon has another release than the installed one"),
        Code("H018", "few-files", _WARNING, "a process may open so few files that hooks may not start"),
        Code("H019", "few-processes", _WARNING, "so few more processes may be started that hooks may not start"),
        Code(
            "H020",
            "ignored-children",
            _NOTE,
            "the program that started anyhook ignores SIGCHLD, so exit statuses can get lost",
        ),
        Code("H021", "newer-client", _NOTE, "the installed client is newer than the release that was measured"),
        Code("H022", "older-client", _NOTE, "the installed client is older than every release that was measured"),
        Code("L001", "hook-left-out", _ERROR, "the other client cannot have this hook"),
        Code("L002", "cannot-block", _ERROR, "the hook can no longer block, or not by all the means that it had"),
        Code("L003", "may-never-run", _ERROR, "the other client never calls the hook, or perhaps not"),
        Code("L004", "may-not-work", _ERROR, "the command, request or tool call of the hook is not what it was"),
        Code("L005", "reply-differs", _WARNING, "the other client does something else with what the hook replies"),
        Code("L006", "payload-differs", _WARNING, "the hook gets its input under other names"),
        Code("L007", "runs-less-often", _WARNING, "the hook no longer runs in some cases"),
        Code("L008", "runs-more-often", _WARNING, "the hook also runs in cases in which it did not"),
        Code("L009", "setting-lost", _WARNING, "the other client has no such setting, or only some of its values"),
        Code("L010", "written-differently", _NOTE, "the hook is written in another way and does the same"),
    )
)
