"""What the journal knows of deployed hooks: one answer for ``doctor`` and ``stats``."""

from __future__ import annotations

import time
from pathlib import Path

from anyhook.deploy.deployment import Deployed
from anyhook.doctor.activity import PATIENCE_SECONDS, activity_of, activity_problems, never_fired
from anyhook.model.hooks import Command, HookSet, Rule
from anyhook.model.origin import Origin, Scope
from tests.record.store.journals import hook, row


def package(*names: str) -> HookSet:
    rules = []
    for name in names:
        origin = Origin(file="/p/hooks/hooks.json", pointer=f"/hooks/{name}")
        action = Command(command=name, origin=origin)
        rules.append(Rule(event="PreToolUse", native_event="pre-tool-use", actions=(action,)))
    return HookSet(dialect="universal", rules=tuple(rules))


def test_clients_and_hooks_that_never_fired(tmp_path: Path) -> None:
    (tmp_path / "hooks.json").touch()
    deployed = [
        Deployed(client=name, scope=Scope.PROJECT, way="bridge", path=tmp_path / file, events=(), is_current=True)
        for name, file in (("claude-code", "hooks.json"), ("codex", "hooks.json"), ("gemini-cli", "gone.json"))
    ]
    rows = [row(hooks=(hook("a.sh"), hook("b.sh", "skipped"))), row(client="codex", via="record", hooks=())]
    rows.append(row(client="codex", simulation="fire", hooks=(hook("b.sh"),)))
    activity = activity_of(rows)
    problems = activity_problems((), deployed, activity, now=time.time() + 2 * PATIENCE_SECONDS)
    assert [problem.origin.dialect for problem in problems] == ["codex"], "neither was seen by a client"
    [silent] = never_fired(deployed, package("a.sh", "b.sh"), activity)
    assert silent.hook == "b.sh"
    assert silent.since.startswith("20")
    assert [*never_fired([], package("a.sh"), activity_of([]))] == []
