"""Changes are written whole, only onto the file that was looked at, and taken back byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyhook.editor.change import PlannedChange, apply, diff_lines
from anyhook.model.problems import AnyhookError


def change(path: Path, before: bytes | None, after: bytes | None, project: Path | None = None) -> PlannedChange:
    return PlannedChange(path=path, before=before, after=after, what="test", project=project)


def test_a_change_is_undone_byte_for_byte(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(b"{}\r\n")
    back = apply(change(file, b"{}\r\n", b'{"a": 1}\r\n'))
    assert file.read_bytes() == b'{"a": 1}\r\n'
    apply(back)
    assert file.read_bytes() == b"{}\r\n"


def test_a_new_file_and_its_folders_are_removed_again(tmp_path: Path) -> None:
    file = tmp_path / "project" / ".claude" / "settings.json"
    (tmp_path / "project").mkdir()
    back = apply(change(file, None, b"{}\n"))
    assert file.read_bytes() == b"{}\n"
    apply(back)
    assert list((tmp_path / "project").iterdir()) == []


def test_a_removed_file_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "one.kiro.hook"
    file.write_bytes(b"{}")
    back = apply(change(file, b"{}", None))
    assert not file.exists()
    apply(back)
    assert file.read_bytes() == b"{}"


def test_a_file_that_has_changed_since_is_not_touched(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(b"new")
    with pytest.raises(AnyhookError, match="has changed since"):
        apply(change(file, b"old", b"mine"))
    assert file.read_bytes() == b"new"


def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(b"{}")
    file.chmod(0o444)
    with pytest.raises(AnyhookError, match="read-only"):
        apply(change(file, b"{}", b"other"))
    assert file.read_bytes() == b"{}"


def test_a_link_out_of_the_project_is_not_followed(tmp_path: Path) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere.json"
    (project / ".git").mkdir(parents=True)
    elsewhere.write_bytes(b"{}")
    (project / "settings.json").symlink_to(elsewhere)
    with pytest.raises(AnyhookError, match="outside the project"):
        apply(change(project / "settings.json", b"{}", b"other", project))
    assert elsewhere.read_bytes() == b"{}"


def test_the_difference_of_a_new_file_is_all_of_it() -> None:
    assert list(diff_lines(change(Path("x"), None, b"a\nb\n"))) == ["@@ -0,0 +1,2 @@", "+a", "+b"]
