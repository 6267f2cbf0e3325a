"""A case from an event and a tool."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

from anyhook.dialects import all_profiles
from anyhook.dialects.translation.tools import tools_of_kind
from anyhook.dialects.vocabulary import KINDS
from anyhook.model.events import BY_NAME
from anyhook.model.problems import UsageError
from anyhook.project.package_hooks import PackageHooks
from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.runner import CaseStatus, Runner
from anyhook.testing.scaffold.example_events import choose_client
from anyhook.testing.scaffold.new_case import FIELDS, NewCase, plan_case
from anyhook.testing.scaffold.new_files import write_new_files
from tests.lint.projects import groups, hook, write
from tests.testing.packages import case, group, package, texts


def events(**groups: object) -> dict[str, object]:
    return {name.replace("_", "-"): found for name, found in groups.items()}


@pytest.fixture
def hooks(tmp_path: Path) -> PackageHooks:
    any_tool = [group("true", matcher="Bash"), group("true", matcher="*")]
    package(
        tmp_path,
        events(pre_tool_use=any_tool, post_tool_use=[group("true")], stop=[group("true")], pre_prompt=[group("true")]),
        {"01-first": case(name="first")},
    )
    return PackageHooks(tmp_path)


def fixture_of(planned: NewCase) -> dict[str, object]:
    return msgspec.json.decode(planned.files[1].text, type=dict[str, object])


@pytest.mark.parametrize("event", ["PreToolUse", "post-tool-use", "Stop", "UserPromptSubmit"])
def test_a_new_case_passes(event: str, hooks: PackageHooks) -> None:
    planned = plan_case(hooks, event, name="second")
    write_new_files(planned.root, planned.files)
    suite = read_suite(hooks.root)
    [new] = [each for each in suite.cases if each.name == "second"]
    with Runner(suite) as runner:
        result = asyncio.run(runner.run(new))
    assert result.state is CaseStatus.PASSED, texts(result)
    assert new.file.name == "02-second.yaml"


@pytest.mark.parametrize("kind", KINDS)
def test_there_is_an_example_for_every_tool_of_every_client(kind: str, hooks: PackageHooks) -> None:
    for tool in {name for known in all_profiles() for name in tools_of_kind(kind, known.name)}:
        planned = plan_case(hooks, "PreToolUse", tool=tool)
        assert planned.matches
        assert fixture_of(planned)["toolInput"]


def test_the_examples_are_about_events_that_exist() -> None:
    assert FIELDS.keys() <= BY_NAME.keys()


def test_the_name_is_made_of_event_and_tool(hooks: PackageHooks) -> None:
    planned = plan_case(hooks, "PreToolUse", tool="WebFetch")
    assert planned.name == "pre-tool-use-web-fetch"
    assert [file.path for file in planned.files] == [
        "hooks/tests/cases/02-pre-tool-use-web-fetch.yaml",
        "hooks/tests/fixtures/pre-tool-use-web-fetch.json",
    ]
    write_new_files(planned.root, planned.files)
    assert plan_case(hooks, "PreToolUse", tool="WebFetch").name == "pre-tool-use-web-fetch-2"


def test_a_name_with_a_number_is_the_name_of_the_file(hooks: PackageHooks) -> None:
    assert plan_case(hooks, "stop", name="07-stop").files[0].path == "hooks/tests/cases/07-stop.yaml"


def test_a_new_case_is_about_every_hook_of_the_event(tmp_path: Path) -> None:
    """A command that the second hook blocks must not pass because the first allows it."""
    package(tmp_path, events(pre_tool_use=[group("true", matcher="Bash")]), {})
    (tmp_path / "anyhook.toml").write_text("[guards.shell]\n", encoding="utf-8")
    planned = plan_case(PackageHooks(tmp_path), "PreToolUse", name="rm-home", tool_input={"command": "rm -rf ~"})
    assert "hook: all\n" in planned.files[0].text
    write_new_files(planned.root, planned.files)
    suite = read_suite(tmp_path)
    with Runner(suite) as runner:
        [result] = runner.run_all(suite.everything)
    assert result.state is CaseStatus.FAILED
    assert texts(result)[0].startswith("effect: expected proceed, got block (")


def test_a_case_that_no_hook_fits_says_so(tmp_path: Path) -> None:
    package(tmp_path, events(pre_tool_use=[group("true", matcher="Bash")]), {})
    planned = plan_case(PackageHooks(tmp_path), "PreToolUse", tool="Write")
    assert not planned.matches
    assert "  matched: false\n" in planned.files[0].text


def test_a_tool_may_have_another_clients_name(hooks: PackageHooks) -> None:
    fixture = fixture_of(plan_case(hooks, "PreToolUse", tool="run_shell_command", tool_input={"command": "make"}))
    assert fixture["toolName"] == "Bash"
    assert fixture["toolInput"] == {"command": "make"}


def test_the_fixture_is_in_the_spelling_of_the_packages_client(tmp_path: Path) -> None:
    hook = {"command": "true"}
    write(tmp_path, {".windsurf/hooks.json": {"hooks": {"post_write_code": [hook]}}})
    planned = plan_case(PackageHooks(tmp_path), "PostToolUse", tool="Write")
    assert planned.files[0].path == ".anyhook/tests/cases/01-post-write-code.yaml"
    assert fixture_of(planned)["agent_action_name"] == "post_write_code"


@pytest.mark.parametrize(
    ("event", "options", "message"),
    [
        ("nothing", {}, "no client has an event called 'nothing'"),
        ("SessionStart", {}, "has no hooks on session-start"),
        ("Stop", {"tool": "Bash"}, "Stop is not about a tool"),
        ("Stop", {"name": "Stop It"}, "may have a-z, 0-9 and - only"),
        ("Stop", {"name": "x" * 65}, "at most 64"),
        ("Stop", {"name": "first"}, "there is a case first already"),
        ("Stop", {"client": "codex"}, "Codex has no hooks in"),
    ],
)
def test_what_makes_no_case_is_refused(event: str, options: dict[str, str], message: str, hooks: PackageHooks) -> None:
    with pytest.raises(UsageError, match=message):
        plan_case(hooks, event, name=options.get("name"), tool=options.get("tool"), client=options.get("client"))


def test_of_several_clients_one_has_to_be_named(tmp_path: Path) -> None:
    claude, gemini = groups("PreToolUse", hook("true")), groups("BeforeTool", hook("true"))
    write(tmp_path, {".claude/settings.json": claude, ".gemini/settings.json": gemini})
    with pytest.raises(UsageError, match=r"claude-code, gemini-cli have hooks in .*: name the client with --client"):
        choose_client(PackageHooks(tmp_path), None)
    assert choose_client(PackageHooks(tmp_path), "gemini-cli") == "gemini-cli"
