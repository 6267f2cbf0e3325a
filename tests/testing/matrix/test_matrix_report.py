"""A matrix on paper: marks, remarks, Markdown, JSON and the page."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from anyhook.dialects import NAMES
from anyhook.model.origin import Origin
from anyhook.model.outcome import Effect
from anyhook.model.problems import problem
from anyhook.testing.cases.cases import BrokenCase, Case, CaseFolder
from anyhook.testing.matrix.carrying import Missing
from anyhook.testing.matrix.page import as_html
from anyhook.testing.matrix.play import BrokenRow, Cell, CellStatus, Matrix, Row
from anyhook.testing.matrix.report import (
    Look,
    as_data,
    as_markdown,
    cell_text,
    has_weaker,
    heading,
    look_of,
    remarks_on,
    summary,
)

FOLDER = CaseFolder(Path("tests"))
NASTY = '</td><script>alert("1")</script> | *x* `y` [z](w)\nnext'


def row(name: str, *cells: Cell) -> Row:
    case = Case(name=name, event="PreToolUse", folder=FOLDER, file=Path("tests/cases") / f"{name}.yaml")
    own = Cell(client="claude-code", effect=Effect.BLOCK)
    return Row(case=case, client="claude-code", effect=Effect.BLOCK, cells=(own, *cells))


def differs(client: str, reason: str = "why", status: CellStatus = CellStatus.UNKNOWN) -> Cell:
    return Cell(client=client, effect=Effect.PROCEED, status=status, reason=reason)


def matrix(*rows: Row, broken: tuple[BrokenRow, ...] = ()) -> Matrix:
    clients = tuple(dict.fromkeys(cell.client for row in rows for cell in row.cells))
    return Matrix(root=Path("/w/shop"), clients=clients, rows=rows, broken=broken)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, ""),
        (Cell(client="codex", effect=Effect.BLOCK), "block"),
        (differs("codex"), "proceed!"),
        (differs("codex", status=CellStatus.KNOWN), "proceed*"),
        (Cell(client="codex", effect=Effect.BLOCK, status=CellStatus.STALE), "block?"),
        (Cell(client="codex", effect=Effect.BLOCK, unheard=("less",)), "block~"),
        (Cell(client="codex", effect=Effect.PROCEED, missing=Missing.EVENT), "no event"),
        (Cell(client="codex", effect=Effect.PROCEED, missing=Missing.HOOK, status=CellStatus.UNKNOWN), "lost!"),
        (Cell(client="codex", missing=Missing.RESULT, status=CellStatus.UNPLAYED), "error!"),
    ],
)
def test_a_cell_is_its_effect_with_a_mark(cell: Cell | None, text: str) -> None:
    assert cell_text(cell) == text


@pytest.mark.parametrize(
    ("cell", "look"),
    [
        (None, Look.SAME),
        (Cell(client="codex", effect=Effect.BLOCK), Look.SAME),
        (differs("codex"), Look.WEAKER),
        (differs("codex", status=CellStatus.KNOWN), Look.WEAKER),
        (Cell(client="codex", effect=Effect.STOP, status=CellStatus.KNOWN), Look.STRICTER),
        (Cell(client="codex", effect=Effect.STOP, status=CellStatus.UNKNOWN), Look.STRICTER),
        (Cell(client="codex", effect=Effect.BLOCK, missing=Missing.HOOK, status=CellStatus.KNOWN), Look.WEAKER),
        (Cell(client="codex", effect=Effect.BLOCK, status=CellStatus.STALE), Look.WEAKER),
        (Cell(client="codex", missing=Missing.RESULT, status=CellStatus.UNPLAYED), Look.WEAKER),
        (Cell(client="codex", effect=Effect.BLOCK, unheard=("less",)), Look.LESSER),
    ],
)
def test_a_guard_that_fails_looks_worse_than_one_that_refuses_more(cell: Cell | None, look: Look) -> None:
    shown = row("guard", *filter(None, [cell]))
    assert look_of(shown, cell) is look
    assert has_weaker(matrix(shown)) is (look is Look.WEAKER)


def test_columns_have_the_short_names_that_people_type() -> None:
    assert [heading(name) for name in ("claude-code", "gemini-cli", "copilot-vscode", "universal")] == [
        "claude",
        "gemini",
        "vscode",
        "universal",
    ]
    assert len({heading(name) for name in NAMES}) == len(NAMES)


def test_a_reason_that_several_clients_share_is_told_once_and_the_worst_comes_first() -> None:
    told = row(
        "guard",
        differs("codex", "a", CellStatus.KNOWN),
        differs("qwen-code", "b"),
        differs("cursor", "b"),
        Cell(client="kiro", effect=Effect.BLOCK, unheard=("c",)),
    )
    remarks = remarks_on(told)
    assert [f"{remark.mark} {remark}" for remark in remarks] == ["! Qwen Code, Cursor: b", "* Codex: a", "~ Kiro: c"]
    assert [remark.fails for remark in remarks] == [True, False, False]


def test_the_summary_counts_what_matters() -> None:
    broken = BrokenRow(BrokenCase("bad", Path("bad.yaml"), ()), ())
    assert summary(matrix(row("guard"))) == "1 case in 1 client: no differences"
    found = matrix(row("guard", differs("codex"), differs("kiro", status=CellStatus.KNOWN)), broken=(broken,))
    assert summary(found) == "1 case in 3 clients: 1 unknown difference, 1 known difference, 1 case that could not run"


def test_markdown_takes_nothing_for_markup() -> None:
    text = as_markdown(matrix(row("guard", differs("codex", NASTY))))
    [line] = [line for line in text.splitlines() if line.startswith("- ")]
    assert line == ('- `!` Codex: \\</td\\>\\<script\\>alert("1")\\</script\\> \\| \\*x\\* \\`y\\` \\[z\\](w) next')
    assert "| `guard` | block | **proceed!** |" in text


class Page(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [name for name, _ in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_takes_nothing_for_markup_and_needs_nothing_from_elsewhere() -> None:
    broken = BrokenRow(BrokenCase("<b>", Path("bad.yaml"), ()), (problem("K007", Origin(), NASTY),))
    page = Page()
    page.feed(as_html(matrix(row("guard", differs("codex", NASTY)), broken=(broken,))))
    assert "script" not in page.tags
    assert "<b>: could not run" in page.text
    assert page.text.count(NASTY) == 2
    assert page.links == []


def test_data_for_programs_has_every_cell() -> None:
    data = as_data(matrix(row("guard", differs("codex"))))
    assert data["cases"][0]["clients"]["codex"]["reason"] == "why"
    assert data["counts"]["unknown difference"] == 1
