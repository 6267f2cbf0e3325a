"""Secrets that leave this machine, and connections that give another one a shell."""

from __future__ import annotations

import re

from anyhook.guards.shell.finding import Family, Finding
from anyhook.guards.shell.options import has_option, operands, option_values
from anyhook.guards.shell.places import PRIVATE_KEY, SECRET_VARIABLE, is_everything, is_secret_file, place
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import InputKind, Invocation
from anyhook.shell.programs import is_shell
from anyhook.shell.words import without_quoted

_LOCAL = LazyPattern(
    r"(?:\w+://)?(?:[\w.~-]*:?[^@/]*@)?(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1\]?|"
    r"host\.docker\.internal|[\w-]+\.(?:local|test|localhost))(?=[:/?]|$)",
    re.IGNORECASE,
)
_URL = LazyPattern(r"\w+://|[\w-]+(?:\.[\w-]+)+(?:[:/]|$)")
_DATA = (
    "-d",
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-ascii",
    "--data-urlencode",
    "-F",
    "--form",
    "-T",
    "--upload-file",
    "--json",
    "--post-data",
    "--post-file",
    "--body-data",
    "--body-file",
    "--form-string",
)
_REQUESTERS = frozenset({"curl", "wget", "wget2", "http", "https", "xh", "httpie"})
_STORES = frozenset({"aws", "gsutil", "gcloud", "az", "rclone", "s3cmd", "mc", "b2"})
_DUMPS = frozenset({"env", "set", "export", "declare", "compgen"})
_SECRET_TOOLS = LazyPattern(
    r"(?:gh auth token|gcloud auth print|aws configure (?:get|export)|aws sts get-session|"
    r"security find-\S+password|op read|pass show|vault (?:read|kv get)|kubectl get secrets?|"
    r"heroku auth:token|az account get-access-token|npm token|secret-tool lookup|doppler secrets|bw get|"
    r"history|docker inspect|crontab -l|git config .*credential|git credential fill|"
    r"aws secretsmanager get-secret-value|aws ssm get-parameter|gpg .*--export-secret)"
)
_ARCHIVERS = frozenset(
    {"tar", "zip", "7z", "gzip", "dd", "pg_dump", "pg_dumpall", "mysqldump", "mongodump", "sqlite3", "cpio"}
)
_READS = frozenset(
    [
        "cat",
        "head",
        "tail",
        "less",
        "more",
        "bat",
        "grep",
        "sed",
        "awk",
        "strings",
        "xxd",
        "base64",
        "cut",
        "sort",
        "od",
        "hexdump",
        "tac",
        "nl",
        "rg",
        "jq",
        "yq",
        "type",
        "get-content",
        "gc",
        "cp",
        "dd",
        "gpg",
    ]
)
_PATTERN_FIRST = frozenset({"grep", "rg", "sed", "awk", "jq", "yq"})
NETCATS = frozenset({"nc", "ncat", "netcat"})
_INSTEAD = "Do not send secrets or whole folders to another machine; ask the user."
_SENDERS = frozenset(
    [
        "nc",
        "ncat",
        "netcat",
        "telnet",
        "socat",
        "scp",
        "rsync",
        "sftp",
        "ftp",
        "lftp",
        "tftp",
        "ssh",
        "mail",
        "mailx",
        "sendmail",
        "mutt",
        "msmtp",
        "swaks",
        "dig",
        "nslookup",
        "host",
        "ping",
        "drill",
        "croc",
        "wormhole",
        "magic-wormhole",
        "transfer",
        "ffsend",
        "xxh",
        "whois",
        "finger",
    ]
)
_MAY_SEND = _SENDERS | _REQUESTERS | _STORES | {"gh", "openssl"}


def refuse(what: str) -> Finding:
    return Finding(Family.EXFILTRATION, what, _INSTEAD)


def judge_reverse_shell(command: Invocation) -> Finding | None:
    for redirect in command.redirects:
        if redirect.target.text.startswith(("/dev/tcp/", "/dev/udp/")):
            return refuse("opens a connection to another machine")
    if command.name in NETCATS and (
        has_option(command, "ec", "--exec", "--sh-exec")
        and any(is_shell(word.text.rsplit("/", 1)[-1]) for word in command.words)
    ):
        return refuse("gives another machine a shell")
    if command.name == "socat" and re.search(r"(?:exec|system):", command.text, re.IGNORECASE):
        return refuse("gives another machine a shell")
    return None


def judge_connection(text: str) -> Finding | None:
    """``exec 3<>/dev/tcp/host/port``, which the grammar does not read."""
    if "/dev/" in text and re.search(r"[<>]&?\s*/dev/(?:tcp|udp)/", without_quoted(text)):
        return refuse("opens a connection to another machine")
    return None


def judge_sender(command: Invocation) -> Finding | None:
    """Programs that send: refused when what they send is secret."""
    if not _sends(command) or _is_local(command):
        return None
    payload = _payload(command)
    secret = next(
        (
            text
            for text in payload
            if is_secret_file(place(command, text.lstrip("@")) if " " not in text else text) or _is_secret_text(text)
        ),
        None,
    )
    if secret is not None:
        return refuse("sends secrets to another machine")
    sources = command.input.sources if command.input is not None else ()
    text = (command.input.text or "") if command.input is not None else ""
    if _is_secret_text(text) or (command.name in ("sftp", "ftp", "lftp") and any(map(is_secret_file, text.split()))):
        return refuse("sends secrets to another machine")
    if command.wrapped_by[-1:] == ("find",):
        return refuse("sends every file that it finds to another machine")
    if command.input is not None and command.input.kind is InputKind.FILE and is_secret_file(command.input.file):
        return refuse("sends secrets to another machine")
    for source in sources:
        if _reads_secret(source):
            return refuse("sends secrets to another machine")
        if command.name != "ssh" and (source.name in _ARCHIVERS or source.text.startswith("git archive")):
            return refuse("sends an archive to another machine")
    if command.name in ("nc", "ncat", "netcat", "telnet") and command.input is not None:
        return refuse("sends data to another machine")
    return None


def _sends(command: Invocation) -> bool:
    name, arguments = command.name, command.arguments
    if name in _REQUESTERS:
        return True
    if name in _STORES:
        return any(
            word in ("cp", "sync", "copy", "mv", "put", "upload", "put-object", "move", "rsync", "upload-file")
            for word in arguments
        )
    if name == "openssl":
        return "s_client" in arguments
    if name == "gh":
        return arguments[:2] in (("gist", "create"), ("issue", "create"), ("pr", "comment"), ("issue", "comment"))
    return name in _SENDERS


def _is_local(command: Invocation) -> bool:
    hosts = [word.text for word in command.words[1:] if _URL.match(word.text) or _LOCAL.match(word.text)]
    return bool(hosts) and all(_LOCAL.match(host) for host in hosts)


def _payload(command: Invocation) -> list[str]:
    """What of its arguments a command sends."""
    if command.name in ("curl", "wget", "wget2", "xh", "http", "https", "httpie"):
        urls = [text for text in command.arguments if _URL.match(text) or "@" in text]
        headers = option_values(
            command,
            "-H",
            "--header",
            "-u",
            "--user",
            "-b",
            "--cookie",
            "-E",
            "--cert",
            "--key",
            "--cacert",
            "-o",
            "--output",
            "-x",
            "--proxy",
            "--netrc-file",
        )
        secret_headers = [
            text
            for text in option_values(command, "-H", "--header", "-b", "--cookie", "-A", "--user-agent")
            if "$(" in text
        ]
        return [text for text in [*option_values(command, *_DATA), *urls] if text not in headers] + secret_headers
    if command.name in ("scp", "rsync", "sftp", "rclone", "aws", "s3cmd"):
        paths = operands(
            command,
            (
                "-i",
                "-P",
                "-e",
                "-F",
                "-o",
                "-J",
                "--rsh",
                "--exclude",
                "--include",
            ),
        )
        sources = (
            paths[:-1]
            if len(paths) > 1 and re.match(r"[\w.@$-]+:", paths[-1])
            else []
            if command.name in ("scp", "rsync")
            else paths
        )
        return sources + option_values(command, "--body", "--file", "--source", "-f")
    if command.name == "ssh":
        return []
    return list(command.arguments)


def _is_secret_text(text: str) -> bool:
    return bool(SECRET_VARIABLE.search(text)) or (
        "$(" in text
        and bool(
            _SECRET_TOOLS.search(text)
            or re.search(
                r"[`(]\s*(?:env|set)\b|\bprintenv\b|"
                r"(?:cat|base64|head|xxd|tr|<)\s?[^)]*(?:\.env|\.ssh|credentials|\.pem|\.netrc|secret)",
                text,
            )
        )
    )


def _reads_secret(command: Invocation) -> bool:
    if command.name in _DUMPS and not [argument for argument in command.arguments if not argument.startswith("-")]:
        return True
    if command.name == "printenv" or _SECRET_TOOLS.match(command.text):
        return True
    if command.name in ("echo", "printf") and SECRET_VARIABLE.search(command.text):
        return True
    if command.input is not None and command.input.kind is InputKind.FILE and is_secret_file(command.input.file):
        return True
    paths = [place(command, argument) for argument in operands(command)]
    if command.name in _ARCHIVERS and any(is_everything(path) for path in paths) and "-C" not in command.arguments:
        return True
    return any(is_secret_file(path) for path in paths)


def judge_key_reader(command: Invocation) -> Finding | None:
    """Private keys outside of the project, printed where the model reads them."""
    paths = operands(command)[1:] if command.name in _PATTERN_FIRST else operands(command)
    if any(PRIVATE_KEY.search(place(command, path)) for path in paths):
        return refuse("prints a private key or credentials")
    return None


def judge_gathered_then_sent(commands: tuple[Invocation, ...]) -> Finding | None:
    """``tar czf x ~/.ssh; curl -T x URL``: a file that is made of secrets and then sent."""
    files: set[str] = set()
    if not any(command.name in _MAY_SEND and _sends(command) for command in commands):
        return None
    for command in commands:
        if (
            _sends(command)
            and not _is_local(command)
            and any(file in argument for argument in command.arguments for file in files)
        ):
            return refuse("sends secrets to another machine")
        if _reads_secret(command):
            files |= {redirect.target.text for redirect in command.redirects if redirect.writes}
            if command.name in ("tar", "zip", "7z", "cp", "gpg", "openssl"):
                files |= {
                    argument
                    for argument in command.arguments
                    if re.search(r"\.(?:t?gz|tar|zip|7z|bz2|xz|enc|gpg)$|^/tmp/", argument)
                }
    return None


JUDGES = {
    **dict.fromkeys(_MAY_SEND, (judge_sender,)),
    **dict.fromkeys(_READS, (judge_key_reader,)),
}
