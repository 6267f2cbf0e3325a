"""One event answered in two ways: by a daemon through its socket, and as ``anyhook exec`` answers it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from anyhook.bridge.answer_event import answer
from anyhook.bridge.exec_options import exit_status, read_options
from anyhook.bridge.prepare_event import Prepared, prepare
from anyhook.bridge.read_call import Caller
from anyhook.daemon_socket.protocol import GO_ON, SIZE, decode_answer
from anyhook.dialects.wire.answers import ProcessAnswer
from anyhook.engine.functions.function_host import FunctionHost
from anyhook.sources.disk import FileSnapshot, tracking_reads
from anyhook.sources.state import VARIABLE
from tests.approving import approve
from tests.later import RUN_LATER, later
from tests.serve.daemons import Ran, Stage, head_of, make_stage

OWN_STATE = "own"
"""The folder of this process's state, in that of the stage."""


class Question(NamedTuple):
    """What a client's entry gets: the words behind ``exec``, stdin, and where it runs."""

    words: tuple[str, ...]
    stdin: bytes
    cwd: Path
    environment: Mapping[str, str]


class OwnAnswer(NamedTuple):
    """What exec answers, and what it looked at to find the hooks."""

    ran: Ran
    looks: FileSnapshot
    """As long as this holds, a daemon takes the hooks from what it keeps."""


class BothWays(NamedTuple):
    """Asks the daemon of a stage, or does in this process what exec would do in one of its own."""

    stage: Stage

    def approve(self, project: Path) -> None:
        """Approve the hooks of a project for the daemon and for this process, each of which has its own state."""
        home = Path(self.stage.environment["HOME"])
        for state in (Path(self.stage.environment[VARIABLE]), self.stage.top / OWN_STATE):
            approve(project, home=home, state=state)

    def ask_exec(self, question: Question) -> OwnAnswer:
        """Answer like ``cli/exec_command.py``; background hooks have ended, too."""
        options = read_options(question.words)
        variables = question.environment
        caller = Caller(cwd=question.cwd, home=Path(variables["HOME"]), environment=variables)
        with tracking_reads(later) as looks:
            prepared = prepare(options, caller, question.stdin)
        sent = asyncio.run(_answer_and_finish(prepared))
        status = exit_status(options, sent) & 0xFF  # as much as a process can say
        return OwnAnswer(Ran(status, sent.stdout, sent.stderr), looks)

    def ask_daemon(self, question: Question) -> Ran | None:
        """What the daemon answers; None: it leaves the event to exec."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(60)
            connection.connect(str(self.stage.place.socket))
            connection.sendall(head_of(question.cwd, ("exec", *question.words), question.environment))
            if connection.recv(1) != GO_ON:
                return None
            connection.sendall(SIZE.pack(len(question.stdin)) + question.stdin)
            answer = decode_answer(b"".join(iter(lambda: connection.recv(65536), b"")))
        return None if answer is None else Ran(answer.status, answer.stdout, answer.stderr)


async def _answer_and_finish(prepared: Prepared) -> ProcessAnswer:
    functions = FunctionHost()
    background: set[asyncio.Task[Any]] = set()
    sent = await answer(prepared, functions, background.add)
    if background:
        await asyncio.wait(background)
    functions.close()
    return sent


@contextmanager
def both_ways() -> Iterator[BothWays]:
    """A stage with a daemon. What this process does has the same home, and a memory of its own.

    Of its own because it is counted there how often hooks have kept an agent going: each way counts for itself.
    """
    with make_stage() as stage, pytest.MonkeyPatch.context() as patch, stage.daemon(run=RUN_LATER):
        patch.setenv("HOME", stage.environment["HOME"])
        patch.setenv(VARIABLE, str(stage.top / OWN_STATE))
        yield BothWays(stage)
