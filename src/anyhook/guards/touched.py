"""What a tool call touches, whatever tool it is: files that it reads and writes, texts that it writes, hosts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from anyhook.dialects.translation.patches import read_patch
from anyhook.dialects.translation.tool_kinds import (
    CONTENT_INPUTS,
    URL_INPUTS,
    call_kinds,
    inputs_of,
    path_inputs,
    plain_key,
)
from anyhook.guards.call import GuardCall
from anyhook.guards.shell.families.approval import added_lines
from anyhook.guards.shell.families.files import deleted_paths, written_paths
from anyhook.guards.shell.options import operands
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation
from anyhook.shell.reader import read_script

_CONTENTS = frozenset(map(plain_key, CONTENT_INPUTS))
_URLS = frozenset(map(plain_key, URL_INPUTS))
_PATCHED_FILE = LazyPattern(r"(?m)^(?:\+\+\+|---) (?:[ab]/)?([^\t\r\n]+)")
_URL = LazyPattern(r"\b(?:https?|ftp|ssh|git|wss?)://[^\s\"'`<>|;&)\\]+", re.IGNORECASE)
_HOST_WORD = LazyPattern(
    r"(?:[\w.+-]+@)?((?:[\w-]+\.)+[a-z]{2,}|localhost|\d+(?:\.\d+){3})(?::\S*|/\S*)?", re.IGNORECASE
)
_SPEAKERS = frozenset({"echo", "printf", "grep", "rg", "sed", "awk", "cat", "true", "#"})
"""Programs for which an address is only text."""
_CURL = (
    "-o --output -H --header -d --data --data-raw --data-binary -F --form -X --request -u --user -A --user-agent -b -c "
    "-e -T --upload-file -w -m --max-time --connect-timeout --retry -K --config --cacert --cert --key -O"
)
_SSH = "-i -p -l -o -F -L -R -D -P -b -c -e --rsh --exclude"
_CONNECTORS = {
    **dict.fromkeys(("curl", "wget", "wget2", "http", "https"), tuple(_CURL.split())),
    **dict.fromkeys(("ssh", "scp", "sftp", "rsync", "nc", "ncat", "telnet", "ftp"), tuple(_SSH.split())),
}
"""Programs that take a host without a scheme, with their options that take a value."""
_COPIERS = frozenset({"scp", "rsync"})
"""Programs for which a word is a host only before a colon."""


def kinds(call: GuardCall) -> frozenset[str]:
    return call_kinds(str(call.event.get("tool_name", "")), call.tool_input, call.dialect)


def _paths(call: GuardCall) -> frozenset[str]:
    """The names of inputs that are paths."""
    return path_inputs(str(call.event.get("tool_name", "")))


def invocations(call: GuardCall) -> Iterator[Invocation]:
    """Every program that the call would start."""
    for line in call.commands:
        yield from read_script(line).commands


def written_files(call: GuardCall) -> tuple[str, ...]:
    """The files that a call writes, moves or deletes, as far as its input tells."""
    found: dict[str, None] = {}
    if "edit" in kinds(call):
        found |= dict.fromkeys(_given_anywhere(call.tool_input, _paths(call)))
        for text in written_texts(call):
            found |= dict.fromkeys(_patched(text))
    for command in invocations(call):
        found |= dict.fromkeys((*written_paths(command), *deleted_paths(command)))
    return tuple(found)


def read_files(call: GuardCall) -> tuple[str, ...]:
    """The files that a call may read: those that it names and does not only write."""
    found: dict[str, None] = {}
    if "read" in kinds(call):
        found |= dict.fromkeys(_given_anywhere(call.tool_input, _paths(call)))
    for command in invocations(call):
        if command.name not in _SPEAKERS - {"cat", "grep", "rg", "sed", "awk"}:
            found |= dict.fromkeys(command.arguments)
        found |= dict.fromkeys(each.target.text for each in command.redirects if not each.writes)
    return tuple(found)


def written_texts(call: GuardCall) -> tuple[str, ...]:
    """The texts that a call puts into files."""
    return tuple(dict.fromkeys(_given_anywhere(call.tool_input, _CONTENTS))) if "edit" in kinds(call) else ()


def texts_of_files(call: GuardCall) -> Iterator[tuple[str, str]]:
    """The files that an edit writes, each with a text that is put into it; of a patch, the lines that it adds."""
    if "edit" not in kinds(call):
        return
    paths = tuple(dict.fromkeys(_given_anywhere(call.tool_input, _paths(call))))
    for text in written_texts(call):
        sections = read_patch(text)
        for each in sections:
            given = each.tool_input
            yield str(given.get("file_path", "")), str(given.get("content", given.get("new_string", "")))
        named = tuple(_patched(text))
        if not sections:
            yield from ((path, added_lines(text) if named else text) for path in (*paths, *named))


def hosts(call: GuardCall) -> tuple[str, ...]:
    """The hosts that a call connects to, as far as its input tells."""
    found: dict[str, None] = {}
    for url in _given(call.tool_input, _URLS) if "fetch" in kinds(call) else ():
        found |= dict.fromkeys(_hosts_in(url if "://" in url else f"https://{url}"))
    for command in invocations(call):
        if command.name in _SPEAKERS:
            continue
        for word in command.arguments:
            found |= dict.fromkeys(_hosts_in(word))
        for word in operands(command, _CONNECTORS[command.name]) if command.name in _CONNECTORS else ():
            plain = None if "://" in word else _HOST_WORD.fullmatch(word)
            if plain and (":" in word or command.name not in _COPIERS):
                found[plain[1].lower()] = None
    return tuple(found)


def all_texts(value: object) -> Iterator[str]:
    """Every text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from all_texts(inner)


def _hosts_in(text: str) -> Iterator[str]:
    for url in _URL.findall(text):
        try:
            host = urlsplit(url).hostname
        except ValueError:
            host = url.partition("://")[2].partition("/")[0]
        if host:
            yield host.lower()


def _patched(text: str) -> Iterator[str]:
    """The files that the text of a patch names."""
    yield from (str(each.tool_input.get("file_path", "")) for each in read_patch(text))
    yield from (found[1].strip() for found in _PATCHED_FILE.finditer(text) if found[1].strip() != "/dev/null")


def _given(given: Mapping[str, Any], names: frozenset[str]) -> Iterator[str]:
    """The texts under these names, also in lists and in objects of lists (the ``edits`` of a call)."""
    for key, value in given.items():
        if plain_key(str(key)) in names:
            yield from _texts(value, names)


def _texts(value: object, names: frozenset[str]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _given(item, names) if isinstance(item, dict) else _texts(item, names)


def _given_anywhere(given: Mapping[str, Any], names: frozenset[str]) -> Iterator[str]:
    """The same in every object of the input."""
    for each in inputs_of(given):
        yield from _given(each, names)
