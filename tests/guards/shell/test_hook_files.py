from __future__ import annotations

import pytest

from anyhook.guards import hook_files
from anyhook.guards.hook_files import is_client_folder, is_hook_file, known_hook_files


def test_every_pattern_of_a_client_has_a_dot() -> None:
    """is_hook_file does not look further at a path without one."""
    assert [pattern for pattern in hook_files._patterns() if "." not in pattern] == []


@pytest.mark.parametrize("path", known_hook_files())
def test_the_hook_files_of_all_clients_are_hook_files(path: str) -> None:
    assert is_hook_file(path)
    assert is_hook_file(f"~/{path.upper()}")


@pytest.mark.parametrize(
    "path", ["lib/site-packages/anyhook", "dist-packages/ANYHOOK/guards", ".git/hooks", "hooks", "hooks/guard.sh"]
)
def test_other_files_that_decide_what_hooks_run(path: str) -> None:
    assert is_hook_file(path)


@pytest.mark.parametrize("path", ["/", "~", "..", "build", "src/hooks", "README.md"])
def test_files_of_a_project_are_not(path: str) -> None:
    assert not is_hook_file(path)
    assert not is_client_folder(path)


def test_the_folders_of_clients() -> None:
    assert is_client_folder(".claude")
    assert is_client_folder("~/.claude")
    assert not is_client_folder(".claude/skills")
