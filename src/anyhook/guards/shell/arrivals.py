"""Files that a line brings from the network, and then starts: downloads, what is unpacked from them, clones."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anyhook.guards.shell.families.downloads import DOWNLOADERS, refuse
from anyhook.guards.shell.finding import Finding
from anyhook.guards.shell.options import has_option, operands, option_values
from anyhook.guards.shell.places import is_source_folder, place
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation
from anyhook.shell.git_aliases import verb_place
from anyhook.shell.programs import is_code_runner, is_shell

_UNPACKERS = frozenset(
    {"tar", "gtar", "bsdtar", "unzip", "7z", "7za", "7zz", "cpio", "jar", "unrar", "ditto", "expand-archive"}
)
_DECOMPRESSORS = frozenset({"gunzip", "gzip", "bunzip2", "unxz", "xz", "unzstd", "zstd", "unlz4"})
_COPIERS = frozenset({"mv", "cp", "install", "ln", "rsync"})
_INSTALLERS = frozenset({"installer", "dpkg", "rpm", "start", "open"})
_FOLDERS = ("-C", "--directory", "-d", "-DestinationPath")
"""Options for the folder into which is unpacked."""
_ARCHIVE = LazyPattern(r"\.(?:tar(?:\.\w+)?|t[gbx]z2?|zip|gz|bz2|xz|zst)$", re.IGNORECASE)
_COMPRESSED = LazyPattern(r"\.(?:gz|bz2|xz|zst|lz4)$", re.IGNORECASE)
_SET_UP = LazyPattern(r"(?:install|set-?up|bootstrap|configure)[\w.-]*", re.IGNORECASE)
_OUTPUT_GROUP = LazyPattern(r"-[a-zA-Z]+[oO]")
"""``curl -fsSLo file``, ``wget -qO file``."""
_REMOTE = LazyPattern(r"(?!file:)[\w+.-]+://|[\w.-]+@[\w.-]+:|gh:")
_BUILD_WRAPPERS = frozenset({"gradlew", "mvnw", "gradlew.bat", "mvnw.cmd"})
"""Scripts of the project itself that start a build."""


def judge_started(commands: tuple[Invocation, ...]) -> Finding | None:
    """``curl -o x URL; sh x``, ``curl URL | tar xz && ./x/install.sh``, ``git clone URL x && x/install.sh``."""
    if len(commands) < 2 or not any(map(_may_bring, commands)):
        return None
    arrived: set[str] = set()
    for command in commands:
        if arrived and (started := _started_file(command)) and _has_arrived(place(command, started), command, arrived):
            return refuse("downloads a program and runs it")
        arrived |= {place(command, path) for path in _brought(command, arrived)}
    return None


def _may_bring(command: Invocation) -> bool:
    return command.name in DOWNLOADERS or (command.name == "git" and "clone" in command.arguments)


def _has_arrived(path: str, command: Invocation, arrived: set[str]) -> bool:
    """Whether a path has come from the network. What is unpacked into the project's folder lies among its own files."""
    if path.rsplit("/", 1)[-1] in _BUILD_WRAPPERS:
        return False
    if any(path == one or path.startswith(f"{one}/") for one in arrived if one != "."):
        return True
    if "." not in arrived or path.startswith(("/", "~", "..", "$")):
        return False
    folder, slash, _ = path.partition("/")
    if slash:
        return not is_source_folder(folder) and not folder.startswith(".") and folder not in ("node_modules", "venv")
    runs_own_script = is_code_runner(command.name) and not is_shell(command.name)
    return not runs_own_script or _SET_UP.match(path) is not None


def _brought(command: Invocation, arrived: set[str]) -> Iterator[str]:
    """The files and folders that a command brings from the network, or makes of what has come from there."""
    name = command.name
    if name in DOWNLOADERS:
        yield from _downloaded_files(command)
        return
    if name == "git":
        yield from _cloned_folder(command)
        return
    if name not in _UNPACKERS and name not in _DECOMPRESSORS and name not in _COPIERS:
        return
    sources = command.input.sources if command.input is not None else ()
    named = [path for path in operands(command) if _is_part_of(place(command, path), arrived)]
    if not named and not any(source.name in DOWNLOADERS for source in sources):
        return
    if name in _UNPACKERS:
        folders = option_values(command, *_FOLDERS) + [text[2:] for text in command.arguments if text[:2] == "-o"]
        yield from folders or ["."]
        yield from (_ARCHIVE.sub("", path) for path in named)
    elif name in _COPIERS:
        yield from operands(command)
    yield from (_COMPRESSED.sub("", path) for path in named)
    yield from (redirect.target.text for redirect in command.redirects if redirect.writes)


def _is_part_of(path: str, arrived: set[str]) -> bool:
    return path in arrived or any(path.startswith(f"{one}/") for one in arrived)


def _downloaded_files(command: Invocation) -> Iterator[str]:
    arguments = command.arguments
    yield from option_values(
        command, "-o", "--output", "-O", "--output-document", "-OutFile", "-outfile", "--out", "-P"
    )
    yield from (arguments[number + 1] for number, text in enumerate(arguments[:-1]) if _OUTPUT_GROUP.fullmatch(text))
    yield from (redirect.target.text for redirect in command.redirects if redirect.writes)
    if command.name in ("wget", "wget2", "axel", "aria2c") or has_option(command, "OJ", "--remote-name"):
        addresses = [re.split(r"[?#]", text)[0].rstrip("/") for text in arguments if "://" in text]
        yield from (address.rsplit("/", 1)[-1] for address in addresses)


def _cloned_folder(command: Invocation) -> Iterator[str]:
    verb = verb_place(command.arguments)
    if command.arguments[verb : verb + 1] != ("clone",):
        return
    rest = [text for text in command.arguments[verb + 1 :] if not text.startswith("-")]
    place_of = next((number for number, text in enumerate(rest) if _REMOTE.match(text)), len(rest))
    if place_of < len(rest):
        address = rest[place_of].rstrip("/").removesuffix(".git")
        yield "".join(rest[place_of + 1 : place_of + 2]) or re.split(r"[/:]", address)[-1]


def _started_file(command: Invocation) -> str:
    if is_code_runner(command.name):
        return next(iter(operands(command)), "")
    if command.words and "/" in command.words[0].text:
        return command.words[0].text
    if command.name in _INSTALLERS:
        return next((text for text in operands(command, ("-i",)) or command.arguments[-1:]), "")
    return ""
