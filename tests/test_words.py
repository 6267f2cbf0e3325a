"""Private words stay out of the source, the documents and the README. CONTRIBUTING.md has the words to use."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import pytest

from tests.checkout import ROOT

WORDS = re.compile(
    r"\b(?:somebody|nobody|whoever|anybody|everybody|stands|stood|fits|is meant|are meant|meant so|in vain"
    r"|befalls|rooms?|settles?|settled|faces?)\b",
    re.IGNORECASE,
)
SEED = re.compile(r"\bseeds? 00[0-4]\b", re.IGNORECASE)
"""How contributors number the specifications. Users read their names, so it may be in comments only."""
FOR_CONTRIBUTORS = {"seeds.md", "contributing"}
"""Pages, and folders of pages, that may say it too."""

ACCOUNT_NAMES = "nobody node root runner"
"""In record/redact.py: names of accounts that identify no person."""
PROSE = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}

TEXTS = [
    *(
        ROOT / name
        for name in ("README.md", "CHANGELOG.md", "SECURITY.md", "conformance/README.md", "examples/tour.sh")
    ),
    *sorted((ROOT / "docs").rglob("*.md")),
]
SOURCES = sorted(path for path in (ROOT / "src").rglob("*") if path.suffix in {".py", ".c", ".sh", ".md"})


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def hits(text: str, pattern: re.Pattern[str]) -> list[str]:
    """Every line with such a word."""
    lines = text.splitlines()
    return [f"{number}: {line.strip()}" for number, line in enumerate(lines, 1) if pattern.search(line)]


def prose(path: Path) -> str:
    """The text of a file; of Python, only comments and strings, each on its line: names are no prose."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return text
    lines = [""] * (text.count("\n") + 1)
    text = text.replace(ACCOUNT_NAMES, "")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in PROSE:
            for number, line in enumerate(token.string.splitlines(), token.start[0] - 1):
                lines[number] += f" {line}"
    return "\n".join(lines)


def messages(text: str) -> list[str]:
    """The strings of a Python file, each with its line; docstrings are for contributors."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    strings = [token for token in tokens if token.type in PROSE - {tokenize.COMMENT}]
    return [f"{token.start[0]}: {token.string}" for token in strings if not token.string.startswith('"""')]


@pytest.mark.parametrize("path", [*TEXTS, *SOURCES], ids=shown)
def test_no_private_words(path: Path) -> None:
    assert hits(prose(path), WORDS) == []


@pytest.mark.parametrize("path", TEXTS, ids=shown)
def test_documents_name_the_specifications(path: Path) -> None:
    if not FOR_CONTRIBUTORS & set(path.relative_to(ROOT).parts):
        assert hits(path.read_text(encoding="utf-8"), SEED) == []


@pytest.mark.parametrize("path", [path for path in SOURCES if path.suffix == ".py"], ids=shown)
def test_messages_name_the_specifications(path: Path) -> None:
    assert [text for text in messages(path.read_text(encoding="utf-8")) if SEED.search(text)] == []


def test_words_are_noticed() -> None:
    assert hits("a matcher\nthat Fits\n", WORDS) == ["2: that Fits"]
    assert hits("a benefit, an outfit, a misfit, standing, outstanding", WORDS) == []
    assert messages('"""seed 002"""\nx = "seed 000"  # seed 001\n') == ['2: "seed 000"']


def test_names_are_no_prose(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text('"""One.\n\nTwo.\n"""\nif rule.fits(  # why\n    "text"\n):\n    pass\n')
    assert [line.strip() for line in prose(file).splitlines() if line.strip()] == [
        '"""One.',
        "Two.",
        '"""',
        "# why",
        '"text"',
    ]
