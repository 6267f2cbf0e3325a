"""The installed release of a client, from its files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from anyhook.dialects import profile
from anyhook.sources.installed_release import installed_release

pytestmark = pytest.mark.skipif(os.name == "nt", reason="programs have other names there")


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def linked(tmp_path: Path, name: str, target: Path) -> dict[str, str]:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / name).symlink_to(target)
    return {"PATH": str(tmp_path / "bin")}


@pytest.mark.parametrize(
    ("package", "release"),
    [
        ({"name": "codex", "version": "0.147.0", "bin": {"codex": "bin/codex.js"}}, "0.147.0"),
        ({"name": "other", "version": "1.2.3", "bin": {"other": "x.js"}}, ""),
        ({"name": "codex", "version": "next", "bin": "bin/codex.js"}, ""),
        ([], ""),
        (None, ""),
    ],
)
def test_a_package_of_npm(tmp_path: Path, package: object, release: str) -> None:
    start = program(tmp_path / "node_modules" / "codex" / "bin" / "codex.js")
    (start.parents[1] / "package.json").write_text("{" if package is None else json.dumps(package), encoding="utf-8")
    assert installed_release(profile("codex"), linked(tmp_path, "codex", start)) == release


def test_a_native_installation_has_a_file_for_each_release(tmp_path: Path) -> None:
    start = program(tmp_path / "share" / "claude" / "versions" / "2.1.197")
    assert installed_release(profile("claude-code"), linked(tmp_path, "claude", start)) == "2.1.197"


def test_a_client_that_is_not_installed(tmp_path: Path) -> None:
    assert installed_release(profile("codex"), {"PATH": str(tmp_path)}) == ""
    assert installed_release(profile("universal"), {"PATH": str(tmp_path)}) == ""
