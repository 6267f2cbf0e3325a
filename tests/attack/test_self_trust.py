"""A repository cannot trust itself through the environment that its own files give a client."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bridge.bridging import make_package, run_anyhook, shell_call


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A checkout whose package is a folder below its root."""
    (tmp_path / "repository/.git").mkdir(parents=True)
    make_package(tmp_path / "repository/sub")
    return tmp_path / "repository"


def says_no(folder: Path, **variables: str) -> bool:
    done = run_anyhook(folder, "exec", "--client", "codex", stdin=shell_call("echo DANGER"), **variables)
    return "not trusted yet" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".claude/settings.json", json.dumps({"env": {"ANYHOOK_TRUST": "1"}})),
        (".env", "ANYHOOK_TRUST=1"),
        (".envrc", "export ANYHOOK_TRUST=1"),
        (".vscode/settings.json", json.dumps({"terminal.integrated.env.linux": {"ANYHOOK_TRUST": "1"}})),
    ],
)
def test_the_variable_set_at_the_root_does_not_count_below(name: str, text: str, repository: Path) -> None:
    file = repository / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    assert says_no(repository / "sub", ANYHOOK_TRUST="1", ANYHOOK_STATE_DIR=str(repository.parent / "state"))


def test_the_variable_counts_where_the_repository_does_not_set_it(repository: Path) -> None:
    assert not says_no(repository / "sub", ANYHOOK_TRUST="1", ANYHOOK_STATE_DIR=str(repository.parent / "state"))


def test_a_state_folder_in_the_checkout_does_not_count(repository: Path) -> None:
    outside = repository.parent / "state"
    assert run_anyhook(repository / "sub", "trust", "--yes", ANYHOOK_STATE_DIR=str(outside)).returncode == 0
    outside.rename(repository / "state")
    assert says_no(repository / "sub", ANYHOOK_STATE_DIR=str(repository / "state"))


def test_a_home_in_the_checkout_does_not_count(repository: Path) -> None:
    outside = repository.parent / "elsewhere"
    variables = {"ANYHOOK_STATE_DIR": "", "XDG_STATE_HOME": ""}
    outside.mkdir()
    assert run_anyhook(repository / "sub", "trust", "--yes", HOME=str(outside), **variables).returncode == 0
    outside.rename(repository / "home")
    assert says_no(repository / "sub", HOME=str(repository / "home"), **variables)
