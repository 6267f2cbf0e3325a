"""One-liners of interpreters: what their code deletes, writes, sends and starts."""

from __future__ import annotations

import re

from anyhook.guards.effects.command_effects import CommandEffects
from anyhook.guards.effects.model import Verb
from anyhook.guards.effects.names import RAW_DEVICE, USER_SETTINGS, is_secret_file
from anyhook.guards.effects.programs.services import has_destructive_statement
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.one_liners import STARTS_PROGRAMS, code_of

_DELETES = LazyPattern(
    r"""\b(?:rmtree|remove_tree|delete_tree|rm_rf?|remove_dir(?:_all)?|remove_entry\w*|rmSync|rimraf|removeSync|
emptyDirSync|
    unlink(?:Sync|_sync)?|rmdir(?:Sync|_sync)?|os\.remove|removedirs|FileUtils\.\w*rm\w*|File\.(?:delete|
    truncate)|Dir\.(?:unlink|delete)|
    Deno\.remove(?:Sync)?|send2trash|file\.remove|truncateSync|os\.truncate|file\s+delete|
    fs(?:Promises|\.promises)?\.rm)\b""",
    re.VERBOSE,
)
_WRITES = LazyPattern(
    r"""\b(?:write\w*|append\w*|cp(?:Sync)?|\w*put_contents|puts|dump|copy\w*|rename\w*|replace|move|chmod\w*|chown\w*|
symlink\w*|truncate\w*|
    createWriteStream|openSync|print\s+F)\b|["'](?:[wax]|r\+)[+bt]*["']|["']>{1,2}["']""",
    re.VERBOSE,
)
_MOVES = LazyPattern(r"\b(?:move|rename\w*|replace)\b|\.mv\b")
_OPENS_PERMISSIONS = LazyPattern(r"\bchmod\w*[^;]*\b0?o?(?:777|666)\b|\bchown\w*[^;]*(?:/etc|/usr|root)")
_SENDS = LazyPattern(
    r"""requests\.|["']https?["']\)\.|urlopen|urllib|http\.client|httpx|fetch\s*\(|https?\.(?:request|get|post)|
axios|socket|net\.connect|Net::HTTP|
    IO::Socket|TCPSocket|fsockopen|curl_|smtplib|ftplib|paramiko|dns\.|gethostbyname|URI\.open|open-uri|LWP|
    file_get_contents\(\s*["']https?:""",
    re.VERBOSE,
)
_RUNS_TEXT = LazyPattern(r"\b(?:exec|eval|compile|Function|instance_eval|load)\b")
_DECODES = LazyPattern(r"fromhex|atob\(|Buffer\.from|decode\(|marshal\.loads|zlib|unpack\(|gunzip")
_SECRETS = LazyPattern(
    r"""os\.environ\b(?!\s*(?:\[|\.get\())|process\.env\b(?!\.)|ENV\.to_|%ENV|(?<!\w)\.env\b|\.ssh|\.aws|id_rsa|
credentials|\.netrc|
    \.npmrc|\.pgpass|secrets?\.""",
    re.VERBOSE,
)
_CLOUDS = LazyPattern(
    r"""(?:boto3|kubernetes|aws-sdk|google\.cloud|azure\.|docker|\bAws::|pulumi|hcloud|@google-cloud|
k8s)[\s\S]*
    (?:\.delete\w*\(|delete_\w+|terminate_\w+|\.remove\(|\.prune\(|Delete\w+Command|TerminateInstances|
    \.destroy\()""",
    re.VERBOSE,
)
_RECORDS = LazyPattern(
    r"\b(?:delete_all|destroy_all|drop_all|flushall|flushdb|dropDatabase|drop_database|objects\.all\(\)\.delete)\b"
)
_DATABASE = LazyPattern(r"connect\((?!\s*[\"']:memory:)|execute|query\(|\bDBI\b|\bPDO\b|prepare\(|cursor\(|Client\(")
_ENDS_ALL = LazyPattern(
    r"kill\w*\(\s*-1|kill\s*\(?\s*['\"]?(?:KILL|9)['\"]?\s*,\s*-1|os\.kill\([\s\S]*listdir\(\s*['\"]/proc|"
    r"syscall\(\s*169"
)
_HOME = LazyPattern(
    r"expanduser|expand_path|homedir\(\)|Path\.home|environ\b|ENV\[|getenv|"
    r"Dir\.home|HOME\b|USERPROFILE"
)
_STRING = LazyPattern(r"""["'`]([^"'`\n]{1,300})["'`]|\bq[qw]?[({]([^)}]+)[)}]|%w\[([^\]]+)\]|<([*~./][^<>]*)>""")
_MOST_PATHS = 1000
_WORD_OF_CODE = LazyPattern(
    r"(?:node:)?(?:fs|os|path|child_process|fs/promises|utf-?8|fs-extra|rimraf|glob|r|w|a|rb|wb|shutil|fileutils)"
)
"""Modules, encodings and modes that one-liners have in quotes."""


def code(run: CommandEffects) -> None:
    text = code_of(run.command)
    if not text.strip():
        if run.name in ("perl", "ruby") and any(re.match(r"-\w*i", argument) for argument in run.arguments):
            run.add(Verb.DELETES, "code", "empties files")  # perl -i -ne '' on files that are listed
        return
    paths = _paths_in(text)
    _deletes(run, text, paths)
    _writes(run, text, paths)
    _sends(run, f"{run.text}\n{text}")
    _services(run, text)
    _prints(run, text)


def _paths_in(text: str) -> list[str]:
    """The texts of a one-liner that may be paths."""
    found = [piece for groups in _STRING.findall(text) for part in groups if part for piece in part.split()]
    pieces = dict.fromkeys(found)
    return [piece for piece in pieces if re.search(r"[./~*]|^\w[\w-]*$", piece) and not re.match(r"[.,;:)]+$", piece)]


def _deletes(run: CommandEffects, text: str, paths: list[str]) -> None:
    """A delete is harmless when every path in the code may be deleted, and there is one."""
    starts_rm = re.search(r"\brm\s+-\w*r", text) is not None and STARTS_PROGRAMS.search(text) is not None
    if _DELETES.search(text) is None and not starts_rm:
        return
    if _HOME.search(text):
        run.add(Verb.DELETES, "code", "deletes files below the home folder")
    candidates = [path for path in paths if _WORD_OF_CODE.fullmatch(path) is None]
    if not candidates or len(candidates) > _MOST_PATHS:
        run.add(Verb.DELETES, "code", "deletes files that cannot be told beforehand")
    for path in candidates[:_MOST_PATHS]:
        run.add(Verb.DELETES, run.place(path), "code", sure=False)


def _writes(run: CommandEffects, text: str, paths: list[str]) -> None:
    for path in paths:
        if RAW_DEVICE.match(path):
            run.add(Verb.MACHINE, "disk", f"uses the device {path}")
    if _OPENS_PERMISSIONS.search(text):
        run.add(Verb.PERMITS, "files", "lets every user change files")
    deletes = _DELETES.search(text)
    if _WRITES.search(text) is None and deletes is None:
        return
    from_home = _HOME.search(text) is not None
    how = "code moves" if _MOVES.search(text) else "code"
    for path in paths[:_MOST_PATHS]:
        in_home = path.startswith("/") and USER_SETTINGS.match(f"~{path}") is not None
        in_home = in_home or (from_home and path.startswith(("/.", ".")))
        place = run.place(f"~/{path.lstrip('/')}" if in_home else path, follow=True)
        run.add(Verb.WRITES, place, how, sure=False)


def _sends(run: CommandEffects, text: str) -> None:
    sends = _SENDS.search(text)
    if _RUNS_TEXT.search(text) and (sends or _DECODES.search(text)):
        run.add(Verb.RUNS, "code", "runs code that it downloads or decodes")
    if sends and (_SECRETS.search(text) or is_secret_file(text)):
        run.add(Verb.SENDS, "secrets", "sends secrets to another machine")
    if sends and re.search(r"pty\.spawn|dup2", text):
        run.add(Verb.SENDS, "connection", "gives another machine a shell")


_PRINTS_VALUES = LazyPattern(
    r"(?:print|pprint|console\.\w+|puts|echo)\b[^;]{0,200}(?:dotenv_values\(|process\.env\b(?![.\[?]))|"
    r"print\([^)]*\)?[^;\n]{0,100}\bin\s+dotenv_values\([^)]*\)\.(?:items|values)\("
)


def _prints(run: CommandEffects, text: str) -> None:
    if _PRINTS_VALUES.search(text) and ("dotenv" in text or ".env" in " ".join(run.values("--env-file"))):
        run.add(Verb.READS, "credentials", "prints secrets")


def _services(run: CommandEffects, text: str) -> None:
    if ":memory:" in text:
        return
    if _ENDS_ALL.search(text):
        run.add(Verb.MACHINE, "system", "ends every process")
    if "hook" in text and re.search(r"os\.kill|process\.kill", text):
        run.add(Verb.GUARDS, "hooks", "ends the process that runs the hooks")
    if _CLOUDS.search(text):
        run.add(Verb.SHARED, "cloud", "destroys infrastructure")
    if _RECORDS.search(text) or (_DATABASE.search(text) and has_destructive_statement(text, in_strings=True)):
        run.add(Verb.SHARED, "database", "deletes data from a database")
