"""Deploying to every client: what is written, that it is written once, and that nothing is left of it afterwards."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from anyhook.deploy.target_files import writable_clients
from anyhook.model.origin import Scope
from tests.bridge.bridging import make_package, run_anyhook

pytestmark = pytest.mark.long

PROJECT_CLIENTS = writable_clients(Scope.PROJECT)
USER_CLIENTS = writable_clients(Scope.USER)
HOOKS = {
    "pre-tool-use": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "${PACKAGE_ROOT}/hooks/guard.sh"}]}],
    "stop": [{"hooks": [{"type": "command", "command": "${PACKAGE_ROOT}/hooks/guard.sh"}]}],
}
FOREIGN = '{\n\t"permissions": {"deny": ["Read(.env)"]},  // mine\r\n\t"hooks": {}\n}'


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return make_package(tmp_path / "project", HOOKS)


def files(package: Path) -> Mapping[str, bytes | None]:
    """Everything in the project and the home folder."""
    (package.parent / "home").mkdir(exist_ok=True)
    return {
        path.relative_to(package.parent).as_posix(): path.read_bytes() if path.is_file() else None
        for folder in (package, package.parent / "home")
        for path in folder.rglob("*")
    }


def deploy(package: Path, *words: str) -> dict[str, Any]:
    done = run_anyhook(package, "deploy", *words, "--json")
    assert done.returncode in (0, 1), done.stderr
    (deployment,) = json.loads(done.stdout)["deployments"]
    assert isinstance(deployment, dict)
    return deployment


@pytest.mark.parametrize("way", ["--bridge", "--native"])
@pytest.mark.parametrize("client", PROJECT_CLIENTS)
def test_a_second_deployment_changes_nothing_and_undeploying_leaves_nothing(
    client: str, way: str, package: Path
) -> None:
    before = files(package)
    assert deploy(package, "--client", client, way)["refusal"] is None
    after = files(package)
    assert after != before
    assert [file["changed"] for file in deploy(package, "--client", client, way)["files"]] == [False]
    assert files(package) == after
    assert run_anyhook(package, "undeploy").returncode == 0
    assert files(package) == before


@pytest.mark.parametrize("client", USER_CLIENTS)
def test_the_same_for_the_user(client: str, package: Path) -> None:
    before = files(package)
    deploy(package, "--client", client, "--scope", "user")
    after = files(package)
    assert any(name.startswith("home/") for name in after.keys() - before.keys())
    assert not deploy(package, "--client", client, "--scope", "user")["files"][0]["changed"]
    assert run_anyhook(package, "undeploy").stdout == "Nothing is deployed here.\n"
    assert run_anyhook(package, "undeploy", "--scope", "user").returncode == 0
    assert files(package) == before


@pytest.mark.parametrize("client", PROJECT_CLIENTS)
def test_one_way_takes_the_place_of_the_other(client: str, package: Path) -> None:
    deploy(package, "--client", client, "--native")
    native = files(package)
    deploy(package, "--client", client)
    bridged = files(package)
    assert bridged != native
    found = json.loads(run_anyhook(package, "doctor", "--json").stdout)
    assert {(row["way"], row["current"]) for row in found["deployed"]} == {("bridge", True)}
    deploy(package, "--client", client, "--native")
    assert files(package) == native


def test_a_dry_run_and_a_check_write_nothing(package: Path) -> None:
    before = files(package)
    assert run_anyhook(package, "deploy", "--client", "codex", "--dry-run").returncode == 0
    assert run_anyhook(package, "deploy", "--client", "codex", "--check").returncode == 1
    assert files(package) == before
    deploy(package, "--client", "codex")
    assert run_anyhook(package, "deploy", "--client", "codex", "--check").returncode == 0
    (package / "hooks" / "hooks.json").write_text(json.dumps({"version": 1, "hooks": {"stop": HOOKS["stop"]}}))
    assert run_anyhook(package, "deploy", "--client", "codex", "--check").returncode == 1


def test_what_was_in_the_file_stays_byte_for_byte(package: Path) -> None:
    (package / ".gemini").mkdir()
    (package / ".gemini" / "settings.json").write_bytes(FOREIGN.encode())
    before = files(package)
    deploy(package, "--client", "gemini-cli")
    assert (
        b'\t"permissions": {"deny": ["Read(.env)"]},  // mine\r\n' in (package / ".gemini/settings.json").read_bytes()
    )
    assert run_anyhook(package, "undeploy").returncode == 0
    assert files(package) == before


def test_a_hook_that_is_gone_loses_its_entry(package: Path) -> None:
    assert deploy(package, "--client", "codex")["events"] == ["PreToolUse", "Stop"]
    (package / "hooks" / "hooks.json").write_text(json.dumps({"version": 1, "hooks": {"stop": HOOKS["stop"]}}))
    assert deploy(package, "--client", "codex")["events"] == ["Stop"]
    assert list(json.loads((package / ".codex/hooks.json").read_text())["hooks"]) == ["Stop"]


def test_the_fail_mode_can_be_changed(package: Path) -> None:
    deploy(package, "--client", "codex")
    deploy(package, "--client", "codex", "--fail", "closed")
    text = (package / ".codex/hooks.json").read_text()
    assert text.count("anyhook exec") == text.count("--fail closed") == 2


def test_detected_clients_are_those_with_a_file(package: Path) -> None:
    assert run_anyhook(package, "deploy", "--detected").returncode == 2
    (package / ".gemini").mkdir()
    (package / ".gemini" / "settings.json").write_text("{}")
    assert deploy(package, "--detected")["client"] == "gemini-cli"


def test_strict_writes_nothing_where_a_guard_is_lost(package: Path) -> None:
    before = files(package)
    done = run_anyhook(package, "deploy", "--client", "windsurf", "--strict")
    assert (done.returncode, "not written, because a guard would be lost" in done.stdout) == (1, True)
    assert files(package) == before


def test_hooks_of_a_client_are_not_deployed_to_itself(package: Path) -> None:
    deploy(package, "--client", "claude-code", "--native")
    done = run_anyhook(package, "deploy", "--source", "claude-code", "--client", "claude-code")
    assert (done.returncode, "runs these hooks already" in done.stdout) == (2, True)


def test_entries_of_ours_are_not_carried_on(package: Path) -> None:
    deploy(package, "--client", "claude-code")
    done = run_anyhook(package, "deploy", "--source", "claude-code", "--client", "codex")
    assert (done.returncode, "claude-code has no hooks here" in done.stderr) == (2, True)


def test_the_doctor_says_whether_all_of_it_would_run(package: Path, tmp_path: Path) -> None:
    deploy(package, "--client", "codex")
    programs = tmp_path / "bin"
    programs.mkdir()
    path = f"{programs}:/usr/bin:/bin"
    (programs / "anyhook").touch(0o755)
    assert "anyhook-client is not on the PATH" in run_anyhook(package, "doctor", PATH=path).stdout
    (programs / "anyhook-client").touch(0o755)
    assert "approval" in run_anyhook(package, "doctor", PATH=path).stdout
    assert run_anyhook(package, "trust", "--yes").returncode == 0
    assert json.loads(run_anyhook(package, "doctor", "--json", PATH=path).stdout)["counts"]["error"] == 0
    (package / "hooks" / "hooks.json").write_text(json.dumps({"version": 1, "hooks": {"stop": HOOKS["stop"]}}))
    assert "out of date" in run_anyhook(package, "doctor", PATH=path).stdout


# --------------------------------------------------------------------------------------- names of the universal spec

TODAYS_NAMES = {
    "cursor": {
        "session-start": "sessionStart",
        "session-end": "sessionEnd",
        "pre-tool-use": "preToolUse",
        "post-tool-use": "postToolUse",
        "pre-prompt": "beforeSubmitPrompt",
        "stop": "stop",
        "sub-agent-end": "subagentStop",
        "pre-compact": "preCompact",
    },
    "copilot-cli": {
        "session-start": "sessionStart",
        "session-end": "sessionEnd",
        "pre-tool-use": "preToolUse",
        "post-tool-use": "postToolUse",
        "pre-prompt": "userPromptSubmitted",
        "stop": "agentStop",
        "sub-agent-end": "subagentStop",
        "pre-compact": "preCompact",
    },
}


@pytest.mark.parametrize("way", ["--bridge", "--native"])
@pytest.mark.parametrize("client", TODAYS_NAMES)
def test_hooks_are_written_under_the_names_that_clients_have_today(client: str, way: str, tmp_path: Path) -> None:
    """The universal hooks spec has historical names for Cursor and Copilot; such a hook would never run."""
    names = TODAYS_NAMES[client]
    group = {"hooks": [{"type": "command", "command": "./x.sh"}]}
    package = make_package(tmp_path / "project", {event: [group] for event in names})
    assert set(deploy(package, "--client", client, way)["events"]) == set(names.values())


def test_a_client_that_reads_the_entries_of_another_is_pointed_out(package: Path) -> None:
    assert "twice" not in run_anyhook(package, "deploy", "--client", "copilot-cli").stdout
    deploy(package, "--client", "claude-code")
    done = run_anyhook(package, "deploy", "--client", "copilot-cli")
    assert "the entries there leave Copilot CLI to its own file" in done.stdout


def test_clients_that_read_each_other_s_files_are_pointed_out_at_once(package: Path) -> None:
    done = run_anyhook(package, "deploy", "--client", "copilot-cli,copilot-vscode", "--dry-run")
    assert "Copilot CLI also reads .github/hooks/anyhook-vscode.json" in done.stdout
    assert "VS Code also reads .github/hooks/anyhook.json" in done.stdout


@pytest.mark.parametrize(
    ("source", "file", "hooks", "client"),
    [
        (
            "claude-code",
            ".claude/settings.json",
            {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]},
            "cursor",
        ),
        (
            "copilot-vscode",
            ".github/hooks/guard.json",
            {"PreToolUse": [{"type": "command", "command": "x"}]},
            "copilot-cli",
        ),
    ],
)
def test_hooks_in_a_file_that_the_client_reads_itself_are_pointed_out(
    source: str, file: str, hooks: dict[str, Any], client: str, tmp_path: Path
) -> None:
    path = tmp_path / "project" / file
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"hooks": hooks}))
    done = run_anyhook(tmp_path / "project", "deploy", "--source", source, "--client", client, "--dry-run")
    assert f"also reads {file}: these hooks would run twice" in done.stdout
