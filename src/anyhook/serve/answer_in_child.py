"""Answers in a child process that may go on when the answer is out: a hook can say that nobody needs to wait for it.

Whoever started us waits for our own process to end, and only the process that started a hook can look after it. So
where a hook may go on, another one than ours has to start it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, BinaryIO, NoReturn

from anyhook.serve.protocol import DaemonAnswer, decode_answer, encode_answer

Work = Callable[[], Coroutine[Any, Any, DaemonAnswer]]


def answer_in_child(work: Work, streams: Iterable[BinaryIO]) -> DaemonAnswer | None:
    """What a child answers; None: it has died. ``streams`` are for the answer, so the child must not keep them open."""
    answers, answering = os.pipe()
    watching, living = os.pipe()
    if os.fork() == 0:
        os.close(answers)
        os.close(living)
        for stream in streams:
            stream.close()
        _answer_and_go_on(work, answering, watching)
    os.close(answering)
    os.close(watching)
    with os.fdopen(answers, "rb") as pipe:
        return decode_answer(pipe.read())


def _answer_and_go_on(work: Work, answering: int, watching: int) -> NoReturn:
    """The child: it ends when its work is done, or before its answer when the parent is no more."""

    async def answer_and_go_on() -> None:
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_reader(watching, task.cancel)
        answer = await work()
        asyncio.get_running_loop().remove_reader(watching)
        with os.fdopen(answering, "wb") as pipe:
            pipe.write(encode_answer(answer))
        os.setsid()  # whoever ends the group of the parent has its answer
        if left := asyncio.all_tasks() - {task}:
            await asyncio.wait(left)

    try:
        asyncio.run(answer_and_go_on())
    finally:
        os._exit(0)
