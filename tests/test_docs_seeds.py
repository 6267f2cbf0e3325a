"""``docs/seeds.md`` names code and tests that exist, and leaves out nothing that the seeds say."""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from anyhook.dialects import SEEDS as DIALECTS
from tests.checkout import ROOT

TEXT = (ROOT / "docs" / "seeds.md").read_text(encoding="utf-8")
SEEDS = ROOT.parent / "shared" / "seeds"

NAMES = re.compile(r"`([^`]+)`")
NODE = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


class Row(NamedTuple):
    seed: str
    section: str
    code: str
    test: str

    def __str__(self) -> str:
        return f"{self.seed}: {self.section}"


def rows() -> list[Row]:
    found = []
    for part in re.split(r"^## Seed ", TEXT, flags=re.MULTILINE)[1:]:
        table = re.findall(r"^\| (.+) \| (.+) \| (.+) \|$", part, re.MULTILINE)
        found += [Row(part[:3], *cells) for cells in table if cells[0] != "section or item"]
    return found


ROWS = rows()
CODE = sorted({name for row in ROWS for name in NAMES.findall(row.code)})
NODES = sorted({node for row in ROWS for node in NODE.findall(row.test)})


def test_there_is_a_table_for_every_seed() -> None:
    assert sorted({row.seed for row in ROWS}) == [f"{number:03}" for number in range(len(DIALECTS))]
    assert re.findall(r"^Dialect `([\w-]+)`", TEXT, re.MULTILINE) == list(DIALECTS)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_row_names_a_test_or_says_why_not(row: Row) -> None:
    assert NODE.search(row.test) or "for people" in row.test
    assert not NODE.search(row.test) or NAMES.search(row.code)


@pytest.mark.parametrize("path", CODE)
def test_named_code_exists(path: str) -> None:
    resolve(f"anyhook.{path}")


def resolve(path: str) -> Any:
    """The object that a dotted path leads to: as many modules as there are, then attributes."""
    names = path.split(".")
    found: Any = import_module(names.pop(0))
    module = found.__name__
    while names:
        try:
            found = import_module(module := f"{module}.{names[0]}")
        except ModuleNotFoundError:
            break
        del names[0]
    for name in names:
        assert hasattr(found, name), f"{path}: there is no {name}"
        found = getattr(found, name)
    return found


def test_a_name_that_is_not_there_is_noticed() -> None:
    assert resolve("anyhook.model.events.Event.name")
    for path in ("anyhook.model.nothing", "anyhook.engine.engine.Engine.explode"):
        with pytest.raises(AssertionError, match="there is no"):
            resolve(path)


@pytest.mark.parametrize(("file", "name"), NODES)
def test_named_test_exists(file: str, name: str) -> None:
    assert name.startswith("test_")
    assert name in functions(ROOT / file)


@cache
def functions(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_every_test_of_a_seed_is_named() -> None:
    files = sorted((ROOT / "tests" / "seeds").glob("test_seed_*.py"))
    there = {
        (file.relative_to(ROOT).as_posix(), name)
        for file in files
        for name in functions(file)
        if name.startswith("test_")
    }
    assert there <= set(NODES)


# --- against the documents themselves, where they are beside this checkout

beside_the_seeds = pytest.mark.skipif(not SEEDS.exists(), reason="shared/seeds is not beside this checkout")

PLAIN_HEADINGS = (
    "Hooks",
    "Configuration Format",
    "Hook Rules",
    "Core Events",
    "Extended Events",
    "Hook Action Types",
    "command",
    "prompt",
    "agent",
    "Script Requirements",
    "Execution Model",
)
"""Seed 002 has no marks; these lines of it are headings."""


def document(seed: str) -> str:
    """A seed without its blocks of code."""
    [path] = SEEDS.glob(f"{seed}_*.txt")
    return re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def sections(seed: str) -> set[str]:
    return {row.section for row in ROWS if row.seed == seed}


@beside_the_seeds
@pytest.mark.parametrize("seed", ["000", "001", "003", "004"])
def test_every_heading_has_a_row(seed: str) -> None:
    headings = re.findall(r"^##+ (.+)$", document(seed), re.MULTILINE)
    assert len(headings) > 10
    assert set(headings) <= sections(seed)


@beside_the_seeds
def test_every_heading_of_seed_002_has_a_row() -> None:
    text = document("002")
    # Where a table or a block of code ends, the next heading is on the same line.
    assert all(re.search(rf"(?:^|\}}){heading}$", text, re.MULTILINE) for heading in PLAIN_HEADINGS)
    assert set(PLAIN_HEADINGS) <= sections("002")


@beside_the_seeds
@pytest.mark.parametrize(
    ("seed", "heading", "item", "count"),
    [
        ("001", "Validation Checklist", r"^- (.+)$", 8),
        ("003", r"10\. Verification Checklist", r"^- \[ \] (.+)$", 12),
        ("004", "Merge Rules", r"^(\d\. .+)$", 3),
        ("002", "Execution Model", r"^- (.+)$", 3),
    ],
)
def test_every_item_has_a_row_with_its_words(seed: str, heading: str, item: str, count: int) -> None:
    part = re.split(rf"^#* ?{heading}$", document(seed), flags=re.MULTILINE)[1]
    items = re.findall(item, re.split(r"^##", part, flags=re.MULTILINE)[0], re.MULTILINE)
    assert len(items) == count
    assert set(items) <= sections(seed)
