"""What the matrix says of a cell agrees with what it knows of it: its runs, its effects and its losses."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anyhook.dialects import profile
from anyhook.model.outcome import Effect
from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.matrix.carrying import Missing
from anyhook.testing.matrix.play import Cell, Matrix, Row, play_matrix
from tests.checkout import ROOT
from tests.lint.projects import groups, hook, write
from tests.testing.packages import case, group, package

TOOLS: dict[str, dict[str, Any]] = {
    "Bash": {"command": "ls"},
    "Write": {"file_path": "/a", "content": "b"},
    "Edit": {"file_path": "/a", "old_string": "b", "new_string": "c"},
    "Read": {"file_path": "/a"},
    "NotebookEdit": {"notebook_path": "/a"},
    "TodoWrite": {"todos": []},
    "mcp__x__y": {"a": 1},
}
OTHERS: dict[str, dict[str, Any]] = {
    "session-start": {"source": "startup"},
    "pre-compact": {"trigger": "manual"},
    "stop": {},
    "pre-prompt": {"prompt": "hello"},
}
MATCHERS = [None, "", "*", ".*", "Bash", "Edit", "Write|Edit", "mcp__x__y", "startup", "manual", "auto", "Nope"]
COMMANDS = ["echo no >&2; exit 2", "exit 2", "exit 1", """echo '{"decision": "block", "reason": "no"}'"""]
LIMIT = {"if": "Bash(git *)"}
RUNS_HERE = ("matches here", "and the hook runs", "no matcher here and runs", "the hook runs, unlike")


@st.composite
def packages(draw: st.DrawFn) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """An event, a group of hooks on it, and a payload."""
    tool = draw(st.sampled_from([*TOOLS, None]))
    event = "pre-tool-use" if tool else draw(st.sampled_from(sorted(OTHERS)))
    fields = {"toolName": tool, "toolInput": TOOLS[tool]} if tool else OTHERS[event]
    hooks = group(draw(st.sampled_from(COMMANDS)), matcher=draw(st.sampled_from(MATCHERS)))
    return event, hooks, {"hookEventName": event, **fields}


@pytest.mark.parametrize("native", [False, True])
@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(packages())
def test_of_any_package(native: bool, drawn: tuple[str, dict[str, Any], dict[str, Any]]) -> None:
    event, hooks, payload = drawn
    with TemporaryDirectory() as folder:
        tested = case(event=event, input={"fixture": "fixtures/f.json"}, expected={"exit-code": 0})
        files = {"hooks/tests/fixtures/f.json": payload}
        suite = package(Path(folder), {event: [hooks]}, {"a": tested}, **files)
        check(play_matrix(suite, suite.everything, native=native))


@pytest.mark.parametrize("example", ["hooks-package", "python-hooks", "client-differences"])
def test_of_every_example(example: str) -> None:
    suite = read_suite(ROOT / "examples" / example)
    check(play_matrix(suite, suite.everything))


def of_claude(folder: Path, event: str, matcher: str, payload: dict[str, Any], **more: Any) -> Row:
    """The row of a case whose hook does not run in Claude Code, for which it is written."""
    tested = {"name": "case", "event": event, "input": {"fixture": "fixtures/f.json"}, "expected": {"matched": False}}
    files = {
        ".claude/settings.json": groups(event, hook("echo no >&2; exit 2", **more), matcher=matcher),
        ".anyhook/tests/fixtures/f.json": {"hook_event_name": event, **payload},
        ".anyhook/tests/cases/case.yaml": tested,
    }
    write(folder, files)
    suite = read_suite(folder)
    matrix = play_matrix(suite, suite.everything)
    check(matrix)
    return matrix.rows[0]


def reason(row: Row, client: str) -> str:
    cell = row.cell(client)
    assert cell is not None
    return cell.reason


def test_a_condition_that_is_lost_is_not_taken_for_a_matcher(tmp_path: Path) -> None:
    row = of_claude(tmp_path, "PreToolUse", "Bash", {"tool_name": "Bash", "tool_input": {"command": "ls"}}, **LIMIT)
    assert reason(row, "codex") == "the condition of the hook is not applied and the hook runs, the tool does not run"


def test_a_matcher_that_is_lost_does_not_match(tmp_path: Path) -> None:
    row = of_claude(tmp_path, "PermissionRequest", "Write", {"tool_name": "Bash", "tool_input": {"command": "ls"}})
    assert reason(row, "mastra-code") == "the hook has no matcher here and runs, nothing is refused"


def test_a_block_that_counts_only_in_another_client(tmp_path: Path) -> None:
    tested = case(event="pre-compact", input={"fixture": "fixtures/f.json"}, expected={"effect": "proceed"})
    files = {"hooks/tests/fixtures/f.json": {"hookEventName": "pre-compact", "trigger": "manual"}}
    suite = package(tmp_path, {"pre-compact": [group("echo no >&2; exit 2")]}, {"a": tested}, **files)
    [row] = play_matrix(suite, suite.everything, ("claude-code",)).rows
    assert reason(row, "claude-code") == "hooks can block PreCompact, the context is not compacted"


def check(matrix: Matrix) -> None:
    assert not matrix.broken
    for row in matrix.rows:
        for cell in row.cells:
            for text, is_native in ((cell.reason, cell.effect is cell.native), (cell.native_reason, True)):
                if text:
                    check_text(row, cell, text, is_native=is_native)


def check_text(row: Row, cell: Cell, text: str, *, is_native: bool) -> None:
    about = (row.case.name, cell.client, text, cell.losses)
    own = row.cell(row.client)
    assert own is not None
    assert not re.search(r"\bNone\b", text), about
    assert not text.startswith(profile(cell.client).title), about  # whoever prints it names the client
    runs = cell.outcome.runs if cell.outcome else ()
    is_deployed = cell.deployed is not None and not is_native
    if "does not run:" in text:
        assert not runs, about
    if any(words in text for words in RUNS_HERE) and not is_deployed:
        assert runs, about
        wider = ("also runs in other cases", "is left out", "runs on every call")
        assert any(words in loss for words in wider for loss in cell.losses), about
    if left_out := [loss for loss in cell.losses if loss.startswith("the hook is left out")]:
        is_powerless = cell.native is Effect.PROCEED  # written for the client itself, it does nothing either
        assert cell.native != cell.effect or cell.missing is Missing.HOOK or is_powerless, (about, left_out)
    if found := re.search(r"no reply to \S+ means (\w+)", text):
        assert found[1] == own.effect != cell.effect, about
        assert found[1] != "proceed", about
