"""A module that is missing while anyhook is being upgraded is not called a bug; the message says what to do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from anyhook.model.problems import missing_part
from tests.bridge.bridging import make_package, run_anyhook, shell_call
from tests.checkout import SOURCE

TOLD = "is missing: anyhook is being upgraded; try again, and reinstall it if that persists"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A copy of anyhook, to take modules out of."""
    shutil.copytree(SOURCE / "anyhook", tmp_path / "lib/anyhook", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "lib"


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("project/asked_packages.py", ("exec", "--client", "codex")),
        ("cli/run_hooks.py", ("exec", "--client", "codex")),
        ("project/package_hooks.py", ("trust", "--list")),
        ("cli/main.py", ("list",)),
    ],
)
def test_a_module_that_is_missing(module: str, words: tuple[str, ...], installed: Path, tmp_path: Path) -> None:
    package = make_package(tmp_path / "project")
    assert run_anyhook(package, "trust", "--yes").returncode == 0
    (installed / "anyhook" / module).unlink()
    done = run_anyhook(package, *words, stdin=shell_call("echo"), PYTHONPATH=str(installed))
    said = done.stdout + done.stderr
    assert TOLD in said
    assert "bug" not in said
    assert "Traceback" not in said


def test_a_missing_module_of_another_package_is_no_upgrade() -> None:
    assert missing_part(ModuleNotFoundError(name="json")) == ""
    assert missing_part(ValueError("anyhook")) == ""
