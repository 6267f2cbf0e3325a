"""``anyhook exec``: what a deployed entry runs. A client waits for it, so it knows neither click nor rich.

Whatever goes wrong is answered by the entry's fail mode. Only wrong use has a status of its own: the entry, which
expects ``--answered``, then answers by itself.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping
    from typing import Any, BinaryIO, TypeVar

    from anyhook.bridge.answer_event import Prepared
    from anyhook.serve.protocol import DaemonAnswer
    from anyhook.sources.disk import FileSnapshot

    T = TypeVar("T")

DIED, WRONG_USE = 1, 2
STUCK_SECONDS = 10.0
"""How long a function may hold the interpreter; on a busy machine a guard must not be given up too early."""
USAGE = """\
Usage: anyhook exec --client CLIENT [--event EVENT] [--from DIALECT] [--package FOLDER] [--fail open|closed]

Answer a client's event with the hooks of a package. Entries that anyhook deploy writes run this; people have
anyhook fire.

The payload comes on stdin as the client sends it. The answer is what the client reads: stdout, stderr and the exit
status. Hooks of a project run only when somebody has trusted them: see anyhook trust.

Options:
  --client CLIENT     the client that asks
  --event EVENT       the event, as the client calls it; by default the payload names it
  --from DIALECT      the client that the hooks are written for; by default the package's own
  --package FOLDER    the folder of the hooks; by default the nearest one above that has any
  --fail open|closed  what happens when the hooks cannot be asked  [default: open]
  --answered NUMBER   add this to the exit status of every answer, to tell it from a failure
"""


def main(arguments: list[str]) -> int:
    """Answer one event; gives the exit status."""
    if arguments in (["--help"], ["-h"]):
        sys.stdout.write(USAGE)
        return 0
    data = b"" if sys.stdin is None else sys.stdin.buffer.read()
    if arguments[-2:-1] == ["--background"]:
        os.chdir(arguments[-1])
    status = _known_status(arguments, data)
    if status is None:
        status = _answered_status(arguments, data)
    if "--background" not in arguments:
        from anyhook.serve.autostart import start_for_next_time

        start_for_next_time(os.environ)
    return status


def _known_status(arguments: list[str], data: bytes) -> int | None:
    """The status of an event on which nothing happens, if that is known without looking at any hook."""
    from anyhook.bridge.no_match_cache import is_known_not_to_match

    options = dict(zip(arguments[::2], arguments[1::2], strict=False))
    if len(arguments) % 2 or not is_known_not_to_match(options, data):
        return None
    return int(options.get("--answered", "0"))


def _answered_status(arguments: list[str], data: bytes) -> int:
    from anyhook.bridge.answer_event import read_options
    from anyhook.model.problems import UsageError

    try:
        options = read_options(arguments)
    except UsageError as error:
        sys.stderr.write(f"anyhook exec: {error}\nTry: anyhook exec --help\n")
        return WRONG_USE
    stdout, stderr = _own_outputs()
    answer = _answer(options, data, (stdout, stderr))
    with stdout, stderr:
        stdout.write(answer.stdout)
        stdout.flush()
        stderr.write(answer.stderr)
    return answer.status


def _own_outputs() -> tuple[BinaryIO, BinaryIO]:
    """Stdout and stderr for the answer alone: what functions write there, which run in this process, is nobody's."""
    from anyhook.engine.functions.private_output import take_over_output

    nowhere = os.open(os.devnull, os.O_WRONLY)
    return take_over_output(1, others=nowhere), take_over_output(2, others=nowhere)


def _answer(options: Mapping[str, str], data: bytes, outputs: tuple[BinaryIO, BinaryIO]) -> DaemonAnswer:
    import asyncio
    from pathlib import Path

    from anyhook.bridge.answer_event import Caller, may_go_on, prepare, with_functions, work_left
    from anyhook.serve.protocol import DaemonAnswer
    from anyhook.sources.disk import tracking_reads

    caller = Caller(cwd=Path.cwd(), home=Path.home(), environment=dict(os.environ))
    with tracking_reads() as snapshot:
        prepared = with_functions(prepare(options, caller, data))
    if "--background" in options:
        asyncio.run(_watched(work_left(prepared)))
        return DaemonAnswer()
    if os.name != "posix" or not may_go_on(prepared):
        return asyncio.run(_ask(prepared, snapshot, options, data))
    from anyhook.serve.answer_in_child import answer_in_child

    return answer_in_child(lambda: _ask(prepared, snapshot, options, data), outputs) or DaemonAnswer(status=DIED)


async def _ask(prepared: Prepared, snapshot: FileSnapshot, options: Mapping[str, str], data: bytes) -> DaemonAnswer:
    from anyhook.bridge.answer_event import answer_prepared, exit_status
    from anyhook.bridge.no_match_cache import remember_no_match
    from anyhook.dialects.wire.answers import ProcessAnswer
    from anyhook.serve.protocol import DaemonAnswer

    sent = await _watched(answer_prepared(prepared, lambda: _start_background(options, data)))
    if sent == ProcessAnswer() and not prepared.refusal:
        remember_no_match(options, data, prepared.call, prepared.packages, snapshot)
    return DaemonAnswer(status=exit_status(options, sent), stdout=sent.stdout, stderr=sent.stderr)


async def _watched(work: Coroutine[Any, Any, T]) -> T:
    from anyhook.serve.watchdog import watched

    async with watched(STUCK_SECONDS):
        return await work


def _start_background(options: Mapping[str, str], data: bytes) -> None:
    """Run the background hooks in another process: the client waits for this one.

    ``-P`` and the root as its working directory: no module of the project in which the client runs may shadow ours.
    """
    import subprocess

    words = [word for option in options.items() for word in option]
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "anyhook", "exec", *words, "--background", os.getcwd()],  # noqa: PTH109
        cwd=os.sep,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=os.name != "nt",
    )
    assert process.stdin is not None
    process.stdin.write(data)
    process.stdin.close()
    process.returncode = 0  # nobody waits for it: it outlives this process
