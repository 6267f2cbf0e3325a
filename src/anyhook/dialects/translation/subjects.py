"""What a matcher is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import PurePosixPath, PureWindowsPath

from anyhook.dialects.profile import Profile
from anyhook.dialects.translation.equivalents import kinds_of_event
from anyhook.dialects.translation.tools import tools_of_kind
from anyhook.dialects.vocabulary import KINDS
from anyhook.model.events import Subject
from anyhook.model.lazyjson import LazyJson
from anyhook.model.payload_base import Payload

_FIELDS: Mapping[Subject, tuple[str, ...]] = {
    Subject.TOOL: ("tool_name",),
    Subject.FILE_PATH: ("file_path",),
    Subject.FILE_NAME: ("file_path",),
    Subject.COMMAND: ("command",),
    Subject.SOURCE: ("source",),
    Subject.REASON: ("reason",),
    Subject.TRIGGER: ("trigger",),
    Subject.AGENT_TYPE: ("agent_type", "agent_name"),
    Subject.NOTIFICATION: ("notification_type",),
    Subject.ERROR: ("error",),
    Subject.LOAD_REASON: ("load_reason",),
    Subject.COMMAND_NAME: ("command_name",),
    Subject.MCP_SERVER: ("mcp_server_name",),
    Subject.MODEL: ("to_model",),
}
"""The fields of a payload that hold a subject; the first that is a text counts."""


def matched_text(payload: Payload, profile: Profile) -> str:
    """The text that matchers see; empty when there is none.

    An event of one kind of tools does not name the tool, though matchers on it may (``Read`` on Cursor's
    beforeReadFile).
    """
    subject = profile.matching.subject(payload.event)
    found = subject_of(payload, subject)
    if found is None and subject is Subject.TOOL:
        kinds = kinds_of_event(payload.event) or frozenset()
        return next((name for kind in KINDS if kind in kinds for name in tools_of_kind(kind, profile.name)), "")
    return found or ""


def subject_of(payload: Payload, subject: Subject) -> str | None:
    """The text that a matcher is compared with; None when the payload does not have it."""
    if subject is Subject.MCP_TOOL:
        server, tool = subject_of(payload, Subject.MCP_SERVER), subject_of(payload, Subject.TOOL)
        return None if server is None or tool is None else f"{server}/{tool}"
    for name in _FIELDS.get(subject, ()):
        value = getattr(payload, name, None)
        if isinstance(value, LazyJson | Enum):
            value = value.value
        if isinstance(value, str):
            return _base_name(value) if subject is Subject.FILE_NAME else value
    return None


def _base_name(path: str) -> str:
    """The last part of a path as any operating system writes it."""
    return PureWindowsPath(path).name if "\\" in path else PurePosixPath(path).name
