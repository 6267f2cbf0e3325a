"""A repository cannot trust itself through the environment that its own files give a client."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.bridge.bridging import make_package, run_anyhook, shell_call


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A checkout whose package is a folder below its root."""
    (tmp_path / "repository/.git").mkdir(parents=True)
    (tmp_path / "repository/.git/HEAD").write_text("ref: refs/heads/main\n")
    make_package(tmp_path / "repository/sub")
    return tmp_path / "repository"


def says_no(folder: Path, **variables: str) -> bool:
    done = run_anyhook(folder, "exec", "--client", "codex", stdin=shell_call("echo DANGER"), **variables)
    return "not trusted yet" in done.stdout + done.stderr


@pytest.fixture
def download(repository: Path) -> Path:
    """The same without git."""
    shutil.rmtree(repository / ".git")
    return repository


@pytest.mark.parametrize("state", ["/proc/self/cwd/state", "/proc/self/cwd/../state", "{download}/state"])
def test_a_state_folder_that_came_with_a_download_does_not_count(state: str, download: Path) -> None:
    outside = download.parent / "state"
    assert run_anyhook(download / "sub", "trust", "--yes", ANYHOOK_STATE_DIR=str(outside)).returncode == 0
    outside.rename(download / "state")
    (download / "sub/below").mkdir()
    variables = {"ANYHOOK_STATE_DIR": state.format(download=download), "HOME": str(download.parent)}
    words = ("exec", "--client", "codex", "--package", str(download / "sub"))
    done = run_anyhook(download, *words, stdin=shell_call("echo DANGER"), **variables)
    assert "not trusted yet" in done.stdout + done.stderr
    done = run_anyhook(download / "sub", *words, stdin=shell_call("echo DANGER", cwd=str(download)), **variables)
    assert "not trusted yet" in done.stdout + done.stderr


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


def test_exec_does_not_close_a_folder_that_a_project_calls_its_state(repository: Path) -> None:
    folder = repository.parent / "public"
    folder.mkdir()
    folder.chmod(0o755)
    variables = {"ANYHOOK_STATE_DIR": str(folder), "ANYHOOK_DAEMON": "1", "XDG_RUNTIME_DIR": ""}
    run_anyhook(repository / "sub", "exec", "--client", "codex", stdin=shell_call("echo DANGER"), **variables)
    assert folder.stat().st_mode & 0o777 == 0o755
    assert not list(folder.iterdir())
