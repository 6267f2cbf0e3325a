"""What comes from other machines and is run unread, and what is sent to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from anyhook.guards.effects.command_effects import CommandEffects
from anyhook.guards.effects.model import Url, Verb, words
from anyhook.guards.effects.names import SECRET_VARIABLE, is_everything, is_secret_file, is_source_folder
from anyhook.guards.effects.program_table import merged, program, rows, special
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation
from anyhook.shell.git_aliases import verb_place
from anyhook.shell.programs import is_code_runner, is_shell
from anyhook.shell.words import without_quoted

DOWNLOADERS = words(
    "curl wget wget2 fetch aria2c http https httpie xh lynx links w3m nc ncat netcat socat ftp sftp scp "
    "lwp-request get axel"
)
_DECODERS = words(
    "base64 base32 openssl xxd gpg gunzip zcat uudecode bunzip2 bzcat xz xzcat rev tr uncompress od hexdump"
)
_DOWNLOAD = (
    r"(?:sudo\s+)?(?:/usr/bin/)?(?:curl|wget|fetch|lynx|http|iwr|irm|Invoke-WebRequest|Invoke-RestMethod|aria2c|nc|"
    r"xh)\b"
)
_DOWNLOADED_WORD = LazyPattern(rf"(?:[<$]\(|`)\s*{_DOWNLOAD}")
_DECODED_WORD = LazyPattern(
    r"[<$]\([^)]*(?:base64\s+(?:-d|-D|--decode)|xxd\s+-r|openssl\s+(?:enc|base64)[^)]*-d|gunzip|zcat|uudecode)"
)
_DECODED = "runs text that is only decoded when it runs"
_ARRIVED = "downloads a program and runs it"


def runner(run: CommandEffects) -> None:
    """A shell or an interpreter whose script comes from the network or from a decoder."""
    given = run.command.words[1:]
    for word in given:
        if _DOWNLOADED_WORD.search(word.text):
            run.add(Verb.RUNS, "code", "runs what it downloads")
        elif _DECODED_WORD.search(word.text) and not word.is_known:
            run.add(Verb.RUNS, "code", _DECODED)
    first = next((word.text for word in given if not word.text.startswith("-")), "")
    is_url = run.name in ("deno", "bun") and re.search(r"https?://", run.text)
    if is_url or first.startswith(("http://", "https://")):
        run.add(Verb.RUNS, "code", "runs code from the network")
    source = run.command.input
    if source is None or source.text is not None:
        return
    takes_script = "-s" in run.arguments or (is_shell(run.name) and "-c" in run.arguments)
    if first not in ("", "/dev/stdin", "-") and not takes_script:
        return
    names = {one.name for one in source.sources}
    if names & DOWNLOADERS:
        run.add(Verb.RUNS, "code", "pipes a download into a shell")
    if is_shell(run.name) and names & _DECODERS and not names & {"find", "ls", "grep"}:
        run.add(Verb.RUNS, "code", _DECODED)


_INSTALLS = r"^(?=.*\s(?:install|i|add)(?:\s|$)|.*\sset\s\S*(?:registry|index-url)[\s=])"
INSTALLERS = rows(
    Verb.RUNS,
    "code",
    program("pip pip3 uv npm pnpm yarn npx gem", "installs a package over an unprotected connection",
            line=_INSTALLS + r".*(?<=[\s=])http://(?!localhost|127\.)"),
    program("pip pip3 uv", "installs packages from another index", line=r"^[^$]*(?:--trusted-host|"
            r"--(?:extra-)?index-url[= ](?!https://(?:pypi\.org|test\.pypi\.org|download\.pytorch\.org)))[^$]*$"),
    program("npm pnpm yarn npx", "runs a package from an unknown place",
            line=r"\shttps://(?!github\.com|gitlab\.com|registry\.)\S+\.tgz|^\S*npx\s+(?:-y\s+)?https?://"),
    program("pip pip3 uv pipx", "runs a package from an unknown place", words=r"(?:pip )?install",
            line=r"\s(?:\S+ ?@ ?)?https?://(?!(?:github\.com|gitlab\.com|files\.pythonhosted\.org|pypi\.org|"
            r"download\.pytorch\.org|localhost|127\.))\S+\.(?:tar\.gz|tgz|zip|whl|tar\.bz2)(?:[#\s]|$)"),
)  # fmt: skip

# --------------------------------------------------------------------------------- what a line brings, and then starts

_UNPACKERS = words("tar gtar bsdtar unzip 7z 7za 7zz cpio jar unrar ditto expand-archive")
_DECOMPRESSORS = words("gunzip gzip bunzip2 unxz xz unzstd zstd unlz4")
_COPIERS = words("mv cp install ln rsync")
_INSTALLING = words("installer dpkg rpm start open")
_FOLDERS = ("-C", "--directory", "-d", "-DestinationPath")
"""Options for the folder into which is unpacked."""
_ARCHIVE = LazyPattern(r"\.(?:tar(?:\.\w+)?|t[gbx]z2?|zip|gz|bz2|xz|zst)$", re.IGNORECASE)
_COMPRESSED = LazyPattern(r"\.(?:gz|bz2|xz|zst|lz4)$", re.IGNORECASE)
_SET_UP = LazyPattern(r"(?:install|set-?up|bootstrap|configure)[\w.-]*", re.IGNORECASE)
_OUTPUT_GROUP = LazyPattern(r"-[a-zA-Z]+[oO]")
"""``curl -fsSLo file``, ``wget -qO file``."""
_REMOTE = LazyPattern(r"(?!file:)[\w+.-]+://|[\w.-]+@[\w.-]+:|gh:")
_BUILD_WRAPPERS = words("gradlew mvnw gradlew.bat mvnw.cmd")
"""Scripts of the project itself that start a build."""
_OUTPUTS = ("-o", "--output", "-O", "--output-document", "-OutFile", "-outfile", "--out", "-P")


def arrived(line: Sequence[CommandEffects]) -> None:
    """``curl -o x URL; sh x``, ``curl URL | tar xz && ./x/install.sh``, ``git clone URL x && x/install.sh``."""
    if len(line) < 2 or not any(_may_bring(run) for run in line):
        return
    brought: set[str] = set()
    for run in line:
        if brought and (started := _started_file(run)) and _has_arrived(run.shown(started), run, brought):
            run.add(Verb.RUNS, "code", _ARRIVED)
            return
        brought |= {run.shown(path) for path in _brought(run, brought)}


def _may_bring(run: CommandEffects) -> bool:
    return run.name in DOWNLOADERS or (run.name == "git" and "clone" in run.arguments)


def _has_arrived(path: str, run: CommandEffects, brought: set[str]) -> bool:
    """Whether a path has come from the network. What is unpacked into the project's folder lies among its own files."""
    if path.rsplit("/", 1)[-1] in _BUILD_WRAPPERS:
        return False
    if any(path == one or path.startswith(f"{one}/") for one in brought if one != "."):
        return True
    if "." not in brought or path.startswith(("/", "~", "$")):
        return False
    folder, slash, _ = path.partition("/")
    if slash:
        return not is_source_folder(folder) and not folder.startswith(".") and folder not in ("node_modules", "venv")
    runs_own_script = is_code_runner(run.name) and not is_shell(run.name)
    return not runs_own_script or _SET_UP.match(path) is not None


def _brought(run: CommandEffects, brought: set[str]) -> Iterator[str]:
    """The files and folders that a command brings from the network, or makes of what has come from there."""
    name = run.name
    if name in DOWNLOADERS:
        yield from _downloaded(run)
    elif name == "git":
        yield from _cloned(run)
    elif name in _UNPACKERS or name in _DECOMPRESSORS or name in _COPIERS:
        named = [path for path in run.operands() if _is_part_of(run.shown(path), brought)]
        if not named and not any(source.name in DOWNLOADERS for source in run.sources):
            return
        if name in _UNPACKERS:
            folders = run.values(*_FOLDERS) + [text[2:] for text in run.arguments if text[:2] == "-o"]
            yield from folders or ["."]
            yield from (_ARCHIVE.sub("", path) for path in named)
        elif name in _COPIERS:
            yield from run.operands()
        yield from (_COMPRESSED.sub("", path) for path in named)
        yield from (redirect.target.text for redirect in run.command.redirects if redirect.writes)


def _is_part_of(path: str, brought: set[str]) -> bool:
    return path in brought or any(path.startswith(f"{one}/") for one in brought)


def _downloaded(run: CommandEffects) -> Iterator[str]:
    arguments = run.arguments
    yield from run.values(*_OUTPUTS)
    yield from (arguments[number + 1] for number, text in enumerate(arguments[:-1]) if _OUTPUT_GROUP.fullmatch(text))
    yield from (redirect.target.text for redirect in run.command.redirects if redirect.writes)
    if run.name in ("wget", "wget2", "axel", "aria2c") or run.has("OJ", "--remote-name"):
        addresses = [re.split(r"[?#]", text)[0].rstrip("/") for text in arguments if "://" in text]
        yield from (address.rsplit("/", 1)[-1] for address in addresses)


def _cloned(run: CommandEffects) -> Iterator[str]:
    verb = verb_place(run.arguments)
    if run.arguments[verb : verb + 1] != ("clone",):
        return
    rest = [text for text in run.arguments[verb + 1 :] if not text.startswith("-")]
    place = next((number for number, text in enumerate(rest) if _REMOTE.match(text)), len(rest))
    if place < len(rest):
        address = rest[place].rstrip("/").removesuffix(".git")
        yield "".join(rest[place + 1 : place + 2]) or re.split(r"[/:]", address)[-1]


def _started_file(run: CommandEffects) -> str:
    if is_code_runner(run.name):
        return next(iter(run.operands()), "")
    if run.command.words and "/" in run.command.words[0].text:
        return run.command.words[0].text
    if run.name in _INSTALLING:
        return next((text for text in run.operands(("-i",)) or run.arguments[-1:]), "")
    return ""


# --------------------------------------------------------------------------------------------------------- what is sent

_LOCAL = LazyPattern(
    r"(?:\w+://)?(?:[\w.~-]*:?[^@/]*@)?(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1\]?|host\.docker\.internal|"
    r"[\w-]+\.(?:local|test|localhost))(?=[:/?]|$)",
    re.IGNORECASE,
)
_URL = LazyPattern(r"\w+://|[\w-]+(?:\.[\w-]+)+(?:[:/]|$)")
_DATA = [
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
]
_NOT_SENT = [
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
]
_COPY_VALUES = ["-i", "-P", "-e", "-F", "-o", "-J", "--rsh", "--exclude", "--include"]
_REQUESTERS = words("curl wget wget2 http https xh httpie")
_STORES = words("aws gsutil gcloud az rclone s3cmd mc b2")
_STORE_VERBS = words("cp sync copy mv put upload put-object move rsync upload-file")
_SENDERS = words(
    "nc ncat netcat telnet socat scp rsync sftp ftp lftp tftp ssh mail mailx sendmail mutt msmtp swaks dig "
    "nslookup host "
    "ping drill croc wormhole magic-wormhole transfer ffsend xxh whois finger"
)
_MAY_SEND = _SENDERS | _REQUESTERS | _STORES | {"gh", "openssl"}
_DUMPS = words("env set export declare compgen")
_SECRET_TOOLS = LazyPattern(
    r"(?:gh auth token|gcloud auth print|aws configure (?:get|export)|aws sts get-session|security find-\S+password|"
    r"op read|pass show|vault (?:read|kv get)|kubectl get secrets?|heroku auth:token|az account get-access-token|"
    r"npm token|secret-tool lookup|doppler secrets|bw get|history|docker inspect|crontab -l|git config .*credential|"
    r"git credential fill|aws secretsmanager get-secret-value|aws ssm get-parameter|gpg .*--export-secret)"
)
_ARCHIVERS = words("tar zip 7z gzip dd pg_dump pg_dumpall mysqldump mongodump sqlite3 cpio")
_DUMPED_TEXT = LazyPattern(
    r"[`(]\s*(?:env|set)\b|\bprintenv\b|(?:cat|base64|head|xxd|tr|<)\s?[^)]*(?:\.env|\.ssh|credentials|\.pem|\.netrc|secret)"
)
METADATA = LazyPattern(
    r"169\.254\.169\.254|metadata\.google\.internal|169\.254\.170\.2|fd00:ec2::254|100\.100\.100\.200"
)
"""Where a machine in a cloud gets its credentials."""
NETCATS = words("nc ncat netcat")
_SECRETS = "sends secrets to another machine"
_SHELL = "gives another machine a shell"


def sender(run: CommandEffects) -> None:
    """Programs that send: an effect if what they send is secret."""
    if run.name in _REQUESTERS and METADATA.search(run.text):
        run.add(Verb.READS, "credentials", "asks a cloud for the credentials of this machine")
    if not _sends(run) or _is_local(run):
        return
    if any(_is_secret(run, text) for text in _payload(run)) or _sends_input(run):
        run.add(Verb.SENDS, "secrets", _SECRETS)
    if run.command.wrapped_by[-1:] == ("find",):
        run.add(Verb.SENDS, "secrets", "sends every file that it finds to another machine")
    for source in run.sources:
        if _reads_secret(CommandEffects(source, run.where, run.by)):
            run.add(Verb.SENDS, "secrets", _SECRETS)
        if run.name != "ssh" and (source.name in _ARCHIVERS or source.text.startswith("git archive")):
            run.add(Verb.SENDS, "secrets", "sends an archive to another machine")
    if run.name in ("nc", "ncat", "netcat", "telnet") and run.command.input is not None:
        run.add(Verb.SENDS, "secrets", "sends data to another machine")


def _sends_input(run: CommandEffects) -> bool:
    text = run.input_text
    is_batch = run.name in ("sftp", "ftp", "lftp") and any(map(is_secret_file, text.split()))
    return is_secret_text(text) or is_batch or is_secret_file(run.input_file)


def _is_secret(run: CommandEffects, text: str) -> bool:
    if is_secret_text(text):
        return True
    name = text.lstrip("@")
    return is_secret_file(text if " " in text else run.shown(name) if name else "")


def _sends(run: CommandEffects) -> bool:
    name, arguments = run.name, run.arguments
    if name in _STORES:
        return not _STORE_VERBS.isdisjoint(arguments)
    if name == "openssl":
        return "s_client" in arguments
    if name == "gh":
        return arguments[:2] in (("gist", "create"), ("issue", "create"), ("pr", "comment"), ("issue", "comment"))
    return name in _SENDERS or name in _REQUESTERS


def _is_local(run: CommandEffects) -> bool:
    hosts = [word for word in run.arguments if _URL.match(word) or _LOCAL.match(word)]
    return bool(hosts) and all(map(_LOCAL.match, hosts))


def _payload(run: CommandEffects) -> list[str]:
    """What of its arguments a command sends."""
    if run.name in _REQUESTERS:
        urls = [text for text in run.arguments if _URL.match(text) or "@" in text]
        kept = run.values(*_NOT_SENT)
        spoken = run.values("-H", "--header", "-b", "--cookie", "-A", "--user-agent")
        return [text for text in [*run.values(*_DATA), *urls] if text not in kept] + [
            text for text in spoken if "$(" in text
        ]
    if run.name in ("scp", "rsync", "sftp", "rclone", "aws", "s3cmd"):
        paths = run.operands(_COPY_VALUES)
        if len(paths) > 1 and re.match(r"[\w.@$-]+:", paths[-1]):
            paths = paths[:-1]
        elif run.name in ("scp", "rsync"):
            paths = []
        return paths + run.values("--body", "--file", "--source", "-f")
    return [] if run.name == "ssh" else list(run.arguments)


def is_secret_text(text: str) -> bool:
    """A variable of a secret, or a substitution that prints one."""
    if SECRET_VARIABLE.search(text):
        return True
    return "$(" in text and bool(_SECRET_TOOLS.search(text) or _DUMPED_TEXT.search(text))


def _reads_secret(run: CommandEffects) -> bool:
    plain = [argument for argument in run.arguments if not argument.startswith("-")]
    if (run.name in _DUMPS and not plain) or run.name == "printenv" or _SECRET_TOOLS.match(run.text):
        return True
    if run.name in ("echo", "printf") and SECRET_VARIABLE.search(run.text):
        return True
    folders = ["", *[f"{folder}/" for folder in run.values("-C", "--directory", "--cd")]]
    shown = [run.shown(f"{folder}{argument}") for folder in folders for argument in run.operands()]
    if run.name in _ARCHIVERS and any(map(is_everything, shown)) and "-C" not in run.arguments:
        return True
    return is_secret_file(run.input_file) or any(map(is_secret_file, shown))


_PRINTS_SECRET = LazyPattern(
    r"gh auth (?:token|status\b.*\s(?:-t|--show-token))\b|aws configure get \S*(?:secret|session_token)|"
    r"vault (?:kv get|read)\s.*-field|git credential(?:-\S+)? (?:fill|get)\b|"
    r"kubectl\s(?:.*\s)?get\s(?:.*\s)?secrets?(?:[\s/].*)?\s(?:-o|--output)[\s=]?(?:ya?ml|json|go-template|custom)"
)
"""Commands of tools that keep secrets, where they print the secret itself."""
_SECRET_NAMES = LazyPattern(r"(?i)token|secret|passw|api_?.?key|credential")
_FILTERS = words(
    "grep egrep fgrep rg head tail sed awk gawk cut sort uniq tr cat tac base64 base32 jq yq xxd od rev nl fold column "
    "less more strings"
)
"""Programs that print what they read."""


def printed(line: Sequence[CommandEffects]) -> None:
    """``gh auth token``, ``printenv | grep -i secret``: secrets that the model would read, not another program."""
    for run in line:
        command = run.command
        is_dump = run.name in ("env", "printenv") and not run.operands()
        if not is_dump and _PRINTS_SECRET.match(run.text) is None:
            continue
        readers = [one for one in line if any(source is command or source == command for source in one.sources)]
        if any(_is_captured(command, one) for one in line):
            continue
        if any(one.command.redirects or one.name not in _FILTERS for one in readers):
            continue
        if any(each.writes and each.target.text[:1] != "&" for each in command.redirects if each.operator[:1] != "2"):
            continue
        if not is_dump or any(_SECRET_NAMES.search(one.text) and not _is_counted(one) for one in readers):
            run.add(Verb.READS, "credentials", "prints secrets")


def _is_captured(command: Invocation, by: CommandEffects) -> bool:
    """Whether a command stands in a substitution of another one that does not print it: they have the same place."""
    other = by.command
    if other is command or (other.start, other.end) != (command.start, command.end) or other.name in command.wrapped_by:
        return False
    return other.name not in ("echo", "printf") and not is_code_runner(other.name)


def _is_counted(run: CommandEffects) -> bool:
    return run.has("qcvlL", "--quiet", "--count", "--invert-match", "--silent") or run.name in (
        "cut",
        "sed",
        "awk",
    )


def gathered(line: Sequence[CommandEffects]) -> None:
    """``tar czf x ~/.ssh; curl -T x URL``: a file that is made of secrets and then sent."""
    if not any(run.name in _MAY_SEND and _sends(run) for run in line):
        return
    files: set[str] = set()
    for run in line:
        names_one = any(file in argument for argument in run.arguments for file in files)
        if names_one and _sends(run) and not _is_local(run):
            run.add(Verb.SENDS, "secrets", _SECRETS)
            return
        if _reads_secret(run):
            files |= {redirect.target.text for redirect in run.command.redirects if redirect.writes}
            if run.name in ("tar", "zip", "7z", "cp", "gpg", "openssl"):
                archive = r"\.(?:t?gz|tar|zip|7z|bz2|xz|enc|gpg)$|^/tmp/"
                files |= {argument for argument in run.arguments if re.search(archive, argument)}


def connections(run: CommandEffects) -> None:
    """Whatever the program: what is redirected to another machine."""
    for redirect in run.command.redirects:
        if redirect.target.text.startswith(("/dev/tcp/", "/dev/udp/")):
            run.add(Verb.SENDS, "connection", "opens a connection to another machine")
    starts_shell = any(is_shell(word.text.rsplit("/", 1)[-1]) for word in run.command.words)
    if run.name in NETCATS and starts_shell and run.has("ec", "--exec", "--sh-exec"):
        run.add(Verb.SENDS, "connection", _SHELL)
    if run.name == "socat" and re.search(r"(?:exec|system):", run.text, re.IGNORECASE):
        run.add(Verb.SENDS, "connection", _SHELL)


def opens_connection(text: str) -> bool:
    """``exec 3<>/dev/tcp/host/port``, which the grammar does not read."""
    return "/dev/" in text and re.search(r"[<>]&?\s*/dev/(?:tcp|udp)/", without_quoted(text)) is not None


# ------------------------------------------------------------------------------------------------------------ addresses

_ADDRESS = LazyPattern(r"\b(?:https?|ftp|ssh|git|wss?)://[^\s\"'`<>|;&)\\]+", re.IGNORECASE)
_HOST_WORD = LazyPattern(
    r"(?:[\w.+-]+@)?((?:[\w-]+\.)+[a-z]{2,}|localhost|\d+(?:\.\d+){3})(?::\S*|/\S*)?", re.IGNORECASE
)
_SPEAKERS = words("echo printf grep rg sed awk cat true #")
"""Programs for which an address is only text."""
_CURL = words(
    "-o --output -H --header -d --data --data-raw --data-binary -F --form -X --request -u --user -A --user-agent "
    "-b -c -e "
    "-T --upload-file -w -m --max-time --connect-timeout --retry -K --config --cacert --cert --key -O"
)
_SSH = words("-i -p -l -o -F -L -R -D -P -b -c -e --rsh --exclude")
_CONNECTORS = {
    **dict.fromkeys(("curl", "wget", "wget2", "http", "https"), _CURL),
    **dict.fromkeys(("ssh", "scp", "sftp", "rsync", "nc", "ncat", "telnet", "ftp"), _SSH),
}
"""Programs that take a host without a scheme, with their options that take a value."""


def addresses(run: CommandEffects) -> None:
    """The hosts that a command names, as far as its line tells."""
    if run.name in _SPEAKERS:
        return
    for argument in run.arguments:
        if "://" in argument:
            for text in _ADDRESS.findall(argument):
                run.add(Verb.READS, Url(text, host_of(text)))
    if run.name not in _CONNECTORS:
        return
    for word in run.operands(_CONNECTORS[run.name]):
        plain = None if "://" in word else _HOST_WORD.fullmatch(word)
        if plain and (":" in word or run.name not in ("scp", "rsync")):
            run.add(Verb.READS, Url(word, plain[1].lower()))


def host_of(url: str) -> str:
    from urllib.parse import urlsplit  # few calls have one

    try:
        host = urlsplit(url if "://" in url else f"https://{url}").hostname
    except ValueError:
        host = url.partition("://")[2].partition("/")[0]
    return (host or "").lower()


PROGRAMS = merged(INSTALLERS, special(" ".join(sorted(_MAY_SEND)), sender))
