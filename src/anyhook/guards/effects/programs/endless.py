"""Texts that start processes without end."""

from __future__ import annotations

from anyhook.lazy_pattern import LazyPattern

_ENDLESS_FUNCTIONS = (
    ("function", LazyPattern(r"function([\w:.]{1,40})(?:\(\))?\{(?:\1\|)+\1&\}")),
    ("(){", LazyPattern(r"(?<![\w:.-])([\w:.-]{1,40})\(\)\{[^}]*\b\1&[^}]*\1[^}]*\}")),
    ("(){", LazyPattern(r"(?<![\w:.-])([\w:.-]{1,40})\(\)\{\1(?:\|\1)*&?;?\};\1")),
)
"""Functions that start themselves twice, in a text without white space; what is in every match is looked for first."""
_ENDLESS_LOOPS = (
    (
        "while",
        LazyPattern(
            r"while\s*(?:true|:|\[ ?1 ?\]|\(\(1\)\))\s*;?\s*do\s*"
            r"(?:\"?\$0\"?|bash|sh|\./\S+|yes[^;]*)\s*&\s*;?\s*done"
        ),
    ),
    (
        "fork",
        LazyPattern(
            r"fork\s*(?:\(\))?\s*while\s*(?:fork|1|true)|while\s*\(?(?:1|True|true)\)?\s*[:{]?\s*(?:os\.)?fork|"
            r"fork\(\)\s*while|loop\s*\{\s*fork"
        ),
    ),
    ("((", LazyPattern(r"for\s*\(\(\s*;\s*;\s*\)\)\s*;?\s*do\s*\S+\s*&")),
)
"""Loops that only start processes, likewise."""


_NEXT_FUNCTION = LazyPattern(r"\n(?=[ \t]*+[\w:.-]{1,40}+[ \t]*+\()")
"""The line end before a function, without which its name would be a part of the word before."""


def may_be_endless(text: str) -> bool:
    return "&" in text or "fork" in text or "%0" in text


def is_endless(text: str) -> bool:
    """Whether a text has a function that starts itself twice, or a loop that only starts processes."""
    if not may_be_endless(text):
        return False
    compact = "".join(_NEXT_FUNCTION.sub(";", text).split())
    return (
        any(word in compact and pattern.search(compact) for word, pattern in _ENDLESS_FUNCTIONS)
        or any(word in text and pattern.search(text) for word, pattern in _ENDLESS_LOOPS)
        or "%0|%0" in compact
    )
