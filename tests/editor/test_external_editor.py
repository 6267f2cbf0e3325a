from __future__ import annotations

import pytest

from anyhook.editor.external_editor import editor_command
from anyhook.model.problems import AnyhookError


@pytest.mark.parametrize(
    ("editor", "command"),
    [
        ("vi", ["vi", "+7", "f.json"]),
        ("/usr/bin/nano -w", ["/usr/bin/nano", "-w", "+7", "f.json"]),
        ("hx", ["hx", "f.json:7"]),
        ("code", ["code", "--wait", "--goto", "f.json:7"]),
        ("code --wait", ["code", "--wait", "--goto", "f.json:7"]),
        ("my-editor", ["my-editor", "f.json"]),
    ],
)
def test_every_editor_gets_the_line_in_its_own_way(editor: str, command: list[str]) -> None:
    assert editor_command("f.json", 7, {"EDITOR": editor}) == command


def test_visual_comes_first_and_a_file_without_a_line_has_none() -> None:
    assert editor_command("f", 0, {"VISUAL": "vim", "EDITOR": "ed"}) == ["vim", "f"]


def test_a_broken_variable_is_named() -> None:
    with pytest.raises(AnyhookError, match="EDITOR cannot be understood"):
        editor_command("f", 1, {"EDITOR": "vi 'x"})
