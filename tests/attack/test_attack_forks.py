"""Functions that fork: the child is a copy of anyhook that must neither answer nor hold up the answer."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest

from tests.serve.daemons import PYTHON_CLIENT, SOON, Stage, make_stage
from tests.warm.commands import COLD

pytestmark = pytest.mark.long

if os.name != "posix":
    pytest.skip("there is no fork", allow_module_level=True)

HEAD = "import multiprocessing, os, time\nfrom anyhook import deny, hook\n\n"
WAITS = (
    "def wait():\n    until = time.monotonic() + 600\n"
    "    while os.path.isdir({top!r}) and not os.path.exists({gate!r}) and time.monotonic() < until:\n"
    "        time.sleep(0.05)\n\n"
)
FORKS = {
    "returns": "os.fork()",
    "raises": "if os.fork() == 0: raise ValueError",
    "leaves": "if os.fork() == 0: raise SystemExit",
    "stays": "if os.fork() == 0: wait(); os._exit(0)",
    "twice": "os.fork() or os.fork()",
    "multiprocessing": "multiprocessing.get_context('fork').Process(target=wait).start()",
}


@pytest.fixture
def stage() -> Iterator[Stage]:
    with make_stage() as made:
        yield made
        made.gate.touch()


@pytest.mark.parametrize("kind", ["def", "async def"])
@pytest.mark.parametrize("fork", FORKS.values(), ids=FORKS)
def test_a_function_that_forks_is_answered_once_and_at_once(fork: str, kind: str, stage: Stage) -> None:
    """``wait`` ends when the answer is there: a child that holds the pipe of the answer would hang both."""
    head = HEAD + WAITS.format(gate=str(stage.gate), top=str(stage.top))
    stage.write_hooks({})
    stage.write(
        "forks.py", f"{head}@hook('PreToolUse')\n{kind} guard(event):\n    {fork}\n    return deny('not that')\n"
    )
    stage.trust()
    _ask(stage, COLD)
    with stage.daemon():
        _ask(stage, (*PYTHON_CLIENT, str(stage.top / "anyhook")))
        assert stage.status()["running"] == 0
        stage.gate.touch()


@pytest.mark.parametrize("fork", FORKS.values(), ids=FORKS)
def test_in_a_process_that_may_outlive_the_answer(fork: str, stage: Stage) -> None:
    head = HEAD + WAITS.format(gate=str(stage.gate), top=str(stage.top))
    stage.write_hooks({"pre-tool-use": [stage.rule("guard.sh", **{"async": True})]})
    stage.write("forks.py", f"{head}@hook('PreToolUse')\ndef guard(event):\n    {fork}\n    return deny('not that')\n")
    stage.trust()
    _ask(stage, COLD)


def _ask(stage: Stage, program: tuple[str, ...]) -> None:
    asked = subprocess.run(
        (*program, *stage.words()),
        input=stage.payload("ls"),
        cwd=stage.project,
        env=stage.environment,
        capture_output=True,
        timeout=SOON,
    )
    assert asked.returncode == 90, asked
    assert asked.stdout.count(b"not that") == 1, asked
