"""The runner: real hooks, alone and away from the user."""

from __future__ import annotations

import gc
import json
import os
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from anyhook.dialects import profile
from anyhook.entries.command_entries import EntryOptions, entry_line
from anyhook.model.outcome import Effect
from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.runner import CaseResult, CaseStatus, Runner
from tests.checkout import ROOT
from tests.lint.projects import hook, write
from tests.testing.packages import WRITE, case, group, package, run, run_one, texts

EXIT_2 = "echo no >&2; exit 2"


def test_the_group_under_test_runs_and_no_other(tmp_path: Path) -> None:
    groups = [group("echo first"), group("echo second"), group("touch ran; echo third")]
    result = run_one(tmp_path, groups, case(hook_index=1, expected={"stdout-contains": ["second"]}))
    assert result.state is CaseStatus.PASSED
    assert not (tmp_path / "ran").exists()


def test_all_actions_of_the_group_run_and_one_is_looked_at(tmp_path: Path) -> None:
    groups = group("touch ran", "echo second; exit 3")
    result = run_one(tmp_path, groups, case(action_index=1, expected={"exit-code": 3}))
    assert result.state is CaseStatus.PASSED
    assert (tmp_path / "ran").exists()


def test_a_group_that_is_named_is_found_wherever_it_is(tmp_path: Path) -> None:
    (tmp_path / "anyhook.toml").write_text("[guards.shell]\n", encoding="utf-8")
    named = case(hook="shell guard")
    assert run_one(tmp_path, [], named).state is CaseStatus.PASSED
    functions = 'from anyhook import hook\n\n@hook("pre-tool-use")\ndef note(event):\n    pass\n'
    write(tmp_path, {"hooks/notes.py": functions})
    assert run_one(tmp_path, [group("echo first")], named).state is CaseStatus.PASSED
    for text in ("notes.py:note", "hooks/notes.py", "echo first"):
        result = run_one(tmp_path, [group("echo first")], case(hook=text, expected={"effect": "proceed"}))
        assert result.state is CaseStatus.PASSED


BOTH = [group("echo first"), group(EXIT_2, matcher="Write|Edit"), group("touch other", matcher="Read")]


@pytest.mark.parametrize(
    "expected",
    [
        {"effect": "block"},
        {"stdout-contains": ["first"], "stderr-contains": ["no"]},
        {"matched": True, "not-contains": ["second"]},
    ],
)
def test_a_case_may_be_about_every_hook_of_its_event(tmp_path: Path, expected: dict[str, Any]) -> None:
    result = run_one(tmp_path, BOTH, case(hook="all", expected=expected))
    assert (result.state, texts(result)) == (CaseStatus.PASSED, [])
    assert len(result.rules) == 3
    assert result.run is not None
    assert result.run.reason == "no"  # the hook that decided
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("groups", "expected", "text"),
    [
        (BOTH, {"effect": "proceed"}, "effect: expected proceed, got block (no)"),
        (BOTH, {"not-contains": ["first"]}, 'stdout has "first", and must not'),
        (BOTH, {"matched": False}, f"{EXIT_2} ran, but the case says that no hook matches"),
        (BOTH[2:], {"effect": "proceed"}, "no hook ran: matcher 'Read' "),
        ([group("exit 1"), group("true")], {"effect": "proceed"}, "the hook failed (exit code 1)"),
        ([group("true"), group("exit 1")], {"effect": "proceed"}, "action 1, exit 1: the hook failed (exit code 1)"),
    ],
)
def test_no_hook_of_the_event_goes_unnoticed(
    tmp_path: Path, groups: list[dict[str, Any]], expected: dict[str, Any], text: str
) -> None:
    result = run_one(tmp_path, groups, case(hook="all", expected=expected))
    assert result.state is CaseStatus.FAILED
    assert any(found.startswith(text) for found in texts(result)), texts(result)


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        ({"action_index": 0}, "action-index"),
        ({"expected": {"exit-code": 2}}, "exit-code"),
        ({"expected": {"status": "blocked"}}, "status"),
        ({"expected": {"stdout-json": {}}}, "stdout-json"),
    ],
)
def test_what_is_about_one_hook_is_not_expected_of_all(tmp_path: Path, keys: dict[str, Any], name: str) -> None:
    result = run_one(tmp_path, BOTH, case(hook="all", **keys))
    assert result.state is CaseStatus.BROKEN
    assert texts(result) == [f"{name} is about one hook, but hook: all runs every hook of the event"]


def test_the_whole_event_without_hooks_cannot_be_tested(tmp_path: Path) -> None:
    result = run_one(tmp_path, [], case(hook="all"))
    assert result.state is CaseStatus.BROKEN
    assert texts(result)[0].startswith("there is no group 0 for pre-tool-use (universal hooks: 0, counted from 0)")


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"hook": "second"}, "pre-tool-use has no hook that 'second' is a part of (universal hooks)"),
        ({"hook_index": 2}, "there is no group 2 for pre-tool-use (universal hooks: 1, counted from 0)"),
        ({"action_index": 1}, "there is no action 1 in the group (it has 1, counted from 0)"),
    ],
)
def test_an_index_that_does_not_exist(tmp_path: Path, keys: dict[str, Any], text: str) -> None:
    result = run_one(tmp_path, group("true"), case(**keys))
    assert (result.state, texts(result)) == (CaseStatus.BROKEN, [text])


def test_the_matcher_is_applied(tmp_path: Path) -> None:
    result = run_one(tmp_path / "a", group("true", matcher="Bash"), case())
    assert result.state is CaseStatus.FAILED
    assert texts(result)[0].startswith("the hook did not run: matcher 'Bash' ")
    result = run_one(tmp_path / "b", group("true", matcher="Bash"), case(expected={"matched": False}))
    assert result.state is CaseStatus.PASSED
    result = run_one(tmp_path / "c", group("true"), case(expected={"matched": False}))
    assert texts(result) == ["the hook ran, but the case says that its group does not match"]


@pytest.mark.parametrize(
    ("event", "command", "effect"),
    [
        ("pre-tool-use", "true", Effect.PROCEED),
        ("pre-tool-use", EXIT_2, Effect.BLOCK),
        ("pre-tool-use", """echo '{"hookSpecificOutput": {"permissionDecision": "ask"}}'""", Effect.ASK),
        ("pre-tool-use", """echo '{"continue": false}'""", Effect.STOP),
        ("post-tool-use", EXIT_2, Effect.FEEDBACK),
        ("stop", """echo '{"decision": "block", "reason": "go on"}'""", Effect.CONTINUE),
    ],
)
def test_an_effect_is_what_the_client_makes_of_it(tmp_path: Path, event: str, command: str, effect: Effect) -> None:
    result = run_one(tmp_path, group(command), case(event, expected={"effect": effect}))
    assert texts(result) == []


def test_a_hook_reads_the_fixture_with_its_overrides(tmp_path: Path) -> None:
    given = {"fixture": "fixtures/write.json", "overrides": {"toolInput.file_path": "/etc/passwd"}}
    result = run_one(tmp_path, group("cat"), case(input=given))
    assert result.run is not None
    expected = {**WRITE, "toolInput": {"file_path": "/etc/passwd", "content": "console.log('hello');"}}
    assert json.loads(result.run.stdout) == expected


# --- what keeps a case from running


@pytest.mark.parametrize(
    ("keys", "line", "text"),
    [
        ({"input": {"fixture": "fixtures/none.json"}}, 5, "there is no fixture fixtures/none.json"),
        (
            {"input": {"fixture": "fixtures/write.json", "overrides": {"toolName.x": 1}}},
            7,
            "this override cannot be applied: toolName is the text 'Write', which has no x in it",
        ),
        (
            {"event": "pre-tool-ues"},
            3,
            "no client has an event called 'pre-tool-ues'. Did you mean pre-tool-use, pre_tool_use or post-tool-use?",
        ),
    ],
)
def test_a_case_that_cannot_run_says_where_and_why(tmp_path: Path, keys: dict[str, Any], line: int, text: str) -> None:
    suite = package(tmp_path, {"pre-tool-use": [group("true")]}, {"bad": case(**keys), "good": case(name="good")})
    bad, good = run(suite)
    assert (bad.state, texts(bad)) == (CaseStatus.BROKEN, [text])
    assert bad.problems[0].origin.line == line
    assert good.state is CaseStatus.PASSED


@pytest.mark.parametrize(
    ("content", "text"), [("{", "the fixture: "), ("[]", "a fixture is an object with keys, not a list")]
)
def test_a_broken_fixture_is_named_with_its_line(tmp_path: Path, content: str, text: str) -> None:
    result = run_one(tmp_path, group("true"), case(), **{"hooks/tests/fixtures/write.json": content})
    assert result.state is CaseStatus.BROKEN
    assert texts(result)[0].startswith(text)
    assert str(result.problems[0].origin).endswith("fixtures/write.json:1")


def test_a_case_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    result = run_one(tmp_path, group("sleep 600; touch ran"), case(timeout=0.2))
    assert (result.state, texts(result)) == (CaseStatus.FAILED, ["timed out after 0.2 s"])
    assert result.failures[0].line == 10
    assert not (tmp_path / "ran").exists()


def test_a_hook_has_its_own_time_limit_too(tmp_path: Path) -> None:
    result = run_one(tmp_path, group("sleep 600", timeout=1), case(expected={"exit-code": 0}))
    assert texts(result) == ["exit code: expected 0, got none: timed out"]


@pytest.mark.parametrize(
    ("command", "timeout", "text", "status"),
    [
        ("python3 -c 'import no_such_module'", 120, "No module named 'no_such_module'", "failed-so-allowed"),
        ("./no-such-guard.sh", 120, "the hook failed (exit code 127): ", "failed-so-allowed"),
        ("exit 1", 120, "the hook failed (exit code 1)", "failed-so-allowed"),
        ("sleep 600", 1, "the hook timed out", "timed-out"),
    ],
)
def test_a_hook_that_fails_fails_its_case_unless_expected(
    tmp_path: Path, command: str, timeout: int, text: str, status: str
) -> None:
    """Nothing was blocked, so the effect is as expected: a guard that crashes must not pass for one that approves."""
    result = run_one(tmp_path / "a", group(command, timeout=timeout), case(expected={"effect": "proceed"}))
    assert result.state is CaseStatus.FAILED
    assert text in texts(result)[0]
    assert f"expected.status: {status}" in texts(result)[0]
    stated = case(expected={"effect": "proceed", "status": status})
    assert texts(run_one(tmp_path / "b", group(command, timeout=timeout), stated)) == []


def test_an_exit_code_names_a_failure(tmp_path: Path) -> None:
    assert texts(run_one(tmp_path, group("exit 1"), case(expected={"exit-code": 1}))) == []


def test_a_failed_neighbour_in_the_group_fails_the_case_too(tmp_path: Path) -> None:
    both = group("true", "exit 1")
    result = run_one(tmp_path / "a", both, case(expected={"exit-code": 0}))
    assert texts(result) == ["action 1, exit 1: the hook failed (exit code 1)"]
    assert texts(run_one(tmp_path / "b", both, case(action_index=0, expected={"exit-code": 0}))) == []


@pytest.mark.parametrize("which", [{}, {"hook": "shell guard"}, {"hook": "all"}])
def test_a_deployed_entry_is_not_run(which: dict[str, Any], tmp_path: Path) -> None:
    """It would start a daemon, in a home folder in which nothing is trusted."""
    line = "touch ran; " + entry_line(profile("claude-code"), "PreToolUse", EntryOptions())
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [group(line)]}}))
    tested = case(client="claude-code", expected={"effect": "proceed"}, **which)
    result = run_one(tmp_path, [], tested)
    assert result.state is CaseStatus.BROKEN
    assert "only asks anyhook" in texts(result)[0]
    assert "anyhook matrix" in result.problems[0].fix
    assert not (tmp_path / "ran").exists()


def test_a_case_that_expects_nothing_is_an_error(tmp_path: Path) -> None:
    result = run_one(tmp_path, group("true"), case(expected={"clients": {"codex": "proceed"}}))
    assert result.state is CaseStatus.BROKEN
    assert texts(result) == ["the case expects nothing, so it would pass whatever the hook does"]
    assert "effect: block" in result.problems[0].fix


def test_a_hook_that_the_client_does_not_load_cannot_be_tested(tmp_path: Path) -> None:
    result = run_one(tmp_path, {"hooks": [{"type": "command"}]}, case())
    assert result.state is CaseStatus.BROKEN
    assert "does not load this hook" in texts(result)[0]


# --- away from the user


def test_a_hook_has_a_home_of_its_own_and_few_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "secret")
    config = {"version": 1, "env": {"HOOK_TEST": "true", "PACKAGE_ROOT": "."}}
    groups = group('pwd; echo "$PACKAGE_ROOT"; touch "$HOME/mark"; ls -A "$HOME"; env')
    result = run_one(tmp_path, groups, case(), **{"hooks/tests/test-config.json": config})
    assert result.run is not None
    here, root, listed, *variables = result.run.stdout.splitlines()
    assert here == root == str(tmp_path)
    assert listed == "mark"
    assert "HOOK_TEST=true" in variables
    names = {line.partition("=")[0] for line in variables}
    assert "SECRET_TOKEN" not in names
    assert f"HOME={os.environ['HOME']}" not in variables


def test_no_case_finds_what_another_left_at_home(tmp_path: Path) -> None:
    cases = {str(n): case(name=f"n{n}", expected={"stdout-json": 0}) for n in range(6)}
    suite = package(tmp_path, {"pre-tool-use": [group('ls -A "$HOME" | wc -l; touch "$HOME/mark"')]}, cases)
    with Runner(suite) as runner:
        assert {result.state for result in runner.run_all(suite.cases, jobs=1)} == {CaseStatus.PASSED}


def test_everything_temporary_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    run_one(tmp_path / "a", group('touch "$HOME/mark"'), case(sandbox=True))
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_sandbox_is_a_copy_of_the_package(tmp_path: Path) -> None:
    files = {"data.txt": "old", "run.sh 755": "#!/bin/sh\necho new > data.txt; cat data.txt; pwd\n", ".git/HEAD": "x"}
    result = run_one(tmp_path, group('"$PACKAGE_ROOT/run.sh"; ls -A'), case(sandbox=True), **files)
    assert result.run is not None
    text, folder, *listed = result.run.stdout.split()
    assert text == "new"
    assert folder == str(tmp_path), "what happened in the copy is told with the paths of the package"
    assert ".git" not in listed
    assert (tmp_path / "data.txt").read_text() == "old"
    assert result.run.origin.file == str(tmp_path / "hooks/hooks.json"), "not the copy, which is gone"


def test_the_home_folder_s_hooks_have_no_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = {"hooks": {"PreToolUse": [group("echo home")]}}
    write(tmp_path / "home", {".claude/settings.json": own})
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    theirs = {"hooks": {"PreToolUse": [group("echo project")]}}
    write(
        tmp_path / "project",
        {
            ".claude/settings.json": theirs,
            ".anyhook/tests/cases/a.yaml": "name: a\nevent: PreToolUse\nexpected: {exit-code: 0}\n",
        },
    )
    [result] = run(read_suite(tmp_path / "project"))
    assert result.run is not None
    assert result.run.stdout == "project\n"


# --- whose rules


def project(folder: Path, files: dict[str, Any], **keys: Any) -> CaseResult:
    common = {"input": {"fixture": "f.json"}, "expected": {"effect": "proceed"}}
    tested = {"name": "a", "event": "PreToolUse", **common, **keys}
    fixture = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    write(folder, {".anyhook/tests/cases/a.yaml": tested, ".anyhook/tests/f.json": fixture, **files})
    [result] = run(read_suite(folder))
    return result


CLAUDE = {".claude/settings.json": {"hooks": {"PreToolUse": [group("exit 2", matcher="Bash")]}}}
CODEX = {".codex/hooks.json": {"hooks": {"PreToolUse": [group("exit 2", matcher="Bash")]}}}
CURSOR = {".cursor/hooks.json": {"version": 1, "hooks": {"preToolUse": [{"command": "exit 2", "matcher": "Shell"}]}}}
GEMINI = {".gemini/settings.json": {"hooks": {"BeforeTool": [group("exit 2", matcher="run_shell_command")]}}}


@pytest.mark.parametrize(
    ("files", "client"), [(CLAUDE, "claude-code"), (CODEX, "codex"), (CURSOR, "cursor"), (GEMINI, "gemini-cli")]
)
def test_the_only_client_with_hooks_is_meant(tmp_path: Path, files: dict[str, Any], client: str) -> None:
    result = project(tmp_path, files, expected={"exit-code": 2})
    assert (result.client, texts(result)) == (client, [])


def test_one_of_several_clients_must_be_named(tmp_path: Path) -> None:
    result = project(tmp_path / "a", {**CLAUDE, **CODEX})
    [text] = texts(result)
    assert re.fullmatch(r"claude-code, codex have hooks in .*: name the client with --client", text)
    result = project(tmp_path / "b", {**CLAUDE, **CODEX}, client="codex", expected={"status": "failed-so-allowed"})
    assert texts(result) == []
    result = project(tmp_path / "c", {})
    assert texts(result)[0].endswith(": there are no hooks")


def test_a_client_may_read_the_file_of_another(tmp_path: Path) -> None:
    result = project(tmp_path, CLAUDE, client="copilot-vscode", expected={"exit-code": 2})
    assert (result.client, texts(result)) == ("copilot-vscode", [])
    result = project(tmp_path, CLAUDE, client="cursor", expected={"matched": False})
    assert result.state is not CaseStatus.BROKEN


def test_a_plugin_s_file_says_for_whom_it_is_written(tmp_path: Path) -> None:
    files = {"hooks/hooks.json": {"hooks": {"PreToolUse": [group("exit 2", matcher="Bash")]}}}
    result = project(tmp_path, files, expected={"effect": "block"})
    assert (result.client, texts(result)) == ("claude-code", [])


# --- models and machines


PROMPT = {"hooks": [{"type": "prompt", "prompt": "Is all done? $ARGUMENTS"}]}


def test_a_prompt_is_answered_by_the_case(tmp_path: Path) -> None:
    given = {"verdict": {"ok": False, "reason": "two are open"}}
    expected = {"prompt-contains": ["Is all done?", "stop"], "effect": "continue"}
    result = run_one(tmp_path, PROMPT, case("stop", input=given, expected=expected))
    assert texts(result) == []
    assert result.outcome is not None
    assert result.outcome.reason == "two are open"


def test_the_text_of_a_model_is_an_answer_too(tmp_path: Path) -> None:
    result = run_one(tmp_path, PROMPT, case("stop", input={"verdict": '{"ok": true}'}, expected={"effect": "proceed"}))
    assert texts(result) == []


def test_without_a_verdict_no_model_is_asked(tmp_path: Path) -> None:
    result = run_one(tmp_path, PROMPT, case("stop", input={}))
    assert result.state is CaseStatus.BROKEN
    assert texts(result) == ["the group has a prompt hook, but the case does not give the model's answer"]


@pytest.fixture
def server() -> Iterator[str]:
    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            body = b'{"decision": "block", "reason": "said by http"}'
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Answer) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{serving.server_port}/"
        serving.shutdown()
        thread.join()


def http(folder: Path, url: str) -> CaseResult:
    files = {".claude/settings.json": {"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": url}]}]}}}
    return project(folder, files, expected={"effect": "block"})


def test_an_http_hook_reaches_this_machine(tmp_path: Path, server: str) -> None:
    assert texts(http(tmp_path, server)) == []


@pytest.mark.parametrize("url", ["https://example.com/hook", "http://127.0.0.1.example.com/", "http://$HOST/"])
def test_an_http_hook_reaches_no_other_machine_by_accident(tmp_path: Path, url: str) -> None:
    result = http(tmp_path, url)
    assert result.state is CaseStatus.BROKEN
    assert texts(result) == [f"the hook calls {url}, but tests may reach only this machine"]


# --- many


def test_results_come_in_the_order_of_the_cases(tmp_path: Path) -> None:
    cases = {f"{n:02}": case(name=f"n{n}", expected={"exit-code": n % 2}) for n in range(12)}
    suite = package(tmp_path, {"pre-tool-use": [group("true")]}, cases)
    ended: list[str] = []
    with Runner(suite) as runner:
        results = runner.run_all(suite.cases, jobs=4, on_end=lambda result: ended.append(result.case.name))
    assert [result.case.name for result in results] == [f"n{n}" for n in range(12)]
    assert [result.state for result in results] == [CaseStatus.PASSED, CaseStatus.FAILED] * 6
    assert sorted(ended) == sorted(result.case.name for result in results)


def test_the_first_failure_can_end_it_all(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    slow = [group("exit 1"), group("sleep 600; touch ran")]
    cases = {"1": case(name="a", expected={"exit-code": 0}), "2": case(name="b", hook_index=1), "3": case(name="c")}
    suite = package(tmp_path, {"pre-tool-use": slow}, cases)
    with Runner(suite) as runner:
        [result] = runner.run_all(suite.cases, jobs=2, stop_on_failure=True)
    gc.collect()  # asyncio logs exceptions that were never retrieved when their task is collected
    assert result.case.name == "a"
    assert not (tmp_path / "ran").exists()
    assert [record for record in caplog.records if record.name == "asyncio"] == []


def test_a_stop_gate_holds_in_every_case(tmp_path: Path) -> None:
    """The engine lets an agent stop after a while; cases do not count together."""
    block = """echo '{"decision": "block", "reason": "go on"}'"""
    cases = {f"{n:02}": case("stop", name=f"n{n}", expected={"effect": "continue"}) for n in range(12)}
    results = run(package(tmp_path, {"stop": [group(block)]}, cases))
    assert {result.state for result in results} == {CaseStatus.PASSED}


def test_a_background_hook_is_waited_for(tmp_path: Path) -> None:
    files = {".claude/settings.json": {"hooks": {"PreToolUse": [{"hooks": [hook("touch ran", **{"async": True})]}]}}}
    assert texts(project(tmp_path, files)) == []
    assert (tmp_path / "ran").exists()


def test_the_example_passes() -> None:
    results = run(read_suite(ROOT / "examples" / "hooks-package"))
    assert len(results) == 18
    assert [(result.case.name, texts(result)) for result in results if result.state is not CaseStatus.PASSED] == []
