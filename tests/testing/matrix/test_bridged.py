"""The matrix as ``anyhook deploy`` brings hooks to clients: the client asks anyhook."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.cases.cases import BrokenCase
from anyhook.testing.matrix.play import CellStatus, Row, default_clients, play_matrix
from anyhook.testing.matrix.report import cell_text
from anyhook.testing.scaffold.scaffold import plan_scaffold, write_scaffold
from tests.lint.projects import write
from tests.testing.packages import case, group, package

GUARD = """
from anyhook import PreToolUse, Reply, deny, hook


@hook("PreToolUse", matcher="Bash|Write")
def guard(event: PreToolUse) -> Reply | None:
    return deny("not here")
"""


def rows(folder: Path, *clients: str, native: bool = False) -> tuple[Row, ...]:
    suite = read_suite(folder)
    return play_matrix(suite, suite.everything, clients, native=native).rows


def test_a_python_hook_has_an_effect_in_every_client(tmp_path: Path) -> None:
    files = {"hooks/guard.py": GUARD, "hooks/tests/cases/a.yaml": case(expected={"effect": "block"})}
    fixture = {"hookEventName": "pre-tool-use", "toolName": "Write", "toolInput": {"file_path": "/a", "content": "b"}}
    write(tmp_path, {**files, "hooks/tests/fixtures/write.json": fixture})
    [row] = rows(tmp_path)
    assert {cell.client: cell_text(cell) for cell in row.cells} == {
        "universal": "block",
        **dict.fromkeys(default_clients(), "block"),
    }
    [row] = rows(tmp_path, "codex", native=True)
    assert [cell_text(cell) for cell in row.cells] == ["block", "lost!"]


def test_a_silent_refusal_counts_when_deployed_and_not_when_converted(tmp_path: Path) -> None:
    package(tmp_path, {"pre-tool-use": [group("exit 2")]}, {"a": case(expected={"effect": "block"})})
    [row] = rows(tmp_path, "codex")
    cell = row.cell("codex")
    assert cell is not None
    assert (cell.effect, cell.deployed, cell.native, cell.status) == ("block", "block", "proceed", CellStatus.SAME)
    assert cell_text(cell) == "block^"
    assert cell.native_reason == "exit 2 with empty stderr is a failed hook, the tool runs"
    [row] = rows(tmp_path, "codex", native=True)
    assert [cell_text(cell) for cell in row.cells] == ["block", "proceed!"]


@pytest.mark.parametrize(("stated", "status"), [("proceed", CellStatus.SAME), ("ask", CellStatus.STALE)])
def test_what_is_stated_of_a_converted_hook_is_not_stale(tmp_path: Path, stated: str, status: CellStatus) -> None:
    expected = {"effect": "block", "clients": {"codex": stated}}
    package(tmp_path, {"pre-tool-use": [group("exit 2")]}, {"a": case(expected=expected)})
    [row] = rows(tmp_path, "codex")
    assert [cell.status for cell in row.cells] == [CellStatus.SAME, status]


@pytest.mark.parametrize(
    ("stated", "deployed", "native"),
    [
        ({"deployed": "block", "native": "proceed"}, CellStatus.KNOWN, CellStatus.KNOWN),
        ({"deployed": "block"}, CellStatus.KNOWN, CellStatus.UNKNOWN),
        ({"native": "proceed"}, CellStatus.UNKNOWN, CellStatus.KNOWN),
        ({"deployed": "stop", "native": "proceed"}, CellStatus.UNKNOWN, CellStatus.KNOWN),
        ("block", CellStatus.KNOWN, CellStatus.UNKNOWN),
    ],
)
def test_a_case_may_state_the_effect_of_each_way(
    tmp_path: Path, stated: object, deployed: CellStatus, native: CellStatus
) -> None:
    ask = """echo '{"hookSpecificOutput": {"hookEventName": "pre-tool-use", "permissionDecision": "ask"}}'"""
    expected = {"effect": "ask", "clients": {"codex": stated}}
    package(tmp_path, {"pre-tool-use": [group(ask)]}, {"a": case(expected=expected)})
    for is_native, status in ((False, deployed), (True, native)):
        [row] = rows(tmp_path, "codex", native=is_native)
        assert [cell.status for cell in row.cells] == [CellStatus.SAME, status]


def test_a_way_that_does_not_differ_any_more_is_stale(tmp_path: Path) -> None:
    expected = {"effect": "block", "clients": {"codex": {"deployed": "proceed", "native": "proceed"}}}
    package(tmp_path, {"pre-tool-use": [group("echo no >&2; exit 2")]}, {"a": case(expected=expected)})
    for is_native in (False, True):
        [row] = rows(tmp_path, "codex", native=is_native)
        assert row.cells[1].reason == "the case says proceed, and it is block now"


def test_an_unknown_way_and_an_unknown_effect_are_reported_with_their_lines(tmp_path: Path) -> None:
    stated = {"bridge": "block", "native": "blok"}
    package(tmp_path, {"pre-tool-use": [group("exit 2")]}, {"a": case(expected={"clients": {"codex": stated}})})
    [broken] = read_suite(tmp_path).everything
    assert isinstance(broken, BrokenCase)
    assert [(problem.text, problem.fix) for problem in broken.problems] == [
        ('"bridge" is not a setting here', "known are deployed, native"),
        ('"native" must be proceed, block, ask, defer, feedback, continue or stop', "did you mean block?"),
    ]


def test_an_answer_that_a_client_cannot_give_is_a_difference_with_a_reason(tmp_path: Path) -> None:
    ask = """echo '{"hookSpecificOutput": {"hookEventName": "pre-tool-use", "permissionDecision": "ask"}}'"""
    package(tmp_path, {"pre-tool-use": [group(ask)]}, {"a": case(expected={"effect": "ask"})})
    [row] = rows(tmp_path, "codex")
    assert [cell_text(cell) for cell in row.cells] == ["ask", "block!"]
    assert row.cells[1].reason == "no reply to PreToolUse can say ask, the tool does not run"


def test_the_first_package_has_no_unknown_difference(tmp_path: Path) -> None:
    write_scaffold(tmp_path, plan_scaffold(tmp_path))
    suite = read_suite(tmp_path)
    matrix = play_matrix(suite, suite.everything)
    assert not matrix.differs
    assert not matrix.could_not_run
