"""The recipes of CONTRIBUTING.md name files and tables that exist, and following the first one adds a client."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import ROOT, SOURCE

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLES = {
    "<client>": ("windsurf", "codex"),
    "<CODE>": ("C001",),
    "<theme>": ("timeouts", "matchers"),
    "<group>/<command>": ("inspect/list", "author/fire", "operate/deploy"),
    "<command>": ("list", "fire"),
}
"""What replaces a placeholder in a path."""
PATH = re.compile(r"`((?:[\w.<>-]+/)+[\w.<>-]*|[A-Z]+\.md|pyproject\.toml)`")
TABLE = re.compile(r"`([A-Z_]+)`(?: or `([A-Z_]+)`)? in\s+`([\w/.]+\.py)`")
RECIPES = ("Add a client", "Add an event", "Add a lint rule", "Add a command")


def recipe(title: str) -> str:
    _, found, rest = TEXT.partition(f"### {title}\n")
    assert found
    return re.split(r"^##", rest, flags=re.MULTILINE)[0]


def filled(path: str) -> list[str]:
    """The path, with each example for its placeholder."""
    for placeholder, values in EXAMPLES.items():
        if placeholder in path:
            return [path.replace(placeholder, value) for value in values]
    return [path]


@pytest.mark.parametrize("path", sorted(set(PATH.findall(TEXT))))
def test_a_named_path_exists(path: str) -> None:
    for name in filled(path):
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_names_source_and_tests(title: str) -> None:
    paths = PATH.findall(recipe(title))
    assert any(path.startswith("src/anyhook/") for path in paths)
    assert any(path.startswith("tests/") for path in paths)


@pytest.mark.parametrize(("first", "second", "file"), TABLE.findall(TEXT))
def test_a_named_table_is_in_its_file(first: str, second: str, file: str) -> None:
    source = (ROOT / file).read_text(encoding="utf-8")
    for name in filter(None, (first, second)):
        assert re.search(rf"^{name}\b.*=", source, re.MULTILINE), name


# --- the recipe for a client, followed in a copy of the package


def anyhook(copy: Path, *arguments: str) -> Any:
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "anyhook", *arguments],
        cwd=copy.parent / "project",
        env={"PATH": "/usr/bin:/bin", "HOME": str(copy.parent), "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.skipif(sys.platform == "win32", reason="the environment of the copy is a POSIX one")
def test_a_client_is_one_module(tmp_path: Path) -> None:
    """A module in the folder of clients is enough for ``dialects``, ``schema``, ``list`` and ``check``."""
    copy = tmp_path / "copy"
    shutil.copytree(SOURCE / "anyhook", copy / "anyhook", ignore=shutil.ignore_patterns("__pycache__"))
    clients = copy / "anyhook" / "dialects" / "clients"
    text = (clients / "windsurf.py").read_text(encoding="utf-8")
    text = text.replace('name="windsurf"', 'name="my-agent"').replace('title="Windsurf"', 'title="My Agent"')
    (clients / "my_agent.py").write_text(text.replace(".windsurf/", ".my-agent/"), encoding="utf-8")
    hooks = tmp_path / "project" / ".my-agent" / "hooks.json"
    hooks.parent.mkdir(parents=True)
    hooks.write_text(json.dumps({"hooks": {"pre_run_command": [{"command": "echo hello"}]}}))

    assert anyhook(copy, "clients", "my-agent", "--json")["title"] == "My Agent"
    assert anyhook(copy, "clients", "my-agent", "--schema")["properties"]
    [listed] = anyhook(copy, "list", "--client", "my-agent", "--json")["hooks"]
    assert (listed["native_event"], listed["state"]) == ("pre_run_command", "active")
    assert anyhook(copy, "check", "--client", "my-agent", "--json", str(hooks))["problems"] == []


def test_make_attack_names_tests_that_exist() -> None:
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nattack:")[2].partition("\n\n")[0]
    folder = ROOT / "tests/attack"
    rows = re.findall(r"`([\w/]*test_\w+(?:\.py)?|tests/[\w/]+)`", (folder / "README.md").read_text(encoding="utf-8"))
    files = [*re.findall(r"tests/[\w/.]+", recipe), *(row for row in rows if row.endswith(".py") or "/" in row)]
    assert len(files) > 50
    assert [file for file in files if not ((ROOT / file).exists() or (folder / file).is_file())] == []
    code = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("test_*.py"))
    named = [row for row in rows if not (row.endswith(".py") or "/" in row)]
    assert [name for name in named if f"def {name}(" not in code] == []
