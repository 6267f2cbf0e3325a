"""Cases written from a recording load, run, and say only what is known."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from anyhook.model.outcome import Effect
from anyhook.record.recorded import Happened
from anyhook.record.recordings import Recording
from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.runner import CaseResult, CaseStatus, Runner
from anyhook.testing.scaffold.from_recording import WrittenCases, folder_for_cases, write_cases
from tests.record.recordings import CLAUDE, GUARD, bash, record

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the guard is a POSIX shell command")


@pytest.fixture(autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    state = tmp_path_factory.mktemp("state")
    state.chmod(0o700)
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(state))


def project(tmp_path: Path, hooks: Any = CLAUDE) -> Path:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text(json.dumps({"hooks": hooks}))
    return tmp_path


def run(root: Path) -> list[CaseResult]:
    suite = read_suite(root)
    assert suite.broken == ()
    with Runner(suite) as runner:
        return list(runner.run_all(suite.everything))


def names(written: WrittenCases) -> list[str]:
    return [case.stem for case in written.cases]


def test_a_case_is_written_with_what_came_of_the_event_and_passes(tmp_path: Path) -> None:
    root = project(tmp_path)
    written = write_cases(record(root, bash("PreToolUse", "ls"), bash("PostToolUse", "ls")), root)
    assert names(written) == ["recorded-pre-tool-use-bash"]
    assert written.without_hook == 1
    (result,) = run(root)
    assert result.state is CaseStatus.PASSED
    assert result.case.name == "recorded-pre-tool-use-bash"
    text = written.cases[0].read_text()
    assert text.startswith("# From the recording one: Claude Code, 20")
    assert "# The outcome then: proceed (PostToolUse followed).\n" in text
    assert text.endswith("expected:\n  effect: proceed\n")


def test_a_case_fails_when_hooks_now_do_something_else(tmp_path: Path) -> None:
    root = project(tmp_path)
    write_cases(record(root, bash("PreToolUse", "rm -rf x"), bash("PostToolUse", "rm -rf x")), root)
    (result,) = run(root)
    assert [failure.key for failure in result.failures] == ["expected.effect"]


def test_an_effect_that_is_not_known_is_left_to_the_author(tmp_path: Path) -> None:
    root = project(tmp_path)
    written = write_cases(record(root, bash("PreToolUse", "rm -rf x")), root)
    assert written.without_effect == 1
    assert "# The outcome then: not known.\n" in written.cases[0].read_text()
    (result,) = run(root)
    assert "the case expects nothing" in result.problems[0].text  # everything else is as it should be


def test_events_that_differ_only_in_ids_and_times_are_written_once(tmp_path: Path) -> None:
    root = project(tmp_path)
    calls = [bash("PreToolUse", "ls", f"t{n}", session_id=f"s{n}", prompt_id=f"p{n}") for n in range(3)]
    written = write_cases(record(root, *calls, bash("PreToolUse", "pwd")), root)
    assert names(written) == ["recorded-pre-tool-use-bash", "recorded-pre-tool-use-bash-2"]
    assert written.known == 2


def test_writing_again_adds_nothing_and_replaces_nothing(tmp_path: Path) -> None:
    root = project(tmp_path)
    recording = record(root, bash("PreToolUse", "ls"))
    (case,) = write_cases(recording, root).cases
    case.write_text(case.read_text() + "# mine\n")
    again = write_cases(recording, root)
    assert (again.cases, again.fixtures, again.known) == ((), (), 1)
    assert case.read_text().endswith("# mine\n")


def test_a_name_that_is_taken_gets_a_number(tmp_path: Path) -> None:
    root = project(tmp_path)
    cases = root / ".anyhook/tests/cases"
    cases.mkdir(parents=True)
    (cases / "other.yaml").write_text("name: recorded-pre-tool-use-bash\nevent: PreToolUse\nclient: claude-code\n")
    assert names(write_cases(record(root, bash("PreToolUse", "ls")), root)) == ["recorded-pre-tool-use-bash-2"]


def test_every_group_that_an_event_is_for_gets_a_case(tmp_path: Path) -> None:
    hook = {"type": "command", "command": GUARD}
    groups = [{"matcher": matcher, "hooks": [hook]} for matcher in ("Write", "Bash", "*")]
    root = project(tmp_path, {"PreToolUse": groups})
    written = write_cases(record(root, bash("PreToolUse", "ls"), bash("PostToolUse", "ls")), root)
    assert names(written) == ["recorded-pre-tool-use-bash-group-1", "recorded-pre-tool-use-bash-group-2"]
    assert len(written.fixtures) == 1
    assert [result.state for result in run(root)] == [CaseStatus.PASSED] * 2


def test_an_outcome_that_an_engine_saw_is_stated_for_the_only_group(tmp_path: Path) -> None:
    root = project(tmp_path)
    (event,) = record(root, bash("PreToolUse", "rm -rf x")).events
    observed = structs.replace(event, outcome=Happened(Effect.BLOCK, "no\nrm"))
    (case,) = write_cases(Recording("one", (observed,)), root).cases
    assert "# The outcome then: block (no rm).\n" in case.read_text()
    (result,) = run(root)
    assert result.state is CaseStatus.PASSED


def test_a_group_that_asks_a_model_is_left_out_and_counted(tmp_path: Path) -> None:
    root = project(tmp_path, {"PreToolUse": [{"hooks": [{"type": "prompt", "prompt": "is this fine?"}]}]})
    written = write_cases(record(root, bash("PreToolUse", "ls")), root)
    assert (written.cases, written.fixtures, written.needs_verdict) == ((), (), 1)


def test_the_hooks_of_a_package_are_tested_in_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": GUARD}]}
    (tmp_path / "hooks/hooks.json").write_text(json.dumps({"version": 1, "hooks": {"pre-tool-use": [group]}}))
    written = write_cases(record(tmp_path, bash("PreToolUse", "ls"), bash("PostToolUse", "ls")), tmp_path)
    assert written.folder == tmp_path / "hooks/tests"
    text = written.cases[0].read_text()
    assert "event: pre-tool-use\n" in text
    assert "client:" not in text
    (result,) = run(tmp_path)
    assert (result.state, result.client) == (CaseStatus.PASSED, "universal")


def test_an_event_of_another_client_is_named_as_that_client_does(tmp_path: Path) -> None:
    (tmp_path / ".gemini").mkdir()
    group = {"matcher": "run_shell_command", "hooks": [{"type": "command", "command": GUARD}]}
    (tmp_path / ".gemini/settings.json").write_text(json.dumps({"hooks": {"BeforeTool": [group]}}))
    call = {"session_id": "s", "tool_name": "run_shell_command", "tool_input": {"command": "ls"}}
    before = ("BeforeTool", {"hook_event_name": "BeforeTool", **call})
    written = write_cases(record(tmp_path, before, client="gemini-cli"), tmp_path)
    assert names(written) == ["recorded-pre-tool-use-run-shell-command"]
    assert "event: BeforeTool\n" in written.cases[0].read_text()
    (result,) = run(tmp_path)
    assert "the case expects nothing" in result.problems[0].text  # everything else is as it should be


def test_half_an_emoji_makes_a_fixture_that_loads(tmp_path: Path) -> None:
    root = project(tmp_path)
    write_cases(record(root, bash("PreToolUse", "echo \ud83d é")), root)
    (result,) = run(root)
    assert "the case expects nothing" in result.problems[0].text  # everything else is as it should be


def test_a_long_tool_name_makes_a_name_that_is_allowed(tmp_path: Path) -> None:
    root = project(tmp_path, {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]})
    name, payload = bash("PreToolUse", "ls")
    write_cases(record(root, (name, {**payload, "tool_name": "mcp__" + "Ünknown" * 20})), root)
    (result,) = run(root)
    assert "the case expects nothing" in result.problems[0].text  # everything else is as it should be


def test_cases_go_where_cases_are(tmp_path: Path) -> None:
    assert folder_for_cases(tmp_path) == tmp_path / ".anyhook/tests"
    (tmp_path / "hooks/tests").mkdir(parents=True)
    assert folder_for_cases(tmp_path) == tmp_path / "hooks/tests"
    (tmp_path / ".anyhook/tests").mkdir(parents=True)
    assert folder_for_cases(tmp_path) == tmp_path / ".anyhook/tests"
    (tmp_path / "hooks/hooks.json").write_text("{}")
    assert folder_for_cases(tmp_path) == tmp_path / "hooks/tests"
