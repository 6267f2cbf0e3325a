"""``docs/contributing/specifications.md`` names existing code and tests, and covers every section of the documents."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.checkout import ROOT

TEXT = (ROOT / "docs" / "contributing" / "specifications.md").read_text(encoding="utf-8")
DIALECTS = ("universal", "copilot-vscode", "open-plugins", "agent-sdk", "code-agent")
OUTLINE: dict[str, dict[str, list[str]]] = json.loads((ROOT / "tests" / "seeds" / "outline.json").read_text("utf-8"))
"""For each document, digests of its headings and of the items of its lists that must be covered one by one."""
DOCUMENTS = ROOT.parent / "shared" / "seeds"
"""The documents themselves, which are no part of the project."""

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
    """The object at a dotted path: modules as far as they exist, then attributes."""
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


# --- against the documents


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@pytest.mark.parametrize("part", ["headings", "items"])
@pytest.mark.parametrize("seed", sorted(OUTLINE))
def test_every_heading_and_item_has_a_row(seed: str, part: str) -> None:
    covered = {digest(row.section) for row in ROWS if row.seed == seed}
    assert set(OUTLINE[seed][part]) <= covered


PLAIN_HEADINGS = r"^(Hooks|Configuration Format|Hook Rules|Core Events|Extended Events|Hook Action Types|command|prompt|agent|Script Requirements|Execution Model)$"  # fmt: skip  # noqa: E501
"""Seed 002 is plain text without marks; these lines are its headings. Where a table or a block of code ends, the next
heading is on the same line."""
LISTS = {
    "001": ("Validation Checklist", r"^- (.+)$"),
    "002": ("Execution Model", r"^- (.+)$"),
    "003": (r"10\. Verification Checklist", r"^- \[ \] (.+)$"),
    "004": ("Merge Rules", r"^(\d\. .+)$"),
}


def outline(path: Path) -> dict[str, list[str]]:
    """The outline of a document, without its code blocks."""
    seed = path.name[:3]
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    pattern, of = (PLAIN_HEADINGS, text.replace("}", "}\n")) if seed == "002" else (r"^##+ (.+)$", text)
    items: list[str] = []
    if seed in LISTS:
        heading, item = LISTS[seed]
        part = re.split(rf"^#* ?{heading}$", text, flags=re.MULTILINE)[1]
        items = re.findall(item, re.split(r"^##", part, flags=re.MULTILINE)[0], re.MULTILINE)
    headings = dict.fromkeys(re.findall(pattern, of, re.MULTILINE))
    return {"headings": [digest(each) for each in headings], "items": [digest(each) for each in items]}


if DOCUMENTS.exists():

    def test_the_outline_is_that_of_the_documents() -> None:
        assert {path.name[:3]: outline(path) for path in sorted(DOCUMENTS.glob("*.txt"))} == OUTLINE
