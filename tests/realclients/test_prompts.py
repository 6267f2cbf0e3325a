"""Several prompts in one start of a real client: each gets its own turn, and its own hooks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.realclients.playing import play

HOOK_FILES = {"claude-code": ".claude/settings.json", "qwen-code": ".qwen/settings.json"}


@pytest.mark.usefixtures("clients")
@pytest.mark.parametrize("client", HOOK_FILES)
def test_a_refused_prompt_takes_no_turn(client: str, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    recorded = [{"hooks": [{"type": "command", "command": "@RECORD@ prompt"}]}]
    report = play(
        client,
        tmp_path,
        [{"text": "one"}, {"text": "three"}],
        prompts=["the first", "the second", "the third"],
        files={HOOK_FILES[client]: {"hooks": {"UserPromptSubmit": recorded}}},
        hooks={"prompt": [{}, {"exit": 2, "stderr": "not this one"}, {}]},
        timeout=300,
    )
    assert [call["payload"]["prompt"] for call in report["hooks_fired"]] == ["the first", "the second", "the third"]
    first, second = (" ".join(message["text"] for message in request) for request in report["model_saw"])
    assert "the first" in first
    assert "the third" in second
    assert (report["turns_left"], report["exit_status"]) == (0, 0)
