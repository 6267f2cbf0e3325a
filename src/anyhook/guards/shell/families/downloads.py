"""Code from the network that runs unread."""

from __future__ import annotations

import re

from anyhook.guards.shell.finding import Family, Finding
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation
from anyhook.shell.programs import is_shell

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
        "ftp",
        "sftp",
        "scp",
        "lwp-request",
        "get",
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
_DOWNLOADED_WORD = LazyPattern(rf"(?:[<$]\(|`)\s*{_DOWNLOAD}")
_DECODED_WORD = LazyPattern(
    r"[<$]\([^)]*(?:base64\s+(?:-d|-D|--decode)|xxd\s+-r|openssl\s+(?:enc|base64)[^)]*-d|gunzip|zcat|uudecode)"
)
_INSTEAD = "Download the file, read it, then run it as a second step with the user's approval."


def refuse(what: str) -> Finding:
    return Finding(Family.REMOTE_CODE, what, _INSTEAD)


def judge_runner(command: Invocation) -> Finding | None:
    """A shell or an interpreter whose script comes from the network or from a decoder."""
    words = command.words[1:]
    for word in words:
        if _DOWNLOADED_WORD.search(word.text):
            return refuse("runs what it downloads")
        if _DECODED_WORD.search(word.text) and not word.is_known:
            return refuse("runs text that is only decoded when it runs")
    first = next((word.text for word in words if not word.text.startswith("-")), "")
    if command.name in ("deno", "bun") and re.search(r"https?://", command.text):
        return refuse("runs code from the network")
    if first.startswith(("http://", "https://")):
        return refuse("runs code from the network")
    return _judge_piped(command, first)


def _judge_piped(command: Invocation, first: str) -> Finding | None:
    source = command.input
    if source is None or source.text is not None:
        return None
    reads_script = (
        not first
        or first == "/dev/stdin"
        or "-s" in command.arguments
        or (is_shell(command.name) and "-c" in command.arguments)
    )
    if not reads_script:
        return None
    names = {one.name for one in source.sources}
    if names & DOWNLOADERS:
        return refuse("pipes a download into a shell")
    if is_shell(command.name) and names & _DECODERS and not names & {"find", "ls", "grep"}:
        return refuse("runs text that is only decoded when it runs")
    return None


def judge_installer(command: Invocation) -> Finding | None:
    """Packages from a place that is no registry, over an unprotected connection."""
    installs = any(argument in ("install", "i", "add") for argument in command.arguments)
    sets_index = re.search(r"\sset\s\S*(?:registry|index-url)[\s=]", command.text) is not None
    if (installs or sets_index) and re.search(r"(?<=[\s=])http://(?!localhost|127\.)", command.text):
        return refuse("installs a package over an unprotected connection")
    if (
        command.name in ("pip", "pip3", "uv")
        and re.search(
            r"--(?:extra-)?index-url[= ](?!https://(?:pypi\.org|test\.pypi\.org|download\.pytorch\.org))|"
            r"--trusted-host",
            command.text,
        )
        and "$" not in command.text
    ):
        return refuse("installs packages from another index")
    if command.name in ("npm", "pnpm", "yarn", "npx") and re.search(
        r"\shttps://(?!github\.com|gitlab\.com|registry\.)\S+\.tgz|npx\s+(?:-y\s+)?https?://", command.text
    ):
        return refuse("runs a package from an unknown place")
    return None


JUDGES = dict.fromkeys(("pip", "pip3", "uv", "npm", "pnpm", "yarn", "npx", "gem"), (judge_installer,))
