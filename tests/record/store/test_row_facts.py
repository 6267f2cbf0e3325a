"""Rows carry the repository that their project is in: the same in worktrees and clones, also on other machines."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from anyhook.record.store.redact_rows import RowFacts
from anyhook.trust import repository
from tests.record.store.journals import row
from tests.trust.trust_projects import clone, git, make_repository

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
NAME = "github.com/acme/shop"


def place(project: Path) -> tuple[str, str]:
    found = RowFacts().complete(row(project=str(project), release="1"), with_subject=True)
    return found.repository, found.within


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop" / "api").mkdir(parents=True)
    (tmp_path / "shop" / "api" / "a.py").touch()
    return make_repository(tmp_path / "shop")


def test_the_origin_names_worktrees_and_clones(shop: Path, tmp_path: Path) -> None:
    git(shop, "worktree", "add", "-q", "-b", "other", str(tmp_path / "worktree"))
    clone(shop, tmp_path / "clone", origin="https://somebody:secret@GitHub.com/acme/shop")
    assert place(shop) == place(tmp_path / "worktree") == place(tmp_path / "clone") == (NAME, "")
    assert place(shop / "api") == (NAME, "api")


def test_without_an_origin_that_others_know_the_first_commit_does(shop: Path, tmp_path: Path) -> None:
    git(shop, "remote", "set-url", "origin", str(tmp_path / "elsewhere"))
    named, _ = place(shop)
    assert len(named) == 40
    git(shop, "remote", "remove", "origin")
    assert place(shop) == (named, "")
    assert place(tmp_path) == ("", "")


def test_the_first_commit_changes_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anyhook.record.store.redact_rows.FRESH_SECONDS", 0.0)
    git(tmp_path, "init", "-q")
    facts = RowFacts()
    before = facts.complete(row(project=str(tmp_path)), with_subject=True)
    assert before.repository == str(tmp_path / ".git")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "x")
    after = facts.complete(row(project=str(tmp_path)), with_subject=True)
    assert after.repository == git(tmp_path, "rev-parse", "HEAD").strip()


def test_git_is_started_once_for_a_repository(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(shop, "remote", "remove", "origin")
    asked: list[str] = []

    def counted(found: repository.Repository, environment: Mapping[str, str]) -> tuple[str, ...]:
        asked.append(str(found.top))
        return original(found, environment)

    original = repository.first_commits
    monkeypatch.setattr(repository, "first_commits", counted)
    monkeypatch.setattr("anyhook.record.store.redact_rows.FRESH_SECONDS", 0.0)
    facts = RowFacts()
    for folder in (shop, shop / "api", shop):
        assert facts.complete(row(project=str(folder)), with_subject=True).repository
    assert asked == [str(shop)]
