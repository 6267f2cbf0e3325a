"""Remembers for which events nothing would run, so that the next such event costs next to nothing.

A client asks before every tool call, and most hooks are for few tools. What is kept is the list of an event's tools that
no hook is for, and how every file looked that this depends on, also those that were not there. Nothing would run, so
there is nothing to trust. Reading it back needs no other module of anyhook: see :func:`is_known_to_be_quiet`.
"""

from __future__ import annotations

import marshal
import os
from contextlib import suppress
from zlib import crc32

from anyhook import __version__
from anyhook.sources.state import read_private, state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from anyhook.deploy.asked_hooks import Side

Key = tuple[object, ...]
Look = tuple[int, ...] | None
"""How a file looks from outside; None: it is not there."""
MOST_SUBJECTS = 200


def is_known_to_be_quiet(options: Mapping[str, str], data: bytes) -> bool:
    """Whether it is known, from an earlier event, that no hook is for this one."""
    record = _read(_key(options))
    if record is None:
        return False
    looks, subjects = record
    return _subject(options, data) in subjects and all(_look(path) == look for path, look in looks)


def remember_quiet(options: Mapping[str, str], data: bytes, sides: Sequence[Side], start: Path) -> None:
    """Remember that this event was quiet, if that follows from its name and its tool alone. Never raises."""
    with suppress(Exception):
        if "--from" in options or not _depends_on_the_tool_alone(options, data, sides):
            return
        looks = [(path, _look(path)) for path in _watched(sides, start)]
        known = _read(_key(options))
        subjects = known[1] if known is not None and known[0] == looks else []
        subjects = [*subjects[-MOST_SUBJECTS:], _subject(options, data)]
        from anyhook.sources.state import write_private

        write_private(_file(_key(options)), marshal.dumps((_key(options), looks, subjects)))


def _key(options: Mapping[str, str]) -> Key:
    """Everything besides the files that says whose hooks are asked."""
    folders = sorted((name, value) for name, value in os.environ.items() if name.endswith("PROJECT_DIR"))
    package = options.get("--package", "")
    return (__version__, options.get("--client"), package, options.get("--from", ""), os.getcwd(), tuple(folders))


def _file(key: Key) -> Path:
    return state_folder() / "quiet" / f"{crc32(repr(key).encode(errors='replace')):08x}"


def _read(key: Key) -> tuple[list[tuple[str, Look]], list[tuple[str, str]]] | None:
    content = read_private(_file(key))
    if content is None:
        return None
    try:
        whose, looks, subjects = marshal.loads(content)  # noqa: S302  only its user can write the file
    except (ValueError, EOFError, TypeError):
        return None
    return (looks, subjects) if whose == key else None


def _look(path: str) -> Look:
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return (facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size, facts.st_ino, facts.st_dev)


def _subject(options: Mapping[str, str], data: bytes) -> tuple[str, str]:
    """The event and the tool; empty where they are not told in the plain way."""
    import json

    try:
        call = json.loads(data)
    except (ValueError, RecursionError):
        return ("", "")
    if not isinstance(call, dict) or "--event" not in options:
        return ("", "")
    return (options["--event"], str(call.get("tool_name", call.get("toolName", ""))))


def _depends_on_the_tool_alone(options: Mapping[str, str], data: bytes, sides: Sequence[Side]) -> bool:
    """Whether no hook is for any call of this tool, whatever its input."""
    from anyhook.dialects import profile
    from anyhook.dialects.codec import decode_payload
    from anyhook.dialects.tools import kinds_of
    from anyhook.dialects.translating import translate_payload
    from anyhook.engine.index import RuleIndex
    from anyhook.model.payload import ToolPayload, subject_of

    client = profile(options["--client"])
    asked, problems = decode_payload(client, data, options.get("--event", ""))
    event, tool = _subject(options, data)
    if problems or not event or not isinstance(asked, ToolPayload) or asked.tool_name != tool:
        return False
    if len(kinds_of(tool, client.name)) > 1:
        return False
    for side in sides:
        source = profile(side.hooks.dialect)
        given = translate_payload(asked, client, source).payload
        if side.refusal:
            return False
        if given is not None:
            subject = subject_of(given, source.matching.subject(given.event)) or ""
            if RuleIndex(source, side.hooks.rules).plan(given, subject).hooks:
                return False
    return True


def _watched(sides: Iterable[Side], start: Path) -> list[str]:
    """Every file that the hooks came from, and every place where one could appear."""
    from pathlib import Path

    from anyhook.dialects import profile
    from anyhook.dialects.places import Root
    from anyhook.sources.package_hooks import UNIVERSAL

    root = list(sides)[-1].root
    folders = [folder for folder in (start, *start.parents) if not root.is_relative_to(folder) or folder == root]
    system = Path(start.anchor)
    paths = [str(system / source.pattern) for source in profile(UNIVERSAL).sources if source.root is Root.SYSTEM]
    for place in (folder / "hooks" for folder in (*folders, root)):
        paths += [str(place), str(place / "hooks.json"), *map(str, sorted(place.glob("*.py")))]
    paths += [file.path for side in sides for file in side.hooks.files]
    return list(dict.fromkeys(paths))
