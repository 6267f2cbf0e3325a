"""The hook that records: a client starts ``python -IS record_event.py CLIENT EVENT MARKER`` for every event.

It appends the payload to the journal, prints nothing and exits with 0 even after an error: an agent must never notice
it. It is a separate script that needs only the standard library, because the agent waits for it.
"""

from __future__ import annotations

import sys


def main(arguments: list[str]) -> int:
    """Record one event; the exit status is always 0."""
    try:
        from anyhook.record.record_payload import record_payload

        client, event, marker = arguments
        record_payload(marker, client, event, b"" if sys.stdin is None else sys.stdin.buffer.read())
    except BaseException:  # noqa: BLE001, S110, RUF100  a full disk, no memory or a signal must not stop the agent
        pass
    return 0


if __name__ == "__main__":
    sys.path.append(__file__.rpartition("anyhook")[0])  # last: no module beside anyhook may shadow the standard library
    sys.exit(main(sys.argv[1:]))
