"""Which client really starts an entry: some read the hook files of others, and send payloads of their own."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec
from msgspec import Raw

from anyhook.dialects import profile as profile_of
from anyhook.dialects.profile import Profile

_KEYS = msgspec.json.Decoder(dict[str, Raw])


def recognise_caller(written_for: Profile, stdin: bytes, environment: Mapping[str, str]) -> Profile:
    """The client that sent a payload to an entry; the one that the entry was written for, unless signs show another."""
    readers = written_for.recognition.also_called_by
    if not readers:
        return written_for
    try:
        keys = _KEYS.decode(stdin).keys()
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return written_for
    others = [name for name, key in readers.items() if key in keys]
    if not others:  # most events: no other client's profile is loaded
        return written_for
    known = (written_for, *map(profile_of, others))
    certain_first = sorted(known, key=lambda client: not client.recognition.caller_environment)
    return next((client for client in certain_first if _is_caller(client, keys, environment)), written_for)


def _is_caller(client: Profile, keys: Collection[str], environment: Mapping[str, str]) -> bool:
    signs = client.recognition
    if not signs.caller_keys or any(key not in keys for key in signs.caller_keys):
        return False
    return not signs.caller_environment or any(environment.get(name) for name in signs.caller_environment)
