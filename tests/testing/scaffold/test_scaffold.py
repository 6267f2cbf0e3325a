"""What ``anyhook init`` writes: a package that works unchanged, for every client that has a file for it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from anyhook.bridge.answer_event import answer
from anyhook.bridge.prepare_event import prepare
from anyhook.bridge.read_call import Caller
from anyhook.dialects import NAMES, profile
from anyhook.dialects.bound_event import bind_payload
from anyhook.dialects.places import Writing
from anyhook.dialects.translation.translate import translate_payload
from anyhook.dialects.wire.payloads import encode_payload
from anyhook.entries.command_entries import EntryOptions, bridge
from anyhook.model.codes import Severity
from anyhook.model.hooks import HookSet
from anyhook.model.lazyjson import dump_json
from anyhook.model.origin import Scope
from anyhook.model.payload import PreToolUse
from anyhook.model.problems import AnyhookError, UsageError
from anyhook.project.asked_packages import HookPackage
from anyhook.project.package_hooks import PackageHooks
from anyhook.project.project import Project
from anyhook.project.trusted_project import TrustedProject
from anyhook.prove.proof.played_cases import stage_cases
from anyhook.sources.discover import roots_for
from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.cases.cases import Case
from anyhook.testing.hook_firer import HookFirer
from anyhook.testing.mutation.play_mutants import play_mutants
from anyhook.testing.runner import CaseStatus, Runner
from anyhook.testing.scaffold.scaffold import REFUSAL, plan_scaffold, write_scaffold
from tests.lint.projects import check
from tests.testing.packages import texts

WRITABLE = tuple(
    name
    for name in NAMES
    if any(s.scope is Scope.PROJECT and s.writing is Writing.PREFERRED for s in profile(name).sources)
)
WITHOUT_STOP_GATE = {"windsurf", "kiro"}
"""Clients in which no hook can keep an agent going."""


@pytest.mark.parametrize("client", ["universal", *WRITABLE])
def test_every_case_passes_in_every_client(client: str, tmp_path: Path) -> None:
    scaffold = plan_scaffold(tmp_path, client)
    write_scaffold(tmp_path, scaffold)
    suite = read_suite(tmp_path)
    with Runner(suite) as runner:
        results = runner.run_all(suite.everything)
    assert {result.case.name: texts(result) for result in results if result.state is not CaseStatus.PASSED} == {}
    effects = {str(result.outcome.effect) for result in results if result.outcome}
    gate = set() if client in WITHOUT_STOP_GATE else {"continue"}
    assert effects == {"block", "ask", "proceed"} | gate
    assert len(scaffold.left_out) == (client in WITHOUT_STOP_GATE)


@pytest.mark.parametrize("client", ["universal", *WRITABLE])
def test_a_case_that_a_matcher_does_not_match_is_left_to_clients_with_matchers(client: str, tmp_path: Path) -> None:
    names = {Path(file.path).name for file in plan_scaffold(tmp_path, client).files}
    assert ("06-formatter-ignores-commands.yaml" in names) == ("shell-done.json" in names)
    assert ("shell-done.json" in names) == (client not in {"copilot-vscode", "windsurf"})


@pytest.mark.parametrize("client", ["universal", *(pytest.param(name, marks=pytest.mark.long) for name in WRITABLE)])
def test_the_cases_notice_nearly_every_change_of_the_hooks(client: str, tmp_path: Path) -> None:
    write_scaffold(tmp_path, plan_scaffold(tmp_path, client))
    score = play_mutants(read_suite(tmp_path), None, lambda _: None)
    assert score.percent >= 90, [f"{each.file.name}:{each.line}: {each.what}" for each in score.survivors]


@pytest.mark.parametrize("client", ["universal", *WRITABLE])
def test_the_linter_finds_nothing_to_repair(client: str, tmp_path: Path) -> None:
    write_scaffold(tmp_path, plan_scaffold(tmp_path, client))
    report = check(tmp_path, {})
    assert [(each.code, each.text) for each in report.problems if each.severity is not Severity.NOTE] == []


def test_a_client_without_a_project_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AnyhookError, match="Agent SDK has no hook file"):
        plan_scaffold(tmp_path, "agent-sdk")


def test_nothing_is_written_when_one_file_exists(tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "hooks.json").write_text("mine")
    with pytest.raises(UsageError, match=r"already:\n  hooks/hooks.json\n"):
        write_scaffold(tmp_path, plan_scaffold(tmp_path))
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["hooks.json"]
    assert (tmp_path / "hooks" / "hooks.json").read_text() == "mine"


def test_a_second_client_does_not_get_cases_of_the_same_names(tmp_path: Path) -> None:
    write_scaffold(tmp_path, plan_scaffold(tmp_path))
    with pytest.raises(UsageError, match=r"already:\n  anyhook.toml\n"):
        write_scaffold(tmp_path, plan_scaffold(tmp_path, "codex"))
    (tmp_path / "anyhook.toml").unlink()
    with pytest.raises(UsageError, match="test cases exist already in hooks/tests/cases"):
        write_scaffold(tmp_path, plan_scaffold(tmp_path, "codex"))
    assert not (tmp_path / ".codex").exists()


def test_what_was_written_is_removed_when_the_rest_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "tests").write_text("a file where a folder belongs")
    with pytest.raises(AnyhookError, match="hooks/tests"):
        write_scaffold(tmp_path, plan_scaffold(tmp_path))
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["tests"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no executable bits")
def test_scripts_may_be_executed_and_nothing_else(tmp_path: Path) -> None:
    write_scaffold(tmp_path, plan_scaffold(tmp_path))
    executable = {path.name for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_mode & 0o100}
    assert executable == {"finish-todo.sh", "strip_blanks.py"}


def test_a_client_that_does_not_honour_exit_2_gets_its_own_answer(tmp_path: Path) -> None:
    by_path = {file.path: file.text for file in plan_scaffold(tmp_path, "cursor").files}
    other = {file.path: file.text for file in plan_scaffold(tmp_path, "codex").files}
    assert REFUSAL in other[".codex/hooks/finish-todo.sh"]
    assert """printf '{"followup_message":"%s"}\\n' "$1\"""" in by_path[".cursor/hooks/finish-todo.sh"]


def test_fixtures_are_in_the_spelling_of_the_client(tmp_path: Path) -> None:
    by_path = {file.path: file.text for file in plan_scaffold(tmp_path, "gemini-cli").files}
    assert '"tool_name": "run_shell_command"' in by_path[".anyhook/tests/fixtures/shell-dangerous.json"]
    assert "event: AfterTool\nclient: gemini-cli\n" in by_path[".anyhook/tests/cases/04-formatter-strips.yaml"]
    assert "event: pre-tool-use\nclient: universal\n" in by_path[".anyhook/tests/cases/01-guard-blocks.yaml"]


REFUSED = (
    "rm -r -f /", "rm -rf '/'", '"rm" -rf /', 'rm -rf "$HOME"', "git push origin +main", "mkfs.ext4 /dev/sda1",
)  # fmt: skip
ALLOWED = ("grep -rn 'mkfs.ext4' docs", "rm -rf build", "git push origin feature", "echo 'rm -rf /'")


@pytest.mark.parametrize("client", WRITABLE)
def test_the_guard_of_the_first_package_knows_what_a_command_does(client: str, tmp_path: Path) -> None:
    write_scaffold(tmp_path, plan_scaffold(tmp_path, client))
    firer = HookFirer(tmp_path, tmp_path / "home")
    effects = {
        command: str(firer.fire("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": command}}).effect)
        for command in (*REFUSED, *ALLOWED)
    }
    assert effects == {**dict.fromkeys(REFUSED, "block"), **dict.fromkeys(ALLOWED, "proceed")}
    hooks = PackageHooks(tmp_path).of("universal")
    bridged = bridge(hooks, profile(client), EntryOptions())
    assert [loss for loss in bridged.losses if loss.severity is Severity.ERROR] == []
    assert asked_by(client, tmp_path, hooks, REFUSED[0]) != asked_by(client, tmp_path, hooks, ALLOWED[0])


def asked_by(client: str, project: Path, hooks: HookSet, command: str) -> bool:
    """Whether a deployed entry of the client refuses a command."""
    event = PreToolUse(session_id="s", tool_name="Bash", tool_input={"command": command}, native_event="pre-tool-use")
    sent = translate_payload(event, profile("universal"), profile(client)).payload
    assert sent is not None
    bound = bind_payload(profile(client), sent)
    prepared = prepare(
        {"--client": client, "--event": bound.native_event},
        Caller(cwd=project, home=project.parent, environment={}),
        dump_json(encode_payload(bound, sent)),
        lambda *_, **__: (HookPackage(hooks, project),),
    )
    given = asyncio.run(answer(prepared, None, lambda _: None))
    return b"shell guard" in given.stdout + given.stderr


def test_prove_does_not_play_the_case_in_which_the_user_is_asked(tmp_path: Path) -> None:
    write_scaffold(tmp_path, plan_scaffold(tmp_path))
    suite = read_suite(tmp_path)
    played, not_played = stage_cases([each for each in suite.everything if isinstance(each, Case)], tmp_path)
    assert "guard-blocks" in {each.name for each in played}
    assert {each.name for each in not_played} == {"guard-asks", "stop-gate-allows"}


def test_a_review_of_the_first_package_shows_what_belongs_to_each_hook(tmp_path: Path) -> None:
    write_scaffold(tmp_path, plan_scaffold(tmp_path))
    files = {
        hook.content.label: [Path(file.path).name for file in hook.content.files]
        for hook in TrustedProject(Project(roots_for(tmp_path))).hooks
    }
    assert sorted(files.values()) == [[], ["finish-todo.sh"], ["strip_blanks.py"]]
