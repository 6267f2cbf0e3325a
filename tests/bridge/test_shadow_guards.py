"""The level *shadow*: what a guard or a rule would have done is recorded, and nobody is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anyhook.record.recorded import HookRecord
from anyhook.record.store.query import RowFilter, hook_activity, open_journal, wanted_rows
from tests.bridge.bridging import run_anyhook, shell_call

FORCED = "git push --force origin main"
GUARD = '[guards.shell]\nlevel = "shadow"\n'
RULE = """[[rule]]
name = "no-push"
then = "{then}"
level = "shadow"
message = "No."
when = {{ command = "git push *" }}
"""


def project_with(settings: str, tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "anyhook.toml").write_text(settings)
    assert run_anyhook(folder, "trust", "--yes").returncode == 0
    return folder


def recorded(project: Path, monkeypatch: pytest.MonkeyPatch) -> list[HookRecord]:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(project.parent / "state"))
    with open_journal(project.parent / "state" / "journal") as journal:
        events = [found.event for found in wanted_rows(journal.rows_after(0), RowFilter())]
    hooks = [hook for event in events for hook in event.hooks]
    assert [one.would_block for one in hook_activity(events)] == [sum(hook.would == "block" for hook in hooks)]
    return hooks


@pytest.mark.parametrize("client", ["claude-code", "codex"])
@pytest.mark.parametrize(
    ("settings", "would"),
    [
        (GUARD, "block"),
        ('[guards.shell.families]\ngit = "shadow"\n', "block"),
        (RULE.format(then="block"), "block"),
        (RULE.format(then="ask"), "ask"),
        (RULE.format(then="allow"), "allow"),
        (RULE.format(then="context"), "context"),
        (RULE.format(then="run").replace("message", "run").replace('"No."', '"exit 2"'), "run"),
    ],
)
def test_it_is_recorded_and_nobody_is_told(
    settings: str, would: str, client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = project_with(settings, tmp_path)
    silent = run_anyhook(project, "exec", "--client", client, stdin=shell_call("true"))
    done = run_anyhook(project, "exec", "--client", client, stdin=shell_call(FORCED))
    assert (done.returncode, done.stdout, done.stderr) == (0, silent.stdout, silent.stderr)
    (hook,) = [hook for hook in recorded(project, monkeypatch) if hook.would]
    assert (hook.would, hook.status) == (would, "allowed")


def test_what_is_not_in_the_shadow_blocks(tmp_path: Path) -> None:
    project = project_with(GUARD + "[guards.shell.families]\ngit = 'block'\n", tmp_path)
    assert run_anyhook(project, "exec", "--client", "codex", stdin=shell_call(FORCED)).returncode == 2
    assert run_anyhook(project, "exec", "--client", "codex", stdin=shell_call("rm -rf ~")).returncode == 0


def test_every_view_says_that_it_does_not_block(tmp_path: Path) -> None:
    project = project_with(GUARD, tmp_path)
    assert run_anyhook(project, "deploy", "--client", "codex", "--yes").returncode == 0
    assert "shadow: does not block" in run_anyhook(project, "list").stdout
    assert "shadow: does not block" in run_anyhook(project, "doctor").stdout
    tried = run_anyhook(project, "try", FORCED, "--client", "codex", "--expect", "block")
    assert tried.returncode == 1, tried.stdout
    assert "shadow: does not block" in tried.stdout
    run_anyhook(project, "exec", "--client", "codex", stdin=shell_call(FORCED))
    (stats,) = json.loads(run_anyhook(project, "log", "--stats", "--json").stdout)["hooks"]
    assert (stats["blocked"], stats["would_block"]) == (0, 1)
    assert "would block" in run_anyhook(project, "log", "--stats").stdout
