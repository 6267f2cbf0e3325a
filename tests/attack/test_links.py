"""A repository cannot have files outside of it written, by links where anyhook writes."""

from __future__ import annotations

import json
import shutil
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
    done = run_anyhook(package, "deploy", "--client", "claude-code", "--native")
    assert done.returncode == 2
    assert f"{package}/.anyhook: this is a symbolic link" in done.stdout + done.stderr
    assert not (package / ".claude").exists()
    assert not list(elsewhere.iterdir())


def test_undeploy_writes_no_ledger_through_a_link(package: Path, elsewhere: Path) -> None:
    assert run_anyhook(package, "deploy", "--client", "claude-code", "--native").returncode in (0, 1)
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
    assert run_anyhook(package, "deploy", "--client", "claude-code", "--native").returncode == 2
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
    for words in (("deploy", "--client", "claude-code"), ("deploy", "--client", "claude-code", "--dry-run")):
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
    done = run_anyhook(inner, "deploy", "--client", "claude-code", **variables)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    assert "anyhook" in (package / "shared/settings.json").read_text()


# ----------------------------------------------------------------------------------------- every command that writes


def stash(elsewhere: Path) -> dict[str, bytes]:
    return {str(path.relative_to(elsewhere)): path.read_bytes() for path in elsewhere.rglob("*") if path.is_file()}


@pytest.mark.parametrize("link", ["hooks", "hooks/scripts", "hooks/tests"])
@pytest.mark.parametrize("is_dangling", [False, True])
def test_init_does_not_write_through_a_link(link: str, is_dangling: bool, tmp_path: Path, elsewhere: Path) -> None:
    project = tmp_path / "new"
    (project / link).parent.mkdir(parents=True)
    (project / link).symlink_to(elsewhere / "missing" if is_dangling else elsewhere)
    before = sorted(project.rglob("*"))
    done = run_anyhook(project, "init")
    assert done.returncode == 2
    assert f"{project / link}: this symbolic link leads to {elsewhere}" in done.stderr
    assert "replace the link by a folder or file of the project" in done.stderr
    assert not list(elsewhere.iterdir())
    assert sorted(project.rglob("*")) == before


def test_links_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "hooks").symlink_to("hooks")
    done = run_anyhook(tmp_path, "init")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hooks"]


def test_a_failed_init_leaves_no_folder(tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks/tests").write_text("a file")
    before = sorted(tmp_path.rglob("*"))
    assert run_anyhook(tmp_path, "init").returncode == 2
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.long
@pytest.mark.parametrize("link", [".claude", ".claude/settings.json"])
@pytest.mark.parametrize(
    "words",
    [
        ("init", "--client", "claude-code"),
        ("new", "hook", "--client", "claude-code", "--event", "PreToolUse", "--command", "exit 2", "--yes"),
        ("record", "on", "--client", "claude-code"),
        ("check", "--fix"),
        ("log", "--export", "-o", ".claude/settings.json"),
        ("test", "--junit", ".claude/settings.json"),
        ("prove", "--junit", ".claude/settings.json"),
    ],
)
def test_no_command_changes_a_file_outside(words: tuple[str, ...], link: str, package: Path, elsewhere: Path) -> None:
    settings = elsewhere / "settings.json"
    hooks = '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}]}'
    settings.write_text(f"{hooks},}}")  # with a comma that --fix removes
    (package / link).parent.mkdir(parents=True, exist_ok=True)
    (package / link).symlink_to(settings if link.endswith("json") else elsewhere)
    before = stash(elsewhere)
    state = str(package.parent / "state")
    done = run_anyhook(package, *words, ANYHOOK_STATE_DIR=state)
    assert "Traceback" not in done.stderr
    assert stash(elsewhere) == before, done.stdout + done.stderr
    assert (package / link).is_symlink()


@pytest.mark.parametrize("words", [("add", "secrets"), ("add", "shell", "--level", "off"), ("remove", "shell")])
def test_guards_outside_are_not_changed(words: tuple[str, ...], package: Path, elsewhere: Path) -> None:
    (elsewhere / "anyhook.toml").write_text("[guards.shell]\n")
    (package / "anyhook.toml").symlink_to(elsewhere / "anyhook.toml")
    done = run_anyhook(package, *words, ANYHOOK_STATE_DIR=str(package.parent / "state"))
    assert (done.returncode, "outside the project" in done.stderr) == (2, True), done.stderr
    assert stash(elsewhere) == {"anyhook.toml": b"[guards.shell]\n"}


def test_guards_behind_a_link_within_the_checkout_are_changed(package: Path) -> None:
    (package / "settings.toml").write_text("[guards.shell]\n")
    (package / "anyhook.toml").symlink_to("settings.toml")
    done = run_anyhook(package, "remove", "shell", ANYHOOK_STATE_DIR=str(package.parent / "state"))
    assert done.returncode == 0, done.stderr
    assert (package / "anyhook.toml").is_symlink()
    assert (package / "settings.toml").read_text() == ""


@pytest.mark.parametrize("link", ["dist", "dist/plugin", "dist/plugin/package", "dist/plugin/package/hooks"])
def test_a_plugin_is_not_written_through_a_link(link: str, package: Path, elsewhere: Path) -> None:
    words = ("plugin", "--client", "claude-code", "-o", "dist/plugin")
    if link.startswith("dist/plugin/"):
        made = run_anyhook(package, *words)
        assert made.returncode in (0, 1), made.stderr
        shutil.rmtree(package / link)
    (package / link).parent.mkdir(parents=True, exist_ok=True)
    (package / link).symlink_to(elsewhere)
    done = run_anyhook(package, *words, "--force")
    assert done.returncode == 2, done.stdout
    assert not list(elsewhere.iterdir())


def test_an_output_that_is_named_outside_is_written(package: Path, elsewhere: Path) -> None:
    """The user may name any place; only a link of the project may not."""
    (package / "linked").symlink_to(elsewhere)
    for output in (f"{elsewhere}/a", "../elsewhere/b"):
        assert run_anyhook(package, "plugin", "--client", "claude-code", "-o", output).returncode in (0, 1)
    assert {path.name for path in elsewhere.iterdir()} == {"a", "b"}
