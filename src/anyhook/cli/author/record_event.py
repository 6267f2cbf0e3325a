"""The hook that records: a client starts ``python -IS record_event.py CLIENT EVENT FOLDER`` for every event.

It appends the payload to the recording, prints nothing and exits with 0 even after an error: an agent must never notice
it. It is a separate script that needs only the standard library, because the agent waits for it.
"""

from __future__ import annotations

import sys


def main(arguments: list[str]) -> int:
    """Record one event; the exit status is always 0."""
    try:
        client, event, folder = arguments
        _record(client, event, folder, b"" if sys.stdin is None else sys.stdin.buffer.read())
    except BaseException:  # noqa: BLE001, S110, RUF100  a full disk, no memory or a signal must not stop the agent
        pass
    return 0


def _record(client: str, event: str, folder: str, data: bytes) -> None:
    import json

    from anyhook.record.append import append_event
    from anyhook.record.redact import redactor_of_this_machine

    redactor = redactor_of_this_machine(folder)
    text = data.decode("utf-8", "replace")
    try:
        append_event(folder, redactor, client, event, json.loads(text))
    except (ValueError, RecursionError):
        append_event(folder, redactor, client, event, text)  # not JSON: kept as text; replay reports it


if __name__ == "__main__":
    sys.path.append(__file__.rpartition("anyhook")[0])  # last: no module beside anyhook may shadow the standard library
    sys.exit(main(sys.argv[1:]))
