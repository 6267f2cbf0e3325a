"""Plugins made of a package: what is in them, that they work without the package, and only when they are trusted."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from anyhook.dialects import NAMES, dialect
from anyhook.dialects.events import native_name
from anyhook.model.problems import UsageError
from tests.bridge.bridging import GUARD, make_package, run_anyhook, shell_call
from tests.realclients.playing import put_anyhook_on_path

CLIENTS = [name for name in NAMES if dialect(name).plugin_form]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir(mode=0o700)
    return make_package(tmp_path / "Shop Guards")


def make(package: Path, client: str, *words: str, folder: str = "made here") -> dict[str, Any]:
    done = run_anyhook(package, "plugin", "--client", client, "-o", str(package.parent / folder), "--json", *words)
    assert done.returncode in (0, 1), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def refusal(package: Path, *words: str) -> str:
    done = run_anyhook(package, "plugin", *words)
    assert done.returncode == 2, done.stdout
    return done.stderr


def plugin_file(package: Path, name: str) -> Path:
    return package.parent / "made here" / name


def run_entry(package: Path, client: str, command: str) -> str:
    """What the plugin's entry for shell calls answers, in another project and as its client starts it."""
    form = dialect(client).plugin_form
    assert form is not None
    written = json.loads(plugin_file(package, form.hook_file).read_text())["hooks"]
    event = native_name("PreToolUse", client)
    assert event is not None
    [group] = written[event]
    (package.parent / "elsewhere").mkdir(exist_ok=True)
    done = subprocess.run(
        ["sh", "-c", group["hooks"][0]["command"]],
        cwd=package.parent / "elsewhere",
        env={
            "PATH": f"{package.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(package.parent / "home"),
            "ANYHOOK_STATE_DIR": str(package.parent / "state"),
            "ANYHOOK_DAEMON": "0",
            form.root: str(package.parent / "made here"),
        },
        input=json.dumps(shell_call(command, hook_event_name=event)),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.skipif(os.name != "posix", reason="the entries are for a shell")
@pytest.mark.parametrize("client", CLIENTS)
def test_a_plugin_works_without_its_package_but_not_without_trust(client: str, package: Path) -> None:
    put_anyhook_on_path(package.parent)
    make(package, client)
    shutil.rmtree(package)
    copy = plugin_file(package, "package")

    untrusted = run_entry(package, client, "echo DANGER")
    assert f"anyhook trust {copy}" in untrusted
    assert "no DANGER here" not in untrusted

    assert run_anyhook(copy, "trust", "--yes", ANYHOOK_STATE_DIR=str(package.parent / "state")).returncode == 0
    assert "guard: no DANGER here" in run_entry(package, client, "echo DANGER")
    assert run_entry(package, client, "echo fine") == ""

    (copy / "hooks" / "guard.sh").write_text("#!/bin/sh\n")
    assert "changed since it was trusted" in run_entry(package, client, "echo DANGER")


@pytest.mark.parametrize("client", CLIENTS)
def test_the_manifests_say_what_the_options_say(client: str, package: Path) -> None:
    words = ("--version", "2.1.0", "--description", "Guards {name} for {folder}", "--author", "Ada")
    report = make(package, client, *words)
    form = dialect(client).plugin_form
    assert form is not None
    texts = [plugin_file(package, name).read_text() for name in form.manifests]
    assert report["name"] == "shop-guards"
    assert all('"shop-guards"' in text and '"Guards {name} for {folder}"' in text for text in texts)
    assert '"2.1.0"' in texts[0]
    assert "{" not in "".join(report["steps"])
    assert report["steps"][-1].startswith("anyhook trust ")


def test_the_files_that_hooks_use_come_with_them(package: Path) -> None:
    (package / "lib").mkdir()
    for name in ("data", "hooks", "hooks/__pycache__"):
        (package / name).mkdir(exist_ok=True)
        (package / name / "words.txt").write_text("DANGER\n")
    (package / "hooks" / "guard.sh").write_text('#!/bin/sh\n. "$PACKAGE_ROOT/lib/more.sh"\ngrep -f data/words.txt\n')
    (package / "lib" / "real.sh").write_text("true\n")
    (package / "lib" / "more.sh").symlink_to("real.sh")
    (package / "unused.txt").write_text("large\n")
    (package / "policy").mkdir()
    (package / "policy" / "rules.py").write_text("WORDS = []\n")
    (package / "anyhook.toml").write_text('uses = ["policy/**", "lib/**"]\n[guards.shell]\n')
    outside = package.parent / "outside.sh"
    outside.write_text(GUARD)
    (package / "hooks" / "linked.sh").symlink_to(outside)

    report = make(package, "claude-code", "--include", "data")
    names = {name.removeprefix("package/") for name in report["files"] if name.startswith("package/")}
    assert names == {
        "anyhook.toml",
        "data/words.txt",
        "hooks/guard.sh",
        "hooks/hooks.json",
        "hooks/words.txt",
        "lib/more.sh",
        "lib/real.sh",
        "policy/rules.py",
    }
    assert "hooks/linked.sh" in report["left_out"]
    assert plugin_file(package, "package/hooks/guard.sh").stat().st_mode & 0o777 == 0o755
    assert not plugin_file(package, "package/lib/more.sh").is_symlink()


def test_hooks_of_the_client_itself_can_be_made_a_plugin(package: Path) -> None:
    put_anyhook_on_path(package.parent)
    shutil.rmtree(package / "hooks")
    (package / ".claude").mkdir()
    (package / ".claude" / "guard.sh").write_text(GUARD)
    (package / ".claude" / "guard.sh").chmod(0o755)
    hook = {"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/.claude/guard.sh'}
    settings = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}
    (package / ".claude" / "settings.json").write_text(json.dumps(settings))
    report = make(package, "claude-code", "--source", "claude-code")
    assert "package/.claude/guard.sh" in report["files"]
    copy = plugin_file(package, "package")
    assert run_anyhook(copy, "trust", "--yes", ANYHOOK_STATE_DIR=str(package.parent / "state")).returncode == 0
    assert "guard: no DANGER here" in run_entry(package, "claude-code", "echo DANGER")


def test_only_a_plugin_of_anyhook_is_replaced(package: Path) -> None:
    (package / "hooks" / "old.sh").write_text("true\n")
    make(package, "claude-code")
    where = str(package.parent / "made here")
    assert "--force replaces it" in refusal(package, "--client", "claude-code", "-o", where)

    (package / "hooks" / "old.sh").unlink()
    plugin_file(package, "LICENSE").write_text("mine\n")
    make(package, "claude-code", "--force")
    assert plugin_file(package, "LICENSE").read_text() == "mine\n"
    assert not plugin_file(package, "package/hooks/old.sh").exists()

    before = sorted(package.rglob("*"))
    assert "has other content" in refusal(package, "--client", "claude-code", "-o", ".", "--force")
    hooks = plugin_file(package, "hooks/hooks.json")
    hooks.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./mine.sh"}]}]}}')
    assert "has other content" in refusal(package, "--client", "claude-code", "-o", where, "--force")
    assert sorted(package.rglob("*")) == before


def test_what_cannot_be_made_is_refused(package: Path) -> None:
    where = str(package.parent / "made here")
    assert "not for Codex" in refusal(package, "--client", "codex", "-o", where)
    included = ("--include", "../made here")
    assert "no such file or folder" in refusal(package, "--client", "claude-code", "-o", where, *included)
    assert "lower-case letters" in refusal(package, "--client", "claude-code", "-o", where, "--name", "My Hooks")
    assert not Path(where).exists()


def test_strict_writes_nothing_if_a_guard_is_lost(package: Path) -> None:
    claude = {"hooks": {"PermissionRequest": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}
    (package / ".claude").mkdir()
    (package / ".claude" / "settings.json").write_text(json.dumps(claude))
    report = make(package, "gemini-cli", "--source", "claude-code", "--strict")
    assert (report["written"], bool(report["losses"])) == (None, True)
    assert not plugin_file(package, "").exists()


def test_the_entries_are_anyhooks_own_calls_and_need_no_trust_themselves(package: Path) -> None:
    make(package, "claude-code", folder="Shop Guards/build")
    shown = json.loads(run_anyhook(package, "trust", "--list", "--json").stdout)
    assert "build/hooks/hooks.json" not in json.dumps(shown)


def test_a_name_is_made_of_the_folders() -> None:
    from anyhook.deploy.plugin import name_for

    assert [name_for(Path(name)) for name in ("/a/My Shop_2", "/a/---", "/")] == ["my-shop-2", "hooks", "hooks"]


def test_a_client_without_plugins_is_named() -> None:
    from anyhook.deploy.plugin import plugin_form

    with pytest.raises(UsageError, match="claude-code or gemini-cli"):
        plugin_form("windsurf")
