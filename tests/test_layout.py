"""The folders of the source: few modules in each, and docs/architecture.md names them all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.checkout import ROOT

PACKAGE = ROOT / "src" / "anyhook"
MAX_MODULES = 15
ONE_PER_CLIENT = "dialects/clients"
DRIVERS = "prove/clients"
FOLDERS = sorted(
    path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*") if (path / "__init__.py").is_file()
)
SHOWN = [folder for folder in FOLDERS if not folder.startswith(f"{ONE_PER_CLIENT}/")]
"""Without the folders of single clients."""
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PICTURE = re.search(r"^## Packages\n(.*?)^Two flows", PAGE, re.MULTILINE | re.DOTALL)
NAME = re.compile(r"(?<![\w/.])((?:[a-z_]+/)+)")


def drawn() -> list[str]:
    """The folders in the picture: the first of a line is a package, the others are in it."""
    assert PICTURE is not None
    found = []
    for line in PICTURE[1].splitlines():
        names = [name.rstrip("/") for name in NAME.findall(line)]
        found += [*names[:1], *(f"{names[0]}/{name}" for name in names[1:])]
    return found


def test_the_picture_has_every_folder_and_no_other() -> None:
    assert sorted(drawn()) == SHOWN


@pytest.mark.parametrize("name", sorted(set(NAME.findall(PAGE)) - {f"{Path(name).name}/" for name in FOLDERS}))
def test_other_folders_in_the_text_exist(name: str) -> None:
    assert (PACKAGE / name).is_dir() or (ROOT / name).is_dir()


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_has_few_modules(folder: str) -> None:
    modules = [path.stem for path in (PACKAGE / folder).glob("*.py") if path.stem != "__init__"]
    assert folder in {ONE_PER_CLIENT, DRIVERS} or len(modules) <= MAX_MODULES, modules
