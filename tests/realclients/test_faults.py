"""``anyhook prove`` in real clients that refuse ``rm -rf /`` themselves: a dead guard is found all the same."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.realclients.playing import Report, anyhook, prove, put_anyhook_on_path

CASE = ("--case", "guard-blocks")
HooksFile = dict[str, Any]


class Client(NamedTuple):
    """Where a client has its hooks, and one mistake elsewhere in the file for which it loses them all."""

    path: str
    mistake: HooksFile
    complaint: str


CLIENTS = {
    "claude-code": Client(".claude/settings.json", {"permissions": {"defaultMode": "bogus"}}, "defaultMode"),
    "codex": Client(".codex/hooks.json", {"version": 1}, "version"),
}

pytestmark = [pytest.mark.usefixtures("clients"), pytest.mark.parametrize("client", CLIENTS)]


@pytest.fixture
def folder(client: str, tmp_path: Path) -> Path:
    """The starter package, deployed and trusted; its case ``guard-blocks`` is ``rm -rf /``."""
    (tmp_path / "project").mkdir()
    put_anyhook_on_path(tmp_path)
    for words in (("init", "."), ("deploy", "--client", client), ("trust", "--yes", ".")):
        done = anyhook(tmp_path, *words)
        assert done.returncode == 0, done.stderr
    return tmp_path


def change(client: str, folder: Path, edit: Callable[[HooksFile], object]) -> None:
    file = folder / "project" / CLIENTS[client].path
    content = json.loads(file.read_text())
    edit(content)
    file.write_text(json.dumps(content))


def delete_the_entry(content: HooksFile) -> None:
    del content["hooks"]["PreToolUse"]


def name_a_wrong_tool(content: HooksFile) -> None:
    for group in content["hooks"]["PreToolUse"]:
        group["matcher"] = "no_such_tool"


def delete_cases(folder: Path) -> None:
    shutil.rmtree(folder / "project/hooks/tests")


def guard_in(proved: Report) -> Report:
    guard: Report
    [guard] = [hook for hook in proved["hooks"] if hook["event"] == "PreToolUse"]
    return guard


def test_a_guard_that_works(client: str, folder: Path) -> None:
    status, proved = prove(folder, "--client", client, *CASE)
    guard = guard_in(proved)
    assert (status, guard["loaded"], guard["fired"], guard["effect"], proved["missed"]) == (0, True, True, True, [])
    delete_cases(folder)
    status, proved = prove(folder, "--client", client)
    assert (status, guard_in(proved)["effect"], proved["missing"]) == (0, True, []), proved


def test_a_deleted_entry(client: str, folder: Path) -> None:
    change(client, folder, delete_the_entry)
    status, proved = prove(folder, "--client", client, *CASE)
    [played] = proved["played"]
    assert (status, proved["missed"]) == (1, ["guard-blocks"]), proved
    for cause in (played["cause"], proved["missing"][0]["why"]):
        assert "no entry for PreToolUse asks the hooks of the package" in cause
        assert f"anyhook deploy --client {client}" in cause


def test_a_wrong_matcher(client: str, folder: Path) -> None:
    change(client, folder, name_a_wrong_tool)
    status, proved = prove(folder, "--client", client, *CASE)
    guard = guard_in(proved)
    assert (status, guard["fired"], guard["effect"], proved["missed"]) == (1, False, False, ["guard-blocks"]), proved
    assert "no tool called no_such_tool" in guard["reason"]
    assert "no tool called no_such_tool" in proved["played"][0]["cause"]


def test_a_dropped_file(client: str, folder: Path) -> None:
    change(client, folder, lambda content: content.update(CLIENTS[client].mistake))
    status, proved = prove(folder, "--client", client, *CASE)
    assert (status, proved["missed"]) == (1, ["guard-blocks"]), proved
    assert not any(hook["loaded"] or hook["fired"] for hook in proved["hooks"])
    said = [hook["reason"] for hook in proved["hooks"]] + [problem["text"] for problem in proved["problems"]]
    assert any(CLIENTS[client].complaint in text for text in said), proved


@pytest.mark.parametrize("fault", ["deleted entry", "wrong matcher", "dropped file"])
def test_a_dead_guard_without_cases(client: str, folder: Path, fault: str) -> None:
    edits: dict[str, tuple[Callable[[HooksFile], object], str]] = {
        "deleted entry": (delete_the_entry, "no entry for PreToolUse asks the hooks of the package"),
        "wrong matcher": (name_a_wrong_tool, "no tool called no_such_tool"),
        "dropped file": (lambda content: content.update(CLIENTS[client].mistake), CLIENTS[client].complaint),
    }
    edit, cause = edits[fault]
    delete_cases(folder)
    change(client, folder, edit)
    status, proved = prove(folder, "--client", client)
    assert status == 1, proved
    assert cause in json.dumps(proved["hooks"] + proved["missing"] + proved["problems"]), proved
