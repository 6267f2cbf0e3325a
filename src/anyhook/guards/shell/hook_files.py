"""Which paths decide what hooks run: those of git, of hook managers, of every client, and anyhook's own."""

from __future__ import annotations

import re
from functools import cache

from anyhook.dialects import NAMES, profile
from anyhook.dialects.places import FileKind
from anyhook.lazy_pattern import LazyPattern
from anyhook.model.origin import Scope

_OTHERS = (
    r"\.git/hooks|\.githooks|\.husky|\.pre-commit-config\.ya?ml|\.?lefthook[\w.-]*\.(?:ya?ml|toml|json)|"
    r"\.overcommit\.yml|\.opencode/plugins?|\.clinerules/hooks|"
    r"(?:site|dist)-packages/anyhook|\.anyhook|anyhook\.toml|\.(?:local/state|config|local/share|cache)/anyhook"
)
_PLAIN_FOLDER = LazyPattern(r"hooks(?:/[\w.*-]+)?")
"""``hooks/guard.sh`` in the project's root: scripts of a package. React has folders of that name, but below ``src``."""


def is_hook_file(path: str) -> bool:
    """A file or folder whose change can disable hooks."""
    if "." not in path and "anyhook" not in path.lower():  # the profiles of all clients need not be loaded
        return is_package_script(path)
    matches, start = _hook_file().match, 0
    while matches(path, start) is None:  # only where a name begins: a search tries every character
        start = path.find("/", start) + 1
        if not start:
            return is_package_script(path)
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
