"""A matrix as one page that needs nothing else: no script, no font, nothing from elsewhere. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape

from anyhook.dialects import profile as profile_of
from anyhook.testing.matrix.play import Matrix, Row
from anyhook.testing.matrix.report import (
    LEGEND,
    Look,
    cell_text,
    expected,
    heading,
    look_of,
    mark_of,
    marks_in,
    remarks_on,
    summary,
    texts_on,
)

_STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --paper: #fff; --line: #d1d9e0; --dim: #59636e;
  --bad: #b3261e; --bad-paper: #fdecea; --known: #7a4d00; --known-paper: #fff4d6; --less: #0b5394; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --line: #30363d; --dim: #9198a1;
  --bad: #ff8a80; --bad-paper: #3b1513; --known: #f2cc60; --known-paper: #362a08; --less: #79c0ff; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto;
  max-width: 84rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
h2 { font: 600 14px ui-monospace, monospace; margin: 1.5rem 0 .25rem; }
.wide { overflow-x: auto; margin-bottom: 1rem; }
table { border-collapse: collapse; font-size: 14px; }
th, td { border: 1px solid var(--line); padding: .25rem .5rem; text-align: left; white-space: nowrap; }
th[scope=row] { font: 13px ui-monospace, monospace; position: sticky; left: 0; background: var(--paper); }
.bad { color: var(--bad); }
.known { color: var(--known); }
.less { color: var(--less); }
td.bad { background: var(--bad-paper); font-weight: 600; }
td.known { background: var(--known-paper); }
.legend { color: var(--dim); }
ul { margin: 0; padding: 0; list-style: none; }
"""
_LOOKS: Mapping[Look, str] = {Look.WEAKER: "bad", Look.STRICTER: "known", Look.LESSER: "less"}


def as_html(matrix: Matrix) -> str:
    """The matrix for a browser, in light or dark as its reader has it."""
    return "\n".join([*_head(matrix), *_table(matrix), *_remarks(matrix), "</body></html>", ""])


def _head(matrix: Matrix) -> Iterator[str]:
    title = f"Hooks of {escape(matrix.root.name)} in every client"
    yield '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{title}</title><style>{_STYLE}</style></head><body>"
    yield f"<h1>{title}</h1>\n<p>{escape(summary(matrix))}.</p>"


def _table(matrix: Matrix) -> Iterator[str]:
    yield '<div class="wide"><table><thead><tr><th>case</th>'
    for client in matrix.clients:
        yield f'<th scope="col" title="{escape(_about(client))}">{escape(heading(client))}</th>'
    yield "</tr></thead><tbody>"
    for row in matrix.rows:
        yield f'<tr><th scope="row">{escape(row.case.name)}</th>'
        yield from (_cell(row, client) for client in matrix.clients)
        yield "</tr>"
    yield "</tbody></table></div>"
    for mark in marks_in(matrix):
        yield f'<div class="legend"><b>{escape(mark)}</b> {escape(LEGEND[mark])}</div>'


def _cell(row: Row, client: str) -> str:
    cell = row.cell(client)
    if cell is None or not mark_of(cell):
        return f"<td>{escape(cell_text(cell))}</td>"
    title = escape("; ".join(texts_on(cell)))
    return f'<td class="{_LOOKS[look_of(row, cell)]}" title="{title}">{escape(cell_text(cell))}</td>'


def _about(client: str) -> str:
    facts = profile_of(client)
    return f"{facts.title}, {facts.release} ({facts.basis})"


def _remarks(matrix: Matrix) -> Iterator[str]:
    for row in matrix.rows:
        texts = [(_LOOKS[remark.look], f"{remark.mark} {remark}") for remark in remarks_on(row)]
        if texts:
            yield from _section(f"{row.case.name}: {expected(row)}", texts)
    for broken in matrix.broken:
        texts = [("bad", problem.text) for problem in broken.problems]
        yield from _section(f"{broken.case.name}: could not run", texts)


def _section(title: str, texts: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield f"<h2>{escape(title)}</h2><ul>"
    yield from (f'<li class="{look}">{escape(text)}</li>' for look, text in texts)
    yield "</ul>"
