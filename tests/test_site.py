"""The documentation site: generated pages are fresh, every variable is described, and the site builds."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from anyhook.cli.main import cli
from tests.checkout import ROOT, SOURCE
from tools.site.pictures import FOLDER, PICTURES, pictures, printed, steady, svg, words
from tools.site.settings_page import VARIABLES
from tools.site.write_pages import generated

_variable = re.compile(r"\bANYHOOK_[A-Z_]+\b")
_loaded = re.compile(
    r"""<(?:script|img|iframe)\b[^>]*\bsrc="?https?:|<link\b[^>]*stylesheet[^>]*https?:|data-md-component="source\""""
)
FOR_DEVELOPERS = {"ANYHOOK_UPDATE_SCRIPTS", "ANYHOOK_PROPERTIES", "ANYHOOK_REAL_CLIENTS"}


@pytest.mark.parametrize("path", generated(), ids=lambda path: path.name)
def test_a_generated_page_is_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == generated()[path], "run: make docs"


def test_no_page_of_a_client_is_left_over() -> None:
    assert set((ROOT / "docs" / "clients").iterdir()) <= generated().keys()


EXAMPLE = re.compile(r"^```json (?P<path>\S+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "clients").glob("[a-z]*.md")), ids=lambda page: page.stem)
def test_the_example_of_a_client_has_no_mistake(page: Path, tmp_path: Path) -> None:
    if example := EXAMPLE.search(page.read_text(encoding="utf-8")):
        file = tmp_path / "project" / example["path"]
        file.parent.mkdir(parents=True)
        file.write_text(example["text"])
        (tmp_path / "project" / "guard.sh").write_text("#!/bin/sh\nexit 0\n")
        arguments = ["check", str(file), "--client", page.stem, "--home", str(tmp_path / "home")]
        done = CliRunner().invoke(cli, arguments, standalone_mode=False)
        assert not done.return_value, done.output
        assert "1 hook in 1 file" in done.output
        assert "${PACKAGE_ROOT}" not in example["text"]  # only universal hooks have it


def test_every_variable_is_described() -> None:
    read = {name for path in (SOURCE / "anyhook").rglob("*.py") for name in _variable.findall(path.read_text("utf-8"))}
    assert read - FOR_DEVELOPERS == VARIABLES.keys()


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_man_page_is_valid_roff() -> None:
    page = ROOT / "docs" / "man" / "anyhook.1"
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", page], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "anyhook deploy" in re.sub(r"\x1b\[[\d;]*m", "", done.stdout)


@pytest.mark.long
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    words = [sys.executable, "-P", "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "<h1" in (tmp_path / "index.html").read_text(encoding="utf-8")
    pages = {
        page.relative_to(tmp_path).as_posix(): page.read_text(encoding="utf-8") for page in tmp_path.rglob("*.html")
    }
    assert [name for name, text in pages.items() if "<p>```" in text or "\n```" in text] == []  # a fence is no text
    assert '<span class="filename">.claude/settings.json</span>' in pages["rules/C001/index.html"]
    del pages["404.html"]
    assert [name for name, text in pages.items() if '<meta name="description"' not in text] == []
    assert [name for name, text in pages.items() if _loaded.search(text)] == []  # from another host
    assert ["edit/main/docs" in pages[f"{name}/index.html"] for name in ("trust", "settings", "clients/codex")] == [
        True,
        False,  # generated
        False,
    ]


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "start").glob("*.md")), ids=lambda page: page.stem)
def test_a_quick_start_begins_with_the_installation(page: Path) -> None:
    before, found, _ = page.read_text(encoding="utf-8").partition("pip install ")
    assert found
    assert "$ anyhook" not in before


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the pictures are drawn on Linux")
def test_pictures_are_the_same_from_every_run(monkeypatch: pytest.MonkeyPatch) -> None:
    first = pictures()
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert pictures() == first
    for path, drawn in first.items():
        assert f'id="picture-{path.stem}-' in drawn  # not a sum over the text, which changes all lines of the file


@pytest.mark.parametrize("took", ["    3 ms", "12345 ms", "  140 s ", "    3 h "])
def test_pictures_do_not_depend_on_the_machine(took: str) -> None:
    line = "\x1b[1m2026-11-17\x1b[0m\n00:46:37 codex \x1b[31mblock   \x1b[0m {} 1 hook\n  allowed guard.sh ({})\n"
    other = line.format(took, took.strip())
    assert steady(other) == steady(line.format("  363 ms", "363 ms"))
    assert took.strip() not in steady(other)


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the pictures are drawn on Linux")
def test_a_picture_shows_what_the_commands_print() -> None:
    """Compared by words: another release of rich may draw them differently."""
    for picture in PICTURES:
        drawn = (FOLDER / f"{picture.name}.svg").read_text(encoding="utf-8")
        assert words(drawn) == words(svg(printed(picture), picture)), "run: make docs"
        assert re.findall(r"""(?:url\(|href=)["']?(?!#)""", drawn) == []  # nothing is loaded
