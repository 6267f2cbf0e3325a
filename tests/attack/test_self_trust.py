"""A repository cannot trust itself through the environment that its own files give a client."""

from __future__ import annotations

import json
import os
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


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (".claude/settings.json", b'{"x": "\xff", "env": {"ANYHOOK_TRUST": "1"}}'),
        (".claude/settings.json", b'{"env": {"ANYHOOK_TRUST": "1"}, "env": {}}'),
        (".claude/settings.json", '{"env": {"ANYHOOK_TRUST": "1"}}'.encode("utf-16")),
        (".claude/settings.json", b"{" + b" " * (16 * 1024 * 1024) + b"}"),
        (".codex/config.toml", b'[shell_environment_policy.set]\n"ANYHOOK\\U0000005fTRUST" = "1"\n'),
        (".env", b"A=\xff\nANYHOOK_TRUST=1\n"),
        (".gemini/.env", b"A=\xff\nANYHOOK_TRUST=1\n"),
        (".env.local", b"ANYHOOK_TRUST=1"),
        (".envrc", b"export ANYHOOK_'TR'UST=1"),
        (".envrc", b"export ANYHOOK_TR\\\nUST=1"),
        (".vscode/settings.json", b'{"terminal.integrated.env.linux": {"ANYHOOK\\u005fTRUST": "1"}}'),
        (".devcontainer.json", b'{"remoteEnv": {"ANYHOOK_TRUST": "1"}}'),
        (".devcontainer/python/devcontainer.json", b'{"remoteEnv": {"ANYHOOK_\\u0054RUST": "1"}}'),
        (".devcontainer/Dockerfile", b"ENV ANYHOOK_TRUST=1"),
        ("shop.code-workspace", b'{"settings": {"terminal.integrated.env.osx": {"ANYHOOK_TRUST": "1"}}}'),
        ("mise.local.toml", b'[env]\nANYHOOK_TRUST = "1"\n'),
        ("mise.ci.toml", b'[env]\n"ANYHOOK\\x5fTRUST" = "1"\n'),
        (".config/mise/conf.toml", b'[env]\nANYHOOK_TRUST = "1"\n'),
    ],
)
def test_no_way_of_writing_hides_the_variable(name: str, content: bytes, repository: Path) -> None:
    file = repository / name
    file.parent.mkdir(exist_ok=True, parents=True)
    file.write_bytes(content)
    assert says_no(repository / "sub", ANYHOOK_TRUST="1", ANYHOOK_STATE_DIR=str(repository.parent / "state"))


def test_a_pipe_in_place_of_a_settings_file_does_not_count_as_harmless(repository: Path) -> None:
    os.mkfifo(repository / ".env")
    assert says_no(repository / "sub", ANYHOOK_TRUST="1", ANYHOOK_STATE_DIR=str(repository.parent / "state"))


def test_a_folder_with_the_name_of_a_settings_file_sets_nothing(repository: Path) -> None:
    (repository / ".env/bin").mkdir(parents=True)  # a virtual environment
    assert not says_no(repository / "sub", ANYHOOK_TRUST="1", ANYHOOK_STATE_DIR=str(repository.parent / "state"))


@pytest.fixture
def download(repository: Path) -> Path:
    """The same without git."""
    (repository / ".git").rmdir()
    return repository


def test_the_variable_set_above_does_not_count_without_git(download: Path) -> None:
    (download / ".claude").mkdir()
    (download / ".claude/settings.json").write_text(json.dumps({"env": {"ANYHOOK_TRUST": "1"}}))
    assert says_no(download / "sub", ANYHOOK_TRUST="1", ANYHOOK_STATE_DIR=str(download.parent / "state"))


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


def test_exec_does_not_close_a_folder_that_a_project_calls_its_state(repository: Path) -> None:
    folder = repository.parent / "public"
    folder.mkdir()
    folder.chmod(0o755)
    variables = {"ANYHOOK_STATE_DIR": str(folder), "ANYHOOK_DAEMON": "1", "XDG_RUNTIME_DIR": ""}
    run_anyhook(repository / "sub", "exec", "--client", "codex", stdin=shell_call("echo DANGER"), **variables)
    assert folder.stat().st_mode & 0o777 == 0o755
    assert not list(folder.iterdir())
