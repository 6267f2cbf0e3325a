from __future__ import annotations

from pathlib import Path

import pytest

from anyhook.sources.discover import roots_for
from anyhook.sources.project import project_of
from tests.bridge.bridging import make_package


@pytest.mark.parametrize("start", ["", "src/api"])
def test_a_checkout_is_a_project_as_a_whole(tmp_path: Path, start: str) -> None:
    for folder in ("home", "shop/.git", "shop/src/api"):
        (tmp_path / folder).mkdir(parents=True)
    assert project_of(roots_for(tmp_path / "shop" / start, tmp_path / "home")) == str(tmp_path / "shop")


def test_a_folder_with_hooks_is_a_project(tmp_path: Path) -> None:
    package = make_package(tmp_path / "shop")
    assert project_of(roots_for(package, tmp_path / "home")) == str(package)


@pytest.mark.parametrize("start", ["home", "", "home/notes"])
def test_a_home_folder_and_what_is_above_it_are_none(tmp_path: Path, start: str) -> None:
    (tmp_path / "home" / "notes").mkdir(parents=True)
    (tmp_path / "home" / ".claude").mkdir()
    (tmp_path / "home" / ".claude" / "settings.json").write_text('{"hooks": {}}', encoding="utf-8")
    assert project_of(roots_for(tmp_path / start, tmp_path / "home")) == ""
