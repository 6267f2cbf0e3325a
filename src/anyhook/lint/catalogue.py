"""The pages of the rules: where they are, and what they say."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

_FOLDER = "docs/rules"
_SITE = "https://github.com/anyhook/anyhook/blob/main"


def page_of(code: str) -> str:
    """Where the page of a rule is, from the top of the repository."""
    return f"{_FOLDER}/{code}.md"


def address_of(code: str) -> str:
    """Where the page of a rule is on the web."""
    return f"{_SITE}/{page_of(code)}"


def page_text(code: str) -> str:
    """The page of a rule: from the installed package, or from the checkout that it runs in."""
    page = resources.files("anyhook.lint") / "pages" / f"{code}.md"
    if not page.is_file():
        page = Path(__file__).parents[3] / page_of(code)
    return page.read_text(encoding="utf-8")
