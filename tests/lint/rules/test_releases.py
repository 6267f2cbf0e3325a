"""Hooks that need a newer release than the one that is pinned or installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anyhook.lint.lint import check_paths
from anyhook.model.problems import Problem
from tests.lint.projects import groups, hook, roots, write

CODEX = ".codex/hooks.json"
CLAUDE = ".claude/settings.json"


def pinned(folder: Path, client: str, release: str, files: dict[str, Any]) -> list[Problem]:
    write(folder, {"anyhook.toml": f'[clients]\n{client} = "{release}"\n', **files})
    return [found for found in check_paths([folder], roots(folder)).problems if found.code == "X003"]


@pytest.mark.parametrize(
    ("client", "release", "files", "text", "fix"),
    [
        (
            "codex",
            "0.144.0",
            {CODEX: groups("SessionEnd", hook("make notes"))},
            "Codex 0.144.0 does not load this hook: SessionEnd is an event of ",
            "update Codex to 0.145.0 or later",
        ),
        (
            "codex",
            "0.142.0",
            {CODEX: groups("PreToolUse", hook("make notes", additionalContextLimit=10))},
            "Codex 0.142.0 reads this hook differently: "
            "a later release has SessionEnd and reads additionalContextLimit",
            "update Codex to 0.145.0 or later",
        ),
        (
            "claude",
            "2.1.200",
            {CLAUDE: groups("PreToolUse", hook("make guard", onFailure="block"))},
            "Claude Code 2.1.200 reads this hook differently: a later release reads onFailure",
            "update Claude Code to 2.1.295 or later",
        ),
        (
            "claude-code",
            "2.1.150",
            {CLAUDE: groups("Stop", hook("make guard"))},
            "Claude Code 2.1.150 treats this hook differently: "
            "a later release keeps the agent going when a Stop hook gives context",
            "",
        ),
    ],
)
def test_a_hook_needs_a_newer_release(
    tmp_path: Path, client: str, release: str, files: dict[str, Any], text: str, fix: str
) -> None:
    [found] = pinned(tmp_path, client, release, files)
    assert found.text.startswith(text)
    assert found.fix.startswith(fix)
    assert found.origin.line > 0


@pytest.mark.parametrize("release", ["0.145.0", "0.166.0", "9.0.0"])
def test_a_release_that_has_it_is_enough(tmp_path: Path, release: str) -> None:
    assert pinned(tmp_path, "codex", release, {CODEX: groups("SessionEnd", hook("make notes"))}) == []


def test_other_hooks_of_the_file_are_not_reported(tmp_path: Path) -> None:
    hooks = groups("PreToolUse", hook("./guard.sh"), matcher="Bash")
    assert pinned(tmp_path, "codex", "0.142.0", {CODEX: hooks, "guard.sh 755": "#!/bin/sh\n"}) == []


def test_a_pinned_release_counts_before_the_installed_one(tmp_path: Path) -> None:
    files = {CODEX: groups("SessionEnd", hook("make notes"))}
    write(tmp_path, files)
    installed = {"codex": "0.142.0"}

    def codes() -> set[str]:
        return {found.code for found in check_paths([tmp_path], roots(tmp_path), installed=installed).problems}

    assert "X003" in codes()
    write(tmp_path, {"anyhook.toml": '[clients]\ncodex = "0.166.0"\n'})
    assert "X003" not in codes()


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ('codex = "0.1.0"', "Codex 0.1.0 was not measured; the oldest release that was is 0.142.0"),
        ("codex = 1", '"codex" must be a release, as text'),
        ('kodex = "1.0"', "there is no client 'kodex'"),
    ],
)
def test_a_mistake_in_the_table_is_reported(tmp_path: Path, line: str, text: str) -> None:
    write(tmp_path, {"anyhook.toml": f"[clients]\n{line}\n", CODEX: groups("Stop", hook("make notes"))})
    [found] = [found for found in check_paths([tmp_path], roots(tmp_path)).problems if found.code == "K007"]
    assert found.text.startswith(text)
    assert found.origin.line == 2
