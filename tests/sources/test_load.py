"""Whatever is wrong with a file becomes a problem that says what to do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anyhook.dialects.places import FileKind, plugin, project
from anyhook.model.document import Format
from anyhook.model.hooks import FateState, HookFile
from anyhook.model.problems import Problem
from anyhook.sources.discover import Found
from anyhook.sources.load import Loader, adopt, read_text
from anyhook.sources.recognise import recognise_path

HOOKS = '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}}'


def load_project_file(path: Path, client: str = "codex") -> HookFile:
    return Loader().load(Found(client, project(path.name), path, path.parent, (0, 0)))


def only_problem(path: Path) -> Problem:
    file = load_project_file(path)
    assert len(file.problems) == 1
    assert file.problems[0].fix
    return file.problems[0]


def test_a_good_file_is_read_with_places(tmp_path: Path) -> None:
    path = tmp_path / "hooks.json"
    path.write_text(HOOKS)
    file = load_project_file(path)
    assert file.problems == ()
    assert file.rules[0].actions[0].origin.line == 1
    assert file.rules[0].actions[0].origin.pointer == "/hooks/PreToolUse/0/hooks/0"


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "hooks.json"
    with path.open("wb") as file:
        file.truncate(200_000_000)
    assert (only_problem(path).code, "200 MB" in only_problem(path).text) == ("F006", True)


def test_bytes_that_are_not_text(tmp_path: Path) -> None:
    path = tmp_path / "hooks.json"
    path.write_bytes(b'{"a": "\xff"}')
    assert only_problem(path).code == "F008"


def test_a_folder_in_place_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "hooks.json").mkdir()
    assert only_problem(tmp_path / "hooks.json").text == "it is a folder"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_named_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "hooks.json")
    assert only_problem(tmp_path / "hooks.json").text == "it is not a regular file"


def test_a_link_without_a_target(tmp_path: Path) -> None:
    (tmp_path / "hooks.json").symlink_to(tmp_path / "gone.json")
    assert only_problem(tmp_path / "hooks.json").text == "its target does not exist"


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "hooks.json"
    path.write_text(HOOKS)

    def refuse(path: Path, flags: int) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "open", refuse)  # root, who runs many a CI, may read every file
    assert only_problem(path).text == "no permission to read it"


def test_a_link_out_of_the_project_is_read_and_reported(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.json").write_text(HOOKS)
    (tmp_path / "project").mkdir()
    path = tmp_path / "project" / "hooks.json"
    path.symlink_to(tmp_path / "elsewhere.json")
    file = load_project_file(path)
    assert [problem.code for problem in file.problems] == ["F007"]
    assert len(file.rules) == 1


def test_a_text_is_parsed_once_for_all_readers(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(HOOKS)
    loader = Loader()
    first = loader.document(path, Format.JSON)
    assert loader.document(path, Format.JSON) is first


def test_another_clients_file_keeps_only_the_events_that_its_reader_has(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}], '
                    '"Notification": [{"hooks": [{"type": "command", "command": "b"}]}]}}')  # fmt: skip
    file = adopt(load_project_file(path, "claude-code"), "cursor")
    states = {rule.event: rule.actions[0].fate.state for rule in file.rules}
    assert states == {"Stop": FateState.ACTIVE, "Notification": FateState.DROPPED}
    assert {rule.origin.dialect for rule in file.rules} == {"cursor"}


@pytest.mark.parametrize(
    ("hooks", "codes"),
    [
        ('"./hooks/hooks.json"', ["S010"]),
        ('"./plugins/*/hooks"', ["S011"]),
        ('"other.json"', ["S011"]),
        ('"./gone.json"', ["S012"]),
        ('"./other.json"', []),
        ('["./other.json", "./gone.json"]', ["S012"]),
    ],
)
def test_paths_in_a_manifest(tmp_path: Path, hooks: str, codes: list[str]) -> None:
    for name in ("hooks/hooks.json", "other.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(HOOKS)
    path = tmp_path / ".claude-plugin" / "plugin.json"
    path.parent.mkdir()
    path.write_text(f'{{"name": "p", "hooks": {hooks}}}')
    found = Found(
        "claude-code",
        plugin(".claude-plugin/plugin.json", ".claude-plugin", FileKind.MANIFEST, default_file="hooks/hooks.json"),
        path,
        tmp_path,
        (0, 0),
    )
    loader = Loader()
    assert [problem.code for problem in loader.load(found).problems] == codes
    assert len(loader.load_manifest_targets(found)) == ("other.json" in hooks and "./" in hooks)


def test_a_missing_file_has_a_remedy(tmp_path: Path) -> None:
    problem = read_text(tmp_path / "gone.json")
    assert isinstance(problem, Problem)
    assert problem.text == "the file does not exist"


def test_a_stop_hook_of_a_subagent_is_about_that_subagent(tmp_path: Path) -> None:
    path = tmp_path / ".claude" / "agents" / "reviewer.md"
    path.parent.mkdir(parents=True)
    hooks = "hooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: x\n"
    path.write_text(f"---\nname: reviewer\n{hooks}---\n")
    found = recognise_path(path)[0]
    rule = Loader().load(found).rules[0]
    assert (rule.event, rule.native_event, rule.actions[0].origin.line) == ("SubagentStop", "Stop", 6)
