"""Hooks with their clients, figures and problems; one that never fired is marked only where the journal would know."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from anyhook.record.recorded import RecordedEvent
from anyhook.record.store.database import JournalDatabase
from anyhook.record.store.redact_rows import RowFacts
from tests.approving import approve
from tests.bridge.bridging import make_package, run_anyhook
from tests.record.store.journals import hook, row
from tests.trust.trust_projects import git
from tests.ui.serving import serving

HOOKS = {
    "pre-tool-use": [
        {"matcher": "Bash", "hooks": [{"type": "command", "command": '"${PACKAGE_ROOT}/hooks/guard.sh"'}]},
        {"matcher": "Bash(", "hooks": [{"type": "command", "command": "${PACKAGE_ROOT}/hooks/other.sh"}]},
    ],
    "stop": [{"hooks": [{"type": "command", "command": "${PACKAGE_ROOT}/hooks/missing.sh"}]}],
}


def test_hooks_that_are_not_deployed(tmp_path: Path) -> None:
    package = make_package(tmp_path / "project", HOOKS, other="#!/bin/sh\n")
    with serving(package) as asked:
        page = asked.get_job("/api/hooks")
    names = [Path(each["hook"].strip('"')).name for each in page["hooks"]]
    assert names == ["guard.sh", "other.sh", "missing.sh"]
    assert not any(each["never_fired"] for each in page["hooks"])  # no client asks for them
    assert [place["loaded"] for each in page["hooks"] for place in each["clients"]] == ["not deployed"] * 3
    problems = [[found["code"] for found in each["problems"]] for each in page["hooks"]]
    assert problems == [[], ["M001", "C001"], ["C002", "C001"]]


def test_deployed_hooks_and_what_they_did(tmp_path: Path) -> None:
    package = make_package(tmp_path / "project", HOOKS, other="#!/bin/sh\n")
    assert run_anyhook(package, "deploy", "--client", "claude-code,codex", "--yes").returncode in (0, 1)
    file = str(approve(package) / "hooks" / "hooks.json")
    with serving(package) as asked:
        [guard, *_] = asked.get_job("/api/hooks")["hooks"]
        assert guard["never_fired"]
        assert sorted(place["client"] for place in guard["clients"]) == ["claude-code", "codex"]
        assert all(place["passes_anyhook"] for place in guard["clients"])
        pointer = "/hooks/pre-tool-use/0/hooks/0"
        with JournalDatabase(asked.journal) as database:
            database.add([row(hooks=(hook("guard.sh", "blocked", file=file, pointer=pointer, ms=4.0),))])
            database.add([row(hooks=(hook("elsewhere.sh", file="/other/hooks.json"),))])
        page = asked.get_job("/api/hooks")
        [guard, other, *_] = page["hooks"]
        done = guard["activity"]
        assert (done["fired"], done["blocked"], done["p50_ms"], guard["never_fired"]) == (1, 1, 4.0, False)
        assert (other["activity"], other["never_fired"]) == (None, False)
        assert {place["loaded"] for place in other["clients"]} == {"never matches"}
        assert page["others"] == []
        assert (page["counted"], page["is_counted_fully"]) == (2, True)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_figures_stay_with_the_project_when_it_gets_its_first_commit_and_in_its_worktrees(tmp_path: Path) -> None:
    project, tree = make_package(tmp_path / "project", HOOKS, other="#!/bin/sh\n"), tmp_path / "tree"
    git(project, "init", "-q", "-b", "main")
    facts = RowFacts()

    def event(folder: Path) -> RecordedEvent:
        file, pointer = str(folder / "hooks" / "hooks.json"), "/hooks/pre-tool-use/0/hooks/0"
        ran = (hook("guard.sh", "blocked", file=file, pointer=pointer), hook("gone.sh", file=file))
        return facts.complete(row(project=str(folder), release="1", hooks=ran), with_subject=False)

    before = event(project)
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "first")
    git(project, "worktree", "add", "-q", "-b", "other", str(tree))
    facts = RowFacts()
    elsewhere = row(project="/src/other", hooks=(hook("elsewhere.sh", file="/src/other/hooks.json"),))
    for folder in (project, tree):
        with serving(folder, tmp_path / folder.name / "journal") as asked:
            with JournalDatabase(asked.journal) as database:
                database.add([before, event(project), event(tree), elsewhere])
            page = asked.get_job("/api/hooks")
            assert (page["hooks"][0]["activity"]["fired"], page["hooks"][0]["never_fired"]) == (3, False)
            assert [each["hook"] for each in page["others"]] == ["gone.sh"]  # not those of other projects
            [session] = asked.get("/api/sessions")["sessions"]
            assert session["events"] == 3


def test_a_client_runs_its_own_hooks_unseen(tmp_path: Path) -> None:
    settings = tmp_path / "project" / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}))
    with serving(tmp_path / "project") as asked:
        [found] = asked.get_job("/api/hooks")["hooks"]
    assert [(place["client"], place["passes_anyhook"]) for place in found["clients"]] == [("claude-code", False)]
    assert not found["never_fired"]
