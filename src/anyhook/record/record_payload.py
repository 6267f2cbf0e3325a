"""Adds one event that a client has sent to the spool of the journal, as a row of an open recording.

A client waits for the process that imports this, so only the smallest parts of the standard library are used.
"""

from __future__ import annotations

import os

from anyhook.record.append import RECORDER, SPOOL, append_line, now, open_regular
from anyhook.record.cut import MAX_BODY, MAX_NAME, cut_text, cut_value
from anyhook.record.redact import redactor_of_this_machine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def record_payload(marker: str, client: str, event: str, data: bytes) -> None:
    """Add an event to the recording that this file says is on.

    Raises OSError, ValueError or KeyError if that is impossible, or the recording is off: nothing is then recorded.
    """
    import json

    journal = os.path.dirname(os.path.dirname(marker))  # noqa: PTH120  pathlib takes long to load
    _refuse_others(journal)
    with open(open_regular(marker), encoding="utf-8") as file:  # noqa: PTH123
        recording = json.load(file)
    redactor = redactor_of_this_machine(recording["patterns"])
    row: dict[str, Any] = {
        "id": os.urandom(12).hex(),
        "at": now(),
        "client": client,
        "event": cut_text(event, MAX_NAME)[0],
        "project": recording["project"],
        "recording": recording["name"],
        "via": RECORDER,
        "bytes_in": len(data),
    }
    text = data.decode("utf-8", "replace")
    try:
        payload, row["cut"] = cut_value(json.loads(text))
        row["payload"], row["redacted"] = redactor.redact(payload)
        line = json.dumps(row, separators=(",", ":"))
    except (ValueError, RecursionError):  # not JSON, or nested too deeply: kept as text; replay reports it
        text, row["cut"] = cut_text(text, MAX_BODY)
        row["payload"], row["redacted"] = redactor.redact(text)
        line = json.dumps(row, separators=(",", ":"))
    append_line(f"{journal}/{SPOOL}", line.encode())


def _refuse_others(journal: str) -> None:
    """PermissionError unless this folder is the user's alone: an entry of a repository may name any other."""
    if os.name == "posix":
        facts = os.lstat(journal)
        if facts.st_uid != os.geteuid() or facts.st_mode & 0o077:
            raise PermissionError(journal)
