"""Options, variables and texts that hold command lines: ``tar --to-command``, ``PAGER``, ``psql -c '\\!'``.

All of it is data: a program that is missing here needs one entry.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from anyhook.shell.command import Invocation, ShellWord, Started
from anyhook.shell.one_liners import lines_of_calls


class _Holder(Struct, frozen=True):
    """Where the arguments and the input of a program hold commands."""

    options: Collection[str] = ()
    """The value of one of these is a command line."""
    marked: Mapping[str, str] = {}
    """Options whose value is a command line after what this pattern matches, and else something different."""
    rest: tuple[str, ...] = ()
    """All words after one of these are a command."""
    operands: bool = False
    """An operand with white space in it is a command line."""
    bundles: bool = False
    """The first argument may be a bundle of options without a hyphen, whose values follow: ``tar cIf zstd x.tar``."""
    text: str = ""
    """Where a text in the program's own language has a command line; searched in arguments, input and files."""
    calls: bool = False
    """Such a text can also call ``system("...")`` and the like."""


_GIT_KEYS = (
    r"(?i:alias\.[^=]*=!|(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|"
    r"pager\.[^=]*|sequence\.editor|diff\.external|diff\..*?\.(?:command|textconv)|merge\..*?\.driver|"
    r"(?:difftool|mergetool|browser|man|guitool|trailer)\..*?\.(?:cmd|path|command)|gpg\.(?:.*?\.)?program|"
    r"filter\..*?\.(?:clean|smudge|process)|credential\.(?:.*?\.)?helper|interactive\.difffilter|tar\..*?\.command|"
    r"remote\..*?\.(?:uploadpack|receivepack|vcs)|uploadpack\.packobjectshook|submodule\..*?\.update|"
    r"sendemail\.(?:sendmailcmd|smtpserver|tocmd|cccmd|headercmd))=!?)"
)
"""Settings of git whose value is a command line, as ``key=``; of an alias only after ``!``."""
_GIT_OPTIONS = frozenset((
    "--exec", "-x", "--extcmd", "--upload-pack", "-u", "--receive-pack", "-O", "--open-files-in-pager",
    "--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--commit-filter", "--parent-filter",
    "--tag-name-filter", "--sendmail-cmd", "--to-cmd", "--cc-cmd",
))  # fmt: skip
_SSH_OPTION = r"(?i)(?:proxycommand|localcommand|knownhostscommand)(?:\s*=\s*|\s+)"
_SHORTEST = len("--abc")
"""A long option may be abbreviated, but not below this."""
_COMMAND = ("-c", "--command")
_TAR = _Holder(
    ("-I", "--use-compress-program", "--to-command", "-F", "--info-script", "--new-volume-script", "--rsh-command"),
    {"--checkpoint-action": r"exec="},
    bundles=True,
)
_EDITOR = _Holder(text=r"(?m)(?:^|[:|+\s%\d$.,;'])!\s*([^!\s].*)", calls=True)
_MYSQL = _Holder(text=r"(?im)\\!\s*(.+)|(?:^|;)[ \t]*(?:system|pager)\s+(.+)|\\P\s+(.+)")
_FETCHER = _Holder(("-e", "-c"), text=r"(?m)(?:^|;)[ \t]*!\s*(.+)")
_SED = _Holder(
    text=r"(?:^|[;\d/$}{])[ \t]*e[ \t]+(\S.*)|"
    r"s([^\w\s\\])(?:\\.|(?!\2).)*\2((?:\\.|(?!\2).)+)\2[gpImM\d]*e[gpImM\d]*(?=$|[\s;}])"
)
_TERMINAL = _Holder(rest=("-e", "-x", "--", "--command"))
HOLDERS: Mapping[str, _Holder] = {
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _TAR),
    "cpio": _Holder(("--rsh-command",)),
    "git": _Holder(
        _GIT_OPTIONS,
        {"-c": _GIT_KEYS, "--config": _GIT_KEYS},
    ),
    "hg": _Holder(("--ssh", "-e"), {"--config": r"(?:alias\.[^=]*=!|(?:hooks|merge-tools|ui|extdiff)\.[^=]*=)"}),
    "svn": _Holder(
        ("--diff-cmd", "--diff3-cmd", "--editor-cmd"), {"--config-option": r"[^=]*:(?:tunnels|helpers):[^=]*="}
    ),
    "ssh": _Holder(marked={"-o": _SSH_OPTION}),
    "autossh": _Holder(marked={"-o": _SSH_OPTION}),
    "scp": _Holder(("-S",), {"-o": _SSH_OPTION}),
    "sftp": _Holder(("-S",), {"-o": _SSH_OPTION}, text=r"(?m)^[ \t]*!\s*(.+)"),
    **dict.fromkeys(("ftp", "lftp"), _FETCHER),
    "rsync": _Holder(("-e", "--rsh", "--rsync-path")),
    "zip": _Holder(("-TT", "--unzip-command")),
    "man": _Holder(("-P", "--pager", "-H", "--html")),
    **dict.fromkeys(("less", "more", "most"), _Holder(text=r"^\+[^!]*!\s*(.+)")),
    "sort": _Holder(("--compress-program",)),
    "split": _Holder(("--filter",)),
    "csplit": _Holder(("--filter",)),
    "rg": _Holder(("--pre", "--hostname-bin")),
    "tcpdump": _Holder(("-z",)),
    "wget": _Holder(("--use-askpass",)),
    **dict.fromkeys(("nc", "ncat", "netcat"), _Holder(("-c", "--sh-exec", "-e", "--exec", "--lua-exec"))),
    "fzf": _Holder(("--preview", "--execute"), {"--bind": r".*?:(?:execute(?:-silent)?|reload|become|transform)[(:]"}),
    "apt-get": _Holder(
        marked={"-o": r"[\w:-]*-(?:Invoke|Pkgs|Success)(?:::)?=", "--option": r"[\w:-]*-Invoke(?:::)?="}
    ),
    "apt": _Holder(marked={"-o": r"[\w:-]*-(?:Invoke|Pkgs|Success)(?:::)?="}),
    "dpkg": _Holder(("--pre-invoke", "--post-invoke", "--status-logger")),
    # shells, terminals and multiplexers
    "su": _Holder(_COMMAND),
    "sg": _Holder(("-c",)),
    "runuser": _Holder(_COMMAND),
    "script": _Holder(_COMMAND),
    "flock": _Holder(_COMMAND),
    "expect": _Holder(text=r"(?:^|[;{\n\[])[ \t]*(?:spawn(?:\s+-\w+)*|exec|system)\s+([^;\n}\]]+)"),
    "nix-shell": _Holder(("--run", "--command")),
    "nix": _Holder(rest=_COMMAND),
    "crontab": _Holder(text=r"(?m)^[ \t]*(?:@\w+|[\d*/,-]+(?:[ \t]+[\w*/,-]+){4})[ \t]+(\S.*)"),
    "ansible": _Holder(("-a", "--args")),
    "salt": _Holder(rest=("cmd.run", "cmd.run_all", "cmd.shell")),
    "gcloud": _Holder(("--command",)),
    **dict.fromkeys(("fly", "flyctl"), _Holder(("-C", "--command"))),
    **dict.fromkeys(("xterm", "konsole", "alacritty", "gnome-terminal", "kitty", "urxvt", "st"), _TERMINAL),
    "tmux": _Holder(operands=True),
    "screen": _Holder(operands=True),
    "gdb": _Holder(
        rest=("--args", "-args"), text=r"(?m)^[ \t]*(?:(?:shell|make|pipe)\s+|!\s*|\|\s*)(\S.*)", calls=True
    ),
    "lldb": _Holder(rest=("--",), text=r"(?m)^[ \t]*(?:platform\s+)?shell\s+(\S.*)", calls=True),
    "bind": _Holder(marked={"-x": r"\s*\"[^\"]*\"\s*:?\s*"}),
    "fc": _Holder(("-e",)),
    **dict.fromkeys(("mapfile", "readarray", "compgen", "complete"), _Holder(("-C",))),
    # programs that run a command again and again, or when a file changes
    "entr": _Holder(("-s",)),
    **dict.fromkeys(("npx", "npm", "pnpm", "yarn"), _Holder(("-c", "--call"))),
    "hyperfine": _Holder(("-p", "--prepare", "-s", "--setup", "-c", "--cleanup", "--conclude"), operands=True),
    **dict.fromkeys(("concurrently", "npm-run-all", "run-p", "run-s", "chronic"), _Holder(operands=True)),
    "onchange": _Holder(rest=("--",)),
    "nodemon": _Holder(("-x", "--exec"), operands=True),
    "chokidar": _Holder(_COMMAND),
    "cargo": _Holder(("-s", "--shell")),
    "watchman-make": _Holder(("--run",)),
    "tsc-watch": _Holder(("--onSuccess", "--onFailure", "--onFirstSuccess", "--onEmit")),
    "just": _Holder(("--shell",)),
    # languages with a way out to the shell
    **dict.fromkeys(("vi", "vim", "nvim", "view", "gvim", "rvim", "ex", "ed", "red"), _EDITOR),
    "emacs": _Holder(
        text=r"\([\w-]*(?:shell-command[\w-]*|compile)\s+\"((?:[^\"\\]|\\.)*)\"|\((?:call|start)-process\s+([^()]+)"
    ),
    **dict.fromkeys(("sed", "gsed"), _SED),
    "dc": _Holder(text=r"(?m)^[ \t]*!\s*(.+)"),
    **dict.fromkeys(("mail", "mailx"), _Holder(text=r"(?m)^~[!|]\s*(.+)")),
    "make": _Holder(
        text=r"(?m)\$[({]shell\s+(.*)[)}]|^\t[@+-]*\s*(\S.*)|(?:^|\s)\.?SHELL\s*[:?]?=\s*(\S.*)|!=\s*(\S.*)|"
        r"^[^\s#=:][^\n#=:]*::?[^=\n;]*;\s*(\S.*)"
    ),
    "sqlite3": _Holder(
        text=r"(?m)^[ \t]*\.(?:(?:shell|system)\s+|(?:output|once|import|read|excel)\s+[\"']?\|\s*)(.+)"
    ),
    "psql": _Holder(
        text=r"(?im)\\!\s*(.+)|\\(?:o|g|gx|w|out|write)\s+\|\s*(.+)|\bprogram\s+E?'((?:[^']|'')+)'|"
        r"^[ \t]*\\\w[^`\n]*`([^`]+)`"
    ),
    **dict.fromkeys(("mysql", "mariadb"), _MYSQL),
}
_COMMAND_VARIABLES = (
    "PAGER", "MANPAGER", "GIT_PAGER", "SYSTEMD_PAGER", "BAT_PAGER", "AWS_PAGER", "PSQL_PAGER", "DELTA_PAGER",
    "GH_PAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "FCEDIT", "SUDO_EDITOR", "KUBE_EDITOR",
    "PSQL_EDITOR", "GH_EDITOR", "SVN_EDITOR", "HGEDITOR", "BROWSER", "GIT_SSH_COMMAND", "GIT_SSH",
    "GIT_PROXY_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS", "RSYNC_RSH",
    "RSYNC_CONNECT_PROG", "CVS_RSH", "SVN_SSH", "TAPE_RSH", "LESSOPEN", "LESSCLOSE", "FZF_DEFAULT_COMMAND",
    "FZF_CTRL_T_COMMAND", "PROMPT_COMMAND",
)  # fmt: skip
_VARIABLES: Mapping[str, str] = {
    **dict.fromkeys(_COMMAND_VARIABLES, ""),
    "TAR_OPTIONS": "tar ",
    "MAKEFLAGS": "make ",
    "GNUMAKEFLAGS": "make ",
    "LESS": "less ",
    "FZF_DEFAULT_OPTS": "fzf ",
}
"""Variables whose value is a command line, or the arguments of the program that is named."""
PROMPTS = frozenset({"PS0", "PS1", "PS2", "PS4"})
"""Variables in whose value the shell expands ``$(...)`` later."""
EVALUATORS: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys(("test", "["), re.compile(r"(?:^| )-(?:v|R|eq|ne|lt|le|gt|ge)(?: |$)")),
    "printf": re.compile(r"(?:^| )-v(?: |$)"),
    "compgen": re.compile(r"(?:^| )-W(?: |$)"),
    "complete": re.compile(r"(?:^| )-W(?: |$)"),
    **dict.fromkeys(
        ("read", "unset", "let", "declare", "typeset", "local", "export", "readonly", "mapfile", "readarray", "wait"),
        re.compile(r"\["),
    ),
}
"""Builtins that evaluate what is quoted, such as ``a[$(...)]``, if this pattern matches their arguments."""
DEFAULT_FILES: Mapping[str, tuple[str, ...]] = {"make": ("Makefile", "makefile", "GNUmakefile")}
"""Files that a program reads although its line does not name them."""


def held_by(command: Invocation) -> Iterator[Started]:
    """The commands in a program's options, and in texts of its own language."""
    holder = HOLDERS.get(command.name)
    if holder is None or not (command.arguments or command.input is not None or command.written_files):
        return
    arguments = command.arguments
    if holder.options or holder.marked:
        given = [pair for pair in zip(arguments, (*arguments[1:], ""), strict=False) if pair[0].startswith("-")]
        for value in _values(given, holder.options):
            yield Started(line=value)
        for option, mark in holder.marked.items():
            for value in _values(given, (option,)):
                if (match := re.match(mark, value)) is not None:
                    yield Started(line=value[match.end() :])
    if holder.rest:
        place = next((place for place, text in enumerate(arguments) if text in holder.rest), len(arguments))
        if place < len(arguments):
            yield _command(command.words[place + 2 :])
    is_bundle = holder.bundles and any(f"-{letter}" in holder.options for letter in "".join(arguments[:1]))
    if holder.operands or is_bundle:
        yield from (Started(line=text) for text in arguments if " " in text)
    if holder.text:
        read = command.input.text if command.input is not None else None
        for text in (*arguments, read or "", *command.written_files):
            yield from (Started(line=line) for line in _lines_in(text, holder))


def evaluates(name: str, arguments: Sequence[str]) -> bool:
    """Whether a builtin with these arguments evaluates what is in them, also when it is quoted."""
    pattern = EVALUATORS.get(name)
    return pattern is not None and pattern.search(" ".join(arguments)) is not None


def held_by_variable(name: str, value: str) -> Started | None:
    """The command in a variable, such as ``PAGER``."""
    program = _VARIABLES.get(name)
    if program is None or not value:
        return None
    return Started(line=program + value if program else value.lstrip("|-! "))  # LESSOPEN begins with a pipe


def held_by_setting(key: str, value: str) -> Started | None:
    """The command in a setting of git, such as ``core.pager``."""
    setting = f"{key}={value}"
    match = re.match(_GIT_KEYS, setting)
    return Started(line=setting[match.end() :]) if match is not None else None


def _command(words: Sequence[ShellWord]) -> Started:
    """A command of several words, or of one word that is a line."""
    return Started(line=words[0].text) if len(words) == 1 else Started(words=tuple(words))


def _values(given: Iterable[tuple[str, str]], options: Collection[str]) -> Iterator[str]:
    """What options are given, as ``-x value``, ``-xvalue``, ``-qx value``, ``--name value`` and ``--name=value``.

    ``given`` are the arguments with a hyphen, each with the argument that follows it.
    """
    if not options:
        return
    for argument, value in given:
        if argument in options:
            yield value
        elif argument.startswith("--"):
            name, equals, own = argument.partition("=")
            if name in options or (len(name) > _SHORTEST and any(option.startswith(name) for option in options)):
                yield own if equals else value
        else:
            if f"-{argument[-1]}" in options:
                yield value
            if argument[:2] in options:
                yield argument[2:]


def _lines_in(text: str, holder: _Holder) -> Iterator[str]:
    for match in re.finditer(holder.text, text):
        yield next((group for group in reversed(match.groups()) if group), "")
    if holder.calls:
        yield from lines_of_calls(text)
