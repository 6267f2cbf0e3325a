"""The folder for state: where it is, and that other users can neither read it nor plant files in it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from platformdirs import user_state_path

from anyhook.model.problems import AnyhookError
from anyhook.sources import state
from anyhook.sources.state import (
    VARIABLE,
    came_with_project,
    checkout_of,
    is_state_inside,
    make_private,
    read_private,
    state_folder,
    write_private,
)


@pytest.mark.skipif(os.name != "nt", reason="tests/daemon_socket/test_runtime_folder.py has the other systems")
def test_the_folder_is_where_windows_keeps_state() -> None:
    assert state_folder({}) == user_state_path("anyhook", appauthor=False)


@pytest.mark.parametrize("refusal", [IsADirectoryError, PermissionError])
def test_the_top_of_the_file_system_exists_in_the_words_of_every_system(
    refusal: type[OSError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """macOS calls it a directory, Windows denies access to it."""
    make = Path.mkdir

    def mkdir(path: Path, mode: int = 0o777, *more: bool) -> None:
        if path == Path(path.anchor):
            raise refusal
        make(path, mode, *more)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    make_private(tmp_path / "state" / "journal")
    assert (tmp_path / "state" / "journal").is_dir()


def test_a_folder_inside_the_project_came_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "project"
    monkeypatch.setenv("HOME", str(project / "home"))
    monkeypatch.setenv(VARIABLE, str(project / "state"))
    assert is_state_inside(project)
    assert not is_state_inside(tmp_path / "other")
    assert is_state_inside(tmp_path)  # whatever HOME says
    (tmp_path / "link").symlink_to(project)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "link" / "state"))
    assert is_state_inside(project)


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_a_folder_that_every_user_can_write_to_is_no_checkout(tmp_path: Path) -> None:
    project = tmp_path / "shared" / "project"
    (tmp_path / "shared" / ".git").mkdir(parents=True)
    project.mkdir()
    assert checkout_of(project) == tmp_path / "shared"
    (tmp_path / "shared").chmod(0o1777)
    assert checkout_of(project) == project


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_only_its_user_can_read_it_whatever_the_umask(
    umask: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "state"))
    file = state_folder() / "a" / "b"
    before = os.umask(umask)
    try:
        write_private(file, b"secret")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (state_folder(), file.parent, file)]
    assert modes == [0o700, 0o700, 0o600]
    assert read_private(file) == b"secret"


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
@pytest.mark.parametrize("mode", [0o755, 0o711, 0o770])
def test_an_existing_folder_keeps_its_mode(mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "a/state"))
    state_folder().mkdir(parents=True)
    for folder in (state_folder(), state_folder().parent):
        folder.chmod(mode)
    with pytest.raises(AnyhookError, match="a/state: other users can enter this folder; run chmod 700 on it"):
        write_private(state_folder() / "trust/record", b"x")
    assert [stat.S_IMODE(path.stat().st_mode) for path in (state_folder(), state_folder().parent)] == [mode, mode]
    assert not list(state_folder().iterdir())
    state_folder().chmod(0o700)
    write_private(state_folder() / "trust/record", b"x")


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_what_others_could_have_written_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    file = tmp_path / "record"
    write_private(file, b"x")
    file.chmod(0o666)
    assert read_private(file) is None


def test_a_user_who_is_in_no_user_database_has_a_state_when_a_daemon_runs_in_the_root_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in containers that run as any number of a user."""
    monkeypatch.setattr(state, "login_home", lambda: None)
    monkeypatch.chdir(Path(tmp_path.anchor))
    project = tmp_path / "project"
    project.mkdir()
    assert not came_with_project(tmp_path / "home" / ".local" / "state", project)
    assert came_with_project(project / "state", project)
