"""The pages of the rules: where they are, and what they say."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from anyhook.model.codes import CODES
from anyhook.model.problems import UsageError
from anyhook.model.wording import close_matches, join_or

_FOLDER = "docs/rules"
_SITE = "https://github.com/anyhook/anyhook/blob/main"


def page_of(code: str) -> str:
    """Where the page of a rule is, from the top of the repository."""
    return f"{_FOLDER}/{code}.md"


def address_of(code: str) -> str:
    """Where the page of a rule is on the web."""
    return f"{_SITE}/{page_of(code)}"


def find_code(name: str) -> str:
    """The code of a rule that is given by its code or its name. Raises UsageError."""
    names = {known.name: code for code, known in CODES.items()}
    code = names.get(name.lower(), name.upper())
    if code not in CODES:
        close = close_matches(name.upper(), CODES, limit=3) or close_matches(name.lower(), names, limit=3)
        hint = f"; did you mean {join_or(close)}?" if close else "; all of them: anyhook check --explain"
        raise UsageError(f"there is no rule {name!r}{hint}")
    return code


def page_text(code: str) -> str:
    """The page of a rule: from the installed package, or from the checkout that it runs in."""
    page = resources.files("anyhook.report") / "pages" / f"{code}.md"
    if not page.is_file():
        page = Path(__file__).parents[3] / page_of(code)
    return page.read_text(encoding="utf-8")
