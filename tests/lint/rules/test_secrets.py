"""Keys and tokens in hook files and scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.projects import found, groups, guard, hook

SECRETS = [
    "sk-ant-" + "api03-Qm7Kd2" * 3,
    "ghp_" + "aB3dE5gH7jK9" * 3,
    "AKIA" + "QX7NTY4MLR2KDWBE",
    "https://hooks.slack.com/services/T" + "0AB1CD2E/B0AB1CD2E/" + "aZ3kQ9wLpT5vYrN8",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_in_a_file_that_others_get(secret: str, tmp_path: Path) -> None:
    (problem,) = found(tmp_path / "a", guard("claude-code", f"notify {secret}"), "C016")
    assert secret[:12] not in problem.text
    local = {".claude/settings.local.json": groups("Stop", hook(f"notify {secret}"))}
    assert not found(tmp_path / "b", local, "C016")
    script = {**guard("gemini-cli", "bash a.sh"), "a.sh": f"curl {secret}\n"}
    assert "a.sh" in found(tmp_path / "c", script, "C016")[0].text


@pytest.mark.parametrize(
    "text",
    ["sk-ant-" + "x" * 30, "ghp_your_token_goes_here_aaaaaaaaaaaa", "Bearer $TOKEN", "sk-learn-is-it"],
)
def test_what_stands_for_a_secret_is_none(text: str, tmp_path: Path) -> None:
    assert not found(tmp_path, guard("claude-code", f"notify '{text}'"), "C016")
