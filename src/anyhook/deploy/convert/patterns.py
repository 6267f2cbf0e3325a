"""Matchers as text: what a pattern is made of, and how names are written in a client's language. Pure."""

from __future__ import annotations

import re

from anyhook.dialects.profile import MatchMode, Otherwise
from anyhook.engine.match import compile_pattern

ANY = "*"
"""Any text, in a name of which only a part is known."""

_ANYTHING = re.compile(r"\.[*+]\??|\\w[*+]|\[\^_\][*+]|\[[a-zA-Z0-9_\\-]+\][*+]")
_PLAIN = re.compile(r"(?:[A-Za-z0-9_@:/ -]|\\[^A-Za-z0-9])+")


def literal(branch: str) -> str | None:
    """The name that an alternative consists of; None when it is a real pattern."""
    text = branch.removeprefix("^").removesuffix("$")
    if not text or not _PLAIN.fullmatch(text):
        return None
    return re.sub(r"\\(.)", r"\1", text)


def split_pattern(text: str, mode: MatchMode) -> tuple[str, ...]:
    """The alternatives of a pattern, ``^(A|B)$`` as ``^A$`` and ``^B$``; one that has none is its own alternative."""
    if mode.otherwise is Otherwise.GLOB:
        return (text,)
    start = "^" if text.startswith("^") else ""
    end = "$" if text.endswith("$") and not text.endswith("\\$") else ""
    inner = text[len(start) : len(text) - len(end)]
    if grouped := re.fullmatch(r"\((?:\?:)?(.*)\)", inner, re.DOTALL):
        branches = _alternatives(grouped[1])
        if branches is not None:
            return tuple(f"{start}{branch}{end}" for branch in branches)
    return tuple(_alternatives(text) or (text,))


def _alternatives(text: str) -> list[str] | None:
    """The text cut at every ``|`` outside of brackets; None when brackets do not match."""
    parts, depth, in_class = [""], 0, False
    for token in re.findall(r"\\.|.", text, re.DOTALL):
        if token == "[":
            in_class = True
        elif token == "]":
            in_class = False
        elif not in_class:
            depth += {"(": 1, ")": -1}.get(token, 0)
            if depth < 0:
                return None
            if token == "|" and depth == 0:
                parts.append("")
                continue
        parts[-1] += token
    return None if depth else [part for part in parts if part]


def as_glob(text: str, mode: MatchMode) -> str | None:
    """A simple pattern with ``*`` for any text; None when it is not that simple."""
    is_open = mode.otherwise is Otherwise.SEARCH and not text.endswith("$")
    if mode.otherwise is Otherwise.GLOB:
        return text if re.fullmatch(r"[\w@:/*-]*", text) else None
    body = _ANYTHING.sub(ANY, text.removesuffix("$"))
    if not re.fullmatch(r"(?:[\w@:/*-]|\\[^A-Za-z0-9])*", body):
        return None
    plain = re.sub(r"\\(.)", r"\1", body)
    return plain if not is_open or plain.endswith(ANY) else plain + ANY


def glob_pattern(glob: str) -> str:
    """A regular expression for a text in which ``*`` is any text."""
    return ".*".join(escape_name(part) for part in glob.split(ANY))


def escape_name(name: str) -> str:
    """A name as a pattern, escaped only where every flavour of regular expressions needs it."""
    return re.sub(r"([.\\+*?()|\[\]{}^$])", r"\\\1", name)


def write_matchers(names: tuple[str, ...], globs: tuple[str, ...], mode: MatchMode) -> tuple[str | None, ...]:
    """Matchers that together match these names and globs, in a client's language; several need a rule each."""
    if ANY in globs:
        return (None,)
    if mode.otherwise is Otherwise.EXACT:
        return (None,) if globs else names
    listed = mode.separators[0].join(names)
    if not globs and mode.exact is not None and re.fullmatch(mode.exact, listed):
        return (listed,)
    if mode.otherwise is Otherwise.GLOB:
        return (*names, *globs)
    parts = [*(escape_name(name) for name in names), *(glob_pattern(glob) for glob in globs)]
    if mode.otherwise is Otherwise.FULL:
        return ("|".join(parts),)
    is_prefix = not names and len(globs) == 1 and re.fullmatch(r"[^*]+\*", globs[0])
    if is_prefix:
        return (parts[0],)  # a prefix needs no anchor
    return (f"^({'|'.join(parts)})$" if len(parts) > 1 else f"^{parts[0]}$",)


def carry_pattern(text: str, own: MatchMode, mode: MatchMode) -> str | None:
    """The same pattern in another client's language; None when that language cannot express it."""
    if mode.otherwise in (Otherwise.EXACT, Otherwise.GLOB) and mode.otherwise is not own.otherwise:
        return None
    carried = glob_pattern(text) if own.otherwise is Otherwise.GLOB and mode.otherwise is not Otherwise.GLOB else text
    match own.otherwise, mode.otherwise:
        case Otherwise.SEARCH, Otherwise.FULL:
            carried = f".*({carried}).*"
        case ((Otherwise.FULL | Otherwise.GLOB), Otherwise.SEARCH):
            carried = f"^({carried})$"
        case _:
            pass
    try:
        compile_pattern(carried, mode)
    except ValueError:
        return None
    is_list = mode.exact is not None and re.fullmatch(mode.exact, carried) is not None
    return f"({carried})" if is_list else carried


def is_same_language(one: MatchMode, other: MatchMode) -> bool:
    """Whether two clients read a matcher alike, except for what matches everything and for invalid patterns."""

    def essence(mode: MatchMode) -> object:
        exact = None if mode.exact is None else (mode.exact, mode.separators)
        return exact, mode.otherwise, mode.list_first, mode.trim, mode.pattern_sees_aliases

    return essence(one) == essence(other)
