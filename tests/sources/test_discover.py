"""Hook files are found where each client looks, in its order, and no folder tree can hang the search."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anyhook.dialects import NAMES, profile
from anyhook.dialects.places import Root
from anyhook.sources.discover import Roots, find_below, find_for_project, places
from anyhook.sources.disk import tracking_reads
from anyhook.sources.recognise import recognise_path
from tests.later import later


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    for name in ("project", "home", "system"):
        (tmp_path / name).mkdir()
    return Roots(tmp_path / "project", tmp_path / "home", tmp_path / "system")


def write(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")


def found(client: str, roots: Roots) -> list[str]:
    base = roots.project.parent
    return [file.path.relative_to(base).as_posix() for file in find_for_project(client, roots)]


def test_claude_code_reads_managed_user_project_and_local_settings(roots: Roots) -> None:
    write(roots.system, "etc/claude-code/managed-settings.json")
    write(roots.home, ".claude/settings.json")
    write(roots.project, ".claude/settings.json", ".claude/settings.local.json", ".claude/agents/a/b.md")
    assert found("claude-code", roots) == [
        "system/etc/claude-code/managed-settings.json",
        "home/.claude/settings.json",
        "project/.claude/settings.json",
        "project/.claude/settings.local.json",
        "project/.claude/agents/a/b.md",
    ]


def test_copilot_uses_the_files_of_a_hook_folder_in_reverse_order(roots: Roots) -> None:
    write(
        roots.project, *(f".github/hooks/{name}.json" for name in ("b10", "b9", "a", "z")), ".github/hooks/sub/n.json"
    )
    names = [Path(path).name for path in found("copilot-cli", roots)]
    assert names == ["z.json", "b9.json", "b10.json", "a.json", "n.json"]


@pytest.mark.parametrize("folder", ["project/.github/hooks", "home/.copilot/hooks"])
def test_copilot_reads_no_hidden_files_and_only_the_files_in_linked_folders(folder: str, roots: Roots) -> None:
    top = roots.project.parent
    write(top / folder, "a.json", ".b.json", ".d/c.json", "sub/.e.json", "UP.JSON", "f.jsonc", ".json")
    write(top, "other/l.json", "other/m.json", "other/deep/z.json", "third/y.json")  # l.json counts once
    (top / folder / "link.json").symlink_to(top / "other/l.json")
    (top / folder / ".hidden.json").symlink_to(top / "other/l.json")
    (top / folder / "sub/linked").symlink_to(top / "other")
    (top / "other/again").symlink_to(top / "third")
    assert found("copilot-cli", roots) == [
        f"{folder}/link.json",
        f"{folder}/a.json",
        f"{folder}/sub/linked/m.json",
    ]


@pytest.mark.parametrize("name", [".b.json", ".d/c.json", "sub/.e.json"])
def test_a_hidden_file_is_not_recognised_as_one_of_copilot(name: str, roots: Roots) -> None:
    hidden, shown = (roots.project / ".github/hooks" / each for each in (name, name.replace(".", "x", 1)))
    assert "copilot-cli" not in {file.dialect for file in recognise_path(hidden)}
    assert "copilot-cli" in {file.dialect for file in recognise_path(shown)}


def test_gemini_reads_the_user_before_the_project(roots: Roots) -> None:  # explored-after-project-is-later
    write(roots.home, ".gemini/settings.json")
    write(roots.project, ".gemini/settings.json")
    assert found("gemini-cli", roots) == ["home/.gemini/settings.json", "project/.gemini/settings.json"]


def test_an_environment_variable_moves_a_home_folder(roots: Roots, tmp_path: Path) -> None:
    write(tmp_path / "moved", "hooks.json")
    write(roots.home, ".codex/hooks.json")
    moved = Roots(roots.project, roots.home, roots.system, {"CODEX_HOME": str(tmp_path / "moved")})
    assert found("codex", moved) == ["moved/hooks.json"]


def test_a_plugin_counts_beside_its_marker(roots: Roots) -> None:
    write(roots.project, "plugins/a/hooks/hooks.json", "plugins/a/.claude-plugin/plugin.json")
    files = find_below(roots, ["claude-code"]).files
    assert {file.base.name for file in files} == {"a"}
    assert {file.source.kind for file in files} == {"hooks", "manifest"}


def test_sub_projects_are_found_and_rubbish_is_not(roots: Roots) -> None:
    write(roots.project, "apps/web/.codex/hooks.json", "node_modules/x/.codex/hooks.json", ".git/.codex/hooks.json")
    files = find_below(roots, ["codex"]).files
    assert [file.base.name for file in files] == ["web"]


def test_folder_loops_end(roots: Roots) -> None:
    write(roots.project, ".claude/skills/a/SKILL.md")
    (roots.project / "loop").symlink_to(roots.project, target_is_directory=True)
    (roots.project / ".claude/skills/back").symlink_to(roots.project / ".claude", target_is_directory=True)
    assert len(find_below(roots).files) == 1


@pytest.mark.skipif(os.geteuid() == 0 if hasattr(os, "geteuid") else True, reason="root may read everything")
def test_a_folder_without_permission_is_passed_over(roots: Roots) -> None:
    write(roots.project, "closed/.codex/hooks.json", "open/.codex/hooks.json")
    (roots.project / "closed").chmod(0)
    try:
        assert [file.base.name for file in find_below(roots, ["codex"]).files] == ["open"]
    finally:
        (roots.project / "closed").chmod(0o700)


def test_a_settings_file_is_found_for_everyone_who_reads_it(roots: Roots) -> None:
    write(roots.project, ".claude/settings.json")
    readers = {file.dialect: file.source.shared for file in find_below(roots).files}
    assert readers == {
        "claude-code": False, "copilot-cli": True, "cursor": True, "copilot-vscode": True, "code-agent": True,
    }  # fmt: skip


def test_places_are_written_for_people(roots: Roots) -> None:
    assert "~/.codex/hooks.json" in set(places("codex", roots))


@pytest.mark.skipif(os.name != "posix", reason="only POSIX has such folders")
@pytest.mark.parametrize("client", NAMES)
def test_a_folder_of_all_users_is_not_listed(client: str, roots: Roots) -> None:
    """It changes all the time, so what was read for a cache would never be current; the same files are found."""
    sources = [source for source in profile(client).sources if source.root in (Root.PROJECT, Root.PLUGIN)]
    for source in sources:
        write(roots.project, source.pattern.replace("**/", "").replace("*", "x"))
    for marker in {source.marker for source in sources if source.marker}:
        if not (roots.project / marker).exists():  # a folder that has a file by now
            write(roots.project, marker)
    expected = found(client, roots)
    roots.project.chmod(0o1777)
    with tracking_reads(later) as snapshot:
        assert found(client, roots) == expected
    (roots.project / "of-another-user").touch()
    assert snapshot.is_current()
