"""What goes in and out of a model, in the words of no particular API."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from msgspec import Struct

from anyhook.prove.script import FailStep, ToolStep

Body = Mapping[str, Any]


class Message(Struct, frozen=True):
    """One message that the model received."""

    role: str
    """system, user or tool; APIs have further ones."""
    text: str
    call_id: str | None = None
    """The tool call that this is the result of."""


class ModelCall(Struct, frozen=True):
    """A tool call of the model."""

    id: str
    tool: ToolStep


class ModelReply(Struct, frozen=True):
    """What the model answers to one request."""

    id: str
    text: str = ""
    calls: tuple[ModelCall, ...] = ()
    failure: FailStep | None = None


class ModelApi(Protocol):
    """Reads the requests of one API and writes its responses."""

    @property
    def paths(self) -> tuple[str, ...]:
        """How the paths of its requests end."""

    def messages(self, body: Body) -> list[Message]:
        """What the model receives, without its own messages."""

    def response(self, reply: ModelReply, body: Body) -> dict[str, Any]:
        """The response as one object."""

    def events(self, reply: ModelReply, body: Body) -> Iterator[dict[str, Any] | str]:
        """The response as a stream."""


def plain(content: Any) -> str:
    """The text of a message: a text, or a list of parts."""
    if isinstance(content, list):
        return "\n".join(part.get("text", "") if isinstance(part, dict) else str(part) for part in content)
    if content is None or isinstance(content, str):
        return content or ""
    return json.dumps(content)


def halves(text: str) -> tuple[str, ...]:
    """A text in two parts, as a stream brings it."""
    middle = len(text) // 2
    return tuple(part for part in (text[:middle], text[middle:]) if part)
