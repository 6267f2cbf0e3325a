"""The guard as a hook function: levels of families, and what it says."""

from __future__ import annotations

import pytest

from anyhook import PreToolUse
from anyhook.guards import shell_guard
from anyhook.model.output import Decision


def call(command: object) -> PreToolUse:
    return PreToolUse(session_id="s", tool_name="Bash", tool_input={"command": command})


def test_a_dangerous_command_is_denied_with_a_way_out() -> None:
    reply = shell_guard(call("rm -rf ~"))
    assert reply is not None
    assert reply.decision is Decision.DENY
    assert reply.reason == (
        "This command deletes everything in ~. Delete named build output inside the project, or ask the user to delete "
        "this. (shell guard: deletes)"
    )


@pytest.mark.parametrize(
    ("path", "said"), [(".", "this folder"), ("./", "this folder"), ("*", "this folder"), ("..", "the folder above")]
)
def test_a_folder_that_is_written_as_dots_has_a_name(path: str, said: str) -> None:
    reply = shell_guard(call(f"rm -rf {path}"))
    assert reply is not None
    assert str(reply.reason).startswith(f"This command deletes everything in {said}. ")


@pytest.mark.parametrize("command", ["ls", "", 7, None])
def test_anything_else_is_left_alone(command: object) -> None:
    assert shell_guard(call(command)) is None


def test_a_family_can_be_asked_about_warned_of_and_turned_off() -> None:
    push = call("git push --force origin main")
    asked = shell_guard(push, families={"git": "ask"})
    assert asked is not None
    assert asked.decision is Decision.ASK
    warned = shell_guard(push, families={"git": "warn"})
    assert warned is not None
    assert warned.decision is None
    assert "overwrites history" in str(warned.context)
    assert shell_guard(push, families={"git": "off"}) is None


def test_the_strictest_family_decides() -> None:
    reply = shell_guard(call("git push --force; rm -rf ~"), families={"git": "warn", "deletes": "ask"})
    assert reply is not None
    assert reply.decision is Decision.ASK


@pytest.mark.parametrize(
    ("families", "message"), [({"gti": "ask"}, "no family 'gti'"), ({"git": "maybe"}, "'maybe' is not a level")]
)
def test_a_wrong_option_is_an_error(families: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        shell_guard(call("ls"), families=families)
