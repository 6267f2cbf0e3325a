"""The hint for an optional part is right for the way anyhook was installed."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from anyhook.extras import install_command

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="quoted for a POSIX shell")


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, origin: object = None, installer: str = "pip") -> None:
    """An environment in which an installer has put anyhook, with the record of where it came from (PEP 610)."""
    info = folder / "anyhook-0.2.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.4\nName: anyhook\nVersion: 0.2.0\n", encoding="utf-8")
    (info / "INSTALLER").write_text(f"{installer}\n", encoding="utf-8")
    if origin is not None:
        (info / "direct_url.json").write_text(json.dumps(origin), encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(folder)])


FOLDER = {"url": "file:///src/my%20hooks", "dir_info": {}}
EDITABLE = {"url": "file:///src/my%20hooks", "dir_info": {"editable": True}}
WHEEL = {"url": "file:///tmp/anyhook-0.2.0-py3-none-any.whl", "archive_info": {"hash": "sha256=00"}}
GIT = {"url": "https://git.example/anyhook", "vcs_info": {"vcs": "git", "commit_id": "c0ffee"}}
BRANCH = {**GIT, "vcs_info": {"vcs": "git", "commit_id": "c0ffee", "requested_revision": "main"}}


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        (None, "pip install 'anyhook[tui]'"),
        (FOLDER, "pip install 'anyhook[tui] @ file:///src/my%20hooks'"),
        (EDITABLE, "pip install -e '/src/my hooks[tui]'"),
        (WHEEL, "pip install 'anyhook[tui] @ file:///tmp/anyhook-0.2.0-py3-none-any.whl'"),
        (GIT, "pip install 'anyhook[tui] @ git+https://git.example/anyhook@c0ffee'"),
        (BRANCH, "pip install 'anyhook[tui] @ git+https://git.example/anyhook@main'"),
    ],
    ids=["index", "folder", "editable", "wheel", "git", "branch"],
)
def test_it_comes_from_the_same_place(
    origin: object, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, monkeypatch, origin)
    assert install_command("tui", tmp_path) == expected


@pytest.mark.parametrize(
    ("file", "installer", "expected"),
    [
        ("pipx_metadata.json", "pip", "pipx install --force 'anyhook[ui]'"),
        ("uv-receipt.toml", "uv", "uv tool install --force 'anyhook[ui]'"),
        ("pyvenv.cfg", "uv", "uv pip install 'anyhook[ui]'"),
    ],
)
def test_it_is_installed_by_the_same_program(
    file: str, installer: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, monkeypatch, installer=installer)
    (tmp_path / file).touch()
    assert install_command("ui", tmp_path) == expected


def test_a_source_tree_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert install_command("otel", tmp_path) == f"pip install '{ROOT}[otel]'"


def test_no_other_module_says_how_to_install_an_extra() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src" / "anyhook").rglob("*.py")}
    hints = [path.name for path, text in sources.items() if re.search(r"install (?:'|-e )?anyhook\[", text)]
    assert hints == []
