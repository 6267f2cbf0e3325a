"""The tool that measures the tests of the guards: which changes it makes, and that a small sample is noticed."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from anyhook.guards.catalogue import GUARDS as CATALOGUE
from tests.checkout import ROOT
from tools.mutate_guards import EQUIVALENT, GUARDS, read_rows, tasks_of
from tools.mutation.operators import mutants_of_source
from tools.mutation.samples import sample

SOURCE = '''\
_NAMES = frozenset({"rm", "dd"})
_WORDS = "a b".split()
_verb = re.compile(r"(?:get|put)-[a|b]").match

def judge(command: Command) -> Finding | None:
    """Refuses."""
    if command.name in _NAMES and command.count > 3:
        return refuse("deletes")
    return None
'''


def test_the_changes_of_a_module() -> None:
    tree = ast.parse(SOURCE)
    changed = {mutant.name: ast.unparse(mutant.tree(tree)) for mutant in mutants_of_source(tree)}
    assert list(changed) == [
        "judge: the edge of command.count > 3 is moved",
        "{'rm', 'dd'} is without 'rm'",
        "{'rm', 'dd'} is without 'dd'",
        "the words 'a b' are without a",
        "the words 'a b' are without b",
        "'(?:get|put)-[a|b]' is without get",
        "'(?:get|put)-[a|b]' is without put",
        "judge: if command.name in _NAMES and command.count > 3 is inverted",
        "judge: command.name in _NAMES and command.count > 3 is without command.name in _NAMES",
        "judge: command.name in _NAMES and command.count > 3 is without command.count > 3",
        "judge: return refuse('deletes') is None",
    ]
    assert "re.compile('(?:put)-[a|b]')" in changed["'(?:get|put)-[a|b]' is without get"]
    assert "if not (command.name in _NAMES" in changed[[*changed][7]]
    assert "return refuse" not in changed["judge: return refuse('deletes') is None"]
    assert all(text != ast.unparse(tree) for text in changed.values())


@pytest.mark.parametrize("pattern", [r"wheels?", r"[a-f]\d{2}x*", r"(?:get|put)\s+\S", r"a\.b"])
def test_a_sample_matches(pattern: str) -> None:
    assert re.fullmatch(pattern, sample(pattern) or "")


def test_every_guard_is_measured_and_every_excuse_is_about_a_change() -> None:
    assert set(CATALOGUE) <= set(GUARDS)
    excused = {(row["module"], row["change"]) for row in read_rows(EQUIVALENT)}
    assert all(row["why"] for row in read_rows(EQUIVALENT))
    all_changes = {
        (task.module, task.mutant.name)
        for guard in GUARDS
        if guard != "shell"
        for task, _ in tasks_of(guard, with_excused=True)
    }
    assert excused <= all_changes


def test_every_module_of_the_guards_belongs_to_a_part() -> None:
    """All but a package's own file, which only imports."""
    folder = ROOT / "src" / "anyhook" / "guards"
    parts = [folder / name for modules, _ in GUARDS.values() for name in modules]
    modules = [path for path in folder.rglob("*.py") if path.name != "__init__.py"]
    assert not [path for path in modules if not any(path.is_relative_to(part) for part in parts)]


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="changes are tried in forked processes")
def test_a_sample_of_changes_is_noticed(tmp_path: Path) -> None:
    options = ("--sample", "4", "--seed", "1", "--results", str(tmp_path / "results.jsonl"))
    done = subprocess.run(
        [sys.executable, "-m", "tools.mutate_guards", "files", "network", *options],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "files: 4 of 4 (100.0 %)\nnetwork: 4 of 4 (100.0 %)\n"), done.stderr
    noticed = [row["noticed_by"] for row in read_rows(tmp_path / "results.jsonl")]
    assert all(name.startswith("tests/guards/test_") for name in noticed), noticed
