"""A text that a regular expression matches."""

from __future__ import annotations

import re
from typing import Any

_CATEGORIES = {"CATEGORY_DIGIT": "7", "CATEGORY_WORD": "a", "CATEGORY_SPACE": " ", "CATEGORY_NOT_SPACE": "a"}


def sample(pattern: str) -> str | None:
    """One that matches; None: there is no simple one."""
    try:
        parsed = re._parser.parse(pattern)  # type: ignore[attr-defined]
    except re.error:
        return None
    return "".join(_text(str(kind), value) for kind, value in parsed) or None


def _text(kind: str, value: Any) -> str:
    match kind:
        case "LITERAL":
            return chr(value)
        case "IN":
            return next((_text(str(each), inner) for each, inner in value if str(each) != "NEGATE"), "a")
        case "RANGE":
            return chr(value[0])
        case "CATEGORY":
            return _CATEGORIES.get(str(value), "a")
        case "ANY" | "NOT_LITERAL":
            return "a"
        case "BRANCH":
            return "".join(_text(str(each), inner) for each, inner in value[1][0])
        case "SUBPATTERN":
            return "".join(_text(str(each), inner) for each, inner in value[3])
        case "MAX_REPEAT" | "MIN_REPEAT":
            once = "".join(_text(str(each), inner) for each, inner in value[2])
            fewest = int(value[0])
            return once * (fewest if str(value[2][0][0]) == "ANY" else max(fewest, 1))
    return ""
