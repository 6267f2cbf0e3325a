"""Hooks with their clients, figures and problems; one that never fired is marked only where the journal would know."""

from __future__ import annotations

import json
from pathlib import Path

from anyhook.record.store.database import JournalDatabase
from tests.bridge.bridging import make_package, run_anyhook
from tests.record.store.journals import hook, row
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
    assert [place["is_deployed"] for each in page["hooks"] for place in each["clients"]] == [False] * 3
    problems = [[found["code"] for found in each["problems"]] for each in page["hooks"]]
    assert problems == [[], ["M001", "C001"], ["C001", "C002"]]


def test_deployed_hooks_and_what_they_did(tmp_path: Path) -> None:
    package = make_package(tmp_path / "project", HOOKS, other="#!/bin/sh\n")
    assert run_anyhook(package, "deploy", "--to", "claude-code,codex", "--yes").returncode in (0, 1)
    file = str(package / "hooks" / "hooks.json")
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
        assert (other["activity"], other["never_fired"]) == (None, True)  # its matcher never matches
        assert [each["hook"] for each in page["others"]] == ["elsewhere.sh"]
        assert (page["counted"], page["is_counted_fully"]) == (2, True)


def test_a_client_runs_its_own_hooks_unseen(tmp_path: Path) -> None:
    settings = tmp_path / "project" / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}))
    with serving(tmp_path / "project") as asked:
        [found] = asked.get_job("/api/hooks")["hooks"]
    assert [(place["client"], place["passes_anyhook"]) for place in found["clients"]] == [("claude-code", False)]
    assert not found["never_fired"]
