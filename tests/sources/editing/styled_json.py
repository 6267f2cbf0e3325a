"""JSON texts as people write them: any indentation, line ends, comments and trailing commas."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

LINE_GAPS = ("\n", "\n  ", "\n    ", "\n\t", "\n\n  ", "\n  // a note, with a comma\n  ", "\n  /* two\n lines */\n  ")
GAPS = ("", "", " ", "  ", "\t", *LINE_GAPS, " /* here */ ", " // to the end\n")
KEYS = ("hooks", "Stop", "PreToolUse", "permissions", "a", 'b"c', "ä/~")

scalars = (
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "x", "// no comment", 'a "b" \\', "ä, {"])
)
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.sampled_from(KEYS), values, max_size=4)


@st.composite
def styled(draw: st.DrawFn, wanted: st.SearchStrategy[Any], *, strict: bool = False) -> str:
    """The text of a value, in a style that changes from place to place; ``strict``: without comments and the like."""
    gap = st.sampled_from([gap for gap in GAPS if not strict or "/" not in gap])
    may_trail = st.sampled_from([False] if strict else [False, True])

    def write(value: Any) -> str:
        if not isinstance(value, dict | list):
            return json.dumps(value, ensure_ascii=draw(st.booleans()))
        keys = [f"{json.dumps(key)}{draw(gap)}:{draw(gap)}" for key in value] if isinstance(value, dict) else []
        parts = list(value.values()) if isinstance(value, dict) else value
        items = [f"{draw(gap)}{keys[at] if keys else ''}{write(part)}{draw(gap)}" for at, part in enumerate(parts)]
        trails: bool = draw(may_trail)
        trailing = f",{draw(gap)}" if items and trails else ""
        inside = ",".join(items) + trailing if items else draw(gap)
        return f"{{{inside}}}" if isinstance(value, dict) else f"[{inside}]"

    mark = "" if strict else draw(st.sampled_from(["", "", "\ufeff"]))
    text = f"{mark}{draw(gap)}{write(draw(wanted))}{draw(gap)}"
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n", "\n", "\r"])))
