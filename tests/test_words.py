"""Private words stay out of the source, the documents and the README. CONTRIBUTING.md has the words to use."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.checkout import ROOT

WORDS = re.compile(
    r"\b(?:somebody|nobody|whoever|anybody|everybody|stands|stood|fits|is meant|are meant|meant so|in vain"
    r"|befalls|rooms)\b",
    re.IGNORECASE,
)
SEED = re.compile(r"\bseeds? 00[0-4]\b", re.IGNORECASE)
"""How contributors number the specifications. Users read their names, so it may be in comments only."""
FOR_CONTRIBUTORS = {"seeds.md", "contributing"}
"""Pages, and folders of pages, that may say it too."""

TEXTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = sorted(path for path in (ROOT / "src").rglob("*") if path.suffix in {".py", ".c", ".sh", ".md"})


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def hits(text: str, pattern: re.Pattern[str]) -> list[str]:
    """Every line with such a word."""
    lines = text.splitlines()
    return [f"{number}: {line.strip()}" for number, line in enumerate(lines, 1) if pattern.search(line)]


def strings(text: str) -> Iterator[str]:
    """The strings of a Python file, each with its line; docstrings are for contributors."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_text = token.type == tokenize.STRING and '"""' not in token.string
        if is_text or token.type == getattr(tokenize, "FSTRING_MIDDLE", -1):
            yield f"{token.start[0]}: {token.string}"


@pytest.mark.parametrize("path", [*TEXTS, *SOURCES], ids=shown)
def test_no_private_words(path: Path) -> None:
    assert hits(path.read_text(encoding="utf-8"), WORDS) == []


@pytest.mark.parametrize("path", TEXTS, ids=shown)
def test_documents_name_the_specifications(path: Path) -> None:
    if not FOR_CONTRIBUTORS & set(path.relative_to(ROOT).parts):
        assert hits(path.read_text(encoding="utf-8"), SEED) == []


@pytest.mark.parametrize("path", [path for path in SOURCES if path.suffix == ".py"], ids=shown)
def test_messages_name_the_specifications(path: Path) -> None:
    assert [string for string in strings(path.read_text(encoding="utf-8")) if SEED.search(string)] == []


def test_words_are_noticed() -> None:
    assert hits("a matcher\nthat Fits\n", WORDS) == ["2: that Fits"]
    assert hits("a benefit, an outfit, a misfit, standing, outstanding", WORDS) == []
    assert [*strings('x = "seed 000"  # seed 001\n')] == ['1: "seed 000"']
