"""Approval is for people: command lines that run ``anyhook trust``, texts that would, and writes to anyhook's state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from anyhook.guards.effects.command_effects import CommandEffects
from anyhook.guards.effects.model import Place, Verb, words
from anyhook.guards.effects.program_table import merged, special
from anyhook.guards.effects.programs.services import has_destructive_statement
from anyhook.guards.effects.where import Where
from anyhook.guards.hook_files import is_own_state
from anyhook.guards.wording import APPROVES
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation
from anyhook.shell.one_liners import code_of
from anyhook.shell.outputs import known_output
from anyhook.shell.programs import AWKS, is_interpreter
from anyhook.shell.reader import read_script

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
_READERS = words(
    "anyhook ls ll exa eza tree cat bat batcat head tail less more most stat file wc du df find gfind fd fdfind "
    "grep egrep fgrep rg ag ack jq diff cmp md5sum sha256sum shasum cksum xxd od hexdump strings cd pushd test [ "
    "echo printf realpath readlink basename dirname lsof fuser getfacl sort uniq cut sed gsed awk gawk perl ruby yq "
    "cp gcp rsync tar gtar zip gzip dd mv gmv ssh-keygen export declare local unset pwd git type dir get-content "
    "get-childitem gc gci test-path journalctl watch column nl tac"
)
"""Programs that read what they name, or whose written files :mod:`files` tells. Others may write what they name."""
_SPEAKERS = words(
    "echo printf grep egrep fgrep rg ag ack git gh glab hub jj hg svn cat less more head tail man ls diff sed gsed "
    "jq yq curl wget http find gfind fd fdfind test [ [[ true : mail mailx sendmail wall notify-send say cd mkdir "
    "cp mv rm touch read type which whereis command pgrep tr cut sort column fold wc pbcopy xclip xsel wl-copy "
    "apropos whatis tldr pytest"
)
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
_COPIERS = words("ln cp gcp mv install link cat dd rsync")
_APPENDS = LazyPattern(r"^[\d$,]*[aic]\\?\s+|^s([/|#,]).*?\1")
"""What goes before a line that ``sed`` adds or puts in the place of another."""
_BESIDE_STATE = LazyPattern(r"(?:\.local/state|XDG_STATE_HOME\}?)/$")
_SQL_WRITES = LazyPattern(
    r"\b(?:insert|update|replace|create|alter|attach|vacuum|reindex|pragma\s+\w+\s*=)\b|"
    r"^\s*\.(?:restore|import|save|backup|clone|read|open|output|once|archive|load)",
    re.IGNORECASE,
)


def approval(run: CommandEffects) -> None:
    """Any command: an approval in its words, a text with one that it writes, a file of anyhook that it may write."""
    command, text = run.command, run.text
    written = [
        effect.target.shown + ("/" if effect.target.written.endswith("/") else "")
        for effect in run.effects
        if effect.verb is Verb.WRITES and isinstance(effect.target, Place)
    ]
    if written and (path := _written_approval(run, written)):
        _add(run, f"writes a command into {path} that {APPROVES}")
    if command.name == "crontab" and any(map(is_approving_text, _piped_texts(run))):
        _add(run, APPROVES)
    is_told = command.name in _SPEAKERS and command.arguments[:2] != ("alias", "set")
    if "anyhook" in text.lower() and not is_told and _speaks(command):
        _add(run, APPROVES)
    if any(_BESIDE_STATE.search(path) for path in written) and _unpacks(command):
        _add(run, "may change where anyhook keeps what was approved")
    if command.name not in _READERS or (command.name == "git" and "clone" in command.arguments):
        _state(run)


def _add(run: CommandEffects, what: str) -> None:
    run.add(Verb.GUARDS, "approval", what)


def own_program(run: CommandEffects) -> None:
    """``anyhook`` itself."""
    command = run.command
    is_open = command.has_more_arguments or command.wrapped_by[-1:] == ("make",)  # SHELL=anyhook .SHELLFLAGS='trust -y'
    _words(run, command.arguments, is_open=is_open)


def module(run: CommandEffects) -> None:
    """``python -m anyhook``, its script given to an interpreter, and one-liners that use its modules."""
    arguments = run.arguments
    for number, word in enumerate(arguments):
        follows_m = number and re.fullmatch(r"-\w*m|--module", arguments[number - 1])
        is_module = (word == "anyhook" and follows_m) or re.fullmatch(r"-\w*manyhook|.*\banyhook/__main__\.py", word)
        if is_module or re.search(r"(?:^|/)bin/anyhook$", word):
            _words(run, arguments[number + 1 :], is_open=run.command.has_more_arguments)
            return
    code = code_of(run.command)
    acts = "anyhook" in code and _ACTS.search(code) is not None and is_approving_text(code)
    if acts or _is_approving_code(code, run.text):
        _add(run, APPROVES)


def _is_approving_code(code: str, line: str = "") -> bool:
    """Code that uses anyhook's own modules to approve hooks or to write its state."""
    if "anyhook" not in code:
        return False
    whole = f"{code}\n{line}"
    return any(uses.search(code) and acts.search(whole) for uses, acts in _APPROVING_CODE)


def copy(run: CommandEffects) -> None:
    """``ln -s $(which anyhook) x``: under another name, nobody would know it."""
    sources = run.operands()
    sources = sources[:-1] if run.name != "cat" else sources if run.command.redirects else []
    sources += [text[3:] for text in run.arguments if text.startswith("if=")]
    is_folder = any(_BESIDE_STATE.search(f"{run.shown(source)}/") for source in sources)
    if run.name in ("ln", "mv", "gmv") and is_folder:
        _add(run, "gives the folder of anyhook's state another name")
    if any(map(_OWN_PROGRAM.match, sources)):
        _add(run, "gives anyhook another name")


def _database(run: CommandEffects) -> None:
    """``sqlite3`` on a database of anyhook: only queries."""
    given = [*run.arguments, run.input_text]
    names = [run.shown(word) for text in given for word in text.split() if len(word) < _LONGEST_START]
    if "-readonly" in given or not any(map(is_own_state, names)):
        return
    texts = [*run.operands(("-cmd", "-init", "-separator"))[1:], *filter(None, [run.input_text])]
    if not texts or changes_database(texts):
        _add(run, "may change anyhook's own records")


def changes_database(statements: Iterable[str]) -> bool:
    return any(_SQL_WRITES.search(text) or has_destructive_statement(text) for text in statements)


def signature(run: CommandEffects) -> None:
    """``ssh-keygen -Y sign -n anyhook``: the signature of ``anyhook trust --sign``."""
    is_ours = re.search(r"(?:^| )-n ?(?:anyhook\b|\S*[$`])", " ".join(run.arguments))
    if "sign" in run.arguments and is_ours:
        _add(run, APPROVES)


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
    run = CommandEffects(command, _ANYWHERE)
    reads = (module,) if is_interpreter(command.name) else PROGRAMS.get(command.name, ())
    for read in reads if command.name not in _COPIERS else ():
        read(run)
    return any(effect.how == APPROVES for effect in run.effects)


_ANYWHERE = Where(folder="/project", project="/project")
"""A script may be run from any folder."""


def is_run(path: str) -> bool:
    """Whether a file may be run or read by a program: it is no document, and no setting of a build server."""
    return _PROSE.search(path) is None


def _words(run: CommandEffects, given: Sequence[str], *, is_open: bool) -> None:
    if what := _done_by(given, is_open=is_open):
        _add(run, what)


def _done_by(given: Sequence[str], *, is_open: bool) -> str:
    """What the words after ``anyhook`` do; empty: no guard minds. Open: more words follow that are not in the line."""
    start = next((number for number, word in enumerate(given) if not word.startswith("-")), len(given))
    verb, rest = "".join(given[start : start + 1]), list(given[start + 1 :])
    options = rest[: rest.index("--")] if "--" in rest else rest
    if _SHOWING & {"--help", "-h"} & {*given[:start]} or "--version" in given[:start]:
        return ""
    if _NOT_TOLD.search(verb) or (is_open and verb in ("", "trust", "deploy")):
        return "runs anyhook with words that cannot be told beforehand"
    if verb == "trust":
        return APPROVES if _SHOWING.isdisjoint(options) or any(map(_GRANTING.fullmatch, options)) else ""
    if not {*options}.isdisjoint(_REHEARSING):
        return ""
    if verb == "deploy" and any(word in ("--yes", "-y") for word in options):
        return APPROVES
    return "disables guards" if _STOPPING.match(" ".join([verb, *rest])) else ""


def _approves(match: re.Match[str]) -> bool:
    """Whether ``anyhook trust`` in a text stands where it is run, and does not only show something."""
    line = match.string.rfind("\n", 0, match.start()) + 1
    before = match.string[max(line, match.start() - _LONGEST_START) : match.start()]
    if _STARTS.search(before) is None or (_SAID.search(before) and not re.search(r"[|>]", match["rest"])):
        return False
    given = [word.rstrip("/") for word in re.split(r"[\s,\"'`()\[\]{}\\]+", match["rest"]) if word]
    return bool(_done_by([match["verb"].lower(), *given], is_open=False))


def _speaks(command: Invocation) -> bool:
    """Whether words of a command are an approval: one word that is a line, or words one after the other."""
    texts = [word.text for word in command.words]
    is_code = is_interpreter(command.name) or command.name in AWKS  # judge_module reads it
    if not is_code and any(" " in text and is_approving_text(text) for text in _told_words(command)):
        return True
    place_of = next((number for number, text in enumerate(texts) if number and _names_program(text)), None)
    return place_of is not None and is_approving_text(" ".join(["anyhook", *texts[place_of + 1 :]]))


def _told_words(command: Invocation) -> list[str]:
    """The words of a command without those that an option marks as a message."""
    texts = [word.text for word in command.words]
    return [text for number, text in enumerate(texts) if not (number and _TEXT_OPTION.fullmatch(texts[number - 1]))]


def _names_program(word: str) -> bool:
    return re.search(rf"(?:^|[/\\#=]){_PROGRAM}$", word) is not None


def _written_approval(run: CommandEffects, written: Sequence[str]) -> str:
    """The file that gets a text with an approval; empty: none does."""
    texts = [run.text, run.input_text]
    if not any("anyhook" in text for text in texts):
        return ""
    path = next((path for path in written if is_run(path) and not ("anyhook" in path and " " in path)), "")
    if not path:
        return ""
    if run.arguments[:1] == ("apply",) or run.name in ("patch", "apply_patch", "applypatch"):
        texts = [added_lines(text) for text in texts]
    printed = known_output(run.command, run.input_text or None)
    texts = [printed] if printed is not None else [*run.arguments, *texts[1:]]
    return path if any(is_approving_script(_APPENDS.sub("", text)) for text in texts) else ""


def added_lines(patch: str) -> str:
    return "\n".join(line[1:] for line in patch.splitlines() if line.startswith("+"))


def _unpacks(command: Invocation) -> bool:
    """``unzip``; ``tar`` with ``-x``."""
    options = [text for number, text in enumerate(command.arguments) if not number or text.startswith("-")]
    return command.name != "tar" or any(
        re.fullmatch(r"-?[a-zA-Z]*x[a-zA-Z]*|--extract|--get", text) for text in options
    )


def _piped_texts(run: CommandEffects) -> list[str]:
    """What a command reads, as far as the programs that print it tell."""
    return [run.input_text, *[text for source in run.sources if (text := known_output(source, None))]]


def _state(run: CommandEffects) -> None:
    """A program that is not known to only read gets a path of anyhook's own."""
    if run.name in ("sqlite3", "sqlite"):
        _database(run)
        return
    for path in _named_paths(_told_words(run.command)):
        if is_own_state(run.shown(path)):
            _add(run, f"may change {path}, where anyhook keeps what was approved")


def _named_paths(given: Iterable[str]) -> Iterable[str]:
    """The paths in words: ``--into=x``, ``host:x``, ``UNIX-LISTEN:x,fork``."""
    for word in given:
        if "anyhook" in word.lower() and " " not in word.replace("Application Support", ""):
            yield word
            yield from re.split(r"[=:,]", word)


PROGRAMS = merged(
    special("anyhook anyhook-client", own_program),
    special(" ".join(sorted(_COPIERS)), copy),
    special(" ".join(sorted(AWKS)), module),
    special("ssh-keygen", signature),
)
