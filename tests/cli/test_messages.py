"""What a newcomer reads agrees with what happens, and names the next step."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from anyhook.bridge.exec_options import read_options
from anyhook.cli.main import cli, main
from anyhook.deploy.deployment import find_deployed
from anyhook.dialects import all_profiles
from anyhook.dialects.summary import rule_fields
from anyhook.model.hooks import MAX_COMMAND_LENGTH
from anyhook.project.project import Project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project as the current folder, with an empty home folder."""
    folder, home = tmp_path / "project", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(folder)
    return folder


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, words)


def test_try_runs_the_hooks_of_a_clients_own_file_without_trust_as_its_help_says(project: Path) -> None:
    write_native_hook(project, "touch RAN")
    assert run("try", "ls").exit_code == 0
    assert (project / "RAN").exists()
    assert "that the client runs itself need no trust" in " ".join(run("try", "--help").output.split())


def write_native_hook(project: Path, command: str) -> None:
    hooks = [{"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}]
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text(json.dumps({"hooks": {"PreToolUse": hooks}}))


def test_exec_takes_nicknames_of_clients() -> None:
    options = read_options(["--client", "gemini", "--from", "claude"])
    assert options == {"--client": "gemini-cli", "--from": "claude-code"}


def test_the_doctor_tells_about_the_clients_that_are_named(project: Path) -> None:
    (project / "anyhook.toml").write_text("[guards.shell]\n")
    assert run("deploy", "-c", "claude,codex", "--yes").exit_code == 0
    told = json.loads(run("doctor", "-c", "codex", "--json").output)
    assert {hook["client"] for hook in told["hooks"]} == {"codex"}
    assert {item["client"] for item in told["deployed"]} == {"codex"}
    both = json.loads(run("doctor", "-c", "codex", "-c", "claude", "--json").output)
    assert {item["client"] for item in both["deployed"]} == {"codex", "claude-code"}


@pytest.mark.parametrize(
    ("text", "what"),
    [("[guards.shell\n", "Expected ']' at the end of a table declaration"), ("x = [\n", "Invalid value")],
)
def test_a_file_that_cannot_be_parsed_is_named_where_its_guards_are_missed(project: Path, text: str, what: str) -> None:
    (project / "anyhook.toml").write_text("[guards.shell]\n")
    assert run("deploy", "-c", "claude", "--yes").exit_code == 0
    (project / "anyhook.toml").write_text(text)
    (line,) = Project.open(project).unread
    assert f"{what}; anyhook ignores the whole file. Until that is corrected, none of its hooks runs." in line
    assert line.replace(f"{project}/", "") in " ".join(run("list").output.split())
    tried = json.loads(run("try", "rm -rf ~", "--json").output)
    assert (tried["unread"], tried["clients"][0]["reason"]) == ([line], line)
    assert what in run("check").output
    assert find_deployed(Project.open(project))


def test_both_readers_of_the_settings_file_use_one_text(project: Path) -> None:
    (project / "anyhook.toml").write_text("[models\n")
    assert "anyhook ignores the whole file" in run("check").output


def test_what_records_is_no_mistake_of_the_user(project: Path) -> None:
    assert run("record", "on", "-c", "claude").exit_code == 0
    assert "A001" not in (told := run("check").output)
    assert "C006" not in told
    listed = run("list").output
    assert "anyhook: records the event" in listed
    assert "no hooks" not in listed


def test_a_folder_called_home_below_another_is_no_home_folder(project: Path) -> None:
    write_native_hook(project, "cat /srv/home/ana/notes")
    assert "C006" not in run("check").output
    (project / ".claude" / "settings.json").unlink()
    (project / ".claude").rmdir()
    write_native_hook(project, "cat /home/ana/notes")
    assert "C006" in run("check").output


def test_the_rules_of_a_client_are_told_in_short_rows(project: Path) -> None:
    for facts in all_profiles():
        rows = rule_fields(facts)
        assert max(len(text) for _, text in rows) < 500
        assert not any("any_type: no" in text or "implies: -" in text for _, text in rows)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("deploy", "--to", "claude"), "The client is an option: --client CLIENT"),
        (("fire", "--as", "claude"), "The client is an option: --client CLIENT"),
        (("try", "rm", "-rf", "~"), "quote it: anyhook try 'rm -rf ~'"),
        (("clients", "-c", "codex"), "The client is an argument: anyhook clients codex"),
        (("deploy", "claude"), "claude: this folder does not exist; to name a client: --client claude"),
        (("lint",), "Use: anyhook check"),
        (("validate",), "Use: anyhook check"),
        (("journal",), "Use: anyhook log"),
        (("install",), "Use: anyhook deploy --client CLIENT"),
        (("uninstall",), "Use: anyhook undeploy"),
    ],
)
def test_wrong_words_are_answered_with_the_right_ones(
    project: Path, words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert said in capsys.readouterr().err


def test_the_next_step_works_as_it_is_printed(project: Path) -> None:
    (project / "anyhook.toml").write_text("[guards.shell]\n")
    assert "anyhook deploy --client claude-code" in run("try", "ls").output
    assert "anyhook deploy --client claude-code" in run().output
    assert run("deploy", "--client", "claude-code", "--yes").exit_code == 0
    assert "anyhook try 'rm -rf ~'" in run("init", "new").output


def test_explain_says_that_an_event_has_no_tool(project: Path) -> None:
    write_native_hook(project, "true")
    assert "this event has no tool, and nothing else to match" in run("explain", "Stop", "--tool", "Bash").output
    assert "1 of 1 hook would run" in run("explain", "PreToolUse", "--tool", "Bash").output


def test_an_empty_folder_is_no_wall_of_paths(project: Path) -> None:
    assert len(run("list").output.splitlines()) < 5
    assert ".codex/hooks.json" in run("list", "--client", "codex").output


def test_trust_does_not_search_a_command_that_is_too_long(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Splitting 7 MB of ``$(`` into words takes many minutes."""
    write_native_hook(project, "$(" * MAX_COMMAND_LENGTH)
    searched: list[str] = []

    def search(text: str) -> Iterator[str]:
        searched.append(text)
        return iter(())

    monkeypatch.setattr("anyhook.cli.trust_command.words_of", search)
    assert "too long to be searched" in " ".join(run("trust", "--list").output.split())
    assert not searched


def test_the_table_of_cases_with_short_names_has_a_gap_behind_its_heading(project: Path) -> None:
    write_native_hook(project, "true")
    assert (
        run("new", "case", "c", "-c", "claude-code", "-e", "PreToolUse", "--input", '{"command":"ls"}').exit_code == 0
    )
    heading = next(line for line in run("matrix", "-c", "codex").output.splitlines() if line.startswith("CASE"))
    assert heading.split() == ["CASE", "claude", "codex"]
