"""Approval is for people: command lines that run ``anyhook trust``, texts that would, and writes to anyhook's state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from anyhook.guards.hook_files import is_own_state
from anyhook.guards.shell.families.databases import has_destructive_statement
from anyhook.guards.shell.finding import Family, Finding
from anyhook.guards.shell.options import operands
from anyhook.guards.shell.places import place
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation
from anyhook.shell.one_liners import code_of
from anyhook.shell.outputs import known_output
from anyhook.shell.programs import AWKS, is_interpreter
from anyhook.shell.reader import read_script

APPROVES = "approves hooks or guards, or takes an approval back"
PERSON = "A person must do this, in a terminal of their own: say what you need and why, and leave it to the user."

_SHOWING = frozenset({"--list", "--diff", "--help", "-h"})
"""Options with which ``anyhook trust`` only shows something."""
_GRANTING = LazyPattern(r"-[a-z]*y[a-z]*|--(?:yes|sign|signer|revoke)(?:=.*)?", re.DOTALL)
_REHEARSING = frozenset({"--dry-run", "--check"})
_STOPPING = LazyPattern(
    r"(?:undeploy|remove|rm|disable|uninstall|daemon\s+(?:stop|kill|restart)|record\s+off|"
    r"clean|deploy\s+.*--fail[= ]open|off)\b"
)
"""Commands that switch guards off, as words after ``anyhook``."""
_NOT_TOLD = LazyPattern(r"[$`*?\[]")
_PROGRAM = r"(?<![\w.-])anyhook(?:-client)?(?:\.exe|\.cmd)?(?:(?:@|==)[\w.]+)?(?:/__main__\.py)?(?![\w/.-])"
_GLUE = r"""(?:[\s,"'`\[\](){}:@\\]|--?\w[\w-]*(?=[\s=,"'])|--(?=\s)|\bargs\b|\bSpace\b)+"""
"""What stands between the words of a command, in a list of words or in keys that are sent to a terminal, too."""
_SPOKEN = LazyPattern(rf"{_PROGRAM}{_GLUE}(?P<verb>trust|deploy)\b(?P<rest>[^\n;|&]*)", re.IGNORECASE)
_STARTS = LazyPattern(
    r"(?:^(?:[\d*/,-]+\s+){5}(?:\w+\s+)?|^|[^\w\s.,/]|(?<![\w-])-\w+|"
    r"\b(?:exec|spawn|[Ss]tart(?:-Process)?|then|do|sudo|env|nohup|uvx|run|yes)(?=\s))\s*"
    r"(?:[\w~.$-]*[/\\][\w~.$/\\-]+[/\\]|[\w~.$-]+[/\\])?$"
)
"""What goes before the name of a program where it is started (``sudo``, a line of cron), rather than spoken about."""
_LONGEST_START = 200
_SAID = LazyPattern(
    r"^\s*(?:\#\s|//|--\s|<!--|rem\s)|"
    r"\b(?:echo|print\w*|puts|say|warn\w*|log\w*|console|raise|throw|die|assert\w*|\w*error|message|msg|"
    r"description|help|hint|reason|title|text|instead)\b[^|>]*$",
    re.IGNORECASE,
)
"""What goes before a command that a program or a setting only tells somebody about."""
_PROSE = LazyPattern(
    r"\.(?:md|mdx|markdown|rst|adoc|txt|text|html?|tex|org|po|svg|csv|log|diff|patch)$|"
    r"(?:^|/)(?:README|CHANGELOG|CHANGES|NEWS|NOTES|TODO|CONTRIBUTING|COMMIT_EDITMSG|MERGE_MSG)$|"
    r"(?:^|/)\.(?:github/workflows|gitlab-ci|circleci|buildkite)\b|^/dev/(?:null|stdout|stderr|tty|fd/\d+)$",
    re.IGNORECASE,
)
"""Files that nothing on this machine runs: documents, and the settings of a build server, which has no person."""
_READERS = frozenset(
    (
        "anyhook", "ls", "ll", "exa", "eza", "tree", "cat", "bat", "batcat", "head", "tail", "less", "more",
        "most", "stat", "file", "wc", "du", "df", "find", "gfind", "fd", "fdfind", "grep", "egrep", "fgrep",
        "rg", "ag", "ack", "jq", "diff", "cmp", "md5sum", "sha256sum", "shasum", "cksum", "xxd", "od",
        "hexdump", "strings", "cd", "pushd", "test", "[", "echo", "printf", "realpath", "readlink",
        "basename", "dirname", "lsof", "fuser", "getfacl", "sort", "uniq", "cut", "sed", "gsed", "awk",
        "gawk", "perl", "ruby", "yq", "cp", "gcp", "rsync", "tar", "gtar", "zip", "gzip", "dd", "mv", "gmv",
        "ssh-keygen", "export", "declare", "local", "unset", "pwd", "git", "type", "dir",
        "get-content", "get-childitem", "gc", "gci", "test-path", "journalctl", "watch", "column", "nl",
        "tac",
    )
)  # fmt: skip
"""Programs that read what they name, or whose written files :mod:`files` tells. Others may write what they name."""
_SPEAKERS = frozenset(
    (
        "echo", "printf", "grep", "egrep", "fgrep", "rg", "ag", "ack", "git", "gh", "glab", "hub", "jj",
        "hg", "svn", "cat", "less", "more", "head", "tail", "man", "ls", "diff", "sed", "gsed", "jq", "yq",
        "curl", "wget", "http", "find", "gfind", "fd", "fdfind", "test", "[", "[[", "true", ":", "mail",
        "mailx", "sendmail", "wall", "notify-send", "say", "cd", "mkdir", "cp", "mv", "rm", "touch", "read",
        "type", "which", "whereis", "command", "pgrep", "tr", "cut", "sort", "column", "fold", "wc",
        "pbcopy", "xclip", "xsel", "wl-copy", "apropos", "whatis", "tldr", "pytest",
    )
)  # fmt: skip
"""Programs to which a command is a text: what they start all the same (``git -c alias.x=!...``) is a command itself."""
_TEXT_OPTION = LazyPattern(r"-m|--(?:message|body|title|description|notes?|subject|comment|grep)", re.IGNORECASE)
_APPROVING_CODE = (
    (
        LazyPattern(r"\banyhook\.(?:\w+\.){0,4}trust(?:ed_project)?\b|\banyhook(?:\.project)? import trust"),
        LazyPattern(r"\b(?:(?:trust|approve|grant|sign|revoke)\w*|\w+_signer|write_private|getattr)\("),
    ),
    (
        LazyPattern(r"\banyhook\.sources\.state\b|\buser_(?:state|config)_\w+\(\s*[\"']anyhook\b"),
        LazyPattern(r"\b(?:write_(?:private|text|bytes)|copy\w*|unlink|rename|open)\("),
    ),
    (
        LazyPattern(r"\banyhook\.cli\b|\bbin/anyhook\b|\brunpy\b|\brun_(?:module|path)\b|\banyhook\.__main__"),
        LazyPattern(r"(?<![\w.])(?:trust|deploy)(?:_command)?(?![\w.(])|\b(?:trust|deploy)_command\b"),
    ),
)
"""Code that has both of a pair uses anyhook's own modules to approve hooks, or writes its state."""
_ACTS = LazyPattern(
    r"\b(?:write\w*|dump|\w*put_contents|copy\w*|puts)\b|[\"'][wax]\+?[\"']|>\s*[\"']|"
    r"(?i:subprocess|popen|system|spawn|exec|process|pty|pexpect|expect|\bsh\b|\bcommand|script|qx|^\s*!|`)"
)
"""Code that starts programs or writes files."""
_OWN_PROGRAM = LazyPattern(r"(?:.*/)?bin/anyhook(?:-client)?(?:\.exe)?$|.*(?:site|dist)-packages/anyhook$")
_COPIERS = frozenset({"ln", "cp", "gcp", "mv", "install", "link", "cat", "dd", "rsync"})
_APPENDS = LazyPattern(r"^[\d$,]*[aic]\\?\s+|^s([/|#,]).*?\1")
"""What goes before a line that ``sed`` adds or puts in the place of another."""
_BESIDE_STATE = LazyPattern(r"(?:\.local/state|XDG_STATE_HOME\}?)/$")
_SQL_WRITES = LazyPattern(
    r"\b(?:insert|update|replace|create|alter|attach|vacuum|reindex|pragma\s+\w+\s*=)\b|"
    r"^\s*\.(?:restore|import|save|backup|clone|read|open|output|once|archive|load)",
    re.IGNORECASE,
)


def refuse(what: str) -> Finding:
    return Finding(Family.HOOKS, what, PERSON)


def judge(command: Invocation, written: Sequence[str]) -> Finding | None:
    """Any command: an approval in its words, a text with one that it writes, a file of anyhook that it may write."""
    told = command.text
    if written and (path := _written_approval(command, told, written)):
        return refuse(f"writes a command into {path} that {APPROVES}")
    if command.name == "crontab" and any(map(is_approving_text, _piped_texts(command))):
        return refuse(APPROVES)
    is_told = command.name in _SPEAKERS and command.arguments[:2] != ("alias", "set")
    if "anyhook" in told.lower() and not is_told and _speaks(command):
        return refuse(APPROVES)
    if any(_BESIDE_STATE.search(path) for path in written) and _unpacks(command):
        return refuse("may change where anyhook keeps what was approved")
    reads = command.name in _READERS and not (command.name == "git" and "clone" in command.arguments)
    return None if reads else _judge_state(command)


def judge_program(command: Invocation) -> Finding | None:
    """``anyhook`` itself."""
    is_open = command.has_more_arguments or command.wrapped_by[-1:] == ("make",)  # SHELL=anyhook .SHELLFLAGS='trust -y'
    return _judge_words(command.arguments, is_open=is_open)


def judge_module(command: Invocation) -> Finding | None:
    """``python -m anyhook``, its script given to an interpreter, and one-liners that use its modules."""
    arguments = command.arguments
    for number, word in enumerate(arguments):
        follows_m = number and re.fullmatch(r"-\w*m|--module", arguments[number - 1])
        if (word == "anyhook" and follows_m) or re.fullmatch(r"-\w*manyhook|.*\banyhook/__main__\.py", word):
            return _judge_words(arguments[number + 1 :], is_open=command.has_more_arguments)
        if re.search(r"(?:^|/)bin/anyhook$", word):
            return _judge_words(arguments[number + 1 :], is_open=command.has_more_arguments)
    code = code_of(command)
    acts = "anyhook" in code and _ACTS.search(code) is not None and is_approving_text(code)
    return refuse(APPROVES) if acts or _is_approving_code(code, command.text) else None


def _is_approving_code(code: str, words: str = "") -> bool:
    """Code that uses anyhook's own modules to approve hooks or to write its state."""
    if "anyhook" not in code:
        return False
    whole = f"{code}\n{words}"
    return any(uses.search(code) and acts.search(whole) for uses, acts in _APPROVING_CODE)


def judge_copy(command: Invocation) -> Finding | None:
    """``ln -s $(which anyhook) x``: under another name, nobody would know it."""
    sources = operands(command)
    sources = sources[:-1] if command.name != "cat" else sources if command.redirects else []
    sources += [text[3:] for text in command.arguments if text.startswith("if=")]
    is_folder = any(_BESIDE_STATE.search(f"{place(command, source)}/") for source in sources)
    if command.name in ("ln", "mv", "gmv") and is_folder:
        return refuse("gives the folder of anyhook's state another name")
    return refuse("gives anyhook another name") if any(map(_OWN_PROGRAM.match, sources)) else None


def judge_database(command: Invocation) -> Finding | None:
    """``sqlite3`` on a database of anyhook: only queries."""
    told = [*command.arguments, *_input_texts(command)]
    names = [place(command, word) for text in told for word in text.split() if len(word) < _LONGEST_START]
    if "-readonly" in told or not any(map(is_own_state, names)):
        return None
    texts = [*operands(command, ("-cmd", "-init", "-separator"))[1:], *_input_texts(command)]
    return None if texts and not changes_database(texts) else refuse("may change anyhook's own records")


def changes_database(statements: Iterable[str]) -> bool:
    return any(_SQL_WRITES.search(text) or has_destructive_statement(text) for text in statements)


def judge_signature(command: Invocation) -> Finding | None:
    """``ssh-keygen -Y sign -n anyhook``: the signature of ``anyhook trust --sign``."""
    arguments = command.arguments
    is_ours = re.search(r"(?:^| )-n ?(?:anyhook\b|\S*[$`])", " ".join(arguments))
    return refuse(APPROVES) if "sign" in arguments and is_ours else None


def is_approving_text(text: str) -> bool:
    """Whether a text, in whatever language, has ``anyhook trust`` where a program would run it."""
    return "anyhook" in text.lower() and any(_approves(match) for match in _SPOKEN.finditer(text))


def is_approving_script(text: str) -> bool:
    """Whether a file with this text would approve hooks when it is run."""
    if "anyhook" not in text.lower():
        return False
    if is_approving_text(text) or _is_approving_code(text):
        return True
    may_approve = "trust" in text or "ssh-keygen" in text
    return may_approve and any(map(_is_approval, read_script(text).commands))


def _is_approval(command: Invocation) -> bool:
    judges = JUDGES.get(command.name, ()) if command.name not in _COPIERS else ()
    judges = (judge_module,) if is_interpreter(command.name) else judges
    return any(found is not None and found.what == APPROVES for found in [judge(command) for judge in judges])


def is_run(path: str) -> bool:
    """Whether a file may be run or read by a program: it is no document, and no setting of a build server."""
    return _PROSE.search(path) is None


def _judge_words(words: Sequence[str], *, is_open: bool) -> Finding | None:
    """What follows ``anyhook``; open: more words follow that are not in the line."""
    start = next((number for number, word in enumerate(words) if not word.startswith("-")), len(words))
    verb, rest = "".join(words[start : start + 1]), list(words[start + 1 :])
    options = rest[: rest.index("--")] if "--" in rest else rest
    if _SHOWING & {"--help", "-h"} & {*words[:start]} or "--version" in words[:start]:
        return None
    if _NOT_TOLD.search(verb) or (is_open and verb in ("", "trust", "deploy")):
        return refuse("runs anyhook with words that cannot be told beforehand")
    if verb == "trust":
        grants = _SHOWING.isdisjoint(options) or any(map(_GRANTING.fullmatch, options))
        return refuse(APPROVES) if grants else None
    if not {*options}.isdisjoint(_REHEARSING):
        return None
    if verb == "deploy" and any(word in ("--yes", "-y") for word in options):
        return refuse(APPROVES)
    text = " ".join([verb, *rest])
    return Finding(Family.HOOKS, "disables guards", PERSON) if _STOPPING.match(text) else None


def _approves(match: re.Match[str]) -> bool:
    """Whether ``anyhook trust`` in a text stands where it is run, and does not only show something."""
    line = match.string.rfind("\n", 0, match.start()) + 1
    before = match.string[max(line, match.start() - _LONGEST_START) : match.start()]
    if _STARTS.search(before) is None or (_SAID.search(before) and not re.search(r"[|>]", match["rest"])):
        return False
    words = [word.rstrip("/") for word in re.split(r"[\s,\"'`()\[\]{}\\]+", match["rest"]) if word]
    return _judge_words([match["verb"].lower(), *words], is_open=False) is not None


def _speaks(command: Invocation) -> bool:
    """Whether words of a command are an approval: one word that is a line, or words one after the other."""
    words = [word.text for word in command.words]
    is_code = is_interpreter(command.name) or command.name in AWKS  # judge_module reads it
    if not is_code and any(" " in text and is_approving_text(text) for text in _told_words(command)):
        return True
    place_of = next((number for number, text in enumerate(words) if number and _names_program(text)), None)
    return place_of is not None and is_approving_text(" ".join(["anyhook", *words[place_of + 1 :]]))


def _told_words(command: Invocation) -> list[str]:
    """The words of a command without those that an option marks as a message."""
    words = [word.text for word in command.words]
    return [text for number, text in enumerate(words) if not (number and _TEXT_OPTION.fullmatch(words[number - 1]))]


def _names_program(word: str) -> bool:
    return re.search(rf"(?:^|[/\\#=]){_PROGRAM}$", word) is not None


def _written_approval(command: Invocation, told: str, written: Sequence[str]) -> str:
    """The file that gets a text with an approval; empty: none does."""
    texts = [told, *_input_texts(command)]
    if not any("anyhook" in text for text in texts):
        return ""
    path = next((path for path in written if is_run(path) and not ("anyhook" in path and " " in path)), "")
    if not path:
        return ""
    if command.arguments[:1] == ("apply",) or command.name in ("patch", "apply_patch", "applypatch"):
        texts = [added_lines(text) for text in texts]
    printed = known_output(command, command.input.text if command.input is not None else None)
    texts = [printed] if printed is not None else [*command.arguments, *texts[1:]]
    return path if any(is_approving_script(_APPENDS.sub("", text)) for text in texts) else ""


def added_lines(patch: str) -> str:
    return "\n".join(line[1:] for line in patch.splitlines() if line.startswith("+"))


def _input_texts(command: Invocation) -> list[str]:
    return [command.input.text] if command.input is not None and command.input.text else []


def _unpacks(command: Invocation) -> bool:
    """``unzip``; ``tar`` with ``-x``."""
    options = [text for number, text in enumerate(command.arguments) if not number or text.startswith("-")]
    return command.name != "tar" or any(
        re.fullmatch(r"-?[a-zA-Z]*x[a-zA-Z]*|--extract|--get", text) for text in options
    )


def _piped_texts(command: Invocation) -> list[str]:
    """What a command reads, as far as the programs that print it tell."""
    sources = command.input.sources if command.input is not None else ()
    return _input_texts(command) + [text for source in sources if (text := known_output(source, None))]


def _judge_state(command: Invocation) -> Finding | None:
    """A program that is not known to only read gets a path of anyhook's own."""
    if command.name in ("sqlite3", "sqlite"):
        return judge_database(command)
    for path in _named_paths(_told_words(command)):
        if is_own_state(place(command, path)):
            return refuse(f"may change {path}, where anyhook keeps what was approved")
    return None


def _named_paths(words: Iterable[str]) -> Iterable[str]:
    """The paths in words: ``--into=x``, ``host:x``, ``UNIX-LISTEN:x,fork``."""
    for word in words:
        if "anyhook" in word.lower() and " " not in word.replace("Application Support", ""):
            yield word
            yield from re.split(r"[=:,]", word)


JUDGES = {
    **dict.fromkeys(("anyhook", "anyhook-client"), (judge_program,)),
    **dict.fromkeys(_COPIERS, (judge_copy,)),
    **dict.fromkeys(AWKS, (judge_module,)),
    "ssh-keygen": (judge_signature,),
}
