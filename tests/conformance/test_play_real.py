"""A vector as a situation for a real client, and what the client showed compared with it; no client runs here."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from ruamel.yaml import YAML

from anyhook.prove.installation import Installed, InstallError, Release
from anyhook.prove.namespace import NamespaceUnavailableError
from anyhook.prove.report import HookCall, RunReport, SeenMessage
from anyhook.prove.run import ClientRunner
from anyhook.prove.situation import Situation
from conformance import drift
from conformance.drift import RECORDED, Drift, save, table
from conformance.play_real import differences, play, playable
from conformance.referee import load
from tests.checkout import ROOT

VECTORS: Mapping[str, Mapping[str, Any]] = {vector["id"]: vector for vector in load()}


def report(
    *hooks: str, event: str, requests: tuple[str, ...] = (), made: Mapping[str, bool] | None = None
) -> RunReport:
    calls = tuple(
        HookCall(name=name, event=event, payload={}, cwd="", environment={}, started=0, seconds=0) for name in hooks
    )
    return RunReport(
        client="codex",
        version="0",
        exit_status=0,
        seconds=1,
        hooks_fired=calls,
        model_saw=tuple((SeenMessage("user", text),) for text in requests),
        files_made=made or {},
    )


def wrong(name: str, shown: RunReport) -> list[str]:
    chosen = playable(VECTORS[name])
    assert chosen is not None
    return differences(chosen, shown)


@pytest.mark.parametrize("client", RECORDED)
def test_most_vectors_of_a_recorded_client_can_be_played(client: str) -> None:
    counted = Counter(playable(vector) is not None for vector in load([client]))
    assert counted[True] > 0.6 * counted.total()


def test_a_blocked_tool() -> None:
    name = "codex/pre-deny-reason"
    reason = VECTORS[name]["expect"]["to_model"][0]
    chosen = playable(VECTORS[name])
    assert chosen is not None
    [mark] = chosen.made_before
    blocked = report("h", event="PreToolUse", requests=("go", reason), made={mark: False})
    assert wrong(name, blocked) == []
    ran = report("h", event="PreToolUse", requests=("go", "output"), made={mark: True})
    assert wrong(name, ran) == [
        "the tool runs; recorded: it is blocked",
        f"the model is not told {reason[:60]!r}",
    ]
    assert wrong(name, report(event="PreToolUse", requests=("go", reason)))[0] == "ran no hook; recorded: h"


def test_a_call_that_is_rewritten_to_one_that_makes_no_file() -> None:
    name = "codex/multi-pre-update-update"
    assert wrong(name, report("a", "b", event="PreToolUse", requests=("go", "B-UPD"), made={"ran-1": False})) == []
    assert wrong(name, report("a", "b", event="PreToolUse", requests=("go", "out1"), made={"ran-1": True}))


def test_a_permission_that_copilot_cli_asks_for() -> None:
    chosen = playable(VECTORS["copilot-cli/permreq-exit2"])
    assert chosen is not None
    assert (chosen.situation.approve, chosen.made_before) == (False, frozenset({"RAN"}))


def test_a_prompt_and_the_end_of_a_turn() -> None:
    prompts = [v for v in load(["codex"]) if v["event"] == "UserPromptSubmit" and v["expect"].get("effect") == "block"]
    [*ran] = prompts[0]["expect"]["ran"]
    assert wrong(prompts[0]["id"], report(*ran, event="UserPromptSubmit")) == []
    asked = report(*ran, event="UserPromptSubmit", requests=("do it",))
    assert "the prompt reaches the model; recorded: it is blocked" in wrong(prompts[0]["id"], asked)
    stops = [v for v in load(["codex"]) if v["event"] == "Stop" and v["expect"].get("effect") == "continue"]
    chosen = next(v for v in stops if playable(v))
    once = report(*chosen["expect"]["ran"], event="Stop", requests=("do it",))
    assert "the agent stops; recorded: it is kept going" in wrong(chosen["id"], once)


class OldRunner(ClientRunner):
    """A client that does not know the option."""

    def __init__(self) -> None:
        pass

    def play(self, installed: Installed, situation: Situation, *, keep_in: Path | None = None) -> RunReport:
        return structs.replace(report(event=""), stderr="error: unexpected argument '--approve-for-me' found\n")


def test_a_release_without_the_option_that_brings_an_event_about_is_not_compared() -> None:
    codex = Installed("codex", "0.142.0", Path("codex"))
    asked, called = playable(VECTORS["codex/permission-deny"]), playable(VECTORS["codex/pre-deny-reason"])
    assert asked is not None
    assert called is not None
    assert asked.situation.arguments == ("--approve-for-me",)
    assert play(OldRunner(), codex, asked) is None
    assert play(OldRunner(), codex, called)


def test_the_table_and_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drift, "HISTORY", tmp_path)
    found = [
        Drift(release=Release("codex", release), date="2026-11-16", played=("codex/a", "codex/b"), changed=changed)
        for release, changed in (("0.142.0", {"codex/b": ["ran no hook; recorded: h"]}), ("0.163.0", {}))
    ]
    text = table(found)
    assert "| codex | 0.142.0 | 0.166.0 | 2 | 1 |" in text
    assert "## codex@0.142.0" in text
    assert "| codex/b | ran no hook; recorded: h |" in text
    assert "## codex@0.163.0" not in text
    for each in found:
        save(each)
    kept = json.loads((tmp_path / "codex.json").read_text(encoding="utf-8"))
    assert list(kept) == ["0.163.0", "0.142.0"]
    assert kept["0.142.0"]["changed"] == {"codex/b": ["ran no hook; recorded: h"]}


def test_a_mistyped_release_is_one_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert drift.main(["codex@nonsense"]) == 2
    assert capsys.readouterr().err.startswith("drift: codex@nonsense: ")


@pytest.fixture
def releases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every client has a newer release, which no registry is asked for."""
    monkeypatch.setattr(drift, "read_release", lambda name: Release(name.partition("@")[0], "9.9.9"))


@pytest.mark.usefixtures("releases")
def test_a_client_that_cannot_be_installed_does_not_lose_the_table_of_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(release: Release, *_: object) -> Drift:
        if release.client == "codex":
            raise InstallError("npm does not answer")
        return Drift(release=release, date="2026-11-16", played=("a", "b"), changed={"a": ["ran no hook"]})

    monkeypatch.setattr(drift, "measure", measured)
    assert drift.main(["--table", str(tmp_path / "drift.md")]) == 2
    text = (tmp_path / "drift.md").read_text(encoding="utf-8")
    assert "| qwen-code | 9.9.9 | 0.24.4 | 2 | 1 |" in text
    assert "Could not be played:\n\n* codex: npm does not answer\n" in text


@pytest.mark.usefixtures("releases")
def test_a_machine_that_plays_nothing_is_not_taken_for_a_client_that_has_not_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = Drift(release=Release("codex", "9.9.9"), date="", played=(), changed={}, disagreeing={"a": ["no shell"]})
    monkeypatch.setattr(drift, "measure", lambda *_: nothing)
    assert drift.main(["codex", "--table", str(tmp_path / "drift.md")]) == 2
    text = (tmp_path / "drift.md").read_text(encoding="utf-8")
    assert "* codex: no vector could be played in it: no shell" in text


@pytest.mark.usefixtures("releases")
def test_a_machine_without_namespaces_is_one_message(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(*_: object) -> Drift:
        raise NamespaceUnavailableError("unshare is not on PATH")

    monkeypatch.setattr(drift, "measure", measured)
    assert drift.main(["codex"]) == 2
    assert capsys.readouterr().err == "drift: codex: unshare is not on PATH\n"


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not on PATH")
@pytest.mark.usefixtures("releases")
def test_the_command_of_the_weekly_workflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As make would run it, in all but the runs of clients."""
    text = (ROOT / ".github/workflows/drift.yml").read_text(encoding="utf-8")
    steps = YAML(typ="safe").load(text)["jobs"]["drift"]["steps"]
    [step] = [step for step in steps if step.get("id") == "play"]
    shown = subprocess.run(
        [*shlex.split(step["run"]), "--dry-run"],
        cwd=ROOT,
        env={**os.environ, "CLIENT": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    [line] = [line for line in shown.stdout.splitlines() if "drift.py" in line]
    _, script, *arguments = shlex.split(line)
    assert (ROOT / script).samefile(drift.__file__)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        drift, "measure", lambda release, *_: Drift(release=release, date="", played=("a",), changed={"a": ["no hook"]})
    )
    assert drift.main(arguments) == 1
    [issue] = [step for step in steps if step.get("run", "").startswith("gh ")]
    table_file = shlex.split(issue["run"])[-1]
    assert all(client in Path(table_file).read_text(encoding="utf-8") for client in RECORDED)
