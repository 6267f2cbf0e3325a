"""A file is replaced in one step, with the rights it had."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from anyhook.sources.editing.replace_file import replace_file


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.skipif(os.name == "nt", reason="other rights there")
def test_the_mode(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        replace_file(tmp_path / "new", b"1")
        replace_file(tmp_path / "private", b"1", 0o600)
    finally:
        os.umask(before)
    assert (mode(tmp_path / "new"), mode(tmp_path / "private")) == (0o640, 0o600)
    (tmp_path / "new").chmod(0o755)
    replace_file(tmp_path / "new", b"2")
    assert mode(tmp_path / "new") == 0o755
    replace_file(tmp_path / "new", b"3", 0o600)
    assert mode(tmp_path / "new") == 0o600


def test_nothing_is_left_beside_it(tmp_path: Path) -> None:
    replace_file(tmp_path / "a", b"1")
    replace_file(tmp_path / "a", b"2")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        replace_file(tmp_path / "folder", b"3")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "folder"]
    assert (tmp_path / "a").read_bytes() == b"2"
