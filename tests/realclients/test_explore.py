"""The explorer finds a wrong field of a profile in the real client, makes the situation small and writes a vector."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from anyhook.dialects import profile
from conformance.explore import explore
from conformance.explore.explore import Explorer, run
from conformance.explore.situations import Situation
from conformance.referee import fire_in_process, play
from tests.conformance.wrong_profile import flipped, planted

EVENT = "PreToolUse"
FILES = {".codex/hooks.json": {"hooks": {EVENT: [{"hooks": [{"type": "command", "command": "@HOOK@ a"}]}]}}}

pytestmark = pytest.mark.usefixtures("clients")


def deny(number: int, **more: Any) -> dict[str, Any]:
    decision = {"permissionDecision": "deny", "permissionDecisionReason": f"A{number}-REASON-WORD"}
    return {"stdout": {"hookSpecificOutput": {"hookEventName": EVENT, **decision}, **more}}


def situation(number: int, behaviour: Mapping[str, Any]) -> Situation:
    return Situation(client="codex", event=EVENT, files=FILES, hooks={"a": behaviour}, mark=f"s{number}")


def test_a_wrong_field_is_confirmed_alone_shrunk_grouped_and_written_as_a_vector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Codex drops a reply that has an unknown key; the planted profile says that it reads the rest."""
    batch = [
        situation(0, {}),
        situation(1, deny(1)),
        situation(2, {**deny(2, unknownKey=1), "stderr": "A2-NOISE-WORD"}),
        situation(3, {"exit": 2, "stderr": "A3-STDERR-WORD"}),
        situation(4, deny(4, unknownKey="x")),
    ]
    monkeypatch.setattr(explore, "OUTPUT", tmp_path)
    options = Namespace(client="codex", seed=7, minutes=10, count=len(batch), as_played=False)
    known = profile("codex")
    kept = tuple(one for one in known.overrides.decode if one.__name__ != "unknown_keys_void_the_reply")
    assert len(kept) == len(known.overrides.decode) - 1
    with planted(flipped(known, "overrides", "decode", kept)), Explorer("codex", [EVENT], jobs=2) as explorer:
        status = run(explorer, iter([batch]), options)

    printed = capsys.readouterr().out
    assert status == 1
    assert f'   2  {EVENT}: effect "block", the client: "proceed"' in printed
    assert "codex, seed 7: 3 of 5 agree (60.0 %)" in printed
    small, other = [json.loads(line) for line in (tmp_path / "codex-7.jsonl").read_text().splitlines()]
    assert small["hooks"] == {"a": deny(2, unknownKey=1)}, "nothing can be taken away but the noise"
    assert other["hooks"] == {"a": deny(4, unknownKey="x")}
    for vector in (small, other):
        assert vector["expect"]["effect"] == "proceed"
        assert play(vector, fire_in_process) == [], "the right profile agrees with what was written"
