"""The database of the journal: SQLite in WAL mode, in a folder that only its user can enter.

Many processes may add rows at the same time. A row is stored once however often it is added: its id tells.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from anyhook.model.lazyjson import dump_json
from anyhook.model.problems import AnyhookError
from anyhook.record.append import iso_time, now
from anyhook.record.recorded import RecordedEvent, note_row
from anyhook.record.store.chain import FIRST, StoredRow, anchor_text, chain_hash
from anyhook.sources import disk, state

DATABASE = "journal.db"
POSTGRES_SENT, COLLECTOR_SENT = "sent_postgres", "sent_otlp"
"""Facts: the number of the last row that PostgreSQL, or the collector, has."""
COLLECTOR_COUNTS = "counts_otlp"
"""Fact: what was counted in the rows that the collector has."""
BUSY_SECONDS = 5.0
"""How long a process waits while others write."""
SPACE_BYTES = 64 * 1024
KEPT_SHARE = 0.9
"""How much of the allowed size is left when rows were removed because of it."""
ROW_BYTES = 250
"""What a row has beside its content: its id and its time, each also in an index, and its hash."""
_SCHEMA = """
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA journal_mode = WAL;
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS rows (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, content BLOB NOT NULL, hash BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS rows_at ON rows (at);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
INSERT OR IGNORE INTO facts VALUES ('machine', lower(hex(randomblob(12))));
PRAGMA user_version = 1;
COMMIT;
"""
_NEEDS_SPACE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR)
"""How SQLite says that it cannot make the file that readers share."""
_CORRUPT = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class ChainHead(Struct, frozen=True):
    """The end of the chain."""

    number: int = 0
    hash: bytes = FIRST


class JournalDatabase:
    """The rows of one user. Opened when it is first used; only one thread may use it."""

    def __init__(self, folder: Path, *, is_read_only: bool = False) -> None:
        self.file = folder / DATABASE
        self._is_read_only = is_read_only
        self._connection: sqlite3.Connection | None = None

    def close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def __enter__(self) -> JournalDatabase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- writing

    def add(self, rows: Sequence[RecordedEvent]) -> int:
        """Store rows that are not stored yet, all or none, and return how many. Raises sqlite3.Error or OSError."""
        with self._transaction() as connection:
            return _append(connection, rows)

    def prune(self, days: int, megabytes: int, keep_from: int | None = None) -> int:
        """Remove the oldest rows beyond the age or the size, and return how many.

        ``keep_from``: the number of the first row that must stay, because it was not sent yet.
        """
        connection = self._open()
        last = max(_older_than(connection, days), _beyond_size(connection, megabytes))
        if keep_from is not None:
            last = min(last, keep_from - 1)
        if last <= 0:
            return 0
        with self._transaction() as connection:
            found = connection.execute("SELECT hash FROM rows WHERE number = ?", (last,)).fetchone()
            if found is None:  # another process did it
                return 0
            removed = connection.execute("DELETE FROM rows WHERE number <= ?", (last,)).rowcount
            note = note_row(f"retention removed {removed} rows", anchor_text(last, found[0]))
            _append(connection, [note])
        with suppress(sqlite3.Error):
            # execute() would free one page only
            connection.executescript("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);")
        return removed

    def set_facts(self, facts: Mapping[str, str | int | bytes]) -> None:
        """Note facts, all or none."""
        with self._transaction() as connection:
            for name, value in facts.items():
                _set_fact(connection, name, value)

    # --- reading

    def facts(self) -> dict[str, Any]:
        return dict(self._open().execute("SELECT name, value FROM facts"))

    def machine(self) -> str:
        """A random name for this database: the rows of several machines may go to one place."""
        return str(self.facts()["machine"])

    def last_number(self) -> int:
        return self.head().number

    def head(self) -> ChainHead:
        return _head(self._open())

    def rows_after(self, number: int, limit: int = -1, _session: str = "", /) -> Iterator[StoredRow]:
        """Rows with larger numbers, in their order, of all sessions: a row of this table does not tell its session."""
        sql = "SELECT number, id, at, content, hash FROM rows WHERE number > ? ORDER BY number LIMIT ?"
        yield from map(_stored, self._open().execute(sql, (number, limit)))

    def rows_before(self, number: int, limit: int, _session: str = "", /) -> Iterator[StoredRow]:
        """Rows with smaller numbers, the largest first, of all sessions."""
        sql = "SELECT number, id, at, content, hash FROM rows WHERE number < ? ORDER BY number DESC LIMIT ?"
        yield from map(_stored, self._open().execute(sql, (number, limit)))

    def newest_first(self, since: str = "") -> Iterator[StoredRow]:
        """Rows that are not older than this time, the one that was added last first."""
        sql = "SELECT number, id, at, content, hash FROM rows WHERE at >= ? ORDER BY number DESC"
        yield from map(_stored, self._open().execute(sql, (since,)))

    # --- the file

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        _refuse_odd_files(self.file)
        if self._is_read_only:
            return _connect_to_read(self.file)
        state.make_private(self.file.parent)
        if not self.file.exists():
            _create_private(self.file)
        # The file's mode is what SQLite gives the files beside it, too.
        connection = sqlite3.connect(self.file, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
                # An empty database is no loss, and a slow disk that is synchronised holds up all others who write.
                connection.execute("PRAGMA synchronous = OFF")
                connection.executescript(_SCHEMA)
            connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._open()
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise


def _refuse_odd_files(file: Path) -> None:
    """AnyhookError for a pipe, a device or a socket in place of a file: SQLite would wait for it without end."""
    for each in (file, *(file.with_name(file.name + suffix) for suffix in ("-wal", "-shm", "-journal"))):
        if disk.exists(each) and not disk.is_file(each):
            raise AnyhookError(f"{each}: the journal cannot be written or read there: not a regular file; remove it")


def _connect_to_read(file: Path) -> sqlite3.Connection:
    """A connection that changes nothing; one to an empty database where there is none yet."""
    if not file.exists():
        return _empty_database()
    for option in ("mode=ro", "immutable=1"):  # the latter in a folder that cannot be written, or on a full disk
        connection = sqlite3.connect(
            f"file:{quote(file.as_posix())}?{option}", uri=True, timeout=BUSY_SECONDS, isolation_level=None
        )
        try:
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):  # it is being made
                connection.close()
                return _empty_database()
            connection.execute("SELECT count(*) FROM facts").fetchone()
            return connection
        except sqlite3.OperationalError as error:
            connection.close()
            if option == "immutable=1" or error.sqlite_errorcode & 0xFF not in _NEEDS_SPACE:
                raise
        except BaseException:
            connection.close()
            raise
    raise AssertionError


def _empty_database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(_SCHEMA)
    return connection


def is_corrupt(error: BaseException) -> bool:
    """Whether an error says that the file is damaged, or no database."""
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(error, sqlite3.DatabaseError) and code is not None and code & 0xFF in _CORRUPT


def set_aside(folder: Path) -> Path | None:
    """Rename a corrupt database, so that a new one can begin; None: another process did it."""
    from filelock import FileLock

    file = folder / DATABASE
    with FileLock(folder / "journal.lock", mode=0o600, timeout=BUSY_SECONDS):
        if not _is_still_corrupt(file):
            return None
        aside = file.with_name(f"corrupt-{now().replace(':', '')}-{DATABASE}")
        for suffix in ("-wal", "-shm", ""):
            with suppress(FileNotFoundError):
                file.with_name(file.name + suffix).rename(aside.with_name(aside.name + suffix))
        return aside


def corrupt_files(folder: Path) -> list[Path]:
    """Databases that were set aside."""
    return sorted(folder.glob(f"corrupt-*-{DATABASE}"))


def explain_error(error: BaseException, folder: Path, verb: str = "written") -> str:
    """Why the journal cannot be written or read, and what to do."""
    file = folder / DATABASE
    text = str(error)
    if isinstance(error, AnyhookError):
        return text
    is_full = "full" in text or ("I/O" in text and _is_full(folder))
    if is_full or getattr(error, "errno", None) in (27, 28):  # EFBIG, ENOSPC
        return f"{file}: the disk is full; events are not recorded until there is space"
    if "locked" in text or "busy" in text:
        return f"{file}: another process keeps the journal locked; events wait to be recorded"
    if "readonly" in text or isinstance(error, PermissionError) or "unable to open" in text:
        return f"{file}: the journal cannot be {verb}; make the folder and its files writable for you"
    return f"{file}: the journal cannot be {verb}: {getattr(error, 'strerror', None) or text}"


def _is_full(folder: Path) -> bool:
    """Whether there is too little space for the files of a database."""
    try:
        return shutil.disk_usage(folder).free < SPACE_BYTES
    except OSError:
        return False


def _is_still_corrupt(file: Path) -> bool:
    _refuse_odd_files(file)
    try:
        with closing(
            sqlite3.connect(f"file:{quote(file.as_posix())}?mode=rw", uri=True, timeout=BUSY_SECONDS)
        ) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
    except sqlite3.DatabaseError as error:
        return is_corrupt(error)


def _create_private(file: Path) -> None:
    """Make an empty file for its user alone whatever the umask is; SQLite takes it for a new database."""
    with suppress(FileExistsError):
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            if hasattr(os, "fchmod"):
                os.fchmod(handle, 0o600)
        finally:
            os.close(handle)


def _append(connection: sqlite3.Connection, rows: Iterable[RecordedEvent]) -> int:
    head = _head(connection)
    number, before = head.number, head.hash
    for row in rows:
        content = dump_json(row)
        hash_ = chain_hash(before, number + 1, content)
        added = connection.execute(
            "INSERT OR IGNORE INTO rows VALUES (?, ?, ?, ?, ?)", (number + 1, row.id, row.at, content, hash_)
        )
        if added.rowcount:
            number, before = number + 1, hash_
    if number != head.number:
        _set_fact(connection, "number", number)
        _set_fact(connection, "hash", before)
    return number - head.number


def _head(connection: sqlite3.Connection) -> ChainHead:
    facts = dict(connection.execute("SELECT name, value FROM facts WHERE name IN ('number', 'hash')"))
    return ChainHead(int(facts["number"]), bytes(facts["hash"])) if len(facts) == 2 else ChainHead()


def _set_fact(connection: sqlite3.Connection, name: str, value: str | int | bytes) -> None:
    connection.execute(
        "INSERT INTO facts VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", (name, value)
    )


def _stored(row: tuple[int, str, str, bytes | str, bytes | str]) -> StoredRow:
    """A column that was edited by hand may have become a text."""
    content, hash_ = (part.encode(errors="replace") if isinstance(part, str) else part for part in row[3:])
    return StoredRow(*row[:3], content, hash_)


def _older_than(connection: sqlite3.Connection, days: int) -> int:
    """The number of the last row before the first that is young enough."""
    limit = iso_time(time.time() - days * 86_400)
    first = connection.execute("SELECT min(number) FROM rows WHERE at >= ?", (limit,)).fetchone()[0]
    return int(first) - 1 if first is not None else int(_head(connection).number)


def _beyond_size(connection: sqlite3.Connection, megabytes: int) -> int:
    """The number of the last row that has to go, by what each of the oldest rows takes on the disk."""
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    used, allowed = (pages - free) * size, megabytes * 1_000_000
    if used <= allowed:
        return 0
    rows = connection.execute(f"SELECT number, length(content) + {ROW_BYTES} FROM rows ORDER BY number").fetchall()
    # Rows take more on the disk than they have bytes: all of them alike.
    excess, last = sum(row_size for _, row_size in rows) * (1 - KEPT_SHARE * allowed / used), 0
    for number, row_size in rows:
        if excess <= 0:
            break
        excess, last = excess - row_size, number
    return last
