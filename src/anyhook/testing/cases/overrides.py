"""Changes values of a fixture by dotted paths: ``toolInput.edits.0.text``, ``toolInput."a.b"``. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_PART = re.compile(r'"((?:[^"\\]|\\.)*)"|\'([^\']*)\'|([^."\'][^.]*)', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_INDEX = re.compile(r"0|[1-9][0-9]*")


class _Override(NamedTuple):
    key: str
    """The path as the case has it."""
    path: tuple[str, ...]
    value: Any


class OverrideError(Exception):
    """An override that cannot be applied; the text says why."""

    def __init__(self, override: _Override, text: str) -> None:
        super().__init__(text)
        self.key = override.key


def parse_path(text: str) -> tuple[str, ...]:
    """The keys of a dotted path; a key with a dot is in quotes. Raises ValueError when it is no path."""
    keys: list[str] = []
    at = 0
    while True:
        found = _PART.match(text, at)
        if found is None:
            raise ValueError(
                "a key is missing between two dots" if text[at : at + 1] in ("", ".") else "a quote is open"
            )
        double, single, bare = found.groups()
        keys.append(_ESCAPED.sub(r"\1", double) if double is not None else single if single is not None else bare)
        at = found.end()
        if at == len(text):
            return tuple(keys)
        if text[at] != ".":
            raise ValueError("after a quoted key comes a dot or nothing")
        at += 1


def apply_overrides(data: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The data with every override applied, in their order; the data itself does not change.

    Missing parents are created: an object, or a list where the next key is 0. Raises :class:`OverrideError`.
    """
    result = dict(data)
    for key, value in overrides.items():
        result = _put(result, _Override(key, parse_path(key), value), 0)
    return result


def _put(container: Any, override: _Override, depth: int) -> Any:
    """A copy of the container with the override's value below it."""
    key, is_last = override.path[depth], depth == len(override.path) - 1
    if container is None:
        container = [] if key == "0" else {}
    if isinstance(container, Mapping):
        below = override.value if is_last else _put(container.get(key), override, depth + 1)
        return {**container, key: below}
    if isinstance(container, list):
        index = _index(container, override, depth)
        old = container[index] if index < len(container) else None
        below = override.value if is_last else _put(old, override, depth + 1)
        return [*container[:index], below, *container[index + 1 :]]
    above = show_path(override.path[:depth])
    raise OverrideError(override, f"{above} is {_shown(container)}, which has no {key} in it")


def _index(items: list[Any], override: _Override, depth: int) -> int:
    key, above = override.path[depth], show_path(override.path[:depth])
    if not _INDEX.fullmatch(key):
        raise OverrideError(override, f"{above} is a list; its items are numbered, and {key} is no number")
    if int(key) > len(items):
        raise OverrideError(override, f"{above} has {len(items)} items, so {key} would leave a hole")
    return int(key)


def show_path(path: Sequence[str]) -> str:
    """A path as it is written, with quotes where they are needed."""
    return ".".join(key if _PART.fullmatch(key) and key[0] not in "\"'" else _quoted(key) for key in path)


def _quoted(key: str) -> str:
    escaped = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _shown(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f"the text {value[:40]!r}"
        case _:
            return f"the number {value}"
