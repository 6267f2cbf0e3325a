"""What rules remember is the same through the daemon, through a process for each event, and after a restart."""

from __future__ import annotations

from collections.abc import Callable

from tests.serve.daemons import PYTHON_CLIENT, Ran, Stage

Ask = Callable[[bytes], Ran]

RULES = """\
rules:
  - when: {command: git commit *, previous: {command: make test, since: {on: UserPromptSubmit}, at_most: 0}}
    then: block
    message: Run make test first.
"""


def test_memory_through_exec_and_the_daemon(stage: Stage) -> None:
    stage.write_hooks({})
    stage.write("rules.yaml", RULES)
    stage.trust()

    def commit(by: Ask) -> bytes:
        asked = by(stage.payload("git commit -m x"))
        return asked.stdout + asked.stderr

    def tested(by: Ask) -> None:
        by(stage.payload("make test", hook_event_name="PostToolUse", tool_response="ok"))

    def daemon(stdin: bytes) -> Ran:
        ran = stage.ask(PYTHON_CLIENT, stdin)
        assert not stage.fell_back()
        return ran

    alone = stage.ask_without
    with stage.daemon():
        assert b"Run make test first." in commit(daemon)
        tested(daemon)
        assert b"Run make test first." not in commit(daemon)
    assert b"Run make test first." not in commit(alone)
    alone(stage.payload(hook_event_name="UserPromptSubmit", prompt="go on"))
    with stage.daemon():
        assert b"Run make test first." in commit(daemon)
    tested(alone)
    with stage.daemon():
        assert b"Run make test first." not in commit(daemon)
