"""Our own folder: where it is, and that nobody else looks into it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from platformdirs import user_state_path

from anyhook.sources.state import VARIABLE, read_private, state_folder, write_private


@pytest.mark.parametrize("moved_to", ["", "  ", "/srv/state"])
def test_the_folder_is_where_the_system_wants_it(moved_to: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", moved_to)
    assert state_folder() == user_state_path("anyhook", appauthor=False)


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
def test_what_others_could_have_written_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    file = tmp_path / "record"
    write_private(file, b"x")
    file.chmod(0o666)
    assert read_private(file) is None
