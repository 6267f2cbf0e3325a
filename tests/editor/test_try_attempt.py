"""``anyhook try``: which hook decides in each client, also behind the entries that deploy writes."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from anyhook.bridge.journal_event import Observed
from anyhook.bridge.prepare_event import prepare
from anyhook.bridge.read_call import Caller
from anyhook.bridge.trial import open_trial, tell_trial
from anyhook.dialects.wire.answers import ProcessAnswer
from tests.approving import approve
from tests.bridge.bridging import make_package, run_anyhook, shell_call

WITH_ANYHOOK = f"{Path(sys.executable).parent}{os.pathsep}/usr/bin:/bin"
CLIENTS = "claude-code,cursor"
HOOKS = {
    "pre-tool-use": [
        {"matcher": "Bash", "hooks": [{"type": "command", "command": "${PACKAGE_ROOT}/hooks/log.sh"}]},
        {"matcher": "Bash", "hooks": [{"type": "command", "command": "${PACKAGE_ROOT}/hooks/guard.sh"}]},
        {"matcher": "Write", "hooks": [{"type": "command", "command": "exit 3"}]},
    ]
}

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the hooks are shell scripts")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    made = make_package(tmp_path / "project", HOOKS, log="#!/bin/sh\ncat > /dev/null\n")
    assert run_anyhook(made, "deploy", "--client", CLIENTS).returncode == 0
    return made


def tried(package: Path, *words: str, path: str = WITH_ANYHOOK) -> dict[str, dict[str, Any]]:
    """What ``anyhook try --json`` says of each client."""
    done = run_anyhook(package, "try", *words, "--json", PATH=path)
    assert done.returncode == 0, done.stderr
    return {each["client"]: each for each in json.loads(done.stdout)["clients"]}


def outcomes(found: dict[str, dict[str, Any]]) -> set[str]:
    return {each["outcome"] for each in found.values()}


def names(hooks: list[dict[str, Any]]) -> list[str]:
    return [Path(each["hook"]).name for each in hooks]


def test_hooks_that_nobody_has_trusted_are_not_asked(package: Path) -> None:
    found = tried(package, "echo DANGER")
    assert outcomes(found) == {"not covered"}
    assert {tuple(names(each["not_asked"])) for each in found.values()} == {("log.sh", "guard.sh")}
    assert {each["reason"].partition(": ")[0] for each in found.values()} == {"not asked"}
    assert outcomes(tried(package, "echo DANGER", path="/usr/bin:/bin")) == {"not covered"}

    (package / "anyhook.toml").write_text("[guards.shell]\n")  # which needs no trust
    found = tried(package, "echo DANGER", "--client", "claude")
    assert {(each["outcome"], each["asked"][0]["hook"]) for each in found.values()} == {("allowed", "shell guard")}
    assert {each["reason"].partition(": ")[0] for each in found.values()} == {"not asked"}


def test_the_hook_behind_an_entry_is_named(package: Path) -> None:
    approve(package, home=package.parent / "home", state=package.parent / "state")
    found = tried(package, "echo DANGER")
    assert {(each["outcome"], Path(each["hook"]).name, each["reason"]) for each in found.values()} == {
        ("blocked", "guard.sh", "guard: no DANGER here")
    }
    assert {(Path(each["file"]).name, each["line"]) for each in found.values()} == {("hooks.json", 1)}
    assert [(each["event"], each["tool"]) for each in found.values()] == [
        ("PreToolUse", "Bash"),
        ("preToolUse", "Shell"),
    ]

    fine = tried(package, "ls")
    assert outcomes(fine) == {"allowed"}
    assert {tuple(names(each["asked"])) for each in fine.values()} == {("log.sh", "guard.sh")}
    failing = tried(package, "--write", "a.txt")
    assert outcomes(failing) == {"allowed"}
    assert all(each["reason"].startswith("exit 3 failed") for each in failing.values())
    assert outcomes(tried(package, "--read", "a.txt")) == {"not covered"}
    assert list((package.parent / "state/trials").iterdir()) == []

    (package / "hooks/guard.sh").write_text("#!/bin/sh\n")  # and is asked no more
    changed = tried(package, "ls")
    assert {(each["outcome"], each["hook"]) for each in changed.values()} == {("blocked", "anyhook")}
    assert {tuple(names(each["not_asked"])) for each in changed.values()} == {("guard.sh",)}
    assert run_anyhook(package, "try", "ls", "--expect", "allow", PATH=WITH_ANYHOOK).returncode == 1


def test_without_clients_it_says_what_to_do(tmp_path: Path) -> None:
    package = make_package(tmp_path / "package", HOOKS)
    done = run_anyhook(package, "try", "ls", "--expect", "allow")
    assert (done.returncode, done.stdout) == (
        1,
        "No client has these hooks yet. To let a client run them: anyhook deploy --client claude-code\n",
    )
    empty = tmp_path / "empty"
    empty.mkdir()
    done = run_anyhook(empty, "try", "ls")
    assert (done.returncode, done.stdout.partition(".")[0]) == (0, "No client has hooks here")


def test_only_a_file_of_a_trial_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project may set the variable, too."""
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))
    project = make_package(tmp_path / "project", HOOKS)
    options = {"--client": "claude-code", "--event": "PreToolUse"}
    content = json.dumps(shell_call("ls")).encode()

    def tell(name: str) -> None:
        environment = {"ANYHOOK_TRIAL": name}
        caller = Caller(cwd=project, home=tmp_path, environment=environment)
        tell_trial(prepare(options, caller, content), Observed(), ProcessAnswer())

    with open_trial(os.environ) as trial:
        name = trial.variables["ANYHOOK_TRIAL"]
        tell(name)
        (row,) = trial.take()
        assert (row.client, row.event, row.unasked) == ("claude-code", "PreToolUse", True)
        assert trial.take() == ()
        target = tmp_path / "target"
        target.touch()
        link = "a" * len(name)
        (tmp_path / "state/trials" / link).symlink_to(target)
        for other in ("", "../../target", str(target), "b" * len(name), link):
            tell(other)
        assert target.read_bytes() == b""
        assert trial.take() == ()
