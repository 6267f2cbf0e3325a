"""Where the page of a rule is."""

from __future__ import annotations


def page_of(code: str) -> str:
    """Where the page of a rule is, from the top of the repository."""
    return f"docs/rules/{code}.md"
