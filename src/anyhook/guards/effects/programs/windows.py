"""PowerShell and cmd: the same effects, by their own names."""

from __future__ import annotations

import re

from anyhook.guards.effects.command_effects import CommandEffects
from anyhook.guards.effects.model import Verb
from anyhook.guards.effects.names import TEMPLATE, is_rebuildable
from anyhook.guards.effects.program_table import special
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.paths import normal
from anyhook.shell.words import without_quoted

_LINES = (
    (
        (Verb.RUNS, "code"),
        r"(?:iex|invoke-expression)\b.*(?:iwr|irm|invoke-webrequest|invoke-restmethod|curl|wget)|"
        r"(?:iwr|irm|invoke-webrequest|invoke-restmethod)\b.*\|\s*(?:iex|invoke-expression)|"
        r"-e\s+[A-Za-z0-9+/=]{16,}|-e(?:nc\w*|c)\s+[A-Za-z0-9+/=]{4,}|certutil(?:\.exe)?\s+.*-urlcache|bitsadmin\s+.*/transfer|mshta\s+http|"
        r"regsvr32\s+.*/i:http|start-bitstransfer\b.*;\s*(?:start|&|\.\\)",
        "runs code from the network",
    ),
    (
        (Verb.MACHINE, "disk"),
        r"\b(?:format-volume|clear-disk|initialize-disk|remove-partition|diskpart|cipher\s+/w)\b|"
        r"\bformat(?:\.com)?\s+[a-z]:",
        "erases a disk or a partition",
    ),
    (
        (Verb.MACHINE, "system"),
        r"\b(?:stop-computer|restart-computer|clear-recyclebin|clear-eventlog|wevtutil\s+cl|clear-history|remove-eventlog)\b|"
        r"\bshutdown(?:\.exe)?\s+/[rsphg]|\bbcdedit\s+/(?:delete|set)|\bvssadmin\s+delete|\bwbadmin\s+delete|"
        r"\bwmic\s+shadowcopy\s+delete|stop-process\b.*(?:-name\s+\*|\bget-process\b)|get-process\s*\|"
        r"\s*stop-process|taskkill\b.*(?:/im\s+\*|/f\s+/im\s+(?:explorer|svchost|winlogon|lsass|csrss))|"
        r"schtasks\s+/(?:create|delete)|register-scheduledtask|"
        r"\bsc(?:\.exe)?\s+(?:delete|stop|config)\b|stop-service\b|remove-service|set-service\b.*disabled|"
        r"reg(?:\.exe)?\s+(?:delete|add)\b|remove-itemproperty\b|set-psreadlineoption\b.*historysavestyle|"
        r"del\b.*consolehost_history|new-service\b|set-itemproperty\b.*\\run\b|disable-computerrestore|"
        r"net\s+stop\b|disable-netadapter|uninstall-windowsfeature|remove-windowsfeature|manage-bde\b.*-off|"
        r"fsutil\s+(?:usn\s+deletejournal|file\s+setzerodata)|wmic\b.*\b(?:delete|uninstall|terminate)\b|"
        r"taskkill\b.*/fi\s+\S*username|"
        r"(?:new|set|clear|copy|move|rename)-item(?:property)?\b.*\bHK(?:LM|CU|CR|U|CC|EY_\w+)[:\\]",
        "changes this machine",
    ),
    (
        (Verb.PERMITS, "machine"),
        r"\bset-executionpolicy\b|\bset-mppreference\b|add-mppreference\b.*exclusion|\bicacls\b.*(?:everyone|"
        r"/grant\s+\S*:f|/reset)|\btakeown\b|\bnet\s+(?:user|localgroup)\b.*/(?:add|delete|active)|(?:new|enable|disable|set)-localuser|"
        r"add-localgroupmember|remove-localuser|netsh\s+advfirewall\s+.*off|set-netfirewallprofile\b.*false|"
        r"disable-windowsoptionalfeature|set-acl\b|attrib\s+[+-][rsh].*(?:system32|\\windows)",
        "weakens the protection of this machine",
    ),
    (
        (Verb.SENDS, "secrets"),
        r"(?:invoke-webrequest|invoke-restmethod|iwr|irm)\b.*-method\s+(?:post|put)\b.*(?:\.env|get-content|gc\s|"
        r"\.ssh|\$env:|credential|-infile)|uploadstring|uploadfile\(|send-mailmessage\b.*attachment|"
        r"(?:get-content|gc|type)\s+\S*(?:\.env|\.ssh|id_rsa|credentials).*(?:irm|iwr|invoke-restmethod|"
        r"invoke-webrequest)|(?:get-childitem|gci|dir|ls)\s+env:.*\|\s*(?:iwr|irm|invoke-)",
        "sends secrets to another machine",
    ),
    (
        (Verb.GUARDS, "hooks"),
        r"\$env:(?:husky\s*=\s*['\"]?0|anyhook_\w+\s*=|skip\s*=|lefthook\s*=\s*['\"]?0)|"
        r"\bset\s+(?:husky=0|anyhook_\w+=|skip=)|stop-process\b.*anyhook|taskkill\b.*anyhook",
        "disables hooks",
    ),
    (
        (Verb.RUNS, "code"),
        r"\bdownload(?:string|file)\b|frombase64string.*(?:scriptblock|iex|invoke)|(?:scriptblock|iex|"
        r"invoke).*frombase64string",
        "runs code that it downloads or decodes",
    ),
    (
        (Verb.RUNS, "code"),
        r"-(?:outfile|o)\s+(?:\.\\)?([\w.-]+\.(?:exe|bat|cmd|msi|ps1))\b.*[;&|\n]\s*(?:start-process\s+|start\s+)?(?:\.\\)?\1\b",
        "downloads a program and runs it",
    ),
    (
        (Verb.DELETES, "files"),
        r"(?<!&)&\s*(?:\$\w+|\([^)]*\)|'remove-item'|\"remove-item\").*-rec|\bset-alias\s+\S+\s+(?:remove-item|ri|"
        r"del|rd)\b|\]::delete\(|"
        r"\bcall\s+%\w+%\S*\s.*/[sq]|robocopy\b(?!.*/l\b).*/(?:mir|purge)\b",
        "deletes files in a way that hides it",
    ),
    ((Verb.MACHINE, "system"), r"\breg(?:\.exe)?\s+import\b", "changes the registry"),
    (
        (Verb.SHARED, "containers"),
        r"remove-vm\b",
        "destroys machines or containers",
    ),
    (
        (Verb.SHARED, "cloud"),
        r"remove-az\w+|remove-ec2\w+|remove-s3\w+|stop-azvm|remove-adobject|remove-aduser",
        "destroys shared infrastructure",
    ),
    ((Verb.SHARED, "database"), r"remove-sqldatabase", "deletes data from a database"),
)
_PATTERNS = tuple([(kind, LazyPattern(pattern, re.IGNORECASE | re.DOTALL), what) for kind, pattern, what in _LINES])
_DELETE = LazyPattern(
    r"(?:^|[;|&({]\s*|\bdo\s+|\bcall\s+|\becho\s+|/[ck]\s+[\"']?|-c(?:ommand)?\s+[\"']?)"
    r"\s*(remove-item|ri|rm|del|erase|rd|rmdir)\b([^;|&}\n]*)",
    re.IGNORECASE,
)
_WRITE = LazyPattern(
    r"\b(?:move-item|rename-item|ren|clear-content|set-content|add-content|out-file|copy-item|new-item)\b([^;|&}\n]*)",
    re.IGNORECASE,
)
_HERE_STRING = LazyPattern(r"@(['\"])\n.*?\n\1@", re.DOTALL)
_PRINTED = LazyPattern(
    r"\bwrite-(?:output|host|verbose|warning|information)\s+(?:'[^']*'|\"[^\"$]*\")\s*(?=$|[;\n])", re.IGNORECASE
)
"""Text that is only shown."""
_CMDLET_CALL = LazyPattern(
    r"\b(?:remove|clear|set|stop|restart|move|rename|copy|new|add|disable|enable|register|unregister|uninstall|"
    r"initialize|format|reset|out)-[a-z]\w+\b[^;|&{}\n]*",
    re.IGNORECASE,
)
"""A call of a cmdlet that changes something: all of these can be rehearsed."""
_REHEARSED = LazyPattern(r"\s-(?:whatif|wi)(?::\s*\$true)?(?=[\s\"']|$)", re.IGNORECASE)
_FROM_HOME = LazyPattern(
    r"\bcd\s+(?:/d\s+)?(?:%userprofile%|\$home|\$env:userprofile|~|[a-z]:\\?(?=[\s;&]))", re.IGNORECASE
)
_LISTED_DELETE = LazyPattern(
    r"\b(?:get-childitem|gci|ls|dir)\b([^|\n]*)\|(?:[^|\n'\"]*\|)?\s*(?:(?:foreach-object|"
    r"%)\s*\{\s*)?(?:remove-item|ri|rm|del)\b",
    re.IGNORECASE,
)
_COMMAND = (
    r"(?:&\s*[($]|\.\s*\(|function\s+\w+\s*\(|for\s+/|cd\s+/d|set\s+\w+=|"
    r"call\s|\$\w+\s*=\s*''|(?:iex|irm|iwr|rd|ri|ren|del|erase|"
    r"powershell|pwsh|cmd|reg|net|netsh|sc|"
    r"taskkill|icacls|takeown|vssadmin|wmic|schtasks|bcdedit|wevtutil|format|diskpart|certutil|bitsadmin|"
    r"rmdir\s+/s|rm\s+-rec\w*|wbadmin|fsutil|manage-bde|curl\.exe|gci|robocopy|attrib|cipher|mshta|regsvr32|get-\w+|"
    r"remove-\w+|set-\w+|stop-\w+|clear-\w+|invoke-\w+)\b(?:\.exe)?)"
)
"""What a command of PowerShell or cmd begins with, in lower case."""
_CMDLET = r"[A-Z][a-zA-Z]+-[A-Z]\w+\b"
_SEPARATORS = frozenset(";|&({")
_FIRST_COMMAND, _FIRST_CMDLET = LazyPattern(_COMMAND), LazyPattern(_CMDLET)
_LATER_COMMAND = LazyPattern(rf"[;|&({{]\s*+{_COMMAND}")
_LATER_CMDLET = LazyPattern(rf"[;|&({{]\s*+{_CMDLET}")
_SETS_VARIABLE = LazyPattern(r"\$env:\w+\s*=")
_CALLS_CLASS = LazyPattern(r"\[[\w.]+\]::")


def line(run: CommandEffects, text: str) -> None:
    """The effects of a whole line that may be PowerShell or cmd."""
    text = _plain(text)
    if text.rstrip().endswith(" /?") or not _looks_like_windows(without_quoted(text)):
        return
    for match in _DELETE.finditer(text):
        if _FROM_HOME.search(text[: match.start(1)]):
            run.add(Verb.DELETES, "files", "deletes files below the home folder or a drive")
        _delete(run, match[1].lower(), match[2])
    if (listed := _LISTED_DELETE.search(text)) is not None and not _is_narrow_list(listed[1]):
        run.add(Verb.DELETES, "files", "deletes every file that it lists")
    paths = [_path(word.strip("'\"")) for match in _WRITE.finditer(text) for word in match[1].split()]
    how = "from a template" if any(map(TEMPLATE.search, paths)) else "edits"
    for path in paths:
        run.add(Verb.WRITES, run.place(path), how, sure=False)
    for (verb, kind), pattern, what in _PATTERNS:
        if pattern.search(text):
            run.add(verb, kind, what)


def _looks_like_windows(text: str) -> bool:
    """In several searches: one pattern for all of this takes ten times as long."""
    lowered = text.lower()
    looks = _FIRST_COMMAND.match(lowered) or _FIRST_CMDLET.match(text)
    if looks is None and not _SEPARATORS.isdisjoint(text):
        looks = _LATER_COMMAND.search(lowered) or _LATER_CMDLET.search(text)
    if looks is None and "$env:" in lowered:
        looks = _SETS_VARIABLE.search(lowered)
    return looks is not None or ("]::" in lowered and _CALLS_CLASS.search(lowered) is not None)


def _without_rehearsed(call: re.Match[str]) -> str:
    """The call of a cmdlet; nothing, if it is only to say what it would do. What it gets by ``( )`` runs anyway."""
    return "" if "(" not in call[0] and _REHEARSED.search(without_quoted(call[0])) else call[0]


def _plain(text: str) -> str:
    """Without what is only shown or rehearsed, here-strings, escapes within words and joined strings."""
    lowered = text.lower()
    text = _PRINTED.sub("", text) if "write-" in lowered else text
    text = _CMDLET_CALL.sub(_without_rehearsed, text) if "-whatif" in lowered or "-wi" in lowered else text
    text = _HERE_STRING.sub("''", text) if "@" in text else text
    text = re.sub(r"(?<=\w)[\^`](?=\w)", "", text) if "^" in text or "`" in text else text
    return re.sub(r"(['\"])\s*\+\s*\1", "", text) if "+" in text else text


def _is_narrow_list(listing: str) -> bool:
    """A listing of build output, or of files by a pattern."""
    words = [word.strip("'\"") for word in re.split(r"[\s,]+", listing)]
    return any(is_rebuildable(_path(word)) or word == "*.obj" for word in words)


_NOT_TOLD = LazyPattern(r"\((?!\$?env)|\$(?!env:)\w", re.IGNORECASE)
_REGISTRY = LazyPattern(r"(?:Registry::)?HK(?:LM|CU|CR|U|CC|EY_\w+)[:\\]", re.IGNORECASE)


def _delete(run: CommandEffects, name: str, rest: str) -> None:
    options = {option.lower() for option in re.findall(r"(?<=\s)[-/][A-Za-z]+", f" {rest}")}
    recursive = any(option.startswith(("-rec", "/s")) or option in ("-r", "-rf", "-fr") for option in options)
    forced = any(option.startswith(("-rec", "-fo", "/s")) for option in options)
    if name not in ("remove-item", "ri", "del", "erase", "rd") and not forced:
        return
    for word in [piece.strip("'\"") for piece in rest.split()]:
        if re.fullmatch(r"/[a-zA-Z]", word) or word.startswith("-"):
            continue
        if recursive and _NOT_TOLD.match(word) and not re.search(r"te?mp", word, re.IGNORECASE):
            run.add(Verb.DELETES, "files", "deletes a folder that cannot be told beforehand")
        elif _REGISTRY.match(word):
            run.add(Verb.MACHINE, "system", "deletes a key of the registry")
        else:
            run.add(Verb.DELETES, run.place(_path(word)), "recursive" if recursive else "")


def _path(word: str) -> str:
    """A Windows path as :mod:`anyhook.shell.paths` writes paths."""
    text = re.sub(
        r"^\$(?:env:(?:userprofile|home|homepath)|home)\b",
        "~",
        word,
        flags=re.IGNORECASE,
    )
    text = re.sub(r"^%te?mp%", "/tmp", text, flags=re.IGNORECASE)
    text = re.sub(
        r"^\$env:(?:systemroot|windir|systemdrive|programfiles|appdata|localappdata|programdata)",
        "/Windows",
        text,
        flags=re.IGNORECASE,
    )
    text = re.sub(r"^[A-Za-z]:[\\/]Users[\\/][^\\/]+", "~", text)
    return normal(text.replace("\\", "/") if not re.match(r"[A-Za-z]:", text) else text)


def child(run: CommandEffects) -> None:
    """``powershell -Command ...``, ``cmd /c ...`` and programs of Windows."""
    line(run, run.text)


PROGRAMS = special(
    "powershell pwsh cmd bcdedit diskpart icacls net netsh reg schtasks takeown taskkill vssadmin wevtutil", child
)
"""Programs that a wrapper or an interpreter may start: the line itself does not look like PowerShell or cmd then."""
