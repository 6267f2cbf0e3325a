"""Every rule has a page, the table is up to date, and the examples really are what the pages say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from anyhook.lint.lint import check_paths
from anyhook.model.codes import CODES, GROUPS
from anyhook.report.rule_pages import page_of
from anyhook.sources.discover import Roots
from tests.checkout import ROOT
from tests.lint.rule_table import PARTS, heading, readme

REPOSITORY = ROOT
RULES = REPOSITORY / "docs" / "rules"
CHECKED = {code for code in CODES if GROUPS[code[0]].command == "check"}
NOT_TEXT = {"C018", "F004", "F005", "F006", "F007", "F008"}
"""Mistakes that a block of text cannot show; test_lint.py and test_scripts.py make them."""

_BLOCK = re.compile(r"^```\w+ (?P<path>\S+)(?: \((?P<mode>[0-7]+)\))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    path: str
    mode: int
    text: str


def part(code: str, name: str) -> str:
    text = (REPOSITORY / page_of(code)).read_text(encoding="utf-8")
    return text.split(f"\n## {name}\n")[1].split("\n## ")[0]


def blocks(text: str) -> list[Block]:
    return [Block(found["path"], int(found["mode"] or "644", 8), found["text"]) for found in _BLOCK.finditer(text)]


def codes_in(project: Path, home: Path) -> set[str]:
    return {found.code for found in check_paths([project], Roots(project, home, home), everything=True).problems}


def write(project: Path, files: list[Block]) -> None:
    for file in files:
        path = project / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
        path.chmod(file.mode)


def test_every_code_has_a_page_and_no_page_is_left_over() -> None:
    assert {path.stem for path in RULES.glob("*.md")} - {"README"} == set(CODES)


def test_the_table_is_made_from_the_catalogue() -> None:
    assert (RULES / "README.md").read_text(encoding="utf-8") == readme()


@pytest.mark.parametrize("code", CODES)
def test_a_page_has_its_heading_and_all_parts(code: str) -> None:
    text = (REPOSITORY / page_of(code)).read_text(encoding="utf-8")
    assert text.startswith(heading(code))
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == list(PARTS)
    assert all(len(part(code, name).strip()) > 3 for name in PARTS)
    assert 15 <= text.count("\n") <= 75


@pytest.mark.parametrize("code", sorted(CHECKED - NOT_TEXT))
def test_the_example_has_the_problem_and_the_remedy_has_not(code: str, tmp_path: Path) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    (project / ".git").mkdir(parents=True)
    write(project, blocks(part(code, "Example")))
    assert code in codes_in(project, home)
    write(project, blocks(part(code, "Remedy")))
    assert code not in codes_in(project, home)
