"""Which paths decide what hooks run: those of git, of hook managers, of every client, and anyhook's own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache

from anyhook.dialects import NAMES, profile
from anyhook.dialects.places import FileKind
from anyhook.lazy_pattern import LazyPattern
from anyhook.model.origin import Scope
from anyhook.shell.paths import normal

_OTHERS = (
    r"\.git/hooks|\.githooks|\.husky|\.pre-commit-config\.ya?ml|\.?lefthook[\w.-]*\.(?:ya?ml|toml|json)|"
    r"\.overcommit\.yml|\.opencode/plugins?|\.clinerules/hooks|"
    r"(?:site|dist)-packages/anyhook|\.anyhook|anyhook\.toml"
)
_OWN_STATE = (
    r"(?:\.(?:local/state|config|local/share|cache)|Library/(?:Application Support|Preferences|Caches|Logs)|"
    r"AppData/(?:Local|Roaming)|\$env:(?:LOCAL)?APPDATA|\$\{?XDG_\w+(?:HOME|DIR)[^/]*|run/user/[^/]+)/anyhook|"
    r"%(?:LOCAL)?APPDATA%/?anyhook.*|\$\{?ANYHOOK_STATE_DIR[^/]*"
)
"""Where anyhook keeps what was approved, the user's settings, and the daemon's socket."""
_OWN_FOLDERS = (("~", ".local", "state", "anyhook"), ("~", ".config", "anyhook"))
_OWN_VARIABLES = {
    "ANYHOOK_STATE_DIR": "",
    **dict.fromkeys(("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"), "anyhook"),
}
"""Variables that move these folders, and the folder's name in theirs."""
_PLAIN_FOLDER = LazyPattern(r"hooks(?:/[\w.*-]+)?")
"""``hooks/guard.sh`` in the project's root: scripts of a package. React has folders of that name, but below ``src``."""


def is_hook_file(path: str) -> bool:
    """A file or folder whose change can disable hooks."""
    if "." not in path and "anyhook" not in path.lower():  # the profiles of all clients need not be loaded
        return is_package_script(path)
    return _matches(_hook_file(), path) or is_own_state(path) or is_package_script(path)


def is_own_state(path: str) -> bool:
    """A path of anyhook's own state, settings or socket: what is in it decides which hooks were approved."""
    if "anyhook" in path.lower() and _matches(_own_state(), path.replace("\\", "/")):
        return True
    return "/" in path and not {*path}.isdisjoint("*?[") and any(_may_be(path.split("/"), own) for own in _OWN_FOLDERS)


def own_folders(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The folders of anyhook that variables name, where their paths alone do not tell."""
    given = [(environment.get(name), folder) for name, folder in _OWN_VARIABLES.items()]
    named = [normal(f"{value}/{folder}") for value, folder in given if value]
    return tuple(path for path in named if path.startswith(("/", "~")) and len(path) > 2 and not is_own_state(path))


def is_below(path: str, folders: Iterable[str]) -> bool:
    plain = normal(path)
    return any(plain == folder or plain.startswith(f"{folder}/") for folder in folders)


def _may_be(pattern: Sequence[str], own: Sequence[str]) -> bool:
    """Whether a pattern (``~/.local/*/any*/x``) can match a folder or what is in it."""
    return len(pattern) >= len(own) and all(
        fnmatchcase(name, part) and not (name[0] == "." and part[:1] in "*?[")
        for name, part in zip(own, pattern, strict=False)
    )


def _matches(pattern: re.Pattern[str], path: str) -> bool:
    """Whether a pattern matches where a name of the path begins: a search would try every character."""
    start = 0
    while pattern.match(path, start) is None:
        start = path.find("/", start) + 1
        if not start:
            return False
    return True


def is_package_script(path: str) -> bool:
    return _PLAIN_FOLDER.fullmatch(path) is not None and re.match(r"hooks/use[A-Z]", path) is None


def known_hook_files() -> tuple[str, ...]:
    """The hook files of clients that have one fixed name."""
    return tuple(pattern for pattern in _patterns() if "*" not in pattern)


def is_client_folder(path: str) -> bool:
    """The folder in which a client keeps its settings: ``.claude``, also below the home folder."""
    name = path.removeprefix("~/")
    return name.startswith(".") and "/" not in name and name in _folders()


@cache
def _hook_file() -> re.Pattern[str]:
    patterns = sorted({_as_regex(pattern) for pattern in _patterns()})
    scripts = [re.escape(folder) + "/hooks" for folder in sorted(_folders())]
    return re.compile(rf"(?:{'|'.join([_OTHERS, *scripts, *patterns])})(?:/|$)", re.IGNORECASE)


@cache
def _own_state() -> re.Pattern[str]:
    return re.compile(rf"(?:{_OWN_STATE})(?:/|$)", re.IGNORECASE)


@cache
def _patterns() -> tuple[str, ...]:
    """The places of hook files below a project or a home folder, of all clients."""
    scopes = (Scope.PROJECT, Scope.LOCAL, Scope.USER)
    return tuple(
        source.pattern
        for name in NAMES
        for source in profile(name).sources
        if source.scope in scopes and source.kind is not FileKind.COMPONENT
    )


@cache
def _folders() -> frozenset[str]:
    return frozenset(pattern.split("/")[0] for pattern in _patterns() if pattern.startswith(".")) - {".github"}


def _as_regex(pattern: str) -> str:
    return re.escape(pattern).replace(r"\*\*", ".*").replace(r"\*", "[^/]*").replace(r"\[!_\]", "[^_/]")
