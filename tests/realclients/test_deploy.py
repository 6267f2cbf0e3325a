"""Real clients, offline, with a scripted model: one universal package guards them all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from anyhook.dialects import all_profiles
from tests.realclients.playing import Report, Step, anyhook, approved, play, put_anyhook_on_path

RECORDED = [known.name for known in all_profiles() if known.basis == "recorded"]

PACKAGE = Path(__file__).parent / "package"
FINE: Step = {"shell": "touch fine.txt"}
DANGEROUS: Step = {"shell": "echo DANGER > bad.txt"}
REWRITTEN: Step = {"shell": "touch before.txt", "marker": "after.txt"}
WRITTEN: Step = {"write": {"path": "a.txt", "content": "name   =   stork\n"}}
SHOWN: Step = {"shell": "cat a.txt"}
BYE: Step = {"text": "bye"}
CANNOT_REWRITE = {"qwen-code"}
"""recordings/qwen-code/semantics.md: updatedInput on PreToolUse is ignored."""

pytestmark = [pytest.mark.usefixtures("clients"), pytest.mark.parametrize("client", RECORDED)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the package as its project, and anyhook where clients find it."""
    shutil.copytree(PACKAGE, tmp_path / "project")
    put_anyhook_on_path(tmp_path)
    return tmp_path


def content(folder: Path) -> Mapping[str, bytes | None]:
    """Everything below a folder; a folder itself counts, too."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def requests_that_saw(report: Report, text: str) -> int:
    return sum(any(text in message["text"] for message in request) for request in report["model_saw"])


def test_the_hooks_of_a_deployed_package_work(client: str, folder: Path) -> None:
    before = content(folder / "project")
    deployed = anyhook(folder, "deploy", "--client", client)
    assert deployed.returncode == 0, deployed.stderr

    script = [FINE, DANGEROUS, REWRITTEN, WRITTEN, SHOWN, BYE, {"shell": "touch done.txt"}, BYE]
    report = play(client, folder, script, env=approved(folder))
    fine, dangerous, rewritten, _, shown, *_ = report["tool_results"]
    assert report["exit_status"] == 0
    assert fine["ran"]
    assert not dangerous["ran"]
    assert "guard: no DANGER here" in dangerous["model_saw"]
    assert rewritten["ran"] is (client not in CANNOT_REWRITE)
    assert "name=stork" in shown["model_saw"]
    assert requests_that_saw(report, "The password of the day is heron.")
    assert requests_that_saw(report, "gate: done.txt is missing")
    assert (report["turns_left"], report["files_made"]["done.txt"]) == (0, True)

    assert anyhook(folder, "undeploy").returncode == 0
    assert content(folder / "project") == before


def test_a_gate_that_never_opens_does_not_keep_the_agent_for_ever(client: str, folder: Path) -> None:
    anyhook(folder, "deploy", "--client", client)
    report = play(client, folder, [BYE] * 30, env=approved(folder), timeout=120)
    assert report["exit_status"] == 0
    assert requests_that_saw(report, "gate: done.txt is missing")
    assert report["turns_left"] > 15


def test_what_was_deployed_for_the_user_runs_once_it_is_trusted(client: str, folder: Path) -> None:
    (folder / "home").mkdir()
    (folder / "project").rename(folder / "package")
    (folder / "project").mkdir()
    home = str(folder / "home")
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    package = str(folder / "package")
    deployed = anyhook(folder, "deploy", package, "--client", client, "--scope", "user", HOME=home, PATH=path)
    assert deployed.returncode == 0, deployed.stderr
    state = {"ANYHOOK_STATE_DIR": str(folder / "state")}

    untrusted = play(client, folder, [DANGEROUS, BYE], env=state)
    assert untrusted["tool_results"][0]["ran"]

    assert anyhook(folder, "trust", package, "--yes").returncode == 0
    trusted = play(client, folder, [DANGEROUS, BYE, {"text": "bye again"}] + [BYE] * 20, env=state, timeout=120)
    assert not trusted["tool_results"][0]["ran"]
    assert "guard: no DANGER here" in trusted["tool_results"][0]["model_saw"]


def test_the_first_event_starts_a_daemon_that_answers_later_ones(client: str, folder: Path) -> None:
    assert anyhook(folder, "deploy", "--client", client).returncode == 0
    state = {"ANYHOOK_STATE_DIR": str(folder / "state"), "ANYHOOK_DAEMON": "1"}
    script = [FINE, {"shell": "sleep 3"}, DANGEROUS, BYE, {"shell": "touch done.txt"}, BYE]
    try:
        report = play(client, folder, script, env=approved(folder) | state)
        fine, _, dangerous, *_ = report["tool_results"]
        assert fine["ran"]
        assert not dangerous["ran"]
        assert "guard: no DANGER here" in dangerous["model_saw"]
        noted = [json.loads(line) for line in (folder / "state/run/daemon.log").read_text().splitlines()]
        assert {line["client"] for line in noted if line["what"] == "answered"} == {client}
    finally:
        anyhook(folder, "daemon", "stop")


@pytest.mark.parametrize("fail", ["open", "closed"])
def test_without_anyhook_an_entry_answers_by_its_fail_mode(client: str, fail: str, folder: Path) -> None:
    anyhook(folder, "deploy", "--client", client, "--fail", fail)
    for program in (folder / "bin").iterdir():
        program.unlink()
    report = play(client, folder, [FINE, BYE])
    assert report["exit_status"] == 0
    assert report["tool_results"][0]["ran"] is (fail == "open")
    if fail == "closed":
        assert "anyhook did not answer" in report["tool_results"][0]["model_saw"]


def test_a_guard_that_is_carried_natively_blocks_unless_it_is_reported_lost(client: str, folder: Path) -> None:
    before = content(folder / "project")
    deployed = anyhook(folder, "deploy", "--client", client, "--native", "--json")
    (deployment,) = json.loads(deployed.stdout)["deployments"]
    lost = [loss for loss in deployment["losses"] if loss["severity"] == "error"]
    assert not [loss for loss in lost if any("guard.sh" in place["about"] for place in loss["places"])]

    report = play(client, folder, [FINE, DANGEROUS, BYE, {"shell": "touch done.txt"}, BYE])
    fine, dangerous, *_ = report["tool_results"]
    assert fine["ran"]
    assert not dangerous["ran"]

    anyhook(folder, "undeploy")
    assert content(folder / "project") == before
