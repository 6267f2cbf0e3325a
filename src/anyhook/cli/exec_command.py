"""``anyhook exec``: what a deployed entry runs. A client waits for it, so it imports neither click nor rich.

Every failure is answered by the entry's fail mode. Only wrong usage has an exit status of its own: the entry, which
expects ``--answered``, then answers without anyhook.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import BinaryIO

    from anyhook.bridge.read_call import Call
    from anyhook.dialects.wire.answers import ProcessAnswer

WRONG_USE = 2
CANNOT_ANSWER = 2
"""In most clients this refuses; a deployed entry answers by its fail mode."""
USAGE = """\
Usage: anyhook exec --client CLIENT [--event EVENT] [--from DIALECT] [--package FOLDER] [--fail MODE]

Answer a client's event with the hooks of a package. Entries that anyhook deploy writes run this; to try
hooks yourself, use anyhook fire.

The payload comes on stdin as the client sends it. The answer is what the client reads: stdout, stderr and the exit
status. Hooks of a project run only if the user has trusted them: see anyhook trust.

Options:
  --client CLIENT     the client that asks
  --event EVENT       the event, as the client calls it; by default the payload names it
  --from DIALECT      the client that the hooks are written for; by default the package's own
  --package FOLDER    the folder of the hooks; by default the nearest one above that has any
  --fail MODE         what happens when the hooks cannot be asked: open, guard or closed  [default: guard]
  --answered NUMBER   add this to the exit status of every answer, to tell it from a failure
"""


class Outputs:
    """Stdout and stderr of this process for the answer alone: what hooks print goes to the null device."""

    def __init__(self) -> None:
        """Raises OSError, and replaces neither stream, if there are not enough descriptors."""
        from anyhook.engine.functions.private_output import take_over_output

        taken: list[int] = []
        try:
            taken.append(os.open(os.devnull, os.O_WRONLY))
            taken += [os.dup(taken[0]) for _ in range(2)]
        except OSError:
            for descriptor in taken:
                os.close(descriptor)
            raise
        null, *free = taken
        for descriptor in free:
            os.close(descriptor)
        self._streams = (take_over_output(1, others=null), take_over_output(2, others=null))
        self._targets = tuple(map(_target, self._streams))

    def write(self, answer: ProcessAnswer) -> None:
        """Write the answer and close both streams. Raises OSError if a hook has closed or replaced one of them."""
        if tuple(map(_target, self._streams)) != self._targets:
            raise OSError("a hook has replaced the output of anyhook")
        for stream, data in zip(self._streams, (answer.stdout, answer.stderr), strict=True):
            with suppress(BrokenPipeError), stream:  # a client that does not read may still want the exit status
                _write_all(stream.fileno(), data)

    def close(self) -> None:
        for stream in self._streams:
            stream.close()


def _target(stream: BinaryIO) -> tuple[int, int]:
    facts = os.fstat(stream.fileno())
    return facts.st_dev, facts.st_ino


def _write_all(handle: int, data: bytes) -> None:
    """Write all of it, also to a pipe that does not block and takes only a part."""
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(handle, left) :]
        except BlockingIOError:
            import select

            select.select([], [handle], [])


def _read_all(handle: int) -> bytes:
    """Read to the end, also from a pipe that does not block."""
    pieces: list[bytes] = []
    while True:
        try:
            piece = os.read(handle, 1 << 20)
        except BlockingIOError:
            import select

            select.select([handle], [], [])
            continue
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)


def main(arguments: list[str]) -> int:
    """Answer one event; returns the exit status."""
    if arguments in (["--help"], ["-h"]):
        sys.stdout.write(USAGE)
        sys.stdout.flush()
        return 0
    from anyhook.cli.deferred_modules import defer_modules

    defer_modules()
    _import_msgspec()
    from anyhook.bridge.exec_options import read_options
    from anyhook.model.problems import UsageError

    data = b"" if sys.stdin is None else _read_all(sys.stdin.fileno())
    try:
        status = _answer(read_options(arguments), data)
    except UsageError as error:
        sys.stderr.write(f"anyhook exec: {error}\nTry: anyhook exec --help\n")
        return WRONG_USE
    except OSError as error:  # not even the answer can be written
        sys.stderr.write(f"anyhook exec: no hook was asked: {error.strerror or error}\n")
        return CANNOT_ANSWER
    from anyhook.serve.autostart import start_for_next_time

    start_for_next_time(os.environ)
    return status


def _import_msgspec() -> None:
    """Import msgspec without typing_extensions, which it tries first and which imports inspect, ast and dis."""
    if "typing_extensions" in sys.modules:
        return
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]  # so that importing it fails, and typing is used
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules["typing_extensions"]


def _answer(options: Mapping[str, str], data: bytes) -> int:
    from pathlib import Path

    from anyhook.bridge.exec_options import exit_status
    from anyhook.bridge.journal_exec import ExecJournal
    from anyhook.bridge.prepare_event import answer_without_hooks, prepare
    from anyhook.bridge.read_call import Caller, refuse
    from anyhook.bridge.trial import tell_trial
    from anyhook.model.problems import describe_bug
    from anyhook.sources import disk

    try:
        cwd = Path.cwd()
    except OSError:  # it was deleted; the payload names the folder of the session
        cwd = None
    caller = Caller(cwd=cwd, home=Path.home(), environment=dict(os.environ))
    journal = ExecJournal(data)
    prepared = prepare(options, caller, data)
    try:
        outputs = Outputs()
    except OSError as error:
        if not disk.is_lack(error):
            raise
        unasked = answer_without_hooks(prepared) or _unasked(prepared.call, error)
        for descriptor, written in ((1, unasked.stdout), (2, unasked.stderr)):
            _write_all(descriptor, written)
        return exit_status(options, unasked)
    if (answer := answer_without_hooks(prepared)) is None:
        try:
            from anyhook.cli.run_hooks import answer_with_hooks

            return answer_with_hooks(options, prepared, outputs, journal)
        except ImportError as error:
            answer = refuse(prepared.call, describe_bug(error))
        except OSError as error:
            if not disk.is_lack(error):
                raise
            answer = _unasked(prepared.call, error)
    tell_trial(prepared, journal.seen, answer)
    outputs.write(answer)
    journal.record(prepared, answer)
    return exit_status(options, answer)


def _unasked(call: Call, lack: OSError) -> ProcessAnswer:
    """The answer where hooks match, and this process has not what running them takes."""
    from anyhook.bridge.read_call import answer_with, unasked_reply

    return answer_with(call, [unasked_reply(call, f"the hooks cannot be run: {lack.strerror}; see: ulimit -n")])
