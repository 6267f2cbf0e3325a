"""Which client really starts an entry: some read the hook files of others, and send payloads of their own."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from anyhook.dialects import profile as profile_of
from anyhook.dialects.profile import Profile


def recognise_caller(written_for: Profile, keys: Collection[str], environment: Mapping[str, str]) -> Profile:
    """The client that sent a payload with these keys to an entry; the entry's own, unless signs show another."""
    readers = written_for.recognition.also_called_by
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
