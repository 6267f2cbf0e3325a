"""One-liners of interpreters that delete, overwrite or send."""

from __future__ import annotations

import re

from anyhook.guards.hook_files import is_client_folder, is_hook_file, is_own_state
from anyhook.guards.shell.families.approval import PERSON
from anyhook.guards.shell.families.databases import has_destructive_statement
from anyhook.guards.shell.families.deletes import judge_target
from anyhook.guards.shell.families.files import is_protected
from anyhook.guards.shell.finding import Family, Finding
from anyhook.guards.shell.places import RAW_DEVICE, is_rebuildable, is_secret_file, is_temporary, place
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation
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
_INSTEAD = "Write the paths out in a plain command, so that they can be judged."


def refuse(what: str, family: Family = Family.CODE) -> Finding:
    return Finding(family, what, _INSTEAD)


def judge(command: Invocation) -> Finding | None:
    code = code_of(command)
    if not code.strip():
        return _judge_editing(command)
    paths = [place(command, path) for path in _paths_in(code)]
    return (
        _judge_deletes(code, paths)
        or _judge_writes(code, paths)
        or _judge_sends(f"{command.text}\n{code}")
        or _judge_services(code)
    )


def _paths_in(code: str) -> list[str]:
    """The texts of a one-liner that may be paths."""
    texts = [text for groups in _STRING.findall(code) for part in groups if part for text in part.split()]
    return [text for text in texts if re.search(r"[./~*]|^\w[\w-]*$", text) and not re.match(r"[.,;:)]+$", text)]


def _judge_deletes(code: str, paths: list[str]) -> Finding | None:
    """A delete is allowed when every path in the code may be deleted, and there is one."""
    starts_rm = re.search(r"\brm\s+-\w*r", code) is not None and STARTS_PROGRAMS.search(code) is not None
    if _DELETES.search(code) is None and not starts_rm:
        return None
    if _HOME.search(code):
        return refuse("deletes files below the home folder")
    candidates = [path for path in paths if not _is_word_of_code(path)]
    if not candidates:
        return refuse("deletes files that cannot be told beforehand")
    bad = next((path for path in candidates if judge_target(path, recursive=True) is not None or _is_wide(path)), None)
    return refuse(f"deletes {bad}") if bad is not None else None


def _is_wide(path: str) -> bool:
    """A pattern that matches sources: ``src/*.c``, ``**/*.py``."""
    return "*" in path and not is_rebuildable(path) and not is_temporary(path)


def _is_word_of_code(text: str) -> bool:
    """Modules, encodings and modes that one-liners have in quotes."""
    return (
        re.fullmatch(
            r"(?:node:)?(?:fs|os|path|child_process|fs/promises|utf-?8|fs-extra|rimraf|glob|r|w|a|rb|wb|shutil|"
            r"fileutils)",
            text,
        )
        is not None
    )


def _judge_writes(code: str, paths: list[str]) -> Finding | None:
    device = next((path for path in paths if RAW_DEVICE.match(path)), None)
    if device is not None:
        return refuse(f"uses the device {device}", Family.DISKS)
    if _OPENS_PERMISSIONS.search(code):
        return refuse("lets every user change files", Family.PERMISSIONS)
    if _WRITES.search(code) is None and _DELETES.search(code) is None:
        return None
    for path in paths:
        if is_own_state(path):
            return Finding(Family.HOOKS, f"changes {path}", PERSON)
        if is_hook_file(path) or (is_client_folder(path) and _MOVES.search(code)):
            return refuse(f"changes {path}", Family.HOOKS)
        is_home_file = _HOME.search(code) is not None and path.startswith(("/.", "."))
        if is_protected(path) or is_protected(f"~{path}") or is_home_file or path.startswith(("~", "/etc", "/usr")):
            return refuse(f"changes {path}", Family.PROTECTED_FILES)
    return None


def _judge_sends(code: str) -> Finding | None:
    if _RUNS_TEXT.search(code) and (_SENDS.search(code) or _DECODES.search(code)):
        return refuse("runs code that it downloads or decodes", Family.REMOTE_CODE)
    if _SENDS.search(code) and (_SECRETS.search(code) or is_secret_file(code)):
        return refuse("sends secrets to another machine", Family.EXFILTRATION)
    if re.search(r"pty\.spawn|dup2", code) and _SENDS.search(code):
        return refuse("gives another machine a shell", Family.EXFILTRATION)
    return None


def _judge_services(code: str) -> Finding | None:
    if ":memory:" in code:
        return None
    if _ENDS_ALL.search(code):
        return refuse("ends every process", Family.SYSTEM)
    if re.search(r"os\.kill|process\.kill", code) and re.search("hook", code):
        return refuse("ends the process that runs the hooks", Family.HOOKS)
    if _CLOUDS.search(code):
        return refuse("destroys infrastructure", Family.INFRASTRUCTURE)
    if _RECORDS.search(code) or (_DATABASE.search(code) and has_destructive_statement(code, in_strings=True)):
        return refuse("deletes data from a database", Family.DATABASES)
    return None


def _judge_editing(command: Invocation) -> Finding | None:
    """``perl -i -ne ''`` on files that are listed: it empties them."""
    if command.name in ("perl", "ruby") and any(re.match(r"-\w*i", argument) for argument in command.arguments):
        return refuse("empties files")
    return None
