"""After large outputs of hooks, a daemon is as small as before."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serve.daemons import PYTHON_CLIENT, Stage, make_stage, wait_until

pytestmark = pytest.mark.long

if sys.platform != "linux":
    pytest.skip("other systems do not tell the memory of a process in /proc", allow_module_level=True)

MEGABYTE = 1024 * 1024
HOOKS = 6
LOUD = "#!/bin/sh\ncat > /dev/null\nhead -c 30000000 /dev/zero | tr '\\0' x >&2\nexit 2\n"
"""Of what it prints, 10 MB are kept."""
LOUD_FUNCTION = (
    "from anyhook import hook\n\n@hook('PreToolUse')\ndef loud{number}(event):\n    print('x' * 30_000_000)\n"
)


@pytest.fixture
def stage() -> Iterator[Stage]:
    with make_stage() as made:
        yield made


@pytest.mark.parametrize("kind", ["command", "function"])
def test_what_hooks_printed_is_not_kept(kind: str, stage: Stage) -> None:
    for number in range(HOOKS):
        if kind == "command":
            stage.write(f"loud{number}.sh", LOUD)
        else:
            stage.write(f"loud{number}.py", LOUD_FUNCTION.format(number=number))
    loud = [stage.rule(f"loud{number}.sh") for number in range(HOOKS)] if kind == "command" else []
    stage.write_hooks({"pre-tool-use": loud} if loud else {})
    stage.trust()
    with stage.daemon() as daemon:
        before = used(daemon.pid)
        for _ in range(2):
            asked = stage.ask(PYTHON_CLIENT, stage.payload("x"))
            assert asked.status == 90
            assert not stage.fell_back()
            # A half of what is kept of the outputs; without the mend it is more, and stays.
            wait_until(lambda: used(daemon.pid) - before < HOOKS * 5 * MEGABYTE, 60)


def used(pid: int) -> int:
    """The bytes of memory that a process has."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))
