"""Runs the hooks of one event for ``anyhook exec``, in a process that may outlive the answer.

A client waits until the process that it started has ended. But a hook may continue after the answer, and only the
process that started a hook can enforce its time limit and end its process group. So if a hook of the event may
continue, a forked child runs the hooks and writes the answer; its parent then ends with the answer's exit status, and
the child when the last hook has ended.

Windows has no fork. There the one process writes the answer, closes its output, and ends when its hooks have ended.
"""

from __future__ import annotations

import asyncio
import gc
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from anyhook.bridge.answer_event import answer, calls_functions, may_outlive_answer
from anyhook.bridge.exec_options import Options, exit_status
from anyhook.bridge.prepare_event import Prepared
from anyhook.dialects.wire.answers import ProcessAnswer
from anyhook.serve.watchdog import watched

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyhook.bridge.journal_exec import ExecJournal
    from anyhook.cli.exec_command import Outputs

DIED = 1
STUCK_SECONDS = 10.0
"""How long a function may hold the interpreter lock: long, because on a busy machine a guard must still answer."""

Tasks = set[asyncio.Task[Any]]


def answer_with_hooks(options: Options, prepared: Prepared, outputs: Outputs, journal: ExecJournal) -> int:
    """Run the hooks and write the answer; returns the exit status."""
    if not hasattr(os, "fork") or not may_outlive_answer(prepared):
        return asyncio.run(_answer_here(options, prepared, outputs, journal))
    status, status_of_child = os.pipe()
    parent_lives, lives = os.pipe()
    if os.fork() == 0:
        os.close(status)
        os.close(lives)
        _answer_as_child(options, prepared, outputs, status_of_child, parent_lives, journal)
    os.close(status_of_child)
    os.close(parent_lives)
    outputs.close()
    received = os.read(status, 1)  # nothing: the child has died
    return received[0] if received else DIED


async def _answer_here(options: Options, prepared: Prepared, outputs: Outputs, journal: ExecJournal) -> int:
    background: Tasks = set()
    async with watched(STUCK_SECONDS):
        given = await _answer(prepared, background, journal, outputs.close)
        if background:
            await _write(outputs, given)
            journal.record(prepared, given)
            await _finish(background)
    if not background:  # nothing else runs, so that no thread is needed
        outputs.write(given)
        journal.record(prepared, given)
    return exit_status(options, given)


def _answer_as_child(
    options: Options, prepared: Prepared, outputs: Outputs, status: int, parent_lives: int, journal: ExecJournal
) -> NoReturn:
    """Write the answer, give the parent the exit status, and stay until the last hook has ended.

    If the parent ends before its answer (the client killed it), the hooks that the answer waits for are ended. The
    child has a session of its own, so that it survives to do so when the client kills the parent's process group.
    """

    told = os.fdopen(status, "wb", buffering=0)

    def close_pipes() -> None:
        outputs.close()
        told.close()

    async def run() -> None:
        background: Tasks = set()
        loop = asyncio.get_running_loop()
        async with watched(STUCK_SECONDS):
            answering = asyncio.create_task(_answer(prepared, background, journal, close_pipes))
            loop.add_reader(parent_lives, answering.cancel)
            await asyncio.wait([answering])
            loop.remove_reader(parent_lives)
            if answering.cancelled():
                outputs.close()
            else:
                given = answering.result()
                await _write(outputs, given)
                with suppress(BrokenPipeError):
                    told.write(bytes((exit_status(options, given) & 0xFF,)))
            told.close()
            if not answering.cancelled():
                journal.record(prepared, given)
            await _finish(background)

    try:
        os.setsid()
        asyncio.run(run())
    finally:
        os._exit(0)


async def _answer(
    prepared: Prepared, background: Tasks, journal: ExecJournal, close_pipes: Callable[[], None]
) -> ProcessAnswer:
    """Run the hooks. The client waits for the end of the pipes, which a child that a function forks must not hold."""
    if not calls_functions(prepared):
        return await answer(prepared, None, background.add, journal.seen)
    from anyhook.engine.functions.forked_child import close_in_children  # few packages have functions
    from anyhook.engine.functions.function_host import FunctionHost

    close_in_children(close_pipes)
    return await answer(prepared, FunctionHost(), background.add, journal.seen)


async def _write(outputs: Outputs, given: ProcessAnswer) -> None:
    """Write the answer. In a thread, because a client may take long to read it, and hooks run meanwhile."""
    await asyncio.to_thread(outputs.write, given)


async def _finish(background: Tasks) -> None:
    if background:
        gc.enable()  # from here on it may run for long
        await asyncio.wait(background)
