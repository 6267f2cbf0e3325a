"""Changes are written whole, only onto the file that was looked at, and taken back byte for byte."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from anyhook.model.problems import AnyhookError
from anyhook.sources.editing.file_change import FileChange, apply, diff_lines
from anyhook.sources.editing.replace_file import create_file


def change(path: Path, before: bytes | None, after: bytes | None, project: Path | None = None) -> FileChange:
    return FileChange(path=path, before=before, after=after, what="test", project=project)


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


@pytest.mark.skipif(os.name == "nt", reason="other rights there")
def test_a_removed_file_comes_back_with_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "private.json"
    file.write_bytes(b"{}")
    file.chmod(0o600)
    apply(apply(change(file, b"{}", None)))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("has_hard_links", [True, False])
def test_a_file_that_was_made_meanwhile_is_not_replaced(
    has_hard_links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(b"theirs")
    if not has_hard_links:
        monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(FileExistsError):
        create_file(file, b"mine")
    assert file.read_bytes() == b"theirs"
    create_file(tmp_path / "other", b"mine")
    assert (tmp_path / "other").read_bytes() == b"mine"
    assert len(list(tmp_path.iterdir())) == 2


def refuse(*arguments: object, **options: object) -> None:
    raise PermissionError(errno.EPERM, "no hard links here")


def test_no_folder_is_left_when_the_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "hooks").write_bytes(b"a file where a folder belongs")
    with pytest.raises(AnyhookError, match="this is a file, and must be a folder"):
        apply(change(tmp_path / "hooks" / "more" / "x.json", None, b"{}"))
    with pytest.raises(AnyhookError, match="cannot be written"):
        apply(change(tmp_path / "new" / ("x" * 300), None, b"{}"))
    assert [path.name for path in tmp_path.iterdir()] == ["hooks"]


def test_what_a_killed_anyhook_left_beside_the_file_is_removed(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    (tmp_path / ".settings.json.anyhook-0123").write_bytes(b"{")
    apply(change(file, None, b"{}"))
    assert list(tmp_path.iterdir()) == [file]


def test_a_change_that_changes_nothing_writes_nothing(tmp_path: Path) -> None:
    apply(change(tmp_path / "settings.json", None, None))
    assert list(tmp_path.iterdir()) == []


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
