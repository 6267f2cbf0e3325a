"""Remembers for which events nothing would run, so that the next such event costs next to nothing.

A client asks before every tool call, and most hooks are for few tools. What is kept is a list of the tools that no hook
is for, and everything that was looked at to find the hooks, also what was not there. Nothing would run, so there is
nothing to trust. Reading it back needs hardly any other module: see :func:`is_known_not_to_match`.

Where an organisation has hooks nothing is taken from memory: its user, or a project, could have written that.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from zlib import crc32

from anyhook import __version__
from anyhook.model.managed_files import MANAGED_FILES
from anyhook.sources.disk import are_current
from anyhook.sources.state import is_state_inside, read_private, state_folder, write_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from anyhook.bridge.ask_packages import Call
    from anyhook.bridge.packages import HookPackage
    from anyhook.sources.disk import FileSnapshot

MAX_SUBJECTS = 200
Subject = list[str]
"""An event and a tool."""


def is_known_not_to_match(options: Mapping[str, str], data: bytes) -> bool:
    """Whether it is known, from an earlier event, that no hook is for this one. Never raises."""
    try:
        snapshot, subjects = _recall(_key(options))
        if _subject(options, data) not in subjects or _has_managed_hooks() or _is_memory_of_the_project(options):
            return False
        return are_current(snapshot)
    except (OSError, KeyError, TypeError, ValueError):  # such as a folder that is gone, or not what we wrote
        return False


def remember_no_match(
    options: Mapping[str, str], data: bytes, call: Call, packages: Sequence[HookPackage], snapshot: FileSnapshot
) -> None:
    """Remember that this event was quiet, if that follows from its name and its tool alone. Never raises.

    ``snapshot`` is what was looked at to find the hooks.
    """
    with suppress(Exception):
        subject = _subject(options, data)
        if "--from" in options or not snapshot.shows_changes or not _depends_on_the_tool_alone(subject, call, packages):
            return
        key = _key(options)
        seen = json.loads(json.dumps([*snapshot.as_json()]))  # as it will be read
        known, subjects = _recall(key)
        kept = subjects[-MAX_SUBJECTS:] if known == seen else []
        record = {"key": key, "looks": seen, "subjects": [*kept, subject]}
        write_private(_file(key), json.dumps(record).encode())


# -------------------------------------------------------------------------------------------------------------- memory


def _key(options: Mapping[str, str]) -> str:
    """Everything besides the files that says whose hooks are asked."""
    client_payload = {name: options.get(name) for name in ("--client", "--from", "--package")}
    return repr((__version__, client_payload, str(Path.cwd()), _project_folders()))


def _file(key: str) -> Path:
    return state_folder() / "quiet" / f"{crc32(key.encode(errors='replace')):08x}.json"


def _recall(key: str) -> tuple[list[Any], list[Subject]]:
    try:
        record = json.loads(read_private(_file(key)) or b"{}")
        if record.get("key") == key:
            return record["looks"], record["subjects"]
    except (ValueError, KeyError, TypeError, AttributeError):  # not what we wrote
        pass
    return [], []


def _subject(options: Mapping[str, str], data: bytes) -> Subject:
    """The event and the tool; nothing where they are not told in the plain way."""
    try:
        call = json.loads(data)
    except (ValueError, RecursionError):
        return []
    if not isinstance(call, dict) or "--event" not in options:
        return []
    return [options["--event"], str(call.get("tool_name", call.get("toolName", "")))]


def _has_managed_hooks() -> bool:
    system = Path(os.environ.get("SYSTEMDRIVE", "C:") + "\\" if os.name == "nt" else "/")
    return any(os.path.lexists(system / file) for file in MANAGED_FILES)


def _is_memory_of_the_project(options: Mapping[str, str]) -> bool:
    """Whether our folder came with the project: the environment can be set by a client's project settings."""
    places = (".", options.get("--package", "."), *(folder for _, folder in _project_folders()))
    roots = {_package_above(Path(place).resolve()) for place in places}
    return any(is_state_inside(root, Path.home()) for root in roots)


def _package_above(folder: Path) -> Path:
    return next((above for above in (folder, *folder.parents) if (above / "hooks").is_dir()), folder)


def _project_folders() -> list[tuple[str, str]]:
    """What clients say about the folder of the project, each by a variable of its own."""
    return sorted((name, value) for name, value in os.environ.items() if name.endswith("PROJECT_DIR"))


# ------------------------------------------------------------------------------------------------- what it depends on


def _depends_on_the_tool_alone(told: Subject, call: Call, packages: Sequence[HookPackage]) -> bool:
    """Whether no hook is for any call of this tool, whatever its input."""
    from anyhook.dialects import OWN, profile
    from anyhook.dialects.translation.tools import kinds_of
    from anyhook.dialects.translation.translate import translate_payload
    from anyhook.engine.index import RuleIndex
    from anyhook.model.payload import ToolPayload, subject_of

    client, client_payload = profile(call.client), call.client_payload
    if call.problems or not isinstance(client_payload, ToolPayload) or [client_payload.tool_name] != told[1:]:
        return False
    if len(kinds_of(client_payload.tool_name, client.name)) > 1:
        return False
    if any(
        package.refusal or package.hooks.dialect != OWN for package in packages
    ):  # others have more places for hooks
        return False
    for package in packages:
        source = profile(package.hooks.dialect)
        hook_payload = translate_payload(client_payload, client, source).payload
        if hook_payload is not None:
            subject = subject_of(hook_payload, source.matching.subject(hook_payload.event)) or ""
            if RuleIndex(source, package.hooks.rules).plan(hook_payload, subject).hooks:
                return False
    return True
