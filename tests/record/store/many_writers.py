"""Started by test_many_writers.py: 64 processes add rows to one journal at the same time, and 100 of them are killed.

    many_writers.py FOLDER EVENTS KILLS

A process writes the id of a row to its pipe when the row is acknowledged. Prints all these ids.
"""

from __future__ import annotations

import os
import random
import select
import signal
import sqlite3
import sys
from contextlib import suppress
from pathlib import Path

from anyhook.record.store.database import JournalDatabase
from anyhook.record.store.spool import add_to_spool
from anyhook.record.store.writer import store_spool_here
from tests.record.store.journals import row

AT_ONCE = 64


def work(folder: Path, kind: int, acknowledge: int) -> None:
    """Add rows until killed: as ``anyhook exec`` does, as a writer does, or storing what others have spooled."""
    database = JournalDatabase(folder)
    while True:
        if kind % 8 == 0:
            rows = [row() for _ in range(20)]
            with suppress(sqlite3.OperationalError):  # locked: the writer would try again
                database.add(rows)
                os.write(acknowledge, "".join(f"{each.id}\n" for each in rows).encode())
        elif kind % 8 == 1:
            with suppress(sqlite3.OperationalError):
                store_spool_here(folder)
        made = row()
        add_to_spool(folder, made)
        os.write(acknowledge, f"{made.id}\n".encode())


def start(folder: Path, kind: int) -> tuple[int, int]:
    """A new process, and the pipe with what it acknowledges."""
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        try:
            os.close(read)
            work(folder, kind, write)
        finally:
            os._exit(1)
    os.close(write)
    return child, read


def main(folder: Path, events: int, kills: int) -> None:
    chance = random.Random(7)
    pipes: dict[int, int] = {}
    received: dict[int, bytes] = {}
    for kind in range(AT_ONCE):
        child, pipe = start(folder, kind)
        pipes[pipe] = child
    number = killed = 0
    done: list[bytes] = []
    while pipes:
        for pipe in select.select(list(pipes), [], [], 60)[0]:
            data = os.read(pipe, 65536)
            received[pipe] = received.get(pipe, b"") + data
            number += data.count(b"\n")
            if not data:
                os.close(pipe)
                os.waitpid(pipes.pop(pipe), 0)
                done.append(received.pop(pipe))
        if number >= events and killed >= kills:
            for child in pipes.values():
                os.kill(child, signal.SIGKILL)
        elif number >= (killed + 1) * events // (kills + 1) and killed < kills:
            os.kill(chance.choice(list(pipes.values())), signal.SIGKILL)
            killed += 1
            child, pipe = start(folder, killed)
            pipes[pipe] = child
    sys.stdout.write(b"".join(done).decode())


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
