"""Every view of a project shows the same hooks and the same problems, on all projects that the checkout has."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import pytest
from click.testing import CliRunner
from msgspec import Struct

from anyhook.cli.check_command import command as check
from anyhook.cli.doctor_command import command as doctor
from anyhook.cli.list_command import command as list_hooks
from anyhook.cli.main import main
from anyhook.cli.overview import print_overview
from anyhook.editor.overview import take_overview
from anyhook.model.codes import GROUPS
from anyhook.model.document import Document
from anyhook.report.data import problems_data
from anyhook.sources.discover import Roots, roots_for
from anyhook.ui.api.hooks import hooks_page
from anyhook.ui.api.problems import examine_project, problems_page
from anyhook.ui.jobs import JobProgress
from anyhook.ui.shown import Shown
from tests.checkout import ROOT
from tests.hook_corpus import Projects, written_here

EXAMPLES = sorted(path for path in (ROOT / "examples").iterdir() if path.is_dir())
WRITTEN = sorted({sample.project for sample in written_here()})

T = TypeVar("T")
Found = tuple[str, str, str, frozenset[tuple[str, int]]]
"""A problem: code, text, remedy, and its files and lines."""


_SCRIPTS = (".sh", ".bash", ".py", ".js", ".mjs", ".ts", ".rb", ".ps1")
_opened: dict[str, Counter[str]] = {}
"""What is opened in the folders that are watched."""


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _opened and isinstance(arguments[0], str | os.PathLike):
        for folder, opened in _opened.items():
            path = os.fspath(arguments[0])
            if isinstance(path, str) and path.startswith(folder):
                opened[path[len(folder) :]] += 1


sys.addaudithook(_note)  # sees every file that is opened, whoever opens it


@contextmanager
def counting_reads(folder: Path) -> Iterator[Counter[str]]:
    opened = _opened[f"{folder}/"] = Counter()
    try:
        yield opened
    finally:
        del _opened[f"{folder}/"]


def assert_read_once(opened: Mapping[str, int]) -> None:
    """Each file once; a script for what it is (trust) and for what it says (the linter)."""
    assert {file: times for file, times in opened.items() if times > 1 + file.endswith(_SCRIPTS)} == {}


class View(Struct, frozen=True):
    """What one view says of a project."""

    hooks: int
    problems: frozenset[Found]


@pytest.fixture(params=[*(path.name for path in EXAMPLES), *WRITTEN])
def project(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    name: str = request.param
    folder = tmp_path / name
    if name in WRITTEN:
        Projects(tmp_path, (sample for sample in written_here() if sample.project == name))
    else:
        shutil.copytree(ROOT / "examples" / name, folder)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(folder)
    return folder


def printed(command: Any, *arguments: str) -> Any:
    """The JSON that a command prints; what it says to people is on stderr."""
    return json.loads(CliRunner().invoke(command, arguments, catch_exceptions=False).stdout)


def found_in(problems: list[dict[str, Any]]) -> frozenset[Found]:
    """The problems of hook files, from the JSON of a view."""
    return frozenset(
        (each["code"], each["text"], each["fix"], frozenset((at["file"], at["line"]) for at in each["places"]))
        for each in problems
        if GROUPS[each["code"][0]].command == "check"
    )


def of_list() -> int:
    hooks = printed(list_hooks, "--json")["hooks"]
    own = {(hook["file"], hook["pointer"] or hook["line"]) for hook in hooks if not hook["is_entry"]}
    behind = {(asked["file"], asked["pointer"] or asked["line"]) for hook in hooks for asked in hook["behind"]}
    return len(own | behind)


def of_check() -> View:
    said = printed(check, "--json")
    return View(said["hooks"], found_in(said["problems"]))


def of_doctor() -> View:
    said = printed(doctor, "--json")
    hooks = {(hook["file"], hook["pointer"] or hook["line"]) for hook in said["hooks"]}
    return View(len(hooks), found_in(said["problems"]))


def of_screen(roots: Roots) -> View:
    overview = take_overview(roots)
    return View(overview.written, found_in(problems_data(overview.problems)))


def of_page(roots: Roots) -> View:
    examined = examine_project(Shown(roots, roots.home), JobProgress())
    page = problems_page(examined)
    assert page["hooks"] == len(hooks_page(examined).hooks)
    return View(page["hooks"], found_in(page["problems"]))


def of_front_page(capsys: pytest.CaptureFixture[str]) -> tuple[int, int]:
    """How many hooks and how many problems in their files the front page tells of."""
    capsys.readouterr()
    print_overview()
    said = capsys.readouterr().out
    counts = [int(number) for number in re.findall(r"(\d+) hooks?\b(?: in all)?", said)]
    in_files = re.search(r"(\d+) problems? in hook files", said)
    return (counts[-1] if counts else 0), int(in_files[1]) if in_files else 0


def test_every_view_shows_the_same_and_reads_each_file_once(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    roots = roots_for(project)

    def view(of: Callable[..., T], *arguments: object) -> T:
        with counting_reads(project) as opened:
            shown = of(*arguments)
        assert_read_once(opened)
        return shown

    checked = view(of_check)
    assert view(of_list) == checked.hooks
    assert view(of_doctor) == checked
    assert view(of_screen, roots) == checked
    assert view(of_page, roots) == checked
    assert view(of_front_page, capsys) == (checked.hooks, len(checked.problems))


DEPLOYED = ("claude-code", "codex", "gemini-cli")
COMMANDS = {
    "": "",
    "list": "",
    "explain": "PreToolUse --tool Bash",
    "fire": "--client claude-code --event PreToolUse --input ../event.json",
    "try": "ls",
    "check": "",
    "doctor": "",
    "log": "--stats",
    "trust": "--list",
    "deploy": "--client claude-code --dry-run",
    "undeploy": "--dry-run",
    "test": "",
    "matrix": "--client codex",
}
"""The commands that read hook files, and arguments with which they change none; without a name: the front page."""
PARSERS = ("parse_json", "parse_toml", "parse_guards", "parse_python", "parse_front_matter")


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str]]:
    """What is parsed: files and their texts."""
    found: Counter[tuple[str, str]] = Counter()

    def counting(parse: Callable[[str, str], Document]) -> Callable[..., Document]:
        def parse_and_count(text: str, path: str = "") -> Document:
            found[path, text] += bool(path)
            return parse(text, path)

        return parse_and_count

    for name in PARSERS:
        module = import_module(f"anyhook.sources.parsing.{name}")
        monkeypatch.setattr(module, name, counting(getattr(module, name)))
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_reads_and_parses_each_file_of_a_deployed_package_once(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parsed: Counter[tuple[str, str]]
) -> None:
    folder = tmp_path / "package"
    shutil.copytree(ROOT / "examples/hooks-package", folder)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(folder)
    (tmp_path / "event.json").write_text('{"tool_name": "Bash", "tool_input": {"command": "ls"}}')
    assert main(["deploy", "--client", ",".join(DEPLOYED), "--yes"]) == 0
    parsed.clear()
    with counting_reads(folder) as opened:
        assert main([*name.split(), *COMMANDS[name].split()]) in (0, 1)
    assert "hooks/hooks.json" in opened or name == "undeploy"
    assert_read_once(opened)
    assert {place: times for place, times in parsed.items() if times > 1} == {}
