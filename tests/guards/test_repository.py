"""What git runs when it is asked about a project whose settings are not the user's own: nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from anyhook.guards.repository import ask_git, uncommitted

SECONDS = 60
pytestmark = pytest.mark.skipif(
    os.name == "nt" or shutil.which("git") is None, reason="the programs of these tests are for a POSIX shell"
)


class Repository:
    """A repository in which ``a.txt`` has been changed, without a change of its size."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.ran = folder / "project", folder / "ran"
        self.variables = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
        self.folder.mkdir()
        self.git("init", "-q", ".")
        (self.folder / ".gitattributes").write_text("*.txt filter=planted\n")
        (self.folder / "a.txt").write_text("a")
        self.commit()
        (self.folder / "a.txt").write_text("b")
        os.utime(self.folder / "a.txt", (1, 1))

    @property
    def planted(self) -> str:
        """A program that leaves a trace."""
        return f"touch '{self.ran}'; cat"

    def git(self, *words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always")
        subprocess.run(("git", *who, *words), cwd=self.folder, env=self.variables, check=True, capture_output=True)

    def commit(self) -> None:
        self.git("add", ".")
        self.git("commit", "-q", "-m", "a")

    def status(self) -> bytes | None:
        return uncommitted(self.folder, self.variables, SECONDS)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def plant_filter(it: Repository) -> None:
    it.git("config", "filter.planted.clean", it.planted)


def plant_required_process(it: Repository) -> None:
    it.git("config", "filter.planted.process", it.planted)
    it.git("config", "filter.planted.required", "true")


def plant_filter_in_included_file(it: Repository) -> None:
    (it.folder / ".git/more").write_text(f'[FILTER "planted"]\n\tclean = "{it.planted}"\n')
    it.git("config", "include.path", "more")


def plant_monitor(it: Repository) -> None:
    program = it.folder / ".git/monitor"
    program.write_text(f"#!/bin/sh\ntouch '{it.ran}'\n")
    program.chmod(0o755)
    it.git("config", "core.fsmonitor", str(program))


def plant_hook(it: Repository) -> None:
    hook = it.folder / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch '{it.ran}'\n")
    hook.chmod(0o755)


def plant_in_submodule(it: Repository) -> None:
    other = it.folder.parent / "other"
    other.mkdir()
    inner = Repository(other)
    inner.commit()
    it.git("submodule", "add", "-q", str(inner.folder), "sub")
    it.git("-C", "sub", "config", "filter.planted.clean", it.planted)
    (it.folder / "sub/a.txt").write_text("c")
    os.utime(it.folder / "sub/a.txt", (1, 1))


@pytest.mark.parametrize(
    "plant",
    [
        plant_filter,
        plant_required_process,
        plant_filter_in_included_file,
        plant_monitor,
        plant_hook,
        plant_in_submodule,
    ],
)
def test_a_planted_program_is_not_run(plant: Callable[[Repository], None], repository: Repository) -> None:
    plant(repository)
    repository.ran.unlink(missing_ok=True)
    told = repository.status()
    assert told is not None
    assert b" M a.txt" in told
    assert not repository.ran.exists()
    subprocess.run(("git", "status"), cwd=repository.folder, env=repository.variables, check=False, capture_output=True)
    assert repository.ran.exists(), "git alone runs it"


def test_a_filter_whose_name_hides_it_from_options(repository: Repository) -> None:
    (repository.folder / ".gitattributes").write_text("*.txt filter=a=b\n")
    repository.git("config", "filter.a=b.clean", repository.planted)
    assert repository.status() is None
    assert not repository.ran.exists()


def test_a_missing_object_is_not_fetched(repository: Repository) -> None:
    tree = ask_git(repository.folder, repository.variables, SECONDS, "rev-parse", "HEAD^{tree}")
    assert tree is not None
    name = tree.decode().strip()
    (repository.folder / ".git/objects" / name[:2] / name[2:]).unlink()
    for setting in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", f"ext::sh -c touch% '{repository.ran}'"),
        ("remote.origin.promisor", "true"),
        ("protocol.ext.allow", "always"),
    ):
        repository.git("config", *setting)
    assert repository.status() is None
    assert not repository.ran.exists()
    subprocess.run(("git", "status"), cwd=repository.folder, env=repository.variables, check=False, capture_output=True)
    assert repository.ran.exists(), "git alone runs it"


def test_no_repository_and_no_git(tmp_path: Path) -> None:
    assert (
        uncommitted(tmp_path, {"PATH": os.environ["PATH"], "GIT_CEILING_DIRECTORIES": str(tmp_path)}, SECONDS) is None
    )
    assert ask_git(tmp_path, {"PATH": str(tmp_path)}, SECONDS, "version") is None
