"""Links between the documents lead to files and headings that exist, and every page is in the index."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.checkout import ROOT

DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *DOCS.rglob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def links(page: Path) -> list[str]:
    """The relative links of a page."""
    found = LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))
    return [link for link in found if "://" not in link]


def anchors(page: Path) -> set[str]:
    """The headings of a page as GitHub links to them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_every_page_is_in_the_index() -> None:
    index = DOCS / "README.md"
    linked = {(DOCS / link.partition("#")[0]).resolve() for link in links(index)}
    of_one_thing = {*DOCS.glob("rules/[A-Z][0-9]*.md"), *DOCS.glob("clients/[a-z]*.md")}  # each has a table of its own
    pages = {*DOCS.glob("*.md"), *DOCS.glob("*/*.md")} - {index, *of_one_thing}
    assert {page.relative_to(DOCS).as_posix() for page in pages if page.resolve() not in linked} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_fence_is_closed(page: Path) -> None:
    is_open = False
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            assert not is_open or line == "```", f"{line} inside of another fence"
            is_open = not is_open
    assert not is_open
