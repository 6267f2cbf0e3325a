"""What people are shown of a hook before they approve it: what it does besides its one line, and how it has changed."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path

from anyhook.model.hooks import Action, Command, FateState, Http
from anyhook.sources import disk
from anyhook.trust.content import HookContent
from anyhook.trust.records import MAX_KEPT_TEXT_BYTES, KnownHook, text_of
from anyhook.trust.seen_files import UsedFile

_SYSTEMS = {"windows": "win32", "linux": "linux", "macos": "darwin"}
_VARIABLE = r"\$\{?([A-Za-z_]\w*)"


def details_of(action: Action) -> Iterator[str]:
    """What other systems run, and what a hook runs with, where, and to whom it sends: a line for each."""
    if action.fate.state is not FateState.ACTIVE:
        yield f"{action.fate.state}: {action.fate.why}" if action.fate.why else str(action.fate.state)
    if isinstance(action, Command):
        yield from _of_command(action)
    elif isinstance(action, Http):
        yield from _of_request(action)


def _of_command(action: Command) -> Iterator[str]:
    if not action.line():
        yield "this system runs nothing"
    for system, platform in _SYSTEMS.items():
        own: str | None = getattr(action.by_os, system)
        if own and platform != sys.platform:
            yield f"on {system}: {own}"
    if action.command and action.command != action.line():
        yield f"elsewhere: {action.command}"
    if action.shell:
        yield f"shell: {action.shell}"
    if action.cwd:
        yield f"in the folder {action.cwd}"
    for name, value in action.env.items():
        yield f"with {name}={value}"


def _of_request(action: Http) -> Iterator[str]:
    for name, value in action.headers.items():
        yield f"header {name}: {value}"
    texts = (action.url, *action.headers.values())
    named = {found for text in texts for found in re.findall(_VARIABLE, text, re.ASCII)}
    for name in action.allowed_env:
        yield f"{'sends' if name in named else 'may send'} ${name} to {action.url}"


def differences(project: Path, former: KnownHook, now: HookContent | None, texts: Mapping[str, str]) -> Iterator[str]:
    """The lines that differ in the user's own files between a hook that was approved and what it is ``now``.

    ``now`` is None for a hook that is gone. ``texts``: those that were approved, by their hashes.
    """
    after = {file.path: file for file in now.files} if now else {}
    if now is None or now.definition != former.definition or former.place in after:
        content = disk.read_small_file(project / former.place, MAX_KEPT_TEXT_BYTES)
        if content is None or sha256(content).hexdigest() != former.source:
            text = None if content is None else content.decode("utf-8", "replace")
            yield from _difference(former.place, texts.get(former.source), text)
    if now is None:
        return
    before = {file.path: file for file in former.files}
    for path in sorted({*before, *after} - {former.place}):
        old, new = before.get(path), after.get(path)
        if old != new:
            yield f"== {path} {what_happened(old, new)}"
            text = texts.get(old.sha256) if old and old.kind == "file" else ""
            if old is None or new is None or old.sha256 != new.sha256:
                yield from _difference(path, text, text_of(project, new))


def what_happened(old: UsedFile | None, new: UsedFile | None) -> str:
    """In words, how a file differs from what it was."""
    if old is None or old.kind == "missing":
        return "is new"
    if new is None:
        return "does not belong to the hook any more"
    if new.kind == "missing":
        return "is gone"
    if old.kind != new.kind:
        return f"was a {old.kind} and is a {new.kind}" if new.kind in ("file", "link") else f"is {new.kind}"
    if old.target != new.target:
        return f"leads to {new.target} instead of {old.target}"
    if old.sha256 != new.sha256:
        return "changed"
    return f"has mode {new.mode:03o} instead of {old.mode:03o}"


def _difference(path: str, before: str | None, after: str | None) -> Iterator[str]:
    """The lines that differ; None before: the text is too large or binary, or was not kept."""
    if before is None:
        yield f"{path}: what it said before is not kept"
    else:
        yield from unified_diff(_lines(before), _lines(after), f"{path} (before)", f"{path} (now)", lineterm="")


def _lines(text: str | None) -> list[str]:
    lines = (text or "").split("\n")
    return lines[:-1] if lines[-1] == "" else [*lines, "\\ No newline at end of file"]
