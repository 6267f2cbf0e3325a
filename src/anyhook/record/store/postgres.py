"""Sends rows to PostgreSQL, and reads them there: one table for the journals of many machines.

The journal itself is the spool: it knows how far its rows were sent. A row that was sent and not noted as sent, because
the process died, is sent again and changes nothing: its id is the key.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from anyhook.model.lazyjson import dump_json
from anyhook.model.problems import AnyhookError
from anyhook.record.limit_rows import limited_row
from anyhook.record.recorded import decode_row, without_bodies
from anyhook.record.store.chain import StoredRow
from anyhook.record.store.database import POSTGRES_SENT, JournalDatabase

if TYPE_CHECKING:
    import psycopg

BATCH_ROWS = 500
FETCHED_ROWS = 1000
"""Rows that one round trip brings."""
_DEFAULTS = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}
"""What the url may set otherwise. Without these, a server that vanishes holds a connection for hours."""
MAX_TEXT = 500
"""Characters of a text in a column: an index of PostgreSQL takes 2,704 bytes. The content has all of it."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS anyhook_journal (
    id text PRIMARY KEY,
    position bigint GENERATED ALWAYS AS IDENTITY,
    machine text NOT NULL,
    host text NOT NULL,
    number bigint NOT NULL,
    at timestamptz NOT NULL,
    client text NOT NULL,
    session text NOT NULL,
    event text NOT NULL,
    tool text NOT NULL,
    effect text NOT NULL,
    project text NOT NULL,
    ms double precision NOT NULL,
    content text NOT NULL,
    hash bytea NOT NULL
);
ALTER TABLE anyhook_journal ADD COLUMN IF NOT EXISTS repository text NOT NULL DEFAULT '';
ALTER TABLE anyhook_journal ADD COLUMN IF NOT EXISTS subject text NOT NULL DEFAULT '';
CREATE INDEX IF NOT EXISTS anyhook_journal_at ON anyhook_journal (at);
CREATE INDEX IF NOT EXISTS anyhook_journal_position ON anyhook_journal (position);
CREATE INDEX IF NOT EXISTS anyhook_journal_session ON anyhook_journal (session, position);
"""
_HAS_COLUMN = "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('anyhook_journal') AND attname = 'subject'"
"""Whether there is a table, and no older version of anyhook has made it."""
_SETTING = "PostgreSQL of [journal] url"
_LOCK = 0x616E79686F6F6B
"""Of the transaction that makes the table: PostgreSQL may fail if two do it at once."""
_INSERT = """
INSERT INTO anyhook_journal
    (id, machine, host, number, at, client, session, event, tool, effect, project, repository, subject, ms, content,
     hash)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (id) DO NOTHING
"""


def send_to_postgres(database: JournalDatabase, url: str, *, with_bodies: bool = False) -> int:
    """Send the rows that the server does not have, and return how many. AnyhookError: it cannot be reached.

    Without ``with_bodies``, the payloads of recordings stay on this machine.
    """
    sent = int(database.facts().get(POSTGRES_SENT, 0))
    if database.last_number() <= sent:
        return 0
    total = 0
    with connected(url) as connection:
        machine, host = database.machine(), socket.gethostname()
        while rows := list(database.rows_after(sent, BATCH_ROWS)):
            with connection.transaction(), connection.cursor() as cursor:
                cursor.executemany(_INSERT, list(_values_of(rows, machine, host, with_bodies=with_bodies)))
            sent, total = rows[-1].number, total + len(rows)
            database.set_facts({POSTGRES_SENT: sent})
    return total


class PostgresRows:
    """The rows of all machines in a database."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def last_number(self) -> int:
        found = self._connection.execute("SELECT coalesce(max(position), 0) FROM anyhook_journal").fetchone()
        return int(found[0]) if found else 0

    def rows_after(self, number: int, limit: int = -1, session: str = "", /) -> Iterator[StoredRow]:
        """Rows that came later, in their order; those of a session alone, if one is named."""
        only, values = _of_session(session)
        rest = f"WHERE position > %s {only} ORDER BY position LIMIT %s"
        return self._pages(rest, (number,), values, limit, lambda last: (last.number,))

    def rows_before(self, number: int, limit: int, session: str = "", /) -> Iterator[StoredRow]:
        """Rows that came earlier, the last of them first; those of a session alone, if one is named."""
        only, values = _of_session(session)
        rest = f"WHERE position < %s {only} ORDER BY position DESC LIMIT %s"
        return self._pages(rest, (number,), values, limit, lambda last: (last.number,))

    def newest_first(self, since: str = "") -> Iterator[StoredRow]:
        """Rows that are not older than this time."""
        rest = "WHERE (at, position) < (%s, %s) AND at >= %s ORDER BY at DESC, position DESC LIMIT %s"
        return self._pages(rest, ("infinity", 0), (since or "-infinity",), -1, lambda last: (last.at, last.number))

    def _pages(
        self,
        rest: str,
        start: tuple[Any, ...],
        values: tuple[Any, ...],
        limit: int,
        place_of: Callable[[StoredRow], tuple[Any, ...]],
    ) -> Iterator[StoredRow]:
        """At most so many rows from a place on, -1 for all of them, in the order of the statement.

        The rows of a whole team may be too many to hold, so they come a page at a time, each with a statement of its
        own. A cursor on the server would need a transaction, which a caller that has seen enough leaves open.
        """
        while limit:
            size = FETCHED_ROWS if limit < 0 else min(limit, FETCHED_ROWS)
            sql = "SELECT position, id, at::text, content, hash FROM anyhook_journal " + rest
            found = self._connection.execute(sql, (*start, *values, size))  # type: ignore[arg-type,unused-ignore]
            page = [
                StoredRow(place, id_, at, content.encode(), bytes(hash_)) for place, id_, at, content, hash_ in found
            ]
            yield from page
            if len(page) < size:
                return
            start, limit = place_of(page[-1]), limit if limit < 0 else limit - size


@contextmanager
def connected(url: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection to a database that has the table. AnyhookError: there is none."""
    with _connected(url) as connection:
        if connection.execute(_HAS_COLUMN).fetchone() is None:
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
                connection.execute(_SCHEMA)
        yield connection


def why_unreachable(url: str) -> str:
    """Why a database cannot be asked, with the remedy; empty: it can. Nothing is written there."""
    try:
        with _connected(url):
            return ""
    except AnyhookError as error:
        return str(error)


@contextmanager
def _connected(url: str) -> Iterator[psycopg.Connection[Any]]:
    try:
        import psycopg
    except ImportError:
        from anyhook.extras import install_command

        raise AnyhookError(f"[journal] url needs psycopg; install it: {install_command('postgres')}") from None
    try:
        with psycopg.connect(**_connection_settings(url), autocommit=True) as connection:
            yield connection
    except psycopg.Error as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise AnyhookError(f"{_SETTING}: {lines[0]}; {_remedy(error)}") from error


def _connection_settings(url: str) -> dict[str, Any]:
    """The parts of the url. AnyhookError: it is none; libpq's own message may quote the password."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    with suppress(psycopg.Error):
        parts = conninfo_to_dict(url)
        host, port, database = (str(parts.get(name) or "") for name in ("host", "port", "dbname"))
        # An @ or a / in a password makes the rest of it a part of the host, the port or the database.
        if "@" not in host + database and not port.strip("0123456789,"):
            return {**_DEFAULTS, **parts}
    how = "write postgresql://USER@HOST/DATABASE, and %40 for @ or %2F for / in a name or a password"
    raise AnyhookError(f"{_SETTING}: this is no url of a database; {how}")


def _remedy(error: psycopg.Error) -> str:
    from psycopg import errors

    if isinstance(error, errors.InsufficientPrivilege):
        return "grant the user SELECT and INSERT on the table anyhook_journal, and CREATE on the schema to make it"
    if isinstance(error, errors.UndefinedColumn | errors.InvalidColumnReference | errors.DatatypeMismatch):
        return "the table anyhook_journal is not anyhook's; rename it, or use another database"
    return "check the server and the url"


def _values_of(rows: Iterable[StoredRow], machine: str, host: str, *, with_bodies: bool) -> Iterator[tuple[Any, ...]]:
    """The columns of rows; one that cannot be read is left to ``anyhook log --verify``, and holds up no other."""
    for row in rows:
        with suppress(ValueError, RecursionError):
            stored, at = decode_row(row.content), datetime.fromisoformat(row.at)
            event = limited_row(stored if with_bodies else without_bodies(stored))  # older versions had no limit
            is_whole = event.cut == stored.cut and (with_bodies or stored.payload is stored.answer is UNSET)
            content = row.content if is_whole else dump_json(event)
            names = ("client", "session", "event", "tool", "effect", "project", "repository", "subject")
            texts = (getattr(event, name) for name in names)
            yield row.id, machine, host, row.number, at, *map(_plain, texts), event.ms, content.decode(), row.hash


def _plain(text: str) -> str:
    """PostgreSQL has no text with a NUL or half a surrogate pair; in the content they are escapes."""
    return text[:MAX_TEXT].replace("\0", "").encode(errors="replace").decode()


def _of_session(session: str) -> tuple[str, tuple[str, ...]]:
    """The condition for the rows of a session, and its values; no condition: for all."""
    return ("AND session = %s", (_plain(session),)) if session else ("", ())
