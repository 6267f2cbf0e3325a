"""Every guard refuses and allows the same calls in every client that has such an event."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.matrix.play import play_matrix

SETTINGS = '[guards.shell]\n[guards.files]\n[guards.secrets]\n[guards.network]\nhosts = ["github.com"]\n'
ORDER = ("shell", "files", "secrets", "network")
TOKEN = "ghp_" + "a8Kd03mXq7Lw92TzRb5Yc1Nf6Vh4Js0Pe3Gu"
CASES: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "shell-refuses": ("shell", "Bash", {"command": "git push --force origin main"}, "block"),
    "shell-allows": ("shell", "Bash", {"command": "git status"}, "proceed"),
    "files-refuses": ("files", "Write", {"file_path": ".env", "content": "A=1"}, "block"),
    "files-refuses-by-shell": ("files", "Bash", {"command": "echo A=1 > .env"}, "block"),
    "files-allows": ("files", "Write", {"file_path": "a.txt", "content": "A=1"}, "proceed"),
    "secrets-refuses": ("secrets", "Write", {"file_path": "a.txt", "content": TOKEN}, "block"),
    "secrets-refuses-by-shell": ("secrets", "Bash", {"command": "cat .env"}, "block"),
    "secrets-allows": ("secrets", "Write", {"file_path": "a.txt", "content": "A=1"}, "proceed"),
    "network-refuses": ("network", "Bash", {"command": "curl https://evil.test"}, "block"),
    "network-allows": ("network", "Bash", {"command": "curl https://github.com"}, "proceed"),
}


def write_package(root: Path) -> None:
    tests = root / "hooks" / "tests"
    for folder in ("cases", "fixtures"):
        (tests / folder).mkdir(parents=True)
    (root / "anyhook.toml").write_text(SETTINGS)
    for name, (guard, tool, given, effect) in CASES.items():
        payload = {"hookEventName": "pre-tool-use", "toolName": tool, "toolInput": given}
        (tests / "fixtures" / f"{name}.json").write_text(json.dumps(payload))
        lines = [f"name: {name}", "event: pre-tool-use", f"hook-index: {ORDER.index(guard)}", "input:"]
        lines += [f"  fixture: fixtures/{name}.json", "expected:", f"  effect: {effect}", ""]
        (tests / "cases" / f"{name}.yaml").write_text("\n".join(lines))


def test_no_client_differs(tmp_path: Path) -> None:
    write_package(tmp_path)
    suite = read_suite(tmp_path)
    rows = play_matrix(suite, suite.everything).rows
    found = {
        (row.case.name, cell.client): f"{cell.effect}: {cell.reason}"
        for row in rows
        for cell in row.cells
        if str(cell.effect) != CASES[row.case.name][3]
    }
    assert len(rows) == len(CASES)
    assert found == {}
