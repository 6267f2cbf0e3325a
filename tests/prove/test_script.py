"""The model's script: its JSON, and the files that prove a step."""

from __future__ import annotations

import pytest

from anyhook.prove.script import (
    EditStep,
    FailStep,
    ReadStep,
    ScriptError,
    ShellStep,
    TextStep,
    ToolStep,
    WriteStep,
    files_made_by,
    read_script,
)


def test_every_kind_of_step_is_read() -> None:
    script = read_script(
        [
            {"shell": "touch RAN"},
            [{"write": {"path": "a", "content": "x"}}, {"edit": {"path": "a", "old": "x", "new": "y"}}],
            {"read": "a"},
            {"raw": {"name": "Glob", "input": {"pattern": "*"}}, "marker": "a"},
            {"raw": {"name": "spawn_agent", "input": {}, "namespace": "multi_agent_v1"}},
            {"text": "done"},
            {"fail": {"status": 529, "message": "overloaded"}},
        ]
    )
    assert script == (
        (ShellStep("touch RAN"),),
        (WriteStep("a", "x"), EditStep("a", "x", "y")),
        (ReadStep("a"),),
        (ToolStep("Glob", {"pattern": "*"}, marker=("a",)),),
        (ToolStep("spawn_agent", {}, "multi_agent_v1"),),
        (TextStep("done"),),
        (FailStep(529, "overloaded"),),
    )


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("text", "a list of turns"),
        ([{"shel": "ls"}], "exactly one of shell"),
        ([{"shell": "ls", "text": "and"}], "exactly one of shell"),
        ([{"write": {"path": "a"}}], "content"),
    ],
)
def test_a_wrong_script_is_refused_with_the_reason(script: object, complaint: str) -> None:
    with pytest.raises(ScriptError, match=complaint):
        read_script(script)


def test_files_of_a_command() -> None:
    assert files_made_by("echo hi > a.txt; touch b/c 2>/dev/null >> d") == ("a.txt", "b/c", "d")
    assert files_made_by("ls 2>&1 >/dev/null") == ()
