"""Trust: who needs it, what takes it away, and that only the user can give it."""

from __future__ import annotations

import json
import marshal
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from anyhook.dialects import NAMES
from anyhook.model.origin import Origin, Scope
from anyhook.model.problems import AnyhookError
from anyhook.sources.state import read_private, state_folder, write_private
from anyhook.trust.changes import with_texts
from anyhook.trust.decide import TrustState, guarding_variables
from anyhook.trust.fingerprint import needs_trust
from anyhook.trust.records import revoke_trust, trust_project
from tests.trust.trust_projects import Project

GUARD = "#!/bin/sh\n. hooks/lib.sh\nexit 0\n"


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    """A package whose guard sources one file, links to another and imports a module."""
    project = Project(tmp_path / "shop", "./hooks/guard.sh && python hooks/judge.py && bash tools/gone.sh")
    project.write("hooks/guard.sh", GUARD, 0o755)
    project.write("hooks/lib.sh", "true\n")
    project.write("hooks/judge.py", "from rules.shell import verdict\nverdict()\n")
    project.write("rules/__init__.py", "")
    project.write("rules/shell.py", "def verdict(): pass\n")
    project.write("tools/a.sh", "true\n")
    project.write("tools/b.sh", "true\n")
    (project.folder / "hooks/current.sh").symlink_to("../tools/a.sh")
    project.trust()
    return project


def edit_script(shop: Project) -> None:
    shop.write("hooks/guard.sh", GUARD.replace("exit 0", "exit 2"))


def edit_sourced_script(shop: Project) -> None:
    shop.write("hooks/lib.sh", "rm -rf .\n")


def edit_definition(shop: Project) -> None:
    text = (shop.folder / "hooks/hooks.json").read_text()
    shop.write("hooks/hooks.json", text.replace('"Bash"', '"Write"'))


def edit_module(shop: Project) -> None:
    shop.write("rules/shell.py", "def verdict(): raise SystemExit(2)\n")


def swap_link(shop: Project) -> None:
    link = shop.folder / "hooks/current.sh"
    link.unlink()
    link.symlink_to("../tools/b.sh")


def add_missing_script(shop: Project) -> None:
    shop.write("tools/gone.sh", "true\n")


def change_mode(shop: Project) -> None:
    (shop.folder / "hooks/lib.sh").chmod(0o755)


def shadow_a_module(shop: Project) -> None:
    shop.write("hooks/rules.py", "")


def add_to_the_package(shop: Project) -> None:
    shop.write("hooks/extra.py", "")


def delete_script(shop: Project) -> None:
    (shop.folder / "hooks/lib.sh").unlink()


def replace_file_by_link(shop: Project) -> None:
    (shop.folder / "hooks/lib.sh").unlink()
    (shop.folder / "hooks/lib.sh").symlink_to("../tools/a.sh")


@pytest.mark.parametrize(
    ("attack", "told"),
    [
        (edit_script, "hooks/guard.sh changed"),
        (edit_sourced_script, "hooks/lib.sh changed"),
        (edit_definition, "hooks/hooks.json has other hooks"),
        (edit_module, "rules/shell.py changed"),
        (swap_link, "hooks/current.sh leads to ../tools/b.sh instead of ../tools/a.sh"),
        (add_missing_script, "tools/gone.sh is new"),
        (change_mode, "hooks/lib.sh has mode 755 instead of 644"),
        (shadow_a_module, "hooks/rules.py is new"),
        (add_to_the_package, "hooks/extra.py is new"),
        (delete_script, "hooks/lib.sh is gone"),
        (replace_file_by_link, "hooks/lib.sh was a file and is a link"),
    ],
)
def test_every_change_takes_the_trust_away(shop: Project, attack: Callable[[Project], None], told: str) -> None:
    attack(shop)
    trust = shop.check()
    assert trust.state is TrustState.CHANGED
    assert told in shop.changes()
    assert "changed since you trusted them" in trust.reason
    assert f"anyhook trust --diff {shop.folder}" in trust.reason


def test_what_is_untouched_stays_trusted(shop: Project) -> None:
    shop.write("README.md", "new")
    os.utime(shop.folder / "hooks/guard.sh", (1, 1))
    text = (shop.folder / "hooks/hooks.json").read_text()
    shop.write("hooks/hooks.json", json.dumps(json.loads(text), indent=4))  # only laid out in another way
    assert shop.check().state is TrustState.TRUSTED
    assert shop.check().reason == ""


def test_the_old_content_is_trusted_again(shop: Project) -> None:
    edit_script(shop)
    assert not shop.check().is_trusted
    shop.write("hooks/guard.sh", GUARD)
    assert shop.check().is_trusted


def test_another_clone_is_not_trusted(shop: Project, tmp_path: Path) -> None:
    shutil.copytree(shop.folder, tmp_path / "clone", symlinks=True)
    clone = Project.__new__(Project)
    clone.folder, clone.environment = tmp_path / "clone", {}
    assert clone.check().state is TrustState.UNKNOWN
    assert "are not trusted yet" in clone.check().reason


def test_the_project_may_be_reached_through_a_link(shop: Project, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(shop.folder)
    linked = Project.__new__(Project)
    linked.folder, linked.environment = tmp_path / "link", {}
    assert linked.check().is_trusted
    edit_module(shop)
    assert linked.check().state is TrustState.CHANGED


def test_trust_can_be_taken_back(shop: Project) -> None:
    assert revoke_trust(shop.roots)
    assert shop.check().state is TrustState.REVOKED
    assert not revoke_trust(shop.roots)
    shop.trust()
    assert shop.check().is_trusted


def test_a_relative_path_means_another_file_in_another_folder(tmp_path: Path) -> None:
    """A client that starts hooks in the session's folder would run the script that lies there."""
    shop = Project(tmp_path / "shop")
    shop.write("tools/guard.sh", GUARD)
    settings = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "tools/guard.sh"}]}]}}
    shop.write(".claude/settings.json", json.dumps(settings))
    shop.write("sub/tools/README.md", "")
    elsewhere = shop.folder / "sub"
    shop.trust()
    assert shop.check(["claude-code"], started_in=elsewhere).is_trusted
    shop.write("sub/tools/guard.sh", "rm -rf .\n")
    assert shop.check(["claude-code"], started_in=elsewhere).state is TrustState.CHANGED
    assert shop.check(["claude-code"]).is_trusted
    assert shop.check(["universal"], started_in=elsewhere).is_trusted  # always started in the project


@pytest.mark.skipif(os.name != "posix", reason="starts a script")
def test_compiled_modules_of_the_project_are_not_used(shop: Project) -> None:
    """Other code under the name of a trusted module."""
    script = f"import sys; sys.path.insert(0, {str(shop.folder)!r}); import rules.shell as s; print(s.verdict())"
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run([sys.executable, "-c", script], env=plain, check=True, capture_output=True)
    (compiled,) = (shop.folder / "rules/__pycache__").glob("shell.*.pyc")
    header = compiled.read_bytes()[:16]
    compiled.write_bytes(header + marshal.dumps(compile("def verdict(): return 'evil'", "x", "exec")))
    assert shop.check().is_trusted
    evil = subprocess.run([sys.executable, "-c", script], env=plain, check=True, capture_output=True, text=True)
    assert evil.stdout == "evil\n"
    guarded = {**plain, **guarding_variables()}
    ran = subprocess.run([sys.executable, "-c", script], env=guarded, check=True, capture_output=True, text=True)
    assert ran.stdout == "None\n"


def test_the_difference_is_shown_as_text(shop: Project) -> None:
    edit_script(shop)
    edit_definition(shop)
    trust = shop.check()
    shown = {item.change.path: item for item in with_texts(trust.changes, trust.fingerprint, shop.roots)}
    assert shown["hooks/guard.sh"].before == GUARD
    assert shown["hooks/guard.sh"].after == GUARD.replace("exit 0", "exit 2")
    definition = shown["hooks/hooks.json"]
    assert '"matcher": "Bash"' in (definition.before or "")
    assert '"matcher": "Write"' in (definition.after or "")


def test_what_was_shown_is_trusted_and_not_what_is_there_by_now(tmp_path: Path) -> None:
    project = Project(tmp_path / "shop")
    project.write("hooks/guard.sh", GUARD, 0o755)
    shown = project.check(NAMES).fingerprint
    project.write("hooks/guard.sh", "rm -rf .\n")
    trust_project(project.roots, shown)
    assert project.check().state is TrustState.CHANGED


# ------------------------------------------------------------------------------------------------------ who needs trust


@pytest.mark.parametrize(
    ("scope", "file", "expected"),
    [
        (Scope.MANAGED, "/etc/x/hooks.json", False),
        (Scope.USER, "/home/me/.x/hooks.json", False),
        (Scope.RUNTIME, "", False),
        (Scope.PLUGIN, "/home/me/.claude/plugins/p/hooks/hooks.json", False),
        (Scope.COMPONENT, "/home/me/.claude/skills/s/SKILL.md", False),
        (Scope.PROJECT, "/home/me/shop/.claude/settings.json", True),
        (Scope.LOCAL, "/home/me/shop/.claude/settings.local.json", True),
        (Scope.PLUGIN, "/home/me/shop/hooks/hooks.json", True),
        (Scope.COMPONENT, "/home/me/shop/.claude/skills/s/SKILL.md", True),
        (Scope.USER, "/home/me/shop/.config/hooks.json", True),  # CLAUDE_CONFIG_DIR=./.config
    ],
)
def test_who_needs_trust(scope: Scope, file: str, expected: bool) -> None:
    from anyhook.sources.discover import Roots

    roots = Roots(project=Path("/home/me/shop"), home=Path("/home/me"))
    assert needs_trust(Origin("x", scope, file), roots) is expected


def test_hooks_of_the_home_folder_are_the_users_even_where_it_is_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anyhook.trust.fingerprint.login_home", lambda: Path("/home/me"))
    from anyhook.sources.discover import Roots

    roots = Roots(project=Path("/home/me"), home=Path("/home/me"))
    assert not needs_trust(Origin("x", Scope.USER, "/home/me/.claude/settings.json"), roots)


def test_a_project_without_hooks_needs_nothing(tmp_path: Path) -> None:
    project = Project(tmp_path / "shop")
    (project.folder / "hooks/hooks.json").unlink()
    assert project.check(NAMES).is_trusted


# -------------------------------------------------------------------------------------------- a project trusting itself


def test_the_environment_says_yes_for_ci(tmp_path: Path) -> None:
    project = Project(tmp_path / "shop")
    project.environment = {"ANYHOOK_TRUST": "1"}
    assert project.check().is_trusted
    project.environment = {"ANYHOOK_TRUST": "0"}
    assert not project.check().is_trusted


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".claude/settings.json", '{"env": {"ANYHOOK_TRUST": "1"}}'),
        (".claude/settings.json", '{"env": {"\\u0041NYHOOK_TRUST": "1"}}'),
        (".gemini/.env", "ANYHOOK_TRUST=1\n"),
        (".env", "export ANYHOOK_TRUST=1\n"),
    ],
)
def test_a_project_cannot_set_the_variable_for_itself(tmp_path: Path, name: str, text: str) -> None:
    project = Project(tmp_path / "shop")
    project.write(name, text)
    project.environment = {"ANYHOOK_TRUST": "1"}
    trust = project.check()
    assert trust.state is TrustState.UNKNOWN
    assert f"because {name} of the project itself mentions it" in trust.reason


def test_a_project_cannot_bring_its_own_trust(shop: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(state_folder(), shop.folder / ".state")
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(shop.folder / ".state"))
    assert shop.check().state is TrustState.UNKNOWN
    with pytest.raises(AnyhookError, match="cannot hold the trust in itself"):
        trust_project(shop.roots, shop.check(NAMES).fingerprint)


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_a_record_that_others_can_write_is_not_believed(shop: Project) -> None:
    (record,) = state_folder().rglob("trust.json")
    record.chmod(0o666)
    assert shop.check().state is TrustState.UNKNOWN


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b'{"project": "/other", "fingerprint": {}}', b"[1"])
def test_a_damaged_record_counts_as_none(shop: Project, content: bytes) -> None:
    (record,) = state_folder().rglob("trust.json")
    record.write_bytes(content)
    assert shop.check().state is TrustState.UNKNOWN


# ------------------------------------------------------------------------------------------------------------ our files


@pytest.fixture
def _open_umask() -> Iterator[None]:
    former = os.umask(0)
    yield
    os.umask(former)


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
@pytest.mark.usefixtures("_open_umask")
def test_our_files_are_for_the_user_alone_whatever_the_umask(tmp_path: Path) -> None:
    project = Project(tmp_path / "shop")
    project.write("hooks/guard.sh", GUARD)
    project.trust()
    paths = [state_folder(), *state_folder().rglob("*")]
    modes = {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in paths}
    assert modes == {(True, 0o700), (False, 0o600)}


def test_a_file_of_ours_is_read_back(tmp_path: Path) -> None:
    write_private(state_folder() / "a" / "b", b"text")
    assert read_private(state_folder() / "a" / "b") == b"text"
    assert read_private(state_folder() / "a" / "c") is None
    assert read_private(state_folder() / "a") is None


def test_a_folder_that_cannot_be_written_is_an_error_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "file"))
    with pytest.raises(AnyhookError, match="cannot be written"):
        write_private(state_folder() / "a", b"")


# ------------------------------------------------------------------------------------------------------- nothing is run


def test_no_command_that_only_looks_runs_anything(tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", "./hooks/guard.sh; python hooks/judge.py; python -m hooks.rules")
    marker = project.folder / "ran"
    project.write("hooks/guard.sh", f"#!/bin/sh\ntouch {marker}\n", 0o755)
    code = f"open({str(marker)!r}, 'w').close()\n"
    for name in ("hooks/judge.py", "hooks/rules.py", "hooks/__init__.py", "conftest.py", "sitecustomize.py"):
        project.write(name, f"import rules\n{code}")
    project.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [{"hooks": [{"command": "./x"}]}]}}))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(tmp_path)}
    environment.pop("PYTHONSAFEPATH", None)
    for line in (
        "list",
        "explain PreToolUse",
        "check",
        "trust --show",
        "trust --yes",
        "trust --diff",
        "trust --revoke",
    ):
        command = [sys.executable, "-P", "-m", "anyhook", *line.split()]
        ran = subprocess.run(command, cwd=project.folder, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode in (0, 1), ran.stderr
        assert not marker.exists(), line


def test_a_check_without_changes_loads_no_parser(shop: Project) -> None:
    """What the client waits for must not pay for reading scripts that were read before."""
    code = (
        "import sys; from pathlib import Path\n"
        "from anyhook.sources.discover import Roots\n"
        "from anyhook.sources.inventory import hooks_for_project\n"
        "from anyhook.trust.decide import check_trust\n"
        "roots = Roots(project=Path(sys.argv[1]), home=Path(sys.argv[1], '..', 'nowhere'))\n"
        "assert check_trust(roots, [hooks_for_project('universal', roots)]).is_trusted\n"
        "print(*sys.modules)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, str(shop.folder)]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert not set(ran.stdout.split()) & {"anyhook.trust.references", "anyhook.sources.shell_text"}
