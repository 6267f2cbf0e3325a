"""Paths of a command line, seen from the folder in which the line starts.

A path is written as ``.`` (that folder), ``src/x`` (below it), ``../x`` (beside it), ``/etc/x`` or ``~/x``. What is not
known before the line runs keeps its variable: ``$DIR/x``.
"""

from __future__ import annotations

import re

_HOME = re.compile(r"(?:\$HOME|\$\{HOME\}|~|%USERPROFILE%|\$env:USERPROFILE)(?=/|$)", re.IGNORECASE)
"""The home folder of whoever runs the line; whose ``/home/me`` is, a guard knows."""
_NORMAL = re.compile(r"\.?[\w*?@%+,=-][\w*?@+,=.-]*(?:/\.?[\w*?@%+,=-][\w*?@+,=.-]*)*")
"""A plain relative path, which is normal already: most paths of command lines."""
_DRIVE = re.compile(r"^[A-Za-z]:(?=[\\/]|$)")


def join(folder: str | None, path: str) -> str:
    """A path as seen from the line's start, given the folder in which it is used; an unknown folder is ``$?``."""
    path = normal(path)
    if path.startswith(("/", "~", "$", "%")) or _DRIVE.match(path):
        return path
    if folder is None:
        folder = "$PWD"
    return path if folder == "." else normal(f"{folder}/{path}")


def normal(path: str) -> str:
    """Without ``.`` and ``..`` where they can be resolved, double slashes and a final slash; homes become ``~``."""
    if _NORMAL.fullmatch(path):
        return path
    path = path.replace("\\", "/") if _DRIVE.match(path) or "/" not in path else path
    path = path.removeprefix("file://")
    drive = _DRIVE.match(path)
    if drive is not None:
        path = path[2:] or "/"
    home = _HOME.match(path) if path[:1] in "$%" else None
    path = f"~{path[home.end() :]}" if home is not None else path
    parts: list[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part == ".." and parts and parts[-1] != ".." and not parts[-1].startswith(("$", "*")):
            if parts != ["~"]:
                parts.pop()
                continue
            return "/home" if path.endswith("..") else "/home/" + path.split("../", 1)[1]
        if part == ".." and not parts and path.startswith("/"):
            continue
        parts.append(part)
    text = "/".join(parts)
    if path.startswith("/"):
        return "/" + text
    return text or "."
