"""The front of the linter: what is checked under which client, and what the report holds."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from anyhook.lint.lint import check_paths
from anyhook.model.codes import CODES, Severity
from anyhook.model.problems import UsageError
from anyhook.sources.discover import Roots
from anyhook.sources.load import MAX_FILE_BYTES
from tests.lint.projects import PLACES, check, codes, flat, groups, guard, hook, roots, write


def test_a_clean_project(tmp_path: Path) -> None:
    report = check(tmp_path, {"a/.codex/hooks.json": groups("Stop", hook("true"))})
    assert report.problems == ()
    assert report.hooks == 1
    assert report.files == (str(tmp_path / "a/.codex/hooks.json"),)


def test_problems_are_in_order_and_each_once(tmp_path: Path) -> None:
    files = {
        "b/.codex/hooks.json": groups("Nonsense", hook("true")),
        "a/.codex/hooks.json": groups("Stop", hook("x", timeout=5000), hook("x", timeout=5000)),
    }
    write(tmp_path, files)
    report = check_paths([tmp_path, tmp_path / "a", tmp_path / "a/.codex/hooks.json"], roots(tmp_path))
    places = [(Path(p.origin.file).parts[-3], p.origin.line, p.code) for p in report.problems]
    assert places == [("a", 9, "T001"), ("a", 11, "D001"), ("a", 14, "T001"), ("b", 3, "E001")]


def test_a_file_by_itself(tmp_path: Path) -> None:
    write(tmp_path, {".claude/settings.json": groups("Nonsense", hook("true"))})
    report = check_paths([tmp_path / ".claude/settings.json"], roots(tmp_path))
    assert [p.code for p in report.problems if p.code[0] == "E"] == ["E001"]
    assert report.problems[0].origin.scope == "project"


def test_a_file_in_no_known_place_is_known_by_its_content(tmp_path: Path) -> None:
    write(tmp_path, {"templates/my.json": groups("BeforeTool", hook("x", timeout=5))})
    report = check_paths([tmp_path / "templates/my.json"], roots(tmp_path))
    assert {p.origin.dialect for p in report.problems} == {"gemini-cli"}


def test_a_named_client_reads_any_file(tmp_path: Path) -> None:
    write(tmp_path, {"my.json": {"hooks": {"x": []}}, "notes.txt": "{}"})
    report = check_paths([tmp_path / "my.json"], roots(tmp_path), ["codex"])
    assert [p.code for p in report.problems] == ["E001"]
    assert check_paths([tmp_path / "notes.txt"], roots(tmp_path), ["codex"]).problems[0].code == "S001"


def test_what_cannot_be_checked_is_wrong_use(tmp_path: Path) -> None:
    write(tmp_path, {"package.json": {"name": "x"}})
    with pytest.raises(UsageError, match="there is no such file or folder"):
        check_paths([tmp_path / "none"], roots(tmp_path))
    with pytest.raises(UsageError, match="no client that anyhook knows"):
        check_paths([tmp_path / "package.json"], roots(tmp_path))
    with pytest.raises(UsageError, match="check has no rule 'Z9'"):
        check_paths([tmp_path], roots(tmp_path), select=["Z9"])
    with pytest.raises(UsageError):
        check_paths([tmp_path], roots(tmp_path), ignore=[""])
    with pytest.raises(UsageError, match=r"check has no rule 'M0066'; did you mean M006\?"):
        check_paths([tmp_path], roots(tmp_path), select=["M0066"])


def test_a_broken_file_is_a_problem_wherever_it_is(tmp_path: Path) -> None:
    write(tmp_path, {"hooks/hooks.json": '{"hooks": {', "x.json": "{'a': 1}"})
    for name in ("hooks/hooks.json", "x.json"):
        report = check_paths([tmp_path / name], roots(tmp_path))
        assert [p.code for p in report.problems] == ["F001"]


def test_only_what_is_below_the_path_is_reported(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    write(home, {".codex/hooks.json": groups("Nonsense", hook("x"))})
    write(project, {".codex/hooks.json": groups("Stop", hook("x"))})
    found = check_paths([project], Roots(project, home, home))
    assert found.problems == ()


def test_the_user_s_own_hooks_count_for_what_runs_twice(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    write(home, {".codex/hooks.json": groups("Stop", hook("make lint"))})
    write(project, {".codex/hooks.json": groups("Stop", hook("make lint"))})
    report = check_paths([project], Roots(project, home, home))
    assert [(p.code, Path(p.origin.file).is_relative_to(project)) for p in report.problems] == [("X002", True)]


def test_codes_and_letters_can_be_chosen(tmp_path: Path) -> None:
    files = {PLACES["codex"]: groups("Stop", hook("x", timeout=5000, note=1), hook("x"), matcher="*")}
    write(tmp_path, files)

    def chosen(select: list[str], ignore: list[str]) -> set[str]:
        return {p.code for p in check_paths([tmp_path], roots(tmp_path), select=select, ignore=ignore).problems}

    assert chosen([], []) == {"T001", "D001"}
    assert chosen(["T", "k002"], []) == {"T001", "K002"}
    assert chosen([], ["T001", "M"]) == {"D001"}
    assert chosen(["T"], ["T001"]) == set()
    assert check_paths([tmp_path], roots(tmp_path)).left_out == 2
    everything = check_paths([tmp_path], roots(tmp_path), everything=True)
    assert ({p.code for p in everything.problems}, everything.left_out) == ({"T001", "K002", "D001", "M005"}, 0)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    def of(name: str) -> set[str]:
        return {p.code for p in check_paths([tmp_path / name], roots(tmp_path / name)).problems}

    for name in ("bom", "folder", "large", "link", "bytes"):
        (tmp_path / name / ".codex").mkdir(parents=True)
    (tmp_path / "bom/.codex/hooks.json").write_bytes(b'\xef\xbb\xbf{"hooks": {}}')
    (tmp_path / "folder/.codex/hooks.json").symlink_to(tmp_path / "nowhere")
    with (tmp_path / "large/.codex/hooks.json").open("wb") as file:
        os.truncate(file.fileno(), MAX_FILE_BYTES + 1)
    write(tmp_path, {"outside.json": groups("Stop", hook("true"))})
    (tmp_path / "link/.codex/hooks.json").symlink_to(tmp_path / "outside.json")
    (tmp_path / "bytes/.codex/hooks.json").write_bytes(b'{"hooks": "\xff"}')
    assert (of("bom"), of("folder"), of("large"), of("link"), of("bytes")) == (
        {"F004"},
        {"F005"},
        {"F006"},
        {"F007"},
        {"F008"},
    )


def test_front_matter_and_toml_are_checked(tmp_path: Path) -> None:
    skill = (
        "---\nname: a\nhooks:\n  PreToolUse:\n    - matcher: MultiEdit\n"
        "      hooks:\n        - {type: command, command: x}\n---\n"
    )
    toml = (
        '[[hooks.PreToolUse]]\nmatcher = "Read"\n[[hooks.PreToolUse.hooks]]\n'
        'type = "command"\ncommand = "x"\ntimeout = 5000\n'
    )
    problems = check(tmp_path, {".claude/skills/a/SKILL.md": skill, ".codex/config.toml": toml}).problems
    assert [(p.code, p.origin.line) for p in problems] == [("M008", 5), ("M006", 2), ("T001", 6)]


def test_a_manifest_s_further_files_are_checked(tmp_path: Path) -> None:
    files = {
        ".claude-plugin/plugin.json": {"name": "p", "hooks": "./more.json"},
        "more.json": groups("Nonsense", hook("x")),
    }
    assert "E001" in codes(tmp_path, files)


def test_named_files_of_others_are_not_reported(tmp_path: Path) -> None:
    files = {**guard("claude-code", "x"), **guard("gemini-cli", "x", timeout=5)}
    assert {p.origin.dialect for p in check(tmp_path, files, "gemini-cli").problems} == {"gemini-cli"}


def test_no_hook_file_can_break_the_linter(tmp_path: Path) -> None:
    oddities = [
        [], 1, "x", None, {"hooks": None}, {"hooks": [1, {"command": 1}]}, {"hooks": {"PreToolUse": {"a": [1]}}},
        {"hooks": {"PreToolUse": [{"matcher": "(" * 500, "hooks": [{"type": "command", "command": "\0$" * 50}]}]}},
        {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x", "timeout": 1e308, "args": [""]}]}]}},
        {"hooks": {"PreToolUse": [{"command": {"a": 1}, "bash": ["x"], "timeout": "x", "type": 5}]}},
        {"hooks": {"a/b~c": [{"hooks": [{"type": "command", "command": "${", "once": True}]}]}},
    ]  # fmt: skip
    for index, oddity in enumerate(oddities):
        files = {place: json.dumps(oddity) for place in PLACES.values()}
        check(tmp_path / str(index), files)


def test_every_code_says_something(tmp_path: Path) -> None:
    for code in CODES.values():
        assert code.summary
        assert code.summary[0] in "abcdefghijklmnopqrstuvwxyz\"'" or code.summary.startswith("exit")


def test_a_project_of_many_clients(tmp_path: Path) -> None:
    files = {**guard("claude-code", "a"), **guard("codex", "b"), **guard("cursor", "c"), **guard("qwen-code", "d")}
    files["sub/.gemini/settings.json"] = groups("BeforeTool", hook("e"))
    files["plugin/.claude-plugin/plugin.json"] = {"name": "p"}
    files["plugin/hooks/hooks.json"] = groups("Stop", hook("f"))
    files[".github/hooks/a.json"] = flat("preToolUse", {"bash": "g", "powershell": "g"})
    report = check(tmp_path, files)
    assert report.hooks == 7
    assert [p.code for p in report.problems if p.severity is not Severity.NOTE] == []


def test_an_error_in_a_file_whose_client_is_a_guess_is_a_warning(tmp_path: Path) -> None:
    entry = {"hooks": {"SessionStart": [{"command": "x"}], "Nonsense": []}}
    write(tmp_path, {"kit/gemini-hooks.json": entry, ".gemini/settings.json": entry, "kit/b.json": '{"hooks": {'})
    loose = check_paths([tmp_path / "kit/gemini-hooks.json"], roots(tmp_path)).problems
    placed = check_paths([tmp_path / ".gemini/settings.json"], roots(tmp_path)).problems
    assert {(p.code, p.severity) for p in loose} == {("S003", Severity.WARNING), ("E001", Severity.WARNING)}
    assert {(p.code, p.severity) for p in placed} == {("S003", Severity.ERROR), ("E001", Severity.ERROR)}
    named = check_paths([tmp_path / "kit/gemini-hooks.json"], roots(tmp_path), ["gemini-cli"]).problems
    assert {p.severity for p in named} == {Severity.ERROR}
    assert check_paths([tmp_path / "kit/b.json"], roots(tmp_path)).problems[0].severity is Severity.ERROR


def test_an_event_that_one_of_two_owners_fires_is_its_own(tmp_path: Path) -> None:
    files = {".github/hooks/n.json": {"hooks": {"Notification": [hook("x")], "PreToolUse": [hook("x")]}}}
    assert "E002" not in codes(tmp_path, files)


def test_front_matter_without_hooks_may_be_anything(tmp_path: Path) -> None:
    broken = "---\nname: a\ndescription: one: two\nLINE---\nText\n"
    assert codes(tmp_path / "a", {".claude/agents/a.md": broken.replace("LINE", "")}) == set()
    assert codes(tmp_path / "b", {".claude/agents/a.md": broken.replace("LINE", "hooks:\n  Stop: []\n")}) == {"F009"}
