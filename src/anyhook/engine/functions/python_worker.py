"""The process in which a function of a hook file runs when it does not run in the engine's process.

The event comes on stdin. The result goes to a stream that only this module has; what the function, its modules or their
children print goes to stderr.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Coroutine
from typing import Any

from anyhook.engine.functions.forked_child import close_in_children, ends_forked_children
from anyhook.engine.functions.private_output import take_over_output


def main() -> None:
    """``sys.argv``: the file and the name of the function."""
    file, name = sys.argv[-2:]
    answers = take_over_output(1, others=2)
    sys.stdout = sys.stderr
    data = sys.stdin.buffer.read()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    close_in_children(answers.close)
    with answers:
        with ends_forked_children():
            answer = _answer(file, name, data)
        answers.write(answer)


def _answer(file: str, name: str, data: bytes) -> bytes:
    from anyhook.engine.functions.function_calls import (
        FunctionResult,
        call_function,
        describe_failure,
        pack_result,
        trace_of,
        unpack_event,
    )
    from anyhook.engine.functions.hook_modules import HookModules

    try:
        function = HookModules().function(file, name)
        return call_function(function, unpack_event(data), _run_async)
    except BaseException as error:  # also SystemExit: a function that calls sys.exit has no result
        sys.stderr.write(trace_of(error, file))
        return pack_result(FunctionResult(failure=describe_failure(error, file)))


def _run_async(coroutine: Coroutine[Any, Any, object]) -> object:
    import asyncio

    return asyncio.run(_awaited(coroutine))


async def _awaited(coroutine: Coroutine[Any, Any, object]) -> object:
    with ends_forked_children():  # before it ends the loop, which it shares with its parent
        return await coroutine
