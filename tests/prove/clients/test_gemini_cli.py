"""The settings that a run adds to those of the home folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anyhook.prove.clients.gemini_cli import DRIVER
from anyhook.prove.driver import Start
from anyhook.prove.workspace import Workspace


def prepared(folder: Path, text: str) -> str:
    """The home folder's settings after a start was prepared."""
    path = folder / "home" / ".gemini" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    workspace = Workspace(folder)
    DRIVER.prepare(
        Start(workspace=workspace, project=workspace.project, url="http://127.0.0.1:1", installation=None, prompts=())
    )
    return path.read_text(encoding="utf-8")


def test_settings_are_added_to_the_users(tmp_path: Path) -> None:
    written = json.loads(prepared(tmp_path, '{"hooks": {}, "security": {"folderTrust": {"enabled": true}}}'))
    assert written["hooks"] == {}
    assert written["security"] == {"folderTrust": {"enabled": True}, "auth": {"selectedType": "gemini-api-key"}}


@pytest.mark.parametrize("text", ['// comment\n{"hooks": {}}', '{"hooks": {}', "\ufeff{}", "[]", "null"])
def test_a_file_that_is_no_plain_json_object_stays_as_it_is(tmp_path: Path, text: str) -> None:
    assert prepared(tmp_path, text) == text
