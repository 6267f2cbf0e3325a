"""The matrix: cells, how they compare_effects to what a case is about, and the reasons that facts alone give."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.dialects import NAMES
from anyhook.model.events import EVENTS
from anyhook.model.outcome import Effect
from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.matrix.carrying import Missing
from anyhook.testing.matrix.play import Cell, CellStatus, Matrix, Row, compare_effects, default_clients, play_matrix
from anyhook.testing.matrix.reasons import consequence
from tests.checkout import ROOT
from tests.lint.projects import groups, hook, write
from tests.testing.packages import case, group, package

BASH = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push"}}
REFUSES = "echo no >&2; exit 2"


def played(folder: Path, hooks: Any, tested: Mapping[str, Any], *clients: str, **files: Any) -> Matrix:
    """The matrix of one universal case."""
    event = str(tested["event"])
    listed = hooks if isinstance(hooks, list) else [hooks]
    suite = package(folder, {event: listed}, {"case": tested}, **files)
    return play_matrix(suite, suite.everything, clients or default_clients(), native=True)


def of_claude(folder: Path, command: str, expected: Mapping[str, Any], *clients: str, **more: Any) -> Row:
    """The row of one case of a project that has hooks in Claude Code's format, before a Bash call."""
    write(
        folder,
        {
            ".claude/settings.json": groups("PreToolUse", hook(command, **more), matcher="Bash"),
            ".anyhook/tests/fixtures/bash.json": BASH,
            ".anyhook/tests/cases/case.yaml": {
                "name": "case",
                "event": "PreToolUse",
                "input": {"fixture": "fixtures/bash.json"},
                "expected": expected,
            },
        },
    )
    suite = read_suite(folder)
    [row] = play_matrix(suite, suite.everything, clients, native=True).rows
    return row


def cell_of(matrix: Matrix | Row, client: str) -> Cell:
    row = matrix if isinstance(matrix, Row) else matrix.rows[0]
    cell = row.cell(client)
    assert cell is not None
    return cell


# --- which clients


def test_all_real_clients_are_played_and_the_one_that_the_hooks_are_written_for_comes_first(tmp_path: Path) -> None:
    matrix = played(tmp_path, group(REFUSES, matcher="Write"), case(expected={"effect": "block"}))
    assert matrix.clients == ("universal", *default_clients())
    assert {"claude-code", "codex", "cursor"} <= set(default_clients())
    assert not {"rulesync", "universal", "agent-sdk"} & set(default_clients())


def test_a_client_that_is_asked_for_twice_is_played_once(tmp_path: Path) -> None:
    matrix = played(tmp_path, group(REFUSES, matcher="Write"), case(), "codex", "universal", "codex")
    assert matrix.clients == ("universal", "codex")
    assert [cell.client for cell in matrix.rows[0].cells] == ["universal", "codex"]


# --- what a script is given


@pytest.mark.parametrize(
    ("client", "given"),
    [
        ("claude-code", '"tool_name":"Write","tool_input":{"file_path":"/src/app.ts"'),
        ("gemini-cli", '"hook_event_name":"BeforeTool"'),
        ("gemini-cli", '"tool_name":"write_file"'),
        ("copilot-cli", '"toolName":"create"'),
        ("copilot-cli", '"path":"/src/app.ts"'),
        ("codex", '"tool_name":"apply_patch"'),
        ("cursor", '"hook_event_name":"preToolUse"'),
        ("windsurf", '"agent_action_name":"pre_write_code"'),
        ("openhands", '"event_type":"PreToolUse"'),
    ],
)
def test_the_payload_is_written_in_the_client_s_own_spelling(tmp_path: Path, client: str, given: str) -> None:
    matrix = played(tmp_path, group("cat >&2; exit 2", matcher="Write"), case(), client)
    outcome = cell_of(matrix, client).outcome
    assert outcome is not None
    assert given in outcome.runs[0].stderr


def test_a_script_that_knows_one_spelling_is_found_out(tmp_path: Path) -> None:
    command = """grep -q '"tool_name":"Bash"' || exit 0; echo no >&2; exit 2"""
    row = of_claude(tmp_path, command, {"effect": "block"}, "codex", "gemini-cli")
    assert cell_of(row, "codex").status is CellStatus.SAME
    gemini = cell_of(row, "gemini-cli")
    assert gemini.status is CellStatus.UNKNOWN
    assert gemini.reason == (
        "the payload names the tool run_shell_command, not Bash: it exits with 0, not 2, the tool runs"
    )


def test_the_script_is_looked_at_to_say_which_name_it_misses(tmp_path: Path) -> None:
    script = "#!/bin/sh\nif grep -q '\"file_path\"'; then echo no >&2; exit 2; fi\n"
    files = {"hooks/guard.sh 755": script}
    matrix = played(tmp_path, group("hooks/guard.sh", matcher="Write"), case(), "copilot-cli", **files)
    reason = cell_of(matrix, "copilot-cli").reason
    assert "the script looks for file_path, and the payload calls it toolArgs.path" in reason


def test_a_model_s_verdict_is_given_in_the_form_that_the_client_asks_for(tmp_path: Path) -> None:
    judge = {"hooks": [{"type": "prompt", "prompt": "Done?"}]}
    tested = {
        "name": "case",
        "event": "stop",
        "input": {"verdict": {"ok": False, "reason": "No."}},
        "expected": {"effect": "continue"},
    }
    matrix = played(tmp_path, judge, tested, "claude-code", "openhands", "code-agent")
    assert {cell.effect for cell in matrix.rows[0].cells} == {Effect.CONTINUE}


# --- hooks that do not run


def test_an_event_that_a_client_does_not_have_holds_nothing_back(tmp_path: Path) -> None:
    tested = {"name": "case", "event": "stop", "expected": {"effect": "continue"}}
    cell = cell_of(played(tmp_path, group(REFUSES), tested, "windsurf"), "windsurf")
    assert (cell.missing, cell.effect, cell.status) == (Missing.EVENT, Effect.PROCEED, CellStatus.UNKNOWN)
    assert cell.reason == "has no event like stop, the agent stops"


def test_a_hook_that_does_nothing_loses_nothing_where_there_is_no_event(tmp_path: Path) -> None:
    tested = {"name": "case", "event": "stop", "expected": {"effect": "proceed"}}
    cell = cell_of(played(tmp_path, group("true"), tested, "windsurf"), "windsurf")
    assert (cell.missing, cell.status, cell.reason) == (Missing.EVENT, CellStatus.SAME, "")


def test_a_hook_that_cannot_be_converted_is_a_lost_guard(tmp_path: Path) -> None:
    judge = {"hooks": [{"type": "prompt", "prompt": "Done?"}]}
    tested = {"name": "case", "event": "stop", "input": {"verdict": {"ok": False, "reason": "No."}}}
    cell = cell_of(played(tmp_path, judge, tested, "codex"), "codex")
    assert (cell.missing, cell.status) == (Missing.HOOK, CellStatus.UNKNOWN)
    assert cell.reason == "runs no prompt hooks, the agent stops"


def test_a_group_that_does_not_match_is_the_same_everywhere(tmp_path: Path) -> None:
    tested = case(expected={"matched": False})
    matrix = played(tmp_path, group(REFUSES, matcher="Bash"), tested, "claude-code", "gemini-cli", "codex")
    assert matrix.count(CellStatus.SAME) == 4


def test_a_client_that_ignores_matchers_runs_the_hook_for_every_tool(tmp_path: Path) -> None:
    tested = case(expected={"matched": False})
    cell = cell_of(played(tmp_path, group(REFUSES, matcher="Bash"), tested, "copilot-vscode"), "copilot-vscode")
    assert cell.effect is Effect.BLOCK
    assert cell.reason == "matchers are ignored and the hook runs, the tool does not run"


# --- what is known


@pytest.mark.parametrize(
    ("stated", "status"),
    [
        ({}, CellStatus.UNKNOWN),
        ({"codex": "proceed"}, CellStatus.KNOWN),
        ({"codex": "ask"}, CellStatus.UNKNOWN),
        ({"claude": "proceed", "codex": "proceed"}, CellStatus.KNOWN),
    ],
)
def test_a_difference_is_known_when_the_case_states_exactly_it(
    tmp_path: Path, stated: dict[str, str], status: CellStatus
) -> None:
    row = of_claude(tmp_path, "exit 2", {"effect": "block", "clients": stated}, "codex")
    assert cell_of(row, "codex").status is status


@pytest.mark.parametrize(
    ("command", "newest", "older"),
    [("exit 2", CellStatus.KNOWN, CellStatus.KNOWN), (REFUSES, CellStatus.STALE, CellStatus.SAME)],
)
def test_what_is_stated_of_a_client_is_known_of_its_releases(
    tmp_path: Path, command: str, newest: CellStatus, older: CellStatus
) -> None:
    stated = {"effect": "block", "clients": {"codex": "proceed"}}
    row = of_claude(tmp_path, command, stated, "codex", "codex@0.147.0")
    assert (cell_of(row, "codex").status, cell_of(row, "codex@0.147.0").status) == (newest, older)


def test_a_stated_difference_that_no_longer_happens_is_stale(tmp_path: Path) -> None:
    row = of_claude(tmp_path, REFUSES, {"effect": "block", "clients": {"codex": "proceed"}}, "codex")
    cell = cell_of(row, "codex")
    assert cell.status is CellStatus.STALE
    assert cell.reason == "the case says proceed, and it is block now"


def test_without_an_expected_effect_the_others_are_compared_with_the_own_client(tmp_path: Path) -> None:
    row = of_claude(tmp_path, "exit 2", {}, "codex")
    assert row.effect is Effect.BLOCK
    assert cell_of(row, "codex").status is CellStatus.UNKNOWN


def test_an_own_client_that_does_not_do_what_the_case_expects_is_a_difference_too(tmp_path: Path) -> None:
    row = of_claude(tmp_path, "true", {"effect": "block"}, "codex")
    assert cell_of(row, "claude-code").reason == "the case expects block"
    assert cell_of(row, "codex").reason == "as in Claude Code: the case expects block"


EFFECTS = st.sampled_from(list(Effect))


@given(wanted=EFFECTS, effect=EFFECTS, stated=st.none() | EFFECTS)
def test_a_cell_passes_only_if_it_is_as_the_case_says(wanted: Effect, effect: Effect, stated: Effect | None) -> None:
    said = wanted if stated is None else stated
    assert compare_effects(wanted, effect, stated).fails == (said is not effect)


# --- cases that cannot be played


def test_a_case_that_takes_too_long_could_not_run(tmp_path: Path) -> None:
    tested = case(timeout=0.2)
    matrix = played(tmp_path, group("sleep 30", matcher="Write"), tested, "codex")
    assert matrix.could_not_run
    assert cell_of(matrix, "codex").missing is Missing.RESULT
    assert cell_of(matrix, "codex").reason == "not finished after 0.2 s"


def test_a_broken_case_does_not_keep_the_others_from_being_played(tmp_path: Path) -> None:
    cases = {"good": case(), "bad": "name: [", "lost": {**case(hook_index=9), "name": "lost"}}
    suite = package(tmp_path, {"pre-tool-use": [group(REFUSES, matcher="Write")]}, cases)
    matrix = play_matrix(suite, suite.everything, ("codex",), native=True)
    assert [row.case.name for row in matrix.rows] == ["case"]
    assert {broken.case.name for broken in matrix.broken} == {"bad", "lost"}
    assert matrix.could_not_run


def test_a_sandboxed_case_gets_a_copy_for_each_client(tmp_path: Path) -> None:
    once = "test -e marker && exit 0; touch marker; echo no >&2; exit 2"
    tested = case(sandbox=True, expected={"effect": "block"})
    matrix = played(tmp_path, group(once, matcher="Write"), tested, "claude-code", "codex", "cursor")
    assert {cell.effect for cell in matrix.rows[0].cells} == {Effect.BLOCK}
    assert not (tmp_path / "marker").exists()


# --- reasons


@pytest.mark.parametrize(
    ("command", "client", "reason"),
    [
        ("exit 1", "code-agent", "any exit status but 0 blocks, the tool does not run"),
        ("exit 1", "copilot-cli", "a hook that fails (exit 1) counts as a refusal, the tool does not run"),
        (
            """echo '{"decision": "block", "reason": "no"}'""",
            "copilot-vscode",
            "reads hookSpecificOutput.permissionDecision, not decision, the tool runs",
        ),
        (
            """echo '{"decision": "block", "reason": "no"}'""",
            "windsurf",
            "replies in JSON are not read, only the exit status counts, the command runs",
        ),
        (
            """echo '{"decision": "approve"} trailing'; echo no >&2; exit 3""",
            "gemini-cli",
            "every exit status above 1 blocks, also 3, the tool does not run",
        ),
        (
            """printf '%s' '"{\\"decision\\": \\"block\\"}"'""",
            "gemini-cli",
            "JSON inside a JSON string is read, too, the tool does not run",
        ),
    ],
)
def test_a_reason_says_which_rule_makes_the_difference(tmp_path: Path, command: str, client: str, reason: str) -> None:
    cell = cell_of(of_claude(tmp_path, command, {}, client), client)
    assert reason in cell.reason


def test_a_variable_that_only_the_own_client_sets_is_the_reason(tmp_path: Path) -> None:
    write(tmp_path, {".claude/guard.sh 755": '#!/bin/sh\n[ -z "$CLAUDE_PROJECT_DIR" ] || exit 2\n'})
    cell = cell_of(of_claude(tmp_path, ".claude/guard.sh", {"effect": "block"}, "windsurf"), "windsurf")
    assert cell.reason == "the variable CLAUDE_PROJECT_DIR is not set: it exits with 0, not 2, the command runs"


@given(event=st.sampled_from([event.name for event in EVENTS]), effect=EFFECTS)
def test_every_effect_on_every_event_has_a_consequence_in_words(event: str, effect: Effect) -> None:
    assert consequence(event, effect)


def test_no_reason_knows_a_client_by_its_name() -> None:
    source = ROOT / "src" / "anyhook" / "testing"
    for file in source.glob("matrix/*.py"):
        code = file.read_text("utf-8")
        assert not [name for name in NAMES if f'"{name}"' in code], file.name
