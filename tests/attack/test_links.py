"""A repository cannot have files outside of it written, by links where anyhook writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anyhook.model.problems import AnyhookError
from anyhook.testing.scaffold.new_files import NewFile, write_new_files
from tests.bridge.bridging import make_package, run_anyhook


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return make_package(tmp_path / "project")


def test_deploy_writes_no_ledger_through_a_link(package: Path, elsewhere: Path) -> None:
    (package / ".anyhook").symlink_to(elsewhere)
    done = run_anyhook(package, "deploy", "--to", "claude-code", "--native")
    assert done.returncode == 2
    assert f"{package}/.anyhook: this is a symbolic link" in done.stdout + done.stderr
    assert not (package / ".claude").exists()
    assert not list(elsewhere.iterdir())


def test_undeploy_writes_no_ledger_through_a_link(package: Path, elsewhere: Path) -> None:
    assert run_anyhook(package, "deploy", "--to", "claude-code", "--native").returncode in (0, 1)
    ledger = elsewhere / "deployed.json"
    ledger.write_bytes((package / ".anyhook/deployed.json").read_bytes())
    (package / ".anyhook/deployed.json").unlink()
    (package / ".anyhook").rmdir()
    (package / ".anyhook").symlink_to(elsewhere)
    before = ledger.read_bytes()
    run_anyhook(package, "undeploy")
    assert ledger.read_bytes() == before


def test_a_link_in_place_of_the_ledger(package: Path, elsewhere: Path) -> None:
    (package / ".anyhook").mkdir()
    (package / ".anyhook/deployed.json").symlink_to(elsewhere / "new")
    assert run_anyhook(package, "deploy", "--to", "claude-code", "--native").returncode == 2
    assert not list(elsewhere.iterdir())


def test_cases_are_not_written_through_a_link(package: Path, elsewhere: Path) -> None:
    (package / ".anyhook").symlink_to(elsewhere)
    with pytest.raises(AnyhookError, match="this is a symbolic link"):
        write_new_files(package, [NewFile(".anyhook/tests/cases/a.yaml", "")])
    assert not list(elsewhere.iterdir())


@pytest.mark.parametrize("link", [".claude", ".claude/settings.json"])
def test_a_client_file_outside_the_project_is_not_changed(link: str, package: Path, elsewhere: Path) -> None:
    settings = elsewhere / "settings.json"
    settings.write_text(json.dumps({"model": "x"}))
    (package / link).parent.mkdir(parents=True, exist_ok=True)
    (package / link).symlink_to(settings if link.endswith("json") else elsewhere)
    for words in (("deploy", "--to", "claude-code"), ("deploy", "--to", "claude-code", "--dry-run")):
        done = run_anyhook(package, *words)
        assert done.returncode == 2
        assert f"leads to {settings}, outside the project" in done.stdout
    assert settings.read_text() == '{"model": "x"}'


def test_a_link_within_the_checkout_is_followed(package: Path) -> None:
    (package / ".git").mkdir()
    inner = make_package(package / "part")
    (package / "shared").mkdir()
    (inner / ".claude").symlink_to("../shared")
    variables = {"HOME": str(package.parent / "home"), "ANYHOOK_STATE_DIR": str(package.parent / "state")}
    done = run_anyhook(inner, "deploy", "--to", "claude-code", **variables)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    assert "anyhook" in (package / "shared/settings.json").read_text()
