"""One-liners of interpreters that delete, overwrite or send."""

from __future__ import annotations

import re

from anyhook.guards.shell.families.deletes import judge_target
from anyhook.guards.shell.finding import Family, Finding
from anyhook.guards.shell.hook_files import is_hook_file
from anyhook.guards.shell.places import RAW_DEVICE, SECRET_FILE, is_outside, is_system, place
from anyhook.shell import Command
from anyhook.shell.one_liners import code_of

_DELETES = re.compile(
    r"""(?P<call>\b(?:shutil\.)?rmtree|\brm_rf?|\bremove_dir_all|\brmSync|\bfs(?:Promises|\.promises)?\.(?:rm|rmdir|
rmdirSync|unlink|unlinkSync)|\brimraf(?:\.sync)?|\bremoveSync|\bremove_entry\w*|\bos\.(?:remove|unlink|
removedirs|rmdir)|\bFileUtils\.\w*rm\w*|\bFile\.(?:delete|unlink)|\bunlink|\bDir\.(?:rmdir|unlink|delete)|
    \bDeno\.remove(?:Sync)?|\bdelete_tree|\bremove_tree|\brmdir|\bemptyDirSync|\bdelSync|\[IO\.(?:File|
    Directory)\]::Delete|\bshell\.rm|\bfile\.remove|\bos\.execute|\bunlinkSync|\bPath::rmtree|
    \bsend2trash)\s*\(?\s*(?P<rest>[^;\n]{0,200})""",
    re.VERBOSE,
)
_LITERAL = re.compile(
    r"""^\s*\[?\s*(?:[rbfu]{0,2}|Path\(|pathlib\.Path\(|os\.path\.expanduser\(|
os\.path\.expandvars\()?\s*["'`]([^"'`]*)["'`]"""
)
_HOME_CODE = re.compile(
    r"expanduser|homedir\(\)|Path\.home|environ|process\.env|ENV\[|getenv|\$ENV\{|Dir\.home|os\.sep|"
    r"getcwd\(\)|process\.cwd\(\)|Dir\.pwd|HOME"
)
_WIDE_CODE = re.compile(
    r"""glob\w*\s*\(\s*["'](?:\*|\*\*/?\*?|\./\*|/\*|\*\.\*|\*\*/\*)["']|os\.walk\(\s*["'](?:\.|/|~)|
os\.listdir\(\s*(?:\)|["'](?:\.|/|~))|readdirSync\(\s*["'](?:\.|/|~)|scandir\(|rglob\(\s*["']\*|Dir\[["']\*|
Dir\.glob\(["']\*|<\*>|glob\s+["']\*["']|iterdir\(\)|find\("""
)
_WRITES = re.compile(
    r"""(?:open|file_put_contents|writeFileSync|writeFile|appendFileSync|appendFile|File\.write|File\.open|
IO\.write|Deno\.writeTextFile\w*|Bun\.write|write_text|write_bytes|Path|createWriteStream|copyFileSync|
renameSync|os\.rename|os\.replace|shutil\.(?:move|copy\w*)|chmodSync|os\.chmod|os\.symlink|symlinkSync|
truncateSync|os\.truncate)\s*\(\s*(?:[rbfu]{0,2}|os\.path\.expanduser\(|Path\(|os\.homedir\(\)\s*\+\s*|
process\.env\.HOME\s*\+\s*)?["'`]([^"'`]+)["'`]"""
)
_WRITE_MODE = re.compile(
    r"""["'][rwa]?[wax]\+?b?["']|write|append|put_contents|copy|rename|replace|move|chmod|symlink|truncate"""
)
_SENDS = re.compile(
    r"requests\.(?:post|put|get|patch)|urlopen|urllib\.request|http\.client|fetch\s*\(|https?\.(?:request|"
    r"get|post)|axios|socket\.(?:socket|create_connection)|net\.(?:connect|createConnection|Socket)|"
    r"Net::HTTP|IO::Socket|TCPSocket|fsockopen|curl_exec|smtplib|ftplib|paramiko|dns\.(?:resolve|lookup)|"
    r"gethostbyname"
)
_SECRETS = re.compile(
    r"os\.environ\b(?!\s*(?:\[|\.get\())|process\.env\b(?!\.)|JSON\.stringify\(process\.env|ENV\.to_|%ENV|"
    r"\.env\b[\"']|\.ssh|\.aws|id_rsa|credentials|\.netrc|/etc/passwd|/etc/shadow|\.npmrc|secrets?\."
)
_INSTEAD = "Write the paths out in a plain command, so that they can be judged."


def refuse(what: str) -> Finding:
    return Finding(Family.CODE, what, _INSTEAD)


def judge(command: Command) -> Finding | None:
    code = code_of(command)
    if not code:
        return None
    for judge_code in (_judge_deletes, _judge_writes, _judge_sends):
        if (finding := judge_code(command, code)) is not None:
            return finding
    if re.search(
        r"pty\.spawn\(\s*[\"'](?:/bin/)?(?:ba|z)?sh|os\.dup2\(\s*s\.fileno|socket.*dup2|/bin/sh.*-i", code
    ) and _SENDS.search(code):
        return Finding(Family.EXFILTRATION, "gives another machine a shell", "")
    if re.search(r"os\.kill\(\s*-1|process\.kill\(\s*-1|kill\s*\(?\s*['\"]?(?:KILL|9)['\"]?\s*,\s*-1", code):
        return Finding(Family.SYSTEM, "ends every process of this user", "")
    return None


def _judge_deletes(command: Command, code: str) -> Finding | None:
    for match in _DELETES.finditer(code):
        rest = match["rest"]
        literal = _LITERAL.match(rest)
        recursive = not re.search(r"unlink|os\.remove$|File\.delete|unlinkSync", match["call"])
        if literal is not None:
            path = place(command, literal[1])
            if (_HOME_CODE.search(rest[: literal.start(1)]) and not path.startswith("~/")) or judge_target(
                path, recursive=recursive
            ) is not None:
                return refuse(f"deletes {path}")
            if re.match(r"\s*\+", rest[literal.end() :]) and path in (".", ""):
                return refuse("deletes a path that is not known")
        elif _HOME_CODE.search(rest):
            return refuse("deletes the home folder or the project")
    if _DELETES.search(code) and _WIDE_CODE.search(code):
        return refuse("deletes every file that it finds")
    return None


def _judge_writes(command: Command, code: str) -> Finding | None:
    for match in _WRITES.finditer(code):
        around = code[match.start() : match.end() + 60]
        if not _WRITE_MODE.search(around):
            continue
        path = place(command, match[1])
        if RAW_DEVICE.match(path):
            return Finding(Family.DISKS, f"writes to the device {path}", _INSTEAD)
        if is_hook_file(path) and "read" not in match[0].lower():
            return Finding(Family.HOOKS, f"changes {path}", "Leave hooks as they are; ask the user to change them.")
        if is_system(path) or (path.startswith("~") and is_outside(path)) or SECRET_FILE.search(path):
            return Finding(Family.PROTECTED_FILES, f"changes {path}", _INSTEAD)
    return None


def _judge_sends(command: Command, code: str) -> Finding | None:
    if _SENDS.search(code) and _SECRETS.search(code):
        return Finding(Family.EXFILTRATION, "sends secrets to another machine", "Do not send secrets; ask the user.")
    return None
